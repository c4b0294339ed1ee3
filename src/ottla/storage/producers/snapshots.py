"""The `.snapshot` files of one log: which there are, taken, loaded, and removed when nothing needs them.

A snapshot may be lost or damaged at any time: an older one and more batches to replay do as well. So they are written
in place, and one that a crash has torn is removed when it is found. What must not be is a snapshot of records that were
cut off; `truncate` removes those before anything else is read.

The calls wait for the disk; whoever is on the loop makes those that sync or read through `threads.run`.
"""

import contextlib
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable

from ottla.errors import CorruptFile, NoSuchFile
from ottla.storage.names import FileKind, FileName, FileState, parse_file_name
from ottla.storage.producers.snapshot import decode_snapshot, encode_snapshot
from ottla.storage.producers.state import ProducerState
from ottla.storage.whole_file import read_whole_file
from ottla.world.api import Disk


class ProducerSnapshots:
    """The snapshots in a partition's directory, by the offset that each covers the log up to."""

    __slots__ = ("_disk", "directory", "last_taken_offset", "offsets")

    def __init__(self, disk: Disk, directory: str, offsets: Iterable[int] = ()) -> None:
        self._disk = disk
        self.directory = directory
        self.offsets = sorted(offsets)
        self.last_taken_offset = 0  # nothing is worth a snapshot up to here

    @classmethod
    def listed(cls, disk: Disk, directory: str) -> "ProducerSnapshots":
        """Those that are there."""
        names = [parse_file_name(entry.name) for entry in disk.list(directory) if not entry.is_directory]
        kind, state = FileKind.PRODUCER_SNAPSHOT, FileState.LIVE
        return cls(
            disk, directory, [name.offset for name in names if name and (name.kind, name.state) == (kind, state)]
        )

    @property
    def latest_offset(self) -> int | None:
        """The last one's offset."""
        return self.offsets[-1] if self.offsets else None

    def take(self, state: ProducerState, *, sync: bool = False) -> int | None:
        """Write a snapshot of the state, if the log has grown since the last one; its offset if it was written."""
        due = self.due(state)
        if due is None:
            return None
        write_snapshot(self._disk, *due, sync=sync)
        self.taken(state.end_offset)
        return state.end_offset

    def due(self, state: ProducerState) -> tuple[str, bytes] | None:
        """What `take` would write, and where: plain values for a thread, and then comes `taken`."""
        if state.end_offset <= self.last_taken_offset:
            return None
        return self._path(state.end_offset), encode_snapshot(state.producers.values())

    def taken(self, offset: int) -> None:
        """The snapshot that was due at this offset has been written."""
        if offset not in self.offsets:
            insort(self.offsets, offset)
        self.last_taken_offset = offset

    def sync(self, offset: int) -> None:
        """Return when a snapshot survives a crash, if it is still there."""
        with contextlib.suppress(NoSuchFile):
            file = self._disk.open(self._path(offset))
            try:
                file.sync()
            finally:
                file.close()

    def load_latest(self, state: ProducerState, log_start_offset: int, now_ms: int, expiration_ms: int) -> None:
        """Set the state to the last sound snapshot's, without producers that have expired since, or to an empty one at
        the log's start. Behind `state.end_offset` the log's batches are to be replayed.
        """
        while self.offsets:
            offset = self.offsets[-1]
            path = self._path(offset)
            try:
                entries = decode_snapshot(path, read_whole_file(self._disk, path))
            except (CorruptFile, NoSuchFile):
                self.delete(offset)
                continue
            state.load((entry for entry in entries if not entry.is_expired(now_ms, expiration_ms)), offset)
            self.last_taken_offset = offset
            return
        state.clear(log_start_offset)
        self.last_taken_offset = log_start_offset

    def truncate(self, log_start_offset: int, log_end_offset: int) -> None:
        """Remove those that tell of records behind the log's end, and those that begin before it does."""
        for offset in [offset for offset in self.offsets if not log_start_offset < offset <= log_end_offset]:
            self.delete(offset)

    def truncate_and_reload(
        self, state: ProducerState, log_start_offset: int, log_end_offset: int, now_ms: int, expiration_ms: int
    ) -> None:
        """The log was cut at either end: load again what is known of the rest, unless the state is right as it is."""
        self.truncate(log_start_offset, log_end_offset)
        if log_end_offset != state.end_offset:
            self.load_latest(state, log_start_offset, now_ms, expiration_ms)
        else:
            self.advance_log_start(state, log_start_offset)

    def advance_log_start(self, state: ProducerState, log_start_offset: int) -> None:
        """Records below the new start are gone."""
        state.advance_log_start(log_start_offset)
        self.last_taken_offset = self.offsets[-1] if self.offsets else log_start_offset

    def clear(self, state: ProducerState, end_offset: int) -> None:
        """The whole log is gone, and begins anew at this offset."""
        for offset in list(self.offsets):
            self.delete(offset)
        state.clear(end_offset)
        self.last_taken_offset = 0

    def remove_strays(self, base_offsets: Collection[int]) -> None:
        """Remove those at no segment's start, but for one behind all of them: closing a log takes that."""
        newest_segment = max(base_offsets, default=0)
        for offset in [offset for offset in self.offsets if offset not in base_offsets]:
            if offset < newest_segment or offset != self.offsets[-1]:
                self.delete(offset)

    def delete_before(self, offset: int) -> None:
        """Remove those of earlier offsets."""
        for old in self.offsets[: bisect_left(self.offsets, offset)]:
            self.delete(old)

    def delete(self, offset: int) -> None:
        """Remove one; it may be missing."""
        self.offsets.remove(offset)
        with contextlib.suppress(NoSuchFile):
            self._disk.unlink(self._path(offset))

    def forget_all(self, base_offsets: Iterable[int]) -> None:
        """Remove those at the starts of segments that are gone."""
        for offset in base_offsets:
            if offset in self.offsets:
                self.delete(offset)

    def moved(self, directory: str) -> None:
        """The log's directory has another name now."""
        self.directory = directory

    def _path(self, offset: int) -> str:
        return f"{self.directory}/{FileName(offset, FileKind.PRODUCER_SNAPSHOT)}"


def write_snapshot(disk: Disk, path: str, data: bytes, *, sync: bool = False) -> None:
    """Write a snapshot's file, in place."""
    file = disk.open(path, create=True)
    try:
        file.truncate(0)
        file.write(0, [data])
        if sync:
            file.sync()
    finally:
        file.close()
