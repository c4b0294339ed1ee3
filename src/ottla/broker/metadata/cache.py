"""The cluster as this broker tells it to clients: questions to the newest image that it has applied.

It is a subscriber of the metadata's publisher, added behind the parts that act on an image, so that whoever waits here
for a topic finds its partitions already handed to the replica manager. A handler that asks more than one question takes
`image` once: an image is a value, so an answer never mixes two states of the cluster.

Always true: brokers are listed by their ids, and those of a listener are the ones that have it and are not fenced; the
leader of a partition is looked for among all that are registered, as in Kafka, since the controller leaves no partition
with a leader that is fenced.

`until` waits for an image in which something holds: that is how CreateTopics is answered only when this broker can
already serve what was made. Waiting is bounded by the request's own timeout.
"""

from collections.abc import Callable, Sequence
from typing import Final

from ottla.broker.metadata.encoding import MetadataEncodings
from ottla.broker.metadata.features import FinalisedFeatures
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, MetadataImage
from ottla.cluster.metadata.parts.partition import LOST, MIGRATING, NO_LEADER, UNASSIGNED, Partition
from ottla.cluster.metadata.parts.registrations import BrokerRegistration, EndPoint
from ottla.cluster.metadata.parts.topics import Topic
from ottla.protocol.codec.wire import Uuid
from ottla.world.api import Future, World

NO_NODE: Final = -1
BrokersOn = Sequence[tuple[BrokerRegistration, EndPoint]]
Holds = Callable[[MetadataImage], bool]


class MetadataCache:
    """The newest image, and what clients ask of it."""

    def __init__(
        self, world: World, node_id: int, cluster_id: str, kraft_version: Callable[[], int] = lambda: 0
    ) -> None:
        self._world, self.node_id, self.cluster_id = world, node_id, cluster_id
        self.image = EMPTY
        self.features = FinalisedFeatures(lambda: self.image, kraft_version)
        self.encodings = MetadataEncodings()
        self._on: dict[str, BrokersOn] = {}  # by listener, of this image's brokers
        self._names: Sequence[str] | None = None  # of this image's topics
        self._waiting: list[tuple[Holds, Future[None]]] = []

    def __call__(self, delta: MetadataDelta, image: MetadataImage) -> None:
        """There is a new image."""
        self.encodings.changed(delta)
        if image.cluster is not self.image.cluster:
            self._on = {}
        if image.topics.ids is not self.image.topics.ids:
            self._names = None
        self.image = image
        if self._waiting:
            self._wake()

    # Brokers

    def brokers_on(self, listener: str) -> BrokersOn:
        """The brokers that clients of a listener can reach, and where, by their ids."""
        found = self._on.get(listener)
        if found is None:
            found = self._on[listener] = self.image.cluster.brokers_on(listener)
        return found

    def registered_on(self, listener: str) -> BrokersOn:
        """The same with brokers that are fenced."""
        brokers = self.image.cluster.brokers
        found = (self.end_point(node_id, listener) for node_id in sorted(brokers))
        return [each for each in found if each is not None]

    def controller_id(self, listener: str) -> int:
        """What clients are told that the controller is: a live broker, which hands requests on to the real one. This
        broker, if it can be: whoever asks is connected to it already (Kafka draws one).
        """
        found = self.end_point(self.node_id, listener)
        if found is not None and not found[0].fenced:
            return self.node_id
        brokers = self.brokers_on(listener)
        return brokers[0][0].node_id if brokers else NO_NODE

    def end_point(self, node_id: int, listener: str) -> tuple[BrokerRegistration, EndPoint] | None:
        """Where clients of a listener find a registered broker, fenced or not."""
        broker = self.image.cluster.brokers.get(node_id)
        end_point = None if broker is None else broker.end_points.get(listener)
        return None if broker is None or end_point is None else (broker, end_point)

    def is_alive(self, node_id: int) -> bool:
        """Whether a broker is registered, and not fenced."""
        return self.image.cluster.is_alive(node_id)

    # Topics

    def topic_names(self) -> Sequence[str]:
        """The names of all topics, in order."""
        if self._names is None:
            self._names = sorted(self.image.topics.ids)
        return self._names

    def topic(self, name: str) -> Topic | None:
        """The topic of a name."""
        return self.image.topics.named(name)

    def topic_by_id(self, topic_id: Uuid) -> Topic | None:
        """The topic of an id."""
        return self.image.topics.by_id.get(topic_id)

    def partition(self, name: str, index: int) -> Partition | None:
        """A partition, by its topic's name."""
        topic = self.image.topics.named(name)
        return None if topic is None else topic.partitions.get(index)

    def leader(self, topic_id: Uuid, index: int) -> tuple[int, int] | None:
        """Who leads a partition, and in which epoch (KIP-951); None if nobody does, or it is not there."""
        partition = self.image.topics.partition(topic_id, index)
        if partition is None or partition.leader_id == NO_LEADER:
            return None
        return partition.leader_id, partition.leader_epoch

    # Waiting

    async def until(self, holds: Holds, timeout_ms: int) -> bool:
        """Wait for an image in which this holds; False if there was none in time."""
        if holds(self.image):
            return True
        if timeout_ms <= 0:
            return False
        waiting: tuple[Holds, Future[None]] = (holds, self._world.future())
        self._waiting.append(waiting)
        try:
            await self._world.timeout(timeout_ms, waiting[1])
        except TimeoutError:
            return False
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
        return True

    def _wake(self) -> None:
        image = self.image
        still = []
        for waiting in self._waiting:
            if waiting[1].done():
                continue
            if waiting[0](image):
                waiting[1].set_result(None)
            else:
                still.append(waiting)
        self._waiting = still


def is_offline(partition: Partition, broker: BrokerRegistration | None, listener: str) -> bool:
    """Whether clients of a listener cannot reach a replica: its broker is away, or its directory."""
    if broker is None or broker.fenced or listener not in broker.end_points:
        return True
    directory = partition.directory(broker.node_id)
    if directory in (UNASSIGNED, MIGRATING) or (directory != LOST and not broker.log_dirs):
        return False
    return directory not in broker.log_dirs
