"""What `__consumer_offsets` holds: offsets and the members of all kinds of groups.

Generated from `schema/group_records.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class LegacyOffsetCommitKey(Message):
    """Whose offset: the form of long ago, still read.

    Key of record type 0, version 0.
    """

    KEY = 0
    VERSIONS = range(0, 1)
    __slots__ = ("group", "topic", "partition",)

    def __init__(
        self, group: str = "", topic: str = "", partition: int = 0
    ) -> None:
        self.group = group
        self.topic = topic
        self.partition = partition
        self.unknown_tags = ()


class LegacyOffsetCommitValue(Message):
    """An offset, in the form of long ago.

    Value of record type 0, version 0.
    """

    KEY = 0
    VERSIONS = range(0, 1)
    __slots__ = ("offset", "metadata", "commit_timestamp",)

    def __init__(
        self, offset: int = 0, metadata: str = "", commit_timestamp: int = 0
    ) -> None:
        self.offset = offset
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.unknown_tags = ()


class OffsetCommitKey(Message):
    """Whose offset.

    Key of record type 1, version 0.
    """

    KEY = 1
    VERSIONS = range(0, 1)
    __slots__ = ("group", "topic", "partition",)

    def __init__(
        self, group: str = "", topic: str = "", partition: int = 0
    ) -> None:
        self.group = group
        self.topic = topic
        self.partition = partition
        self.unknown_tags = ()


class OffsetCommitValue(Message):
    """How far a group has read a partition.

    Value of record type 1, versions 0-4.
    Version 1: written where a client asked for an expiry; 3: up to 4.0; 4: since 4.1, with the topic's id.
    """

    KEY = 1
    VERSIONS = range(0, 5)
    __slots__ = ("offset", "leader_epoch", "metadata", "commit_timestamp", "expire_timestamp", "topic_id",)

    def __init__(
        self, offset: int = 0, leader_epoch: int = -1, metadata: str = "", commit_timestamp: int = 0,
        expire_timestamp: int = -1, topic_id: Uuid = ZERO_UUID
    ) -> None:
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.expire_timestamp = expire_timestamp
        self.topic_id = topic_id
        self.unknown_tags = ()


class GroupMetadataKey(Message):
    """Which classic group.

    Key of record type 2, version 0.
    """

    KEY = 2
    VERSIONS = range(0, 1)
    __slots__ = ("group",)

    def __init__(
        self, group: str = ""
    ) -> None:
        self.group = group
        self.unknown_tags = ()


class GroupMetadataValue_MemberMetadata(Struct):
    __qualname__ = "GroupMetadataValue.MemberMetadata"
    __slots__ = (
        "member_id", "group_instance_id", "client_id", "client_host", "rebalance_timeout", "session_timeout",
        "subscription", "assignment",
    )

    def __init__(
        self, member_id: str = "", group_instance_id: str | None = None, client_id: str = "", client_host: str =
        "", rebalance_timeout: int = -1, session_timeout: int = 0, subscription: bytes = b"", assignment: bytes
        = b""
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout = rebalance_timeout
        self.session_timeout = session_timeout
        self.subscription = subscription
        self.assignment = assignment
        self.unknown_tags = ()


class GroupMetadataValue(Message):
    """A classic group: its generation, and its members with their assignments. Written in version 3.

    Value of record type 2, versions 0-4.
    Version 3: static members (KIP-345).
    """

    KEY = 2
    VERSIONS = range(0, 5)
    MemberMetadata = GroupMetadataValue_MemberMetadata
    __slots__ = ("protocol_type", "generation", "protocol", "leader", "current_state_timestamp", "members",)

    def __init__(
        self, protocol_type: str = "", generation: int = 0, protocol: str | None = "", leader: str | None = "",
        current_state_timestamp: int = -1, members: Sequence[GroupMetadataValue_MemberMetadata] = ()
    ) -> None:
        self.protocol_type = protocol_type
        self.generation = generation
        self.protocol = protocol
        self.leader = leader
        self.current_state_timestamp = current_state_timestamp
        self.members = members
        self.unknown_tags = ()


class ConsumerGroupMetadataKey(Message):
    """Which consumer group.

    Key of record type 3, version 0.
    """

    KEY = 3
    VERSIONS = range(0, 1)
    __slots__ = ("group_id",)

    def __init__(
        self, group_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.unknown_tags = ()


class ConsumerGroupMetadataValue(Message):
    """A consumer group's epoch (KIP-848).

    Value of record type 3, version 0.
    """

    KEY = 3
    VERSIONS = range(0, 1)
    __slots__ = ("epoch", "metadata_hash",)

    def __init__(
        self, epoch: int = 0, metadata_hash: int = 0
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.unknown_tags = ()


class ConsumerGroupPartitionMetadataKey(Message):
    """Which consumer group.

    Key of record type 4, version 0.
    """

    KEY = 4
    VERSIONS = range(0, 1)
    __slots__ = ("group_id",)

    def __init__(
        self, group_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.unknown_tags = ()


class ConsumerGroupPartitionMetadataValue_PartitionMetadata(Struct):
    __qualname__ = "ConsumerGroupPartitionMetadataValue.PartitionMetadata"
    __slots__ = ("partition", "racks",)

    def __init__(
        self, partition: int = 0, racks: Sequence[str] = ()
    ) -> None:
        self.partition = partition
        self.racks = racks
        self.unknown_tags = ()


class ConsumerGroupPartitionMetadataValue_TopicMetadata(Struct):
    __qualname__ = "ConsumerGroupPartitionMetadataValue.TopicMetadata"
    __slots__ = ("topic_id", "topic_name", "num_partitions", "partition_metadata",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, topic_name: str = "", num_partitions: int = 0, partition_metadata:
        Sequence[ConsumerGroupPartitionMetadataValue_PartitionMetadata] = ()
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.num_partitions = num_partitions
        self.partition_metadata = partition_metadata
        self.unknown_tags = ()


class ConsumerGroupPartitionMetadataValue(Message):
    """The topics that a group has subscribed to. 4.0 wrote it; since then there is a hash, and tombstones for these.

    Value of record type 4, version 0.
    """

    KEY = 4
    VERSIONS = range(0, 1)
    TopicMetadata = ConsumerGroupPartitionMetadataValue_TopicMetadata
    PartitionMetadata = ConsumerGroupPartitionMetadataValue_PartitionMetadata
    __slots__ = ("topics",)

    def __init__(
        self, topics: Sequence[ConsumerGroupPartitionMetadataValue_TopicMetadata] = ()
    ) -> None:
        self.topics = topics
        self.unknown_tags = ()


class ConsumerGroupMemberMetadataKey(Message):
    """Which member of which consumer group.

    Key of record type 5, version 0.
    """

    KEY = 5
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "member_id",)

    def __init__(
        self, group_id: str = "", member_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tags = ()


class ConsumerGroupMemberMetadataValue_ClassicProtocol(Struct):
    __qualname__ = "ConsumerGroupMemberMetadataValue.ClassicProtocol"
    __slots__ = ("name", "metadata",)

    def __init__(
        self, name: str = "", metadata: bytes = b""
    ) -> None:
        self.name = name
        self.metadata = metadata
        self.unknown_tags = ()


class ConsumerGroupMemberMetadataValue_ClassicMemberMetadata(Struct):
    __qualname__ = "ConsumerGroupMemberMetadataValue.ClassicMemberMetadata"
    __slots__ = ("session_timeout_ms", "supported_protocols",)

    def __init__(
        self, session_timeout_ms: int = 0, supported_protocols:
        Sequence[ConsumerGroupMemberMetadataValue_ClassicProtocol] = ()
    ) -> None:
        self.session_timeout_ms = session_timeout_ms
        self.supported_protocols = supported_protocols
        self.unknown_tags = ()


class ConsumerGroupMemberMetadataValue(Message):
    """What a member has told about itself.

    Value of record type 5, version 0.
    """

    KEY = 5
    VERSIONS = range(0, 1)
    ClassicMemberMetadata = ConsumerGroupMemberMetadataValue_ClassicMemberMetadata
    ClassicProtocol = ConsumerGroupMemberMetadataValue_ClassicProtocol
    __slots__ = (
        "instance_id", "rack_id", "client_id", "client_host", "subscribed_topic_names",
        "subscribed_topic_regex", "rebalance_timeout_ms", "server_assignor", "classic_member_metadata",
    )

    def __init__(
        self, instance_id: str | None = "", rack_id: str | None = "", client_id: str = "", client_host: str =
        "", subscribed_topic_names: Sequence[str] = (), subscribed_topic_regex: str | None = "",
        rebalance_timeout_ms: int = -1, server_assignor: str | None = "", classic_member_metadata:
        ConsumerGroupMemberMetadataValue_ClassicMemberMetadata | None = None
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.server_assignor = server_assignor
        self.classic_member_metadata = classic_member_metadata
        self.unknown_tags = ()


class ConsumerGroupTargetAssignmentMetadataKey(Message):
    """Which consumer group.

    Key of record type 6, version 0.
    """

    KEY = 6
    VERSIONS = range(0, 1)
    __slots__ = ("group_id",)

    def __init__(
        self, group_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.unknown_tags = ()


class ConsumerGroupTargetAssignmentMetadataValue(Message):
    """The group epoch that the target has been computed for.

    Value of record type 6, version 0.
    """

    KEY = 6
    VERSIONS = range(0, 1)
    __slots__ = ("assignment_epoch", "assignment_timestamp",)

    def __init__(
        self, assignment_epoch: int = 0, assignment_timestamp: int = 0
    ) -> None:
        self.assignment_epoch = assignment_epoch
        self.assignment_timestamp = assignment_timestamp
        self.unknown_tags = ()


class ConsumerGroupTargetAssignmentMemberKey(Message):
    """Which member of which consumer group.

    Key of record type 7, version 0.
    """

    KEY = 7
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "member_id",)

    def __init__(
        self, group_id: str = "", member_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tags = ()


class ConsumerGroupTargetAssignmentMemberValue_TopicPartition(Struct):
    __qualname__ = "ConsumerGroupTargetAssignmentMemberValue.TopicPartition"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ConsumerGroupTargetAssignmentMemberValue(Message):
    """What a member is to have.

    Value of record type 7, version 0.
    """

    KEY = 7
    VERSIONS = range(0, 1)
    TopicPartition = ConsumerGroupTargetAssignmentMemberValue_TopicPartition
    __slots__ = ("topic_partitions",)

    def __init__(
        self, topic_partitions: Sequence[ConsumerGroupTargetAssignmentMemberValue_TopicPartition] = ()
    ) -> None:
        self.topic_partitions = topic_partitions
        self.unknown_tags = ()


class ConsumerGroupCurrentMemberAssignmentKey(Message):
    """Which member of which consumer group.

    Key of record type 8, version 0.
    """

    KEY = 8
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "member_id",)

    def __init__(
        self, group_id: str = "", member_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tags = ()


class ConsumerGroupCurrentMemberAssignmentValue_TopicPartitions(Struct):
    __qualname__ = "ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions"
    __slots__ = ("topic_id", "partitions", "assignment_epochs",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[int] = (), assignment_epochs: Sequence[int] |
        None = None
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.assignment_epochs = assignment_epochs
        self.unknown_tags = ()


class ConsumerGroupCurrentMemberAssignmentValue(Message):
    """What a member has, and has still to give up.

    Value of record type 8, version 0.
    """

    KEY = 8
    VERSIONS = range(0, 1)
    TopicPartitions = ConsumerGroupCurrentMemberAssignmentValue_TopicPartitions
    __slots__ = (
        "member_epoch", "previous_member_epoch", "state", "assigned_partitions",
        "partitions_pending_revocation",
    )

    def __init__(
        self, member_epoch: int = 0, previous_member_epoch: int = 0, state: int = 0, assigned_partitions:
        Sequence[ConsumerGroupCurrentMemberAssignmentValue_TopicPartitions] = (), partitions_pending_revocation:
        Sequence[ConsumerGroupCurrentMemberAssignmentValue_TopicPartitions] = ()
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions = assigned_partitions
        self.partitions_pending_revocation = partitions_pending_revocation
        self.unknown_tags = ()


class ShareGroupMemberMetadataKey(Message):
    """Which member of which share group.

    Key of record type 10, version 0.
    """

    KEY = 10
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "member_id",)

    def __init__(
        self, group_id: str = "", member_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tags = ()


class ShareGroupMemberMetadataValue(Message):
    """What a member has told about itself (KIP-932).

    Value of record type 10, version 0.
    """

    KEY = 10
    VERSIONS = range(0, 1)
    __slots__ = ("rack_id", "client_id", "client_host", "subscribed_topic_names",)

    def __init__(
        self, rack_id: str | None = "", client_id: str = "", client_host: str = "", subscribed_topic_names:
        Sequence[str] = ()
    ) -> None:
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = subscribed_topic_names
        self.unknown_tags = ()


class ShareGroupMetadataKey(Message):
    """Which share group.

    Key of record type 11, version 0.
    """

    KEY = 11
    VERSIONS = range(0, 1)
    __slots__ = ("group_id",)

    def __init__(
        self, group_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.unknown_tags = ()


class ShareGroupMetadataValue(Message):
    """A share group's epoch.

    Value of record type 11, version 0.
    """

    KEY = 11
    VERSIONS = range(0, 1)
    __slots__ = ("epoch", "metadata_hash",)

    def __init__(
        self, epoch: int = 0, metadata_hash: int = 0
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.unknown_tags = ()


class ShareGroupTargetAssignmentMetadataKey(Message):
    """Which share group.

    Key of record type 12, version 0.
    """

    KEY = 12
    VERSIONS = range(0, 1)
    __slots__ = ("group_id",)

    def __init__(
        self, group_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.unknown_tags = ()


class ShareGroupTargetAssignmentMetadataValue(Message):
    """The group epoch that the target has been computed for.

    Value of record type 12, version 0.
    """

    KEY = 12
    VERSIONS = range(0, 1)
    __slots__ = ("assignment_epoch", "assignment_timestamp",)

    def __init__(
        self, assignment_epoch: int = 0, assignment_timestamp: int = 0
    ) -> None:
        self.assignment_epoch = assignment_epoch
        self.assignment_timestamp = assignment_timestamp
        self.unknown_tags = ()


class ShareGroupTargetAssignmentMemberKey(Message):
    """Which member of which share group.

    Key of record type 13, version 0.
    """

    KEY = 13
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "member_id",)

    def __init__(
        self, group_id: str = "", member_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tags = ()


class ShareGroupTargetAssignmentMemberValue_TopicPartition(Struct):
    __qualname__ = "ShareGroupTargetAssignmentMemberValue.TopicPartition"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ShareGroupTargetAssignmentMemberValue(Message):
    """What a member is to have.

    Value of record type 13, version 0.
    """

    KEY = 13
    VERSIONS = range(0, 1)
    TopicPartition = ShareGroupTargetAssignmentMemberValue_TopicPartition
    __slots__ = ("topic_partitions",)

    def __init__(
        self, topic_partitions: Sequence[ShareGroupTargetAssignmentMemberValue_TopicPartition] = ()
    ) -> None:
        self.topic_partitions = topic_partitions
        self.unknown_tags = ()


class ShareGroupCurrentMemberAssignmentKey(Message):
    """Which member of which share group.

    Key of record type 14, version 0.
    """

    KEY = 14
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "member_id",)

    def __init__(
        self, group_id: str = "", member_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tags = ()


class ShareGroupCurrentMemberAssignmentValue_TopicPartitions(Struct):
    __qualname__ = "ShareGroupCurrentMemberAssignmentValue.TopicPartitions"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ShareGroupCurrentMemberAssignmentValue(Message):
    """What a member has.

    Value of record type 14, version 0.
    """

    KEY = 14
    VERSIONS = range(0, 1)
    TopicPartitions = ShareGroupCurrentMemberAssignmentValue_TopicPartitions
    __slots__ = ("member_epoch", "previous_member_epoch", "state", "assigned_partitions",)

    def __init__(
        self, member_epoch: int = 0, previous_member_epoch: int = 0, state: int = 0, assigned_partitions:
        Sequence[ShareGroupCurrentMemberAssignmentValue_TopicPartitions] = ()
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions = assigned_partitions
        self.unknown_tags = ()


class ShareGroupStatePartitionMetadataKey(Message):
    """Which share group.

    Key of record type 15, version 0.
    """

    KEY = 15
    VERSIONS = range(0, 1)
    __slots__ = ("group_id",)

    def __init__(
        self, group_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.unknown_tags = ()


class ShareGroupStatePartitionMetadataValue_TopicPartitionsInfo(Struct):
    __qualname__ = "ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo"
    __slots__ = ("topic_id", "topic_name", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, topic_name: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class ShareGroupStatePartitionMetadataValue_TopicInfo(Struct):
    __qualname__ = "ShareGroupStatePartitionMetadataValue.TopicInfo"
    __slots__ = ("topic_id", "topic_name",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, topic_name: str = ""
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.unknown_tags = ()


class ShareGroupStatePartitionMetadataValue(Message):
    """For which partitions the share coordinator keeps state of this group.

    Value of record type 15, version 0.
    """

    KEY = 15
    VERSIONS = range(0, 1)
    TopicPartitionsInfo = ShareGroupStatePartitionMetadataValue_TopicPartitionsInfo
    TopicInfo = ShareGroupStatePartitionMetadataValue_TopicInfo
    __slots__ = ("initializing_topics", "initialized_topics", "deleting_topics",)

    def __init__(
        self, initializing_topics: Sequence[ShareGroupStatePartitionMetadataValue_TopicPartitionsInfo] = (),
        initialized_topics: Sequence[ShareGroupStatePartitionMetadataValue_TopicPartitionsInfo] = (),
        deleting_topics: Sequence[ShareGroupStatePartitionMetadataValue_TopicInfo] = ()
    ) -> None:
        self.initializing_topics = initializing_topics
        self.initialized_topics = initialized_topics
        self.deleting_topics = deleting_topics
        self.unknown_tags = ()


class ConsumerGroupRegularExpressionKey(Message):
    """Which regular expression of which consumer group.

    Key of record type 16, version 0.
    """

    KEY = 16
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "regular_expression",)

    def __init__(
        self, group_id: str = "", regular_expression: str = ""
    ) -> None:
        self.group_id = group_id
        self.regular_expression = regular_expression
        self.unknown_tags = ()


class ConsumerGroupRegularExpressionValue(Message):
    """The topics that a regular expression was found to match.

    Value of record type 16, version 0.
    """

    KEY = 16
    VERSIONS = range(0, 1)
    __slots__ = ("topics", "version", "timestamp",)

    def __init__(
        self, topics: Sequence[str] = (), version: int = 0, timestamp: int = 0
    ) -> None:
        self.topics = topics
        self.version = version
        self.timestamp = timestamp
        self.unknown_tags = ()


class StreamsGroupMetadataKey(Message):
    """Which streams group.

    Key of record type 17, version 0.
    """

    KEY = 17
    VERSIONS = range(0, 1)
    __slots__ = ("group_id",)

    def __init__(
        self, group_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.unknown_tags = ()


class StreamsGroupMetadataValue_LastAssignmentConfig(Struct):
    __qualname__ = "StreamsGroupMetadataValue.LastAssignmentConfig"
    __slots__ = ("key", "value",)

    def __init__(
        self, key: str = "", value: str = ""
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags = ()


class StreamsGroupMetadataValue(Message):
    """A streams group's epoch (KIP-1071).

    Value of record type 17, version 0.
    """

    KEY = 17
    VERSIONS = range(0, 1)
    LastAssignmentConfig = StreamsGroupMetadataValue_LastAssignmentConfig
    __slots__ = ("epoch", "metadata_hash", "validated_topology_epoch", "last_assignment_configs",)

    def __init__(
        self, epoch: int = 0, metadata_hash: int = 0, validated_topology_epoch: int = -1,
        last_assignment_configs: Sequence[StreamsGroupMetadataValue_LastAssignmentConfig] | None = None
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.validated_topology_epoch = validated_topology_epoch
        self.last_assignment_configs = last_assignment_configs
        self.unknown_tags = ()


class StreamsGroupMemberMetadataKey(Message):
    """Which member of which streams group.

    Key of record type 19, version 0.
    """

    KEY = 19
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "member_id",)

    def __init__(
        self, group_id: str = "", member_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tags = ()


class StreamsGroupMemberMetadataValue_Endpoint(Struct):
    __qualname__ = "StreamsGroupMemberMetadataValue.Endpoint"
    __slots__ = ("host", "port",)

    def __init__(
        self, host: str = "", port: int = 0
    ) -> None:
        self.host = host
        self.port = port
        self.unknown_tags = ()


class StreamsGroupMemberMetadataValue_KeyValue(Struct):
    __qualname__ = "StreamsGroupMemberMetadataValue.KeyValue"
    __slots__ = ("key", "value",)

    def __init__(
        self, key: str = "", value: str = ""
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags = ()


class StreamsGroupMemberMetadataValue(Message):
    """What a member has told about itself.

    Value of record type 19, version 0.
    """

    KEY = 19
    VERSIONS = range(0, 1)
    Endpoint = StreamsGroupMemberMetadataValue_Endpoint
    KeyValue = StreamsGroupMemberMetadataValue_KeyValue
    __slots__ = (
        "instance_id", "rack_id", "client_id", "client_host", "rebalance_timeout_ms", "topology_epoch",
        "process_id", "user_endpoint", "client_tags",
    )

    def __init__(
        self, instance_id: str | None = "", rack_id: str | None = "", client_id: str = "", client_host: str =
        "", rebalance_timeout_ms: int = -1, topology_epoch: int = 0, process_id: str = "", user_endpoint:
        StreamsGroupMemberMetadataValue_Endpoint | None = None, client_tags:
        Sequence[StreamsGroupMemberMetadataValue_KeyValue] = ()
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = client_tags
        self.unknown_tags = ()


class StreamsGroupTargetAssignmentMetadataKey(Message):
    """Which streams group.

    Key of record type 20, version 0.
    """

    KEY = 20
    VERSIONS = range(0, 1)
    __slots__ = ("group_id",)

    def __init__(
        self, group_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.unknown_tags = ()


class StreamsGroupTargetAssignmentMetadataValue(Message):
    """The group epoch that the target has been computed for.

    Value of record type 20, version 0.
    """

    KEY = 20
    VERSIONS = range(0, 1)
    __slots__ = ("assignment_epoch", "assignment_timestamp",)

    def __init__(
        self, assignment_epoch: int = 0, assignment_timestamp: int = 0
    ) -> None:
        self.assignment_epoch = assignment_epoch
        self.assignment_timestamp = assignment_timestamp
        self.unknown_tags = ()


class StreamsGroupTargetAssignmentMemberKey(Message):
    """Which member of which streams group.

    Key of record type 21, version 0.
    """

    KEY = 21
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "member_id",)

    def __init__(
        self, group_id: str = "", member_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tags = ()


class StreamsGroupTargetAssignmentMemberValue_TaskIds(Struct):
    __qualname__ = "StreamsGroupTargetAssignmentMemberValue.TaskIds"
    __slots__ = ("subtopology_id", "partitions",)

    def __init__(
        self, subtopology_id: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = partitions
        self.unknown_tags = ()


class StreamsGroupTargetAssignmentMemberValue(Message):
    """The tasks that a member is to have.

    Value of record type 21, version 0.
    """

    KEY = 21
    VERSIONS = range(0, 1)
    TaskIds = StreamsGroupTargetAssignmentMemberValue_TaskIds
    __slots__ = ("active_tasks", "standby_tasks", "warmup_tasks",)

    def __init__(
        self, active_tasks: Sequence[StreamsGroupTargetAssignmentMemberValue_TaskIds] = (), standby_tasks:
        Sequence[StreamsGroupTargetAssignmentMemberValue_TaskIds] = (), warmup_tasks:
        Sequence[StreamsGroupTargetAssignmentMemberValue_TaskIds] = ()
    ) -> None:
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.unknown_tags = ()


class StreamsGroupCurrentMemberAssignmentKey(Message):
    """Which member of which streams group.

    Key of record type 22, version 0.
    """

    KEY = 22
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "member_id",)

    def __init__(
        self, group_id: str = "", member_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tags = ()


class StreamsGroupCurrentMemberAssignmentValue_TaskIds(Struct):
    __qualname__ = "StreamsGroupCurrentMemberAssignmentValue.TaskIds"
    __slots__ = ("subtopology_id", "partitions", "assignment_epochs",)

    def __init__(
        self, subtopology_id: str = "", partitions: Sequence[int] = (), assignment_epochs: Sequence[int] | None
        = None
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = partitions
        self.assignment_epochs = assignment_epochs
        self.unknown_tags = ()


class StreamsGroupCurrentMemberAssignmentValue(Message):
    """The tasks that a member has, and has still to give up.

    Value of record type 22, version 0.
    """

    KEY = 22
    VERSIONS = range(0, 1)
    TaskIds = StreamsGroupCurrentMemberAssignmentValue_TaskIds
    __slots__ = (
        "member_epoch", "previous_member_epoch", "state", "active_tasks", "standby_tasks", "warmup_tasks",
        "active_tasks_pending_revocation", "standby_tasks_pending_revocation",
        "warmup_tasks_pending_revocation",
    )

    def __init__(
        self, member_epoch: int = 0, previous_member_epoch: int = 0, state: int = 0, active_tasks:
        Sequence[StreamsGroupCurrentMemberAssignmentValue_TaskIds] = (), standby_tasks:
        Sequence[StreamsGroupCurrentMemberAssignmentValue_TaskIds] = (), warmup_tasks:
        Sequence[StreamsGroupCurrentMemberAssignmentValue_TaskIds] = (), active_tasks_pending_revocation:
        Sequence[StreamsGroupCurrentMemberAssignmentValue_TaskIds] = (), standby_tasks_pending_revocation:
        Sequence[StreamsGroupCurrentMemberAssignmentValue_TaskIds] = (), warmup_tasks_pending_revocation:
        Sequence[StreamsGroupCurrentMemberAssignmentValue_TaskIds] = ()
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.active_tasks_pending_revocation = active_tasks_pending_revocation
        self.standby_tasks_pending_revocation = standby_tasks_pending_revocation
        self.warmup_tasks_pending_revocation = warmup_tasks_pending_revocation
        self.unknown_tags = ()


class StreamsGroupTopologyKey(Message):
    """Which streams group.

    Key of record type 23, version 0.
    """

    KEY = 23
    VERSIONS = range(0, 1)
    __slots__ = ("group_id",)

    def __init__(
        self, group_id: str = ""
    ) -> None:
        self.group_id = group_id
        self.unknown_tags = ()


class StreamsGroupTopologyValue_TopicConfig(Struct):
    __qualname__ = "StreamsGroupTopologyValue.TopicConfig"
    __slots__ = ("key", "value",)

    def __init__(
        self, key: str = "", value: str = ""
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags = ()


class StreamsGroupTopologyValue_TopicInfo(Struct):
    __qualname__ = "StreamsGroupTopologyValue.TopicInfo"
    __slots__ = ("name", "partitions", "replication_factor", "topic_configs",)

    def __init__(
        self, name: str = "", partitions: int = 0, replication_factor: int = 0, topic_configs:
        Sequence[StreamsGroupTopologyValue_TopicConfig] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.replication_factor = replication_factor
        self.topic_configs = topic_configs
        self.unknown_tags = ()


class StreamsGroupTopologyValue_CopartitionGroup(Struct):
    __qualname__ = "StreamsGroupTopologyValue.CopartitionGroup"
    __slots__ = ("source_topics", "source_topic_regex", "repartition_source_topics",)

    def __init__(
        self, source_topics: Sequence[int] = (), source_topic_regex: Sequence[int] = (),
        repartition_source_topics: Sequence[int] = ()
    ) -> None:
        self.source_topics = source_topics
        self.source_topic_regex = source_topic_regex
        self.repartition_source_topics = repartition_source_topics
        self.unknown_tags = ()


class StreamsGroupTopologyValue_Subtopology(Struct):
    __qualname__ = "StreamsGroupTopologyValue.Subtopology"
    __slots__ = (
        "subtopology_id", "source_topics", "source_topic_regex", "state_changelog_topics",
        "repartition_sink_topics", "repartition_source_topics", "copartition_groups",
    )

    def __init__(
        self, subtopology_id: str = "", source_topics: Sequence[str] = (), source_topic_regex: Sequence[str] =
        (), state_changelog_topics: Sequence[StreamsGroupTopologyValue_TopicInfo] = (), repartition_sink_topics:
        Sequence[str] = (), repartition_source_topics: Sequence[StreamsGroupTopologyValue_TopicInfo] = (),
        copartition_groups: Sequence[StreamsGroupTopologyValue_CopartitionGroup] = ()
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = source_topics
        self.source_topic_regex = source_topic_regex
        self.state_changelog_topics = state_changelog_topics
        self.repartition_sink_topics = repartition_sink_topics
        self.repartition_source_topics = repartition_source_topics
        self.copartition_groups = copartition_groups
        self.unknown_tags = ()


class StreamsGroupTopologyValue(Message):
    """What the application computes, and the topics that it needs for that.

    Value of record type 23, version 0.
    """

    KEY = 23
    VERSIONS = range(0, 1)
    TopicConfig = StreamsGroupTopologyValue_TopicConfig
    TopicInfo = StreamsGroupTopologyValue_TopicInfo
    Subtopology = StreamsGroupTopologyValue_Subtopology
    CopartitionGroup = StreamsGroupTopologyValue_CopartitionGroup
    __slots__ = ("epoch", "subtopologies",)

    def __init__(
        self, epoch: int = 0, subtopologies: Sequence[StreamsGroupTopologyValue_Subtopology] = ()
    ) -> None:
        self.epoch = epoch
        self.subtopologies = subtopologies
        self.unknown_tags = ()
