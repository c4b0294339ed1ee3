"""The quorum's requests and responses, made and opened: each carries exactly one partition, that of the metadata.

Kafka's messages could speak of many partitions; KRaft has one, so whoever names another, or several, is answered with
INVALID_REQUEST, and an answer of that kind is none. Where the leader can be reached goes along as a node endpoint, for
those who do not know the voters.
"""

from collections.abc import Sequence
from typing import Final, Protocol, TypeVar

from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.cluster.raft.voters import NO_NODE, Endpoint, Node, ReplicaKey, Voter
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
    FetchRequest_FetchPartition,
    FetchRequest_FetchTopic,
    FetchRequest_ReplicaState,
    FetchResponse,
    FetchResponse_FetchableTopicResponse,
    FetchResponse_LeaderIdAndEpoch,
    FetchResponse_NodeEndpoint,
    FetchResponse_PartitionData,
)
from ottla.protocol.messages.quorum import (
    AddRaftVoterRequest,
    AddRaftVoterRequest_Listener,
    BeginQuorumEpochRequest,
    BeginQuorumEpochRequest_LeaderEndpoint,
    BeginQuorumEpochRequest_PartitionData,
    BeginQuorumEpochRequest_TopicData,
    BeginQuorumEpochResponse,
    BeginQuorumEpochResponse_NodeEndpoint,
    BeginQuorumEpochResponse_PartitionData,
    BeginQuorumEpochResponse_TopicData,
    DescribeQuorumRequest,
    DescribeQuorumRequest_PartitionData,
    EndQuorumEpochRequest,
    EndQuorumEpochRequest_LeaderEndpoint,
    EndQuorumEpochRequest_PartitionData,
    EndQuorumEpochRequest_ReplicaInfo,
    EndQuorumEpochRequest_TopicData,
    EndQuorumEpochResponse,
    EndQuorumEpochResponse_NodeEndpoint,
    EndQuorumEpochResponse_PartitionData,
    EndQuorumEpochResponse_TopicData,
    FetchSnapshotRequest,
    FetchSnapshotRequest_PartitionSnapshot,
    FetchSnapshotRequest_SnapshotId,
    FetchSnapshotRequest_TopicSnapshot,
    FetchSnapshotResponse,
    FetchSnapshotResponse_LeaderIdAndEpoch,
    FetchSnapshotResponse_NodeEndpoint,
    FetchSnapshotResponse_PartitionSnapshot,
    FetchSnapshotResponse_SnapshotId,
    FetchSnapshotResponse_TopicSnapshot,
    UpdateRaftVoterRequest,
    UpdateRaftVoterRequest_KRaftVersionFeature,
    UpdateRaftVoterRequest_Listener,
    UpdateRaftVoterResponse,
    VoteRequest,
    VoteRequest_PartitionData,
    VoteRequest_TopicData,
    VoteResponse,
    VoteResponse_NodeEndpoint,
    VoteResponse_PartitionData,
    VoteResponse_TopicData,
)
from ottla.protocol.records.columns import Bytes
from ottla.protocol.uuids import METADATA_TOPIC_ID

TOPIC: Final = "__cluster_metadata"
PARTITION: Final = 0
FETCH_MAX_WAIT_MS: Final = 500
UNKNOWN_HIGH_WATERMARK: Final = 2**63 - 1  # of a fetch by somebody who does not tell: no watermark wakes it

P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)


class _Topic(Protocol[P_co]):
    @property
    def partitions(self) -> Sequence[P_co]: ...


def _only(topics: Sequence[_Topic[P]]) -> P | None:
    return topics[0].partitions[0] if len(topics) == 1 and len(topics[0].partitions) == 1 else None


# Opening


def vote_partition(request: VoteRequest) -> VoteRequest_PartitionData | None:
    """What a Vote asks; None if it is about something else than the metadata, here and below."""
    partition = _only(request.topics)
    is_ours = partition and (request.topics[0].topic_name, partition.partition_index) == (TOPIC, PARTITION)
    return partition if is_ours else None


