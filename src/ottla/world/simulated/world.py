"""What a program on a simulated node is handed: the `World` of one life of that node.

A life begins when the node is started and ends when its program returns, is killed, or its machine loses power; a
restart begins another. What survives a life (disk, wall clock) belongs to the machine; everything else is this world's,
and dies with it: whatever is left of the program may still call it, and is not heard.
"""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from ottla.world.simulated.clock import SimulatedClock
from ottla.world.simulated.disk import SimulatedDisk
from ottla.world.simulated.jobs import SimulatedJobs
from ottla.world.simulated.loop import NodeLoop
from ottla.world.simulated.network import SimulatedNetwork
from ottla.world.simulated.rng import SimulatedRandomness
from ottla.world.simulated.threads import SimulatedThreads
from ottla.world.tasks import SpawnedTask, SpawnedTasks, TaskGroup, timeout

T = TypeVar("T")


class SimulatedWorld:
    """One life's `World`."""

    def __init__(
        self,
        loop: NodeLoop,
        rng: SimulatedRandomness,
        *,
        disk: SimulatedDisk,
        network: SimulatedNetwork,
        threads: SimulatedThreads,
        jobs: SimulatedJobs,
    ) -> None:
        self.loop = loop
        self.clock = SimulatedClock(loop)
        self.rng, self.disk, self.network, self.threads, self.jobs = rng, disk, network, threads, jobs
        self._spawned = SpawnedTasks(self._task_failed)

    def spawn(self, coroutine: Coroutine[Any, Any, T], name: str) -> SpawnedTask[T]:
        """Run a coroutine on its own. If it fails while nobody waits for it, the run fails."""
        task = self._spawned.spawn(coroutine, name)
        self.loop.adopt(task)
        return task

    def group(self) -> TaskGroup:
        """Tasks that live and end together."""
        return TaskGroup()

    def future(self) -> Any:
        """A future of this node's loop."""
        return self.loop.create_future()

    async def timeout(self, duration_ms: int, awaitable: Awaitable[T]) -> T:
        """Its value, or `TimeoutError` after so long on this machine's clock."""
        return await timeout(self.clock, duration_ms, awaitable)

    def _task_failed(self, name: str, error: BaseException) -> None:
        self.loop.fail(error, f"{name} of {self.loop.name}")


Program = Callable[[SimulatedWorld], Coroutine[Any, Any, Any]]
