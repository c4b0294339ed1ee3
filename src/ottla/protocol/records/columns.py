"""Where the keys, values and headers of a batch's records lie: columns over bytes that are not copied.

The kernel fills one `Columns` for a whole batch in one call; a consumer then slices what it needs, when it needs it,
and compaction and the builder hand the same columns back to the kernel. The arrays are the standard library's.

Always true: all arrays have one entry a record; positions and lengths lie inside `data`; a length of -1 is null and its
position is where the bytes would be. Headers are kept as the encoded block of their record, with their count, so that
records without headers (nearly all) cost nothing; a block length of 0 also says that there are none. Header keys are
decoded as Java does it, with replacement characters where they are not UTF-8.
"""

from array import array
from dataclasses import dataclass
from typing import NamedTuple

Bytes = bytes | bytearray | memoryview


class Header(NamedTuple):
    """One header of a record: Kafka lets the value, not the key, be null."""

    key: str
    value: bytes | None


@dataclass(slots=True, eq=False)
class Columns:
    """The records of a batch, column by column. `array('q')` is int64, `array('i')` is int32."""

    data: Bytes
    offsets: "array[int]"
    timestamps: "array[int]"
    key_positions: "array[int]"
    key_lengths: "array[int]"
    value_positions: "array[int]"
    value_lengths: "array[int]"
    header_positions: "array[int]"
    header_lengths: "array[int]"
    header_counts: "array[int]"

    @classmethod
    def empty(cls, data: Bytes = b"") -> "Columns":
        """No records, over data that may grow while they are added."""
        int64s, int32s = [array("q") for _ in range(2)], [array("i") for _ in range(7)]
        return cls(data, *int64s, *int32s)

    def __len__(self) -> int:
        """The number of records."""
        return len(self.offsets)

    def key(self, index: int) -> bytes | None:
        """The key of one record."""
        length = self.key_lengths[index]
        if length < 0:
            return None
        start = self.key_positions[index]
        return bytes(self.data[start : start + length])

    def value(self, index: int) -> bytes | None:
        """The value of one record."""
        length = self.value_lengths[index]
        if length < 0:
            return None
        start = self.value_positions[index]
        return bytes(self.data[start : start + length])

    def headers(self, index: int) -> tuple[Header, ...]:
        """The headers of one record, in their order; a key may occur more than once."""
        count = self.header_counts[index]
        if count == 0 or self.header_lengths[index] == 0:
            return ()
        data = self.data
        _, position = _zigzag(data, self.header_positions[index])
        found: list[Header] = []
        for _ in range(count):
            length, position = _zigzag(data, position)
            key = str(data[position : position + length], "utf-8", "replace")
            position += length
            length, position = _zigzag(data, position)
            value = None
            if length >= 0:
                value = bytes(data[position : position + length])
                position += length
            found.append(Header(key, value))
        return tuple(found)

    def keys(self) -> list[bytes | None]:
        """All keys."""
        return _cut(self.data, self.key_positions, self.key_lengths)

    def values(self) -> list[bytes | None]:
        """All values."""
        return _cut(self.data, self.value_positions, self.value_lengths)


def _cut(data: Bytes, positions: "array[int]", lengths: "array[int]") -> list[bytes | None]:
    whole = bytes(data)
    return [
        whole[start : start + length] if length >= 0 else None for start, length in zip(positions, lengths, strict=True)
    ]


def _zigzag(data: Bytes, position: int) -> tuple[int, int]:
    """A signed varint that the kernel has found well-formed, and the position behind it."""
    byte = data[position]
    position += 1
    if byte < 0x80:
        return byte >> 1 ^ -(byte & 1), position
    value, shift = byte & 0x7F, 7
    while byte >= 0x80:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
    return value >> 1 ^ -(value & 1), position
