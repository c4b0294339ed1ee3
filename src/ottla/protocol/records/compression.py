"""Compressing and decompressing the records of a batch: gzip, snappy, lz4, zstd, as Kafka frames them.

The one idea: the bound comes before the bytes. cramjam decompresses into a buffer that we give it and stops when that
is full, so we give it small ones first (what the data claims, or a multiple of its size) and larger ones up to
`limit_bytes`; a decompression bomb costs at most that much memory and raises
`DecompressedTooLarge`.

Always true: whatever the bytes are, `decompress` answers, or raises `CorruptBatch` or `DecompressedTooLarge`; what it
accepts, Kafka's Java client reads to the same bytes; an error holds no buffer, however long somebody keeps it:

- gzip and zstd: several members or frames follow each other, zstd's skippable frames between them;
- snappy: xerial's blocks behind its 16-byte header, or one raw block without it; we write the former;
- lz4: one frame of independent blocks; Java refuses linked blocks and stops behind the first frame, so we refuse both.

Levels are those of `compression.gzip.level`, `compression.lz4.level` and `compression.zstd.level` (KIP-390). For lz4
the default level 9 stands for the fast compressor and every other one for the high-compression one, as in Kafka.

These calls release the GIL and belong in a thread when there is more than a batch or two of them (lz4 compression alone
holds it, for 64 KiB at a time: 0.1 ms, at the highest level 3 ms). Measured at 16 KiB of text: 8-33 µs to decompress,
19-190 µs to compress.
"""

from collections.abc import Iterator
from struct import Struct
from typing import Final

import cramjam

from ottla.errors import CorruptBatch, DecompressedTooLarge, RecordError
from ottla.protocol.records.batch import CompressionType

Bytes = bytes | bytearray | memoryview

DECOMPRESSED_MAX_BYTES: Final = 128 * 1024 * 1024  # for callers without a better bound; no sane batch comes near it
GZIP_LEVELS: Final = range(1, 10)
LZ4_LEVELS: Final = range(1, 18)
ZSTD_LEVELS: Final = range(-131072, 23)
GZIP_DEFAULT_LEVEL: Final = 6  # what zlib makes of -1, which is Kafka's default
LZ4_DEFAULT_LEVEL: Final = 9
ZSTD_DEFAULT_LEVEL: Final = 3

_FULL = "failed to write whole buffer"  # how cramjam says that the output did not fit
_LEAST_BUFFER = 4096
_GROWTH = 4

_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL_MAGIC + (1).to_bytes(4, "big") * 2  # version and the lowest version that can read it
_XERIAL_BLOCK_BYTES = 32 * 1024
_XERIAL_MOST_BLOCKS = (1 << 31) // _XERIAL_BLOCK_BYTES  # what the largest batch takes; tiny blocks cost 1 µs each
_SNAPPY_RATIO = 32  # at most 64 bytes from a copy of three bytes: more than 22 is a lie

_LZ4_MAGIC = 0x184D2204
_LZ4_BLOCK_BYTES = 64 * 1024
_LZ4_BLOCK_LIMITS = {4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22}
_LZ4_USUAL_RATIO = 16  # or less
_GZIP_RATIO = 1032  # deflate's best case
_ZSTD_MAGIC = 0xFD2FB528
_ZSTD_RATIO = 1 << 15  # a block of 128 KiB takes at least four bytes

_BIG = Struct(">I")
_LITTLE = Struct("<I")


def compress(codec: CompressionType, data: Bytes, level: int | None = None) -> Bytes:
    """The records section in this codec, at this level or at Kafka's default."""
    match codec:
        case CompressionType.NONE:
            return data
        case CompressionType.GZIP:
            return memoryview(cramjam.gzip.compress(data, GZIP_DEFAULT_LEVEL if level in (None, -1) else level))
        case CompressionType.SNAPPY:
            return _compress_snappy(memoryview(data))
        case CompressionType.LZ4:
            return _compress_lz4(memoryview(data), LZ4_DEFAULT_LEVEL if level is None else level)
        case CompressionType.ZSTD:
            return memoryview(cramjam.zstd.compress(data, ZSTD_DEFAULT_LEVEL if level is None else level))


