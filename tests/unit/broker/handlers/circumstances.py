"""Circumstances for handlers under test: a cluster of two brokers with a topic, and whoever asks."""

from ottla.broker.cluster_view import Broker, ClusterView, EndPoint, Partition, Topic
from ottla.broker.context import RequestContext
from ottla.protocol.codec.wire import Uuid

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


def context(version: int, listener: str = "PLAINTEXT", *, is_controller_listener: bool = False) -> RequestContext:
    """An anonymous client's."""
    return RequestContext(
        view=VIEW,
        version=version,
        principal="ANONYMOUS",
        listener=listener,
        security_protocol="PLAINTEXT",
        client_id="test",
        client_address="127.0.0.1",
        is_controller_listener=is_controller_listener,
    )
