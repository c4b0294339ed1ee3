"""The time index: Kafka's bytes, look-ups, truncation, and what is no index."""

import struct

import pytest

from ottla.errors import CorruptFile
from ottla.storage.segments.time_index import TimeIndex, TimestampOffset

PATH = "/data/t-0/00000000000000001000.timeindex"


def index_of(*entries: tuple[int, int]) -> TimeIndex:
    """An index of base offset 1000 with these entries."""
    index = TimeIndex(1000)
    for timestamp, offset in entries:
        index.append(timestamp, offset)
    return index


def test_an_entry_is_twelve_bytes() -> None:
    """Kafka's entry is an int64 timestamp and the offset less the base offset as int32, big-endian."""
    assert index_of((0x0102030405060708, 1009)).encode() == bytes.fromhex("010203040506070800000009")


def test_only_larger_timestamps_are_added() -> None:
    """A timestamp that is not larger than the last entry's adds none, nor does a segment without timestamps."""
    index = index_of((50, 1009), (50, 1019), (60, 1029), (59, 1039))
    assert [index.entry(at) for at in range(len(index))] == [(50, 1009), (60, 1029)]
    assert len(index_of((-1, 1009))) == 0


def test_the_last_entry_is_the_largest_timestamp() -> None:
    """It is what a closed segment's largest timestamp is read from; without entries there is none."""
    assert index_of((50, 1009), (60, 1029)).last == TimestampOffset(60, 1029)
    assert index_of().last == TimestampOffset(-1, 1000)


def test_a_look_up_gives_the_entry_not_above() -> None:
    """A search for a timestamp begins at the last entry that is not above it."""
    index = index_of((50, 1009), (60, 1029))
    assert [index.before(timestamp).offset for timestamp in (0, 49, 50, 59, 60, 99)] == [
        1000,
        1000,
        1009,
        1009,
        1029,
        1029,
    ]


def test_truncation_keeps_what_ends_before_the_offset() -> None:
    """An entry stays if its offset lies before the one that is cut at."""
    for offset, kept in ((1000, 0), (1009, 0), (1010, 1), (1029, 1), (1030, 2)):
        index = index_of((50, 1009), (60, 1029))
        index.truncate_to(offset)
        assert len(index) == kept


def test_a_file_is_read_back() -> None:
    """What was encoded is decoded, from any entry on, an empty file too."""
    index = index_of((50, 1009), (60, 1009), (2**60, 1029))
    assert TimeIndex.decode(1000, index.encode(), PATH).encode() == index.encode()
    assert index.encode(1) == index.encode()[12:]
    assert len(TimeIndex.decode(1000, b"", PATH)) == 0


@pytest.mark.parametrize(
    "data",
    [
        b"12345678901",
        struct.pack(">qiqi", 50, 9, 0, 0),
        struct.pack(">qiqi", 50, 9, 50, 10),
        struct.pack(">qiqi", 50, 9, 60, 8),
        struct.pack(">qi", -1, 9),
        struct.pack(">qi", 50, -9),
    ],
    ids=["cut", "preallocated tail", "timestamp again", "offset falls", "no timestamp", "negative offset"],
)
def test_what_is_no_index_is_told(data: bytes) -> None:
    """Entries that do not grow, or are cut off, are damage that names the file."""
    with pytest.raises(CorruptFile, match=r"1000\.timeindex"):
        TimeIndex.decode(1000, data, PATH)
