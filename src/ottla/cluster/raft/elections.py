"""Elections: who gets our vote, whom we ask for theirs, and what the answers make of us (KIP-595, KIP-996).

An election has two rounds. In the first (pre-vote) a prospective candidate asks, within the epoch that everybody is in,
whether it could win: whoever still hears from a leader says no, so a node that was cut off disturbs nobody when it
comes back. Only then does it begin an epoch, vote for itself, and ask in earnest.

Always true: a vote is given once an epoch, and only to a log that is not behind ours; it is on the disk before its
answer is sent. A pre-vote binds nobody and changes nothing.
"""

from typing import Final

from ottla.cluster.raft import messages
from ottla.cluster.raft.following import ask_bootstrap
from ottla.cluster.raft.leading import start_leading
from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.cluster.raft.quorum import Quorum
from ottla.cluster.raft.states import NEVER_MS, Candidate, Follower, Leader, Prospective, Resigned, Unattached
from ottla.cluster.raft.voters import ReplicaKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.quorum import (
    VoteRequest,
    VoteRequest_PartitionData,
    VoteResponse,
    VoteResponse_PartitionData,
)

PRE_VOTES: Final = 10  # how often one is asked in an election timeout


def handle_vote(quorum: Quorum, request: VoteRequest, token: object, now_ms: int) -> None:
    """Somebody wants to be elected."""
    if not messages.is_for(request.cluster_id, quorum.identity.cluster_id):
        return quorum.reply(token, VoteResponse(ErrorCode.INCONSISTENT_CLUSTER_ID))
    partition = messages.vote_partition(request)
    if partition is None:
        return quorum.reply(token, VoteResponse(ErrorCode.INVALID_REQUEST))
    error, is_granted = _judge(quorum, request, partition, now_ms)
    response = messages.vote_response(error, quorum.leader_id, quorum.epoch, quorum.leader_node, is_granted=is_granted)
    return quorum.reply(token, response)


def _judge(
    quorum: Quorum, request: VoteRequest, partition: VoteRequest_PartitionData, now_ms: int
) -> tuple[ErrorCode, bool]:
    """The error, or whether the vote is given."""
    epoch, last_epoch = partition.replica_epoch, partition.last_offset_epoch
    # A candidate has begun an epoch that nothing was written in yet; for a pre-vote the epoch is still the old one.
    is_epoch_possible = last_epoch <= epoch if partition.pre_vote else last_epoch < epoch
    if partition.last_offset < 0 or last_epoch < 0 or not is_epoch_possible or partition.replica_id < 0:
        return ErrorCode.INVALID_REQUEST, False
    if epoch < quorum.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH, False
    if epoch > quorum.epoch:
        quorum.become_unattached(epoch, now_ms)
    if not messages.is_addressed_to(quorum.key, request.voter_id, partition.voter_directory_id):
        return ErrorCode.INVALID_VOTER_KEY, False
    candidate = messages.replica_key(partition.replica_id, partition.replica_directory_id)
    its_end = (last_epoch, partition.last_offset)
    is_up_to_date = its_end >= (quorum.log.last_epoch, quorum.log.end_offset)
    is_granted = can_grant(quorum, candidate, is_up_to_date=is_up_to_date, pre_vote=partition.pre_vote)
    if is_granted and not partition.pre_vote:
        state = quorum.state
        if isinstance(state, Unattached | Prospective) and state.voted is None:
            quorum.become_voted(candidate, now_ms)
    return ErrorCode.NONE, is_granted


def can_grant(quorum: Quorum, candidate: ReplicaKey, *, is_up_to_date: bool, pre_vote: bool) -> bool:
    """Whether a candidate in our epoch gets our vote."""
    match quorum.state:
        case Leader():
            return False
        case Follower(has_fetched=has_fetched, voted=voted):
            if pre_vote:
                return is_up_to_date and not has_fetched
            return voted is not None and voted.matches(candidate)
        case Unattached(voted=voted) | Prospective(voted=voted):
            if pre_vote:
                return is_up_to_date
            if voted is not None:
                return voted.matches(candidate)  # the same vote once more: its answer was lost
            return is_up_to_date and quorum.leader_id is None
        case Candidate() | Resigned():
            return pre_vote and is_up_to_date


