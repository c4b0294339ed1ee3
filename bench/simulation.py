"""How fast virtual time passes: events of the simulated loop a second, beside asyncio's own loop doing the same.

An event is a callback that a node runs, or a call on the timeline. A chain is one callback that arranges the next;
sleepers are tasks of five nodes that sleep a millisecond over and over, so that every event is a timer and every turn
of a loop is another node's; the disk is written and synced by one node, a KiB at a time.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from bench.measure import best_of_turns, table
from ottla.world.simulated import SimulatedWorld, Simulation

CALLBACKS = 20_000
NODES, SLEEPS = 5, 2_000
WRITES = 2_000


class Chain:
    """A callback that arranges itself so many times."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._left = loop, CALLBACKS
        self.done = loop.create_future()
        loop.call_soon(self._next)

    def _next(self) -> None:
        self._left -= 1
        if self._left:
            self._loop.call_soon(self._next)
        else:
            self.done.set_result(None)


async def chain(world: SimulatedWorld) -> None:
    """On the simulated loop."""
    await Chain(world.loop).done


async def asyncio_chain() -> None:
    """On asyncio's."""
    await Chain(asyncio.get_running_loop()).done


async def sleepers(world: SimulatedWorld, simulation: Simulation) -> None:
    """Timers of five nodes."""

    async def sleeper(world: SimulatedWorld) -> None:
        for _ in range(SLEEPS):
            await world.clock.sleep(1)

    for number in range(NODES):
        simulation.start(f"node-{number}", sleeper)
    for number in range(NODES):
        await simulation.ended(f"node-{number}")


async def disk(world: SimulatedWorld) -> None:
    """Appends, each synced in a thread."""
    file = world.disk.open("/log", create=True)
    for number in range(WRITES):
        file.write(number * 1_024, [bytes(1_024)])
        await world.threads.run(file.sync)


def simulated(scenario: Callable[..., Coroutine[Any, Any, None]], *, with_simulation: bool = False) -> int:
    """How many events a run has."""
    simulation = Simulation(4)
    if with_simulation:
        return simulation.run(lambda world: scenario(world, simulation)).events
    return simulation.run(scenario).events


def run() -> None:
    """Print the table."""
    events = [simulated(chain), simulated(sleepers, with_simulation=True), simulated(disk)]
    best = best_of_turns(
        lambda: simulated(chain),
        lambda: asyncio.run(asyncio_chain()),
        lambda: simulated(sleepers, with_simulation=True),
        lambda: simulated(disk),
    )
    rows = [
        ["chain of callbacks", f"{events[0] / best[0]:,.0f}", f"{CALLBACKS / best[1]:,.0f}"],
        [f"sleepers of {NODES} nodes", f"{events[1] / best[2]:,.0f}", ""],
        ["appends to a disk, each synced", f"{events[2] / best[3]:,.0f}", ""],
    ]
    table("Simulation: events a second", ["", "ottla", "asyncio"], rows)
