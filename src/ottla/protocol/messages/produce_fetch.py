"""Writing records and reading them: the data path, and the questions about offsets that go with it.

Generated from `schema/produce_fetch.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Records, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class ProduceRequest_PartitionProduceData(Struct):
    __qualname__ = "ProduceRequest.PartitionProduceData"
    __slots__ = ("index", "records",)

    def __init__(
        self, index: int = 0, records: Records | None = None
    ) -> None:
        self.index = index
        self.records = records
        self.unknown_tags = ()


class ProduceRequest_TopicProduceData(Struct):
    __qualname__ = "ProduceRequest.TopicProduceData"
    __slots__ = ("name", "topic_id", "partition_data",)

    def __init__(
        self, name: str = "", topic_id: Uuid = ZERO_UUID, partition_data:
        Sequence[ProduceRequest_PartitionProduceData] = ()
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_data = partition_data
        self.unknown_tags = ()


class ProduceRequest(Message):
    """Appends batches to partitions, on their leader.

    Request 0, versions 3-13.
    Versions 0-2 are gone and yet announced, since librdkafka goes by them (KAFKA-18659).
    Version 4: KAFKA_STORAGE_ERROR may come back (KIP-112).
    Version 7: zstd is allowed (KIP-110).
    Version 8: the response names the records that were refused (KIP-467).
    Version 10: the response names the new leader (KIP-951).
    Version 11: TRANSACTION_ABORTABLE may come back (KIP-890).
    Version 12: a partition joins the transaction by being written to: transactions v2 (KIP-890).
    Version 13: topic ids in place of names (KIP-516).
    """

    KEY = 0
    VERSIONS = range(3, 14)
    TopicProduceData = ProduceRequest_TopicProduceData
    PartitionProduceData = ProduceRequest_PartitionProduceData
    __slots__ = ("transactional_id", "acks", "timeout_ms", "topic_data",)

    def __init__(
        self, transactional_id: str | None = None, acks: int = 0, timeout_ms: int = 0, topic_data:
        Sequence[ProduceRequest_TopicProduceData] = ()
    ) -> None:
        self.transactional_id = transactional_id
        self.acks = acks
        self.timeout_ms = timeout_ms
        self.topic_data = topic_data
        self.unknown_tags = ()


class ProduceResponse_BatchIndexAndErrorMessage(Struct):
    __qualname__ = "ProduceResponse.BatchIndexAndErrorMessage"
    __slots__ = ("batch_index", "batch_index_error_message",)

    def __init__(
        self, batch_index: int = 0, batch_index_error_message: str | None = None
    ) -> None:
        self.batch_index = batch_index
        self.batch_index_error_message = batch_index_error_message
        self.unknown_tags = ()


class ProduceResponse_LeaderIdAndEpoch(Struct):
    __qualname__ = "ProduceResponse.LeaderIdAndEpoch"
    __slots__ = ("leader_id", "leader_epoch",)

    def __init__(
        self, leader_id: int = -1, leader_epoch: int = -1
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class ProduceResponse_PartitionProduceResponse(Struct):
    __qualname__ = "ProduceResponse.PartitionProduceResponse"
    __slots__ = (
        "index", "error_code", "base_offset", "log_append_time_ms", "log_start_offset", "record_errors",
        "error_message", "current_leader",
    )

    def __init__(
        self, index: int = 0, error_code: int = 0, base_offset: int = 0, log_append_time_ms: int = -1,
        log_start_offset: int = -1, record_errors: Sequence[ProduceResponse_BatchIndexAndErrorMessage] = (),
        error_message: str | None = None, current_leader: ProduceResponse_LeaderIdAndEpoch =
        ProduceResponse_LeaderIdAndEpoch.default()
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.base_offset = base_offset
        self.log_append_time_ms = log_append_time_ms
        self.log_start_offset = log_start_offset
        self.record_errors = record_errors
        self.error_message = error_message
        self.current_leader = current_leader
        self.unknown_tags = ()


class ProduceResponse_TopicProduceResponse(Struct):
    __qualname__ = "ProduceResponse.TopicProduceResponse"
    __slots__ = ("name", "topic_id", "partition_responses",)

    def __init__(
        self, name: str = "", topic_id: Uuid = ZERO_UUID, partition_responses:
        Sequence[ProduceResponse_PartitionProduceResponse] = ()
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_responses = partition_responses
        self.unknown_tags = ()


class ProduceResponse_NodeEndpoint(Struct):
    __qualname__ = "ProduceResponse.NodeEndpoint"
    __slots__ = ("node_id", "host", "port", "rack",)

    def __init__(
        self, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack
        self.unknown_tags = ()


class ProduceResponse(Message):
    """Where the batches went, partition by partition.

    Response to request 0, versions 3-13.
    """

    KEY = 0
    VERSIONS = range(3, 14)
    TopicProduceResponse = ProduceResponse_TopicProduceResponse
    PartitionProduceResponse = ProduceResponse_PartitionProduceResponse
    BatchIndexAndErrorMessage = ProduceResponse_BatchIndexAndErrorMessage
    LeaderIdAndEpoch = ProduceResponse_LeaderIdAndEpoch
    NodeEndpoint = ProduceResponse_NodeEndpoint
    __slots__ = ("responses", "throttle_time_ms", "node_endpoints",)

    def __init__(
        self, responses: Sequence[ProduceResponse_TopicProduceResponse] = (), throttle_time_ms: int = 0,
        node_endpoints: Sequence[ProduceResponse_NodeEndpoint] = ()
    ) -> None:
        self.responses = responses
        self.throttle_time_ms = throttle_time_ms
        self.node_endpoints = node_endpoints
        self.unknown_tags = ()


class FetchRequest_ReplicaState(Struct):
    __qualname__ = "FetchRequest.ReplicaState"
    __slots__ = ("replica_id", "replica_epoch",)

    def __init__(
        self, replica_id: int = -1, replica_epoch: int = -1
    ) -> None:
        self.replica_id = replica_id
        self.replica_epoch = replica_epoch
        self.unknown_tags = ()


class FetchRequest_FetchPartition(Struct):
    __qualname__ = "FetchRequest.FetchPartition"
    __slots__ = (
        "partition", "current_leader_epoch", "fetch_offset", "last_fetched_epoch", "log_start_offset",
        "partition_max_bytes", "replica_directory_id", "high_watermark",
    )

    def __init__(
        self, partition: int = 0, current_leader_epoch: int = -1, fetch_offset: int = 0, last_fetched_epoch: int
        = -1, log_start_offset: int = -1, partition_max_bytes: int = 0, replica_directory_id: Uuid = ZERO_UUID,
        high_watermark: int = 9223372036854775807
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.fetch_offset = fetch_offset
        self.last_fetched_epoch = last_fetched_epoch
        self.log_start_offset = log_start_offset
        self.partition_max_bytes = partition_max_bytes
        self.replica_directory_id = replica_directory_id
        self.high_watermark = high_watermark
        self.unknown_tags = ()


class FetchRequest_FetchTopic(Struct):
    __qualname__ = "FetchRequest.FetchTopic"
    __slots__ = ("topic", "topic_id", "partitions",)

    def __init__(
        self, topic: str = "", topic_id: Uuid = ZERO_UUID, partitions: Sequence[FetchRequest_FetchPartition] =
        ()
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class FetchRequest_ForgottenTopic(Struct):
    __qualname__ = "FetchRequest.ForgottenTopic"
    __slots__ = ("topic", "topic_id", "partitions",)

    def __init__(
        self, topic: str = "", topic_id: Uuid = ZERO_UUID, partitions: Sequence[int] = ()
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class FetchRequest(Message):
    """Reads batches from partitions: consumers, followers and the members of the quorum all read this way.

    Request 1, versions 4-18.
    Answers wait for min_bytes or max_wait_ms; partitions are filled in the order in which they are asked for.
    Version 7: sessions, in which only changes are told (KIP-227).
    Version 9: the leader epoch is checked (KIP-320).
    Version 10: the reader takes zstd (KIP-110).
    Version 11: a consumer may be sent to a closer replica (KIP-392).
    Version 12: divergence and snapshots, for the quorum (KIP-595, KIP-630).
    Version 13: topic ids in place of names (KIP-516).
    Version 14: OFFSET_MOVED_TO_TIERED_STORAGE may come back (KIP-405).
    Version 15: a follower proves its broker epoch (KIP-903).
    Version 16: the response names the new leader's endpoint (KIP-951).
    Version 17: replicas of the quorum are told apart by directory (KIP-853).
    Version 18: a follower of the quorum tells its high watermark, and is woken when it moves (KIP-1166).
    """

    KEY = 1
    VERSIONS = range(4, 19)
    ReplicaState = FetchRequest_ReplicaState
    FetchTopic = FetchRequest_FetchTopic
    FetchPartition = FetchRequest_FetchPartition
    ForgottenTopic = FetchRequest_ForgottenTopic
    __slots__ = (
        "cluster_id", "replica_id", "replica_state", "max_wait_ms", "min_bytes", "max_bytes", "isolation_level",
        "session_id", "session_epoch", "topics", "forgotten_topics_data", "rack_id",
    )

    def __init__(
        self, cluster_id: str | None = None, replica_id: int = -1, replica_state: FetchRequest_ReplicaState =
        FetchRequest_ReplicaState.default(), max_wait_ms: int = 0, min_bytes: int = 0, max_bytes: int =
        2147483647, isolation_level: int = 0, session_id: int = 0, session_epoch: int = -1, topics:
        Sequence[FetchRequest_FetchTopic] = (), forgotten_topics_data: Sequence[FetchRequest_ForgottenTopic] =
        (), rack_id: str = ""
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.replica_state = replica_state
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.isolation_level = isolation_level
        self.session_id = session_id
        self.session_epoch = session_epoch
        self.topics = topics
        self.forgotten_topics_data = forgotten_topics_data
        self.rack_id = rack_id
        self.unknown_tags = ()


class FetchResponse_EpochEndOffset(Struct):
    __qualname__ = "FetchResponse.EpochEndOffset"
    __slots__ = ("epoch", "end_offset",)

    def __init__(
        self, epoch: int = -1, end_offset: int = -1
    ) -> None:
        self.epoch = epoch
        self.end_offset = end_offset
        self.unknown_tags = ()


class FetchResponse_LeaderIdAndEpoch(Struct):
    __qualname__ = "FetchResponse.LeaderIdAndEpoch"
    __slots__ = ("leader_id", "leader_epoch",)

    def __init__(
        self, leader_id: int = -1, leader_epoch: int = -1
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class FetchResponse_SnapshotId(Struct):
    __qualname__ = "FetchResponse.SnapshotId"
    __slots__ = ("end_offset", "epoch",)

    def __init__(
        self, end_offset: int = -1, epoch: int = -1
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tags = ()


class FetchResponse_AbortedTransaction(Struct):
    __qualname__ = "FetchResponse.AbortedTransaction"
    __slots__ = ("producer_id", "first_offset",)

    def __init__(
        self, producer_id: int = 0, first_offset: int = 0
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset
        self.unknown_tags = ()


class FetchResponse_PartitionData(Struct):
    __qualname__ = "FetchResponse.PartitionData"
    __slots__ = (
        "partition_index", "error_code", "high_watermark", "last_stable_offset", "log_start_offset",
        "diverging_epoch", "current_leader", "snapshot_id", "aborted_transactions", "preferred_read_replica",
        "records",
    )

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, high_watermark: int = 0, last_stable_offset: int =
        -1, log_start_offset: int = -1, diverging_epoch: FetchResponse_EpochEndOffset =
        FetchResponse_EpochEndOffset.default(), current_leader: FetchResponse_LeaderIdAndEpoch =
        FetchResponse_LeaderIdAndEpoch.default(), snapshot_id: FetchResponse_SnapshotId =
        FetchResponse_SnapshotId.default(), aborted_transactions: Sequence[FetchResponse_AbortedTransaction] |
        None = (), preferred_read_replica: int = -1, records: Records | None = None
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.high_watermark = high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_start_offset = log_start_offset
        self.diverging_epoch = diverging_epoch
        self.current_leader = current_leader
        self.snapshot_id = snapshot_id
        self.aborted_transactions = aborted_transactions
        self.preferred_read_replica = preferred_read_replica
        self.records = records
        self.unknown_tags = ()


class FetchResponse_FetchableTopicResponse(Struct):
    __qualname__ = "FetchResponse.FetchableTopicResponse"
    __slots__ = ("topic", "topic_id", "partitions",)

    def __init__(
        self, topic: str = "", topic_id: Uuid = ZERO_UUID, partitions: Sequence[FetchResponse_PartitionData] =
        ()
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class FetchResponse_NodeEndpoint(Struct):
    __qualname__ = "FetchResponse.NodeEndpoint"
    __slots__ = ("node_id", "host", "port", "rack",)

    def __init__(
        self, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack
        self.unknown_tags = ()


class FetchResponse(Message):
    """Batches, as they lie in the log: the first may begin before the offset asked for, the last may be cut short.

    Response to request 1, versions 4-18.
    """

    KEY = 1
    VERSIONS = range(4, 19)
    FetchableTopicResponse = FetchResponse_FetchableTopicResponse
    PartitionData = FetchResponse_PartitionData
    EpochEndOffset = FetchResponse_EpochEndOffset
    LeaderIdAndEpoch = FetchResponse_LeaderIdAndEpoch
    SnapshotId = FetchResponse_SnapshotId
    AbortedTransaction = FetchResponse_AbortedTransaction
    NodeEndpoint = FetchResponse_NodeEndpoint
    __slots__ = ("throttle_time_ms", "error_code", "session_id", "responses", "node_endpoints",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, session_id: int = 0, responses:
        Sequence[FetchResponse_FetchableTopicResponse] = (), node_endpoints:
        Sequence[FetchResponse_NodeEndpoint] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.session_id = session_id
        self.responses = responses
        self.node_endpoints = node_endpoints
        self.unknown_tags = ()


class ListOffsetsRequest_ListOffsetsPartition(Struct):
    __qualname__ = "ListOffsetsRequest.ListOffsetsPartition"
    __slots__ = ("partition_index", "current_leader_epoch", "timestamp",)

    def __init__(
        self, partition_index: int = 0, current_leader_epoch: int = -1, timestamp: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.current_leader_epoch = current_leader_epoch
        self.timestamp = timestamp
        self.unknown_tags = ()


class ListOffsetsRequest_ListOffsetsTopic(Struct):
    __qualname__ = "ListOffsetsRequest.ListOffsetsTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[ListOffsetsRequest_ListOffsetsPartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class ListOffsetsRequest(Message):
    """Asks for the offset of a time, or of one of the ends of the log.

    Request 2, versions 1-11.
    Version 2: isolation levels (KIP-98): with read_committed, -1 is the last stable offset.
    Version 4: the leader epoch is checked (KIP-320).
    Version 5: OFFSET_NOT_AVAILABLE while a new leader does not know its high watermark yet (KIP-207).
    Version 7: timestamp -3, the record with the largest timestamp (KIP-734).
    Version 8: timestamp -4, the first offset that is still on local disk (KIP-405).
    Version 9: timestamp -5, the last offset in tiered storage (KIP-1005).
    Version 10: how long tiered storage may be waited for (KIP-1075).
    Version 11: timestamp -6, the first offset that is not in tiered storage yet (KIP-1023).
    """

    KEY = 2
    VERSIONS = range(1, 12)
    ListOffsetsTopic = ListOffsetsRequest_ListOffsetsTopic
    ListOffsetsPartition = ListOffsetsRequest_ListOffsetsPartition
    __slots__ = ("replica_id", "isolation_level", "topics", "timeout_ms",)

    def __init__(
        self, replica_id: int = 0, isolation_level: int = 0, topics:
        Sequence[ListOffsetsRequest_ListOffsetsTopic] = (), timeout_ms: int = 0
    ) -> None:
        self.replica_id = replica_id
        self.isolation_level = isolation_level
        self.topics = topics
        self.timeout_ms = timeout_ms
        self.unknown_tags = ()


class ListOffsetsResponse_ListOffsetsPartitionResponse(Struct):
    __qualname__ = "ListOffsetsResponse.ListOffsetsPartitionResponse"
    __slots__ = ("partition_index", "error_code", "timestamp", "offset", "leader_epoch",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, timestamp: int = -1, offset: int = -1,
        leader_epoch: int = -1
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.timestamp = timestamp
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class ListOffsetsResponse_ListOffsetsTopicResponse(Struct):
    __qualname__ = "ListOffsetsResponse.ListOffsetsTopicResponse"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[ListOffsetsResponse_ListOffsetsPartitionResponse] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class ListOffsetsResponse(Message):
    """The offsets, with the time and the leader epoch of what stands there.

    Response to request 2, versions 1-11.
    """

    KEY = 2
    VERSIONS = range(1, 12)
    ListOffsetsTopicResponse = ListOffsetsResponse_ListOffsetsTopicResponse
    ListOffsetsPartitionResponse = ListOffsetsResponse_ListOffsetsPartitionResponse
    __slots__ = ("throttle_time_ms", "topics",)

    def __init__(
        self, throttle_time_ms: int = 0, topics: Sequence[ListOffsetsResponse_ListOffsetsTopicResponse] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.unknown_tags = ()


class OffsetForLeaderEpochRequest_OffsetForLeaderPartition(Struct):
    __qualname__ = "OffsetForLeaderEpochRequest.OffsetForLeaderPartition"
    __slots__ = ("partition", "current_leader_epoch", "leader_epoch",)

    def __init__(
        self, partition: int = 0, current_leader_epoch: int = -1, leader_epoch: int = 0
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.leader_epoch = leader_epoch
        self.unknown_tags = ()


class OffsetForLeaderEpochRequest_OffsetForLeaderTopic(Struct):
    __qualname__ = "OffsetForLeaderEpochRequest.OffsetForLeaderTopic"
    __slots__ = ("topic", "partitions",)

    def __init__(
        self, topic: str = "", partitions: Sequence[OffsetForLeaderEpochRequest_OffsetForLeaderPartition] = ()
    ) -> None:
        self.topic = topic
        self.partitions = partitions
        self.unknown_tags = ()


class OffsetForLeaderEpochRequest(Message):
    """Asks where an epoch ended on the leader, to find out what of one's own log must go (KIP-101, KIP-279).

    Request 23, versions 2-4.
    Version 2: the leader epoch is checked (KIP-320).
    Version 3: who is asking (KIP-392).
    """

    KEY = 23
    VERSIONS = range(2, 5)
    OffsetForLeaderTopic = OffsetForLeaderEpochRequest_OffsetForLeaderTopic
    OffsetForLeaderPartition = OffsetForLeaderEpochRequest_OffsetForLeaderPartition
    __slots__ = ("replica_id", "topics",)

    def __init__(
        self, replica_id: int = -2, topics: Sequence[OffsetForLeaderEpochRequest_OffsetForLeaderTopic] = ()
    ) -> None:
        self.replica_id = replica_id
        self.topics = topics
        self.unknown_tags = ()


class OffsetForLeaderEpochResponse_EpochEndOffset(Struct):
    __qualname__ = "OffsetForLeaderEpochResponse.EpochEndOffset"
    __slots__ = ("error_code", "partition", "leader_epoch", "end_offset",)

    def __init__(
        self, error_code: int = 0, partition: int = 0, leader_epoch: int = -1, end_offset: int = -1
    ) -> None:
        self.error_code = error_code
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.end_offset = end_offset
        self.unknown_tags = ()


class OffsetForLeaderEpochResponse_OffsetForLeaderTopicResult(Struct):
    __qualname__ = "OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult"
    __slots__ = ("topic", "partitions",)

    def __init__(
        self, topic: str = "", partitions: Sequence[OffsetForLeaderEpochResponse_EpochEndOffset] = ()
    ) -> None:
        self.topic = topic
        self.partitions = partitions
        self.unknown_tags = ()


class OffsetForLeaderEpochResponse(Message):
    """The largest epoch up to the one asked for, and the offset behind its last record.

    Response to request 23, versions 2-4.
    """

    KEY = 23
    VERSIONS = range(2, 5)
    OffsetForLeaderTopicResult = OffsetForLeaderEpochResponse_OffsetForLeaderTopicResult
    EpochEndOffset = OffsetForLeaderEpochResponse_EpochEndOffset
    __slots__ = ("throttle_time_ms", "topics",)

    def __init__(
        self, throttle_time_ms: int = 0, topics:
        Sequence[OffsetForLeaderEpochResponse_OffsetForLeaderTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.unknown_tags = ()


class DeleteRecordsRequest_DeleteRecordsPartition(Struct):
    __qualname__ = "DeleteRecordsRequest.DeleteRecordsPartition"
    __slots__ = ("partition_index", "offset",)

    def __init__(
        self, partition_index: int = 0, offset: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.offset = offset
        self.unknown_tags = ()


class DeleteRecordsRequest_DeleteRecordsTopic(Struct):
    __qualname__ = "DeleteRecordsRequest.DeleteRecordsTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[DeleteRecordsRequest_DeleteRecordsPartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class DeleteRecordsRequest(Message):
    """Moves the start of a partition's log up (KIP-107).

    Request 21, versions 0-2.
    """

    KEY = 21
    VERSIONS = range(0, 3)
    DeleteRecordsTopic = DeleteRecordsRequest_DeleteRecordsTopic
    DeleteRecordsPartition = DeleteRecordsRequest_DeleteRecordsPartition
    __slots__ = ("topics", "timeout_ms",)

    def __init__(
        self, topics: Sequence[DeleteRecordsRequest_DeleteRecordsTopic] = (), timeout_ms: int = 0
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms
        self.unknown_tags = ()


class DeleteRecordsResponse_DeleteRecordsPartitionResult(Struct):
    __qualname__ = "DeleteRecordsResponse.DeleteRecordsPartitionResult"
    __slots__ = ("partition_index", "low_watermark", "error_code",)

    def __init__(
        self, partition_index: int = 0, low_watermark: int = 0, error_code: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.low_watermark = low_watermark
        self.error_code = error_code
        self.unknown_tags = ()


class DeleteRecordsResponse_DeleteRecordsTopicResult(Struct):
    __qualname__ = "DeleteRecordsResponse.DeleteRecordsTopicResult"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[DeleteRecordsResponse_DeleteRecordsPartitionResult] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class DeleteRecordsResponse(Message):
    """Where the logs start now.

    Response to request 21, versions 0-2.
    """

    KEY = 21
    VERSIONS = range(0, 3)
    DeleteRecordsTopicResult = DeleteRecordsResponse_DeleteRecordsTopicResult
    DeleteRecordsPartitionResult = DeleteRecordsResponse_DeleteRecordsPartitionResult
    __slots__ = ("throttle_time_ms", "topics",)

    def __init__(
        self, throttle_time_ms: int = 0, topics: Sequence[DeleteRecordsResponse_DeleteRecordsTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.unknown_tags = ()


class DescribeProducersRequest_TopicRequest(Struct):
    __qualname__ = "DescribeProducersRequest.TopicRequest"
    __slots__ = ("name", "partition_indexes",)

    def __init__(
        self, name: str = "", partition_indexes: Sequence[int] = ()
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes
        self.unknown_tags = ()


class DescribeProducersRequest(Message):
    """Asks for the producers that a partition remembers (KIP-664).

    Request 61, version 0.
    """

    KEY = 61
    VERSIONS = range(0, 1)
    TopicRequest = DescribeProducersRequest_TopicRequest
    __slots__ = ("topics",)

    def __init__(
        self, topics: Sequence[DescribeProducersRequest_TopicRequest] = ()
    ) -> None:
        self.topics = topics
        self.unknown_tags = ()


class DescribeProducersResponse_ProducerState(Struct):
    __qualname__ = "DescribeProducersResponse.ProducerState"
    __slots__ = (
        "producer_id", "producer_epoch", "last_sequence", "last_timestamp", "coordinator_epoch",
        "current_txn_start_offset",
    )

    def __init__(
        self, producer_id: int = 0, producer_epoch: int = 0, last_sequence: int = -1, last_timestamp: int = -1,
        coordinator_epoch: int = 0, current_txn_start_offset: int = -1
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.last_sequence = last_sequence
        self.last_timestamp = last_timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_start_offset = current_txn_start_offset
        self.unknown_tags = ()


class DescribeProducersResponse_PartitionResponse(Struct):
    __qualname__ = "DescribeProducersResponse.PartitionResponse"
    __slots__ = ("partition_index", "error_code", "error_message", "active_producers",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, error_message: str | None = None, active_producers:
        Sequence[DescribeProducersResponse_ProducerState] = ()
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.active_producers = active_producers
        self.unknown_tags = ()


class DescribeProducersResponse_TopicResponse(Struct):
    __qualname__ = "DescribeProducersResponse.TopicResponse"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[DescribeProducersResponse_PartitionResponse] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class DescribeProducersResponse(Message):
    """The idempotent and transactional producers of each partition.

    Response to request 61, version 0.
    """

    KEY = 61
    VERSIONS = range(0, 1)
    TopicResponse = DescribeProducersResponse_TopicResponse
    PartitionResponse = DescribeProducersResponse_PartitionResponse
    ProducerState = DescribeProducersResponse_ProducerState
    __slots__ = ("throttle_time_ms", "topics",)

    def __init__(
        self, throttle_time_ms: int = 0, topics: Sequence[DescribeProducersResponse_TopicResponse] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.unknown_tags = ()
