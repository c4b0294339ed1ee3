"""Making batches."""

from mmap import mmap

import pytest

from ottla.errors import BatchTooLarge
from ottla.protocol.records.batch import CompressionType, RecordBatch, TimestampType
from ottla.protocol.records.builder import BatchBuilder, BatchFields, build_batch, encode_headers, seal
from ottla.protocol.records.columns import Header
from ottla.protocol.records.record import columns_of, records_of

EVERYTHING = BatchFields(
    base_offset=5,
    partition_leader_epoch=3,
    timestamp_type=TimestampType.LOG_APPEND_TIME,
    producer_id=9,
    producer_epoch=2,
    base_sequence=70,
    is_transactional=True,
    is_control=True,
    delete_horizon_ms=99,
)


def test_the_header_says_what_the_fields_say() -> None:
    """Every field of a batch is where a reader finds it, and the checksum is right."""
    building = BatchBuilder(EVERYTHING)
    building.append(10, b"k", b"v")
    batch = RecordBatch(memoryview(building.build()))
    batch.check()
    assert BatchFields.of(batch) == EVERYTHING
    assert (batch.count, batch.last_offset_delta, batch.max_timestamp) == (1, 0, 10)


def test_a_plain_batch_has_kafkas_defaults() -> None:
    """Without a producer id, epoch and sequence are -1, and so is the leader epoch until a leader stamps it."""
    building = BatchBuilder()
    building.append(10, None, b"v")
    building.append(7, None, b"v")
    batch = RecordBatch(memoryview(building.build()))
    assert (batch.base_offset, batch.partition_leader_epoch, batch.attributes) == (0, -1, 0)
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (-1, -1, -1)
    assert (batch.base_timestamp, batch.max_timestamp, batch.last_offset_delta, batch.count) == (10, 10, 1, 2)


def test_offsets_follow_each_other_unless_given() -> None:
    """The next offset follows the last one, wherever that was."""
    building = BatchBuilder(BatchFields(base_offset=100))
    for offset in (None, 150, None):
        building.append(0, None, None, offset=offset)
    batch = RecordBatch(memoryview(building.build(last_offset=200)))
    assert [record.offset for record in records_of(batch)] == [100, 150, 151]
    assert batch.last_offset == 200
    assert len(building) == 3


@pytest.mark.parametrize("base", [None, 0, 10**13])
def test_the_size_is_known_to_the_byte(base: int | None) -> None:
    """An uncompressed batch is as long as its builder says, after every record."""
    building = BatchBuilder(BatchFields(base_offset=1, delete_horizon_ms=base))
    assert building.size_bytes == len(building.build()) == 61
    shapes = [
        (0, None, b""),
        (10**12, b"k" * 63, b"v" * 64),
        (-1, b"", b"v" * 8191),
        (63, None, None),
        (-64, b"k", b""),
    ]
    for at in range(300):
        timestamp, key, value = shapes[at % len(shapes)]
        building.append(timestamp, key, value, [("name", None)] * (at % 3), offset=at * at + 1)
        if at < 20 or at % 50 == 0:
            assert building.size_bytes == len(building.build())


def test_headers_are_encoded_as_a_record_holds_them() -> None:
    """A count, then keys and values behind their lengths; -1 is null."""
    assert encode_headers(()) == b"\x00"
    assert encode_headers([Header("é", b"xy"), ("", None)]) == b"\x04\x04\xc3\xa9\x04xy\x00\x01"


@pytest.mark.parametrize("codec", CompressionType)
def test_a_batch_is_built_from_anothers_columns(codec: CompressionType) -> None:
    """Columns of one batch make the next, in any codec: how a broker recompresses, and compaction rewrites."""
    building = BatchBuilder(EVERYTHING)
    building.append(10, b"k", b"v" * 100, [("h", b"x")])
    building.append(12, None, None)
    original = building.build()
    columns = columns_of(RecordBatch(memoryview(original)))
    fields = BatchFields.of(RecordBatch(memoryview(original)))
    columns.timestamps[0] = 10  # LogAppendTime has hidden it
    assert build_batch(columns, fields) == original
    other = RecordBatch(memoryview(build_batch(columns, BatchFields(base_offset=5, compression_type=codec))))
    assert other.compression_type == codec
    assert [record.value for record in records_of(other)] == [b"v" * 100, None]


@pytest.mark.parametrize(("codec", "level"), [(CompressionType.GZIP, 1), (CompressionType.ZSTD, 19)])
def test_the_level_is_the_fields(codec: CompressionType, level: int) -> None:
    """A level other than the default one compresses differently."""
    sizes = []
    for chosen in (None, level):
        building = BatchBuilder(BatchFields(compression_type=codec, compression_level=chosen))
        for at in range(2_000):
            building.append(at, b"%d" % (at * at % 977), b"%d" % (at * at))
        sizes.append(len(building.build()))
    assert sizes[0] != sizes[1]


def test_a_batch_longer_than_the_format_can_say_is_refused() -> None:
    """A batch has at most 2^31 - 1 bytes; a larger one is too large, and not one with a wrong length."""
    untouched = mmap(-1, 2**31 - 61)  # pages that are never looked at take no memory
    with pytest.raises(BatchTooLarge, match="a batch of 2147483648 bytes"):
        seal(memoryview(untouched), BatchFields(), count=1, last_offset_delta=0, base_timestamp=0, max_timestamp=0)
