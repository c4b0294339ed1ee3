"""Produce: batches of records, appended to the partitions that this broker leads.

Versions: 3-13, and announced from 0, since librdkafka goes by that (KAFKA-18659)
 5: log start offsets; 7: zstd (KIP-110); 8: which records were refused (KIP-467); 10: who leads instead (KIP-951)
 13: topic ids in place of names (KIP-516)

`acks=1` and `acks=0` are answered when the batches are in the log, `acks=-1` when the high watermark has passed them;
where this broker is the only replica that is at once. When `flush.messages` have come together, they are on the disk
before they are answered, and before anybody can read them. `acks=0` gets no answer: if anything failed, the connection
ends, so that the producer learns of it. A batch that takes long to look at (compressed and large), or whose log is busy
or on a slow disk, is appended in its turn while the loop goes on; the order of a partition's batches is that of their
requests all the same. As in Kafka only an admin client may write to internal topics.

A null in the place of records is INVALID_RECORD; Kafka 4.3 gives no answer. A batch whose compression is damaged is
CORRUPT_MESSAGE, and one of an unknown codec UNSUPPORTED_COMPRESSION_TYPE, both UNKNOWN_SERVER_ERROR in Kafka.

There are no transactions yet: a transactional batch is INVALID_PRODUCER_ID_MAPPING, what a coordinator would say that
knows no such transactional id.

`produce` is the hot path: one batch costs 9 us beside the log's append, 2.5 of them for reading the request and 1.5 for
writing the answer (`python -m bench requests`).
"""

import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from ottla.broker.context import RequestContext
from ottla.broker.metadata.current_leaders import CurrentLeaders
from ottla.cluster.replication.leader import Leader
from ottla.cluster.replication.partition import Partition
from ottla.cluster.replication.partition_table import NONE
from ottla.errors import (
    BatchTooLarge,
    CorruptBatch,
    DiskError,
    OttlaError,
    PeerError,
    RecordListTooLarge,
    RejectedRecords,
    RequestRefused,
    UnsupportedCodec,
    UnsupportedMagic,
)
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    ProduceRequest,
    ProduceRequest_PartitionProduceData,
    ProduceRequest_TopicProduceData,
    ProduceResponse,
    ProduceResponse_BatchIndexAndErrorMessage,
    ProduceResponse_PartitionProduceResponse,
    ProduceResponse_TopicProduceResponse,
)
from ottla.protocol.records.batch import TRANSACTIONAL_BIT
from ottla.protocol.topic_names import INTERNAL_TOPICS
from ottla.security.operations import Operation, ResourceType
from ottla.storage.append.info import AppendOrigin
from ottla.storage.appending import LeaderAppend, begin_as_leader
from ottla.storage.log import Log
from ottla.storage.log_values import Appended
from ottla.storage.producers.verification import NO_GUARD

if TYPE_CHECKING:
    from ottla.world.api import Future

ALL, LEADER, NOBODY = -1, 1, 0
ZSTD_SINCE: Final = 7
LEADERS_SINCE: Final = 10
IDS_SINCE: Final = 13
ADMIN_CLIENT_ID: Final = "__admin_client"  # Kafka's tools that repair internal topics call themselves so
_ATTRIBUTES: Final = 22  # where a batch has the low byte of them
_MAGIC: Final = 16
NEWEST_MAGIC: Final = 2
_LENGTH: Final = struct.Struct(">i")  # of what lies behind it, at 8
_OVERHEAD, _LEAST_BYTES = 12, 17  # of a batch: what comes before that, and all with the magic, by which it is known
_LEAST_LENGTH: Final = 14  # of what lies behind it, in the oldest format

# Errors that say nothing of the log: its start offset is left out, as in Kafka.


class NoBatch(RequestRefused):
    """There is nothing to append, or too much."""


class UnreadableBatch(CorruptBatch):
    """A batch of which not even the header can be read. The client is told why."""


_OF_NO_LOG: Final = (
    BatchTooLarge,
    RecordListTooLarge,
    CorruptBatch,
    DiskError,
    NoBatch,
    UnsupportedCodec,
    UnsupportedMagic,
)

row = ProduceResponse_PartitionProduceResponse.make
Row = ProduceResponse_PartitionProduceResponse


class Written(NamedTuple):
    """A batch that is in its leader's log, and the row of the answer that says so."""

    partition: Partition
    leader: Leader
    required_offset: int  # that the high watermark has to reach
    answer: Row


