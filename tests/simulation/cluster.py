"""The cluster suite: whole nodes, with their quorum, controllers, logs and listeners, and clients that write and read.

The seed draws the shape: one node that is both, or controllers and brokers apart; topics of one replica, small segments
and codecs; whether a topic's batches are flushed before they are acknowledged (`flush.messages=1`). Then everything
happens to the nodes: processes die, machines lose power, disks are slow or full, links break. What a client was told
stays so (`drivers/history`): through the death of processes always, through the loss of power where it was flushed, so
that machines lose power only in runs where everything is. At the end all is healed, and everything pending completes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Self

from ottla.broker.node import Node
from ottla.errors import OttlaError
from ottla.network.channel import Channel, ChannelSettings
from ottla.network.request import Request
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.topics import CreateTopicsRequest, CreateTopicsResponse
from ottla.protocol.messages.topics import CreateTopicsRequest_CreatableTopic as NewTopic
from ottla.protocol.messages.topics import CreateTopicsRequest_CreatableTopicConfig as TopicConfig
from ottla.protocol.records.batch import CompressionType
from ottla.world.api import Address, World
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.faults import DISK_FAULTS, NODE_FAULTS
from ottla.world.simulated.nemesis import FaultPlan, Nemesis
from ottla.world.simulated.network_faults import NETWORK_FAULTS
from tests.simulation.drivers.client import Producer, Reader
from tests.simulation.drivers.history import History, Place
from tests.simulation.formatting import format_if_new
from tests.simulation.suite import Report, Suite, replay

SUFFERING_MS = 60_000
HEALED_MS = 120_000
RESTART_MS = 500  # until a node that could not go on is started again
CLIENTS = "clients"
DATA = "/data"
POWER_FAULTS = ("crash", "crash-in-call")
KINDS = {
    name: kind
    for name, kind in (NODE_FAULTS | NETWORK_FAULTS | DISK_FAULTS).items()
    # Nothing here has jobs; a bit that flips, or a sync that lies, may cost what is kept once.
    if name not in ("job-death", "bit-flip", "sync-error")
}
RULES = ("acknowledged", "once", "flushed")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a run is like."""

    controllers: int  # of their own; 0: one node is both
    brokers: int
    topics: int
    partitions: int
    producers: int
    is_flushed: bool
    is_idempotent: bool
    acks: int
    segment_bytes: int
    max_batch: int
    pause_ms: int

    @classmethod
    def draw(cls, rng: Random) -> Self:
        """One."""
        controllers = rng.choice((0, 0, 1, 3))
        return cls(
            controllers=controllers,
            brokers=rng.randint(1, 2) if controllers else 1,
            topics=rng.randint(1, 2),
            partitions=rng.randint(1, 3),
            producers=rng.randint(1, 4),
            is_flushed=rng.random() < 0.5,
            is_idempotent=rng.random() < 0.7,
            acks=rng.choice((1, -1)),
            segment_bytes=rng.choice((1_024, 8_192, 1 << 30)),
            max_batch=rng.choice((1, 5, 50)),
            pause_ms=rng.choice((50, 200, 1_000)),
        )

    def nodes(self) -> dict[str, dict[str, str]]:
        """The settings of each node, by its machine's name."""
        return node_settings(self.controllers, self.brokers)

    def places(self) -> list[Place]:
        """All partitions."""
        return [Place(f"topic-{topic}", index) for topic in range(self.topics) for index in range(self.partitions)]


def node_settings(controllers: int, brokers: int) -> dict[str, dict[str, str]]:
    """The settings of the nodes of a cluster, by their machines' names; without controllers one node is both."""
    if not controllers:
        return {"node-1": _settings(1, "node-1", "broker,controller", {1: "node-1"})}
    voters = {number: f"controller-{number}" for number in range(1, controllers + 1)}
    found = {name: _settings(number, name, "controller", voters) for number, name in voters.items()}
    for number in range(101, 101 + brokers):
        found[f"broker-{number}"] = _settings(number, f"broker-{number}", "broker", voters)
    return found


def _settings(number: int, host: str, roles: str, voters: Mapping[int, str]) -> dict[str, str]:
    listeners = {"broker": f"PLAINTEXT://{host}:9092", "controller": f"CONTROLLER://{host}:9093"}
    return {
        "node.id": str(number),
        "process.roles": roles,
        "controller.quorum.voters": ",".join(f"{voter}@{name}:9093" for voter, name in voters.items()),
        "controller.listener.names": "CONTROLLER",
        "listeners": ",".join(listeners[role] for role in roles.split(",")),
        "log.dirs": DATA,
        "log.initial.task.delay.ms": "1000",
        "log.flush.offset.checkpoint.interval.ms": "5000",
        "log.segment.delete.delay.ms": "1000",
        "log.index.size.max.bytes": "65536",  # index files are preallocated, and a simulated disk is memory
    }


