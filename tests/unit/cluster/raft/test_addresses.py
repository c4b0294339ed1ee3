"""Where everybody is: what a leader writes and tells of itself, and how one that knows nothing finds it."""

from dataclasses import replace

from ottla.cluster.raft import messages
from ottla.cluster.raft.events import Responded, Send, Sync, Unanswered
from ottla.cluster.raft.states import Candidate, Follower, Leader
from ottla.cluster.raft.voters import Endpoint, Node
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse_PartitionData
from ottla.protocol.messages.quorum import (
    AddRaftVoterRequest,
    BeginQuorumEpochRequest,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
    VoteRequest,
    VoteResponse,
)
from ottla.protocol.records.batch import whole_batches
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.control import ControlRecordType, control_type
from ottla.protocol.records.record import records_of
from tests.unit.cluster.raft.one import CONFIG, TWO, One, state_of, voter
from tests.unit.cluster.raft.replica import CLUSTER_ID, LISTENER, node_of

ELSEWHERE = Endpoint(LISTENER, "elsewhere", 9093)
SERVER = Node(-2, "server", 9093)  # a bootstrap server


def first_records(one: One) -> list[int]:
    """The types of the records that its log begins with."""
    whole, _ = whole_batches(memoryview(one.log.read(0, 1)))
    return [int(control_type(record.key)) for record in records_of(whole[0])]


def sent(one: One, kind: type) -> list[Send]:
    """Its requests of a kind, so far."""
    return [send for send in one.sent if isinstance(send.request, kind)]


def follower(*, kraft_version: int = 1, bootstrap: tuple[Node, ...] = ()) -> One:
    """Replica 1, which follows voter 2 in epoch 1."""
    one = One(kraft_version=kraft_version, bootstrap=bootstrap)
    one.ask(messages.begin_request(CLUSTER_ID, voter(1).key, 2, 1, voter(2).endpoints))
    assert state_of(one) is Follower
    return one


