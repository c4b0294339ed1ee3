"""From sections to columns and back."""

from array import array
from types import ModuleType

import pytest

from ottla.errors import InvalidRecord
from ottla.protocol.records.columns import Columns, Header
from tests.unit.protocol.records.sections import record, section

RECORDS = (
    record(0, 0, b"key", b"value")
    + record(-70, 1, None, None)
    + record(5, 2, b"", b"", ((b"a", b"1"), (b"b", None), (b"", b"")))
    + record(2**40, 200, b"k" * 70, b"v" * 9000, ((b"\xff", b"x"),))
)


def test_every_part_of_every_record_is_found(twin: ModuleType) -> None:
    """Columns give back keys, values, headers, offsets and timestamps; null and empty are two things."""
    columns = twin.index(RECORDS, 4, 1000, 10**12)
    assert len(columns) == 4
    assert list(columns.offsets) == [1000, 1001, 1002, 1200]
    assert list(columns.timestamps) == [10**12, 10**12 - 70, 10**12 + 5, 10**12 + 2**40]
    assert columns.keys() == [b"key", None, b"", b"k" * 70]
    assert columns.values() == [b"value", None, b"", b"v" * 9000]
    assert [columns.key(at) for at in range(4)] == columns.keys()
    assert [columns.value(at) for at in range(4)] == columns.values()
    assert columns.headers(0) == columns.headers(1) == ()
    assert columns.headers(2) == (Header("a", b"1"), Header("b", None), Header("", b""))
    assert columns.headers(3) == (Header("\ufffd", b"x"),)


def test_columns_are_the_standard_librarys_arrays(twin: ModuleType) -> None:
    """Offsets and timestamps are int64 arrays, the others int32; data is the section itself, not a copy."""
    view = memoryview(RECORDS)
    columns = twin.index(view, 4, 0, 0)
    assert columns.data is view
    for name in ("offsets", "timestamps"):
        assert getattr(columns, name).typecode == "q"
    for part in ("key", "value", "header"):
        assert getattr(columns, f"{part}_positions").typecode == getattr(columns, f"{part}_lengths").typecode == "i"


def test_offsets_must_have_64_bits(twin: ModuleType) -> None:
    """An offset delta that overflows from the base offset is refused."""
    assert list(twin.index(record(0, 5), 1, 2**63 - 6, 0).offsets) == [2**63 - 1]
    with pytest.raises(InvalidRecord, match="its offset delta at byte 3 is 5, which overflows from the base"):
        twin.index(record(0, 5), 1, 2**63 - 5, 0)


def test_gaps_between_offsets_are_read(twin: ModuleType) -> None:
    """A compacted batch has gaps between its offsets; to index it is no fault."""
    assert list(twin.index(record(0, 3) + record(0, 9), 2, 10, 0).offsets) == [13, 19]


@pytest.mark.parametrize("cut", range(len(RECORDS) - 1, 0, -97))
def test_a_section_that_is_cut_off_is_refused(twin: ModuleType, cut: int) -> None:
    """No prefix of a section passes for the whole."""
    with pytest.raises(InvalidRecord):
        twin.index(RECORDS[:cut], 4, 0, 0)


@pytest.mark.parametrize("count", [0, 1, 3, 2_000])
def test_what_was_indexed_is_built_again(twin: ModuleType, count: int) -> None:
    """Building a section from its columns gives the same bytes, in small ones and in those that release the GIL."""
    records = section(count, step=-1, value=bytes(90))
    assert twin.build(twin.index(records, count, 77, 10**12), 77, 10**12) == records


def test_headers_nulls_and_gaps_are_built_again(twin: ModuleType) -> None:
    """Headers, nulls and gaps between offsets survive the way through columns."""
    assert twin.build(twin.index(RECORDS, 4, 5, 6), 5, 6) == RECORDS


def test_a_new_base_only_changes_the_deltas(twin: ModuleType) -> None:
    """A section can be built on another base offset and timestamp; its records are the same."""
    built = twin.build(twin.index(RECORDS, 4, 100, 1000), 90, -(2**41))
    again = twin.index(built, 4, 90, -(2**41))
    original = twin.index(RECORDS, 4, 100, 1000)
    assert again.offsets == original.offsets
    assert again.timestamps == original.timestamps
    assert again.values() == original.values()


def columns(**changed: int) -> Columns:
    """One record over some data, with numbers that may not fit."""
    numbers = {"key_positions": 0, "key_lengths": 1, "value_positions": 1, "value_lengths": 1}
    numbers |= {"header_positions": 3, "header_lengths": 0, "header_counts": 0, "offsets": 0, "timestamps": 0}
    numbers |= changed
    wide = ("offsets", "timestamps")
    return Columns(b"abc", **{name: array("q" if name in wide else "i", [n]) for name, n in numbers.items()})


def test_columns_made_by_hand_are_built(twin: ModuleType) -> None:
    """Columns over any data are a section: this is how a producer's batch is made."""
    assert twin.build(columns(), 0, 0) == record(0, 0, b"a", b"b")
    assert twin.build(columns(key_lengths=-1, value_lengths=-1, key_positions=99), 0, 0) == record(0, 0, None, None)


@pytest.mark.parametrize(
    "changed",
    [
        {"key_positions": 3},
        {"key_positions": -1},
        {"key_lengths": 4},
        {"key_lengths": -2},
        {"value_positions": 2, "value_lengths": 2},
        {"value_lengths": 2**31 - 1},
        {"value_positions": 2**31 - 1, "value_lengths": 2**31 - 1},
        {"header_lengths": 1},
        {"header_lengths": -1},
        {"header_positions": -1, "header_lengths": 1},
        {"offsets": -1},
        {"offsets": 2**31},
    ],
)
def test_columns_that_do_not_fit_are_our_own_fault(twin: ModuleType, changed: dict[str, int]) -> None:
    """Columns that point outside of their data, or away from the base, never reach memory."""
    with pytest.raises(AssertionError, match=r"^record 0: its columns do not fit its data, or its batch$"):
        twin.build(columns(**changed), 0, 0)


def test_a_timestamp_too_far_from_the_base_is_our_own_fault(twin: ModuleType) -> None:
    """The difference of two timestamps must have 64 bits."""
    with pytest.raises(AssertionError, match=r"^record 0: its columns do not fit"):
        twin.build(columns(timestamps=2**62), 0, -(2**62) - 1)
