"""The file `quorum-state`."""

import pytest

from ottla.cluster.raft.quorum_state import ElectionState
from ottla.cluster.raft.voters import ReplicaKey
from ottla.errors import CorruptFile
from ottla.protocol.uuids import parse_uuid

VOTED = ReplicaKey(1, parse_uuid("J8aAPcfLQt2bqs1JT_rMgQ"))


def test_version_0_is_written_as_kafka_writes_it() -> None:
    """With kraft.version 0 the file has the voters, an empty cluster id and an applied offset that nobody reads."""
    expected = (
        b'{"clusterId":"","leaderId":1,"leaderEpoch":2,"votedId":-1,"appliedOffset":0,'
        b'"currentVoters":[{"voterId":1},{"voterId":2}],"data_version":0}'
    )
    assert ElectionState(2, leader_id=1).to_bytes(0, (1, 2)) == expected


def test_version_1_is_written_as_kafka_writes_it() -> None:
    """With kraft.version 1 it has the directory of whom the vote went to."""
    expected = (
        b'{"leaderId":-1,"leaderEpoch":2,"votedId":1,"votedDirectoryId":"J8aAPcfLQt2bqs1JT_rMgQ","data_version":1}'
    )
    assert ElectionState(2, voted=VOTED).to_bytes(1) == expected


@pytest.mark.parametrize("state", [ElectionState(), ElectionState(7, 3), ElectionState(7, 3, VOTED)])
def test_what_was_written_is_read(state: ElectionState) -> None:
    """Epoch, leader and vote come back; version 0 forgets the directory."""
    assert ElectionState.from_bytes("file", state.to_bytes(1)) == state
    voted = state.voted and ReplicaKey(state.voted.node_id)
    assert ElectionState.from_bytes("file", state.to_bytes(0, (1,))) == ElectionState(
        state.epoch, state.leader_id, voted
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b"[]",
        b"\xff",
        b'{"leaderId":1,"leaderEpoch":2,"votedId":-1}',
        b'{"leaderId":1,"leaderEpoch":2,"votedId":-1,"data_version":2}',
        b'{"leaderId":1,"leaderEpoch":-2,"votedId":-1,"data_version":1}',
        b'{"leaderId":1,"leaderEpoch":true,"votedId":-1,"data_version":1}',
        b'{"leaderId":1,"leaderEpoch":2147483648,"votedId":-1,"data_version":1}',
        b'{"leaderId":-1,"leaderEpoch":2,"votedId":1,"data_version":1}',
        b'{"leaderId":-1,"leaderEpoch":2,"votedId":1,"votedDirectoryId":"short","data_version":1}',
    ],
)
def test_anything_else_is_a_corrupt_file(data: bytes) -> None:
    """A file that does not say all of it is not guessed at: a vote might be given twice."""
    with pytest.raises(CorruptFile):
        ElectionState.from_bytes("quorum-state", data)


def test_fields_that_are_not_known_do_no_harm() -> None:
    """Kafka's reader steps over them, and takes the first line alone."""
    data = ElectionState(2, 1).to_bytes(1).replace(b'"votedId"', b'"x":{},"votedId"') + b"\n!"
    assert ElectionState.from_bytes("file", data) == ElectionState(2, 1)
