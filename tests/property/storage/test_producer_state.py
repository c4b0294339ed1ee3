"""Producers: what the leader knows, what a replay of its log gives, and a snapshot with the rest replayed, is the same.

The leader's own answers are compared with a model that looks through the whole log each time.
"""

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ottla.errors import ProducerError
from ottla.protocol.records.batch import SEQUENCE_MASK
from ottla.storage.producers.snapshot import decode_snapshot, encode_snapshot
from ottla.storage.producers.state import ProducerState
from tests.unit.storage.producer_batches import Partition


@dataclass(frozen=True)
class Write:
    """A batch that somebody tries to append. A small range of everything, so that most of it means something."""

    producer_id: int
    epoch_change: int  # from the epoch that the partition knows
    sequence_change: int  # from the sequence that would be next
    count: int
    transactional: bool


@dataclass(frozen=True)
class Marker:
    """The end of a transaction that somebody tries to write."""

    producer_id: int
    epoch_change: int
    commit: bool
    coordinator_epoch: int
    version: int


PRODUCERS = st.integers(1, 3)
WRITES = st.builds(
    Write,
    PRODUCERS,
    st.sampled_from([0, 0, 0, 0, 1, -1]),
    st.sampled_from([0, 0, 0, 0, 1, -1, -2, -9]),
    st.integers(1, 3),
    st.booleans(),
)
MARKERS = st.builds(
    Marker,
    PRODUCERS,
    st.sampled_from([0, 0, 1, -1]),
    st.booleans(),
    st.sampled_from([1, 1, 2, 3]),
    st.sampled_from([0, 2]),
)
STEPS = st.lists(st.one_of(WRITES, WRITES, MARKERS), max_size=40)


def attempt(partition: Partition, step: Write | Marker) -> None:
    """Try it; a refusal is an answer too."""
    entry = partition.state.producers.get(step.producer_id)
    epoch = max(0, (entry.producer_epoch if entry else 0) + step.epoch_change)
    try:
        if isinstance(step, Marker):
            partition.end_transaction(
                step.producer_id,
                commit=step.commit,
                epoch=epoch,
                coordinator_epoch=step.coordinator_epoch,
                version=step.version,
                timestamp=partition.end,
            )
        else:
            following = entry.last_sequence + 1 if entry and epoch == entry.producer_epoch else 0
            sequence = following + step.sequence_change & SEQUENCE_MASK
            partition.produce(
                step.producer_id,
                sequence,
                epoch=epoch,
                count=step.count,
                transactional=step.transactional,
                timestamp=partition.end,
            )
    except ProducerError:
        return


def known(state: ProducerState) -> Any:
    """What every way of coming to a state must agree about."""
    producers = {
        entry.producer_id: (
            entry.producer_epoch,
            entry.coordinator_epoch,
            entry.last_timestamp,
            entry.current_txn_first_offset,
            [(batch.last_sequence, batch.last_offset, batch.offset_delta) for batch in entry.batches[-1:]],
        )
        for entry in state.producers.values()
    }
    return producers, state.end_offset, state.first_undecided_offset, list(state._open.items())


@given(STEPS, st.integers(0, 40))
def test_live_replayed_and_snapshot_with_tail(steps: list[Write | Marker], taken_after: int) -> None:
    """The leader's state, its log replayed, and a snapshot with what follows replayed are equal."""
    leader = Partition()
    snapshot, batches_before, offset = encode_snapshot([]), 0, 0
    for number, step in enumerate(steps):
        attempt(leader, step)
        if number == taken_after:
            snapshot = encode_snapshot(leader.state.producers.values())
            batches_before, offset = len(leader.log), leader.end
    replayed, reloaded = ProducerState(), ProducerState()
    reloaded.load(decode_snapshot("", snapshot), offset)
    for entry in leader.log:
        replayed.update(*entry)
    for entry in leader.log[batches_before:]:
        reloaded.update(*entry)
    assert known(leader.state) == known(replayed) == known(reloaded)
    assert encode_snapshot(replayed.producers.values()) == encode_snapshot(leader.state.producers.values())
    for high_watermark in range(leader.end + 1):
        leader.state.advance_high_watermark(high_watermark)
        replayed.advance_high_watermark(high_watermark)
        assert leader.state.first_unstable_offset == replayed.first_unstable_offset


@given(STEPS)
def test_sequences_in_the_log_have_no_gap_and_no_duplicate(steps: list[Write | Marker]) -> None:
    """Whatever is tried, the sequences of a producer's epoch in the log follow each other, and epochs only grow."""
    partition = Partition()
    for step in steps:
        attempt(partition, step)
    last: dict[int, tuple[int, int]] = {}  # epoch and last sequence, by producer
    for batch, marker in partition.log:
        epoch, sequence = last.get(batch.producer_id, (-1, -1))
        assert batch.producer_epoch >= epoch
        if marker is not None:
            last[batch.producer_id] = (batch.producer_epoch, sequence if batch.producer_epoch == epoch else -1)
            continue
        if epoch == batch.producer_epoch:
            assert batch.base_sequence == (sequence + 1) & SEQUENCE_MASK
        elif epoch != -1:
            assert batch.base_sequence == 0
        last[batch.producer_id] = (batch.producer_epoch, batch.last_sequence)


@given(STEPS, st.lists(st.integers(0, 60), max_size=5))
def test_what_is_unstable_agrees_with_the_log(steps: list[Write | Marker], high_watermarks: list[int]) -> None:
    """Looking for transactions through the whole log finds the same first unstable offset at every high watermark."""
    partition = Partition()
    for step in steps:
        attempt(partition, step)
    transactions: list[tuple[int, int]] = []  # first offset, and the marker's
    begun: dict[int, int] = {}
    for batch, marker in partition.log:
        if marker is None and batch.is_transactional:
            begun.setdefault(batch.producer_id, batch.base_offset)
        elif marker is not None and batch.producer_id in begun:
            transactions.append((begun.pop(batch.producer_id), batch.base_offset))
    for high_watermark in sorted(high_watermarks):
        partition.state.advance_high_watermark(high_watermark)
        unstable = [first for first, marker_offset in transactions if marker_offset >= high_watermark]
        assert partition.state.first_unstable_offset == min([*unstable, *begun.values()], default=None)
