"""A node: its parts, built in order, started and stopped.

It has no globals: several nodes live on one loop, each in the world that it was handed, and `stop` leaves nothing
behind. So far a node is a cluster of one that tells clients who it is: it answers ApiVersions and Metadata.
"""

from collections.abc import Callable, Sequence

from ottla.broker.cluster_view import Broker, ClusterView, EndPoint, Topic
from ottla.broker.listeners import limits, listener_settings
from ottla.broker.parts import BrokerParts, ControllerParts
from ottla.broker.requests import RequestPath
from ottla.config.config import Config
from ottla.config.rules.listeners import Listener, node_listeners
from ottla.metrics.registry import Metrics
from ottla.network.server import Server
from ottla.world.api import Address, World

WILDCARDS = ("", "0.0.0.0", "::")  # noqa: S104 - told apart from hosts, not bound


class Node:
    """One node."""

    def __init__(
        self,
        world: World,
        config: Config,
        report: Callable[[str, BaseException], None],
        *,
        cluster_id: str,
        topics: Sequence[Topic] = (),
    ) -> None:
        self.world, self.config, self.cluster_id, self.topics = world, config, cluster_id, topics
        self.listeners = node_listeners(config)
        node_id = config.integer("node.id")
        self.parts = BrokerParts(world, config, node_id, cluster_id, ClusterView.of(cluster_id, []))
        self.path = RequestPath(
            world, report, broker=self.parts, controller=ControllerParts(world, config, node_id, cluster_id)
        )
        self.metrics = Metrics(world.clock.monotonic_ms())
        self.server = Server(
            world, listener_settings(config), self.path.serve, report, limits(config), metrics=self.metrics
        )

    async def start(self) -> None:
        """Bind every listener, and serve when it is known what to tell clients."""
        await self.server.bind()
        end_points = {each.name: self._end_point(each) for each in self.listeners.advertised_to_clients}
        broker = Broker(self.config.integer("node.id"), end_points, self.config.optional_text("broker.rack"))
        self.parts.view = ClusterView.of(self.cluster_id, [broker], self.topics)
        self.server.accept()

    async def stop(self) -> None:
        """Give the ports up, answer what is in flight, and close every connection."""
        await self.server.stop()

    def address(self, listener: str) -> Address:
        """Where a listener listens, with the port that was really bound."""
        return self.server.listeners[listener].address

    def _end_point(self, advertised: Listener) -> EndPoint:
        """What clients are told: port 0 stands for the one that was bound, no host for this one."""
        port = advertised.port or self.address(advertised.name).port
        return EndPoint("localhost" if advertised.host in WILDCARDS else advertised.host, port)
