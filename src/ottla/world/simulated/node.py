"""A simulated node: a machine with a program on it, which lives, dies and lives again.

The machine has what survives (disk, wall clock, a place in the network); a `Life` has what does not (loop, tasks,
connections, locks). Nobody outside of a node touches its futures: a value comes out of it through `Bridge`, at the time
at which the node has it.

What is always true: at most one life is going on; a dead one is kept as it stood, and buried at the end of the run, so
that nothing of it acts on the world because Python happened to collect it.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

from ottla.errors import NodeDown
from ottla.world.simulated.clock import MachineClock
from ottla.world.simulated.disk import MachineDisk
from ottla.world.simulated.loop import NodeLoop
from ottla.world.simulated.timeline import Timeline
from ottla.world.simulated.world import Program, SimulatedWorld


@dataclass(frozen=True, slots=True)
class Exit:
    """How a life ended: `returned` with a value, `failed` with an error, `killed` or `crashed`."""

    how: str
    value: Any = None
    error: BaseException | None = None


class Bridge:
    """A future of one loop that is resolved by something on another."""

    def __init__(self, timeline: Timeline, caller: asyncio.AbstractEventLoop) -> None:
        self._timeline, self._future = timeline, caller.create_future()

    def value(self, now_ns: int, value: Any) -> None:
        """Hand a value over."""
        self._timeline.at(now_ns, self._settle, (value, None))

    def error(self, now_ns: int, error: BaseException) -> None:
        """Hand an error over."""
        self._timeline.at(now_ns, self._settle, (None, error))

    async def wait(self) -> Any:
        """For the caller's side."""
        return await self._future

    def _settle(self, outcome: tuple[Any, BaseException | None]) -> None:
        if self._future.done():
            return
        if outcome[1] is not None:
            self._future.set_exception(outcome[1])
        else:
            self._future.set_result(outcome[0])


class Life:
    """One life of a node."""

    def __init__(self, number: int, loop: NodeLoop, world: SimulatedWorld) -> None:
        self.number, self.loop, self.world = number, loop, world
        self.callers: dict[Bridge, None] = {}
        self.watchers: list[Bridge] = []
        self.exit: Exit | None = None

    def end(self, exit_: Exit, now_ns: int) -> None:
        """Stop for good, and tell those who wait for something of this life."""
        self.exit = exit_
        self.loop.stop()
        for bridge in self.callers:
            bridge.error(now_ns, NodeDown(f"{self.loop.name} has {exit_.how} before it answered"))
        for bridge in self.watchers:
            bridge.value(now_ns, exit_)


@dataclass(slots=True)
class Node:
    """A machine, its program, and the life that goes on or was last."""

    name: str
    program: Program
    clock: MachineClock
    disk: MachineDisk
    life: Life
    may_fail: bool = False
    paused: bool = False

    @property
    def is_up(self) -> bool:
        """Whether its program lives."""
        return self.life.exit is None
