"""What a replica answers, by state and by fault: Kafka's codes."""

from typing import Any

import pytest

from ottla.cluster.raft import messages
from ottla.cluster.raft.events import Persist, Resign, Responded, ShutDown, Shutdown, Unanswered
from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.cluster.raft.quorum_state import ElectionState
from ottla.cluster.raft.states import Candidate, Follower, Prospective, Resigned, Unattached
from ottla.cluster.raft.voters import ReplicaKey
from ottla.protocol.codec.wire import ZERO_UUID
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
    FetchResponse,
    FetchResponse_EpochEndOffset,
    FetchResponse_PartitionData,
    FetchResponse_SnapshotId,
)
from ottla.protocol.messages.quorum import (
    BeginQuorumEpochResponse,
    DescribeQuorumRequest,
    DescribeQuorumRequest_PartitionData,
    DescribeQuorumRequest_TopicData,
    DescribeQuorumResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    FetchSnapshotResponse,
    VoteRequest,
    VoteResponse,
)
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from tests.unit.cluster.raft.one import One, fetch, state_of
from tests.unit.cluster.raft.replica import CLUSTER_ID, directory, node_of

OWN, TWO, THREE = (ReplicaKey(node_id, directory(node_id)) for node_id in (1, 2, 3))


def vote(epoch: int, *, end: tuple[int, int] = (0, 0), pre_vote: bool = False, **other: Any) -> VoteRequest:
    """Replica 2 asks replica 1."""
    fields = {"voter": OWN, "candidate": TWO, "cluster_id": CLUSTER_ID} | other
    return messages.vote_request(
        fields["cluster_id"], fields["voter"], fields["candidate"], epoch, OffsetAndEpoch(*end), pre_vote=pre_vote
    )


def voted(response: object) -> tuple[int, bool]:
    """The code and the vote."""
    assert isinstance(response, VoteResponse)
    partition = response.topics[0].partitions[0]
    return partition.error_code, partition.vote_granted


def fetched(response: object) -> Any:
    """A fetch's partition."""
    assert isinstance(response, FetchResponse)
    return response.responses[0].partitions[0]


# Votes


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (vote(0), ErrorCode.INVALID_REQUEST),  # a candidate has begun an epoch above its log's
        (vote(3, end=(5, 3)), ErrorCode.INVALID_REQUEST),
        (vote(3, end=(-1, 0)), ErrorCode.INVALID_REQUEST),
        (vote(3, candidate=ReplicaKey(-1)), ErrorCode.INVALID_REQUEST),
        (vote(1), ErrorCode.FENCED_LEADER_EPOCH),
        (vote(3, voter=ReplicaKey(1, directory(1, 9))), ErrorCode.INVALID_VOTER_KEY),
        (vote(3, voter=ReplicaKey(7)), ErrorCode.INVALID_VOTER_KEY),
        (vote(3, voter=ReplicaKey(1)), ErrorCode.NONE),
        (vote(3, voter=ReplicaKey(-7)), ErrorCode.NONE),  # any negative id is none
        (vote(3, cluster_id=None), ErrorCode.NONE),
    ],
)
def test_a_vote_request_that_cannot_be_right_has_its_code(request_: VoteRequest, error: ErrorCode) -> None:
    """Kafka's codes; what is right is granted."""
    assert voted(One(stored=ElectionState(2)).ask(request_)) == (error, error == ErrorCode.NONE)


def test_requests_of_another_cluster_or_partition_are_refused_whole() -> None:
    """INCONSISTENT_CLUSTER_ID and INVALID_REQUEST are about the whole request, and change nothing."""
    one = One()
    response = one.ask(vote(3, cluster_id="another"))
    assert isinstance(response, VoteResponse)
    assert (response.error_code, list(response.topics)) == (ErrorCode.INCONSISTENT_CLUSTER_ID, [])
    request = vote(3)
    request.topics[0].topic_name = "another"
    response = one.ask(request)
    assert isinstance(response, VoteResponse)
    assert response.error_code == ErrorCode.INVALID_REQUEST
    assert one.raft.state.epoch == 0


