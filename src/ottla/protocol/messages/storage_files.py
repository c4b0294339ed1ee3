"""Values kept in files, and in the topic of tiered storage.

Generated from `schema/storage_files.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class ProducerSnapshot_ProducerEntry(Struct):
    __qualname__ = "ProducerSnapshot.ProducerEntry"
    __slots__ = (
        "producer_id", "epoch", "last_sequence", "last_offset", "offset_delta", "timestamp",
        "coordinator_epoch", "current_txn_first_offset",
    )

    def __init__(
        self, producer_id: int = 0, epoch: int = 0, last_sequence: int = 0, last_offset: int = 0, offset_delta:
        int = 0, timestamp: int = 0, coordinator_epoch: int = 0, current_txn_first_offset: int = 0
    ) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.last_sequence = last_sequence
        self.last_offset = last_offset
        self.offset_delta = offset_delta
        self.timestamp = timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_first_offset = current_txn_first_offset
        self.unknown_tags = ()


class ProducerSnapshot(Message):
    """A partition's producers at an offset: what a `.snapshot` file holds, behind an int16 version.

    Data, version 1.
    """

    VERSIONS = range(1, 2)
    ProducerEntry = ProducerSnapshot_ProducerEntry
    __slots__ = ("crc", "producer_entries",)

    def __init__(
        self, crc: int = 0, producer_entries: Sequence[ProducerSnapshot_ProducerEntry] = ()
    ) -> None:
        self.crc = crc
        self.producer_entries = producer_entries
        self.unknown_tags = ()


class RemoteLogSegmentMetadataRecord_TopicIdPartitionEntry(Struct):
    __qualname__ = "RemoteLogSegmentMetadataRecord.TopicIdPartitionEntry"
    __slots__ = ("name", "id", "partition",)

    def __init__(
        self, name: str = "", id: Uuid = ZERO_UUID, partition: int = 0
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition
        self.unknown_tags = ()


class RemoteLogSegmentMetadataRecord_RemoteLogSegmentIdEntry(Struct):
    __qualname__ = "RemoteLogSegmentMetadataRecord.RemoteLogSegmentIdEntry"
    __slots__ = ("topic_id_partition", "id",)

    def __init__(
        self, topic_id_partition: RemoteLogSegmentMetadataRecord_TopicIdPartitionEntry =
        RemoteLogSegmentMetadataRecord_TopicIdPartitionEntry.default(), id: Uuid = ZERO_UUID
    ) -> None:
        self.topic_id_partition = topic_id_partition
        self.id = id
        self.unknown_tags = ()


class RemoteLogSegmentMetadataRecord_SegmentLeaderEpochEntry(Struct):
    __qualname__ = "RemoteLogSegmentMetadataRecord.SegmentLeaderEpochEntry"
    __slots__ = ("leader_epoch", "offset",)

    def __init__(
        self, leader_epoch: int = 0, offset: int = 0
    ) -> None:
        self.leader_epoch = leader_epoch
        self.offset = offset
        self.unknown_tags = ()


class RemoteLogSegmentMetadataRecord(Message):
    """A segment in tiered storage.

    Record type 0, version 0.
    """

    KEY = 0
    VERSIONS = range(0, 1)
    RemoteLogSegmentIdEntry = RemoteLogSegmentMetadataRecord_RemoteLogSegmentIdEntry
    TopicIdPartitionEntry = RemoteLogSegmentMetadataRecord_TopicIdPartitionEntry
    SegmentLeaderEpochEntry = RemoteLogSegmentMetadataRecord_SegmentLeaderEpochEntry
    __slots__ = (
        "remote_log_segment_id", "start_offset", "end_offset", "broker_id", "max_timestamp_ms",
        "event_timestamp_ms", "segment_leader_epochs", "segment_size_in_bytes", "custom_metadata",
        "remote_log_segment_state", "txn_index_empty",
    )

    def __init__(
        self, remote_log_segment_id: RemoteLogSegmentMetadataRecord_RemoteLogSegmentIdEntry =
        RemoteLogSegmentMetadataRecord_RemoteLogSegmentIdEntry.default(), start_offset: int = 0, end_offset: int
        = 0, broker_id: int = 0, max_timestamp_ms: int = 0, event_timestamp_ms: int = 0, segment_leader_epochs:
        Sequence[RemoteLogSegmentMetadataRecord_SegmentLeaderEpochEntry] = (), segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None, remote_log_segment_state: int = 0, txn_index_empty: bool = False
    ) -> None:
        self.remote_log_segment_id = remote_log_segment_id
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.broker_id = broker_id
        self.max_timestamp_ms = max_timestamp_ms
        self.event_timestamp_ms = event_timestamp_ms
        self.segment_leader_epochs = segment_leader_epochs
        self.segment_size_in_bytes = segment_size_in_bytes
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.txn_index_empty = txn_index_empty
        self.unknown_tags = ()


class RemoteLogSegmentMetadataSnapshotRecord_SegmentLeaderEpochEntry(Struct):
    __qualname__ = "RemoteLogSegmentMetadataSnapshotRecord.SegmentLeaderEpochEntry"
    __slots__ = ("leader_epoch", "offset",)

    def __init__(
        self, leader_epoch: int = 0, offset: int = 0
    ) -> None:
        self.leader_epoch = leader_epoch
        self.offset = offset
        self.unknown_tags = ()


class RemoteLogSegmentMetadataSnapshotRecord(Message):
    """A segment in tiered storage, as a broker keeps it in a file of its own.

    Record type 3, version 0.
    """

    KEY = 3
    VERSIONS = range(0, 1)
    SegmentLeaderEpochEntry = RemoteLogSegmentMetadataSnapshotRecord_SegmentLeaderEpochEntry
    __slots__ = (
        "segment_id", "start_offset", "end_offset", "broker_id", "max_timestamp_ms", "event_timestamp_ms",
        "segment_leader_epochs", "segment_size_in_bytes", "custom_metadata", "remote_log_segment_state",
        "txn_index_empty",
    )

    def __init__(
        self, segment_id: Uuid = ZERO_UUID, start_offset: int = 0, end_offset: int = 0, broker_id: int = 0,
        max_timestamp_ms: int = 0, event_timestamp_ms: int = 0, segment_leader_epochs:
        Sequence[RemoteLogSegmentMetadataSnapshotRecord_SegmentLeaderEpochEntry] = (), segment_size_in_bytes:
        int = 0, custom_metadata: bytes | None = None, remote_log_segment_state: int = 0, txn_index_empty: bool
        = False
    ) -> None:
        self.segment_id = segment_id
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.broker_id = broker_id
        self.max_timestamp_ms = max_timestamp_ms
        self.event_timestamp_ms = event_timestamp_ms
        self.segment_leader_epochs = segment_leader_epochs
        self.segment_size_in_bytes = segment_size_in_bytes
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.txn_index_empty = txn_index_empty
        self.unknown_tags = ()


class RemoteLogSegmentMetadataUpdateRecord_TopicIdPartitionEntry(Struct):
    __qualname__ = "RemoteLogSegmentMetadataUpdateRecord.TopicIdPartitionEntry"
    __slots__ = ("name", "id", "partition",)

    def __init__(
        self, name: str = "", id: Uuid = ZERO_UUID, partition: int = 0
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition
        self.unknown_tags = ()


class RemoteLogSegmentMetadataUpdateRecord_RemoteLogSegmentIdEntry(Struct):
    __qualname__ = "RemoteLogSegmentMetadataUpdateRecord.RemoteLogSegmentIdEntry"
    __slots__ = ("topic_id_partition", "id",)

    def __init__(
        self, topic_id_partition: RemoteLogSegmentMetadataUpdateRecord_TopicIdPartitionEntry =
        RemoteLogSegmentMetadataUpdateRecord_TopicIdPartitionEntry.default(), id: Uuid = ZERO_UUID
    ) -> None:
        self.topic_id_partition = topic_id_partition
        self.id = id
        self.unknown_tags = ()


class RemoteLogSegmentMetadataUpdateRecord(Message):
    """What has changed about a segment in tiered storage.

    Record type 1, version 0.
    """

    KEY = 1
    VERSIONS = range(0, 1)
    RemoteLogSegmentIdEntry = RemoteLogSegmentMetadataUpdateRecord_RemoteLogSegmentIdEntry
    TopicIdPartitionEntry = RemoteLogSegmentMetadataUpdateRecord_TopicIdPartitionEntry
    __slots__ = (
        "remote_log_segment_id", "broker_id", "event_timestamp_ms", "custom_metadata",
        "remote_log_segment_state",
    )

    def __init__(
        self, remote_log_segment_id: RemoteLogSegmentMetadataUpdateRecord_RemoteLogSegmentIdEntry =
        RemoteLogSegmentMetadataUpdateRecord_RemoteLogSegmentIdEntry.default(), broker_id: int = 0,
        event_timestamp_ms: int = 0, custom_metadata: bytes | None = None, remote_log_segment_state: int = 0
    ) -> None:
        self.remote_log_segment_id = remote_log_segment_id
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.unknown_tags = ()


class RemotePartitionDeleteMetadataRecord_TopicIdPartitionEntry(Struct):
    __qualname__ = "RemotePartitionDeleteMetadataRecord.TopicIdPartitionEntry"
    __slots__ = ("name", "id", "partition",)

    def __init__(
        self, name: str = "", id: Uuid = ZERO_UUID, partition: int = 0
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition
        self.unknown_tags = ()


class RemotePartitionDeleteMetadataRecord(Message):
    """A partition is being deleted from tiered storage.

    Record type 2, version 0.
    """

    KEY = 2
    VERSIONS = range(0, 1)
    TopicIdPartitionEntry = RemotePartitionDeleteMetadataRecord_TopicIdPartitionEntry
    __slots__ = ("topic_id_partition", "broker_id", "event_timestamp_ms", "remote_partition_delete_state",)

    def __init__(
        self, topic_id_partition: RemotePartitionDeleteMetadataRecord_TopicIdPartitionEntry =
        RemotePartitionDeleteMetadataRecord_TopicIdPartitionEntry.default(), broker_id: int = 0,
        event_timestamp_ms: int = 0, remote_partition_delete_state: int = 0
    ) -> None:
        self.topic_id_partition = topic_id_partition
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.remote_partition_delete_state = remote_partition_delete_state
        self.unknown_tags = ()


class QuorumStateData_Voter(Struct):
    __qualname__ = "QuorumStateData.Voter"
    __slots__ = ("voter_id",)

    def __init__(
        self, voter_id: int = 0
    ) -> None:
        self.voter_id = voter_id
        self.unknown_tags = ()


class QuorumStateData(Message):
    """What a member of the quorum must not forget: the epoch, and whom it voted for.

    Data, versions 0-1.
    Kept as JSON, in the file `quorum-state`.
    Version 1: directories (KIP-853).
    """

    VERSIONS = range(0, 2)
    Voter = QuorumStateData_Voter
    __slots__ = (
        "cluster_id", "leader_id", "leader_epoch", "voted_id", "voted_directory_id", "applied_offset",
        "current_voters",
    )

    def __init__(
        self, cluster_id: str = "", leader_id: int = -1, leader_epoch: int = -1, voted_id: int = -1,
        voted_directory_id: Uuid = ZERO_UUID, applied_offset: int = 0, current_voters:
        Sequence[QuorumStateData_Voter] | None = ()
    ) -> None:
        self.cluster_id = cluster_id
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.voted_id = voted_id
        self.voted_directory_id = voted_directory_id
        self.applied_offset = applied_offset
        self.current_voters = current_voters
        self.unknown_tags = ()
