"""Reading a log: which whole batches answer a fetch, found through the sparse index.

Where a read begins is looked up in the offset index and walked to; where it ends, likewise, from the index entry below
the end. Who reads on where the last read ended begins there at once, since the segment remembers the place.

Always true: what is read are whole batches, the first of which has the offset that was asked for or the next one that
exists; none reaches the bound. A read never blocks: bytes that are not in memory are `NotCached`, and `cold_reading`
brings them in a thread and asks again.

`slice_of` and `read_slice` are the hot path of a fetch: about 5 µs beside the system's own read (bench/storage.py).
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from ottla.errors import CorruptFile
from ottla.storage.segments.scan import Read, find, walk
from ottla.storage.segments.segment import Segment
from ottla.storage.segments.segments import Segments
from ottla.storage.segments.transaction_index import AbortedTransaction
from ottla.world.api import FileRange

READ_AHEAD_BYTES: Final = 128 * 1024  # Linux's, unless somebody has set another


class FetchIsolation(IntEnum):
    """Up to where a read may go."""

    LOG_END = 0  # followers
    HIGH_WATERMARK = 1  # consumers: read_uncommitted
    TXN_COMMITTED = 2  # consumers: read_committed, up to the last stable offset


class Slice(NamedTuple):
    """Whole batches that stand together in one segment."""

    segment: Segment
    position: int
    size_bytes: int


class FetchedRecords(NamedTuple):
    """What a read found, and the offsets of the log at that moment."""

    records: bytes | FileRange
    log_start_offset: int
    log_end_offset: int
    high_watermark: int
    last_stable_offset: int
    aborted_transactions: Sequence[AbortedTransaction] | None  # of read_committed alone


class NotCached(Exception):  # noqa: N818  # no error: it says what is to be brought
    """Bytes of a segment that are not in memory."""

    def __init__(self, segment: Segment, position: int, size: int) -> None:
        super().__init__(segment, position, size)
        self.segment, self.position, self.size = segment, position, size


class IndexesForgotten(NotCached):
    """The indexes of a segment that are not in memory."""

    def __init__(self, segment: Segment) -> None:
        super().__init__(segment, 0, 0)


Reader = Callable[[Segment], Read]


def cached(segment: Segment) -> Read:
    """Read what is in memory, and raise `NotCached` for the rest."""
    if segment.indexes.offsets is None:
        raise IndexesForgotten(segment)
    read_cached = segment.opened().read_cached

    def read(position: int, size: int) -> bytes:
        data = read_cached(position, size)
        if data is None:
            raise NotCached(segment, position, size)
        return data

    return read


def blocking(segment: Segment) -> Read:
    """Read at any price: what is done in a thread, or after a cold read that was in vain."""
    return segment.opened().read


class Brought:
    """Bytes that were read in a thread for a read that is made again."""

    def __init__(self) -> None:
        self._pieces: list[tuple[Segment, int, int, bytes]] = []

    def add(self, missing: NotCached, data: bytes) -> None:
        """What was read in answer to `NotCached`."""
        self._pieces.append((missing.segment, missing.position, missing.size, data))

    def reader(self, segment: Segment) -> Read:
        """Read what was brought, or what is in memory."""
        from_memory = cached(segment)

        def read(position: int, size: int) -> bytes:
            for owner, start, length, data in self._pieces:
                if owner is segment and start <= position and position + size <= start + length:
                    return data[position - start : position - start + size]
            return from_memory(position, size)

        return read


def slice_of(
    segment: Segment, offset: int, max_bytes: int, bound_offset: int, *, min_one_message: bool, read: Read
) -> Slice | None:
    """The batches of a segment from this offset on; None if it has none. An empty slice if none may be given.

    At most so many bytes, or one batch if that is larger and one is wanted at least; none with the bound in it.
    """
    end = segment.size_bytes
    offsets = segment.indexes.offsets or segment.loaded_indexes()[0]
    if segment.hint_offset == offset:
        position = segment.hint_position
        if position == end:
            return None
    else:
        first = find(read, segment.file.path, offsets.position_before(offset), end, offset)
        if first is None:
            return None
        position = first.position
    limit = min(position + max_bytes, end)
    is_bounded = bound_offset < segment.end_offset_bound
    if limit == end and not is_bounded:
        segment.hint_offset, segment.hint_position = segment.end_offset_bound, end
        return Slice(segment, position, end - position)
    start = offsets.position_not_behind(limit)
    if is_bounded:
        start = min(start, offsets.position_before(bound_offset))
    start = max(start, position)
    stop, size_bytes, base_offset, last_offset = walk(read, segment.file.path, start, end, limit, bound_offset)
    if stop == position and min_one_message and size_bytes and last_offset < bound_offset:
        stop = position + size_bytes  # larger than it may be, and the reader would never get past it
        segment.hint_offset, segment.hint_position = last_offset + 1, stop
    elif size_bytes:
        segment.hint_offset, segment.hint_position = base_offset, stop
    return Slice(segment, position, stop - position)


def look_at(found: Slice, read: Read) -> None:
    """Raise `NotCached` for a whole slice of which some byte is not in memory: the first, the last, or one of those
    between that are as far apart as the system reads ahead. A slice that is only partly in memory may pass, by pieces
    smaller than that; to look at every page would cost as much as to copy it all.
    """
    segment, position, size_bytes = found
    try:
        for at in range(position, position + size_bytes, READ_AHEAD_BYTES):
            read(at, 1)
        read(position + size_bytes - 1, 1)
    except NotCached:
        raise NotCached(segment, position, size_bytes) from None


def aborted_in(segments: Segments, found: Slice, offset: int, log_end_offset: int) -> list[AbortedTransaction]:
    """The aborted transactions that a reader of this slice has to know of, as Kafka gathers them.

    The upper bound is the index entry behind the slice, or the next segment: some may be listed that lie behind it.
    """
    segment: Segment | None = found.segment
    upper_bound_offset = found.segment.loaded_indexes()[0].offset_from(found.position + found.size_bytes)
    if upper_bound_offset is None:
        following = segments.higher(found.segment.base_offset)
        upper_bound_offset = log_end_offset if following is None else following.base_offset
    return aborted_between(segments, segment, offset, upper_bound_offset)


def aborted_between(
    segments: Segments, segment: Segment | None, offset: int, upper_bound_offset: int
) -> list[AbortedTransaction]:
    """The aborted transactions that touch a range of offsets, as listed from this segment on."""
    aborted: list[AbortedTransaction] = []
    while segment is not None:
        if segment.has_aborted:
            found, is_complete = segment.loaded_transactions().collect(offset, upper_bound_offset)
            aborted += found
            if is_complete:
                break
        segment = segments.higher(segment.base_offset)
    return aborted


def read_slice(found: Slice, read: Read) -> bytes:
    """The bytes of a slice."""
    data = read(found.position, found.size_bytes)
    if len(data) != found.size_bytes:
        path = found.segment.file.path
        raise CorruptFile(f"{path}: {found.size_bytes} bytes at {found.position} are {len(data)}", path=path)
    return data
