"""A log directory: one of `log.dirs`, locked for this node, with its identity, and online or offline.

Always true: a directory that is online is locked, by a lock that Apache Kafka's process would see too. One whose disk
has refused something is offline for as long as this node runs, says why, and is touched no more (KIP-112); the others
go on. That another process has it is no fault of the disk: then the node does not start.

The calls wait for the disk, so whoever is on the loop makes them through `threads.run`.
"""

import posixpath
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Self

from ottla.errors import ConfigError, DiskError, LockHeld, NoSuchFile
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.uuids import random_uuid
from ottla.storage.directories import clean_shutdown, meta_properties
from ottla.storage.directories.checkpoints import parse_offsets, render_offsets
from ottla.storage.directories.meta_properties import CURRENT_VERSION, MetaProperties
from ottla.storage.names import TopicPartition
from ottla.storage.recovery import doubted_tails
from ottla.storage.whole_file import read_whole_file, replace_whole_file
from ottla.world.api import Disk, FileLock

LOCK_NAME: Final = ".lock"


class LogDirectory:
    """One of a node's log directories."""

    __slots__ = ("_disk", "_lock", "_written", "broker_epoch", "failure", "path", "properties", "was_clean")

    def __init__(self, disk: Disk, path: str) -> None:
        """Nothing is looked at yet; see `open`."""
        self._disk, self.path = disk, path
        self._lock: FileLock | None = None
        self._written: dict[str, bytes] = {}  # checkpoints as they are on the disk
        self.failure: DiskError | None = None
        self.properties: MetaProperties | None = None  # None: not formatted
        self.was_clean = False
        self.broker_epoch: int | None = None  # of the broker that left it cleanly

    @classmethod
    def open(cls, disk: Disk, path: str) -> Self:
        """Make it if it is missing, lock it, learn whose it is. `LockHeld` if somebody has it; what else the disk
        refuses makes it one that is offline.
        """
        directory = cls(disk, path)
        try:
            make_durably(disk, path)
            directory._lock = directory._locked()
            directory.properties = directory._read_properties()
        except LockHeld:
            raise
        except DiskError as error:
            directory.go_offline(error)
        return directory

    def __repr__(self) -> str:
        """What a log line needs."""
        return f"LogDirectory({self.path}, {'online' if self.is_online else f'offline: {self.failure}'})"

    @property
    def is_online(self) -> bool:
        """Whether it is in use."""
        return self.failure is None

    @property
    def directory_id(self) -> Uuid | None:
        """What the controller calls it; None before it is adopted, or when it could not be read."""
        return None if self.properties is None else self.properties.directory_id

    def go_offline(self, error: DiskError) -> bool:
        """Take it out of use because of this; False if it is out of use already. Nobody is kept from it any more."""
        if self.failure is not None:
            return False
        self.failure = error
        doubted_tails.mark(self._disk, self.path)
        self.close()
        return True

    def close(self) -> None:
        """Give up the lock."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    def free_bytes(self) -> int:
        """How much more fits on its file system."""
        return self._disk.free_bytes(self.path)

    def volume_bytes(self) -> tuple[int, int]:
        """How much its file system holds altogether, and how much more fits."""
        return self._disk.total_bytes(self.path), self._disk.free_bytes(self.path)

    # Whose it is

    def write_properties(self, properties: MetaProperties, now_ms: int) -> None:
        """Make it somebody's."""
        path = f"{self.path}/{meta_properties.FILE_NAME}"
        replace_whole_file(self._disk, path, meta_properties.render_meta_properties(properties, now_ms))
        self.properties = properties

    def _read_properties(self) -> MetaProperties | None:
        path = f"{self.path}/{meta_properties.FILE_NAME}"
        try:
            return meta_properties.parse_meta_properties(path, read_whole_file(self._disk, path))
        except NoSuchFile:
            return None

    def _locked(self) -> FileLock:
        try:
            return self._disk.lock(f"{self.path}/{LOCK_NAME}")
        except LockHeld as error:
            raise LockHeld(
                f"{self.path}: another process, Apache Kafka's or Ottla's, uses this log directory{self._holder()}. "
                "Stop it, or give this node other log.dirs.",
                path=self.path,
                errno=error.errno,
            ) from error

    def _holder(self) -> str:
        """Who that probably is: whoever the directory belongs to."""
        with suppress(DiskError):
            if (properties := self._read_properties()) is not None:
                return f" (it belongs to node {properties.node_id} of cluster {properties.cluster_id})"
        return ""

    # How it was left

    def clean_epoch(self) -> int | None:
        """The epoch of the broker that left it cleanly, if one has told; the sign of that stays where it is."""
        try:
            return clean_shutdown.parse_clean_shutdown(read_whole_file(self._disk, self._clean_shutdown_path))
        except DiskError:
            return None

    def take_clean_shutdown(self) -> None:
        """Learn whether it was left by a clean stop, and take the sign of that away before anything is changed."""
        path = self._clean_shutdown_path
        try:
            self.broker_epoch = clean_shutdown.parse_clean_shutdown(read_whole_file(self._disk, path))
        except NoSuchFile:
            return
        self.was_clean = True
        self._disk.unlink(path)
        self._disk.sync_directory(self.path)

    def write_clean_shutdown(self, broker_epoch: int) -> None:
        """Everything in it is on the disk, and nobody changes it any more."""
        path = self._clean_shutdown_path
        replace_whole_file(self._disk, path, clean_shutdown.render_clean_shutdown(broker_epoch))

    @property
    def _clean_shutdown_path(self) -> str:
        return f"{self.path}/{clean_shutdown.FILE_NAME}"

    # Its checkpoints

    def read_checkpoint(self, name: str) -> dict[TopicPartition, int]:
        """The offsets in one of its checkpoints; none if it was never written."""
        path = f"{self.path}/{name}"
        try:
            return parse_offsets(path, read_whole_file(self._disk, path))
        except NoSuchFile:
            return {}

    def write_checkpoint(self, name: str, offsets: dict[TopicPartition, int]) -> None:
        """Replace one of its checkpoints, unless it says this already."""
        data = render_offsets(offsets)
        if self._written.get(name) != data:
            replace_whole_file(self._disk, f"{self.path}/{name}", data)
            self._written[name] = data


