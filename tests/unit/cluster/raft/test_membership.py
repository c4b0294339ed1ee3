"""Voters that come, go and move (KIP-853): what each request is answered with, and what is in the log then."""

from ottla.cluster.raft import messages
from ottla.cluster.raft.config import QuorumConfig
from ottla.cluster.raft.events import Effect, Reply, Resign, Upgraded, UpgradeKRaftVersion
from ottla.cluster.raft.states import Leader, Resigned
from ottla.cluster.raft.voters import ReplicaKey, VersionRange, Voter
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.connection import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    ApiVersionsResponse_SupportedFeatureKey,
)
from ottla.protocol.messages.quorum import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    UpdateRaftVoterRequest_KRaftVersionFeature,
    UpdateRaftVoterResponse,
)
from tests.unit.cluster.raft.one import One, fetch, state_of, voter
from tests.unit.cluster.raft.replica import CLUSTER_ID, LISTENER


def leader(voters: tuple[int, ...] = (1,), *, kraft_version: int = 1) -> One:
    """Replica 1, which leads, and has committed its first records if it is alone."""
    return One(voters, kraft_version=kraft_version).elected()


def add(newcomer: Voter, *, at_once: bool = False) -> AddRaftVoterRequest:
    """A request for its vote, answered when that is certain, or at once."""
    request = messages.add_request(CLUSTER_ID, newcomer, 2_000)
    request.ack_when_committed = not at_once
    return request


def supports(low: int, high: int) -> ApiVersionsResponse:
    """What the newcomer says of itself."""
    return ApiVersionsResponse(supported_features=[ApiVersionsResponse_SupportedFeatureKey("kraft.version", low, high)])


def catch_up(one: One, newcomer: Voter) -> None:
    """It fetches all that there is, as an observer."""
    epoch = one.raft.state.epoch
    one.park(fetch(epoch, one.log.end_offset, one.log.last_epoch, newcomer.key))


def added(effects: list[Effect]) -> list[int]:
    """The codes of answers to AddRaftVoter."""
    return [
        effect.response.error_code
        for effect in effects
        if isinstance(effect, Reply) and isinstance(effect.response, AddRaftVoterResponse)
    ]


def refusal(one: One, request: AddRaftVoterRequest | RemoveRaftVoterRequest) -> int:
    """The code of an answer at once."""
    response = one.ask(request)
    assert isinstance(response, AddRaftVoterResponse | RemoveRaftVoterResponse)
    assert response.error_message, "an operator is told why"
    return response.error_code


def test_the_first_leader_writes_the_voters_of_the_bootstrap_snapshot_into_the_log() -> None:
    """Behind its LeaderChange, in one batch: so that everybody has them."""
    one = leader()
    assert one.log.end_offset == 3
    assert one.raft.quorum.history.voters_offset == 2
    assert one.log.high_watermark == 3


def test_a_voter_is_added_when_it_has_caught_up_and_runs_our_version() -> None:
    """It is asked for its versions; the record counts at once, the answer waits until the new set commits it."""
    one, newcomer = leader(), voter(2)
    catch_up(one, newcomer)
    one.park(add(newcomer))
    assert added(one.respond(ApiVersionsRequest, supports(0, 1))) == []
    assert one.raft.quorum.voters.ids == {1, 2}
    assert one.log.high_watermark == 3
    one.ask(fetch(1, 3, 1, newcomer.key))
    assert added(one.step_fetch(4, newcomer.key)) == [ErrorCode.NONE]
    assert one.log.high_watermark == 4


def test_who_asks_for_an_answer_at_once_gets_it_when_the_record_is_in_the_log() -> None:
    """KIP-1186: a controller that adds itself could not fetch what it waits for."""
    one, newcomer = leader(), voter(2)
    catch_up(one, newcomer)
    one.park(add(newcomer, at_once=True))
    assert added(one.respond(ApiVersionsRequest, supports(0, 1))) == [ErrorCode.NONE]
    one.ask(fetch(1, 3, 1, newcomer.key))
    assert added(one.step_fetch(4, newcomer.key)) == []


