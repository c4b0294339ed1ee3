"""The layers of a broker's settings: what is obeyed, what may be changed, what stays when something is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from ottla.config.layers import BY_LISTENER_ONLY, DYNAMIC, BrokerLayers, is_per_broker
from ottla.config.setting import READ_ONLY
from ottla.config.tables.broker import BROKER
from ottla.errors import ConfigError

SETS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden/kafka-4.3/configs.json").read_text(encoding="utf-8")
)["broker-dynamics"]
NODE = {
    "process.roles": "broker",
    "node.id": "1",
    "controller.listener.names": "C",
    "controller.quorum.voters": "2@localhost:9093",
}


def test_the_sets_of_dynamic_settings_are_kafkas() -> None:
    """Which settings may be dynamic, for a broker only, by listener only: exactly as in Kafka."""
    assert DYNAMIC.keys() == set(SETS["all"])
    assert {name for name, setting in BROKER.items() if setting.dynamic is READ_ONLY} == set(SETS["nonDynamic"])
    assert set(SETS["security"]) == BY_LISTENER_ONLY
    assert {name for name in BROKER if is_per_broker(name)} == set(SETS["perBroker"]) & set(SETS["all"])
    listeners_own = {name for name in BROKER if not is_per_broker(f"listener.name.x.{name}")}
    assert listeners_own == set(SETS["clusterLevelListener"])


def test_what_must_not_be_obeyed_is_left_out_with_a_warning() -> None:
    """A layer out of the metadata log may hold anything: read-only, invalid, another's. The rest of it counts."""
    layers = BrokerLayers(NODE)
    warnings = layers.set_cluster(
        {
            "num.io.threads": "5",
            "log.dirs": "/q",
            "log.cleaner.threads": "x",
            "listeners": "PLAINTEXT://q:1",
            "mine": "1",
        }
    )
    assert layers.cluster == {"num.io.threads": "5", "mine": "1"}
    assert warnings == (
        (
            "log.cleaner.threads is left out: Invalid value x for configuration log.cleaner.threads: "
            "Not a number of type INT"
        ),
        "log.dirs is left out. Cannot be changed while a broker runs.",
        "listeners is left out. Can be set for one broker only.",
    )
    assert layers.config.integer("num.io.threads") == 5


def test_an_unsound_mixture_leaves_in_force_what_was() -> None:
    """Layers that are no sound node together are kept, and what was in force stays so until they are sound again."""
    layers = BrokerLayers(NODE)
    layers.set_cluster({"num.io.threads": "5"})
    warnings = layers.set_cluster({"num.io.threads": "6", "log.retention.ms": "0"})
    assert len(warnings) == 1
    assert "log.retention.ms" in warnings[0]
    assert layers.config.integer("num.io.threads") == 5
    assert layers.cluster == {"num.io.threads": "6", "log.retention.ms": "0"}
    assert layers.set_cluster({"num.io.threads": "6"}) == ()
    assert layers.config.integer("num.io.threads") == 6


def test_a_dynamic_finer_setting_puts_static_coarser_ones_out_of_force() -> None:
    """With `log.retention.ms` set dynamically the static minutes do not count; deleting it brings them back."""
    layers = BrokerLayers({**NODE, "log.retention.minutes": "7"})
    layers.set_broker({"log.retention.ms": "5000"})
    assert layers.config.optional_integer("log.retention.minutes") is None
    layers.set_broker({})
    assert layers.config.optional_integer("log.retention.minutes") == 7


@pytest.mark.parametrize(
    ("change", "per_broker", "message"),
    [
        ({"log.dirs": "/q"}, True, "Cannot be changed while a broker runs: log.dirs."),
        (
            {"ssl.keystore.location": "/k"},
            True,
            (
                "Can be changed while a broker runs for one listener only, by the prefix listener.name.NAME: "
                "ssl.keystore.location."
            ),
        ),
        ({"listeners": "PLAINTEXT://:1"}, False, "Can be set for one broker only: listeners."),
        (
            {"listener.name.x.ssl.keystore.location": "/k"},
            False,
            "Can be set for one broker only: listener.name.x.ssl.keystore.location.",
        ),
        (
            {"num.io.threads": "0"},
            False,
            "Invalid value 0 for configuration num.io.threads: Value must be at least 1",
        ),
        (
            {"log.retention.ms": "0"},
            False,
            "log.retention.ms (or .minutes, or .hours) has to be at least 1; -1 keeps records for ever.",
        ),
    ],
)
def test_a_change_that_must_not_be_is_refused(change: dict[str, str], per_broker: bool, message: str) -> None:
    """What a broker would not obey is refused when somebody asks for it, and the refusal names the settings."""
    layers = BrokerLayers(NODE)
    with pytest.raises(ConfigError) as refused:
        layers.check_change(change, per_broker=per_broker)
    assert str(refused.value) == message
    assert layers.cluster == layers.broker == {}


def test_a_change_that_may_be_is_accepted() -> None:
    """Dynamic settings, a listener's own ones, throttles and what nobody knows may be set."""
    layers = BrokerLayers(NODE)
    layers.check_change(
        {"num.io.threads": "9", "leader.replication.throttled.rate": "5", "mine": "1"}, per_broker=False
    )
    layers.check_change({"listener.name.x.ssl.keystore.password": "p"}, per_broker=True)
    layers.check_change({"listener.name.x.max.connections": "7"}, per_broker=False)


def test_node_id_and_broker_id_speak_for_each_other() -> None:
    """Whoever sets one of the two has set both."""
    for name in ("node.id", "broker.id"):
        static = {key: value for key, value in NODE.items() if key != "node.id"} | {name: "7"}
        config = BrokerLayers(static).config
        assert config.integer("node.id") == config.integer("broker.id") == 7
