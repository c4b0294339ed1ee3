"""Making batches: from records one by one, from columns, or from a records section that is there already.

`seal` is the one place that writes a header: it compresses the section, fills in the 61 bytes and the checksum. The
cleaner calls it with a section that the kernel has filtered, the producer's `BatchBuilder` by way of `build_batch`.

Always true: the base timestamp is the delete horizon where there is one, or else the first record's timestamp, as Kafka
writes it; the last offset delta is the last record's unless the caller knows of a later one that compaction removed; a
batch longer than 2^31 - 1 bytes raises `BatchTooLarge`. Bytes are copied once into the builder and once out of it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crc32c import crc32c

from ottla.errors import BatchTooLarge
from ottla.protocol.records.batch import (
    CHECKED_FIELDS,
    CONTROL_BIT,
    DELETE_HORIZON_BIT,
    HEADER,
    HEADER_SIZE,
    LENGTH_END,
    LOG_APPEND_TIME_BIT,
    MAGIC,
    NO_PARTITION_LEADER_EPOCH,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    TRANSACTIONAL_BIT,
    CompressionType,
    RecordBatch,
    TimestampType,
)
from ottla.protocol.records.columns import Bytes, Columns
from ottla.protocol.records.compression import compress
from ottla.protocol.records.kernel import build
from ottla.protocol.records.kernel.pure import encode_varint

LARGEST_BATCH_BYTES = 2**31 - 1


@dataclass(frozen=True, slots=True)
class BatchFields:
    """What a header says beyond its records. The defaults are those of a plain produced batch."""

    base_offset: int = 0
    partition_leader_epoch: int = NO_PARTITION_LEADER_EPOCH
    compression_type: CompressionType = CompressionType.NONE
    compression_level: int | None = None
    timestamp_type: TimestampType = TimestampType.CREATE_TIME
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH
    base_sequence: int = NO_SEQUENCE
    is_transactional: bool = False
    is_control: bool = False
    delete_horizon_ms: int | None = None

    @classmethod
    def of(cls, batch: RecordBatch) -> "BatchFields":
        """Those of a batch that is there already."""
        return cls(
            batch.base_offset,
            batch.partition_leader_epoch,
            batch.compression_type,
            None,
            batch.timestamp_type,
            batch.producer_id,
            batch.producer_epoch,
            batch.base_sequence,
            batch.is_transactional,
            batch.is_control,
            batch.delete_horizon_ms,
        )

    @property
    def attributes(self) -> int:
        """The attribute bits that say the same."""
        return (
            self.compression_type
            | (LOG_APPEND_TIME_BIT if self.timestamp_type == TimestampType.LOG_APPEND_TIME else 0)
            | (TRANSACTIONAL_BIT if self.is_transactional else 0)
            | (CONTROL_BIT if self.is_control else 0)
            | (DELETE_HORIZON_BIT if self.delete_horizon_ms is not None else 0)
        )


def seal(
    section: Bytes, fields: BatchFields, *, count: int, last_offset_delta: int, base_timestamp: int, max_timestamp: int
) -> bytearray:
    """Put a header before a section, compressing it if the fields say so, and if there are records in it."""
    stored = compress(fields.compression_type, section, fields.compression_level) if count else section
    attributes = fields.attributes if count else fields.attributes & ~fields.compression_type
    size_bytes = HEADER_SIZE + len(stored)
    if size_bytes > LARGEST_BATCH_BYTES:
        raise BatchTooLarge(f"a batch of {size_bytes} bytes is more than the format can say")
    checked = (
        attributes,
        last_offset_delta,
        base_timestamp,
        max_timestamp,
        fields.producer_id,
        fields.producer_epoch,
        fields.base_sequence,
        count,
    )
    crc = crc32c(stored, crc32c(CHECKED_FIELDS.pack(*checked)))
    batch = bytearray(size_bytes)
    length = size_bytes - LENGTH_END
    HEADER.pack_into(batch, 0, fields.base_offset, length, fields.partition_leader_epoch, MAGIC, crc, *checked)
    batch[HEADER_SIZE:] = stored
    return batch


def build_batch(columns: Columns, fields: BatchFields, last_offset: int | None = None) -> bytearray:
    """A batch of these records. Their offsets must follow the base offset; `last_offset` may lie behind them."""
    count = len(columns)
    if last_offset is None:
        last_offset = columns.offsets[-1] if count else fields.base_offset
    base_timestamp = columns.timestamps[0] if count else NO_TIMESTAMP
    if fields.delete_horizon_ms is not None:
        base_timestamp = fields.delete_horizon_ms
    return seal(
        build(columns, fields.base_offset, base_timestamp),
        fields,
        count=count,
        last_offset_delta=last_offset - fields.base_offset,
        base_timestamp=base_timestamp,
        max_timestamp=max(columns.timestamps, default=NO_TIMESTAMP),
    )


def encode_headers(headers: Iterable[tuple[str, bytes | None]]) -> bytes:
    """Headers as a record holds them: their count, then keys and values behind their lengths."""
    pieces: list[bytes] = []
    count = 0
    for key, value in headers:
        encoded = key.encode()
        pieces += (encode_varint(len(encoded)), encoded)
        pieces += (b"\x01",) if value is None else (encode_varint(len(value)), value)
        count += 1
    return encode_varint(count) + b"".join(pieces)


class BatchBuilder:
    """Records one after the other, at offsets that follow each other unless they are given."""

    __slots__ = ("_columns", "_data", "fields", "size_bytes")

    def __init__(self, fields: BatchFields | None = None) -> None:
        """Begin an empty batch. `size_bytes` is what it has now, uncompressed, to the byte."""
        self.fields = fields or BatchFields()
        self.size_bytes = HEADER_SIZE
        self._data = bytearray()
        self._columns = Columns.empty(self._data)

    def __len__(self) -> int:
        """The number of records."""
        return len(self._columns)

    def append(
        self,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[tuple[str, bytes | None]] = (),
        *,
        offset: int | None = None,
    ) -> None:
        """Add a record. Where no offset is given it is the one that follows."""
        columns, data = self._columns, self._data
        offsets = columns.offsets
        if offset is None:
            offset = offsets[-1] + 1 if offsets else self.fields.base_offset
        block = encode_headers(headers) if headers else b""
        self.size_bytes += self._record_size(timestamp, offset, key, value, len(block) or 1)
        offsets.append(offset)
        columns.timestamps.append(timestamp)
        columns.key_positions.append(len(data))
        columns.key_lengths.append(-1 if key is None else len(key))
        data += key or b""
        columns.value_positions.append(len(data))
        columns.value_lengths.append(-1 if value is None else len(value))
        data += value or b""
        columns.header_positions.append(len(data))
        columns.header_lengths.append(len(block))
        columns.header_counts.append(len(headers))
        data += block

    def build(self, last_offset: int | None = None) -> bytearray:
        """The batch."""
        return build_batch(self._columns, self.fields, last_offset)

    def _record_size(self, timestamp: int, offset: int, key: bytes | None, value: bytes | None, block: int) -> int:
        """What a record will take, its own length included."""
        timestamps = self._columns.timestamps
        base_timestamp = self.fields.delete_horizon_ms
        if base_timestamp is None:
            base_timestamp = timestamps[0] if timestamps else timestamp
        size = 1 + _varint_size(timestamp - base_timestamp) + _varint_size(offset - self.fields.base_offset) + block
        for field in (key, value):
            size += 1 if field is None else _varint_size(len(field)) + len(field)
        return size + _varint_size(size)


def _varint_size(value: int) -> int:
    """The bytes of a signed varint: seven bits each, one of them the sign's."""
    return (value if value >= 0 else ~value).bit_length() // 7 + 1
