"""What a log needs to know of its topic's settings, as one frozen value.

A topic's settings are many, and looked up by name (`ottla.config`); a log reads a few of them for every batch. So they
are taken out once, when the topic or the broker's defaults change, and the log gets the new value whole. Broker
synonyms, units and bounds are the business of `ottla.config`: what comes in here is in force and valid.

Always true: durations are in milliseconds, sizes in bytes; `compression_type` is None where batches stay as the
producer compressed them; what says "as the whole" or "for ever" by a negative number has been resolved into the value
that it stands for, or into None. Names are those of the settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ottla.config.config import Config
from ottla.config.describe import topic_config
from ottla.protocol.records.batch import CompressionType, TimestampType

LONG_MAX: Final = (1 << 63) - 1
PRODUCER: Final = "producer"
_CODECS: Final = {
    "uncompressed": CompressionType.NONE,
    "gzip": CompressionType.GZIP,
    "snappy": CompressionType.SNAPPY,
    "lz4": CompressionType.LZ4,
    "zstd": CompressionType.ZSTD,
}
_LEVELS: Final = {  # the codecs that have a level, and the setting that says it
    CompressionType.GZIP: "compression.gzip.level",
    CompressionType.LZ4: "compression.lz4.level",
    CompressionType.ZSTD: "compression.zstd.level",
}
_AS_THE_WHOLE: Final = -2


@dataclass(frozen=True, slots=True)
class LogConfig:
    """The settings in force for one log. The defaults are Kafka's."""

    compact: bool = False  # cleanup.policy has it
    delete: bool = True  # cleanup.policy has it
    compression_type: CompressionType | None = None
    compression_level: int | None = None
    max_message_bytes: int = 1_048_588
    message_timestamp_type: TimestampType = TimestampType.CREATE_TIME
    message_timestamp_before_max_ms: int = LONG_MAX
    message_timestamp_after_max_ms: int = 3_600_000
    segment_bytes: int = 1_073_741_824
    segment_ms: int = 604_800_000
    segment_jitter_ms: int = 0
    segment_index_bytes: int = 10_485_760
    index_interval_bytes: int = 4_096
    preallocate: bool = False
    file_delete_delay_ms: int = 60_000
    flush_messages: int = LONG_MAX
    flush_ms: int = LONG_MAX
    retention_ms: int | None = 604_800_000  # None: for ever
    retention_bytes: int | None = None  # None: as large as it will
    local_retention_ms: int | None = 604_800_000
    local_retention_bytes: int | None = None
    remote_storage_enable: bool = False
    remote_log_copy_disable: bool = False
    delete_retention_ms: int = 86_400_000
    min_compaction_lag_ms: int = 0
    max_compaction_lag_ms: int = LONG_MAX
    min_cleanable_dirty_ratio: float = 0.5

    @classmethod
    def of(cls, config: Config) -> "LogConfig":
        """Those of a topic whose settings are these, the broker's synonyms included (`topic_config`)."""
        policy = config.words("cleanup.policy")
        codec = None if (name := config.text("compression.type")) == PRODUCER else _CODECS[name]
        level = config.integer(_LEVELS[codec]) if codec in _LEVELS else None
        number = config.integer
        retention_ms, retention_bytes = number("retention.ms"), number("retention.bytes")
        segment_bytes = config.optional_integer("internal.segment.bytes")
        return cls(
            compact="compact" in policy,
            delete="delete" in policy,
            compression_type=codec,
            compression_level=level,
            max_message_bytes=number("max.message.bytes"),
            message_timestamp_type=_timestamp_type(config.text("message.timestamp.type")),
            message_timestamp_before_max_ms=number("message.timestamp.before.max.ms"),
            message_timestamp_after_max_ms=number("message.timestamp.after.max.ms"),
            segment_bytes=number("segment.bytes") if segment_bytes is None else segment_bytes,
            segment_ms=number("segment.ms"),
            segment_jitter_ms=number("segment.jitter.ms"),
            segment_index_bytes=number("segment.index.bytes"),
            index_interval_bytes=number("index.interval.bytes"),
            preallocate=config.boolean("preallocate"),
            file_delete_delay_ms=number("file.delete.delay.ms"),
            flush_messages=number("flush.messages"),
            flush_ms=number("flush.ms"),
            retention_ms=_bound(retention_ms),
            retention_bytes=_bound(retention_bytes),
            local_retention_ms=_local(number("local.retention.ms"), retention_ms),
            local_retention_bytes=_local(number("local.retention.bytes"), retention_bytes),
            remote_storage_enable=config.boolean("remote.storage.enable"),
            remote_log_copy_disable=config.boolean("remote.log.copy.disable"),
            delete_retention_ms=number("delete.retention.ms"),
            min_compaction_lag_ms=number("min.compaction.lag.ms"),
            max_compaction_lag_ms=number("max.compaction.lag.ms"),
            min_cleanable_dirty_ratio=config.double("min.cleanable.dirty.ratio"),
        )

    @property
    def max_segment_ms(self) -> int:
        """The age at which a segment is closed: a compacted log has to be done with it within its maximal lag."""
        return min(self.max_compaction_lag_ms, self.segment_ms) if self.compact else self.segment_ms

    @property
    def initial_file_bytes(self) -> int:
        """The size that a new segment's file gets at once."""
        return self.segment_bytes if self.preallocate else 0


def log_config(broker: Config, texts: Mapping[str, str]) -> LogConfig:
    """What is in force for a topic that has these settings of its own, on a broker that has those."""
    return LogConfig.of(topic_config(broker, texts))


def _timestamp_type(name: str) -> TimestampType:
    return TimestampType.LOG_APPEND_TIME if name == "LogAppendTime" else TimestampType.CREATE_TIME


def _bound(value: int) -> int | None:
    """Retention is without bound if it is below zero."""
    return None if value < 0 else value


def _local(value: int, whole: int) -> int | None:
    return _bound(whole if value == _AS_THE_WHOLE else value)
