"""The quorum's log on a disk: what a crash in the middle leaves, and what real Kafkas have left."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from ottla.cluster.metadata.snapshot_file import SnapshotHead, write_snapshot
from ottla.cluster.raft.config import MetadataLogConfig
from ottla.cluster.raft.control import VotersAt, voter_changes
from ottla.cluster.raft.disk_log import DiskRaftLog
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT, OffsetAndEpoch
from ottla.cluster.raft.snapshots import file_name
from ottla.errors import CorruptFile
from ottla.protocol.records.batch import batches
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.uuids import METADATA_TOPIC_ID, uuid_text
from ottla.storage.log_config import LogConfig
from ottla.storage.whole_file import read_whole_file, replace_whole_file
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.unit.cluster.raft.shells import LOG_DIRECTORY, METADATA

GOLDEN = Path(__file__).parents[3] / "golden"
CONFIG = MetadataLogConfig()
SMALL = MetadataLogConfig(
    LogConfig(segment_bytes=300, file_delete_delay_ms=1_000, retention_ms=None), retention_bytes=0
)


def simulate(main: Callable[[SimulatedWorld], Coroutine[Any, Any, Any]]) -> Any:
    """In a world of its own."""
    return Simulation(1).run(main).value


async def opened(world: SimulatedWorld, config: MetadataLogConfig = CONFIG) -> DiskRaftLog:
    """The log that is there."""
    world.disk.make_directory(LOG_DIRECTORY)
    return await DiskRaftLog.open(world, LOG_DIRECTORY, config, lambda _: None)


def batch(base_offset: int, epoch: int = 1, count: int = 1) -> bytes:
    """A batch with its place in it."""
    builder = BatchBuilder(BatchFields(base_offset, epoch))
    for _ in range(count):
        builder.append(0, None, b"value")
    return bytes(builder.build())


def snapshot(snapshot_id: OffsetAndEpoch, timestamp: int = 0) -> list[bytearray]:
    """A snapshot of nothing."""
    return list(write_snapshot(snapshot_id.epoch, SnapshotHead(timestamp), [], 0))


def names(world: SimulatedWorld) -> list[str]:
    """What lies beside each other."""
    return [entry.name for entry in world.disk.list(METADATA)]


@pytest.mark.parametrize("release", ["4.3", "3.9"])
def test_a_log_of_kafkas_opens(release: str) -> None:
    """What a real Kafka has left is a log of ours: its batches, its snapshots, its voters, and its last election."""
    folder = GOLDEN / f"kafka-{release}-metadata"
    files = [file for file in folder.iterdir() if file.suffix in (".log", ".checkpoint") or file.name == "quorum-state"]
    expected = list(batches(memoryview((folder / "00000000000000000000.log").read_bytes())))

    async def main(world: SimulatedWorld) -> None:
        world.disk.make_directory(METADATA)
        for file in files:
            if file.name != "bootstrap.checkpoint":
                replace_whole_file(world.disk, f"{METADATA}/{file.name}", file.read_bytes())
        log = await opened(world)
        assert (log.start_offset, log.end_offset, log.last_epoch) == (0, expected[-1].next_offset, 1)
        assert [file_name(each) for each in log.snapshots.ids] == sorted(
            file.name for file in files if file.suffix == ".checkpoint" and file.name != "bootstrap.checkpoint"
        )
        latest = log.latest_snapshot
        assert latest is not None
        assert log.high_watermark == latest.offset
        assert [bytes(each.view) for each in batches(memoryview(log.read(0, 10**9)))] == [
            bytes(each.view) for each in expected
        ]
        stored = await log.read_election()
        assert stored is not None
        assert (stored.epoch, stored.leader_id) == (1, 1)
        changes, _ = voter_changes(log.read_snapshot(latest, 0, 65_536))
        has_voters = any(isinstance(change, VotersAt) for change in changes)
        assert has_voters == (release == "4.3")
        await log.close()

    simulate(main)


def test_the_directory_says_whose_it_is() -> None:
    """The topic id of the metadata stands in partition.metadata before there is any record."""

    async def main(world: SimulatedWorld) -> None:
        log = await opened(world)
        said = read_whole_file(world.disk, f"{METADATA}/partition.metadata").decode()
        assert said == f"version: 0\ntopic_id: {uuid_text(METADATA_TOPIC_ID)}"
        await log.close()

    simulate(main)


@pytest.mark.parametrize("snapshot_id", [OffsetAndEpoch(9, 1), OffsetAndEpoch(3, 2), OffsetAndEpoch(9, 2)])
def test_a_log_that_its_snapshot_is_not_of_begins_anew(snapshot_id: OffsetAndEpoch) -> None:
    """A crash between a leader's snapshot getting its name and the cut of the log: the next start makes the cut."""

    async def main(world: SimulatedWorld) -> None:
        log = await opened(world, SMALL)
        for offset in range(5):
            log.append(batch(offset), 1)
        await log.close()
        replace_whole_file(world.disk, f"{METADATA}/{file_name(snapshot_id)}", b"".join(snapshot(snapshot_id)))
        log = await opened(world, SMALL)
        assert (log.start_offset, log.end_offset, log.high_watermark) == (snapshot_id.offset,) * 3
        assert log.last_epoch == snapshot_id.epoch
        log.append(batch(snapshot_id.offset, 2), 2)
        await log.close()
        log = await opened(world, SMALL)
        assert (log.start_offset, log.end_offset) == (snapshot_id.offset, snapshot_id.offset + 1)
        await log.close()

    simulate(main)