def test_a_vote_is_given_once_and_again_to_the_same_candidate() -> None:
    """Whose answer was lost asks again and gets the same; nobody else does, in that epoch."""
    one = One()
    assert voted(one.ask(vote(3))) == (ErrorCode.NONE, True)
    assert voted(one.ask(vote(3))) == (ErrorCode.NONE, True)
    assert voted(one.ask(vote(3, candidate=THREE))) == (ErrorCode.NONE, False)
    assert voted(one.ask(vote(3, candidate=ReplicaKey(2, directory(2, 9))))) == (ErrorCode.NONE, False)
    assert voted(one.ask(vote(4, candidate=THREE))) == (ErrorCode.NONE, True)


def test_a_vote_is_on_the_disk_before_its_answer() -> None:
    """The write stands before the reply, in one piece with the new epoch."""
    one = One()
    one.ask(vote(3))
    kinds = [type(effect).__name__ for effect in one.effects if type(effect).__name__ in ("Persist", "Reply")]
    assert kinds == ["Persist", "Reply"]
    assert Persist(ElectionState(3, None, TWO), 0) in one.effects


def test_a_log_that_is_behind_gets_no_vote() -> None:
    """Raft, 5.4.1: the later last epoch wins, then the longer log."""
    one = One().elected()
    one.append("a")
    end = (one.log.end_offset, 1)
    one.step(Resign(1))
    for behind in ((end[0] - 1, 1), (100, 0)):
        assert voted(one.ask(vote(2, end=behind))) == (ErrorCode.NONE, False)
    assert voted(one.ask(vote(2, end=end))) == (ErrorCode.NONE, True)


def test_pre_votes_bind_nobody() -> None:
    """KIP-996: several may be told yes in one epoch; nothing is written."""
    one = One(stored=ElectionState(2))
    for candidate in (TWO, THREE):
        assert voted(one.ask(vote(2, candidate=candidate, pre_vote=True))) == (ErrorCode.NONE, True)
        assert not any(isinstance(effect, Persist) for effect in one.effects)
    assert voted(one.ask(vote(2, end=(5, 2), pre_vote=True))) == (ErrorCode.NONE, True)
    assert voted(one.ask(vote(2, end=(5, 3), pre_vote=True))) == (ErrorCode.INVALID_REQUEST, False)


def test_a_follower_that_has_fetched_refuses_pre_votes() -> None:
    """KIP-996: as long as a leader is heard, nobody else could win."""
    one = One(stored=ElectionState(2, 3))
    assert isinstance(one.raft.state, Follower)
    assert voted(one.ask(vote(2, pre_vote=True))) == (ErrorCode.NONE, True)
    answer = FetchResponse_PartitionData(high_watermark=0, records=b"")
    one.respond(FetchRequest, messages.fetch_response(answer, 3, 2, node_of(3)))
    assert voted(one.ask(vote(2, pre_vote=True))) == (ErrorCode.NONE, False)


def test_a_leader_votes_for_nobody_in_its_epoch() -> None:
    """Nor does it grant a pre-vote; a later epoch ends its office."""
    one = One().elected()
    assert voted(one.ask(vote(1, end=(9, 0)))) == (ErrorCode.NONE, False)
    assert voted(one.ask(vote(1, end=(9, 1), pre_vote=True))) == (ErrorCode.NONE, False)
    assert voted(one.ask(vote(2, end=(9, 1)))) == (ErrorCode.NONE, True)
    assert isinstance(one.raft.state, Unattached)


def test_a_candidate_that_comes_back_does_not_ask_again_in_its_epoch() -> None:
    """Its log may be shorter than the one that votes were given for."""
    one = One(stored=ElectionState(2, None, OWN))
    one.elapse(999)
    assert not one.sent
    assert voted(one.ask(vote(2, end=(9, 1)))) == (ErrorCode.NONE, False)
    one.elapse(1)
    assert isinstance(one.raft.state, Prospective)


