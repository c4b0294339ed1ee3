"""What generated readers and writers call: varints, bounds, the branches that are rarely taken.

Named caps bound what one message may cost whoever reads it, beyond the rule that every length is checked against the
bytes that remain before anything is allocated or looped over.
"""

from collections.abc import Sequence
from typing import Any, Final, NewType

Uuid = NewType("Uuid", bytes)
ZERO_UUID: Final = Uuid(bytes(16))

UnknownTags = Sequence[tuple[int, bytes]]
Records = (
    Any  # bytes or a memoryview; on write also another sized thing that the network can send, such as a file range
)

MAX_ELEMENTS: Final = 1_000_000  # array elements that one message may decode to
# One request holds the loop while it is decoded and served: a few us an element. Kafka's clusters have as many
# partitions as this at most.
MAX_REQUEST_ELEMENTS: Final = 200_000
MAX_UNKNOWN_TAGS: Final = 128  # unknown tagged fields that are kept for one struct
MAX_STRING_BYTES: Final = 32_767  # a Kafka string's length is an int16, in the compact form too
MAX_LENGTH: Final = (1 << 31) - 1  # of bytes and arrays: an int32

_VARINT_BYTES: Final = 5


class Fault(Exception):  # noqa: N818 - not an error that anyone sees: `reader` and `writer` turn it into one
    """What is wrong with a field; the reader or writer adds which field, and where."""


def encode_uvarint(value: int) -> bytes:
    """An unsigned varint: seven bits a byte, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class _Lengths(dict[int, bytes]):
    """Compact lengths as the wire has them, one more than they are: the short ones at hand, the others made anew."""

    def __init__(self, most: int) -> None:
        super().__init__((length, encode_uvarint(length + 1)) for length in range(300))
        self._most = most

    def __missing__(self, length: int) -> bytes:
        if length > self._most:
            raise Fault(f"a length of {length}, where {self._most} is the most")
        return encode_uvarint(length + 1)


LENGTHS: Final = _Lengths(MAX_LENGTH)
STRING_LENGTHS: Final = _Lengths(MAX_STRING_BYTES)


def read_uvarint(buffer: bytes | memoryview, position: int) -> tuple[int, int]:
    """An unsigned varint of at most 32 bits, and the position behind it."""
    value = shift = 0
    for at in range(position, position + _VARINT_BYTES):
        byte = buffer[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value > 0xFFFF_FFFF:
                break
            return value, at + 1
        shift += 7
    raise Fault("a varint of more than 32 bits")


def string_fault(length: int, remaining: int) -> Fault:
    """Why a string of this length cannot be read."""
    if length < 0:
        return Fault("null, where null is not allowed")
    if length > MAX_STRING_BYTES:
        return Fault(f"a string of {length} bytes, where {MAX_STRING_BYTES} are the most")
    return Fault(f"{length} bytes announced, {remaining} remain")


def bytes_fault(length: int, remaining: int) -> Fault:
    """Why bytes of this length cannot be read."""
    if length < 0:
        return Fault("null, where null is not allowed")
    return Fault(f"{length} bytes announced, {remaining} remain")


def array_fault(length: int, remaining: int) -> Fault:
    """Why an array of this length cannot be read."""
    if length < 0:
        return Fault("null, where null is not allowed")
    return Fault(f"{length} elements announced, {remaining} bytes remain")


def elements_fault(most: int) -> Fault:
    """Why a message has been given up."""
    return Fault(f"more than {most} elements in one message")


def read_unknown_tags(buffer: bytes | memoryview, position: int, count: int) -> tuple[UnknownTags, int]:
    """The tagged fields of a struct that knows none (in this version)."""
    tags: list[tuple[int, bytes]] = []
    for _ in range(count):
        tag, position = read_uvarint(buffer, position)
        position = read_unknown_tag(buffer, position, tag, tags)
    return tuple(tags), position


def read_unknown_tag(buffer: bytes | memoryview, position: int, tag: int, tags: list[tuple[int, bytes]]) -> int:
    """One tagged field that this version does not know: kept, to be written back."""
    if len(tags) == MAX_UNKNOWN_TAGS:
        raise Fault(f"more than {MAX_UNKNOWN_TAGS} unknown tagged fields")
    size, position = read_uvarint(buffer, position)
    end = position + size
    if end > len(buffer):
        raise Fault(f"tag {tag} announces {size} bytes, {len(buffer) - position} remain")
    tags.append((tag, bytes(buffer[position:end])))
    return end


def write_tags(known: list[tuple[int, bytes]], unknown: UnknownTags) -> bytes:
    """A tag section: known and unknown fields together, in the order of their tags."""
    numbers = {tag for tag, _ in known}
    for tag, _ in unknown:
        if tag in numbers:
            raise Fault(f"tag {tag} twice")
        numbers.add(tag)
    out = [encode_uvarint(len(numbers))]
    for tag, value in sorted([*known, *unknown], key=lambda field: field[0]):
        out += (encode_uvarint(tag), encode_uvarint(len(value)), value)
    return b"".join(out)
