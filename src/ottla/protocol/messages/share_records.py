"""What `__share_group_state` holds.

Generated from `schema/share_records.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class ShareSnapshotKey(Message):
    """Which share-partition.

    Key of record type 0, version 0.
    """

    KEY = 0
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "topic_id", "partition",)

    def __init__(
        self, group_id: str = "", topic_id: Uuid = ZERO_UUID, partition: int = 0
    ) -> None:
        self.group_id = group_id
        self.topic_id = topic_id
        self.partition = partition
        self.unknown_tags = ()


class ShareSnapshotValue_StateBatch(Struct):
    __qualname__ = "ShareSnapshotValue.StateBatch"
    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count",)

    def __init__(
        self, first_offset: int = 0, last_offset: int = 0, delivery_state: int = 0, delivery_count: int = 0
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count
        self.unknown_tags = ()


class ShareSnapshotValue(Message):
    """A share-partition's state, whole.

    Value of record type 0, version 0.
    """

    KEY = 0
    VERSIONS = range(0, 1)
    StateBatch = ShareSnapshotValue_StateBatch
    __slots__ = (
        "snapshot_epoch", "state_epoch", "leader_epoch", "start_offset", "delivery_complete_count",
        "create_timestamp", "write_timestamp", "state_batches",
    )

    def __init__(
        self, snapshot_epoch: int = 0, state_epoch: int = 0, leader_epoch: int = 0, start_offset: int = 0,
        delivery_complete_count: int = -1, create_timestamp: int = 0, write_timestamp: int = 0, state_batches:
        Sequence[ShareSnapshotValue_StateBatch] = ()
    ) -> None:
        self.snapshot_epoch = snapshot_epoch
        self.state_epoch = state_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.create_timestamp = create_timestamp
        self.write_timestamp = write_timestamp
        self.state_batches = state_batches
        self.unknown_tags = ()


class ShareUpdateKey(Message):
    """Which share-partition.

    Key of record type 1, version 0.
    """

    KEY = 1
    VERSIONS = range(0, 1)
    __slots__ = ("group_id", "topic_id", "partition",)

    def __init__(
        self, group_id: str = "", topic_id: Uuid = ZERO_UUID, partition: int = 0
    ) -> None:
        self.group_id = group_id
        self.topic_id = topic_id
        self.partition = partition
        self.unknown_tags = ()


class ShareUpdateValue_StateBatch(Struct):
    __qualname__ = "ShareUpdateValue.StateBatch"
    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count",)

    def __init__(
        self, first_offset: int = 0, last_offset: int = 0, delivery_state: int = 0, delivery_count: int = 0
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count
        self.unknown_tags = ()


class ShareUpdateValue(Message):
    """What has changed since its snapshot.

    Value of record type 1, version 0.
    """

    KEY = 1
    VERSIONS = range(0, 1)
    StateBatch = ShareUpdateValue_StateBatch
    __slots__ = ("snapshot_epoch", "leader_epoch", "start_offset", "delivery_complete_count", "state_batches",)

    def __init__(
        self, snapshot_epoch: int = 0, leader_epoch: int = 0, start_offset: int = 0, delivery_complete_count:
        int = -1, state_batches: Sequence[ShareUpdateValue_StateBatch] = ()
    ) -> None:
        self.snapshot_epoch = snapshot_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.state_batches = state_batches
        self.unknown_tags = ()