def test_elections_that_come_to_nothing_begin_anew_with_a_pre_vote() -> None:
    """Who is refused by a majority waits out its time, and asks again whether it could win."""
    one = One()
    one.elapse(1_000)
    one.respond(VoteRequest, messages.vote_response(ErrorCode.NONE, None, 0, None, is_granted=True))
    assert state_of(one) is Candidate
    for send in [send for send in one.sent if not send.request.topics[0].partitions[0].pre_vote]:  # type: ignore[attr-defined]
        one.step(Unanswered(send.correlation_id))
    one.elapse(1_000)
    assert state_of(one) is Prospective
    assert one.raft.state.epoch == 1


# Who leads


def test_there_is_one_leader_an_epoch() -> None:
    """Who claims an epoch that has a leader is told INCONSISTENT_VOTER_SET; old epochs are fenced."""
    one = One()
    for leader_id, epoch, error in (
        (2, 3, ErrorCode.NONE),
        (2, 3, ErrorCode.NONE),
        (3, 3, ErrorCode.INCONSISTENT_VOTER_SET),
        (3, 2, ErrorCode.FENCED_LEADER_EPOCH),
        (-1, 4, ErrorCode.INVALID_REQUEST),
        (1, 4, ErrorCode.INVALID_REQUEST),
        (3, 4, ErrorCode.NONE),
    ):
        response = one.ask(messages.begin_request(CLUSTER_ID, OWN, leader_id, epoch, ()))
        assert isinstance(response, BeginQuorumEpochResponse)
        assert response.topics[0].partitions[0].error_code == error, f"leader {leader_id} of {epoch}"
    assert isinstance(one.raft.state, Follower)
    assert (one.raft.state.epoch, one.raft.state.leader) == (4, node_of(3))


def test_begin_quorum_epoch_for_another_directory_is_refused_and_yet_heard() -> None:
    """INVALID_VOTER_KEY says that another was meant; that there is a leader is true all the same."""
    one = One()
    request = messages.begin_request(CLUSTER_ID, ReplicaKey(1, directory(1, 9)), 2, 3, ())
    response = one.ask(request)
    assert isinstance(response, BeginQuorumEpochResponse)
    assert response.topics[0].partitions[0].error_code == ErrorCode.INVALID_VOTER_KEY
    assert isinstance(one.raft.state, Follower)


@pytest.mark.parametrize(("successors", "wait_ms"), [([1, 3], 0), ([3, 1], 500), ([3, 4, 1], 500), ([3], 1_000)])
def test_successors_stand_for_election_in_their_order(successors: list[int], wait_ms: int) -> None:
    """KIP-595: the first at once, each further one after twice the time, whoever is not named after the longest."""
    one = One(stored=ElectionState(2, 2))
    keys = [ReplicaKey(node_id) for node_id in successors]
    response = one.ask(messages.end_request(CLUSTER_ID, 2, 2, keys, ()))
    assert isinstance(response, EndQuorumEpochResponse)
    assert response.topics[0].partitions[0].error_code == ErrorCode.NONE
    if wait_ms:
        one.elapse(wait_ms - 1)
        assert isinstance(one.raft.state, Follower)
        one.elapse(1)
    assert isinstance(one.raft.state, Prospective)


def test_what_a_leader_answered_before_it_resigned_delays_no_successor() -> None:
    """A fetch's answer that comes after EndQuorumEpoch is appended, and does not make its sender a leader again.

    It did, for all followers at once, and the quorum was without a leader for three seconds.
    """
    one = One()
    one.ask(messages.begin_request(CLUSTER_ID, OWN, 2, 1, ()))
    one.ask(messages.end_request(CLUSTER_ID, 2, 1, [THREE, OWN], ()))
    batch = BatchBuilder(BatchFields(0, 1))
    batch.append(0, None, b"a")
    records = FetchResponse_PartitionData(high_watermark=-1, records=bytes(batch.build()))
    one.respond(FetchRequest, messages.fetch_response(records, 2, 1, node_of(2)))
    assert one.log.end_offset == 1
    assert voted(one.ask(vote(1, end=(1, 1), pre_vote=True, candidate=THREE))) == (ErrorCode.NONE, True)
    one.elapse(500)
    assert state_of(one) is Prospective


