"""What a leader does with a batch before it is written: look at every record, and give the batch its place.

Two halves, since the first may take milliseconds and needs no place, and the second takes none and has to come in the
order of the log:

    validate_at_once(...)  -> Produced, or None if the batch belongs in a thread
    validate_produced(...) -> Produced: size, checksum, header, records; compressed as the topic wants it
    place(produced, ...)   -> LogAppendInfo: base offset and leader epoch are in the bytes

The rules are those of Kafka's LogValidator: one batch; at most `max.message.bytes`, after compressing anew too; records
at offsets 0 to n - 1; keys where the topic is compacted; timestamps within the topic's bounds unless the log sets them;
control batches and odd producer fields only from those who may. Stricter than Kafka: offset deltas are compared for
uncompressed batches too, and producer fields have to fit each other.

Always true: what comes out has a right checksum, its max timestamp is that of its records or the time of the append,
and it is in the sender's buffer unless it was compressed anew. A level is no reason to compress anew (KIP-390).
Everything that can be wrong with the bytes is a `PeerError`. Beside the checksum and the kernel's walk the common path
(not compressed, CreateTime) costs about 3 µs a batch: see bench/storage.py.
"""

from typing import Final, NamedTuple

from ottla.errors import BatchTooLarge, DecompressedTooLarge, InvalidRecord, RecordListTooLarge, UnsupportedCodec
from ottla.protocol.records.batch import (
    CODEC_MASK,
    CONTROL_BIT,
    LOG_APPEND_TIME_BIT,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    TRANSACTIONAL_BIT,
    CompressionType,
    RecordBatch,
    TimestampType,
    produced_batch,
)
from ottla.protocol.records.builder import BatchFields, seal
from ottla.protocol.records.compression import DECOMPRESSED_MAX_BYTES, Bytes, decompress
from ottla.protocol.records.kernel import validate
from ottla.protocol.records.kernel.faults import INT64_MAX, INT64_MIN
from ottla.storage.append.info import UNKNOWN_OFFSET, AppendOrigin, LogAppendInfo
from ottla.storage.append.rejected import claimed_log_append_time, rejected_records
from ottla.storage.log_config import LogConfig

# From here on a batch that is, or will be, compressed is worth the way to a thread and back (about 0.1 ms). 64 KiB of
# lz4, snappy or zstd are decompressed in 5 to 40 us, of gzip in up to 300; what compresses anew takes longer still.
THREAD_LEAST_BYTES: Final = 32 * 1024
QUICK_THREAD_LEAST_BYTES: Final = 160 * 1024
QUICK: Final = (CompressionType.SNAPPY, CompressionType.LZ4, CompressionType.ZSTD)
# What a smaller one may become on the loop: about 0.3 ms of decompressing. A bomb stops there and goes to a thread.
LOOP_DECOMPRESSED_MAX_BYTES: Final = 512 * 1024
# What may be decompressed in several threads at once. Larger ones go one by one, so that bombs cost no more than that.
THREAD_DECOMPRESSED_MAX_BYTES: Final = 16 * 1024 * 1024

_ATTRIBUTES_POSITION: Final = 22  # the low byte of them
_CREATE_TIME: Final = TimestampType.CREATE_TIME
_LOG_APPEND_TIME: Final = TimestampType.LOG_APPEND_TIME


class Produced(NamedTuple):
    """A batch that may be appended; only its place in the log is missing."""

    batch: RecordBatch
    log_append_time_ms: int
    is_rewritten: bool


def validate_at_once(
    section: memoryview,
    config: LogConfig,
    now_ms: int,
    origin: AppendOrigin = AppendOrigin.CLIENT,
    *,
    zstd_allowed: bool = True,
) -> Produced | None:
    """The same as `validate_produced`, or None if that could take long: then it is to be called in a thread.

    The thread gets a copy (`memoryview(bytearray(section))`), since a receive buffer does not last so long.
    """
    target = config.compression_type
    compressed = len(section) > _ATTRIBUTES_POSITION and section[_ATTRIBUTES_POSITION] & CODEC_MASK
    if not compressed and not target:
        return validate_produced(section, config, now_ms, origin)
    is_quick = compressed in QUICK and (target is None or target == compressed)
    if len(section) >= (QUICK_THREAD_LEAST_BYTES if is_quick else THREAD_LEAST_BYTES):
        return None
    batch = _checked_header(section, config, origin, zstd_allowed=zstd_allowed)
    try:
        records = decompress(batch.compression_type, batch.section, LOOP_DECOMPRESSED_MAX_BYTES)
    except DecompressedTooLarge:
        return None
    return _with_records(batch, records, config, now_ms)


def validate_produced(
    section: memoryview,
    config: LogConfig,
    now_ms: int,
    origin: AppendOrigin = AppendOrigin.CLIENT,
    *,
    zstd_allowed: bool = True,
    limit_bytes: int = DECOMPRESSED_MAX_BYTES,
) -> Produced:
    """Look at one partition's records in a Produce request, or from a coordinator. A plain function of bytes.

    `zstd_allowed` is false for Produce requests before version 7 (KIP-110). The section's buffer is written to.
    """
    batch = _checked_header(section, config, origin, zstd_allowed=zstd_allowed)
    if batch.attributes & CODEC_MASK:
        records = decompress(batch.compression_type, batch.section, limit_bytes)
    else:
        records = batch.section
    return _with_records(batch, records, config, now_ms)


