"""The header of a batch."""

from struct import pack_into

import pytest
from crc32c import crc32c

from ottla.errors import CorruptBatch, InvalidRecord, UnsupportedCodec, UnsupportedMagic
from ottla.protocol.records.batch import (
    HEADER_SIZE,
    CompressionType,
    RecordBatch,
    TimestampType,
    batches,
    produced_batch,
    whole_batches,
)
from ottla.protocol.records.builder import BatchBuilder, BatchFields

FIELDS = BatchFields(
    base_offset=1000,
    partition_leader_epoch=7,
    producer_id=2**40,
    producer_epoch=3,
    base_sequence=2**31 - 2,
    is_transactional=True,
)


def batch_bytes(fields: BatchFields = FIELDS, count: int = 3) -> bytearray:
    """A batch of some records."""
    builder = BatchBuilder(fields)
    for at in range(count):
        builder.append(5000 + at, b"k", b"v%d" % at)
    return builder.build()


def legacy(magic: int) -> bytes:
    """A message of the old formats, as long as the shortest of them: its magic lies where that of a batch does."""
    message = bytearray(12 + (14 if magic == 0 else 22))
    pack_into(">qiIb", message, 0, 0, len(message) - 12, 0, magic)
    return bytes(message)


def test_every_field_of_the_header_is_read() -> None:
    """A batch at any position of a buffer says what was written into it."""
    batch = RecordBatch(memoryview(b"before" + batch_bytes() + b"behind"), 6)
    assert (batch.base_offset, batch.last_offset, batch.next_offset, batch.count) == (1000, 1002, 1003, 3)
    assert (batch.partition_leader_epoch, batch.base_timestamp, batch.max_timestamp) == (7, 5000, 5002)
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (2**40, 3, 2**31 - 2)
    assert batch.has_producer_id
    assert batch.is_transactional
    assert not batch.is_control
    assert batch.delete_horizon_ms is None
    assert batch.compression_type == CompressionType.NONE
    assert batch.timestamp_type == TimestampType.CREATE_TIME
    assert batch.view == batch_bytes()
    assert batch.section == batch_bytes()[HEADER_SIZE:]
    assert repr(batch) == f"RecordBatch(offsets 1000-1002, 3 records, {len(batch_bytes())} B)"
    batch.check()


def test_a_view_copies_nothing() -> None:
    """What is changed in the buffer shows in the views of it."""
    buffer = batch_bytes()
    batch = RecordBatch(memoryview(buffer))
    buffer[-1] ^= 1
    assert batch.section[-1] == buffer[-1]
    with pytest.raises(CorruptBatch):
        batch.check()


def test_sequences_wrap_to_zero() -> None:
    """The sequence after 2^31 - 1 is 0; a batch without a producer has none."""
    assert RecordBatch(memoryview(batch_bytes())).last_sequence == 0
    assert RecordBatch(memoryview(batch_bytes(count=1))).last_sequence == 2**31 - 2
    assert RecordBatch(memoryview(batch_bytes(count=6))).last_sequence == 3
    assert RecordBatch(memoryview(batch_bytes(BatchFields()))).last_sequence == -1


def test_the_attribute_bits() -> None:
    """Codec, timestamp type, transaction, control and delete horizon each have their bit."""
    fields = BatchFields(
        compression_type=CompressionType.ZSTD,
        timestamp_type=TimestampType.LOG_APPEND_TIME,
        is_control=True,
        delete_horizon_ms=1234,
    )
    batch = RecordBatch(memoryview(batch_bytes(fields)))
    assert batch.attributes == 0b110_1100
    assert batch.compression_type == CompressionType.ZSTD
    assert batch.timestamp_type == TimestampType.LOG_APPEND_TIME
    assert batch.is_control
    assert not batch.is_transactional
    assert batch.delete_horizon_ms == batch.base_timestamp == 1234


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_codecs_that_kafka_does_not_know_are_refused(codec: int) -> None:
    """The three free codec numbers are an error of their own."""
    buffer = batch_bytes()
    buffer[22] |= codec
    with pytest.raises(UnsupportedCodec, match=f"there is no compression codec {codec}"):
        _ = RecordBatch(memoryview(buffer)).compression_type


def test_offset_and_epoch_are_stamped_without_a_new_checksum() -> None:
    """They lie outside of what the checksum covers, so that a broker's stamp costs none."""
    buffer = batch_bytes()
    batch = RecordBatch(memoryview(buffer))
    crc = batch.crc
    batch.stamp(2**62, 99)
    again = RecordBatch(memoryview(buffer))
    again.check()
    assert (again.base_offset, again.partition_leader_epoch, again.crc) == (2**62, 99, crc)
    assert (batch.base_offset, batch.partition_leader_epoch) == (2**62, 99)
    assert buffer[12 + 4 :] == batch_bytes()[16:]


def test_timestamps_are_stamped_with_a_new_checksum() -> None:
    """Type and max timestamp lie inside; the other attributes stay as they are."""
    buffer = batch_bytes()
    batch = RecordBatch(memoryview(buffer))
    batch.stamp_timestamp(TimestampType.LOG_APPEND_TIME, 9_999)
    again = RecordBatch(memoryview(buffer))
    again.check()
    assert (again.timestamp_type, again.max_timestamp, again.crc) == (TimestampType.LOG_APPEND_TIME, 9_999, batch.crc)
    assert (batch.attributes, batch.max_timestamp) == (again.attributes, 9_999)
    assert again.is_transactional
    batch.stamp_timestamp(TimestampType.CREATE_TIME, 5_002)
    assert buffer == batch_bytes()


