"""Nodes that are started, killed, paused and restarted, and the scenario that does it to them."""

import asyncio
import gc
from collections.abc import AsyncIterator

import pytest

from ottla.errors import NodeDown
from ottla.world.simulated import SimulatedWorld, Simulation


class Counter:
    """A program that counts ten times a second, and notes what becomes of it."""

    def __init__(self) -> None:
        self.count = 0
        self.lives = 0
        self.unwound: list[str] = []

    async def run(self, world: SimulatedWorld) -> None:
        """Count for ever."""
        self.lives += 1
        try:
            while True:
                await world.clock.sleep(100)
                self.count += 1
        finally:
            self.unwound.append(f"at {simulation_time(world)} ms")

    async def read(self, _: SimulatedWorld) -> int:
        """The count."""
        return self.count


def simulation_time(world: SimulatedWorld) -> int:
    """Virtual milliseconds."""
    return world.loop.now_ns() // 1_000_000


@pytest.mark.parametrize("how", ["crash", "kill"])
def test_a_dead_node_does_nothing(how: str) -> None:
    """After kill -9 or a loss of power no callback and no `finally` of the node runs, whatever Python collects."""
    counter = Counter()

    async def main(world: SimulatedWorld) -> None:
        simulation.start("node", counter.run)
        await world.clock.sleep(1_050)
        getattr(simulation, how)("node")
        count = counter.count
        assert 9 <= count <= 10
        gc.collect()
        await world.clock.sleep(5_000)
        assert counter.count == count
        assert counter.unwound == []

    simulation = Simulation(1)
    simulation.run(main)
    assert len(counter.unwound) == 1, "it is closed when the run is over"


def test_a_restarted_node_begins_again() -> None:
    """A restart runs the node's program anew, with a new loop and a monotonic clock that starts elsewhere."""
    counter = Counter()

    async def main(world: SimulatedWorld) -> None:
        node = simulation.start("node", counter.run)
        before = node.life.world
        before_ms = before.clock.monotonic_ms()
        simulation.crash("node")
        simulation.restart("node")
        after = node.life.world
        assert after is not before
        assert abs(after.clock.monotonic_ms() - before_ms) > 1_000
        await world.clock.sleep(1_050)
        assert counter.lives == 1, "the first life was over before it began"
        assert 9 <= await simulation.call("node", counter.read) <= 10

    simulation = Simulation(1)
    simulation.run(main)


def test_a_killed_process_leaves_its_machine_up() -> None:
    """SIGKILL ends a process; its machine's monotonic clock goes on."""
    counter = Counter()

    async def main(world: SimulatedWorld) -> None:
        node = simulation.start("node", counter.run)
        before_ms = node.life.world.clock.monotonic_ms()
        simulation.kill("node")
        await world.clock.sleep(100)
        simulation.restart("node")
        assert 99 <= node.life.world.clock.monotonic_ms() - before_ms <= 101

    simulation = Simulation(1)
    simulation.run(main)


def test_a_paused_node_stands_still_and_then_goes_on() -> None:
    """A stopped process does nothing; when it goes on, its overdue timers run, and it never noticed."""
    counter = Counter()

    async def main(world: SimulatedWorld) -> None:
        simulation.start("node", counter.run)
        await world.clock.sleep(1_000)
        simulation.pause("node")
        count = counter.count
        await world.clock.sleep(10_000)
        assert counter.count == count
        simulation.resume("node")
        await world.clock.sleep(1_000)
        assert count + 9 <= counter.count <= count + 12

    simulation = Simulation(1)
    simulation.run(main)


def test_timers_follow_their_machines_clock() -> None:
    """A machine whose clock runs fast wakes early, also from timers that were set before it began to."""
    woke: dict[str, int] = {}

    async def main(world: SimulatedWorld) -> None:
        async def sleeper(world: SimulatedWorld) -> None:
            await world.clock.sleep(10_000)
            woke[world.loop.name] = simulation_time(world)

        for name in ("right", "fast", "slow"):
            simulation.start(name, sleeper)
        simulation.drift_clock("fast", 100_000)
        simulation.drift_clock("slow", -100_000)
        for name in ("right", "fast", "slow"):
            await simulation.ended(name)

    simulation = Simulation(1)
    simulation.run(main)
    assert woke == {"right": 10_000, "fast": 9_090, "slow": 11_111}


def test_a_wall_clock_jumps() -> None:
    """Setting a node's clock back is seen by the node, and by nobody else."""

    async def main(world: SimulatedWorld) -> None:
        node = simulation.start("node", Counter().run)
        clock = node.life.world.clock
        assert clock.wall_ms() == world.clock.wall_ms()
        simulation.jump_clock("node", -60_000)
        assert clock.wall_ms() == world.clock.wall_ms() - 60_000

    simulation = Simulation(1)
    simulation.run(main)


def test_a_slow_loop_takes_longer() -> None:
    """A node that is slowed down takes so many times as much virtual time for the same callbacks."""
    took: dict[str, int] = {}

    async def main(world: SimulatedWorld) -> None:
        async def spin(world: SimulatedWorld) -> None:
            start_ns = world.clock.monotonic_ns()
            for _ in range(100):
                await world.clock.sleep(0)
            took[world.loop.name] = (world.clock.monotonic_ns() - start_ns) // world.loop.step_ns

        nodes = [simulation.start(name, spin) for name in ("node", "slow")]
        before_ns = nodes[1].life.loop.step_ns
        simulation.slow_down("slow", 1_000)
        assert nodes[1].life.loop.step_ns == 1_000 * before_ns
        for node in nodes:
            await simulation.ended(node.name)

    simulation = Simulation(1)
    simulation.run(main)
    assert took == {"node": 100, "slow": 100}