class Writing(NamedTuple):
    """A batch that takes its turn; or one that is in the log, and is flushed before anybody hears of it."""

    partition: Partition
    leader: Leader
    log: Log  # as it was when the batch came: a partition may lose its own
    size_bytes: int
    appended: "Appended | Future[Appended]"
    answer: Row


def produce(context: RequestContext, request: ProduceRequest) -> None:
    """Append what can be appended, and answer now or when it is safe."""
    acks, version, path = request.acks, context.version, context.broker.data
    by_name, table = version < IDS_SINCE, path.table
    refused = _refused_whole(context, request)
    topics, moved, has_failed = [], [], False
    waiting: list[Written] = []
    writing: list[Writing] = []
    for topic in _each_once(request.topic_data):
        rows = []
        partitions = (table.by_name.get(topic.name) if by_name else table.by_id.get(topic.topic_id)) or NONE
        code = refused or (_topic_code(context, topic, partitions) if partitions else 0)
        messages = size_bytes = 0
        for data in topic.partition_data:
            partition = partitions.get(data.index)
            leader = None if partition is None else partition.role
            if code or partition is None or type(leader) is not Leader:
                answer, has_failed = row(data.index, _why_not(context, topic, data.index, partition, code), -1), True
                rows.append(answer)
                continue
            answer = row(data.index)
            rows.append(answer)
            try:
                section = _section(data, leader, acks)
                appended = partition.log.append_as_leader(section, leader.epoch, zstd_allowed=version >= ZSTD_SINCE)
                begun = appended or _begin_writing(context, acks, partition, leader, section)
            except (PeerError, DiskError) as error:
                has_failed = True
                _say_refused(answer, partition, error)
                path.figures.refused(partition.topic, answer.error_code, len(data.records or b""))
                continue
            if appended is None or partition.log.is_flush_due:
                writing.append(Writing(partition, leader, partition.log, len(section), begun, answer))
                continue
            messages += appended.last_offset + 1 - appended.first_offset
            size_bytes += len(section)
            _say_appended(answer, appended)
            if leader.followers:
                moved.append((partition, leader.appended(path.replicas.now_ms())))
                waiting.append(Written(partition, leader, appended.last_offset + 1, answer))
            else:
                moved.append((partition, leader.appended(0)))
        if partitions:
            path.figures.produced(next(iter(partitions.values())).topic, len(rows), messages, size_bytes)
        if rows:  # a topic without partitions is left out, as in Kafka
            topics.append(ProduceResponse_TopicProduceResponse.make(topic.name, topic.topic_id, rows))
    if not (writing or has_failed or waiting or not acks):  # as nearly always, where there is one replica
        context.reply.answer(ProduceResponse.make(topics, context.charge(0)))
    else:
        outcome = Outcome(context, request, topics, waiting if acks == ALL else [])
        if writing:
            path.world.spawn(outcome.finish_writing(writing), "finish a produce")
        else:
            outcome.is_written()
    watcher = path.replicas.watcher  # behind the answer: who waits for these records comes after who wrote them
    for partition, is_safe in moved:
        if is_safe:
            watcher.watermark_moved(partition)
        else:
            watcher.end_moved(partition)


def _each_once(topics: Sequence[ProduceRequest_TopicProduceData]) -> Sequence[ProduceRequest_TopicProduceData]:
    """The topics of a request, each of their partitions once: of one that is named again and again the last batch
    counts, as in Kafka. No client asks so; who does, does not get the loop for as many appends as fit into a request.
    """
    if all(len(each.partition_data) == 1 or _is_distinct(each.partition_data) for each in topics) and (
        len(topics) == 1 or len({(each.name, each.topic_id) for each in topics}) == len(topics)
    ):
        return topics
    found: dict[tuple[str, Uuid], dict[int, ProduceRequest_PartitionProduceData]] = {}
    for topic in topics:
        partitions = found.setdefault((topic.name, topic.topic_id), {})
        for data in topic.partition_data:
            partitions[data.index] = data
    return [
        ProduceRequest_TopicProduceData(name, topic_id, list(partitions.values()))
        for (name, topic_id), partitions in found.items()
    ]


def _is_distinct(partition_data: Sequence[ProduceRequest_PartitionProduceData]) -> bool:
    return len({data.index for data in partition_data}) == len(partition_data)


