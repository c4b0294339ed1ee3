"""Which offset belongs to a timestamp: what ListOffsets asks a log.

A timestamp asks for the first record that has it or a later one. Segments say their largest timestamp, and the time
index where in the segment to begin; from there batches are walked over, and only one whose largest timestamp is not
below is opened. Negative numbers are questions of their own: see `Special`.

Always true: an answer's offset lies within the log. The search runs in a thread, on files that stay open meanwhile;
retention may delete what it found before anybody reads it. Unlike Kafka, which gives up behind the first segment that
could hold an answer, the search goes on to the next one.
"""

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from ottla.protocol.records.batch import NO_TIMESTAMP, RecordBatch
from ottla.protocol.records.record import columns_of
from ottla.storage.cold_reading import bring_indexes
from ottla.storage.segments.scan import Read, places
from ottla.storage.segments.segment import UNKNOWN

if TYPE_CHECKING:
    from ottla.storage.log import Log
    from ottla.storage.segments.segment import Segment

UNKNOWN_OFFSET = -1
UNKNOWN_EPOCH = -1


class Special(IntEnum):
    """Timestamps that are none."""

    LATEST = -1  # the log's end
    EARLIEST = -2  # the log's start
    MAX_TIMESTAMP = -3  # the first record that has the largest timestamp
    EARLIEST_LOCAL = -4  # the first record that is on this disk
    LATEST_TIERED = -5  # the last record that is in the remote store
    EARLIEST_PENDING_UPLOAD = -6  # the first one that is not


class TimestampAndOffset(NamedTuple):
    """An answer. The timestamp is -1 where none was asked for, the epoch where none is known."""

    timestamp: int
    offset: int
    leader_epoch: int = UNKNOWN_EPOCH


async def offset_for_timestamp(log: "Log", timestamp: int) -> TimestampAndOffset | None:
    """The answer to a timestamp or a special question; None if no record has such a timestamp."""
    match timestamp:
        case Special.LATEST:
            return TimestampAndOffset(NO_TIMESTAMP, log.log_end_offset, _epoch(log.epochs.latest_epoch))
        case Special.EARLIEST:
            return _earliest(log)
        case Special.EARLIEST_LOCAL if not log.config.remote_storage_enable:
            return _earliest(log)
        case Special.EARLIEST_LOCAL:
            offset = log.local_log_start_offset
            return TimestampAndOffset(NO_TIMESTAMP, offset, _epoch(log.epochs.epoch_for_offset(offset)))
        case Special.LATEST_TIERED | Special.EARLIEST_PENDING_UPLOAD:
            return TimestampAndOffset(NO_TIMESTAMP, UNKNOWN_OFFSET)  # nothing is in a remote store
        case Special.MAX_TIMESTAMP:
            for segment in list(log.segments):
                await _bring_largest(log, segment)
            segment = max(log.segments, key=lambda segment: segment.largest.timestamp)
            return await _search(log, segment, segment.largest.timestamp, segment.largest.offset)
    assert timestamp >= 0, f"there is no timestamp {timestamp}"
    for segment in list(log.segments.from_offset(log.log_start_offset)):
        await _bring_largest(log, segment)
        if segment.largest.timestamp >= timestamp:
            await bring_indexes(log, segment)
            start_offset = max(segment.loaded_indexes()[1].before(timestamp).offset, log.log_start_offset)
            found = await _search(log, segment, timestamp, start_offset)
            if found is not None:
                return found
    return None


async def _bring_largest(log: "Log", segment: "Segment") -> None:
    """Have a segment know its largest timestamp, which is in its indexes."""
    if segment.max_timestamp == UNKNOWN:
        await bring_indexes(log, segment)


def _earliest(log: "Log") -> TimestampAndOffset:
    """The log's start, with its epoch if that is known."""
    epoch = log.epochs.epoch_for_offset(log.log_start_offset)
    return TimestampAndOffset(NO_TIMESTAMP, log.log_start_offset, _epoch(epoch))


def _epoch(epoch: int | None) -> int:
    return UNKNOWN_EPOCH if epoch is None else epoch


async def _search(log: "Log", segment: "Segment", timestamp: int, start_offset: int) -> TimestampAndOffset | None:
    """Look for a timestamp in a segment, from the batch of an offset on."""
    if timestamp < 0:
        return None
    position = segment.loaded_indexes()[0].position_before(start_offset)
    size_bytes, path, log_start_offset = segment.size_bytes, segment.file.path, log.log_start_offset
    file = log.services.files.pin(segment.file)
    try:
        return await log.services.world.threads.run(
            first_at_or_after, file.read, path, (position, size_bytes), timestamp, log_start_offset
        )
    finally:
        log.services.files.unpin(segment.file)


def first_at_or_after(
    read: Read, path: str, between: tuple[int, int], timestamp: int, log_start_offset: int
) -> TimestampAndOffset | None:
    """The first record between two positions that has this timestamp or a later one. This blocks."""
    for place in places(read, path, *between):
        if place.max_timestamp < timestamp or place.last_offset < log_start_offset:
            continue
        batch = RecordBatch(memoryview(read(place.position, place.size_bytes)))
        columns = columns_of(batch)
        for offset, record_timestamp in zip(columns.offsets, columns.timestamps, strict=True):
            if record_timestamp >= timestamp and offset >= log_start_offset:
                return TimestampAndOffset(record_timestamp, offset, batch.partition_leader_epoch)
    return None
