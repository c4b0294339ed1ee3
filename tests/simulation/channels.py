"""The channels suite: servers that answer out of turn, clients that pipeline, and all that can happen in between.

Each request carries a name of its own, and its answer brings it back. The seed draws how many there are, how much they
ask, and which faults are on. Always: an answer belongs to its request, answers of a channel come in the order of
asking, no request is served twice, and each is settled, by an answer or an error. At the end everything is healed, and
every client must be answered again.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any

from ottla.errors import NetworkError, OttlaError
from ottla.network import channel as channel_module
from ottla.network.channel import Channel, ChannelSettings
from ottla.network.connection import Connection
from ottla.network.limits import Limits, ListenerSettings
from ottla.network.link import Link
from ottla.network.request import Request
from ottla.network.server import Server
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.connection import ApiVersionsResponse, ApiVersionsResponse_ApiVersion
from ottla.world.api import Address
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.faults import NODE_FAULTS
from ottla.world.simulated.nemesis import FaultPlan, Nemesis
from ottla.world.simulated.network_faults import NETWORK_FAULTS
from tests.simulation.suite import Report, Suite, replay

SUFFERING_MS = 75_000
HEALED_MS = 40_000  # within which every client must have been answered so often:
HEALED_ANSWERS = 10
TIMEOUT_MS = 4_000
PORT = 9_092
UNSENT_BYTES, BATCH_BYTES = 50_000, 64 * 1024
MOST_WAITING = 30

KINDS = {
    name: kind
    for name, kind in (NODE_FAULTS | NETWORK_FAULTS).items()
    if name not in ("job-death", "crash-in-call", "kill-in-call", "clock-jump")  # no jobs, disks, or wall clocks here
}
SETTINGS = ChannelSettings(
    request_timeout_ms=TIMEOUT_MS, connect_timeout_ms=1_500, max_in_flight=8, max_waiting=MOST_WAITING
)
VERSIONS = ApiVersionsResponse(
    api_keys=[ApiVersionsResponse_ApiVersion(api, api.min_version, api.max_version) for api in ApiKey]
)


class Story:
    """One run: what was asked, served, and answered."""

    def __init__(self, seed: int, show: Callable[[str], object] | None) -> None:
        self.simulation = Simulation(seed, show=show, replay=replay(SUITE_NAME, seed))
        self.checks: Counter[str] = Counter()
        rng = self.simulation.rng("shape")
        self._largest, self._slowest_ms = rng.choice((10, 2_000, 20_000)), rng.choice((0, 20, 200))
        self._servers = [f"server-{number}" for number in range(rng.randint(1, 3))]
        self._clients = [f"client-{number}" for number in range(rng.randint(1, 4))]
        self._asked: Counter[str] = Counter()  # by client
        self._answers: Counter[str] = Counter()
        self._served: Counter[str] = Counter()  # by the name of a request
        self._last: dict[Channel, int] = {}  # the number of the newest answer
        self._unsettled: dict[str, dict[str, None]] = {}  # by client, of its present life

    def report(self) -> Report:
        """Run it."""
        outcome = self.simulation.run(self._scenario)
        return Report(outcome.hash, outcome.virtual_ms, self._answers.total(), self.simulation.struck, self.checks)

    async def _scenario(self, world: SimulatedWorld) -> None:
        simulation = self.simulation
        for name in self._servers:
            simulation.start(name, partial(self._serve, name))
        for name in self._clients:
            simulation.start(name, partial(self._ask, name))
        plan = FaultPlan.draw(simulation.rng("plan"), KINDS)
        simulation.note("scenario", "plan", f"{plan}")
        await Nemesis(simulation, plan, [*self._servers, *self._clients], kinds=KINDS).run(world, SUFFERING_MS)
        await world.timeout(HEALED_MS, self._must_go_on(world))

    # Servers

    async def _serve(self, name: str, world: SimulatedWorld) -> None:
        rng = self.simulation.rng(f"serve/{name}/{world.clock.monotonic_ns()}")

        def fault(what: str, error: BaseException) -> None:
            raise AssertionError(f"{what}: a fault of ours") from error

        server = Server(
            world,
            [ListenerSettings("PLAIN", Address("", PORT))],
            partial(self._answer, world, rng),
            fault,
            Limits(max_unsent_bytes=UNSENT_BYTES, max_in_flight=6, idle_ms=20_000),
        )
        await server.start()
        while True:
            await world.clock.sleep(50)
            for connection in server.connections():
                self._look(connection)

    def _answer(self, world: SimulatedWorld, rng: Random, request: Request) -> None:
        if request.api is ApiKey.API_VERSIONS:
            request.answer(VERSIONS)
            return
        asked = MetadataRequest.read(request.frame, request.version, request.body)
        assert asked.topics
        named = asked.topics[0].name or ""
        self._served[named] += 1
        self.checks["once"] += 1
        assert self._served[named] == 1, f"{named} is served twice"
        response = MetadataResponse(cluster_id=named)
        delay_ms = rng.randrange(self._slowest_ms + 1)
        world.clock.call_at(world.clock.monotonic_ms() + delay_ms, lambda: request.answer(response))

    def _look(self, connection: Connection) -> None:
        self.checks["bound"] += 1
        assert connection.stream.unsent_bytes() <= UNSENT_BYTES + BATCH_BYTES + 2 * self._largest
        assert connection.in_flight <= 6

    # Clients

    async def _ask(self, name: str, world: SimulatedWorld) -> None:
        rng = self.simulation.rng(f"ask/{name}/{world.clock.monotonic_ns()}")
        self._unsettled[name] = {}
        channels = [Channel(world, Address(server, PORT), SETTINGS) for server in self._servers]
        while True:
            channel = rng.choice(channels)
            for _ in range(rng.choice((1, 1, 2, 12))):
                if len(self._unsettled[name]) < MOST_WAITING:
                    world.spawn(self._one(name, channel, rng), "one request")
            await world.clock.sleep(rng.randrange(1, 600))

    async def _one(self, client: str, channel: Channel, rng: Random) -> None:
        self._asked[client] += 1
        number = self._asked[client]
        named = f"{client}/{number}/".ljust(rng.randrange(1, self._largest + 1), ".")
        self._unsettled[client][named] = None
        message = MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name=named)])
        try:
            answer = await channel.request(message, timeout_ms=rng.randrange(TIMEOUT_MS // 4, TIMEOUT_MS))
        except (NetworkError, TimeoutError):
            return
        finally:
            self._unsettled[client].pop(named, None)
        self.checks["answer"] += 1
        assert answer.cluster_id == named, f"{named} has the answer of {answer.cluster_id}"
        self.checks["order"] += 1
        assert self._last.get(channel, 0) < number, f"{named} is answered behind {self._last[channel]}"
        self._last[channel] = number
        self._answers[client] += 1

    async def _must_go_on(self, world: SimulatedWorld) -> None:
        before, waiting = Counter(self._answers), {name: dict(asked) for name, asked in self._unsettled.items()}
        while any(self._answers[name] < before[name] + HEALED_ANSWERS for name in self._clients):
            await world.clock.sleep(100)
        self.checks["progress"] += 1
        await world.clock.sleep(2 * TIMEOUT_MS)
        for name, asked in waiting.items():
            left = [each[:20] for each in asked if each in self._unsettled[name]]
            assert not left, f"{left} of {name} are neither answered nor failed"
        self.checks["settled"] += 1


def scenario(seed: int, show: Callable[[str], object] | None = None) -> Report:
    """Run one seed."""
    return Story(seed, show).report()


# Rules that are broken on purpose


class _ResendingLink(Link):
    """Sends again, on the next connection, what was lost with this one."""

    def send(self, asked: Any, version: int) -> None:
        message = asked.message
        super().send(asked, version)
        asked.message = message

    def _fail(self, failure: OttlaError) -> None:
        lost = [asked for asked in self.in_flight if asked.api is ApiKey.METADATA and not asked.answer.done()]
        self.in_flight = deque(asked for asked in self.in_flight if asked not in lost)
        self._channel._queue.extendleft(reversed(lost))
        super()._fail(failure)


class _TrustingLink(Link):
    """Takes any answer for the next one."""

    def _answer(self, frame: bytes | memoryview) -> None:
        if self.in_flight:
            self.in_flight[0].correlation_id = int.from_bytes(frame[:4], "big")
        super()._answer(frame)


class _DeafLink(Link):
    """Tells nobody that the connection has ended."""

    def _fail(self, failure: OttlaError) -> None:
        if all(asked.api is ApiKey.METADATA for asked in self.in_flight):
            self.in_flight.clear()
        super()._fail(failure)


def _send_at_once(self: Connection, request: Request) -> None:
    """Answers leave as they are made."""
    if not self.is_closing and request in self._pending:
        self._pending.remove(request)
        self.send(request.chunks or ())


@contextmanager
def _replaced(*places: tuple[Any, str, Any]) -> Iterator[None]:
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
    for owner, name, value in places:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


def _without(*places: tuple[Any, str, Any]) -> Callable[[int, Callable[[str], object] | None], Report]:
    def mutant(seed: int, show: Callable[[str], object] | None) -> Report:
        with _replaced(*places):
            return scenario(seed, show)

    return mutant


SUITE_NAME = "channels"
CHANNELS = Suite(
    SUITE_NAME,
    scenario,
    faults=frozenset(KINDS),
    checkers=frozenset({"answer", "order", "once", "bound", "progress", "settled"}),
    mutants={
        "send once": _without((channel_module, "Link", _ResendingLink)),
        "answer in order": _without((Connection, "answered", _send_at_once), (channel_module, "Link", _TrustingLink)),
        "tell who waits": _without((channel_module, "Link", _DeafLink)),
    },
)
