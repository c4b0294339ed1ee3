"""Parts that take over settings while they run."""

from typing import cast

import pytest

from ottla.broker.roles.lifecycle import BrokerLifecycle
from ottla.broker.settings import running_parts
from ottla.broker.settings.listeners import limits, listener_settings
from ottla.config.config import Config
from ottla.config.layers import BrokerLayers
from ottla.network.server import Server
from ottla.protocol.codec.wire import Uuid
from ottla.storage.directories.directory import LogDirectory
from ottla.world.api import Threads
from ottla.world.simulated import SimulatedWorld
from tests.unit.broker.handlers.circumstances import SETTINGS
from tests.unit.network.ends import run

IDS = {"/a": Uuid(b"a" * 16), "/b": Uuid(b"b" * 16)}


def changed(**settings: str) -> Config:
    """The settings of a node, with these of its own."""
    layers = BrokerLayers(SETTINGS | {"log.dirs": "/a,/b"})
    warnings = layers.set_broker({name.replace("__", ".").replace("_", "."): text for name, text in settings.items()})
    assert not warnings
    return layers.config


class Directory:
    """A log directory's path and id."""

    def __init__(self, path: str) -> None:
        self.path, self.directory_id = path, IDS[path]


@pytest.mark.parametrize(("words", "cordoned"), [("/b", ["/b"]), ("*", ["/a", "/b"]), ("", [])])
def test_cordoned_directories_are_told_to_the_controller(words: str, cordoned: list[str]) -> None:
    """Directories are named by their paths, or all by a star."""
    told: list[list[Uuid]] = []

    class Lifecycle:
        def cordon(self, directory_ids: list[Uuid]) -> None:
            told.append(directory_ids)

    directories = cast("list[LogDirectory]", [Directory(path) for path in IDS])
    config = changed(cordoned_log_dirs=words)
    running_parts.of_lifecycle(cast("BrokerLifecycle", Lifecycle()), directories)(config)
    assert told == [[IDS[path] for path in cordoned]]


def test_threads() -> None:
    """The one pool is as large as the larger of Kafka's two."""
    sizes: list[int] = []

    class Pool:
        def resize(self, count: int) -> None:
            sizes.append(count)

    reconfigure = running_parts.of_threads(cast("Threads", Pool()))
    reconfigure(changed())
    reconfigure(changed(num_io_threads="16"))
    assert sizes == [10, 16]


def test_connections() -> None:
    """Limits of all connections, of an address, and of a listener hold from now on."""

    async def main(world: SimulatedWorld) -> None:
        before = BrokerLayers(SETTINGS).config
        server = Server(world, listener_settings(before), print, lambda what, error: None, limits(before))
        await server.bind()
        config = changed(
            max_connections="7", max_connections_per_ip="3", **{"listener.name.plaintext.max.connections": "2"}
        )
        running_parts.of_server(server)(config)
        assert (server.limits.max_connections, server.limits.max_connections_per_ip) == (7, 3)
        assert server.listeners["PLAINTEXT"].max_connections == 2
        assert server.listeners["CONTROLLER"].max_connections > 7
        await server.stop()

    run(main)
