"""The index of aborted transactions: Kafka's bytes, gathering, truncation, and what is no index."""

import struct

import pytest

from ottla.errors import CorruptFile
from ottla.storage.segments.transaction_index import AbortedTransaction, TransactionIndex

PATH = "/data/t-0/00000000000000000000.txnindex"
FIRST = AbortedTransaction(producer_id=1, first_offset=0, last_offset=10, last_stable_offset=11)
SECOND = AbortedTransaction(producer_id=2, first_offset=5, last_offset=20, last_stable_offset=12)
THIRD = AbortedTransaction(producer_id=1, first_offset=30, last_offset=40, last_stable_offset=41)


def index_of(*entries: AbortedTransaction) -> TransactionIndex:
    """An index with these entries."""
    index = TransactionIndex(0)
    for entry in entries:
        index.append(entry)
    return index


def test_an_entry_is_34_bytes() -> None:
    """Kafka's entry is version 0, producer id, first, last and last stable offset, all big-endian."""
    assert FIRST.encode() == struct.pack(">hqqqq", 0, 1, 0, 10, 11)
    assert len(FIRST.encode()) == 34


@pytest.mark.parametrize(
    ("fetch_offset", "upper_bound_offset", "found", "is_complete"),
    [
        (0, 5, [FIRST], True),
        (0, 6, [FIRST], True),
        (0, 12, [FIRST, SECOND], True),
        (11, 13, [SECOND], True),
        (0, 100, [FIRST, SECOND, THIRD], False),
        (21, 30, [], True),
        (41, 100, [], False),
    ],
)
def test_transactions_that_touch_a_range_are_gathered(
    fetch_offset: int, upper_bound_offset: int, found: list[AbortedTransaction], is_complete: bool
) -> None:
    """A reader gets those that end in or behind its range and begin before its end, up to the first stable one."""
    assert index_of(FIRST, SECOND, THIRD).collect(fetch_offset, upper_bound_offset) == (found, is_complete)


def test_truncation_takes_those_whose_marker_goes() -> None:
    """A transaction whose abort marker is cut is open again, so it is not listed any more."""
    index = index_of(FIRST, SECOND, THIRD)
    index.truncate_to(40)
    assert list(index) == [FIRST, SECOND]
    index.truncate_to(20)
    assert list(index) == [FIRST]


def test_a_file_is_read_back() -> None:
    """What was encoded is decoded, an empty file too."""
    index = index_of(FIRST, SECOND)
    assert list(TransactionIndex.decode(0, index.encode(), PATH)) == [FIRST, SECOND]
    assert len(TransactionIndex.decode(0, b"", PATH)) == 0


@pytest.mark.parametrize(
    "data",
    [FIRST.encode()[:-1], SECOND.encode() + FIRST.encode(), b"\x00\x01" + FIRST.encode()[2:]],
    ids=["cut", "markers fall", "version 1"],
)
def test_what_is_no_index_is_told(data: bytes) -> None:
    """Cut entries, markers out of order and later versions are damage that names the file."""
    with pytest.raises(CorruptFile, match="txnindex"):
        TransactionIndex.decode(0, data, PATH)


def test_a_marker_before_the_segment_is_damage() -> None:
    """A transaction is listed in the segment that holds its marker (Kafka's sanity check)."""
    with pytest.raises(CorruptFile):
        TransactionIndex.decode(11, FIRST.encode(), PATH)
