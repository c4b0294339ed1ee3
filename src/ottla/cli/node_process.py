"""A process that runs one node: from its settings to its end.

    settings -> formatted? -> pid file -> node starts -> garbage put aside -> "started"
      -> a signal, or a fault that ends it -> node stops (controlled shutdown) -> pid file gone

The first SIGTERM or SIGINT is a controlled shutdown, the second ends the process where it is. What the environment
refuses (a port, a lock, a setting) is raised as it is, and becomes one line; what is our own fault is logged with its
traceback, and the node goes on, as far as it can.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ottla.broker.node import Node
from ottla.cli import garbage
from ottla.cli.pid_file import PidFile
from ottla.cluster.formatting import look_at
from ottla.cluster.new_cluster import every_directory, metadata_directory
from ottla.config.config import Config
from ottla.config.rules.startup import warnings_about_node
from ottla.errors import AddressInUse, ConfigError, LockHeld, OttlaError
from ottla.world.api import Disk, Future, Task, World
from ottla.world.real.process import age_ms, on_stop_signal
from ottla.world.real.world import RealWorld
from ottla.world.tasks import Cancelled

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Started:
    """What is told about a node that serves."""

    node_id: int
    cluster_id: str
    listeners: tuple[str, ...]
    took_ms: int

    def __str__(self) -> str:
        """The start-up line."""
        where = ", ".join(self.listeners)
        return f"node {self.node_id} of cluster {self.cluster_id} listens on {where}; started in {self.took_ms} ms"


def report(what: str, error: BaseException) -> None:
    """Log what failed while nobody waited for it."""
    if isinstance(error, OttlaError):
        logger.error("something failed", extra={"what": what, "why": str(error)})
    else:
        logger.error("a fault of ours", extra={"what": what}, exc_info=error)


class StopRequest:
    """Why the process is to stop: a signal, or what the node cannot go on without. Who is starting is cancelled."""

    def __init__(self, world: RealWorld) -> None:
        self.reason = ""
        self.failure: OttlaError | None = None
        self._world, self._came = world, world.future()
        self._starting: Task[None] | None = None
        on_stop_signal(world.loop, self._ask)

    def _ask(self, reason: str) -> None:
        if self._came.done():
            return
        self.reason = reason
        self._came.set_result(None)
        if self._starting is not None:
            self._starting.cancel()

    async def unless_asked(self, task: Task[None]) -> bool:
        """Wait for the end of a task; False if it was cut short."""
        self._starting = task
        try:
            await task
        except Cancelled:
            if not self._came.done():
                raise
        finally:
            self._starting = None
        return not self._came.done()

    async def came_or_failed(self, failure: Future[None]) -> None:
        """Wait for a reason to stop."""
        watching = self._world.spawn(self._watch(failure), "node failure")
        await self._came
        watching.cancel()

    async def _watch(self, failure: Future[None]) -> None:
        try:
            await failure
        except OttlaError as error:
            self.failure = error
            self._ask("failure")


async def run_node(world: RealWorld, static: Mapping[str, str], tell: Callable[[Started], None]) -> None:
    """Run a node until it is asked to stop; `tell` is called when it serves. Raises what takes it from under us."""
    stop_request = StopRequest(world)
    began_ms = world.clock.monotonic_ms()
    node = Node(world, static, report)
    for warning in (*node.config.warnings, *warnings_about_node(node.config)):
        logger.warning("an odd setting", extra={"warning": warning})
    cluster_id = cluster_of(world.disk, node.config)
    pid_file = _pid_file(world.disk, node.config)
    try:
        if await stop_request.unless_asked(world.spawn(_start(node), "node start")):
            garbage.put_aside_and_collect_by_timer(world)
            tell(_started(node, cluster_id, age_ms() or world.clock.monotonic_ms() - began_ms))
            await stop_request.came_or_failed(node.failure)
        await _stop(world, node, stop_request.reason)
    finally:
        pid_file.remove()
    if stop_request.failure is not None:
        raise stop_request.failure


def cluster_of(disk: Disk, config: Config) -> str:
    """The cluster that the node's directories are formatted for; a `ConfigError` that says what to do if they are not.

    One that is formatted is enough: the others are taken over when they are opened, as Kafka does.
    """
    found = look_at(disk, every_directory(config))
    if not found.formatted:
        reasons = [str(error) for error in found.unreadable.values()] or [
            f"{directory} is not formatted" for directory in found.empty
        ]
        raise ConfigError(
            f"log.dirs: {'; '.join(reasons)}. To format: ottla format -c FILE -t $(ottla random-uuid) --standalone "
            "(ottla format --help tells more)."
        )
    cluster_id = next((each.cluster_id for each in found.formatted.values() if each.cluster_id is not None), None)
    if cluster_id is None:
        raise ConfigError("log.dirs: no meta.properties names a cluster; they come from a cluster with ZooKeeper.")
    return cluster_id


def _pid_file(disk: Disk, config: Config) -> PidFile:
    """Say that this process runs the node, unless another does."""
    directory = metadata_directory(config)
    pid_file = PidFile(disk, directory)
    if (other := pid_file.running()) is not None:
        raise LockHeld(
            f"{directory}: process {other.number} runs a node on it. `ottla server stop` stops that one; another node "
            "needs other log.dirs.",
            path=directory,
        )
    if disk.exists(directory):
        pid_file.write()
    return pid_file


async def _start(node: Node) -> None:
    try:
        await node.start()
    except AddressInUse as error:
        raise AddressInUse(
            f"{error}. Is another broker running? Stop it, or listen elsewhere: --override listeners=..."
        ) from error


def _started(node: Node, cluster_id: str, took_ms: int) -> Started:
    listeners = tuple(str(each._replace(port=node.address(each.name).port)) for each in node.listeners.all)
    started = Started(node.config.integer("node.id"), cluster_id, listeners, took_ms)
    fields = {"node": started.node_id, "cluster": started.cluster_id, "listeners": ",".join(listeners)}
    logger.info("started", extra={**fields, "took_ms": took_ms})
    return started


async def _stop(world: World, node: Node, reason: str) -> None:
    began_ms = world.clock.monotonic_ms()
    logger.info("stopping", extra={"reason": reason})
    await node.stop()
    logger.info("stopped", extra={"took_ms": world.clock.monotonic_ms() - began_ms})
