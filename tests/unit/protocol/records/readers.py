"""Other people's readers of batches. What kafka-python warns about while it is imported is its own affair."""

import warnings

from aiokafka.record.default_records import DefaultRecordBatch  # type: ignore[import-untyped]

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka.record.memory_records import MemoryRecords  # type: ignore[import-untyped]

Shown = tuple[int, int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]


def kafka_python_reads(batch: bytes) -> list[Shown]:
    """The offset, timestamp, key, value and headers of every record, the checksum having been found right."""
    (read,) = MemoryRecords(batch)
    return _shown(read)


def aiokafka_reads(batch: bytes) -> list[Shown]:
    """The same of aiokafka."""
    return _shown(DefaultRecordBatch(batch))


def _shown(batch: DefaultRecordBatch) -> list[Shown]:
    assert batch.validate_crc()
    return [(each.offset, each.timestamp, each.key, each.value, list(each.headers)) for each in batch]