def make_durably(disk: Disk, path: str) -> None:
    """Make a directory with those above it, so that no crash takes them away with what was flushed in them."""
    changed = path
    missing = []
    while not disk.exists(changed):
        missing.append(changed := posixpath.dirname(changed) or ".")
    disk.make_directory(path)
    for parent in missing:
        disk.sync_directory(parent)


def open_log_directories(disk: Disk, paths: Sequence[str]) -> list[LogDirectory]:
    """All of a node's directories, online or not; all or, if somebody else has one of them, none."""
    normal = [posixpath.normpath(path) for path in paths]
    for number, path in enumerate(normal):
        if path in normal[:number]:
            raise ConfigError(f"log.dirs: {path} is there twice.")
    opened: list[LogDirectory] = []
    try:
        for path in normal:
            opened.append(LogDirectory.open(disk, path))  # if one is refused, those are closed again
    except LockHeld:
        for directory in opened:
            directory.close()
        raise
    return opened


def adopt(
    directories: Sequence[LogDirectory],
    *,
    cluster_id: str,
    node_id: int,
    randbytes: Callable[[int], bytes],
    now_ms: int,
) -> None:
    """Check that the directories are this node's, and make those its own that are nobody's or know no directory id."""
    online = [directory for directory in directories if directory.is_online]
    found = {directory.path: directory.properties for directory in online if directory.properties is not None}
    meta_properties.check_ensemble(found, cluster_id, node_id)
    for directory in online:
        known = directory.properties
        if known is not None and known.version == CURRENT_VERSION and known.directory_id is not None:
            continue
        directory_id = known.directory_id if known is not None else None
        properties = MetaProperties(cluster_id, node_id, directory_id or new_directory_id(randbytes))
        try:
            directory.write_properties(properties, now_ms)
        except DiskError as error:
            directory.go_offline(error)


def new_directory_id(randbytes: Callable[[int], bytes]) -> Uuid:
    while meta_properties.is_reserved_directory_id(directory_id := random_uuid(randbytes)):
        pass
    return directory_id
