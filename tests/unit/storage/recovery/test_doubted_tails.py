"""What is written anew after a disk has refused, and when."""

from dataclasses import replace

import pytest

from ottla.errors import DiskError, NodeDown
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.manager.loading import survey
from ottla.storage.recovery import doubted_tails
from ottla.storage.recovery.recovery import load_log
from ottla.world.api import World
from ottla.world.simulated.disk import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import Simulation
from tests.unit.storage.logs import CLEAN, CONFIG, DIRECTORY, ORDERS, Shelf, produced

TAIL = b"tail" * 1_000


def tail_after_power_loss(seed: int, *, marked: bool) -> bytes | None:
    """What is left of a tail whose sync failed, if the next life syncs it again and the power fails then.

    None if it could not even be read any more after the failure: then nobody believes that it is there.
    """
    simulation = Simulation(seed)
    path = "/data/orders-0/00000000000000000000.log"

    async def first(world: World) -> bool:
        world.disk.make_directory("/data/orders-0")
        file = world.disk.open(path, create=True)
        for name in ("/data/orders-0", "/data", "/"):
            world.disk.sync_directory(name)
        file.write(0, [TAIL])
        simulation.nodes["node"].disk.faults.begin(DiskFault(DiskFaultKind.SYNC_ERROR, path="/data", rate=1.0))
        with pytest.raises(DiskError) as failed:
            file.sync()
        simulation.nodes["node"].disk.faults.heal()
        if marked:
            LogDirectory(world.disk, "/data").go_offline(failed.value)
        return file.read(0, len(TAIL)) == TAIL

    async def second(world: World) -> None:
        directory = LogDirectory.open(world.disk, "/data")
        assert doubted_tails.is_marked(world.disk, "/data") is marked
        survey(world.disk, directory)
        assert not doubted_tails.is_marked(world.disk, "/data")
        world.disk.open(path).sync()

    async def scenario(world: World) -> bytes | None:
        disk = simulation.start("node", _waits).disk
        if not await simulation.call("node", first):
            return None
        simulation.kill("node")
        simulation.restart("node")
        await simulation.call("node", second)
        simulation.crash("node")
        return bytes(disk.content(path))

    return simulation.run(scenario).value


async def _waits(world: World) -> None:
    await world.future()


def test_a_tail_that_was_not_synced_is_written_anew() -> None:
    """After a failed sync a successful one says nothing, unless the bytes were written again before it."""
    seeds = range(12)
    marked = [tail for seed in seeds if (tail := tail_after_power_loss(seed, marked=True)) is not None]
    assert marked == [TAIL] * len(marked)
    assert any(tail_after_power_loss(seed, marked=False) == b"" for seed in seeds)


def test_only_what_is_above_the_recovery_point_is_written_anew() -> None:
    """Segments below the one with the recovery point are on the disk, and left alone; deleted ones too."""
    simulation = Simulation(1)

    async def scenario(world: World) -> list[str]:
        world.disk.make_directory("/log")
        names = [f"{offset:020}.log{state}" for offset, state in ((0, ""), (10, ""), (20, ""), (20, ".deleted"))]
        for name in (*names, f"{20:020}.index"):
            world.disk.open(f"/log/{name}", create=True).write(0, [b"x"])
        written: list[str] = []
        opened = world.disk.open

        class Noting:
            def __getattr__(self, name: str) -> object:
                return getattr(world.disk, name)

            def open(self, path: str, *, create: bool = False) -> object:
                written.append(path)
                return opened(path, create=create)

        doubted_tails.write_anew(Noting(), "/log", 15)  # type: ignore[arg-type]
        return written

    assert simulation.run(scenario).value == [f"/log/{10:020}.log", f"/log/{20:020}.log"]


@pytest.mark.parametrize("is_closing", [False, True])
def test_a_sync_that_failed_is_marked_before_anybody_hears_of_it(*, is_closing: bool) -> None:
    """A process that is killed while the loop has yet to hear of a failed sync leaves the mark all the same."""
    simulation = Simulation(3)
    slow = DiskFault(DiskFaultKind.SLOW, path="/data", delay_ms=5_000)

    async def live(world: World) -> None:
        world.disk.make_directory("/data")
        services = replace(Shelf(world).services, marked_directory="/data")
        log, _ = await load_log(services, ORDERS, DIRECTORY, CONFIG, CLEAN)
        log.append_as_leader(produced(), 0)
        if is_closing:
            await log.flush()
        faults = simulation.nodes["node"].disk.faults
        faults.begin(DiskFault(DiskFaultKind.SYNC_ERROR, path="/data", rate=1.0))
        faults.begin(slow)
        await (log.close() if is_closing else log.sync())

    async def look(world: World) -> bool:
        return doubted_tails.is_marked(world.disk, "/data")

    async def scenario(world: World) -> bool:
        simulation.start("node", _waits)
        living = world.spawn(simulation.call("node", live), "live")
        await world.clock.sleep(1_000)
        simulation.kill("node")
        with pytest.raises(NodeDown):
            await living
        simulation.nodes["node"].disk.faults.heal()
        simulation.restart("node")
        return await simulation.call("node", look)

    assert simulation.run(scenario).value
