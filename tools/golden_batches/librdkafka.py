"""Batches out of librdkafka: a confluent_kafka Producer sends them to a broker that keeps what it gets."""

from collections.abc import Iterator
from pathlib import Path

import confluent_kafka

from tools.golden_batches.fake_broker import TOPIC, FakeBroker
from tools.golden_batches.python_clients import CODECS, Case, Said, record_sets

DELIVERED_WITHIN_S = 30.0


def librdkafka(records: Path) -> Iterator[Case]:
    """One batch for each set of records and codec, and one from an idempotent producer."""
    client = f"librdkafka {confluent_kafka.libversion()[0]}"
    cases = [(set_name, codec) for set_name in ("plain", "headers", "large") for codec in CODECS]
    for set_name, codec in cases:
        if (set_name, codec) != ("large", "none"):
            said = {"client": client, "records": set_name, "codec": codec}
            yield f"librdkafka-{set_name}-{codec}.batch", _sent(records, set_name, codec, idempotent=False), said
    told: Said = {"client": client, "records": "plain", "codec": "none"}
    told |= {"producer_id": 4_711, "producer_epoch": 3, "base_sequence": 0}
    yield "librdkafka-idempotent.batch", _sent(records, "plain", "none", idempotent=True), told


def _sent(records: Path, set_name: str, codec: str, *, idempotent: bool) -> bytes:
    """What one producer sends for one set: everything in one batch, since it waits before it sends."""
    with FakeBroker() as broker:
        producer = confluent_kafka.Producer(
            {
                "bootstrap.servers": broker.address,
                "compression.type": codec,
                "enable.idempotence": idempotent,
                "linger.ms": 500,
                "message.max.bytes": 1 << 20,
                "batch.size": 1 << 20,
            }
        )
        for timestamp, key, value, headers in record_sets(records)[set_name]:
            producer.produce(TOPIC, value, key, partition=0, timestamp=timestamp, headers=headers)
        assert producer.flush(DELIVERED_WITHIN_S) == 0
        (section,) = broker.produced
    return section
