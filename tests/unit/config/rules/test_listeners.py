"""Listeners: end points, what others are told, and how safe each is."""

import pytest

from ottla.config.layers import read_node
from ottla.config.rules.listeners import Listener, node_listeners, parse_listener, parse_pairs
from ottla.errors import ConfigError

NODE = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "C",
    "controller.quorum.voters": "1@localhost:9093",
    "listeners": "INSIDE://10.0.0.1:9092,OUTSIDE://:9094,C://0.0.0.0:9093",
    "advertised.listeners": "INSIDE://10.0.0.1:9092,OUTSIDE://broker.example:443",
    "listener.security.protocol.map": "C:PLAINTEXT,INSIDE:PLAINTEXT,OUTSIDE:SASL_SSL",
    "inter.broker.listener.name": "inside",
}


def test_a_node_has_its_listeners_in_their_parts() -> None:
    """Controllers' listeners are apart; clients are told the advertised ones; names count in capitals."""
    listeners = node_listeners(read_node(NODE))
    assert [str(listener) for listener in listeners.all] == [
        "INSIDE://10.0.0.1:9092",
        "OUTSIDE://:9094",
        "C://0.0.0.0:9093",
    ]
    assert [str(listener) for listener in listeners.advertised_to_clients] == [
        "INSIDE://10.0.0.1:9092",
        "OUTSIDE://broker.example:443",
    ]
    assert [listener.security_protocol for listener in listeners.advertised_to_clients] == ["PLAINTEXT", "SASL_SSL"]
    assert listeners.inter_broker_name == "INSIDE"
    assert [listener.name for listener in listeners.controllers] == ["C"]
    assert listeners.advertised_controllers == (Listener("C", "", 9093, "PLAINTEXT"),)
    assert listeners.names == {"INSIDE", "OUTSIDE", "C"}


def test_without_advertised_listeners_clients_are_told_the_others() -> None:
    """What is not advertised is told as it is."""
    node = {name: value for name, value in NODE.items() if name != "advertised.listeners"}
    told = node_listeners(read_node(node)).advertised_to_clients
    assert [str(listener) for listener in told] == ["INSIDE://10.0.0.1:9092", "OUTSIDE://:9094"]


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("A://h:1", "h", 1),
        ("a://:0", "", 0),
        ("A://[::1]:9092", "::1", 9092),
        ("A://::1:9092", "::1", 9092),
        ("A://fe80::1%eth0:5", "fe80::1%eth0", 5),
        ("A://h_h:-1", "h_h", -1),
    ],
)
def test_an_end_point_is_a_name_a_host_and_a_port(text: str, host: str, port: int) -> None:
    """An entry is parsed into its parts, an IPv6 address without its brackets."""
    assert parse_listener("listeners", text, {"A": "SSL"}) == Listener("A", host, port, "SSL")


@pytest.mark.parametrize("text", ["h:1", "A://h", "A://h:x", "A://h:1:", "A://h h:1", "://h:1", "A://h:٣", "B://h:1"])
def test_what_is_no_end_point_is_refused(text: str) -> None:
    """An entry that is not NAME://host:port, or whose name is unknown, is refused by the setting's name."""
    with pytest.raises(ConfigError, match=r"^listeners has "):
        parse_listener("listeners", text, {"A": "SSL"})


def test_pairs_are_separated_by_the_last_colon() -> None:
    """`a:b` pairs tolerate white space and colons in the key; an entry without colon is refused."""
    assert parse_pairs("x", ["a:b", " ::1 : c ", ""]) == {"a": "b", "::1": "c"}
    with pytest.raises(ConfigError, match=r"^x has an entry without a colon: a\.$"):
        parse_pairs("x", ["a"])
