"""A log's settings, as the topic and the broker have them."""

import pytest

from ottla.config.config import Config
from ottla.config.layers import read_node
from ottla.config.tables.topic import TOPIC
from ottla.protocol.records.batch import CompressionType, TimestampType
from ottla.storage.log_config import LogConfig, log_config

NODE = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.quorum.bootstrap.servers": "localhost:9093",
    "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093",
    "controller.listener.names": "CONTROLLER",
}


def of_topic(**texts: str) -> LogConfig:
    """Settings of a topic on a broker that sets nothing; dots are written as underscores."""
    return LogConfig.of(Config(TOPIC, {name.replace("_", "."): text for name, text in texts.items()}))


def test_defaults() -> None:
    """A log without settings of its own has Kafka's defaults: those of the class are those of the table."""
    assert of_topic() == LogConfig()
    assert log_config(read_node(NODE), {}) == LogConfig()


def test_the_topic_wins_over_the_broker() -> None:
    """A topic's own value comes first, then the broker's in its own unit, then the default."""
    broker = read_node(
        {
            **NODE,
            "log.roll.hours": "2",
            "log.retention.minutes": "3",
            "log.cleanup.policy": "compact",
            "message.max.bytes": "77",
            "log.index.interval.bytes": "99",
        }
    )
    config = log_config(broker, {"max.message.bytes": "55", "cleanup.policy": "compact,delete"})
    assert config.segment_ms == 2 * 3_600_000
    assert config.retention_ms == 3 * 60_000
    assert config.index_interval_bytes == 99
    assert config.max_message_bytes == 55
    assert (config.compact, config.delete) == (True, True)


@pytest.mark.parametrize(
    ("policy", "compact", "delete"),
    [("delete", False, True), ("compact", True, False), ("delete,compact", True, True), ("", False, False)],
)
def test_cleanup_policy(policy: str, compact: bool, delete: bool) -> None:
    """`cleanup.policy` may be delete, compact, both or, since 4.0, neither."""
    config = of_topic(cleanup_policy=policy)
    assert (config.compact, config.delete) == (compact, delete)


@pytest.mark.parametrize(
    ("name", "codec", "level"),
    [
        ("producer", None, None),
        ("uncompressed", CompressionType.NONE, None),
        ("gzip", CompressionType.GZIP, 1),
        ("snappy", CompressionType.SNAPPY, None),
        ("lz4", CompressionType.LZ4, 2),
        ("zstd", CompressionType.ZSTD, -3),
    ],
)
def test_compression(name: str, codec: CompressionType | None, level: int | None) -> None:
    """`compression.type` names the codec, and the level is the one of that codec (KIP-390)."""
    config = of_topic(
        compression_type=name, compression_gzip_level="1", compression_lz4_level="2", compression_zstd_level="-3"
    )
    assert (config.compression_type, config.compression_level) == (codec, level)


def test_retention_without_bound() -> None:
    """A retention below zero keeps everything, and a local one of -2 is as long as the whole."""
    config = of_topic(retention_ms="-1", retention_bytes="-1")
    assert (config.retention_ms, config.local_retention_ms) == (None, None)
    assert (config.retention_bytes, config.local_retention_bytes) == (None, None)
    config = of_topic(retention_ms="100", retention_bytes="200")
    assert (config.local_retention_ms, config.local_retention_bytes) == (100, 200)
    config = of_topic(local_retention_ms="10", local_retention_bytes="20")
    assert (config.local_retention_ms, config.local_retention_bytes) == (10, 20)
    assert of_topic(local_retention_ms="-1").local_retention_ms is None


def test_segments() -> None:
    """A compacted log closes its segments within its maximal lag, and a pre-allocated one has its size at once."""
    lag = {"max_compaction_lag_ms": "500", "segment_ms": "1000"}
    assert of_topic(**lag).max_segment_ms == 1000
    assert of_topic(cleanup_policy="compact", **lag).max_segment_ms == 500
    assert of_topic(cleanup_policy="compact", segment_ms="1000").max_segment_ms == 1000
    assert of_topic(preallocate="true", segment_bytes="2097152").initial_file_bytes == 2_097_152
    assert of_topic().initial_file_bytes == 0
    assert of_topic(internal_segment_bytes="100").segment_bytes == 100


def test_timestamps() -> None:
    """The timestamp settings are taken over."""
    config = of_topic(
        message_timestamp_type="LogAppendTime",
        message_timestamp_before_max_ms="5",
        message_timestamp_after_max_ms="6",
    )
    assert config.message_timestamp_type is TimestampType.LOG_APPEND_TIME
    assert (config.message_timestamp_before_max_ms, config.message_timestamp_after_max_ms) == (5, 6)
