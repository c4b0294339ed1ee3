"""The ISR as its leader sees it: what is certain, what may be, what was asked for."""

import pytest

from ottla.cluster.replication.isr import CommittedIsr


def test_whoever_is_asked_for_counts_where_records_must_not_be_lost() -> None:
    """While one more is asked for it is not in the ISR, and may be."""
    growing = CommittedIsr(frozenset({1, 2})).grown(3)
    assert [growing.isr, growing.maximal, growing.wanted] == list(map(frozenset, ((1, 2), (1, 2, 3), (1, 2, 3))))
    assert growing.is_in_flight


def test_whoever_is_to_leave_stays_until_the_controller_agrees() -> None:
    """While fewer are asked for all of them may be elected still."""
    shrinking = CommittedIsr(frozenset({1, 2, 3})).shrunk([2, 3])
    assert [shrinking.isr, shrinking.maximal, shrinking.wanted] == list(map(frozenset, ((1, 2, 3), (1, 2, 3), (1,))))
    assert shrinking.is_in_flight


def test_what_changes_nothing_is_not_asked_for() -> None:
    """Nor is an ISR without anybody."""
    committed = CommittedIsr(frozenset({1, 2}))
    assert committed.isr == committed.maximal == frozenset((1, 2))
    assert not committed.is_in_flight
    for wrong in (lambda: committed.grown(2), lambda: committed.shrunk([]), lambda: committed.shrunk([1, 2])):
        with pytest.raises(AssertionError):
            wrong()
