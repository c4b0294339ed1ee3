"""Both ends of connections to a server in a simulated world: a client that speaks in bytes, and a service behind it."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any, Self, TypeVar

from ottla.metrics.registry import Metrics
from ottla.network.connection import Connection
from ottla.network.limits import Limits, ListenerSettings
from ottla.network.request import Request
from ottla.network.server import Server
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.framing import framed
from ottla.protocol.headers import read_response_header, write_request_header
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.connection import ApiVersionsResponse, ApiVersionsResponse_ApiVersion
from ottla.protocol.messages.groups import HeartbeatRequest, HeartbeatResponse
from ottla.world.api import Address, SocketBuffers, Stream, World
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.conformance.peers import CLOSED, Recorder

T = TypeVar("T")

HOST = "127.0.0.1"
ANY = Address(HOST, 0)
SMALL = SocketBuffers(send_bytes=16_384, receive_bytes=16_384)
HELD = ApiKey.HEARTBEAT  # answered when the test says so
SIZED = ApiKey.METADATA  # answered at once, with as many bytes as the service says


def run(main: Callable[[SimulatedWorld], Coroutine[Any, Any, T]], seed: int = 1) -> T:
    """In a world of its own."""
    return Simulation(seed).run(main).value


def question(api: ApiKey, correlation_id: int, message: Message | None = None, version: int | None = None) -> bytes:
    """A request, framed."""
    if message is None:
        message = {HELD: HeartbeatRequest, SIZED: MetadataRequest}[api]()
    version = api.max_version if version is None else version
    return b"".join(framed(write_request_header(api, version, correlation_id, "tester"), message.write(version)))


def frame(body: bytes) -> bytes:
    """Anything, framed."""
    return len(body).to_bytes(4, "big") + body


class Client(Recorder):
    """A client that writes down what comes, and can take it apart."""

    def __init__(self, world: World, stream: Stream) -> None:
        super().__init__(world, stream)
        self._found: list[bytes] = []
        self._taken = 0

    async def ask(self, *questions: bytes) -> None:
        """Write all of it at once."""
        self.stream.write([b"".join(questions)])

    def frames(self) -> list[bytes]:
        """The whole frames that have come."""
        data, found = self.data, self._found
        while (start := self._taken + 4) <= len(data):
            end = start + int.from_bytes(data[self._taken : start], "big")
            if end > len(data):
                break
            found.append(bytes(data[start:end]))
            self._taken = end
        return found

    def answered(self) -> list[int]:
        """The correlation ids of the answers that have come."""
        return [int.from_bytes(each[:4], "big") for each in self.frames()]

    async def until_answered(self, count: int) -> list[int]:
        """Wait for so many answers."""
        await self.until(lambda: len(self.frames()) >= count or CLOSED in self.events)
        return self.answered()

    async def answer(self, api: ApiKey, response: type[Message], version: int | None = None, number: int = 0) -> Any:
        """An answer, when it has come."""
        await self.until_answered(number + 1)
        version = api.max_version if version is None else version
        found = self.frames()[number]
        _, position = read_response_header(found, api, version)
        return response.read(found, version, position)


class Service:
    """What the server is given to serve with."""

    def __init__(self) -> None:
        self.size_bytes = 10
        self.held: list[Request] = []
        self.served: list[int] = []  # correlation ids, in order
        self.faults: list[BaseException] = []
        self.other: Mapping[ApiKey, Callable[[Request], None]] = {}

    def __call__(self, request: Request) -> None:
        """Serve a request."""
        self.served.append(request.header.correlation_id)
        if other := self.other.get(request.api):
            other(request)
        elif request.api is HELD:
            self.held.append(request)
        elif request.api is SIZED:
            request.answer(MetadataResponse(cluster_id="x" * self.size_bytes))
        elif request.api is ApiKey.API_VERSIONS:
            versions = [ApiVersionsResponse_ApiVersion(api, api.min_version, api.max_version) for api in ApiKey]
            request.answer(ApiVersionsResponse(api_keys=versions))
        else:
            request.refuse("the tests do not serve this")

    def report(self, what: str, error: BaseException) -> None:
        """Something was our fault."""
        error.add_note(what)
        self.faults.append(error)

    def answer_held(self, *places: int) -> None:
        """Answer what is held, in this order; all of it if nothing is said."""
        for request in [self.held[place] for place in places] if places else self.held:
            request.answer(HeartbeatResponse())


class Serving:
    """A server with one plain listener, and clients of it on the same node."""

    def __init__(self, world: World, limits: Limits | None = None, *more: ListenerSettings, **settings: Any) -> None:
        self.world, self.service, self.metrics = world, Service(), Metrics(world.clock.monotonic_ms())
        self.settings = replace(ListenerSettings("PLAIN", ANY, buffers=SMALL), **settings)
        self.server = Server(
            world, [self.settings, *more], self.service, self.service.report, limits, metrics=self.metrics
        )

    async def __aenter__(self) -> Self:
        await self.server.start()
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.server.stop(0)
        if failure[0] is None:
            assert self.service.faults == []

    async def client(self, listener: str = "PLAIN", *, buffers: SocketBuffers = SMALL) -> Client:
        """A connection."""
        clients: list[Client] = []

        def receiver(stream: Stream) -> Client:
            clients.append(Client(self.world, stream))
            return clients[0]

        await self.world.network.connect(self.server.listeners[listener].address, receiver, buffers=buffers)
        return clients[0]

    async def clients(self, count: int) -> list[Client]:
        """Several."""
        return [await self.client() for _ in range(count)]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Look every millisecond; for what no client is told."""
        for _ in range(60_000):
            if condition():
                return
            await self.world.clock.sleep(1)
        raise AssertionError("it did not come true within a minute")

    def connection(self, number: int = 0) -> Connection:
        """The server's end of the so-manieth connection that is there."""
        return list(self.server.connections())[number]

    def reasons(self, listener: str = "PLAIN") -> dict[str, int]:
        """Why connections have ended."""
        return {reason.name: count for reason, count in self.server.listeners[listener].figures.closes().items()}
