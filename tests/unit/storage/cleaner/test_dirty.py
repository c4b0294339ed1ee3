"""The map of the newest offsets, and how far it goes."""

import pytest

from ottla.storage.cleaner.dirty import LEAST_MAP_SLOTS, DirtyKeys
from ottla.storage.cleaner.transactions import CleanedTransactions
from tests.unit.storage.cleaner.logs import BatchList

SLOT = 24


def keys_of(start_offset: int, end_offset: int, limit_bytes: int = 1 << 20) -> DirtyKeys:
    """An empty map."""
    return DirtyKeys(start_offset, end_offset, CleanedTransactions(), limit_bytes=limit_bytes)


def test_memory_is_bounded_twice() -> None:
    """The map is as large as the offsets that there are need, and never larger than allowed."""
    assert keys_of(0, 10).map.slots == LEAST_MAP_SLOTS
    assert 10_000 < keys_of(5, 10_005).map.capacity < 11_000
    assert keys_of(0, 1 << 40).map.slots == (1 << 20) // SLOT


def test_a_full_map() -> None:
    """It is full with the first key that has no room; only batches that are in it whole count as known."""
    log = BatchList()
    log.write(*((b"%d" % key, b"") for key in range(5)))
    log.write(*((b"%d" % key, b"") for key in range(5, 20)))
    keys = keys_of(0, 20, limit_bytes=10 * SLOT)
    keys.add(log.batches[0])
    assert (keys.is_full, keys.latest_offset) == (False, 4)
    keys.add(log.batches[1])
    assert (keys.is_full, keys.latest_offset) == (True, 4)
    assert len(keys.map) == keys.record_count == keys.map.capacity
    with pytest.raises(AssertionError):
        keys.add(log.batches[1])


def test_the_dirty_part_begins_within_a_batch() -> None:
    """Of a batch that lies on both sides only the dirty records are put; one before it changes nothing."""
    log = BatchList()
    log.write((b"a", b""), (b"b", b""))
    log.write((b"c", b""), (b"d", b""))
    keys = keys_of(3, 4)
    keys.add(log.batches[0])
    assert (len(keys.map), keys.latest_offset) == (0, -1)
    keys.add(log.batches[1])
    assert (keys.map.get(b"c"), keys.map.get(b"d"), keys.latest_offset) == (-1, 3, 3)


def test_gaps() -> None:
    """Offsets that nobody has any more, up to the next segment, are known too."""
    keys = keys_of(0, 100)
    keys.segment_ended(50)
    assert keys.latest_offset == 49
    keys.segment_ended(20)
    assert keys.latest_offset == 49
