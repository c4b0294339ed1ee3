"""The way to the controller: a broker and two controllers in a simulated world, over its network and without it."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, cast

import pytest

from ottla.broker.context import RequestContext
from ottla.broker.controller_channel import ControllerChannel, address_bytes, principal_bytes
from ottla.broker.handlers.controller_table import CONTROLLER_HANDLERS
from ottla.broker.metadata.features import FinalisedFeatures
from ottla.broker.parts import BrokerParts, ControllerParts
from ottla.broker.requests import RequestPath
from ottla.cluster.metadata.image import EMPTY
from ottla.config.layers import read_node
from ottla.errors import PeerError, UnsupportedVersion
from ottla.network.channel import ChannelSettings
from ottla.network.channels import Channels
from ottla.network.limits import Limits, ListenerSettings
from ottla.network.server import Server
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import FEATURES, METADATA_VERSION, supported_range
from ottla.protocol.messages.cluster import DescribeClusterRequest
from ottla.protocol.messages.controller import (
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    BrokerRegistrationRequest_Feature,
    BrokerRegistrationRequest_Listener,
    BrokerRegistrationResponse,
    EnvelopeRequest,
    EnvelopeResponse,
)
from ottla.protocol.messages.topics import CreateTopicsResponse
from ottla.world.api import Address
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.unit.broker.handlers.circumstances import Answers
from tests.unit.cluster.controller.house import House
from tests.unit.cluster.controller.office import CLUSTER_ID, STATIC, topic_request, uuid

PORT = 9093


@dataclass
class Leadership:
    """Who leads, as a test says."""

    leader_id: int | None = None
    leader_node: Address | None = None
    kraft_version: int = 0

    async def upgrade_kraft_version(self, version: int, *, validate_only: bool = False) -> tuple[ErrorCode, str]:
        """Whatever somebody wants."""
        if not validate_only:
            self.kraft_version = version
        return ErrorCode.NONE, ""

    async def handle(self, request: Message) -> Message:
        """No quorum is asked here."""
        raise AssertionError(request)


class ControllerNode:
    """A controller that serves its listener."""

    def __init__(self, world: SimulatedWorld) -> None:
        self.house = House(world)
        self.leadership = Leadership()
        self.parts = ControllerParts(
            world,
            read_node(STATIC),
            900,
            CLUSTER_ID,
            FinalisedFeatures(lambda: EMPTY),
            self.house.office,
            self.leadership,
        )
        path = RequestPath(world, self.report, controller=self.parts)
        settings = ListenerSettings(name="CONTROLLER", address=Address("", PORT), is_control=True)
        self.principals: list[str] = []
        self.server = Server(world, [settings], path.serve, self.report, Limits())

    def report(self, what: str, error: BaseException) -> None:
        """Nothing of ours may fail."""
        raise AssertionError(what) from error


def registration() -> BrokerRegistrationRequest:
    """A broker that has just started."""
    return BrokerRegistrationRequest(
        broker_id=1,
        cluster_id=CLUSTER_ID,
        incarnation_id=uuid(1),
        listeners=[BrokerRegistrationRequest_Listener("PLAINTEXT", "b1", 9092, 0)],
        features=[
            BrokerRegistrationRequest_Feature(name, *supported_range(name)) for name in (METADATA_VERSION, *FEATURES)
        ],
        log_dirs=[uuid(1)],
    )


def client(version: int, principal: str = "User:alice", address: str = "10.1.2.3") -> RequestContext:
    """A client's request at the broker."""
    return RequestContext(
        Answers(),
        version=version,
        principal=principal,
        listener="PLAINTEXT",
        security_protocol="PLAINTEXT",
        client_id="c",
        client_address=address,
        broker=cast("BrokerParts", None),
    )


