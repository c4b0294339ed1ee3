"""Transactions in a partition: open, ended, stable; markers, fencing and verification."""

import pytest

from ottla.errors import (
    InvalidProducerEpoch,
    InvalidTransactionState,
    OutOfOrderSequence,
    TransactionCoordinatorFenced,
)
from ottla.storage.append.info import AppendOrigin
from ottla.storage.producers.state import LATE_TRANSACTION_BUFFER_MS, CompletedTransaction, ProducerState
from ottla.storage.producers.verification import NO_GUARD, VerificationGuard
from tests.unit.storage.producer_batches import Partition

ONE, TWO = 7, 8
LAST_EPOCH = 2**15 - 1


def test_a_transaction_is_unstable_from_its_first_record_on() -> None:
    """The first unstable offset is that of the first batch of the oldest open transaction."""
    partition = Partition()
    partition.produce(ONE, 0)
    before = partition.state.first_unstable_offset
    partition.produce(ONE, 1, transactional=True)
    partition.produce(TWO, 0, transactional=True)
    partition.produce(ONE, 2, transactional=True)
    assert (before, partition.state.first_unstable_offset, partition.state.first_undecided_offset) == (None, 1, 1)
    assert partition.state.has_open_transaction(ONE, 0)
    assert not partition.state.has_open_transaction(ONE, 1)


def test_a_marker_ends_it() -> None:
    """A marker tells which records its transaction had, and what was stable when it ended."""
    partition = Partition()
    partition.produce(ONE, 0, transactional=True)
    partition.produce(TWO, 0, transactional=True)
    assert partition.end_transaction(ONE, commit=False) == CompletedTransaction(ONE, 0, 2, True, 1)
    assert partition.end_transaction(TWO, commit=True) == CompletedTransaction(TWO, 1, 3, False, 4)
    assert partition.state.first_undecided_offset is None


def test_an_ended_transaction_is_unstable_until_its_marker_is_replicated() -> None:
    """Only when the high watermark has passed the marker is the transaction's end known to outlive its leader."""
    partition = Partition()
    partition.produce(ONE, 0, transactional=True)
    partition.end_transaction(ONE, commit=True)
    assert not partition.state.is_empty
    for high_watermark, unstable in ((0, 0), (1, 0), (2, None)):
        partition.state.advance_high_watermark(high_watermark)
        assert partition.state.first_unstable_offset == unstable


def test_transactions_that_end_in_another_order() -> None:
    """What is unstable begins with the oldest transaction that is open or not replicated, however they end."""
    partition = Partition()
    for producer_id in (1, 2, 3):
        partition.produce(producer_id, 0, transactional=True)
    for producer_id in (3, 1, 2):  # markers at 3, 4 and 5
        partition.end_transaction(producer_id, commit=True)
    unstable = []
    for high_watermark in range(7):
        partition.state.advance_high_watermark(high_watermark)
        unstable.append(partition.state.first_unstable_offset)
    assert unstable == [0, 0, 0, 0, 0, 1, None]


def test_deleted_records_are_not_unstable() -> None:
    """A log start behind a marker is as good as a high watermark; the end never lies before the start."""
    partition = Partition()
    partition.produce(ONE, 0, transactional=True)
    partition.end_transaction(ONE, commit=True)
    partition.state.advance_log_start(10)
    assert (partition.state.first_unstable_offset, partition.end) == (None, 10)


def test_a_marker_without_a_transaction() -> None:
    """A marker for a producer that wrote nothing here ends nothing, and still tells epochs."""
    partition = Partition()
    assert partition.end_transaction(ONE, commit=True, epoch=3, coordinator_epoch=5) is None
    entry = partition.state.producers[ONE]
    assert (entry.producer_epoch, entry.coordinator_epoch) == (3, 5)


def test_sequences_go_on_behind_a_marker() -> None:
    """Without epoch bumps the sequences of the next transaction follow those of the one before."""
    partition = Partition()
    partition.produce(ONE, 0, transactional=True)
    partition.end_transaction(ONE, commit=True)
    assert partition.produce(ONE, 1, transactional=True) is None
    assert partition.produce(ONE, 0, transactional=True) is not None


