"""Which segments of a log have served their time: the oldest ones, as far as the topic's settings let them go.

Three rules are applied one after the other, each to what the ones before have left: segments that lie below the log's
start go whatever the policy is; with the policy `delete` the oldest go while the log without them still has
`retention.bytes`, and those whose largest timestamp is older than `retention.ms`. A segment that has no timestamps is
as old as its file.

Always true: what goes is a run from the first segment on, and lies below the high watermark; an empty last segment
stays. The active segment may be among what goes: then the log begins a new one first, since it is never without. Tiered
logs keep locally what `local.retention.*` says, once it is in the remote store.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from ottla.storage.log_config import LogConfig


class DeletionReason(Enum):
    """Why segments are deleted, in words for the log."""

    LOG_START = "below the log's start"
    SIZE = "retention.bytes"
    TIME = "retention.ms"


class Largest(Protocol):
    """The largest timestamp of a segment."""

    @property
    def timestamp(self) -> int:
        """It, or -1 where no record has one."""


class RetainedSegment(Protocol):
    """What the rules look at. `largest` may have to be read from an index, so it is asked for last."""

    @property
    def base_offset(self) -> int:
        """The first offset that it may have."""

    @property
    def size_bytes(self) -> int:
        """The bytes of its batches."""

    @property
    def created_ms(self) -> int:
        """When its file was made, or found at the start."""

    @property
    def largest(self) -> Largest:
        """Its largest timestamp."""


class LogBounds(NamedTuple):
    """Where a log begins and ends."""

    start_offset: int  # the local one, where a log is tiered
    high_watermark: int
    end_offset: int
    highest_remote_offset: int | None = None  # the last one that is in the remote store; None: the log is not tiered


class Deletion(NamedTuple):
    """So many segments, behind those of the deletions before it, and why."""

    segment_count: int
    reason: DeletionReason


def deletable(segments: Sequence[RetainedSegment], config: LogConfig, bounds: LogBounds, now_ms: int) -> list[Deletion]:
    """What of a log is to be deleted now, from its first segment on."""
    allowed = _allowed(segments, bounds)
    deletions: list[Deletion] = []
    rest = 0

    def delete_while(reason: DeletionReason, is_due: Callable[[int], bool]) -> None:
        nonlocal rest
        first = rest
        while rest < allowed and is_due(rest):
            rest += 1
        if rest > first:
            deletions.append(Deletion(rest - first, reason))

    delete_while(
        DeletionReason.LOG_START, lambda at: _end_of(segments, at, bounds.end_offset + 1) <= bounds.start_offset
    )
    if not config.delete:
        return deletions
    retention_bytes, retention_ms = _retention(config)
    if retention_bytes is not None:
        excess = sum(segment.size_bytes for segment in segments[rest:]) - retention_bytes

        def is_excess(at: int) -> bool:
            nonlocal excess
            excess -= segments[at].size_bytes
            return excess >= 0

        delete_while(DeletionReason.SIZE, is_excess)
    if retention_ms is not None:
        earliest = now_ms - retention_ms
        delete_while(DeletionReason.TIME, lambda at: _newest_ms(segments[at]) < earliest)
    return deletions


def _retention(config: LogConfig) -> tuple[int | None, int | None]:
    """The bytes and milliseconds that are kept on this disk."""
    if config.remote_storage_enable and not config.remote_log_copy_disable:
        return config.local_retention_bytes, config.local_retention_ms
    return config.retention_bytes, config.retention_ms


def _allowed(segments: Sequence[RetainedSegment], bounds: LogBounds) -> int:
    """How many segments may go at all, whatever is due."""
    for at, segment in enumerate(segments):
        end_offset = _end_of(segments, at, bounds.end_offset)
        is_last_and_empty = at == len(segments) - 1 and segment.size_bytes == 0
        is_local_only = bounds.highest_remote_offset is not None and end_offset - 1 > bounds.highest_remote_offset
        if is_last_and_empty or end_offset > bounds.high_watermark or is_local_only:
            return at
    return len(segments)


def _end_of(segments: Sequence[RetainedSegment], at: int, end_offset: int) -> int:
    """The offset behind a segment: where the next begins, or what is given for the last one."""
    return segments[at + 1].base_offset if at + 1 < len(segments) else end_offset


def _newest_ms(segment: RetainedSegment) -> int:
    timestamp = segment.largest.timestamp
    return timestamp if timestamp >= 0 else segment.created_ms
