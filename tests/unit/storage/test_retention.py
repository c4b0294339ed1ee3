"""Which segments are deleted, and when."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import pytest

from ottla.storage.log_config import LogConfig
from ottla.storage.retention import LogBounds, deletable

NOW_MS = 1_000_000
KEEP_ALL = LogConfig(retention_ms=None, retention_bytes=None)


class Timestamp(NamedTuple):
    """A timestamp, as a segment answers it."""

    timestamp: int


@dataclass
class Segment:
    """A segment of ten offsets, as far as retention looks at it."""

    base_offset: int
    largest: Timestamp
    size_bytes: int = 100
    created_ms: int = NOW_MS


def log_of(*timestamps: int) -> list[Segment]:
    """Segments of ten offsets and 100 bytes with these largest timestamps; the last one is active."""
    return [Segment(10 * at, Timestamp(timestamp)) for at, timestamp in enumerate(timestamps)]


def bounds_of(segments: list[Segment], start_offset: int = 0, high_watermark: int | None = None) -> LogBounds:
    """The bounds of a log that is replicated as far as is said, or to its end."""
    end = segments[-1].base_offset + 10
    return LogBounds(start_offset, end if high_watermark is None else high_watermark, end)


def due(segments: list[Segment], config: LogConfig, bounds: LogBounds | None = None) -> list[tuple[int, str]]:
    """What is to be deleted now: how many, and why."""
    found = deletable(segments, config, bounds or bounds_of(segments), NOW_MS)
    return [(count, reason.name) for count, reason in found]


def test_by_time() -> None:
    """A segment goes once its largest timestamp is older than retention.ms, to the millisecond, and only in order."""
    config = replace(KEEP_ALL, retention_ms=1_000)
    segments = log_of(NOW_MS - 5_000, NOW_MS - 1_001, NOW_MS - 1_000, NOW_MS - 9_000, NOW_MS)
    assert due(segments, config) == [(2, "TIME")]
    assert due(segments, KEEP_ALL) == []
    assert due(segments, replace(KEEP_ALL, retention_ms=0)) == [(4, "TIME")]


def test_a_segment_without_timestamps() -> None:
    """Where no record has a timestamp, the file's age counts."""
    config = replace(KEEP_ALL, retention_ms=1_000)
    old, young = log_of(-1, NOW_MS), log_of(-1, NOW_MS)
    old[0].created_ms = NOW_MS - 1_001
    young[0].created_ms = NOW_MS - 1_000
    assert due(old, config) == [(1, "TIME")]
    assert due(young, config) == []


def test_by_size() -> None:
    """The oldest segments go while the rest still has retention.bytes, the active one counted."""
    segments = log_of(*[NOW_MS] * 4)
    for retention_bytes, count in ((400, 0), (301, 0), (300, 1), (299, 1), (200, 2), (199, 2), (1, 3)):
        expected = [(count, "SIZE")] if count else []
        assert due(segments, replace(KEEP_ALL, retention_bytes=retention_bytes)) == expected


def test_by_log_start() -> None:
    """Segments below the log's start go whatever the policy is; one that has a single offset left does not."""
    segments = log_of(NOW_MS, NOW_MS, NOW_MS)
    for config in (KEEP_ALL, LogConfig(compact=True, delete=False), LogConfig(compact=False, delete=False)):
        assert due(segments, config, bounds_of(segments, start_offset=20)) == [(2, "LOG_START")]
        assert due(segments, config, bounds_of(segments, start_offset=19)) == [(1, "LOG_START")]
        assert due(segments, config, bounds_of(segments, start_offset=9)) == []


def test_the_log_start_never_reaches_the_active_segment() -> None:
    """All records deleted leaves the active segment as it is."""
    segments = log_of(NOW_MS, NOW_MS)
    assert due(segments, KEEP_ALL, bounds_of(segments, start_offset=20)) == [(1, "LOG_START")]


@pytest.mark.parametrize("policy", [(False, False), (True, False)])
def test_without_the_policy_delete(policy: tuple[bool, bool]) -> None:
    """Time and size count with the policy `delete` only."""
    config = LogConfig(compact=policy[0], delete=policy[1], retention_ms=0, retention_bytes=0)
    assert due(log_of(0, 0, 0), config) == []


def test_both_policies() -> None:
    """With both policies a compacted log is cut as well."""
    config = LogConfig(compact=True, delete=True, retention_ms=1_000)
    assert due(log_of(0, NOW_MS, NOW_MS), config) == [(1, "TIME")]


def test_the_rules_follow_each_other() -> None:
    """Each rule looks at what the one before has left."""
    segments = log_of(0, 0, 0, 0, NOW_MS)
    config = replace(KEEP_ALL, retention_bytes=300, retention_ms=1_000)
    assert due(segments, config, bounds_of(segments, start_offset=10)) == [(1, "LOG_START"), (1, "SIZE"), (2, "TIME")]


def test_nothing_above_the_high_watermark() -> None:
    """What is not replicated yet stays."""
    segments = log_of(0, 0, 0)
    config = replace(KEEP_ALL, retention_ms=1_000)
    assert due(segments, config, bounds_of(segments, high_watermark=20)) == [(2, "TIME")]
    assert due(segments, config, bounds_of(segments, high_watermark=19)) == [(1, "TIME")]


def test_the_active_segment() -> None:
    """The active segment goes with the others once all of it is due, but an empty one stays."""
    config = replace(KEEP_ALL, retention_ms=1_000)
    segments = log_of(0, 0)
    assert due(segments, config) == [(2, "TIME")]
    segments[-1].size_bytes = 0
    assert due(segments, config, LogBounds(0, 10, 10)) == [(1, "TIME")]
    assert due(segments[-1:], config, LogBounds(10, 10, 10)) == []


def test_tiered() -> None:
    """A tiered log keeps what local.retention.* says, and nothing goes before it is in the remote store."""
    config = replace(KEEP_ALL, remote_storage_enable=True, local_retention_ms=1_000, local_retention_bytes=None)
    segments = log_of(0, 0, 0, NOW_MS)
    bounds = bounds_of(segments)
    assert due(segments, config, bounds._replace(highest_remote_offset=19)) == [(2, "TIME")]
    assert due(segments, config, bounds._replace(highest_remote_offset=18)) == [(1, "TIME")]
    assert due(segments, config, bounds._replace(highest_remote_offset=-1)) == []
    sized = replace(config, local_retention_ms=None, local_retention_bytes=200)
    assert due(segments, sized, bounds._replace(highest_remote_offset=100)) == [(2, "SIZE")]


def test_tiered_without_copying() -> None:
    """Once copying is turned off, the whole retention counts again."""
    config = replace(
        KEEP_ALL, remote_storage_enable=True, remote_log_copy_disable=True, local_retention_ms=0, retention_ms=NOW_MS
    )
    assert due(log_of(1, NOW_MS), config) == []