def _section(data: ProduceRequest_PartitionProduceData, leader: Leader, acks: int) -> memoryview:
    """A partition's records, if it may be written to."""
    if acks == ALL and leader.followers and not leader.has_enough_in_sync:
        raise RequestRefused(ErrorCode.NOT_ENOUGH_REPLICAS, f"in sync are {sorted(leader.isr.isr)}")
    section = _one_batch(data.records)
    if _is_transactional(section):
        raise RequestRefused(ErrorCode.INVALID_PRODUCER_ID_MAPPING, "there is no such transactional id")
    return section


def _one_batch(section: memoryview | None) -> memoryview:
    """The one batch that a partition gets. What lies behind it and is no batch is passed over, as in Kafka."""
    left = 0 if section is None else len(section)
    if section is None or left < _LEAST_BYTES or left < (size := _OVERHEAD + _LENGTH.unpack_from(section, 8)[0]):
        raise NoBatch(ErrorCode.INVALID_RECORD, "a partition that is produced to gets one batch")
    if size < _OVERHEAD + _LEAST_LENGTH or section[_MAGIC] > NEWEST_MAGIC:
        raise UnreadableBatch(f"no batch has {size} bytes and the magic {section[_MAGIC]}")
    if size == left:
        return section
    if left - size >= _LEAST_BYTES:
        following = _OVERHEAD + _LENGTH.unpack_from(section, size + 8)[0]
        if following < _OVERHEAD + _LEAST_LENGTH:
            raise CorruptBatch(f"behind the batch is one that says that it has {following} bytes")
        if left - size >= following:
            raise NoBatch(ErrorCode.INVALID_RECORD, "a partition that is produced to gets one batch")
    return section[:size]


def _is_transactional(section: memoryview) -> bool:
    """Whether it is a batch that says so; the old formats have other things there, and garbage has anything."""
    return (
        len(section) > _ATTRIBUTES and section[_ATTRIBUTES] & TRANSACTIONAL_BIT != 0 and section[_MAGIC] == NEWEST_MAGIC
    )


