"""The header of a record batch: read, checked and stamped where it lies.

A `RecordBatch` is a view: it unpacks the 61 bytes of the header once and leaves everything else in the buffer that it
was received in. The broker's hot path is three steps: `RecordBatch(section)`, `check()`, `stamp(...)`; beside the
CRC-32C itself they cost about 0.75 µs a batch (bench/records.py).

    0 base offset i64 | 8 length i32 | 12 partition leader epoch i32 | 16 magic i8 | 17 crc u32
    21 attributes i16 | 23 last offset delta i32 | 27 base timestamp i64 | 35 max timestamp i64
    43 producer id i64 | 51 producer epoch i16 | 53 base sequence i32 | 57 count i32 | 61 records

Always true: a view's fields equal its bytes, since every change goes through a stamp; its bytes lie wholly inside the
buffer; base offset and leader epoch are outside the CRC (it covers bytes 21 to the end), so stamping them costs none.
What lies behind the header is not looked at here: see `record.py` and the kernel. Magic 0 and 1 are refused.
Field names are Kafka's (KIP-98; the delete horizon is KIP-534).
"""

from collections.abc import Iterator
from enum import IntEnum
from struct import Struct
from typing import Final

from crc32c import crc32c

from ottla.errors import CorruptBatch, InvalidRecord, UnsupportedCodec, UnsupportedMagic

MAGIC: Final = 2
HEADER_SIZE: Final = 61
LENGTH_END: Final = 12  # a batch's length field counts the bytes behind itself
MAGIC_POSITION: Final = 16  # the same in every format that Kafka ever had
CRC_START: Final = 21

CODEC_MASK: Final = 0x07
LOG_APPEND_TIME_BIT: Final = 0x08
TRANSACTIONAL_BIT: Final = 0x10
CONTROL_BIT: Final = 0x20
DELETE_HORIZON_BIT: Final = 0x40

NO_PRODUCER_ID: Final = -1
NO_PRODUCER_EPOCH: Final = -1
NO_SEQUENCE: Final = -1
NO_PARTITION_LEADER_EPOCH: Final = -1
NO_TIMESTAMP: Final = -1
SEQUENCE_MASK: Final = 0x7FFF_FFFF  # the sequence after 2^31 - 1 is 0

HEADER: Final = Struct(">qiibIhiqqqhii")
CHECKED_FIELDS: Final = Struct(">hiqqqhii")  # from CRC_START to the records
Fields = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]
_PLACE = Struct(">qii")  # base offset, length, leader epoch: all that lies before the magic
_CRC = Struct(">I")
_LENGTH = Struct(">i")
_ATTRIBUTES = Struct(">h")
_MAX_TIMESTAMP = Struct(">q")


class CompressionType(IntEnum):
    """The codecs by the number that the attributes carry."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


class TimestampType(IntEnum):
    """Who set the timestamps of a batch's records."""

    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


