"""Batches out of kafka-python and aiokafka, by their own builder classes."""

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from aiokafka.record.default_records import DefaultRecordBatchBuilder  # type: ignore[import-untyped]
from kafka.record.memory_records import MemoryRecordsBuilder  # type: ignore[import-untyped]

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
ROOM_BYTES = 1 << 20

Said = dict[str, Any]
Headers = list[tuple[str, str | bytes | None]]
Case = tuple[str, bytes, Said]  # file, batch, what the builder was told


def text(value: Any) -> bytes | None:
    """A key or value of records.json: a string, a string to be repeated, or null."""
    if value is None:
        return None
    whole = value[0] * value[1] if isinstance(value, list) else value
    return str(whole).encode()


def record_sets(path: Path) -> dict[str, list[tuple[int, bytes | None, bytes | None, Headers]]]:
    """The sets of records.json, in bytes."""
    return {
        name: [(at, text(key), text(value), [(h, text(v)) for h, v in headers]) for at, key, value, headers in records]
        for name, records in json.loads(path.read_text()).items()
    }


def kafka_python(records: Path) -> Iterator[Case]:
    """What a KafkaProducer puts into its requests. Of the codecs, gzip is the one that needs no further package."""
    client = f"kafka-python {version('kafka-python')}"
    cases: list[tuple[str, str, str, Said]] = [
        ("plain-none", "plain", "none", {}),
        ("headers-none", "headers", "none", {}),
        ("plain-gzip", "plain", "gzip", {}),
        ("headers-gzip", "headers", "gzip", {}),
        ("large-gzip", "large", "gzip", {}),
        ("idempotent", "plain", "none", {"producer_id": 77, "producer_epoch": 1, "base_sequence": 9}),
    ]
    for name, set_name, codec, producer in cases:
        builder = MemoryRecordsBuilder(2, CODECS[codec], ROOM_BYTES, **producer)
        for timestamp, key, value, headers in record_sets(records)[set_name]:
            assert builder.append(timestamp, key, value, headers) is not None
        builder.close()
        said = {"client": client, "records": set_name, "codec": codec} | producer
        yield f"kafka-python-{name}.batch", bytes(builder.buffer()), said


def aiokafka(records: Path) -> Iterator[Case]:
    """What an AIOKafkaProducer puts into its requests."""
    client = f"aiokafka {version('aiokafka')}"
    for set_name in ("plain", "headers", "large"):
        for codec, number in CODECS.items():
            if (set_name, codec) == ("large", "none"):
                continue
            transactional = codec == "zstd"
            builder = DefaultRecordBatchBuilder(
                magic=2,
                compression_type=number,
                is_transactional=int(transactional),
                producer_id=77,
                producer_epoch=1,
                base_sequence=9,
                batch_size=ROOM_BYTES,
            )
            for at, (timestamp, key, value, headers) in enumerate(record_sets(records)[set_name]):
                assert builder.append(at, timestamp, key, value, headers) is not None
            said: Said = {"client": client, "records": set_name, "codec": codec}
            said |= {"producer_id": 77, "producer_epoch": 1, "base_sequence": 9, "is_transactional": transactional}
            yield f"aiokafka-{set_name}-{codec}.batch", bytes(builder.build()), said
