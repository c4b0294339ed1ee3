"""A parsed set of settings: typed access, warnings, listeners' own values, settings that are gone."""

import pickle
import traceback

import pytest

from ottla.config.config import Config
from ottla.config.layers import read_node
from ottla.config.password import Password
from ottla.config.tables.client.producer import PRODUCER
from ottla.errors import ConfigError

NODE = {
    "process.roles": "broker",
    "node.id": "1",
    "controller.listener.names": "C",
    "controller.quorum.voters": "2@localhost:9093",
}
GIVEN: dict[str, object] = {"bootstrap.servers": "a:1,b:2", "key.serializer": str, "value.serializer": "my.Serializer"}


def test_a_value_has_the_type_of_its_setting() -> None:
    """Each kind of value has a getter that answers in its type; what is not given has its default."""
    config = Config(PRODUCER, {**GIVEN, "linger.ms": " 7 ", "ssl.key.password": "p", "transactional.id": None})
    assert config.words("bootstrap.servers") == ("a:1", "b:2")
    assert config.integer("linger.ms") == 7
    assert config.boolean("enable.idempotence") is True
    assert config.double("sasl.kerberos.ticket.renew.jitter") == 0.05
    assert config.text("acks") == "all"
    assert config.optional_text("transactional.id") is None
    assert config.optional_integer("sasl.login.read.timeout.ms") is None
    assert config.password("ssl.key.password") == Password("p")
    assert config.password("ssl.keystore.password") is None
    assert config["key.serializer"] is str
    assert config.given == {*GIVEN, "linger.ms", "ssl.key.password", "transactional.id"}
    assert "linger.ms" in config
    assert list(config) == sorted(PRODUCER)


def test_an_unknown_setting_is_warned_about_once() -> None:
    """A name that nobody knows is no error; its warning asks whether a similar one was meant."""
    config = Config(
        PRODUCER, {**GIVEN, "compresion.type": "zstd", "entirely.mine": "1", "config.providers.x.class": "C"}
    )
    assert config.unknown == ("compresion.type", "entirely.mine")
    assert config.warnings == (
        "Unknown setting compresion.type. Did you mean compression.type?",
        "Unknown setting entirely.mine.",
    )


def test_a_list_with_repetitions_is_warned_about() -> None:
    """What a list names twice counts once."""
    config = Config(PRODUCER, {**GIVEN, "bootstrap.servers": "a:1, b:2,a:1"})
    assert config.words("bootstrap.servers") == ("a:1", "b:2")
    assert config.warnings == ("bootstrap.servers names something twice, which counts once.",)


def test_what_is_shown_hides_secrets() -> None:
    """The text of a configuration shows what was given, with units, and neither passwords nor what nobody knows."""
    config = Config(PRODUCER, {**GIVEN, "ssl.key.password": "hunter2", "linger.ms": 60_000, "mine": "hunter2"})
    assert repr(config) == (
        "Config(bootstrap.servers=a:1,b:2, key.serializer=builtins.str, linger.ms=60000 (1 minute), "
        "ssl.key.password=[hidden], value.serializer=my.Serializer, mine=[hidden])"
    )


def test_a_listener_may_have_its_own_value() -> None:
    """The most special value counts: of a mechanism of a listener, of the listener, of the node."""
    config = read_node(
        {
            **NODE,
            "connections.max.reauth.ms": "1",
            "listener.name.external.connections.max.reauth.ms": "2",
            "listener.name.external.plain.connections.max.reauth.ms": "3",
            "listener.name.external.scram-sha-256.sasl.jaas.config": "secret",
        }
    )
    name = "connections.max.reauth.ms"
    assert config.for_listener(name, "INTERNAL") == 1
    assert config.for_listener(name, "EXTERNAL") == 2
    assert config.for_listener(name, "EXTERNAL", "SCRAM-SHA-256") == 2
    assert config.for_listener(name, "EXTERNAL", "PLAIN") == 3
    assert config.for_listener("sasl.jaas.config", "external", "SCRAM-SHA-256") == Password("secret")
    assert config.warnings == ()


def test_an_invalid_value_of_a_listener_names_the_whole_setting() -> None:
    """The error of a listener's setting has the name that was given, prefix included."""
    with pytest.raises(ConfigError) as refused:
        read_node({**NODE, "listener.name.external.max.connections": "-1"})
    assert str(refused.value) == (
        "Invalid value -1 for configuration listener.name.external.max.connections: Value must be at least 0"
    )


@pytest.mark.parametrize(
    ("name", "successor"),
    [
        ("zookeeper.connect", "controller.quorum.bootstrap.servers"),
        ("zookeeper.session.timeout.ms", "process.roles"),
        ("zookeeper.metadata.migration.enable", "controller.quorum.voters"),
        ("control.plane.listener.name", "controller.listener.names"),
        ("delegation.token.master.key", "delegation.token.secret.key"),
        ("advertised.host.name", "advertised.listeners"),
        ("port", "listeners"),
    ],
)
def test_a_setting_that_somebody_relies_on_is_refused_when_it_is_gone(name: str, successor: str) -> None:
    """A node does not start on a misunderstanding, and the refusal names what replaced the setting, not its value."""
    with pytest.raises(ConfigError) as refused:
        read_node({**NODE, name: "hunter2"})
    assert str(refused.value).startswith(f"{name} is gone: ")
    assert successor in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_setting_that_is_gone_without_loss_is_ignored() -> None:
    """What does nothing any more, or soon, is warned about with its successor."""
    config = read_node({**NODE, "inter.broker.protocol.version": "3.9", "log.cleaner.enable": "true"})
    assert config.unknown == ()
    assert config.warnings == (
        (
            "inter.broker.protocol.version is gone and ignored: the feature metadata.version took its place, which "
            "`kafka-features` shows and upgrades."
        ),
        "log.cleaner.enable is deprecated: without the cleaner, compacted topics grow for ever.",
    )


def test_settings_of_plugins_are_not_unknown() -> None:
    """What begins with a plugin's prefix is handed on, and the prefixes themselves are settings."""
    config = read_node(
        {
            **NODE,
            "rlmm.config.remote.log.metadata.topic.num.partitions": "5",
            "remote.log.storage.manager.impl.prefix": "mine.",
            "mine.bucket": "b",
            "rsm.config.bucket": "b",
        }
    )
    assert config.unknown == ("rsm.config.bucket",)


def test_no_error_or_trace_shows_a_password() -> None:
    """Neither the error of another setting, nor its pickle, nor its trace has a password that stood beside it."""
    settings = {**NODE, "ssl.key.password": "hunter2", "num.io.threads": "many"}
    with pytest.raises(ConfigError) as refused:
        read_node(settings)
    trace = "".join(traceback.format_exception(refused.value))
    for text in (str(refused.value), repr(refused.value), trace, repr(pickle.dumps(refused.value))):
        assert "hunter2" not in text
    assert "num.io.threads" in trace
