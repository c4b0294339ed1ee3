"""Records that break a topic's rules, and what the producer is told of them (KIP-467)."""

from dataclasses import replace

import pytest

from ottla.errors import RejectedRecords
from ottla.protocol.records.batch import CompressionType, TimestampType
from ottla.protocol.records.builder import BatchBuilder
from ottla.storage.append.leader import validate_produced
from ottla.storage.append.rejected import RECORD_ERRORS_MAX
from ottla.storage.log_config import LogConfig
from tests.unit.storage.append.batches import NOW_MS, PRODUCER, batch_of

COMPACTED = LogConfig(compact=True)
BOUNDED = LogConfig(message_timestamp_before_max_ms=1_000, message_timestamp_after_max_ms=100)
CODECS = pytest.mark.parametrize("codec", [CompressionType.NONE, CompressionType.SNAPPY])


def rejection(section: bytearray, config: LogConfig) -> RejectedRecords:
    """The error for a batch that has something to reject."""
    with pytest.raises(RejectedRecords) as caught:
        validate_produced(memoryview(section), config, NOW_MS)
    return caught.value


@CODECS
def test_a_missing_key(codec: CompressionType) -> None:
    """On a compacted topic each record without a key is named, and the code is INVALID_RECORD."""
    building = BatchBuilder(replace(PRODUCER, compression_type=codec))
    for key in (b"", None, b"key", None):
        building.append(NOW_MS, key, b"value")
    section = building.build()
    assert validate_produced(memoryview(bytearray(section)), LogConfig(), NOW_MS).batch.count == 4
    error = rejection(section, COMPACTED)
    assert error.code == 87
    assert [index for index, _ in error.record_errors] == [1, 3]
    assert all("key" in reason for _, reason in error.record_errors)
    assert str(error).startswith("record 1 of the batch is rejected")
    assert "1 more" in str(error)


@CODECS
def test_a_timestamp_out_of_bounds(codec: CompressionType) -> None:
    """Timestamps too far in the past or the future are named, bounds included, and the code is INVALID_TIMESTAMP."""
    offsets = (-1_001, -1_000, 0, 100, 101)
    error = rejection(batch_of(*(NOW_MS + offset for offset in offsets), codec=codec), BOUNDED)
    assert error.code == 32
    assert [index for index, _ in error.record_errors] == [0, 4]
    assert error.record_errors[0][1] == (
        f"the timestamp {NOW_MS - 1_001} is not within {NOW_MS - 1_000} to {NOW_MS + 100}"
    )


def test_no_timestamp_is_never_out_of_bounds() -> None:
    """A record without a timestamp (-1) is taken, whatever the bounds are."""
    assert validate_produced(memoryview(batch_of(-1)), BOUNDED, NOW_MS).batch.max_timestamp == -1


def test_the_least_and_the_largest_timestamp() -> None:
    """Bounds that reach behind 64 bits are those of 64 bits."""
    unbounded = LogConfig(message_timestamp_after_max_ms=(1 << 63) - 1)
    for timestamp in (-(1 << 62), (1 << 63) - 1):
        assert validate_produced(memoryview(batch_of(timestamp)), unbounded, NOW_MS).batch.count == 1
    assert rejection(batch_of((1 << 63) - 1), LogConfig()).code == 32


def test_both_reasons() -> None:
    """Where a timestamp is among the reasons the code is INVALID_TIMESTAMP; a record without a key is that first."""
    building = BatchBuilder(PRODUCER)
    building.append(NOW_MS - 2_000, None, b"value")
    building.append(NOW_MS + 2_000, b"key", b"value")
    error = rejection(building.build(), replace(BOUNDED, compact=True))
    assert error.code == 32
    assert ["key" in reason for _, reason in error.record_errors] == [True, False]


def test_a_producer_that_claims_log_append_time() -> None:
    """Where the log's clock stamps the records, a producer must not say that it had: all records are named."""
    fields = replace(PRODUCER, timestamp_type=TimestampType.LOG_APPEND_TIME)
    building = BatchBuilder(fields)
    for key in (b"key", None):
        building.append(NOW_MS, key, b"value")
    config = LogConfig(compact=True, message_timestamp_type=TimestampType.LOG_APPEND_TIME)
    error = rejection(building.build(), config)
    assert error.code == 32
    assert [(index, "key" in reason) for index, reason in error.record_errors] == [(0, False), (1, True)]
    assert rejection(batch_of(NOW_MS, key=None, fields=fields), config).code == 87


def test_not_more_than_a_response_bears() -> None:
    """A batch of very many wrong records has a bounded number of them named."""
    section = batch_of(*[NOW_MS] * (RECORD_ERRORS_MAX + 5), key=None)
    error = rejection(section, COMPACTED)
    assert len(error.record_errors) == RECORD_ERRORS_MAX
    assert f"{RECORD_ERRORS_MAX + 4} more" in str(error)
