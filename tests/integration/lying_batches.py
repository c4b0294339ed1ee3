"""Record batches that lie: by name, what a hostile producer would put into a partition of a Produce request.

Built by hand from the format's description, so that every field can say what it likes. Checksums are right unless the
checksum is the lie: what is tried out must be reached.
"""

import gzip
import struct
import time
import zlib
from collections.abc import Callable
from functools import partial
from typing import Final

import cramjam
from crc32c import crc32c

NOW_MS: Final = int(time.time() * 1_000)
INT32_MAX: Final = 2**31 - 1
INT64_MAX: Final = 2**63 - 1
MEGABYTE: Final = 1024 * 1024
GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4
LOG_APPEND_TIME, TRANSACTIONAL, CONTROL = 0x08, 0x10, 0x20
XERIAL: Final = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)


def varint(value: int) -> bytes:
    """A signed number, zigzag, seven bits a byte."""
    value = value * 2 if value >= 0 else -value * 2 - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def field(data: bytes | None, length: int | None = None) -> bytes:
    """A key, a value, or what a header has of them."""
    content = b"" if data is None else data
    return varint((-1 if data is None else len(content)) if length is None else length) + content


def record(
    offset: int | bytes = 0,
    *,
    timestamp: int | bytes = 0,
    attributes: int = 0,
    key: bytes = field(b"key"),
    value: bytes = field(b"value"),
    headers: bytes = varint(0),
    length: int | bytes | None = None,
) -> bytes:
    """A record. Numbers that stand for themselves are encoded; bytes are taken as they are."""
    numbers = b"".join(each if isinstance(each, bytes) else varint(each) for each in (timestamp, offset))
    body = bytes([attributes]) + numbers + key + value + headers
    if not isinstance(length, bytes):
        length = varint(len(body) if length is None else length)
    return length + body


GOOD: Final = record(0) + record(1) + record(2)


def batch(
    records: bytes = GOOD,
    count: int = 3,
    *,
    base_offset: int = 0,
    longer: int = 0,
    length: int | None = None,
    magic: int = 2,
    crc: int | None = None,
    attributes: int = 0,
    last_offset_delta: int | None = None,
    base_timestamp: int = NOW_MS,
    max_timestamp: int = NOW_MS,
    producer: tuple[int, int, int] = (-1, -1, -1),
) -> bytes:
    """A batch around a section of records; `longer` is what its length says too much."""
    delta = count - 1 if last_offset_delta is None else last_offset_delta
    checked = struct.pack(">hiqqqhii", attributes, delta, base_timestamp, max_timestamp, *producer, count) + records
    crc = crc32c(checked) if crc is None else crc
    length = 9 + len(checked) + longer if length is None else length
    return struct.pack(">qiibI", base_offset, length, -1, magic, crc) + checked


def message_set(magic: int) -> bytes:
    """A message in one of the old formats, with a checksum of its own kind."""
    body = struct.pack(">bb", magic, 0) + (struct.pack(">q", NOW_MS) if magic else b"")
    body += struct.pack(">i", 3) + b"key" + struct.pack(">i", 5) + b"value"
    return struct.pack(">qiI", 0, 4 + len(body), zlib.crc32(body)) + body


# Compressed


def compressed(codec: int, data: bytes) -> bytes:
    """As each codec has it in a batch."""
    if codec == GZIP:
        return gzip.compress(data)
    if codec == SNAPPY:
        block = bytes(memoryview(cramjam.snappy.compress_raw(data)))
        return XERIAL + struct.pack(">i", len(block)) + block
    if codec == LZ4:
        compressor = cramjam.lz4.Compressor(0, content_checksum=False, block_linked=False)
        compressor.compress(data)
        return bytes(memoryview(compressor.finish()))
    return bytes(memoryview(cramjam.zstd.compress(data, 3)))


