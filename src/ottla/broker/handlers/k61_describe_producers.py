"""DescribeProducers: the producers that a partition remembers, with their open transactions (KIP-664).

Versions: 0
"""

from ottla.broker.context import RequestContext
from ottla.cluster.replication.leader import Leader
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    DescribeProducersResponse_PartitionResponse,
    DescribeProducersResponse_ProducerState,
    DescribeProducersResponse_TopicResponse,
)
from ottla.protocol.topic_names import why_illegal
from ottla.security.operations import Operation, ResourceType
from ottla.storage.log import Log

NO_TRANSACTION = -1

Row = DescribeProducersResponse_PartitionResponse


def describe_producers(context: RequestContext, request: DescribeProducersRequest) -> DescribeProducersResponse:
    """The answer, partition by partition."""
    topics = []
    for topic in request.topics:
        may_read = context.authorize(Operation.READ, ResourceType.TOPIC, topic.name)
        code = ErrorCode.NONE
        if not may_read:
            code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif why_illegal(topic.name):
            code = ErrorCode.INVALID_TOPIC_EXCEPTION
        elif context.broker.metadata.topic(topic.name) is None:
            code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        indexes = topic.partition_indexes
        rows = [Row(index, code, code.text) if code else _row(context, topic.name, index) for index in indexes]
        topics.append(DescribeProducersResponse_TopicResponse(topic.name, rows))
    return DescribeProducersResponse(context.charge(0), topics)


def _row(context: RequestContext, topic: str, index: int) -> Row:
    path = context.broker.data
    partition = path.table.get(topic, index)
    if partition is None:
        return Row(index, path.replicas.missing(topic, index))
    if not isinstance(partition.role, Leader):
        return Row(index, partition.refusal())
    return Row(index, active_producers=_producers(partition.log))


def _producers(log: Log) -> list[DescribeProducersResponse_ProducerState]:
    return [
        DescribeProducersResponse_ProducerState(
            producer_id,
            entry.producer_epoch,
            entry.last_sequence,
            entry.last_timestamp,
            entry.coordinator_epoch,
            NO_TRANSACTION if entry.current_txn_first_offset is None else entry.current_txn_first_offset,
        )
        for producer_id, entry in sorted(log.producer_state.producers.items())
    ]