class Cluster:
    """Two controllers on machines of their own, and a broker."""

    def __init__(self) -> None:
        self.simulation = Simulation(1)
        self.nodes: dict[str, ControllerNode] = {}
        self.leadership = Leadership()

    def run(self, story: Callable[["Cluster", SimulatedWorld], Coroutine[Any, Any, None]]) -> None:
        """Run a story."""

        async def scenario(world: SimulatedWorld) -> None:
            for name in ("c1", "c2"):
                self.simulation.start(name, self._serve)
            await world.clock.sleep(50)
            await world.timeout(600_000, story(self, world))

        self.simulation.run(scenario)

    async def _serve(self, world: SimulatedWorld) -> None:
        node = self.nodes[f"c{len(self.nodes) + 1}"] = ControllerNode(world)
        await node.server.bind()
        node.server.accept()
        await world.clock.sleep(10_000_000)

    def channel(self, world: SimulatedWorld, here: ControllerParts | None = None) -> ControllerChannel:
        """The broker's."""
        channels = Channels(world, ChannelSettings(client_id="1", request_timeout_ms=5_000))
        return ControllerChannel(world, 1, self.leadership, channels, CONTROLLER_HANDLERS, here=here)

    def lead(self, name: str) -> None:
        """The quorum elects somebody."""
        for each in self.nodes.values():
            if each.house.office.is_active:
                each.house.lose()
        self.nodes[name].house.lead()
        self.leadership.leader_id, self.leadership.leader_node = 900, Address(name, PORT)


def test_a_request_of_the_nodes_own_waits_until_there_is_a_controller() -> None:
    """A broker that starts before the quorum has elected anybody registers as soon as it has."""

    async def story(cluster: Cluster, world: SimulatedWorld) -> None:
        channel = cluster.channel(world)
        asking = world.spawn(channel.ask(registration()), "register")
        await world.clock.sleep(3_000)
        assert not asking.done()
        cluster.lead("c1")
        answer: BrokerRegistrationResponse = await asking
        assert answer.error_code == ErrorCode.NONE
        assert answer.broker_epoch > 0
        beat = await channel.ask(BrokerHeartbeatRequest(1, answer.broker_epoch, 100))
        assert (beat.error_code, beat.is_fenced) == (ErrorCode.NONE, False)

    Cluster().run(story)


def test_a_controller_that_is_none_any_more_sends_one_elsewhere() -> None:
    """NOT_CONTROLLER is no answer to a broker's request: the next controller is asked."""

    async def story(cluster: Cluster, world: SimulatedWorld) -> None:
        cluster.lead("c1")
        channel = cluster.channel(world)
        await channel.ask(registration())
        cluster.nodes["c1"].house.lose()
        asking = world.spawn(channel.ask(registration()), "register")
        await world.clock.sleep(500)
        assert not asking.done()
        cluster.lead("c2")
        assert (await asking).error_code == ErrorCode.NONE
        assert cluster.nodes["c2"].house.controller.brokers.get(1) is not None

    Cluster().run(story)


def test_without_a_controller_a_request_ends_with_its_time() -> None:
    """Whoever asks is told REQUEST_TIMED_OUT when no controller was found in the time that he gave."""

    async def story(cluster: Cluster, world: SimulatedWorld) -> None:
        before_ms = world.clock.monotonic_ms()
        with pytest.raises(PeerError) as refusal:
            await cluster.channel(world).ask(registration(), timeout_ms=2_000)
        assert refusal.value.code == ErrorCode.REQUEST_TIMED_OUT
        assert 2_000 <= world.clock.monotonic_ms() - before_ms < 2_200
        response = await cluster.channel(world).forward(client(7), topic_request("orders", [1]))
        assert isinstance(response, CreateTopicsResponse)
        assert [topic.error_code for topic in response.topics] == [ErrorCode.REQUEST_TIMED_OUT]

    Cluster().run(story)


def test_a_clients_request_is_served_as_that_client_by_envelope() -> None:
    """The controller sees the client's principal, address and version, not the broker's (KIP-590)."""

    async def story(cluster: Cluster, world: SimulatedWorld) -> None:
        cluster.lead("c1")
        channel = cluster.channel(world)
        assert channel.versions() is None, "nobody has asked yet"
        epoch = (await channel.ask(registration())).broker_epoch
        await channel.ask(BrokerHeartbeatRequest(1, epoch, 100))
        assert (channel.versions() or {})[ApiKey.CREATE_TOPICS] == (2, 7)
        response = await channel.forward(client(5), topic_request("orders", [1], retention_ms="1000"))
        assert isinstance(response, CreateTopicsResponse)
        (topic,) = response.topics
        assert (topic.name, topic.error_code, topic.num_partitions) == ("orders", ErrorCode.NONE, 1)
        assert topic.topic_id == bytes(16), "version 5 has no ids"
        assert {each.name: each.value for each in topic.configs or ()}["retention.ms"] == "1000"
        again = await channel.forward(client(7), topic_request("orders", [1]))
        assert isinstance(again, CreateTopicsResponse)
        assert again.topics[0].error_code == ErrorCode.TOPIC_ALREADY_EXISTS

    Cluster().run(story)


