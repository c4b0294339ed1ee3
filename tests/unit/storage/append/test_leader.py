"""What a leader accepts from a producer, refuses, sets, and compresses anew."""

from dataclasses import replace

import pytest

from ottla.errors import (
    BatchTooLarge,
    CorruptBatch,
    InvalidRecord,
    PeerError,
    RecordListTooLarge,
    UnsupportedCodec,
    UnsupportedMagic,
)
from ottla.protocol.records.batch import NO_TIMESTAMP, CompressionType, RecordBatch, TimestampType
from ottla.protocol.records.builder import BatchFields
from ottla.protocol.records.control import ControlRecordType, control_key, end_transaction_value
from ottla.protocol.records.record import records_of
from ottla.storage.append.info import AppendOrigin, LogAppendInfo
from ottla.storage.append.leader import (
    LOOP_DECOMPRESSED_MAX_BYTES,
    QUICK_THREAD_LEAST_BYTES,
    THREAD_LEAST_BYTES,
    place,
    validate_at_once,
    validate_produced,
)
from ottla.storage.log_config import LogConfig
from tests.unit.storage.append.batches import NOW_MS, PRODUCER, batch_of, patched

CONFIG = LogConfig()
LOG_APPEND_TIME = LogConfig(message_timestamp_type=TimestampType.LOG_APPEND_TIME)


def appended(
    section: bytearray | memoryview,
    config: LogConfig = CONFIG,
    *,
    origin: AppendOrigin = AppendOrigin.CLIENT,
    base_offset: int = 100,
) -> LogAppendInfo:
    """Both halves of an append, which are the same at once and in a thread."""
    again = bytearray(section)
    produced = validate_produced(memoryview(section), config, NOW_MS, origin)
    at_once = validate_at_once(memoryview(again), config, NOW_MS, origin)
    assert at_once is not None
    assert at_once.batch.view == produced.batch.view
    return place(produced, config, base_offset, leader_epoch=4)


def refused(section: bytearray | memoryview, config: LogConfig = CONFIG) -> PeerError:
    """The error for what must not be appended, which is the same at once and in a thread."""
    with pytest.raises(PeerError) as at_once:
        validate_at_once(memoryview(bytearray(section)), config, NOW_MS)
    with pytest.raises(PeerError) as caught:
        validate_produced(memoryview(section), config, NOW_MS)
    assert str(at_once.value) == str(caught.value)
    return caught.value


def test_a_batch_gets_its_place() -> None:
    """The base offset and the leader epoch are stamped into the producer's bytes, and nothing else is changed."""
    section = batch_of(NOW_MS, NOW_MS + 5, NOW_MS + 1)
    before = bytes(section)
    info = appended(section)
    batch = info.batches[0]
    assert (info.first_offset, info.last_offset, info.record_count) == (100, 102, 3)
    assert (info.max_timestamp, info.offset_of_max_timestamp) == (NOW_MS + 5, 102)
    assert (info.last_leader_epoch, info.log_append_time_ms, info.is_rewritten) == (4, NO_TIMESTAMP, False)
    assert info.data.obj is section
    assert (batch.position, batch.size_bytes) == (0, len(section)) == (0, len(info.data))
    assert bytes(section[16:]) == before[16:]
    assert [record.offset for record in records_of(RecordBatch(info.data))] == [100, 101, 102]
    RecordBatch(info.data).check()


def test_larger_than_max_message_bytes() -> None:
    """A batch above max.message.bytes is MESSAGE_TOO_LARGE, whatever else is wrong with it; one that fits is taken."""
    section = batch_of()
    assert appended(bytearray(section), replace(CONFIG, max_message_bytes=len(section))).record_count == 1
    section[-1] ^= 1
    error = refused(section, replace(CONFIG, max_message_bytes=len(section) - 1))
    assert isinstance(error, BatchTooLarge)
    assert error.code == 10
    assert "max.message.bytes" in str(error)


def test_larger_than_a_segment() -> None:
    """A batch above segment.bytes is RECORD_LIST_TOO_LARGE."""
    config = replace(CONFIG, segment_bytes=70)
    produced = validate_produced(memoryview(batch_of()), config, NOW_MS)
    with pytest.raises(RecordListTooLarge, match=r"segment\.bytes") as caught:
        place(produced, config, 0, 0)
    assert caught.value.code == 18


def test_a_wrong_checksum() -> None:
    """A batch whose checksum is wrong is CORRUPT_MESSAGE."""
    section = batch_of()
    section[-3] ^= 1
    error = refused(section)
    assert isinstance(error, CorruptBatch)
    assert error.code == 2


@pytest.mark.parametrize("magic", [0, 1])
def test_an_old_format(magic: int) -> None:
    """Message formats 0 and 1 are INVALID_RECORD."""
    section = batch_of()
    section[16] = magic
    error = refused(section)
    assert isinstance(error, UnsupportedMagic)
    assert error.code == 87


