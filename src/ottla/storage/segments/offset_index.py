"""The sparse offset index of a segment: which batch starts where, about once in 4096 bytes.

An entry is 8 bytes, `relative offset i32, position i32`: the *last* offset of a batch, less the segment's base offset,
and the position in the .log file where that batch starts. Kept in memory as two arrays of native integers, so that a
look-up is one bisection at the speed of C; the file holds the pairs, big-endian.

Always true: offsets and positions grow strictly, and no position is 0: the first batch needs no entry. A look-up of an
offset answers where to begin a scan that finds the batch with that offset, or the next one: never behind it. Whether a
batch gets an entry is for the segment to say. What a file holds is compared with these rules when it is read: Kafka
preallocates index files with zeros and trims them when the segment is closed, so a tail of zeros is a file that was not
closed, and is `CorruptFile` like any other.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from typing import Final

from ottla.errors import CorruptFile
from ottla.protocol.records.kernel import rises

ENTRY_BYTES: Final = 8
MAX_RELATIVE_OFFSET: Final = (1 << 31) - 1  # what an entry can say: a segment spans no more offsets than that


class OffsetIndex:
    """The entries of one segment."""

    __slots__ = ("_offsets", "_positions", "base_offset")

    def __init__(self, base_offset: int) -> None:
        """Make an empty index."""
        self.base_offset = base_offset
        self._offsets = array("i")
        self._positions = array("i")

    def __len__(self) -> int:
        """The number of entries."""
        return len(self._offsets)

    def __repr__(self) -> str:
        """What an assertion needs."""
        last = f", the last for {self.entry(-1)}" if len(self) else ""
        return f"OffsetIndex(of {self.base_offset}, {len(self)} entries{last})"

    def entry(self, at: int) -> tuple[int, int]:
        """The offset and the position of an entry."""
        return self.base_offset + self._offsets[at], self._positions[at]

    def append(self, last_offset: int, position: int) -> None:
        """Add the batch that starts at this position and ends with this offset."""
        offsets, relative = self._offsets, last_offset - self.base_offset
        assert (offsets[-1] if offsets else -1) < relative <= MAX_RELATIVE_OFFSET, f"{last_offset} in {self}"
        offsets.append(relative)
        self._positions.append(position)

    def extend(self, relative_offsets: "array[int]", positions: "array[int]") -> None:
        """Add what a walk over many batches collected: last offsets less the base offset, and positions."""
        last = self._offsets[-1] if self._offsets else -1
        assert not relative_offsets or last < relative_offsets[0], f"{relative_offsets[0]} behind {self}"
        self._offsets.extend(relative_offsets)
        self._positions.extend(positions)

    def position_before(self, offset: int) -> int:
        """Where a scan for this offset begins: the last entry that is not behind it, or the start of the file."""
        at = bisect_right(self._offsets, offset - self.base_offset)
        return self._positions[at - 1] if at else 0

    def position_not_behind(self, position: int) -> int:
        """The last known start of a batch that is not behind a position, or the start of the file."""
        at = bisect_right(self._positions, position)
        return self._positions[at - 1] if at else 0

    def offset_from(self, position: int) -> int | None:
        """The last offset of the first known batch that starts at this position or later."""
        at = bisect_left(self._positions, position)
        return self.base_offset + self._offsets[at] if at < len(self._positions) else None

    def truncate_to(self, offset: int) -> None:
        """Forget the batches that hold this offset or later ones."""
        at = bisect_left(self._offsets, offset - self.base_offset)
        del self._offsets[at:]
        del self._positions[at:]

    def encode(self, start: int = 0) -> bytes:
        """The entries from one on, as the file holds them."""
        pairs = array("i", bytes(ENTRY_BYTES * (len(self._offsets) - start)))
        pairs[0::2] = self._offsets[start:]
        pairs[1::2] = self._positions[start:]
        if sys.byteorder == "little":
            pairs.byteswap()
        return pairs.tobytes()

    @classmethod
    def decode(cls, base_offset: int, data: bytes, path: str) -> "OffsetIndex":
        """The index that a file holds."""
        if len(data) % ENTRY_BYTES:
            raise CorruptFile(f"{path}: {len(data)} bytes are no multiple of {ENTRY_BYTES}", path=path)
        pairs = array("i", data)
        if sys.byteorder == "little":
            pairs.byteswap()
        index = cls(base_offset)
        index._offsets, index._positions = pairs[0::2], pairs[1::2]
        for numbers in (index._offsets, index._positions):
            if numbers and (numbers[0] < 0 or not rises(numbers)):
                raise CorruptFile(f"{path}: its entries do not grow", path=path)
        if index._positions and not index._positions[0]:
            raise CorruptFile(f"{path}: its first entry points at the start of the segment", path=path)
        return index
