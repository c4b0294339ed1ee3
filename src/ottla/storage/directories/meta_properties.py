"""`meta.properties`: which cluster and which node a log directory belongs to, and the directory's own id.

    #
    #Thu Nov 19 21:14:39 UTC 2026
    node.id=1
    directory.id=oXyrbzg6SnWkQ5fV2GSNnw
    version=1
    cluster.id=8sVgPWhqRQqfJ1FHDnpd7A

Formatting writes it, and a node refuses to run on directories that belong to another one, or to each other (KIP-858:
the controller knows replicas by directory id). Version 0 is older: its node is called `broker.id`, and it may lack
everything. Apache Kafka reads what we write, and we what it writes: Java's properties, names in any order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from ottla.config.properties import read_properties, write_properties
from ottla.errors import ConfigError, CorruptFile
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.uuids import parse_uuid, uuid_text
from ottla.storage.directories.checkpoints import parse_number

FILE_NAME: Final = "meta.properties"
CURRENT_VERSION: Final = 1
MAX_NODE_ID: Final = 2**31 - 1
RESERVED_DIRECTORY_IDS: Final = 100  # zero: not assigned, one: lost, two: on its way; the rest is kept free

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class MetaProperties:
    """What the file says. Only a file of version 0 may lack cluster and node; older files lack a directory id."""

    cluster_id: str | None
    node_id: int | None
    directory_id: Uuid | None
    version: int = CURRENT_VERSION


def property_texts(properties: MetaProperties) -> dict[str, str]:
    """The values by name."""
    values: dict[str, str] = {}
    if properties.node_id is not None:
        values[_node_id_name(properties.version)] = str(properties.node_id)
    if properties.directory_id is not None:
        values["directory.id"] = uuid_text(properties.directory_id)
    values["version"] = str(properties.version)
    if properties.cluster_id is not None:
        values["cluster.id"] = properties.cluster_id
    return values


def render_meta_properties(properties: MetaProperties, now_ms: int) -> bytes:
    """The file's content."""
    return f"#\n#{_java_date(now_ms)}\n{write_properties(property_texts(properties))}".encode("ascii")


def parse_meta_properties(path: str, data: bytes) -> MetaProperties:
    """What the file's content says; the path is for the error."""
    try:
        values = read_properties(data).values
    except ConfigError as error:
        raise CorruptFile(f"{path}: {error}", path=path) from None
    version = parse_number(path, values.get("version", "0"), MAX_NODE_ID)
    if version > CURRENT_VERSION:
        raise CorruptFile(f"{path}: its version is {version}, and {CURRENT_VERSION} is the latest known", path=path)
    cluster_id, node_id = values.get("cluster.id"), values.get(_node_id_name(version))
    if version and (cluster_id is None or node_id is None):
        raise CorruptFile(f"{path}: cluster.id and node.id must both be there in version {version}", path=path)
    return MetaProperties(
        cluster_id,
        None if node_id is None else parse_number(path, node_id, MAX_NODE_ID),
        _directory_id(path, values.get("directory.id")),
        version,
    )


def is_reserved_directory_id(directory_id: Uuid) -> bool:
    """Whether an id has a meaning of its own, so that no directory may have it."""
    high, low = int.from_bytes(directory_id[:8]), int.from_bytes(directory_id[8:], signed=True)
    return high == 0 and low < RESERVED_DIRECTORY_IDS


def check_ensemble(found: Mapping[str, MetaProperties], cluster_id: str | None, node_id: int) -> None:
    """Refuse log directories that are not all this node's, or are copies of each other.

    `found` has what was read, by log directory; without a cluster id the first one that is found counts.
    """
    seen: dict[Uuid, str] = {}
    for directory, properties in found.items():
        cluster_id = properties.cluster_id if cluster_id is None else cluster_id
        if properties.cluster_id not in (None, cluster_id):
            raise ConfigError(
                f"log.dirs: {directory} belongs to cluster {properties.cluster_id}, and this node to {cluster_id}."
            )
        if properties.node_id not in (None, node_id):
            raise ConfigError(
                f"log.dirs: {directory} belongs to the node with node.id {properties.node_id}, not to {node_id}."
            )
        if (directory_id := properties.directory_id) is None:
            continue
        if is_reserved_directory_id(directory_id):
            raise ConfigError(f"log.dirs: {directory} has the reserved directory.id {uuid_text(directory_id)}.")
        if directory_id in seen:
            raise ConfigError(f"log.dirs: {directory} and {seen[directory_id]} have the same directory.id.")
        seen[directory_id] = directory


def _directory_id(path: str, text: str | None) -> Uuid | None:
    try:
        return None if text is None else parse_uuid(text)
    except ValueError as error:
        raise CorruptFile(f"{path}: directory.id: {error}", path=path) from None


def _node_id_name(version: int) -> str:
    return "node.id" if version else "broker.id"


def _java_date(now_ms: int) -> str:
    """A date as Java writes one above properties. Not `strftime`, which asks the locale."""
    date = datetime.fromtimestamp(now_ms // 1000, tz=UTC)
    return f"{_DAYS[date.weekday()]} {_MONTHS[date.month - 1]} {date:%d %H:%M:%S} UTC {date.year}"
