"""Idempotent and transactional producers.

Generated from `schema/transactions.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct

if TYPE_CHECKING:
    from collections.abc import Sequence


class InitProducerIdRequest(Message):
    """Gives a producer its id and epoch, and ends what an earlier one of the same name has left open (KIP-98).

    Request 22, versions 0-6.
    Version 3: a producer can go on with the id that it has (KIP-360).
    Version 4: PRODUCER_FENCED may come back (KIP-588).
    Version 5: TRANSACTION_ABORTABLE may come back (KIP-890).
    Version 6: two-phase commit (KIP-939); not finished, so nobody is told about it.
    """

    KEY = 22
    VERSIONS = range(0, 7)
    __slots__ = (
        "transactional_id", "transaction_timeout_ms", "producer_id", "producer_epoch", "enable_2pc",
        "keep_prepared_txn",
    )

    def __init__(
        self, transactional_id: str | None = "", transaction_timeout_ms: int = 0, producer_id: int = -1,
        producer_epoch: int = -1, enable_2pc: bool = False, keep_prepared_txn: bool = False
    ) -> None:
        self.transactional_id = transactional_id
        self.transaction_timeout_ms = transaction_timeout_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.enable_2pc = enable_2pc
        self.keep_prepared_txn = keep_prepared_txn
        self.unknown_tags = ()


class InitProducerIdResponse(Message):
    """Id and epoch.

    Response to request 22, versions 0-6.
    """

    KEY = 22
    VERSIONS = range(0, 7)
    __slots__ = (
        "throttle_time_ms", "error_code", "producer_id", "producer_epoch", "ongoing_txn_producer_id",
        "ongoing_txn_producer_epoch",
    )

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, producer_id: int = -1, producer_epoch: int = 0,
        ongoing_txn_producer_id: int = -1, ongoing_txn_producer_epoch: int = -1
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.ongoing_txn_producer_id = ongoing_txn_producer_id
        self.ongoing_txn_producer_epoch = ongoing_txn_producer_epoch
        self.unknown_tags = ()


class AddPartitionsToTxnRequest_AddPartitionsToTxnTopic(Struct):
    __qualname__ = "AddPartitionsToTxnRequest.AddPartitionsToTxnTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class AddPartitionsToTxnRequest_AddPartitionsToTxnTransaction(Struct):
    __qualname__ = "AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction"
    __slots__ = ("transactional_id", "producer_id", "producer_epoch", "verify_only", "topics",)

    def __init__(
        self, transactional_id: str = "", producer_id: int = 0, producer_epoch: int = 0, verify_only: bool =
        False, topics: Sequence[AddPartitionsToTxnRequest_AddPartitionsToTxnTopic] = ()
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.verify_only = verify_only
        self.topics = topics
        self.unknown_tags = ()


class AddPartitionsToTxnRequest(Message):
    """Makes partitions part of a transaction; versions up to 3 are for clients, later ones for brokers.

    Request 24, versions 0-5.
    Version 2: PRODUCER_FENCED may come back (KIP-588).
    Version 4: many transactions at once, and asking whether partitions are in (KIP-890).
    Version 5: TRANSACTION_ABORTABLE may come back (KIP-890).
    """

    KEY = 24
    VERSIONS = range(0, 6)
    AddPartitionsToTxnTopic = AddPartitionsToTxnRequest_AddPartitionsToTxnTopic
    AddPartitionsToTxnTransaction = AddPartitionsToTxnRequest_AddPartitionsToTxnTransaction
    __slots__ = (
        "transactions", "v3_and_below_transactional_id", "v3_and_below_producer_id",
        "v3_and_below_producer_epoch", "v3_and_below_topics",
    )

    def __init__(
        self, transactions: Sequence[AddPartitionsToTxnRequest_AddPartitionsToTxnTransaction] = (),
        v3_and_below_transactional_id: str = "", v3_and_below_producer_id: int = 0, v3_and_below_producer_epoch:
        int = 0, v3_and_below_topics: Sequence[AddPartitionsToTxnRequest_AddPartitionsToTxnTopic] = ()
    ) -> None:
        self.transactions = transactions
        self.v3_and_below_transactional_id = v3_and_below_transactional_id
        self.v3_and_below_producer_id = v3_and_below_producer_id
        self.v3_and_below_producer_epoch = v3_and_below_producer_epoch
        self.v3_and_below_topics = v3_and_below_topics
        self.unknown_tags = ()


class AddPartitionsToTxnResponse_AddPartitionsToTxnPartitionResult(Struct):
    __qualname__ = "AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult"
    __slots__ = ("partition_index", "partition_error_code",)

    def __init__(
        self, partition_index: int = 0, partition_error_code: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.partition_error_code = partition_error_code
        self.unknown_tags = ()


class AddPartitionsToTxnResponse_AddPartitionsToTxnTopicResult(Struct):
    __qualname__ = "AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult"
    __slots__ = ("name", "results_by_partition",)

    def __init__(
        self, name: str = "", results_by_partition:
        Sequence[AddPartitionsToTxnResponse_AddPartitionsToTxnPartitionResult] = ()
    ) -> None:
        self.name = name
        self.results_by_partition = results_by_partition
        self.unknown_tags = ()


class AddPartitionsToTxnResponse_AddPartitionsToTxnResult(Struct):
    __qualname__ = "AddPartitionsToTxnResponse.AddPartitionsToTxnResult"
    __slots__ = ("transactional_id", "topic_results",)

    def __init__(
        self, transactional_id: str = "", topic_results:
        Sequence[AddPartitionsToTxnResponse_AddPartitionsToTxnTopicResult] = ()
    ) -> None:
        self.transactional_id = transactional_id
        self.topic_results = topic_results
        self.unknown_tags = ()


class AddPartitionsToTxnResponse(Message):
    """What became of each partition.

    Response to request 24, versions 0-5.
    """

    KEY = 24
    VERSIONS = range(0, 6)
    AddPartitionsToTxnTopicResult = AddPartitionsToTxnResponse_AddPartitionsToTxnTopicResult
    AddPartitionsToTxnPartitionResult = AddPartitionsToTxnResponse_AddPartitionsToTxnPartitionResult
    AddPartitionsToTxnResult = AddPartitionsToTxnResponse_AddPartitionsToTxnResult
    __slots__ = ("throttle_time_ms", "error_code", "results_by_transaction", "results_by_topic_v3_and_below",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, results_by_transaction:
        Sequence[AddPartitionsToTxnResponse_AddPartitionsToTxnResult] = (), results_by_topic_v3_and_below:
        Sequence[AddPartitionsToTxnResponse_AddPartitionsToTxnTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results_by_transaction = results_by_transaction
        self.results_by_topic_v3_and_below = results_by_topic_v3_and_below
        self.unknown_tags = ()


class AddOffsetsToTxnRequest(Message):
    """Makes the offsets of a group part of a transaction (KIP-98).

    Request 25, versions 0-4.
    Version 2: PRODUCER_FENCED may come back (KIP-588).
    Version 4: TRANSACTION_ABORTABLE may come back (KIP-890).
    """

    KEY = 25
    VERSIONS = range(0, 5)
    __slots__ = ("transactional_id", "producer_id", "producer_epoch", "group_id",)

    def __init__(
        self, transactional_id: str = "", producer_id: int = 0, producer_epoch: int = 0, group_id: str = ""
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.group_id = group_id
        self.unknown_tags = ()


class AddOffsetsToTxnResponse(Message):
    """Whether they are.

    Response to request 25, versions 0-4.
    """

    KEY = 25
    VERSIONS = range(0, 5)
    __slots__ = ("throttle_time_ms", "error_code",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tags = ()


class EndTxnRequest(Message):
    """Commits or aborts a transaction.

    Request 26, versions 0-5.
    Version 2: PRODUCER_FENCED may come back (KIP-588).
    Version 4: TRANSACTION_ABORTABLE may come back (KIP-890).
    Version 5: every transaction has an epoch of its own: transactions v2 (KIP-890).
    """

    KEY = 26
    VERSIONS = range(0, 6)
    __slots__ = ("transactional_id", "producer_id", "producer_epoch", "committed",)

    def __init__(
        self, transactional_id: str = "", producer_id: int = 0, producer_epoch: int = 0, committed: bool = False
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.committed = committed
        self.unknown_tags = ()


class EndTxnResponse(Message):
    """Whether its end is settled.

    Response to request 26, versions 0-5.
    """

    KEY = 26
    VERSIONS = range(0, 6)
    __slots__ = ("throttle_time_ms", "error_code", "producer_id", "producer_epoch",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, producer_id: int = -1, producer_epoch: int = -1
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.unknown_tags = ()


class TxnOffsetCommitRequest_TxnOffsetCommitRequestPartition(Struct):
    __qualname__ = "TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition"
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


class TxnOffsetCommitRequest_TxnOffsetCommitRequestTopic(Struct):
    __qualname__ = "TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[TxnOffsetCommitRequest_TxnOffsetCommitRequestPartition] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class TxnOffsetCommitRequest(Message):
    """Commits offsets as part of a transaction.

    Request 28, versions 0-5.
    Version 2: leader epochs (KIP-320).
    Version 3: the member is checked (KIP-447).
    Version 4: TRANSACTION_ABORTABLE may come back (KIP-890).
    Version 5: makes the group part of the transaction by itself: transactions v2 (KIP-890).
    """

    KEY = 28
    VERSIONS = range(0, 6)
    TxnOffsetCommitRequestTopic = TxnOffsetCommitRequest_TxnOffsetCommitRequestTopic
    TxnOffsetCommitRequestPartition = TxnOffsetCommitRequest_TxnOffsetCommitRequestPartition
    __slots__ = (
        "transactional_id", "group_id", "producer_id", "producer_epoch", "generation_id", "member_id",
        "group_instance_id", "topics",
    )

    def __init__(
        self, transactional_id: str = "", group_id: str = "", producer_id: int = 0, producer_epoch: int = 0,
        generation_id: int = -1, member_id: str = "", group_instance_id: str | None = None, topics:
        Sequence[TxnOffsetCommitRequest_TxnOffsetCommitRequestTopic] = ()
    ) -> None:
        self.transactional_id = transactional_id
        self.group_id = group_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.topics = topics
        self.unknown_tags = ()


class TxnOffsetCommitResponse_TxnOffsetCommitResponsePartition(Struct):
    __qualname__ = "TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition"
    __slots__ = ("partition_index", "error_code",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tags = ()


class TxnOffsetCommitResponse_TxnOffsetCommitResponseTopic(Struct):
    __qualname__ = "TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[TxnOffsetCommitResponse_TxnOffsetCommitResponsePartition] =
        ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class TxnOffsetCommitResponse(Message):
    """What became of each partition.

    Response to request 28, versions 0-5.
    """

    KEY = 28
    VERSIONS = range(0, 6)
    TxnOffsetCommitResponseTopic = TxnOffsetCommitResponse_TxnOffsetCommitResponseTopic
    TxnOffsetCommitResponsePartition = TxnOffsetCommitResponse_TxnOffsetCommitResponsePartition
    __slots__ = ("throttle_time_ms", "topics",)

    def __init__(
        self, throttle_time_ms: int = 0, topics: Sequence[TxnOffsetCommitResponse_TxnOffsetCommitResponseTopic]
        = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.unknown_tags = ()


class WriteTxnMarkersRequest_WritableTxnMarkerTopic(Struct):
    __qualname__ = "WriteTxnMarkersRequest.WritableTxnMarkerTopic"
    __slots__ = ("name", "partition_indexes",)

    def __init__(
        self, name: str = "", partition_indexes: Sequence[int] = ()
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes
        self.unknown_tags = ()


class WriteTxnMarkersRequest_WritableTxnMarker(Struct):
    __qualname__ = "WriteTxnMarkersRequest.WritableTxnMarker"
    __slots__ = (
        "producer_id", "producer_epoch", "transaction_result", "topics", "coordinator_epoch",
        "transaction_version",
    )

    def __init__(
        self, producer_id: int = 0, producer_epoch: int = 0, transaction_result: bool = False, topics:
        Sequence[WriteTxnMarkersRequest_WritableTxnMarkerTopic] = (), coordinator_epoch: int = 0,
        transaction_version: int = 0
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.transaction_result = transaction_result
        self.topics = topics
        self.coordinator_epoch = coordinator_epoch
        self.transaction_version = transaction_version
        self.unknown_tags = ()


class WriteTxnMarkersRequest(Message):
    """The transaction coordinator has the end of a transaction written into partitions (KIP-98).

    Request 27, versions 1-2.
    Version 2: which rules the transaction followed (KIP-1228).
    """

    KEY = 27
    VERSIONS = range(1, 3)
    WritableTxnMarker = WriteTxnMarkersRequest_WritableTxnMarker
    WritableTxnMarkerTopic = WriteTxnMarkersRequest_WritableTxnMarkerTopic
    __slots__ = ("markers",)

    def __init__(
        self, markers: Sequence[WriteTxnMarkersRequest_WritableTxnMarker] = ()
    ) -> None:
        self.markers = markers
        self.unknown_tags = ()


class WriteTxnMarkersResponse_WritableTxnMarkerPartitionResult(Struct):
    __qualname__ = "WriteTxnMarkersResponse.WritableTxnMarkerPartitionResult"
    __slots__ = ("partition_index", "error_code",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tags = ()


class WriteTxnMarkersResponse_WritableTxnMarkerTopicResult(Struct):
    __qualname__ = "WriteTxnMarkersResponse.WritableTxnMarkerTopicResult"
    __slots__ = ("name", "partitions",)

    def __init__(
        self, name: str = "", partitions: Sequence[WriteTxnMarkersResponse_WritableTxnMarkerPartitionResult] =
        ()
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.unknown_tags = ()


class WriteTxnMarkersResponse_WritableTxnMarkerResult(Struct):
    __qualname__ = "WriteTxnMarkersResponse.WritableTxnMarkerResult"
    __slots__ = ("producer_id", "topics",)

    def __init__(
        self, producer_id: int = 0, topics: Sequence[WriteTxnMarkersResponse_WritableTxnMarkerTopicResult] = ()
    ) -> None:
        self.producer_id = producer_id
        self.topics = topics
        self.unknown_tags = ()


class WriteTxnMarkersResponse(Message):
    """What became of each partition.

    Response to request 27, versions 1-2.
    """

    KEY = 27
    VERSIONS = range(1, 3)
    WritableTxnMarkerResult = WriteTxnMarkersResponse_WritableTxnMarkerResult
    WritableTxnMarkerTopicResult = WriteTxnMarkersResponse_WritableTxnMarkerTopicResult
    WritableTxnMarkerPartitionResult = WriteTxnMarkersResponse_WritableTxnMarkerPartitionResult
    __slots__ = ("markers",)

    def __init__(
        self, markers: Sequence[WriteTxnMarkersResponse_WritableTxnMarkerResult] = ()
    ) -> None:
        self.markers = markers
        self.unknown_tags = ()


class DescribeTransactionsRequest(Message):
    """Asks for the state of transactions (KIP-664).

    Request 65, version 0.
    """

    KEY = 65
    VERSIONS = range(0, 1)
    __slots__ = ("transactional_ids",)

    def __init__(
        self, transactional_ids: Sequence[str] = ()
    ) -> None:
        self.transactional_ids = transactional_ids
        self.unknown_tags = ()


class DescribeTransactionsResponse_TopicData(Struct):
    __qualname__ = "DescribeTransactionsResponse.TopicData"
    __slots__ = ("topic", "partitions",)

    def __init__(
        self, topic: str = "", partitions: Sequence[int] = ()
    ) -> None:
        self.topic = topic
        self.partitions = partitions
        self.unknown_tags = ()


class DescribeTransactionsResponse_TransactionState(Struct):
    __qualname__ = "DescribeTransactionsResponse.TransactionState"
    __slots__ = (
        "error_code", "transactional_id", "transaction_state", "transaction_timeout_ms",
        "transaction_start_time_ms", "producer_id", "producer_epoch", "topics",
    )

    def __init__(
        self, error_code: int = 0, transactional_id: str = "", transaction_state: str = "",
        transaction_timeout_ms: int = 0, transaction_start_time_ms: int = 0, producer_id: int = 0,
        producer_epoch: int = 0, topics: Sequence[DescribeTransactionsResponse_TopicData] = ()
    ) -> None:
        self.error_code = error_code
        self.transactional_id = transactional_id
        self.transaction_state = transaction_state
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_start_time_ms = transaction_start_time_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = topics
        self.unknown_tags = ()


class DescribeTransactionsResponse(Message):
    """The transactions.

    Response to request 65, version 0.
    """

    KEY = 65
    VERSIONS = range(0, 1)
    TransactionState = DescribeTransactionsResponse_TransactionState
    TopicData = DescribeTransactionsResponse_TopicData
    __slots__ = ("throttle_time_ms", "transaction_states",)

    def __init__(
        self, throttle_time_ms: int = 0, transaction_states:
        Sequence[DescribeTransactionsResponse_TransactionState] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.transaction_states = transaction_states
        self.unknown_tags = ()


class ListTransactionsRequest(Message):
    """Asks a broker for the transactions that it coordinates (KIP-664).

    Request 66, versions 0-2.
    Version 1: those that have been open for long (KIP-994).
    Version 2: those whose names match (KIP-1152).
    """

    KEY = 66
    VERSIONS = range(0, 3)
    __slots__ = ("state_filters", "producer_id_filters", "duration_filter", "transactional_id_pattern",)

    def __init__(
        self, state_filters: Sequence[str] = (), producer_id_filters: Sequence[int] = (), duration_filter: int =
        -1, transactional_id_pattern: str | None = None
    ) -> None:
        self.state_filters = state_filters
        self.producer_id_filters = producer_id_filters
        self.duration_filter = duration_filter
        self.transactional_id_pattern = transactional_id_pattern
        self.unknown_tags = ()


class ListTransactionsResponse_TransactionState(Struct):
    __qualname__ = "ListTransactionsResponse.TransactionState"
    __slots__ = ("transactional_id", "producer_id", "transaction_state",)

    def __init__(
        self, transactional_id: str = "", producer_id: int = 0, transaction_state: str = ""
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.transaction_state = transaction_state
        self.unknown_tags = ()


class ListTransactionsResponse(Message):
    """The transactions.

    Response to request 66, versions 0-2.
    """

    KEY = 66
    VERSIONS = range(0, 3)
    TransactionState = ListTransactionsResponse_TransactionState
    __slots__ = ("throttle_time_ms", "error_code", "unknown_state_filters", "transaction_states",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, unknown_state_filters: Sequence[str] = (),
        transaction_states: Sequence[ListTransactionsResponse_TransactionState] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_state_filters = unknown_state_filters
        self.transaction_states = transaction_states
        self.unknown_tags = ()
