"""The codecs, and the bound on what they produce."""

import contextlib
import gc
import struct
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import cramjam
import pytest

from ottla.errors import BatchTooLarge, CorruptBatch, DecompressedTooLarge, RecordError
from ottla.protocol.records.batch import CompressionType
from ottla.protocol.records.compression import (
    DECOMPRESSED_MAX_BYTES,
    GZIP_LEVELS,
    LZ4_LEVELS,
    ZSTD_LEVELS,
    compress,
    decompress,
)

CODECS = [CompressionType.GZIP, CompressionType.SNAPPY, CompressionType.LZ4, CompressionType.ZSTD]
TEXT = b"".join(b"record %d of a log that repeats itself, " % (at * at % 977) for at in range(8_000))
LIMIT = DECOMPRESSED_MAX_BYTES


def squeezed(codec: CompressionType, data: bytes) -> bytes:
    """Compressed, at the default level."""
    return bytes(compress(codec, data))


@pytest.mark.parametrize("codec", CompressionType)
@pytest.mark.parametrize("size", [1, 7, 61, 4_096, 32_768, 32_769, 65_536, 65_537, len(TEXT)])
def test_what_is_compressed_comes_back(codec: CompressionType, size: int) -> None:
    """Around every block size of every codec, in bytes, bytearrays and views."""
    data = TEXT[:size]
    for kind in (bytes, bytearray, memoryview):
        stored = compress(codec, kind(data))
        assert bytes(decompress(codec, kind(stored), LIMIT)) == data


@pytest.mark.parametrize("codec", CODECS)
def test_bytes_that_do_not_compress_come_back_too(codec: CompressionType) -> None:
    """Noise grows by a little and is read again."""
    noise = b"".join(zlib.crc32(struct.pack("<I", at)).to_bytes(4, "big") for at in range(50_000))
    assert bytes(decompress(codec, squeezed(codec, noise), len(noise))) == noise


