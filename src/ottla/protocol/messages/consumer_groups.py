"""Consumer groups whose assignment the broker computes (KIP-848).

Generated from `schema/consumer_groups.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class ConsumerGroupHeartbeatRequest_TopicPartitions(Struct):
    __qualname__ = "ConsumerGroupHeartbeatRequest.TopicPartitions"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ConsumerGroupHeartbeatRequest(Message):
    """Joins, stays in and leaves a group whose assignment the broker computes. Only what has changed is sent.

    Request 68, versions 0-1.
    Version 1: the member makes its own id (KIP-1082); the broker evaluates a regular expression.
    """

    KEY = 68
    VERSIONS = range(0, 2)
    TopicPartitions = ConsumerGroupHeartbeatRequest_TopicPartitions
    __slots__ = (
        "group_id", "member_id", "member_epoch", "instance_id", "rack_id", "rebalance_timeout_ms",
        "subscribed_topic_names", "subscribed_topic_regex", "server_assignor", "topic_partitions",
    )

    def __init__(
        self, group_id: str = "", member_id: str = "", member_epoch: int = 0, instance_id: str | None = None,
        rack_id: str | None = None, rebalance_timeout_ms: int = -1, subscribed_topic_names: Sequence[str] | None
        = None, subscribed_topic_regex: str | None = None, server_assignor: str | None = None, topic_partitions:
        Sequence[ConsumerGroupHeartbeatRequest_TopicPartitions] | None = None
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.server_assignor = server_assignor
        self.topic_partitions = topic_partitions
        self.unknown_tags = ()


class ConsumerGroupHeartbeatResponse_TopicPartitions(Struct):
    __qualname__ = "ConsumerGroupHeartbeatResponse.TopicPartitions"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class ConsumerGroupHeartbeatResponse_Assignment(Struct):
    __qualname__ = "ConsumerGroupHeartbeatResponse.Assignment"
    __slots__ = ("topic_partitions",)

    def __init__(
        self, topic_partitions: Sequence[ConsumerGroupHeartbeatResponse_TopicPartitions] = ()
    ) -> None:
        self.topic_partitions = topic_partitions
        self.unknown_tags = ()


class ConsumerGroupHeartbeatResponse(Message):
    """The member's epoch, and its assignment where that has changed.

    Response to request 68, versions 0-1.
    """

    KEY = 68
    VERSIONS = range(0, 2)
    TopicPartitions = ConsumerGroupHeartbeatResponse_TopicPartitions
    Assignment = ConsumerGroupHeartbeatResponse_Assignment
    __slots__ = (
        "throttle_time_ms", "error_code", "error_message", "member_id", "member_epoch", "heartbeat_interval_ms",
        "assignment",
    )

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = None, member_id: str |
        None = None, member_epoch: int = 0, heartbeat_interval_ms: int = 0, assignment:
        ConsumerGroupHeartbeatResponse_Assignment | None = None
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.assignment = assignment
        self.unknown_tags = ()


class ConsumerGroupDescribeRequest(Message):
    """Asks for the state and the members of such groups.

    Request 69, versions 0-1.
    """

    KEY = 69
    VERSIONS = range(0, 2)
    __slots__ = ("group_ids", "include_authorized_operations",)

    def __init__(
        self, group_ids: Sequence[str] = (), include_authorized_operations: bool = False
    ) -> None:
        self.group_ids = group_ids
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tags = ()


class ConsumerGroupDescribeResponse_TopicPartitions(Struct):
    __qualname__ = "ConsumerGroupDescribeResponse.TopicPartitions"
    __slots__ = ("topic_id", "topic_name", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, topic_name: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = partitions
        self.unknown_tags = ()


class ConsumerGroupDescribeResponse_Assignment(Struct):
    __qualname__ = "ConsumerGroupDescribeResponse.Assignment"
    __slots__ = ("topic_partitions",)

    def __init__(
        self, topic_partitions: Sequence[ConsumerGroupDescribeResponse_TopicPartitions] = ()
    ) -> None:
        self.topic_partitions = topic_partitions
        self.unknown_tags = ()


class ConsumerGroupDescribeResponse_Member(Struct):
    __qualname__ = "ConsumerGroupDescribeResponse.Member"
    __slots__ = (
        "member_id", "instance_id", "rack_id", "member_epoch", "client_id", "client_host",
        "subscribed_topic_names", "subscribed_topic_regex", "assignment", "target_assignment", "member_type",
    )

    def __init__(
        self, member_id: str = "", instance_id: str | None = None, rack_id: str | None = None, member_epoch: int
        = 0, client_id: str = "", client_host: str = "", subscribed_topic_names: Sequence[str] = (),
        subscribed_topic_regex: str | None = None, assignment: ConsumerGroupDescribeResponse_Assignment =
        ConsumerGroupDescribeResponse_Assignment.default(), target_assignment:
        ConsumerGroupDescribeResponse_Assignment = ConsumerGroupDescribeResponse_Assignment.default(),
        member_type: int = -1
    ) -> None:
        self.member_id = member_id
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.member_epoch = member_epoch
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.assignment = assignment
        self.target_assignment = target_assignment
        self.member_type = member_type
        self.unknown_tags = ()


class ConsumerGroupDescribeResponse_DescribedGroup(Struct):
    __qualname__ = "ConsumerGroupDescribeResponse.DescribedGroup"
    __slots__ = (
        "error_code", "error_message", "group_id", "group_state", "group_epoch", "assignment_epoch",
        "assignor_name", "members", "authorized_operations",
    )

    def __init__(
        self, error_code: int = 0, error_message: str | None = None, group_id: str = "", group_state: str = "",
        group_epoch: int = 0, assignment_epoch: int = 0, assignor_name: str = "", members:
        Sequence[ConsumerGroupDescribeResponse_Member] = (), authorized_operations: int = -2147483648
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


class ConsumerGroupDescribeResponse(Message):
    """The groups. States: Empty, Assigning, Reconciling, Stable, Dead.

    Response to request 69, versions 0-1.
    Version 1: members that still speak the classic protocol are told apart (KIP-1099).
    """

    KEY = 69
    VERSIONS = range(0, 2)
    TopicPartitions = ConsumerGroupDescribeResponse_TopicPartitions
    Assignment = ConsumerGroupDescribeResponse_Assignment
    DescribedGroup = ConsumerGroupDescribeResponse_DescribedGroup
    Member = ConsumerGroupDescribeResponse_Member
    __slots__ = ("throttle_time_ms", "groups",)

    def __init__(
        self, throttle_time_ms: int = 0, groups: Sequence[ConsumerGroupDescribeResponse_DescribedGroup] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups
        self.unknown_tags = ()
