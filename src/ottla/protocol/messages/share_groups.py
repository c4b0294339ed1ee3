"""Share groups (KIP-932): queues over topics, and their state on its coordinator.

Generated from `schema/share_groups.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Records, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class ShareGroupHeartbeatRequest(Message):
    """Joins, stays in and leaves a share group. Version 0, of 4.0's preview, is gone.

    Request 76, version 1.
    """

    KEY = 76
    VERSIONS = range(1, 2)
    __slots__ = ("group_id", "member_id", "member_epoch", "rack_id", "subscribed_topic_names",)

    def __init__(
        self, group_id: str = "", member_id: str = "", member_epoch: int = 0, rack_id: str | None = None,
        subscribed_topic_names: Sequence[str] | None = None
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.rack_id = rack_id
        self.subscribed_topic_names = subscribed_topic_names
        self.unknown_tags = ()


class ShareGroupHeartbeatResponse_TopicPartitions(Struct):
    __qualname__ = "ShareGroupHeartbeatResponse.TopicPartitions"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ShareGroupHeartbeatResponse_Assignment(Struct):
    __qualname__ = "ShareGroupHeartbeatResponse.Assignment"
    __slots__ = ("topic_partitions",)

    def __init__(
        self, topic_partitions: Sequence[ShareGroupHeartbeatResponse_TopicPartitions] = ()
    ) -> None:
        self.topic_partitions = topic_partitions
        self.unknown_tags = ()


class ShareGroupHeartbeatResponse(Message):
    """The member's epoch, and its assignment where that has changed.

    Response to request 76, version 1.
    """

    KEY = 76
    VERSIONS = range(1, 2)
    TopicPartitions = ShareGroupHeartbeatResponse_TopicPartitions
    Assignment = ShareGroupHeartbeatResponse_Assignment
    __slots__ = (
        "throttle_time_ms", "error_code", "error_message", "member_id", "member_epoch", "heartbeat_interval_ms",
        "assignment",
    )

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = None, member_id: str |
        None = None, member_epoch: int = 0, heartbeat_interval_ms: int = 0, assignment:
        ShareGroupHeartbeatResponse_Assignment | None = None
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.assignment = assignment
        self.unknown_tags = ()


class ShareGroupDescribeRequest(Message):
    """Asks for the state and the members of share groups.

    Request 77, version 1.
    """

    KEY = 77
    VERSIONS = range(1, 2)
    __slots__ = ("group_ids", "include_authorized_operations",)

    def __init__(
        self, group_ids: Sequence[str] = (), include_authorized_operations: bool = False
    ) -> None:
        self.group_ids = group_ids
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tags = ()


class ShareGroupDescribeResponse_TopicPartitions(Struct):
    __qualname__ = "ShareGroupDescribeResponse.TopicPartitions"
    __slots__ = ("topic_id", "topic_name", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, topic_name: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class ShareGroupDescribeResponse_Assignment(Struct):
    __qualname__ = "ShareGroupDescribeResponse.Assignment"
    __slots__ = ("topic_partitions",)

    def __init__(
        self, topic_partitions: Sequence[ShareGroupDescribeResponse_TopicPartitions] = ()
    ) -> None:
        self.topic_partitions = topic_partitions
        self.unknown_tags = ()


class ShareGroupDescribeResponse_Member(Struct):
    __qualname__ = "ShareGroupDescribeResponse.Member"
    __slots__ = (
        "member_id", "rack_id", "member_epoch", "client_id", "client_host", "subscribed_topic_names",
        "assignment",
    )

    def __init__(
        self, member_id: str = "", rack_id: str | None = None, member_epoch: int = 0, client_id: str = "",
        client_host: str = "", subscribed_topic_names: Sequence[str] = (), assignment:
        ShareGroupDescribeResponse_Assignment = ShareGroupDescribeResponse_Assignment.default()
    ) -> None:
        self.member_id = member_id
        self.rack_id = rack_id
        self.member_epoch = member_epoch
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = subscribed_topic_names
        self.assignment = assignment
        self.unknown_tags = ()


class ShareGroupDescribeResponse_DescribedGroup(Struct):
    __qualname__ = "ShareGroupDescribeResponse.DescribedGroup"
    __slots__ = (
        "error_code", "error_message", "group_id", "group_state", "group_epoch", "assignment_epoch",
        "assignor_name", "members", "authorized_operations",
    )

    def __init__(
        self, error_code: int = 0, error_message: str | None = None, group_id: str = "", group_state: str = "",
        group_epoch: int = 0, assignment_epoch: int = 0, assignor_name: str = "", members:
        Sequence[ShareGroupDescribeResponse_Member] = (), authorized_operations: int = -2147483648
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.assignor_name = assignor_name
        self.members = members
        self.authorized_operations = authorized_operations
        self.unknown_tags = ()


class ShareGroupDescribeResponse(Message):
    """The groups. States: Empty, Stable, Dead.

    Response to request 77, version 1.
    """

    KEY = 77
    VERSIONS = range(1, 2)
    TopicPartitions = ShareGroupDescribeResponse_TopicPartitions
    Assignment = ShareGroupDescribeResponse_Assignment
    DescribedGroup = ShareGroupDescribeResponse_DescribedGroup
    Member = ShareGroupDescribeResponse_Member
    __slots__ = ("throttle_time_ms", "groups",)

    def __init__(
        self, throttle_time_ms: int = 0, groups: Sequence[ShareGroupDescribeResponse_DescribedGroup] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups
        self.unknown_tags = ()


class ShareFetchRequest_AcknowledgementBatch(Struct):
    __qualname__ = "ShareFetchRequest.AcknowledgementBatch"
    __slots__ = ("first_offset", "last_offset", "acknowledge_types",)

    def __init__(
        self, first_offset: int = 0, last_offset: int = 0, acknowledge_types: Sequence[int] = ()
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.acknowledge_types = acknowledge_types
        self.unknown_tags = ()


class ShareFetchRequest_FetchPartition(Struct):
    __qualname__ = "ShareFetchRequest.FetchPartition"
    __slots__ = ("partition_index", "acknowledgement_batches",)

    def __init__(
        self, partition_index: int = 0, acknowledgement_batches:
        Sequence[ShareFetchRequest_AcknowledgementBatch] = ()
    ) -> None:
        self.partition_index = partition_index
        self.acknowledgement_batches = acknowledgement_batches
        self.unknown_tags = ()


class ShareFetchRequest_FetchTopic(Struct):
    __qualname__ = "ShareFetchRequest.FetchTopic"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[ShareFetchRequest_FetchPartition] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ShareFetchRequest_ForgottenTopic(Struct):
    __qualname__ = "ShareFetchRequest.ForgottenTopic"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ShareFetchRequest(Message):
    """Takes records to work on, and acknowledges others on the way.

    Request 78, versions 1-2.
    Types of acknowledgement: 0 gap, 1 accept, 2 release, 3 reject, 4 renew.
    Version 2: modes of taking (KIP-1206), and renewing (KIP-1222).
    """

    KEY = 78
    VERSIONS = range(1, 3)
    FetchTopic = ShareFetchRequest_FetchTopic
    FetchPartition = ShareFetchRequest_FetchPartition
    AcknowledgementBatch = ShareFetchRequest_AcknowledgementBatch
    ForgottenTopic = ShareFetchRequest_ForgottenTopic
    __slots__ = (
        "group_id", "member_id", "share_session_epoch", "max_wait_ms", "min_bytes", "max_bytes", "max_records",
        "batch_size", "share_acquire_mode", "is_renew_ack", "topics", "forgotten_topics_data",
    )

    def __init__(
        self, group_id: str | None = None, member_id: str | None = "", share_session_epoch: int = 0,
        max_wait_ms: int = 0, min_bytes: int = 0, max_bytes: int = 2147483647, max_records: int = 0, batch_size:
        int = 0, share_acquire_mode: int = 0, is_renew_ack: bool = False, topics:
        Sequence[ShareFetchRequest_FetchTopic] = (), forgotten_topics_data:
        Sequence[ShareFetchRequest_ForgottenTopic] = ()
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.max_records = max_records
        self.batch_size = batch_size
        self.share_acquire_mode = share_acquire_mode
        self.is_renew_ack = is_renew_ack
        self.topics = topics
        self.forgotten_topics_data = forgotten_topics_data
        self.unknown_tags = ()


class ShareFetchResponse_LeaderIdAndEpoch(Struct):
    __qualname__ = "ShareFetchResponse.LeaderIdAndEpoch"
    __slots__ = ("leader_id", "leader_epoch",)

    def __init__(
        self, leader_id: int = 0, leader_epoch: int = 0
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class ShareFetchResponse_AcquiredRecords(Struct):
    __qualname__ = "ShareFetchResponse.AcquiredRecords"
    __slots__ = ("first_offset", "last_offset", "delivery_count",)

    def __init__(
        self, first_offset: int = 0, last_offset: int = 0, delivery_count: int = 0
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_count = delivery_count
        self.unknown_tags = ()


class ShareFetchResponse_PartitionData(Struct):
    __qualname__ = "ShareFetchResponse.PartitionData"
    __slots__ = (
        "partition_index", "error_code", "error_message", "acknowledge_error_code", "acknowledge_error_message",
        "current_leader", "records", "acquired_records",
    )

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, error_message: str | None = None,
        acknowledge_error_code: int = 0, acknowledge_error_message: str | None = None, current_leader:
        ShareFetchResponse_LeaderIdAndEpoch = ShareFetchResponse_LeaderIdAndEpoch.default(), records: Records |
        None = None, acquired_records: Sequence[ShareFetchResponse_AcquiredRecords] = ()
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.acknowledge_error_code = acknowledge_error_code
        self.acknowledge_error_message = acknowledge_error_message
        self.current_leader = current_leader
        self.records = records
        self.acquired_records = acquired_records
        self.unknown_tags = ()


class ShareFetchResponse_ShareFetchableTopicResponse(Struct):
    __qualname__ = "ShareFetchResponse.ShareFetchableTopicResponse"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[ShareFetchResponse_PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ShareFetchResponse_NodeEndpoint(Struct):
    __qualname__ = "ShareFetchResponse.NodeEndpoint"
    __slots__ = ("node_id", "host", "port", "rack",)

    def __init__(
        self, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack
        self.unknown_tags = ()


class ShareFetchResponse(Message):
    """Batches, and which of their records are the member's until the lock times out.

    Response to request 78, versions 1-2.
    """

    KEY = 78
    VERSIONS = range(1, 3)
    ShareFetchableTopicResponse = ShareFetchResponse_ShareFetchableTopicResponse
    PartitionData = ShareFetchResponse_PartitionData
    LeaderIdAndEpoch = ShareFetchResponse_LeaderIdAndEpoch
    AcquiredRecords = ShareFetchResponse_AcquiredRecords
    NodeEndpoint = ShareFetchResponse_NodeEndpoint
    __slots__ = (
        "throttle_time_ms", "error_code", "error_message", "acquisition_lock_timeout_ms", "responses",
        "node_endpoints",
    )

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0, responses:
        Sequence[ShareFetchResponse_ShareFetchableTopicResponse] = (), node_endpoints:
        Sequence[ShareFetchResponse_NodeEndpoint] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses = responses
        self.node_endpoints = node_endpoints
        self.unknown_tags = ()


class ShareAcknowledgeRequest_AcknowledgementBatch(Struct):
    __qualname__ = "ShareAcknowledgeRequest.AcknowledgementBatch"
    __slots__ = ("first_offset", "last_offset", "acknowledge_types",)

    def __init__(
        self, first_offset: int = 0, last_offset: int = 0, acknowledge_types: Sequence[int] = ()
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.acknowledge_types = acknowledge_types
        self.unknown_tags = ()


class ShareAcknowledgeRequest_AcknowledgePartition(Struct):
    __qualname__ = "ShareAcknowledgeRequest.AcknowledgePartition"
    __slots__ = ("partition_index", "acknowledgement_batches",)

    def __init__(
        self, partition_index: int = 0, acknowledgement_batches:
        Sequence[ShareAcknowledgeRequest_AcknowledgementBatch] = ()
    ) -> None:
        self.partition_index = partition_index
        self.acknowledgement_batches = acknowledgement_batches
        self.unknown_tags = ()


class ShareAcknowledgeRequest_AcknowledgeTopic(Struct):
    __qualname__ = "ShareAcknowledgeRequest.AcknowledgeTopic"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[ShareAcknowledgeRequest_AcknowledgePartition] =
        ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ShareAcknowledgeRequest(Message):
    """Says what became of records that were taken.

    Request 79, versions 1-2.
    Types of acknowledgement: 0 gap, 1 accept, 2 release, 3 reject, 4 renew.
    Version 2: renewing (KIP-1222).
    """

    KEY = 79
    VERSIONS = range(1, 3)
    AcknowledgeTopic = ShareAcknowledgeRequest_AcknowledgeTopic
    AcknowledgePartition = ShareAcknowledgeRequest_AcknowledgePartition
    AcknowledgementBatch = ShareAcknowledgeRequest_AcknowledgementBatch
    __slots__ = ("group_id", "member_id", "share_session_epoch", "is_renew_ack", "topics",)

    def __init__(
        self, group_id: str | None = None, member_id: str | None = "", share_session_epoch: int = 0,
        is_renew_ack: bool = False, topics: Sequence[ShareAcknowledgeRequest_AcknowledgeTopic] = ()
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.is_renew_ack = is_renew_ack
        self.topics = topics
        self.unknown_tags = ()


class ShareAcknowledgeResponse_LeaderIdAndEpoch(Struct):
    __qualname__ = "ShareAcknowledgeResponse.LeaderIdAndEpoch"
    __slots__ = ("leader_id", "leader_epoch",)

    def __init__(
        self, leader_id: int = 0, leader_epoch: int = 0
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class ShareAcknowledgeResponse_PartitionData(Struct):
    __qualname__ = "ShareAcknowledgeResponse.PartitionData"
    __slots__ = ("partition_index", "error_code", "error_message", "current_leader",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, error_message: str | None = None, current_leader:
        ShareAcknowledgeResponse_LeaderIdAndEpoch = ShareAcknowledgeResponse_LeaderIdAndEpoch.default()
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.current_leader = current_leader
        self.unknown_tags = ()


class ShareAcknowledgeResponse_ShareAcknowledgeTopicResponse(Struct):
    __qualname__ = "ShareAcknowledgeResponse.ShareAcknowledgeTopicResponse"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[ShareAcknowledgeResponse_PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ShareAcknowledgeResponse_NodeEndpoint(Struct):
    __qualname__ = "ShareAcknowledgeResponse.NodeEndpoint"
    __slots__ = ("node_id", "host", "port", "rack",)

    def __init__(
        self, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack
        self.unknown_tags = ()


class ShareAcknowledgeResponse(Message):
    """What became of the acknowledgements.

    Response to request 79, versions 1-2.
    """

    KEY = 79
    VERSIONS = range(1, 3)
    ShareAcknowledgeTopicResponse = ShareAcknowledgeResponse_ShareAcknowledgeTopicResponse
    PartitionData = ShareAcknowledgeResponse_PartitionData
    LeaderIdAndEpoch = ShareAcknowledgeResponse_LeaderIdAndEpoch
    NodeEndpoint = ShareAcknowledgeResponse_NodeEndpoint
    __slots__ = (
        "throttle_time_ms", "error_code", "error_message", "acquisition_lock_timeout_ms", "responses",
        "node_endpoints",
    )

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0, responses:
        Sequence[ShareAcknowledgeResponse_ShareAcknowledgeTopicResponse] = (), node_endpoints:
        Sequence[ShareAcknowledgeResponse_NodeEndpoint] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses = responses
        self.node_endpoints = node_endpoints
        self.unknown_tags = ()


class DescribeShareGroupOffsetsRequest_DescribeShareGroupOffsetsRequestTopic(Struct):
    __qualname__ = "DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestTopic"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class DescribeShareGroupOffsetsRequest_DescribeShareGroupOffsetsRequestGroup(Struct):
    __qualname__ = "DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup"
    __slots__ = ("group_id", "topics",)

    def __init__(
        self, group_id: str = "", topics:
        Sequence[DescribeShareGroupOffsetsRequest_DescribeShareGroupOffsetsRequestTopic] | None = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.unknown_tags = ()


class DescribeShareGroupOffsetsRequest(Message):
    """Asks how far share groups are.

    Request 90, versions 0-1.
    Version 1: the lag in the response (KIP-1226).
    """

    KEY = 90
    VERSIONS = range(0, 2)
    DescribeShareGroupOffsetsRequestGroup = DescribeShareGroupOffsetsRequest_DescribeShareGroupOffsetsRequestGroup
    DescribeShareGroupOffsetsRequestTopic = DescribeShareGroupOffsetsRequest_DescribeShareGroupOffsetsRequestTopic
    __slots__ = ("groups",)

    def __init__(
        self, groups: Sequence[DescribeShareGroupOffsetsRequest_DescribeShareGroupOffsetsRequestGroup] = ()
    ) -> None:
        self.groups = groups
        self.unknown_tags = ()


class DescribeShareGroupOffsetsResponse_DescribeShareGroupOffsetsResponsePartition(Struct):
    __qualname__ = "DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponsePartition"
    __slots__ = ("partition_index", "start_offset", "leader_epoch", "lag", "error_code", "error_message",)

    def __init__(
        self, partition_index: int = 0, start_offset: int = 0, leader_epoch: int = 0, lag: int = -1, error_code:
        int = 0, error_message: str | None = None
    ) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset
        self.leader_epoch = leader_epoch
        self.lag = lag
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class DescribeShareGroupOffsetsResponse_DescribeShareGroupOffsetsResponseTopic(Struct):
    __qualname__ = "DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseTopic"
    __slots__ = ("topic_name", "topic_id", "partitions",)

    def __init__(
        self, topic_name: str = "", topic_id: Uuid = ZERO_UUID, partitions:
        Sequence[DescribeShareGroupOffsetsResponse_DescribeShareGroupOffsetsResponsePartition] = ()
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class DescribeShareGroupOffsetsResponse_DescribeShareGroupOffsetsResponseGroup(Struct):
    __qualname__ = "DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseGroup"
    __slots__ = ("group_id", "topics", "error_code", "error_message",)

    def __init__(
        self, group_id: str = "", topics:
        Sequence[DescribeShareGroupOffsetsResponse_DescribeShareGroupOffsetsResponseTopic] = (), error_code: int
        = 0, error_message: str | None = None
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class DescribeShareGroupOffsetsResponse(Message):
    """The start offsets of share-partitions.

    Response to request 90, versions 0-1.
    """

    KEY = 90
    VERSIONS = range(0, 2)
    DescribeShareGroupOffsetsResponseGroup = DescribeShareGroupOffsetsResponse_DescribeShareGroupOffsetsResponseGroup
    DescribeShareGroupOffsetsResponseTopic = DescribeShareGroupOffsetsResponse_DescribeShareGroupOffsetsResponseTopic
    DescribeShareGroupOffsetsResponsePartition = DescribeShareGroupOffsetsResponse_DescribeShareGroupOffsetsResponsePartition
    __slots__ = ("throttle_time_ms", "groups",)

    def __init__(
        self, throttle_time_ms: int = 0, groups:
        Sequence[DescribeShareGroupOffsetsResponse_DescribeShareGroupOffsetsResponseGroup] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups
        self.unknown_tags = ()


class AlterShareGroupOffsetsRequest_AlterShareGroupOffsetsRequestPartition(Struct):
    __qualname__ = "AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestPartition"
    __slots__ = ("partition_index", "start_offset",)

    def __init__(
        self, partition_index: int = 0, start_offset: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset
        self.unknown_tags = ()


class AlterShareGroupOffsetsRequest_AlterShareGroupOffsetsRequestTopic(Struct):
    __qualname__ = "AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestTopic"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions:
        Sequence[AlterShareGroupOffsetsRequest_AlterShareGroupOffsetsRequestPartition] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class AlterShareGroupOffsetsRequest(Message):
    """Moves the start offsets of an empty share group.

    Request 91, version 0.
    """

    KEY = 91
    VERSIONS = range(0, 1)
    AlterShareGroupOffsetsRequestTopic = AlterShareGroupOffsetsRequest_AlterShareGroupOffsetsRequestTopic
    AlterShareGroupOffsetsRequestPartition = AlterShareGroupOffsetsRequest_AlterShareGroupOffsetsRequestPartition
    __slots__ = ("group_id", "topics",)

    def __init__(
        self, group_id: str = "", topics:
        Sequence[AlterShareGroupOffsetsRequest_AlterShareGroupOffsetsRequestTopic] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.unknown_tags = ()


class AlterShareGroupOffsetsResponse_AlterShareGroupOffsetsResponsePartition(Struct):
    __qualname__ = "AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponsePartition"
    __slots__ = ("partition_index", "error_code", "error_message",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, error_message: str | None = None
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class AlterShareGroupOffsetsResponse_AlterShareGroupOffsetsResponseTopic(Struct):
    __qualname__ = "AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponseTopic"
    __slots__ = ("topic_name", "topic_id", "partitions",)

    def __init__(
        self, topic_name: str = "", topic_id: Uuid = ZERO_UUID, partitions:
        Sequence[AlterShareGroupOffsetsResponse_AlterShareGroupOffsetsResponsePartition] = ()
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class AlterShareGroupOffsetsResponse(Message):
    """What became of each partition.

    Response to request 91, version 0.
    """

    KEY = 91
    VERSIONS = range(0, 1)
    AlterShareGroupOffsetsResponseTopic = AlterShareGroupOffsetsResponse_AlterShareGroupOffsetsResponseTopic
    AlterShareGroupOffsetsResponsePartition = AlterShareGroupOffsetsResponse_AlterShareGroupOffsetsResponsePartition
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "responses",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = None, responses:
        Sequence[AlterShareGroupOffsetsResponse_AlterShareGroupOffsetsResponseTopic] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = responses
        self.unknown_tags = ()


class DeleteShareGroupOffsetsRequest_DeleteShareGroupOffsetsRequestTopic(Struct):
    __qualname__ = "DeleteShareGroupOffsetsRequest.DeleteShareGroupOffsetsRequestTopic"
    __slots__ = ("topic_name",)

    def __init__(
        self, topic_name: str = ""
    ) -> None:
        self.topic_name = topic_name
        self.unknown_tags = ()


class DeleteShareGroupOffsetsRequest(Message):
    """Deletes the offsets of topics from an empty share group.

    Request 92, version 0.
    """

    KEY = 92
    VERSIONS = range(0, 1)
    DeleteShareGroupOffsetsRequestTopic = DeleteShareGroupOffsetsRequest_DeleteShareGroupOffsetsRequestTopic
    __slots__ = ("group_id", "topics",)

    def __init__(
        self, group_id: str = "", topics:
        Sequence[DeleteShareGroupOffsetsRequest_DeleteShareGroupOffsetsRequestTopic] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.unknown_tags = ()


class DeleteShareGroupOffsetsResponse_DeleteShareGroupOffsetsResponseTopic(Struct):
    __qualname__ = "DeleteShareGroupOffsetsResponse.DeleteShareGroupOffsetsResponseTopic"
    __slots__ = ("topic_name", "topic_id", "error_code", "error_message",)

    def __init__(
        self, topic_name: str = "", topic_id: Uuid = ZERO_UUID, error_code: int = 0, error_message: str | None =
        None
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class DeleteShareGroupOffsetsResponse(Message):
    """What became of each topic.

    Response to request 92, version 0.
    """

    KEY = 92
    VERSIONS = range(0, 1)
    DeleteShareGroupOffsetsResponseTopic = DeleteShareGroupOffsetsResponse_DeleteShareGroupOffsetsResponseTopic
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "responses",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = None, responses:
        Sequence[DeleteShareGroupOffsetsResponse_DeleteShareGroupOffsetsResponseTopic] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = responses
        self.unknown_tags = ()


class InitializeShareGroupStateRequest_PartitionData(Struct):
    __qualname__ = "InitializeShareGroupStateRequest.PartitionData"
    __slots__ = ("partition", "state_epoch", "start_offset",)

    def __init__(
        self, partition: int = 0, state_epoch: int = 0, start_offset: int = 0
    ) -> None:
        self.partition = partition
        self.state_epoch = state_epoch
        self.start_offset = start_offset
        self.unknown_tags = ()


class InitializeShareGroupStateRequest_InitializeStateData(Struct):
    __qualname__ = "InitializeShareGroupStateRequest.InitializeStateData"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[InitializeShareGroupStateRequest_PartitionData] =
        ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class InitializeShareGroupStateRequest(Message):
    """The group coordinator sets up a share-partition's state, on the share coordinator.

    Request 83, version 0.
    """

    KEY = 83
    VERSIONS = range(0, 1)
    InitializeStateData = InitializeShareGroupStateRequest_InitializeStateData
    PartitionData = InitializeShareGroupStateRequest_PartitionData
    __slots__ = ("group_id", "topics",)

    def __init__(
        self, group_id: str = "", topics: Sequence[InitializeShareGroupStateRequest_InitializeStateData] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.unknown_tags = ()


class InitializeShareGroupStateResponse_PartitionResult(Struct):
    __qualname__ = "InitializeShareGroupStateResponse.PartitionResult"
    __slots__ = ("partition", "error_code", "error_message",)

    def __init__(
        self, partition: int = 0, error_code: int = 0, error_message: str | None = None
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class InitializeShareGroupStateResponse_InitializeStateResult(Struct):
    __qualname__ = "InitializeShareGroupStateResponse.InitializeStateResult"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions:
        Sequence[InitializeShareGroupStateResponse_PartitionResult] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class InitializeShareGroupStateResponse(Message):
    """What became of each partition.

    Response to request 83, version 0.
    """

    KEY = 83
    VERSIONS = range(0, 1)
    InitializeStateResult = InitializeShareGroupStateResponse_InitializeStateResult
    PartitionResult = InitializeShareGroupStateResponse_PartitionResult
    __slots__ = ("results",)

    def __init__(
        self, results: Sequence[InitializeShareGroupStateResponse_InitializeStateResult] = ()
    ) -> None:
        self.results = results
        self.unknown_tags = ()


class ReadShareGroupStateRequest_PartitionData(Struct):
    __qualname__ = "ReadShareGroupStateRequest.PartitionData"
    __slots__ = ("partition", "leader_epoch",)

    def __init__(
        self, partition: int = 0, leader_epoch: int = 0
    ) -> None:
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class ReadShareGroupStateRequest_ReadStateData(Struct):
    __qualname__ = "ReadShareGroupStateRequest.ReadStateData"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[ReadShareGroupStateRequest_PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ReadShareGroupStateRequest(Message):
    """A partition's leader loads a share-partition's state.

    Request 84, version 0.
    """

    KEY = 84
    VERSIONS = range(0, 1)
    ReadStateData = ReadShareGroupStateRequest_ReadStateData
    PartitionData = ReadShareGroupStateRequest_PartitionData
    __slots__ = ("group_id", "topics",)

    def __init__(
        self, group_id: str = "", topics: Sequence[ReadShareGroupStateRequest_ReadStateData] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.unknown_tags = ()


class ReadShareGroupStateResponse_StateBatch(Struct):
    __qualname__ = "ReadShareGroupStateResponse.StateBatch"
    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count",)

    def __init__(
        self, first_offset: int = 0, last_offset: int = 0, delivery_state: int = 0, delivery_count: int = 0
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count
        self.unknown_tags = ()


class ReadShareGroupStateResponse_PartitionResult(Struct):
    __qualname__ = "ReadShareGroupStateResponse.PartitionResult"
    __slots__ = ("partition", "error_code", "error_message", "state_epoch", "start_offset", "state_batches",)

    def __init__(
        self, partition: int = 0, error_code: int = 0, error_message: str | None = None, state_epoch: int = 0,
        start_offset: int = 0, state_batches: Sequence[ReadShareGroupStateResponse_StateBatch] = ()
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.state_epoch = state_epoch
        self.start_offset = start_offset
        self.state_batches = state_batches
        self.unknown_tags = ()


class ReadShareGroupStateResponse_ReadStateResult(Struct):
    __qualname__ = "ReadShareGroupStateResponse.ReadStateResult"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[ReadShareGroupStateResponse_PartitionResult] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ReadShareGroupStateResponse(Message):
    """The state.

    Response to request 84, version 0.
    """

    KEY = 84
    VERSIONS = range(0, 1)
    ReadStateResult = ReadShareGroupStateResponse_ReadStateResult
    PartitionResult = ReadShareGroupStateResponse_PartitionResult
    StateBatch = ReadShareGroupStateResponse_StateBatch
    __slots__ = ("results",)

    def __init__(
        self, results: Sequence[ReadShareGroupStateResponse_ReadStateResult] = ()
    ) -> None:
        self.results = results
        self.unknown_tags = ()


class WriteShareGroupStateRequest_StateBatch(Struct):
    __qualname__ = "WriteShareGroupStateRequest.StateBatch"
    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count",)

    def __init__(
        self, first_offset: int = 0, last_offset: int = 0, delivery_state: int = 0, delivery_count: int = 0
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count
        self.unknown_tags = ()


class WriteShareGroupStateRequest_PartitionData(Struct):
    __qualname__ = "WriteShareGroupStateRequest.PartitionData"
    __slots__ = (
        "partition", "state_epoch", "leader_epoch", "start_offset", "delivery_complete_count", "state_batches",
    )

    def __init__(
        self, partition: int = 0, state_epoch: int = 0, leader_epoch: int = 0, start_offset: int = 0,
        delivery_complete_count: int = -1, state_batches: Sequence[WriteShareGroupStateRequest_StateBatch] = ()
    ) -> None:
        self.partition = partition
        self.state_epoch = state_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.state_batches = state_batches
        self.unknown_tags = ()


class WriteShareGroupStateRequest_WriteStateData(Struct):
    __qualname__ = "WriteShareGroupStateRequest.WriteStateData"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[WriteShareGroupStateRequest_PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class WriteShareGroupStateRequest(Message):
    """A partition's leader has a share-partition's state kept.

    Request 85, versions 0-1.
    Version 1: counts what is done, for the lag (KIP-1226).
    """

    KEY = 85
    VERSIONS = range(0, 2)
    WriteStateData = WriteShareGroupStateRequest_WriteStateData
    PartitionData = WriteShareGroupStateRequest_PartitionData
    StateBatch = WriteShareGroupStateRequest_StateBatch
    __slots__ = ("group_id", "topics",)

    def __init__(
        self, group_id: str = "", topics: Sequence[WriteShareGroupStateRequest_WriteStateData] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.unknown_tags = ()


class WriteShareGroupStateResponse_PartitionResult(Struct):
    __qualname__ = "WriteShareGroupStateResponse.PartitionResult"
    __slots__ = ("partition", "error_code", "error_message",)

    def __init__(
        self, partition: int = 0, error_code: int = 0, error_message: str | None = None
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class WriteShareGroupStateResponse_WriteStateResult(Struct):
    __qualname__ = "WriteShareGroupStateResponse.WriteStateResult"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[WriteShareGroupStateResponse_PartitionResult] =
        ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class WriteShareGroupStateResponse(Message):
    """What became of each partition.

    Response to request 85, versions 0-1.
    """

    KEY = 85
    VERSIONS = range(0, 2)
    WriteStateResult = WriteShareGroupStateResponse_WriteStateResult
    PartitionResult = WriteShareGroupStateResponse_PartitionResult
    __slots__ = ("results",)

    def __init__(
        self, results: Sequence[WriteShareGroupStateResponse_WriteStateResult] = ()
    ) -> None:
        self.results = results
        self.unknown_tags = ()


class DeleteShareGroupStateRequest_PartitionData(Struct):
    __qualname__ = "DeleteShareGroupStateRequest.PartitionData"
    __slots__ = ("partition",)

    def __init__(
        self, partition: int = 0
    ) -> None:
        self.partition = partition
        self.unknown_tags = ()


class DeleteShareGroupStateRequest_DeleteStateData(Struct):
    __qualname__ = "DeleteShareGroupStateRequest.DeleteStateData"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[DeleteShareGroupStateRequest_PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class DeleteShareGroupStateRequest(Message):
    """The group coordinator has a share-partition's state deleted.

    Request 86, version 0.
    """

    KEY = 86
    VERSIONS = range(0, 1)
    DeleteStateData = DeleteShareGroupStateRequest_DeleteStateData
    PartitionData = DeleteShareGroupStateRequest_PartitionData
    __slots__ = ("group_id", "topics",)

    def __init__(
        self, group_id: str = "", topics: Sequence[DeleteShareGroupStateRequest_DeleteStateData] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.unknown_tags = ()


class DeleteShareGroupStateResponse_PartitionResult(Struct):
    __qualname__ = "DeleteShareGroupStateResponse.PartitionResult"
    __slots__ = ("partition", "error_code", "error_message",)

    def __init__(
        self, partition: int = 0, error_code: int = 0, error_message: str | None = None
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class DeleteShareGroupStateResponse_DeleteStateResult(Struct):
    __qualname__ = "DeleteShareGroupStateResponse.DeleteStateResult"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[DeleteShareGroupStateResponse_PartitionResult] =
        ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class DeleteShareGroupStateResponse(Message):
    """What became of each partition.

    Response to request 86, version 0.
    """

    KEY = 86
    VERSIONS = range(0, 1)
    DeleteStateResult = DeleteShareGroupStateResponse_DeleteStateResult
    PartitionResult = DeleteShareGroupStateResponse_PartitionResult
    __slots__ = ("results",)

    def __init__(
        self, results: Sequence[DeleteShareGroupStateResponse_DeleteStateResult] = ()
    ) -> None:
        self.results = results
        self.unknown_tags = ()


class ReadShareGroupStateSummaryRequest_PartitionData(Struct):
    __qualname__ = "ReadShareGroupStateSummaryRequest.PartitionData"
    __slots__ = ("partition", "leader_epoch",)

    def __init__(
        self, partition: int = 0, leader_epoch: int = 0
    ) -> None:
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class ReadShareGroupStateSummaryRequest_ReadStateSummaryData(Struct):
    __qualname__ = "ReadShareGroupStateSummaryRequest.ReadStateSummaryData"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[ReadShareGroupStateSummaryRequest_PartitionData]
        = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ReadShareGroupStateSummaryRequest(Message):
    """The group coordinator asks how far share-partitions are.

    Request 87, versions 0-1.
    Version 1: what is done, in the response (KIP-1226).
    """

    KEY = 87
    VERSIONS = range(0, 2)
    ReadStateSummaryData = ReadShareGroupStateSummaryRequest_ReadStateSummaryData
    PartitionData = ReadShareGroupStateSummaryRequest_PartitionData
    __slots__ = ("group_id", "topics",)

    def __init__(
        self, group_id: str = "", topics: Sequence[ReadShareGroupStateSummaryRequest_ReadStateSummaryData] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.unknown_tags = ()


class ReadShareGroupStateSummaryResponse_PartitionResult(Struct):
    __qualname__ = "ReadShareGroupStateSummaryResponse.PartitionResult"
    __slots__ = (
        "partition", "error_code", "error_message", "state_epoch", "leader_epoch", "start_offset",
        "delivery_complete_count",
    )

    def __init__(
        self, partition: int = 0, error_code: int = 0, error_message: str | None = None, state_epoch: int = 0,
        leader_epoch: int = 0, start_offset: int = 0, delivery_complete_count: int = -1
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.state_epoch = state_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.unknown_tags = ()


class ReadShareGroupStateSummaryResponse_ReadStateSummaryResult(Struct):
    __qualname__ = "ReadShareGroupStateSummaryResponse.ReadStateSummaryResult"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions:
        Sequence[ReadShareGroupStateSummaryResponse_PartitionResult] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ReadShareGroupStateSummaryResponse(Message):
    """How far they are, without what became of single records.

    Response to request 87, versions 0-1.
    """

    KEY = 87
    VERSIONS = range(0, 2)
    ReadStateSummaryResult = ReadShareGroupStateSummaryResponse_ReadStateSummaryResult
    PartitionResult = ReadShareGroupStateSummaryResponse_PartitionResult
    __slots__ = ("results",)

    def __init__(
        self, results: Sequence[ReadShareGroupStateSummaryResponse_ReadStateSummaryResult] = ()
    ) -> None:
        self.results = results
        self.unknown_tags = ()
