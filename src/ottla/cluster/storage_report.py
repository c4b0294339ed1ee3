"""What a node's log directories are before it is started: there or not, formatted or not, and for whom.

`ottla storage info` shows it, in Kafka's words. Nothing is changed, and nothing is locked: a node may run on them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ottla.cluster.formatting import look_at
from ottla.cluster.new_cluster import every_directory
from ottla.config.config import Config
from ottla.errors import DiskError
from ottla.storage.directories.meta_properties import CURRENT_VERSION, FILE_NAME, MetaProperties, property_texts
from ottla.world.api import Disk


@dataclass(frozen=True, slots=True)
class StorageReport:
    """What was found."""

    directories: tuple[str, ...]
    properties: Mapping[str, str] | None  # of the first directory that is formatted
    problems: tuple[str, ...]


def storage_report(disk: Disk, config: Config) -> StorageReport:
    """Look at all directories of a node."""
    wanted = every_directory(config)
    problems = []
    directories = []
    for directory in wanted:
        problem = _missing(disk, directory)
        if problem is None:
            directories.append(directory)
        else:
            problems.append(problem)
    found = look_at(disk, directories)
    for directory in directories:
        if directory in found.empty:
            problems.append(f"{directory} is not formatted.")
        elif directory in found.unreadable:
            problems.append(f"Error loading {directory}/{FILE_NAME}: {found.unreadable[directory]}")
    problems += _contradictions(list(found.formatted.values()))
    first = next(iter(found.formatted.values()), None)
    return StorageReport(tuple(directories), None if first is None else property_texts(first), tuple(problems))


def _missing(disk: Disk, directory: str) -> str | None:
    if not disk.exists(directory):
        return f"{directory} does not exist"
    try:
        disk.list(directory)
    except DiskError:
        return f"{directory} is not a directory"
    return None


def _contradictions(found: list[MetaProperties]) -> list[str]:
    problems = []
    if any(each.version < CURRENT_VERSION for each in found):
        problems.append("The directories are formatted for a cluster with ZooKeeper, and the node is one of KRaft.")
    for what, values in (("cluster", {each.cluster_id for each in found}), ("node", {each.node_id for each in found})):
        if len(values) > 1:
            problems.append(f"Mismatched {what} IDs between storage directories.")
    return problems
