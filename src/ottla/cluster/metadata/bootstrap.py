"""The first records of a cluster: what formatting a directory finalises, and the file that it leaves them in.

The active controller writes these records before anything else, into a log that is empty; they stand in
`bootstrap.checkpoint` until then. Always true: the metadata version is the first of them, features at level 0 have
none, and `kraft.version` never has one, since it is the quorum's own.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ottla.cluster.metadata.records import VersionedRecord
from ottla.cluster.metadata.snapshot_file import SnapshotHead, write_snapshot
from ottla.errors import ConfigError
from ottla.protocol.features import (
    FEATURES,
    KRAFT_VERSION,
    LATEST,
    METADATA_VERSION,
    MetadataVersion,
    default_level,
    supported_range,
)
from ottla.protocol.messages.metadata_records import FeatureLevelRecord

BOOTSTRAP_FILE: Final = "bootstrap.checkpoint"
BOOTSTRAP_EPOCH: Final = 0


def levels_at(metadata_version: MetadataVersion = LATEST, requested: Mapping[str, int] | None = None) -> dict[str, int]:
    """The level of every feature of a new cluster: what is requested, else its default at the metadata version.

    `kraft.version` is left out unless it is requested: whether voters are in the log is not the metadata's to decide.
    """
    requested = requested or {}
    levels = {METADATA_VERSION: int(metadata_version)}
    for feature in sorted(FEATURES.keys() - {KRAFT_VERSION}):
        levels[feature] = default_level(feature, metadata_version)
    for feature, level in requested.items():
        if feature == METADATA_VERSION:
            raise ConfigError(f"{METADATA_VERSION}: the release version says it")
        if feature not in FEATURES:
            raise ConfigError(f"{feature}: no such feature; there are {', '.join(sorted(FEATURES))}")
        lowest, highest = supported_range(feature)
        if not lowest <= level <= highest:
            raise ConfigError(f"{feature}: level {level} is not among {lowest} to {highest}")
        levels[feature] = level
    _check_needs(levels)
    return levels


def _check_needs(levels: Mapping[str, int]) -> None:
    """Some levels need others."""
    for feature, level in levels.items():
        for needed, lowest in FEATURES[feature][level].needs.items() if feature in FEATURES else ():
            if levels.get(needed, 0) < lowest:
                raise ConfigError(f"{feature}: level {level} needs {needed} at level {lowest:d} or higher")


def bootstrap_records(levels: Mapping[str, int]) -> list[VersionedRecord]:
    """The records that finalise these levels."""
    records = [VersionedRecord(FeatureLevelRecord(METADATA_VERSION, levels[METADATA_VERSION]))]
    for feature in sorted(levels.keys() - {METADATA_VERSION, KRAFT_VERSION}):
        if levels[feature] > 0:
            records.append(VersionedRecord(FeatureLevelRecord(feature, levels[feature])))
    return records


def bootstrap_file(records: Iterable[VersionedRecord], now_ms: int) -> Iterator[bytearray]:
    """`bootstrap.checkpoint`: a snapshot of nothing but these records."""
    return write_snapshot(BOOTSTRAP_EPOCH, SnapshotHead(), records, now_ms)
