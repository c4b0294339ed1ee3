"""Idempotent producers: what is appended, known again, or refused."""

import pytest

from ottla.errors import InvalidProducerEpoch, InvalidTransactionState, OutOfOrderSequence
from ottla.protocol.records.batch import CONTROL_BIT, TRANSACTIONAL_BIT
from ottla.storage.append.info import AppendOrigin
from ottla.storage.producers.entry import NO_OFFSET
from ottla.storage.producers.state import ProducerState
from tests.unit.storage.producer_batches import Partition, batch_of

PID = 7
LAST_SEQUENCE = 2**31 - 1


def test_w35_the_next_sequence_is_appended() -> None:
    """W35: with old as the last sequence of a producer, old + 1 is appended; the first one of all is 0."""
    partition = Partition()
    for sequence in range(10):
        assert partition.produce(PID, sequence) is None
    assert partition.end == 10


def test_w35_a_duplicate_is_answered_with_its_old_offset() -> None:
    """W35: the last five batches are known again, with the offsets and the timestamp that they got."""
    partition = Partition()
    for number in range(6):
        partition.produce(PID, 3 * number, count=3, timestamp=500 + number)
    for number in range(1, 6):
        known = partition.produce(PID, 3 * number, count=3, timestamp=999)
        assert known is not None
        assert (known.first_offset, known.last_offset, known.timestamp) == (3 * number, 3 * number + 2, 500 + number)
    assert partition.end == 18


def test_w35_an_older_duplicate_is_out_of_order() -> None:
    """A duplicate from before the last five batches cannot be told from a gap, and is never appended twice."""
    partition = Partition()
    for sequence in range(6):
        partition.produce(PID, sequence)
    with pytest.raises(OutOfOrderSequence) as refused:
        partition.produce(PID, 0)
    assert refused.value.code == 45
    assert partition.end == 6


def test_w35_a_gap_is_out_of_order() -> None:
    """W35: what is above old + 1 is refused, and says what was expected."""
    partition = Partition()
    partition.produce(PID, 0)
    with pytest.raises(OutOfOrderSequence, match="sequence 2 at offset 0: 0 was the last sequence"):
        partition.produce(PID, 2)
    assert partition.produce(PID, 1) is None


def test_a_batch_with_other_ends_is_no_duplicate() -> None:
    """Only a batch with the same first and last sequence is the same one."""
    partition = Partition()
    partition.produce(PID, 0, count=3)
    for sequence, count in ((0, 2), (1, 2), (0, 4)):
        with pytest.raises(OutOfOrderSequence):
            partition.produce(PID, sequence, count=count)


def test_w36_partitions_do_not_know_of_each_other() -> None:
    """W36: the same batch is appended once in each partition, since sequences are counted in each of them."""
    one, other = Partition(), Partition()
    assert one.produce(PID, 0) is None
    assert other.produce(PID, 0) is None
    assert one.produce(PID, 0) is not None


def test_w36_a_restarted_producer_is_somebody_else() -> None:
    """W36: without a transactional id a restarted producer gets a new producer id, and its duplicates are not known."""
    partition = Partition()
    partition.produce(PID, 0)
    assert partition.produce(PID + 1, 0) is None
    assert partition.end == 2


def test_w36_with_a_transactional_id_a_restart_fences_the_former_life() -> None:
    """W36: with one it keeps its producer id under a new epoch; what the former life still sends is refused."""
    partition = Partition()
    partition.produce(PID, 0, epoch=0, transactional=True)
    partition.end_transaction(PID, commit=False, epoch=1)
    assert partition.produce(PID, 0, epoch=1, transactional=True) is None
    with pytest.raises(InvalidProducerEpoch) as refused:
        partition.produce(PID, 1, epoch=0, transactional=True)
    assert refused.value.code == 47


def test_sequences_wrap() -> None:
    """Behind sequence 2^31 - 1 comes 0, also in the middle of a batch, and duplicates are known across it."""
    partition = Partition()
    partition.produce(PID, LAST_SEQUENCE - 1, count=2)
    assert partition.produce(PID, 0) is None
    assert (known := partition.produce(PID, LAST_SEQUENCE - 1, count=2)) is not None
    assert known.first_sequence == LAST_SEQUENCE - 1
    other = Partition()
    other.produce(PID, LAST_SEQUENCE - 1, count=4)
    assert other.state.producers[PID].last_sequence == 1
    assert (known := other.produce(PID, LAST_SEQUENCE - 1, count=4)) is not None
    assert (known.first_sequence, known.last_sequence) == (LAST_SEQUENCE - 1, 1)
    assert other.produce(PID, 2) is None


def test_a_new_epoch_begins_at_0() -> None:
    """A new epoch's first batch has sequence 0, and the old epoch's batches are forgotten."""
    partition = Partition()
    partition.produce(PID, 0)
    with pytest.raises(OutOfOrderSequence, match="sequence 0, it follows epoch 0"):
        partition.produce(PID, 1, epoch=1)
    assert partition.produce(PID, 0, epoch=1) is None
    assert len(partition.state.producers[PID].batches) == 1


