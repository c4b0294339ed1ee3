"""Batches as clients and coordinators make them, for tests of what is looked at before they are written."""

from dataclasses import replace
from struct import pack_into

from crc32c import crc32c

from ottla.protocol.records.batch import CRC_START, CompressionType
from ottla.protocol.records.builder import BatchBuilder, BatchFields

NOW_MS = 1_700_000_000_000
PRODUCER = BatchFields(producer_id=7, producer_epoch=1, base_sequence=10)


def batch_of(
    *timestamps: int,
    key: bytes | None = b"key",
    value: bytes | None = b"value",
    fields: BatchFields = PRODUCER,
    codec: CompressionType = CompressionType.NONE,
) -> bytearray:
    """A batch with a record for each of these timestamps, or with one of now."""
    building = BatchBuilder(replace(fields, compression_type=codec))
    for timestamp in timestamps or (NOW_MS,):
        building.append(timestamp, key, value)
    return building.build()


def patched(batch: bytearray, form: str, position: int, value: int) -> memoryview:
    """The batch with a field of its header overwritten, and a right checksum."""
    pack_into(form, batch, position, value)
    pack_into(">I", batch, 17, crc32c(bytes(batch[CRC_START:])))
    return memoryview(batch)