def test_who_refused_a_pre_vote_is_asked_again() -> None:
    """It had heard of a leader that is dead: what it says a moment later may decide the election."""
    one = One((1, 2, 3))
    one.elapse(1_000)
    asked = [send for send in one.sent if isinstance(send.request, VoteRequest)]
    refused = messages.vote_response(ErrorCode.NONE, None, 0, None, is_granted=False)
    one.step(Responded(asked[0].correlation_id, refused))
    one.elapse(99)
    assert len([send for send in one.sent if isinstance(send.request, VoteRequest)]) == 2
    one.elapse(1)
    again = [send for send in one.sent if isinstance(send.request, VoteRequest)][2:]
    assert [send.node for send in again] == [asked[0].node]
    granted = messages.vote_response(ErrorCode.NONE, None, 0, None, is_granted=True)
    one.step(Responded(again[0].correlation_id, granted))
    assert state_of(one) is Candidate


def test_a_shutdown_hands_over() -> None:
    """A leader resigns, names its successors, the most advanced first, and is done when all have taken notice."""
    one = One().elected()
    one.ask(fetch(1, 0, 0, THREE))
    one.ask(fetch(1, 1, 1, THREE, high_watermark=-1))
    one.step(Shutdown(one.now_ms + 5_000))
    ends = [send for send in one.sent if isinstance(send.request, EndQuorumEpochRequest)]
    assert [list(send.request.topics[0].partitions[0].preferred_successors) for send in ends] == [[3, 2]] * 2  # type: ignore[attr-defined]
    for send in ends:
        assert ShutDown() not in one.effects
        one.sent = [send]
        one.respond(EndQuorumEpochRequest, messages.end_response(ErrorCode.NONE, 1, 1, None))
    assert ShutDown() in one.effects


def test_a_shutdown_is_over_in_time() -> None:
    """Nobody who does not answer holds it up."""
    one = One().elected()
    one.step(Shutdown(one.now_ms + 5_000))
    assert ShutDown() not in one.effects
    assert ShutDown() in one.elapse(5_000)


def test_a_leader_that_comes_back_has_resigned() -> None:
    """Offsets that it gave in its epoch may be lost: it does not lead on in it, and votes for nobody in it."""
    one = One(stored=ElectionState(2, 1))
    assert isinstance(one.raft.state, Resigned)
    assert voted(one.ask(vote(2, end=(9, 1)))) == (ErrorCode.NONE, False)
    one.elapse(1_000)
    assert one.raft.state.epoch == 3


def test_a_leader_that_comes_back_and_does_not_vote_any_more_does_not_wait_for_ever() -> None:
    """It was removed meanwhile: it ends its epoch, and asks who leads. (Simulation, seed 828.)"""
    one = One((2, 3), kraft_version=1, stored=ElectionState(2, 1))
    assert state_of(one) is Resigned
    one.elapse(1_000)
    assert state_of(one) is Unattached
    assert one.raft.state.epoch == 3
    assert isinstance(one.sent[-1].request, FetchRequest)


def test_an_observer_tries_the_leader_again_that_others_name() -> None:
    """It gave it up when it was cut off; whoever it asks then knows no better one. (Simulation, seed 879.)"""
    one = One((2, 3), stored=ElectionState(2, 3))
    one.elapse(2_000)
    asked = one.sent[-1]
    refusal = FetchResponse_PartitionData(error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER, high_watermark=-1, records=b"")
    while asked.node.node_id == 3:
        one.step(Unanswered(asked.correlation_id))
        one.elapse(20)
        asked = one.sent[-1]
    one.respond(FetchRequest, messages.fetch_response(refusal, 3, 2, node_of(3)))
    one.elapse(20)
    assert [send.node.node_id for send in one.sent[-2:]] == [2, 3]
    state = one.raft.state
    assert isinstance(state, Follower)
    assert state.fetch_deadline_ms > one.now_ms


# Fetches


