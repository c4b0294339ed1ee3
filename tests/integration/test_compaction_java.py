"""Segments that our cleaner wrote, read by Kafka's own `kafka-dump-log`: batches, indexes, aborted transactions."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from ottla.protocol.records.batch import CompressionType, RecordBatch, batches
from ottla.protocol.records.builder import BatchFields
from ottla.storage.cleaner.cleaning import Cleaning, CleaningMeans
from ottla.storage.cleaner.policy import LogState, cleanable
from ottla.storage.cleaner.throttle import Throttle
from ottla.storage.log import Log
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import LogServices
from ottla.storage.names import TopicPartition
from ottla.storage.recovery.recovery import StartingPoint, load_log
from ottla.storage.segments.open_files import OpenFiles
from ottla.world.api import World
from ottla.world.real.run import run
from tests.integration.peer.jars import run_class
from tests.unit.storage.cleaner.filled import end_transaction, refused, write

CONFIG = LogConfig(
    compact=True, delete=False, segment_bytes=30_000, segment_index_bytes=1_200, index_interval_bytes=500
)
VALUE = b"v" * 150


class Compacted(NamedTuple):
    """A log's directory after its cleaning, and the batches of its first segment."""

    directory: Path
    data: bytes
    batches: list[RecordBatch]


def fill(log: Log) -> None:
    """Overwritten keys in all codecs, tombstones, an idempotent producer's last batch, two transactions."""
    for number in range(60):
        codec = list(CompressionType)[number % 5]
        pairs = [(b"key-%d" % (number % 7 + at), VALUE) for at in range(4)]
        write(log, *pairs, (b"only-%d" % number, VALUE), codec=codec)
    write(log, (b"gone", None), codec=CompressionType.LZ4)
    write(log, (b"key-1", VALUE), fields=BatchFields(producer_id=3, producer_epoch=0, base_sequence=0))
    write(log, (b"key-1", VALUE))
    for producer_id, committed in ((8, True), (9, False)):
        fields = BatchFields(producer_id=producer_id, producer_epoch=0, base_sequence=0, is_transactional=True)
        write(log, (b"in-%d" % producer_id, VALUE), (b"key-2", VALUE), fields=fields)
        end_transaction(log, producer_id, committed=committed)
    write(log, (b"end", VALUE))


@pytest.fixture(scope="module")
def compacted(tmp_path_factory: pytest.TempPathFactory) -> Compacted:
    """The log."""
    root = tmp_path_factory.mktemp("logs")
    directory = root / "topic-0"

    async def main(world: World) -> None:
        services = LogServices(world, OpenFiles(world.disk, 50), refused, is_verification_required=False)
        log, _ = await load_log(services, TopicPartition("topic", 0), str(directory), CONFIG, StartingPoint(True))
        fill(log)
        log.roll()
        for _ in range(2):  # what is small after the first becomes one segment in the second
            state = LogState(list(log.segments), log.log_start_offset, log.log_end_offset, log.last_stable_offset)
            part = cleanable(state, CONFIG, None, world.clock.wall_ms())
            await Cleaning(log, part, CleaningMeans(world, Throttle(1e300))).run()
        assert len(log.segments) == 2
        await log.close()

    run(main)
    data = (directory / f"{0:020}.log").read_bytes()
    return Compacted(directory, data, list(batches(memoryview(data))))


def test_what_there_is_to_read(compacted: Compacted) -> None:
    """The segment has what compaction can leave behind: losses in every codec, empty headers, horizons, markers."""
    found = compacted.batches
    assert {batch.compression_type for batch in found if batch.count < batch.last_offset_delta + 1} == set(
        CompressionType
    )
    assert [batch.producer_id for batch in found if batch.count == 0] == [3, 9]
    assert [batch.delete_horizon_ms is not None for batch in found].count(True) == 1
    assert [batch.producer_id for batch in found if batch.is_control] == [8, 9]


def test_batches(compacted: Compacted) -> None:
    """Kafka's tool reads every batch and every record of it, and finds the checksums right."""
    segment = compacted.directory / f"{0:020}.log"
    arguments = ("--deep-iteration", "--print-data-log", "--files", str(segment))
    lines = run_class("org.apache.kafka.tools.DumpLogSegments", *arguments).splitlines()
    said = [dict(re.findall(r"(\w+): (\S+)", line)) for line in lines if line.startswith("baseOffset:")]
    assert [(int(one["baseOffset"]), int(one["lastOffset"]), int(one["count"])) for one in said] == [
        (batch.base_offset, batch.last_offset, batch.count) for batch in compacted.batches
    ]
    assert all(one["isvalid"] == "true" for one in said)
    horizons = [one["deleteHorizonMs"] for one in said]
    assert horizons == [
        "OptionalLong.empty" if batch.delete_horizon_ms is None else f"OptionalLong[{batch.delete_horizon_ms}]"
        for batch in compacted.batches
    ]
    assert len([line for line in lines if line.startswith("|")]) == sum(batch.count for batch in compacted.batches)


@pytest.mark.parametrize("ending", ["index", "timeindex"])
def test_indexes(compacted: Compacted, ending: str) -> None:
    """Kafka's tool finds no mismatch between an index and the segment, and there is something in it."""
    path = compacted.directory / f"{0:020}.{ending}"
    assert path.stat().st_size > 0
    said = run_class("org.apache.kafka.tools.DumpLogSegments", "--verify-index-only", "--files", str(path))
    assert "Mismatches" not in said
    assert "not found" not in said
    assert "Found timestamp mismatch" not in said


def test_aborted_transactions(compacted: Compacted) -> None:
    """The transaction index lists the transaction whose marker is still there."""
    path = compacted.directory / f"{0:020}.txnindex"
    said = run_class("org.apache.kafka.tools.DumpLogSegments", "--files", str(path))
    assert re.findall(r"producerId: (\d+)", said) == ["9"]
