"""All topics and partitions, and who is where: the state that most duties of the controller look at.

Partitions are found by topic, and by what may befall them: who is in sync (a broker goes), who is an eligible leader,
which have no leader (a broker comes), which are not led by their preferred leader (balancing), and which are being
moved. These indexes follow from the partitions and change with them, so they are no records.

Always true: each index agrees with the partitions (`check` compares all of them); a topic has a name that no other has.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ottla.cluster.controller.partitions.partition import (
    NO_LEADER,
    Partition,
    TopicPartition,
    changed,
    created,
    is_sound,
)
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.metadata_records import (
    ClearElrRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from ottla.protocol.topic_names import collision_key
from ottla.replicated.timeline import Journal, TimelineDict, TimelineSet


class Topic(NamedTuple):
    """A topic and its partitions."""

    name: str
    topic_id: Uuid
    partitions: TimelineDict[int, Partition]


class BrokerIndex:
    """For each broker the partitions that name it in one list of theirs."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._partitions: TimelineDict[int, TimelineSet[TopicPartition]] = TimelineDict(journal)

    def of(self, broker_id: int) -> Iterator[TopicPartition]:
        """The partitions that name this broker."""
        return iter(self._partitions.get(broker_id, ()))

    def move(self, key: TopicPartition, before: tuple[int, ...], after: tuple[int, ...]) -> None:
        """A partition's list has changed."""
        if before == after:
            return
        for broker_id in before:
            if broker_id not in after:
                self._partitions[broker_id].discard(key)
        for broker_id in after:
            if broker_id not in before:
                partitions = self._partitions.get(broker_id)
                if partitions is None:
                    partitions = self._partitions[broker_id] = TimelineSet(self._journal)
                partitions.add(key)

    def pairs(self) -> set[tuple[int, TopicPartition]]:
        """Everything that is in it, for checking."""
        return {(broker_id, key) for broker_id, keys in self._partitions.items() for key in keys}


