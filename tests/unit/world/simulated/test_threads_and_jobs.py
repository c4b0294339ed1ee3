"""Threads and helper processes of the simulated world, beyond what every world must do."""

import pytest

from ottla.errors import JobFailed
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.disk import DiskFault, DiskFaultKind

HERE = "tests.unit.world.simulated.test_threads_and_jobs"


def longer(values: list[int]) -> list[int]:
    """Change what was handed in, and give it back."""
    values.append(0)
    return values


async def done_at(world: SimulatedWorld, call: object, done: list[tuple[str, int]], name: str) -> None:
    """Make a call in a thread, and note when it was done."""
    await world.threads.run(call)  # type: ignore[arg-type]
    done.append((name, world.loop.now_ns() // 1_000_000))


@pytest.mark.parametrize("seed", range(5))
def test_calls_begin_in_order_and_no_more_than_there_are_threads(seed: int) -> None:
    """Calls begin in the order in which they were handed in, as many at a time as the pool has threads."""
    began: list[int] = []

    async def main(world: SimulatedWorld) -> None:
        def call(number: int) -> None:
            began.append(number)
            world.loop.charge(10_000_000)

        world.threads.resize(3)
        start_ns = world.clock.monotonic_ns()
        async with world.group() as group:
            for number in range(12):
                group.spawn(world.threads.run(call, number), f"call {number}")
        took_ms = (world.clock.monotonic_ns() - start_ns) / 1e6
        assert 40 <= took_ms <= 44, "twelve calls of 10 ms in three threads"

    Simulation(seed).run(main)
    assert began == list(range(12))


def test_a_slow_call_in_a_thread_holds_up_nobody() -> None:
    """A sync of a slow disk takes its time in a thread, and the loop goes on."""
    done: list[tuple[str, int]] = []

    async def main(world: SimulatedWorld) -> None:
        file = world.disk.open("/file", create=True)
        simulation.nodes["scenario"].disk.faults.begin(DiskFault(DiskFaultKind.SLOW, delay_ms=1_000))
        async with world.group() as group:
            group.spawn(done_at(world, file.sync, done, "sync"), "sync")
            await world.clock.sleep(100)
            done.append(("loop", world.loop.now_ns() // 1_000_000))

    simulation = Simulation(1)
    simulation.run(main)
    assert [name for name, _ in done] == ["loop", "sync"]
    assert 99 <= done[0][1] <= 101
    assert 500 <= done[1][1] <= 1_550


def test_a_crash_may_come_between_a_call_and_its_answer() -> None:
    """What a thread has done is done, though the node that asked for it dies before it is told."""

    async def program(world: SimulatedWorld) -> None:
        file = world.disk.open("/file", create=True)
        world.disk.sync_directory("/")
        file.write(0, [b"x"])
        simulation.nodes["node"].disk.faults.begin(DiskFault(DiskFaultKind.SLOW, delay_ms=1_000))
        await world.threads.run(file.sync)
        told.append(True)

    async def main(world: SimulatedWorld) -> None:
        node = simulation.start("node", program)
        await world.clock.sleep(100)
        simulation.crash("node")
        assert node.disk.stable_content("/file") == b"x"
        await world.clock.sleep(5_000)

    told: list[bool] = []
    simulation = Simulation(1)
    simulation.run(main)
    assert told == []


def test_a_job_gets_copies() -> None:
    """What a job does to its arguments is not seen by whoever handed them in."""

    async def main(world: SimulatedWorld) -> None:
        values = [1, 2]
        assert await world.jobs.run(f"{HERE}:longer", values) == [1, 2, 0]
        assert values == [1, 2]
        values.append(values)  # type: ignore[arg-type]
        with pytest.raises(JobFailed, match="holds itself"):
            await world.jobs.run(f"{HERE}:longer", values)

    Simulation(1).run(main)


def test_helper_processes_die_of_a_fault() -> None:
    """A job whose process dies is JobFailed, and it is counted; healed, jobs are done again."""

    async def main(world: SimulatedWorld) -> None:
        world.jobs.death_rate = 1.0
        with pytest.raises(JobFailed, match="math:isqrt: the helper process died"):
            await world.jobs.run("math:isqrt", 9)
        world.jobs.death_rate = 0.0
        assert await world.jobs.run("math:isqrt", 9) == 3

    simulation = Simulation(1)
    simulation.run(main)
    assert simulation.struck == {"job-death": 1}
