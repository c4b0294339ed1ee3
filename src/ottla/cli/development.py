"""A node without any settings: what `ottla server start` runs where no file is given.

It is broker and controller at once, a cluster of one on this machine alone, and its directory is formatted when it is
started for the first time. Nothing else differs from a node with a file: `--override` changes any of these settings.

Always true: a directory that holds anything of a node but no identity is not formatted over.
"""

from collections.abc import Callable
from typing import Final

from ottla.cluster.formatting import METADATA_FOLDER, Formatter, look_at
from ottla.cluster.new_cluster import Asked, FirstVoters, every_directory, new_cluster
from ottla.config.config import Config
from ottla.errors import ConfigError
from ottla.protocol.uuids import uuid_text
from ottla.storage.directories.directory import new_directory_id
from ottla.storage.names import parse_directory_name, parse_file_name
from ottla.world.api import Disk

DATA: Final = "data"
SETTINGS: Final = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "listeners": "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.bootstrap.servers": "localhost:9093",
    # A cluster of one has nobody to keep copies.
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    # Whoever tries something out waits for nobody else to join.
    "group.initial.rebalance.delay.ms": "0",
}


def settings(data: str) -> dict[str, str]:
    """The settings, with the data in this directory."""
    return SETTINGS | {"log.dirs": data}


def format_if_new(disk: Disk, config: Config, randbytes: Callable[[int], bytes], now_ms: int) -> bool:
    """Make directories ready that have never been used; whether there were any."""
    directories = every_directory(config)
    found = look_at(disk, directories)
    if found.formatted or found.unreadable:
        return False
    for directory in found.empty:
        _refuse_logs_without_identity(disk, directory)
    asked = Asked(uuid_text(new_directory_id(randbytes)), FirstVoters.STANDALONE)
    for _ in Formatter(disk, new_cluster(config, asked, randbytes), randbytes, now_ms).run():
        pass
    return True


def _refuse_logs_without_identity(disk: Disk, directory: str) -> None:
    """A formatting that broke off leaves no more than the folder of the metadata, without a log in it."""
    for entry in disk.list(directory) if disk.exists(directory) else ():
        if not entry.is_directory or parse_directory_name(entry.name) is None:
            continue
        inside = disk.list(f"{directory}/{entry.name}")
        if entry.name != METADATA_FOLDER or any(parse_file_name(each.name) is not None for each in inside):
            raise ConfigError(
                f"{directory} holds {entry.name} and no meta.properties, so it is no new directory: put its "
                "meta.properties back, or use another one."
            )
