"""What the batches of a log say beside their records: producers, transactions, leader epochs.

The same replay runs when a log is looked through after an unclean stop, when producers are made anew behind a snapshot,
and when a log was cut. Always true: it refuses nothing, since what is in the log is in the log; a control record that
cannot be read says nothing.
"""

from collections.abc import Sequence
from struct import Struct
from typing import Final

from ottla.errors import RecordError
from ottla.protocol.records.batch import CONTROL_BIT, HEADER_SIZE, RecordBatch
from ottla.protocol.records.control import EndTransaction, end_transaction
from ottla.protocol.records.record import records_of
from ottla.storage.leader_epochs import LeaderEpochs
from ottla.storage.producers.snapshots import ProducerSnapshots
from ottla.storage.producers.state import CompletedTransaction, ProducerState
from ottla.storage.recovery.report import RecoveryReport
from ottla.storage.segments.scan import places
from ottla.storage.segments.transaction_index import AbortedTransaction, TransactionIndex
from ottla.world.api import Disk

_PRODUCER_ID = Struct(">q")
_PRODUCER_ID_POSITION: Final = 43


class Replay:
    """Batches go in, in the order of the log; producers, epochs and the index of aborted transactions follow them."""

    __slots__ = ("epochs", "epochs_changed", "producer_state", "report")

    def __init__(self, producer_state: ProducerState, epochs: LeaderEpochs, report: RecoveryReport) -> None:
        self.producer_state, self.epochs, self.report = producer_state, epochs, report
        self.epochs_changed = False

    def batch(self, batch: RecordBatch, transactions: TransactionIndex) -> None:
        """The next batch of the log; an aborted transaction goes into the index."""
        epoch, latest = batch.partition_leader_epoch, self.epochs.latest_epoch
        if epoch != latest and epoch >= 0:
            if latest is not None and epoch < latest:
                self.report.note(f"{batch}: leader epoch {epoch} follows {latest}")
            else:
                self.epochs_changed |= self.epochs.assign(epoch, batch.base_offset)
        if batch.producer_id < 0:
            self.producer_state.end_offset = batch.base_offset + batch.last_offset_delta + 1
            return
        completed = self.producer_state.update(batch, marker_of(batch) if batch.attributes & CONTROL_BIT else None)
        if completed is not None and completed.is_aborted:
            transactions.append(aborted_transaction(completed))


def marker_of(batch: RecordBatch) -> EndTransaction | None:
    """How a transaction ended, if a control batch says that; one that cannot be read says nothing."""
    try:
        for record in records_of(batch):
            return end_transaction(record.key, record.value)
    except RecordError:
        return None
    return None


def aborted_transaction(completed: CompletedTransaction) -> AbortedTransaction:
    """What a transaction index says of a transaction that ended."""
    return AbortedTransaction(
        completed.producer_id, completed.first_offset, completed.last_offset, completed.last_stable_offset
    )


def rebuild_producers(  # noqa: PLR0917  # it is called through a thread, by position
    snapshots: ProducerSnapshots,
    state: ProducerState,
    disk: Disk,
    segments: Sequence[tuple[int, str, int]],
    log_start_offset: int,
    end_offset: int,
    now_ms: int,
    expiration_ms: int,
) -> None:
    """Make a state that of the log up to an offset: the last snapshot, and the batches behind it. This blocks.

    Segments are base offset, path and size. Of batches without a producer only the header is read.
    """
    snapshots.truncate_and_reload(state, log_start_offset, end_offset, now_ms, expiration_ms)
    for at, (base_offset, path, size_bytes) in enumerate(segments):
        is_behind = at + 1 < len(segments) and segments[at + 1][0] <= state.end_offset
        if not is_behind and base_offset < end_offset and state.end_offset < end_offset:
            _replay_segment(state, disk, path, size_bytes, end_offset)
    state.end_offset = end_offset


def _replay_segment(state: ProducerState, disk: Disk, path: str, size_bytes: int, end_offset: int) -> None:
    """Replay the batches of a segment between what the state knows and an offset."""
    file = disk.open(path, read_only=True)
    unlisted = TransactionIndex(0)
    replay = Replay(state, LeaderEpochs(), RecoveryReport())
    try:
        for place in places(file.read, path, 0, size_bytes):
            if place.base_offset >= end_offset:
                break
            if place.last_offset < state.end_offset:
                continue
            header = file.read(place.position, HEADER_SIZE)
            if _PRODUCER_ID.unpack_from(header, _PRODUCER_ID_POSITION)[0] >= 0:
                replay.batch(RecordBatch(memoryview(file.read(place.position, place.size_bytes))), unlisted)
    finally:
        file.close()
