"""Listeners: where a node listens, what others are told, and the security protocol that a listener's name stands for.

A `Listener` is an entry of `listeners` or `advertised.listeners`. `NodeListeners` is all of it together as a node has
it: which listeners are controllers', which one brokers use among themselves, what clients are told. It is made of a
`Config` or refuses it with a `ConfigError`; the rules that concern roles are in `startup`.

Names of listeners are compared in capitals, as Kafka does, except where `controller.listener.names` is looked up among
them: there a name counts as it is written.
"""

from collections.abc import Iterable
from typing import NamedTuple

from ottla.config.config import Config
from ottla.config.formats import HOST_SIGNS
from ottla.errors import ConfigError

SECURITY_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


class Listener(NamedTuple):
    """One end point: its name, where it is, and how to talk to it."""

    name: str
    host: str  # empty: the default interface
    port: int
    security_protocol: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.name}://{host}:{self.port}"


class NodeListeners(NamedTuple):
    """A node's end points."""

    all: tuple[Listener, ...]
    controller_names: tuple[str, ...]
    inter_broker_name: str
    advertised_to_clients: tuple[Listener, ...]
    advertised_controllers: tuple[Listener, ...]
    protocols: dict[str, str]  # of every listener name that is known

    @property
    def controllers(self) -> tuple[Listener, ...]:
        """The listeners that serve the quorum."""
        return tuple(listener for listener in self.all if listener.name in self.controller_names)

    @property
    def names(self) -> frozenset[str]:
        """The names of all listeners."""
        return frozenset(listener.name for listener in self.all)


def parse_pairs(name: str, entries: Iterable[str]) -> dict[str, str]:
    """A list of `key:value` as a dict; the last colon of an entry separates."""
    out = {}
    for entry in filter(None, map(str.strip, entries)):
        key, colon, value = entry.rpartition(":")
        if not colon:
            raise ConfigError(f"{name} has an entry without a colon: {entry}.")
        out[key.strip()] = value.strip()
    return out


def parse_listener(setting: str, text: str, protocols: dict[str, str]) -> Listener:
    """An entry `NAME://host:port`, such as `PLAINTEXT://:9092` or `EXTERNAL://[::1]:9094`."""
    name, slashes, rest = text.rpartition("://")
    host, colon, port = rest.rpartition(":")
    digits = port.removeprefix("-")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if not (slashes and colon and digits.isascii() and digits.isdecimal() and HOST_SIGNS.issuperset(host)):
        raise ConfigError(f"{setting} has an entry that is not NAME://host:port: {text}.")
    if not name:
        raise ConfigError(f"{setting} has an entry without a listener's name: {text}.")
    name = name.upper()
    if name not in protocols:
        raise ConfigError(
            f"{setting} has the listener {name}, and listener.security.protocol.map does not say how safe it is."
        )
    return Listener(name, host, int(port), protocols[name])


def security_protocols(config: Config) -> dict[str, str]:
    """The security protocol of each listener name.

    As long as nobody says which and nothing but PLAINTEXT is in use, controllers' listeners are PLAINTEXT too.
    """
    name = "listener.security.protocol.map"
    out = {}
    for listener, protocol in parse_pairs(name, config.text(name).split(",")).items():
        if protocol.upper() not in SECURITY_PROTOCOLS:
            raise ConfigError(f"{name} gives {listener} a security protocol that there is not: {protocol}.")
        out[listener.upper()] = protocol.upper()
    controllers = config.words("controller.listener.names")
    secured = SECURITY_PROTOCOLS[1:]
    in_use = {*controllers, *(entry.partition("://")[0].upper() for entry in config.words("listeners"))}
    if name not in config.given and not in_use & set(secured):
        out |= {controller.upper(): "PLAINTEXT" for controller in controllers}
    return out


def node_listeners(config: Config) -> NodeListeners:
    """All end points of a node, each for itself and all together in order."""
    protocols = security_protocols(config)
    everything = tuple(parse_listener("listeners", entry, protocols) for entry in config.words("listeners"))
    _check_names("listeners", everything)
    _check_ports(everything)
    advertised = tuple(
        parse_listener("advertised.listeners", entry, protocols) for entry in config.words("advertised.listeners")
    )
    _check_names("advertised.listeners", advertised)
    controller_names = config.words("controller.listener.names")
    by_name = {listener.name: listener for listener in everything}
    advertised_by_name = {listener.name: listener for listener in advertised}
    told = (advertised_by_name.get(name) or _on_this_host(by_name.get(name)) for name in controller_names)
    return NodeListeners(
        all=everything,
        controller_names=controller_names,
        inter_broker_name=_inter_broker_name(config, protocols),
        advertised_to_clients=tuple(
            listener for listener in advertised or everything if listener.name not in controller_names
        ),
        advertised_controllers=tuple(listener for listener in told if listener is not None),
        protocols=protocols,
    )


def _on_this_host(listener: Listener | None) -> Listener | None:
    """A listener on all interfaces, as others are told of it: by this host's name, which an empty host stands for."""
    return listener._replace(host="") if listener is not None and listener.host == "0.0.0.0" else listener  # noqa: S104


def _inter_broker_name(config: Config, protocols: dict[str, str]) -> str:
    name = config.optional_text("inter.broker.listener.name")
    if name is None:
        return config.text("security.inter.broker.protocol")
    if "security.inter.broker.protocol" in config.given:
        raise ConfigError("Only one of inter.broker.listener.name and security.inter.broker.protocol can be set.")
    if name.upper() not in protocols:
        raise ConfigError(f"inter.broker.listener.name is {name.upper()}, which listener.security.protocol.map lacks.")
    return name.upper()


def _check_names(setting: str, listeners: tuple[Listener, ...]) -> None:
    names = [listener.name for listener in listeners]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{setting} has the listener {name} twice.")


def _check_ports(listeners: tuple[Listener, ...]) -> None:
    """No port twice, except once in IPv4 and once in IPv6; port 0 is a new one each time."""
    by_port: dict[int, list[Listener]] = {}
    for listener in listeners:
        if listener.port != 0:
            by_port.setdefault(listener.port, []).append(listener)
    for port, same in by_port.items():
        if len(same) > 1 and sorted(_family(listener.host) for listener in same) != [4, 6]:
            names = ", ".join(listener.name for listener in same)
            raise ConfigError(
                f"listeners has port {port} for {names}. Only an IPv4 and an IPv6 address may share a port."
            )


def _family(host: str) -> int:
    """4 or 6 for an address, 0 for anything else."""
    parts = host.split(".")
    if len(parts) == 4 and all(part.isdecimal() and part.isascii() and int(part) < 256 for part in parts):
        return 4
    return 6 if ":" in host else 0
