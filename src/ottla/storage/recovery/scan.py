"""Looking through a segment after an unclean stop: every checksum, and everything that follows from the batches.

Always true of what is left: its batches are whole, their checksums are right, their offsets go up and fit the segment;
the indexes have what an append would have given them. The first batch that breaks a rule ends the segment. Base offset
and leader epoch lie outside of the checksum: what they cannot be is refused, and what is only unlikely (a gap between
offsets, an epoch that falls) is noted, since compaction and old leaders leave such logs too.

The kernel walks over the headers, window by window, and asks for the checksums; a `RecordBatch` is made only of what a
producer or a new leader wrote, of what follows a gap, and of what is wrong. About 0.2 µs a batch beside the read and
the checksum, where the same loop in here took 1 µs (bench/log.py).
"""

from typing import Final

from ottla.errors import RecordError
from ottla.protocol.records.batch import HEADER_SIZE, LENGTH_END, NO_PARTITION_LEADER_EPOCH, RecordBatch
from ottla.protocol.records.kernel import BatchWalk
from ottla.storage.names import MAX_OFFSET
from ottla.storage.producers.replay import Replay
from ottla.storage.segments.offset_index import MAX_RELATIVE_OFFSET
from ottla.storage.segments.segment import Segment

WINDOW_BYTES: Final = 256 * 1024  # stays in the processor's cache from the read to the checksum


def check_segment(segment: Segment, position: int, replay: Replay, index_interval_bytes: int, end_offset: int) -> int:
    """Check the batches from a position on, index them, cut what follows the last good one; answers the bytes cut.

    What lies before the position is trusted: indexes and largest timestamp are those of it. At the end offset the next
    segment begins; what a lost truncation left here from there on is cut.
    """
    read, report, end = segment.opened().read, replay.report, segment.size_bytes
    walk = _walk(segment, replay, index_interval_bytes, end_offset)
    report.checked_segments += 1
    size_bytes, fault = 0, ""
    while position < end and not fault:
        window = memoryview(b"")  # so that the next one gets the same memory
        window = memoryview(read(position, max(WINDOW_BYTES, size_bytes)))
        walked = walk.walk(window, position)
        if walked:
            _replay(segment, window, walk, replay)
        if walked and not position:
            segment.first_timestamp = RecordBatch(window).max_timestamp
        size_bytes = 0
        if walked < len(window):
            size_bytes, fault = _stopped(segment, window, walked, walk, replay, left=end - position - walked)
        report.checked_bytes += walked
        position += walked
    segment.noted(walk)
    return _cut(segment, position, fault, replay)


def _walk(segment: Segment, replay: Replay, index_interval_bytes: int, end_offset: int) -> BatchWalk:
    """A walk that goes on from what is trusted of a segment."""
    latest_epoch = replay.epochs.latest_epoch
    return BatchWalk(
        segment.base_offset,
        min(segment.base_offset + MAX_RELATIVE_OFFSET, MAX_OFFSET - 1),
        end_offset,
        index_interval_bytes,
        next_offset=segment.end_offset_bound,
        latest_epoch=NO_PARTITION_LEADER_EPOCH if latest_epoch is None else latest_epoch,
        max_timestamp=segment.max_timestamp,
        offset_of_max_timestamp=segment.offset_of_max_timestamp,
        indexed_position=segment.indexed_position,
        indexed_timestamp=segment.loaded_indexes()[1].last.timestamp,
    )


def _replay(segment: Segment, window: memoryview, walk: BatchWalk, replay: Replay) -> None:
    """Tell of the batches that have something to say, in their order, and of where the last one ended."""
    transactions = segment.loaded_transactions()
    for at, expected_offset in zip(walk.told, walk.told_after, strict=True):
        batch = RecordBatch(window, at)
        _note_gap(segment, batch, expected_offset, replay)
        replay.batch(batch, transactions)
    replay.producer_state.end_offset = walk.next_offset


def _note_gap(segment: Segment, batch: RecordBatch, next_offset: int, replay: Replay) -> None:
    """Offsets may be missing before a batch: compaction leaves such logs. It is reported."""
    if batch.base_offset > next_offset:
        replay.report.note(f"{segment.file.path}: offsets {next_offset} to {batch.base_offset - 1} are missing")


def _stopped(
    segment: Segment, window: memoryview, at: int, walk: BatchWalk, replay: Replay, *, left: int
) -> tuple[int, str]:
    """The size that the batch announces where the walk stopped, and what is wrong with it: nothing yet, if it may be
    continued in the next window.
    """
    size_bytes = _announced(window, at)
    if HEADER_SIZE <= size_bytes <= left and at + size_bytes > len(window):
        return size_bytes, ""
    try:
        batch = RecordBatch(window, at)
        batch.check()
    except RecordError as error:
        return size_bytes, str(error) if at + size_bytes <= len(window) or size_bytes > left else ""
    return size_bytes, _misplaced(segment, batch, walk, replay)


def _announced(window: memoryview, at: int) -> int:
    """The size that a header announces; beyond any file if there is no header."""
    if len(window) - at < LENGTH_END:
        return HEADER_SIZE
    return int.from_bytes(window[at + 8 : at + LENGTH_END], "big", signed=True) + LENGTH_END


def _misplaced(segment: Segment, batch: RecordBatch, walk: BatchWalk, replay: Replay) -> str:
    """What is wrong with the offsets of a batch that is sound."""
    if batch.base_offset < walk.next_offset:
        return f"{batch} follows offset {walk.next_offset - 1}"
    if batch.last_offset < batch.base_offset:
        return f"{batch} ends before it begins"
    if not segment.base_offset <= batch.base_offset <= batch.last_offset <= walk.last_offset_max:
        return f"{batch} is too far from the segment's base offset"
    _note_gap(segment, batch, walk.next_offset, replay)
    assert batch.base_offset >= walk.end_offset, f"{batch} is sound, and in order"
    return f"{batch} was truncated: the next segment begins at {walk.end_offset}"


def _cut(segment: Segment, position: int, fault: str, replay: Replay) -> int:
    """End the segment behind the last good batch, and write its indexes."""
    cut = segment.size_bytes - position
    segment.size_bytes = position
    if cut:
        replay.report.truncated_bytes += cut
        replay.report.note(f"{segment.file.path}: cut at byte {position}: {fault}")
        segment.opened().truncate(position)
        segment.opened().sync()  # what was cut must not come back in front of what will be appended
    segment.loaded_indexes()[1].append(segment.max_timestamp, segment.offset_of_max_timestamp)
    segment.write_indexes_anew()
    segment.write_transactions_anew()
    return cut
