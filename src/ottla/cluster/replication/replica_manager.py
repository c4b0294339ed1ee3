"""The partitions of a broker: made, led, followed, given up as the metadata says. Kafka's ReplicaManager.

    image changes -> `apply` -> what has its log leads or follows at once, in the same step
                             -> what has none gets one, or loses it, in the order in which the changes came (`Hosting`)

Always true: a partition that was deleted, or given to others, is out of the table in the step in which that is known,
and whoever waited for it is told so, long before its files are gone. A topic that was made anew under its old name gets
a log of its own: one of another topic id is deleted before. What a directory's disk has refused takes only the
partitions in that directory (KIP-112).
"""

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ottla.cluster.metadata.image import EMPTY, MetadataImage
from ottla.cluster.metadata.parts.configs import ConfigResourceType
from ottla.cluster.metadata.parts.partition import Partition as Registration
from ottla.cluster.metadata.parts.topics import Topic
from ottla.cluster.replication.alter_partition import AlterPartitions, Ask
from ottla.cluster.replication.assigning import DirectoryAssignments
from ottla.cluster.replication.config import ReplicationConfig
from ottla.cluster.replication.effects import Effects, Moved
from ottla.cluster.replication.hosting import Hosting
from ottla.cluster.replication.leader import Leader
from ottla.cluster.replication.partition import Partition, Settings
from ottla.cluster.replication.partition_table import PartitionTable
from ottla.cluster.replication.watcher import Nobody, Watcher
from ottla.errors import DiskError
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.names import TopicPartition

if TYPE_CHECKING:
    from ottla.cluster.metadata.delta import MetadataDelta
    from ottla.storage.manager.manager import LogManager
    from ottla.world.api import Task, World

logger = logging.getLogger(__name__)


class ImageBrokers:
    """Other brokers, as the newest image has them."""

    def __init__(self) -> None:
        self.image = EMPTY

    def epoch_of(self, broker_id: int) -> int | None:
        """The epoch in which a broker is alive; None if it is not."""
        broker = self.image.cluster.brokers.get(broker_id)
        return None if broker is None or broker.fenced else broker.broker_epoch

    def may_join(self, broker_id: int) -> bool:
        """Whether a broker is neither fenced nor shutting down."""
        broker = self.image.cluster.brokers.get(broker_id)
        return broker is not None and not broker.fenced and not broker.in_controlled_shutdown


