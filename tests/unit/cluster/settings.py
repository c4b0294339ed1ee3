"""Settings of nodes that tests of formatting need."""

from ottla.config.config import Config
from ottla.config.layers import read_node

COMBINED = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093",
    "log.dirs": "/data/a,/data/b",
    "controller.quorum.bootstrap.servers": "127.0.0.1:9093",
}
BROKER = COMBINED | {"process.roles": "broker", "listeners": "PLAINTEXT://127.0.0.1:9092"}


def node(base: dict[str, str] | None = None, **given: str | None) -> Config:
    """A node's settings, with underscores for dots; None takes one away."""
    texts: dict[str, str | None] = {**(base or COMBINED), **{name.replace("_", "."): given[name] for name in given}}
    return read_node({name: text for name, text in texts.items() if text is not None})
