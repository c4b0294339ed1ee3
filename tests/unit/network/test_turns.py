"""Whose request is served next, in virtual time."""

from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from ottla.network.turns import CONTROL_SLICE_NS, SLICE_BYTES, SLICE_NS, Turns
from ottla.world.simulated import SimulatedWorld, Simulation

MILLION = 1_000_000


class Waiting:
    """A connection with frames, each of them control or data, that cost a node some time to serve."""

    def __init__(
        self, world: SimulatedWorld, served: list[str], name: str, frames: str, *, cost_ns: int = 0, size_bytes: int = 1
    ) -> None:
        self.world, self.served, self.name = world, served, name
        self.frames, self.cost_ns, self.size_bytes = deque(frames), cost_ns, size_bytes
        self.turns: Turns | None = None

    def serve_next(self) -> bool:
        """Note down the frame and the time that it took."""
        self.served.append(f"{self.name}{self.frames.popleft()}")
        assert self.turns is not None
        self.turns.charge(self.size_bytes)
        self.world.loop.charge(self.cost_ns)
        return bool(self.frames)

    def next_is_control(self) -> bool:
        """An upper-case letter is control."""
        return self.frames[0].isupper()


def run(main: Callable[[SimulatedWorld], Coroutine[Any, Any, Any]]) -> Any:
    """In a world of its own."""
    return Simulation(1).run(main).value


def enqueued(turns: Turns, *waiting: Waiting) -> None:
    """They all wait for their turn."""
    for each in waiting:
        each.turns = turns
        turns.enqueue(each)


def test_control_goes_before_data() -> None:
    """Heartbeats and metadata are served before data that has waited longer, from whichever connection they come."""

    async def main(world: SimulatedWorld) -> list[str]:
        served: list[str] = []
        turns = Turns(world.clock)
        enqueued(
            turns, *(Waiting(world, served, name, frames) for name, frames in [("1", "d"), ("2", "C"), ("3", "dC")])
        )
        await world.clock.sleep(10)
        return served

    assert run(main) == ["2C", "1d", "3d", "3C"]


def test_connections_are_served_in_turn() -> None:
    """A pipeline of a thousand does not go before the one request of somebody else."""

    async def main(world: SimulatedWorld) -> list[str]:
        served: list[str] = []
        turns = Turns(world.clock)
        enqueued(turns, Waiting(world, served, "greedy", "d" * 1_000), Waiting(world, served, "modest", "dd"))
        await world.clock.sleep(100)
        assert turns.waiting == 0
        return served

    served = run(main)
    assert served[:5] == ["greedyd", "modestd", "greedyd", "modestd", "greedyd"]
    assert len(served) == 1_002


