"""Streams groups (KIP-1071): tasks of a topology, assigned by the broker.

Generated from `schema/streams_groups.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct

if TYPE_CHECKING:
    from collections.abc import Sequence


class StreamsGroupHeartbeatRequest_KeyValue(Struct):
    __qualname__ = "StreamsGroupHeartbeatRequest.KeyValue"
    __slots__ = ("key", "value",)

    def __init__(
        self, key: str = "", value: str = ""
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags = ()


class StreamsGroupHeartbeatRequest_TopicInfo(Struct):
    __qualname__ = "StreamsGroupHeartbeatRequest.TopicInfo"
    __slots__ = ("name", "partitions", "replication_factor", "topic_configs",)

    def __init__(
        self, name: str = "", partitions: int = 0, replication_factor: int = 0, topic_configs:
        Sequence[StreamsGroupHeartbeatRequest_KeyValue] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.replication_factor = replication_factor
        self.topic_configs = topic_configs
        self.unknown_tags = ()


class StreamsGroupHeartbeatRequest_CopartitionGroup(Struct):
    __qualname__ = "StreamsGroupHeartbeatRequest.CopartitionGroup"
    __slots__ = ("source_topics", "source_topic_regex", "repartition_source_topics",)

    def __init__(
        self, source_topics: Sequence[int] = (), source_topic_regex: Sequence[int] = (),
        repartition_source_topics: Sequence[int] = ()
    ) -> None:
        self.source_topics = source_topics
        self.source_topic_regex = source_topic_regex
        self.repartition_source_topics = repartition_source_topics
        self.unknown_tags = ()


class StreamsGroupHeartbeatRequest_Subtopology(Struct):
    __qualname__ = "StreamsGroupHeartbeatRequest.Subtopology"
    __slots__ = (
        "subtopology_id", "source_topics", "source_topic_regex", "state_changelog_topics",
        "repartition_sink_topics", "repartition_source_topics", "copartition_groups",
    )

    def __init__(
        self, subtopology_id: str = "", source_topics: Sequence[str] = (), source_topic_regex: Sequence[str] =
        (), state_changelog_topics: Sequence[StreamsGroupHeartbeatRequest_TopicInfo] = (),
        repartition_sink_topics: Sequence[str] = (), repartition_source_topics:
        Sequence[StreamsGroupHeartbeatRequest_TopicInfo] = (), copartition_groups:
        Sequence[StreamsGroupHeartbeatRequest_CopartitionGroup] = ()
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = source_topics
        self.source_topic_regex = source_topic_regex
        self.state_changelog_topics = state_changelog_topics
        self.repartition_sink_topics = repartition_sink_topics
        self.repartition_source_topics = repartition_source_topics
        self.copartition_groups = copartition_groups
        self.unknown_tags = ()


class StreamsGroupHeartbeatRequest_Topology(Struct):
    __qualname__ = "StreamsGroupHeartbeatRequest.Topology"
    __slots__ = ("epoch", "subtopologies",)

    def __init__(
        self, epoch: int = 0, subtopologies: Sequence[StreamsGroupHeartbeatRequest_Subtopology] = ()
    ) -> None:
        self.epoch = epoch
        self.subtopologies = subtopologies
        self.unknown_tags = ()


class StreamsGroupHeartbeatRequest_TaskIds(Struct):
    __qualname__ = "StreamsGroupHeartbeatRequest.TaskIds"
    __slots__ = ("subtopology_id", "partitions",)

    def __init__(
        self, subtopology_id: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = partitions
        self.unknown_tags = ()


class StreamsGroupHeartbeatRequest_Endpoint(Struct):
    __qualname__ = "StreamsGroupHeartbeatRequest.Endpoint"
    __slots__ = ("host", "port",)

    def __init__(
        self, host: str = "", port: int = 0
    ) -> None:
        self.host = host
        self.port = port
        self.unknown_tags = ()


class StreamsGroupHeartbeatRequest_TaskOffset(Struct):
    __qualname__ = "StreamsGroupHeartbeatRequest.TaskOffset"
    __slots__ = ("subtopology_id", "partition", "offset",)

    def __init__(
        self, subtopology_id: str = "", partition: int = 0, offset: int = 0
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partition = partition
        self.offset = offset
        self.unknown_tags = ()


class StreamsGroupHeartbeatRequest(Message):
    """Joins, stays in and leaves a streams group.

    Request 88, version 0.
    """

    KEY = 88
    VERSIONS = range(0, 1)
    KeyValue = StreamsGroupHeartbeatRequest_KeyValue
    TopicInfo = StreamsGroupHeartbeatRequest_TopicInfo
    Endpoint = StreamsGroupHeartbeatRequest_Endpoint
    TaskOffset = StreamsGroupHeartbeatRequest_TaskOffset
    TaskIds = StreamsGroupHeartbeatRequest_TaskIds
    Topology = StreamsGroupHeartbeatRequest_Topology
    Subtopology = StreamsGroupHeartbeatRequest_Subtopology
    CopartitionGroup = StreamsGroupHeartbeatRequest_CopartitionGroup
    __slots__ = (
        "group_id", "member_id", "member_epoch", "endpoint_information_epoch", "instance_id", "rack_id",
        "rebalance_timeout_ms", "topology", "active_tasks", "standby_tasks", "warmup_tasks", "process_id",
        "user_endpoint", "client_tags", "task_offsets", "task_end_offsets", "shutdown_application",
    )

    def __init__(
        self, group_id: str = "", member_id: str = "", member_epoch: int = 0, endpoint_information_epoch: int =
        0, instance_id: str | None = None, rack_id: str | None = None, rebalance_timeout_ms: int = -1, topology:
        StreamsGroupHeartbeatRequest_Topology | None = None, active_tasks:
        Sequence[StreamsGroupHeartbeatRequest_TaskIds] | None = None, standby_tasks:
        Sequence[StreamsGroupHeartbeatRequest_TaskIds] | None = None, warmup_tasks:
        Sequence[StreamsGroupHeartbeatRequest_TaskIds] | None = None, process_id: str | None = None,
        user_endpoint: StreamsGroupHeartbeatRequest_Endpoint | None = None, client_tags:
        Sequence[StreamsGroupHeartbeatRequest_KeyValue] | None = None, task_offsets:
        Sequence[StreamsGroupHeartbeatRequest_TaskOffset] | None = None, task_end_offsets:
        Sequence[StreamsGroupHeartbeatRequest_TaskOffset] | None = None, shutdown_application: bool = False
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.endpoint_information_epoch = endpoint_information_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology = topology
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = client_tags
        self.task_offsets = task_offsets
        self.task_end_offsets = task_end_offsets
        self.shutdown_application = shutdown_application
        self.unknown_tags = ()


class StreamsGroupHeartbeatResponse_Status(Struct):
    __qualname__ = "StreamsGroupHeartbeatResponse.Status"
    __slots__ = ("status_code", "status_detail",)

    def __init__(
        self, status_code: int = 0, status_detail: str = ""
    ) -> None:
        self.status_code = status_code
        self.status_detail = status_detail
        self.unknown_tags = ()


class StreamsGroupHeartbeatResponse_TaskIds(Struct):
    __qualname__ = "StreamsGroupHeartbeatResponse.TaskIds"
    __slots__ = ("subtopology_id", "partitions",)

    def __init__(
        self, subtopology_id: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = partitions
        self.unknown_tags = ()


class StreamsGroupHeartbeatResponse_Endpoint(Struct):
    __qualname__ = "StreamsGroupHeartbeatResponse.Endpoint"
    __slots__ = ("host", "port",)

    def __init__(
        self, host: str = "", port: int = 0
    ) -> None:
        self.host = host
        self.port = port
        self.unknown_tags = ()


class StreamsGroupHeartbeatResponse_TopicPartition(Struct):
    __qualname__ = "StreamsGroupHeartbeatResponse.TopicPartition"
    __slots__ = ("topic", "partitions",)

    def __init__(
        self, topic: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic = topic
        self.partitions = partitions
        self.unknown_tags = ()


class StreamsGroupHeartbeatResponse_EndpointToPartitions(Struct):
    __qualname__ = "StreamsGroupHeartbeatResponse.EndpointToPartitions"
    __slots__ = ("user_endpoint", "active_partitions", "standby_partitions",)

    def __init__(
        self, user_endpoint: StreamsGroupHeartbeatResponse_Endpoint =
        StreamsGroupHeartbeatResponse_Endpoint.default(), active_partitions:
        Sequence[StreamsGroupHeartbeatResponse_TopicPartition] = (), standby_partitions:
        Sequence[StreamsGroupHeartbeatResponse_TopicPartition] = ()
    ) -> None:
        self.user_endpoint = user_endpoint
        self.active_partitions = active_partitions
        self.standby_partitions = standby_partitions
        self.unknown_tags = ()


class StreamsGroupHeartbeatResponse(Message):
    """The member's epoch, and its tasks where they have changed.

    Response to request 88, version 0.
    Status codes: 0 stale topology, 1 source topics are missing, 2 topics with the wrong number of partitions,
    3 internal topics are missing, 4 the application is to stop, 5 the assignment is delayed.
    """

    KEY = 88
    VERSIONS = range(0, 1)
    Status = StreamsGroupHeartbeatResponse_Status
    TopicPartition = StreamsGroupHeartbeatResponse_TopicPartition
    TaskIds = StreamsGroupHeartbeatResponse_TaskIds
    Endpoint = StreamsGroupHeartbeatResponse_Endpoint
    EndpointToPartitions = StreamsGroupHeartbeatResponse_EndpointToPartitions
    __slots__ = (
        "throttle_time_ms", "error_code", "error_message", "member_id", "member_epoch", "heartbeat_interval_ms",
        "acceptable_recovery_lag", "task_offset_interval_ms", "status", "active_tasks", "standby_tasks",
        "warmup_tasks", "endpoint_information_epoch", "partitions_by_user_endpoint",
    )

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = None, member_id: str =
        "", member_epoch: int = 0, heartbeat_interval_ms: int = 0, acceptable_recovery_lag: int = 0,
        task_offset_interval_ms: int = 0, status: Sequence[StreamsGroupHeartbeatResponse_Status] | None = (),
        active_tasks: Sequence[StreamsGroupHeartbeatResponse_TaskIds] | None = None, standby_tasks:
        Sequence[StreamsGroupHeartbeatResponse_TaskIds] | None = None, warmup_tasks:
        Sequence[StreamsGroupHeartbeatResponse_TaskIds] | None = None, endpoint_information_epoch: int = 0,
        partitions_by_user_endpoint: Sequence[StreamsGroupHeartbeatResponse_EndpointToPartitions] | None = None
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.acceptable_recovery_lag = acceptable_recovery_lag
        self.task_offset_interval_ms = task_offset_interval_ms
        self.status = status
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.endpoint_information_epoch = endpoint_information_epoch
        self.partitions_by_user_endpoint = partitions_by_user_endpoint
        self.unknown_tags = ()


class StreamsGroupDescribeRequest(Message):
    """Asks for the state and the members of streams groups.

    Request 89, version 0.
    """

    KEY = 89
    VERSIONS = range(0, 1)
    __slots__ = ("group_ids", "include_authorized_operations",)

    def __init__(
        self, group_ids: Sequence[str] = (), include_authorized_operations: bool = False
    ) -> None:
        self.group_ids = group_ids
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tags = ()


class StreamsGroupDescribeResponse_KeyValue(Struct):
    __qualname__ = "StreamsGroupDescribeResponse.KeyValue"
    __slots__ = ("key", "value",)

    def __init__(
        self, key: str = "", value: str = ""
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags = ()


class StreamsGroupDescribeResponse_TopicInfo(Struct):
    __qualname__ = "StreamsGroupDescribeResponse.TopicInfo"
    __slots__ = ("name", "partitions", "replication_factor", "topic_configs",)

    def __init__(
        self, name: str = "", partitions: int = 0, replication_factor: int = 0, topic_configs:
        Sequence[StreamsGroupDescribeResponse_KeyValue] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.replication_factor = replication_factor
        self.topic_configs = topic_configs
        self.unknown_tags = ()


class StreamsGroupDescribeResponse_Subtopology(Struct):
    __qualname__ = "StreamsGroupDescribeResponse.Subtopology"
    __slots__ = (
        "subtopology_id", "source_topics", "repartition_sink_topics", "state_changelog_topics",
        "repartition_source_topics",
    )

    def __init__(
        self, subtopology_id: str = "", source_topics: Sequence[str] = (), repartition_sink_topics:
        Sequence[str] = (), state_changelog_topics: Sequence[StreamsGroupDescribeResponse_TopicInfo] = (),
        repartition_source_topics: Sequence[StreamsGroupDescribeResponse_TopicInfo] = ()
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = source_topics
        self.repartition_sink_topics = repartition_sink_topics
        self.state_changelog_topics = state_changelog_topics
        self.repartition_source_topics = repartition_source_topics
        self.unknown_tags = ()


class StreamsGroupDescribeResponse_Topology(Struct):
    __qualname__ = "StreamsGroupDescribeResponse.Topology"
    __slots__ = ("epoch", "subtopologies",)

    def __init__(
        self, epoch: int = 0, subtopologies: Sequence[StreamsGroupDescribeResponse_Subtopology] | None = None
    ) -> None:
        self.epoch = epoch
        self.subtopologies = subtopologies
        self.unknown_tags = ()


class StreamsGroupDescribeResponse_Endpoint(Struct):
    __qualname__ = "StreamsGroupDescribeResponse.Endpoint"
    __slots__ = ("host", "port",)

    def __init__(
        self, host: str = "", port: int = 0
    ) -> None:
        self.host = host
        self.port = port
        self.unknown_tags = ()


class StreamsGroupDescribeResponse_TaskOffset(Struct):
    __qualname__ = "StreamsGroupDescribeResponse.TaskOffset"
    __slots__ = ("subtopology_id", "partition", "offset",)

    def __init__(
        self, subtopology_id: str = "", partition: int = 0, offset: int = 0
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partition = partition
        self.offset = offset
        self.unknown_tags = ()


class StreamsGroupDescribeResponse_TaskIds(Struct):
    __qualname__ = "StreamsGroupDescribeResponse.TaskIds"
    __slots__ = ("subtopology_id", "partitions",)

    def __init__(
        self, subtopology_id: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = partitions
        self.unknown_tags = ()


class StreamsGroupDescribeResponse_Assignment(Struct):
    __qualname__ = "StreamsGroupDescribeResponse.Assignment"
    __slots__ = ("active_tasks", "standby_tasks", "warmup_tasks",)

    def __init__(
        self, active_tasks: Sequence[StreamsGroupDescribeResponse_TaskIds] = (), standby_tasks:
        Sequence[StreamsGroupDescribeResponse_TaskIds] = (), warmup_tasks:
        Sequence[StreamsGroupDescribeResponse_TaskIds] = ()
    ) -> None:
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.unknown_tags = ()


class StreamsGroupDescribeResponse_Member(Struct):
    __qualname__ = "StreamsGroupDescribeResponse.Member"
    __slots__ = (
        "member_id", "member_epoch", "instance_id", "rack_id", "client_id", "client_host", "topology_epoch",
        "process_id", "user_endpoint", "client_tags", "task_offsets", "task_end_offsets", "assignment",
        "target_assignment", "is_classic",
    )

    def __init__(
        self, member_id: str = "", member_epoch: int = 0, instance_id: str | None = None, rack_id: str | None =
        None, client_id: str = "", client_host: str = "", topology_epoch: int = 0, process_id: str = "",
        user_endpoint: StreamsGroupDescribeResponse_Endpoint | None = None, client_tags:
        Sequence[StreamsGroupDescribeResponse_KeyValue] = (), task_offsets:
        Sequence[StreamsGroupDescribeResponse_TaskOffset] = (), task_end_offsets:
        Sequence[StreamsGroupDescribeResponse_TaskOffset] = (), assignment:
        StreamsGroupDescribeResponse_Assignment = StreamsGroupDescribeResponse_Assignment.default(),
        target_assignment: StreamsGroupDescribeResponse_Assignment =
        StreamsGroupDescribeResponse_Assignment.default(), is_classic: bool = False
    ) -> None:
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = client_tags
        self.task_offsets = task_offsets
        self.task_end_offsets = task_end_offsets
        self.assignment = assignment
        self.target_assignment = target_assignment
        self.is_classic = is_classic
        self.unknown_tags = ()


class StreamsGroupDescribeResponse_DescribedGroup(Struct):
    __qualname__ = "StreamsGroupDescribeResponse.DescribedGroup"
    __slots__ = (
        "error_code", "error_message", "group_id", "group_state", "group_epoch", "assignment_epoch", "topology",
        "members", "authorized_operations",
    )

    def __init__(
        self, error_code: int = 0, error_message: str | None = None, group_id: str = "", group_state: str = "",
        group_epoch: int = 0, assignment_epoch: int = 0, topology: StreamsGroupDescribeResponse_Topology | None
        = None, members: Sequence[StreamsGroupDescribeResponse_Member] = (), authorized_operations: int =
        -2147483648
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.topology = topology
        self.members = members
        self.authorized_operations = authorized_operations
        self.unknown_tags = ()


class StreamsGroupDescribeResponse(Message):
    """The groups. States: Empty, NotReady, Assigning, Reconciling, Stable, Dead.

    Response to request 89, version 0.
    """

    KEY = 89
    VERSIONS = range(0, 1)
    Endpoint = StreamsGroupDescribeResponse_Endpoint
    TaskOffset = StreamsGroupDescribeResponse_TaskOffset
    Assignment = StreamsGroupDescribeResponse_Assignment
    TaskIds = StreamsGroupDescribeResponse_TaskIds
    KeyValue = StreamsGroupDescribeResponse_KeyValue
    TopicInfo = StreamsGroupDescribeResponse_TopicInfo
    DescribedGroup = StreamsGroupDescribeResponse_DescribedGroup
    Topology = StreamsGroupDescribeResponse_Topology
    Subtopology = StreamsGroupDescribeResponse_Subtopology
    Member = StreamsGroupDescribeResponse_Member
    __slots__ = ("throttle_time_ms", "groups",)

    def __init__(
        self, throttle_time_ms: int = 0, groups: Sequence[StreamsGroupDescribeResponse_DescribedGroup] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups
        self.unknown_tags = ()
