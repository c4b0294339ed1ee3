"""What formatting finalises."""

import pytest

from ottla.cluster.metadata.bootstrap import bootstrap_records, levels_at
from ottla.errors import ConfigError
from ottla.protocol.features import FEATURES, LATEST, MINIMUM, MetadataVersion, default_level
from ottla.protocol.messages.metadata_records import FeatureLevelRecord


def said(levels: dict[str, int]) -> list[tuple[str, int]]:
    """The records of these levels."""
    messages = [record.message for record in bootstrap_records(levels)]
    return [(each.name, each.feature_level) for each in messages if isinstance(each, FeatureLevelRecord)]


@pytest.mark.parametrize("version", MetadataVersion, ids=lambda version: version.text)
def test_every_feature_gets_its_default(version: MetadataVersion) -> None:
    """The metadata version first, then by name what is not off; the quorum's own feature never."""
    expected = {name: default_level(name, version) for name in sorted(FEATURES) if name != "kraft.version"}
    assert said(levels_at(version)) == [("metadata.version", version), *((n, x) for n, x in expected.items() if x)]


def test_the_newest_and_the_oldest() -> None:
    """At 4.3-IV0 everything is on; at 3.3-IV3 there was nothing else."""
    assert said(levels_at(LATEST)) == [
        ("metadata.version", 30),
        ("eligible.leader.replicas.version", 1),
        ("group.version", 1),
        ("share.version", 1),
        ("streams.version", 1),
        ("transaction.version", 2),
    ]
    assert said(levels_at(MINIMUM)) == [("metadata.version", 7)]


def test_a_level_can_be_asked_for() -> None:
    """Lower or higher than the default; asking for `kraft.version` makes no record."""
    levels = levels_at(LATEST, {"transaction.version": 1, "share.version": 0, "kraft.version": 1})
    assert levels["kraft.version"] == 1
    assert ("transaction.version", 1) in said(levels)
    assert {"share.version", "kraft.version"}.isdisjoint(dict(said(levels)))


@pytest.mark.parametrize(
    ("requested", "why"),
    [
        ({"no.such.version": 1}, "no.such.version: no such feature; there are eligible"),
        ({"group.version": 2}, "group.version: level 2 is not among 0 to 1"),
        ({"group.version": -1}, "group.version: level -1 is not among 0 to 1"),
        ({"metadata.version": 30}, "metadata.version: the release version says it"),
        ({"eligible.leader.replicas.version": 1}, "level 1 needs metadata.version at level 23 or higher"),
    ],
)
def test_what_cannot_be_asked_for(requested: dict[str, int], why: str) -> None:
    """Unknown features, levels out of range, levels that need more than there is: the feature is named."""
    with pytest.raises(ConfigError, match=why):
        levels_at(MetadataVersion.IBP_4_0_IV0, requested)
