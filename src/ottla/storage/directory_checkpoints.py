"""The checkpoints of all directories, written from what the logs say at that moment.

Always true: one directory's checkpoints are written one after the other, so that none is half another; the offsets are
taken on the loop in one step. A checkpoint may lag behind its logs: then more is looked through after an unclean stop.
It never runs ahead, since a recovery point only moves when its records are on the disk.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ottla.errors import DiskError
from ottla.storage.checkpoints import HIGH_WATERMARK, LOG_START_OFFSET, RECOVERY_POINT
from ottla.storage.directory import LogDirectory
from ottla.storage.log_table import HostedLog, LogTable
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
                try:
                    await self._world.threads.run(directory.write_checkpoint, name, offsets)
                except DiskError as error:
                    self._failed(directory, error)


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
