"""The layers of a broker against a model: a dict a layer, the uppermost that has the setting wins."""

from hypothesis import given
from hypothesis import strategies as st

from ottla.config.describe import Source, describe_broker
from ottla.config.layers import BrokerLayers

NODE = {
    "process.roles": "broker",
    "node.id": "1",
    "controller.listener.names": "C",
    "controller.quorum.voters": "2@localhost:9093",
}
DEFAULTS = {"num.io.threads": 8, "num.network.threads": 3, "background.threads": 10, "message.max.bytes": 1_048_588}
TEXTS = st.dictionaries(st.sampled_from(sorted(DEFAULTS)), st.integers(1, 99).map(str))
STEPS = st.lists(st.tuples(st.sampled_from(["cluster", "broker"]), TEXTS), max_size=6)


@given(TEXTS, STEPS)
def test_the_uppermost_layer_that_has_a_setting_wins(
    static: dict[str, str], steps: list[tuple[str, dict[str, str]]]
) -> None:
    """After any changes the value in force is the broker's, else the cluster's, else the static, else the default.

    The description names exactly the layers that have the setting, uppermost first.
    """
    layers = BrokerLayers({**NODE, **static})
    model: dict[str, dict[str, str]] = {"cluster": {}, "broker": {}}
    for layer, texts in steps:
        model[layer] = texts
        assert (layers.set_cluster if layer == "cluster" else layers.set_broker)(texts) == ()
    described = {entry.name: entry for entry in describe_broker(layers, DEFAULTS)}
    for name, default in DEFAULTS.items():
        expected = [
            (texts[name], source)
            for texts, source in (
                (model["broker"], Source.DYNAMIC_BROKER_CONFIG),
                (model["cluster"], Source.DYNAMIC_DEFAULT_BROKER_CONFIG),
                (static, Source.STATIC_BROKER_CONFIG),
            )
            if name in texts
        ] + [(str(default), Source.DEFAULT_CONFIG)]
        assert [(origin.value, origin.source) for origin in described[name].synonyms] == expected
        assert described[name].value == expected[0][0]
        assert layers.config.integer(name) == int(expected[0][0])


@given(TEXTS, TEXTS, TEXTS)
def test_what_is_in_force_depends_on_the_layers_and_not_on_their_history(
    static: dict[str, str], first: dict[str, str], second: dict[str, str]
) -> None:
    """Setting and deleting leaves no trace: the same layers are the same configuration."""
    travelled = BrokerLayers({**NODE, **static})
    travelled.set_broker(first)
    travelled.set_cluster(first)
    travelled.set_broker({})
    travelled.set_cluster(second)
    direct = BrokerLayers({**NODE, **static})
    direct.set_cluster(second)
    assert describe_broker(travelled) == describe_broker(direct)
    assert travelled.in_force == direct.in_force
