"""The index files of one segment: read when they are needed, written late, forgotten when the segment is idle.

Entries are added in memory; `save` brings them to the files. That may be late, since after an unclean stop all that
lies above the recovery point is indexed anew; but they must be on the disk before the recovery point passes them.

Always true: the first `saved_offsets` and `saved_times` entries are in the files, and nothing that is in memory alone
is forgotten. The files of the active segment are preallocated with zeros, as Kafka has them (`segment.index.bytes`,
floored to whole entries), and cut to their entries when the segment is closed.
"""

from typing import NamedTuple

from ottla.errors import CorruptFile
from ottla.storage.names import FileKind, FileName, FileState
from ottla.storage.segments.offset_index import ENTRY_BYTES as OFFSET_BYTES
from ottla.storage.segments.offset_index import OffsetIndex
from ottla.storage.segments.time_index import ENTRY_BYTES as TIME_BYTES
from ottla.storage.segments.time_index import TimeIndex
from ottla.storage.segments.transaction_index import TransactionIndex
from ottla.world.api import Disk


class Unsaved(NamedTuple):
    """Entries on their way to a file: plain values, so that a thread may write them."""

    kind: FileKind
    position: int
    data: bytes


class Indexes:
    """The offset and the time index of a segment."""

    __slots__ = ("base_offset", "offsets", "saved_offsets", "saved_times", "times")

    def __init__(self, base_offset: int, saved_offsets: int = 0, saved_times: int = 0) -> None:
        """Indexes whose files have so many entries."""
        self.base_offset = base_offset
        self.saved_offsets, self.saved_times = saved_offsets, saved_times
        self.offsets: OffsetIndex | None = None
        self.times: TimeIndex | None = None
        if not saved_offsets and not saved_times:
            self.install(OffsetIndex(base_offset), TimeIndex(base_offset))

    def install(self, offsets: OffsetIndex, times: TimeIndex) -> None:
        """Have these entries in memory."""
        self.offsets, self.times = offsets, times

    @property
    def are_loaded(self) -> bool:
        """Whether the entries are in memory."""
        return self.offsets is not None and self.times is not None

    @property
    def are_saved(self) -> bool:
        """Whether the files have every entry."""
        return self.offsets is None or (
            self.saved_offsets == len(self.offsets) and self.saved_times == len(self.times or ())
        )

    def are_full(self, index_bytes: int) -> bool:
        """Whether one of them has as many entries as it may have; the time index keeps room for its last one."""
        offsets = self.saved_offsets if self.offsets is None else len(self.offsets)
        times = self.saved_times if self.times is None else len(self.times)
        return offsets >= index_bytes // OFFSET_BYTES or times >= index_bytes // TIME_BYTES - 1

    def forget(self) -> None:
        """Give the memory back, if the files have everything."""
        if self.are_saved and (self.saved_offsets or self.saved_times):
            self.offsets = self.times = None

    def truncated(self) -> None:
        """Entries were taken out at the end. The files may still have them."""
        assert self.offsets is not None, "what is not in memory was not truncated"
        assert self.times is not None, "what is not in memory was not truncated"
        self.saved_offsets = min(self.saved_offsets, len(self.offsets))
        self.saved_times = min(self.saved_times, len(self.times))

    def unsaved(self) -> list[Unsaved]:
        """What the files lack."""
        found = []
        if self.offsets is not None and self.saved_offsets < len(self.offsets):
            position = self.saved_offsets * OFFSET_BYTES
            found.append(Unsaved(FileKind.OFFSET_INDEX, position, self.offsets.encode(self.saved_offsets)))
        if self.times is not None and self.saved_times < len(self.times):
            position = self.saved_times * TIME_BYTES
            found.append(Unsaved(FileKind.TIME_INDEX, position, self.times.encode(self.saved_times)))
        return found

    def saved(self, unsaved: list[Unsaved]) -> None:
        """These have been written, unless the entries were truncated meanwhile."""
        for kind, position, data in unsaved:
            if kind is FileKind.OFFSET_INDEX and position == self.saved_offsets * OFFSET_BYTES:
                self.saved_offsets += len(data) // OFFSET_BYTES
            elif kind is FileKind.TIME_INDEX and position == self.saved_times * TIME_BYTES:
                self.saved_times += len(data) // TIME_BYTES

    @property
    def entry_bytes(self) -> tuple[int, int]:
        """How long the two files are when they hold every entry and nothing else."""
        offsets = self.saved_offsets if self.offsets is None else len(self.offsets)
        times = self.saved_times if self.times is None else len(self.times)
        return offsets * OFFSET_BYTES, times * TIME_BYTES

    def sizes(self) -> dict[FileKind, int]:
        """How long the files are when they hold the saved entries and nothing else."""
        return {
            FileKind.OFFSET_INDEX: self.saved_offsets * OFFSET_BYTES,
            FileKind.TIME_INDEX: self.saved_times * TIME_BYTES,
        }


