"""What a cluster has agreed on: metadata versions and the other finalised features of Kafka 4.3 (KIP-584, KIP-1022).

A feature has levels. A node announces the range that it can run at, the cluster finalises one level for everybody, and
what is written (records, requests between nodes) follows the finalised level, never the newest that a node knows.

Always true: level 0 of a feature means that it is off; a metadata version has no 0, its lowest level is 3.3-IV3, the
oldest that KRaft clusters upgrade from. A range holds only levels that are meant for production.

`default_level` says which level a feature gets when a cluster is formatted at a metadata version; `version_at` says
which version of a record or a request goes with it; `SINCE` says from which one on something may be used at all.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple, Self

METADATA_VERSION: Final = "metadata.version"
KRAFT_VERSION: Final = "kraft.version"


class MetadataVersion(IntEnum):
    """The levels of `metadata.version`, under Kafka's own names. Columns: level, whether metadata records changed.

    Where records did not change, a cluster may be downgraded to the level before without losing anything.
    """

    metadata_changed: bool

    def __new__(cls, level: int, metadata_changed: bool) -> Self:
        """Make a member out of its row in the table."""
        member = int.__new__(cls, level)
        member._value_ = level
        member.metadata_changed = metadata_changed
        return member

    IBP_3_3_IV3 = 7, True
    IBP_3_4_IV0 = 8, True
    IBP_3_5_IV0 = 9, False
    IBP_3_5_IV1 = 10, False
    IBP_3_5_IV2 = 11, True
    IBP_3_6_IV0 = 12, False
    IBP_3_6_IV1 = 13, True
    IBP_3_6_IV2 = 14, True
    IBP_3_7_IV0 = 15, True
    IBP_3_7_IV1 = 16, False
    IBP_3_7_IV2 = 17, True
    IBP_3_7_IV3 = 18, False
    IBP_3_7_IV4 = 19, False
    IBP_3_8_IV0 = 20, False
    IBP_3_9_IV0 = 21, False
    IBP_4_0_IV0 = 22, False
    IBP_4_0_IV1 = 23, True
    IBP_4_0_IV2 = 24, False
    IBP_4_0_IV3 = 25, False
    IBP_4_1_IV0 = 26, False
    IBP_4_1_IV1 = 27, False
    IBP_4_2_IV0 = 28, False
    IBP_4_2_IV1 = 29, False
    IBP_4_3_IV0 = 30, True

    @property
    def release(self) -> str:
        """The release that brought this version: `4.3`."""
        _, major, minor, _ = self.name.split("_")
        return f"{major}.{minor}"

    @property
    def text(self) -> str:
        """The version as people and tools write it: `4.3-IV0`."""
        return f"{self.release}-{self.name.rpartition('_')[2]}"

    @classmethod
    def of_level(cls, level: int) -> "MetadataVersion | None":
        """The version with this level."""
        return next((version for version in cls if version == level), None)

    @classmethod
    def parse(cls, text: str) -> "MetadataVersion | None":
        """The version that a text names: `4.0-IV1`, or a release (`4.0`, `4.0.1`), which stands for its newest one."""
        name = ".".join(text.split(".")[:2])
        return next((version for version in reversed(cls) if name in (version.text, version.release)), None)


MINIMUM: Final = MetadataVersion.IBP_3_3_IV3
LATEST: Final = MetadataVersion.IBP_4_3_IV0


class Level(NamedTuple):
    """One level of a feature: from which metadata version on it is the default, and what it needs to be finalised."""

    default_from: MetadataVersion
    needs: Mapping[str, int] = {}  # feature -> lowest level


# Every feature besides metadata.version: its levels, beginning with 0.
FEATURES: dict[str, tuple[Level, ...]] = {
    KRAFT_VERSION: (Level(MINIMUM), Level(MetadataVersion.IBP_3_9_IV0)),
    "transaction.version": (
        Level(MINIMUM),
        Level(MetadataVersion.IBP_4_0_IV2),
        Level(MetadataVersion.IBP_4_0_IV2),
    ),
    "group.version": (Level(MINIMUM), Level(MetadataVersion.IBP_4_0_IV0)),
    "eligible.leader.replicas.version": (
        Level(MINIMUM),
        Level(MetadataVersion.IBP_4_1_IV0, {METADATA_VERSION: MetadataVersion.IBP_4_0_IV1}),
    ),
    "share.version": (Level(MINIMUM), Level(MetadataVersion.IBP_4_2_IV0)),
    "streams.version": (Level(MINIMUM), Level(MetadataVersion.IBP_4_2_IV1)),
}

# From which metadata version on something may be used; until 3.6 an ISR shrink had to raise the leader epoch.
SINCE: dict[str, MetadataVersion] = {
    "scram": MetadataVersion.IBP_3_5_IV2,
    "isr shrink without a new leader epoch": MetadataVersion.IBP_3_6_IV0,
    "metadata transactions": MetadataVersion.IBP_3_6_IV1,
    "delegation tokens": MetadataVersion.IBP_3_6_IV2,
    "controller registration": MetadataVersion.IBP_3_7_IV0,
    "directory assignment": MetadataVersion.IBP_3_7_IV2,
    "eligible leader replicas": MetadataVersion.IBP_4_0_IV1,
    "cordoned log directories": MetadataVersion.IBP_4_3_IV0,
}

# The versions in which nodes write records and send requests, and the metadata version that each begins with.
VERSIONS: dict[str, dict[int, MetadataVersion]] = {
    "RegisterBrokerRecord": {
        1: MINIMUM,
        2: MetadataVersion.IBP_3_4_IV0,
        3: MetadataVersion.IBP_3_7_IV2,
        4: MetadataVersion.IBP_4_3_IV0,
    },
    "RegisterControllerRecord": {0: MetadataVersion.IBP_3_7_IV0},
    "PartitionRecord": {0: MINIMUM, 1: MetadataVersion.IBP_3_7_IV2, 2: MetadataVersion.IBP_4_0_IV1},
    "PartitionChangeRecord": {0: MINIMUM, 1: MetadataVersion.IBP_3_7_IV2, 2: MetadataVersion.IBP_4_0_IV1},
    "FetchRequest": {
        13: MINIMUM,
        14: MetadataVersion.IBP_3_5_IV0,
        15: MetadataVersion.IBP_3_5_IV1,
        16: MetadataVersion.IBP_3_7_IV4,
        17: MetadataVersion.IBP_3_9_IV0,
        18: MetadataVersion.IBP_4_1_IV1,
    },
    "ListOffsetsRequest": {
        7: MINIMUM,
        8: MetadataVersion.IBP_3_5_IV0,
        9: MetadataVersion.IBP_3_9_IV0,
        10: MetadataVersion.IBP_4_0_IV3,
        11: MetadataVersion.IBP_4_2_IV1,
    },
}


def supported_range(feature: str) -> tuple[int, int]:
    """The lowest and the highest level of a feature that a node can run at."""
    if feature == METADATA_VERSION:
        return MINIMUM, LATEST
    return 0, len(FEATURES[feature]) - 1


def default_level(feature: str, metadata_version: MetadataVersion) -> int:
    """The level that a feature is given when a cluster is formatted at `metadata_version`."""
    if feature == METADATA_VERSION:
        return metadata_version
    levels = FEATURES[feature]
    return max(level for level, row in enumerate(levels) if metadata_version >= row.default_from)


def version_at(message: str, metadata_version: MetadataVersion) -> int | None:
    """The version of a record or a request that goes with `metadata_version`; None: not to be used yet."""
    begun = [version for version, first in VERSIONS[message].items() if metadata_version >= first]
    return max(begun, default=None)
