"""Listeners out of settings."""

from ottla.broker.settings.listeners import limits, listener_settings
from ottla.config.config import Config
from ottla.config.layers import read_node
from ottla.network.limits import UNLIMITED
from ottla.world.api import Address, SocketBuffers

NODE = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.quorum.voters": "1@localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:9093",
}


def config(**given: str) -> Config:
    """A node's settings, with dots written as underscores."""
    return read_node(NODE | {name.replace("_", "."): value for name, value in given.items()})


def test_the_roles_of_listeners() -> None:
    """The controller's listener overtakes data, the one between brokers is protected."""
    plain, controller = listener_settings(config())
    assert (plain.name, plain.address, plain.is_control, plain.is_protected) == (
        "PLAINTEXT",
        Address("127.0.0.1", 0),
        False,
        True,
    )
    assert (controller.name, controller.is_control, controller.is_protected) == ("CONTROLLER", True, False)
    assert plain.tls is controller.tls is None
    assert plain.sasl is controller.sasl is None
    assert plain.buffers == SocketBuffers(102_400, 102_400)
    assert plain.security_protocol == "PLAINTEXT"
    assert plain.max_connections == UNLIMITED


def test_nobody_gets_through_sasl_as_long_as_there_is_none() -> None:
    """A listener that demands what nobody can do yet offers no mechanism, and is not open to everybody."""
    given = {
        "listeners": "SASL_PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:9093",
        "listener.security.protocol.map": "SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
        "security.inter.broker.protocol": "SASL_PLAINTEXT",
    }
    sasl = listener_settings(config(**given))[0].sasl
    assert sasl is not None
    assert not sasl.mechanisms


def test_a_limit_may_be_one_listeners() -> None:
    """`listener.name.NAME.max.connections` limits that listener, `max.connections` all together."""
    given = config(**{"max.connections": "100", "listener.name.plaintext.max.connections": "7"})
    plain, controller = listener_settings(given)
    assert (plain.max_connections, controller.max_connections) == (7, UNLIMITED)
    assert limits(given).max_connections == 100
    given = config(
        **{"max.connection.creation.rate": "50", "listener.name.plaintext.max.connection.creation.rate": "5"}
    )
    plain, controller = listener_settings(given)
    assert (plain.max_creation_rate, controller.max_creation_rate) == (5, UNLIMITED)
    assert limits(given).max_creation_rate == 50


def test_limits_have_kafkas_names() -> None:
    """What clients may cost is what the settings say; -1 bytes in the queue are no limit."""
    given = {
        "socket.request.max.bytes": "1000",
        "max.connections.per.ip": "3",
        "max.connections.per.ip.overrides": "10.0.0.1:5,::1:6",
        "connections.max.idle.ms": "60000",
    }
    found = limits(config(**given))
    assert (found.max_request_bytes, found.max_connections_per_ip, found.idle_ms) == (1000, 3, 60_000)
    assert found.per_ip_overrides == {"10.0.0.1": 5, "::1": 6}
    assert found.queued_request_bytes == UNLIMITED
    assert limits(config(**{"queued.max.request.bytes": "200000000"})).queued_request_bytes == 200_000_000
