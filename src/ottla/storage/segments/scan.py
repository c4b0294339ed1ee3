"""Walking from batch to batch through a segment's file, by the heads of their headers and nothing else.

A look-up in the sparse index ends near a batch, and the rest of the way is walked: 43 bytes of a header say how far the
batch goes, which offsets it has, and its largest timestamp. Bytes are read in windows, since small batches stand close
together.

Always true: checksums are not looked at here, since what is walked over was checked when it was appended or recovered;
a length that leads out of the file or backwards is a `CorruptFile` all the same, never an endless walk.
"""

from collections.abc import Callable, Iterator
from struct import Struct
from typing import Final, NamedTuple

from ottla.errors import CorruptFile
from ottla.protocol.records.batch import HEADER_SIZE, LENGTH_END

Read = Callable[[int, int], bytes]  # of a file: position and size

WINDOW_BYTES: Final = 4096
# Base offset, length; leader epoch, magic, crc, attributes; last offset delta; base timestamp; max timestamp.
_HEAD: Final = Struct(">qi11xi8xq")
_HEAD_BYTES: Final = _HEAD.size
_LENGTH_LEAST: Final = HEADER_SIZE - LENGTH_END


class Place(NamedTuple):
    """Where a batch is, and which offsets it has."""

    position: int
    size_bytes: int
    base_offset: int
    last_offset: int
    max_timestamp: int


def places(read: Read, path: str, position: int, end: int) -> Iterator[Place]:
    """The batches from the one that starts at a position on, up to where the segment ends."""
    window, start = b"", position
    while position < end:
        at = position - start
        if at + _HEAD_BYTES > len(window):
            window, start, at = read(position, min(WINDOW_BYTES, end - position)), position, 0
            if len(window) < _HEAD_BYTES:
                raise _cut_off(path, position)
        base_offset, length, last_offset_delta, max_timestamp = _HEAD.unpack_from(window, at)
        size_bytes = length + LENGTH_END
        if length < _LENGTH_LEAST or position + size_bytes > end:
            raise _impossible(path, position, end, size_bytes)
        yield Place(position, size_bytes, base_offset, base_offset + last_offset_delta, max_timestamp)
        position += size_bytes


def find(read: Read, path: str, position: int, end: int, offset: int) -> Place | None:
    """The first batch from a position on that has this offset or later ones."""
    for place in places(read, path, position, end):
        if place.last_offset >= offset:
            return place
    return None


def walk(  # noqa: PLR0917  # keywords would cost a tenth of it
    read: Read, path: str, position: int, end: int, limit: int, bound_offset: int
) -> tuple[int, int, int, int]:
    """Over the batches that end at or before a position, the limit, and have no offset as large as the bound.

    Answers where they end, and of the batch that follows its size and its first and last offset; a size of 0 if there
    is none. The same as a loop over `places`, at half the price: each fetch does it once.
    """
    window, start = b"", position
    while position < end:
        at = position - start
        if at + _HEAD_BYTES > len(window):
            window, start, at = read(position, min(WINDOW_BYTES, end - position)), position, 0
            if len(window) < _HEAD_BYTES:
                raise _cut_off(path, position)
        base_offset, length, last_offset_delta, _ = _HEAD.unpack_from(window, at)
        size_bytes = length + LENGTH_END
        if length < _LENGTH_LEAST or position + size_bytes > end:
            raise _impossible(path, position, end, size_bytes)
        last_offset = base_offset + last_offset_delta
        if position + size_bytes > limit or last_offset >= bound_offset:
            return position, size_bytes, base_offset, last_offset
        position += size_bytes
    return position, 0, -1, -1


def _cut_off(path: str, position: int) -> CorruptFile:
    return CorruptFile(f"{path}: the batch at byte {position} is cut off", path=path)


def _impossible(path: str, position: int, end: int, size_bytes: int) -> CorruptFile:
    return CorruptFile(f"{path}: the batch at byte {position} of {end} says {size_bytes} bytes", path=path)
