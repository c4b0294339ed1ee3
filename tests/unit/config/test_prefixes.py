"""Names that speak for other names: listeners' own settings, and finer ones that replace coarser ones."""

import pytest

from ottla.config.prefixes import base_name, listener_setting, names_asked, names_replaced


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("listener.name.external.ssl.keystore.location", "ssl.keystore.location"),
        ("listener.name.external.plain.sasl.jaas.config", "sasl.jaas.config"),
        ("listener.name.external.scram-sha-256.connections.max.reauth.ms", "connections.max.reauth.ms"),
        ("listener.name.external.plain.sasl.enabled.mechanisms", "plain.sasl.enabled.mechanisms"),
        ("listener.name.external", None),
        ("listeners", None),
    ],
)
def test_a_listeners_setting_is_for_another(name: str, base: str | None) -> None:
    """The prefix says the listener; a mechanism may stand before those settings that are a mechanism's."""
    assert base_name(name) == base


def test_the_name_of_a_listeners_setting_is_in_small_letters() -> None:
    """Listener and mechanism are written in small letters in front of the setting."""
    assert listener_setting("sasl.jaas.config", "EXTERNAL", "PLAIN") == "listener.name.external.plain.sasl.jaas.config"
    assert listener_setting("max.connections", "EXTERNAL") == "listener.name.external.max.connections"


def test_the_finest_unit_is_asked_first() -> None:
    """Retention is asked in ms, then minutes, then hours; flushing asks its scheduler, but not the other way round."""
    assert names_asked("log.retention.hours") == ("log.retention.ms", "log.retention.minutes", "log.retention.hours")
    assert names_asked("log.flush.interval.ms") == ("log.flush.interval.ms", "log.flush.scheduler.interval.ms")
    assert names_asked("log.flush.scheduler.interval.ms") == ("log.flush.scheduler.interval.ms",)
    assert names_asked("num.io.threads") == ("num.io.threads",)
    assert names_asked("listener.name.x.max.connections") == ("listener.name.x.max.connections", "max.connections")
    assert names_replaced("log.roll.ms") == ("log.roll.ms", "log.roll.hours")
    assert names_replaced("listener.name.x.max.connections") == ("listener.name.x.max.connections",)
