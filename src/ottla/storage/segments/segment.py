"""One segment: a .log file of batches, its indexes, and what is known of its timestamps.

A segment is appended to at its end and read at any place. `append` is on the broker's hot path: one positional write
and a few comparisons a batch; whether a batch gets an index entry is Kafka's rule (LogSegment.append): when more than
`index.interval.bytes` lie between it and the last batch that got one.

Always true: bytes behind `size_bytes` are nobody's, whatever the file holds there, so a write that failed half-way
shows nothing; the indexes know batches below `size_bytes` only. `largest` is the largest timestamp with the last offset
of the first batch that has it.

What does not happen here: nothing is checked, and nothing is synced unless `sync` is called, which blocks.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ottla.errors import CorruptFile, DiskError, NoSuchFile
from ottla.protocol.records.batch import NO_TIMESTAMP
from ottla.protocol.records.kernel import BatchWalk
from ottla.storage.append.info import LogAppendInfo
from ottla.storage.log_config import LogConfig
from ottla.storage.names import FileKind, FileState
from ottla.storage.segments.indexes import (
    Indexes,
    Unsaved,
    file_path,
    preallocated_sizes,
    read_indexes,
    read_transactions,
    resize_file,
    sync_file,
    write_file,
)
from ottla.storage.segments.offset_index import MAX_RELATIVE_OFFSET, OffsetIndex
from ottla.storage.segments.open_files import OpenFile, OpenFiles
from ottla.storage.segments.scan import Place, Read, find, places
from ottla.storage.segments.time_index import TimeIndex, TimestampOffset
from ottla.storage.segments.transaction_index import AbortedTransaction, TransactionIndex
from ottla.world.api import Disk, File

UNKNOWN: Final = -2  # a timestamp that is still to be read
BEFORE_ALL: Final = NO_TIMESTAMP
SEGMENT_KINDS: Final = (FileKind.LOG, FileKind.OFFSET_INDEX, FileKind.TIME_INDEX, FileKind.TRANSACTION_INDEX)


class Ending(NamedTuple):
    """What the disk has to do when a segment is closed: plain values, so that a thread may do it."""

    unsaved: list[Unsaved]
    paths: dict[FileKind, str]  # of the indexes
    sizes: dict[FileKind, int]  # that they are cut to
    cut: tuple[File, int] | None  # the .log, if it was preallocated

    def carry_out(self, disk: Disk) -> None:
        """Do it."""
        for kind, position, data in self.unsaved:
            write_file(disk, self.paths[kind], position, data)
        for kind, size in self.sizes.items():
            resize_file(disk, self.paths[kind], size)
        if self.cut is not None:
            file, size = self.cut
            file.truncate(size)


def create_files(disk: Disk, directory: str, base_offset: int, config: LogConfig, state: FileState) -> File:
    """Make the files of an empty segment, indexes with room for all that they may get; answers its .log, open."""
    for kind, size in preallocated_sizes(config.segment_index_bytes).items():
        resize_file(disk, file_path(directory, base_offset, kind, state), size)
    file = disk.open(file_path(directory, base_offset, FileKind.LOG, state), create=True)
    try:
        file.truncate(config.initial_file_bytes)
    except DiskError:
        file.close()
        raise
    return file


class Segment:
    """The batches from one base offset on, up to the next segment's."""

    __slots__ = (
        "base_offset",
        "created_ms",
        "directory",
        "end_offset_bound",
        "file",
        "files",
        "first_timestamp",
        "has_aborted",
        "hint_offset",
        "hint_position",
        "index_interval_bytes",
        "indexed_position",
        "indexes",
        "is_name_synced",
        "is_preallocated",
        "max_timestamp",
        "offset_of_max_timestamp",
        "roll_jitter_ms",
        "size_bytes",
        "state",
        "transactions",
    )

    def __init__(
        self,
        files: OpenFiles,
        directory: str,
        base_offset: int,
        *,
        index_interval_bytes: int,
        state: FileState = FileState.LIVE,
    ) -> None:
        """An empty segment. `create` and recovery make the files, or find them."""
        self.files = files
        self.index_interval_bytes = index_interval_bytes  # for indexes that have to be made anew
        self.directory = directory
        self.base_offset = base_offset
        self.state = state
        self.file = OpenFile(file_path(directory, base_offset, FileKind.LOG, state), self.forget)
        self.size_bytes = 0
        self.indexes = Indexes(base_offset)
        self.transactions: TransactionIndex | None = None
        self.has_aborted = False  # or may have: there is a file, which was emptied perhaps, and has to be synced
        self.max_timestamp = BEFORE_ALL
        self.offset_of_max_timestamp = base_offset
        self.first_timestamp = UNKNOWN
        self.indexed_position = 0  # of the last batch with an index entry
        self.end_offset_bound = base_offset  # no offset in here is as large
        self.hint_offset, self.hint_position = -1, 0  # where the last read ended: an offset, and where its batch is
        self.is_name_synced = False  # whether the files' names survive a crash
        self.is_preallocated = False  # the files are longer than what is in them
        self.created_ms = 0
        self.roll_jitter_ms = 0

    @classmethod
    def create(
        cls,
        files: OpenFiles,
        directory: str,
        base_offset: int,
        config: LogConfig,
        *,
        now_ms: int = 0,
        jitter_ms: int = 0,
        state: FileState = FileState.LIVE,
    ) -> "Segment":
        """Make a new segment and its files."""
        file = create_files(files.disk, directory, base_offset, config, state)
        interval = config.index_interval_bytes
        segment = cls(files, directory, base_offset, index_interval_bytes=interval, state=state)
        segment.created(file, now_ms, jitter_ms)
        return segment

    def created(self, file: File, now_ms: int, jitter_ms: int) -> None:
        """The files have been made: an empty log, and indexes with room."""
        self.files.adopt(self.file, file)
        self.is_preallocated = True
        self.created_ms, self.roll_jitter_ms = now_ms, jitter_ms

    def __repr__(self) -> str:
        """The place and the size: what a log line needs."""
        return f"Segment({self.file.path}, {self.size_bytes} B)"

    # Appending

    def append(self, info: LogAppendInfo, index_interval_bytes: int) -> None:
        """Write batches behind the last one. Nothing is different if the disk refuses."""
        handle = self.file
        file = handle.file or self.files.use(handle)
        handle.used = True
        file.write(self.size_bytes, (info.data,))
        self.written(info, index_interval_bytes)

    def written(self, info: LogAppendInfo, index_interval_bytes: int) -> None:
        """The bytes of these batches stand behind the last one: they are part of the segment from here on."""
        position = self.size_bytes
        if self.max_timestamp == UNKNOWN:
            self._load_largest()
        for batch in info.batches:
            self.note(batch.base_offset + batch.last_offset_delta, batch.max_timestamp, position, index_interval_bytes)
            position += batch.size_bytes
        self.size_bytes = position
        self.end_offset_bound = info.last_offset + 1

    def note(self, last_offset: int, max_timestamp: int, position: int, index_interval_bytes: int) -> None:
        """Learn of a batch at a position: its timestamp, and an index entry if it is time for one."""
        if max_timestamp > self.max_timestamp:
            self.max_timestamp, self.offset_of_max_timestamp = max_timestamp, last_offset
        if not position:
            self.first_timestamp = max_timestamp
        elif position - self.indexed_position > index_interval_bytes:
            offsets, times = self.indexes.offsets, self.indexes.times
            if offsets is None or times is None:
                offsets, times = self.loaded_indexes()
            offsets.append(last_offset, position)
            times.append(self.max_timestamp, self.offset_of_max_timestamp)
            self.indexed_position = position

    def noted(self, walk: BatchWalk) -> None:
        """Learn what a walk found out about the batches of the segment's end."""
        offsets, times = self.loaded_indexes()
        offsets.extend(walk.offsets, walk.positions)
        times.extend(walk.timestamps, walk.timestamp_offsets)
        self.indexed_position, self.end_offset_bound = walk.indexed_position, walk.next_offset
        self.max_timestamp, self.offset_of_max_timestamp = walk.max_timestamp, walk.offset_of_max_timestamp

    def should_roll(
        self, size_bytes: int, max_timestamp: int, last_offset: int, config: LogConfig, now_ms: int
    ) -> bool:
        """Whether a new segment is to be begun for these batches: Kafka's LogSegment.shouldRoll."""
        if last_offset - self.base_offset > MAX_RELATIVE_OFFSET:
            return True
        return self.size_bytes > 0 and (
            self.size_bytes + size_bytes > config.segment_bytes
            or self.waited_for_roll_ms(now_ms, max_timestamp) > config.max_segment_ms - self.roll_jitter_ms
            or self.indexes.are_full(config.segment_index_bytes)
        )

    def waited_for_roll_ms(self, now_ms: int, max_timestamp: int) -> int:
        """How long the segment has been open: in the time of its records if they have any, else by the clock."""
        if self.first_timestamp == UNKNOWN:
            self._load_first()
        return max_timestamp - self.first_timestamp if self.first_timestamp >= 0 else now_ms - self.created_ms

    def add_aborted(self, aborted: AbortedTransaction) -> None:
        """List a transaction whose abort marker was appended here, and write it."""
        write_file(self.files.disk, *self.aborted_entry(aborted))
        self.aborted_written(aborted)

    def aborted_entry(self, aborted: AbortedTransaction) -> tuple[str, int, bytes]:
        """Where it has to be written: the path, the position, the bytes."""
        position = len(self.loaded_transactions().encode())
        return self.path(FileKind.TRANSACTION_INDEX), position, aborted.encode()

    def aborted_written(self, aborted: AbortedTransaction) -> None:
        """It stands in the file."""
        self.loaded_transactions().append(aborted)
        if not self.has_aborted:
            self.has_aborted, self.is_name_synced = True, False

    # What is known

    @property
    def largest(self) -> TimestampOffset:
        """The largest timestamp, and the last offset of the batch that has it."""
        if self.max_timestamp == UNKNOWN:
            self._load_largest()
        return TimestampOffset(self.max_timestamp, self.offset_of_max_timestamp)

    @property
    def first_batch_timestamp(self) -> int:
        """The largest timestamp of the first batch; -1 if there is none."""
        if self.first_timestamp == UNKNOWN:
            self._load_first()
        return max(self.first_timestamp, NO_TIMESTAMP)

    def path(self, kind: FileKind) -> str:
        """The path of one of the files."""
        return file_path(self.directory, self.base_offset, kind, self.state)

    def opened(self) -> File:
        """The .log file, to be used before anything else is opened."""
        return self.files.use(self.file)

    def loaded_indexes(self) -> tuple[OffsetIndex, TimeIndex]:
        """The indexes, read from their files if they were forgotten, and made anew if those are damaged or missing."""
        indexes = self.indexes
        if indexes.offsets is None or indexes.times is None:
            try:
                found = self.read_indexes()
            except (CorruptFile, NoSuchFile):
                found = None
            if found is None:
                self.rebuild_indexes()
            else:
                indexes.install(*found)
            indexes = self.indexes
        assert indexes.offsets is not None, "they were loaded or made anew"
        assert indexes.times is not None, "they were loaded or made anew"
        return indexes.offsets, indexes.times

    def read_indexes(self) -> tuple[OffsetIndex, TimeIndex]:
        """What the files hold; `CorruptFile` or `NoSuchFile` if it cannot be right."""
        return read_indexes(self.files.disk, self.directory, self.indexes, self.size_bytes, self.state)

    def loaded_transactions(self) -> TransactionIndex:
        """The aborted transactions, read from their file if there is one."""
        if self.transactions is None:
            if not self.has_aborted:
                self.transactions = TransactionIndex(self.base_offset)
            else:
                self.transactions = self.read_transactions()
        return self.transactions

    def read_transactions(self) -> TransactionIndex:
        """What the file holds, if there is one."""
        return read_transactions(self.files.disk, self.directory, self.base_offset, self.state)

    def forget(self) -> None:
        """Give memory back: what is in the files is read again when it is needed."""
        self.indexes.forget()
        self.transactions = None

    def _load_largest(self) -> None:
        """A closed segment's time index ends with its largest timestamp."""
        self.max_timestamp, self.offset_of_max_timestamp = self.loaded_indexes()[1].last

    def _load_first(self) -> None:
        self.first_timestamp = self.first_timestamp_in(self.opened().read)

    def first_timestamp_in(self, read: Read) -> int:
        """The first batch's timestamp, as the file has it."""
        first = next(places(read, self.file.path, 0, self.size_bytes), None)
        return UNKNOWN if first is None else first.max_timestamp

    # Looking for batches. `read` is that of the file, unless the caller has other ideas of how to wait for the disk.

    def place_of(self, offset: int, read: Read | None = None) -> Place | None:
        """The first batch that has this offset or later ones."""
        position = self.loaded_indexes()[0].position_before(offset)
        return find(read or self.opened().read, self.file.path, position, self.size_bytes, offset)

    def places(self, position: int = 0, read: Read | None = None) -> Iterator[Place]:
        """The batches from the one that starts at a position on."""
        return places(read or self.opened().read, self.file.path, position, self.size_bytes)

    def next_offset(self) -> int:
        """The offset behind the last batch; the base offset if there is none."""
        offsets, _ = self.loaded_indexes()
        position = offsets.entry(-1)[1] if len(offsets) else 0
        next_offset = self.base_offset
        for place in self.places(position):
            next_offset = place.last_offset + 1
        return next_offset

    # Files

    def preallocate_indexes(self, config: LogConfig) -> None:
        """Give the index files the size that they may grow to. What is in memory alone stays there."""
        self.is_preallocated = True
        for kind, size in preallocated_sizes(config.segment_index_bytes).items():
            resize_file(self.files.disk, self.path(kind), size)

    def save_indexes(self) -> None:
        """Bring the index files up to date, in the page cache."""
        unsaved = self.indexes.unsaved()
        for kind, position, data in unsaved:
            write_file(self.files.disk, self.path(kind), position, data)
        self.indexes.saved(unsaved)

    def become_inactive(self, config: LogConfig) -> None:
        """Nothing more is appended: end the time index with the largest timestamp, and cut what was preallocated."""
        ending = self.ending(config)
        ending.carry_out(self.files.disk)
        self.ended(ending)

    def ending(self, config: LogConfig) -> Ending:
        """What has to be done on the disk for that. The file is pinned while that is done elsewhere."""
        if self.max_timestamp != UNKNOWN:
            self.loaded_indexes()[1].append(self.max_timestamp, self.offset_of_max_timestamp)
        sizes = dict(zip(self.indexes.sizes(), self.indexes.entry_bytes, strict=True))
        return Ending(
            self.indexes.unsaved(),
            {kind: self.path(kind) for kind in sizes},
            sizes,
            (self.opened(), self.size_bytes) if config.preallocate else None,
        )

    def ended(self, ending: Ending) -> None:
        """It is done."""
        self.indexes.saved(ending.unsaved)
        self.is_preallocated = False

    def rebuild_indexes(self) -> None:
        """Make the indexes anew out of the batches, and write them."""
        self.indexes = Indexes(self.base_offset)
        self.indexed_position = 0
        self.max_timestamp, self.offset_of_max_timestamp = BEFORE_ALL, self.base_offset
        for place in self.places():
            self.note(place.last_offset, place.max_timestamp, place.position, self.index_interval_bytes)
        self.loaded_indexes()[1].append(self.max_timestamp, self.offset_of_max_timestamp)
        self.write_indexes_anew()

    def write_indexes_anew(self) -> None:
        """Make the index files hold what is in memory and nothing else.

        What a file had rightly stays in its place byte for byte, so that a crash in the middle takes nothing of it.
        """
        self.indexes.saved_offsets = self.indexes.saved_times = 0
        self.save_indexes()
        for kind, size in self.indexes.sizes().items():
            resize_file(self.files.disk, self.path(kind), size)

    def write_transactions_anew(self) -> None:
        """Make the index of aborted transactions hold what is in memory, likewise; without entries no file is made."""
        transactions, path = self.loaded_transactions(), self.path(FileKind.TRANSACTION_INDEX)
        self.has_aborted |= len(transactions) > 0
        if self.has_aborted:
            write_file(self.files.disk, path, 0, transactions.encode())
            resize_file(self.files.disk, path, len(transactions.encode()))

    def trust(self, position: int, next_offset: int, offsets: OffsetIndex, times: TimeIndex) -> None:
        """Before recovery: what lies before a position is right, and so is what these indexes say of it."""
        size_bytes, self.size_bytes = self.size_bytes, position
        self.indexes = Indexes(self.base_offset)
        self.indexes.install(offsets, times)
        self.first_timestamp, self.end_offset_bound = UNKNOWN, next_offset
        self.indexed_position = offsets.entry(-1)[1] if len(offsets) else 0
        transactions = TransactionIndex(self.base_offset)
        if self.has_aborted and position:
            transactions = read_transactions(self.files.disk, self.directory, self.base_offset, self.state)
            transactions.truncate_to(next_offset)
        self.transactions = transactions
        self._find_largest()
        self.size_bytes = size_bytes

    def complete_times(self) -> None:
        """End the time index with the largest timestamp, if a crash took that entry. This blocks."""
        times = self.loaded_indexes()[1]
        count = len(times)
        self._find_largest()
        times.append(self.max_timestamp, self.offset_of_max_timestamp)
        if len(times) > count:
            self.save_indexes()
            self.sync()

    def truncate_to(self, offset: int, config: LogConfig, now_ms: int) -> None:
        """Cut the batches that hold this offset or later ones; the segment is the active one from here on."""
        place = self.place_of(offset)
        for index in self.loaded_indexes():
            index.truncate_to(offset)
        self.indexes.truncated()
        self._truncate_transactions(offset)
        for kind, size in self.indexes.sizes().items():
            resize_file(self.files.disk, self.path(kind), size)
        self.preallocate_indexes(config)
        if place is not None:
            self.size_bytes = place.position
            self.opened().truncate(place.position)
        if not self.size_bytes:
            self.created_ms, self.first_timestamp = now_ms, UNKNOWN
        self.indexed_position = self.size_bytes
        self.end_offset_bound = offset
        self.hint_offset = -1
        self.is_name_synced = False  # the snapshots of what is cut are removed with it, and must not come back
        self._find_largest()

    def _truncate_transactions(self, offset: int) -> None:
        transactions = self.loaded_transactions()
        count = len(transactions)
        transactions.truncate_to(offset)
        if len(transactions) < count:
            resize_file(self.files.disk, self.path(FileKind.TRANSACTION_INDEX), len(transactions.encode()))

    def is_time_right(self, offsets: OffsetIndex, times: TimeIndex) -> bool:
        """Whether the last entry of the time index is that of a batch. A torn one can only be the last: the entries
        behind it were written later.
        """
        if not len(times):
            return True
        timestamp, offset = times.last
        place = find(self.opened().read, self.file.path, offsets.position_before(offset), self.size_bytes, offset)
        return place is not None and (place.last_offset, place.max_timestamp) == (offset, timestamp)

    def _find_largest(self) -> None:
        """The largest timestamp of what is left: the time index has most of it, and the end is looked through."""
        offsets, times = self.loaded_indexes()
        self.max_timestamp, self.offset_of_max_timestamp = times.last
        for place in self.places(offsets.position_before(times.last.offset)):
            if place.max_timestamp > self.max_timestamp:
                self.max_timestamp, self.offset_of_max_timestamp = place.max_timestamp, place.last_offset

    def renamed(self, state: FileState) -> None:
        """The files have another suffix now."""
        self.state = state
        self.file.path = self.path(FileKind.LOG)

    def sync(self) -> None:
        """Bring everything to the disk. This blocks."""
        self.opened().sync()
        for kind in SEGMENT_KINDS[1:]:
            if kind is FileKind.TRANSACTION_INDEX and not self.has_aborted:
                continue
            sync_file(self.files.disk, self.path(kind))

    def moved(self, directory: str) -> None:
        """The log's directory has another name now."""
        self.directory = directory
        self.file.path = self.path(FileKind.LOG)

    def close(self) -> None:
        """Give the file handle up."""
        self.files.close(self.file)
