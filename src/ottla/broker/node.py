"""A node: its parts, built in order, started and stopped.

It has no globals: several nodes live on one loop, each in the world that it was handed, and `stop` leaves nothing
behind. So far a node is a cluster of one that tells clients who it is: it answers ApiVersions and Metadata.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ottla.broker.auto_topics import AutoTopics
from ottla.broker.context import RequestContext
from ottla.broker.listeners import limits, listener_settings
from ottla.broker.metadata_cache import MetadataCache
from ottla.broker.parts import BrokerParts, ControllerParts
from ottla.broker.requests import RequestPath
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, Provenance
from ottla.config.config import Config
from ottla.config.rules.listeners import Listener, node_listeners
from ottla.errors import RequestRefused
from ottla.metrics.registry import Metrics
from ottla.network.server import Server
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import RegisterBrokerRecord, RegisterBrokerRecord_BrokerEndpoint
from ottla.world.api import Address, World

WILDCARDS = ("", "0.0.0.0", "::")  # noqa: S104 - told apart from hosts, not bound


class NoController:
    """As long as a node has no quorum, nobody changes the cluster."""

    async def ask(self, request: Message, *, timeout_ms: int | None = None) -> Any:
        """Is refused."""
        raise RequestRefused(ErrorCode.NOT_CONTROLLER, "there is no controller")

    async def forward(self, context: RequestContext, request: Message) -> Message:
        """Is refused."""
        raise RequestRefused(ErrorCode.NOT_CONTROLLER, "there is no controller")


class Node:
    """One node."""

    def __init__(
        self,
        world: World,
        config: Config,
        report: Callable[[str, BaseException], None],
        *,
        cluster_id: str,
        records: Sequence[Message] = (),
    ) -> None:
        self.world, self.config, self.cluster_id, self.records = world, config, cluster_id, records
        self.listeners = node_listeners(config)
        node_id = config.integer("node.id")
        self.metadata = MetadataCache(world, node_id, cluster_id)
        controller = NoController()
        auto_topics = AutoTopics(world, lambda: config, controller.ask)
        self.parts = BrokerParts(world, config, node_id, cluster_id, self.metadata, controller, auto_topics)
        features = self.metadata.features
        self.path = RequestPath(
            world, report, broker=self.parts, controller=ControllerParts(world, config, node_id, cluster_id, features)
        )
        self.metrics = Metrics(world.clock.monotonic_ms())
        self.server = Server(
            world, listener_settings(config), self.path.serve, report, limits(config), metrics=self.metrics
        )

    async def start(self) -> None:
        """Bind every listener, and serve when it is known what to tell clients."""
        await self.server.bind()
        delta = MetadataDelta(EMPTY)
        delta.replay(self._registration())
        for record in self.records:
            delta.replay(record)
        self.metadata(delta, delta.apply(Provenance(0, 0, 0)))
        self.server.accept()

    async def stop(self) -> None:
        """Give the ports up, answer what is in flight, and close every connection."""
        await self.server.stop()
        await self.parts.auto_topics.stop()

    def address(self, listener: str) -> Address:
        """Where a listener listens, with the port that was really bound."""
        return self.server.listeners[listener].address

    def _registration(self) -> RegisterBrokerRecord:
        """This node, as clients are told of it: port 0 stands for the one that was bound, no host for this one."""
        return RegisterBrokerRecord(
            broker_id=self.parts.node_id,
            end_points=[self._end_point(each) for each in self.listeners.advertised_to_clients],
            rack=self.config.optional_text("broker.rack"),
            fenced=False,
        )

    def _end_point(self, advertised: Listener) -> RegisterBrokerRecord_BrokerEndpoint:
        host = "localhost" if advertised.host in WILDCARDS else advertised.host
        port = advertised.port or self.address(advertised.name).port
        return RegisterBrokerRecord_BrokerEndpoint(advertised.name, host, port, 0)