def answer_fetches(one: One, ms: int) -> None:
    """For so long its leader 2 has nothing new."""
    for _ in range(4):
        fetch = sent(one, FetchRequest)[-1]
        one.elapse(ms // 4)
        partition = FetchResponse_PartitionData(high_watermark=-1, records=b"")
        one.step(Responded(fetch.correlation_id, messages.fetch_response(partition, 2, 1, node_of(2))))


def leader_of(one: One) -> Node:
    """Where it believes the leader to be."""
    assert isinstance(one.raft.state, Follower)
    return one.raft.state.leader


def test_a_leader_that_has_moved_writes_where_it_is() -> None:
    """Its first batch says it, with the kraft.version, as for voters of the bootstrap snapshot; else only who leads."""
    types = ControlRecordType
    moved = One((1,), kraft_version=1, endpoints=(ELSEWHERE,))
    assert first_records(moved) == [types.LEADER_CHANGE, types.KRAFT_VERSION, types.KRAFT_VOTERS]
    found = moved.raft.quorum.voters.get(1)
    assert found is not None
    assert found.endpoints == (ELSEWHERE,)
    for endpoints, is_told in (((ELSEWHERE,), False), (voter(1).endpoints, True), (voter(1).endpoints, False)):
        offset = moved.raft.quorum.history.voters_offset
        moved.begin(moved.raft.quorum.stored, endpoints=endpoints)
        moved.elapse(CONFIG.election_timeout_ms)
        assert state_of(moved) is Leader
        found = moved.raft.quorum.voters.get(1)
        assert found is not None
        assert found.endpoints == endpoints
        assert (moved.raft.quorum.history.voters_offset != offset) == is_told


def test_a_leader_tells_only_those_that_do_not_fetch() -> None:
    """BeginQuorumEpoch goes to whom nothing was heard of for half a fetch timeout."""
    one = One().elected()
    assert {send.node.node_id for send in sent(one, BeginQuorumEpochRequest)} == {2, 3}
    for send in sent(one, BeginQuorumEpochRequest):
        one.step(Unanswered(send.correlation_id))
    one.sent.clear()
    one.elapse(CONFIG.begin_epoch_period_ms // 2)
    one.step_fetch(0, TWO)
    one.elapse(CONFIG.begin_epoch_period_ms // 2)
    assert [send.node.node_id for send in sent(one, BeginQuorumEpochRequest)] == [3]


def test_a_leader_says_itself_where_it_is() -> None:
    """What a BeginQuorumEpoch or the leader's answer says counts, in the same epoch too; what others say does not."""
    one = follower()
    assert leader_of(one) == node_of(2)
    one.ask(messages.begin_request(CLUSTER_ID, voter(1).key, 2, 1, [ELSEWHERE]))
    assert leader_of(one) == Node(2, "elsewhere", 9093)
    answer = FetchResponse_PartitionData(high_watermark=-1, records=b"")
    one.respond(FetchRequest, messages.fetch_response(answer, 2, 1, node_of(2)))
    assert leader_of(one) == node_of(2)
    refusal = FetchResponse_PartitionData(error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER, records=b"")
    one.respond(FetchRequest, messages.fetch_response(refusal, 2, 1, Node(2, "elsewhere", 9093)))
    assert leader_of(one) == node_of(2)


def test_a_voter_without_a_leader_asks_bootstrap_servers() -> None:
    """Nobody may know where it is: it learns of the leader without an election."""
    one = One(kraft_version=1, bootstrap=(SERVER,))
    (send,) = sent(one, FetchRequest)
    assert send.node == SERVER
    answer = FetchResponse_PartitionData(error_code=ErrorCode.FENCED_LEADER_EPOCH, records=b"")
    one.respond(FetchRequest, messages.fetch_response(answer, 2, 4, node_of(2)))
    assert (state_of(one), one.raft.state.epoch, leader_of(one)) == (Follower, 4, node_of(2))


def test_a_voter_whose_leader_does_not_answer_asks_bootstrap_servers() -> None:
    """The leader may be reached there, at another address than the one that is known."""
    one = follower(bootstrap=(SERVER,))
    one.step(Unanswered(sent(one, FetchRequest)[-1].correlation_id))
    assert sent(one, FetchRequest)[-1].node == SERVER
    answer = FetchResponse_PartitionData(high_watermark=-1, records=b"")
    one.respond(FetchRequest, messages.fetch_response(answer, 2, 1, Node(2, "elsewhere", 9093)))
    assert leader_of(one) == Node(2, "elsewhere", 9093)


def test_whoever_knows_no_leader_asks_one_server_a_pause() -> None:
    """A refusal earns all servers the retry backoff: many that ask would else keep the voters from electing one."""
    one = One((2, 3), kraft_version=1, bootstrap=(SERVER, Node(-3, "another", 9093)))
    refusal = FetchResponse_PartitionData(error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER, records=b"")
    for count in range(1, 6):
        assert len(sent(one, FetchRequest)) == count
        one.respond(FetchRequest, messages.fetch_response(refusal, None, 0, None))
        one.elapse(CONFIG.retry_backoff_ms)


def test_an_election_among_voters_that_know_no_pre_vote_goes_without() -> None:
    """KIP-996: UNSUPPORTED_VERSION from one of them makes a prospective candidate a candidate."""
    one = One(kraft_version=1)
    one.elapse(CONFIG.election_timeout_ms)
    one.respond(VoteRequest, VoteResponse(ErrorCode.UNSUPPORTED_VERSION))
    assert state_of(one) is Candidate
    vote = sent(one, VoteRequest)[-1].request
    assert isinstance(vote, VoteRequest)
    assert not vote.topics[0].partitions[0].pre_vote


def test_a_voter_that_has_moved_tells_the_leader_and_is_content_with_an_old_one() -> None:
    """UpdateRaftVoter is sent a fetch timeout after the leader is known; one that does not know it is asked once."""
    one = follower(kraft_version=0)
    answer_fetches(one, CONFIG.fetch_timeout_ms)
    one.respond(UpdateRaftVoterRequest, UpdateRaftVoterResponse(0, ErrorCode.UNSUPPORTED_VERSION))
    assert isinstance(one.raft.state, Follower)
    assert one.raft.state.has_told


def test_a_mere_broker_syncs_nothing_and_does_not_join() -> None:
    """Nobody counts on what an observer has that can never vote: it fetches on at once."""
    config = replace(CONFIG, auto_join=True)
    syncs, joins = [], []
    for is_controller in (True, False):
        one = One((2, 3), kraft_version=1, config=config, is_controller=is_controller, bootstrap=(SERVER,))
        answer = FetchResponse_PartitionData(error_code=ErrorCode.FENCED_LEADER_EPOCH, records=b"")
        one.respond(FetchRequest, messages.fetch_response(answer, 2, 1, node_of(2)))
        batch = BatchBuilder(BatchFields(0, 1))
        batch.append(0, None, b"a")
        records = FetchResponse_PartitionData(high_watermark=-1, records=bytes(batch.build()))
        effects = one.respond(FetchRequest, messages.fetch_response(records, 2, 1, node_of(2)))
        syncs.append(any(isinstance(effect, Sync) for effect in effects))
        answer_fetches(one, CONFIG.fetch_timeout_ms)
        joins.append(bool(sent(one, AddRaftVoterRequest)))
    assert (syncs, joins) == ([True, False], [True, False])
