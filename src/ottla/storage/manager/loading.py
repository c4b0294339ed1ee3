"""Loading all logs of all directories when a node starts.

A directory is first surveyed in a thread: how it was left, its checkpoints, and what its subdirectories are. Then
`num.recovery.threads.per.data.dir` tasks a directory load its logs, each in a thread of the world. The directories do
not wait for each other, and one whose disk refuses goes offline alone.

Always true: the sign of a clean stop is gone before anything is changed. A checkpoint that is damaged is as good as
none (everything is looked through). Directories of deleted partitions are handed on for removal, strays are left alone,
other directories are none of ours (`lost+found`, the metadata log). Two directories of the same partition are an error
that somebody has to look at: nobody can tell which one is right.
"""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from ottla.errors import ConfigError, CorruptFile, DiskError, NoSuchFile
from ottla.protocol.codec.wire import Uuid
from ottla.storage.directories import partition_metadata
from ottla.storage.directories.checkpoints import HIGH_WATERMARK, LOG_START_OFFSET, RECOVERY_POINT
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import LogServices
from ottla.storage.manager.log_table import HostedLog, LogTable
from ottla.storage.names import (
    UNIQUE_ID_SIZE,
    DirectoryState,
    TopicPartition,
    marked_directory_name,
    parse_directory_name,
)
from ottla.storage.recovery import doubted_tails
from ottla.storage.recovery.recovery import StartingPoint, load_log
from ottla.storage.recovery.report import RecoveryReport
from ottla.storage.whole_file import read_whole_file

if TYPE_CHECKING:
    from ottla.world.api import Disk, World

METADATA_TOPIC: Final = "__cluster_metadata"
TELL_INTERVAL_MS: Final = 10_000  # how often a long start says how far it is

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FoundLog:
    """A partition's directory, as its name and its partition.metadata tell it."""

    topic_partition: TopicPartition
    path: str
    topic_id: Uuid | None
    is_future: bool


IsStray = Callable[[FoundLog, LogDirectory], bool]


@dataclass(slots=True)
class Survey:
    """What a log directory holds."""

    recovery_points: dict[TopicPartition, int] = field(default_factory=dict)
    log_start_offsets: dict[TopicPartition, int] = field(default_factory=dict)
    high_watermarks: dict[TopicPartition, int] = field(default_factory=dict)
    logs: list[FoundLog] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)  # paths
    strays: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)  # names
    damaged: list[str] = field(default_factory=list)  # what is wrong with which checkpoint

    @property
    def checkpointed(self) -> set[TopicPartition]:
        """The partitions that a checkpoint says something about."""
        return {*self.recovery_points, *self.log_start_offsets, *self.high_watermarks}


def survey(disk: "Disk", directory: LogDirectory) -> Survey:
    """Look at a directory, and take the sign of a clean stop away. Waits for the disk."""
    directory.take_clean_shutdown()
    found = Survey()
    checkpoints = (RECOVERY_POINT, found.recovery_points), (LOG_START_OFFSET, found.log_start_offsets)
    for name, offsets in (*checkpoints, (HIGH_WATERMARK, found.high_watermarks)):
        try:
            offsets.update(directory.read_checkpoint(name))
        except CorruptFile as error:
            found.damaged.append(str(error))
    for entry in disk.list(directory.path):
        if entry.is_directory:
            _sort_in(disk, found, entry.name, f"{directory.path}/{entry.name}")
    if doubted_tails.is_marked(disk, directory.path):
        for log in found.logs:
            doubted_tails.write_anew(disk, log.path, found.recovery_points.get(log.topic_partition, 0))
        doubted_tails.unmark(disk, directory.path)
    return found


def _sort_in(disk: "Disk", found: Survey, name: str, path: str) -> None:
    """Put a subdirectory where it belongs."""
    parsed = parse_directory_name(name)
    if parsed is None or parsed.topic_partition.topic == METADATA_TOPIC:
        found.ignored.append(name)
    elif parsed.state is DirectoryState.DELETED:
        found.deleted.append(path)
    elif parsed.state is DirectoryState.STRAY:
        found.strays.append(path)
    else:
        is_future = parsed.state is DirectoryState.FUTURE
        found.logs.append(FoundLog(parsed.topic_partition, path, _topic_id(disk, path), is_future))


def _topic_id(disk: "Disk", path: str) -> Uuid | None:
    file = f"{path}/{partition_metadata.FILE_NAME}"
    try:
        return partition_metadata.parse_partition_metadata(file, read_whole_file(disk, file))
    except NoSuchFile:
        return None


@dataclass(slots=True)
class LoadProgress:
    """How far a start is: what is left, for whoever shows it."""

    remaining_logs: dict[str, int] = field(default_factory=dict)  # by log directory
    remaining_segments: dict[str, tuple[int, int]] = field(default_factory=dict)  # to look through, and their bytes


