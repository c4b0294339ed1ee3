"""Beginning a new segment: the old one is closed, and the producers' state is written beside the new one's start.

Always true: the new segment's base offset is the log's end, or behind it where the next batch says so (a compacted log
that is being copied has gaps); a snapshot with the same offset lies beside it, so that recovery reads one segment and
no more. The old segment is flushed in the background, and then the recovery point moves up to the new one.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

from ottla.errors import NoSuchFile
from ottla.storage.indexes import file_path
from ottla.storage.segment import SEGMENT_KINDS, Segment

if TYPE_CHECKING:
    from ottla.storage.log import Log
    from ottla.storage.log_config import LogConfig
    from ottla.storage.log_values import LogServices


def roll(log: "Log", expected_next_offset: int) -> Segment:
    """Begin a segment at the log's end, or at an offset behind it. An empty one that is there already stays."""
    base_offset = max(expected_next_offset, log.log_end_offset)
    active = log.segments.active
    if active.base_offset == base_offset and not active.size_bytes:
        return active
    assert base_offset > active.base_offset, f"{log} cannot begin a segment at {base_offset}"
    active.become_inactive(log.config)
    segment = new_segment(log.services, log.directory, base_offset, log.config)
    log.segments.add(segment)
    log.producer_state.end_offset = base_offset
    log.snapshots.take(log.producer_state)
    log.flusher.segment_closed(active)
    return segment


def new_segment(services: "LogServices", directory: str, base_offset: int, config: "LogConfig") -> Segment:
    """A new, empty segment; files that somebody left under its names are removed first."""
    world = services.world
    for kind in SEGMENT_KINDS:
        with suppress(NoSuchFile):
            world.disk.unlink(file_path(directory, base_offset, kind))
    return Segment.create(
        services.files,
        directory,
        base_offset,
        config,
        now_ms=world.clock.wall_ms(),
        jitter_ms=jitter_ms(services, config),
    )


def jitter_ms(services: "LogServices", config: "LogConfig") -> int:
    """By how much a segment is closed before `segment.ms`, so that not all are closed at once."""
    most = min(config.segment_jitter_ms, config.max_segment_ms)
    return services.world.rng.randrange(most) if most > 0 else 0
