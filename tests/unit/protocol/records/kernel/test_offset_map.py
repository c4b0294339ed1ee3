"""The newest offset of every key."""

import hashlib
from types import ModuleType

import pytest

from ottla.protocol.records.columns import Columns
from ottla.protocol.records.kernel import compiled
from tests.unit.protocol.records.sections import record


def indexed(twin: ModuleType, *pairs: tuple[bytes | None, bytes | None], base_offset: int = 0) -> Columns:
    """Columns of records with these keys and values."""
    records = b"".join(record(0, at, key, value) for at, (key, value) in enumerate(pairs))
    found = twin.index(records, len(pairs), base_offset, 0)
    assert isinstance(found, Columns)
    return found


def test_the_newest_offset_wins(twin: ModuleType) -> None:
    """A key's larger offset replaces the smaller one, and never the other way round; a key unknown has -1."""
    offsets = twin.OffsetMap(24 * 100)
    assert offsets.get(b"k") == -1
    assert offsets.put(b"k", 5)
    assert offsets.put(b"k", 3)
    assert offsets.get(b"k") == 5
    assert offsets.put(b"k", 9)
    assert offsets.put(b"", 0)
    assert (offsets.get(b"k"), offsets.get(b""), offsets.get(b"other"), len(offsets)) == (9, 0, -1, 2)


def test_it_has_24_bytes_a_slot_and_is_never_fuller_than_nine_tenths(twin: ModuleType) -> None:
    """Size and load are fixed when it is made; a lower load factor counts, a higher one does not."""
    offsets = twin.OffsetMap(24 * 1000 + 23)
    assert (offsets.slots, offsets.capacity) == (1000, 900)
    assert twin.OffsetMap(24 * 1000, 0.5).capacity == 500
    assert twin.OffsetMap(24 * 1000, 1.0).capacity == 900
    assert twin.OffsetMap(48).capacity == 1
    with pytest.raises(AssertionError, match=r"^an offset map of 47 bytes holds nothing$"):
        twin.OffsetMap(47)


def test_a_full_map_takes_known_keys_only(twin: ModuleType) -> None:
    """A new key finds no room, which is an answer and no error; a known one still moves forward."""
    offsets = twin.OffsetMap(24 * 10)
    assert [offsets.put(b"%d" % at, at) for at in range(10)] == [True] * 9 + [False]
    assert offsets.put(b"3", 77)
    assert (offsets.get(b"3"), offsets.get(b"9"), len(offsets)) == (77, -1, 9)


def test_clear_makes_it_empty(twin: ModuleType) -> None:
    """Cleared, a map is as good as new."""
    offsets = twin.OffsetMap(24 * 10)
    for at in range(9):
        offsets.put(b"%d" % at, at)
    offsets.clear()
    assert len(offsets) == 0
    assert offsets.get(b"3") == -1
    assert offsets.put(b"new", 1)


def test_ten_thousand_keys_are_all_found(twin: ModuleType) -> None:
    """Up to the last free slot, every key that was put is found with its own offset, and no other is."""
    offsets = twin.OffsetMap(24 * 11_112)
    for at in range(10_000):
        assert offsets.put(b"key-%d" % at, at)
    assert offsets.capacity == len(offsets) == 10_000
    assert all(offsets.get(b"key-%d" % at) == at for at in range(10_000))
    assert all(offsets.get(b"yek-%d" % at) == -1 for at in range(1_000))


def test_a_batch_is_put_in_one_call(twin: ModuleType) -> None:
    """Records without a key, and those before the start offset, are stepped over."""
    columns = indexed(twin, (b"a", b"1"), (None, b"2"), (b"b", b"3"), (b"a", b"4"), base_offset=10)
    offsets = twin.OffsetMap(2400)
    assert offsets.put_columns(columns, 11) == 4
    assert (offsets.get(b"a"), offsets.get(b"b"), len(offsets)) == (13, 12, 2)
    assert offsets.put_columns(columns) == 4
    assert offsets.get(b"a") == 13


def test_a_batch_says_where_the_map_was_full(twin: ModuleType) -> None:
    """The answer is the number of records worked off, so that the cleaner knows how far its round goes."""
    columns = indexed(twin, (b"a", b""), (b"b", b""), (b"a", b""), (b"c", b""), (b"a", b""))
    offsets = twin.OffsetMap(24 * 3)
    assert offsets.put_columns(columns) == 3
    assert offsets.get(b"a") == 2


def test_the_mask_keeps_the_newest_record_of_each_key(twin: ModuleType) -> None:
    """Older ones go, and so do records without a key; keys of which nothing is known stay."""
    columns = indexed(twin, (b"a", b"1"), (None, b"2"), (b"b", None), (b"a", b"4"), (b"z", b"5"))
    offsets = twin.OffsetMap(2400)
    offsets.put(b"a", 3)
    offsets.put(b"b", 2)
    assert offsets.mask(columns) == bytes((0, 0, 1, 1, 1))
    assert offsets.mask(columns, drop_tombstones=True) == bytes((0, 0, 0, 1, 1))
    offsets.put(b"z", 5)
    assert offsets.mask(columns) == bytes((0, 0, 1, 1, 0))


def test_no_records_are_no_work(twin: ModuleType) -> None:
    """An empty batch changes nothing."""
    offsets = twin.OffsetMap(2400)
    assert offsets.put_columns(Columns.empty()) == 0
    assert offsets.mask(Columns.empty()) == b""


def test_large_batches_are_put_like_small_ones(twin: ModuleType) -> None:
    """Nothing changes where the loop releases the GIL."""
    columns = indexed(twin, *((b"%d" % (at % 700), bytes(90)) for at in range(1_500)))
    offsets = twin.OffsetMap(24 * 1_000)
    assert offsets.put_columns(columns) == 1_500
    assert len(offsets) == 700
    assert sum(offsets.mask(columns)) == 700
    assert offsets.mask(columns) == bytes(800) + b"\x01" * 700


def test_columns_that_do_not_fit_are_our_own_fault(twin: ModuleType) -> None:
    """Columns that point outside of their data never reach memory."""
    columns = indexed(twin, (b"a", b"1"))
    offsets = twin.OffsetMap(2400)
    columns.key_lengths[0] = 1000
    for call in (offsets.put_columns, offsets.mask):
        with pytest.raises(AssertionError, match=r"^record 0: its columns do not fit"):
            call(columns)
    columns.key_lengths[0], columns.offsets[0] = 1, -1
    with pytest.raises(AssertionError, match=r"^record 0: its columns do not fit"):
        offsets.put_columns(columns, -1)
    with pytest.raises(AssertionError, match=r"^offset -1$"):
        offsets.put(b"k", -1)


@pytest.mark.parametrize("size", [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000])
def test_the_compiled_hash_is_md5(size: int) -> None:
    """Around every edge of its blocks, the compiled hash is the standard library's."""
    for filler in (b"\x00", b"\xff", b"a"):
        key = filler * size
        assert compiled.digest(key) == hashlib.md5(key, usedforsecurity=False).digest()
