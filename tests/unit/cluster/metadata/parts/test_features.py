"""Finalised features."""

import pytest

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY
from ottla.errors import DamagedMetadata
from ottla.protocol.features import LATEST, MetadataVersion
from ottla.protocol.messages.metadata_records import FeatureLevelRecord
from tests.unit.cluster.metadata.histories import replayed

IMAGE = replayed([FeatureLevelRecord("metadata.version", LATEST), FeatureLevelRecord("group.version", 1)])


def test_levels() -> None:
    """Finalised ones are there, level 0 is as good as never; even a feature that we do not know is kept."""
    assert [IMAGE.features.level(name) for name in ("metadata.version", "group.version", "x")] == [30, 1, 0]
    after = replayed([FeatureLevelRecord("group.version", 0), FeatureLevelRecord("x", 3)], IMAGE)
    assert after.features.levels == {"x": 3}
    assert EMPTY.features.level("metadata.version") == 0


def test_a_delta_says_whether_the_metadata_version_changed() -> None:
    """Also back to an older one; finalising the same again is no change."""
    delta = MetadataDelta(IMAGE)
    delta.replay(FeatureLevelRecord("metadata.version", LATEST))
    assert not delta.features
    delta.replay(FeatureLevelRecord("metadata.version", 29))
    assert delta.features.metadata_version_changed
    assert delta.apply(IMAGE.provenance).features.metadata_version is MetadataVersion.IBP_4_2_IV1


def test_the_quorums_own_feature_is_not_the_metadatas() -> None:
    """`kraft.version` is told by control records; a record of it says nothing."""
    assert replayed([FeatureLevelRecord("kraft.version", 1)]) == EMPTY


@pytest.mark.parametrize("level", [-1, 0, 6, 31])
def test_a_metadata_version_that_we_do_not_run(level: int) -> None:
    """Nothing behind it could be read, so it is damage."""
    with pytest.raises(DamagedMetadata, match=r"levels 7 to 30 here: FeatureLevelRecord\(name='metadata.version'"):
        MetadataDelta(IMAGE).replay(FeatureLevelRecord("metadata.version", level))


def test_the_metadata_version_is_the_first_record() -> None:
    """It says what the others can be; they follow by name."""
    records = [record.message for record in replayed([FeatureLevelRecord("a", 1)], IMAGE).records()]
    assert [(each.name, each.feature_level) for each in records if isinstance(each, FeatureLevelRecord)] == [
        ("metadata.version", 30),
        ("a", 1),
        ("group.version", 1),
    ]
