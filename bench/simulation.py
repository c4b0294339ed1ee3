"""How fast virtual time passes: events of the simulated loop a second, beside asyncio's own loop doing the same.

An event is a callback that a node runs, or a call on the timeline. A chain is one callback that arranges the next;
sleepers are tasks of five nodes that sleep a millisecond over and over, so that every event is a timer and every turn
of a loop is another node's; the disk is written and synced by one node, a KiB at a time. Echoes are messages of 100
bytes that go back and forth between one server and five clients, four connections each.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from bench.measure import best_of_turns, table
from ottla.world.api import Address, Receiver, Stream
from ottla.world.simulated import SimulatedWorld, Simulation

CALLBACKS = 20_000
NODES, SLEEPS = 5, 2_000
WRITES = 2_000
CLIENTS, CONNECTIONS, ECHOES, MESSAGE_BYTES = 5, 4, 200, 100


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


class Echo:
    """Sends back what it gets; a client's end does it so many times."""

    def __init__(self, stream: Stream, done: "asyncio.Future[None] | None" = None) -> None:
        self._stream, self._done, self._left = stream, done, ECHOES
        self._buffer = memoryview(bytearray(65_536))

    def buffer(self) -> memoryview:
        """Always the same one."""
        return self._buffer

    def received(self, count: int) -> None:
        """Send it back."""
        if self._done is not None:
            self._left -= 1
            if self._left == 0:
                self._done.set_result(None)
            if self._left <= 0:
                return
        self._stream.write([bytes(self._buffer[:count])])

    def ended(self) -> None:
        """The client has gone."""
        self._stream.close()

    def writing_paused(self) -> None:
        """Never, with messages so small."""

    def writing_resumed(self) -> None:
        """The same."""

    def closed(self, error: Exception | None) -> None:
        """It is over."""


async def network(world: SimulatedWorld, simulation: Simulation) -> None:
    """Echoes between nodes."""

    async def serve(world: SimulatedWorld) -> None:
        await world.network.listen(Address("", 7), Echo)
        await world.future()

    async def ask(world: SimulatedWorld) -> None:
        done = []
        for _ in range(CONNECTIONS):
            future = world.future()

            def receiver(stream: Stream, future: Any = future) -> Receiver:
                return Echo(stream, future)

            stream = await world.network.connect(Address("server", 7), receiver)
            stream.write([bytes(MESSAGE_BYTES)])
            done.append(future)
        for future in done:
            await future

    simulation.start("server", serve)
    await world.clock.sleep(1)
    for number in range(CLIENTS):
        simulation.start(f"client-{number}", ask)
    for number in range(CLIENTS):
        await simulation.ended(f"client-{number}")


def simulated(scenario: Callable[..., Coroutine[Any, Any, None]], *, with_simulation: bool = False) -> int:
    """How many events a run has."""
    simulation = Simulation(4)
    if with_simulation:
        return simulation.run(lambda world: scenario(world, simulation)).events
    return simulation.run(scenario).events


def run() -> None:
    """Print the table."""
    events = [
        simulated(chain),
        simulated(sleepers, with_simulation=True),
        simulated(disk),
        simulated(network, with_simulation=True),
    ]
    best = best_of_turns(
        lambda: simulated(chain),
        lambda: asyncio.run(asyncio_chain()),
        lambda: simulated(sleepers, with_simulation=True),
        lambda: simulated(disk),
        lambda: simulated(network, with_simulation=True),
    )
    rows = [
        ["chain of callbacks", f"{events[0] / best[0]:,.0f}", f"{CALLBACKS / best[1]:,.0f}"],
        [f"sleepers of {NODES} nodes", f"{events[1] / best[2]:,.0f}", ""],
        ["appends to a disk, each synced", f"{events[2] / best[3]:,.0f}", ""],
        ["network", f"{events[3] / best[4]:,.0f}", ""],
    ]
    table("Simulation: events a second", ["", "ottla", "asyncio"], rows)
