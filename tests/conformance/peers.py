"""Both ends of a connection, for the suites of network and streams: they write down what they are told."""

from collections.abc import Callable
from dataclasses import dataclass

from ottla.world.api import Address, Listener, SocketBuffers, Stream, World
from ottla.world.tasks import Event

HOST = "127.0.0.1"
SMALL_BUFFERS = SocketBuffers(send_bytes=65_536, receive_bytes=65_536)
PATIENCE_MS = 20_000
QUIET_MS = 30  # long enough for what must not happen to happen

CLOSED = "closed"
ENDED = "ended"
PAUSED = "writing_paused"
RESUMED = "writing_resumed"


class Recorder:
    """A receiver that keeps all bytes, and the other events in their order."""

    def __init__(self, world: World, stream: Stream, *, buffer_bytes: int = 65_536) -> None:
        self.world, self.stream = world, stream
        self.data = bytearray()
        self.events: list[str] = []
        self.error: Exception | None = None
        self._buffer = memoryview(bytearray(buffer_bytes))
        self._changed = Event()

    def buffer(self) -> memoryview:
        """The same one every time."""
        return self._buffer

    def received(self, count: int) -> None:
        """Keep the bytes."""
        assert 0 < count <= len(self._buffer)
        assert not {CLOSED, ENDED} & set(self.events), f"bytes behind {self.events}"
        self.data += self._buffer[:count]
        self._changed.set()

    def ended(self) -> None:
        """Nothing more will come."""
        self._add(ENDED)

    def writing_paused(self) -> None:
        """Too much waits."""
        self._add(PAUSED)

    def writing_resumed(self) -> None:
        """Not too much any more."""
        self._add(RESUMED)

    def closed(self, error: Exception | None) -> None:
        """The last event."""
        self.error = error
        self._add(CLOSED)

    def _add(self, event: str) -> None:
        assert CLOSED not in self.events, f"{event} after closed"
        self.events.append(event)
        self._changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something that we are told makes this true."""
        while not condition():
            self._changed.clear()
            await self.world.timeout(PATIENCE_MS, self._changed.wait())

    async def until_data(self, size: int) -> bytes:
        """Wait for so many bytes; all that is there."""
        await self.until(lambda: len(self.data) >= size)
        return bytes(self.data)

    async def until_event(self, event: str) -> None:
        """Wait for an event that has not happened before."""
        await self.until(lambda: event in self.events)

    async def until_gone(self) -> None:
        """Wait until the other end has closed or broken the connection."""
        await self.until(lambda: bool({CLOSED, ENDED} & set(self.events)))


class Echo(Recorder):
    """A receiver that sends everything back, and closes when the peer has ended."""

    def received(self, count: int) -> None:
        """Send it back."""
        super().received(count)
        self.stream.write([bytes(self._buffer[:count])])

    def ended(self) -> None:
        """We have nothing more either."""
        super().ended()
        self.stream.close()


class Accepting:
    """What a listener calls: makes a receiver for every connection, and lets a test wait for them."""

    def __init__(self, world: World, make: Callable[[World, Stream], Recorder] = Recorder) -> None:
        self.world, self._make = world, make
        self.accepted: list[Recorder] = []
        self._changed = Event()

    def __call__(self, stream: Stream) -> Recorder:
        receiver = self._make(self.world, stream)
        self.accepted.append(receiver)
        self._changed.set()
        return receiver

    async def until_accepted(self, count: int) -> list[Recorder]:
        """Wait until there have been so many connections."""
        while len(self.accepted) < count:
            self._changed.clear()
            await self.world.timeout(PATIENCE_MS, self._changed.wait())
        return self.accepted


@dataclass(frozen=True, slots=True)
class Pair:
    """Both ends of a connection."""

    client: Recorder
    server: Recorder
    listener: Listener

    async def close(self) -> None:
        """Close both ends and the listener, and see that both were told."""
        for end in (self.client, self.server):
            end.stream.close()
        for end in (self.client, self.server):
            await end.until_event(CLOSED)
        await self.listener.close()


Make = Callable[[World, Stream], Recorder]


async def connected(world: World, *, client: Make = Recorder, server: Make = Recorder) -> Pair:
    """A connection over which little is held by the network itself, so that back-pressure is felt soon."""
    accepting = Accepting(world, server)
    listener = await world.network.listen(Address(HOST, 0), accepting, buffers=SMALL_BUFFERS)
    ends: list[Recorder] = []

    def receiver(stream: Stream) -> Recorder:
        ends.append(client(world, stream))
        return ends[-1]

    stream = await world.network.connect(listener.address, receiver, buffers=SMALL_BUFFERS)
    assert ends[0].stream is stream
    return Pair(ends[0], (await accepting.until_accepted(1))[0], listener)