def test_an_old_coordinator_is_fenced() -> None:
    """A marker of an older coordinator epoch than is known is refused; replicas take it."""
    partition = Partition()
    partition.end_transaction(ONE, commit=True, coordinator_epoch=5)
    with pytest.raises(TransactionCoordinatorFenced, match="coordinator epoch 4, and 5 is known") as refused:
        partition.end_transaction(ONE, commit=True, coordinator_epoch=4)
    assert refused.value.code == 52
    partition.end_transaction(ONE, commit=True, coordinator_epoch=5)
    partition.end_transaction(ONE, commit=True, coordinator_epoch=4, origin=AppendOrigin.REPLICATION)
    assert partition.state.producers[ONE].coordinator_epoch == 4


def test_an_old_producers_marker_is_fenced() -> None:
    """A marker under an older producer epoch than is known is refused."""
    partition = Partition()
    partition.produce(ONE, 0, epoch=2, transactional=True)
    with pytest.raises(InvalidProducerEpoch):
        partition.end_transaction(ONE, commit=False, epoch=1)
    partition.end_transaction(ONE, commit=False, epoch=2)


def test_markers_that_bump_the_epoch() -> None:
    """KIP-890: with transaction.version 2 a marker's epoch is above its transaction's; the same epoch is too old."""
    partition = Partition()
    partition.produce(ONE, 0, epoch=2, transactional=True)
    for epoch in (1, 2):
        with pytest.raises(InvalidProducerEpoch):
            partition.end_transaction(ONE, commit=True, epoch=epoch, version=2)
    assert partition.end_transaction(ONE, commit=True, epoch=3, version=2) is not None
    assert partition.end_transaction(ONE, commit=True, epoch=3, version=2) is None, "a retry is taken again"
    with pytest.raises(InvalidProducerEpoch):
        partition.end_transaction(ONE, commit=True, epoch=2, version=2)


def test_the_last_epoch_cannot_be_bumped() -> None:
    """At the largest epoch a marker carries its transaction's own."""
    partition = Partition()
    partition.produce(ONE, 0, epoch=LAST_EPOCH, transactional=True)
    assert partition.end_transaction(ONE, commit=True, epoch=LAST_EPOCH, version=2) is not None


def test_a_late_transaction() -> None:
    """A transaction that was silent for five minutes longer than any may last is late."""
    state = Partition().state
    assert not state.has_late_transaction(10**15, 1_000)
    partition = Partition()
    partition.produce(ONE, 0, transactional=True, timestamp=1_000)
    late_ms = 1_000 + 60_000 + LATE_TRANSACTION_BUFFER_MS
    assert not partition.state.has_late_transaction(late_ms, 60_000)
    assert partition.state.has_late_transaction(late_ms + 1, 60_000)
    partition.produce(ONE, 1, transactional=True, timestamp=2_000)
    assert not partition.state.has_late_transaction(late_ms + 1, 60_000)


def verify(
    state: ProducerState, sequence: int = 0, epoch: int = 0, *, now_ms: int = 0, bump: bool = False
) -> VerificationGuard:
    """Begin to ask the coordinator."""
    return state.start_verification(ONE, sequence, epoch, now_ms, supports_epoch_bump=bump)


def test_a_transaction_opens_only_with_its_coordinators_word() -> None:
    """Transactional records that open a transaction need the guard that was given out for it; those behind them not."""
    partition = Partition()
    for guard in (NO_GUARD, VerificationGuard()):
        with pytest.raises(InvalidTransactionState, match="has not confirmed") as refused:
            partition.produce(ONE, 0, transactional=True, guard=guard)
        assert refused.value.code == 48
    guard = verify(partition.state)
    with pytest.raises(InvalidTransactionState):
        partition.produce(ONE, 0, transactional=True, guard=NO_GUARD)
    assert partition.produce(ONE, 0, transactional=True, guard=guard) is None
    assert verify(partition.state, 1) is NO_GUARD, "nobody needs to be asked any more"
    assert partition.produce(ONE, 1, transactional=True, guard=NO_GUARD) is None


