"""The cluster as one node tells it: brokers with their end points, topics with their partitions.

A view is a value: whoever learns something new makes another one and hands it to the node. Handlers ask the view and
nothing else, so an answer never mixes two states of the cluster.

Always true: names and ids of topics find the same `Topic`; the brokers of a listener are those that have an end point
with its name, in the order of their ids.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ottla.protocol.codec.wire import Uuid
from ottla.protocol.topic_names import INTERNAL_TOPICS


class EndPoint(NamedTuple):
    """Where clients of a listener find a broker."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker that is alive."""

    node_id: int
    end_points: dict[str, EndPoint]  # by listener name
    rack: str | None = None


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition: who has it, who leads it."""

    index: int
    leader_id: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic."""

    name: str
    topic_id: Uuid
    partitions: tuple[Partition, ...]

    @property
    def is_internal(self) -> bool:
        """Whether it is one of Kafka's own."""
        return self.name in INTERNAL_TOPICS


@dataclass(frozen=True, slots=True)
class ClusterView:
    """All of it."""

    cluster_id: str
    brokers: dict[int, Broker] = field(default_factory=dict)
    topics: dict[str, Topic] = field(default_factory=dict)
    topics_by_id: dict[Uuid, Topic] = field(default_factory=dict)

    @classmethod
    def of(cls, cluster_id: str, brokers: Iterable[Broker], topics: Iterable[Topic] = ()) -> "ClusterView":
        """A view of these."""
        ordered = sorted(topics, key=lambda topic: topic.name)
        return cls(
            cluster_id,
            {broker.node_id: broker for broker in sorted(brokers, key=lambda broker: broker.node_id)},
            {topic.name: topic for topic in ordered},
            {topic.topic_id: topic for topic in ordered},
        )

    def brokers_on(self, listener: str) -> list[tuple[Broker, EndPoint]]:
        """The brokers that clients of a listener can reach, and where."""
        return [
            (broker, broker.end_points[listener]) for broker in self.brokers.values() if listener in broker.end_points
        ]
