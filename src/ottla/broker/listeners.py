"""The listeners of a node, out of its settings: where to bind, with which limits, behind which TLS.

What the settings say of one listener (`listener.name.NAME.`) goes before what they say of all. Certificates are PEM
files so far: `ssl.keystore.location` holds the chain and the key, `ssl.truststore.location` whom we trust. SASL has no
mechanism yet, so nobody gets through a listener that demands it.
"""

from ottla.config.config import Config
from ottla.config.password import Password
from ottla.config.rules.listeners import Listener, node_listeners, parse_pairs
from ottla.errors import ConfigError
from ottla.network.handshake import SaslSettings
from ottla.network.limits import UNLIMITED, Limits, ListenerSettings
from ottla.world.api import Address, SocketBuffers, TlsSettings


def listener_settings(config: Config) -> list[ListenerSettings]:
    """Every listener, as the network wants it."""
    listeners = node_listeners(config)
    return [
        ListenerSettings(
            name=listener.name,
            address=Address(listener.host, listener.port),
            tls=_tls(config, listener) if listener.security_protocol.endswith("SSL") else None,
            sasl=SaslSettings(mechanisms={}) if listener.security_protocol.startswith("SASL") else None,
            is_control=listener.name in listeners.controller_names,
            is_protected=listener.name == listeners.inter_broker_name,
            max_connections=_integer(config, "max.connections", listener) if _is_given(config, listener) else UNLIMITED,
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
        max_connections_per_ip=config.integer("max.connections.per.ip"),
        per_ip_overrides={host: int(count) for host, count in overrides.items()},
        idle_ms=config.integer("connections.max.idle.ms"),
        failed_authentication_delay_ms=config.integer("connection.failed.authentication.delay.ms"),
        queued_request_bytes=queued_bytes if queued_bytes > 0 else UNLIMITED,
    )


def _is_given(config: Config, listener: Listener) -> bool:
    return f"listener.name.{listener.name.lower()}.max.connections" in config.given


def _integer(config: Config, name: str, listener: Listener) -> int:
    value = config.for_listener(name, listener.name)
    assert isinstance(value, int), f"{name} is a number"
    return value


def _tls(config: Config, listener: Listener) -> TlsSettings:
    def text(name: str) -> str | None:
        value = config.for_listener(name, listener.name)
        assert value is None or isinstance(value, str), f"{name} is a text"
        return value

    def words(name: str) -> tuple[str, ...]:
        value = config.for_listener(name, listener.name)
        return value if isinstance(value, tuple) else ()

    for name in ("ssl.keystore.type", "ssl.truststore.type"):
        if text(name) != "PEM" and text(name.replace("type", "location")) is not None:
            raise ConfigError(f"{name} is {text(name)} for listener {listener.name}; only PEM can be read so far.")
    key_store = text("ssl.keystore.location")
    if key_store is None:
        raise ConfigError(f"ssl.keystore.location is missing: listener {listener.name} needs a certificate.")
    password = config.for_listener("ssl.key.password", listener.name)
    return TlsSettings(
        certificate_chain=key_store,
        private_key=key_store,
        private_key_password=password.reveal() if isinstance(password, Password) else None,
        trusted_certificates=text("ssl.truststore.location"),
        client_authentication=text("ssl.client.auth") or "none",
        enabled_protocols=words("ssl.enabled.protocols"),
        cipher_suites=words("ssl.cipher.suites"),
    )
