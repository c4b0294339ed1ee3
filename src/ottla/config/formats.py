"""Validators of single settings whose values have a form of their own.

Lists of voters, of addresses and of throttled replicas, levels of gzip, offsets to start from. Each knows its form both
as text to check and, where somebody needs it, as a value: `parse_voters`, `parse_address`, `parse_offset_reset`.

Kafka refuses and accepts the same texts (the golden data say so); the sentences of these errors are our own.
"""

from typing import NamedTuple

from ottla.config.durations import parse_iso_duration
from ottla.config.values import Value, invalid

# What names of hosts and addresses are made of.
HOST_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-%._:")
PORT_MAX = 65535


class Address(NamedTuple):
    """A host and a port; the host of an IPv6 address stands without its brackets."""

    host: str
    port: int


class Voter(NamedTuple):
    """One entry of `controller.quorum.voters`."""

    node_id: int
    host: str
    port: int


def parse_address(text: str) -> Address | None:
    """The last `host:port` of a text such as `host:9092`, `[::1]:9092` or `PLAINTEXT://host:9092`; else None.

    Whatever stands before a slash is not looked at, as Kafka does not.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not port or set(port) - set("0123456789"):
        return None
    host = host.rpartition("://")[2]
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if not host or not HOST_SIGNS.issuperset(host):
        return None
    return Address(host, int(port)) if len(port) < 10 else None


def parse_voter(text: str) -> Voter | None:
    """An entry `id@host:port`, or None if it is not one."""
    node, at, address_text = text.strip().partition("@")
    address = parse_address(address_text)
    if not at or address is None or address.port > PORT_MAX or "/" in address_text:
        return None
    try:
        return Voter(int(node), *address)
    except ValueError:
        return None


def parse_voters(entries: tuple[str, ...]) -> dict[int, Address]:
    """`controller.quorum.voters` as node id to address; of an id that is there twice, the last."""
    voters = map(parse_voter, entries)
    return {voter.node_id: Address(voter.host, voter.port) for voter in voters if voter is not None}


class QuorumVoters:
    """A list of `id@host:port`, which may be empty."""

    __slots__ = ()

    def check(self, name: str, value: Value) -> None:
        if not isinstance(value, tuple):
            raise invalid(name, value, "a list of voters is needed, each as id@host:port")
        for entry in value:
            if parse_voter(entry) is None:
                raise invalid(name, value, f"{entry} is not a voter, which is written id@host:port")

    def __str__(self) -> str:
        return "non-empty list"


class BootstrapServers:
    """A list of `host:port`, which may be empty."""

    __slots__ = ()

    def check(self, name: str, value: Value) -> None:
        if not isinstance(value, tuple):
            raise invalid(name, value, "a list of addresses is needed, each as host:port")
        for entry in value:
            if parse_address(entry) is None:
                raise invalid(name, value, f"{entry} is not an address, which is written host:port")

    def __str__(self) -> str:
        return "non-empty list"


class GzipLevel:
    """1 (fastest) to 9 (smallest), or -1 for zlib's own choice, which is 6."""

    __slots__ = ()

    def check(self, name: str, value: Value) -> None:
        if value is None:
            raise invalid(name, value, "Value must be non-null")
        if not isinstance(value, int) or (value != -1 and not 1 <= value <= 9):
            raise invalid(name, value, "Value must be between 1 and 9 or equal to -1")

    def __str__(self) -> str:
        return "[1,...,9] or -1"


class ThrottledReplicas:
    """`*` for all replicas, or a list of `partition:broker`."""

    __slots__ = ()

    def check(self, name: str, value: Value) -> None:
        if not isinstance(value, tuple):
            raise invalid(name, value, "a list of replicas is needed, each as partition:broker; * means all")
        if value == ("*",) or not any(value):  # a list of nothing but commas is taken for an empty one
            return
        for entry in value:
            partition, _, broker = entry.partition(":")
            if not (_is_number(partition) and _is_number(broker)):
                raise invalid(name, value, f"{entry} is not a replica, which is written partition:broker; * means all")

    def __str__(self) -> str:
        return "[partitionId]:[brokerId],[partitionId]:[brokerId],..."


def _is_number(text: str) -> bool:
    return text != "" and not set(text) - set("0123456789")


class OffsetReset(NamedTuple):
    """Where to start without a committed offset: a strategy, and for `by_duration` how long ago."""

    strategy: str
    duration_ms: int | None = None


def parse_offset_reset(text: str, strategies: tuple[str, ...]) -> OffsetReset | None:
    """`earliest`, `by_duration:PT1H` and the like, in the strategies given; else None."""
    if text in strategies:
        return OffsetReset(text)
    strategy, colon, duration = text.partition(":")
    if strategy != BY_DURATION or not colon:
        return None
    milliseconds = parse_iso_duration(duration)
    return None if milliseconds is None or milliseconds < 0 else OffsetReset(BY_DURATION, milliseconds)


BY_DURATION = "by_duration"


class OffsetResetForm(NamedTuple):
    """One of some strategies, or `by_duration:` and an ISO-8601 duration."""

    strategies: tuple[str, ...]

    def check(self, name: str, value: Value) -> None:
        if not isinstance(value, str) or parse_offset_reset(value, self.strategies) is None:
            words = ", ".join(self.strategies)
            raise invalid(name, value, f"neither one of {words} nor {BY_DURATION}: with a duration such as PT1H")

    def __str__(self) -> str:
        return f"[{', '.join(self.strategies)}, {BY_DURATION}:PnDTnHnMn.nS]"


class Mode(NamedTuple):
    """One of some modes of share consumers; Kafka spells one of them in capitals too, and the other not."""

    modes: tuple[str, ...]
    ignoring_case: bool = False

    def check(self, name: str, value: Value) -> None:
        if not isinstance(value, str) or (value.lower() if self.ignoring_case else value) not in self.modes:
            raise invalid(name, value, f"not one of {', '.join(self.modes)}")

    def __str__(self) -> str:
        return f"[{', '.join(self.modes)}]"