def preallocated_sizes(index_bytes: int) -> dict[FileKind, int]:
    """How long the files of an active segment are."""
    return {
        FileKind.OFFSET_INDEX: index_bytes // OFFSET_BYTES * OFFSET_BYTES,
        FileKind.TIME_INDEX: index_bytes // TIME_BYTES * TIME_BYTES,
    }


def file_path(directory: str, base_offset: int, kind: FileKind, state: FileState = FileState.LIVE) -> str:
    """The path of one of a segment's files."""
    return f"{directory}/{FileName(base_offset, kind, state)}"


def write_file(disk: Disk, path: str, position: int, data: bytes, *, sync: bool = False) -> None:
    """Write into a file at a position; the file is made if it is missing."""
    file = disk.open(path, create=True)
    try:
        file.write(position, (data,))
        if sync:
            file.sync()
    finally:
        file.close()


def resize_file(disk: Disk, path: str, size: int) -> None:
    """Cut or extend a file, made if it is missing."""
    file = disk.open(path, create=True)
    try:
        file.truncate(size)
    finally:
        file.close()


def sync_file(disk: Disk, path: str) -> None:
    """Bring a file to the disk. This blocks."""
    file = disk.open(path)
    try:
        file.sync()
    finally:
        file.close()


def read_file(disk: Disk, path: str, size: int | None = None) -> bytes:
    """All bytes of a file, or the first ones."""
    file = disk.open(path, read_only=True)
    try:
        return file.read(0, file.size() if size is None else size)
    finally:
        file.close()


def read_indexes(
    disk: Disk, directory: str, indexes: Indexes, end_position: int, state: FileState
) -> tuple[OffsetIndex, TimeIndex]:
    """The saved entries; `CorruptFile` or `NoSuchFile` if the files are not those of a segment of this size."""
    base_offset, sizes = indexes.base_offset, indexes.sizes()
    path = file_path(directory, base_offset, FileKind.OFFSET_INDEX, state)
    offsets = OffsetIndex.decode(base_offset, read_file(disk, path, sizes[FileKind.OFFSET_INDEX]), path)
    if len(offsets) < indexes.saved_offsets or (len(offsets) and offsets.entry(-1)[1] >= end_position):
        raise CorruptFile(f"{path}: its {len(offsets)} entries do not fit {end_position} bytes", path=path)
    path = file_path(directory, base_offset, FileKind.TIME_INDEX, state)
    times = TimeIndex.decode(base_offset, read_file(disk, path, sizes[FileKind.TIME_INDEX]), path)
    if len(times) < indexes.saved_times:
        raise CorruptFile(f"{path}: {indexes.saved_times} entries are expected, {len(times)} are there", path=path)
    return offsets, times


def read_unclosed_indexes(disk: Disk, directory: str, base_offset: int) -> tuple[OffsetIndex, TimeIndex]:
    """What the files of a segment hold that was not closed: entries, and zeros to be filled.

    `CorruptFile` or `NoSuchFile` if that cannot be right, for a crash may have torn what was not synced.
    """
    path = file_path(directory, base_offset, FileKind.OFFSET_INDEX)
    offsets = OffsetIndex.decode(base_offset, without_zeros(read_file(disk, path), OFFSET_BYTES), path)
    path = file_path(directory, base_offset, FileKind.TIME_INDEX)
    return offsets, TimeIndex.decode(base_offset, without_zeros(read_file(disk, path), TIME_BYTES), path)


def without_zeros(data: bytes, entry_bytes: int) -> bytes:
    """The entries before the first of those at the end that are all zeros."""
    count = -(-len(data.rstrip(b"\0")) // entry_bytes)
    return data[: count * entry_bytes]


def read_transactions(disk: Disk, directory: str, base_offset: int, state: FileState) -> TransactionIndex:
    """The aborted transactions that the file holds; none without a file."""
    path = file_path(directory, base_offset, FileKind.TRANSACTION_INDEX, state)
    data = read_file(disk, path) if disk.exists(path) else b""
    return TransactionIndex.decode(base_offset, data, path)
