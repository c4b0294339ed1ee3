"""Precedence and description: what is in force, where it comes from, and what else would have had a say.

The golden data are Kafka's own answers to DescribeConfigs, for settings in all layers, topics, groups and clients.
"""

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from ottla.config.describe import (
    Entry,
    Source,
    describe_broker,
    describe_client_metrics,
    describe_cluster,
    describe_group,
    describe_topic,
    group_config,
    topic_config,
)
from ottla.config.layers import BrokerLayers
from ottla.config.tables.broker import BROKER

GOLDEN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "golden/kafka-4.3/precedence.json").read_text(encoding="utf-8")
)
NODE = {
    "process.roles": "broker",
    "node.id": "1",
    "controller.listener.names": "C",
    "controller.quorum.voters": "2@localhost:9093",
    "listeners": "PLAINTEXT://localhost:9092",
    "listener.security.protocol.map": "C:PLAINTEXT,PLAINTEXT:PLAINTEXT",
}


def as_golden(entries: list[Entry]) -> list[dict[str, object]]:
    """Entries as the golden data write them."""
    return [
        {
            "name": entry.name,
            "value": entry.value,
            "source": int(entry.source),
            "readOnly": entry.is_read_only,
            "sensitive": entry.is_sensitive,
            "type": entry.type,
            "synonyms": [list(origin) for origin in entry.synonyms],
        }
        for entry in entries
    ]


def layers_of(case: dict[str, Any]) -> BrokerLayers:
    """A broker with the layers of a case."""
    layers = BrokerLayers({**NODE, **case["static"]})
    layers.set_cluster(case["clusterWide"])
    layers.set_broker(case["perBroker"])
    return layers


@pytest.mark.parametrize("number", range(len(GOLDEN)))
def test_every_description_is_kafkas(number: int) -> None:
    """Broker, cluster, topic, group and subscription are described as Kafka describes them."""
    case = GOLDEN[number]
    layers = layers_of(case)
    texts = case["entity"]
    describe: dict[str, Callable[[Collection[str]], list[Entry]]] = {
        "broker": lambda wanted: describe_broker(layers, wanted),
        "clusterDefault": lambda wanted: describe_cluster(layers, wanted),
        "topic": lambda wanted: describe_topic(layers, texts, wanted),
        "group": lambda wanted: describe_group(layers, texts, wanted),
        "clientMetrics": lambda wanted: describe_client_metrics(texts, wanted),
    }
    for what, of in describe.items():
        if case[what]:
            assert as_golden(of([entry["name"] for entry in case[what]])) == case[what], what


def test_num_io_threads_step_by_step() -> None:
    """8 by default, 10 in the file, 16 for the cluster, 32 on the broker; deleting falls back one step at a time."""

    def described(layers: BrokerLayers) -> tuple[str | None, list[tuple[str | None, Source]]]:
        (entry,) = describe_broker(layers, ["num.io.threads"])
        return entry.value, [(origin.value, origin.source) for origin in entry.synonyms]

    default = ("8", Source.DEFAULT_CONFIG)
    static = ("10", Source.STATIC_BROKER_CONFIG)
    cluster = ("16", Source.DYNAMIC_DEFAULT_BROKER_CONFIG)
    broker = ("32", Source.DYNAMIC_BROKER_CONFIG)
    layers = BrokerLayers({**NODE, "num.io.threads": "10"})
    layers.set_cluster({"num.io.threads": "16"})
    layers.set_broker({"num.io.threads": "32"})
    assert described(layers) == ("32", [broker, cluster, static, default])
    assert layers.config.integer("num.io.threads") == 32
    layers.set_broker({})
    assert described(layers) == ("16", [cluster, static, default])
    assert layers.config.integer("num.io.threads") == 16
    layers.set_cluster({})
    assert described(layers) == ("10", [static, default])
    assert layers.config.integer("num.io.threads") == 10
    assert described(BrokerLayers(NODE)) == ("8", [default])


def test_everything_is_described() -> None:
    """Without a choice, all settings are described that are not internal, with our own words about them."""
    entries = {entry.name: entry for entry in describe_broker(BrokerLayers(NODE))}
    assert entries.keys() == {name for name, setting in BROKER.items() if not setting.internal}
    assert all(entry.documentation == BROKER[name].doc for name, entry in entries.items())


def test_a_password_is_in_no_description() -> None:
    """Whatever is secret has no value, in no layer, and so does what nobody knows."""
    layers = BrokerLayers({**NODE, "ssl.keystore.password": "hunter2", "my.plugin.password": "hunter2"})
    layers.set_broker({"listener.name.x.ssl.keystore.password": "hunter2", "other.plugin.password": "hunter2"})
    for text in (repr(describe_broker(layers)), repr(layers), repr(layers.config), str(layers.config)):
        assert "hunter2" not in text


def test_a_topic_and_a_group_take_what_the_broker_says() -> None:
    """What a topic or group does not set, the broker's synonyms say in their own unit; its own value wins."""
    layers = BrokerLayers({**NODE, "log.retention.minutes": "7", "group.share.delivery.count.limit": "6"})
    assert topic_config(layers.config, {}).integer("retention.ms") == 420_000
    assert topic_config(layers.config, {"retention.ms": "5"}).integer("retention.ms") == 5
    assert group_config(layers.config, {}).integer("share.delivery.count.limit") == 6
    assert group_config(layers.config, {"share.delivery.count.limit": "7"}).integer("share.delivery.count.limit") == 7