@pytest.mark.parametrize("section", [b"", bytes(batch_of()) * 2, bytes(batch_of()) + b"\x00" * 5])
def test_other_than_one_batch(section: bytes) -> None:
    """A Produce request holds exactly one batch for a partition: none, two, or something behind it are refused."""
    assert refused(bytearray(section)).code == 87


@pytest.mark.parametrize(
    ("form", "position", "value", "word"),
    [
        (">q", 0, 5, "base offset"),
        (">i", 57, 0, "0 records"),
        (">i", 57, 2, "2 records"),
        (">i", 23, -1, "no range"),
        (">i", 23, 3, "offsets 0 to 3"),
        (">h", 21, 0x20, "control"),
        (">q", 43, -2, "producer id -2"),
        (">i", 53, -1, "sequence -1"),
        (">h", 51, -1, "producer epoch -1"),
    ],
)
def test_a_wrong_header(form: str, position: int, value: int, word: str) -> None:
    """A header that does not fit its records, or says what a client must not say, is INVALID_RECORD."""
    error = refused(patched(batch_of(), form, position, value))
    assert isinstance(error, InvalidRecord)
    assert error.code == 87
    assert word in str(error)


def test_a_transaction_without_a_producer_id() -> None:
    """Only a producer with an id has transactions."""
    error = refused(batch_of(fields=BatchFields(is_transactional=True)))
    assert error.code == 87
    assert "transactional" in str(error)


def test_records_that_do_not_count_up() -> None:
    """Offset deltas are 0 to n - 1, in uncompressed batches and in compressed ones."""
    for codec in (CompressionType.NONE, CompressionType.LZ4):
        section = batch_of(NOW_MS, NOW_MS, NOW_MS, codec=codec)
        assert refused(patched(section, ">q", 57, (2 << 32) + 1)).code == 87


def test_a_coordinator_writes_control_records() -> None:
    """Transaction markers are a coordinator's to write; they stay as they are where the topic compresses."""
    fields = BatchFields(producer_id=7, producer_epoch=1, is_transactional=True, is_control=True)
    key, value = control_key(ControlRecordType.COMMIT), end_transaction_value(3)
    section = batch_of(NOW_MS, key=key, value=value, fields=fields)
    config = replace(CONFIG, compression_type=CompressionType.ZSTD, compact=True)
    info = appended(section, config, origin=AppendOrigin.COORDINATOR)
    assert (info.is_rewritten, info.batches[0].is_control) == (False, True)
    assert info.data.obj is section


def test_zstd_needs_version_7() -> None:
    """A Produce request before version 7 must not hold zstd (KIP-110): UNSUPPORTED_COMPRESSION_TYPE."""
    section = batch_of(codec=CompressionType.ZSTD)
    for validate in (validate_produced, validate_at_once):
        with pytest.raises(UnsupportedCodec) as caught:
            validate(memoryview(bytearray(section)), CONFIG, NOW_MS, zstd_allowed=False)
        assert caught.value.code == 76
    assert appended(section).record_count == 1
    assert validate_produced(memoryview(batch_of()), CONFIG, NOW_MS, zstd_allowed=False).batch.count == 1


def test_an_unknown_codec() -> None:
    """A codec that Kafka does not know is UNSUPPORTED_COMPRESSION_TYPE."""
    assert refused(patched(batch_of(), ">h", 21, 5)).code == 76


def test_records_that_do_not_decompress() -> None:
    """A right checksum over bytes that are no gzip is CORRUPT_MESSAGE."""
    assert refused(patched(batch_of(), ">h", 21, int(CompressionType.GZIP))).code == 2


@pytest.mark.parametrize("codec", CompressionType)
def test_the_max_timestamp_is_the_records(codec: CompressionType) -> None:
    """A header that lies about the max timestamp is corrected, and the checksum with it."""
    section = patched(batch_of(NOW_MS - 9, NOW_MS, NOW_MS - 3, codec=codec), ">q", 35, NOW_MS + 10**9)
    info = appended(section)
    batch = RecordBatch(info.data)
    batch.check()
    assert batch.max_timestamp == info.max_timestamp == NOW_MS
    assert info.is_rewritten is False


def test_timestamps_below_none() -> None:
    """A batch whose records all lie before 1970 has no max timestamp, as in Kafka."""
    info = appended(batch_of(-5, -7))
    assert (info.max_timestamp, info.offset_of_max_timestamp) == (NO_TIMESTAMP, -1)
    assert RecordBatch(info.data).max_timestamp == NO_TIMESTAMP


@pytest.mark.parametrize("codec", CompressionType)
def test_log_append_time(codec: CompressionType) -> None:
    """With LogAppendTime the log's clock stamps the batch; what the records say of time is not looked at."""
    section = batch_of(NOW_MS + 10**12, 5, codec=codec)
    info = appended(section, replace(LOG_APPEND_TIME, message_timestamp_before_max_ms=0))
    batch = RecordBatch(info.data)
    batch.check()
    assert batch.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert batch.max_timestamp == info.max_timestamp == info.log_append_time_ms == NOW_MS
    assert [record.timestamp for record in records_of(batch)] == [NOW_MS, NOW_MS]


