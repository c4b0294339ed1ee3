"""Voter sets, and which of them counts where."""

from dataclasses import replace

from ottla.cluster.raft.control import KRaftVersionAt, VotersAt, control_batch, voter_changes
from ottla.cluster.raft.voter_history import BOOTSTRAP_OFFSET, VoterHistory
from ottla.cluster.raft.voters import Endpoint, ReplicaKey, Voter, VoterSet, static_voters
from ottla.protocol.messages.control_records import KRaftVersionRecord
from tests.unit.cluster.raft.replica import LISTENER, directory, node_of


def voter(node_id: int, number: int = 1) -> Voter:
    """A voter with a directory."""
    return Voter(ReplicaKey(node_id, directory(node_id, number)), (Endpoint(LISTENER, f"node-{node_id}", 9093),))


THREE = VoterSet(map(voter, (1, 2, 3)))


def test_a_voter_is_an_id_and_a_directory() -> None:
    """KIP-853: who comes back with another disk is no voter; where directories are unknown the id must do."""
    assert THREE.is_voter(voter(1).key)
    assert not THREE.is_voter(voter(1, number=2).key)
    assert not THREE.is_voter(ReplicaKey(1))
    static = static_voters([node_of(1)], LISTENER)
    assert static.is_voter(voter(1).key)
    assert static.is_only_voter(ReplicaKey(1))


def test_sets_change_by_one() -> None:
    """Adding and removing give the set with one more or less; nobody is removed who is not there, or alone."""
    assert THREE.adding(voter(4)).ids == {1, 2, 3, 4}
    fewer = THREE.removing(voter(2).key)
    assert fewer is not None
    assert fewer.ids == {1, 3}
    assert THREE.removing(voter(2, number=2).key) is None
    assert VoterSet([voter(1)]).removing(voter(1).key) is None


def test_a_voter_may_move() -> None:
    """An update changes endpoints and versions of a replica that votes, and of nobody else."""
    moved = replace(voter(2), endpoints=(Endpoint(LISTENER, "elsewhere", 1),))
    updated = THREE.updating(moved)
    assert updated is not None
    assert [one.node(LISTENER) for one in updated] == [node_of(1), (2, "elsewhere", 1), node_of(3)]
    assert THREE.updating(voter(4)) is None


def test_a_set_is_a_record_and_back() -> None:
    """What the log says of voters is all of it."""
    assert VoterSet.from_record(THREE.to_record()) == THREE


def test_what_control_batches_say_is_found() -> None:
    """Voters and kraft.version are found in a section, with their offsets."""
    section = control_batch([KRaftVersionRecord(0, 1), THREE.to_record()], 10, 2, 0)
    assert voter_changes(section) == ([KRaftVersionAt(10, 1), VotersAt(11, THREE)], 12)


def test_the_newest_set_counts_until_it_is_cut() -> None:
    """A set counts as soon as it is in the log, committed or not; a cut takes it back."""
    static = static_voters([node_of(1)], LISTENER)
    history = VoterHistory(static)
    assert (history.voters, history.voters_offset) == (static, None)
    history.add([KRaftVersionAt(5, 1), VotersAt(6, THREE)])
    assert (history.voters, history.kraft_version, history.voters_offset) == (THREE, 1, 6)
    history.truncate(7)
    assert history.voters == THREE
    history.truncate(5)
    assert (history.voters, history.kraft_version) == (static, 0)


def test_a_snapshot_says_what_was_in_force_at_its_end() -> None:
    """Whoever writes a snapshot finds the set of that offset; what is trimmed is what nobody can ask for any more."""
    history = VoterHistory(VoterSet())
    four = THREE.adding(voter(4))
    history.load([KRaftVersionAt(0, 1), VotersAt(1, THREE)], BOOTSTRAP_OFFSET)
    assert history.voters_offset == BOOTSTRAP_OFFSET
    history.add([VotersAt(20, four)])
    assert history.voters_at(19) == THREE
    assert history.voters_at(20) == four
    history.trim(30)
    assert history.voters_at(30) == four
    assert history.kraft_version == 1
