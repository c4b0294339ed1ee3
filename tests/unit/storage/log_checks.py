"""What is true of every log, whatever happened to it: its indexes, its producers, its epochs follow its batches."""

from ottla.protocol.records.batch import RecordBatch
from ottla.storage.leader_epochs import LeaderEpochs
from ottla.storage.log import Log
from ottla.storage.producers.replay import Replay
from ottla.storage.producers.state import ProducerState
from ottla.storage.recovery.report import RecoveryReport
from ottla.storage.segments.segment import Segment
from ottla.storage.segments.transaction_index import AbortedTransaction, TransactionIndex


def batches_in(segment: Segment) -> list[RecordBatch]:
    """The batches of a segment's file, each with a sound checksum."""
    data, found, position = memoryview(segment.opened().read(0, segment.size_bytes)), [], 0
    while position < len(data):
        batch = RecordBatch(data, position)
        batch.check()
        found.append(batch)
        position += batch.size_bytes
    assert position == segment.size_bytes
    return found


def check_log(log: Log, *, is_compacted: bool = False) -> list[RecordBatch]:
    """Look through a whole log; answers its batches."""
    found: list[RecordBatch] = []
    next_offset = log.segments.first.base_offset
    for segment in log.segments:
        batches = batches_in(segment)
        check_indexes(segment, batches)
        for batch in batches:
            assert batch.base_offset >= segment.base_offset
            assert batch.base_offset >= next_offset if is_compacted else batch.base_offset == next_offset
            next_offset = batch.next_offset
        found += batches
    assert log.log_end_offset >= next_offset if is_compacted else log.log_end_offset == next_offset
    assert log.segments.first.base_offset <= max(log.log_start_offset, log.segments.first.base_offset)
    assert log.recovery_point <= log.log_end_offset
    assert log.log_start_offset <= log.high_watermark <= log.log_end_offset
    assert log.last_stable_offset <= log.high_watermark
    assert log.producer_state.end_offset == log.log_end_offset
    return found


def check_indexes(segment: Segment, batches: list[RecordBatch]) -> None:
    """Offset entries point at the starts of batches, time entries at the first that has the largest timestamp."""
    offsets, times = segment.loaded_indexes()
    ends = {batch.position: batch.last_offset for batch in batches}
    for at in range(len(offsets)):
        last_offset, position = offsets.entry(at)
        assert ends.get(position) == last_offset, f"{segment}: entry {last_offset} at {position}"
    largest: dict[int, int] = {}  # timestamp by offset, where it grew
    newest = -1
    for batch in batches:
        if batch.max_timestamp > newest:
            newest = batch.max_timestamp
            largest[batch.last_offset] = newest
    for at in range(len(times)):
        entry = times.entry(at)
        assert largest.get(entry.offset) == entry.timestamp, f"{segment}: {entry}"
    assert segment.largest.timestamp == newest, f"{segment}: {segment.largest}, and not {newest}"


def check_producers(log: Log, batches: list[RecordBatch]) -> None:
    """The producers, epochs and aborted transactions are those that the batches tell, of a log that is whole."""
    state, epochs, aborted = ProducerState(), LeaderEpochs(), TransactionIndex(0)
    replay = Replay(state, epochs, RecoveryReport())
    for batch in batches:
        replay.batch(batch, aborted)
    assert told(log.producer_state) == told(state), f"{told(log.producer_state)} is not {told(state)}"
    assert log.epochs.entries() == epochs.entries(), f"{log.epochs} is not {epochs}"
    listed: list[AbortedTransaction] = []
    for segment in log.segments:
        listed += segment.loaded_transactions()
    assert listed == list(aborted), f"{listed} is not {list(aborted)}"


def told(state: ProducerState) -> dict[int, tuple[int, int, int, int, int | None]]:
    """What a snapshot keeps of each producer."""
    return {
        producer_id: (
            entry.producer_epoch,
            entry.last_sequence,
            entry.last_data_offset,
            entry.coordinator_epoch,
            entry.current_txn_first_offset,
        )
        for producer_id, entry in state.producers.items()
    }
