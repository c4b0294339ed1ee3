"""Fetch: batches from partitions, as they lie in the logs.

Versions: 4-18
 5: log start offsets; 7: sessions (KIP-227); 9: leader epochs are checked (KIP-320); 11: a consumer may read from a
 follower (KIP-392); 12: divergence (KIP-595); 13: topic ids (KIP-516); 15: a follower's broker epoch (KIP-903)
 16: who leads instead (KIP-951)

The partitions are read in the order in which they are asked for, up to `max_bytes` over all of them; only the first
that has anything gives at least one batch, however large. An answer waits for `min_bytes` or `max_wait_ms`, unless a
partition has an error or another history than the reader; then all is read once more. What is not in memory is brought
by threads, while the loop goes on. Bytes behind the high watermark (with read_committed: behind the last stable offset)
are given to followers alone. The preferred read replica is always -1, as in a Kafka without a replica selector.

`Reading.read` is the hot path: a fetch of one partition costs 11 us beside the log's own read, 3.5 of them for reading
the request and writing the answer; in a session a partition without news costs 0.3 us (`python -m bench requests`).
"""

from collections.abc import Mapping, Sequence
from typing import Final

from ottla.broker.context import RequestContext
from ottla.broker.data.fetch_sessions import IDS_SINCE, FetchedPartition, Fetching
from ottla.broker.metadata.current_leaders import CurrentLeaders
from ottla.cluster.replication.follower import Follower
from ottla.cluster.replication.leader import Leader
from ottla.cluster.replication.partition import Partition
from ottla.cluster.replication.partition_table import NONE
from ottla.errors import DiskError, OffsetOutOfRange, PeerError, RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
    FetchResponse,
    FetchResponse_AbortedTransaction,
    FetchResponse_EpochEndOffset,
    FetchResponse_FetchableTopicResponse,
    FetchResponse_PartitionData,
)
from ottla.security.operations import CLUSTER_NAME, Operation, ResourceType
from ottla.storage.log import Log
from ottla.storage.reading import FetchedRecords, FetchIsolation, NotCached
from ottla.world.api import FileRange

READ_COMMITTED: Final = 1
ISOLATION_LEVELS: Final = (0, READ_COMMITTED)
CLOSER_REPLICA_SINCE: Final = 11
REPLICA_STATE_SINCE: Final = 15
LEADERS_SINCE: Final = 16

# From here on bytes go from the page cache to the socket without passing through Python: 15 % less CPU at 1 MB, and
# 10 % more at 64 KiB.
RANGE_LEAST_BYTES: Final = 256 * 1024
PARTITIONS_AT_ONCE: Final = 1_000  # then others have the loop: 2 ms where none of them is known
PLAIN: Final = ("PLAINTEXT", "SASL_PLAINTEXT")

Data = FetchResponse_PartitionData
data_of = FetchResponse_PartitionData.make

# What a partition has that nobody here knows, or may know: such a request waits for the others all the same.
_UNKNOWN: Final = (
    ErrorCode.UNKNOWN_TOPIC_ID,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
)


def fetch(context: RequestContext, request: FetchRequest) -> None:
    """Read what is there, and answer now or when there is more."""
    data = context.broker.data
    fetching = data.fetch_sessions.begin(request, context.version, data.replicas.now_ms())
    if fetching.error_code:
        context.reply.answer(FetchResponse(error_code=fetching.error_code))
        return
    if request.isolation_level not in ISOLATION_LEVELS:
        context.reply.answer(_refused_whole(context, request, ErrorCode.UNKNOWN_SERVER_ERROR))
        return
    Reading(context, request, fetching).start()


def _refused_whole(context: RequestContext, request: FetchRequest, code: int) -> FetchResponse:
    """Nothing is read. Before topic ids each partition is told so as well."""
    topics = []
    if context.version < IDS_SINCE:
        for topic in request.topics:
            rows = [Data(each.partition, code, -1, records=b"") for each in topic.partitions]
            topics.append(FetchResponse_FetchableTopicResponse(topic.topic, partitions=rows))
    return FetchResponse(error_code=code, responses=topics)