def test_a_newcomer_that_is_behind_or_too_old_is_not_added() -> None:
    """REQUEST_TIMED_OUT for who is behind, INVALID_REQUEST for who does not run kraft.version 1."""
    one, newcomer = leader(), voter(2)
    one.park(add(newcomer))
    assert added(one.respond(ApiVersionsRequest, supports(0, 1))) == [ErrorCode.REQUEST_TIMED_OUT]
    catch_up(one, newcomer)
    for answer in (supports(0, 0), ApiVersionsResponse()):
        one.elapse(100)
        one.park(add(newcomer))
        assert added(one.respond(ApiVersionsRequest, answer)) == [ErrorCode.INVALID_REQUEST]
    one.elapse(100)
    one.park(add(newcomer))
    assert added(one.elapse(QuorumConfig().request_timeout_ms)) == [ErrorCode.REQUEST_TIMED_OUT]
    assert one.raft.quorum.voters.ids == {1}


def test_additions_that_cannot_be_have_their_codes() -> None:
    """Another cluster, no directory, no listener of ours, an id that votes, a change under way, kraft.version 0."""
    one = leader()
    wrong = add(voter(2))
    wrong.cluster_id = "another"
    assert refusal(one, wrong) == ErrorCode.INCONSISTENT_CLUSTER_ID
    assert refusal(one, add(Voter(ReplicaKey(2), voter(2).endpoints))) == ErrorCode.INVALID_REQUEST
    assert refusal(one, add(Voter(voter(2).key, ()))) == ErrorCode.INVALID_REQUEST
    assert refusal(one, add(voter(1, number=2))) == ErrorCode.DUPLICATE_VOTER
    one.park(add(voter(2)))
    assert refusal(one, add(voter(3))) == ErrorCode.REQUEST_TIMED_OUT
    assert refusal(leader(kraft_version=0), add(voter(2))) == ErrorCode.UNSUPPORTED_VERSION
    assert refusal(One(kraft_version=1), add(voter(2))) == ErrorCode.NOT_LEADER_OR_FOLLOWER
    # Three voters, of which nobody has fetched: nothing of the leader's epoch is committed.
    assert refusal(leader((1, 2, 3)), add(voter(4))) == ErrorCode.REQUEST_TIMED_OUT


def committed_leader() -> One:
    """The leader of three, whose first records are committed."""
    one = leader((1, 2, 3))
    one.step_fetch(3, voter(2).key)
    assert one.log.high_watermark == 3
    return one


def test_a_voter_is_removed_and_told_so_when_it_is_committed() -> None:
    """The set without it counts at once: its fetches do not commit its own removal."""
    one = committed_leader()
    one.park(RemoveRaftVoterRequest(CLUSTER_ID, *voter(3).key))
    assert one.raft.quorum.voters.ids == {1, 2}
    one.step_fetch(4, voter(3).key)
    assert one.log.high_watermark == 3
    effects = one.step_fetch(4, voter(2).key)
    assert one.log.high_watermark == 4
    codes = [effect.response.error_code for effect in effects
             if isinstance(effect, Reply) and isinstance(effect.response, RemoveRaftVoterResponse)]  # fmt: skip
    assert codes == [ErrorCode.NONE]


def test_who_does_not_vote_cannot_be_removed() -> None:
    """VOTER_NOT_FOUND, also for a former directory of a voter, and for the last one."""
    one = committed_leader()
    for key in (voter(9).key, voter(2, number=2).key):
        assert refusal(one, RemoveRaftVoterRequest(CLUSTER_ID, *key)) == ErrorCode.VOTER_NOT_FOUND
    assert refusal(leader(), RemoveRaftVoterRequest(CLUSTER_ID, *voter(1).key)) == ErrorCode.VOTER_NOT_FOUND
    assert refusal(one, RemoveRaftVoterRequest(CLUSTER_ID, 2)) == ErrorCode.INVALID_REQUEST


def test_a_leader_that_removed_itself_leads_until_that_is_committed() -> None:
    """It does not count itself, and resigns when the others have it."""
    one = committed_leader()
    one.park(RemoveRaftVoterRequest(CLUSTER_ID, *voter(1).key))
    one.step_fetch(4, voter(2).key)
    assert state_of(one) is Leader
    assert one.log.high_watermark == 3
    one.step_fetch(4, voter(3).key)
    assert state_of(one) is Resigned


def test_what_is_pending_when_leadership_ends_is_answered() -> None:
    """NOT_LEADER_OR_FOLLOWER: the next leader may commit it, or not."""
    one = leader((1, 2, 3))
    one.step_fetch(3, voter(2).key)
    one.park(add(voter(4)))
    assert added(one.step(Resign(1))) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]


