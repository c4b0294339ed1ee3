"""The parts of a broker that have values of their own made of settings, and take over new ones while they run.

Each function gets the `Config` that is in force now; `DynamicSettings` calls them after every change. Settings of
topics need nothing here: the replica manager has every log look them up again. What is not here is read when it is
used, or may not change while a broker runs.
"""

from collections.abc import Sequence
from posixpath import normpath
from typing import Final

from ottla.broker.roles.lifecycle import BrokerLifecycle
from ottla.broker.settings.dynamic import Reconfigure
from ottla.broker.settings.listeners import limits, max_connections, max_creation_rate
from ottla.config.config import Config
from ottla.config.rules.listeners import node_listeners
from ottla.network.server import Server
from ottla.storage.cleaner.log_cleaner import CleanerConfig
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.manager.config import LogManagerConfig
from ottla.storage.manager.manager import LogManager
from ottla.world.api import Threads

ALL: Final = "*"


def of_logs(logs: LogManager) -> Reconfigure:
    """The cleaner, and what is looked at now and then."""

    def reconfigure(config: Config) -> None:
        logs.cleaner.reconfigured(CleanerConfig.of(config))
        logs.reconfigured(LogManagerConfig.of(config))

    return reconfigure


def of_lifecycle(lifecycle: BrokerLifecycle, directories: Sequence[LogDirectory]) -> Reconfigure:
    """Cordoned directories are the controller's matter as well: it places no replicas there (KIP-1066)."""

    def reconfigure(config: Config) -> None:
        cordoned = cordoned_directories(config, directories)
        lifecycle.cordon([each.directory_id for each in cordoned if each.directory_id is not None])

    return reconfigure


def of_threads(threads: Threads) -> Reconfigure:
    """Kafka has a pool for requests and one for the rest; here one does both, as large as the larger of them."""
    return lambda config: threads.resize(max(config.integer("num.io.threads"), config.integer("background.threads")))


def of_server(server: Server) -> Reconfigure:
    """How many connections there may be, from everywhere, from one address, and on each listener."""

    def reconfigure(config: Config) -> None:
        server.limit(limits(config))
        for listener in node_listeners(config).all:
            if (bound := server.listeners.get(listener.name)) is not None:
                bound.limit(max_connections(config, listener), max_creation_rate(config, listener))

    return reconfigure


def cordoned_directories(config: Config, directories: Sequence[LogDirectory]) -> list[LogDirectory]:
    """The directories that `cordoned.log.dirs` names; `*` is all of them."""
    words = config.words("cordoned.log.dirs")
    paths = {normpath(word) for word in words}
    return [directory for directory in directories if ALL in words or directory.path in paths]