def place(produced: Produced, config: LogConfig, base_offset: int, leader_epoch: int) -> LogAppendInfo:
    """Write a batch's place in the log into it."""
    batch = produced.batch
    if batch.size_bytes > config.segment_bytes:
        raise RecordListTooLarge(f"{batch} is larger than segment.bytes, which is {config.segment_bytes}")
    batch.stamp(base_offset, leader_epoch)
    last_offset = base_offset + batch.last_offset_delta
    return LogAppendInfo(
        batch.buffer,
        (batch,),
        base_offset,
        last_offset,
        batch.max_timestamp,
        UNKNOWN_OFFSET if batch.max_timestamp == NO_TIMESTAMP else last_offset,
        leader_epoch,
        batch.count,
        produced.log_append_time_ms,
        produced.is_rewritten,
    )


def _checked_header(section: memoryview, config: LogConfig, origin: AppendOrigin, *, zstd_allowed: bool) -> RecordBatch:
    """The one batch of a section, with everything looked at that is in its header; then the checksum."""
    batch = produced_batch(section)
    if batch.size_bytes > config.max_message_bytes:
        raise BatchTooLarge(
            f"the batch has {batch.size_bytes} bytes, and max.message.bytes is {config.max_message_bytes}"
        )
    if origin == AppendOrigin.CLIENT and (
        batch.base_offset
        or batch.count <= 0
        or batch.last_offset_delta != batch.count - 1
        or batch.attributes & CONTROL_BIT
        or (batch.producer_id < 0 and (batch.producer_id != NO_PRODUCER_ID or batch.attributes & TRANSACTIONAL_BIT))
        or (batch.producer_id >= 0 and (batch.base_sequence < 0 or batch.producer_epoch < 0))
    ):
        raise InvalidRecord(_wrong_header(batch))
    assert batch.last_offset_delta == batch.count - 1, "a coordinator's batch has a record at each of its offsets"
    if not zstd_allowed and batch.attributes & CODEC_MASK == CompressionType.ZSTD:
        raise UnsupportedCodec("zstd needs a Produce request of version 7 or later")
    batch.check()
    return batch


def _wrong_header(batch: RecordBatch) -> str:
    """Which of a client's header fields is wrong. The order is Kafka's."""
    if batch.base_offset:
        return f"the base offset of a produced batch is 0, this one's is {batch.base_offset}"
    if batch.last_offset_delta < 0:
        return f"the batch's offsets 0 to {batch.last_offset_delta} are no range"
    if batch.count <= 0:
        return f"the batch says that it has {batch.count} records"
    if batch.last_offset_delta != batch.count - 1:
        return f"the batch says that it has {batch.count} records, at offsets 0 to {batch.last_offset_delta}"
    if batch.attributes & CONTROL_BIT:
        return "clients must not write control records"
    if batch.producer_id < NO_PRODUCER_ID:
        return f"there is no producer id {batch.producer_id}"
    if batch.producer_id == NO_PRODUCER_ID:
        return "the batch is transactional, and says no producer id"
    if batch.base_sequence < 0:
        return f"the batch of producer id {batch.producer_id} has the sequence {batch.base_sequence}"
    return f"the batch of producer id {batch.producer_id} has the producer epoch {batch.producer_epoch}"


def _with_records(batch: RecordBatch, records: Bytes, config: LogConfig, now_ms: int) -> Produced:
    """Look at the records, set what the log sets, and compress them as the topic wants it."""
    is_create_time = config.message_timestamp_type == _CREATE_TIME
    if is_create_time:
        earliest = max(now_ms - config.message_timestamp_before_max_ms, INT64_MIN)
        latest = min(now_ms + config.message_timestamp_after_max_ms, INT64_MAX)
    else:
        earliest, latest = INT64_MIN, INT64_MAX
    validated = validate(
        records, batch.count, batch.base_timestamp, earliest=earliest, latest=latest, keys_required=config.compact
    )
    if not is_create_time and batch.attributes & LOG_APPEND_TIME_BIT:
        raise claimed_log_append_time(batch, validated.rejected)
    if validated.rejected:
        raise rejected_records(validated.rejected, earliest, latest)
    if is_create_time:
        timestamp_type, log_append_time_ms = _CREATE_TIME, NO_TIMESTAMP
        max_timestamp = max(validated.max_timestamp, NO_TIMESTAMP)
    else:
        timestamp_type, max_timestamp, log_append_time_ms = _LOG_APPEND_TIME, now_ms, now_ms
    target, source = config.compression_type, batch.attributes & CODEC_MASK
    if target is not None and target != source and (source or not batch.attributes & CONTROL_BIT):
        batch = _recompressed(batch, records, config, timestamp_type, max_timestamp)
        return Produced(batch, log_append_time_ms, is_rewritten=True)
    batch.stamp_timestamp(timestamp_type, max_timestamp)
    return Produced(batch, log_append_time_ms, is_rewritten=False)


def _recompressed(
    batch: RecordBatch, records: Bytes, config: LogConfig, timestamp_type: TimestampType, max_timestamp: int
) -> RecordBatch:
    """The same records in the topic's codec. A delete horizon is not a producer's to say, and is left out."""
    assert config.compression_type is not None
    fields = BatchFields(
        compression_type=config.compression_type,
        compression_level=config.compression_level,
        timestamp_type=timestamp_type,
        producer_id=batch.producer_id,
        producer_epoch=batch.producer_epoch,
        base_sequence=batch.base_sequence,
        is_transactional=batch.is_transactional,
        is_control=batch.is_control,
    )
    sealed = seal(
        records,
        fields,
        count=batch.count,
        last_offset_delta=batch.last_offset_delta,
        base_timestamp=batch.base_timestamp,
        max_timestamp=max_timestamp,
    )
    if len(sealed) > config.max_message_bytes:
        raise BatchTooLarge(
            f"the batch has {len(sealed)} bytes as {config.compression_type.name.lower()}, "
            f"and max.message.bytes is {config.max_message_bytes}"
        )
    return RecordBatch(memoryview(sealed))
