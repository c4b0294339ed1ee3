"""The logs of a node: loaded, made, moved, deleted, kept in order, closed. Kafka's LogManager.

    start -> `load` (all directories at once) -> `start_upkeep` -> create, delete, move, truncate -> `close`

Always true: a partition has one log here, besides a future one while it moves; one change of which logs there are is
made at a time, as in Kafka. A directory whose disk refuses goes offline alone: its logs are out of the table at once,
and whoever made the manager is told which they were. A log's directory gets another name on the loop, in the same step
as its log, when no thread works on its files: nobody ever sees it between two names.
"""

import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from ottla.errors import DiskError
from ottla.protocol.codec.wire import Uuid
from ottla.storage.cleaner.log_cleaner import CleanerConfig, LogCleaner
from ottla.storage.directories import partition_metadata
from ottla.storage.directories.checkpoints import HIGH_WATERMARK, LOG_START_OFFSET, RECOVERY_POINT
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.directories.directory_checkpoints import DirectoryCheckpoints
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import LogServices
from ottla.storage.manager.config import LogManagerConfig
from ottla.storage.manager.deleted_logs import DeletedLogs
from ottla.storage.manager.loading import IsStray, LogLoading
from ottla.storage.manager.log_table import HostedLog, LogTable
from ottla.storage.manager.upkeep import Upkeep
from ottla.storage.names import (
    UNIQUE_ID_SIZE,
    DirectoryState,
    TopicPartition,
    directory_name,
    marked_directory_name,
)
from ottla.storage.recovery.recovery import StartingPoint, load_log
from ottla.storage.segments.open_files import OpenFiles
from ottla.storage.whole_file import replace_whole_file
from ottla.world.tasks import Lock

if TYPE_CHECKING:
    from ottla.storage.log import Log
    from ottla.world.api import Disk, Task, World

OFFSET_CHECKPOINTS: Final = (RECOVERY_POINT, LOG_START_OFFSET, HIGH_WATERMARK)

CHANGED_AT_ONCE: Final = 8  # as many as there are threads to wait for the disk

logger = logging.getLogger(__name__)

# Told when a directory goes offline: which, why, and the partitions whose logs were in it.
DirectoryFailed = Callable[[LogDirectory, DiskError, Sequence[TopicPartition]], None]


class WantedLog(NamedTuple):
    """A log to be made: in this directory, or in the one with the fewest."""

    topic_partition: TopicPartition
    topic_id: Uuid
    directory: LogDirectory | None = None


