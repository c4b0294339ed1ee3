"""Groups: finding a coordinator, the classic protocol, committed offsets.

Generated from `schema/groups.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class FindCoordinatorRequest(Message):
    """Asks which broker coordinates a group, a transactional id, or a share-partition.

    Request 10, versions 0-6.
    Version 4: many at once (KIP-699).
    Version 5: TRANSACTION_ABORTABLE may come back (KIP-890).
    Version 6: share-partitions, called `group:topic-id:partition` (KIP-932).
    """

    KEY = 10
    VERSIONS = range(0, 7)
    __slots__ = ("key", "key_type", "coordinator_keys",)

    def __init__(
        self, key: str = "", key_type: int = 0, coordinator_keys: Sequence[str] = ()
    ) -> None:
        self.key = key
        self.key_type = key_type
        self.coordinator_keys = coordinator_keys
        self.unknown_tags = ()


class FindCoordinatorResponse_Coordinator(Struct):
    __qualname__ = "FindCoordinatorResponse.Coordinator"
    __slots__ = ("key", "node_id", "host", "port", "error_code", "error_message",)

    def __init__(
        self, key: str = "", node_id: int = 0, host: str = "", port: int = 0, error_code: int = 0,
        error_message: str | None = ""
    ) -> None:
        self.key = key
        self.node_id = node_id
        self.host = host
        self.port = port
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class FindCoordinatorResponse(Message):
    """The coordinators.

    Response to request 10, versions 0-6.
    """

    KEY = 10
    VERSIONS = range(0, 7)
    Coordinator = FindCoordinatorResponse_Coordinator
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "node_id", "host", "port", "coordinators",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = "", node_id: int = 0,
        host: str = "", port: int = 0, coordinators: Sequence[FindCoordinatorResponse_Coordinator] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.node_id = node_id
        self.host = host
        self.port = port
        self.coordinators = coordinators
        self.unknown_tags = ()


class JoinGroupRequest_JoinGroupRequestProtocol(Struct):
    __qualname__ = "JoinGroupRequest.JoinGroupRequestProtocol"
    __slots__ = ("name", "metadata",)

    def __init__(
        self, name: str = "", metadata: bytes = b""
    ) -> None:
        self.name = name
        self.metadata = metadata
        self.unknown_tags = ()


class JoinGroupRequest(Message):
    """Joins a classic group, and waits until everybody has.

    Request 11, versions 0-9.
    Version 1: a time for rebalancing apart from the session's (KIP-62).
    Version 4: a new member first gets its id, with MEMBER_ID_REQUIRED, and joins again with it (KIP-394).
    Version 5: static members (KIP-345).
    Version 7: the response names the protocol type (KIP-559).
    Version 8: says why (KIP-800).
    Version 9: the leader may be told that nothing has to be assigned (KIP-814).
    """

    KEY = 11
    VERSIONS = range(0, 10)
    JoinGroupRequestProtocol = JoinGroupRequest_JoinGroupRequestProtocol
    __slots__ = (
        "group_id", "session_timeout_ms", "rebalance_timeout_ms", "member_id", "group_instance_id",
        "protocol_type", "protocols", "reason",
    )

    def __init__(
        self, group_id: str = "", session_timeout_ms: int = 0, rebalance_timeout_ms: int = -1, member_id: str =
        "", group_instance_id: str | None = None, protocol_type: str = "", protocols:
        Sequence[JoinGroupRequest_JoinGroupRequestProtocol] = (), reason: str | None = None
    ) -> None:
        self.group_id = group_id
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocols = protocols
        self.reason = reason
        self.unknown_tags = ()


class JoinGroupResponse_JoinGroupResponseMember(Struct):
    __qualname__ = "JoinGroupResponse.JoinGroupResponseMember"
    __slots__ = ("member_id", "group_instance_id", "metadata",)

    def __init__(
        self, member_id: str = "", group_instance_id: str | None = None, metadata: bytes = b""
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.metadata = metadata
        self.unknown_tags = ()


class JoinGroupResponse(Message):
    """The new generation; its leader gets the members and assigns partitions to them.

    Response to request 11, versions 0-9.
    """

    KEY = 11
    VERSIONS = range(0, 10)
    JoinGroupResponseMember = JoinGroupResponse_JoinGroupResponseMember
    __slots__ = (
        "throttle_time_ms", "error_code", "generation_id", "protocol_type", "protocol_name", "leader",
        "skip_assignment", "member_id", "members",
    )

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, generation_id: int = -1, protocol_type: str | None
        = None, protocol_name: str | None = "", leader: str = "", skip_assignment: bool = False, member_id: str
        = "", members: Sequence[JoinGroupResponse_JoinGroupResponseMember] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.generation_id = generation_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.leader = leader
        self.skip_assignment = skip_assignment
        self.member_id = member_id
        self.members = members
        self.unknown_tags = ()


class SyncGroupRequest_SyncGroupRequestAssignment(Struct):
    __qualname__ = "SyncGroupRequest.SyncGroupRequestAssignment"
    __slots__ = ("member_id", "assignment",)

    def __init__(
        self, member_id: str = "", assignment: bytes = b""
    ) -> None:
        self.member_id = member_id
        self.assignment = assignment
        self.unknown_tags = ()


class SyncGroupRequest(Message):
    """Waits for one's own assignment; the leader brings everybody's.

    Request 14, versions 0-5.
    Version 3: static members (KIP-345).
    Version 5: the protocol is checked (KIP-559).
    """

    KEY = 14
    VERSIONS = range(0, 6)
    SyncGroupRequestAssignment = SyncGroupRequest_SyncGroupRequestAssignment
    __slots__ = (
        "group_id", "generation_id", "member_id", "group_instance_id", "protocol_type", "protocol_name",
        "assignments",
    )

    def __init__(
        self, group_id: str = "", generation_id: int = 0, member_id: str = "", group_instance_id: str | None =
        None, protocol_type: str | None = None, protocol_name: str | None = None, assignments:
        Sequence[SyncGroupRequest_SyncGroupRequestAssignment] = ()
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignments = assignments
        self.unknown_tags = ()


class SyncGroupResponse(Message):
    """The member's assignment.

    Response to request 14, versions 0-5.
    """

    KEY = 14
    VERSIONS = range(0, 6)
    __slots__ = ("throttle_time_ms", "error_code", "protocol_type", "protocol_name", "assignment",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, protocol_type: str | None = None, protocol_name:
        str | None = None, assignment: bytes = b""
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignment = assignment
        self.unknown_tags = ()


class HeartbeatRequest(Message):
    """Keeps a member of a classic group alive.

    Request 12, versions 0-4.
    Version 3: static members (KIP-345).
    """

    KEY = 12
    VERSIONS = range(0, 5)
    __slots__ = ("group_id", "generation_id", "member_id", "group_instance_id",)

    def __init__(
        self, group_id: str = "", generation_id: int = 0, member_id: str = "", group_instance_id: str | None =
        None
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.unknown_tags = ()


class HeartbeatResponse(Message):
    """Error REBALANCE_IN_PROGRESS: join again.

    Response to request 12, versions 0-4.
    """

    KEY = 12
    VERSIONS = range(0, 5)
    __slots__ = ("throttle_time_ms", "error_code",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tags = ()


class LeaveGroupRequest_MemberIdentity(Struct):
    __qualname__ = "LeaveGroupRequest.MemberIdentity"
    __slots__ = ("member_id", "group_instance_id", "reason",)

    def __init__(
        self, member_id: str = "", group_instance_id: str | None = None, reason: str | None = None
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.reason = reason
        self.unknown_tags = ()


class LeaveGroupRequest(Message):
    """Takes members out of a classic group.

    Request 13, versions 0-5.
    Version 3: many at once, by instance id too (KIP-345).
    Version 5: says why (KIP-800).
    """

    KEY = 13
    VERSIONS = range(0, 6)
    MemberIdentity = LeaveGroupRequest_MemberIdentity
    __slots__ = ("group_id", "member_id", "members",)

    def __init__(
        self, group_id: str = "", member_id: str = "", members: Sequence[LeaveGroupRequest_MemberIdentity] = ()
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.members = members
        self.unknown_tags = ()


class LeaveGroupResponse_MemberResponse(Struct):
    __qualname__ = "LeaveGroupResponse.MemberResponse"
    __slots__ = ("member_id", "group_instance_id", "error_code",)

    def __init__(
        self, member_id: str = "", group_instance_id: str | None = "", error_code: int = 0
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.error_code = error_code
        self.unknown_tags = ()


class LeaveGroupResponse(Message):
    """What became of each member.

    Response to request 13, versions 0-5.
    """

    KEY = 13
    VERSIONS = range(0, 6)
    MemberResponse = LeaveGroupResponse_MemberResponse
    __slots__ = ("throttle_time_ms", "error_code", "members",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, members:
        Sequence[LeaveGroupResponse_MemberResponse] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.members = members
        self.unknown_tags = ()


class DescribeGroupsRequest(Message):
    """Asks for the state and the members of classic groups.

    Request 15, versions 0-6.
    Version 3: authorized operations (KIP-430).
    Version 4: static members in the response (KIP-345).
    Version 6: GROUP_ID_NOT_FOUND in place of a state of Dead (KIP-1043).
    """

    KEY = 15
    VERSIONS = range(0, 7)
    __slots__ = ("groups", "include_authorized_operations",)

    def __init__(
        self, groups: Sequence[str] = (), include_authorized_operations: bool = False
    ) -> None:
        self.groups = groups
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tags = ()


class DescribeGroupsResponse_DescribedGroupMember(Struct):
    __qualname__ = "DescribeGroupsResponse.DescribedGroupMember"
    __slots__ = (
        "member_id", "group_instance_id", "client_id", "client_host", "member_metadata", "member_assignment",
    )

    def __init__(
        self, member_id: str = "", group_instance_id: str | None = None, client_id: str = "", client_host: str =
        "", member_metadata: bytes = b"", member_assignment: bytes = b""
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.member_metadata = member_metadata
        self.member_assignment = member_assignment
        self.unknown_tags = ()


class DescribeGroupsResponse_DescribedGroup(Struct):
    __qualname__ = "DescribeGroupsResponse.DescribedGroup"
    __slots__ = (
        "error_code", "error_message", "group_id", "group_state", "protocol_type", "protocol_data", "members",
        "authorized_operations",
    )

    def __init__(
        self, error_code: int = 0, error_message: str | None = None, group_id: str = "", group_state: str = "",
        protocol_type: str = "", protocol_data: str = "", members:
        Sequence[DescribeGroupsResponse_DescribedGroupMember] = (), authorized_operations: int = -2147483648
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.protocol_type = protocol_type
        self.protocol_data = protocol_data
        self.members = members
        self.authorized_operations = authorized_operations
        self.unknown_tags = ()


class DescribeGroupsResponse(Message):
    """The groups. States: Empty, PreparingRebalance, CompletingRebalance, Stable, Dead.

    Response to request 15, versions 0-6.
    """

    KEY = 15
    VERSIONS = range(0, 7)
    DescribedGroup = DescribeGroupsResponse_DescribedGroup
    DescribedGroupMember = DescribeGroupsResponse_DescribedGroupMember
    __slots__ = ("throttle_time_ms", "groups",)

    def __init__(
        self, throttle_time_ms: int = 0, groups: Sequence[DescribeGroupsResponse_DescribedGroup] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups
        self.unknown_tags = ()


class ListGroupsRequest(Message):
    """Asks a broker for the groups that it coordinates.

    Request 16, versions 0-5.
    Version 4: of given states (KIP-518).
    Version 5: of given types (KIP-848).
    """

    KEY = 16
    VERSIONS = range(0, 6)
    __slots__ = ("states_filter", "types_filter",)

    def __init__(
        self, states_filter: Sequence[str] = (), types_filter: Sequence[str] = ()
    ) -> None:
        self.states_filter = states_filter
        self.types_filter = types_filter
        self.unknown_tags = ()


class ListGroupsResponse_ListedGroup(Struct):
    __qualname__ = "ListGroupsResponse.ListedGroup"
    __slots__ = ("group_id", "protocol_type", "group_state", "group_type",)

    def __init__(
        self, group_id: str = "", protocol_type: str = "", group_state: str = "", group_type: str = ""
    ) -> None:
        self.group_id = group_id
        self.protocol_type = protocol_type
        self.group_state = group_state
        self.group_type = group_type
        self.unknown_tags = ()


class ListGroupsResponse(Message):
    """The groups.

    Response to request 16, versions 0-5.
    """

    KEY = 16
    VERSIONS = range(0, 6)
    ListedGroup = ListGroupsResponse_ListedGroup
    __slots__ = ("throttle_time_ms", "error_code", "groups",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, groups: Sequence[ListGroupsResponse_ListedGroup] =
        ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.groups = groups
        self.unknown_tags = ()


class DeleteGroupsRequest(Message):
    """Deletes empty groups, with their offsets (KIP-229).

    Request 42, versions 0-2.
    """

    KEY = 42
    VERSIONS = range(0, 3)
    __slots__ = ("groups_names",)

    def __init__(
        self, groups_names: Sequence[str] = ()
    ) -> None:
        self.groups_names = groups_names
        self.unknown_tags = ()


class DeleteGroupsResponse_DeletableGroupResult(Struct):
    __qualname__ = "DeleteGroupsResponse.DeletableGroupResult"
    __slots__ = ("group_id", "error_code",)

    def __init__(
        self, group_id: str = "", error_code: int = 0
    ) -> None:
        self.group_id = group_id
        self.error_code = error_code
        self.unknown_tags = ()


class DeleteGroupsResponse(Message):
    """What became of each group.

    Response to request 42, versions 0-2.
    """

    KEY = 42
    VERSIONS = range(0, 3)
    DeletableGroupResult = DeleteGroupsResponse_DeletableGroupResult
    __slots__ = ("throttle_time_ms", "results",)

    def __init__(
        self, throttle_time_ms: int = 0, results: Sequence[DeleteGroupsResponse_DeletableGroupResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results
        self.unknown_tags = ()


class OffsetCommitRequest_OffsetCommitRequestPartition(Struct):
    __qualname__ = "OffsetCommitRequest.OffsetCommitRequestPartition"
    __slots__ = ("partition_index", "committed_offset", "committed_leader_epoch", "committed_metadata",)

    def __init__(
        self, partition_index: int = 0, committed_offset: int = 0, committed_leader_epoch: int = -1,
        committed_metadata: str | None = ""
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.committed_metadata = committed_metadata
        self.unknown_tags = ()


class OffsetCommitRequest_OffsetCommitRequestTopic(Struct):
    __qualname__ = "OffsetCommitRequest.OffsetCommitRequestTopic"
    __slots__ = ("name", "topic_id", "partitions",)

    def __init__(
        self, name: str = "", topic_id: Uuid = ZERO_UUID, partitions:
        Sequence[OffsetCommitRequest_OffsetCommitRequestPartition] = ()
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class OffsetCommitRequest(Message):
    """Records how far a group has read.

    Request 8, versions 2-10.
    Version 5: how long offsets are kept is the broker's business alone (KIP-211).
    Version 6: leader epochs (KIP-320).
    Version 7: static members (KIP-345).
    Version 9: for the new consumer groups, which send their member epoch (KIP-848).
    Version 10: topic ids in place of names (KIP-848).
    """

    KEY = 8
    VERSIONS = range(2, 11)
    OffsetCommitRequestTopic = OffsetCommitRequest_OffsetCommitRequestTopic
    OffsetCommitRequestPartition = OffsetCommitRequest_OffsetCommitRequestPartition
    __slots__ = (
        "group_id", "generation_id_or_member_epoch", "member_id", "group_instance_id", "retention_time_ms",
        "topics",
    )

    def __init__(
        self, group_id: str = "", generation_id_or_member_epoch: int = -1, member_id: str = "",
        group_instance_id: str | None = None, retention_time_ms: int = -1, topics:
        Sequence[OffsetCommitRequest_OffsetCommitRequestTopic] = ()
    ) -> None:
        self.group_id = group_id
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.retention_time_ms = retention_time_ms
        self.topics = topics
        self.unknown_tags = ()


class OffsetCommitResponse_OffsetCommitResponsePartition(Struct):
    __qualname__ = "OffsetCommitResponse.OffsetCommitResponsePartition"
    __slots__ = ("partition_index", "error_code",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tags = ()


class OffsetCommitResponse_OffsetCommitResponseTopic(Struct):
    __qualname__ = "OffsetCommitResponse.OffsetCommitResponseTopic"
    __slots__ = ("name", "topic_id", "partitions",)

    def __init__(
        self, name: str = "", topic_id: Uuid = ZERO_UUID, partitions:
        Sequence[OffsetCommitResponse_OffsetCommitResponsePartition] = ()
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class OffsetCommitResponse(Message):
    """What became of each partition.

    Response to request 8, versions 2-10.
    Version 9: STALE_MEMBER_EPOCH and GROUP_ID_NOT_FOUND may come back (KIP-848).
    """

    KEY = 8
    VERSIONS = range(2, 11)
    OffsetCommitResponseTopic = OffsetCommitResponse_OffsetCommitResponseTopic
    OffsetCommitResponsePartition = OffsetCommitResponse_OffsetCommitResponsePartition
    __slots__ = ("throttle_time_ms", "topics",)

    def __init__(
        self, throttle_time_ms: int = 0, topics: Sequence[OffsetCommitResponse_OffsetCommitResponseTopic] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.unknown_tags = ()


class OffsetFetchRequest_OffsetFetchRequestTopic(Struct):
    __qualname__ = "OffsetFetchRequest.OffsetFetchRequestTopic"
    __slots__ = ("name", "partition_indexes",)

    def __init__(
        self, name: str = "", partition_indexes: Sequence[int] = ()
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes
        self.unknown_tags = ()


class OffsetFetchRequest_OffsetFetchRequestTopics(Struct):
    __qualname__ = "OffsetFetchRequest.OffsetFetchRequestTopics"
    __slots__ = ("name", "topic_id", "partition_indexes",)

    def __init__(
        self, name: str = "", topic_id: Uuid = ZERO_UUID, partition_indexes: Sequence[int] = ()
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_indexes = partition_indexes
        self.unknown_tags = ()


class OffsetFetchRequest_OffsetFetchRequestGroup(Struct):
    __qualname__ = "OffsetFetchRequest.OffsetFetchRequestGroup"
    __slots__ = ("group_id", "member_id", "member_epoch", "topics",)

    def __init__(
        self, group_id: str = "", member_id: str | None = None, member_epoch: int = -1, topics:
        Sequence[OffsetFetchRequest_OffsetFetchRequestTopics] | None = ()
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.topics = topics
        self.unknown_tags = ()


class OffsetFetchRequest(Message):
    """Asks how far a group has read.

    Request 9, versions 1-10.
    Version 2: null for all topics.
    Version 7: can insist on what no open transaction will change: else UNSTABLE_OFFSET_COMMIT (KIP-447).
    Version 8: many groups at once (KIP-709).
    Version 9: members of new consumer groups are checked (KIP-848).
    Version 10: topic ids in place of names (KIP-848).
    """

    KEY = 9
    VERSIONS = range(1, 11)
    OffsetFetchRequestTopic = OffsetFetchRequest_OffsetFetchRequestTopic
    OffsetFetchRequestGroup = OffsetFetchRequest_OffsetFetchRequestGroup
    OffsetFetchRequestTopics = OffsetFetchRequest_OffsetFetchRequestTopics
    __slots__ = ("group_id", "topics", "groups", "require_stable",)

    def __init__(
        self, group_id: str = "", topics: Sequence[OffsetFetchRequest_OffsetFetchRequestTopic] | None = (),
        groups: Sequence[OffsetFetchRequest_OffsetFetchRequestGroup] = (), require_stable: bool = False
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.groups = groups
        self.require_stable = require_stable
        self.unknown_tags = ()


class OffsetFetchResponse_OffsetFetchResponsePartition(Struct):
    __qualname__ = "OffsetFetchResponse.OffsetFetchResponsePartition"
    __slots__ = ("partition_index", "committed_offset", "committed_leader_epoch", "metadata", "error_code",)

    def __init__(
        self, partition_index: int = 0, committed_offset: int = 0, committed_leader_epoch: int = -1, metadata:
        str | None = "", error_code: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code
        self.unknown_tags = ()


class OffsetFetchResponse_OffsetFetchResponseTopic(Struct):
    __qualname__ = "OffsetFetchResponse.OffsetFetchResponseTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[OffsetFetchResponse_OffsetFetchResponsePartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class OffsetFetchResponse_OffsetFetchResponsePartitions(Struct):
    __qualname__ = "OffsetFetchResponse.OffsetFetchResponsePartitions"
    __slots__ = ("partition_index", "committed_offset", "committed_leader_epoch", "metadata", "error_code",)

    def __init__(
        self, partition_index: int = 0, committed_offset: int = 0, committed_leader_epoch: int = -1, metadata:
        str | None = "", error_code: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code
        self.unknown_tags = ()


class OffsetFetchResponse_OffsetFetchResponseTopics(Struct):
    __qualname__ = "OffsetFetchResponse.OffsetFetchResponseTopics"
    __slots__ = ("name", "topic_id", "partitions",)

    def __init__(
        self, name: str = "", topic_id: Uuid = ZERO_UUID, partitions:
        Sequence[OffsetFetchResponse_OffsetFetchResponsePartitions] = ()
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class OffsetFetchResponse_OffsetFetchResponseGroup(Struct):
    __qualname__ = "OffsetFetchResponse.OffsetFetchResponseGroup"
    __slots__ = ("group_id", "topics", "error_code",)

    def __init__(
        self, group_id: str = "", topics: Sequence[OffsetFetchResponse_OffsetFetchResponseTopics] = (),
        error_code: int = 0
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.error_code = error_code
        self.unknown_tags = ()


class OffsetFetchResponse(Message):
    """The committed offsets.

    Response to request 9, versions 1-10.
    Version 5: leader epochs (KIP-320).
    """

    KEY = 9
    VERSIONS = range(1, 11)
    OffsetFetchResponseTopic = OffsetFetchResponse_OffsetFetchResponseTopic
    OffsetFetchResponsePartition = OffsetFetchResponse_OffsetFetchResponsePartition
    OffsetFetchResponseGroup = OffsetFetchResponse_OffsetFetchResponseGroup
    OffsetFetchResponseTopics = OffsetFetchResponse_OffsetFetchResponseTopics
    OffsetFetchResponsePartitions = OffsetFetchResponse_OffsetFetchResponsePartitions
    __slots__ = ("throttle_time_ms", "topics", "error_code", "groups",)

    def __init__(
        self, throttle_time_ms: int = 0, topics: Sequence[OffsetFetchResponse_OffsetFetchResponseTopic] = (),
        error_code: int = 0, groups: Sequence[OffsetFetchResponse_OffsetFetchResponseGroup] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.error_code = error_code
        self.groups = groups
        self.unknown_tags = ()


class OffsetDeleteRequest_OffsetDeleteRequestPartition(Struct):
    __qualname__ = "OffsetDeleteRequest.OffsetDeleteRequestPartition"
    __slots__ = ("partition_index",)

    def __init__(
        self, partition_index: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.unknown_tags = ()


class OffsetDeleteRequest_OffsetDeleteRequestTopic(Struct):
    __qualname__ = "OffsetDeleteRequest.OffsetDeleteRequestTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[OffsetDeleteRequest_OffsetDeleteRequestPartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class OffsetDeleteRequest(Message):
    """Deletes committed offsets of topics that a group does not read any more (KIP-496).

    Request 47, version 0.
    """

    KEY = 47
    VERSIONS = range(0, 1)
    OffsetDeleteRequestTopic = OffsetDeleteRequest_OffsetDeleteRequestTopic
    OffsetDeleteRequestPartition = OffsetDeleteRequest_OffsetDeleteRequestPartition
    __slots__ = ("group_id", "topics",)

    def __init__(
        self, group_id: str = "", topics: Sequence[OffsetDeleteRequest_OffsetDeleteRequestTopic] = ()
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.unknown_tags = ()


class OffsetDeleteResponse_OffsetDeleteResponsePartition(Struct):
    __qualname__ = "OffsetDeleteResponse.OffsetDeleteResponsePartition"
    __slots__ = ("partition_index", "error_code",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tags = ()


class OffsetDeleteResponse_OffsetDeleteResponseTopic(Struct):
    __qualname__ = "OffsetDeleteResponse.OffsetDeleteResponseTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[OffsetDeleteResponse_OffsetDeleteResponsePartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class OffsetDeleteResponse(Message):
    """What became of each partition.

    Response to request 47, version 0.
    """

    KEY = 47
    VERSIONS = range(0, 1)
    OffsetDeleteResponseTopic = OffsetDeleteResponse_OffsetDeleteResponseTopic
    OffsetDeleteResponsePartition = OffsetDeleteResponse_OffsetDeleteResponsePartition
    __slots__ = ("error_code", "throttle_time_ms", "topics",)

    def __init__(
        self, error_code: int = 0, throttle_time_ms: int = 0, topics:
        Sequence[OffsetDeleteResponse_OffsetDeleteResponseTopic] = ()
    ) -> None:
        self.error_code = error_code
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.unknown_tags = ()


class ConsumerProtocolSubscription_TopicPartition(Struct):
    __qualname__ = "ConsumerProtocolSubscription.TopicPartition"
    __slots__ = ("topic", "partitions",)

    def __init__(
        self, topic: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic = topic
        self.partitions = partitions
        self.unknown_tags = ()


class ConsumerProtocolSubscription(Message):
    """What a classic consumer tells the group's leader; inside JoinGroup, behind an int16 version.

    Data, versions 0-3.
    Each version only adds to the end, so that a reader of an older one can read on.
    Version 1: what the member owns, for cooperative rebalancing (KIP-429).
    Version 2: the generation in which it owned that (KIP-792).
    Version 3: racks (KIP-881).
    """

    VERSIONS = range(0, 4)
    TopicPartition = ConsumerProtocolSubscription_TopicPartition
    __slots__ = ("topics", "user_data", "owned_partitions", "generation_id", "rack_id",)

    def __init__(
        self, topics: Sequence[str] = (), user_data: bytes | None = None, owned_partitions:
        Sequence[ConsumerProtocolSubscription_TopicPartition] = (), generation_id: int = -1, rack_id: str | None
        = None
    ) -> None:
        self.topics = topics
        self.user_data = user_data
        self.owned_partitions = owned_partitions
        self.generation_id = generation_id
        self.rack_id = rack_id
        self.unknown_tags = ()


class ConsumerProtocolAssignment_TopicPartition(Struct):
    __qualname__ = "ConsumerProtocolAssignment.TopicPartition"
    __slots__ = ("topic", "partitions",)

    def __init__(
        self, topic: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic = topic
        self.partitions = partitions
        self.unknown_tags = ()


class ConsumerProtocolAssignment(Message):
    """What the leader of a classic group gives a consumer; inside SyncGroup, behind an int16 version.

    Data, versions 0-3.
    """

    VERSIONS = range(0, 4)
    TopicPartition = ConsumerProtocolAssignment_TopicPartition
    __slots__ = ("assigned_partitions", "user_data",)

    def __init__(
        self, assigned_partitions: Sequence[ConsumerProtocolAssignment_TopicPartition] = (), user_data: bytes |
        None = None
    ) -> None:
        self.assigned_partitions = assigned_partitions
        self.user_data = user_data
        self.unknown_tags = ()