def test_log_append_time_on_a_topic_without() -> None:
    """A producer's claim of LogAppendTime is taken back where the topic has CreateTime, as by Kafka."""
    fields = replace(PRODUCER, timestamp_type=TimestampType.LOG_APPEND_TIME)
    batch = RecordBatch(appended(batch_of(NOW_MS - 7, fields=fields)).data)
    batch.check()
    assert (batch.timestamp_type, batch.max_timestamp) == (TimestampType.CREATE_TIME, NOW_MS - 7)


@pytest.mark.parametrize("target", CompressionType)
@pytest.mark.parametrize("source", CompressionType)
def test_the_topics_codec(source: CompressionType, target: CompressionType) -> None:
    """A topic with a compression.type stores batches in it, with the same records; the same codec is left alone."""
    section = batch_of(NOW_MS, NOW_MS + 1, fields=replace(PRODUCER, is_transactional=True), codec=source)
    expected = [record[1:] for record in records_of(RecordBatch(memoryview(section)))]
    info = appended(section, replace(CONFIG, compression_type=target))
    batch = RecordBatch(info.data)
    batch.check()
    assert info.is_rewritten is (source != target)
    assert batch.compression_type is target
    assert [record[1:] for record in records_of(batch)] == expected
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (7, 1, 10)
    assert (batch.is_transactional, batch.base_offset, batch.last_offset) == (True, 100, 101)


def test_the_topics_level() -> None:
    """The level is the topic's: zstd at 19 is smaller than at -20."""
    value = b"".join(b"%d," % (number * number) for number in range(2_000))
    sizes = [
        len(
            appended(
                batch_of(value=value),
                replace(CONFIG, compression_type=CompressionType.ZSTD, compression_level=level),
            ).data
        )
        for level in (19, -20)
    ]
    assert sizes[0] < sizes[1]


def test_too_large_when_compressed_anew() -> None:
    """A batch that is above max.message.bytes in the topic's codec only is MESSAGE_TOO_LARGE too."""
    section = batch_of(value=bytes(10_000), codec=CompressionType.GZIP)
    config = replace(CONFIG, compression_type=CompressionType.NONE, max_message_bytes=5_000)
    error = refused(section, config)
    assert error.code == 10
    assert "none" in str(error)


def test_compressing_anew_leaves_out_a_delete_horizon() -> None:
    """When a tombstone goes is not a producer's to say."""
    section = batch_of(fields=replace(PRODUCER, delete_horizon_ms=NOW_MS))
    info = appended(section, replace(CONFIG, compression_type=CompressionType.LZ4))
    assert RecordBatch(info.data).delete_horizon_ms is None


def test_what_belongs_in_a_thread() -> None:
    """Large batches that are or get compressed are not looked at on the loop, nor are small ones that are bombs."""
    large = bytes(range(256)) * (THREAD_LEAST_BYTES // 256)
    compresses = replace(CONFIG, compression_type=CompressionType.LZ4)
    assert validate_at_once(memoryview(batch_of(value=large)), CONFIG, NOW_MS) is not None
    assert validate_at_once(memoryview(batch_of(value=large)), compresses, NOW_MS) is None
    noise = b"".join(hash((at, "noise")).to_bytes(8, "big", signed=True) for at in range(THREAD_LEAST_BYTES // 8))
    slow = memoryview(batch_of(value=noise, codec=CompressionType.GZIP))
    assert validate_at_once(slow, CONFIG, NOW_MS) is None
    quick = batch_of(value=noise, codec=CompressionType.SNAPPY)
    assert validate_at_once(memoryview(bytearray(quick)), compresses, NOW_MS) is None
    assert validate_at_once(memoryview(quick), CONFIG, NOW_MS) is not None
    large_quick = batch_of(value=noise * (QUICK_THREAD_LEAST_BYTES // THREAD_LEAST_BYTES), codec=CompressionType.SNAPPY)
    assert validate_at_once(memoryview(large_quick), CONFIG, NOW_MS) is None
    bomb = batch_of(value=bytes(LOOP_DECOMPRESSED_MAX_BYTES), codec=CompressionType.ZSTD)
    assert len(bomb) < 1_000
    assert validate_at_once(memoryview(bytearray(bomb)), CONFIG, NOW_MS) is None
    assert validate_produced(memoryview(bomb), CONFIG, NOW_MS).batch.count == 1


def test_a_bomb_is_bounded() -> None:
    """A batch that decompresses to more than the limit is refused, and costs no more memory than that."""
    bomb = batch_of(value=bytes(1_000_000), codec=CompressionType.ZSTD)
    with pytest.raises(BatchTooLarge):
        validate_produced(memoryview(bomb), CONFIG, NOW_MS, limit_bytes=500_000)
