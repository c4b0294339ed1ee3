"""What serves records: partitions, the requests that wait for them, the sessions of those who read, what is counted.

One value, so that a handler of the data path takes it once and has all it needs: `context.broker.data`.
"""

from typing import TYPE_CHECKING

from ottla.broker.data.delayed import DelayedRequests
from ottla.broker.data.fetch_sessions import FetchSessions
from ottla.broker.data.topic_figures import TopicFigures
from ottla.cluster.replication.replica_manager import ReplicaManager
from ottla.config.config import Config
from ottla.metrics.registry import Metrics

if TYPE_CHECKING:
    from ottla.world.api import World


class DataPath:
    """A broker's."""

    __slots__ = ("delayed", "fetch_max_bytes", "fetch_sessions", "figures", "replicas", "table", "world")

    def __init__(self, world: "World", config: Config, replicas: ReplicaManager, metrics: Metrics) -> None:
        """From now on whoever waits is told of what happens to these partitions."""
        self.world, self.replicas, self.table = world, replicas, replicas.table
        self.delayed = DelayedRequests(world)
        replicas.watcher = self.delayed
        self.fetch_sessions = FetchSessions(world.rng, config.integer("max.incremental.fetch.session.cache.slots"))
        self.figures = TopicFigures(metrics)
        self.fetch_max_bytes = config.integer("fetch.max.bytes")

    def stop(self) -> None:
        """Nobody waits any more."""
        self.delayed.stop()
