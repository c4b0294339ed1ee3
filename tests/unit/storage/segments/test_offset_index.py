"""The offset index: Kafka's bytes, look-ups, truncation, and what is no index."""

import struct

import pytest

from ottla.errors import CorruptFile
from ottla.storage.segments.offset_index import MAX_RELATIVE_OFFSET, OffsetIndex

PATH = "/data/t-0/00000000000000001000.index"


def index_of(*entries: tuple[int, int]) -> OffsetIndex:
    """An index of base offset 1000 with these entries."""
    index = OffsetIndex(1000)
    for last_offset, position in entries:
        index.append(last_offset, position)
    return index


def test_an_entry_is_eight_bytes() -> None:
    """Kafka's entry is the offset less the base offset, and the position, both int32, big-endian."""
    assert index_of((1009, 0x01020304), (1256, 0x05060708)).encode() == bytes.fromhex(
        "00000009010203040000010005060708"
    )


def test_only_new_entries_are_encoded() -> None:
    """What a file has already is not written again."""
    index = index_of((1009, 100), (1019, 200))
    assert index.encode(1) == struct.pack(">ii", 19, 200)
    assert index.encode(2) == b""


def test_a_look_up_begins_at_or_before_the_offset() -> None:
    """An offset is looked for from the last entry that is not behind it; before the first, from the file's start."""
    index = index_of((1009, 100), (1019, 200))
    found = [index.position_before(offset) for offset in (1000, 1008, 1009, 1018, 1019, 5000)]
    assert found == [0, 0, 100, 100, 200, 200]


def test_positions_are_found_too() -> None:
    """A position lies behind the last entry that starts at it or before, and an upper bound at or behind it."""
    index = index_of((1009, 100), (1019, 200))
    assert [index.position_not_behind(position) for position in (0, 99, 100, 199, 200, 900)] == [
        0,
        0,
        100,
        100,
        200,
        200,
    ]
    assert [index.offset_from(position) for position in (0, 100, 101, 200, 201)] == [1009, 1009, 1019, 1019, None]


def test_truncation_keeps_what_ends_before_the_offset() -> None:
    """An entry stays if its batch ends before the offset, as Kafka's truncateTo does it."""
    for offset, kept in ((1000, 0), (1009, 0), (1010, 1), (1019, 1), (1020, 2)):
        index = index_of((1009, 100), (1019, 200))
        index.truncate_to(offset)
        assert len(index) == kept


def test_a_file_is_read_back() -> None:
    """What was encoded is decoded, an empty file too."""
    index = index_of((1009, 100), (1000 + MAX_RELATIVE_OFFSET, MAX_RELATIVE_OFFSET))
    found = OffsetIndex.decode(1000, index.encode(), PATH)
    assert [found.entry(at) for at in range(len(found))] == [
        (1009, 100),
        (1000 + MAX_RELATIVE_OFFSET, MAX_RELATIVE_OFFSET),
    ]
    assert len(OffsetIndex.decode(1000, b"", PATH)) == 0


@pytest.mark.parametrize(
    "data",
    [
        b"1234567",
        struct.pack(">iiii", 9, 100, 0, 0),
        struct.pack(">iiii", 9, 100, 9, 200),
        struct.pack(">iiii", 9, 100, 10, 100),
        struct.pack(">ii", -1, 100),
        struct.pack(">ii", 1, -100),
    ],
    ids=["cut", "preallocated tail", "offset again", "position again", "negative offset", "negative position"],
)
def test_what_is_no_index_is_told(data: bytes) -> None:
    """Entries that do not grow, or are cut off, are damage that names the file."""
    with pytest.raises(CorruptFile, match=r"1000\.index") as damage:
        OffsetIndex.decode(1000, data, PATH)
    assert damage.value.path == PATH


@pytest.mark.parametrize("entry", [(999, 5), (1000 + MAX_RELATIVE_OFFSET + 1, 5)])
def test_offsets_that_do_not_fit_are_our_fault(entry: tuple[int, int]) -> None:
    """Nobody adds an offset before the base, or farther from it than an int32 says."""
    with pytest.raises(AssertionError):
        index_of(entry)
