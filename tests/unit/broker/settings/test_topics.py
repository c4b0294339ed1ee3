"""What the partitions of a topic go by."""

from ottla.broker.settings.topics import MAX_KINDS, TopicSettings
from ottla.config.layers import BrokerLayers
from tests.unit.broker.handlers.circumstances import SETTINGS


def test_a_topics_own_settings_come_first() -> None:
    """Then the broker's that are in force now; topics that are set alike share what follows."""
    layers = BrokerLayers(SETTINGS)
    texts = {"own": {"retention.bytes": "5", "min.insync.replicas": "2"}}
    settings = TopicSettings(lambda: layers.config, lambda topic: texts.get(topic, {}))
    assert (settings.of("own").log.retention_bytes, settings.of("own").min_isr) == (5, 2)
    assert (settings.of("a").log.retention_bytes, settings.of("a").min_isr) == (None, 1)
    assert settings.of("a").log is settings.of("b").log
    layers.set_cluster({"log.retention.bytes": "7", "min.insync.replicas": "3"})
    assert (settings.of("own").log.retention_bytes, settings.of("own").min_isr) == (5, 2)
    assert (settings.of("a").log.retention_bytes, settings.of("a").min_isr) == (7, 3)
    texts["a"] = {"retention.bytes": "9"}
    assert settings.of("a").log.retention_bytes == 9


def test_only_some_kinds_are_kept() -> None:
    """A cluster whose topics all differ does not make a broker keep more and more."""
    layers = BrokerLayers(SETTINGS)
    settings = TopicSettings(lambda: layers.config, lambda topic: {"retention.bytes": topic})
    for number in range(2 * MAX_KINDS):
        assert settings.of(str(number)).log.retention_bytes == number
    assert len(settings._kinds) <= MAX_KINDS + 1
