"""The high watermark, check-quorum, and who is caught up."""

import pytest

from ottla.cluster.raft.progress import OBSERVER_SESSION_TIMEOUT_MS, Progress
from ottla.cluster.raft.voters import ReplicaKey, VoterSet, static_voters
from tests.unit.cluster.raft.replica import LISTENER, directory, node_of

FETCH_TIMEOUT_MS = 2_000


def voters(count: int) -> VoterSet:
    """Voters 1 to `count`."""
    return static_voters(map(node_of, range(1, count + 1)), LISTENER)


def progress(count: int, epoch_start_offset: int = 10) -> Progress:
    """What leader 1 knows at its start."""
    return Progress(ReplicaKey(1, directory(1)), voters(count), epoch_start_offset, FETCH_TIMEOUT_MS, 0)


@pytest.mark.parametrize(
    ("ends", "reached"),
    [
        ([12], 12),
        ([12, 11], 11),
        ([20, 15, 12], 15),
        ([20, 15, 12, 11], 12),
        ([20, 19, 18, 11, 11], 18),
        ([11, 20, 20], 20),
    ],
)
def test_the_high_watermark_is_what_more_than_half_have(ends: list[int], reached: int) -> None:
    """Raft, 5.3: an entry is committed once a majority of voters has it; the leader need not be in it."""
    known = progress(len(ends))
    known.synced(ends[0], 0)
    for node_id, end in enumerate(ends[1:], 2):
        known.fetched(ReplicaKey(node_id), end, ends[0], 0)
    assert known.high_watermark == reached


def test_entries_of_older_epochs_are_not_committed_by_count() -> None:
    """Raft, 5.4.2: only an entry of the leader's own epoch is committed by counting, and takes older ones along."""
    known = progress(3, epoch_start_offset=10)
    known.synced(12, 0)
    assert not known.fetched(ReplicaKey(2), 10, 12, 0)
    assert known.high_watermark is None
    assert known.fetched(ReplicaKey(2), 11, 12, 0)
    assert known.high_watermark == 11


def test_observers_do_not_count() -> None:
    """Only voters commit, and one of them with another directory is another replica."""
    known = progress(3)
    known.synced(12, 0)
    assert not known.fetched(ReplicaKey(7), 12, 12, 0)
    known.set_voters(known_directories())
    assert not known.fetched(ReplicaKey(2, directory(2, 99)), 12, 12, 0)
    assert known.fetched(ReplicaKey(2, directory(2)), 12, 12, 0)


def known_directories() -> VoterSet:
    """The same voters, with their directories."""
    return voters(3).with_directories({node_id: ReplicaKey(node_id, directory(node_id)) for node_id in (1, 2, 3)})


def test_the_high_watermark_does_not_fall_when_a_voter_comes_that_is_behind() -> None:
    """A new voter may move the majority back; what is committed stays committed."""
    known = progress(1)
    known.synced(20, 0)
    assert known.high_watermark == 20
    known.set_voters(voters(2))
    known.fetched(ReplicaKey(2), 11, 20, 0)
    assert known.high_watermark == 20


def test_a_leader_resigns_when_no_majority_fetches_for_one_and_a_half_fetch_timeouts() -> None:
    """Check-quorum: of five, two others are enough, each of whom must fetch anew for every period."""
    known = progress(5)
    assert known.check_quorum_ms == 3_000
    known.fetched(ReplicaKey(2), 10, 12, 500)
    known.fetched(ReplicaKey(2), 11, 12, 900)
    assert known.check_quorum_ms == 3_000
    known.fetched(ReplicaKey(3), 10, 12, 1_000)
    assert known.check_quorum_ms == 4_000
    known.fetched(ReplicaKey(3), 11, 12, 1_500)
    assert known.check_quorum_ms == 4_000


def test_a_single_voter_needs_nobody() -> None:
    """A quorum of one never resigns for want of others."""
    assert progress(1).check_quorum_ms > 2**60


def test_who_fetches_from_the_end_is_caught_up() -> None:
    """KIP-853: so is, as of its last fetch, who now has what there was then."""
    known, key = progress(3), ReplicaKey(9, directory(9))
    known.fetched(key, 5, 12, 1_000)
    assert not known.is_caught_up(key, 1_000)
    known.fetched(key, 12, 30, 2_000)
    replica = known.replica(key)
    assert replica is not None
    assert replica.last_caught_up_ms == 1_000
    assert known.is_caught_up(key, 2_000)
    assert not known.is_caught_up(key, 2_000 + 3_600_000)


def test_observers_that_are_silent_are_forgotten() -> None:
    """After five minutes DescribeQuorum does not show them any more."""
    known = progress(1)
    known.fetched(ReplicaKey(7), 0, 12, 0)
    known.fetched(ReplicaKey(8), 0, 12, OBSERVER_SESSION_TIMEOUT_MS)
    assert set(known.observers) == {ReplicaKey(8)}


def test_successors_are_the_most_advanced_first() -> None:
    """Who resigns recommends whoever lacks the least."""
    known = progress(4)
    known.synced(30, 0)
    for node_id, end in ((2, 12), (3, 20), (4, 12)):
        known.fetched(ReplicaKey(node_id), end, 30, 0)
    assert [key.node_id for key in known.successors()] == [3, 2, 4]
