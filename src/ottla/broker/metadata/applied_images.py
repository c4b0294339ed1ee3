"""Images on their way to clients: each is told when this broker can already do what it says.

Making a partition's log waits for the disk, and the metadata goes on meanwhile. Whoever told clients of a new topic at
once would be asked for a partition that has no log yet, and would have to send them away to ask again. So an image is
handed on when the logs that it and those before it ask for are there; usually none, and then that is at once.

Always true: images are handed on in their order, none left out.
"""

from collections import deque
from collections.abc import Sequence

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import MetadataImage
from ottla.cluster.metadata.publisher import Subscriber
from ottla.cluster.replication.replica_manager import ReplicaManager
from ottla.world.api import Task, World


class AppliedImages:
    """A subscriber that holds images back for others."""

    def __init__(self, world: World, replicas: ReplicaManager, subscribers: Sequence[Subscriber]) -> None:
        self._world, self._replicas, self._subscribers = world, replicas, subscribers
        self._held: deque[tuple[MetadataDelta, MetadataImage]] = deque()
        self._waiting: Task[None] | None = None

    def __call__(self, delta: MetadataDelta, image: MetadataImage) -> None:
        """There is a new image, and the replica manager knows it."""
        if self._waiting is None and self._replicas.is_settled:
            self._hand_on(delta, image)
            return
        self._held.append((delta, image))
        if self._waiting is None:
            self._waiting = self._world.spawn(self._wait(), "hold images back")

    async def stop(self) -> None:
        """Hand nothing on any more."""
        if self._waiting is not None:
            self._waiting.cancel()
            while not self._waiting.done():  # what is cancelled ends within a few turns of the loop
                await self._world.clock.sleep(0)

    async def _wait(self) -> None:
        while self._held:
            known = len(self._held)
            await self._replicas.settled()
            for _ in range(known):
                self._hand_on(*self._held.popleft())
        self._waiting = None

    def _hand_on(self, delta: MetadataDelta, image: MetadataImage) -> None:
        for subscriber in self._subscribers:
            subscriber(delta, image)
