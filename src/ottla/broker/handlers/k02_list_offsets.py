"""ListOffsets: the offset that belongs to a time, or to one of the ends of a log.

Versions: 1-11
 2: isolation levels (KIP-98); 4: leader epochs are checked (KIP-320); 5: OFFSET_NOT_AVAILABLE (KIP-207)
 7: -3, the record with the largest timestamp; 8: -4, the first offset on this disk; 9: -5, the last one in the remote
 store; 11: -6, the first one that is not there yet. In an older version such a number is UNSUPPORTED_VERSION.

A client is told of nothing behind the high watermark (or the last stable offset). While a new leader's high watermark
has not reached the start of its epoch, it does not know the end that consumers have seen from its predecessor:
OFFSET_NOT_AVAILABLE. A partition that is asked for twice is INVALID_REQUEST, once. Timestamps are looked up in
threads, since that reads batches.
"""

from collections import Counter
from typing import Final

from ottla.broker.context import RequestContext
from ottla.broker.data.path import DataPath
from ottla.cluster.replication.leader import Leader
from ottla.cluster.replication.partition import Partition
from ottla.errors import DiskError, PeerError
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    ListOffsetsRequest,
    ListOffsetsRequest_ListOffsetsPartition,
    ListOffsetsResponse,
    ListOffsetsResponse_ListOffsetsPartitionResponse,
    ListOffsetsResponse_ListOffsetsTopicResponse,
)
from ottla.security.operations import Operation, ResourceType
from ottla.storage.offsets import Special, TimestampAndOffset
from ottla.storage.reading import FetchIsolation

CONSUMER: Final = -1
DEBUGGER: Final = -2  # a replica id that takes any replica's word
READ_COMMITTED: Final = 1
ISOLATION_LEVELS: Final = (0, READ_COMMITTED)
EPOCHS_SINCE: Final = 4
NOT_AVAILABLE_SINCE: Final = 5
NO_EPOCH: Final = -1
SINCE: Final = {
    Special.LATEST: 1,
    Special.EARLIEST: 1,
    Special.MAX_TIMESTAMP: 7,
    Special.EARLIEST_LOCAL: 8,
    Special.LATEST_TIERED: 9,
    Special.EARLIEST_PENDING_UPLOAD: 11,
}

Asked = ListOffsetsRequest_ListOffsetsPartition
Row = ListOffsetsResponse_ListOffsetsPartitionResponse


async def list_offsets(context: RequestContext, request: ListOffsetsRequest) -> ListOffsetsResponse:
    """The answer, partition by partition."""
    counts = Counter((topic.name, each.partition_index) for topic in request.topics for each in topic.partitions)
    told: set[tuple[str, int]] = set()
    topics: dict[str, list[Row]] = {}
    for topic in request.topics:
        may_describe = context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.name)
        rows = topics.setdefault(topic.name, [])
        for asked in topic.partitions:
            if not may_describe:
                rows.append(Row(asked.partition_index, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
            elif request.isolation_level not in ISOLATION_LEVELS:
                rows.append(Row(asked.partition_index, ErrorCode.UNKNOWN_SERVER_ERROR))
            elif counts[key := (topic.name, asked.partition_index)] > 1:
                if key not in told:
                    rows.append(Row(asked.partition_index, ErrorCode.INVALID_REQUEST))
                told.add(key)
            else:
                rows.append(await _row(context, request, topic.name, asked))
    told_of = [ListOffsetsResponse_ListOffsetsTopicResponse(name, rows) for name, rows in topics.items() if rows]
    return ListOffsetsResponse(context.charge(0), told_of)


async def _row(context: RequestContext, request: ListOffsetsRequest, topic: str, asked: Asked) -> Row:
    index, timestamp = asked.partition_index, asked.timestamp
    if timestamp < 0 and context.version < SINCE.get(timestamp, context.version + 1):  # type: ignore[call-overload]
        return Row(index, ErrorCode.UNSUPPORTED_VERSION)
    path = context.broker.data
    partition = path.table.get(topic, index)
    code = _refusal(path, request, topic, asked, partition)
    if code or partition is None:
        return Row(index, code)
    isolation = None  # followers ask for the log's end itself
    if request.replica_id == CONSUMER:
        committed = request.isolation_level == READ_COMMITTED
        isolation = FetchIsolation.TXN_COMMITTED if committed else FetchIsolation.HIGH_WATERMARK
    try:
        found, is_lagging = await _look_up(partition, timestamp, isolation)
    except (PeerError, DiskError) as error:
        return Row(index, error.code if isinstance(error, PeerError) else ErrorCode.KAFKA_STORAGE_ERROR)
    if is_lagging:
        is_told = context.version >= NOT_AVAILABLE_SINCE
        return Row(index, ErrorCode.OFFSET_NOT_AVAILABLE if is_told else ErrorCode.LEADER_NOT_AVAILABLE)
    if found is None:
        return Row(index)
    leader_epoch = found.leader_epoch if context.version >= EPOCHS_SINCE else NO_EPOCH
    return Row(index, ErrorCode.NONE, found.timestamp, found.offset, leader_epoch)


def _refusal(path: DataPath, request: ListOffsetsRequest, topic: str, asked: Asked, partition: Partition | None) -> int:
    if partition is None:
        return path.replicas.missing(topic, asked.partition_index)
    return partition.refusal(asked.current_leader_epoch, from_leader=request.replica_id != DEBUGGER)


async def _look_up(
    partition: Partition, timestamp: int, isolation: FetchIsolation | None
) -> tuple[TimestampAndOffset | None, bool]:
    """What belongs to a timestamp, as far as this reader may know; and whether that is not known yet."""
    log, role = partition.log, partition.role
    readable_end = log.log_end_offset if isolation is None else log.readable_end(isolation)
    is_lagging = isolation is not None and isinstance(role, Leader) and role.epoch_start_offset > log.high_watermark
    if timestamp == Special.LATEST:
        return TimestampAndOffset(-1, readable_end, partition.leader_epoch), is_lagging
    found = await log.offset_for_timestamp(timestamp)
    if timestamp in (Special.EARLIEST, Special.EARLIEST_LOCAL):
        return found, False
    if found is not None and found.offset < readable_end:
        return found, False
    return None, is_lagging
