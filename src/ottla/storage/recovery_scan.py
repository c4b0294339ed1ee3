"""Looking through a segment after an unclean stop: every checksum, and everything that follows from the batches.

Always true of what is left: its batches are whole, their checksums are right, their offsets go up and fit the segment;
the indexes have what an append would have given them. The first batch that breaks a rule ends the segment. Base offset
and leader epoch lie outside of the checksum: what they cannot be is refused, and what is only unlikely (a gap between
offsets, an epoch that falls) is noted, since compaction and old leaders leave such logs too.

The loop is the hot path of a start after a crash: it looks at headers as they lie there, and makes a `RecordBatch` only
of what a producer or a new leader wrote, or of what is wrong. About 1 µs a batch beside the read and the checksum
(bench/log.py).
"""

from struct import Struct
from typing import Final

from ottla.errors import RecordError
from ottla.protocol.checksum import crc32c
from ottla.protocol.records.batch import CRC_START, HEADER_SIZE, LENGTH_END, MAGIC, RecordBatch
from ottla.storage.offset_index import MAX_RELATIVE_OFFSET
from ottla.storage.recovery_report import RecoveryReport
from ottla.storage.replay import Replay
from ottla.storage.segment import Segment

Head = tuple[int, int, int, int, int, int, int, int]
HEAD: Final = Struct(">qiibI2xi8xqq")  # of a batch's header what every batch is asked for: half the price of all of it
WINDOW_BYTES: Final = 256 * 1024  # stays in the processor's cache from the read to the checksum
LENGTH_LEAST: Final = HEADER_SIZE - LENGTH_END


def check_segment(segment: Segment, position: int, replay: Replay, index_interval_bytes: int, end_offset: int) -> int:
    """Check the batches from a position on, index them, cut what follows the last good one; answers the bytes cut.

    What lies before the position is trusted: indexes and largest timestamp are those of it. At the end offset the next
    segment begins; what a lost truncation left here from there on is cut.
    """
    read, report, end = segment.opened().read, replay.report, segment.size_bytes
    transactions, next_offset = segment.loaded_transactions(), segment.end_offset_bound
    report.checked_segments += 1
    state, epochs, note = replay.producer_state, replay.epochs, segment.note
    size_bytes, fault = 0, ""
    while position < end and not fault:
        window = memoryview(b"")  # so that the next one gets the same memory
        window = memoryview(read(position, max(WINDOW_BYTES, size_bytes)))
        at, window_end, latest_epoch = 0, len(window), epochs.latest_epoch
        while at + HEADER_SIZE <= window_end:
            head: Head = HEAD.unpack_from(window, at)
            base_offset, length, epoch, magic, crc, last_offset_delta, max_timestamp, producer_id = head
            batch_end = at + LENGTH_END + length
            if magic != MAGIC or length < LENGTH_LEAST or batch_end > window_end:
                break
            if crc32c(window[at + CRC_START : batch_end]) != crc:
                break
            if base_offset != next_offset or base_offset >= end_offset:
                fault = _misplaced(segment, RecordBatch(window, at), next_offset, end_offset, report)
                if fault:
                    break
            next_offset = base_offset + last_offset_delta + 1
            note(next_offset - 1, max_timestamp, position + at, index_interval_bytes)
            if producer_id >= 0 or epoch != latest_epoch:
                replay.batch(RecordBatch(window, at), transactions)
                latest_epoch = epochs.latest_epoch
            at = batch_end
        if at:
            state.end_offset = next_offset  # all that a batch says which has no producer and no new epoch
        size_bytes = 0
        if at < window_end and not fault:
            size_bytes, fault = _unsound(window, at, left=end - position - at)
        report.checked_bytes += at
        position += at
    segment.end_offset_bound = next_offset
    return _cut(segment, position, fault, replay)


def _unsound(window: memoryview, at: int, *, left: int) -> tuple[int, str]:
    """The size that a batch announces which is not sound here, and what is wrong: nothing yet, if it may be continued
    in the next window.
    """
    size_bytes = _announced(window, at)
    if HEADER_SIZE <= size_bytes <= left and at + size_bytes > len(window):
        return size_bytes, ""
    try:
        RecordBatch(window, at).check()
    except RecordError as error:
        return size_bytes, str(error) if at + size_bytes <= len(window) or size_bytes > left else ""
    raise AssertionError(f"the batch at byte {at} is sound")


def _announced(window: memoryview, at: int) -> int:
    """The size that a header announces; beyond any file if there is no header."""
    if len(window) - at < LENGTH_END:
        return HEADER_SIZE
    return int.from_bytes(window[at + 8 : at + LENGTH_END], "big", signed=True) + LENGTH_END


def _misplaced(segment: Segment, batch: RecordBatch, next_offset: int, end_offset: int, report: RecoveryReport) -> str:
    """What is wrong with a batch that is not at the offset that follows; a gap is noted, and may be."""
    if batch.base_offset < next_offset:
        return f"{batch} follows offset {next_offset - 1}"
    if batch.base_offset + batch.last_offset_delta - segment.base_offset > MAX_RELATIVE_OFFSET:
        return f"{batch} is too far from the segment's base offset"
    if batch.base_offset > next_offset:
        report.note(f"{segment.file.path}: offsets {next_offset} to {batch.base_offset - 1} are missing")
    if batch.base_offset >= end_offset:
        return f"{batch} was truncated: the next segment begins at {end_offset}"
    return ""


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
