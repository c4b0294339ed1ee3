"""Any batch on any topic: what a leader makes of it, compared with the rules as a user would say them."""

import random
from collections.abc import Callable

from crc32c import crc32c
from hypothesis import given
from hypothesis import strategies as st

from ottla.errors import PeerError, RejectedRecords
from ottla.protocol.records.batch import HEADER_SIZE, CompressionType, RecordBatch, TimestampType
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.record import Record, records_of
from ottla.storage.append.leader import Produced, place, validate_at_once, validate_produced
from ottla.storage.append.replica import analyze_replicated
from ottla.storage.log_config import LONG_MAX, LogConfig
from tests.property.records.mutations import damaged

NOW_MS = 1_700_000_000_000

keys = st.none() | st.binary(max_size=8)
timestamps = st.sampled_from([-1, 0, NOW_MS]) | st.integers(NOW_MS - 100, NOW_MS + 100)
records = st.lists(st.tuples(timestamps, keys, keys), min_size=1, max_size=8)
spans = st.sampled_from([0, 50, LONG_MAX])
configs = st.builds(
    LogConfig,
    compact=st.booleans(),
    compression_type=st.none() | st.sampled_from(CompressionType),
    max_message_bytes=st.sampled_from([100, 150, 1_000_000]),
    message_timestamp_type=st.sampled_from(TimestampType),
    message_timestamp_before_max_ms=spans,
    message_timestamp_after_max_ms=spans,
)
Drawn = list[tuple[int, bytes | None, bytes | None]]


def batch_of(drawn: Drawn, fields: BatchFields) -> bytearray:
    """A batch of these records."""
    building = BatchBuilder(fields)
    for timestamp, key, value in drawn:
        building.append(timestamp, key, value)
    return building.build()


def outcome(call: Callable[..., object], *arguments: object, **named: object) -> object:
    """What a call answers: a value, or the error that its peer is answered with."""
    try:
        return call(*arguments, **named)
    except PeerError as error:
        return error


def wrong_records(drawn: Drawn, config: LogConfig) -> list[tuple[int, int]]:
    """The records that the topic's rules forbid, each with its error code."""
    wrong = []
    for index, (timestamp, key, _) in enumerate(drawn):
        age_ms = NOW_MS - timestamp
        if config.compact and key is None:
            wrong.append((index, 87))
        elif config.message_timestamp_type == TimestampType.LOG_APPEND_TIME or timestamp == -1:
            continue
        elif age_ms > config.message_timestamp_before_max_ms or -age_ms > config.message_timestamp_after_max_ms:
            wrong.append((index, 32))
    return wrong


@given(records, st.sampled_from(CompressionType), configs, st.booleans())
def test_the_rules(drawn: Drawn, codec: CompressionType, config: LogConfig, is_transactional: bool) -> None:
    """A batch is appended with all of its records, as the topic wants them, or refused for a rule that it breaks."""
    section = batch_of(drawn, BatchFields(0, -1, codec, None, TimestampType.CREATE_TIME, 3, 0, 5, is_transactional))
    size_bytes = len(section)
    wrong = wrong_records(drawn, config)
    produced = outcome(validate_at_once, memoryview(section), config, NOW_MS)
    if isinstance(produced, RejectedRecords):
        assert [index for index, _ in produced.record_errors] == [index for index, _ in wrong]
        assert produced.code == (32 if (32 in dict(wrong).values()) else 87)
        return
    if isinstance(produced, PeerError):
        assert produced.code == 10
        assert size_bytes > config.max_message_bytes or config.compression_type not in (None, codec)
        return
    assert isinstance(produced, Produced)
    assert not wrong
    info = place(produced, config, 1_000, 6)
    batch = RecordBatch(info.data)
    batch.check()
    assert batch.size_bytes == len(info.data) <= config.max_message_bytes
    assert batch.compression_type == (codec if config.compression_type is None else config.compression_type)
    set_by_log = config.message_timestamp_type == TimestampType.LOG_APPEND_TIME
    expected = [
        Record(1_000 + index, NOW_MS if set_by_log else timestamp, key, value)
        for index, (timestamp, key, value) in enumerate(drawn)
    ]
    assert list(records_of(batch)) == expected
    assert info.max_timestamp == batch.max_timestamp == max(record.timestamp for record in expected)
    assert (info.first_offset, info.last_offset) == (batch.base_offset, batch.last_offset) == (1_000, 999 + len(drawn))
    assert (batch.is_transactional, batch.base_sequence, batch.partition_leader_epoch) == (is_transactional, 5, 6)


@given(records, st.sampled_from(CompressionType), configs, st.randoms(use_true_random=False), st.booleans())
def test_damage(drawn: Drawn, codec: CompressionType, config: LogConfig, dice: random.Random, resealed: bool) -> None:
    """Whatever is wrong with a batch, its sender is told so, or what is appended is a sound batch."""
    whole = batch_of(drawn, BatchFields(compression_type=codec, producer_id=2, producer_epoch=0, base_sequence=0))
    data = bytearray(damaged(dice, bytes(whole)))
    if resealed and len(data) >= HEADER_SIZE:
        data[8:12] = (len(data) - 12).to_bytes(4, "big")
        data[17:21] = crc32c(bytes(data[21:])).to_bytes(4, "big")
    produced = outcome(validate_produced, memoryview(data), config, NOW_MS, limit_bytes=1_000_000)
    if isinstance(produced, PeerError):
        assert produced.code > 0
        return
    assert isinstance(produced, Produced)
    info = place(produced, config, 50, 1)
    again = analyze_replicated(memoryview(bytearray(info.data)), config, 50, 1)
    assert again[2:8] == info[2:8]
    assert len(list(records_of(RecordBatch(info.data)))) == info.record_count


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), max_size=6), st.randoms(use_true_random=False))
def test_a_follower_and_damage(shape: list[tuple[int, int]], dice: random.Random) -> None:
    """What a follower takes of a damaged fetch is a run of sound batches from its log's end on, or nothing."""
    section, offset = b"", 10
    for count, gap in shape:
        section += batch_of([(NOW_MS, b"k", b"v")] * count, BatchFields(offset, 1))
        offset += count + gap
    data = damaged(dice, section)
    try:
        info = analyze_replicated(memoryview(bytearray(data)), LogConfig(), 10, 1)
    except PeerError:
        return
    assert data.startswith(bytes(info.data))
    end = 10
    for batch in info.batches:
        assert batch.base_offset >= end
        end = batch.next_offset
