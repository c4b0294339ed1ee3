"""Record batches, good and bad, the same bytes on every run: times are fixed, and long ago."""

from collections.abc import Sequence
from typing import Final

from crc32c import crc32c

from ottla.protocol.records.batch import CompressionType, TimestampType
from ottla.protocol.records.builder import BatchBuilder, BatchFields

TIME: Final = 1_700_000_000_000
FAR_AHEAD: Final = 4_000_000_000_000  # a broker takes an hour by default
PRODUCER: Final = 1_000
CODECS: Final = tuple(CompressionType)


def batch(
    values: Sequence[bytes | None] = (b"one", b"two", b"three"),
    *,
    key: bytes | None = b"key",
    time: int = TIME,
    fields: BatchFields | None = None,
) -> bytes:
    """A batch of these values."""
    builder = BatchBuilder(fields)
    for at, value in enumerate(values):
        builder.append(time + at, key, value, (("header", b"value"), ("null", None)))
    return bytes(builder.build())


def coded(codec: CompressionType) -> bytes:
    """The same in a codec."""
    return batch(fields=BatchFields(compression_type=codec))


def idempotent(sequence: int, *, epoch: int = 0, producer: int = PRODUCER, transactional: bool = False) -> bytes:
    """A batch of a producer that counts."""
    fields = BatchFields(
        producer_id=producer, producer_epoch=epoch, base_sequence=sequence, is_transactional=transactional
    )
    return batch(fields=fields)


def patched(data: bytes, at: int, patch: bytes, *, right_crc: bool = True) -> bytes:
    """A batch that lies: other bytes at a place, under a checksum that is right for them, or is not."""
    changed = bytearray(data)
    changed[at : at + len(patch)] = patch
    if right_crc and at >= 21:
        changed[17:21] = crc32c(bytes(changed[21:])).to_bytes(4, "big")
    return bytes(changed)


def _int(value: int, size: int) -> bytes:
    return value.to_bytes(size, "big", signed=True)


GOOD: Final = batch()
LZ4: Final = coded(CompressionType.LZ4)
CONTROL: Final = BatchFields(is_control=True, producer_id=PRODUCER, producer_epoch=0, base_sequence=0)
APPEND_TIME: Final = BatchFields(timestamp_type=TimestampType.LOG_APPEND_TIME)

# Where the fields of a batch's header are: base offset 0, length 8, leader epoch 12, magic 16, crc 17, attributes 21,
# last offset delta 23, base timestamp 27, max timestamp 35, producer id 43, epoch 51, sequence 53, count 57.
BATCHES: Final[dict[str, bytes]] = {
    **{f"codec {codec.name.lower()}": coded(codec) for codec in CODECS},
    "one record": batch((b"x",)),
    "null values": batch((None, None)),
    "null key": batch(key=None),
    "empty key and value": batch((b"",), key=b""),
    "50 kB": batch((b"x" * 50_000,)),
    "2 MB": batch((b"x" * 2_000_000,)),
    "base offset 7": patched(GOOD, 0, _int(7, 8)),
    "leader epoch 5": patched(GOOD, 12, _int(5, 4)),
    "magic 0": patched(GOOD, 16, b"\0"),
    "magic 1": patched(GOOD, 16, b"\1"),
    "magic 3": patched(GOOD, 16, b"\3"),
    "wrong checksum": patched(GOOD, 17, b"\0\0\0\0", right_crc=False),
    "codec 5": patched(GOOD, 21, b"\0\5"),
    "codec 7": patched(GOOD, 21, b"\0\7"),
    "says gzip and is not": patched(GOOD, 21, b"\0\1"),
    "says snappy and is not": patched(GOOD, 21, b"\0\2"),
    "says lz4 and is not": patched(GOOD, 21, b"\0\3"),
    "says zstd and is not": patched(GOOD, 21, b"\0\4"),
    "unknown attributes": patched(GOOD, 21, b"\x7f\x80"),
    "log append time": batch(fields=APPEND_TIME),
    "delete horizon": batch(fields=BatchFields(delete_horizon_ms=TIME)),
    "control batch": batch(fields=CONTROL),
    "transactional without a transaction": idempotent(0, transactional=True),
    "last offset delta 1": patched(GOOD, 23, _int(1, 4)),
    "last offset delta 9": patched(GOOD, 23, _int(9, 4)),
    "last offset delta -1": patched(GOOD, 23, _int(-1, 4)),
    "base timestamp -1": patched(GOOD, 27, _int(-1, 8)),
    "max timestamp 0": patched(GOOD, 35, _int(0, 8)),
    "far ahead": batch(time=FAR_AHEAD),
    "far ahead, lz4": batch(time=FAR_AHEAD, fields=BatchFields(compression_type=CompressionType.LZ4)),
    "long ago": batch(time=0),
    "no time": batch((b"x",), time=-1),
    "sequence 0": idempotent(0),
    "sequence 5": idempotent(5),
    "sequence -1": idempotent(-1),
    "epoch 3": idempotent(0, epoch=3),
    "epoch -1": idempotent(0, epoch=-1),
    "producer id -5": idempotent(0, producer=-5),
    "count 0": patched(GOOD, 57, _int(0, 4)),
    "count 2": patched(GOOD, 57, _int(2, 4)),
    "count 4": patched(GOOD, 57, _int(4, 4)),
    "count -1": patched(GOOD, 57, _int(-1, 4)),
    "count 4, lz4": patched(LZ4, 57, _int(4, 4)),
    "no records": bytes(BatchBuilder().build()),
    "length 10": patched(GOOD, 8, _int(10, 4)),
    "length too long": patched(GOOD, 8, _int(len(GOOD), 4)),
    "length -1": patched(GOOD, 8, _int(-1, 4)),
    "cut short": GOOD[:-5],
    "header only": GOOD[:61],
    "half a header": GOOD[:40],
    "garbage behind": GOOD + b"garbage",
    "two batches": GOOD + GOOD,
    "two batches, lz4 second": GOOD + LZ4,
    "record length too long": patched(GOOD, 61, b"\x7e"),
    "record length too short": patched(GOOD, 61, b"\x02"),
    "record attributes": patched(GOOD, 62, b"\xff"),
    "offset delta not in order": patched(GOOD, 64, b"\x08"),
}
