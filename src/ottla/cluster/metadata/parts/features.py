"""Finalised features: the metadata version, and the levels of everything else that a cluster has agreed on.

Always true: a feature at level 0 is not in the image; `kraft.version` is never in it, since control records carry it;
a metadata version that this release does not run is damage, as in Kafka, since what follows could not be read.
`ZkMigrationStateRecord` is accepted and forgotten: clusters that came from ZooKeeper have it in their logs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ottla.cluster.metadata.chunked_map import ChunkedMap, MapDelta
from ottla.cluster.metadata.parts.damage import damaged
from ottla.cluster.metadata.records import VersionedRecord
from ottla.protocol.features import KRAFT_VERSION, LATEST, METADATA_VERSION, MINIMUM, MetadataVersion
from ottla.protocol.messages.metadata_records import FeatureLevelRecord

_VERSIONS = {int(version): version for version in MetadataVersion}


@dataclass(frozen=True, slots=True)
class FeaturesImage:
    """What is finalised. There is no metadata version before the first record."""

    metadata_version: MetadataVersion | None = None
    levels: ChunkedMap[str, int] = field(default_factory=ChunkedMap)  # of all features but metadata.version

    def level(self, feature: str) -> int:
        """The level of a feature; 0 if it is off."""
        if feature == METADATA_VERSION:
            return self.metadata_version or 0
        return self.levels.get(feature, 0)

    def records(self, metadata_version: MetadataVersion) -> Iterator[VersionedRecord]:
        """The metadata version comes first: it says what the other records can be."""
        yield VersionedRecord(FeatureLevelRecord(METADATA_VERSION, metadata_version))
        for name in sorted(self.levels):
            yield VersionedRecord(FeatureLevelRecord(name, self.levels[name]))


class FeaturesDelta:
    """Changes of levels."""

    __slots__ = ("base", "levels", "metadata_version")

    def __init__(self, base: FeaturesImage) -> None:
        self.base = base
        self.metadata_version = base.metadata_version
        self.levels = MapDelta(base.levels)

    def __bool__(self) -> bool:
        return self.metadata_version_changed or bool(self.levels)

    @property
    def metadata_version_changed(self) -> bool:
        """Whether the metadata version is another one now."""
        return self.metadata_version != self.base.metadata_version

    def set_level(self, record: FeatureLevelRecord) -> None:
        """A level is finalised; 0 ends a feature."""
        if record.name == METADATA_VERSION:
            if record.feature_level not in _VERSIONS:
                raise damaged(record, f"metadata.version has levels {MINIMUM:d} to {LATEST:d} here")
            self.metadata_version = _VERSIONS[record.feature_level]
        elif record.name == KRAFT_VERSION:
            return
        elif record.feature_level:
            self.levels[record.name] = record.feature_level
        else:
            del self.levels[record.name]

    def become(self, image: FeaturesImage) -> None:
        """Change to what another image says."""
        self.metadata_version = image.metadata_version
        self.levels.become(image.levels)

    def apply(self) -> FeaturesImage:
        """The image with the changes made."""
        return FeaturesImage(self.metadata_version, self.levels.apply()) if self else self.base