class RecordBatch:
    """One batch in a buffer: the fields of its header, and the stamps that a broker puts on it."""

    __slots__ = (
        "attributes",
        "base_offset",
        "base_sequence",
        "base_timestamp",
        "buffer",
        "count",
        "crc",
        "last_offset_delta",
        "max_timestamp",
        "partition_leader_epoch",
        "position",
        "producer_epoch",
        "producer_id",
        "size_bytes",
    )

    def __init__(self, buffer: memoryview, position: int = 0) -> None:
        """Take the batch at `position` of a buffer; refuse what is no batch or does not lie wholly in the buffer."""
        remaining = len(buffer) - position
        if remaining < HEADER_SIZE:
            raise _no_header(buffer, position)
        fields: Fields = HEADER.unpack_from(buffer, position)
        (
            self.base_offset,
            length,
            self.partition_leader_epoch,
            magic,
            self.crc,
            self.attributes,
            self.last_offset_delta,
            self.base_timestamp,
            self.max_timestamp,
            self.producer_id,
            self.producer_epoch,
            self.base_sequence,
            self.count,
        ) = fields
        size_bytes = length + LENGTH_END
        if magic != MAGIC or size_bytes < HEADER_SIZE or size_bytes > remaining:
            raise _no_batch(magic, size_bytes, position, remaining)
        self.buffer = buffer
        self.position = position
        self.size_bytes = size_bytes

    def check(self) -> None:
        """Compute the checksum over the bytes and refuse the batch if it is not the one in the header."""
        position = self.position
        actual = crc32c(self.buffer[position + CRC_START : position + self.size_bytes])
        if actual != self.crc:
            raise CorruptBatch(
                f"batch at byte {position} with base offset {self.base_offset}: "
                f"its checksum is {actual:#010x}, its header says {self.crc:#010x}"
            )

    def stamp(self, base_offset: int, partition_leader_epoch: int) -> None:
        """Give the batch its place in the log, in the buffer itself. The checksum does not cover these fields."""
        _PLACE.pack_into(self.buffer, self.position, base_offset, self.size_bytes - LENGTH_END, partition_leader_epoch)
        self.base_offset = base_offset
        self.partition_leader_epoch = partition_leader_epoch

    def stamp_timestamp(self, timestamp_type: TimestampType, max_timestamp: int) -> None:
        """Set the timestamp type and the max timestamp; compute the checksum anew only if one of them changed."""
        attributes = self.attributes & ~LOG_APPEND_TIME_BIT
        if timestamp_type == TimestampType.LOG_APPEND_TIME:
            attributes |= LOG_APPEND_TIME_BIT
        if attributes == self.attributes and max_timestamp == self.max_timestamp:
            return
        buffer, position = self.buffer, self.position
        _ATTRIBUTES.pack_into(buffer, position + 21, attributes)
        _MAX_TIMESTAMP.pack_into(buffer, position + 35, max_timestamp)
        self.crc = crc32c(buffer[position + CRC_START : position + self.size_bytes])
        _CRC.pack_into(buffer, position + 17, self.crc)
        self.attributes = attributes
        self.max_timestamp = max_timestamp

    @property
    def view(self) -> memoryview:
        """The bytes of the batch, header included."""
        return self.buffer[self.position : self.position + self.size_bytes]

    @property
    def section(self) -> memoryview:
        """The records as they are stored: compressed, if the batch is."""
        return self.buffer[self.position + HEADER_SIZE : self.position + self.size_bytes]

    @property
    def compression_type(self) -> CompressionType:
        """The codec of the records; numbers that Kafka does not know are refused."""
        codec = self.attributes & CODEC_MASK
        if codec > CompressionType.ZSTD:
            raise UnsupportedCodec(f"batch with base offset {self.base_offset}: there is no compression codec {codec}")
        return CompressionType(codec)

    @property
    def timestamp_type(self) -> TimestampType:
        """Whether the timestamps are the producer's or the log's."""
        return TimestampType((self.attributes & LOG_APPEND_TIME_BIT) >> 3)

    @property
    def is_transactional(self) -> bool:
        """Whether the batch belongs to a transaction."""
        return bool(self.attributes & TRANSACTIONAL_BIT)

    @property
    def is_control(self) -> bool:
        """Whether the batch holds control records, which users never see."""
        return bool(self.attributes & CONTROL_BIT)

    @property
    def delete_horizon_ms(self) -> int | None:
        """When tombstones and markers of this batch may go; compaction keeps it in the base timestamp."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON_BIT else None

    @property
    def last_offset(self) -> int:
        """The offset of the last record that the batch had when it was written; compaction leaves it alone."""
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        """The offset behind the batch."""
        return self.base_offset + self.last_offset_delta + 1

    @property
    def has_producer_id(self) -> bool:
        """Whether an idempotent or transactional producer wrote the batch."""
        return self.producer_id != NO_PRODUCER_ID

    @property
    def last_sequence(self) -> int:
        """The sequence of the last record; sequences wrap to 0 behind 2^31 - 1."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return (self.base_sequence + self.last_offset_delta) & SEQUENCE_MASK

    def __repr__(self) -> str:
        """The place and the size: what a log line needs."""
        return f"RecordBatch(offsets {self.base_offset}-{self.last_offset}, {self.count} records, {self.size_bytes} B)"


def batches(section: memoryview) -> Iterator[RecordBatch]:
    """The batches of a records section; whatever does not end with a whole batch is refused."""
    position = 0
    end = len(section)
    while position < end:
        batch = RecordBatch(section, position)
        yield batch
        position += batch.size_bytes


def whole_batches(section: memoryview) -> tuple[list[RecordBatch], int]:
    """The whole batches of a fetched section, and how many bytes of a batch that was cut off follow them.

    A broker cuts a fetch where its byte limit falls, so that a part of a batch at the end is no fault.
    """
    found: list[RecordBatch] = []
    position = 0
    end = len(section)
    while end - position > MAGIC_POSITION:
        (length,) = _LENGTH.unpack_from(section, position + 8)
        size_bytes = length + LENGTH_END
        if size_bytes > end - position and section[position + MAGIC_POSITION] == MAGIC:
            break
        batch = RecordBatch(section, position)
        found.append(batch)
        position += batch.size_bytes
    return found, end - position


def produced_batch(section: memoryview) -> RecordBatch:
    """The one batch that a Produce request may hold for a partition."""
    if not section:
        raise InvalidRecord("a produce request must hold a record batch for each of its partitions")
    batch = RecordBatch(section)
    if batch.size_bytes != len(section):
        raise InvalidRecord(
            f"a produce request may hold one batch a partition: {len(section) - batch.size_bytes} bytes follow it"
        )
    return batch


def _no_header(buffer: memoryview, position: int) -> CorruptBatch | UnsupportedMagic:
    """What to say of a rest that is shorter than a header. The old formats have shorter ones."""
    remaining = len(buffer) - position
    if remaining > MAGIC_POSITION and buffer[position + MAGIC_POSITION] < MAGIC:
        return UnsupportedMagic(
            f"batch at byte {position}: message format {buffer[position + MAGIC_POSITION]} is no longer supported"
        )
    return CorruptBatch(f"batch at byte {position}: cut off, {remaining} bytes are left and a header has {HEADER_SIZE}")


def _no_batch(magic: int, size_bytes: int, position: int, remaining: int) -> CorruptBatch | UnsupportedMagic:
    """What to say of 61 bytes that are no header of a whole batch."""
    if magic in (0, 1):
        return UnsupportedMagic(f"batch at byte {position}: message format {magic} is no longer supported")
    if magic != MAGIC:
        return CorruptBatch(f"batch at byte {position}: magic {magic} is unknown")
    if size_bytes < HEADER_SIZE:
        return CorruptBatch(f"batch at byte {position}: its size of {size_bytes} bytes is less than a header")
    return CorruptBatch(f"batch at byte {position}: cut off, it has {size_bytes} bytes and {remaining} are left")