def test_a_log_that_holds_its_snapshot_stays() -> None:
    """A snapshot of our own changes nothing of the log behind it."""

    async def main(world: SimulatedWorld) -> None:
        log = await opened(world)
        log.append(batch(0, count=3), 1)
        log.append(batch(3, count=2), 1)
        log.update_high_watermark(3)
        assert await log.take_snapshot(OffsetAndEpoch(3, 1), snapshot(OffsetAndEpoch(3, 1)))
        await log.close()
        log = await opened(world)
        assert (log.start_offset, log.high_watermark, log.end_offset) == (0, 3, 5)
        await log.close()

    simulate(main)


def test_a_log_without_its_beginning_needs_a_snapshot() -> None:
    """Where the log does not begin at 0 and no snapshot stands for the rest, somebody has removed it: no start."""

    async def main(world: SimulatedWorld) -> None:
        world.disk.make_directory(METADATA)
        replace_whole_file(world.disk, f"{METADATA}/00000000000000000007.log", batch(7))
        with pytest.raises(CorruptFile, match="begins at offset 7"):
            await opened(world)

    simulate(main)


def test_old_snapshots_go_with_the_log_before_them() -> None:
    """What is larger than the retention goes: old snapshots at once for readers, their files and segments later."""

    async def main(world: SimulatedWorld) -> None:
        log = await opened(world, SMALL)
        for offset in range(20):
            log.append(batch(offset), 1)
            log.update_high_watermark(offset + 1)
            if offset % 5 == 4:
                taken = OffsetAndEpoch(offset + 1, 1)
                assert await log.take_snapshot(taken, snapshot(taken))
        assert log.snapshots.ids == [OffsetAndEpoch(20, 1)]
        assert log.start_offset == 20
        assert any(name.endswith(".checkpoint.deleted") for name in names(world))
        await world.clock.sleep(2_000)
        left = names(world)
        assert [name for name in left if name.endswith((".checkpoint", ".deleted"))] == [
            file_name(OffsetAndEpoch(20, 1))
        ]
        assert len([name for name in left if name.endswith(".log")]) == 1
        await log.close()

    simulate(main)


def test_snapshots_are_kept_as_long_as_they_may() -> None:
    """Within metadata.max.retention.ms and .bytes nothing goes, and by age only what is too old."""
    config = MetadataLogConfig(retention_ms=60_000)

    async def main(world: SimulatedWorld) -> None:
        log = await opened(world, config)
        for offset, age_ms in enumerate((90_000, 50_000, 40_000)):
            log.append(batch(offset), 1)
            log.update_high_watermark(offset + 1)
            taken = OffsetAndEpoch(offset + 1, 1)
            assert await log.take_snapshot(taken, snapshot(taken, world.clock.wall_ms() - age_ms))
        assert log.snapshots.ids == [OffsetAndEpoch(2, 1), OffsetAndEpoch(3, 1)]
        await log.close()

    simulate(main)


def test_what_a_stop_left_unfinished_goes() -> None:
    """Parts of snapshots, and those that were to be deleted, are removed at the next start; others stay."""

    async def main(world: SimulatedWorld) -> None:
        log = await opened(world)
        log.write_snapshot(OffsetAndEpoch(5, 1), 0, b"a part")
        await log.close()
        world.disk.open(f"{METADATA}/00000000000000000005-0000000001.checkpoint.deleted", create=True).close()
        whole = f"{METADATA}/{file_name(BOOTSTRAP_SNAPSHOT)}"
        replace_whole_file(world.disk, whole, b"".join(snapshot(BOOTSTRAP_SNAPSHOT)))
        assert any(name.endswith(".checkpoint.part") for name in names(world))
        log = await opened(world)
        assert [name for name in names(world) if ".checkpoint" in name] == [file_name(BOOTSTRAP_SNAPSHOT)]
        assert log.latest_snapshot == BOOTSTRAP_SNAPSHOT
        assert log.high_watermark == 0
        await log.close()

    simulate(main)


def test_a_snapshot_that_comes_too_late_is_none() -> None:
    """While we wrote ours, the leader's newer one came: ours is dropped."""

    async def main(world: SimulatedWorld) -> None:
        log = await opened(world)
        log.append(batch(0), 1)
        log.update_high_watermark(1)
        taking = world.spawn(log.take_snapshot(OffsetAndEpoch(1, 1), snapshot(OffsetAndEpoch(1, 1))), "take")
        await world.clock.sleep(0)
        log.write_snapshot(OffsetAndEpoch(9, 2), 0, b"".join(snapshot(OffsetAndEpoch(9, 2))))
        await log.install_snapshot(OffsetAndEpoch(9, 2))
        assert not await taking
        assert log.snapshots.ids == [OffsetAndEpoch(9, 2)]
        assert [name for name in names(world) if name.endswith(".part")] == []
        await log.close()

    simulate(main)