def test_control_is_served_for_a_millisecond_and_then_data() -> None:
    """Behind one control frame of each connection come more of them, while less than a millisecond has passed."""

    async def main(world: SimulatedWorld) -> list[str]:
        served: list[str] = []
        turns = Turns(world.clock)
        pipeline = Waiting(world, served, "p", "C" * 10, cost_ns=CONTROL_SLICE_NS // 4)
        enqueued(turns, pipeline, Waiting(world, served, "q", "C"), Waiting(world, served, "r", "d"))
        await world.clock.sleep(100)
        return served

    assert run(main) == ["pC", "qC", "pC", "pC", "pC", "rd", *["pC"] * 6]


def test_a_first_control_frame_goes_before_pipelines() -> None:
    """However many pipelines wait, who had nothing waiting is served at once, or first of all in the next turn."""

    async def main(world: SimulatedWorld) -> list[str]:
        served: list[str] = []
        turns = Turns(world.clock)
        enqueued(turns, *(Waiting(world, served, f"p{number}", "CC", cost_ns=MILLION) for number in range(50)))
        assert turns.admits(world.clock.monotonic_ns(), 1, control=True, is_first=True)
        assert not turns.admits(world.clock.monotonic_ns(), 1, control=True)
        single = Waiting(world, served, "single", "C")
        single.turns = turns
        await world.clock.sleep(2)
        before = len(served)
        turns.enqueue(single, is_first=True)
        assert not turns.admits(world.clock.monotonic_ns(), 1, control=True, is_first=True)
        await world.clock.sleep(500)
        return served[before:]

    served = run(main)
    assert served[0] == "singleC"
    assert len(served) > 50


def test_data_is_served_for_five_milliseconds_and_then_the_loop_goes_on() -> None:
    """A turn ends with the frame that uses up its time; others on the loop run before the next turn."""

    async def main(world: SimulatedWorld) -> list[int]:
        served: list[str] = []
        turns = Turns(world.clock)
        enqueued(turns, Waiting(world, served, "", "d" * 20, cost_ns=2 * MILLION))
        seen = [0]
        while turns.waiting:
            await world.clock.sleep(0)
            if len(served) != seen[-1]:
                seen.append(len(served))
        return seen

    assert SLICE_NS == 5 * MILLION
    assert run(main) == [0, 3, 6, 9, 12, 15, 18, 20]


def test_data_is_served_for_four_mebibytes_and_then_the_loop_goes_on() -> None:
    """However fast they are served, frames of 1 MiB are at most four in a turn."""

    async def main(world: SimulatedWorld) -> list[int]:
        served: list[str] = []
        turns = Turns(world.clock)
        enqueued(turns, Waiting(world, served, "", "d" * 10, size_bytes=SLICE_BYTES // 4))
        seen = [0]
        while turns.waiting:
            await world.clock.sleep(0)
            if len(served) != seen[-1]:
                seen.append(len(served))
        return seen

    assert run(main) == [0, 4, 8, 10]


def test_neither_class_starves_the_other() -> None:
    """However expensive they are, a turn serves at least one control frame and at least one of data behind it."""

    async def main(world: SimulatedWorld) -> list[str]:
        served: list[str] = []
        turns = Turns(world.clock)
        enqueued(turns, *(Waiting(world, served, f"{n}", "C" * 3, cost_ns=10 * MILLION) for n in range(3)))
        enqueued(turns, Waiting(world, served, "", "ddd", cost_ns=3 * MILLION))
        await world.clock.sleep(1_000)
        return served

    assert run(main) == ["0C", "d", "1C", "d", "2C", "d", "0C", "1C", "2C", "0C", "1C", "2C"]


def test_an_idle_node_serves_at_once() -> None:
    """What arrives while nobody waits is served where it arrives, of both classes."""

    async def main(world: SimulatedWorld) -> None:
        turns = Turns(world.clock)
        now_ns = world.clock.monotonic_ns()
        assert turns.admits(now_ns, 100, control=False)
        assert turns.admits(now_ns, 100, control=True)

    run(main)


def test_nobody_overtakes_those_who_wait_in_its_class() -> None:
    """While data waits, data that arrives waits behind it; control goes first, unless control waits too."""

    async def main(world: SimulatedWorld) -> None:
        turns, served = Turns(world.clock), list[str]()
        now_ns = world.clock.monotonic_ns()
        enqueued(turns, Waiting(world, served, "", "d"))
        assert not turns.admits(now_ns, 1, control=False)
        assert turns.admits(now_ns, 1, control=True)
        enqueued(turns, Waiting(world, served, "", "C"))
        assert not turns.admits(now_ns, 1, control=True)
        await world.clock.sleep(1)
        assert served == ["C", "d"]
        assert turns.admits(world.clock.monotonic_ns(), 1, control=False)

    run(main)


def test_a_pipeline_of_control_is_cut_off_when_the_slice_is_spent() -> None:
    """What arrives in one piece is not served for longer than a slice, whatever its class; then it waits its turn."""

    async def main(world: SimulatedWorld) -> tuple[int, int]:
        turns = Turns(world.clock)
        by_time = by_size = 0
        while turns.admits(world.clock.monotonic_ns(), 1, control=True):
            by_time += 1
            world.loop.charge(MILLION)
        await world.clock.sleep(1)
        while turns.admits(world.clock.monotonic_ns(), SLICE_BYTES // 8, control=True):
            by_size += 1
        return by_time, by_size

    assert run(main) == (5, 8)


def test_a_slice_begins_anew_when_the_loop_has_been_elsewhere() -> None:
    """The budget is of one turn: after the loop has run others, what arrives is served at once again."""

    async def main(world: SimulatedWorld) -> list[bool]:
        turns = Turns(world.clock)
        first = turns.admits(world.clock.monotonic_ns(), SLICE_BYTES, control=False)
        second = turns.admits(world.clock.monotonic_ns(), 1, control=False)
        await world.clock.sleep(1)
        return [first, second, turns.admits(world.clock.monotonic_ns(), 1, control=False)]

    assert run(main) == [True, False, True]
