"""Lives of a log directory: with a real Kafka, and with our log manager. Each writes what the other one will read.

A life answers what it wrote as consumers see it (`Seen`): the records that were committed, by topic.
"""

import time
from collections.abc import Callable, Coroutine
from functools import partial
from itertools import starmap
from typing import Any, TypeVar

from confluent_kafka import Consumer, KafkaError, Message, Producer
from confluent_kafka import TopicPartition as Assigned

from ottla.protocol.records.batch import CompressionType, TimestampType, batches
from ottla.protocol.records.columns import Header
from ottla.protocol.records.control import ControlRecordType, control_type
from ottla.protocol.records.record import Record, records_of
from ottla.storage.cleaner.log_cleaner import CleanerConfig
from ottla.storage.directories.directory import adopt, open_log_directories
from ottla.storage.log import Log
from ottla.storage.log_config import LogConfig
from ottla.storage.manager.config import LogManagerConfig
from ottla.storage.manager.manager import LogManager
from ottla.storage.names import TopicPartition
from ottla.storage.reading import FetchedRecords, FetchIsolation
from ottla.world.api import FileRange, World
from ottla.world.real.run import run
from tests.integration.peer.server import CLUSTER_ID, NODE_ID
from tests.integration.storage.writing import Producer as OurProducer
from tests.integration.storage.writing import Writer

T = TypeVar("T")
Seen = dict[str, list[Record]]

HOUR_MS = 3_600_000
START_MS = int(time.time() * 1_000) - 12 * HOUR_MS  # producers that were silent for a day are forgotten
ANSWERED_WITHIN_S = 30
READ_BYTES = 10_000
OUR_PRODUCERS = 1_000_000_000  # ids that Kafka gives nobody in a test

# A segment ends where timestamps are more than an hour apart: `segment.bytes` may not be small enough for that.
KEPT = {"retention.ms": "-1", "segment.ms": str(HOUR_MS), "index.interval.bytes": "200"}
TOPICS = {"plain": KEPT, "stamped": KEPT | {"message.timestamp.type": "LogAppendTime"}, "transactions": KEPT}


def config_of(topic: str) -> LogConfig:
    """The same settings for our side; the internal topics are compacted, which makes no difference here."""
    stamped = TimestampType.LOG_APPEND_TIME if topic == "stamped" else TimestampType.CREATE_TIME
    return LogConfig(
        segment_ms=HOUR_MS,
        index_interval_bytes=200,
        retention_ms=None,
        message_timestamp_type=stamped,
        compact=topic.startswith("__"),
        delete=not topic.startswith("__"),
    )


# Kafka's


def write_to_kafka(address: str, life: str) -> Seen:
    """Records of librdkafka in all codecs, idempotent producers, transactions that are kept and one that is not."""
    seen: Seen = {topic: [] for topic in TOPICS}
    common = {"bootstrap.servers": address, "linger.ms": 50, "log_level": 0}
    for topic in ("plain", "stamped"):
        for number, codec in enumerate(("none", "gzip", "snappy", "lz4", "zstd")):
            producer = Producer({**common, "compression.type": codec, "enable.idempotence": number % 2 == 0})
            for at in range(6):
                headers = [Header("from", life.encode()), Header("null", None)] if at == 2 else []
                producer.produce(
                    topic,
                    key=f"key-{at}",
                    value=None if at == 5 else f"{life} {codec} {at} " * 8,
                    headers=[(header.key, header.value) for header in headers],
                    timestamp=START_MS + number * 2 * HOUR_MS + at,
                    on_delivery=partial(note, seen[topic], headers),
                )
            assert producer.flush(ANSWERED_WITHIN_S) == 0
    for name in ("first", "dropped", "last"):
        producer = Producer({**common, "transactional.id": f"{life}-{name}"})
        producer.init_transactions()
        producer.begin_transaction()
        written: list[Record] = []
        for at in range(3):
            value, noted = f"{life} {name} {at}", partial(note, written, [])
            producer.produce("transactions", value=value, timestamp=START_MS, on_delivery=noted)
        assert producer.flush(ANSWERED_WITHIN_S) == 0
        if name == "dropped":
            producer.abort_transaction()
        else:
            producer.commit_transaction()
            seen["transactions"] += written
    return seen


def note(seen: list[Record], headers: list[Header], error: KafkaError | None, message: Message) -> None:
    """A record has its offset. Its headers are not told again."""
    assert error is None, error
    seen.append(record_of(message)._replace(headers=tuple(headers)))


def record_of(message: Message) -> Record:
    """What librdkafka knows of a record."""
    offset, headers = message.offset(), message.headers() or []
    assert offset is not None
    pairs: Any = headers if isinstance(headers, list) else list(headers.items())
    key, value = message.key(), message.value()
    assert key is None or isinstance(key, bytes)
    assert value is None or isinstance(value, bytes)
    return Record(offset, message.timestamp()[1], key, value, tuple(starmap(Header, pairs)))


