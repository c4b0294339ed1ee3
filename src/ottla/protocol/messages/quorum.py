"""The Raft quorum among controllers (KIP-595, KIP-853).

Generated from `schema/quorum.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Records, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class VoteRequest_PartitionData(Struct):
    __qualname__ = "VoteRequest.PartitionData"
    __slots__ = (
        "partition_index", "replica_epoch", "replica_id", "replica_directory_id", "voter_directory_id",
        "last_offset_epoch", "last_offset", "pre_vote",
    )

    def __init__(
        self, partition_index: int = 0, replica_epoch: int = 0, replica_id: int = 0, replica_directory_id: Uuid
        = ZERO_UUID, voter_directory_id: Uuid = ZERO_UUID, last_offset_epoch: int = 0, last_offset: int = 0,
        pre_vote: bool = False
    ) -> None:
        self.partition_index = partition_index
        self.replica_epoch = replica_epoch
        self.replica_id = replica_id
        self.replica_directory_id = replica_directory_id
        self.voter_directory_id = voter_directory_id
        self.last_offset_epoch = last_offset_epoch
        self.last_offset = last_offset
        self.pre_vote = pre_vote
        self.unknown_tags = ()


class VoteRequest_TopicData(Struct):
    __qualname__ = "VoteRequest.TopicData"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions: Sequence[VoteRequest_PartitionData] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class VoteRequest(Message):
    """A candidate asks for a vote.

    Request 52, versions 0-2.
    Version 2: asks first whether it could win, and disturbs nobody (KIP-996).
    """

    KEY = 52
    VERSIONS = range(0, 3)
    TopicData = VoteRequest_TopicData
    PartitionData = VoteRequest_PartitionData
    __slots__ = ("cluster_id", "voter_id", "topics",)

    def __init__(
        self, cluster_id: str | None = None, voter_id: int = -1, topics: Sequence[VoteRequest_TopicData] = ()
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics = topics
        self.unknown_tags = ()


class VoteResponse_PartitionData(Struct):
    __qualname__ = "VoteResponse.PartitionData"
    __slots__ = ("partition_index", "error_code", "leader_id", "leader_epoch", "vote_granted",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, leader_id: int = 0, leader_epoch: int = 0,
        vote_granted: bool = False
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.vote_granted = vote_granted
        self.unknown_tags = ()


class VoteResponse_TopicData(Struct):
    __qualname__ = "VoteResponse.TopicData"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions: Sequence[VoteResponse_PartitionData] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class VoteResponse_NodeEndpoint(Struct):
    __qualname__ = "VoteResponse.NodeEndpoint"
    __slots__ = ("node_id", "host", "port",)

    def __init__(
        self, node_id: int = 0, host: str = "", port: int = 0
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.unknown_tags = ()


class VoteResponse(Message):
    """Whether the vote is given.

    Response to request 52, versions 0-2.
    """

    KEY = 52
    VERSIONS = range(0, 3)
    TopicData = VoteResponse_TopicData
    PartitionData = VoteResponse_PartitionData
    NodeEndpoint = VoteResponse_NodeEndpoint
    __slots__ = ("error_code", "topics", "node_endpoints",)

    def __init__(
        self, error_code: int = 0, topics: Sequence[VoteResponse_TopicData] = (), node_endpoints:
        Sequence[VoteResponse_NodeEndpoint] = ()
    ) -> None:
        self.error_code = error_code
        self.topics = topics
        self.node_endpoints = node_endpoints
        self.unknown_tags = ()


class BeginQuorumEpochRequest_PartitionData(Struct):
    __qualname__ = "BeginQuorumEpochRequest.PartitionData"
    __slots__ = ("partition_index", "voter_directory_id", "leader_id", "leader_epoch",)

    def __init__(
        self, partition_index: int = 0, voter_directory_id: Uuid = ZERO_UUID, leader_id: int = 0, leader_epoch:
        int = 0
    ) -> None:
        self.partition_index = partition_index
        self.voter_directory_id = voter_directory_id
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class BeginQuorumEpochRequest_TopicData(Struct):
    __qualname__ = "BeginQuorumEpochRequest.TopicData"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions: Sequence[BeginQuorumEpochRequest_PartitionData] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class BeginQuorumEpochRequest_LeaderEndpoint(Struct):
    __qualname__ = "BeginQuorumEpochRequest.LeaderEndpoint"
    __slots__ = ("name", "host", "port",)

    def __init__(
        self, name: str = "", host: str = "", port: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tags = ()


class BeginQuorumEpochRequest(Message):
    """A new leader makes itself known to the voters.

    Request 53, versions 0-1.
    """

    KEY = 53
    VERSIONS = range(0, 2)
    TopicData = BeginQuorumEpochRequest_TopicData
    PartitionData = BeginQuorumEpochRequest_PartitionData
    LeaderEndpoint = BeginQuorumEpochRequest_LeaderEndpoint
    __slots__ = ("cluster_id", "voter_id", "topics", "leader_endpoints",)

    def __init__(
        self, cluster_id: str | None = None, voter_id: int = -1, topics:
        Sequence[BeginQuorumEpochRequest_TopicData] = (), leader_endpoints:
        Sequence[BeginQuorumEpochRequest_LeaderEndpoint] = ()
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics = topics
        self.leader_endpoints = leader_endpoints
        self.unknown_tags = ()


class BeginQuorumEpochResponse_PartitionData(Struct):
    __qualname__ = "BeginQuorumEpochResponse.PartitionData"
    __slots__ = ("partition_index", "error_code", "leader_id", "leader_epoch",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, leader_id: int = 0, leader_epoch: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class BeginQuorumEpochResponse_TopicData(Struct):
    __qualname__ = "BeginQuorumEpochResponse.TopicData"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions: Sequence[BeginQuorumEpochResponse_PartitionData] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class BeginQuorumEpochResponse_NodeEndpoint(Struct):
    __qualname__ = "BeginQuorumEpochResponse.NodeEndpoint"
    __slots__ = ("node_id", "host", "port",)

    def __init__(
        self, node_id: int = 0, host: str = "", port: int = 0
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.unknown_tags = ()


class BeginQuorumEpochResponse(Message):
    """Whether the voter follows it.

    Response to request 53, versions 0-1.
    """

    KEY = 53
    VERSIONS = range(0, 2)
    TopicData = BeginQuorumEpochResponse_TopicData
    PartitionData = BeginQuorumEpochResponse_PartitionData
    NodeEndpoint = BeginQuorumEpochResponse_NodeEndpoint
    __slots__ = ("error_code", "topics", "node_endpoints",)

    def __init__(
        self, error_code: int = 0, topics: Sequence[BeginQuorumEpochResponse_TopicData] = (), node_endpoints:
        Sequence[BeginQuorumEpochResponse_NodeEndpoint] = ()
    ) -> None:
        self.error_code = error_code
        self.topics = topics
        self.node_endpoints = node_endpoints
        self.unknown_tags = ()


class EndQuorumEpochRequest_ReplicaInfo(Struct):
    __qualname__ = "EndQuorumEpochRequest.ReplicaInfo"
    __slots__ = ("candidate_id", "candidate_directory_id",)

    def __init__(
        self, candidate_id: int = 0, candidate_directory_id: Uuid = ZERO_UUID
    ) -> None:
        self.candidate_id = candidate_id
        self.candidate_directory_id = candidate_directory_id
        self.unknown_tags = ()


class EndQuorumEpochRequest_PartitionData(Struct):
    __qualname__ = "EndQuorumEpochRequest.PartitionData"
    __slots__ = ("partition_index", "leader_id", "leader_epoch", "preferred_successors", "preferred_candidates",)

    def __init__(
        self, partition_index: int = 0, leader_id: int = 0, leader_epoch: int = 0, preferred_successors:
        Sequence[int] = (), preferred_candidates: Sequence[EndQuorumEpochRequest_ReplicaInfo] = ()
    ) -> None:
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.preferred_successors = preferred_successors
        self.preferred_candidates = preferred_candidates
        self.unknown_tags = ()


class EndQuorumEpochRequest_TopicData(Struct):
    __qualname__ = "EndQuorumEpochRequest.TopicData"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions: Sequence[EndQuorumEpochRequest_PartitionData] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class EndQuorumEpochRequest_LeaderEndpoint(Struct):
    __qualname__ = "EndQuorumEpochRequest.LeaderEndpoint"
    __slots__ = ("name", "host", "port",)

    def __init__(
        self, name: str = "", host: str = "", port: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tags = ()


class EndQuorumEpochRequest(Message):
    """A leader resigns, and names those who could take over.

    Request 54, versions 0-1.
    """

    KEY = 54
    VERSIONS = range(0, 2)
    TopicData = EndQuorumEpochRequest_TopicData
    PartitionData = EndQuorumEpochRequest_PartitionData
    ReplicaInfo = EndQuorumEpochRequest_ReplicaInfo
    LeaderEndpoint = EndQuorumEpochRequest_LeaderEndpoint
    __slots__ = ("cluster_id", "topics", "leader_endpoints",)

    def __init__(
        self, cluster_id: str | None = None, topics: Sequence[EndQuorumEpochRequest_TopicData] = (),
        leader_endpoints: Sequence[EndQuorumEpochRequest_LeaderEndpoint] = ()
    ) -> None:
        self.cluster_id = cluster_id
        self.topics = topics
        self.leader_endpoints = leader_endpoints
        self.unknown_tags = ()


class EndQuorumEpochResponse_PartitionData(Struct):
    __qualname__ = "EndQuorumEpochResponse.PartitionData"
    __slots__ = ("partition_index", "error_code", "leader_id", "leader_epoch",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, leader_id: int = 0, leader_epoch: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class EndQuorumEpochResponse_TopicData(Struct):
    __qualname__ = "EndQuorumEpochResponse.TopicData"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions: Sequence[EndQuorumEpochResponse_PartitionData] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class EndQuorumEpochResponse_NodeEndpoint(Struct):
    __qualname__ = "EndQuorumEpochResponse.NodeEndpoint"
    __slots__ = ("node_id", "host", "port",)

    def __init__(
        self, node_id: int = 0, host: str = "", port: int = 0
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.unknown_tags = ()


class EndQuorumEpochResponse(Message):
    """Whether the voter has taken notice.

    Response to request 54, versions 0-1.
    """

    KEY = 54
    VERSIONS = range(0, 2)
    TopicData = EndQuorumEpochResponse_TopicData
    PartitionData = EndQuorumEpochResponse_PartitionData
    NodeEndpoint = EndQuorumEpochResponse_NodeEndpoint
    __slots__ = ("error_code", "topics", "node_endpoints",)

    def __init__(
        self, error_code: int = 0, topics: Sequence[EndQuorumEpochResponse_TopicData] = (), node_endpoints:
        Sequence[EndQuorumEpochResponse_NodeEndpoint] = ()
    ) -> None:
        self.error_code = error_code
        self.topics = topics
        self.node_endpoints = node_endpoints
        self.unknown_tags = ()


class DescribeQuorumRequest_PartitionData(Struct):
    __qualname__ = "DescribeQuorumRequest.PartitionData"
    __slots__ = ("partition_index",)

    def __init__(
        self, partition_index: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.unknown_tags = ()


class DescribeQuorumRequest_TopicData(Struct):
    __qualname__ = "DescribeQuorumRequest.TopicData"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions: Sequence[DescribeQuorumRequest_PartitionData] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class DescribeQuorumRequest(Message):
    """Asks who votes, who leads, and how far everybody is.

    Request 55, versions 0-2.
    Version 1: times in the response (KIP-836).
    Version 2: directories and endpoints in the response (KIP-853).
    """

    KEY = 55
    VERSIONS = range(0, 3)
    TopicData = DescribeQuorumRequest_TopicData
    PartitionData = DescribeQuorumRequest_PartitionData
    __slots__ = ("topics",)

    def __init__(
        self, topics: Sequence[DescribeQuorumRequest_TopicData] = ()
    ) -> None:
        self.topics = topics
        self.unknown_tags = ()


class DescribeQuorumResponse_ReplicaState(Struct):
    __qualname__ = "DescribeQuorumResponse.ReplicaState"
    __slots__ = (
        "replica_id", "replica_directory_id", "log_end_offset", "last_fetch_timestamp",
        "last_caught_up_timestamp",
    )

    def __init__(
        self, replica_id: int = 0, replica_directory_id: Uuid = ZERO_UUID, log_end_offset: int = 0,
        last_fetch_timestamp: int = -1, last_caught_up_timestamp: int = -1
    ) -> None:
        self.replica_id = replica_id
        self.replica_directory_id = replica_directory_id
        self.log_end_offset = log_end_offset
        self.last_fetch_timestamp = last_fetch_timestamp
        self.last_caught_up_timestamp = last_caught_up_timestamp
        self.unknown_tags = ()


class DescribeQuorumResponse_PartitionData(Struct):
    __qualname__ = "DescribeQuorumResponse.PartitionData"
    __slots__ = (
        "partition_index", "error_code", "error_message", "leader_id", "leader_epoch", "high_watermark",
        "current_voters", "observers",
    )

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, error_message: str | None = "", leader_id: int = 0,
        leader_epoch: int = 0, high_watermark: int = 0, current_voters:
        Sequence[DescribeQuorumResponse_ReplicaState] = (), observers:
        Sequence[DescribeQuorumResponse_ReplicaState] = ()
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.high_watermark = high_watermark
        self.current_voters = current_voters
        self.observers = observers
        self.unknown_tags = ()


class DescribeQuorumResponse_TopicData(Struct):
    __qualname__ = "DescribeQuorumResponse.TopicData"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions: Sequence[DescribeQuorumResponse_PartitionData] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class DescribeQuorumResponse_Listener(Struct):
    __qualname__ = "DescribeQuorumResponse.Listener"
    __slots__ = ("name", "host", "port",)

    def __init__(
        self, name: str = "", host: str = "", port: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tags = ()


class DescribeQuorumResponse_Node(Struct):
    __qualname__ = "DescribeQuorumResponse.Node"
    __slots__ = ("node_id", "listeners",)

    def __init__(
        self, node_id: int = 0, listeners: Sequence[DescribeQuorumResponse_Listener] = ()
    ) -> None:
        self.node_id = node_id
        self.listeners = listeners
        self.unknown_tags = ()


class DescribeQuorumResponse(Message):
    """The state of the quorum, as its leader sees it.

    Response to request 55, versions 0-2.
    """

    KEY = 55
    VERSIONS = range(0, 3)
    ReplicaState = DescribeQuorumResponse_ReplicaState
    TopicData = DescribeQuorumResponse_TopicData
    PartitionData = DescribeQuorumResponse_PartitionData
    Node = DescribeQuorumResponse_Node
    Listener = DescribeQuorumResponse_Listener
    __slots__ = ("error_code", "error_message", "topics", "nodes",)

    def __init__(
        self, error_code: int = 0, error_message: str | None = "", topics:
        Sequence[DescribeQuorumResponse_TopicData] = (), nodes: Sequence[DescribeQuorumResponse_Node] = ()
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.topics = topics
        self.nodes = nodes
        self.unknown_tags = ()


class FetchSnapshotRequest_SnapshotId(Struct):
    __qualname__ = "FetchSnapshotRequest.SnapshotId"
    __slots__ = ("end_offset", "epoch",)

    def __init__(
        self, end_offset: int = 0, epoch: int = 0
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tags = ()


class FetchSnapshotRequest_PartitionSnapshot(Struct):
    __qualname__ = "FetchSnapshotRequest.PartitionSnapshot"
    __slots__ = ("partition", "current_leader_epoch", "snapshot_id", "position", "replica_directory_id",)

    def __init__(
        self, partition: int = 0, current_leader_epoch: int = 0, snapshot_id: FetchSnapshotRequest_SnapshotId =
        FetchSnapshotRequest_SnapshotId.default(), position: int = 0, replica_directory_id: Uuid = ZERO_UUID
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.snapshot_id = snapshot_id
        self.position = position
        self.replica_directory_id = replica_directory_id
        self.unknown_tags = ()


class FetchSnapshotRequest_TopicSnapshot(Struct):
    __qualname__ = "FetchSnapshotRequest.TopicSnapshot"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[FetchSnapshotRequest_PartitionSnapshot] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class FetchSnapshotRequest(Message):
    """Reads a piece of a snapshot (KIP-630).

    Request 59, versions 0-1.
    """

    KEY = 59
    VERSIONS = range(0, 2)
    TopicSnapshot = FetchSnapshotRequest_TopicSnapshot
    PartitionSnapshot = FetchSnapshotRequest_PartitionSnapshot
    SnapshotId = FetchSnapshotRequest_SnapshotId
    __slots__ = ("cluster_id", "replica_id", "max_bytes", "topics",)

    def __init__(
        self, cluster_id: str | None = None, replica_id: int = -1, max_bytes: int = 2147483647, topics:
        Sequence[FetchSnapshotRequest_TopicSnapshot] = ()
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.max_bytes = max_bytes
        self.topics = topics
        self.unknown_tags = ()


class FetchSnapshotResponse_SnapshotId(Struct):
    __qualname__ = "FetchSnapshotResponse.SnapshotId"
    __slots__ = ("end_offset", "epoch",)

    def __init__(
        self, end_offset: int = 0, epoch: int = 0
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tags = ()


class FetchSnapshotResponse_LeaderIdAndEpoch(Struct):
    __qualname__ = "FetchSnapshotResponse.LeaderIdAndEpoch"
    __slots__ = ("leader_id", "leader_epoch",)

    def __init__(
        self, leader_id: int = 0, leader_epoch: int = 0
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class FetchSnapshotResponse_PartitionSnapshot(Struct):
    __qualname__ = "FetchSnapshotResponse.PartitionSnapshot"
    __slots__ = ("index", "error_code", "snapshot_id", "current_leader", "size", "position", "unaligned_records",)

    def __init__(
        self, index: int = 0, error_code: int = 0, snapshot_id: FetchSnapshotResponse_SnapshotId =
        FetchSnapshotResponse_SnapshotId.default(), current_leader: FetchSnapshotResponse_LeaderIdAndEpoch =
        FetchSnapshotResponse_LeaderIdAndEpoch.default(), size: int = 0, position: int = 0, unaligned_records:
        Records | None = None
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.snapshot_id = snapshot_id
        self.current_leader = current_leader
        self.size = size
        self.position = position
        self.unaligned_records = unaligned_records
        self.unknown_tags = ()


class FetchSnapshotResponse_TopicSnapshot(Struct):
    __qualname__ = "FetchSnapshotResponse.TopicSnapshot"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[FetchSnapshotResponse_PartitionSnapshot] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class FetchSnapshotResponse_NodeEndpoint(Struct):
    __qualname__ = "FetchSnapshotResponse.NodeEndpoint"
    __slots__ = ("node_id", "host", "port",)

    def __init__(
        self, node_id: int = 0, host: str = "", port: int = 0
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.unknown_tags = ()


class FetchSnapshotResponse(Message):
    """The piece.

    Response to request 59, versions 0-1.
    """

    KEY = 59
    VERSIONS = range(0, 2)
    TopicSnapshot = FetchSnapshotResponse_TopicSnapshot
    PartitionSnapshot = FetchSnapshotResponse_PartitionSnapshot
    SnapshotId = FetchSnapshotResponse_SnapshotId
    LeaderIdAndEpoch = FetchSnapshotResponse_LeaderIdAndEpoch
    NodeEndpoint = FetchSnapshotResponse_NodeEndpoint
    __slots__ = ("throttle_time_ms", "error_code", "topics", "node_endpoints",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, topics:
        Sequence[FetchSnapshotResponse_TopicSnapshot] = (), node_endpoints:
        Sequence[FetchSnapshotResponse_NodeEndpoint] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = topics
        self.node_endpoints = node_endpoints
        self.unknown_tags = ()


class AddRaftVoterRequest_Listener(Struct):
    __qualname__ = "AddRaftVoterRequest.Listener"
    __slots__ = ("name", "host", "port",)

    def __init__(
        self, name: str = "", host: str = "", port: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tags = ()


class AddRaftVoterRequest(Message):
    """Makes a node a voter (KIP-853).

    Request 80, versions 0-1.
    Version 1: can be answered before it is certain (KIP-1186).
    """

    KEY = 80
    VERSIONS = range(0, 2)
    Listener = AddRaftVoterRequest_Listener
    __slots__ = ("cluster_id", "timeout_ms", "voter_id", "voter_directory_id", "listeners", "ack_when_committed",)

    def __init__(
        self, cluster_id: str | None = "", timeout_ms: int = 0, voter_id: int = 0, voter_directory_id: Uuid =
        ZERO_UUID, listeners: Sequence[AddRaftVoterRequest_Listener] = (), ack_when_committed: bool = True
    ) -> None:
        self.cluster_id = cluster_id
        self.timeout_ms = timeout_ms
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners = listeners
        self.ack_when_committed = ack_when_committed
        self.unknown_tags = ()


class AddRaftVoterResponse(Message):
    """Whether it votes.

    Response to request 80, versions 0-1.
    """

    KEY = 80
    VERSIONS = range(0, 2)
    __slots__ = ("throttle_time_ms", "error_code", "error_message",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = ""
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class RemoveRaftVoterRequest(Message):
    """Takes a voter's vote away (KIP-853).

    Request 81, version 0.
    """

    KEY = 81
    VERSIONS = range(0, 1)
    __slots__ = ("cluster_id", "voter_id", "voter_directory_id",)

    def __init__(
        self, cluster_id: str | None = "", voter_id: int = 0, voter_directory_id: Uuid = ZERO_UUID
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.unknown_tags = ()


class RemoveRaftVoterResponse(Message):
    """Whether it is gone.

    Response to request 81, version 0.
    """

    KEY = 81
    VERSIONS = range(0, 1)
    __slots__ = ("throttle_time_ms", "error_code", "error_message",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = ""
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class UpdateRaftVoterRequest_Listener(Struct):
    __qualname__ = "UpdateRaftVoterRequest.Listener"
    __slots__ = ("name", "host", "port",)

    def __init__(
        self, name: str = "", host: str = "", port: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tags = ()


class UpdateRaftVoterRequest_KRaftVersionFeature(Struct):
    __qualname__ = "UpdateRaftVoterRequest.KRaftVersionFeature"
    __slots__ = ("min_supported_version", "max_supported_version",)

    def __init__(
        self, min_supported_version: int = 0, max_supported_version: int = 0
    ) -> None:
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tags = ()


class UpdateRaftVoterRequest(Message):
    """A voter has other endpoints, or other versions, than the log says (KIP-853).

    Request 82, version 0.
    """

    KEY = 82
    VERSIONS = range(0, 1)
    Listener = UpdateRaftVoterRequest_Listener
    KRaftVersionFeature = UpdateRaftVoterRequest_KRaftVersionFeature
    __slots__ = (
        "cluster_id", "current_leader_epoch", "voter_id", "voter_directory_id", "listeners",
        "kraft_version_feature",
    )

    def __init__(
        self, cluster_id: str | None = "", current_leader_epoch: int = 0, voter_id: int = 0, voter_directory_id:
        Uuid = ZERO_UUID, listeners: Sequence[UpdateRaftVoterRequest_Listener] = (), kraft_version_feature:
        UpdateRaftVoterRequest_KRaftVersionFeature = UpdateRaftVoterRequest_KRaftVersionFeature.default()
    ) -> None:
        self.cluster_id = cluster_id
        self.current_leader_epoch = current_leader_epoch
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners = listeners
        self.kraft_version_feature = kraft_version_feature
        self.unknown_tags = ()


class UpdateRaftVoterResponse_CurrentLeader(Struct):
    __qualname__ = "UpdateRaftVoterResponse.CurrentLeader"
    __slots__ = ("leader_id", "leader_epoch", "host", "port",)

    def __init__(
        self, leader_id: int = -1, leader_epoch: int = -1, host: str = "", port: int = 0
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.host = host
        self.port = port
        self.unknown_tags = ()


class UpdateRaftVoterResponse(Message):
    """Whether the log says so now.

    Response to request 82, version 0.
    """

    KEY = 82
    VERSIONS = range(0, 1)
    CurrentLeader = UpdateRaftVoterResponse_CurrentLeader
    __slots__ = ("throttle_time_ms", "error_code", "current_leader",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, current_leader:
        UpdateRaftVoterResponse_CurrentLeader = UpdateRaftVoterResponse_CurrentLeader.default()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.current_leader = current_leader
        self.unknown_tags = ()
