"""Circumstances for handlers under test: a cluster of two brokers with a topic, and whoever asks."""

from collections.abc import Callable, Iterable
from typing import Any, Final, cast

from ottla.broker.context import RequestContext
from ottla.broker.data.producer_ids import ProducerIds
from ottla.broker.metadata.auto_topics import AutoTopics
from ottla.broker.metadata.cache import MetadataCache
from ottla.broker.parts import BrokerParts, ControllerParts
from ottla.broker.settings.dynamic import DynamicSettings
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import Provenance
from ottla.config.layers import BrokerLayers
from ottla.network.handshake import ANONYMOUS
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.metadata_records import (
    FeatureLevelRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    RegisterBrokerRecord_BrokerEndpoint,
    TopicRecord,
)
from ottla.world.api import World

ORDERS = Uuid(b"orders".ljust(16, b"\1"))
OFFSETS = Uuid(b"offsets".ljust(16, b"\1"))
HERE = Uuid(b"here".ljust(16, b"\1"))
AWAY = Uuid(b"away".ljust(16, b"\1"))


def broker(node_id: int, *, fenced: bool = False, rack: str | None = None, **hosts: str) -> RegisterBrokerRecord:
    """A broker whose listeners are on these hosts."""
    end_points = [RegisterBrokerRecord_BrokerEndpoint(name, host, 9092, 0) for name, host in hosts.items()]
    return RegisterBrokerRecord(
        node_id, broker_epoch=100 + node_id, end_points=end_points, rack=rack, fenced=fenced, log_dirs=[HERE]
    )


def partition(topic_id: Uuid, index: int, leader: int, epoch: int, *lists: Iterable[int]) -> PartitionRecord:
    """A partition: its leader with the epoch, its replicas, its ISR."""
    replicas, isr = map(tuple, lists)
    return PartitionRecord(
        index, topic_id, replicas, isr, leader=leader, leader_epoch=epoch, directories=[HERE] * len(replicas)
    )


CLUSTER: Final[tuple[Message, ...]] = (
    FeatureLevelRecord("metadata.version", 30),
    broker(2, PLAINTEXT="two", rack="r2"),
    broker(1, PLAINTEXT="one", SECRET="one.secret"),
    broker(4, PLAINTEXT="four", fenced=True),
    TopicRecord("orders", ORDERS),
    partition(ORDERS, 0, 1, 5, (1, 2), (1, 2)),
    partition(ORDERS, 1, 2, 3, (2, 3), (2,)),
    partition(ORDERS, 2, -1, 7, (3,), ()),
    TopicRecord("__consumer_offsets", OFFSETS),
)


SETTINGS = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.quorum.voters": "1@localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:9093",
}


class Answers:
    """Whoever is answered later: keeps what it is told."""

    def __init__(self) -> None:
        self.responses: list[Message] = []
        self.refusals: list[str] = []
        self.is_connected = True
        self._forget: Callable[[], object] = bool

    def answer(self, response: Message) -> None:
        """An answer."""
        self.responses.append(response)

    def answer_when_sent(self, make: Callable[[], Message]) -> None:
        """An answer that is made now."""
        self.responses.append(make())

    def answer_nothing(self) -> None:
        """No answer."""

    def refuse(self, why: str) -> None:
        """The connection ends."""
        self.refusals.append(why)

    @property
    def is_wanted(self) -> bool:
        """Whether it is still connected."""
        return self.is_connected

    def if_gone(self, forget: Callable[[], object]) -> None:
        """What `go` calls."""
        self._forget = forget

    def go(self) -> None:
        """Its connection ends."""
        self.is_connected = False
        self._forget()


NO_WORLD: Final = cast("World", None)  # for handlers that answer at once; those that wait are given one


class Controller:
    """Keeps what it is asked, and answers what it was given to answer."""

    def __init__(self, *answers: Message) -> None:
        self.asked: list[Message] = []
        self.answers = list(answers)
        self.serves: dict[int, tuple[int, int]] | None = None

    def versions(self) -> dict[int, tuple[int, int]] | None:
        """What it serves, if that sets a limit."""
        return self.serves

    async def ask(self, request: Message, *, timeout_ms: int | None = None) -> Any:
        """A request of a node's own."""
        del timeout_ms
        self.asked.append(request)
        return self.answers.pop(0)

    async def forward(self, context: RequestContext, request: Message) -> Message:
        """A client's."""
        del context
        self.asked.append(request)
        return self.answers.pop(0)


def replay(cache: MetadataCache, *records: Message) -> None:
    """The cluster goes on."""
    delta = MetadataDelta(cache.image)
    for record in records:
        delta.replay(record)
    cache(delta, delta.apply(Provenance(cache.image.provenance.last_contained_offset + len(records), 1, 0)))


def parts(
    world: World = NO_WORLD,
    *,
    controller: Controller | None = None,
    records: Iterable[Message] = CLUSTER,
    **settings: str,
) -> BrokerParts:
    """A broker's parts; underscores in settings stand for dots."""
    texts = SETTINGS | {"auto.create.topics.enable": "false"}
    layers = BrokerLayers(texts | {name.replace("_", "."): value for name, value in settings.items()})
    cache = MetadataCache(world, 1, "a-cluster")
    replay(cache, *records)
    controller = controller or Controller()
    made = BrokerParts(
        world,
        layers.config,
        1,
        "a-cluster",
        cache,
        controller,
        AutoTopics(world, lambda: layers.config, controller.ask),
        its_settings=DynamicSettings(layers, 1),
        its_producer_ids=ProducerIds(world, 1, lambda: 101, controller.ask),
    )
    made.settings.add(made.reconfigured)
    return made


def context(
    version: int,
    listener: str = "PLAINTEXT",
    *,
    is_controller_listener: bool = False,
    broker: BrokerParts | None = None,
    answers: Answers | None = None,
    principal: str = ANONYMOUS,
    security_protocol: str = "PLAINTEXT",
) -> RequestContext:
    """An anonymous client's."""
    broker = broker or parts()
    return RequestContext(
        answers or Answers(),
        version=version,
        principal=principal,
        listener=listener,
        security_protocol=security_protocol,
        client_id="test",
        client_address="127.0.0.1",
        broker=broker,
        controller=ControllerParts(broker.world, broker.config, 1, "a-cluster", broker.features),
        is_controller_listener=is_controller_listener,
    )