def decompress(codec: CompressionType, data: Bytes, limit_bytes: int) -> Bytes:
    """What was compressed, or an error if that is more than `limit_bytes` or not what the codec makes."""
    try:
        return _decompressed(codec, data, limit_bytes)
    except RecordError as error:
        # The frames of a traceback hold their buffers, and an error may wait long for its turn to be answered.
        error.__context__ = None
        raise error.with_traceback(None) from None


def _decompressed(codec: CompressionType, data: Bytes, limit_bytes: int) -> Bytes:
    match codec:
        case CompressionType.NONE:
            if len(data) > limit_bytes:
                raise _too_large(codec, limit_bytes)
            return data
        case CompressionType.GZIP:
            return _decompress_stream(codec, data, _gzip_size(data), limit_bytes)
        case CompressionType.SNAPPY:
            return _decompress_snappy(memoryview(data), limit_bytes)
        case CompressionType.LZ4:
            return _decompress_stream(codec, data, _lz4_size(memoryview(data)), limit_bytes)
        case CompressionType.ZSTD:
            return _decompress_stream(codec, data, _zstd_size(data), limit_bytes)


def _too_large(codec: CompressionType, limit_bytes: int) -> DecompressedTooLarge:
    return DecompressedTooLarge(f"{codec.name.lower()} records decompress to more than {limit_bytes} bytes")


def _corrupt(codec: CompressionType, reason: object) -> CorruptBatch:
    return CorruptBatch(f"{codec.name.lower()} records do not decompress: {reason}")


def _decompress_stream(codec: CompressionType, data: Bytes, claimed_bytes: int, limit_bytes: int) -> bytearray:
    """Decompress into buffers of growing size. Each is given up before the next, so that the bound is the peak."""
    if not data:
        raise _corrupt(codec, "there is nothing")
    decompress_into = _INTO[codec]
    size_bytes = min(claimed_bytes or max(_GROWTH * len(data), _LEAST_BUFFER), limit_bytes)
    while True:
        output = bytearray(size_bytes)
        try:
            written = decompress_into(data, output)
        except cramjam.DecompressionError as error:
            if _FULL not in str(error):
                raise _corrupt(codec, error) from None
        else:
            del output[written:]
            return output
        if size_bytes == limit_bytes:
            raise _too_large(codec, limit_bytes)
        del output
        size_bytes = min(size_bytes * _GROWTH + _LEAST_BUFFER, limit_bytes)


_INTO = {
    CompressionType.GZIP: cramjam.gzip.decompress_into,
    CompressionType.LZ4: cramjam.lz4.decompress_into,
    CompressionType.ZSTD: cramjam.zstd.decompress_into,
}


def _gzip_size(data: Bytes) -> int:
    """The size that the trailer of the last member claims, if it can be true."""
    if len(data) < 18:
        return 0
    (claimed,) = _LITTLE.unpack_from(data, len(data) - 4)
    return int(claimed) if claimed <= _GZIP_RATIO * len(data) else 0


def _zstd_size(data: Bytes) -> int:
    """The size that the header of the first frame claims, if it does, and if it can be true."""
    if len(data) < 18 or _LITTLE.unpack_from(data, 0)[0] != _ZSTD_MAGIC:
        return 0
    descriptor = data[4]
    single_segment = descriptor >> 5 & 1
    width = (single_segment, 2, 4, 8)[descriptor >> 6]
    start = 5 + (1 - single_segment) + (0, 1, 2, 4)[descriptor & 3]
    claimed = int.from_bytes(data[start : start + width], "little") + (256 if width == 2 else 0)
    return claimed if claimed <= _ZSTD_RATIO * len(data) else 0


def _compress_snappy(data: memoryview) -> bytes:
    chunks: list[bytes | memoryview] = [_XERIAL_HEADER]
    for start in range(0, len(data), _XERIAL_BLOCK_BYTES):
        block = memoryview(cramjam.snappy.compress_raw(data[start : start + _XERIAL_BLOCK_BYTES]))
        chunks += (_BIG.pack(len(block)), block)
    return b"".join(chunks)


def _decompress_snappy(data: memoryview, limit_bytes: int) -> bytearray:
    if data[:8] != _XERIAL_MAGIC:
        output = bytearray(_snappy_size(data, limit_bytes))
        _snappy_into(data, memoryview(output))
        return output
    total = 0
    for _, size_bytes in _xerial_blocks(data, limit_bytes):
        total += size_bytes
        if total > limit_bytes:
            raise _too_large(CompressionType.SNAPPY, limit_bytes)
    output = bytearray(total)
    target, position = memoryview(output), 0
    for block, size_bytes in _xerial_blocks(data, limit_bytes):
        _snappy_into(block, target[position : position + size_bytes])
        position += size_bytes
    return output