class LogLoading:
    """One start."""

    def __init__(
        self,
        world: "World",
        table: LogTable,
        *,
        services: Callable[[LogDirectory], LogServices],
        config_of: Callable[[str], LogConfig],
        is_stray: IsStray,
        concurrency: int,
        unloaded: dict[str, dict[TopicPartition, int]],
    ) -> None:
        """`unloaded` is told the recovery points of logs that are not in the table yet."""
        self._world, self._table, self._services = world, table, services
        self._config_of, self._is_stray, self._concurrency = config_of, is_stray, concurrency
        self._unloaded = unloaded
        self.progress = LoadProgress()
        self.reports: dict[str, RecoveryReport] = {}  # by path, of logs about which there is something to say
        self.surveys: dict[str, Survey] = {}
        self.loaded: set[str] = set()  # directories of which everything is loaded

    async def run(self, directories: list[LogDirectory]) -> None:
        """Load all directories that are online."""
        telling = self._world.spawn(self._tell(), "tell how far loading is")
        try:
            async with self._world.group() as group:
                for directory in directories:
                    if directory.is_online:
                        group.spawn(self._load_directory(directory), f"load {directory.path}")
        finally:
            telling.cancel()

    async def _load_directory(self, directory: LogDirectory) -> None:
        try:
            found = await self._world.threads.run(survey, self._world.disk, directory)
        except DiskError as error:
            self._services(directory).failed(error)
            return
        self.surveys[directory.path] = found
        self._unloaded[directory.path] = dict(found.recovery_points)
        logger.info(
            "loading logs",
            extra={"directory": directory.path, "logs": len(found.logs), "was_clean": directory.was_clean},
        )
        for text in found.damaged:
            logger.warning("a checkpoint is damaged, and taken for none", extra={"why": text})
        waiting = deque(found.logs)
        self.progress.remaining_logs[directory.path] = len(waiting)
        async with self._world.group() as group:
            for number in range(min(self._concurrency, len(waiting))):
                group.spawn(self._work(directory, found, waiting), f"load {directory.path} {number}")
        del self._unloaded[directory.path]
        if directory.is_online:
            self.loaded.add(directory.path)

    async def _work(self, directory: LogDirectory, found: Survey, waiting: deque[FoundLog]) -> None:
        """Load one log after the other, while the directory is online."""
        while waiting and directory.is_online:
            log = waiting.popleft()
            try:
                if self._is_stray(log, directory):
                    await self._put_aside(directory, log)
                else:
                    await self._load(directory, found, log)
            except DiskError as error:
                self._services(directory).failed(error)
            self.progress.remaining_logs[directory.path] -= 1

    async def _load(self, directory: LogDirectory, found: Survey, wanted: FoundLog) -> None:
        topic_partition, path = wanted.topic_partition, wanted.path
        start = StartingPoint(
            directory.was_clean,
            found.recovery_points.get(topic_partition, 0),
            found.log_start_offsets.get(topic_partition, 0),
        )
        config = self._config_of(topic_partition.topic)
        log, report = await load_log(
            self._services(directory), topic_partition, path, config, start, progress=partial(self._told, path)
        )
        self.progress.remaining_segments.pop(path, None)
        if not directory.is_online:
            return
        other = self._table.get(topic_partition, is_future=wanted.is_future)
        if other is not None:
            raise ConfigError(
                f"log.dirs: {path} and {other.log.directory} are both the log of {topic_partition}. "
                "Delete the one that is older, or whose disk has failed."
            )
        log.update_high_watermark(found.high_watermarks.get(topic_partition, 0))
        if report.notes or report.truncated_bytes:
            self.reports[path] = report
            logger.warning("a log was repaired", extra={"log": path, "report": report})
        self._table.add(HostedLog(log, directory, wanted.topic_id, wanted.is_future))

    async def _put_aside(self, directory: LogDirectory, log: FoundLog) -> None:
        """Rename a log that the cluster does not know; somebody may still want to look at it."""
        name = marked_directory_name(
            log.topic_partition, DirectoryState.STRAY, self._world.rng.randbytes(UNIQUE_ID_SIZE)
        )
        path = f"{directory.path}/{name}"
        await self._world.threads.run(_rename, self._world.disk, log.path, path, directory.path)
        self.surveys[directory.path].strays.append(path)
        logger.warning("a stray log was put aside", extra={"log": log.path, "renamed": path})

    def _told(self, path: str, segments: int, size_bytes: int) -> None:
        self.progress.remaining_segments[path] = segments, size_bytes

    async def _tell(self) -> None:
        while True:
            await self._world.clock.sleep(TELL_INTERVAL_MS)
            segments = {path: left for path, left in self.progress.remaining_segments.items() if left[0]}
            logger.info("still loading", extra={"logs": self.progress.remaining_logs, "segments": segments})


def _rename(disk: "Disk", source: str, target: str, directory: str) -> None:
    disk.rename(source, target)
    disk.sync_directory(directory)
