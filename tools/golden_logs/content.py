"""What is written to the broker: the cases that a log directory should show, as few bytes as possible of each."""

import time
from typing import Any

from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tools.golden_logs.broker import Broker

START_MS = 1_700_000_000_000
HOUR_MS = 3_600_000
CLEAN_SECONDS = 30

# A segment ends where timestamps are more than an hour apart: `segment.bytes` may not be small enough for that.
TOPICS = {
    "golden-plain": {"segment.ms": str(HOUR_MS), "index.interval.bytes": "200", "retention.ms": "-1"},
    "golden-transactions": {"retention.ms": "-1"},
    "golden-compacted": {
        "cleanup.policy": "compact",
        "segment.ms": str(HOUR_MS),
        "min.cleanable.dirty.ratio": "0.01",
        "delete.retention.ms": "0",
    },
    "golden-short": {"retention.ms": "-1"},
    "golden-epochs": {},
}
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


def _produce(address: str, topic: str, records: list[tuple[str, str | None, int]], **settings: Any) -> None:
    """One batch with these keys, values and timestamps."""
    producer = Producer({"bootstrap.servers": address, "linger.ms": 1000, **settings})
    for key, value, timestamp_ms in records:
        producer.produce(topic, key=key, value=value, partition=0, timestamp=timestamp_ms)
    producer.flush()


def _transaction(producer: Producer, topic: str, texts: list[str], end: str) -> None:
    producer.begin_transaction()
    for number, text in enumerate(texts):
        producer.produce(topic, value=text, partition=0, timestamp=START_MS + number)
    producer.flush()
    if end == "commit":
        producer.commit_transaction()
    elif end == "abort":
        producer.abort_transaction()


def _transactional(address: str, name: str) -> Producer:
    producer = Producer({"bootstrap.servers": address, "transactional.id": name})
    producer.init_transactions()
    return producer


def fill_first(broker: Broker) -> dict[str, Any]:
    """The first run: everything but a second leader epoch."""
    address = broker.address
    admin = AdminClient({"bootstrap.servers": address})
    made = admin.create_topics([NewTopic(name, 1, 1, config=config) for name, config in TOPICS.items()])
    for future in made.values():
        future.result()
    for hours in range(3):
        for number, codec in enumerate(CODECS):
            at_ms = START_MS + 2 * hours * HOUR_MS + number
            records: list[tuple[str, str | None, int]] = [
                (f"k{n}", f"{codec} {hours} {n}", at_ms + n) for n in range(5)
            ]
            idempotent = {"enable.idempotence": True} if codec == "lz4" else {}
            _produce(address, "golden-plain", records, **{"compression.type": codec}, **idempotent)
    first, second = _transactional(address, "golden-1"), _transactional(address, "golden-2")
    _transaction(first, "golden-transactions", ["a", "b"], "commit")
    _transaction(first, "golden-transactions", ["c"], "abort")
    _transaction(second, "golden-transactions", ["d", "e", "f"], "abort")
    _transaction(first, "golden-transactions", ["g"], "commit")
    _transaction(second, "golden-transactions", ["h"], "left open")
    # Kafka's own client ends each transaction with a new producer epoch (KIP-890), librdkafka does not.
    performance = ("--topic", "golden-epochs", "--num-records", "6", "--record-size", "10", "--throughput", "20")
    transactional = ("--transactional-id", "golden-3", "--transaction-duration-ms", "80")
    broker.run(
        "org.apache.kafka.tools.ProducerPerformance", *performance, *transactional, "--bootstrap-server", address
    )
    for hours in range(4):
        at_ms = START_MS + 2 * hours * HOUR_MS
        changes: list[tuple[str, str | None, int]] = [(f"k{n}", f"{hours} {n}", at_ms) for n in range(hours, 4)]
        _produce(address, "golden-compacted", [*changes, ("gone", None if hours == 2 else "x", at_ms)])
    _produce(address, "golden-short", [(f"k{n}", "v", START_MS) for n in range(10)])
    deleted = admin.delete_records([TopicPartition("golden-short", 0, 4)])
    for result in deleted.values():
        result.result()
    time.sleep(CLEAN_SECONDS)  # the cleaner takes its turn; it tells nobody when
    return {"topics": TOPICS, "codecs": CODECS, "start_ms": START_MS, "deleted_below": {"golden-short": 4}}


def fill_second(broker: Broker) -> dict[str, Any]:
    """The second run: a record under the next leader epoch."""
    _produce(broker.address, "golden-short", [("k10", "v", START_MS)])
    return {"second_epoch": ["golden-short"]}
