"""Batches of ours in a segment file, read by Kafka's own `kafka-dump-log`."""

import re
from pathlib import Path

import pytest

from ottla.protocol.records.batch import RecordBatch
from tests.integration.peer.jars import run_class
from tests.integration.record_batches import PRODUCER_ID, Written, written_log


@pytest.fixture(scope="module")
def log() -> list[Written]:
    """What is written."""
    return written_log()


@pytest.fixture(scope="module")
def dumped(log: list[Written], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What Kafka's tool says of a segment that holds it, line by line."""
    segment: Path = tmp_path_factory.mktemp("golden-0") / "00000000000000000000.log"
    segment.write_bytes(b"".join(written.data for written in log))
    arguments = ("--deep-iteration", "--print-data-log", "--files", str(segment))
    return run_class("org.apache.kafka.tools.DumpLogSegments", *arguments).splitlines()


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
    records = [record for written in log for record in written.records]
    lines = [line for line in lines if "endTxnMarker" not in line]
    assert len(lines) == len(records)
    for line, record in zip(lines, records, strict=True):
        said = re.match(r"(\d+) CreateTime: (\d+) keySize: (-?\d+) valueSize: (-?\d+) .*headerKeys: \[(.*?)\]", line)
        assert said, line
        key_size = -1 if record.key is None else len(record.key)
        value_size = -1 if record.value is None else len(record.value)
        assert [int(number) for number in said.groups()[:4]] == [record.offset, record.timestamp, key_size, value_size]
        assert said[5] == ",".join(header.key for header in record.headers)
        if record.key:
            assert f" key: {record.key.decode()}" in line
        if record.value:
            assert f" payload: {record.value.decode()}" in line


def test_java_sees_the_marker(dumped: list[str]) -> None:
    """A control batch of ours is a transaction marker to Kafka."""
    (marker,) = (line for line in dumped if "endTxnMarker" in line)
    assert "endTxnMarker: COMMIT coordinatorEpoch: 3" in marker
    (batch,) = (line for line in dumped if "isControl: true" in line)
    assert f"producerId: {PRODUCER_ID + 1} " in batch