def _xerial_blocks(data: memoryview, limit_bytes: int) -> Iterator[tuple[memoryview, int]]:
    """The blocks and the sizes that they claim. Not a list, since hostile ones are small and many."""
    codec = CompressionType.SNAPPY
    position = len(_XERIAL_HEADER)
    if len(data) < position or _BIG.unpack_from(data, 8)[0] == 0:
        raise _corrupt(codec, "the header is cut off, or of version 0")
    for _ in range(_XERIAL_MOST_BLOCKS):
        if position == len(data):
            return
        if position + 4 > len(data):
            raise _corrupt(codec, f"the length of a block is cut off at byte {position}")
        (length,) = _BIG.unpack_from(data, position)
        start, position = position + 4, position + 4 + length
        if position > len(data):
            raise _corrupt(codec, f"a block of {length} bytes at byte {start} runs past the end")
        block = data[start:position]
        yield block, _snappy_size(block, limit_bytes)
    raise _corrupt(codec, f"there are more than {_XERIAL_MOST_BLOCKS} blocks")


def _snappy_size(block: memoryview, limit_bytes: int) -> int:
    """The size that a raw block claims to decompress to, if it can be true and is not too much."""
    try:
        size_bytes = int(cramjam.snappy.decompress_raw_len(block))
    except cramjam.DecompressionError as error:
        raise _corrupt(CompressionType.SNAPPY, error) from None
    if size_bytes > _SNAPPY_RATIO * len(block):
        raise _corrupt(CompressionType.SNAPPY, f"{len(block)} bytes cannot hold {size_bytes}")
    if size_bytes > limit_bytes:
        raise _too_large(CompressionType.SNAPPY, limit_bytes)
    return size_bytes


def _snappy_into(block: memoryview, target: memoryview) -> None:
    try:
        written = cramjam.snappy.decompress_raw_into(block, target)
    except cramjam.DecompressionError as error:
        raise _corrupt(CompressionType.SNAPPY, error) from None
    if written != len(target):
        raise _corrupt(CompressionType.SNAPPY, f"a block says {len(target)} bytes and has {written}")


def _compress_lz4(data: memoryview, level: int) -> Bytes:
    fast = level == LZ4_DEFAULT_LEVEL
    compressor = cramjam.lz4.Compressor(0 if fast else max(level, 3), content_checksum=False, block_linked=False)
    for start in range(0, len(data), _LZ4_BLOCK_BYTES):
        compressor.compress(bytes(data[start : start + _LZ4_BLOCK_BYTES]))
    return memoryview(compressor.finish())


def _lz4_size(data: memoryview) -> int:
    """How much room the blocks want: as much as they can hold, or as they do if they are squeezed as records are.

    They are walked without decompressing them: they must be independent, and end with the data.
    """
    codec = CompressionType.LZ4
    if len(data) < 11 or _LITTLE.unpack_from(data, 0)[0] != _LZ4_MAGIC:
        raise _corrupt(codec, "there is no frame")
    flags, largest = data[4], _LZ4_BLOCK_LIMITS.get(data[5] >> 4 & 7)
    if flags >> 6 != 1 or flags & 3 or largest is None:
        raise _corrupt(codec, f"the frame's flags {flags:#04x} and block size {data[5]:#04x} are unknown")
    if not flags & 0x20:
        raise _corrupt(codec, "the frame's blocks depend on each other")
    block_checksum, content_size, content_checksum = flags >> 2 & 4, flags & 8, flags & 4
    position, size_bytes = 7 + content_size, 0
    while position + 4 <= len(data):
        (word,) = _LITTLE.unpack_from(data, position)
        position += 4
        if word == 0:
            position += content_checksum
            if position != len(data):
                break
            return min(size_bytes, _LZ4_USUAL_RATIO * len(data) + _LEAST_BUFFER)
        length = word & 0x7FFF_FFFF
        if length > largest:
            raise _corrupt(codec, f"a block of {length} bytes in a frame of blocks of {largest}")
        size_bytes += length if word != length else largest
        position += length + block_checksum
    raise _corrupt(codec, "the frame does not end where the data does")