def begin_partition(request: BeginQuorumEpochRequest) -> BeginQuorumEpochRequest_PartitionData | None:
    """What a BeginQuorumEpoch says."""
    partition = _only(request.topics)
    is_ours = partition and (request.topics[0].topic_name, partition.partition_index) == (TOPIC, PARTITION)
    return partition if is_ours else None


def end_partition(request: EndQuorumEpochRequest) -> EndQuorumEpochRequest_PartitionData | None:
    """What an EndQuorumEpoch says."""
    partition = _only(request.topics)
    is_ours = partition and (request.topics[0].topic_name, partition.partition_index) == (TOPIC, PARTITION)
    return partition if is_ours else None


def fetch_partition(request: FetchRequest) -> FetchRequest_FetchPartition | None:
    """What a Fetch asks: for the topic's id. Versions before 13 name the topic, and are refused, as in Kafka."""
    partition = _only(request.topics)
    is_ours = partition and (request.topics[0].topic_id, partition.partition) == (METADATA_TOPIC_ID, PARTITION)
    return partition if is_ours else None


def snapshot_partition(request: FetchSnapshotRequest) -> FetchSnapshotRequest_PartitionSnapshot | None:
    """What a FetchSnapshot asks."""
    partition = _only(request.topics)
    is_ours = partition and (request.topics[0].name, partition.partition) == (TOPIC, PARTITION)
    return partition if is_ours else None


def describe_partition(request: DescribeQuorumRequest) -> DescribeQuorumRequest_PartitionData | None:
    """What a DescribeQuorum asks."""
    partition = _only(request.topics)
    is_ours = partition and (request.topics[0].topic_name, partition.partition_index) == (TOPIC, PARTITION)
    return partition if is_ours else None


ResponsePartition = (
    VoteResponse_PartitionData
    | BeginQuorumEpochResponse_PartitionData
    | EndQuorumEpochResponse_PartitionData
    | FetchResponse_PartitionData
    | FetchSnapshotResponse_PartitionSnapshot
)


def response_partition(response: Message) -> ResponsePartition | None:
    """What a response says of the metadata's partition."""
    if isinstance(response, VoteResponse):
        return _only(response.topics)
    if isinstance(response, BeginQuorumEpochResponse):
        return _only(response.topics)
    if isinstance(response, EndQuorumEpochResponse):
        return _only(response.topics)
    if isinstance(response, FetchResponse):
        return _only(response.responses)
    return _only(response.topics) if isinstance(response, FetchSnapshotResponse) else None


def leader_of(response: Message, partition: ResponsePartition) -> tuple[int | None, int, Node | None]:
    """The leader that a response names, the epoch of whoever answered, and where that leader is."""
    if isinstance(partition, FetchResponse_PartitionData | FetchSnapshotResponse_PartitionSnapshot):
        leader_id, epoch = partition.current_leader.leader_id, partition.current_leader.leader_epoch
    else:
        leader_id, epoch = partition.leader_id, partition.leader_epoch
    if leader_id < 0:
        return None, epoch, None
    assert isinstance(
        response,
        VoteResponse | BeginQuorumEpochResponse | EndQuorumEpochResponse | FetchResponse | FetchSnapshotResponse,
    )
    for endpoint in response.node_endpoints:
        if endpoint.node_id == leader_id:
            return leader_id, epoch, Node(leader_id, endpoint.host, endpoint.port)
    return leader_id, epoch, None


# Making requests


def vote_request(
    cluster_id: str | None, voter: ReplicaKey, candidate: ReplicaKey, epoch: int, end: OffsetAndEpoch, *, pre_vote: bool
) -> VoteRequest:
    """Asks a voter for its vote, or whether it would give it."""
    partition = VoteRequest_PartitionData(
        PARTITION, epoch, candidate.node_id, candidate.directory_id, voter.directory_id, end.epoch, end.offset, pre_vote
    )
    return VoteRequest(cluster_id, voter.node_id, [VoteRequest_TopicData(TOPIC, [partition])])


