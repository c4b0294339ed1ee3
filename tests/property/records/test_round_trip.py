"""Records of any shape: built, read, filtered and compacted."""

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.errors import InvalidRecord
from ottla.protocol.records.batch import HEADER_SIZE, CompressionType, RecordBatch
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.columns import Columns, Header
from ottla.protocol.records.kernel import compiled, pure
from ottla.protocol.records.record import Record, records_of, section_of
from tests.unit.protocol.records.sections import record as one_record

TWINS = pytest.mark.parametrize("twin", [compiled, pure], ids=["compiled", "pure"])

Drawn = list[tuple[int, int, bytes | None, bytes | None, tuple[Header, ...]]]

fields = st.none() | st.binary(max_size=200)
timestamps = st.integers(-1, 2**62) | st.sampled_from([-1, 0, 2**62])
headers = st.lists(st.builds(Header, st.text(max_size=20), fields), max_size=4).map(tuple)
gaps = st.integers(0, 5) | st.sampled_from([0, 2**20])
shapes = st.lists(st.tuples(gaps, timestamps, fields, fields, headers), max_size=30)


def records_at(base_offset: int, drawn: Drawn) -> list[Record]:
    """Records whose offsets grow from the base, with gaps."""
    found = []
    offset = base_offset
    for gap, timestamp, key, value, with_headers in drawn:
        offset += gap
        found.append(Record(offset, timestamp, key, value, with_headers))
        offset += 1
    return found


def batch_of(records: list[Record], chosen: BatchFields) -> RecordBatch:
    """A batch of these records."""
    building = BatchBuilder(chosen)
    for record in records:
        building.append(*record[1:], offset=record.offset)
    built = building.build()
    assert building.size_bytes == len(built) or chosen.compression_type
    return RecordBatch(memoryview(built))


@given(shapes, st.integers(0, 2**62), st.sampled_from(CompressionType), st.none() | timestamps)
def test_what_is_built_is_read(
    drawn: Drawn,
    base_offset: int,
    codec: CompressionType,
    delete_horizon_ms: int | None,
) -> None:
    """Every record comes back as it was, from every codec, with gaps, and with a delete horizon."""
    records = records_at(base_offset, drawn)
    batch = batch_of(records, BatchFields(base_offset, compression_type=codec, delete_horizon_ms=delete_horizon_ms))
    batch.check()
    assert list(records_of(batch)) == records
    assert batch.max_timestamp == max((record.timestamp for record in records), default=-1)
    assert batch.last_offset == (records[-1].offset if records else base_offset)


@TWINS
@given(drawn=shapes)
def test_index_and_build_are_inverse(twin: ModuleType, drawn: Drawn) -> None:
    """Columns of a section build that section."""
    batch = batch_of(records_at(7, drawn), BatchFields(7))
    columns = twin.index(batch.section, batch.count, 7, batch.base_timestamp)
    assert twin.build(columns, 7, batch.base_timestamp) == batch.section
    assert batch.size_bytes == HEADER_SIZE + len(batch.section)


@TWINS
@given(drawn=shapes, data=st.data())
def test_what_is_retained_is_what_the_mask_says(
    twin: ModuleType,
    drawn: Drawn,
    data: st.DataObject,
) -> None:
    """Filtering by a mask is choosing from a list, whatever the base timestamp becomes."""
    batch = batch_of(records_at(100, drawn), BatchFields(100))
    mask = data.draw(st.binary(min_size=batch.count, max_size=batch.count).map(lambda m: bytes(b % 2 for b in m)))
    base = data.draw(st.just(batch.base_timestamp) | timestamps)
    kept = twin.retain(batch.section, batch.count, mask, batch.base_timestamp, base)
    expected = [record for record, bit in zip(records_of(batch), mask, strict=True) if bit]
    columns = twin.index(kept.section, kept.record_count, 100, base)
    assert list(columns.offsets) == [record.offset for record in expected]
    assert list(columns.timestamps) == [record.timestamp for record in expected]
    assert columns.keys() == [record.key for record in expected]
    assert columns.values() == [record.value for record in expected]
    assert [columns.headers(at) for at in range(len(columns))] == [record.headers for record in expected]
    assert kept.max_timestamp == max((record.timestamp for record in expected), default=-1)


@TWINS
@given(
    keys=st.lists(st.none() | st.integers(0, 12), max_size=60),
    values=st.lists(st.booleans(), min_size=60, max_size=60),
)
def test_compaction_agrees_with_a_dict(twin: ModuleType, keys: list[int | None], values: list[bool]) -> None:
    """What the offset map and the filter leave over is what a dict of newest records holds, in the log's order."""
    records = [
        Record(at, at, None if key is None else b"%d" % key, b"v%d" % at if values[at] else None)
        for at, key in enumerate(keys)
    ]
    newest = {record.key: record for record in records if record.key is not None}
    middle = len(records) // 2
    halves = [batch_of(half, BatchFields(half[0].offset)) for half in (records[:middle], records[middle:]) if half]
    offsets = twin.OffsetMap(24 * 20)
    left: dict[bool, list[int]] = {True: [], False: []}
    indexed: list[Columns] = [
        twin.index(section_of(batch), batch.count, batch.base_offset, batch.base_timestamp) for batch in halves
    ]
    assert [offsets.put_columns(columns) for columns in indexed] == [len(columns) for columns in indexed]
    for columns, batch in zip(indexed, halves, strict=True):
        for drop in left:
            mask = offsets.mask(columns, drop)
            base = batch.base_timestamp
            kept = twin.retain(section_of(batch), batch.count, mask, base, base)
            left[drop] += twin.index(kept.section, kept.record_count, batch.base_offset, base).offsets
    in_order = sorted(newest.values())
    assert left[False] == [record.offset for record in in_order]
    assert left[True] == [record.offset for record in in_order if record.value is not None]


@given(puts=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 1000)), max_size=200))
def test_the_maps_agree(puts: list[tuple[int, int]]) -> None:
    """A map of 24 bytes a slot and a dict with the same room answer alike, up to the last key that fits."""
    one, other = compiled.OffsetMap(24 * 32), pure.OffsetMap(24 * 32)
    for key, offset in puts:
        assert one.put(b"%d" % key, offset) == other.put(b"%d" % key, offset)
    assert len(one) == len(other)
    assert [one.get(b"%d" % key) for key in range(50)] == [other.get(b"%d" % key) for key in range(50)]


@given(name=st.binary(max_size=12) | st.text(max_size=8).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_text_is_what_pythons_decoder_takes(name: bytes) -> None:
    """The compiled twin's idea of UTF-8 is that of Python's strict decoder."""
    records = one_record(0, 0, None, None, ((name, None),))
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        with pytest.raises(InvalidRecord, match="not UTF-8"):
            compiled.validate(records, 1, 0, header_text=True)
    else:
        compiled.validate(records, 1, 0, header_text=True)
