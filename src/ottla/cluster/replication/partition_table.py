"""Which partitions a broker has: found by the topic's name and by its id. Plain bookkeeping.

Always true: a partition is found by both or by neither; of one name there is one topic, so a topic that was made anew
under its old name is found by its new id alone.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from ottla.cluster.replication.partition import Partition
from ottla.protocol.codec.wire import Uuid

NONE: Final[Mapping[int, Partition]] = {}


class PartitionTable:
    """All partitions of a broker."""

    __slots__ = ("by_id", "by_name")

    def __init__(self) -> None:
        # Two steps, topic and index: a request asks for many partitions of one topic, and needs no pair for each.
        self.by_name: dict[str, dict[int, Partition]] = {}
        self.by_id: dict[Uuid, dict[int, Partition]] = {}

    def __iter__(self) -> Iterator[Partition]:
        """As they are now: the table may change while they are gone through."""
        return iter([partition for topic in self.by_name.values() for partition in topic.values()])

    def __len__(self) -> int:
        return sum(map(len, self.by_name.values()))

    def of_topic(self, topic: str) -> Mapping[int, Partition]:
        """The partitions of a topic, by their indexes."""
        return self.by_name.get(topic, NONE)

    def get(self, topic: str, index: int) -> Partition | None:
        """A partition by its topic's name."""
        return self.by_name.get(topic, NONE).get(index)

    def get_by_id(self, topic_id: Uuid, index: int) -> Partition | None:
        """A partition by its topic's id."""
        return self.by_id.get(topic_id, NONE).get(index)

    def add(self, partition: Partition) -> None:
        """There is one more."""
        topic = self.by_name.get(partition.topic)
        if topic is None:
            topic = self.by_name[partition.topic] = self.by_id[partition.topic_id] = {}
        assert self.by_id.get(partition.topic_id) is topic, f"two topics are called {partition.topic}"
        assert partition.index not in topic, f"{partition} is there already"
        topic[partition.index] = partition

    def remove(self, partition: Partition) -> None:
        """There is one less."""
        topic = self.by_name[partition.topic]
        assert topic.pop(partition.index) is partition
        if not topic:
            del self.by_name[partition.topic], self.by_id[partition.topic_id]
