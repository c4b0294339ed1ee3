"""Cutting a log: everything from an offset on, or everything.

A follower cuts what its leader does not have. Segments behind the offset are taken away as deleted ones are; the one
with the offset is cut in place at the start of the batch that holds it. The last one goes first, and the file is cut at
the end, so that a crash in between leaves no hole.

Always true: log end, recovery point and high watermark do not lie behind what is left; leader epochs and producers are
those of what is left. A recovery point that has to go back is in its checkpoint before anything is cut
(`LogServices.recovery_point_lowered`). Whoever cuts a log has it to himself (`turns`).
"""

from typing import TYPE_CHECKING

from ottla.errors import DiskError
from ottla.storage import removal, rolling
from ottla.storage.producers.replay import rebuild_producers
from ottla.storage.producers.state import ProducerState
from ottla.storage.segments.segments import Segments

if TYPE_CHECKING:
    from ottla.storage.log import Log


async def truncate_to(log: "Log", offset: int) -> bool:
    """Cut everything from this offset on; False if the log ends before it."""
    assert offset >= 0, f"{log} cannot be cut at {offset}"
    if offset >= log.log_end_offset:
        # The last epoch may have begun without a record: the leader may know another one from here on.
        log.is_epochs_file_stale |= log.epochs.truncate_from_end(log.log_end_offset)
        return False
    if log.segments.first.base_offset > offset:
        await truncate_fully_and_start_at(log, offset, None)
        return True
    gone = [segment for segment in log.segments if segment.base_offset > offset]
    log.truncations += 1
    log.log_start_offset = min(offset, log.log_start_offset)
    log.local_log_start_offset = min(offset, log.local_log_start_offset)
    log.high_watermark = min(log.high_watermark, offset)
    await _end_at(log, offset)
    log.is_epochs_file_stale |= log.epochs.truncate_from_end(offset)
    await removal.discard(log, gone[::-1])
    await log.flusher.settled()  # a pass that still wrote index entries would write those of what is cut
    try:
        log.segments.active.truncate_to(offset, log.config, log.services.world.clock.wall_ms())
        log.truncations += 1  # again: what was brought for a read since the first time may be what is cut now
        log.flusher.segment_cut(log.segments.active)
        log.snapshots.truncate(0, offset)
    except DiskError as error:
        raise log.fail(error) from None
    if log.producer_state.is_empty:
        log.producer_state.end_offset = offset
    else:
        await _reload_producers(log)
    return True


async def truncate_fully_and_start_at(log: "Log", offset: int, log_start_offset: int | None) -> None:
    """Cut everything. The next record gets this offset; the log may be said to begin before it."""
    gone = list(log.segments)
    log.truncations += 1
    await _end_at(log, offset)
    await log.flusher.settled()
    try:
        await removal.rename_away(log, gone[::-1])
        world = log.services.world
        file = await world.threads.run(rolling.make_files, world.disk, log.directory, offset, log.config)
        segment = rolling.new_segment(log.services, log.directory, offset, log.config, file)
        log.segments = Segments([segment])
        log.snapshots.clear(log.producer_state, offset)
    except DiskError as error:
        raise log.fail(error) from None
    log.log_start_offset = offset if log_start_offset is None else log_start_offset
    log.local_log_start_offset = offset
    log.is_epochs_file_stale |= log.epochs.clear()
    log.high_watermark = log.log_start_offset
    log.update_high_watermark(offset)
    removal.delete_later(log, gone)


async def _end_at(log: "Log", offset: int) -> None:
    """The log ends here from now on. Its recovery point must be on the disk before anything is cut: what lies below
    that is trusted by the next start, and half of a cut is nothing to be trusted.
    """
    is_lowered = log.recovery_point > offset
    log.log_end_offset = offset
    log.recovery_point = min(log.recovery_point, offset)
    log.flushed_offset = min(log.flushed_offset, offset)
    if is_lowered:
        await log.services.recovery_point_lowered(log.topic_partition, offset)


async def _reload_producers(log: "Log") -> None:
    """Make the producers those of what is left: in a thread, since batches may have to be read."""
    services, state = log.services, ProducerState()
    state.end_offset = -1  # nothing is known yet
    now_ms = services.world.clock.wall_ms()
    try:
        await services.world.threads.run(
            rebuild_producers,
            log.snapshots,
            state,
            services.world.disk,
            [(segment.base_offset, segment.file.path, segment.size_bytes) for segment in log.segments],
            log.log_start_offset,
            log.log_end_offset,
            now_ms,
            services.producer_id_expiration_ms,
        )
    except DiskError as error:
        raise log.fail(error) from None
    log.producer_state = state