def test_fetches_are_answered_by_the_leader_of_their_epoch() -> None:
    """FENCED, UNKNOWN and NOT_LEADER come with who leads, as far as that is known."""
    one = One().elected()
    assert fetched(one.ask(fetch(0, 0, 0))).error_code == ErrorCode.FENCED_LEADER_EPOCH
    assert fetched(one.ask(fetch(2, 0, 0))).error_code == ErrorCode.UNKNOWN_LEADER_EPOCH
    follower = One(stored=ElectionState(2, 3))
    response = follower.ask(fetch(2, 0, 0))
    assert isinstance(response, FetchResponse)
    assert fetched(response).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert (fetched(response).current_leader.leader_id, fetched(response).current_leader.leader_epoch) == (3, 2)
    assert [endpoint.node_id for endpoint in response.node_endpoints] == [3]


@pytest.mark.parametrize("request_", [fetch(1, -1, 0), fetch(1, 0, -1), fetch(1, 5, 2), fetch(1, 0, 0, OWN)])
def test_a_fetch_that_cannot_be_right_is_invalid(request_: FetchRequest) -> None:
    """Negative offsets and epochs, an epoch above the leader's, and somebody else with our own id."""
    one = One().elected()
    assert fetched(one.ask(request_)).error_code == ErrorCode.INVALID_REQUEST
    assert one.log.high_watermark == 0


def test_a_fetch_names_the_topic_by_its_id_and_is_told_where_the_log_starts() -> None:
    """A name alone is not enough, as in Kafka; every answer for the partition says where the log starts."""
    one = One().elected()
    by_name = fetch(1, 0, 0)
    by_name.topics[0].topic_id = ZERO_UUID
    response = one.ask(by_name)
    assert isinstance(response, FetchResponse)
    assert (response.error_code, response.responses) == (ErrorCode.INVALID_REQUEST, ())
    for refused in (fetch(0, 0, 0), fetch(1, 99, 1), fetch(1, -1, 0)):
        assert fetched(one.ask(refused)).log_start_offset == one.log.start_offset


def test_who_has_our_id_and_another_log_is_told_where_to_cut() -> None:
    """It counts for nothing, and may be told: only a fetch that agrees with our log is refused."""
    one = One().elected()
    assert fetched(one.ask(fetch(1, 99, 1, OWN))).diverging_epoch.end_offset == one.log.end_offset
    assert one.log.high_watermark == 0


def test_a_fetch_waits_for_records_or_for_the_high_watermark() -> None:
    """KIP-1166: who says what it knows is told when that moves; each at most for as long as it allows."""
    one = One().elected()
    one.ask(fetch(1, 0, 0))
    assert fetched(one.ask(fetch(1, 1, 1, high_watermark=0))).high_watermark == 1
    one.park(fetch(1, 1, 1, high_watermark=1))
    replies = one.elapse(messages.FETCH_MAX_WAIT_MS)
    assert [fetched(effect.response).records for effect in replies if hasattr(effect, "response")] == [b""]


def test_a_snapshot_that_is_not_there_is_not_found() -> None:
    """SNAPSHOT_NOT_FOUND and POSITION_OUT_OF_RANGE, as KIP-630 has them."""
    one = One((1,)).elected()
    one.append("a")
    snapshot_id = OffsetAndEpoch(2, 1)
    one.log.take_snapshot(snapshot_id, b"x" * 100, keep=True)
    for name, position, error in (
        (OffsetAndEpoch(1, 1), 0, ErrorCode.SNAPSHOT_NOT_FOUND),
        (OffsetAndEpoch(0, 0), 0, ErrorCode.SNAPSHOT_NOT_FOUND),
        (snapshot_id, 100, ErrorCode.POSITION_OUT_OF_RANGE),
        (snapshot_id, -1, ErrorCode.POSITION_OUT_OF_RANGE),
        (snapshot_id, 60, ErrorCode.NONE),
    ):
        response = one.ask(messages.snapshot_request(CLUSTER_ID, TWO, 1, name, position, max_bytes=1_000))
        assert isinstance(response, FetchSnapshotResponse)
        piece = response.topics[0].partitions[0]
        assert piece.error_code == error
        assert piece.unaligned_records == (b"" if error else b"x" * 40)


