"""The logs behind partitions: made when one is assigned, deleted when it is gone, in the order of the changes.

Making and deleting wait for the disk, and the metadata goes on meanwhile. So there is a list of partitions to look at,
in the order in which they were named, and each look brings the disk to what is wanted at that moment: a log of another
topic id goes, a missing one is made where the controller wants it (KIP-858), one that nobody wants goes. Whoever is
named while it is being looked at is looked at again.

Always true: logs are made and deleted some at a time; after `settled` returned, all that had been named is done.
"""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ottla.cluster.metadata.parts.partition import LOST, MIGRATING, UNASSIGNED
from ottla.cluster.metadata.parts.partition import Partition as Registration
from ottla.cluster.replication.partition import Partition, Starting
from ottla.cluster.replication.partition_table import PartitionTable
from ottla.errors import DiskError
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.manager.manager import WantedLog
from ottla.storage.names import TopicPartition

if TYPE_CHECKING:
    from ottla.storage.manager.manager import LogManager
    from ottla.world.api import Future, Task, World

LOOKED_AT_ONCE = 64
NOWHERE = (MIGRATING, UNASSIGNED, LOST)  # what stands in the place of a directory's id

logger = logging.getLogger(__name__)


class Owner(Protocol):
    """Whose logs they are: the replica manager."""

    def registration(self, partition: Partition) -> Registration | None:
        """What the newest image says of a partition."""

    def made(self, partition: Partition) -> None:
        """Its log is there now."""

    def failed(self, partition: Partition) -> None:
        """Its log cannot be made, or used."""


class Hosting:
    """What makes and deletes them."""

    def __init__(self, world: "World", node_id: int, logs: "LogManager", table: PartitionTable, owner: Owner) -> None:
        self._world, self._node_id, self._logs, self._table, self._owner = world, node_id, logs, table, owner
        self._named: dict[TopicPartition, int] = {}  # in the order of naming, which is counted
        self._count = 0
        self._working: Task[None] | None = None
        self._waiting: list[tuple[int, Future[None]]] = []  # until what had been named by then is done
        self._is_stopped = False

    def wanted(self, partition: Partition) -> None:
        """A partition needs a log."""
        self._name(partition.topic_partition)

    def unwanted(self, topic_partition: TopicPartition) -> None:
        """Nobody needs this log any more."""
        self._name(topic_partition)

    @property
    def is_settled(self) -> bool:
        """Whether everything that was named is done."""
        return self._working is None

    async def settled(self) -> None:
        """Return when everything that has been named by now is done."""
        if self._working is not None:
            done: Future[None] = self._world.future()
            self._waiting.append((self._count, done))
            await done

    async def stop(self) -> None:
        """Finish the one that is being worked on, and begin no other."""
        self._is_stopped = True
        await self.settled()

    def _name(self, topic_partition: TopicPartition) -> None:
        self._count += 1
        self._named.pop(topic_partition, None)
        self._named[topic_partition] = self._count
        if self._working is None and not self._is_stopped:
            self._working = self._world.spawn(self._work(), "make and delete logs")

    async def _work(self) -> None:
        try:
            while self._named and not self._is_stopped:
                named = list(self._named)[:LOOKED_AT_ONCE]
                for topic_partition in named:
                    del self._named[topic_partition]
                await self._look(named)
                self._tell_waiting(next(iter(self._named.values()), self._count + 1))
        finally:
            self._working = None
            self._tell_waiting(self._count + 1)

    def _tell_waiting(self, next_number: int) -> None:
        """All that was named before this number is done."""
        while self._waiting and self._waiting[0][0] < next_number:
            done = self._waiting.pop(0)[1]
            if not done.done():
                done.set_result(None)

    async def _look(self, named: Sequence[TopicPartition]) -> None:
        """Bring the disk to what is wanted of some partitions: first what is too much goes."""
        unwanted = [topic_partition for topic_partition in named if self._is_unwanted(topic_partition)]
        if unwanted:
            await self._logs.delete_all(unwanted)
        wanted: list[tuple[Partition, WantedLog]] = []
        for topic_partition in named:
            partition = self._table.get(*topic_partition)
            if partition is None or not isinstance(partition.role, Starting):
                continue
            registration = self._owner.registration(partition)
            if registration is None or self._node_id not in registration.replicas:
                continue
            try:
                directory = self._assigned_directory(registration, topic_partition)
            except DiskError as error:
                self._failed(partition, error)
            else:
                wanted.append((partition, WantedLog(topic_partition, partition.topic_id, directory)))
        made = await self._logs.create_all([each for _, each in wanted]) if wanted else []
        for (partition, _), outcome in zip(wanted, made, strict=True):
            if not isinstance(partition.role, Starting):
                continue  # it was removed meanwhile, and is named again
            if isinstance(outcome, DiskError):
                self._failed(partition, outcome)
            else:
                self._owner.made(partition)

    def _is_unwanted(self, topic_partition: TopicPartition) -> bool:
        """Whether there is a log that nobody wants: of no partition, or of another topic of that name."""
        partition, hosted = self._table.get(*topic_partition), self._logs.table.get(topic_partition)
        return hosted is not None and (partition is None or hosted.topic_id not in (None, partition.topic_id))

    def _failed(self, partition: Partition, error: DiskError) -> None:
        logger.warning("a partition has no log: %s", error, extra={"partition": str(partition)})
        self._owner.failed(partition)

    def _assigned_directory(self, registration: Registration, topic_partition: TopicPartition) -> LogDirectory | None:
        """Where the controller wants it; None: anywhere. `DiskError` if its log may lie where we cannot look."""
        wanted = registration.directory(self._node_id)
        for directory in self._logs.directories:
            if directory.directory_id == wanted and wanted not in NOWHERE:
                return directory
        if wanted not in (MIGRATING, UNASSIGNED) and len(self._logs.online) < len(self._logs.directories):
            raise DiskError(f"the log of {topic_partition} may lie in a directory that is offline", path="")
        return None
