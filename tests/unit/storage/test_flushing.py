"""Bringing a log to the disk: what a flush brings, who is told, and what a disk that refuses does to them."""

from dataclasses import replace

import pytest

from ottla.errors import DiskError
from ottla.storage.names import FileKind
from ottla.storage.recovery.recovery import StartingPoint
from ottla.world.api import World
from ottla.world.simulated.disk import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld
from tests.unit.storage.logs import CONFIG, DIRECTORY, Shelf, offsets_from, produced, run

LARGE = replace(CONFIG, segment_bytes=2**20)


def test_a_flush_brings_what_the_recovery_point_needs() -> None:
    """When the recovery point has moved, index entries and leader epochs below it are in their files."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(LARGE)
        for at in range(40):
            log.append_as_leader(produced(), at // 10)
        active = log.segments.active
        entries = active.loaded_indexes()[0].encode()
        assert len(entries) > 8
        assert not world.disk.exists(f"{DIRECTORY}/leader-epoch-checkpoint")
        await log.flush()
        assert log.recovery_point == 40
        assert world.disk.open(active.path(FileKind.OFFSET_INDEX)).read(0, len(entries)) == entries
        assert world.disk.open(f"{DIRECTORY}/leader-epoch-checkpoint").read(0, 99) == b"0\n4\n0 0\n1 10\n2 20\n3 30\n"
        await log.flush()

    run(main)


def test_a_rolled_segment_is_flushed_by_itself() -> None:
    """After a roll the recovery point moves up to the new segment, without anybody who waits."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(CONFIG)
        while len(log.segments) < 3:
            log.append_as_leader(produced(), 0)
        await world.clock.sleep(1_000)
        assert log.recovery_point == log.segments.active.base_offset

    run(main)


def test_who_waits_is_told_when_the_disk_refuses() -> None:
    """An fsync that fails ends the log: everybody who waits gets the error, and so does whoever comes later."""

    async def scenario(world: SimulatedWorld) -> None:
        shelf = Shelf(world)
        log = await shelf.log(LARGE)
        log.append_as_leader(produced(), 0)
        simulation.nodes["scenario"].disk.faults.begin(DiskFault(DiskFaultKind.SYNC_ERROR))
        failures: list[str] = []

        async def wait(name: str) -> None:
            try:
                await (log.flush() if name == "flush" else log.sync())
            except DiskError:
                failures.append(name)

        async with world.group() as group:
            for name in ("sync", "flush", "another"):
                group.spawn(wait(name), name)
        assert failures == ["sync", "flush", "another"]
        assert len(shelf.errors) == 1
        assert (log.flushed_offset, log.recovery_point) == (0, 0)
        with pytest.raises(DiskError):
            await log.sync()
        with pytest.raises(DiskError):
            log.append_as_leader(produced(), 0)

    simulation = Simulation(0)
    simulation.run(scenario)


@pytest.mark.parametrize("seed", range(10))
def test_a_write_that_failed_half_way_shows_nothing(seed: int) -> None:
    """Whatever part of a batch is in the file, nobody reads it, and the next start goes on behind the whole ones."""

    async def scenario(world: SimulatedWorld) -> None:
        shelf = Shelf(world)
        log = await shelf.log(LARGE)
        for _ in range(3):
            log.append_as_leader(produced(2), 0)
        fault = DiskFault(DiskFaultKind.WRITE_ERROR)
        faults = simulation.nodes["scenario"].disk.faults
        faults.begin(fault)
        with pytest.raises(DiskError):
            log.append_as_leader(produced(2), 0)
        faults.end(fault)
        assert log.log_end_offset == 6
        assert await offsets_from(log) == list(range(6))
        again = await Shelf(world).log(LARGE, StartingPoint(is_clean=False))
        assert again.log_end_offset in (6, 8), "a batch that was written whole was never answered, and may be there"
        assert await offsets_from(again) == list(range(again.log_end_offset))

    simulation = Simulation(seed)
    simulation.run(scenario)


def test_a_flush_of_what_was_cut_ends() -> None:
    """A recovery point that was asked for, and that a truncation then took away, keeps nobody busy."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(LARGE)
        for _ in range(10):
            log.append_as_leader(produced(), 0)
        log.request_flush()
        await world.timeout(1_000, log.truncate_to(3))
        await world.timeout(1_000, log.settled())
        assert (log.recovery_point, log.log_end_offset) == (3, 3)

    run(main)