def damaged(codec: int) -> bytes:
    """A stream with a byte in the middle that is another one."""
    data = bytearray(compressed(codec, b"".join(record(at, value=field(bytes(range(200)))) for at in range(50))))
    data[len(data) // 2] ^= 0x55
    data[len(data) // 2 + 1] ^= 0xFF
    return batch(bytes(data), 50, attributes=codec)


def cut_off(codec: int) -> bytes:
    """A stream without its end."""
    data = compressed(codec, b"".join(record(at, value=field(bytes(range(200)))) for at in range(50)))
    return batch(data[: len(data) // 2], 50, attributes=codec)


def bomb(codec: int) -> bytes:
    """A megabyte of stream that is a record with a value of up to two gigabytes: as many as the codec makes of it."""
    sizes = {GZIP: 1_000 * MEGABYTE, SNAPPY: 20 * MEGABYTE, LZ4: 240 * MEGABYTE, ZSTD: 2_000 * MEGABYTE}
    size = sizes[codec]
    value = varint(size)
    inner = b"\0" + varint(0) + varint(0) + varint(-1) + value
    prefix = varint(len(inner) + size + 1) + inner
    zeros = {GZIP: gzip_zeros, SNAPPY: snappy_zeros, LZ4: lz4_zeros, ZSTD: zstd_zeros}[codec]
    stream = zeros(prefix, size + 1)  # the one behind the value says that there are no headers
    assert len(stream) < MEGABYTE, f"{len(stream)}"
    return batch(stream, 1, attributes=codec)


def gzip_zeros(prefix: bytes, size: int) -> bytes:
    """Members of sixteen megabytes."""
    piece = 16 * MEGABYTE
    full = gzip.compress(bytes(piece))
    return gzip.compress(prefix) + full * (size // piece) + gzip.compress(bytes(size % piece))


def snappy_zeros(prefix: bytes, size: int) -> bytes:
    """Blocks as Java writes them."""

    def block(data: bytes) -> bytes:
        packed = bytes(memoryview(cramjam.snappy.compress_raw(data)))
        return struct.pack(">i", len(packed)) + packed

    piece = 32 * 1024
    return XERIAL + block(prefix) + block(bytes(piece)) * (size // piece) + block(bytes(size % piece))


def lz4_zeros(prefix: bytes, size: int) -> bytes:
    """Blocks of four megabytes in one frame."""
    piece = 4 * MEGABYTE
    frame = bytes(memoryview(cramjam.lz4.compress_block(bytes(piece), store_size=False)))
    last = bytes(memoryview(cramjam.lz4.compress_block(bytes(size % piece), store_size=False)))
    header = bytes.fromhex("04224d18") + bytes([0x60, 0x70])
    header += bytes([xxh32(header[4:]) >> 8 & 0xFF])
    stored = struct.pack("<I", len(prefix) | 0x8000_0000) + prefix
    blocks = (struct.pack("<I", len(frame)) + frame) * (size // piece)
    return header + stored + blocks + struct.pack("<I", len(last)) + last + bytes(4)


def xxh32(data: bytes) -> int:
    """XXH32 of fewer than four bytes: what a header of lz4 is checked by."""
    mask = 0xFFFF_FFFF
    value = (374761393 + len(data)) & mask
    for byte in data:
        value = (value + byte * 374761393) & mask
        value = ((value << 11 | value >> 21) & mask) * 2654435761 & mask
    value = (value ^ value >> 15) * 2246822519 & mask
    value = (value ^ value >> 13) * 3266489917 & mask
    return value ^ value >> 16


def zstd_zeros(prefix: bytes, size: int) -> bytes:
    """Blocks that repeat one byte: four bytes stand for 128 KiB."""
    piece = 128 * 1024

    def block(kind: int, length: int, data: bytes, *, last: bool = False) -> bytes:
        return ((length << 3) | kind << 1 | last).to_bytes(3, "little") + data

    rest = block(1, size % piece, b"\0", last=True)
    return (
        bytes.fromhex("28b52ffd")
        + b"\0\x38"
        + block(0, len(prefix), prefix)
        + block(1, piece, b"\0") * (size // piece)
        + rest
    )


def crowd(codec: int) -> bytes:
    """Many records of nothing, compressed: each takes seven bytes of the stream's zeros and more."""
    one = record(0, key=field(None), value=field(None))
    return batch(compressed(codec, one * 10_000), 10_000, attributes=codec)


CODECS: Final = {"gzip": GZIP, "snappy": SNAPPY, "lz4": LZ4, "zstd": ZSTD}
ENDLESS: Final = b"\xff" * 40

_LONG = field(b"x", 1_000)
_BATCHES: dict[str, Callable[[], bytes | None]] = {
    # the section
    "null": lambda: None,
    "empty": lambda: b"",
    "one byte": lambda: b"\0",
    "header cut off": lambda: batch()[:40],
    "no records behind the header": lambda: batch()[:61],
    "batch cut off": lambda: batch()[:-5],
    "garbage behind": lambda: batch() + b"garbage",
    "header behind": lambda: batch() + batch()[:61],
    "two batches": lambda: batch() + batch(base_offset=3),
    "zeros": lambda: bytes(200),
    "ones": lambda: b"\xff" * 200,
    # the batch's length
    "length shorter": lambda: batch(longer=-1),
    "length longer": lambda: batch(longer=1),
    "length zero": lambda: batch(length=0),
    "length of a header": lambda: batch(length=49),
    "length negative": lambda: batch(length=-1),
    "length least": lambda: batch(length=-INT32_MAX - 1),
    "length most": lambda: batch(length=INT32_MAX),
    # the header
    "crc": lambda: batch(crc=1),
    "magic 3": lambda: batch(magic=3),
    "magic -1": lambda: batch(magic=-1),
    "magic 127": lambda: batch(magic=127),
    "magic 0 on a batch": lambda: batch(magic=0),
    "magic 1 on a batch": lambda: batch(magic=1),
    "message format 0": lambda: message_set(0),
    "message format 1": lambda: message_set(1),
    "base offset 5": lambda: batch(base_offset=5),
    "base offset -1": lambda: batch(base_offset=-1),
    "base offset most": lambda: batch(base_offset=INT64_MAX),
    "count one more": lambda: batch(count=4),
    "count one less": lambda: batch(count=2),
    "count zero": lambda: batch(count=0),
    "count negative": lambda: batch(count=-1),
    "count least": lambda: batch(count=-INT32_MAX - 1, last_offset_delta=2),
    "count most": lambda: batch(count=INT32_MAX),
    "count zero of nothing": lambda: batch(b"", 0),
    "count of one, last offset of three": lambda: batch(count=1, last_offset_delta=2),
    "count zero, last offset 0": lambda: batch(b"", 0, last_offset_delta=0),
    "last offset one more": lambda: batch(last_offset_delta=3),
    "last offset one less": lambda: batch(last_offset_delta=1),
    "last offset negative": lambda: batch(last_offset_delta=-1),
    "last offset least": lambda: batch(last_offset_delta=-INT32_MAX - 1),
    "last offset most": lambda: batch(last_offset_delta=INT32_MAX),
    "control": lambda: batch(attributes=CONTROL),
    "transactional": lambda: batch(attributes=TRANSACTIONAL),
    "log append time": lambda: batch(attributes=LOG_APPEND_TIME),
    "unknown attributes": lambda: batch(attributes=-128),
    "producer without a sequence": lambda: batch(producer=(7, 0, -1)),
    "producer without an epoch": lambda: batch(producer=(8, -1, 0)),
    "producer -2": lambda: batch(producer=(-2, 0, 0)),
    "sequence in the middle": lambda: batch(producer=(9, 0, 40)),
    # timestamps
    "base timestamp most": lambda: batch(base_timestamp=INT64_MAX, max_timestamp=INT64_MAX),
    "base timestamp least": lambda: batch(base_timestamp=-INT64_MAX - 1),
    "base timestamp none": lambda: batch(base_timestamp=-1, max_timestamp=-1),
    "max timestamp most": lambda: batch(max_timestamp=INT64_MAX),
    "max timestamp least": lambda: batch(max_timestamp=-INT64_MAX - 1),
    "timestamp delta most": lambda: batch(record(timestamp=INT64_MAX), 1),
    "timestamp delta least": lambda: batch(record(timestamp=-INT64_MAX - 1), 1),
    "timestamp in two hours": lambda: batch(base_timestamp=NOW_MS + 7_300_000, max_timestamp=NOW_MS + 7_300_000),
    # records
    "offset delta negative": lambda: batch(record(-1), 1),
    "offset deltas with a gap": lambda: batch(record(0) + record(2) + record(3)),
    "offset deltas backwards": lambda: batch(record(2) + record(1) + record(0)),
    "offset deltas alike": lambda: batch(record(0) * 3),
    "offset delta most": lambda: batch(record(INT32_MAX), 1),
    "offset delta over an int": lambda: batch(record(2**40), 1),
    "record longer than the batch": lambda: batch(record(length=1_000_000), 1),
    "record one longer": lambda: batch(record(length=19), 1),
    "record one shorter": lambda: batch(record(length=13), 1),
    "record of nothing": lambda: batch(varint(0), 1),
    "record of less than nothing": lambda: batch(record(length=-1), 1),
    "record length most": lambda: batch(record(length=INT32_MAX), 1),
    "record length least": lambda: batch(record(length=-INT32_MAX - 1), 1),
    "record length endless": lambda: batch(record(length=ENDLESS), 1),
    "timestamp delta endless": lambda: batch(record(timestamp=ENDLESS), 1),
    "offset delta endless": lambda: batch(record(offset=ENDLESS), 1),
    "key length endless": lambda: batch(record(key=ENDLESS), 1),
    "header count endless": lambda: batch(record(headers=ENDLESS), 1),
    "record attributes": lambda: batch(record(attributes=0xFF), 1),
    "key longer than the record": lambda: batch(record(key=_LONG), 1),
    "key of two gigabytes": lambda: batch(record(key=field(b"k", INT32_MAX)), 1),
    "key length -2": lambda: batch(record(key=field(b"", -2)), 1),
    "value longer than the record": lambda: batch(record(value=_LONG), 1),
    "value of two gigabytes": lambda: batch(record(value=field(b"v", INT32_MAX)), 1),
    "value length -2": lambda: batch(record(value=field(b"", -2)), 1),
    "headers most": lambda: batch(record(headers=varint(INT32_MAX)), 1),
    "headers 2^31": lambda: batch(record(headers=varint(INT32_MAX + 1)), 1),
    "headers negative": lambda: batch(record(headers=varint(-1)), 1),
    "header without a key": lambda: batch(record(headers=varint(1) + field(None) + field(b"v")), 1),
    "header key too long": lambda: batch(record(headers=varint(1) + _LONG + field(b"v")), 1),
    "header value too long": lambda: batch(record(headers=varint(1) + field(b"k") + _LONG), 1),
    "header value length -2": lambda: batch(record(headers=varint(1) + field(b"k") + field(b"", -2)), 1),
    "header key no utf-8": lambda: batch(record(headers=varint(1) + field(b"\xff\xfe") + field(b"v")), 1),
    "records behind the last": lambda: batch(GOOD + record(3) * 5),
    "bytes behind the last": lambda: batch(GOOD + b"garbage"),
    # codecs
    "codec 5": lambda: batch(attributes=5),
    "codec 6": lambda: batch(attributes=6),
    "codec 7": lambda: batch(attributes=7),
}


def _of_codecs() -> dict[str, Callable[[], bytes | None]]:
    """The same for each codec."""
    found: dict[str, Callable[[], bytes | None]] = {}
    for name, codec in CODECS.items():
        found[f"{name} of plain bytes"] = partial(batch, attributes=codec)
        found[f"{name} of no bytes"] = partial(batch, b"", attributes=codec)
        found[f"{name} damaged"] = partial(damaged, codec)
        found[f"{name} cut off"] = partial(cut_off, codec)
        found[f"{name} of the same offset"] = partial(crowd, codec)
        found[f"{name}, count most"] = partial(batch, compressed(codec, GOOD), INT32_MAX, attributes=codec)
        found[f"{name}, count one less"] = partial(batch, compressed(codec, GOOD), 2, attributes=codec)
        found[f"{name}, count one more"] = partial(batch, compressed(codec, GOOD), 4, attributes=codec)
        record_too_long = compressed(codec, record(length=1_000_000))
        found[f"{name}, record longer than the batch"] = partial(batch, record_too_long, 1, attributes=codec)
        found[f"{name}, garbage behind"] = partial(batch, compressed(codec, GOOD) + b"garbage", attributes=codec)
        deltas = compressed(codec, record(0) + record(2) + record(3))
        found[f"{name}, offset deltas with a gap"] = partial(batch, deltas, attributes=codec)
        many_headers = compressed(codec, record(headers=varint(INT32_MAX)))
        found[f"{name}, headers most"] = partial(batch, many_headers, 1, attributes=codec)
    return found


LIES: Final = _BATCHES | _of_codecs()
BOMBS: Final = {f"{name} bomb": partial(bomb, codec) for name, codec in CODECS.items()}