@pytest.mark.parametrize(
    "fields",
    [
        {"records": b"garbage that is no batch at all"},
        {"diverging_epoch": FetchResponse_EpochEndOffset(0, 0)},
        {"diverging_epoch": FetchResponse_EpochEndOffset(2, 99)},
        {"snapshot_id": FetchResponse_SnapshotId(-1, 2)},
        {"snapshot_id": FetchResponse_SnapshotId(0, 0)},
    ],
)
def test_what_a_leader_cannot_mean_changes_nothing(fields: dict[str, Any]) -> None:
    """Garbage, cuts at nothing, old snapshots: the log stays, and the fetch timeout goes on."""
    one = One(stored=ElectionState(2, 3))
    deadline_ms = one.raft.state.fetch_deadline_ms if isinstance(one.raft.state, Follower) else 0
    one.now_ms += 10
    given: dict[str, Any] = {"high_watermark": 0, "records": b""} | fields
    answer = FetchResponse_PartitionData(**given)
    one.respond(FetchRequest, messages.fetch_response(answer, 3, 2, node_of(3)))
    assert one.log.end_offset == 0
    assert isinstance(one.raft.state, Follower)
    assert one.raft.state.fetch_deadline_ms == deadline_ms


def test_an_answer_to_an_older_fetch_is_nobodys() -> None:
    """An observer may have asked its leader and somebody else: what comes second does not fit any more."""
    one = One((2, 3), stored=ElectionState(2, 3))
    leader = One((1,)).elected()
    leader.append("a")
    records = leader.log.read(0, 1_000)
    one.elapse(2_000)  # asks anybody, while the leader's answer is not there yet
    for send in [send for send in one.sent if isinstance(send.request, FetchRequest)]:
        answer = FetchResponse_PartitionData(high_watermark=0, records=records)
        one.step(Responded(send.correlation_id, messages.fetch_response(answer, 3, 2, node_of(3))))
    assert one.log.end_offset == 2


# DescribeQuorum


def test_the_leader_describes_the_quorum() -> None:
    """Voters and observers with how far they are; a follower says who leads."""
    request = DescribeQuorumRequest(
        [DescribeQuorumRequest_TopicData(messages.TOPIC, [DescribeQuorumRequest_PartitionData(0)])]
    )
    one = One().elected()
    one.ask(fetch(1, 0, 0))
    one.ask(fetch(1, 0, 0, ReplicaKey(9, directory(9))))
    one.ask(fetch(1, 1, 1, high_watermark=0))
    response = one.ask(request)
    assert isinstance(response, DescribeQuorumResponse)
    partition = response.topics[0].partitions[0]
    assert (partition.leader_id, partition.leader_epoch, partition.high_watermark) == (1, 1, 1)
    assert [(row.replica_id, row.log_end_offset) for row in partition.current_voters] == [(1, 1), (2, 1), (3, -1)]
    assert [(row.replica_id, row.log_end_offset) for row in partition.observers] == [(9, 0)]
    assert [node.node_id for node in response.nodes] == [1, 2, 3]
    response = One(stored=ElectionState(2, 3)).ask(request)
    assert isinstance(response, DescribeQuorumResponse)
    partition = response.topics[0].partitions[0]
    assert (partition.error_code, partition.leader_id) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, 3)


def test_who_describes_something_else_gets_it_back() -> None:
    """Other topics and partitions, none, and one twice: each is told so, and no node is named."""
    ours, other = DescribeQuorumRequest_PartitionData(0), DescribeQuorumRequest_PartitionData(-1)
    one = One().elected()
    for topics in (
        [],
        [DescribeQuorumRequest_TopicData("orders", [ours])],
        [DescribeQuorumRequest_TopicData(messages.TOPIC, [])],
        [DescribeQuorumRequest_TopicData(messages.TOPIC, [ours, other])],
        [DescribeQuorumRequest_TopicData(messages.TOPIC, [ours])] * 2,
    ):
        response = one.ask(DescribeQuorumRequest(topics))
        assert isinstance(response, DescribeQuorumResponse)
        assert (response.error_code, response.error_message, response.nodes) == (ErrorCode.NONE, "", ())
        assert [
            (topic.topic_name, [(each.partition_index, each.error_code) for each in topic.partitions])
            for topic in response.topics
        ] == [
            (
                topic.topic_name,
                [(each.partition_index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) for each in topic.partitions],
            )
            for topic in topics
        ]