class Reading:
    """A fetch on its way to its answer."""

    __slots__ = (
        "asks_for", "broker_epoch", "context", "deadline_ms", "fetching", "found", "from_leader", "is_immediate",
        "is_pausing", "isolation", "left_bytes", "max_bytes", "min_bytes", "path", "replica_id", "request", "sizes",
        "wants_one", "was_interrupted",
    )  # fmt: skip

    def __init__(self, context: RequestContext, request: FetchRequest, fetching: Fetching) -> None:
        self.context, self.request, self.fetching, self.path = context, request, fetching, context.broker.data
        self.replica_id, self.broker_epoch = request.replica_id, -1
        if context.version >= REPLICA_STATE_SINCE:
            self.replica_id, self.broker_epoch = request.replica_state.replica_id, request.replica_state.replica_epoch
        is_follower = self.replica_id >= 0
        self.from_leader = is_follower or context.version < CLOSER_REPLICA_SINCE
        self.isolation = FetchIsolation.HIGH_WATERMARK
        if is_follower:
            self.isolation = FetchIsolation.LOG_END
        elif request.isolation_level == READ_COMMITTED:
            self.isolation = FetchIsolation.TXN_COMMITTED
        self.max_bytes = min(request.max_bytes, self.path.fetch_max_bytes)
        self.min_bytes = min(request.min_bytes, self.max_bytes)
        self.deadline_ms: int | None = None  # once it waits; None: it is read for the first time
        self.sizes: dict[Partition, int] = {}

    def start(self) -> None:
        """Read all partitions; in a task, if not everything is in memory."""
        self.left_bytes, self.wants_one, self.is_immediate = self.max_bytes, True, False
        self.is_pausing = self.was_interrupted = False
        self.found: list[Data | None] = []  # one for each partition; None: there is no news of it
        self.asks_for: dict[Partition, FetchedPartition] = {}
        if self.read():
            self.has_read()
        else:
            self.was_interrupted = True
            self.path.world.spawn(self.read_cold(), "fetch what is not in memory")

    # Reading

    def read(self) -> bool:
        """Read one partition after the other; False if one is not in memory, or others should have the loop between:
        `read_cold` goes on.
        """
        partitions, found, by_id = self.fetching.partitions, self.found, self.context.version >= IDS_SINCE
        topic_key: object = None
        topic, topic_code, begun = NONE, 0, len(found)
        end = min(len(partitions), len(found) + PARTITIONS_AT_ONCE)
        for place in range(len(found), end):
            wanted = partitions[place]
            key = wanted.topic_id if by_id else wanted.topic
            if key != topic_key:
                self._count(topic, place - begun)
                topic_key, begun = key, place
                topic = self._topic(wanted)
                topic_code = self._topic_code(topic) if topic else 0
            partition = topic.get(wanted.index)
            try:
                if partition is None or topic_code:
                    raise RequestRefused(topic_code or self._missing(wanted), "")
                found.append(self._read(partition, wanted))
            except NotCached:
                self._count(topic, place - begun)
                self.is_pausing = False
                return False
            except (PeerError, DiskError) as error:
                found.append(self._failed(wanted, error))
        self._count(topic, end - begun)
        self.is_pausing = end < len(partitions)
        return not self.is_pausing

    def _count(self, topic: Mapping[int, Partition], requests: int) -> None:
        if topic and self.deadline_ms is None:  # what is read again after waiting was counted before
            self.path.figures.fetched(_name_of(topic), requests)

    def _read(self, partition: Partition, wanted: FetchedPartition) -> Data | None:
        role, epoch = partition.role, wanted.current_leader_epoch
        if (
            (epoch >= 0 and epoch != partition.leader_epoch)
            or (type(role) is not Leader and (self.from_leader or type(role) is not Follower))
        ) and (code := partition.refusal(epoch, from_leader=self.from_leader)):  # fmt: skip
            raise RequestRefused(code, "")
        log, offset = partition.log, wanted.fetch_offset
        self.asks_for[partition] = wanted
        if wanted.last_fetched_epoch >= 0 and (diverging := _diverging(log, wanted)) is not None:
            self.is_immediate = True
            data = data_of(wanted.index, 0, log.high_watermark, log.last_stable_offset, log.log_start_offset, diverging)
            data.records, data.aborted_transactions = b"", None
            return data
        if self.replica_id >= 0:
            self._note_follower(partition, wanted)
        elif (
            offset == log.high_watermark == wanted.told_high_watermark
            and wanted.told_log_start_offset == log.log_start_offset
        ):
            return None
        left = self.left_bytes
        size = wanted.max_bytes if wanted.max_bytes < left else left
        if size < 0 and offset < log.readable_end(self.isolation):
            raise RequestRefused(ErrorCode.UNKNOWN_SERVER_ERROR, "nobody reads less than nothing")
        as_range = size >= RANGE_LEAST_BYTES and self.context.security_protocol in PLAIN
        found = log.read(
            offset,
            size,
            self.isolation,
            min_one_message=self.wants_one,
            as_range=as_range,
            range_least_bytes=RANGE_LEAST_BYTES,
        )
        records = found.records
        if isinstance(records, FileRange):  # under a handle that the log does not close
            records = FileRange(records.file.duplicate(), records.position, records.size)
            found = found._replace(records=records)
        return self._data(wanted, found)

    def _data(self, wanted: FetchedPartition, found: FetchedRecords) -> Data:
        """What was found, as the answer says it."""
        records = found.records
        if records:
            self.wants_one = False
            self.left_bytes = max(self.left_bytes - len(records), 0)
        data = data_of(wanted.index, 0, found.high_watermark, found.last_stable_offset, found.log_start_offset)
        data.records = records
        data.aborted_transactions = None
        if found.aborted_transactions is not None:
            data.aborted_transactions = [
                FetchResponse_AbortedTransaction(each.producer_id, each.first_offset)
                for each in found.aborted_transactions
            ]
        return data

    async def read_cold(self) -> None:
        """Bring what is not in memory, partition by partition, and let others in between."""
        while not self.read():
            if self.is_pausing:
                await self.path.world.clock.sleep(0)
                continue
            wanted = self.fetching.partitions[len(self.found)]
            size = min(wanted.max_bytes, self.left_bytes)
            self._count(self._topic(wanted), 1)
            table = self.path.table
            if self.context.version >= IDS_SINCE:
                partition = table.get_by_id(wanted.topic_id, wanted.index)
            else:
                partition = table.get(wanted.topic, wanted.index)
            assert partition is not None
            try:
                found = await partition.log.read_cold(
                    wanted.fetch_offset, size, self.isolation, min_one_message=self.wants_one
                )
                self.found.append(self._data(wanted, found))
            except (PeerError, DiskError) as error:
                self.found.append(self._failed(wanted, error))
        self.has_read()

    # What is refused

    def _topic_code(self, topic: Mapping[int, Partition]) -> int:
        """Why this reader must not read a topic."""
        if self.replica_id >= 0:
            may_read = self.context.authorize(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME)
        else:
            name = _name_of(topic)
            may_read = self.context.authorize(Operation.READ, ResourceType.TOPIC, name)
        return ErrorCode.NONE if may_read else ErrorCode.TOPIC_AUTHORIZATION_FAILED

    def _topic(self, wanted: FetchedPartition) -> Mapping[int, Partition]:
        table, by_id = self.path.table, self.context.version >= IDS_SINCE
        return (table.by_id.get(wanted.topic_id) if by_id else table.by_name.get(wanted.topic)) or NONE

    def _missing(self, wanted: FetchedPartition) -> int:
        replicas = self.path.replicas
        if self.context.version >= IDS_SINCE:
            return replicas.missing_by_id(wanted.topic_id, wanted.index)
        return replicas.missing(wanted.topic, wanted.index)

    def _failed(self, wanted: FetchedPartition, error: PeerError | DiskError) -> Data:
        """A partition that cannot be read."""
        code = error.code if isinstance(error, PeerError) else ErrorCode.KAFKA_STORAGE_ERROR
        self.is_immediate = self.is_immediate or code not in _UNKNOWN
        if topic := self._topic(wanted):
            self.path.figures.not_read(_name_of(topic), code)
        data = data_of(wanted.index, code, -1)
        data.records = b""
        if code not in _UNKNOWN:
            data.aborted_transactions = None
        return data

    def _note_follower(self, partition: Partition, wanted: FetchedPartition) -> None:
        """A follower is at this offset: what it has is safer than before."""
        leader, log = partition.role, partition.log
        assert isinstance(leader, Leader)
        if self.replica_id not in leader.followers:
            known = wanted.current_leader_epoch >= 0
            raise RequestRefused(ErrorCode.UNKNOWN_LEADER_EPOCH if known else ErrorCode.NOT_LEADER_OR_FOLLOWER, "")
        if leader.is_fenced(self.replica_id, self.broker_epoch):
            raise RequestRefused(ErrorCode.NOT_LEADER_OR_FOLLOWER, "")
        if self.deadline_ms is not None or not log.log_start_offset <= wanted.fetch_offset <= log.log_end_offset:
            return
        replicas = self.path.replicas
        effects = leader.fetched(
            self.replica_id, wanted.fetch_offset, wanted.log_start_offset, self.broker_epoch, replicas.now_ms()
        )
        replicas.carry_out(partition, effects)

    # Waiting

    def has_read(self) -> None:
        """Answer, or wait for more."""
        if self.is_immediate or not self.asks_for or self._has_enough():
            self.answer()
            return
        now_ms = self.path.replicas.now_ms()
        is_first = self.deadline_ms is None
        if self.deadline_ms is None:
            self.deadline_ms = now_ms + self.request.max_wait_ms
        wait_ms = self.deadline_ms - now_ms
        if wait_ms <= 0:
            self.answer()
        else:
            self._let_go()
            if is_first and self.was_interrupted and any(self.attempt(key) for key in self.asks_for):
                self.start()  # it came while it was being read, when nobody was told of it yet
                return
            delayed = self.path.delayed
            delayed.park(delayed.fetches, self, list(self.asks_for), wait_ms, self.context.reply)

    def _let_go(self) -> None:
        """Keep how much was found and not the records: they are read again, and many may wait with some."""
        sizes = {
            id(wanted): len(data.records)
            for wanted, data in zip(self.fetching.partitions, self.found, strict=True)
            if data is not None and data.records
        }
        self.sizes = {partition: sizes.get(id(wanted), 0) for partition, wanted in self.asks_for.items()}
        self.found = []

    def _has_enough(self) -> bool:
        read_bytes = 0
        for data in self.found:
            if data is not None and data.records:
                read_bytes += len(data.records)
        return read_bytes >= self.min_bytes

    def attempt(self, key: Partition) -> bool:
        """Something has happened to a partition: whether there is enough now, or something that cannot wait."""
        wanted = self.asks_for[key]
        if key.refusal(wanted.current_leader_epoch, from_leader=self.from_leader):
            return True
        log, offset = key.log, wanted.fetch_offset
        end_offset = log.readable_end(self.isolation)
        if end_offset == offset:
            return False
        if end_offset < offset or self.min_bytes <= 1 or offset < log.log_start_offset:
            return True
        try:
            found = log.read(offset, wanted.max_bytes, self.isolation, as_range=True)
        except (NotCached, PeerError, DiskError):
            return True
        self.sizes[key] = len(found.records)
        return sum(self.sizes.values()) >= self.min_bytes

    def complete(self) -> None:
        """There may be enough: all is read once more."""
        self.start()

    def expire(self) -> None:
        """It has waited long enough."""
        self.deadline_ms = 0
        self.start()

    # Answering

    def answer(self) -> None:
        """Say what was found."""
        fetching, context = self.fetching, self.context
        session, partitions = fetching.session, fetching.partitions
        session_id, leaders = 0, None
        if session is not None:
            if session.epoch != fetching.epoch:  # another fetch of the session came meanwhile
                code = ErrorCode.INVALID_FETCH_SESSION_EPOCH
                context.reply.answer(FetchResponse(error_code=code, session_id=session.session_id))
                return
            session_id = session.session_id
        told: list[tuple[FetchedPartition, Data]] = []
        for wanted, data in zip(partitions, self.found, strict=True):
            if data is None or (session is not None and not wanted.has_news(data)):
                continue
            told.append((wanted, data))
            if data.records and (topic := self._topic(wanted)):
                self.path.figures.answered(_name_of(topic), len(data.records), is_follower=self.replica_id >= 0)
            if session is not None and data.records:
                session.moved_behind(wanted)
            if data.error_code in (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH):
                leaders = leaders or (CurrentLeaders(context) if context.version >= LEADERS_SINCE else None)
                if leaders is not None:
                    leaders.say(data, wanted.topic, wanted.topic_id, wanted.index)
        if fetching.may_begin:
            session_id = self.path.fetch_sessions.maybe_start(
                told, context.version, self.path.replicas.now_ms(), is_follower=self.replica_id >= 0
            )
        end_points = () if leaders is None or self.replica_id >= 0 else leaders.fetch_end_points()
        context.reply.answer(FetchResponse.make(context.charge(0), 0, session_id, _by_topic(told), end_points))


