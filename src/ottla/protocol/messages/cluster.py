"""What the cluster looks like: brokers, topics, partitions, features.

Generated from `schema/cluster.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class MetadataRequest_MetadataRequestTopic(Struct):
    __qualname__ = "MetadataRequest.MetadataRequestTopic"
    __slots__ = ("topic_id", "name",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, name: str | None = ""
    ) -> None:
        self.topic_id = topic_id
        self.name = name
        self.unknown_tags = ()


class MetadataRequest(Message):
    """Asks for brokers, topics and leaders: how a client finds its way.

    Request 3, versions 0-13.
    Version 4: topics need not be created by asking.
    Version 8: authorized operations (KIP-430).
    Version 10: topic ids in the response; asking by id works from version 12 on (KIP-516).
    Version 11: operations on the cluster have moved to DescribeCluster (KIP-700).
    """

    KEY = 3
    VERSIONS = range(0, 14)
    MetadataRequestTopic = MetadataRequest_MetadataRequestTopic
    __slots__ = (
        "topics", "allow_auto_topic_creation", "include_cluster_authorized_operations",
        "include_topic_authorized_operations",
    )

    def __init__(
        self, topics: Sequence[MetadataRequest_MetadataRequestTopic] | None = (), allow_auto_topic_creation:
        bool = True, include_cluster_authorized_operations: bool = False, include_topic_authorized_operations:
        bool = False
    ) -> None:
        self.topics = topics
        self.allow_auto_topic_creation = allow_auto_topic_creation
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.include_topic_authorized_operations = include_topic_authorized_operations
        self.unknown_tags = ()


class MetadataResponse_MetadataResponseBroker(Struct):
    __qualname__ = "MetadataResponse.MetadataResponseBroker"
    __slots__ = ("node_id", "host", "port", "rack",)

    def __init__(
        self, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack
        self.unknown_tags = ()


class MetadataResponse_MetadataResponsePartition(Struct):
    __qualname__ = "MetadataResponse.MetadataResponsePartition"
    __slots__ = (
        "error_code", "partition_index", "leader_id", "leader_epoch", "replica_nodes", "isr_nodes",
        "offline_replicas",
    )

    def __init__(
        self, error_code: int = 0, partition_index: int = 0, leader_id: int = 0, leader_epoch: int = -1,
        replica_nodes: Sequence[int] = (), isr_nodes: Sequence[int] = (), offline_replicas: Sequence[int] = ()
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = replica_nodes
        self.isr_nodes = isr_nodes
        self.offline_replicas = offline_replicas
        self.unknown_tags = ()


class MetadataResponse_MetadataResponseTopic(Struct):
    __qualname__ = "MetadataResponse.MetadataResponseTopic"
    __slots__ = ("error_code", "name", "topic_id", "is_internal", "partitions", "topic_authorized_operations",)

    def __init__(
        self, error_code: int = 0, name: str | None = "", topic_id: Uuid = ZERO_UUID, is_internal: bool = False,
        partitions: Sequence[MetadataResponse_MetadataResponsePartition] = (), topic_authorized_operations: int
        = -2147483648
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = partitions
        self.topic_authorized_operations = topic_authorized_operations
        self.unknown_tags = ()


class MetadataResponse(Message):
    """The brokers, and the topics with their leaders and replicas.

    Response to request 3, versions 0-13.
    Version 5: replicas that are offline (KIP-112).
    Version 7: leader epochs (KIP-320).
    Version 13: an error for the whole, so that clients can be sent back to their bootstrap servers (KIP-1102).
    """

    KEY = 3
    VERSIONS = range(0, 14)
    MetadataResponseBroker = MetadataResponse_MetadataResponseBroker
    MetadataResponseTopic = MetadataResponse_MetadataResponseTopic
    MetadataResponsePartition = MetadataResponse_MetadataResponsePartition
    __slots__ = (
        "throttle_time_ms", "brokers", "cluster_id", "controller_id", "topics", "cluster_authorized_operations",
        "error_code",
    )

    def __init__(
        self, throttle_time_ms: int = 0, brokers: Sequence[MetadataResponse_MetadataResponseBroker] = (),
        cluster_id: str | None = None, controller_id: int = -1, topics:
        Sequence[MetadataResponse_MetadataResponseTopic] = (), cluster_authorized_operations: int = -2147483648,
        error_code: int = 0
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.brokers = brokers
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.topics = topics
        self.cluster_authorized_operations = cluster_authorized_operations
        self.error_code = error_code
        self.unknown_tags = ()


class DescribeClusterRequest(Message):
    """Asks for the brokers, or for the controllers (KIP-700).

    Request 60, versions 0-2.
    Version 1: controllers too (KIP-919).
    Version 2: fenced brokers too (KIP-1073).
    """

    KEY = 60
    VERSIONS = range(0, 3)
    __slots__ = ("include_cluster_authorized_operations", "endpoint_type", "include_fenced_brokers",)

    def __init__(
        self, include_cluster_authorized_operations: bool = False, endpoint_type: int = 1,
        include_fenced_brokers: bool = False
    ) -> None:
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.endpoint_type = endpoint_type
        self.include_fenced_brokers = include_fenced_brokers
        self.unknown_tags = ()


class DescribeClusterResponse_DescribeClusterBroker(Struct):
    __qualname__ = "DescribeClusterResponse.DescribeClusterBroker"
    __slots__ = ("broker_id", "host", "port", "rack", "is_fenced",)

    def __init__(
        self, broker_id: int = 0, host: str = "", port: int = 0, rack: str | None = None, is_fenced: bool =
        False
    ) -> None:
        self.broker_id = broker_id
        self.host = host
        self.port = port
        self.rack = rack
        self.is_fenced = is_fenced
        self.unknown_tags = ()


class DescribeClusterResponse(Message):
    """The nodes of one kind, with the endpoints for the listener that was asked on.

    Response to request 60, versions 0-2.
    """

    KEY = 60
    VERSIONS = range(0, 3)
    DescribeClusterBroker = DescribeClusterResponse_DescribeClusterBroker
    __slots__ = (
        "throttle_time_ms", "error_code", "error_message", "endpoint_type", "cluster_id", "controller_id",
        "brokers", "cluster_authorized_operations",
    )

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = None, endpoint_type:
        int = 1, cluster_id: str = "", controller_id: int = -1, brokers:
        Sequence[DescribeClusterResponse_DescribeClusterBroker] = (), cluster_authorized_operations: int =
        -2147483648
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.endpoint_type = endpoint_type
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.brokers = brokers
        self.cluster_authorized_operations = cluster_authorized_operations
        self.unknown_tags = ()


class DescribeTopicPartitionsRequest_TopicRequest(Struct):
    __qualname__ = "DescribeTopicPartitionsRequest.TopicRequest"
    __slots__ = ("name",)

    def __init__(
        self, name: str = ""
    ) -> None:
        self.name = name
        self.unknown_tags = ()


class DescribeTopicPartitionsRequest_Cursor(Struct):
    __qualname__ = "DescribeTopicPartitionsRequest.Cursor"
    __slots__ = ("topic_name", "partition_index",)

    def __init__(
        self, topic_name: str = "", partition_index: int = 0
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.unknown_tags = ()


class DescribeTopicPartitionsRequest(Message):
    """Asks for topics page by page, with what elections go by (KIP-966).

    Request 75, version 0.
    """

    KEY = 75
    VERSIONS = range(0, 1)
    TopicRequest = DescribeTopicPartitionsRequest_TopicRequest
    Cursor = DescribeTopicPartitionsRequest_Cursor
    __slots__ = ("topics", "response_partition_limit", "cursor",)

    def __init__(
        self, topics: Sequence[DescribeTopicPartitionsRequest_TopicRequest] = (), response_partition_limit: int
        = 2000, cursor: DescribeTopicPartitionsRequest_Cursor | None = None
    ) -> None:
        self.topics = topics
        self.response_partition_limit = response_partition_limit
        self.cursor = cursor
        self.unknown_tags = ()


class DescribeTopicPartitionsResponse_DescribeTopicPartitionsResponsePartition(Struct):
    __qualname__ = "DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponsePartition"
    __slots__ = (
        "error_code", "partition_index", "leader_id", "leader_epoch", "replica_nodes", "isr_nodes",
        "eligible_leader_replicas", "last_known_elr", "offline_replicas",
    )

    def __init__(
        self, error_code: int = 0, partition_index: int = 0, leader_id: int = 0, leader_epoch: int = -1,
        replica_nodes: Sequence[int] = (), isr_nodes: Sequence[int] = (), eligible_leader_replicas:
        Sequence[int] | None = None, last_known_elr: Sequence[int] | None = None, offline_replicas:
        Sequence[int] = ()
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = replica_nodes
        self.isr_nodes = isr_nodes
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.offline_replicas = offline_replicas
        self.unknown_tags = ()


class DescribeTopicPartitionsResponse_DescribeTopicPartitionsResponseTopic(Struct):
    __qualname__ = "DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic"
    __slots__ = ("error_code", "name", "topic_id", "is_internal", "partitions", "topic_authorized_operations",)

    def __init__(
        self, error_code: int = 0, name: str | None = "", topic_id: Uuid = ZERO_UUID, is_internal: bool = False,
        partitions: Sequence[DescribeTopicPartitionsResponse_DescribeTopicPartitionsResponsePartition] = (),
        topic_authorized_operations: int = -2147483648
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = partitions
        self.topic_authorized_operations = topic_authorized_operations
        self.unknown_tags = ()


class DescribeTopicPartitionsResponse_Cursor(Struct):
    __qualname__ = "DescribeTopicPartitionsResponse.Cursor"
    __slots__ = ("topic_name", "partition_index",)

    def __init__(
        self, topic_name: str = "", partition_index: int = 0
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.unknown_tags = ()


class DescribeTopicPartitionsResponse(Message):
    """One page of topics.

    Response to request 75, version 0.
    """

    KEY = 75
    VERSIONS = range(0, 1)
    DescribeTopicPartitionsResponseTopic = DescribeTopicPartitionsResponse_DescribeTopicPartitionsResponseTopic
    DescribeTopicPartitionsResponsePartition = DescribeTopicPartitionsResponse_DescribeTopicPartitionsResponsePartition
    Cursor = DescribeTopicPartitionsResponse_Cursor
    __slots__ = ("throttle_time_ms", "topics", "next_cursor",)

    def __init__(
        self, throttle_time_ms: int = 0, topics:
        Sequence[DescribeTopicPartitionsResponse_DescribeTopicPartitionsResponseTopic] = (), next_cursor:
        DescribeTopicPartitionsResponse_Cursor | None = None
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.next_cursor = next_cursor
        self.unknown_tags = ()


class UpdateFeaturesRequest_FeatureUpdateKey(Struct):
    __qualname__ = "UpdateFeaturesRequest.FeatureUpdateKey"
    __slots__ = ("feature", "max_version_level", "allow_downgrade", "upgrade_type",)

    def __init__(
        self, feature: str = "", max_version_level: int = 0, allow_downgrade: bool = False, upgrade_type: int =
        1
    ) -> None:
        self.feature = feature
        self.max_version_level = max_version_level
        self.allow_downgrade = allow_downgrade
        self.upgrade_type = upgrade_type
        self.unknown_tags = ()


class UpdateFeaturesRequest(Message):
    """Raises or lowers the levels that the cluster has agreed on (KIP-584).

    Request 57, versions 0-2.
    Version 1: kinds of upgrade, trying out (KIP-778).
    Version 2: all features are changed, or none (KIP-1022).
    """

    KEY = 57
    VERSIONS = range(0, 3)
    FeatureUpdateKey = UpdateFeaturesRequest_FeatureUpdateKey
    __slots__ = ("timeout_ms", "feature_updates", "validate_only",)

    def __init__(
        self, timeout_ms: int = 60000, feature_updates: Sequence[UpdateFeaturesRequest_FeatureUpdateKey] = (),
        validate_only: bool = False
    ) -> None:
        self.timeout_ms = timeout_ms
        self.feature_updates = feature_updates
        self.validate_only = validate_only
        self.unknown_tags = ()


class UpdateFeaturesResponse_UpdatableFeatureResult(Struct):
    __qualname__ = "UpdateFeaturesResponse.UpdatableFeatureResult"
    __slots__ = ("feature", "error_code", "error_message",)

    def __init__(
        self, feature: str = "", error_code: int = 0, error_message: str | None = ""
    ) -> None:
        self.feature = feature
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class UpdateFeaturesResponse(Message):
    """Whether the levels were changed.

    Response to request 57, versions 0-2.
    """

    KEY = 57
    VERSIONS = range(0, 3)
    UpdatableFeatureResult = UpdateFeaturesResponse_UpdatableFeatureResult
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "results",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = "", results:
        Sequence[UpdateFeaturesResponse_UpdatableFeatureResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = results
        self.unknown_tags = ()


class UnregisterBrokerRequest(Message):
    """Forgets a broker that will not come back (KIP-631).

    Request 64, version 0.
    """

    KEY = 64
    VERSIONS = range(0, 1)
    __slots__ = ("broker_id",)

    def __init__(
        self, broker_id: int = 0
    ) -> None:
        self.broker_id = broker_id
        self.unknown_tags = ()


class UnregisterBrokerResponse(Message):
    """Whether it was forgotten.

    Response to request 64, version 0.
    """

    KEY = 64
    VERSIONS = range(0, 1)
    __slots__ = ("throttle_time_ms", "error_code", "error_message",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = ""
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()
