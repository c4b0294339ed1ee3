"""The checkpoints of all directories, written from what the logs say at that moment.

Always true: one directory's checkpoints are written one after the other, so that none is half another; the offsets are
taken on the loop in one step. A checkpoint may lag behind its logs: then more is looked through after an unclean stop.
It never runs ahead: a recovery point only moves forward when its records are on the disk, and when it has to go back
(the log is cut, or ended early when it was loaded) `recovery_point_lowered` returns when that is on the disk. While
logs are loaded, what the checkpoint said of the others is kept (`unloaded`).
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ottla.errors import DiskError
from ottla.storage.directories.checkpoints import HIGH_WATERMARK, LOG_START_OFFSET, RECOVERY_POINT
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.manager.log_table import HostedLog, LogTable
from ottla.storage.names import TopicPartition
from ottla.world.tasks import Lock

if TYPE_CHECKING:
    from ottla.world.api import World


class DirectoryCheckpoints:
    """What writes them."""

    def __init__(
        self,
        world: "World",
        table: LogTable,
        directories: Sequence[LogDirectory],
        failed: Callable[[LogDirectory, DiskError], None],
    ) -> None:
        self._world, self._table, self._failed = world, table, failed
        self._locks = {directory.path: Lock() for directory in directories}
        self._directories = directories
        self.unloaded: dict[
            str, dict[TopicPartition, int]
        ] = {}  # recovery points of logs not in the table, by directory

    async def write_all(self, name: str) -> None:
        """Write one kind of checkpoint in each directory that is online; they do not wait for each other."""
        async with self._world.group() as group:
            for directory in self._directories:
                if directory.is_online:
                    group.spawn(self.write(directory, name), f"write {directory.path}/{name}")

    async def write(self, directory: LogDirectory, *names: str) -> None:
        """Write checkpoints of one directory. If its disk refuses, its owner is told."""
        async with self._locks[directory.path]:
            for name in names:
                if not directory.is_online:
                    return
                offsets = offsets_of(name, self._table.in_directory(directory))
                if name == RECOVERY_POINT:
                    offsets = {**self.unloaded.get(directory.path, {}), **offsets}
                try:
                    await self._world.threads.run(directory.write_checkpoint, name, offsets)
                except DiskError as error:
                    self._failed(directory, error)

    async def recovery_point_lowered(
        self, directory: LogDirectory, topic_partition: TopicPartition, offset: int
    ) -> None:
        """A log's recovery point has gone back to this offset: return when its directory's checkpoint says so."""
        unloaded = self.unloaded.get(directory.path)
        if unloaded is not None:
            unloaded[topic_partition] = offset
        await self.write(directory, RECOVERY_POINT)


def offsets_of(name: str, logs: Sequence[HostedLog]) -> dict[TopicPartition, int]:
    """What a kind of checkpoint says about logs."""
    if name == RECOVERY_POINT:
        return {hosted.topic_partition: hosted.log.recovery_point for hosted in logs}
    if name == HIGH_WATERMARK:
        return {hosted.topic_partition: hosted.log.high_watermark for hosted in logs}
    assert name == LOG_START_OFFSET
    return {
        hosted.topic_partition: hosted.log.log_start_offset
        for hosted in logs
        if hosted.log.log_start_offset > hosted.log.segments.first.base_offset
    }