def _name_of(topic: Mapping[int, Partition]) -> str:
    return next(iter(topic.values())).topic


def _by_topic(told: Sequence[tuple[FetchedPartition, Data]]) -> list[FetchResponse_FetchableTopicResponse]:
    """Rows, topic by topic: neighbours of one topic stand together."""
    topics: list[FetchResponse_FetchableTopicResponse] = []
    rows: list[Data] = []
    last: FetchedPartition | None = None
    for wanted, data in told:
        if last is None or wanted.topic != last.topic or wanted.topic_id != last.topic_id:
            rows, last = [], wanted
            topics.append(FetchResponse_FetchableTopicResponse.make(wanted.topic, wanted.topic_id, rows))
        rows.append(data)
    return topics


def _diverging(log: Log, wanted: FetchedPartition) -> FetchResponse_EpochEndOffset | None:
    """Where the reader's history and this log's part; None if they do not (KIP-320, KIP-595)."""
    end = log.end_offset_for_epoch(wanted.last_fetched_epoch)
    if end.offset < 0 or end.epoch < 0:
        raise OffsetOutOfRange(f"nobody knows where epoch {wanted.last_fetched_epoch} of {log.topic_partition} ended")
    if wanted.fetch_offset < log.log_start_offset:
        raise OffsetOutOfRange(f"{log.topic_partition} begins at {log.log_start_offset}")
    if end.epoch < wanted.last_fetched_epoch or end.offset < wanted.fetch_offset:
        return FetchResponse_EpochEndOffset(end.epoch, end.offset)
    return None
