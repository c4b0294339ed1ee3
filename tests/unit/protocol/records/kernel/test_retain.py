"""What compaction keeps of a batch."""

from types import ModuleType

import pytest

from ottla.errors import InvalidRecord
from tests.unit.protocol.records.sections import record, section

RECORDS = (
    record(0, 0, b"a", b"1")
    + record(70, 1, b"b", None)
    + record(5, 2, b"c", b"3", ((b"h", b"x"),))
    + record(60, 7, b"a", b"4")
)


def test_the_records_of_the_mask_stay_as_they_are(twin: ModuleType) -> None:
    """Kept records keep their bytes: their offset deltas and timestamps are those they had."""
    kept = twin.retain(RECORDS, 4, bytes((1, 0, 1, 0)), 1000, 1000)
    assert kept == (record(0, 0, b"a", b"1") + record(5, 2, b"c", b"3", ((b"h", b"x"),)), 2, 1005)


def test_any_byte_but_zero_keeps_a_record(twin: ModuleType) -> None:
    """The mask is read as bytes of truth."""
    assert twin.retain(RECORDS, 4, bytearray((0, 255, 0, 2)), 0, 0).record_count == 2


@pytest.mark.parametrize("count", [0, 4])
def test_nothing_kept_is_an_empty_section(twin: ModuleType, count: int) -> None:
    """A batch may lose all of its records; there is no max timestamp then."""
    records = RECORDS if count else b""
    assert twin.retain(records, count, bytes(count), 1000, 1000) == (b"", 0, -1)


@pytest.mark.parametrize("new_base", [1000, 999, 0, 10**13, -(2**62), 2**62])
def test_a_new_base_timestamp_leaves_the_timestamps_alone(twin: ModuleType, new_base: int) -> None:
    """The delete horizon becomes the base timestamp; the deltas are written anew, so that no timestamp changes."""
    kept = twin.retain(RECORDS, 4, b"\x01\x01\x00\x01", 1000, new_base)
    assert kept.max_timestamp == 1070
    columns = twin.index(kept.section, 3, 50, new_base)
    assert list(columns.timestamps) == [1000, 1070, 1060]
    assert list(columns.offsets) == [50, 51, 57]
    assert columns.values() == [b"1", None, b"4"]


def test_the_attributes_byte_is_carried_over(twin: ModuleType) -> None:
    """Kafka does not use a record's attributes; whoever set them finds them again."""
    odd = bytearray(record(0, 0))
    odd[1] = 0x5A
    assert twin.retain(odd, 1, b"\x01", 0, 9999).section[1] == 0x5A


def test_large_sections_are_filtered_like_small_ones(twin: ModuleType) -> None:
    """Nothing changes where the loop releases the GIL."""
    records = section(2_000, value=bytes(90))
    kept = twin.retain(records, 2_000, bytes(at % 2 for at in range(2_000)), 5, -(2**50))
    assert kept.record_count == 1_000
    assert list(twin.index(kept.section, 1_000, 0, -(2**50)).offsets) == list(range(1, 2_000, 2))


def test_a_timestamp_too_far_from_the_new_base_is_refused(twin: ModuleType) -> None:
    """The difference of two timestamps must have 64 bits, and a stranger chose one of them."""
    with pytest.raises(InvalidRecord, match="record 0: its timestamp delta at byte 2 is 4611686018427387904, which"):
        twin.retain(record(0, 0), 1, b"\x01", 2**62, -(2**62) - 1)


@pytest.mark.parametrize("broken", [RECORDS[:-1], RECORDS + b"\x00", b"\x00" * 40])
def test_a_section_that_is_not_well_formed_is_refused(twin: ModuleType, broken: bytes) -> None:
    """Compaction copies nothing that it does not understand, kept or not."""
    with pytest.raises(InvalidRecord):
        twin.retain(broken, 4, bytes(4), 0, 0)


def test_the_mask_has_a_byte_for_each_record(twin: ModuleType) -> None:
    """Another length of the mask is our own fault."""
    with pytest.raises(AssertionError, match=r"^a mask of 3 for 4 records$"):
        twin.retain(RECORDS, 4, bytes(3), 0, 0)
