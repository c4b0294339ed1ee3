"""`<offset>.snapshot`: the producers of a partition as they were before an offset.

    0 version i16 = 1 | 2 crc u32, of all that follows it | 6 count i32 | then for each producer 46 bytes:
    0 producer id i64 | 8 epoch i16 | 10 last sequence i32 | 14 last offset i64 | 22 offset delta i32
    26 timestamp i64 | 34 coordinator epoch i32 | 38 first offset of the open transaction i64, -1 for none

One is taken where a segment begins and when a log is closed, so that recovery replays batches from there and not from
the start. Of each producer's batches only the last one is kept, and its timestamp is that of whatever came last, a
marker too; Apache Kafka does the same. Producers stand in the order of their ids, so that equal states give equal
bytes.
"""

from collections.abc import Iterable
from struct import Struct
from typing import Final

from ottla.errors import CorruptFile
from ottla.protocol.checksum import crc32c
from ottla.storage.producers.entry import NO_OFFSET, AppendedBatch, ProducerEntry

VERSION: Final = 1
ENTRY_SIZE: Final = 46

_HEAD = Struct(">hIi")
_ENTRY = Struct(">qhiqiqiq")
_VERSION = Struct(">h")
_COUNT = Struct(">i")
_CRC_START = 6


def encode_snapshot(entries: Iterable[ProducerEntry]) -> bytes:
    """The file's content."""
    packed = [_packed(entry) for entry in sorted(entries, key=lambda entry: entry.producer_id)]
    body = _COUNT.pack(len(packed)) + b"".join(packed)
    return _HEAD.pack(VERSION, crc32c(body), len(packed)) + body[_COUNT.size :]


def decode_snapshot(path: str, data: bytes) -> list[ProducerEntry]:
    """The producers in the file's content; the path is for the error."""
    if len(data) >= _VERSION.size and (version := _VERSION.unpack_from(data)[0]) != VERSION:
        raise CorruptFile(f"{path}: its version is {version}, and only {VERSION} is known", path=path)
    if len(data) < _HEAD.size:
        raise CorruptFile(f"{path}: {len(data)} bytes are too few", path=path)
    _, crc, count = _HEAD.unpack_from(data)
    if crc != (actual := crc32c(data[_CRC_START:])):
        raise CorruptFile(f"{path}: its checksum is {actual:#010x}, its header says {crc:#010x}", path=path)
    if len(data) != _HEAD.size + count * ENTRY_SIZE:
        raise CorruptFile(f"{path}: {len(data)} bytes do not hold {count} producers", path=path)
    return [_entry(fields) for fields in _ENTRY.iter_unpack(memoryview(data)[_HEAD.size :])]


def _packed(entry: ProducerEntry) -> bytes:
    first_offset = entry.current_txn_first_offset
    return _ENTRY.pack(
        entry.producer_id,
        entry.producer_epoch,
        entry.last_sequence,
        entry.last_data_offset,
        entry.batches[-1].offset_delta if entry.batches else 0,
        entry.last_timestamp,
        entry.coordinator_epoch,
        NO_OFFSET if first_offset is None else first_offset,
    )


def _entry(fields: tuple[int, ...]) -> ProducerEntry:
    producer_id, producer_epoch, last_sequence, last_offset, offset_delta, timestamp, coordinator_epoch, first = fields
    return ProducerEntry(
        producer_id,
        producer_epoch,
        coordinator_epoch=coordinator_epoch,
        last_timestamp=timestamp,
        current_txn_first_offset=first if first >= 0 else None,
        batches=[AppendedBatch(last_sequence, last_offset, offset_delta, timestamp)] if last_offset >= 0 else (),
    )
