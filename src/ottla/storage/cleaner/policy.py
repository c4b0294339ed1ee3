"""Which log is to be compacted next, and which part of it: Kafka's LogCleanerManager, as far as it decides.

A log has a clean part, below the first dirty offset that the last cleaning has left in the checkpoint, then a dirty
part that may be cleaned, then what may not be: the active segment, what lies above the last stable offset, and segments
with records younger than `min.compaction.lag.ms`. A log is worth it if the dirty part is more than
`min.cleanable.dirty.ratio` of both, or has waited for `max.compaction.lag.ms`; the dirtiest comes first.

Always true: the part that is cleaned ends where a segment ends.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from ottla.storage.log_config import LONG_MAX, LogConfig
from ottla.storage.retention import Largest


class CleanableSegment(Protocol):
    """What the rules look at. Timestamps may have to be read from a file, so they are asked for last."""

    @property
    def base_offset(self) -> int:
        """The first offset that it may have."""

    @property
    def size_bytes(self) -> int:
        """The bytes of its batches."""

    @property
    def largest(self) -> Largest:
        """Its largest timestamp."""

    @property
    def first_batch_timestamp(self) -> int:
        """The max timestamp of its first batch, or -1."""


class LogState(NamedTuple):
    """A log at this moment. The last segment is the active one."""

    segments: Sequence[CleanableSegment]
    start_offset: int
    end_offset: int
    last_stable_offset: int


class Cleanable(NamedTuple):
    """The part of a log that may be cleaned, and how much it is."""

    first_dirty_offset: int
    end_offset: int  # the base offset of the first segment that is left alone
    clean_bytes: int
    dirty_bytes: int
    overdue_ms: int  # by how much max.compaction.lag.ms has passed
    is_checkpoint_wrong: bool  # the first dirty offset is not the one that was written down

    @property
    def dirty_ratio(self) -> float:
        """Which part of what a cleaning would read is dirty."""
        total_bytes = self.clean_bytes + self.dirty_bytes
        return self.dirty_bytes / total_bytes if total_bytes else 0.0

    def is_worth_it(self, config: LogConfig) -> bool:
        """Whether the log is to be cleaned now."""
        is_overdue = self.overdue_ms > 0 and self.dirty_bytes > 0
        return is_overdue or self.dirty_ratio > config.min_cleanable_dirty_ratio


def cleanable(log: LogState, config: LogConfig, checkpoint_offset: int | None, now_ms: int) -> Cleanable:
    """What of a log may be cleaned. The checkpoint is None for a log that never was."""
    first_dirty_offset, is_wrong = _first_dirty_offset(log, checkpoint_offset)
    closed = log.segments[:-1]
    end_offset = max(first_dirty_offset, _uncleanable_offset(log, closed, config, first_dirty_offset, now_ms))
    # Whole segments only: the part ends with the last one that lies below the offset.
    end_segment = next((at for at in range(len(closed)) if _end_of(log.segments, at) > end_offset), len(closed))
    # A segment that the last cleaning came half through counts as both, as in Kafka.
    clean_bytes = sum(segment.size_bytes for segment in log.segments if segment.base_offset < first_dirty_offset)
    dirty_bytes = sum(
        closed[at].size_bytes for at in range(end_segment) if _end_of(log.segments, at) > first_dirty_offset
    )
    overdue_ms = _overdue_ms(log, closed, config, first_dirty_offset, now_ms)
    return Cleanable(
        first_dirty_offset, log.segments[end_segment].base_offset, clean_bytes, dirty_bytes, overdue_ms, is_wrong
    )


def dirtiest(candidates: Iterable[tuple[Cleanable, LogConfig]]) -> int | None:
    """The position of the log that is to be cleaned next; None if none is worth it."""
    chosen, highest = None, -1.0
    for at, (part, config) in enumerate(candidates):
        if part.is_worth_it(config) and part.dirty_ratio > highest:
            chosen, highest = at, part.dirty_ratio
    return chosen


def _first_dirty_offset(log: LogState, checkpoint_offset: int | None) -> tuple[int, bool]:
    """Where the dirty part begins; a checkpoint outside of the log is wrong, and then all of it is dirty."""
    if checkpoint_offset is None:
        return log.start_offset, False
    if log.start_offset <= checkpoint_offset <= log.end_offset:
        return checkpoint_offset, False
    return log.start_offset, True


def _uncleanable_offset(
    log: LogState, closed: Sequence[CleanableSegment], config: LogConfig, first_dirty_offset: int, now_ms: int
) -> int:
    """The first offset that must be left alone."""
    end_offset = min(log.last_stable_offset, log.segments[-1].base_offset)
    if config.min_compaction_lag_ms > 0:
        youngest_ms = now_ms - config.min_compaction_lag_ms
        for at, segment in enumerate(closed):
            if _end_of(log.segments, at) > first_dirty_offset and segment.largest.timestamp > youngest_ms:
                return min(end_offset, segment.base_offset)
    return end_offset


def _overdue_ms(
    log: LogState, closed: Sequence[CleanableSegment], config: LogConfig, first_dirty_offset: int, now_ms: int
) -> int:
    """By how much the oldest dirty segment has waited for longer than it may."""
    if config.max_compaction_lag_ms == LONG_MAX:
        return 0
    dirty = (segment for at, segment in enumerate(closed) if _end_of(log.segments, at) > first_dirty_offset)
    earliest = min((stamp for segment in dirty if (stamp := segment.first_batch_timestamp) > 0), default=LONG_MAX)
    return max(now_ms - config.max_compaction_lag_ms - earliest, 0)


def _end_of(segments: Sequence[CleanableSegment], at: int) -> int:
    """The offset behind a closed segment: where the next begins."""
    return segments[at + 1].base_offset
