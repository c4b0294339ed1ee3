"""A node: broker, controller, or both, built out of its parts in order, started and stopped.

    directories -> listeners bound -> quorum -> controller -> its listener serves -> broker -> the others serve

It has no globals: several nodes live on one loop, each in the world that it was handed, and `stop` leaves no task,
thread, file or port behind. What a node needs to live may be taken from it later (its metadata log, its last log
directory, its place in the cluster): then `failure` is told, and whoever runs it stops it.

Always true: the directories are formatted, and this node's, before anything is written to them; a listener is bound
before others are told of it; clients are served when the broker is unfenced, but on `early.start.listeners`.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from ottla.broker.controller_channel import ControllerChannel
from ottla.broker.handlers.controller_table import CONTROLLER_HANDLERS
from ottla.broker.requests import RequestPath
from ottla.broker.roles.broker import BrokerRole
from ottla.broker.roles.controller import ControllerRole, read_bootstrap
from ottla.broker.roles.quorum import QuorumRole
from ottla.broker.settings.listener_tls import outgoing_tls
from ottla.broker.settings.listeners import limits, listener_settings
from ottla.broker.settings.running_parts import of_server
from ottla.cluster.metadata.parts.registrations import EndPoint
from ottla.cluster.new_cluster import metadata_directory
from ottla.cluster.raft.voters import Endpoint
from ottla.config.layers import BrokerLayers
from ottla.config.rules.listeners import Listener, node_listeners
from ottla.config.rules.startup import is_broker, is_controller, log_dirs
from ottla.errors import ConfigError
from ottla.metrics.meter import TICK_MS
from ottla.metrics.registry import Metrics
from ottla.network.channel import ChannelSettings
from ottla.network.channels import Channels
from ottla.network.server import Server
from ottla.storage.directories.directory import LogDirectory, adopt, open_log_directories
from ottla.world.api import Address, Future, Task, TlsSettings, World

WILDCARDS = ("", "0.0.0.0", "::")  # noqa: S104 - told apart from hosts, not bound
PROTOCOL_IDS: Final = {"PLAINTEXT": 0, "SSL": 1, "SASL_PLAINTEXT": 2, "SASL_SSL": 3}  # as registrations have them

logger = logging.getLogger(__name__)


class Node:
    """One node, out of the texts of its settings."""

    def __init__(self, world: World, static: Mapping[str, str], report: Callable[[str, BaseException], None]) -> None:
        self.world, self.layers, self._report = world, BrokerLayers(static), report
        config = self.config = self.layers.config
        self.listeners = node_listeners(config)
        self.metrics = Metrics(world.clock.monotonic_ms())
        self.path = RequestPath(world, report)
        self.server = Server(
            world, listener_settings(config), self.path.serve, report, limits(config), metrics=self.metrics
        )
        self.failure: Future[None] = world.future()  # an error, as soon as this node cannot go on
        self._why_failed: BaseException | None = None
        self._starting: Task[None] | None = None
        self._ticking: Task[None] | None = None
        self.quorum: QuorumRole | None = None
        self.controller: ControllerRole | None = None
        self.broker: BrokerRole | None = None
        self._directories: list[LogDirectory] = []
        self._channels: Channels | None = None
        self._host_name = "localhost"

    # Starting

    async def start(self) -> None:
        """Return when it serves. If it cannot start, nothing is left of it."""
        self._starting = self.world.spawn(self._start(), "start a node")
        try:
            await self._starting
        except BaseException:
            await self.stop()
            if self._why_failed is not None:
                raise self._why_failed from None
            raise
        finally:
            self._starting = None

    async def _start(self) -> None:
        self._ticking = self.world.spawn(self._tick(), "tick metrics")
        data, metadata = await self._open_directories()
        await self.server.bind()
        self._host_name = await self.world.network.host_name()
        quorum = self.quorum = await QuorumRole.open(
            self.world,
            self.config,
            metadata,
            endpoints=[Endpoint(each.name, each.host, each.port) for each in self._own_controllers()],
            tls=self._tls_to_controllers(),
            report=self._report,
            failed=self._failed,
        )
        channel = await self._build(quorum, data, metadata)
        quorum.start()
        if self.controller is not None:
            self.controller.start(self._end_points(self._own_controllers()), channel.ask)
        early = {*self.listeners.controller_names, *self.config.words("early.start.listeners")}
        self._accept(lambda name: name in early)
        if self.broker is not None:
            await self.broker.start()
        self._accept(lambda name: name not in early)

    async def _build(
        self, quorum: QuorumRole, data: Sequence[LogDirectory], metadata: LogDirectory
    ) -> ControllerChannel:
        """Make the roles that this node has; what it asks the active controller goes over the channel."""
        world, config, layers = self.world, self.config, self.layers
        if is_controller(config):
            bootstrap = await read_bootstrap(world, metadata.path)
            self.controller = ControllerRole(
                world,
                config,
                static=layers.static,
                quorum=quorum,
                bootstrap=bootstrap,
                metrics=self.metrics,
                report=self._report,
            )
            self.path.controller = self.controller.parts
        here = None if self.controller is None else self.controller.parts
        node_id = config.integer("node.id")
        self._channels = Channels(world, ChannelSettings(client_id=str(node_id), tls=self._tls_to_controllers()))
        channel = ControllerChannel(world, node_id, quorum.raft, self._channels, CONTROLLER_HANDLERS, here=here)
        if is_broker(config):
            self.broker = BrokerRole(
                world,
                layers,
                quorum=quorum,
                controller=channel,
                directories=data,
                end_points=self._end_points(self.listeners.advertised_to_clients),
                metrics=self.metrics,
                failed=self._failed,
            )
            self.path.broker = self.broker.parts
            self.broker.settings.add(of_server(self.server))
        return channel

    def _accept(self, which: Callable[[str], bool]) -> None:
        names = [listener.name for listener in self.listeners.all if which(listener.name)]
        if names:
            self.server.accept(*names)

    async def _open_directories(self) -> tuple[list[LogDirectory], LogDirectory]:
        """The log directories of partitions, and that of the metadata, which may be one of them."""
        world, config = self.world, self.config
        paths = list(dict.fromkeys([*log_dirs(config), metadata_directory(config)]))
        self._directories = await world.threads.run(open_log_directories, world.disk, paths)
        formatted = [each.properties for each in self._directories if each.properties is not None]
        cluster_ids = [each.cluster_id for each in formatted if each.cluster_id is not None]
        if not cluster_ids:
            raise ConfigError(f"log.dirs: {', '.join(paths)} is not formatted. `ottla format` does that.")
        adopting = partial(
            adopt,
            self._directories,
            cluster_id=cluster_ids[0],
            node_id=config.integer("node.id"),
            randbytes=world.rng.randbytes,
            now_ms=world.clock.wall_ms(),
        )
        await world.threads.run(adopting)
        by_path = dict(zip(paths, self._directories, strict=True))
        metadata = by_path[metadata_directory(config)]
        if metadata.failure is not None:
            raise metadata.failure
        return [by_path[path] for path in log_dirs(config)], metadata

    # Stopping

    async def stop(self) -> None:
        """Leave the cluster, answer what is in flight, and leave every file in order.

        A node that has failed cannot say goodbye, and does not try: it may be the controller that it would ask.
        """
        if self.broker is not None and self._why_failed is None:
            await self.broker.leave()
        await self.server.stop()
        if self.broker is not None:
            await self.broker.close()
        if self.controller is not None:
            await self.controller.stop()
        if self.quorum is not None:
            await self.quorum.stop()
        if self._channels is not None:
            await self._channels.close()
        for directory in self._directories:
            directory.close()
        if self._ticking is not None:
            self._ticking.cancel()
        if not self.failure.done():
            self.failure.cancel()

    def _failed(self, what: str, error: BaseException) -> None:
        """Something has been taken from this node that it cannot live without."""
        logger.error("this node cannot go on", extra={"what": what, "why": str(error)})
        if self._why_failed is None:
            self._why_failed = error
            if self._starting is not None:
                self._starting.cancel()  # whoever starts it is told
            elif not self.failure.done():
                self.failure.set_exception(error)

    async def _tick(self) -> None:
        """Rates follow their counts, a few at a time."""
        clock = self.world.clock
        while True:
            await clock.sleep(TICK_MS)
            while not self.metrics.tick(clock.monotonic_ms()):
                await clock.sleep(0)

    # Where it listens

    def address(self, listener: str) -> Address:
        """Where a listener listens, with the port that was really bound."""
        return self.server.listeners[listener].address

    def _tls_to_controllers(self) -> TlsSettings | None:
        """How the first of controller.listener.names is spoken to."""
        name = self.listeners.controller_names[0]
        return outgoing_tls(self.config, name) if self.listeners.protocols[name].endswith("SSL") else None

    def _own_controllers(self) -> list[Listener]:
        """The controller listeners of this node: a broker knows others' names of them, and listens on none."""
        return [
            self._advertised(each)
            for each in self.listeners.advertised_controllers
            if each.name in self.listeners.names
        ]

    def _end_points(self, listeners: Sequence[Listener]) -> dict[str, EndPoint]:
        found = [self._advertised(each) for each in listeners]
        return {each.name: EndPoint(each.host, each.port, PROTOCOL_IDS[each.security_protocol]) for each in found}

    def _advertised(self, listener: Listener) -> Listener:
        """What others are told: port 0 stands for the one that was bound, no host for this machine's name."""
        host = self._host_name if listener.host in WILDCARDS else listener.host
        return listener._replace(host=host, port=listener.port or self.address(listener.name).port)