def test_a_voter_says_where_it_is() -> None:
    """UpdateRaftVoter changes the set at once, for who votes, can run the version, and has our listener."""
    one = committed_leader()

    def update(who: Voter, epoch: int = 1) -> int:
        response = one.ask(messages.update_request(CLUSTER_ID, who, epoch))
        assert isinstance(response, UpdateRaftVoterResponse)
        assert (response.current_leader.leader_id, response.current_leader.leader_epoch) == (1, 1)
        return response.error_code

    moved = Voter(voter(2).key, (voter(2).endpoints[0]._replace(host="elsewhere"),), voter(2).kraft_versions)
    assert update(moved, epoch=0) == ErrorCode.FENCED_LEADER_EPOCH
    assert update(moved, epoch=2) == ErrorCode.UNKNOWN_LEADER_EPOCH
    assert update(voter(9)) == ErrorCode.VOTER_NOT_FOUND
    assert update(voter(2, number=2)) == ErrorCode.VOTER_NOT_FOUND
    assert update(Voter(voter(2).key, voter(2).endpoints)) == ErrorCode.INVALID_REQUEST
    assert update(Voter(voter(2).key, (), voter(2).kraft_versions)) == ErrorCode.INVALID_REQUEST
    assert update(moved) == ErrorCode.NONE
    found = one.raft.quorum.voters.get(2)
    assert found is not None
    assert found.node(LISTENER) == (2, "elsewhere", 9093)
    assert update(moved) == ErrorCode.REQUEST_TIMED_OUT  # the last one is not committed yet
    request = messages.update_request(CLUSTER_ID, moved, 1)
    request.kraft_version_feature = UpdateRaftVoterRequest_KRaftVersionFeature(1, 0)
    response = one.ask(request)
    assert isinstance(response, UpdateRaftVoterResponse)
    assert response.error_code == ErrorCode.INVALID_REQUEST


# kraft.version 0 to 1


def upgrade(one: One, version: int = 1, *, validate_only: bool = False) -> int:
    """The code of the answer."""
    answers = [effect for effect in one.step(UpgradeKRaftVersion(version, "upgrade", validate_only))
               if isinstance(effect, Upgraded)]  # fmt: skip
    assert len(answers) == 1
    return int(answers[0].error)


def test_static_voters_are_taken_into_the_log() -> None:
    """KIP-853: when all have said where they are and that they can, the version and the voters are one batch."""
    one = leader((1, 2), kraft_version=0)
    assert upgrade(one) == ErrorCode.REQUEST_TIMED_OUT
    one.step_fetch(1, voter(2).key)
    assert upgrade(one) == ErrorCode.INVALID_UPDATE_VERSION
    response = one.ask(messages.update_request(CLUSTER_ID, voter(2), 1))
    assert isinstance(response, UpdateRaftVoterResponse)
    assert response.error_code == ErrorCode.NONE
    assert upgrade(one, validate_only=True) == ErrorCode.NONE
    assert one.raft.quorum.history.kraft_version == 0
    assert upgrade(one, 2) == ErrorCode.INVALID_UPDATE_VERSION
    assert upgrade(one) == ErrorCode.NONE
    assert one.raft.quorum.history.kraft_version == 1
    assert [found.key for found in one.raft.quorum.voters] == [voter(1).key, voter(2).key]
    one.step_fetch(3, voter(2).key)
    assert one.log.high_watermark == 3
    assert upgrade(one) == ErrorCode.NONE
    assert one.log.end_offset == 3
    assert upgrade(one, 0) == ErrorCode.INVALID_UPDATE_VERSION


def test_a_voter_that_cannot_keeps_all_from_upgrading() -> None:
    """INVALID_UPDATE_VERSION; and whoever does not vote has nothing to say in it."""
    one = leader((1, 2), kraft_version=0)
    too_old = Voter(voter(2).key, voter(2).endpoints)
    too_new = Voter(voter(2).key, voter(2).endpoints, VersionRange(1, 1))
    early = one.ask(messages.update_request(CLUSTER_ID, too_old, 1))
    assert isinstance(early, UpdateRaftVoterResponse)
    assert early.error_code == ErrorCode.REQUEST_TIMED_OUT  # nothing of the leader's epoch is committed yet
    one.step_fetch(1, voter(2).key)
    for who, error in (
        (too_new, ErrorCode.INVALID_REQUEST),
        (too_old, ErrorCode.NONE),
        (voter(9), ErrorCode.VOTER_NOT_FOUND),
    ):
        response = one.ask(messages.update_request(CLUSTER_ID, who, 1))
        assert isinstance(response, UpdateRaftVoterResponse)
        assert response.error_code == error
    assert upgrade(one) == ErrorCode.INVALID_UPDATE_VERSION
