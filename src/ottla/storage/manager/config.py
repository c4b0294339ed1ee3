"""The settings of the log manager: how much is loaded at once, and how often which upkeep is due.

They are a value of their own so that tests and other programs can have logs without a whole broker's settings; a node
makes it from those (`of`).
"""

from dataclasses import dataclass
from posixpath import normpath
from typing import Final

from ottla.config.config import Config

LEAST_OPEN_FILES: Final = 64
MOST_OPEN_FILES: Final = 100_000


@dataclass(frozen=True, slots=True)
class LogManagerConfig:
    """The settings of all logs of a node together; the defaults are Kafka's, but for the files that are kept open."""

    recovery_threads_per_directory: int = 2
    retention_check_interval_ms: int = 300_000
    flush_check_interval_ms: int = 2**63 - 1
    flush_offset_checkpoint_interval_ms: int = 60_000
    flush_start_offset_checkpoint_interval_ms: int = 60_000
    high_watermark_checkpoint_interval_ms: int = 5_000
    producer_id_expiration_ms: int = 86_400_000
    producer_id_expiration_check_interval_ms: int = 600_000
    initial_task_delay_ms: int = 30_000
    delete_delay_ms: int = 60_000
    is_verification_required: bool = True
    cordoned: tuple[str, ...] = ()  # directories that get no new logs; "*": none does
    open_files: int = 0  # ours: that are kept open; 0: half of what the process may have, connections want the other

    def open_files_kept(self, open_files_max: int) -> int:
        """How many of so many."""
        return self.open_files or max(LEAST_OPEN_FILES, min(open_files_max // 2, MOST_OPEN_FILES))

    @classmethod
    def of(cls, broker: Config) -> "LogManagerConfig":
        """Those of a broker."""
        number = broker.integer
        return cls(
            recovery_threads_per_directory=number("num.recovery.threads.per.data.dir"),
            retention_check_interval_ms=number("log.retention.check.interval.ms"),
            flush_check_interval_ms=number("log.flush.scheduler.interval.ms"),
            flush_offset_checkpoint_interval_ms=number("log.flush.offset.checkpoint.interval.ms"),
            flush_start_offset_checkpoint_interval_ms=number("log.flush.start.offset.checkpoint.interval.ms"),
            high_watermark_checkpoint_interval_ms=number("replica.high.watermark.checkpoint.interval.ms"),
            producer_id_expiration_ms=number("producer.id.expiration.ms"),
            producer_id_expiration_check_interval_ms=number("producer.id.expiration.check.interval.ms"),
            initial_task_delay_ms=number("log.initial.task.delay.ms"),
            delete_delay_ms=number("log.segment.delete.delay.ms"),
            is_verification_required=broker.boolean("transaction.partition.verification.enable"),
            cordoned=tuple(normpath(word) for word in broker.words("cordoned.log.dirs")),
        )
