"""Records out of batches."""

from array import array

import pytest

from ottla.errors import BatchTooLarge, CorruptBatch, InvalidRecord
from ottla.protocol.records.batch import HEADER_SIZE, CompressionType, RecordBatch, TimestampType
from ottla.protocol.records.builder import BatchBuilder, BatchFields, seal
from ottla.protocol.records.columns import Header
from ottla.protocol.records.record import Record, columns_of, records_of, section_of


def batch_of(fields: BatchFields) -> RecordBatch:
    """A batch with one record of every shape."""
    builder = BatchBuilder(fields)
    builder.append(5000, b"key", b"value" * 20)
    builder.append(4000, None, None, [("h", b"1"), ("h", None)])
    builder.append(6000, b"", b"", offset=fields.base_offset + 9)
    return RecordBatch(memoryview(builder.build()))


@pytest.mark.parametrize("codec", CompressionType)
def test_records_are_read_from_any_codec(codec: CompressionType) -> None:
    """Offsets and timestamps are absolute; null and empty, repeated and null headers are what they were."""
    batch = batch_of(BatchFields(base_offset=100, compression_type=codec))
    assert list(records_of(batch)) == [
        Record(100, 5000, b"key", b"value" * 20),
        Record(101, 4000, None, None, (Header("h", b"1"), Header("h", None))),
        Record(109, 6000, b"", b""),
    ]


def test_the_logs_timestamp_is_every_records() -> None:
    """With LogAppendTime the batch's max timestamp is the timestamp of all of its records."""
    batch = batch_of(BatchFields(timestamp_type=TimestampType.LOG_APPEND_TIME))
    assert columns_of(batch).timestamps == array("q", [6000] * 3)
    assert {record.timestamp for record in records_of(batch)} == {6000}


def test_a_delete_horizon_changes_no_timestamp() -> None:
    """The base timestamp holds the horizon then, and the deltas make up for it."""
    batch = batch_of(BatchFields(delete_horizon_ms=10**13))
    assert batch.base_timestamp == 10**13
    assert [record.timestamp for record in records_of(batch)] == [5000, 4000, 6000]


@pytest.mark.parametrize("codec", CompressionType)
def test_a_batch_without_records_has_none(codec: CompressionType) -> None:
    """Compaction keeps such a batch for its producer's sake; it is never compressed and never decompressed."""
    fields = BatchFields(base_offset=7, compression_type=codec)
    empty = seal(b"", fields, count=0, last_offset_delta=9, base_timestamp=-1, max_timestamp=-1)
    batch = RecordBatch(memoryview(empty))
    assert (batch.size_bytes, batch.last_offset, batch.compression_type) == (HEADER_SIZE, 16, CompressionType.NONE)
    assert list(records_of(batch)) == []
    assert len(columns_of(batch)) == 0


def test_an_uncompressed_section_is_not_copied() -> None:
    """Columns point into the buffer that the batch was received in."""
    batch = batch_of(BatchFields())
    data = section_of(batch)
    assert isinstance(data, memoryview)
    assert data.obj is batch.buffer.obj
    assert columns_of(batch).data == batch.section


@pytest.mark.parametrize("codec", CompressionType)
def test_the_bound_holds_for_records_too(codec: CompressionType) -> None:
    """Whoever reads records says how many bytes they may become."""
    batch = batch_of(BatchFields(compression_type=codec))
    assert len(section_of(batch, 200)) <= 200
    for read in (section_of, columns_of, lambda batch, limit: list(records_of(batch, limit))):
        with pytest.raises(BatchTooLarge):
            read(batch, 50)


def test_what_is_wrong_in_a_batch_is_a_record_error() -> None:
    """A count that does not fit is an invalid record; bytes that no codec made are a corrupt batch."""
    batch = batch_of(BatchFields())
    batch.count = 4
    with pytest.raises(InvalidRecord, match=r"^record 3: |^the batch says"):
        list(records_of(batch))
    batch.attributes = CompressionType.GZIP
    with pytest.raises(CorruptBatch):
        columns_of(batch)