def test_in_process_the_same_handlers_answer_without_bytes() -> None:
    """On the controller's own node nothing goes over a wire, and the answers are the same."""

    async def story(cluster: Cluster, world: SimulatedWorld) -> None:
        node = ControllerNode(world)
        channel = cluster.channel(world, node.parts)
        asking = world.spawn(channel.ask(registration()), "register")
        node.house.lead()
        cluster.leadership.leader_id = 1
        answer = await asking
        await channel.ask(BrokerHeartbeatRequest(1, answer.broker_epoch, 100))
        response = await channel.forward(client(7), topic_request("orders", [1]))
        assert isinstance(response, CreateTopicsResponse)
        assert response.topics[0].error_code == ErrorCode.NONE
        stale = await channel.ask(BrokerHeartbeatRequest(1, answer.broker_epoch - 1, 100))
        assert stale.error_code == ErrorCode.STALE_BROKER_EPOCH

    Cluster().run(story)


def test_an_envelope_says_what_is_wrong_with_itself() -> None:
    """What is no request, no principal or no address, or is not forwarded, is told by the envelope's own error."""

    async def story(cluster: Cluster, world: SimulatedWorld) -> None:
        cluster.lead("c1")
        channels = Channels(world, ChannelSettings(client_id="1"))
        good_principal, good_address = principal_bytes("User:alice"), address_bytes("10.1.2.3")
        describe = bytes.fromhex("003c 0000 00000000 ffff 00 00 00".replace(" ", ""))

        async def ask(data: bytes, principal: bytes = good_principal, address: bytes = good_address) -> int:
            request = EnvelopeRequest(data, principal, address)
            answer: EnvelopeResponse = await channels.to(Address("c1", PORT)).request(request)
            return answer.error_code

        assert await ask(b"") == ErrorCode.UNSUPPORTED_VERSION
        assert (
            await ask(bytes.fromhex("0013 0007 00000000 ffff 00 ff".replace(" ", ""))) == ErrorCode.UNSUPPORTED_VERSION
        )
        assert await ask(describe) == ErrorCode.INVALID_REQUEST
        assert await ask(describe, principal=b"") == ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE
        assert await ask(describe, address=b"123") == ErrorCode.INVALID_REQUEST

    Cluster().run(story)


def test_a_controller_without_the_version_ends_the_clients_connection() -> None:
    """A request in a version that cannot be handed on is not answered: the client comes back and asks what there is."""

    async def story(cluster: Cluster, world: SimulatedWorld) -> None:
        cluster.lead("c1")
        context = client(99)
        request = topic_request("orders", [1])
        with pytest.raises(UnsupportedVersion):
            await cluster.channel(world).forward(context, request)
        assert cast("Answers", context.reply).refusals

    Cluster().run(story)


def test_a_controller_that_is_asked_for_brokers_says_that_it_is_none() -> None:
    """DescribeCluster on a controller's listener has a type of nodes to ask for (KIP-919)."""

    async def story(cluster: Cluster, world: SimulatedWorld) -> None:
        cluster.lead("c1")
        while not cluster.nodes["c1"].house.controller.finalised.is_begun:
            await world.clock.sleep(10)
        channels = Channels(world, ChannelSettings(client_id="1"))
        answer = await channels.to(Address("c1", PORT)).request(DescribeClusterRequest())
        assert answer.error_code == ErrorCode.MISMATCHED_ENDPOINT_TYPE
        answer = await channels.to(Address("c1", PORT)).request(DescribeClusterRequest(endpoint_type=2))
        assert (answer.error_code, answer.cluster_id, answer.controller_id) == (ErrorCode.NONE, CLUSTER_ID, -1)

    Cluster().run(story)