def test_an_answer_that_comes_after_the_transactions_end() -> None:
    """A marker takes the guard away: whoever waited for the coordinator cannot open a transaction that nobody ends."""
    partition = Partition()
    late = verify(partition.state)
    partition.end_transaction(ONE, commit=False)
    with pytest.raises(InvalidTransactionState):
        partition.produce(ONE, 0, transactional=True, guard=late)
    again = verify(partition.state)
    assert again is not late
    with pytest.raises(InvalidTransactionState):
        partition.produce(ONE, 0, transactional=True, guard=late)


def test_a_bumping_marker_leaves_the_next_transactions_guard() -> None:
    """KIP-890: a marker under the epoch that the next transaction already waits under does not end its waiting."""
    partition = Partition()
    partition.produce(ONE, 0, transactional=True)
    guard = verify(partition.state, epoch=1, bump=True)
    partition.end_transaction(ONE, commit=True, epoch=1, version=2)
    assert partition.produce(ONE, 0, epoch=1, transactional=True, guard=guard) is None


def test_waiting_batches_share_a_guard_and_keep_their_order() -> None:
    """Of several batches that wait the one with the lowest sequence goes first; a new epoch begins to count anew."""
    partition = Partition()
    partition.produce(ONE, 4)
    guard = verify(partition.state, 6)
    assert verify(partition.state, 5) is guard
    assert verify(partition.state, 7) is guard
    with pytest.raises(OutOfOrderSequence, match="sequence 5 is not appended yet"):
        partition.produce(ONE, 6, transactional=True, guard=guard)
    assert verify(partition.state, 0, epoch=1) is guard
    with pytest.raises(OutOfOrderSequence, match="sequence 0 is not appended yet"):
        partition.produce(ONE, 5, transactional=True, guard=guard)
    assert partition.produce(ONE, 0, epoch=1, transactional=True, guard=guard) is None


def test_with_epoch_bumps_a_transaction_begins_with_sequence_0() -> None:
    """KIP-890: a producer of which nothing is known may not begin in the middle when it bumps epochs."""
    partition = Partition()
    guard = verify(partition.state, 3, bump=True)
    with pytest.raises(OutOfOrderSequence, match="has sequence 0"):
        partition.produce(ONE, 3, transactional=True, guard=guard)
    older = Partition()
    guard = verify(older.state, 3, bump=False)
    assert older.produce(ONE, 3, transactional=True, guard=guard) is None


def test_an_old_epoch_is_refused_before_anybody_is_asked() -> None:
    """Neither a guard nor a batch of a transaction is for a producer's former life."""
    partition = Partition()
    partition.produce(ONE, 0, epoch=2)
    with pytest.raises(InvalidProducerEpoch):
        verify(partition.state, epoch=1)
    with pytest.raises(InvalidProducerEpoch):
        partition.produce(ONE, 0, epoch=1, transactional=True, guard=NO_GUARD)


def test_markers_and_replicas_need_no_guard() -> None:
    """What a coordinator ends, and what a leader has appended, was verified there."""
    partition = Partition()
    partition.end_transaction(ONE, commit=True)
    partition.produce(ONE, 0, transactional=True, guard=NO_GUARD, origin=AppendOrigin.REPLICATION)
    assert partition.state.first_unstable_offset == 1


def test_guards_expire() -> None:
    """A guard that nobody used is forgotten as late as a producer would be."""
    partition = Partition()
    guard = verify(partition.state, now_ms=1_000)
    partition.state.expire(now_ms=1_099, expiration_ms=100)
    assert verify(partition.state, now_ms=1_099) is guard
    partition.state.expire(now_ms=1_100, expiration_ms=100)
    assert verify(partition.state, now_ms=1_100) is not guard
