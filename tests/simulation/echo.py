"""A small program on a network: servers that send back what they are sent, and clients that compare.

It is what the network suite tests the simulated network with, and the pattern of everything that keeps promises on one:
who cannot send stops reading, who waits for an answer waits for a time, and whoever is told that a connection is gone
has lost what was not answered, and nothing else.

`broken` names one of these rules to be left out, so that the suite can prove that it sees it.
"""

from collections.abc import Callable

from ottla.errors import ConnectFailed
from ottla.world.api import Address, Stream, World
from ottla.world.tasks import Event

RULES = ("stop reading", "keep the order", "wait for a time")

PORT = 7
BUFFER_BYTES = 16_384
HIGH_BYTES, LOW_BYTES = 30_000, 10_000
MOST_UNSENT_BYTES = HIGH_BYTES + 4 * BUFFER_BYTES  # a few reads may come before the pause is told
CONNECT_MS, PATIENCE_MS = 1_500, 3_000


class End:
    """What both ends have in common: the order in which a receiver must be told things."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.told = 0  # how often since somebody asked
        self.is_paused = self.has_ended = self.is_closed = False
        self._buffer = memoryview(bytearray(BUFFER_BYTES))

    def buffer(self) -> memoryview:
        """Always the same one."""
        self._tell()
        return self._buffer

    def received(self, count: int) -> None:
        """Bytes."""
        self._tell()
        assert not self.has_ended, "bytes behind the end"
        assert 0 < count <= BUFFER_BYTES
        self.take(bytes(self._buffer[:count]))

    def take(self, data: bytes) -> None:
        """What to do with them."""
        raise NotImplementedError

    def ended(self) -> None:
        """The peer has said all."""
        self._tell()
        assert not self.has_ended, "it ends once"
        self.has_ended = True

    def writing_paused(self) -> None:
        """Too much waits."""
        self._tell()
        assert not self.is_paused, "paused twice"
        self.is_paused = True

    def writing_resumed(self) -> None:
        """No longer."""
        self._tell()
        assert self.is_paused, "resumed twice"
        self.is_paused = False

    def closed(self, error: Exception | None) -> None:
        """It is over."""
        del error
        self._tell()
        self.is_closed = True

    def _tell(self) -> None:
        assert not self.is_closed, "the last is last"
        self.told += 1


class Server(End):
    """A server's end: sends everything back, and holds only so much."""

    def __init__(self, stream: Stream, broken: str) -> None:
        super().__init__(stream)
        self._broken, self._held_back = broken, b""
        self.most_unsent = 0
        stream.set_write_limits(HIGH_BYTES, LOW_BYTES)

    def take(self, data: bytes) -> None:
        """Send it back."""
        if self._broken == "keep the order" and len(data) % 50 == 1 and not self._held_back:
            self._held_back = data
            return
        self.stream.write([data, self._held_back])
        self._held_back = b""
        self.most_unsent = max(self.most_unsent, self.stream.unsent_bytes())

    def ended(self) -> None:
        """Nothing more to say."""
        super().ended()
        self.stream.close()

    def writing_paused(self) -> None:
        """The client does not read, so neither do we."""
        super().writing_paused()
        if self._broken != "stop reading":
            self.stream.pause_reading()

    def writing_resumed(self) -> None:
        """Go on."""
        super().writing_resumed()
        self.stream.resume_reading()


async def serve(world: World, broken: str, made: Callable[[Server], None]) -> None:
    """A server's program."""

    def accept(stream: Stream) -> Server:
        server = Server(stream, broken)
        made(server)
        return server

    await world.network.listen(Address("", PORT), accept, backlog=3)
    await world.future()


class Client(End):
    """A client's end: compares what comes back with what was sent."""

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream)
        self.compared = 0  # bytes since somebody asked
        self._sent = bytearray()  # and not yet come back
        self._changed = Event()

    def send(self, data: bytes) -> None:
        """Send something, and expect it back."""
        if not self.is_closed:
            self._sent += data
            self.stream.write([data])

    def take(self, data: bytes) -> None:
        """Something has come back."""
        assert self._sent.startswith(data), "what came back is not what was sent"
        del self._sent[: len(data)]
        self.compared += len(data)
        self._changed.set()

    def closed(self, error: Exception | None) -> None:
        """What did not come back is lost."""
        super().closed(error)
        self._changed.set()

    def ended(self) -> None:
        """The server has died."""
        super().ended()
        self.stream.close()

    async def answered(self) -> bool:
        """Wait until all has come back, or until the connection is over: whether it has come back."""
        while self._sent and not self.is_closed:
            self._changed.clear()
            await self._changed.wait()
        return not self._sent


class Chatter:
    """A client's program: talks to one server after the other."""

    def __init__(self, world: World, servers: list[str], largest: int, broken: str) -> None:
        self.world, self._servers, self._largest, self._broken = world, servers, largest, broken
        self.told: Callable[[Client, bool], None] = lambda client, answered: None

    async def run(self) -> None:
        """For ever."""
        rng = self.world.rng
        while True:
            server = self._servers[rng.randrange(len(self._servers))]
            try:
                stream = await self.world.network.connect(Address(server, PORT), self._made, timeout_ms=CONNECT_MS)
            except ConnectFailed:
                await self.world.clock.sleep(1 + rng.randrange(100))
                continue
            await self._talk(self._client, 1 + rng.randrange(40))
            if rng.randrange(2):
                stream.close()
            else:
                stream.abort()

    def _made(self, stream: Stream) -> Client:
        self._client = Client(stream)
        return self._client

    async def _talk(self, client: Client, messages: int) -> None:
        rng = self.world.rng
        for _ in range(messages):
            is_greedy = rng.randrange(20) == 0
            if is_greedy:  # sends much and reads nothing for a while
                client.stream.pause_reading()
            for _ in range(20 if is_greedy else 1 + rng.randrange(4)):
                client.send(rng.randbytes(1 + rng.randrange(self._largest)))
            await self.world.clock.sleep(rng.randrange(150))
            client.stream.resume_reading()
            if not await self._answered(client):
                return

    async def _answered(self, client: Client) -> bool:
        try:
            if self._broken == "wait for a time":
                answered = await client.answered()
            else:
                answered = await self.world.timeout(PATIENCE_MS, client.answered())
        except TimeoutError:
            answered = False
        self.told(client, answered)
        return answered