def handle_vote_response(quorum: Quorum, voter_id: int, request: VoteRequest, response: VoteResponse) -> bool:
    """Somebody answered us, in our epoch and without an error. False if the answer makes no sense."""
    asked, partition = request.topics[0].partitions[0], messages.response_partition(response)
    assert isinstance(partition, VoteResponse_PartitionData)
    state = quorum.state
    wanted = Prospective if asked.pre_vote else Candidate
    if isinstance(state, wanted) and asked.replica_epoch == state.epoch:
        state.ballot.record(voter_id, is_granted=partition.vote_granted)
    return True


def handle_no_pre_vote(quorum: Quorum, request: VoteRequest, now_ms: int) -> bool:
    """A voter of before KIP-996 knows no pre-vote: then the election goes without one, as it always did there."""
    asked, state = request.topics[0].partitions[0], quorum.state
    if asked.pre_vote and isinstance(state, Prospective) and asked.replica_epoch == state.epoch:
        quorum.become_candidate(now_ms)
    return False


# What a voter without a leader does; each answers when it wants to be asked again


def poll_unattached(quorum: Quorum, now_ms: int) -> int:
    """Wait for a leader, or for the time to look for one. A single voter has nothing to wait for."""
    state = quorum.state
    assert isinstance(state, Unattached)
    if not quorum.is_voter or quorum.shutdown_until_ms is not None:
        return NEVER_MS
    if now_ms >= state.election_deadline_ms or quorum.voters.is_only_voter(quorum.key):
        quorum.become_prospective(now_ms)
        return now_ms
    return min(state.election_deadline_ms, ask_bootstrap(quorum, now_ms))


def poll_prospective(quorum: Quorum, now_ms: int) -> int:
    """Collect what the others would do.

    Who still heard from a dead leader says no, and would say yes a moment later. Kafka does not ask him again: where
    two are left, the one with the longer log then loses its whole timeout, and stands still for another one.
    """
    state = quorum.state
    assert isinstance(state, Prospective)
    if state.ballot.is_won:
        quorum.become_candidate(now_ms)
        return now_ms
    if state.ballot.is_lost or now_ms >= state.election_deadline_ms:
        if state.leader is not None:
            quorum.become_follower(state.epoch, state.leader, now_ms)
        else:
            quorum.become_unattached(state.epoch, now_ms)
        return now_ms
    if not state.ballot.rejected:
        state.ask_again_ms = None
    elif state.ask_again_ms is None:
        state.ask_again_ms = now_ms + max(1, quorum.config.election_timeout_ms // PRE_VOTES)
    elif now_ms >= state.ask_again_ms:
        state.ballot.rejected.clear()
        state.ask_again_ms = None
    again_ms = NEVER_MS if state.ask_again_ms is None else state.ask_again_ms
    return min(state.election_deadline_ms, again_ms, _ask(quorum, now_ms, pre_vote=True))


def poll_candidate(quorum: Quorum, now_ms: int) -> int:
    """Collect votes. Who has lost waits for the rest of the time: another may have won."""
    state = quorum.state
    assert isinstance(state, Candidate)
    if state.ballot.is_won:
        start_leading(quorum, sorted(state.ballot.granted), now_ms)
        return now_ms
    if now_ms >= state.election_deadline_ms and quorum.shutdown_until_ms is None:
        quorum.become_prospective(now_ms)
        return now_ms
    if state.ballot.is_lost:
        return state.election_deadline_ms
    return min(state.election_deadline_ms, _ask(quorum, now_ms, pre_vote=False))


def _ask(quorum: Quorum, now_ms: int, *, pre_vote: bool) -> int:
    """Ask everybody who has not answered, and has a moment. Answers when to ask again."""
    state = quorum.state
    assert isinstance(state, Prospective | Candidate)
    next_ms = NEVER_MS
    end: OffsetAndEpoch = quorum.end
    for voter_id in state.ballot.unrecorded:
        voter, node = quorum.voters.get(voter_id), quorum.node_of(voter_id)
        if voter is None or node is None:
            continue
        if quorum.connections.is_ready(node, now_ms):
            request = messages.vote_request(
                quorum.identity.cluster_id, voter.key, quorum.key, state.epoch, end, pre_vote=pre_vote
            )
            quorum.send(node, request, now_ms)
        next_ms = min(next_ms, quorum.connections.ready_at_ms(node))
    return next_ms