class LogManager:
    """All logs in all log directories."""

    def __init__(
        self,
        world: "World",
        directories: Sequence[LogDirectory],
        config: LogManagerConfig,
        cleaner_config: CleanerConfig,
        *,
        config_of: Callable[[str], LogConfig],
        directory_failed: DirectoryFailed = lambda directory, error, partitions: None,
    ) -> None:
        """`directories` are open (`open_log_directories`); `config_of` knows the settings of a topic."""
        self._world, self.directories, self._config = world, list(directories), config
        self._config_of, self._directory_failed = config_of, directory_failed
        self._files = OpenFiles(world.disk, config.open_files_kept(world.disk.open_files_max()))
        self.flush_took: Callable[[int], object] = lambda duration_ms: None  # whoever counts sets it
        self._services = {directory.path: self._services_of(directory) for directory in directories}
        self._changing = Lock()
        self._loaded: set[str] = set()  # directories of which every log is open
        self._cleaning: Task[None] | None = None
        self.table = LogTable()
        self.cleaner = LogCleaner(world, cleaner_config, lambda: [hosted.log for hosted in self.table])
        self.deleted = DeletedLogs(world, self.fail)
        self.checkpoints = DirectoryCheckpoints(world, self.table, directories, self.fail)
        self.upkeep = Upkeep(world, self.table, self.checkpoints, config, self._changing)
        self.loading: LogLoading | None = None  # how far loading is, and what it found

    # Starting and stopping

    async def load(self, is_stray: IsStray = lambda found, directory: False) -> LogLoading:
        """Load every log of every directory that is online. `is_stray` knows what the cluster does not want there."""
        self.loading = loading = LogLoading(
            self._world,
            self.table,
            services=lambda directory: self._services[directory.path],
            config_of=self._config_of,
            is_stray=is_stray,
            concurrency=self._config.recovery_threads_per_directory,
            unloaded=self.checkpoints.unloaded,
        )
        await loading.run(self.directories)
        self._loaded = loading.loaded
        for directory in self.online:
            found = loading.surveys[directory.path]
            for path in found.deleted:
                self.deleted.add(directory, path, self._config.delete_delay_ms)
            if found.checkpointed - {hosted.topic_partition for hosted in self.table.in_directory(directory)}:
                # A stop in the middle of a deletion leaves offsets of a log that is gone. The next log of that name
                # would be believed to be on the disk up to there, and to begin there.
                await self.checkpoints.write(directory, *OFFSET_CHECKPOINTS)
        return loading

    def start_upkeep(self) -> None:
        """From now on retention, cleaning and checkpoints take their turns."""
        self.upkeep.start()
        self._cleaning = self._world.spawn(self.cleaner.run(), "log cleaner")

    async def close(self, broker_epoch: int = -1) -> None:
        """A clean stop: everything is on the disk, each directory says so, and others may have it."""
        if self._cleaning is not None:
            self._cleaning.cancel()
        for hosted in self.table:
            await self.cleaner.pause(hosted.topic_partition)
        await self.upkeep.stop()
        await self.deleted.stop()
        async with self._changing, self._world.group() as group:
            for directory in self.directories:
                group.spawn(self._close_directory(directory, broker_epoch), f"close {directory.path}")

    async def _close_directory(self, directory: LogDirectory, broker_epoch: int) -> None:
        waiting = deque(self.table.in_directory(directory))
        async with self._world.group() as group:
            for number in range(min(self._config.recovery_threads_per_directory, len(waiting))):
                group.spawn(self._close_logs(directory, waiting), f"close logs in {directory.path} {number}")
        await self.checkpoints.write(directory, *OFFSET_CHECKPOINTS)
        if directory.is_online and directory.path in self._loaded:
            try:
                await self._world.threads.run(directory.write_clean_shutdown, broker_epoch)
            except DiskError as error:
                self.fail(directory, error)
        self.table.remove_directory(directory)
        directory.close()

    async def _close_logs(self, directory: LogDirectory, waiting: deque[HostedLog]) -> None:
        while waiting and directory.is_online:
            try:
                await waiting.popleft().log.close()
            except DiskError as error:
                self.fail(directory, error)

    # Which logs there are

    @property
    def online(self) -> list[LogDirectory]:
        """The directories that are in use."""
        return [directory for directory in self.directories if directory.is_online]

    def get(self, topic_partition: TopicPartition) -> "Log | None":
        """The log of a partition."""
        hosted = self.table.get(topic_partition)
        return None if hosted is None else hosted.log

    def get_future(self, topic_partition: TopicPartition) -> "Log | None":
        """The log of a partition in the directory that it is moving to."""
        hosted = self.table.get(topic_partition, is_future=True)
        return None if hosted is None else hosted.log

    async def create(
        self, topic_partition: TopicPartition, topic_id: Uuid, *, directory: LogDirectory | None = None
    ) -> HostedLog:
        """The log of a partition, made if it is missing: in this directory, or in the one with the fewest logs."""
        async with self._changing:
            hosted = self.table.get(topic_partition)
            return hosted or await self._create(topic_partition, topic_id, directory, is_future=False)

    async def create_all(self, wanted: Sequence[WantedLog]) -> list["HostedLog | DiskError"]:
        """Many logs, some at a time, since making one is mostly waiting for the disk: each made, or why it is not."""
        made: dict[WantedLog, HostedLog | DiskError] = {}
        waiting = deque(wanted)

        async def work() -> None:
            while waiting:
                each = waiting.popleft()
                try:
                    known = self.table.get(each.topic_partition)
                    made[each] = known or await self._create(
                        each.topic_partition, each.topic_id, each.directory, is_future=False
                    )
                except DiskError as error:
                    made[each] = error

        async with self._changing, self._world.group() as group:
            for number in range(min(CHANGED_AT_ONCE, len(waiting))):
                group.spawn(work(), f"make logs {number}")
        return [made[each] for each in wanted]

    async def create_future(
        self, topic_partition: TopicPartition, topic_id: Uuid, directory: LogDirectory
    ) -> HostedLog:
        """Begin to move a partition into another directory: an empty log there, which its owner fills."""
        async with self._changing:
            current = self.table.get(topic_partition)
            assert current is None or current.directory is not directory, f"{topic_partition} is in {directory} already"
            hosted = self.table.get(topic_partition, is_future=True)
            return hosted or await self._create(topic_partition, topic_id, directory, is_future=True)

    async def _create(
        self, topic_partition: TopicPartition, topic_id: Uuid, wanted: LogDirectory | None, *, is_future: bool
    ) -> HostedLog:
        """Try one directory after the other; those whose disk refuses go offline."""
        unwanted = self._config.cordoned
        candidates = [each for each in self.online if each.path not in unwanted and "*" not in unwanted]
        choices = [wanted] if wanted is not None else self.table.least_loaded(candidates)
        failure = DiskError(f"no log directory takes {topic_partition}", path=directory_name(topic_partition))
        for directory in choices:
            if directory.failure is not None:
                failure = directory.failure
                continue
            try:
                with self.table.making(directory):
                    return await self._create_in(directory, topic_partition, topic_id, is_future=is_future)
            except DiskError as error:
                failure = error
                self.fail(directory, error)
        raise failure

    async def _create_in(
        self, directory: LogDirectory, topic_partition: TopicPartition, topic_id: Uuid, *, is_future: bool
    ) -> HostedLog:
        name = directory_name(topic_partition)
        if is_future:
            name = marked_directory_name(topic_partition, DirectoryState.FUTURE, self._unique_id())
        path = f"{directory.path}/{name}"
        await self._world.threads.run(make_partition_directory, self._world.disk, directory.path, path, topic_id)
        config = self._config_of(topic_partition.topic)
        start = StartingPoint(is_clean=True)
        log, _ = await load_log(self._services[directory.path], topic_partition, path, config, start)
        if directory.failure is not None:
            raise directory.failure
        hosted = HostedLog(log, directory, topic_id, is_future)
        self.table.add(hosted)
        return hosted

    def reconfigure(self, topic: str) -> None:
        """The settings of a topic have changed."""
        config = self._config_of(topic)
        for hosted in self.table:
            if hosted.topic_partition.topic == topic:
                hosted.log.config = config

    async def delete(self, topic_partition: TopicPartition, *, is_future: bool = False) -> None:
        """Delete a log: at once for everybody who asks, on the disk after a delay. A missing one is no error. With the
        current log its future one goes, and goes first; `is_future`: that one alone, the move is given up.
        """
        async with self._changing:
            for directory in await self._delete(topic_partition, (True,) if is_future else (True, False)):
                await self.checkpoints.write(directory, *OFFSET_CHECKPOINTS)

    async def delete_all(self, topic_partitions: Iterable[TopicPartition]) -> None:
        """Many logs, some at a time; what the checkpoints say of them goes when all are gone."""
        waiting = deque(topic_partitions)
        touched: dict[LogDirectory, None] = {}

        async def work() -> None:
            while waiting:
                touched.update(dict.fromkeys(await self._delete(waiting.popleft(), (True, False))))

        async with self._changing:
            async with self._world.group() as group:
                for number in range(min(CHANGED_AT_ONCE, len(waiting))):
                    group.spawn(work(), f"delete logs {number}")
            for directory in touched:
                await self.checkpoints.write(directory, *OFFSET_CHECKPOINTS)

    async def _delete(self, topic_partition: TopicPartition, which: Sequence[bool]) -> list[LogDirectory]:
        """Put away a partition's future log, its current one, or both; answers where they were."""
        directories = []
        async with self._taken_from_cleaner(topic_partition):
            for is_future in which:
                hosted = self.table.remove(topic_partition, is_future=is_future)
                if hosted is not None:
                    directories.append(hosted.directory)
                    await self._put_away(hosted)
                    if not is_future:
                        await self._told_cleaner(hosted)
        return directories

    async def promote_future(self, topic_partition: TopicPartition) -> None:
        """The move is done: the future log, which has all that the current one has, takes its place."""
        async with self._changing, self._taken_from_cleaner(topic_partition):
            future = self.table.get(topic_partition, is_future=True)
            assert future is not None, f"{topic_partition} is not on its way anywhere"
            if not await self._rename(future, directory_name(topic_partition)):
                return
            old = self.table.promote(topic_partition)
            if old is not None:
                await self._put_away(old)
                await self.cleaner.moved(future.log, old.directory.path)
                await self.checkpoints.write(old.directory, *OFFSET_CHECKPOINTS)
            await self.checkpoints.write(future.directory, *OFFSET_CHECKPOINTS)

    async def truncate_to(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Cut logs, each from its offset on."""
        async with self._changing:
            for topic_partition, offset in offsets.items():
                hosted = self.table.get(topic_partition)
                assert hosted is not None, f"no log of {topic_partition}"
                async with self._taken_from_cleaner(topic_partition):
                    if await hosted.log.truncate_to(offset):
                        await self.cleaner.truncated(hosted.log, offset)

    async def truncate_fully_and_start_at(self, topic_partition: TopicPartition, offset: int) -> None:
        """Empty a log; its next record gets this offset."""
        async with self._changing, self._taken_from_cleaner(topic_partition):
            hosted = self.table.get(topic_partition)
            assert hosted is not None, f"no log of {topic_partition}"
            await hosted.log.truncate_fully_and_start_at(offset)
            await self.cleaner.truncated(hosted.log, offset)
            await self.checkpoints.write(hosted.directory, LOG_START_OFFSET)

    @asynccontextmanager
    async def _taken_from_cleaner(self, topic_partition: TopicPartition) -> AsyncIterator[None]:
        """The log is in nobody else's hands."""
        await self.cleaner.pause(topic_partition)
        try:
            yield
        finally:
            self.cleaner.resume(topic_partition)

    async def _told_cleaner(self, hosted: HostedLog) -> None:
        try:
            await self.cleaner.forget(hosted.log)
        except DiskError as error:
            self.fail(hosted.directory, error)

    async def _put_away(self, hosted: HostedLog) -> None:
        """Give a log that is out of the table the name of a deleted one, and let it go later."""
        name = marked_directory_name(hosted.topic_partition, DirectoryState.DELETED, self._unique_id())
        if await self._rename(hosted, name):
            self.deleted.add(hosted.directory, hosted.log.directory, hosted.log.config.file_delete_delay_ms, hosted.log)

    async def _rename(self, hosted: HostedLog, name: str) -> bool:
        """Give a log's directory another name; False if its disk refuses, or has before."""
        directory, log = hosted.directory, hosted.log
        path = f"{directory.path}/{name}"
        try:
            await log.settled()
            if not directory.is_online:
                return False
            self._world.disk.rename(log.directory, path)
            log.moved(path)
            await self._world.threads.run(self._world.disk.sync_directory, directory.path)
        except DiskError as error:
            self.fail(directory, error)
            return False
        return True

    def _unique_id(self) -> bytes:
        return self._world.rng.randbytes(UNIQUE_ID_SIZE)

    def reconfigured(self, config: LogManagerConfig) -> None:
        """What may change while the node runs: cordoned directories, and how long idle producers are remembered."""
        self._config = config
        self.upkeep.reconfigured(config)

    # Directories

    def _services_of(self, directory: LogDirectory) -> LogServices:
        return LogServices(
            self._world,
            self._files,
            partial(self.fail, directory),
            recovery_point_lowered=lambda topic_partition, offset: self.checkpoints.recovery_point_lowered(
                directory, topic_partition, offset
            ),
            is_verification_required=self._config.is_verification_required,
            producer_id_expiration_ms=self._config.producer_id_expiration_ms,
            flush_took=self._flushed,
            marked_directory=directory.path,
        )

    def _flushed(self, duration_ms: int) -> None:
        self.flush_took(duration_ms)

    def fail(self, directory: LogDirectory, error: DiskError) -> None:
        """A directory's disk has refused: it and its logs are out of use."""
        if directory.go_offline(error):
            lost = [hosted.topic_partition for hosted in self.table.remove_directory(directory)]
            logger.error("a log directory is offline", extra={"directory": directory.path, "logs": len(lost)})
            self._directory_failed(directory, error, lost)


def make_partition_directory(disk: "Disk", parent: str, path: str, topic_id: Uuid) -> None:
    """Make a partition's directory, which says whose it is before there is any record in it. Waits for the disk."""
    disk.make_directory(path)
    file = f"{path}/{partition_metadata.FILE_NAME}"
    replace_whole_file(disk, file, partition_metadata.render_partition_metadata(topic_id))
    disk.sync_directory(parent)
