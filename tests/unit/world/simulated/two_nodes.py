"""Two simulated nodes for the tests of their network: `a` connects to `b`, and both ends write down what happens."""

from collections.abc import Callable, Coroutine
from typing import Any

from ottla.world.api import Address, SocketBuffers, Stream, TlsSettings
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.network.listener import SimulatedListener
from tests.conformance.peers import SMALL_BUFFERS, Accepting, Echo, Make, Recorder

PORT = 9_092
PATIENCE_MS = 60_000
LARGE = 1_000_000  # more than all buffers of a connection hold

__all__ = ["LARGE", "PORT", "Echo", "Recorder", "TwoNodes"]


class TwoNodes:
    """A run with two nodes, told by a story."""

    def __init__(self, seed: int, *, make: Make = Recorder, backlog: int = 50, tls: TlsSettings | None = None) -> None:
        self.simulation = Simulation(seed)
        self.network = self.simulation.network
        self.accepted: list[Recorder] = []  # by all lives of b
        self.listener: SimulatedListener | None = None
        self._make, self._backlog, self._tls = make, backlog, tls

    def tell(self, story: Callable[["TwoNodes", SimulatedWorld], Coroutine[Any, Any, None]]) -> str:
        """Run a story, which begins when both nodes are up; the run's hash."""

        async def scenario(world: SimulatedWorld) -> None:
            self.simulation.start("a", _idle)
            self.simulation.start("b", self._serve)
            await self.until(world, lambda: self.listener is not None)
            await story(self, world)

        return self.simulation.run(scenario).hash

    async def connect(
        self,
        *,
        port: int = PORT,
        host: str = "b",
        timeout_ms: int = 30_000,
        tls: TlsSettings | None = None,
        buffers: SocketBuffers = SMALL_BUFFERS,
    ) -> Recorder:
        """A connection from a to b: a's end of it."""

        async def connect(world: SimulatedWorld) -> Recorder:
            ends: list[Recorder] = []

            def receiver(stream: Stream) -> Recorder:
                ends.append(Recorder(world, stream))
                return ends[0]

            await world.network.connect(Address(host, port), receiver, timeout_ms=timeout_ms, tls=tls, buffers=buffers)
            return ends[0]

        return await self.simulation.call("a", connect)

    async def pair(self, world: SimulatedWorld) -> tuple[Recorder, Recorder]:
        """A connection from a to b, both ends."""
        count = len(self.accepted)
        client = await self.connect()
        await self.until(world, lambda: len(self.accepted) > count)
        return client, self.accepted[-1]

    async def until(self, world: SimulatedWorld, condition: Callable[[], object], within_ms: int = PATIENCE_MS) -> None:
        """Wait until something that happens elsewhere makes this true."""
        end_ms = world.clock.monotonic_ms() + within_ms
        while not condition():
            assert world.clock.monotonic_ms() < end_ms, f"not so within {within_ms} ms"
            await world.clock.sleep(1 + within_ms // 10_000)

    async def _serve(self, world: SimulatedWorld) -> None:
        accepting = Accepting(world, self._make)
        accepting.accepted = self.accepted
        self.listener = await world.network.listen(
            Address("", PORT), accepting, backlog=self._backlog, tls=self._tls, buffers=SMALL_BUFFERS
        )
        await world.future()


async def _idle(world: SimulatedWorld) -> None:
    await world.future()
