"""Topics and where their partitions live.

Generated from `schema/topics.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class CreateTopicsRequest_CreatableReplicaAssignment(Struct):
    __qualname__ = "CreateTopicsRequest.CreatableReplicaAssignment"
    __slots__ = ("partition_index", "broker_ids",)

    def __init__(
        self, partition_index: int = 0, broker_ids: Sequence[int] = ()
    ) -> None:
        self.partition_index = partition_index
        self.broker_ids = broker_ids
        self.unknown_tags = ()


class CreateTopicsRequest_CreatableTopicConfig(Struct):
    __qualname__ = "CreateTopicsRequest.CreatableTopicConfig"
    __slots__ = ("name", "value",)

    def __init__(
        self, name: str = "", value: str | None = ""
    ) -> None:
        self.name = name
        self.value = value
        self.unknown_tags = ()


class CreateTopicsRequest_CreatableTopic(Struct):
    __qualname__ = "CreateTopicsRequest.CreatableTopic"
    __slots__ = ("name", "num_partitions", "replication_factor", "assignments", "configs",)

    def __init__(
        self, name: str = "", num_partitions: int = 0, replication_factor: int = 0, assignments:
        Sequence[CreateTopicsRequest_CreatableReplicaAssignment] = (), configs:
        Sequence[CreateTopicsRequest_CreatableTopicConfig] = ()
    ) -> None:
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.assignments = assignments
        self.configs = configs
        self.unknown_tags = ()


class CreateTopicsRequest(Message):
    """Makes topics.

    Request 19, versions 2-7.
    Version 4: the broker's defaults for partitions and replicas (KIP-464).
    Version 5: the response tells what was made (KIP-525).
    Version 6: THROTTLING_QUOTA_EXCEEDED may come back (KIP-599).
    Version 7: topic ids in the response (KIP-516).
    """

    KEY = 19
    VERSIONS = range(2, 8)
    CreatableTopic = CreateTopicsRequest_CreatableTopic
    CreatableReplicaAssignment = CreateTopicsRequest_CreatableReplicaAssignment
    CreatableTopicConfig = CreateTopicsRequest_CreatableTopicConfig
    __slots__ = ("topics", "timeout_ms", "validate_only",)

    def __init__(
        self, topics: Sequence[CreateTopicsRequest_CreatableTopic] = (), timeout_ms: int = 60000, validate_only:
        bool = False
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only
        self.unknown_tags = ()


class CreateTopicsResponse_CreatableTopicConfigs(Struct):
    __qualname__ = "CreateTopicsResponse.CreatableTopicConfigs"
    __slots__ = ("name", "value", "read_only", "config_source", "is_sensitive",)

    def __init__(
        self, name: str = "", value: str | None = "", read_only: bool = False, config_source: int = -1,
        is_sensitive: bool = False
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.unknown_tags = ()


class CreateTopicsResponse_CreatableTopicResult(Struct):
    __qualname__ = "CreateTopicsResponse.CreatableTopicResult"
    __slots__ = (
        "name", "topic_id", "error_code", "error_message", "topic_config_error_code", "num_partitions",
        "replication_factor", "configs",
    )

    def __init__(
        self, name: str = "", topic_id: Uuid = ZERO_UUID, error_code: int = 0, error_message: str | None = "",
        topic_config_error_code: int = 0, num_partitions: int = -1, replication_factor: int = -1, configs:
        Sequence[CreateTopicsResponse_CreatableTopicConfigs] | None = ()
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.topic_config_error_code = topic_config_error_code
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.configs = configs
        self.unknown_tags = ()


class CreateTopicsResponse(Message):
    """What was made of each topic.

    Response to request 19, versions 2-7.
    """

    KEY = 19
    VERSIONS = range(2, 8)
    CreatableTopicResult = CreateTopicsResponse_CreatableTopicResult
    CreatableTopicConfigs = CreateTopicsResponse_CreatableTopicConfigs
    __slots__ = ("throttle_time_ms", "topics",)

    def __init__(
        self, throttle_time_ms: int = 0, topics: Sequence[CreateTopicsResponse_CreatableTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.unknown_tags = ()


class DeleteTopicsRequest_DeleteTopicState(Struct):
    __qualname__ = "DeleteTopicsRequest.DeleteTopicState"
    __slots__ = ("name", "topic_id",)

    def __init__(
        self, name: str | None = None, topic_id: Uuid = ZERO_UUID
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.unknown_tags = ()


class DeleteTopicsRequest(Message):
    """Deletes topics.

    Request 20, versions 1-6.
    Version 5: THROTTLING_QUOTA_EXCEEDED may come back (KIP-599).
    Version 6: by topic id, too (KIP-516).
    """

    KEY = 20
    VERSIONS = range(1, 7)
    DeleteTopicState = DeleteTopicsRequest_DeleteTopicState
    __slots__ = ("topics", "topic_names", "timeout_ms",)

    def __init__(
        self, topics: Sequence[DeleteTopicsRequest_DeleteTopicState] = (), topic_names: Sequence[str] = (),
        timeout_ms: int = 0
    ) -> None:
        self.topics = topics
        self.topic_names = topic_names
        self.timeout_ms = timeout_ms
        self.unknown_tags = ()


class DeleteTopicsResponse_DeletableTopicResult(Struct):
    __qualname__ = "DeleteTopicsResponse.DeletableTopicResult"
    __slots__ = ("name", "topic_id", "error_code", "error_message",)

    def __init__(
        self, name: str | None = "", topic_id: Uuid = ZERO_UUID, error_code: int = 0, error_message: str | None
        = None
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class DeleteTopicsResponse(Message):
    """What became of each topic.

    Response to request 20, versions 1-6.
    Version 3: TOPIC_DELETION_DISABLED may come back.
    """

    KEY = 20
    VERSIONS = range(1, 7)
    DeletableTopicResult = DeleteTopicsResponse_DeletableTopicResult
    __slots__ = ("throttle_time_ms", "responses",)

    def __init__(
        self, throttle_time_ms: int = 0, responses: Sequence[DeleteTopicsResponse_DeletableTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = responses
        self.unknown_tags = ()


class CreatePartitionsRequest_CreatePartitionsAssignment(Struct):
    __qualname__ = "CreatePartitionsRequest.CreatePartitionsAssignment"
    __slots__ = ("broker_ids",)

    def __init__(
        self, broker_ids: Sequence[int] = ()
    ) -> None:
        self.broker_ids = broker_ids
        self.unknown_tags = ()


class CreatePartitionsRequest_CreatePartitionsTopic(Struct):
    __qualname__ = "CreatePartitionsRequest.CreatePartitionsTopic"
    __slots__ = ("name", "count", "assignments",)

    def __init__(
        self, name: str = "", count: int = 0, assignments:
        Sequence[CreatePartitionsRequest_CreatePartitionsAssignment] | None = ()
    ) -> None:
        self.name = name
        self.count = count
        self.assignments = assignments
        self.unknown_tags = ()


class CreatePartitionsRequest(Message):
    """Gives topics more partitions (KIP-195).

    Request 37, versions 0-3.
    Version 3: THROTTLING_QUOTA_EXCEEDED may come back (KIP-599).
    """

    KEY = 37
    VERSIONS = range(0, 4)
    CreatePartitionsTopic = CreatePartitionsRequest_CreatePartitionsTopic
    CreatePartitionsAssignment = CreatePartitionsRequest_CreatePartitionsAssignment
    __slots__ = ("topics", "timeout_ms", "validate_only",)

    def __init__(
        self, topics: Sequence[CreatePartitionsRequest_CreatePartitionsTopic] = (), timeout_ms: int = 0,
        validate_only: bool = False
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only
        self.unknown_tags = ()


class CreatePartitionsResponse_CreatePartitionsTopicResult(Struct):
    __qualname__ = "CreatePartitionsResponse.CreatePartitionsTopicResult"
    __slots__ = ("name", "error_code", "error_message",)

    def __init__(
        self, name: str = "", error_code: int = 0, error_message: str | None = None
    ) -> None:
        self.name = name
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class CreatePartitionsResponse(Message):
    """Whether each topic has them.

    Response to request 37, versions 0-3.
    """

    KEY = 37
    VERSIONS = range(0, 4)
    CreatePartitionsTopicResult = CreatePartitionsResponse_CreatePartitionsTopicResult
    __slots__ = ("throttle_time_ms", "results",)

    def __init__(
        self, throttle_time_ms: int = 0, results: Sequence[CreatePartitionsResponse_CreatePartitionsTopicResult]
        = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results
        self.unknown_tags = ()


class ElectLeadersRequest_TopicPartitions(Struct):
    __qualname__ = "ElectLeadersRequest.TopicPartitions"
    __slots__ = ("topic", "partitions",)

    def __init__(
        self, topic: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic = topic
        self.partitions = partitions
        self.unknown_tags = ()


class ElectLeadersRequest(Message):
    """Has leaders elected anew (KIP-183).

    Request 43, versions 0-2.
    Version 1: unclean ones too (KIP-460).
    """

    KEY = 43
    VERSIONS = range(0, 3)
    TopicPartitions = ElectLeadersRequest_TopicPartitions
    __slots__ = ("election_type", "topic_partitions", "timeout_ms",)

    def __init__(
        self, election_type: int = 0, topic_partitions: Sequence[ElectLeadersRequest_TopicPartitions] | None =
        (), timeout_ms: int = 60000
    ) -> None:
        self.election_type = election_type
        self.topic_partitions = topic_partitions
        self.timeout_ms = timeout_ms
        self.unknown_tags = ()


class ElectLeadersResponse_PartitionResult(Struct):
    __qualname__ = "ElectLeadersResponse.PartitionResult"
    __slots__ = ("partition_id", "error_code", "error_message",)

    def __init__(
        self, partition_id: int = 0, error_code: int = 0, error_message: str | None = ""
    ) -> None:
        self.partition_id = partition_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class ElectLeadersResponse_ReplicaElectionResult(Struct):
    __qualname__ = "ElectLeadersResponse.ReplicaElectionResult"
    __slots__ = ("topic", "partition_result",)

    def __init__(
        self, topic: str = "", partition_result: Sequence[ElectLeadersResponse_PartitionResult] = ()
    ) -> None:
        self.topic = topic
        self.partition_result = partition_result
        self.unknown_tags = ()


class ElectLeadersResponse(Message):
    """What became of each election.

    Response to request 43, versions 0-2.
    """

    KEY = 43
    VERSIONS = range(0, 3)
    ReplicaElectionResult = ElectLeadersResponse_ReplicaElectionResult
    PartitionResult = ElectLeadersResponse_PartitionResult
    __slots__ = ("throttle_time_ms", "error_code", "replica_election_results",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, replica_election_results:
        Sequence[ElectLeadersResponse_ReplicaElectionResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.replica_election_results = replica_election_results
        self.unknown_tags = ()


class AlterPartitionReassignmentsRequest_ReassignablePartition(Struct):
    __qualname__ = "AlterPartitionReassignmentsRequest.ReassignablePartition"
    __slots__ = ("partition_index", "replicas",)

    def __init__(
        self, partition_index: int = 0, replicas: Sequence[int] | None = None
    ) -> None:
        self.partition_index = partition_index
        self.replicas = replicas
        self.unknown_tags = ()


class AlterPartitionReassignmentsRequest_ReassignableTopic(Struct):
    __qualname__ = "AlterPartitionReassignmentsRequest.ReassignableTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[AlterPartitionReassignmentsRequest_ReassignablePartition] =
        ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class AlterPartitionReassignmentsRequest(Message):
    """Moves partitions to other brokers, or stops moving them (KIP-455).

    Request 45, versions 0-1.
    Version 1: can insist on the number of replicas (KIP-860).
    """

    KEY = 45
    VERSIONS = range(0, 2)
    ReassignableTopic = AlterPartitionReassignmentsRequest_ReassignableTopic
    ReassignablePartition = AlterPartitionReassignmentsRequest_ReassignablePartition
    __slots__ = ("timeout_ms", "allow_replication_factor_change", "topics",)

    def __init__(
        self, timeout_ms: int = 60000, allow_replication_factor_change: bool = True, topics:
        Sequence[AlterPartitionReassignmentsRequest_ReassignableTopic] = ()
    ) -> None:
        self.timeout_ms = timeout_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.topics = topics
        self.unknown_tags = ()


class AlterPartitionReassignmentsResponse_ReassignablePartitionResponse(Struct):
    __qualname__ = "AlterPartitionReassignmentsResponse.ReassignablePartitionResponse"
    __slots__ = ("partition_index", "error_code", "error_message",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, error_message: str | None = ""
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class AlterPartitionReassignmentsResponse_ReassignableTopicResponse(Struct):
    __qualname__ = "AlterPartitionReassignmentsResponse.ReassignableTopicResponse"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions:
        Sequence[AlterPartitionReassignmentsResponse_ReassignablePartitionResponse] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class AlterPartitionReassignmentsResponse(Message):
    """Whether each move has begun.

    Response to request 45, versions 0-1.
    """

    KEY = 45
    VERSIONS = range(0, 2)
    ReassignableTopicResponse = AlterPartitionReassignmentsResponse_ReassignableTopicResponse
    ReassignablePartitionResponse = AlterPartitionReassignmentsResponse_ReassignablePartitionResponse
    __slots__ = (
        "throttle_time_ms", "allow_replication_factor_change", "error_code", "error_message", "responses",
    )

    def __init__(
        self, throttle_time_ms: int = 0, allow_replication_factor_change: bool = True, error_code: int = 0,
        error_message: str | None = "", responses:
        Sequence[AlterPartitionReassignmentsResponse_ReassignableTopicResponse] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.error_code = error_code
        self.error_message = error_message
        self.responses = responses
        self.unknown_tags = ()


class ListPartitionReassignmentsRequest_ListPartitionReassignmentsTopics(Struct):
    __qualname__ = "ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics"
    __slots__ = ("name", "partition_indexes",)

    def __init__(
        self, name: str = "", partition_indexes: Sequence[int] = ()
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes
        self.unknown_tags = ()


class ListPartitionReassignmentsRequest(Message):
    """Asks which partitions are being moved (KIP-455).

    Request 46, version 0.
    """

    KEY = 46
    VERSIONS = range(0, 1)
    ListPartitionReassignmentsTopics = ListPartitionReassignmentsRequest_ListPartitionReassignmentsTopics
    __slots__ = ("timeout_ms", "topics",)

    def __init__(
        self, timeout_ms: int = 60000, topics:
        Sequence[ListPartitionReassignmentsRequest_ListPartitionReassignmentsTopics] | None = None
    ) -> None:
        self.timeout_ms = timeout_ms
        self.topics = topics
        self.unknown_tags = ()


class ListPartitionReassignmentsResponse_OngoingPartitionReassignment(Struct):
    __qualname__ = "ListPartitionReassignmentsResponse.OngoingPartitionReassignment"
    __slots__ = ("partition_index", "replicas", "adding_replicas", "removing_replicas",)

    def __init__(
        self, partition_index: int = 0, replicas: Sequence[int] = (), adding_replicas: Sequence[int] = (),
        removing_replicas: Sequence[int] = ()
    ) -> None:
        self.partition_index = partition_index
        self.replicas = replicas
        self.adding_replicas = adding_replicas
        self.removing_replicas = removing_replicas
        self.unknown_tags = ()


class ListPartitionReassignmentsResponse_OngoingTopicReassignment(Struct):
    __qualname__ = "ListPartitionReassignmentsResponse.OngoingTopicReassignment"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions:
        Sequence[ListPartitionReassignmentsResponse_OngoingPartitionReassignment] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class ListPartitionReassignmentsResponse(Message):
    """The partitions that are being moved.

    Response to request 46, version 0.
    """

    KEY = 46
    VERSIONS = range(0, 1)
    OngoingTopicReassignment = ListPartitionReassignmentsResponse_OngoingTopicReassignment
    OngoingPartitionReassignment = ListPartitionReassignmentsResponse_OngoingPartitionReassignment
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "topics",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = "", topics:
        Sequence[ListPartitionReassignmentsResponse_OngoingTopicReassignment] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.topics = topics
        self.unknown_tags = ()


class AlterReplicaLogDirsRequest_AlterReplicaLogDirTopic(Struct):
    __qualname__ = "AlterReplicaLogDirsRequest.AlterReplicaLogDirTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class AlterReplicaLogDirsRequest_AlterReplicaLogDir(Struct):
    __qualname__ = "AlterReplicaLogDirsRequest.AlterReplicaLogDir"
    __slots__ = ("path", "topics",)

    def __init__(
        self, path: str = "", topics: Sequence[AlterReplicaLogDirsRequest_AlterReplicaLogDirTopic] = ()
    ) -> None:
        self.path = path
        self.topics = topics
        self.unknown_tags = ()


class AlterReplicaLogDirsRequest(Message):
    """Moves replicas to other log directories of the same broker (KIP-113).

    Request 34, versions 1-2.
    """

    KEY = 34
    VERSIONS = range(1, 3)
    AlterReplicaLogDir = AlterReplicaLogDirsRequest_AlterReplicaLogDir
    AlterReplicaLogDirTopic = AlterReplicaLogDirsRequest_AlterReplicaLogDirTopic
    __slots__ = ("dirs",)

    def __init__(
        self, dirs: Sequence[AlterReplicaLogDirsRequest_AlterReplicaLogDir] = ()
    ) -> None:
        self.dirs = dirs
        self.unknown_tags = ()


class AlterReplicaLogDirsResponse_AlterReplicaLogDirPartitionResult(Struct):
    __qualname__ = "AlterReplicaLogDirsResponse.AlterReplicaLogDirPartitionResult"
    __slots__ = ("partition_index", "error_code",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tags = ()


class AlterReplicaLogDirsResponse_AlterReplicaLogDirTopicResult(Struct):
    __qualname__ = "AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult"
    __slots__ = ("topic_name", "partitions",)

    def __init__(
        self, topic_name: str = "", partitions:
        Sequence[AlterReplicaLogDirsResponse_AlterReplicaLogDirPartitionResult] = ()
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class AlterReplicaLogDirsResponse(Message):
    """Whether each move has begun.

    Response to request 34, versions 1-2.
    """

    KEY = 34
    VERSIONS = range(1, 3)
    AlterReplicaLogDirTopicResult = AlterReplicaLogDirsResponse_AlterReplicaLogDirTopicResult
    AlterReplicaLogDirPartitionResult = AlterReplicaLogDirsResponse_AlterReplicaLogDirPartitionResult
    __slots__ = ("throttle_time_ms", "results",)

    def __init__(
        self, throttle_time_ms: int = 0, results:
        Sequence[AlterReplicaLogDirsResponse_AlterReplicaLogDirTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results
        self.unknown_tags = ()


class DescribeLogDirsRequest_DescribableLogDirTopic(Struct):
    __qualname__ = "DescribeLogDirsRequest.DescribableLogDirTopic"
    __slots__ = ("topic", "partitions",)

    def __init__(
        self, topic: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic = topic
        self.partitions = partitions
        self.unknown_tags = ()


class DescribeLogDirsRequest(Message):
    """Asks a broker what is in its log directories (KIP-113).

    Request 35, versions 1-5.
    """

    KEY = 35
    VERSIONS = range(1, 6)
    DescribableLogDirTopic = DescribeLogDirsRequest_DescribableLogDirTopic
    __slots__ = ("topics",)

    def __init__(
        self, topics: Sequence[DescribeLogDirsRequest_DescribableLogDirTopic] | None = ()
    ) -> None:
        self.topics = topics
        self.unknown_tags = ()


class DescribeLogDirsResponse_DescribeLogDirsPartition(Struct):
    __qualname__ = "DescribeLogDirsResponse.DescribeLogDirsPartition"
    __slots__ = ("partition_index", "partition_size", "offset_lag", "is_future_key",)

    def __init__(
        self, partition_index: int = 0, partition_size: int = 0, offset_lag: int = 0, is_future_key: bool =
        False
    ) -> None:
        self.partition_index = partition_index
        self.partition_size = partition_size
        self.offset_lag = offset_lag
        self.is_future_key = is_future_key
        self.unknown_tags = ()


class DescribeLogDirsResponse_DescribeLogDirsTopic(Struct):
    __qualname__ = "DescribeLogDirsResponse.DescribeLogDirsTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[DescribeLogDirsResponse_DescribeLogDirsPartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class DescribeLogDirsResponse_DescribeLogDirsResult(Struct):
    __qualname__ = "DescribeLogDirsResponse.DescribeLogDirsResult"
    __slots__ = ("error_code", "log_dir", "topics", "total_bytes", "usable_bytes", "is_cordoned",)

    def __init__(
        self, error_code: int = 0, log_dir: str = "", topics:
        Sequence[DescribeLogDirsResponse_DescribeLogDirsTopic] = (), total_bytes: int = -1, usable_bytes: int =
        -1, is_cordoned: bool = False
    ) -> None:
        self.error_code = error_code
        self.log_dir = log_dir
        self.topics = topics
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes
        self.is_cordoned = is_cordoned
        self.unknown_tags = ()


class DescribeLogDirsResponse(Message):
    """Log directories, and what they hold.

    Response to request 35, versions 1-5.
    Version 3: an error for the whole (KIP-784).
    Version 4: sizes of the volumes (KIP-827).
    Version 5: whether new replicas are kept out (KIP-1066).
    """

    KEY = 35
    VERSIONS = range(1, 6)
    DescribeLogDirsResult = DescribeLogDirsResponse_DescribeLogDirsResult
    DescribeLogDirsTopic = DescribeLogDirsResponse_DescribeLogDirsTopic
    DescribeLogDirsPartition = DescribeLogDirsResponse_DescribeLogDirsPartition
    __slots__ = ("throttle_time_ms", "error_code", "results",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, results:
        Sequence[DescribeLogDirsResponse_DescribeLogDirsResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results = results
        self.unknown_tags = ()
