"""The listeners of a node, out of its settings: where to bind, with which limits, behind which TLS.

What the settings say of one listener (`listener.name.NAME.`) goes before what they say of all. Where keys and
certificates come from is in `listener_tls`. SASL has no mechanism yet, so nobody gets through a listener that demands
it.
"""

from ottla.broker.settings.listener_tls import listener_tls
from ottla.config.config import Config
from ottla.config.prefixes import listener_setting
from ottla.config.rules.listeners import Listener, node_listeners, parse_pairs
from ottla.network.handshake import SaslSettings
from ottla.network.limits import UNLIMITED, Limits, ListenerSettings
from ottla.world.api import Address, SocketBuffers


def listener_settings(config: Config) -> list[ListenerSettings]:
    """Every listener, as the network wants it."""
    listeners = node_listeners(config)
    return [
        ListenerSettings(
            name=listener.name,
            address=Address(listener.host, listener.port),
            tls=listener_tls(config, listener.name) if listener.security_protocol.endswith("SSL") else None,
            sasl=SaslSettings(mechanisms={}) if listener.security_protocol.startswith("SASL") else None,
            is_control=listener.name in listeners.controller_names,
            is_protected=listener.name == listeners.inter_broker_name,
            max_connections=max_connections(config, listener),
            max_creation_rate=max_creation_rate(config, listener),
            backlog=config.integer("socket.listen.backlog.size"),
            buffers=SocketBuffers(
                config.integer("socket.send.buffer.bytes"), config.integer("socket.receive.buffer.bytes")
            ),
        )
        for listener in listeners.all
    ]


def limits(config: Config) -> Limits:
    """What clients may cost all listeners together."""
    overrides = parse_pairs(
        "max.connections.per.ip.overrides", config.text("max.connections.per.ip.overrides").split(",")
    )
    queued_bytes = config.integer("queued.max.request.bytes")
    return Limits(
        max_request_bytes=config.integer("socket.request.max.bytes"),
        max_connections=config.integer("max.connections"),
        max_creation_rate=config.integer("max.connection.creation.rate"),
        max_connections_per_ip=config.integer("max.connections.per.ip"),
        per_ip_overrides={host: int(count) for host, count in overrides.items()},
        idle_ms=config.integer("connections.max.idle.ms"),
        failed_authentication_delay_ms=config.integer("connection.failed.authentication.delay.ms"),
        queued_request_bytes=queued_bytes if queued_bytes > 0 else UNLIMITED,
    )


def max_connections(config: Config, listener: Listener) -> int:
    """How many connections a listener takes: only what is said of that one counts, `max.connections` is for all."""
    return _own(config, "max.connections", listener)


def max_creation_rate(config: Config, listener: Listener) -> int:
    """How many of them may come in a second, likewise."""
    return _own(config, "max.connection.creation.rate", listener)


def _own(config: Config, name: str, listener: Listener) -> int:
    if listener_setting(name, listener.name) not in config.given:
        return UNLIMITED
    value = config.for_listener(name, listener.name)
    assert isinstance(value, int), f"{name} is a number"
    return value
