"""Topics with their partitions, by id and by name.

A changed partition costs a copy of the chunk that it lies in, its topic, and the chunk of that topic: nothing that
grows with the number of partitions but slowly. Names lead to ids and ids to topics, so that a change of a partition
leaves the names alone.

Always true: a delta names what differs from its base: a topic is among `deleted` if the base has it and the result does
not, among `changed` if it is new or has partitions that differ. A topic that was made and deleted in between leaves no
trace. A record about a topic or partition that is not there is damage.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ottla.cluster.metadata.chunked_map import ChunkedMap, MapDelta
from ottla.cluster.metadata.parts.damage import damaged
from ottla.cluster.metadata.parts.partition import Partition, Shared
from ottla.cluster.metadata.records import VersionedRecord
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.features import MetadataVersion
from ottla.protocol.messages.metadata_records import (
    ClearElrRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from ottla.protocol.topic_names import INTERNAL_TOPICS


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic."""

    name: str
    topic_id: Uuid
    partitions: ChunkedMap[int, Partition] = field(default_factory=ChunkedMap)

    @property
    def is_internal(self) -> bool:
        """Whether it is one of Kafka's own."""
        return self.name in INTERNAL_TOPICS


@dataclass(frozen=True, slots=True)
class TopicsImage:
    """All topics."""

    by_id: ChunkedMap[Uuid, Topic] = field(default_factory=ChunkedMap)
    ids: ChunkedMap[str, Uuid] = field(default_factory=ChunkedMap)  # by name

    def named(self, name: str) -> Topic | None:
        """The topic of a name."""
        topic_id = self.ids.get(name)
        return None if topic_id is None else self.by_id.get(topic_id)

    def partition(self, topic_id: Uuid, index: int) -> Partition | None:
        """A partition, if it is there."""
        topic = self.by_id.get(topic_id)
        return None if topic is None else topic.partitions.get(index)

    def records(self, metadata_version: MetadataVersion) -> Iterator[VersionedRecord]:
        """Each topic, by name, followed by its partitions."""
        for name in sorted(self.ids):
            topic = self.by_id[self.ids[name]]
            yield VersionedRecord(TopicRecord(topic.name, topic.topic_id))
            for index in sorted(topic.partitions):
                yield topic.partitions[index].record(topic.topic_id, index, metadata_version)


class TopicDelta:
    """What has changed about one topic; nothing is in its base if the topic is new."""

    __slots__ = ("name", "partitions", "topic_id")

    def __init__(self, topic: Topic, changes: dict[int, Partition | None] | None = None) -> None:
        self.name, self.topic_id = topic.name, topic.topic_id
        self.partitions = MapDelta(topic.partitions, changes)

    @property
    def changed_partitions(self) -> dict[int, Partition]:
        """The partitions that are new or differ, as they are now."""
        return {index: partition for index, partition in self.partitions.changes.items() if partition is not None}

    def clear_eligible_leaders(self) -> None:
        """Forget the eligible leaders of all partitions."""
        for index in self.partitions.base.keys() | self.partitions.changes.keys():
            partition = self.partitions.get(index)
            if partition is not None:
                self.partitions[index] = partition.without_eligible_leaders()

    def apply(self) -> Topic:
        """The topic with the changes made."""
        return Topic(self.name, self.topic_id, self.partitions.apply())