class ReplicaManager:
    """All of them."""

    def __init__(
        self,
        world: "World",
        node_id: int,
        logs: "LogManager",
        config: ReplicationConfig,
        *,
        min_isr_of: Callable[[str], int],
        ask: Ask,
        broker_epoch: Callable[[], int],
    ) -> None:
        """`min_isr_of` knows a topic's `min.insync.replicas`; `ask` asks the controller; `broker_epoch` is our own."""
        self._world, self.node_id, self.logs, self.config = world, node_id, logs, config
        self._brokers = ImageBrokers()
        self._settings = Settings(node_id, self._brokers, lambda: self.config.lag_max_ms, min_isr_of)
        self.table = PartitionTable()
        self.watcher: Watcher = Nobody()
        self.alter_partitions = AlterPartitions(world, node_id, ask, broker_epoch, self.carry_out)
        self.assignments = DirectoryAssignments(world, node_id, ask, broker_epoch)
        self.hosting = Hosting(world, node_id, logs, self.table, self)
        self._checking: Task[None] | None = None
        self._is_stopped = False

    @property
    def image(self) -> MetadataImage:
        """The metadata that it goes by."""
        return self._brokers.image

    # Starting and stopping

    def start(self) -> None:
        """All logs are loaded: they have what was safe when it was noted last, and no less."""
        loading = self.logs.loading
        assert loading is not None, "logs are loaded first"
        for hosted in self.logs.table:
            noted = loading.surveys[hosted.directory.path].high_watermarks.get(hosted.topic_partition)
            if noted is not None:
                hosted.log.update_high_watermark(noted)
        self._checking = self._world.spawn(self._check_isrs(), "check who is in sync")

    async def stop(self) -> None:
        """Lead nothing any more, ask the controller for nothing, make and delete no logs. The logs are closed by their
        manager.
        """
        self._is_stopped = True
        if self._checking is not None:
            self._checking.cancel()
            self._checking = None
        await self.hosting.stop()
        await self.alter_partitions.stop()
        await self.assignments.stop()
        for partition in self.table:
            partition.stopped()
            self.watcher.role_changed(partition)

    @property
    def is_settled(self) -> bool:
        """Whether everything that the metadata has said so far is done."""
        return self.hosting.is_settled

    async def settled(self) -> None:
        """Return when everything that the metadata has said so far is done."""
        await self.hosting.settled()

    async def _check_isrs(self) -> None:
        """Twice in the time that a follower may lag, look who has."""
        clock = self._world.clock
        while True:
            await clock.sleep(max(self.config.lag_max_ms // 2, 1))
            for partition in self.table:
                if isinstance(partition.role, Leader):
                    self.carry_out(partition, partition.role.check_isr(clock.monotonic_ms()))

    # What the metadata says

    def apply(self, delta: "MetadataDelta", image: MetadataImage) -> None:
        """The cluster has changed: a subscriber of the publisher."""
        self._brokers.image = image
        if self._is_stopped:
            return
        for topic in delta.topics.deleted.values():
            for partition in list(self.table.by_id.get(topic.topic_id, {}).values()):
                self._remove(partition)
        for topic_id, changed in delta.topics.changed.items():
            for index, registration in changed.partitions.changes.items():
                known = self.table.get_by_id(topic_id, index)
                if registration is not None and self.node_id in registration.replicas:
                    partition = known if known is not None else self._new(changed.name, index, topic_id)
                    self._assign(partition, registration)
                elif known is not None:
                    self._remove(known)
        self._reconfigure(delta)

    def _new(self, topic: str, index: int, topic_id: Uuid) -> Partition:
        former = self.table.of_topic(topic)
        for partition in list(former.values()):
            if partition.topic_id != topic_id:  # made anew under its old name
                self._remove(partition)
        partition = Partition(self._settings, topic, index, topic_id)
        self.table.add(partition)
        return partition

    def _assign(self, partition: Partition, registration: Registration) -> None:
        if not partition.has_log:
            hosted = self.logs.table.get(partition.topic_partition)
            if hosted is None or hosted.topic_id not in (None, partition.topic_id):
                self.hosting.wanted(partition)
                return
            partition.hosted(hosted.log)
            self.tell_directory(partition, registration, hosted.directory)
        epoch = partition.leader_epoch
        self.carry_out(partition, partition.assigned(registration, self._world.clock.monotonic_ms()))
        if partition.leader_epoch != epoch:
            self.watcher.role_changed(partition)

    def made(self, partition: Partition) -> None:
        """Its log is there now."""
        registration = self.registration(partition)
        if registration is not None and self.node_id in registration.replicas:
            self._assign(partition, registration)

    def failed(self, partition: Partition) -> None:
        """Its log cannot be used."""
        partition.failed()
        self.watcher.role_changed(partition)

    def _remove(self, partition: Partition) -> None:
        """This broker has it no more; its files go later."""
        self.table.remove(partition)
        partition.removed()
        self.watcher.role_changed(partition)
        self.hosting.unwanted(partition.topic_partition)

    def _reconfigure(self, delta: "MetadataDelta") -> None:
        changes = delta.configs.resources.changes
        if any(resource.resource_type == ConfigResourceType.BROKER for resource in changes):
            self.reconfigure(list(self.table.by_name))
            return
        self.reconfigure([each.name for each in changes if each.resource_type == ConfigResourceType.TOPIC])

    def reconfigure(self, topics: Sequence[str]) -> None:
        """The settings of topics are others than before."""
        now_ms = self._world.clock.monotonic_ms()
        for topic in topics:
            self.logs.reconfigure(topic)
            for partition in self.table.of_topic(topic).values():
                if isinstance(partition.role, Leader):
                    min_isr = self._settings.min_isr_of(topic)
                    self.carry_out(partition, partition.role.settings_changed(min_isr, now_ms))

    def registration(self, partition: Partition) -> Registration | None:
        """What the newest image says of a partition."""
        return self.image.topics.partition(partition.topic_id, partition.index)

    # What happens to partitions

    def carry_out(self, partition: Partition, effects: Effects) -> None:
        """Do what a partition wants done."""
        for effect in effects:
            if isinstance(effect, Moved):
                self.watcher.watermark_moved(partition)
            else:
                self.alter_partitions.submit(partition, effect)

    def appended(self, partition: Partition, leader: Leader) -> None:
        """A leader's log has more: say so to whoever waits for it."""
        if leader.appended(self._world.clock.monotonic_ms()):
            self.watcher.watermark_moved(partition)
        else:
            self.watcher.end_moved(partition)

    def tell_directory(self, partition: Partition, registration: Registration, directory: LogDirectory) -> None:
        """Tell the controller in which directory a replica lies, if it does not know (KIP-858)."""
        directory_id = directory.directory_id
        if directory_id is not None and registration.directory(self.node_id) != directory_id:
            self.assignments.assign(self.image, partition, directory_id)

    def directory_failed(
        self, directory: LogDirectory, error: DiskError, topic_partitions: Sequence[TopicPartition]
    ) -> None:
        """A directory is offline, with these logs: the log manager's `directory_failed`."""
        for topic_partition in topic_partitions:
            partition = self.table.get(*topic_partition)
            if partition is not None and self.logs.table.get(topic_partition) is None:
                self.failed(partition)
        logger.error("partitions are offline", extra={"directory": directory.path, "why": str(error)})

    # What requests ask

    def now_ms(self) -> int:
        """The time that partitions go by."""
        return self._world.clock.monotonic_ms()

    def missing(self, topic: str, index: int) -> int:
        """Why a partition is not in the table: others have it, or nobody."""
        found = self.image.topics.named(topic)
        return _missing(found, index)

    def missing_by_id(self, topic_id: Uuid, index: int) -> int:
        """The same by the topic's id."""
        found = self.image.topics.by_id.get(topic_id)
        return ErrorCode.UNKNOWN_TOPIC_ID if found is None else _missing(found, index)


def _missing(topic: Topic | None, index: int) -> int:
    if topic is None or index not in topic.partitions:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ErrorCode.NOT_LEADER_OR_FOLLOWER
