"""The node suite: a broker that tells who it is, and twenty clients that ask it, while everything happens to them.

Each client sends bursts of Metadata requests in versions of its choice over our own channel, each for a topic with a
name that nobody else asks for, and looks whether it got its own answer and the right one. Now and then the node stops
and starts again by itself. At the end everything is healed, and every client must be answered again.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random

from ottla.broker.node import Node
from ottla.errors import NetworkError
from ottla.network.channel import Channel, ChannelSettings
from ottla.network.request import Request
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.cluster import MetadataRequest_MetadataRequestTopic as Asked
from ottla.protocol.messages.topics import CreateTopicsRequest
from ottla.protocol.messages.topics import CreateTopicsRequest_CreatableTopic as Topic
from ottla.world.api import Address, World
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.faults import NODE_FAULTS
from ottla.world.simulated.nemesis import FaultPlan, Nemesis
from ottla.world.simulated.network_faults import NETWORK_FAULTS
from tests.simulation.formatting import format_if_new
from tests.simulation.suite import Report, Suite, replay

CLIENTS = 20
SUFFERING_MS = 75_000
HEALED_MS = 60_000  # within which every client must have been answered so often:
HEALED_ANSWERS = 3
LARGEST_ANSWER_BYTES = 4_096
BROKER = "broker"
SETTINGS = {
    "node.id": "7",
    "process.roles": "broker,controller",
    "controller.quorum.voters": "7@broker:9093",
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093",
    "advertised.listeners": f"PLAINTEXT://{BROKER}:9092,CONTROLLER://{BROKER}:9093",
    "auto.create.topics.enable": "false",
    "log.dirs": "/data",
    "log.index.size.max.bytes": "65536",  # index files are preallocated, and a simulated disk is memory
}

KINDS = {
    name: kind
    for name, kind in (NODE_FAULTS | NETWORK_FAULTS).items()
    if name not in ("job-death", "crash-in-call", "clock-jump")  # nothing here has jobs, disks, or wall clocks
}
RULES = ("own answer", "no error of ours")


class Story:
    """One run: what the clients were answered."""

    def __init__(self, seed: int, show: Callable[[str], object] | None, broken: str) -> None:
        self.simulation = Simulation(seed, show=show, replay=replay(SUITE_NAME, seed))
        self.checks: Counter[str] = Counter()
        self._rng, self._broken = self.simulation.rng("shape"), broken
        self._life_ms = self._rng.choice((5_000, 20_000, 500_000))  # until the node stops and starts by itself
        self._pause_ms = self._rng.choice((1_000, 4_000))
        self._burst = self._rng.choice((1, 4, 20))
        self._timeout_ms = self._rng.choice((500, 5_000))
        self._clients = [f"client-{number}" for number in range(CLIENTS)]
        self._answers: Counter[str] = Counter()
        self._node: Node | None = None

    def report(self) -> Report:
        """Run it."""
        outcome = self.simulation.run(self._scenario)
        return Report(outcome.hash, outcome.virtual_ms, self._answers.total(), self.simulation.struck, self.checks)

    async def _scenario(self, world: SimulatedWorld) -> None:
        simulation = self.simulation
        simulation.start(BROKER, self._serve)
        for name in self._clients:
            simulation.start(name, partial(self._ask, name))
        plan = FaultPlan.draw(simulation.rng("plan"), KINDS)
        simulation.note("scenario", "plan", f"{plan}")
        await Nemesis(simulation, plan, [BROKER, *self._clients[:3]], kinds=KINDS).run(world, SUFFERING_MS)
        await world.timeout(HEALED_MS, self._must_go_on(world))

    # The node

    async def _serve(self, world: SimulatedWorld) -> None:
        def report(what: str, error: BaseException) -> None:
            world.loop.fail(error, what)

        format_if_new(world, SETTINGS)
        while True:
            node = self._node = Node(world, SETTINGS, report)
            if self._broken:
                node.server.serve = partial(_broken, self._broken, node.path.serve)
            await node.start()
            assert node.broker is not None
            await node.broker.parts.controller.ask(CreateTopicsRequest([Topic("orders", 3, 1)], timeout_ms=60_000))
            await world.clock.sleep(self._life_ms)
            await node.stop()
            assert not list(node.server.connections()), "a node that has stopped has no connections"
            self.checks["stop"] += 1

    # The clients

    async def _ask(self, name: str, world: SimulatedWorld) -> None:
        settings = ChannelSettings(client_id=name, request_timeout_ms=self._timeout_ms)
        channel = Channel(world, Address(BROKER, 9092), settings)
        rng = Random(f"{self.simulation.seed}/{name}")
        number = 0
        while True:
            async with world.group() as group:
                for _ in range(rng.randint(1, self._burst)):
                    number += 1
                    group.spawn(self._one(channel, rng.randint(0, 13), f"{name}.{number}", name), f"ask {number}")
            await world.clock.sleep(rng.randrange(2 * self._pause_ms))

    async def _one(self, channel: Channel, version: int, unique: str, name: str) -> None:
        request = MetadataRequest(topics=[Asked(name=unique), Asked(name="orders")])
        try:
            answer: MetadataResponse = await channel.request(request, max_version=version)
        except (NetworkError, TimeoutError):
            return
        assert [topic.name for topic in answer.topics] == [unique, "orders"], "an answer to somebody else's request"
        unknown, orders = answer.topics
        assert unknown.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert [(each.host, each.port) for each in answer.brokers] in ([(BROKER, 9092)], [])
        if orders.error_code or any(each.leader_id != 7 for each in orders.partitions):
            return  # it is not made yet, or the broker is about to stop
        assert [each.partition_index for each in orders.partitions] == [0, 1, 2]
        self._answers[name] += 1
        self.checks["answer"] += 1
        self._look()

    def _look(self) -> None:
        """No client makes the node hold more than it may."""
        assert self._node is not None
        for connection in self._node.server.connections():
            limit = self._node.server.limits.max_unsent_bytes + LARGEST_ANSWER_BYTES
            assert connection.stream.unsent_bytes() <= limit, "a slow reader makes the node hold more and more"
            assert connection.in_flight <= self._node.server.limits.max_in_flight
        self.checks["bound"] += 1

    async def _must_go_on(self, world: World) -> None:
        """Everything is healed: each client gets whole answers again."""
        before = Counter(self._answers)
        while any(self._answers[name] < before[name] + HEALED_ANSWERS for name in self._clients):
            await world.clock.sleep(100)
        self.checks["progress"] += 1


def _broken(rule: str, serve: Callable[[Request], None], request: Request) -> None:
    """Serve with one rule broken: someone else's answer, or an error of ours, now and then."""
    if request.api.name == "METADATA" and request.header.correlation_id % 50 == 49:
        if rule == "no error of ours":
            raise ZeroDivisionError("planted")
        frame = bytes(request.frame)
        request.frame = memoryview(frame.replace(b"orders", b"redros"))
    serve(request)


def scenario(seed: int, show: Callable[[str], object] | None = None, *, broken: str = "") -> Report:
    """Run one seed."""
    return Story(seed, show, broken).report()


SUITE_NAME = "node"
NODE = Suite(
    SUITE_NAME,
    scenario,
    faults=frozenset(KINDS),
    checkers=frozenset({"answer", "bound", "stop", "progress"}),
    mutants={rule: partial(scenario, broken=rule) for rule in RULES},
)