@pytest.mark.parametrize("codec", CompressionType)
def test_the_bound_is_exact(codec: CompressionType) -> None:
    """As many bytes as allowed are no bomb; one more is, and the error says the bound."""
    stored = squeezed(codec, TEXT)
    assert len(decompress(codec, stored, len(TEXT))) == len(TEXT)
    for limit in (len(TEXT) - 1, len(TEXT) // 2, 1, 0):
        with pytest.raises(BatchTooLarge, match=f"decompress to more than {limit} bytes$"):
            decompress(codec, stored, limit)


@pytest.mark.parametrize("codec", CODECS)
def test_a_bomb_costs_no_more_than_the_bound(codec: CompressionType) -> None:
    """64 MiB of nothing, allowed 1 MiB: refused, with at most the bound and a constant in memory."""
    bomb = squeezed(codec, bytes(64 << 20))
    limit = 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(BatchTooLarge):
            decompress(codec, bomb, limit)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < limit + (64 << 10)


@pytest.mark.parametrize("codec", CODECS)
def test_an_error_holds_no_buffer(codec: CompressionType) -> None:
    """Whoever keeps the error, since others are to be answered before, does not keep what was decompressed."""
    whole = squeezed(codec, TEXT * 40)
    halves = whole, whole[: len(whole) // 2]
    errors: list[RecordError] = []
    tracemalloc.start()
    try:
        for stored in halves:
            for _ in range(20):
                with pytest.raises(RecordError) as caught:
                    decompress(codec, stored, len(TEXT) * 40 - 1)
                errors.append(caught.value)
                del caught
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(errors) == 40
    assert held < len(TEXT) * 40


def test_a_bomb_costs_the_process_no_more_than_the_bound(tmp_path: Path) -> None:
    """A gigabyte of nothing in any codec: what the libraries take behind Python's back is bounded as well."""
    gzip, zstd = (squeezed(codec, bytes(64 << 20)) * 16 for codec in (CompressionType.GZIP, CompressionType.ZSTD))
    lz4 = squeezed(CompressionType.LZ4, bytes(64 << 10))
    lz4 = lz4[:7] + lz4[7:-4] * (1 << 14) + lz4[-4:]
    snappy = squeezed(CompressionType.SNAPPY, bytes(32 << 10))
    snappy = snappy[:16] + snappy[16:] * (1 << 15)
    for codec, bomb in zip(CODECS, (gzip, snappy, lz4, zstd), strict=True):
        (tmp_path / codec.name).write_bytes(bomb)
    program = """
import resource, sys
from pathlib import Path
from ottla.errors import BatchTooLarge
from ottla.protocol.records.compression import CompressionType, decompress
bombs = [(codec, Path(sys.argv[1], codec.name).read_bytes()) for codec in list(CompressionType)[1:]]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for codec, bomb in bombs:
    try:
        decompress(codec, bomb, 1 << 20)
    except BatchTooLarge:
        print(codec.name, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    run = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=True)
    grown = dict(line.split() for line in run.stdout.splitlines())
    assert list(grown) == [codec.name for codec in CODECS]
    assert all(int(mebibytes) < 16 for mebibytes in grown.values()), grown


@pytest.mark.parametrize("codec", CODECS)
def test_a_small_batch_costs_little_under_a_large_bound(codec: CompressionType) -> None:
    """What is allocated follows the data, not the bound."""
    stored = squeezed(codec, TEXT[:10_000])
    tracemalloc.start()
    try:
        decompress(codec, stored, LIMIT)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 64_000


def test_small_blocks_cost_no_memory_and_have_an_end() -> None:
    """Snappy blocks that hold nothing are stepped over, not collected, and there is a bound on their number."""
    header, empty = b"\x82SNAPPY\x00" + b"\x00\x00\x00\x01" * 2, b"\x00\x00\x00\x01\x00"
    blocks = header + empty * 20_000
    tracemalloc.start()
    try:
        assert decompress(CompressionType.SNAPPY, blocks, LIMIT) == b""
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 64_000
    with pytest.raises(CorruptBatch, match="there are more than 65536 blocks"):
        decompress(CompressionType.SNAPPY, header + empty * 65_537, LIMIT)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("cut", [0, 1, 3, 10, 17, 20, 500, -1, -4, -8])
def test_what_is_cut_off_is_corrupt(codec: CompressionType, cut: int) -> None:
    """No prefix decompresses, not even to a part of what was there."""
    with pytest.raises(CorruptBatch, match=f"{codec.name.lower()} records do not decompress: "):
        decompress(codec, squeezed(codec, TEXT)[:cut], LIMIT)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("behind", [b"\x01", b"trailing garbage", bytes(64)])
def test_what_lies_behind_is_corrupt(codec: CompressionType, behind: bytes) -> None:
    """The compressed block ends where the batch does."""
    with pytest.raises(CorruptBatch):
        decompress(codec, squeezed(codec, TEXT) + behind, LIMIT)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("garbage", [b"garbage, and nothing else", bytes(100), b"\xff" * 100, b"\x82SNAPPY\x00\x01"])
def test_garbage_is_corrupt(codec: CompressionType, garbage: bytes) -> None:
    """Bytes that no codec made are an error, and always the same one."""
    with pytest.raises(CorruptBatch):
        decompress(codec, garbage, LIMIT)


@pytest.mark.parametrize(
    ("codec", "levels"),
    [
        (CompressionType.GZIP, GZIP_LEVELS),
        (CompressionType.LZ4, LZ4_LEVELS),
        (CompressionType.ZSTD, [ZSTD_LEVELS[0], -5, *range(1, 10), ZSTD_LEVELS[-1]]),
    ],
    ids=["gzip", "lz4", "zstd"],
)
def test_every_level_is_read_again(codec: CompressionType, levels: range) -> None:
    """All levels that Kafka's settings allow work, and the last one compresses better than the first."""
    data = TEXT[:20_000]
    stored = [compress(codec, data, level) for level in levels]
    assert all(bytes(decompress(codec, each, LIMIT)) == data for each in stored)
    assert len(stored[-1]) < len(stored[0])


def test_default_levels_are_kafkas() -> None:
    """gzip -1 is zlib's 6, zstd has 3; lz4's default 9 is the fast compressor, unlike 8 and 10."""
    gzip, lz4, zstd = CompressionType.GZIP, CompressionType.LZ4, CompressionType.ZSTD
    assert compress(gzip, TEXT) == compress(gzip, TEXT, -1) == compress(gzip, TEXT, 6) != compress(gzip, TEXT, 1)
    assert compress(zstd, TEXT) == compress(zstd, TEXT, 3) != compress(zstd, TEXT, 1)
    assert compress(lz4, TEXT) == compress(lz4, TEXT, 9)
    assert len(compress(lz4, TEXT, 9)) > max(len(compress(lz4, TEXT, 8)), len(compress(lz4, TEXT, 10)))


@pytest.mark.parametrize("codec", [CompressionType.GZIP, CompressionType.ZSTD])
def test_members_and_frames_follow_each_other(codec: CompressionType) -> None:
    """Two gzip members or two zstd frames are their contents one after the other, as Java reads them."""
    stored = squeezed(codec, TEXT) + squeezed(codec, b"and more")
    assert decompress(codec, stored, LIMIT) == TEXT + b"and more"
    stored = squeezed(codec, b"less") + squeezed(codec, TEXT)
    assert decompress(codec, stored, LIMIT) == b"less" + TEXT


def test_zstd_frames_may_be_skippable() -> None:
    """A frame that says that it can be skipped is skipped."""
    skippable = struct.pack("<II", 0x184D2A50, 5) + b"hello"
    stored = skippable + squeezed(CompressionType.ZSTD, TEXT) + skippable
    assert decompress(CompressionType.ZSTD, stored, LIMIT) == TEXT


def test_zstd_without_its_size_is_bounded() -> None:
    """A stream that does not say its size, as Java's writer makes them, is read, and bounded like the others."""
    stream = cramjam.zstd.Compressor()
    stream.compress(TEXT)
    stored = bytes(stream.finish())
    assert stored[4] >> 6 == 0  # no content size
    assert decompress(CompressionType.ZSTD, stored, len(TEXT)) == TEXT
    with pytest.raises(BatchTooLarge):
        decompress(CompressionType.ZSTD, stored, len(TEXT) - 1)


@pytest.mark.parametrize("claim", [0, 1, len(TEXT) - 1, len(TEXT) + 1, 2**31, 2**32 - 1])
def test_a_false_size_is_not_believed(claim: int) -> None:
    """The size in gzip's trailer and zstd's header is a first guess: a false one is corrupt, however large it is."""
    number = claim.to_bytes(4, "little")
    gzip, zstd = squeezed(CompressionType.GZIP, TEXT), squeezed(CompressionType.ZSTD, TEXT)
    assert gzip[-4:] == zstd[5:9] == len(TEXT).to_bytes(4, "little")
    with pytest.raises(CorruptBatch):
        decompress(CompressionType.GZIP, gzip[:-4] + number, LIMIT)
    with pytest.raises(CorruptBatch):
        decompress(CompressionType.ZSTD, zstd[:5] + number + zstd[9:], LIMIT)


def test_snappy_is_written_in_xerials_blocks() -> None:
    """The 16-byte header, then blocks of at most 32 KiB of data behind their lengths."""
    stored = squeezed(CompressionType.SNAPPY, TEXT)
    assert stored[:16] == b"\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"
    position, sizes = 16, []
    while position < len(stored):
        (length,) = struct.unpack_from(">I", stored, position)
        sizes.append(cramjam.snappy.decompress_raw_len(stored[position + 4 : position + 4 + length]))
        position += 4 + length
    assert sizes == [32_768] * (len(TEXT) // 32_768) + [len(TEXT) % 32_768]


def test_raw_snappy_is_read() -> None:
    """Clients that write one raw block without a header are understood, as Java's reader does."""
    raw = bytes(cramjam.snappy.compress_raw(TEXT))
    assert decompress(CompressionType.SNAPPY, raw, len(TEXT)) == TEXT
    with pytest.raises(BatchTooLarge):
        decompress(CompressionType.SNAPPY, raw, len(TEXT) - 1)


def test_a_snappy_size_that_cannot_be_is_corrupt() -> None:
    """A block that claims gigabytes is refused before anything is allocated for it, even under a large bound."""
    claim = b"\xff\xff\xff\xff\x0f" + bytes(20)
    for stored in (claim, b"\x82SNAPPY\x00" + b"\x00\x00\x00\x01" * 2 + struct.pack(">I", len(claim)) + claim):
        with pytest.raises(CorruptBatch, match="25 bytes cannot hold 4294967295"):
            decompress(CompressionType.SNAPPY, stored, 2**40)


def test_lz4_is_written_as_java_reads_it() -> None:
    """Version 1, independent blocks of 64 KiB, no content checksum."""
    stored = squeezed(CompressionType.LZ4, TEXT)
    assert stored[:4] == b"\x04\x22\x4d\x18"
    assert stored[4] & 0b1110_1111 == 0b0110_0000
    assert stored[5] == 0x40


@pytest.mark.parametrize("checksum", [False, True])
def test_lz4_frames_with_checksums_and_larger_blocks_are_read(checksum: bool) -> None:
    """Other clients choose other options of the frame."""
    stream = cramjam.lz4.Compressor(level=4, content_checksum=checksum, block_linked=False)
    stream.compress(TEXT)
    assert decompress(CompressionType.LZ4, bytes(stream.finish()), LIMIT) == TEXT


def java_lz4(data: bytes, *, packs: bool = True) -> bytes:
    """The frame that Java's clients write: blocks of 64 KiB, no checksums; blocks that do not shrink as they are."""
    pieces = [bytes.fromhex("04224d18604082")]
    for start in range(0, len(data), 1 << 16):
        block = data[start : start + (1 << 16)]
        packed = bytes(cramjam.lz4.compress_block(block, store_size=False))
        if packs and len(packed) < len(block):
            pieces += (len(packed).to_bytes(4, "little"), packed)
        else:
            pieces += ((len(block) | 1 << 31).to_bytes(4, "little"), block)
    return b"".join([*pieces, bytes(4)])


@pytest.mark.parametrize("size", [1, 100, 1 << 16, (1 << 16) + 1, 200_000])
@pytest.mark.parametrize("packs", [True, False])
def test_lz4_of_java_clients_is_read(size: int, packs: bool) -> None:
    """To the same bytes, within the bound, whether blocks are packed or stored as they were."""
    data = (TEXT * (1 + size // len(TEXT)))[:size]
    stored = java_lz4(data, packs=packs)
    assert bytes(decompress(CompressionType.LZ4, stored, size)) == data == bytes(cramjam.lz4.decompress(stored))
    with pytest.raises(DecompressedTooLarge):
        decompress(CompressionType.LZ4, stored, size - 1)


def test_lz4_of_java_clients_that_is_damaged_is_refused() -> None:
    """Whatever byte of a block is another one, there is an answer: bytes, or that they are damaged."""
    stored = java_lz4(TEXT)
    with pytest.raises(CorruptBatch):
        decompress(CompressionType.LZ4, stored[:-5] + stored[-4:], LIMIT)
    for at in range(7, len(stored)):
        with contextlib.suppress(CorruptBatch, DecompressedTooLarge):
            decompress(CompressionType.LZ4, stored[:at] + bytes([stored[at] ^ 0x55]) + stored[at + 1 :], LIMIT)


def test_lz4_blocks_that_claim_too_much_are_refused() -> None:
    """A block has at most 64 KiB, however much fits into the buffer."""
    packed = bytes(cramjam.lz4.compress_block(bytes(1 << 17), store_size=False))
    lying = bytes.fromhex("04224d18604082") + len(packed).to_bytes(4, "little") + packed + bytes(4)
    with pytest.raises(CorruptBatch):
        decompress(CompressionType.LZ4, lying, LIMIT)


def test_lz4_frames_that_java_cannot_read_are_refused() -> None:
    """Linked blocks, and a second frame that Java would never see."""
    with pytest.raises(CorruptBatch, match="blocks depend on each other"):
        decompress(CompressionType.LZ4, bytes(cramjam.lz4.compress(TEXT)), LIMIT)
    with pytest.raises(CorruptBatch, match="does not end where the data does"):
        decompress(CompressionType.LZ4, squeezed(CompressionType.LZ4, TEXT) * 2, LIMIT)


@pytest.mark.parametrize(
    ("at", "byte"), [(0, 5), (4, 0x20), (4, 0xE0), (4, 0x61), (4, 0x62), (5, 0x00), (5, 0x30)], ids=str
)
def test_lz4_options_that_are_unknown_are_refused(at: int, byte: int) -> None:
    """Another magic, version, reserved bit, dictionary or block size is no frame of Kafka's."""
    stored = bytearray(squeezed(CompressionType.LZ4, TEXT))
    stored[at] = byte
    with pytest.raises(CorruptBatch):
        decompress(CompressionType.LZ4, stored, LIMIT)
