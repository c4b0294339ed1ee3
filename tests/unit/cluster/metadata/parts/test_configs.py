"""Settings: set, reset, passed over, taken along."""

import pytest

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY
from ottla.cluster.metadata.parts.configs import ConfigResource, ConfigResourceType
from ottla.protocol.messages.metadata_records import ConfigRecord
from tests.unit.cluster.metadata.histories import replayed

SET = ConfigRecord(2, "topic", "retention.ms", "5")


def test_a_setting_is_set_and_reset() -> None:
    """The newest value counts, an empty one is a value, a null resets; without settings a resource is gone."""
    image = replayed(
        [SET, ConfigRecord(2, "topic", "segment.bytes", ""), ConfigRecord(2, "topic", "retention.ms", "6")]
    )
    assert image.configs.of(2, "topic") == {"segment.bytes": "", "retention.ms": "6"}
    assert image.configs.of(2, "other") == {}
    reset = [ConfigRecord(2, "topic", name, None) for name in ("segment.bytes", "retention.ms", "index.interval.bytes")]
    assert replayed(reset[:1], image).configs.of(2, "topic") == {"retention.ms": "6"}
    assert replayed(reset, image) == EMPTY


def test_a_delta_names_the_resources() -> None:
    """With their settings as they are now, or None where none are left; what was set already is no change."""
    base = replayed([SET, ConfigRecord(4, "", "message.max.bytes", "1")])
    delta = MetadataDelta(base)
    for record in (SET, ConfigRecord(4, "", "message.max.bytes", None), ConfigRecord(4, "1", "a.plugins.name", "x")):
        delta.replay(record)
    assert delta.configs.resources.changes == {
        ConfigResource(ConfigResourceType.BROKER, ""): None,
        ConfigResource(ConfigResourceType.BROKER, "1"): {"a.plugins.name": "x"},
    }


@pytest.mark.parametrize(
    ("resource_type", "known"),
    [(2, "retention.ms"), (4, "anything.at.all"), (16, "interval.ms"), (32, "consumer.session.timeout.ms")],
)
def test_settings_of_other_releases_are_passed_over(resource_type: int, known: str) -> None:
    """A name that this release does not have for a type, and a type that it does not have, leave no trace."""
    assert replayed([ConfigRecord(resource_type, "r", known, "1")]).configs.of(resource_type, "r") == {known: "1"}
    if resource_type != ConfigResourceType.BROKER:
        assert replayed([ConfigRecord(resource_type, "r", "message.format.version", "3.0")]) == EMPTY
    assert replayed([ConfigRecord(resource_type + 1, "r", known, "1")]) == EMPTY
