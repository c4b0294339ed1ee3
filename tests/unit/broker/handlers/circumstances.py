"""Circumstances for handlers under test: a cluster of two brokers with a topic, and whoever asks."""

from collections.abc import Callable
from typing import Final, cast

from ottla.broker.cluster_view import Broker, ClusterView, EndPoint, Partition, Topic
from ottla.broker.context import RequestContext
from ottla.broker.parts import BrokerParts
from ottla.config.config import Config
from ottla.config.layers import read_node
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.world.api import World

ORDERS = Topic(
    "orders",
    Uuid(b"orders".ljust(16, b"\1")),
    (Partition(0, 1, 5, (1, 2), (1, 2)), Partition(1, 2, 3, (2, 3), (2,)), Partition(2, 3, 7, (3,), ())),
)
OFFSETS = Topic("__consumer_offsets", Uuid(b"offsets".ljust(16, b"\1")), ())
VIEW = ClusterView.of(
    "a-cluster",
    [
        Broker(2, {"PLAINTEXT": EndPoint("two", 9092)}, rack="r2"),
        Broker(1, {"PLAINTEXT": EndPoint("one", 9092), "SECRET": EndPoint("one.secret", 9093)}),
    ],
    [ORDERS, OFFSETS],
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


NO_WORLD: Final = cast("World", None)  # for handlers that answer at once; those that wait are given one


def parts(world: World = NO_WORLD, config: Config | None = None) -> BrokerParts:
    """A broker's parts."""
    return BrokerParts(world, config or read_node(SETTINGS), 1, "a-cluster", VIEW)


def context(
    version: int,
    listener: str = "PLAINTEXT",
    *,
    is_controller_listener: bool = False,
    broker: BrokerParts | None = None,
    answers: Answers | None = None,
) -> RequestContext:
    """An anonymous client's."""
    return RequestContext(
        answers or Answers(),
        version=version,
        principal="ANONYMOUS",
        listener=listener,
        security_protocol="PLAINTEXT",
        client_id="test",
        client_address="127.0.0.1",
        broker=broker or parts(),
        is_controller_listener=is_controller_listener,
    )
