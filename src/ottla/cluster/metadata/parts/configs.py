"""Settings that are kept in the metadata: of topics, brokers, client metrics and groups.

Always true: a setting that this release does not have is passed over, as in Kafka 4.3, whether it is set or reset, so
that what older releases left behind disappears with the next snapshot; a broker's settings are all kept, since their
names may be a listener's or a plugin's. A resource without settings is not in the image, and a topic that is deleted
takes its settings along.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, NamedTuple

from ottla.cluster.metadata.chunked_map import ChunkedMap, MapDelta
from ottla.cluster.metadata.records import VersionedRecord
from ottla.config.setting import Table
from ottla.config.tables.client_metrics import CLIENT_METRICS
from ottla.config.tables.group import GROUP
from ottla.config.tables.topic import TOPIC
from ottla.protocol.messages.metadata_records import ConfigRecord


class ConfigResourceType(IntEnum):
    """What can have settings in the metadata."""

    TOPIC = 2
    BROKER = 4
    CLIENT_METRICS = 16
    GROUP = 32


class ConfigResource(NamedTuple):
    """One thing that has settings; a broker is named by its id, and "" is the default of all brokers."""

    resource_type: int
    name: str


KNOWN: Final[dict[int, Table]] = {
    ConfigResourceType.TOPIC: TOPIC,
    ConfigResourceType.CLIENT_METRICS: CLIENT_METRICS,
    ConfigResourceType.GROUP: GROUP,
}
NONE: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class ConfigsImage:
    """The settings of each resource that has some, as texts."""

    resources: ChunkedMap[ConfigResource, Mapping[str, str]] = field(default_factory=ChunkedMap)

    def of(self, resource_type: int, name: str) -> Mapping[str, str]:
        """The settings of one resource."""
        return self.resources.get(ConfigResource(resource_type, name), NONE)

    def records(self) -> Iterator[VersionedRecord]:
        """A record for each setting."""
        for resource in sorted(self.resources):
            for name, value in sorted(self.resources[resource].items()):
                yield VersionedRecord(ConfigRecord(resource.resource_type, resource.name, name, value))


class ConfigsDelta:
    """Changes of settings; None in `changes` is a resource that has none any more."""

    __slots__ = ("base", "resources")

    def __init__(self, base: ConfigsImage) -> None:
        self.base = base
        self.resources = MapDelta(base.resources)

    def __bool__(self) -> bool:
        return bool(self.resources)

    def change(self, record: ConfigRecord) -> None:
        """A setting is set, or reset by a null."""
        if not is_known(record.resource_type, record.name):
            return
        resource = ConfigResource(record.resource_type, record.resource_name)
        settings = {
            name: value for name, value in (self.resources.get(resource) or NONE).items() if name != record.name
        }
        if record.value is not None:
            settings[record.name] = record.value
        if settings:
            self.resources[resource] = settings
        else:
            del self.resources[resource]

    def forget_topic(self, name: str) -> None:
        """A topic is gone."""
        del self.resources[ConfigResource(ConfigResourceType.TOPIC, name)]

    def become(self, image: ConfigsImage) -> None:
        """Change to what another image says."""
        self.resources.become(image.resources)

    def apply(self) -> ConfigsImage:
        """The image with the changes made."""
        return ConfigsImage(self.resources.apply()) if self else self.base


def is_known(resource_type: int, name: str) -> bool:
    """Whether this release has a setting of this name for this type of resource."""
    return resource_type == ConfigResourceType.BROKER or name in KNOWN.get(resource_type, ())