def test_a_scenario_gets_values_out_of_nodes() -> None:
    """`call` runs a coroutine on the node, by its clock, and gives its value or its error."""

    async def main(world: SimulatedWorld) -> None:
        async def fail(_: SimulatedWorld) -> None:
            raise KeyError("there")

        async def loop_name(world: SimulatedWorld) -> str:
            await world.clock.sleep(10)
            return world.loop.name

        simulation.start("node", Counter().run)
        assert await simulation.call("node", loop_name) == "node"
        with pytest.raises(KeyError, match="there"):
            await simulation.call("node", fail)

    simulation = Simulation(1)
    simulation.run(main)


def test_a_call_of_a_dead_node_fails() -> None:
    """Who waits for a node that dies, or is dead, is told so."""

    async def main(world: SimulatedWorld) -> None:
        async def wait(world: SimulatedWorld) -> None:
            await world.clock.sleep(1_000)

        simulation.start("node", Counter().run)
        world.clock.call_at(world.clock.monotonic_ms() + 500, lambda: simulation.crash("node"))
        with pytest.raises(NodeDown, match="node has crashed"):
            await simulation.call("node", wait)
        assert 499 <= simulation.now_ms <= 500, "a deadline in whole milliseconds of the scenario's clock"
        with pytest.raises(NodeDown, match="not up"):
            await simulation.call("node", wait)

    simulation = Simulation(1)
    simulation.run(main)


def test_a_program_that_returns_has_ended() -> None:
    """The value of a program is its exit, and whoever waits for it gets it."""

    async def main(world: SimulatedWorld) -> None:
        async def program(world: SimulatedWorld) -> int:
            await world.clock.sleep(10)
            return 3

        simulation.start("node", program)
        for _ in range(2):
            exit_ = await simulation.ended("node")
            assert (exit_.how, exit_.value) == ("returned", 3)
        assert not simulation.nodes["node"].is_up

    simulation = Simulation(1)
    simulation.run(main)


def test_a_program_that_fails_fails_the_run_unless_it_may() -> None:
    """A node that dies of an error is the run's failure, or, where it may, its exit."""

    async def program(_: SimulatedWorld) -> None:
        raise KeyError("broken")

    def run(may_fail: bool) -> None:
        async def main(world: SimulatedWorld) -> None:
            simulation.start("node", program, may_fail=may_fail)
            exit_ = await simulation.ended("node")
            assert (exit_.how, str(exit_.error)) == ("failed", "'broken'")
            await world.clock.sleep(1)

        simulation = Simulation(1)
        simulation.run(main)

    run(may_fail=True)
    with pytest.raises(KeyError, match="broken"):
        run(may_fail=False)


def test_whoever_still_lives_is_switched_off_at_the_end(recwarn: pytest.WarningsRecorder) -> None:
    """When the scenario returns nothing is left: no task, no generator, no warning, not even from what insists."""
    counter = Counter()
    left: list[str] = []

    async def numbers() -> AsyncIterator[int]:
        try:
            for number in range(100):
                yield number
        finally:
            left.append("generator")

    async def insists(world: SimulatedWorld) -> None:
        async for _ in numbers():
            break
        try:
            await world.clock.sleep(1_000_000)
        finally:
            await world.clock.sleep(1)
            left.append("never")

    async def spawns(world: SimulatedWorld) -> None:
        try:
            await world.clock.sleep(1_000_000)
        finally:
            task = asyncio.ensure_future(counter.read(world))
            left.append(task.get_name())

    async def main(world: SimulatedWorld) -> None:
        for name, program in (("counts", counter.run), ("insists", insists), ("spawns", spawns)):
            simulation.start(name, program)
        await world.clock.sleep(1_000)

    simulation = Simulation(1)
    simulation.run(main)
    gc.collect()
    assert len(counter.unwound) == 1
    assert left == ["generator", "spawns-task-2"], "what is spawned by the dead is dead, and theirs"
    assert [str(warning.message) for warning in recwarn] == []


def test_checks_are_made_after_every_event() -> None:
    """A check sees every state that any node was in, and its failure is the run's."""
    counter = Counter()
    seen: list[int] = []

    def check() -> None:
        seen.append(counter.count)
        assert counter.count < 5, "five is too many"

    async def main(world: SimulatedWorld) -> None:
        simulation.start("node", counter.run)
        await world.clock.sleep(10_000)

    simulation = Simulation(1)
    simulation.checks.append(check)
    with pytest.raises(AssertionError, match="five is too many") as caught:
        simulation.run(main)
    assert sorted(set(seen)) == [0, 1, 2, 3, 4, 5]
    assert any("start" in note for note in caught.value.__notes__)


def test_a_failed_run_says_how_to_replay_it() -> None:
    """The notes of the error name the seed, the newest lines of the trace, and the command."""

    async def main(world: SimulatedWorld) -> None:
        raise KeyError("broken")

    with pytest.raises(KeyError) as caught:
        Simulation(77, replay="Replay it with: make sim SEED=77").run(main)
    assert caught.value.__notes__[-1].endswith("of virtual time. Replay it with: make sim SEED=77")


def test_who_restarts_a_node_on_the_way_out_starts_nothing() -> None:
    """A failing scenario whose `finally` restarts a node fails with its own error, and the new life does nothing."""
    counter = Counter()

    async def fails(world: SimulatedWorld) -> None:
        await world.clock.sleep(10)
        raise KeyError("the reason")

    async def main(world: SimulatedWorld) -> None:
        simulation.start("node", counter.run)
        simulation.start("fails", fails)
        try:
            await world.clock.sleep(1_000)
        finally:
            simulation.kill("node")
            simulation.restart("node")

    simulation = Simulation(1)
    with pytest.raises(KeyError, match="the reason"):
        simulation.run(main)
    assert counter.lives == 1
