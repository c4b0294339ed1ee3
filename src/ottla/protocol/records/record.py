"""The records of a batch: as columns, for whoever wants them all, or one by one.

Both decompress the section if they must, with a bound, and let the kernel walk over it before anything is handed out:
what comes out of here is well-formed, and what is not raises a `RecordError`. Offsets are absolute. Where the log set
the timestamps (LogAppendTime), every record has the batch's max timestamp, as in Kafka: the deltas say nothing then.
Control batches are read like all others; `control.py` knows what is in them.
"""

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from ottla.protocol.records.batch import LOG_APPEND_TIME_BIT, RecordBatch
from ottla.protocol.records.columns import Columns, Header
from ottla.protocol.records.compression import DECOMPRESSED_MAX_BYTES, Bytes, decompress
from ottla.protocol.records.kernel import index


class Record(NamedTuple):
    """One record: keys, values and the values of headers may be null."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...] = ()


def section_of(batch: RecordBatch, limit_bytes: int = DECOMPRESSED_MAX_BYTES) -> Bytes:
    """The records of a batch as the kernel wants them: decompressed. The batch's own bytes if it is not compressed."""
    return decompress(batch.compression_type, batch.section, limit_bytes)


def columns_of(batch: RecordBatch, limit_bytes: int = DECOMPRESSED_MAX_BYTES) -> Columns:
    """Where all parts of all records lie."""
    if batch.count == 0:  # compaction leaves such a batch behind for the sake of its header
        return index(b"", 0, batch.base_offset, batch.base_timestamp)
    columns = index(section_of(batch, limit_bytes), batch.count, batch.base_offset, batch.base_timestamp)
    if batch.attributes & LOG_APPEND_TIME_BIT:
        columns.timestamps = array("q", [batch.max_timestamp]) * batch.count
    return columns


def records_of(batch: RecordBatch, limit_bytes: int = DECOMPRESSED_MAX_BYTES) -> Iterator[Record]:
    """The records in their order. The whole batch is looked at before the first is handed out."""
    columns = columns_of(batch, limit_bytes)
    values = zip(columns.offsets, columns.timestamps, columns.keys(), columns.values(), strict=True)
    for at, (offset, timestamp, key, value) in enumerate(values):
        yield Record(offset, timestamp, key, value, columns.headers(at))
