"""Metadata versions and features against what Kafka 4.3.1 itself says (tests/golden/kafka-4.3/features.json)."""

import json
from pathlib import Path
from typing import Any

import pytest

from ottla.protocol.features import (
    FEATURES,
    LATEST,
    METADATA_VERSION,
    MINIMUM,
    SINCE,
    VERSIONS,
    MetadataVersion,
    default_level,
    supported_range,
    version_at,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "kafka-4.3" / "features.json"
FACTS: dict[str, Any] = json.loads(GOLDEN.read_text())
PRODUCTION = [version for version in FACTS["metadataVersions"] if version["production"]]

# Our words for the predicates of Kafka's metadata versions. It has two more: its leader epoch bump ends where ours
# begins to do without, and migration from ZooKeeper has nobody left to use it.
CAPABILITIES = {
    "scram": "scram",
    "metadata transactions": "metadataTransaction",
    "delegation tokens": "delegationToken",
    "controller registration": "controllerRegistration",
    "directory assignment": "directoryAssignment",
    "eligible leader replicas": "elr",
    "cordoned log directories": "cordonedLogDirs",
}
MESSAGES = {
    "RegisterBrokerRecord": "registerBrokerRecord",
    "RegisterControllerRecord": "registerControllerRecord",
    "PartitionRecord": "partitionRecord",
    "PartitionChangeRecord": "partitionChangeRecord",
    "FetchRequest": "fetchRequest",
    "ListOffsetsRequest": "listOffsetRequest",
}


def test_metadata_versions_are_kafkas() -> None:
    """Level, name, release and change of metadata are Kafka's, for every version fit for production."""
    ours = [(int(v), v.text, v.release, v.metadata_changed) for v in MetadataVersion]
    theirs = [(v["level"], v["name"], v["shortVersion"], v["metadataChanged"]) for v in PRODUCTION]
    assert ours == theirs


def test_supported_ranges_are_kafkas() -> None:
    """A node announces exactly the features of 4.3, each with Kafka's range."""
    ours = {feature: list(supported_range(feature)) for feature in [*FEATURES, METADATA_VERSION]}
    assert ours == FACTS["supportedRanges"]
    assert (MINIMUM.text, LATEST.text) == (FACTS["minimumMetadataVersion"], FACTS["latestProductionMetadataVersion"])


def test_levels_are_kafkas() -> None:
    """Every level begins at Kafka's metadata version and needs what Kafka says that it needs."""
    ours = {
        feature: [(number, level.default_from.text, dict(level.needs)) for number, level in enumerate(levels)]
        for feature, levels in FEATURES.items()
    }
    theirs = {
        feature: [
            (level["level"], level["bootstrapMetadataVersion"], level["dependencies"]) for level in fact["levels"]
        ]
        for feature, fact in FACTS["features"].items()
    }
    assert ours == theirs


def test_default_levels_are_kafkas() -> None:
    """Formatting at any metadata version gives every feature the level that Kafka gives it."""
    for version, fact in zip(MetadataVersion, PRODUCTION, strict=True):
        assert {feature: default_level(feature, version) for feature in FEATURES} == fact["defaultLevels"]
        assert default_level(METADATA_VERSION, version) == fact["level"]


def test_capabilities_begin_where_kafkas_do() -> None:
    """What a metadata version permits is what Kafka permits at it, no earlier and no later."""
    for version, fact in zip(MetadataVersion, PRODUCTION, strict=True):
        permitted = {CAPABILITIES[name] for name in CAPABILITIES if version >= SINCE[name]}
        assert permitted == set(fact["supports"]) - {"migration", "leaderEpochBumpOnIsrShrink"}
        bump = version < SINCE["isr shrink without a new leader epoch"]
        assert bump == ("leaderEpochBumpOnIsrShrink" in fact["supports"])
    assert set(SINCE) - set(CAPABILITIES) == {"isr shrink without a new leader epoch"}


def test_record_and_request_versions_are_kafkas() -> None:
    """Records and requests between nodes are written in the version that Kafka writes at the same metadata version."""
    assert set(VERSIONS) == set(MESSAGES)
    for version, fact in zip(MetadataVersion, PRODUCTION, strict=True):
        ours = {MESSAGES[message]: version_at(message, version) for message in VERSIONS}
        assert {name: number for name, number in ours.items() if number is not None} == fact["versions"]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("4.0-IV1", MetadataVersion.IBP_4_0_IV1),
        ("4.0", MetadataVersion.IBP_4_0_IV3),
        ("3.7.2", MetadataVersion.IBP_3_7_IV4),
        ("4.3.1", MetadataVersion.IBP_4_3_IV0),
        ("4.4", None),
        ("3.2", None),
        ("IBP_4_0_IV0", None),
        ("", None),
    ],
)
def test_a_version_is_named_by_itself_or_by_a_release(text: str, version: MetadataVersion | None) -> None:
    """A release stands for its newest metadata version; what Kafka 4.3 does not run is no version."""
    assert MetadataVersion.parse(text) is version
