"""Looking through a segment after an unclean stop: every checksum, and everything that follows from the batches.

Always true of what is left: its batches are whole, their checksums are right, their offsets go up and fit the segment;
the indexes have what an append would have given them. The first batch that breaks a rule ends the segment. Base offset
and leader epoch lie outside of the checksum: what they cannot be is refused, and what is only unlikely (a gap between
offsets, an epoch that falls) is noted, since compaction and old leaders leave such logs too.

The loop costs about 2 µs a batch beside the read and the checksum (bench/storage.py).
"""

from typing import Final

from ottla.errors import RecordError
from ottla.protocol.records.batch import HEADER_SIZE, LENGTH_END, RecordBatch
from ottla.storage.offset_index import MAX_RELATIVE_OFFSET
from ottla.storage.recovery_report import RecoveryReport
from ottla.storage.replay import Replay
from ottla.storage.segment import Segment

WINDOW_BYTES: Final = 1024 * 1024


def check_segment(segment: Segment, position: int, replay: Replay, index_interval_bytes: int, end_offset: int) -> int:
    """Check the batches from a position on, index them, cut what follows the last good one; answers the bytes cut.

    What lies before the position is trusted: indexes and largest timestamp are those of it. At the end offset the next
    segment begins; what a lost truncation left here from there on is cut.
    """
    read, report, end = segment.opened().read, replay.report, segment.size_bytes
    transactions, next_offset = segment.loaded_transactions(), segment.end_offset_bound
    report.checked_segments += 1
    size_bytes = 0
    fault: str | None = None
    while position < end and fault is None:
        window = memoryview(bytearray(read(position, max(WINDOW_BYTES, size_bytes))))
        at = size_bytes = 0
        while at < len(window):
            try:
                batch = RecordBatch(window, at)
                batch.check()
            except RecordError as error:
                size_bytes = _announced(window, at)
                if at + size_bytes <= len(window) or position + at + size_bytes > end:
                    fault = str(error)
                break  # the rest of this batch is in the next window, or nowhere
            base_offset = batch.base_offset
            if base_offset != next_offset and (fault := _misplaced(segment, batch, next_offset, report)):
                break
            if base_offset >= end_offset:
                fault = f"{batch} was truncated: the next segment begins at {end_offset}"
                break
            next_offset = base_offset + batch.last_offset_delta + 1
            segment.note(next_offset - 1, batch.max_timestamp, position + at, index_interval_bytes)
            replay.batch(batch, transactions)
            at += batch.size_bytes
        report.checked_bytes += at
        position += at
    segment.end_offset_bound = next_offset
    return _cut(segment, position, fault, replay)


def _announced(window: memoryview, at: int) -> int:
    """The size that a header announces; beyond any file if there is no header."""
    if len(window) - at < LENGTH_END:
        return HEADER_SIZE
    return int.from_bytes(window[at + 8 : at + LENGTH_END], "big", signed=True) + LENGTH_END


def _misplaced(segment: Segment, batch: RecordBatch, next_offset: int, report: RecoveryReport) -> str | None:
    """What is wrong with a batch that is not at the offset that follows; a gap is noted, and may be."""
    if batch.base_offset < next_offset:
        return f"{batch} follows offset {next_offset - 1}"
    if batch.base_offset + batch.last_offset_delta - segment.base_offset > MAX_RELATIVE_OFFSET:
        return f"{batch} is too far from the segment's base offset"
    report.note(f"{segment.file.path}: offsets {next_offset} to {batch.base_offset - 1} are missing")
    return None


def _cut(segment: Segment, position: int, fault: str | None, replay: Replay) -> int:
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