def test_an_unknown_producer_may_begin_anywhere() -> None:
    """A producer that the partition knows nothing of is let in at any sequence: its records may have been deleted."""
    partition = Partition()
    assert partition.produce(PID, 40) is None
    with pytest.raises(OutOfOrderSequence):
        partition.produce(PID, 42)


def test_a_producer_expires() -> None:
    """A producer that was silent for producer.id.expiration.ms is forgotten, and may go on at any sequence."""
    partition = Partition()
    partition.produce(PID, 0, timestamp=1_000)
    partition.produce(PID + 1, 0, timestamp=1_001)
    assert partition.state.expire(now_ms=1_099, expiration_ms=100) == 0
    assert partition.state.expire(now_ms=1_100, expiration_ms=100) == 1
    assert list(partition.state.producers) == [PID + 1]
    assert partition.produce(PID, 5) is None


def test_a_producer_with_an_open_transaction_does_not_expire() -> None:
    """However silent it is, a producer with an open transaction is remembered."""
    partition = Partition()
    partition.produce(PID, 0, transactional=True)
    assert partition.state.expire(now_ms=10**15, expiration_ms=1) == 0
    partition.end_transaction(PID, commit=True)
    assert partition.state.expire(now_ms=10**15, expiration_ms=1) == 1


def test_coordinators_write_without_sequences() -> None:
    """A coordinator's batches have no sequence, and are fenced by epoch alone."""
    partition = Partition()
    for epoch in (3, 3, 4):
        assert partition.produce(PID, epoch=epoch, origin=AppendOrigin.COORDINATOR) is None
    with pytest.raises(InvalidProducerEpoch):
        partition.produce(PID, epoch=3, origin=AppendOrigin.COORDINATOR)
    assert partition.end == 3


def test_what_a_leader_let_in_a_follower_takes() -> None:
    """Replicated batches are not judged again, in whatever order they come, and become the state all the same."""
    partition = Partition()
    for sequence, epoch in ((5, 3), (9, 3), (0, 1)):
        assert partition.produce(PID, sequence, epoch=epoch, origin=AppendOrigin.REPLICATION) is None
    entry = partition.state.producers[PID]
    assert (entry.producer_epoch, entry.last_sequence, entry.last_data_offset) == (1, 0, 2)
    assert "7 epoch 1, last sequence 0" in repr(entry)


def test_batches_of_nobody() -> None:
    """Batches without a producer id are not looked at, and only move the end."""
    partition = Partition()
    assert partition.produce(count=5) is None
    assert (partition.end, partition.state.producers, partition.state.is_empty) == (5, {}, True)


def test_records_outside_of_the_open_transaction_are_refused() -> None:
    """While a producer has a transaction open it writes nothing outside of it, not under a new epoch either."""
    partition = Partition()
    partition.produce(PID, 0, transactional=True)
    for sequence, epoch in ((1, 0), (0, 1)):
        with pytest.raises(InvalidTransactionState, match="open from offset 0") as refused:
            partition.produce(PID, sequence, epoch=epoch)
        assert refused.value.code == 48


def test_a_control_batch_that_lost_its_record_changes_nothing() -> None:
    """When the cleaner has taken all of a transaction an empty control batch may stay: it ends nothing."""
    state = ProducerState()
    batch = batch_of(PID, attributes=CONTROL_BIT | TRANSACTIONAL_BIT)
    assert state.check(batch, AppendOrigin.COORDINATOR) is None
    assert state.update(batch) is None
    assert (state.producers, state.end_offset) == ({}, 1)


def test_a_check_changes_nothing() -> None:
    """Looking at a batch, whatever comes of it, leaves the state as it is."""
    partition = Partition()
    partition.produce(PID, 0, transactional=True)
    state = partition.state
    before = repr((state.producers, state.end_offset, state.first_unstable_offset))
    for sequence in (0, 1, 2):
        for attributes in (0, TRANSACTIONAL_BIT):
            for producer_id in (PID, PID + 1):
                batch = batch_of(producer_id, sequence=sequence, attributes=attributes)
                try:
                    state.check(batch, AppendOrigin.CLIENT, is_verification_required=True)
                except (OutOfOrderSequence, InvalidTransactionState):
                    continue
    assert repr((state.producers, state.end_offset, state.first_unstable_offset)) == before


def test_what_is_remembered_after_a_bump_by_marker() -> None:
    """A marker under a new epoch forgets the batches of the old one: the last data is not known any more."""
    partition = Partition()
    partition.produce(PID, 0, transactional=True)
    partition.end_transaction(PID, commit=True, epoch=1, version=2)
    entry = partition.state.producers[PID]
    assert (entry.producer_epoch, entry.last_data_offset, entry.last_sequence) == (1, NO_OFFSET, -1)
    with pytest.raises(OutOfOrderSequence):
        partition.produce(PID, 1, epoch=1, transactional=True)
    assert partition.produce(PID, 0, epoch=1, transactional=True) is None