def consumed(address: str, topic: str, least: int) -> list[Record]:
    """Everything that a read_committed consumer gets from the start of a topic to its end, so many records at least:
    the markers of a transaction are written behind the back of whoever has committed it.
    """
    settings: dict[str, Any] = {
        "bootstrap.servers": address,
        "group.id": "reader",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "check.crcs": True,
        "isolation.level": "read_committed",
    }
    consumer, found = Consumer(settings), list[Record]()
    try:
        consumer.assign([Assigned(topic, 0, 0)])
        while (message := consumer.poll(ANSWERED_WITHIN_S)) is not None:
            error = message.error()
            if error is not None:
                assert error.code() == KafkaError._PARTITION_EOF, error
                if len(found) >= least:
                    return found
            else:
                found.append(record_of(message))
    finally:
        consumer.close()
    raise AssertionError(f"no end of {topic} after {len(found)} records")


# Ours


class Ours:
    """Our log manager on a directory that Kafka has left."""

    def __init__(self, manager: LogManager) -> None:
        self.manager = manager

    def log(self, topic: str) -> Log:
        """The log of a topic's only partition. We are its leader, and its only replica."""
        log = self.manager.get(TopicPartition(topic, 0))
        assert log is not None
        log.update_high_watermark(log.log_end_offset)
        return log

    async def close(self) -> None:
        """End as a node does that is stopped."""
        directory = self.manager.directories[0]
        await self.manager.close(-1 if directory.broker_epoch is None else directory.broker_epoch)

    def abandon(self) -> None:
        """End as a process does that is killed: what it has told the system is there, and nothing more is told."""
        self.manager.directories[0].close()


def with_ours(path: str, main: Callable[[Ours], Coroutine[Any, Any, T]]) -> T:
    """Live with our log manager in a directory; how it ends is for `main` to say."""

    async def life(world: World) -> T:
        directories = open_log_directories(world.disk, [path])
        now_ms = world.clock.wall_ms()
        adopt(directories, cluster_id=CLUSTER_ID, node_id=NODE_ID, randbytes=world.rng.randbytes, now_ms=now_ms)
        settings = LogManagerConfig(is_verification_required=False)
        manager = LogManager(world, directories, settings, CleanerConfig(), config_of=config_of)
        await manager.load()
        for directory in directories:
            assert directory.failure is None, directory
        for hosted in manager.table:
            await hosted.log.ready()  # so that each append is made at once
        return await main(Ours(manager))

    return run(life)


def write_with_ours(ours: Ours) -> Seen:
    """The same kind of records, in segments of our own, under the leader epoch that is there."""
    seen: Seen = {}
    for topic in TOPICS:
        log = ours.log(topic)
        epoch = log.epochs.latest_epoch
        assert epoch is not None
        writer = Writer(log, epoch, START_MS + 10 * HOUR_MS)
        if topic == "transactions":
            seen[topic] = _transactions(writer)
        else:
            _batches(writer)
            seen[topic] = [record for batch in writer.batches for record in batch.records]
    return seen


def _batches(writer: Writer) -> None:
    """All codecs, a roll, and an idempotent producer of Kafka's that goes on with us."""
    log = writer.log
    known = max(log.producer_state.producers.values(), key=lambda entry: entry.last_data_offset)
    going_on = OurProducer(known.producer_id, known.producer_epoch, known.last_sequence + 1)
    writer.write((b"known", b"from Kafka's producer"), (b"known", b"again"), producer=going_on)
    for codec in CompressionType:
        writer.write((b"ours", b"of ours " * 20), (None, None), (b"", b""), codec=codec, headers=[("ours", b"yes")])
    log.roll()
    for codec in CompressionType:
        writer.write((b"ours", b"behind a roll " * 20), (b"more", b"of it " * 30), codec=codec)


def _transactions(writer: Writer) -> list[Record]:
    """Two that overlap: one is kept."""
    kept, dropped = (OurProducer(OUR_PRODUCERS + at, is_transactional=True) for at in range(2))
    writer.write((b"kept", b"1"), (b"kept", b"2"), producer=kept)
    writer.write((b"dropped", b"3"), producer=dropped)
    writer.end(kept, committed=True)
    writer.end(dropped, committed=False)
    return list(writer.batches[0].records)


async def read_with_ours(log: Log) -> list[Record]:
    """What a read_committed consumer would get of our log, from its start to its end."""
    found: list[Record] = []
    offset = log.log_start_offset
    while True:
        fetched = await log.read_cold(offset, READ_BYTES, FetchIsolation.TXN_COMMITTED)
        offset = _take(fetched, found)
        if offset < 0:
            return found


def _take(fetched: FetchedRecords, found: list[Record]) -> int:
    """The records of a fetch whose transactions were committed; answers where to read on, -1 at the end."""
    assert not isinstance(fetched.records, FileRange)
    aborted = sorted(fetched.aborted_transactions or (), key=lambda one: one.first_offset)
    dropping: set[int] = set()
    next_offset = -1
    for batch in batches(memoryview(fetched.records)):
        batch.check()
        next_offset = batch.next_offset
        while aborted and aborted[0].first_offset <= batch.last_offset:
            dropping.add(aborted.pop(0).producer_id)
        if batch.is_control:
            if control_type(next(records_of(batch)).key) is ControlRecordType.ABORT:
                dropping.discard(batch.producer_id)
        elif not (batch.is_transactional and batch.producer_id in dropping):
            found += records_of(batch)
    return next_offset
