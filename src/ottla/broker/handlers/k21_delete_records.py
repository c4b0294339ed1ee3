"""DeleteRecords: lets a partition's log begin later (KIP-107).

Versions: 0-2

An offset of -1 stands for the high watermark; one behind it is OFFSET_OUT_OF_RANGE. The answer says the low watermark,
the offset before which no living replica has anything, and waits until that has got there or `timeout_ms` is over. A
topic that is compacted and nothing else is POLICY_VIOLATION: what its readers rely on must not go; an internal topic is
INVALID_TOPIC_EXCEPTION.
"""

from typing import NamedTuple

from ottla.broker.context import RequestContext
from ottla.broker.data.path import DataPath
from ottla.cluster.replication.leader import Leader
from ottla.cluster.replication.partition import Partition
from ottla.errors import DiskError, OffsetOutOfRange, PeerError, RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsResponse_DeleteRecordsPartitionResult,
    DeleteRecordsResponse_DeleteRecordsTopicResult,
)
from ottla.protocol.topic_names import INTERNAL_TOPICS
from ottla.security.operations import Operation, ResourceType

HIGH_WATERMARK = -1
NO_WATERMARK = -1

Row = DeleteRecordsResponse_DeleteRecordsPartitionResult


class Deleting(NamedTuple):
    """A partition whose log begins later here, and maybe not everywhere."""

    leader: Leader
    offset: int
    row: Row


def delete_records(context: RequestContext, request: DeleteRecordsRequest) -> None:
    """Move what can be moved, and answer when all replicas have followed."""
    path = context.broker.data
    deleting: dict[Partition, Deleting] = {}
    topics = []
    for name, wanted in _wanted(request).items():
        may_delete = context.authorize(Operation.DELETE, ResourceType.TOPIC, name)
        rows = []
        for index, offset in wanted.items():
            row = Row(index, NO_WATERMARK)
            rows.append(row)
            try:
                if not may_delete:
                    raise RequestRefused(ErrorCode.TOPIC_AUTHORIZATION_FAILED, name)
                partition, leader = _led(path, name, index)
                deleting[partition] = Deleting(leader, _begin_later(partition, offset), row)
            except (PeerError, DiskError) as error:
                row.error_code = error.code if isinstance(error, PeerError) else ErrorCode.KAFKA_STORAGE_ERROR
        topics.append(DeleteRecordsResponse_DeleteRecordsTopicResult(name, rows))
    waiting = WaitingDeletion(context, topics, deleting)
    for partition in deleting:
        path.replicas.watcher.watermark_moved(partition)  # who reads or deletes before the new start is told so
        waiting.attempt(partition)
    if not waiting.open:
        waiting.complete()
    else:
        path.delayed.park(path.delayed.deletions, waiting, list(deleting), max(request.timeout_ms, 0), context.reply)


def _wanted(request: DeleteRecordsRequest) -> dict[str, dict[int, int]]:
    """The offset of each partition, by topic; of a partition that is named twice the last one, as in Kafka."""
    wanted: dict[str, dict[int, int]] = {}
    for topic in request.topics:
        for asked in topic.partitions:
            wanted.setdefault(topic.name, {})[asked.partition_index] = asked.offset
    return wanted


def _led(path: DataPath, topic: str, index: int) -> tuple[Partition, Leader]:
    partition = path.table.get(topic, index)
    if partition is None:
        missing = path.replicas.missing(topic, index)
        raise RequestRefused(missing, f"{topic}-{index} is not here")
    if topic in INTERNAL_TOPICS:
        raise RequestRefused(ErrorCode.INVALID_TOPIC_EXCEPTION, f"{topic} is internal")
    if not isinstance(partition.role, Leader):
        raise RequestRefused(partition.refusal(), f"{partition} is led elsewhere")
    return partition, partition.role


def _begin_later(partition: Partition, offset: int) -> int:
    """Let a leader's log begin at an offset; answers which one that is."""
    log = partition.log
    if log.config.compact and not log.config.delete:
        raise RequestRefused(ErrorCode.POLICY_VIOLATION, f"{partition} is compacted, and nothing else")
    if offset == HIGH_WATERMARK:
        offset = log.high_watermark
    if offset < 0:
        raise OffsetOutOfRange(f"no log begins at {offset}")
    log.maybe_increment_log_start_offset(offset)
    return offset


class WaitingDeletion:
    """A request that waits for the other replicas."""

    __slots__ = ("context", "deleting", "open", "topics")

    def __init__(
        self,
        context: RequestContext,
        topics: list[DeleteRecordsResponse_DeleteRecordsTopicResult],
        deleting: dict[Partition, Deleting],
    ) -> None:
        self.context, self.topics, self.deleting = context, topics, deleting
        self.open = dict.fromkeys(deleting)

    def has_followed(self, partition: Partition) -> bool:
        """Whether nothing more is to be waited for: all replicas begin there, or nobody can tell any more."""
        leader, offset, row = self.deleting[partition]
        if partition.role is not leader:
            row.error_code, row.low_watermark = partition.refusal() or ErrorCode.NOT_LEADER_OR_FOLLOWER, NO_WATERMARK
        else:
            row.low_watermark = leader.low_watermark
            if row.low_watermark < offset:
                return False
        self.open.pop(partition, None)
        return True

    def attempt(self, key: Partition) -> bool:
        """Something has happened to a partition: whether all are done now."""
        if key in self.open:
            self.has_followed(key)
        return not self.open

    def expire(self) -> None:
        """The others have not followed in time."""
        for partition in self.open:
            row = self.deleting[partition].row
            row.error_code, row.low_watermark = ErrorCode.REQUEST_TIMED_OUT, NO_WATERMARK
        self.complete()

    def complete(self) -> None:
        """Answer."""
        self.context.reply.answer(DeleteRecordsResponse(self.context.charge(0), self.topics))