class PartitionTable:
    """The topics, the partitions, and the indexes."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.topics: TimelineDict[Uuid, Topic] = TimelineDict(journal)
        self.topic_ids: TimelineDict[str, Uuid] = TimelineDict(journal)
        self.colliding: TimelineDict[str, TimelineSet[str]] = TimelineDict(journal)
        self.in_isr, self.in_elr = BrokerIndex(journal), BrokerIndex(journal)
        self.leaderless: TimelineSet[TopicPartition] = TimelineSet(journal)
        self.imbalanced: TimelineSet[TopicPartition] = TimelineSet(journal)
        self.reassigning: TimelineSet[TopicPartition] = TimelineSet(journal)

    # Looking

    def topic(self, name: str) -> Topic | None:
        """The topic of this name."""
        topic_id = self.topic_ids.get(name)
        return None if topic_id is None else self.topics[topic_id]

    def name(self, topic_id: Uuid) -> str | None:
        """What the topic with this id is called."""
        topic = self.topics.get(topic_id)
        return None if topic is None else topic.name

    def partition(self, key: TopicPartition) -> Partition | None:
        """The partition, if there is one."""
        topic = self.topics.get(key.topic_id)
        return None if topic is None else topic.partitions.get(key.partition_id)

    def name_of(self, key: TopicPartition) -> str:
        """A partition as people write it."""
        return f"{self.topics[key.topic_id].name}-{key.partition_id}"

    def collision(self, name: str) -> str | None:
        """A topic whose metrics could not be told from those of a topic with this name."""
        return next(iter(self.colliding.get(collision_key(name), ())), None)

    def has_leaderships(self, broker_id: int) -> bool:
        """Whether a broker leads anything."""
        return any(self._at(key).leader == broker_id for key in self.in_isr.of(broker_id))

    def _at(self, key: TopicPartition) -> Partition:
        return self.topics[key.topic_id].partitions[key.partition_id]

    # Replay

    def replay_topic(self, record: TopicRecord) -> None:
        """A topic is there."""
        self.topics[record.topic_id] = Topic(record.name, record.topic_id, TimelineDict(self._journal))
        self.topic_ids[record.name] = record.topic_id
        if (key := collision_key(record.name)) != record.name or "_" in record.name:
            if key not in self.colliding:
                self.colliding[key] = TimelineSet(self._journal)
            self.colliding[key].add(record.name)

    def replay_partition(self, record: PartitionRecord) -> None:
        """A partition is there, or is as the record says."""
        key = TopicPartition(record.topic_id, record.partition_id)
        self._put(key, self.partition(key), created(record))

    def replay_change(self, record: PartitionChangeRecord) -> None:
        """A partition has changed."""
        key = TopicPartition(record.topic_id, record.partition_id)
        before = self._at(key)
        self._put(key, before, changed(before, record))

    def replay_removal(self, record: RemoveTopicRecord) -> None:
        """A topic is gone, with its partitions."""
        topic = self.topics[record.topic_id]
        for partition_id, partition in topic.partitions.items():
            self._index(TopicPartition(topic.topic_id, partition_id), partition, None)
        del self.topics[topic.topic_id]
        del self.topic_ids[topic.name]
        if (key := collision_key(topic.name)) in self.colliding:
            self.colliding[key].discard(topic.name)

    def replay_clear_elr(self, record: ClearElrRecord) -> None:
        """Eligible leaders are forgotten (KIP-966): a change of each partition that has any, of one topic or of all."""
        one = self.topic(record.topic_name)
        for topic in list(self.topics.values()) if not record.topic_name else [one] if one else []:
            for partition_id, partition in list(topic.partitions.items()):
                if partition.elr or partition.last_known_elr:
                    key = TopicPartition(topic.topic_id, partition_id)
                    forgotten = partition._replace(
                        elr=(), last_known_elr=(), partition_epoch=partition.partition_epoch + 1
                    )
                    self._put(key, partition, forgotten)

    def _put(self, key: TopicPartition, before: Partition | None, after: Partition) -> None:
        self.topics[key.topic_id].partitions[key.partition_id] = after
        self._index(key, before, after)

    def _index(self, key: TopicPartition, before: Partition | None, after: Partition | None) -> None:
        self.in_isr.move(key, before.isr if before else (), after.isr if after else ())
        self.in_elr.move(key, before.elr if before else (), after.elr if after else ())
        none = (False, False, False)
        was, is_ = none if before is None else _standing(before), none if after is None else _standing(after)
        if was != is_:
            indexes = (self.leaderless, self.imbalanced, self.reassigning)
            for index, belonged, belongs in zip(indexes, was, is_, strict=True):
                if belongs and not belonged:
                    index.add(key)
                elif belonged and not belongs:
                    index.discard(key)

    def check(self) -> None:
        """Assert that every partition is sound, and that the indexes agree with them."""
        partitions = {
            TopicPartition(topic.topic_id, partition_id): partition
            for topic in self.topics.values()
            for partition_id, partition in topic.partitions.items()
        }
        for key, partition in partitions.items():
            assert is_sound(partition), f"{self.name_of(key)}: {partition}"
        rows = partitions.items()
        assert self.in_isr.pairs() == {(broker, key) for key, partition in rows for broker in partition.isr}
        assert self.in_elr.pairs() == {(broker, key) for key, partition in rows for broker in partition.elr}
        assert set(self.leaderless) == {key for key, partition in rows if partition.leader == NO_LEADER}
        assert set(self.imbalanced) == {key for key, partition in rows if not partition.is_balanced}
        assert set(self.reassigning) == {key for key, partition in rows if partition.is_reassigning}
        assert {topic.name: topic.topic_id for topic in self.topics.values()} == dict(self.topic_ids)


def _standing(partition: Partition) -> tuple[bool, bool, bool]:
    """Whether it has no leader, is not led by its preferred one, and is being moved."""
    return partition.leader == NO_LEADER, not partition.is_balanced, partition.is_reassigning
