"""Settings that change while a broker runs."""

import pytest

from ottla.broker.settings.dynamic import DynamicSettings
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, MetadataImage, Provenance
from ottla.config.config import Config
from ottla.config.layers import BrokerLayers
from ottla.errors import ConfigError
from ottla.protocol.messages.metadata_records import ConfigRecord
from tests.unit.broker.handlers.circumstances import SETTINGS

BROKER = 4


class Broker:
    """Its settings, and what one of its parts was told."""

    def __init__(self) -> None:
        self.settings = DynamicSettings(BrokerLayers(SETTINGS), 1)
        self.told: list[Config] = []
        self.settings.add(self.told.append)
        self.image: MetadataImage = EMPTY

    def set(self, resource: str, name: str, value: str | None) -> None:
        """Somebody changes a setting."""
        delta = MetadataDelta(self.image)
        delta.replay(ConfigRecord(BROKER, resource, name, value))
        self.image = delta.apply(Provenance())
        self.settings(delta, self.image)


def test_layers_follow_the_metadata() -> None:
    """A broker goes by what is set for it, then by what is set for all, then by its file; parts are told each time."""
    broker = Broker()
    name = "log.retention.bytes"
    broker.set("", name, "100")
    assert broker.settings.config.integer(name) == 100
    broker.set("1", name, "200")
    assert broker.settings.config.integer(name) == 200
    broker.set("2", name, "300")
    assert [config.integer(name) for config in broker.told] == [100, 200]
    broker.set("1", name, None)
    broker.set("", name, None)
    assert [config.integer(name) for config in broker.told] == [100, 200, 100, -1]


def test_what_cannot_be_obeyed_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """A read-only setting in the metadata, or an invalid value, is a warning."""
    broker = Broker()
    broker.set("1", "node.id", "7")
    broker.set("1", "log.retention.bytes", "many")
    assert broker.settings.config.integer("node.id") == 1
    assert broker.settings.config.integer("log.retention.bytes") == -1
    assert caplog.text.count("a dynamic setting is not obeyed") >= 2


def test_a_part_that_was_made_without_settings_is_told_at_once() -> None:
    """Whoever does not know the settings yet gets them as they are."""
    broker = Broker()
    told: list[Config] = []
    broker.settings.add(told.append, begins_with_them=False)
    assert told == [broker.settings.config]


@pytest.mark.parametrize("count", ["4", "8", "16"])
def test_threads_may_be_doubled_or_halved(count: str) -> None:
    """num.io.threads is 8 by default."""
    Broker().settings.check({"num.io.threads": count}, per_broker=True)


@pytest.mark.parametrize("count", ["1", "3", "17", "100"])
def test_threads_may_not_be_changed_by_more(count: str) -> None:
    """A larger step is refused, as in Kafka."""
    with pytest.raises(ConfigError, match=r"num\.io\.threads"):
        Broker().settings.check({"num.io.threads": count}, per_broker=False)


def test_what_is_no_sound_node_is_refused() -> None:
    """A change is checked together with everything else that is set."""
    settings = Broker().settings
    with pytest.raises(ConfigError):
        settings.check({"node.id": "2"}, per_broker=True)
    with pytest.raises(ConfigError):
        settings.check({"listener.name.plaintext.ssl.keystore.location": "x"}, per_broker=False)