def _begin_writing(
    context: RequestContext, acks: int, partition: Partition, leader: Leader, section: memoryview
) -> "Future[Appended]":
    """Append in a thread, or behind others that work on the log; the order is that of these calls. Whoever wanted to
    know and has gone meanwhile is not worth the work: what is behind its batch on that connection goes with it.
    """
    epoch = leader.epoch
    wanted = LeaderAppend(section, epoch, AppendOrigin.CLIENT, NO_GUARD, 0, context.version >= ZSTD_SINCE)

    def may_append() -> None:
        if acks != NOBODY and not context.reply.is_wanted:
            raise RequestRefused(ErrorCode.NETWORK_EXCEPTION, "nobody is there to be answered")
        if partition.role is not leader or leader.epoch != epoch:
            raise RequestRefused(partition.refusal() or ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{partition} has moved")

    return begin_as_leader(partition.log, wanted, may_append)


def _say_appended(answer: Row, appended: Appended) -> None:
    answer.base_offset, answer.log_append_time_ms = appended.first_offset, appended.log_append_time_ms
    answer.log_start_offset = appended.log_start_offset


# What is refused


def _refused_whole(context: RequestContext, request: ProduceRequest) -> int:
    """Why nothing of the request is done; 0 if some may be."""
    if request.acks not in (ALL, LEADER, NOBODY):
        return ErrorCode.INVALID_REQUIRED_ACKS
    if request.transactional_id is not None:
        if not context.authorize(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, request.transactional_id):
            return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        return ErrorCode.NONE
    for topic in request.topic_data:
        for data in topic.partition_data:
            if data.records and _is_transactional(data.records):
                return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    return ErrorCode.NONE


def _topic_code(
    context: RequestContext, topic: ProduceRequest_TopicProduceData, partitions: Mapping[int, Partition]
) -> int:
    """Why nobody, or not this client, may write to a topic."""
    name = topic.name or next(iter(partitions.values())).topic
    if not context.authorize(Operation.WRITE, ResourceType.TOPIC, name):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    if name in INTERNAL_TOPICS and context.client_id != ADMIN_CLIENT_ID:
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    return ErrorCode.NONE


def _why_not(
    context: RequestContext, topic: ProduceRequest_TopicProduceData, index: int, partition: Partition | None, code: int
) -> int:
    """Why nothing is appended to a partition: nobody knows it, the whole is refused, others lead it."""
    if partition is not None:
        return code or partition.refusal()
    if code and code != ErrorCode.INVALID_REQUIRED_ACKS:
        return code
    replicas = context.broker.data.replicas
    if context.version < IDS_SINCE:
        missing = replicas.missing(topic.name, index)
    else:
        missing = replicas.missing_by_id(topic.topic_id, index)
    return code if code and missing == ErrorCode.NOT_LEADER_OR_FOLLOWER else missing


def _say_refused(answer: Row, partition: Partition, error: OttlaError) -> None:
    """Write into a row why its batch is not in the log."""
    answer.error_code = error.code if isinstance(error, PeerError) else ErrorCode.KAFKA_STORAGE_ERROR
    answer.base_offset = -1
    if not isinstance(error, _OF_NO_LOG) and partition.has_log:
        answer.log_start_offset = partition.log.log_start_offset
    if isinstance(error, UnreadableBatch):
        answer.error_message = str(error)
    if isinstance(error, RejectedRecords):
        answer.record_errors = [ProduceResponse_BatchIndexAndErrorMessage(*each) for each in error.record_errors]
        answer.error_message = str(error)


# What is answered


class Outcome:
    """A request whose answer has to wait, or to say what went wrong."""

    __slots__ = ("context", "request", "topics", "waiting")

    def __init__(
        self,
        context: RequestContext,
        request: ProduceRequest,
        topics: list[ProduceResponse_TopicProduceResponse],
        written: list[Written],
    ) -> None:
        """`written` is to be waited for."""
        self.context, self.request, self.topics = context, request, topics
        self.waiting = {each.partition: each for each in written}

    async def finish_writing(self, writing: list[Writing]) -> None:
        """Wait until everything is in its log; whoever reads is told of each at once."""
        replicas, figures = self.context.broker.data.replicas, self.context.broker.data.figures
        for partition, leader, log, size_bytes, appending, answer in writing:
            try:
                appended = appending if isinstance(appending, Appended) else await appending
                if log.is_flush_due:
                    await log.sync(appended.last_offset + 1)
            except (PeerError, DiskError) as error:
                _say_refused(answer, partition, error)
                figures.refused(partition.topic, answer.error_code, size_bytes)
                continue
            figures.produced(partition.topic, 0, appended.last_offset + 1 - appended.first_offset, size_bytes)
            _say_appended(answer, appended)
            if partition.role is leader:
                replicas.appended(partition, leader)
            if self.request.acks == ALL:
                self.waiting[partition] = Written(partition, leader, appended.last_offset + 1, answer)
        self.is_written()

    def is_written(self) -> None:
        """All is in the logs: answer, or wait for other replicas."""
        self.waiting = {
            partition: written for partition, written in self.waiting.items() if not self._is_acknowledged(written)
        }
        if self.waiting:
            delayed = self.context.broker.data.delayed
            delayed.park(
                delayed.produces, self, list(self.waiting), max(self.request.timeout_ms, 0), self.context.reply
            )
        else:
            self.complete()

    def _is_acknowledged(self, written: Written) -> bool:
        """Whether nothing more is to be waited for: it is safe, or never will be."""
        partition, leader, required_offset, answer = written
        if partition.role is not leader:
            code: int | None = partition.refusal() or ErrorCode.NOT_LEADER_OR_FOLLOWER
        else:
            code = leader.acknowledged(required_offset)
        if code is None:
            return False
        if code:
            answer.error_code = code
        return True

    # The purgatory's operation

    def attempt(self, key: Partition) -> bool:
        """Something has happened to a partition: whether all are done now."""
        written = self.waiting.get(key)
        if written is not None and self._is_acknowledged(written):
            del self.waiting[key]
        return not self.waiting

    def expire(self) -> None:
        """The others have not got it in time."""
        for written in self.waiting.values():
            written.answer.error_code = ErrorCode.REQUEST_TIMED_OUT
        self.complete()

    def complete(self) -> None:
        """Answer."""
        context, topics = self.context, self.topics
        leaders = None
        for topic in topics:
            for answer in topic.partition_responses:
                if not answer.error_code:
                    continue
                if self.request.acks == NOBODY:
                    context.reply.refuse(f"a batch without acknowledgement failed with {answer.error_code}")
                    return
                if answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER and context.version >= LEADERS_SINCE:
                    leaders = leaders or CurrentLeaders(context)
                    leaders.say(answer, topic.name, topic.topic_id, answer.index)
        if self.request.acks == NOBODY:
            context.reply.answer_nothing()
            return
        end_points = () if leaders is None else leaders.produce_end_points()
        context.reply.answer(ProduceResponse.make(topics, context.charge(0), end_points))
