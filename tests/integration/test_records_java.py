"""Batches of ours in a segment file, read by Kafka's own `kafka-dump-log`."""

import re
from pathlib import Path

import cramjam
import pytest
from crc32c import crc32c

from ottla.errors import CorruptBatch
from ottla.protocol.records.batch import CompressionType, RecordBatch
from ottla.protocol.records.builder import BatchFields, seal
from ottla.protocol.records.compression import compress
from ottla.protocol.records.record import columns_of, records_of
from tests.integration.peer.jars import run_class
from tests.integration.record_batches import PRODUCER_ID, Written, written_log
from tests.unit.protocol.records.sections import record


def dump(folder: Path, data: bytes) -> list[str]:
    """Every line that Kafka's tool prints about a segment."""
    segment = folder / "00000000000000000000.log"
    segment.write_bytes(data)
    arguments = ("--deep-iteration", "--print-data-log", "--files", str(segment))
    return run_class("org.apache.kafka.tools.DumpLogSegments", *arguments).splitlines()


@pytest.fixture(scope="module")
def log() -> list[Written]:
    """What is written."""
    return written_log()


@pytest.fixture(scope="module")
def dumped(log: list[Written], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What Kafka's tool says of a segment that holds it, line by line."""
    return dump(tmp_path_factory.mktemp("golden-0"), b"".join(written.data for written in log))


def test_java_finds_every_batch_valid(log: list[Written], dumped: list[str]) -> None:
    """Each batch has the offsets, size, codec and flags that we gave it, and its checksum is right."""
    lines = [line for line in dumped if line.startswith("baseOffset:")]
    assert len(lines) == len(log)
    position = 0
    for line, written in zip(lines, log, strict=True):
        batch = RecordBatch(memoryview(written.data))
        said = dict(re.findall(r"(\w+): (\S+)", line))
        assert (int(said["baseOffset"]), int(said["lastOffset"])) == (batch.base_offset, batch.last_offset)
        assert (int(said["count"]), int(said["size"]), int(said["position"])) == (
            batch.count,
            batch.size_bytes,
            position,
        )
        assert said["isvalid"] == "true"
        assert int(said["crc"]) == batch.crc
        assert said["compresscodec"] == batch.compression_type.name.lower()
        assert said["isTransactional"] == str(batch.is_transactional).lower()
        assert said["isControl"] == str(batch.is_control).lower()
        assert int(said["producerId"]) == batch.producer_id
        assert (int(said["baseSequence"]), int(said["lastSequence"])) == (batch.base_sequence, batch.last_sequence)
        horizon = batch.delete_horizon_ms
        assert said["deleteHorizonMs"] == ("OptionalLong.empty" if horizon is None else f"OptionalLong[{horizon}]")
        position += batch.size_bytes


def test_java_reads_every_record(log: list[Written], dumped: list[str]) -> None:
    """Offsets, timestamps, sizes, header keys, keys and values: all as we wrote them, from every codec."""
    lines = "\n".join(dumped).split("\n| offset: ")[1:]
    expected = [each for written in log for each in written.records]
    lines = [line for line in lines if "endTxnMarker" not in line]
    assert len(lines) == len(expected)
    for line, each in zip(lines, expected, strict=True):
        said = re.match(r"(\d+) CreateTime: (\d+) keySize: (-?\d+) valueSize: (-?\d+) .*headerKeys: \[(.*?)\]", line)
        assert said, line
        key_size = -1 if each.key is None else len(each.key)
        value_size = -1 if each.value is None else len(each.value)
        assert [int(number) for number in said.groups()[:4]] == [each.offset, each.timestamp, key_size, value_size]
        assert said[5] == ",".join(header.key for header in each.headers)
        if each.key:
            assert f" key: {each.key.decode()}" in line
        if each.value:
            assert f" payload: {each.value.decode()}" in line


def test_java_sees_the_marker(dumped: list[str]) -> None:
    """A control batch of ours is a transaction marker to Kafka."""
    (marker,) = (line for line in dumped if "endTxnMarker" in line)
    assert "endTxnMarker: COMMIT coordinatorEpoch: 3" in marker
    (batch,) = (line for line in dumped if "isControl: true" in line)
    assert f"producerId: {PRODUCER_ID + 1} " in batch


def foreign(codec: CompressionType, stored: bytes, offset: int) -> bytes:
    """A batch of two records around a compressed block that our own compressor would not make."""
    fields = BatchFields(base_offset=offset)
    whole = seal(stored, fields, count=2, last_offset_delta=1, base_timestamp=5, max_timestamp=5)
    whole[22] |= codec
    whole[17:21] = crc32c(bytes(whole[21:])).to_bytes(4, "big")
    return bytes(whole)


def lz4(data: bytes) -> bytes:
    """A frame of independent blocks."""
    return bytes(compress(CompressionType.LZ4, data))


ONE, OTHER = record(0, 0, b"k", b"one", ((b"\xff not text", b"x"),)), record(0, 1, b"k", b"other")
SKIPPABLE = b"\x50\x2a\x4d\x18\x02\x00\x00\x00hi"
READABLE = [
    (CompressionType.NONE, ONE + OTHER),
    (CompressionType.GZIP, bytes(cramjam.gzip.compress(ONE)) + bytes(cramjam.gzip.compress(OTHER))),
    (CompressionType.SNAPPY, bytes(cramjam.snappy.compress_raw(ONE + OTHER))),
    (CompressionType.ZSTD, bytes(cramjam.zstd.compress(ONE)) + SKIPPABLE + bytes(cramjam.zstd.compress(OTHER))),
]
UNREADABLE = [
    (CompressionType.LZ4, bytes(cramjam.lz4.compress(ONE + OTHER)), "Dependent block stream is unsupported"),
    (CompressionType.LZ4, lz4(ONE) + lz4(OTHER), "Incorrect declared batch size, premature EOF reached"),
]


def test_what_else_we_accept_java_reads_too(tmp_path: Path) -> None:
    """Several gzip members and zstd frames, raw snappy, header keys that are not UTF-8: the same records for both."""
    made = [foreign(codec, stored, 2 * at) for at, (codec, stored) in enumerate(READABLE)]
    for data in made:
        assert [each.value for each in records_of(RecordBatch(memoryview(data)))] == [b"one", b"other"]
    lines = dump(tmp_path, b"".join(made))
    assert [line.rpartition("payload: ")[2] for line in lines if line.startswith("|")] == ["one", "other"] * len(made)


@pytest.mark.parametrize(("codec", "stored", "complaint"), UNREADABLE, ids=["linked blocks", "two frames"])
def test_what_java_cannot_read_we_refuse(tmp_path: Path, codec: CompressionType, stored: bytes, complaint: str) -> None:
    """A batch that would stop every Java consumer of a partition is corrupt to us, although we could read it."""
    data = foreign(codec, stored, 0)
    with pytest.raises(CorruptBatch):
        columns_of(RecordBatch(memoryview(data)))
    with pytest.raises(AssertionError, match=complaint):
        dump(tmp_path, data)
