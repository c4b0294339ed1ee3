"""Records in and out at full speed: Java's performance tool in, librdkafka and Java out."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter

from confluent_kafka import Consumer, KafkaError, TopicPartition

from bench.versus import java
from bench.versus.contestants import GIGABYTE, Contestant, Figure, take_turns

PARTITIONS = 4
RECORDS = {100: 2_000_000, 1_000: 600_000, 10_000: 60_000}  # half a gigabyte and less: a few seconds
SETTINGS = {"batch_size": "65536", "linger_ms": "5"}
WARM_RECORDS = 400_000
BATCH = 10_000
READ_WITHIN_S = 120

Row = tuple[str, str, list[Figure], bool]  # name, unit, figures, whether less is better


def warm(contestants: Sequence[Contestant]) -> None:
    """Many small requests: what a broker's compiler has not seen it does slowly."""
    for contestant in contestants:
        contestant.server.create_topics({"warm": {}}, PARTITIONS)
        java.producer_performance(contestant.address, "warm", WARM_RECORDS, 100, batch_size="1500", linger_ms="0")
        java.producer_performance(contestant.address, "warm", RECORDS[1_000], 1_000, **SETTINGS)
        drop(contestant, "warm")


def drop(contestant: Contestant, topic: str) -> None:
    """Delete a topic."""
    admin = contestant.server.admin()  # it has to live until it has its answer
    admin.delete_topics([topic])[topic].result()


def produce(contestants: Sequence[Contestant]) -> list[Row]:
    """The performance tool, by size, acknowledgement and codec."""
    rows: list[Row] = []
    for size in RECORDS:
        for acks in ("1", "all"):
            for codec in ("none", "lz4"):
                figures = take_turns(contestants, partial(_produced, size, acks, codec))
                rows.append((f"produce {size:,} B acks={acks} {codec}", "MB/s", figures, False))
    return rows


def _produced(size: int, acks: str, codec: str, contestant: Contestant, turn: int) -> Figure:
    topic, records = f"produce-{size}-{acks}-{codec}-{turn}", RECORDS[size]
    contestant.server.create_topics({topic: {}}, PARTITIONS)
    before = contestant.cpu_seconds()
    rate = java.producer_performance(
        contestant.address, topic, records, size, acks=acks, compression_type=codec, **SETTINGS
    )
    used_s = contestant.cpu_seconds() - before
    drop(contestant, topic)
    return Figure(rate, used_s / (records * size / GIGABYTE))


def consume(contestants: Sequence[Contestant]) -> list[Row]:
    """The same bytes back, by one reader and by eight at once."""
    rows: list[Row] = []
    for size, records in RECORDS.items():
        topic = f"consume-{size}"
        for contestant in contestants:
            contestant.server.create_topics({topic: {}}, PARTITIONS)
            java.producer_performance(contestant.address, topic, records, size, acks="1", **SETTINGS)
        for readers in (1, 8):
            figures = take_turns(contestants, partial(_consumed, size, readers))
            rows.append((f"consume {size:,} B, librdkafka x {readers}", "MB/s", figures, False))
        rows.append((f"consume {size:,} B, Java", "MB/s", take_turns(contestants, partial(_consumed, size, 0)), False))
        for contestant in contestants:
            drop(contestant, topic)
    return rows


def _consumed(size: int, readers: int, contestant: Contestant, turn: int) -> Figure:
    """By so many readers of librdkafka's, or by one in Java."""
    del turn
    before, topic, records = contestant.cpu_seconds(), f"consume-{size}", RECORDS[size]
    if readers:
        rate = librdkafka(contestant.address, topic, records, size, readers)
    else:
        rate = java.read(contestant.address, topic, PARTITIONS, records, size)
    used_s = contestant.cpu_seconds() - before
    return Figure(rate, used_s / (max(readers, 1) * records * size / GIGABYTE))


def librdkafka(address: str, topic: str, records: int, size: int, readers: int) -> float:
    """MB/s of all readers together; each reads everything."""
    with ThreadPoolExecutor(readers) as pool:
        began = perf_counter()
        list(pool.map(lambda _: _read_all(address, topic, records), range(readers)))
        return readers * records * size / (perf_counter() - began) / 1e6


def _read_all(address: str, topic: str, records: int) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": address,
            "group.id": "none",
            "enable.auto.commit": False,
            "queued.min.messages": 1_000_000,
            "fetch.message.max.bytes": 4 << 20,
        }
    )
    consumer.assign([TopicPartition(topic, index, 0) for index in range(PARTITIONS)])
    seen, give_up = 0, perf_counter() + READ_WITHIN_S
    while seen < records:
        assert perf_counter() < give_up, f"only {seen} of {records} records come"
        for message in consumer.consume(BATCH, 1.0):
            error = message.error()
            assert error is None or error.code() == KafkaError._PARTITION_EOF, error  # noqa: SLF001 - its public name
            seen += 1
    consumer.close()