def begin_request(
    cluster_id: str | None, voter: ReplicaKey, leader_id: int, epoch: int, endpoints: Sequence[Endpoint]
) -> BeginQuorumEpochRequest:
    """Tells a voter who leads."""
    partition = BeginQuorumEpochRequest_PartitionData(PARTITION, voter.directory_id, leader_id, epoch)
    topics = [BeginQuorumEpochRequest_TopicData(TOPIC, [partition])]
    listeners = [BeginQuorumEpochRequest_LeaderEndpoint(*endpoint) for endpoint in endpoints]
    return BeginQuorumEpochRequest(cluster_id, voter.node_id, topics, listeners)


def end_request(
    cluster_id: str | None, leader_id: int, epoch: int, successors: Sequence[ReplicaKey], endpoints: Sequence[Endpoint]
) -> EndQuorumEpochRequest:
    """Tells a voter that nobody leads any more, and who should try first."""
    partition = EndQuorumEpochRequest_PartitionData(
        PARTITION,
        leader_id,
        epoch,
        [key.node_id for key in successors],
        [EndQuorumEpochRequest_ReplicaInfo(*key) for key in successors],
    )
    topics = [EndQuorumEpochRequest_TopicData(TOPIC, [partition])]
    listeners = [EndQuorumEpochRequest_LeaderEndpoint(*endpoint) for endpoint in endpoints]
    return EndQuorumEpochRequest(cluster_id, topics, listeners)


def fetch_request(
    cluster_id: str | None, replica: ReplicaKey, epoch: int, end: OffsetAndEpoch, *, high_watermark: int, max_bytes: int
) -> FetchRequest:
    """Asks for what follows the end of our log."""
    partition = FetchRequest_FetchPartition(
        PARTITION, epoch, end.offset, end.epoch, -1, 0, replica.directory_id, high_watermark
    )
    return FetchRequest(
        cluster_id,
        replica_state=FetchRequest_ReplicaState(replica.node_id),
        max_wait_ms=FETCH_MAX_WAIT_MS,
        max_bytes=max_bytes,
        topics=[FetchRequest_FetchTopic(TOPIC, METADATA_TOPIC_ID, [partition])],
    )


def snapshot_request(
    cluster_id: str | None,
    replica: ReplicaKey,
    epoch: int,
    snapshot_id: OffsetAndEpoch,
    position: int,
    *,
    max_bytes: int,
) -> FetchSnapshotRequest:
    """Asks for the next piece of a snapshot."""
    name = FetchSnapshotRequest_SnapshotId(*snapshot_id)
    partition = FetchSnapshotRequest_PartitionSnapshot(PARTITION, epoch, name, position, replica.directory_id)
    topics = [FetchSnapshotRequest_TopicSnapshot(TOPIC, [partition])]
    return FetchSnapshotRequest(cluster_id, replica.node_id, max_bytes, topics)


def update_request(cluster_id: str, voter: Voter, epoch: int) -> UpdateRaftVoterRequest:
    """Tells the leader where a voter is, and what it can run."""
    return UpdateRaftVoterRequest(
        cluster_id,
        epoch,
        *voter.key,
        [UpdateRaftVoterRequest_Listener(*endpoint) for endpoint in voter.endpoints],
        UpdateRaftVoterRequest_KRaftVersionFeature(*voter.kraft_versions),
    )


def add_request(cluster_id: str, voter: Voter, timeout_ms: int) -> AddRaftVoterRequest:
    """Asks for a vote of one's own: an answer before it is committed will do, since one's own fetches commit it."""
    listeners = [AddRaftVoterRequest_Listener(*endpoint) for endpoint in voter.endpoints]
    return AddRaftVoterRequest(cluster_id, timeout_ms, *voter.key, listeners, ack_when_committed=False)


# Making responses. `leader` is the id and epoch that we know of, and where that leader is.


def vote_response(
    error: ErrorCode, leader_id: int | None, epoch: int, node: Node | None, *, is_granted: bool
) -> VoteResponse:
    """Answers a Vote."""
    partition = VoteResponse_PartitionData(PARTITION, error, _id(leader_id), epoch, is_granted)
    endpoints = [VoteResponse_NodeEndpoint(*node)] if node else []
    return VoteResponse(0, [VoteResponse_TopicData(TOPIC, [partition])], endpoints)