class Story:
    """One run."""

    def __init__(self, seed: int, show: Callable[[str], object] | None, broken: str) -> None:
        self.simulation = Simulation(seed, show=show, replay=replay(SUITE_NAME, seed))
        self.history = History()
        self.shape = Shape.draw(self.simulation.rng("shape"))
        self._broken = broken
        self._bootstrap = [
            Address(name, 9092) for name, texts in self.shape.nodes().items() if "broker" in texts["process.roles"]
        ]

    def report(self) -> Report:
        """Run it."""
        outcome = self.simulation.run(self._scenario)
        history = self.history
        return Report(outcome.hash, outcome.virtual_ms, history.acknowledged, self.simulation.struck, history.checks)

    async def _scenario(self, world: SimulatedWorld) -> None:
        simulation, shape = self.simulation, self.shape
        simulation.note("scenario", "shape", f"{shape}")
        nodes = shape.nodes()
        for name, texts in nodes.items():
            simulation.start(name, partial(self._serve, texts))
        simulation.start(CLIENTS, self._use)
        kinds = {name: kind for name, kind in KINDS.items() if shape.is_flushed or name not in POWER_FAULTS}
        plan = FaultPlan.draw(simulation.rng("plan"), kinds)
        simulation.note("scenario", "plan", f"{plan}")
        nemesis = Nemesis(simulation, plan, list(nodes), kinds=kinds, directories=(DATA,))
        await nemesis.run(world, SUFFERING_MS)
        simulation.note("scenario", "healed", "")
        self._is_over = True
        await world.timeout(HEALED_MS, simulation.ended(CLIENTS))
        self.history.checks["progress"] += 1

    # The nodes

    async def _serve(self, texts: dict[str, str], world: SimulatedWorld) -> None:
        def report(what: str, error: BaseException) -> None:
            if not isinstance(error, OttlaError):
                world.loop.fail(error, what)

        while True:  # as under a supervisor
            try:
                format_if_new(world, texts)
                node = Node(world, texts, report)
                if self._broken:
                    node.server.serve = partial(self._break, node, node.path.serve)
                await node.start()
                try:
                    await node.failure
                finally:
                    await node.stop()
            except OttlaError as error:
                self.simulation.note(texts["node.id"], "down", f"{type(error).__name__}: {error}")
            await world.clock.sleep(RESTART_MS)

    def _break(self, node: Node, serve: Callable[[Request], None], request: Request) -> None:
        """Serve with a rule of the broker broken, now and then."""
        if request.api.name == "PRODUCE" and request.header.correlation_id % 20 == 19 and node.broker is not None:
            for hosted in node.broker.logs.table:
                if self._broken == "acknowledged" and hosted.log.log_end_offset > hosted.log.log_start_offset + 1:
                    hosted.log.log_end_offset -= 1
                    hosted.log.update_high_watermark(hosted.log.log_end_offset)
                elif self._broken == "once":
                    hosted.log.producer_state.clear(hosted.log.log_end_offset)
        serve(request)

    # The clients

    async def _use(self, world: SimulatedWorld) -> None:
        shape, history = self.shape, self.history
        await self._create(world)
        rng = Random(f"{self.simulation.seed}/clients")
        async with world.group() as group:
            for number in range(shape.producers):
                producer_id = 1_000 + number if shape.is_idempotent else -1
                producer = Producer(world, f"p{number}", self._bootstrap, history, shape.acks, producer_id)
                for place in shape.places():
                    group.spawn(self._write(world, producer, place, Random(rng.random())), f"{producer.name} {place}")
            reader = Reader(world, "reader", self._bootstrap, history)
            for place in shape.places():
                group.spawn(self._read(world, reader, place), f"read {place}")

    async def _create(self, world: World) -> None:
        """Make the topics, however long that takes."""
        configs = {"internal.segment.bytes": str(self.shape.segment_bytes)}
        if self.shape.is_flushed and self._broken != "flushed":
            configs["flush.messages"] = "1"
        topics = [
            NewTopic(name, self.shape.partitions, 1, configs=[TopicConfig(*each) for each in configs.items()])
            for name in sorted({place.topic for place in self.shape.places()})
        ]
        channel = Channel(world, self._bootstrap[0], ChannelSettings(client_id="admin", request_timeout_ms=5_000))
        while topics:
            try:
                answer: CreateTopicsResponse = await channel.request(CreateTopicsRequest(topics, timeout_ms=5_000))
            except (OttlaError, TimeoutError):
                await world.clock.sleep(100)
                continue
            done = (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS)
            made = {topic.name for topic in answer.topics if topic.error_code in done}
            topics = [topic for topic in topics if topic.name not in made]
            await world.clock.sleep(100)
        await channel.close()

    _is_over = False

    async def _write(self, world: World, producer: Producer, place: Place, rng: Random) -> None:
        codecs = list(CompressionType)
        while not self._is_over:
            await producer.write(place, rng.randint(1, self.shape.max_batch), rng.choice(codecs))
            await world.clock.sleep(rng.randrange(2 * self.shape.pause_ms))

    async def _read(self, world: World, reader: Reader, place: Place) -> None:
        """Read it over and over; at the end, when all is written, once more for the verdict."""
        offset = 0
        while not self._is_over:
            found = await reader.read(place, offset)
            offset = world.rng.randrange(max(found, default=offset) + 1)  # often again, and never all of it
            await world.clock.sleep(2_000)
        await world.clock.sleep(20_000)  # whatever was on its way is written by now, or is written while we read
        self.history.judge(place, await reader.read(place), idempotent=self.shape.is_idempotent)


def scenario(seed: int, show: Callable[[str], object] | None = None, *, broken: str = "") -> Report:
    """Run one seed."""
    return Story(seed, show, broken).report()


SUITE_NAME = "cluster"
CLUSTER = Suite(
    SUITE_NAME,
    scenario,
    faults=frozenset(KINDS),
    checkers=frozenset({"acknowledged", "same bytes", "kept", "once and in order", "progress"}),
    mutants={rule: partial(scenario, broken=rule) for rule in RULES},
)