def test_an_unchanged_timestamp_costs_no_checksum() -> None:
    """Where nothing changes nothing is written, not even into a buffer that cannot be written to."""
    RecordBatch(memoryview(bytes(batch_bytes()))).stamp_timestamp(TimestampType.CREATE_TIME, 5_002)


def test_a_stamp_leaves_the_neighbours_alone() -> None:
    """A batch in the middle of a buffer is stamped in its own bytes only."""
    buffer = bytearray(batch_bytes() * 3)
    _, middle, _ = batches(memoryview(buffer))
    middle.stamp(1, 2)
    middle.stamp_timestamp(TimestampType.LOG_APPEND_TIME, 3)
    size = len(batch_bytes())
    assert buffer[:size] == buffer[2 * size :] == batch_bytes()
    for batch in batches(memoryview(buffer)):
        batch.check()


@pytest.mark.parametrize("position", range(21, len(batch_bytes())))
def test_any_bit_behind_the_checksum_counts(position: int) -> None:
    """A byte that changed between the attributes and the end of the batch is found out."""
    buffer = batch_bytes()
    buffer[position] ^= 0x10
    with pytest.raises(CorruptBatch, match="batch at byte 0 with base offset 1000: its checksum is 0x"):
        RecordBatch(memoryview(buffer)).check()


@pytest.mark.parametrize("size", range(len(batch_bytes())))
def test_a_batch_that_is_cut_off_is_refused(size: int) -> None:
    """No prefix of a batch passes for one."""
    with pytest.raises(CorruptBatch, match=r"^batch at byte 0: cut off, "):
        RecordBatch(memoryview(batch_bytes())[:size])


@pytest.mark.parametrize("length", [-(2**31), -1, 0, 48])
def test_a_length_below_the_header_is_refused(length: int) -> None:
    """A batch has at least the bytes of its header."""
    buffer = batch_bytes()
    pack_into(">i", buffer, 8, length)
    with pytest.raises(CorruptBatch, match=f"its size of {length + 12} bytes is less than a header"):
        RecordBatch(memoryview(buffer))
    with pytest.raises(CorruptBatch, match="is less than a header"):
        whole_batches(memoryview(buffer))


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("behind", [0, 100])
def test_the_old_formats_are_recognised_and_refused(magic: int, behind: int) -> None:
    """Message formats 0 and 1 get their own error, which Kafka 4.3 answers with INVALID_RECORD; so do cut off ones."""
    section = memoryview(legacy(magic) + bytes(behind))
    for read in (RecordBatch, produced_batch, whole_batches, lambda rest: list(batches(rest))):
        with pytest.raises(UnsupportedMagic, match=f"message format {magic} is no longer supported") as refused:
            read(section)
        assert refused.value.code == 87
    with pytest.raises(UnsupportedMagic):
        RecordBatch(section[:17])


@pytest.mark.parametrize("magic", [3, 127, 128, 255])
def test_magics_that_are_unknown_are_corrupt(magic: int) -> None:
    """A magic that Kafka never had is no format but a damaged byte."""
    buffer = batch_bytes()
    buffer[16] = magic
    with pytest.raises(CorruptBatch, match=r"magic -?\d+ is unknown"):
        RecordBatch(memoryview(buffer))
    with pytest.raises(CorruptBatch, match=r"magic -?\d+ is unknown"):
        whole_batches(memoryview(buffer))


def test_a_section_is_its_batches() -> None:
    """Batches follow each other without anything between them."""
    section = memoryview(batch_bytes() + batch_bytes(BatchFields(base_offset=2000), 1))
    found = list(batches(section))
    assert [(batch.base_offset, batch.count) for batch in found] == [(1000, 3), (2000, 1)]
    assert [(batch.base_offset, batch.count) for batch in whole_batches(section)[0]] == [(1000, 3), (2000, 1)]
    assert whole_batches(section)[1] == 0
    assert list(batches(memoryview(b""))) == []
    assert whole_batches(memoryview(b"")) == ([], 0)


@pytest.mark.parametrize("rest", [1, 11, 12, 16, 17, 60, 61, 70])
def test_a_cut_off_batch_at_the_end_is_reported_to_readers_and_refused_elsewhere(rest: int) -> None:
    """A fetch ends where its byte limit fell, which is no fault; a log or a produce request has whole batches."""
    section = memoryview(batch_bytes() + batch_bytes()[:rest])
    found, left = whole_batches(section)
    assert (len(found), left) == (1, rest)
    with pytest.raises(CorruptBatch, match="cut off"):
        list(batches(section))


def test_a_produce_request_has_one_batch() -> None:
    """None and two are both an invalid record, and no corrupt one, as in Kafka."""
    assert produced_batch(memoryview(batch_bytes())).count == 3
    with pytest.raises(InvalidRecord, match="must hold a record batch"):
        produced_batch(memoryview(b""))
    with pytest.raises(InvalidRecord, match="bytes follow it"):
        produced_batch(memoryview(batch_bytes() * 2))


def test_the_checksum_is_crc32c_from_the_attributes_on() -> None:
    """Byte 21 to the end, by the Castagnoli polynomial."""
    buffer = batch_bytes()
    assert RecordBatch(memoryview(buffer)).crc == crc32c(bytes(buffer[21:]))
