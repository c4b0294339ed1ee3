"""What a program is handed to run for real: a `World` on an event loop that is running.

A world belongs to one node: several live on one loop, each with its own threads, helpers, files and ports. It asks
nothing of the process it lives in: signals, logging, garbage collection and the event-loop policy stay as they are. So
a node inside a user's process makes a `RealWorld` on the user's loop, and a program of ours begins with `run`.

What is always true: when `close` has returned, the world has left no task, thread, process, descriptor or port behind.
"""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any, Self, TypeVar

from ottla.world.real.clock import RealClock
from ottla.world.real.disk import RealDisk
from ottla.world.real.jobs import RealJobs
from ottla.world.real.network import RealNetwork
from ottla.world.real.rng import RealRandomness
from ottla.world.real.threads import DEFAULT_COUNT, RealThreads
from ottla.world.tasks import Failure, SpawnedTask, SpawnedTasks, TaskGroup, timeout

T = TypeVar("T")


class RealWorld:
    """Clock, chance, disk, network, threads and helpers of this machine, for `async with`.

    `report` is told what fails while nobody waits for it; without it the loop's exception handler is.
    """

    def __init__(
        self, report: Failure | None = None, *, threads: int = DEFAULT_COUNT, helpers: int | None = None
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self._report = report or self._tell_loop
        self.clock = RealClock(self.loop)
        self.rng = RealRandomness()
        self.disk = RealDisk()
        self.threads = RealThreads(self.loop, threads)
        self.jobs = RealJobs(self.loop, self.clock, self.threads, count=helpers)
        self.network = RealNetwork(self.loop, self._report)
        self._spawned = SpawnedTasks(self._report)

    def spawn(self, coroutine: Coroutine[Any, Any, T], name: str) -> SpawnedTask[T]:
        """Run a coroutine on its own. If it fails while nobody waits for it, `report` is told."""
        return self._spawned.spawn(coroutine, name)

    def group(self) -> TaskGroup:
        """Tasks that live and end together."""
        return TaskGroup()

    def future(self) -> Any:
        """A future of this world's loop."""
        return self.loop.create_future()

    async def timeout(self, duration_ms: int, awaitable: Awaitable[T]) -> T:
        """Its value, or `TimeoutError` after so long."""
        return await timeout(self.clock, duration_ms, awaitable)

    async def close(self) -> None:
        """End everything, and return when it has ended. Twice does nothing.

        First the tasks, which may use all else while they end. Threads and the disk are last, since what uses files or
        reaps processes does so in threads.
        """
        await self._spawned.close()
        await self.network.close()
        await self.jobs.close()
        await self.threads.close()
        self.disk.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.close()

    def _tell_loop(self, what: str, error: BaseException) -> None:
        self.loop.call_exception_handler({"message": f"{what} failed", "exception": error})
