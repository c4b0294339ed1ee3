"""Beginning a new segment: the old one is closed, and the producers' state is written beside the new one's start.

Three steps: what is to be done is said in plain values (`Rolling`), the disk does it, and then the log has the new
segment. The middle one is made on the loop, or in a thread while the log's directory is slow.

Always true: the new segment's base offset is the log's end, or behind it where the next batch says so (a compacted log
that is being copied has gaps); a snapshot with the same offset lies beside it, so that recovery reads one segment and
no more. The old segment is flushed in the background, and then the recovery point moves up to the new one.
"""

from typing import TYPE_CHECKING, NamedTuple

from ottla.storage.names import FileState
from ottla.storage.producers.snapshots import write_snapshot
from ottla.storage.removal import remove_files
from ottla.storage.segments.segment import Ending, Segment, create_files
from ottla.world.api import Disk, File

if TYPE_CHECKING:
    from ottla.storage.log import Log
    from ottla.storage.log_config import LogConfig
    from ottla.storage.log_values import LogServices


class Rolling(NamedTuple):
    """What the disk has to do."""

    base_offset: int
    directory: str
    config: "LogConfig"
    ending: Ending  # of the segment that was active
    snapshot: tuple[str, bytes] | None  # its path and content, if one is due

    def carry_out(self, disk: Disk) -> File:
        """Do it; answers the new segment's .log, open."""
        self.ending.carry_out(disk)
        if self.snapshot is not None:
            write_snapshot(disk, *self.snapshot)
        return make_files(disk, self.directory, self.base_offset, self.config)


def roll(log: "Log", expected_next_offset: int) -> Segment:
    """Begin a segment at the log's end, or at an offset behind it. An empty one that is there already stays."""
    rolling = _begun(log, expected_next_offset)
    if rolling is None:
        return log.segments.active
    return _done(log, rolling, rolling.carry_out(log.services.world.disk))


async def roll_in_thread(log: "Log", expected_next_offset: int) -> Segment:
    """The same for who has the log to himself."""
    rolling = _begun(log, expected_next_offset)
    if rolling is None:
        return log.segments.active
    services, handle = log.services, log.segments.active.file
    services.files.pin(handle)
    try:
        file = await services.pace.write(services.world, rolling.carry_out, services.world.disk)
    finally:
        services.files.unpin(handle)
    return _done(log, rolling, file)


async def roll_in_turn(log: "Log") -> Segment:
    """Whichever of them fits the directory now, for who has the log to himself."""
    return await roll_in_thread(log, 0) if log.services.pace.is_slow else roll(log, 0)


def _begun(log: "Log", expected_next_offset: int) -> Rolling | None:
    base_offset = max(expected_next_offset, log.log_end_offset)
    active = log.segments.active
    if active.base_offset == base_offset and not active.size_bytes:
        return None
    assert base_offset > active.base_offset, f"{log} cannot begin a segment at {base_offset}"
    log.producer_state.end_offset = base_offset
    return Rolling(
        base_offset, log.directory, log.config, active.ending(log.config), log.snapshots.due(log.producer_state)
    )


def _done(log: "Log", rolling: Rolling, file: File) -> Segment:
    active = log.segments.active
    active.ended(rolling.ending)
    if rolling.snapshot is not None:
        log.snapshots.taken(rolling.base_offset)
    segment = new_segment(log.services, rolling.directory, rolling.base_offset, rolling.config, file)
    log.segments.add(segment)
    log.flusher.segment_closed(active)
    return segment


def make_files(disk: Disk, directory: str, base_offset: int, config: "LogConfig") -> File:
    """Make the files of an empty segment; what somebody left under its names is removed first."""
    remove_files(disk, directory, base_offset, FileState.LIVE)
    return create_files(disk, directory, base_offset, config, FileState.LIVE)


def new_segment(services: "LogServices", directory: str, base_offset: int, config: "LogConfig", file: File) -> Segment:
    """The empty segment whose files have been made."""
    segment = Segment(services.files, directory, base_offset, index_interval_bytes=config.index_interval_bytes)
    segment.created(file, services.world.clock.wall_ms(), jitter_ms(services, config))
    return segment


def jitter_ms(services: "LogServices", config: "LogConfig") -> int:
    """By how much a segment is closed before `segment.ms`, so that not all are closed at once."""
    most = min(config.segment_jitter_ms, config.max_segment_ms)
    return services.world.rng.randrange(most) if most > 0 else 0