class TopicsDelta:
    """What has changed about topics."""

    __slots__ = ("_ids", "_shared", "base", "changed", "deleted")

    def __init__(self, base: TopicsImage) -> None:
        self.base = base
        self.changed: dict[Uuid, TopicDelta] = {}
        self.deleted: dict[Uuid, Topic] = {}  # as they were
        self._ids = MapDelta(base.ids)
        self._shared: Shared = {}

    def __bool__(self) -> bool:
        return bool(self.changed) or bool(self.deleted)

    @property
    def created(self) -> dict[Uuid, TopicDelta]:
        """The topics among the changed ones that the base does not have."""
        return {topic_id: topic for topic_id, topic in self.changed.items() if topic_id not in self.base.by_id}

    def create(self, record: TopicRecord) -> None:
        """A topic without partitions; whatever had its id is gone."""
        former = self._name_of(record.topic_id)
        if former is not None:
            self._free_name(former, record.topic_id)
        self.deleted.pop(record.topic_id, None)
        self.changed[record.topic_id] = TopicDelta(Topic(record.name, record.topic_id))
        self._ids[record.name] = record.topic_id

    def remove(self, record: RemoveTopicRecord) -> str:
        """A topic is gone; returns its name."""
        topic_id = record.topic_id
        name = self._name_of(topic_id)
        if name is None:
            raise damaged(record, f"there is no topic {topic_id.hex()}")
        self.changed.pop(topic_id, None)
        if topic_id in self.base.by_id:
            self.deleted[topic_id] = self.base.by_id[topic_id]
        self._free_name(name, topic_id)
        return name

    def set_partition(self, record: PartitionRecord) -> None:
        """A partition, whole; whatever it was before."""
        topic = self._topic(record, record.topic_id)
        topic.partitions[record.partition_id] = Partition.of(record, self._shared)
        self._keep(topic)

    def change_partition(self, record: PartitionChangeRecord) -> None:
        """Something about a partition has changed."""
        topic = self._topic(record, record.topic_id)
        partition = topic.partitions.get(record.partition_id)
        if partition is None:
            raise damaged(record, f"topic {topic.name} has no such partition")
        topic.partitions[record.partition_id] = partition.merged(record, self._shared)
        self._keep(topic)

    def clear_eligible_leaders(self, record: ClearElrRecord) -> None:
        """Eligible leaders are forgotten: those of one topic, or of all, if none is named."""
        if record.topic_name:
            topic_id = self._ids.get(record.topic_name)
            if topic_id is None:
                raise damaged(record, "there is no topic of this name")
            topic_ids = {topic_id}
        else:
            topic_ids = (self.base.by_id.keys() | self.changed.keys()) - self.deleted.keys()
        for topic_id in sorted(topic_ids):
            topic = self._topic(record, topic_id)
            topic.clear_eligible_leaders()
            self._keep(topic)

    def _name_of(self, topic_id: Uuid) -> str | None:
        """The name of a topic that is there."""
        if topic_id in self.changed:
            return self.changed[topic_id].name
        topic = None if topic_id in self.deleted else self.base.by_id.get(topic_id)
        return None if topic is None else topic.name

    def _free_name(self, name: str, topic_id: Uuid) -> None:
        """Take a name from a topic, unless another one has it by now."""
        if self._ids.get(name) == topic_id:
            del self._ids[name]

    def _topic(self, record: Message, topic_id: Uuid) -> TopicDelta:
        """A topic that is there, to be changed and kept."""
        if topic_id in self.changed:
            return self.changed[topic_id]
        topic = None if topic_id in self.deleted else self.base.by_id.get(topic_id)
        if topic is None:
            raise damaged(record, f"there is no topic {topic_id.hex()}")
        return TopicDelta(topic)

    def _keep(self, delta: TopicDelta) -> None:
        """A topic is among the changed ones if it differs: in a partition, or for not being the base's at all."""
        topic = self.base.by_id.get(delta.topic_id)
        if delta.partitions or topic is None or delta.partitions.base is not topic.partitions:
            self.changed[delta.topic_id] = delta
        else:
            self.changed.pop(delta.topic_id, None)

    def become(self, image: TopicsImage) -> None:
        """Change to what another image says."""
        self.changed, self.deleted = {}, {}
        self._ids.become(image.ids)
        for topic_id, topic in self.base.by_id.items():
            if topic_id not in image.by_id:
                self.deleted[topic_id] = topic
        for topic_id, topic in image.by_id.items():
            own = self.base.by_id.get(topic_id)
            base = own if own is not None and own.name == topic.name else Topic(topic.name, topic_id)
            changes = base.partitions.changes_to(topic.partitions)
            if changes or base is not own:
                self.changed[topic_id] = TopicDelta(base, changes)

    def apply(self) -> TopicsImage:
        """The image with the changes made."""
        if not self:
            return self.base
        changes: dict[Uuid, Topic | None] = dict.fromkeys(self.deleted)
        changes.update((topic_id, delta.apply()) for topic_id, delta in self.changed.items())
        return TopicsImage(self.base.by_id.updated(changes), self._ids.apply())
