"""Which log is compacted next, and which part of it."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import pytest

from ottla.storage.cleaner.policy import Cleanable, LogState, cleanable, dirtiest
from ottla.storage.log_config import LogConfig

NOW_MS = 1_000_000
CONFIG = LogConfig(compact=True)


class Timestamp(NamedTuple):
    """A timestamp, as a segment answers it."""

    timestamp: int


@dataclass
class Segment:
    """A segment, as far as the rules look at it."""

    base_offset: int
    size_bytes: int
    largest: Timestamp
    first_batch_timestamp: int = 0


def log_of(*sizes: int, start: int = 0, last_stable: int | None = None) -> LogState:
    """A log of segments of ten offsets with these sizes; the last one is active."""
    segments = [Segment(start + 10 * at, size, Timestamp(100 * at), 100 * at + 1) for at, size in enumerate(sizes)]
    end = start + 10 * len(sizes)
    return LogState(segments, start, end, end if last_stable is None else last_stable)


def test_a_log_that_was_never_cleaned() -> None:
    """All of it but the active segment is dirty."""
    part = cleanable(log_of(5, 6, 7), CONFIG, None, NOW_MS)
    assert part == Cleanable(0, 20, 0, 11, 0, is_checkpoint_wrong=False)
    assert part.dirty_ratio == 1.0
    assert cleanable(log_of(5), CONFIG, None, NOW_MS).dirty_ratio == 0.0


def test_the_dirty_ratio() -> None:
    """Below the checkpoint a log is clean; the ratio is of what a cleaning would read."""
    part = cleanable(log_of(30, 10, 60), CONFIG, 10, NOW_MS)
    assert part == Cleanable(10, 20, 30, 10, 0, is_checkpoint_wrong=False)
    assert part.dirty_ratio == 0.25
    assert not part.is_worth_it(CONFIG)
    assert not part.is_worth_it(replace(CONFIG, min_cleanable_dirty_ratio=0.25))
    assert part.is_worth_it(replace(CONFIG, min_cleanable_dirty_ratio=0.24))


def test_a_segment_that_is_half_clean() -> None:
    """A segment that the last cleaning came half through counts on both sides."""
    part = cleanable(log_of(30, 10, 60), CONFIG, 15, NOW_MS)
    assert (part.clean_bytes, part.dirty_bytes, part.end_offset) == (40, 10, 20)


@pytest.mark.parametrize(("start", "checkpoint", "is_wrong"), [(50, 49, True), (50, 81, True), (50, 80, False)])
def test_a_checkpoint_outside_of_the_log(start: int, checkpoint: int, is_wrong: bool) -> None:
    """A checkpoint below the log's start or above its end is wrong: then everything is dirty."""
    part = cleanable(log_of(5, 6, 7, start=start), CONFIG, checkpoint, NOW_MS)
    assert part.is_checkpoint_wrong is is_wrong
    assert part.first_dirty_offset == (start if is_wrong else checkpoint)


def test_open_transactions() -> None:
    """Nothing at or above the last stable offset is cleaned, and whole segments only."""
    for last_stable, end in ((20, 20), (19, 10), (10, 10), (9, 0), (25, 20)):
        part = cleanable(log_of(5, 6, 7, last_stable=last_stable), CONFIG, None, NOW_MS)
        assert part.end_offset == end
        assert part.dirty_bytes == sum((5, 6)[: end // 10])


def test_min_compaction_lag() -> None:
    """A segment with a record younger than min.compaction.lag.ms is left alone, and all behind it; clean ones are not
    asked.
    """
    log = log_of(5, 6, 7, 8)  # the largest timestamps are 0, 100, 200
    config = replace(CONFIG, min_compaction_lag_ms=50)
    for now_ms, end in ((50, 10), (149, 10), (150, 20), (250, 30)):
        assert cleanable(log, config, None, now_ms).end_offset == end
    assert cleanable(log, config, 10, 149).dirty_bytes == 0
    young = log.segments[0]
    assert isinstance(young, Segment)
    young.largest = Timestamp(250)
    assert cleanable(log, config, 10, 250).end_offset == 30
    assert cleanable(log, config, 9, 250).end_offset == 0


def test_max_compaction_lag() -> None:
    """A dirty segment whose first records are older than max.compaction.lag.ms is cleaned whatever the ratio says."""
    log = log_of(100, 1, 7)  # the first timestamps are 1, 101, 201
    config = replace(CONFIG, max_compaction_lag_ms=500)
    assert cleanable(log, config, 10, 601).overdue_ms == 0
    part = cleanable(log, config, 10, 602)
    assert part.overdue_ms == 1
    assert part.is_worth_it(config)
    assert part.dirty_ratio < 0.5
    nothing = cleanable(log, config, 20, 10_000)
    assert (nothing.overdue_ms, nothing.is_worth_it(config)) == (0, False)


def test_without_timestamps_nothing_is_overdue() -> None:
    """Segments without timestamps do not become old."""
    log = log_of(100, 1, 7)
    for segment in log.segments:
        assert isinstance(segment, Segment)
        segment.first_batch_timestamp = -1
    assert cleanable(log, replace(CONFIG, max_compaction_lag_ms=500), 10, NOW_MS).overdue_ms == 0


def test_the_dirtiest_comes_first() -> None:
    """Of the logs that are worth it the one with the highest ratio is cleaned; one that is only overdue waits."""
    parts = [cleanable(log_of(*sizes), CONFIG, 10, NOW_MS) for sizes in ((10, 20, 1), (10, 90, 1), (90, 10, 1))]
    assert dirtiest((part, CONFIG) for part in parts) == 1
    assert dirtiest((part, CONFIG) for part in parts[2:]) is None
    overdue = parts[2]._replace(overdue_ms=5)
    assert dirtiest((part, CONFIG) for part in (overdue, parts[0])) == 1
    assert dirtiest([(overdue, CONFIG)]) == 0
    assert dirtiest([]) is None
