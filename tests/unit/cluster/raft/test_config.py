"""A node's settings as the quorum wants them."""

from ottla.cluster.raft.config import (
    Identity,
    MetadataLogConfig,
    QuorumConfig,
    bootstrap_nodes,
    static_voters_of,
)
from ottla.cluster.raft.voters import Endpoint, Node, ReplicaKey
from ottla.config.config import Config
from ottla.config.layers import read_node
from tests.unit.cluster.raft.replica import directory

NODE = {
    "node.id": "7",
    "process.roles": "broker,controller",
    "controller.listener.names": "CONTROLLER,OTHER",
    "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093,OTHER://:9094",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,OTHER:PLAINTEXT",
}


def settings(**others: str) -> Config:
    """Those of a node."""
    return read_node(NODE | {name.replace("_", "."): value for name, value in others.items()})


def test_defaults_are_kafkas() -> None:
    """Whoever sets nothing gets the quorum and the log that Kafka's defaults make; appends never linger."""
    config = settings(controller_quorum_voters="7@one:9093")
    quorum, log = QuorumConfig.of(config), MetadataLogConfig.of(config)
    assert quorum == QuorumConfig(append_linger_ms=0)
    assert log == MetadataLogConfig()
    assert (log.log.segment_bytes, log.log.segment_ms) == (1 << 30, 7 * 86_400_000)


def test_static_voters() -> None:
    """controller.quorum.voters names ids and addresses, reached by the first of the controllers' listeners."""
    config = settings(controller_quorum_voters="7@one:9093,8@two:9095")
    voters = static_voters_of(config)
    assert [each.node("CONTROLLER") for each in voters] == [Node(7, "one", 9093), Node(8, "two", 9095)]
    assert bootstrap_nodes(config) == ()


def test_bootstrap_servers() -> None:
    """controller.quorum.bootstrap.servers are addresses of nobody known; then no voters are in the settings."""
    config = settings(controller_quorum_bootstrap_servers="one:9093,[::1]:9094")
    assert len(static_voters_of(config)) == 0
    endpoints = (Endpoint("CONTROLLER", "here", 12_345),)
    identity = Identity.of(config, "cluster", directory(7), endpoints)
    assert identity.bootstrap == (Node(-2, "one", 9093), Node(-3, "::1", 9094))
    assert identity.key == ReplicaKey(7, directory(7))
    assert (identity.listener_name, identity.endpoints) == ("CONTROLLER", endpoints)
