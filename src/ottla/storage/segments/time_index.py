"""The sparse time index of a segment: which timestamps are not found before which offset.

An entry is 12 bytes, `timestamp i64, relative offset i32`: the largest timestamp that the segment had so far, and the
last offset of the batch that brought it, less the base offset. The segment adds one together with each entry of the
offset index if the timestamp has grown since, and one at its end, so that the last entry of a closed segment is its
largest timestamp.

Always true: timestamps grow strictly, offsets grow. All records with a timestamp above an entry's lie behind the batch
of that entry, so a search for a timestamp may begin at the entry below it.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from struct import Struct
from typing import Final, NamedTuple

from ottla.errors import CorruptFile
from ottla.protocol.records.batch import NO_TIMESTAMP
from ottla.protocol.records.kernel import rises
from ottla.storage.segments.offset_index import MAX_RELATIVE_OFFSET

ENTRY: Final = Struct(">qi")
ENTRY_BYTES: Final = ENTRY.size


class TimestampOffset(NamedTuple):
    """A largest timestamp, and the last offset of the batch that has it."""

    timestamp: int
    offset: int


class TimeIndex:
    """The entries of one segment."""

    __slots__ = ("_offsets", "_timestamps", "base_offset")

    def __init__(self, base_offset: int) -> None:
        """Make an empty index."""
        self.base_offset = base_offset
        self._timestamps = array("q")
        self._offsets = array("i")

    def __len__(self) -> int:
        """The number of entries."""
        return len(self._timestamps)

    def entry(self, at: int) -> TimestampOffset:
        """An entry."""
        return TimestampOffset(self._timestamps[at], self.base_offset + self._offsets[at])

    @property
    def last(self) -> TimestampOffset:
        """The last entry; without one, no timestamp at the base offset."""
        return self.entry(-1) if self._timestamps else TimestampOffset(NO_TIMESTAMP, self.base_offset)

    def append(self, timestamp: int, offset: int) -> None:
        """Add the largest timestamp so far, unless it is the last entry's."""
        last = self._timestamps[-1] if self._timestamps else NO_TIMESTAMP
        if timestamp <= last:
            return
        relative = offset - self.base_offset
        assert 0 <= relative <= MAX_RELATIVE_OFFSET, f"offset {offset} in the time index of {self.base_offset}"
        assert not self._offsets or relative >= self._offsets[-1], f"offset {offset} follows {self.last}"
        self._timestamps.append(timestamp)
        self._offsets.append(relative)

    def extend(self, timestamps: "array[int]", relative_offsets: "array[int]") -> None:
        """Add what a walk over many batches collected: growing timestamps, and offsets less the base offset."""
        assert not timestamps or timestamps[0] > self.last.timestamp, f"{timestamps[0]} follows {self.last}"
        self._timestamps.extend(timestamps)
        self._offsets.extend(relative_offsets)

    def before(self, timestamp: int) -> TimestampOffset:
        """The last entry that is not above this timestamp; without one, no timestamp at the base offset."""
        at = bisect_right(self._timestamps, timestamp)
        return self.entry(at - 1) if at else TimestampOffset(NO_TIMESTAMP, self.base_offset)

    def truncate_to(self, offset: int) -> None:
        """Forget the batches that hold this offset or later ones."""
        at = bisect_left(self._offsets, offset - self.base_offset)
        del self._timestamps[at:]
        del self._offsets[at:]

    def encode(self, start: int = 0) -> bytes:
        """The entries from one on, as the file holds them."""
        return b"".join(map(ENTRY.pack, self._timestamps[start:], self._offsets[start:]))

    @classmethod
    def decode(cls, base_offset: int, data: bytes, path: str) -> "TimeIndex":
        """The index that a file holds."""
        if len(data) % ENTRY_BYTES:
            raise CorruptFile(f"{path}: {len(data)} bytes are no multiple of {ENTRY_BYTES}", path=path)
        index = cls(base_offset)
        if data:
            index._timestamps, index._offsets = timestamps, offsets = _columns(data)
            grows = rises(timestamps) and rises(offsets, strictly=False)
            if not grows or timestamps[0] <= NO_TIMESTAMP or offsets[0] < 0:
                raise CorruptFile(f"{path}: its entries do not grow", path=path)
            if not timestamps[0] and not offsets[0]:  # zeros that a torn write left; or the records are of 1970
                raise CorruptFile(f"{path}: it begins with zeros", path=path)
        return index


def _columns(data: bytes) -> "tuple[array[int], array[int]]":
    """Timestamps and relative offsets of entries: by strides, since a full index has 170,000 of them (1 ms; 0.3 s if
    they were unpacked one by one).
    """
    words = array("i", data)
    halves = array("i", bytes(2 * words.itemsize * (len(words) // 3)))
    halves[0::2], halves[1::2] = words[0::3], words[1::3]
    timestamps, offsets = array("q", halves.tobytes()), words[2::3]
    if sys.byteorder == "little":
        timestamps.byteswap()
        offsets.byteswap()
    return timestamps, offsets
