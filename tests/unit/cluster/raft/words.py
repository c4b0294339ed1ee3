"""An effect in a line of words, for golden scripts: what matters to a reader, without ids and lengths."""

from ottla.cluster.raft.events import (
    Committed,
    Effect,
    InstallSnapshot,
    LeaderChanged,
    Persist,
    Reply,
    Send,
    ShutDown,
    Sync,
    Truncate,
    Upgraded,
    WriteSnapshot,
)
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse
from ottla.protocol.messages.quorum import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    VoteRequest,
    VoteResponse,
)
from ottla.protocol.records.batch import whole_batches


def said(effect: Effect) -> str:
    """What the effect says; empty for what a reader need not see."""
    match effect:
        case Persist(state=state):
            parts = [f"epoch {state.epoch}"]
            parts += [f"leader {state.leader_id}"] if state.leader_id is not None else []
            parts += [f"voted for {state.voted.node_id}"] if state.voted else []
            return f"persists {', '.join(parts)}"
        case Truncate(offset=offset):
            return f"cuts its log at {offset}"
        case Sync(offset=offset):
            return f"syncs up to {offset}"
        case Send(node=node, request=request):
            return f"-> {node.node_id}  {_request(request)}"
        case Reply(response=response):
            return f"answers  {_response(response)}"
        case LeaderChanged(leader_id=leader_id, epoch=epoch):
            return f"knows {'no leader' if leader_id is None else f'leader {leader_id}'} in epoch {epoch}"
        case Committed(offset=offset):
            return f"has committed up to {offset}"
        case WriteSnapshot(snapshot_id=snapshot_id, position=position):
            return f"writes snapshot {snapshot_id} from {position}"
        case InstallSnapshot(snapshot_id=snapshot_id):
            return f"installs snapshot {snapshot_id}"
        case Upgraded(error=error):
            return f"says of the upgrade: {error.name}"
        case ShutDown():
            return "is shut down"


def _request(request: Message) -> str:
    match request:
        case VoteRequest():
            vote = request.topics[0].partitions[0]
            kind = "PreVote" if vote.pre_vote else "Vote"
            return f"{kind} in epoch {vote.replica_epoch}, log ends at {vote.last_offset}@{vote.last_offset_epoch}"
        case BeginQuorumEpochRequest():
            return f"BeginQuorumEpoch {request.topics[0].partitions[0].leader_epoch}"
        case EndQuorumEpochRequest():
            end = request.topics[0].partitions[0]
            return f"EndQuorumEpoch {end.leader_epoch}, successors {list(end.preferred_successors)}"
        case FetchRequest():
            fetch = request.topics[0].partitions[0]
            return f"Fetch in epoch {fetch.current_leader_epoch} from {fetch.fetch_offset}@{fetch.last_fetched_epoch}"
        case FetchSnapshotRequest():
            piece = request.topics[0].partitions[0]
            return f"FetchSnapshot {piece.snapshot_id.end_offset}@{piece.snapshot_id.epoch} from {piece.position}"
    return type(request).__name__


def _response(response: Message) -> str:
    match response:
        case VoteResponse() if response.topics:
            vote = response.topics[0].partitions[0]
            answer = "granted" if vote.vote_granted else "refused"
            return f"Vote {answer}{_error(vote.error_code)}, epoch {vote.leader_epoch}, leader {vote.leader_id}"
        case BeginQuorumEpochResponse() | EndQuorumEpochResponse() if response.topics:
            partition = response.topics[0].partitions[0]
            name = type(response).__name__.removesuffix("Response")
            return f"{name}{_error(partition.error_code)}, epoch {partition.leader_epoch}"
        case FetchResponse() if response.responses:
            return _fetched(response)
        case FetchSnapshotResponse() if response.topics:
            piece = response.topics[0].partitions[0]
            return f"FetchSnapshot{_error(piece.error_code)}, {piece.position} of {piece.size}"
    return type(response).__name__


def _fetched(response: FetchResponse) -> str:
    part = response.responses[0].partitions[0]
    leader = part.current_leader
    if part.error_code:
        return f"Fetch{_error(part.error_code)}, epoch {leader.leader_epoch}, leader {leader.leader_id}"
    if part.diverging_epoch.epoch >= 0:
        return f"Fetch: diverges, epoch {part.diverging_epoch.epoch} ends at {part.diverging_epoch.end_offset}"
    if part.snapshot_id.epoch >= 0:
        return f"Fetch: take snapshot {part.snapshot_id.end_offset}@{part.snapshot_id.epoch}"
    assert isinstance(part.records, bytes)
    whole, _ = whole_batches(memoryview(part.records))
    held = " ".join(f"{batch.base_offset}-{batch.last_offset}@{batch.partition_leader_epoch}" for batch in whole)
    return f"Fetch: {held or 'nothing'}, high watermark {part.high_watermark}"


def _error(code: int) -> str:
    return f" {ErrorCode.of(code).name}" if code else ""
