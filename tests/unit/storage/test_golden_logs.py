"""Logs that Apache Kafka wrote are loaded, read and recovered here, and what we make of them is what Kafka made."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ottla.storage.log_config import LogConfig
from ottla.storage.names import FileKind, FileName, FileState, parse_file_name
from ottla.storage.recovery.recovery import StartingPoint
from ottla.world.api import World
from tests.unit.storage.log_checks import check_log
from tests.unit.storage.logs import Shelf, batches_from, run

GOLDEN = Path(__file__).parents[2] / "golden" / "kafka-4.3-logs"
CONFIG = LogConfig()
# Topic, settings that say something here, log start, log end; see origin.json and the checkpoints.
LOGS = {
    "golden-plain": (replace(CONFIG, index_interval_bytes=200, segment_ms=3_600_000), 0, 75),
    "golden-transactions": (replace(CONFIG, segment_ms=3_600_000), 0, 12),
    "golden-epochs": (CONFIG, 0, 8),
    "golden-compacted": (replace(CONFIG, compact=True), 0, 14),
    "golden-short": (CONFIG, 4, 11),
}
MADE_ANEW = (FileKind.OFFSET_INDEX, FileKind.TIME_INDEX, FileKind.TRANSACTION_INDEX)


def files_of(topic: str) -> dict[FileName, bytes]:
    """The files of a partition that have offsets in their names."""
    found = {parse_file_name(path.name): path.read_bytes() for path in (GOLDEN / f"{topic}-0").iterdir()}
    return {name: data for name, data in found.items() if name is not None and name.state is FileState.LIVE}


def put(world: World, topic: str, *, without: tuple[FileKind, ...] = ()) -> str:
    """Put a partition's directory on a world's disk."""
    directory = f"/{topic}-0"
    world.disk.make_directory(directory)
    epochs = GOLDEN / f"{topic}-0" / "leader-epoch-checkpoint"
    contents = {epochs.name: epochs.read_bytes()}
    contents |= {str(name): data for name, data in files_of(topic).items() if name.kind not in without}
    for name, data in contents.items():
        world.disk.open(f"{directory}/{name}", create=True).write(0, [data])
    return directory


def shelf_in(world: World) -> Shelf:
    """A log directory whose producers are not forgotten for being old."""
    shelf = Shelf(world)
    shelf.services = replace(shelf.services, producer_id_expiration_ms=2**62)
    return shelf


@pytest.mark.parametrize("topic", LOGS)
@pytest.mark.parametrize("is_clean", [True, False])
def test_kafkas_log_is_loaded(topic: str, *, is_clean: bool) -> None:
    """After Kafka's clean stop its log is trusted, and after none it is looked through: the same batches either way."""
    config, start_offset, end_offset = LOGS[topic]

    async def main(world: World) -> None:
        directory = put(world, topic)
        start = StartingPoint(is_clean, end_offset if is_clean else 0, start_offset)
        log, report = await shelf_in(world).load(config, start, directory)
        assert (log.log_start_offset, log.log_end_offset) == (start_offset, end_offset)
        assert (report.truncated_bytes, report.deleted_segments) == (0, 0)
        assert is_clean == (report.checked_bytes == 0)
        log.update_high_watermark(end_offset)
        found = check_log(log, is_compacted=config.compact)
        assert [(batch.base_offset, batch.last_offset, batch.crc) for batch in found] == dumped(topic)
        some = await batches_from(log, start_offset)
        assert some[0].last_offset >= start_offset
        assert some[-1].next_offset <= end_offset

    run(main)


@pytest.mark.parametrize("topic", LOGS)
def test_what_is_made_anew_is_what_kafka_made(topic: str) -> None:
    """Without its indexes a log gets them back, byte for byte as Kafka wrote them, and its last snapshot likewise."""
    config, start_offset, end_offset = LOGS[topic]

    async def main(world: World) -> None:
        directory = put(world, topic, without=(*MADE_ANEW, FileKind.PRODUCER_SNAPSHOT))
        start = StartingPoint(is_clean=False, recovery_point=0, log_start_offset=start_offset)
        log, _ = await shelf_in(world).load(config, start, directory)
        await log.close()
        for name, data in files_of(topic).items():
            if name.kind in MADE_ANEW or (name.kind is FileKind.PRODUCER_SNAPSHOT and name.offset == end_offset):
                made = world.disk.open(f"{directory}/{name}").read(0, 10**6)
                assert made == data, str(name)

    run(main)


def dumped(topic: str) -> list[tuple[int, int, int]]:
    """Base offset, last offset and checksum of each batch, as kafka-dump-log prints them."""
    found = []
    for path in sorted((GOLDEN / f"{topic}-0").glob("*.log.dump")):
        for line in path.read_text().splitlines():
            if match := re.match(r"baseOffset: (\d+) lastOffset: (\d+) .*crc: (\d+)", line):
                found.append((int(match[1]), int(match[2]), int(match[3])))
    return found
