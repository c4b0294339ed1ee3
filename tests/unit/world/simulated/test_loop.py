"""The event loop of a simulated node."""

import asyncio

import pytest

from ottla.errors import SimulationError
from ottla.world.simulated import SimulatedWorld, Simulation

HOUR_MS = 3_600_000


def test_time_is_virtual() -> None:
    """An hour passes at once, and a callback costs a node some microseconds of it."""

    async def main(world: SimulatedWorld) -> int:
        before_ms = world.clock.monotonic_ms()
        await world.clock.sleep(HOUR_MS)
        return world.clock.monotonic_ms() - before_ms

    outcome = Simulation(1).run(main)
    assert HOUR_MS <= outcome.value <= HOUR_MS + 1
    assert HOUR_MS <= outcome.virtual_ms <= HOUR_MS + 1


def test_callbacks_run_in_the_order_in_which_they_became_ready() -> None:
    """Within a node the loop keeps asyncio's promise: first come, first served."""

    async def main(world: SimulatedWorld) -> list[int]:
        ran: list[int] = []
        for number in range(100):
            world.loop.call_soon(ran.append, number)
        await world.clock.sleep(0)
        return ran

    assert Simulation(1).run(main).value == list(range(100))


def test_timers_due_together_run_in_an_order_that_the_seed_draws() -> None:
    """No program may count on an order among timers of the same time, so it differs from seed to seed."""

    async def main(world: SimulatedWorld) -> str:
        ran: list[str] = []
        deadline_ms = world.clock.monotonic_ms() + 10
        for name in "abc":
            world.clock.call_at(deadline_ms, lambda name=name: ran.append(name))  # type: ignore[misc]
        await world.clock.sleep(20)
        return "".join(ran)

    orders = [Simulation(seed).run(main).value for seed in range(60)]
    assert set(orders) == {"abc", "acb", "bac", "bca", "cab", "cba"}


def test_a_cancelled_timer_does_not_run() -> None:
    """Neither one that is far off nor one of thousands that were cancelled is ever run."""

    async def main(world: SimulatedWorld) -> list[int]:
        ran: list[int] = []
        now_ms = world.clock.monotonic_ms()
        timers = [world.clock.call_at(now_ms + 5 + n % 7, lambda n=n: ran.append(n)) for n in range(1_000)]  # type: ignore[misc]
        for number, timer in enumerate(timers):
            if number % 100:
                timer.cancel()
                timer.cancel()
        await world.clock.sleep(20)
        return sorted(ran)

    assert Simulation(1).run(main).value == list(range(0, 1_000, 100))


def test_asyncio_works_unchanged() -> None:
    """Queues, events, locks, conditions and timeouts of asyncio run on the loop as they are."""

    async def main(world: SimulatedWorld) -> list[object]:
        queue: asyncio.Queue[int] = asyncio.Queue(2)
        done, lock = asyncio.Event(), asyncio.Lock()
        taken: list[object] = []

        async def consume() -> None:
            while (item := await queue.get()) >= 0:
                async with lock:
                    await asyncio.sleep(0.001)
                    taken.append(item)
            done.set()

        task = world.spawn(consume(), "consumer")
        for item in (1, 2, 3, -1):
            await queue.put(item)
        await done.wait()
        await task
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await asyncio.Event().wait()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.sleep(1, "late"), 0.5)
        taken.append(await asyncio.wait_for(asyncio.sleep(0.5, "in time"), 1))
        return taken

    assert Simulation(1).run(main).value == [1, 2, 3, "in time"]


def test_tasks_without_a_name_are_called_the_same_in_every_run() -> None:
    """asyncio numbers tasks through the life of a process; here the number is the node's own."""

    async def main(world: SimulatedWorld) -> str:
        return asyncio.create_task(asyncio.sleep(0)).get_name()

    assert {Simulation(1).run(main).value for _ in range(3)} == {"scenario-task-2"}


def test_finished_tasks_are_forgotten() -> None:
    """A run of a million tasks holds on to those that live."""

    async def main(world: SimulatedWorld) -> int:
        for _ in range(10_000):
            await asyncio.create_task(asyncio.sleep(0))
        return len(world.loop._tasks)

    assert Simulation(1).run(main).value < 200


def test_a_failing_callback_fails_the_run() -> None:
    """What a callback raises is our own fault, and is neither logged away nor lost."""

    async def main(world: SimulatedWorld) -> None:
        world.loop.call_soon(lambda: 1 // 0)
        await world.clock.sleep(1_000)

    with pytest.raises(ZeroDivisionError) as caught:
        Simulation(44).run(main)
    assert any("Seed 44" in note for note in caught.value.__notes__)


def test_a_failing_task_that_nobody_awaits_fails_the_run() -> None:
    """A task that dies unseen would be a node that hangs for a reason nobody knows."""

    async def fail() -> None:
        raise KeyError("lost")

    async def main(world: SimulatedWorld) -> None:
        world.spawn(fail(), "failing")
        await world.clock.sleep(1_000)

    with pytest.raises(KeyError, match="lost"):
        Simulation(1).run(main)


def test_waiting_for_what_cannot_come_fails_the_run() -> None:
    """A scenario that waits while nothing is left to happen is told so instead of hanging."""

    async def main(world: SimulatedWorld) -> None:
        await world.future()

    with pytest.raises(SimulationError, match="for ever") as caught:
        Simulation(9).run(main)
    assert any("Seed 9" in note for note in caught.value.__notes__)


def test_a_run_has_a_limit_of_virtual_time() -> None:
    """A program that goes on for ever, with or without timers, is ended, and its run fails."""

    async def timers(world: SimulatedWorld) -> None:
        while True:
            await world.clock.sleep(100)

    async def spins(world: SimulatedWorld) -> None:
        while True:
            await world.clock.sleep(0)

    for main in (timers, spins):
        with pytest.raises(SimulationError, match="not done after"):
            Simulation(1, limit_ms=1_000).run(main)


def test_a_charge_makes_its_node_late_and_nobody_else() -> None:
    """A slow synchronous call holds up the node that made it; the others do not notice."""

    async def main(world: SimulatedWorld) -> list[str]:
        order: list[str] = []

        async def busy(world: SimulatedWorld) -> None:
            world.loop.charge(5_000_000_000)
            order.append(f"busy after {world.clock.wall_ms() - start_ms} ms")
            world.loop.call_soon(lambda: order.append("busy goes on"))
            await world.clock.sleep(1)

        async def idle(world: SimulatedWorld) -> None:
            await world.clock.sleep(1_000)
            order.append("idle after a second")

        start_ms = world.clock.wall_ms()
        simulation.start("busy", busy)
        simulation.start("idle", idle)
        await world.clock.sleep(10_000)
        return order

    simulation = Simulation(1)
    assert simulation.run(main).value == ["busy after 5000 ms", "idle after a second", "busy goes on"]
