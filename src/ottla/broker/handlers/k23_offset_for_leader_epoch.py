"""OffsetForLeaderEpoch: where an epoch ended on the leader, so that who followed it knows what of its own log must go.

Versions: 2-4
 3: who is asking (KIP-392)

The answer is the largest epoch up to the one that is asked for, and the offset behind its last record; -1 for both
where nobody here has heard of such an epoch. A broker asks as such (CLUSTER_ACTION), a consumer as a reader of the
topic.
"""

from ottla.broker.context import RequestContext
from ottla.cluster.replication.partition import EpochEnd
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochRequest_OffsetForLeaderPartition,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderEpochResponse_EpochEndOffset,
    OffsetForLeaderEpochResponse_OffsetForLeaderTopicResult,
)
from ottla.security.operations import CLUSTER_NAME, Operation, ResourceType


def offset_for_leader_epoch(
    context: RequestContext, request: OffsetForLeaderEpochRequest
) -> OffsetForLeaderEpochResponse:
    """The answer, partition by partition."""
    is_broker = context.authorize(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME)
    topics = []
    for topic in request.topics:
        may_read = is_broker or context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.topic)
        rows = []
        for asked in topic.partitions:
            end = _end(context, topic.topic, asked) if may_read else EpochEnd(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
            row = OffsetForLeaderEpochResponse_EpochEndOffset(
                end.code, asked.partition, end.leader_epoch, end.end_offset
            )
            rows.append(row)
        topics.append(OffsetForLeaderEpochResponse_OffsetForLeaderTopicResult(topic.topic, rows))
    return OffsetForLeaderEpochResponse(context.charge(0), topics)


def _end(context: RequestContext, topic: str, asked: OffsetForLeaderEpochRequest_OffsetForLeaderPartition) -> EpochEnd:
    path = context.broker.data
    partition = path.table.get(topic, asked.partition)
    if partition is None:
        return EpochEnd(path.replicas.missing(topic, asked.partition))
    return partition.end_offset_for_epoch(asked.current_leader_epoch, asked.leader_epoch)
