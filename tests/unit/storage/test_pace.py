"""How a log directory becomes slow, and recovers."""

from ottla.storage.pace import QUICK_WRITES, RECOVERY_NS, SLOW_WRITE_NS, DiskPace
from ottla.world.api import World
from ottla.world.simulated.disk import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld
from tests.unit.storage.logs import run


def test_a_directory_recovers_after_quick_writes_and_a_while() -> None:
    """Neither many quick writes at once nor time alone make a directory quick again: it takes both."""

    async def main(world: World) -> None:
        many, late, states = DiskPace(), DiskPace(), list[bool]()
        for pace in (many, late):
            states.append(pace.is_slow)
            pace.was_slow(world.clock.monotonic_ns())
        for _ in range(QUICK_WRITES):
            assert await many.write(world, len, b"bytes") == 5
        states.append(many.is_slow)
        await world.clock.sleep(RECOVERY_NS // 1_000_000)
        await many.write(world, len, b"bytes")
        states.append(many.is_slow)
        assert states == [False, False, True, False]
        states.clear()
        for _ in range(QUICK_WRITES):
            states.append(late.is_slow)
            await late.write(world, len, b"bytes")
        assert [*states, late.is_slow] == [True] * QUICK_WRITES + [False]

    run(main)


def test_a_slow_write_in_a_thread_begins_the_wait_anew() -> None:
    """A directory stays slow as long as its writes are, however many of the others there are."""
    simulation = Simulation(1)

    async def main(world: SimulatedWorld) -> None:
        world.disk.make_directory("/slow")
        file, pace = world.disk.open("/slow/file", create=True), DiskPace()
        pace.was_slow(world.clock.monotonic_ns())
        for _ in range(3):
            for _ in range(QUICK_WRITES - 1):
                await pace.write(world, file.write, 0, (b"quick",))
            fault = DiskFault(DiskFaultKind.SLOW, "/slow", delay_ms=4 * SLOW_WRITE_NS // 1_000_000)
            simulation.nodes["scenario"].disk.faults.begin(fault)
            await pace.write(world, file.write, 0, (b"slow",))
            simulation.nodes["scenario"].disk.faults.end(fault)
            await world.clock.sleep(2 * RECOVERY_NS // 1_000_000)
            assert pace.is_slow
        for _ in range(QUICK_WRITES):
            await pace.write(world, file.write, 0, (b"quick",))
        assert not pace.is_slow

    simulation.run(main)


def test_a_slow_directory_has_two_threads_at_most() -> None:
    """Writes of a slow directory are made one after the other, its syncs too, and others find threads."""
    simulation = Simulation(2)

    async def main(world: SimulatedWorld) -> None:
        world.disk.make_directory("/slow")
        file, pace = world.disk.open("/slow/file", create=True), DiskPace()
        pace.was_slow(world.clock.monotonic_ns())
        simulation.nodes["scenario"].disk.faults.begin(DiskFault(DiskFaultKind.SLOW, "/slow", delay_ms=1_000))
        done: list[str] = []

        async def write(at: int) -> None:
            await pace.write(world, file.write, at, (b"%d" % at,))
            done.append(f"write {at}")

        async def sync() -> None:
            await pace.sync(world, file.sync)
            done.append("sync")

        tasks = [world.spawn(write(at), f"write {at}") for at in range(10)]
        tasks += [world.spawn(sync(), "sync") for _ in range(10)]
        await world.clock.sleep(1)
        begin_ms = world.clock.monotonic_ms()
        assert await world.threads.run(len, b"others") == 6
        assert world.clock.monotonic_ms() - begin_ms < 5
        assert done == []
        for task in tasks:
            await task
        assert [what for what in done if what != "sync"] == [f"write {at}" for at in range(10)]
        assert file.read(0, 20) == b"0123456789"

    simulation.run(main)
