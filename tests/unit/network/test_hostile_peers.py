"""Hostile peers in simulation: they cost themselves, and the others nothing but a little time."""

from dataclasses import dataclass, field

import pytest

from ottla.network.channel import Channel, ChannelSettings
from ottla.network.limits import Limits, ListenerSettings
from ottla.network.memory import FREE_BYTES
from ottla.network.request import Request
from ottla.network.server import Server
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.groups import ListGroupsResponse
from ottla.world.api import Address
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.unit.network.ends import SMALL, Service
from tests.unit.network.hostile import ATTACKS, Attack, Attacker

PORT = 9_092
SERVE_NS = 20_000  # what a request costs the node
UNSENT_BYTES = 100_000
HELD_BYTES = 2_000_000
ANSWER_BYTES = 3_000
BATCH_BYTES = 64 * 1024
ASKING, EVERY_MS = 300, 120
SLOWEST_MS = 40  # some slices, and the way there and back; without slices a flood takes 90

# Why connections of an attack have ended, so that it is seen to have been one.
SEEN = {
    "random_bytes": {"OVERSIZED"},
    "mutated_frames": {"MALFORMED", "UNSUPPORTED", "OVERSIZED"},
    "impossible_sizes": {"OVERSIZED", "MALFORMED"},
    "half_open": {"IDLE"},
    "slow_readers": {"PEER"},
    "pipelines_that_never_read": {"STUCK"},
    "floods": {"LOST"},
    "idle_connections": {"IDLE"},
    "coming_and_going": {"PEER", "LOST"},
}

LIMITS = Limits(max_unsent_bytes=UNSENT_BYTES, queued_request_bytes=HELD_BYTES, idle_ms=20_000)


@dataclass
class Run:
    """A server, a good client and a hostile one, and what was seen."""

    simulation: Simulation
    attack: Attack
    server: Server | None = None
    service: Service = field(default_factory=Service)
    slowest_ms: int = 0
    answered: int = 0
    most_held: int = 0
    most_unsent: int = 0
    most_connections: int = 0
    looks: int = 0

    async def serve(self, world: SimulatedWorld) -> None:
        """The server's node."""
        self.service.size_bytes = ANSWER_BYTES

        def costly(request: Request) -> None:
            world.loop.charge(SERVE_NS)
            if request.api is ApiKey.METADATA:
                MetadataRequest.read(request.frame, request.version, request.body)
                request.answer(MetadataResponse(cluster_id="x" * ANSWER_BYTES))
            else:
                request.answer(ListGroupsResponse())

        self.service.other = {ApiKey.METADATA: costly, ApiKey.LIST_GROUPS: costly}
        settings = ListenerSettings("PLAIN", Address("", PORT), buffers=SMALL, backlog=1_000)
        self.server = Server(world, [settings], self.service, self.service.report, LIMITS)
        await self.server.start()
        await world.future()

    async def ask(self, world: SimulatedWorld) -> None:
        """The good client's node: it asks now and then, for as long as the attack may last."""
        channel = Channel(world, Address("server", PORT), ChannelSettings(request_timeout_ms=10_000))
        await channel.request(MetadataRequest())
        for _ in range(ASKING):
            before_ms = world.clock.monotonic_ms()
            answer = await channel.request(MetadataRequest())
            assert len(answer.cluster_id) == ANSWER_BYTES
            self.slowest_ms = max(self.slowest_ms, world.clock.monotonic_ms() - before_ms)
            self.answered += 1
            await world.clock.sleep(EVERY_MS)
        assert channel.connects == 1
        await channel.close()

    async def be_hostile(self, world: SimulatedWorld) -> None:
        """The hostile node."""
        await self.attack(Attacker(world, Address("server", PORT), self.simulation.rng("attack")))

    def look(self) -> None:
        """What the server holds, now and then: a look at every connection costs too much for every event."""
        self.looks += 1
        if self.server is None or self.looks % 97:
            return
        self.most_held = max(self.most_held, self.server.memory.held_bytes)
        connections = list(self.server.connections())
        self.most_connections = max(self.most_connections, len(connections))
        assert self.server.memory.held_bytes == sum(each.held_bytes for each in connections)
        for connection in connections:
            self.most_unsent = max(self.most_unsent, connection.stream.unsent_bytes())

    def go(self) -> None:
        """The story."""

        async def scenario(world: SimulatedWorld) -> None:
            self.simulation.start("server", self.serve)
            await world.clock.sleep(100)
            self.simulation.start("good", self.ask)
            await world.clock.sleep(100)
            self.simulation.start("hostile", self.be_hostile)
            await self.simulation.ended("good")

        self.simulation.checks.append(self.look)
        self.simulation.run(scenario)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_peer_costs_others_nothing(attack: str, seed: int) -> None:
    """While a peer misbehaves, a good client's every request is answered over one connection within a slice or two;
    what the server holds and has unsent stays within its limits, and none of it is reported as a fault of ours.
    """
    run = Run(Simulation(seed), ATTACKS[attack])
    run.go()
    assert run.server is not None
    assert run.answered == ASKING
    assert run.slowest_ms <= SLOWEST_MS
    assert run.service.faults == []
    closes = run.server.listeners["PLAIN"].figures.closes()
    assert {reason.name for reason in closes} >= SEEN[attack]
    assert run.most_unsent <= UNSENT_BYTES + BATCH_BYTES + ANSWER_BYTES
    assert run.most_held <= HELD_BYTES + run.most_connections * 2 * FREE_BYTES