def begin_response(error: ErrorCode, leader_id: int | None, epoch: int, node: Node | None) -> BeginQuorumEpochResponse:
    """Answers a BeginQuorumEpoch."""
    partition = BeginQuorumEpochResponse_PartitionData(PARTITION, error, _id(leader_id), epoch)
    endpoints = [BeginQuorumEpochResponse_NodeEndpoint(*node)] if node else []
    return BeginQuorumEpochResponse(0, [BeginQuorumEpochResponse_TopicData(TOPIC, [partition])], endpoints)


def end_response(error: ErrorCode, leader_id: int | None, epoch: int, node: Node | None) -> EndQuorumEpochResponse:
    """Answers an EndQuorumEpoch."""
    partition = EndQuorumEpochResponse_PartitionData(PARTITION, error, _id(leader_id), epoch)
    endpoints = [EndQuorumEpochResponse_NodeEndpoint(*node)] if node else []
    return EndQuorumEpochResponse(0, [EndQuorumEpochResponse_TopicData(TOPIC, [partition])], endpoints)


def fetch_response(
    partition: FetchResponse_PartitionData, leader_id: int | None, epoch: int, node: Node | None
) -> FetchResponse:
    """Answers a Fetch; who leads is filled in."""
    partition.partition_index = PARTITION
    partition.current_leader = FetchResponse_LeaderIdAndEpoch(_id(leader_id), epoch)
    topic = FetchResponse_FetchableTopicResponse(TOPIC, METADATA_TOPIC_ID, [partition])
    endpoints = [FetchResponse_NodeEndpoint(*node)] if node else []
    return FetchResponse(responses=[topic], node_endpoints=endpoints)


def snapshot_response(
    error: ErrorCode,
    leader_id: int | None,
    epoch: int,
    node: Node | None,
    *,
    piece: tuple[OffsetAndEpoch, int, int, Bytes] | None = None,
) -> FetchSnapshotResponse:
    """Answers a FetchSnapshot; a piece is its snapshot, the size of that, a position, and bytes."""
    partition = FetchSnapshotResponse_PartitionSnapshot(PARTITION, error, unaligned_records=b"")
    partition.current_leader = FetchSnapshotResponse_LeaderIdAndEpoch(_id(leader_id), epoch)
    if piece is not None:
        snapshot_id, partition.size, partition.position, partition.unaligned_records = piece
        partition.snapshot_id = FetchSnapshotResponse_SnapshotId(*snapshot_id)
    endpoints = [FetchSnapshotResponse_NodeEndpoint(*node)] if node else []
    return FetchSnapshotResponse(
        topics=[FetchSnapshotResponse_TopicSnapshot(TOPIC, [partition])], node_endpoints=endpoints
    )


def unsupported(request: Message) -> Message | None:
    """The answer of a peer that is too old for a request, where it makes a difference: the peer never sees it."""
    match request:
        case VoteRequest():
            return VoteResponse(ErrorCode.UNSUPPORTED_VERSION)
        case UpdateRaftVoterRequest():
            return UpdateRaftVoterResponse(0, ErrorCode.UNSUPPORTED_VERSION)
    return None


def _id(leader_id: int | None) -> int:
    return NO_NODE if leader_id is None else leader_id


def replica_key(node_id: int, directory_id: Uuid) -> ReplicaKey:
    """The key of a message's fields, whose bytes may be a view of the frame."""
    return ReplicaKey(node_id, Uuid(bytes(directory_id)))


def is_for(cluster_id: str | None, own: str) -> bool:
    """Whether a request is meant for our cluster: old versions do not say."""
    return cluster_id is None or cluster_id == own


def is_addressed_to(own: ReplicaKey, voter_id: int, directory_id: Uuid) -> bool:
    """Whether a request is meant for this life of ours: who does not know our directory does not say it."""
    if voter_id < 0:
        return True
    asked = replica_key(voter_id, directory_id)
    return asked.node_id == own.node_id and (not asked.has_directory or asked.directory_id == own.directory_id)
