"""Which nodes are refused: 246 sets of static settings, judged as Kafka judged them.

Two differences are meant. Kafka ignores `zookeeper.*`, we refuse it, since whoever still sets it expects something. And
Kafka refuses a `principal.builder.class` that lacks a Java interface; whether a class fits is not a matter of settings.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from ottla.config.layers import read_node
from ottla.config.rules.startup import connection_overrides, log_dirs, log_retention_ms, warnings_about_node
from ottla.errors import ConfigError

GOLDEN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[3] / "golden/kafka-4.3/startups.json").read_text(encoding="utf-8")
)
JUDGED_OTHERWISE = {"broker|zookeeper.connect=h:2181", "broker|principal.builder.class=java.lang.String"}
# Refusals that Kafka words without any setting's name, or that fall out of its code by accident.
NAMES_NO_SETTING = {
    "broker|log.cleaner.threads=0": "log.cleaner.threads",
    "broker|max.connections.per.ip.overrides=h:x": "max.connections.per.ip.overrides",
    "broker|group.coordinator.rebalance.protocols=consumer": "group.coordinator.rebalance.protocols",
    "broker|group.consumer.assignors=bogus": "group.consumer.assignors",
    "broker|group.share.assignors=bogus": "group.share.assignors",
    "broker|group.share.assignors=simple,simple2": "group.share.assignors",
    "broker|offsets.topic.compression.codec=9": "offsets.topic.compression.codec",
    "broker|share.coordinator.state.topic.compression.codec=9": "share.coordinator.state.topic.compression.codec",
}

BROKER = GOLDEN[0]["settings"]
CONTROLLER = GOLDEN[1]["settings"]


def refusal(settings: dict[str, str]) -> str | None:
    """Why a node is refused, or None."""
    try:
        read_node(settings)
    except ConfigError as error:
        return str(error)
    return None


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: entry["case"])
def test_a_node_is_refused_where_kafka_refuses_it(entry: dict[str, Any]) -> None:
    """A set of settings is refused exactly where Kafka refuses it, and the refusal names a setting that Kafka names."""
    ours = refusal(entry["settings"])
    if entry["case"] in JUDGED_OTHERWISE:
        assert (ours is None) != (entry["refused"] is None)
        return
    assert (ours is None) == (entry["refused"] is None), ours
    if ours is not None:
        named = entry["refused"] or [NAMES_NO_SETTING[entry["case"]]]
        assert any(name in ours for name in named), (ours, named)


def test_every_base_node_is_sound() -> None:
    """The three nodes that the cases are changes of are accepted as they are."""
    assert [entry["refused"] for entry in GOLDEN[:3]] == [None, None, None]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"controller.quorum.voters": "1@h:9093"},
            "process.roles says that node 1 is no controller, and controller.quorum.voters has it.",
        ),
        (
            {"listeners": "PLAINTEXT://h:1,E://h:1"},
            "listeners has port 1 for PLAINTEXT, E. Only an IPv4 and an IPv6 address may share a port.",
        ),
        (
            {"group.consumer.heartbeat.interval.ms": "20000"},
            (
                "group.consumer.heartbeat.interval.ms must not be more than group.consumer.max.heartbeat.interval.ms, "
                "which is 15000."
            ),
        ),
        ({"group.share.assignors": "my.Assignor,my.Other"}, "group.share.assignors has to name exactly one."),
        (
            {"queued.max.request.bytes": "5"},
            "queued.max.request.bytes must not be smaller than socket.request.max.bytes.",
        ),
        (
            {"process.roles": ""},
            "Configuration 'process.roles' must not be empty. Valid values include: [broker, controller]",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong(settings: dict[str, str], message: str) -> None:
    """A refusal is a sentence with the names and the numbers in it."""
    assert refusal({**BROKER, **settings}) == message


def test_a_missing_setting_is_named() -> None:
    """A setting without default has to be set."""
    without = {name: value for name, value in BROKER.items() if name != "process.roles"}
    assert refusal(without) == 'Missing required configuration "process.roles" which has no default value.'


@pytest.mark.parametrize(
    ("settings", "retention_ms"),
    [
        ({}, 604_800_000),
        ({"log.retention.hours": "5"}, 18_000_000),
        ({"log.retention.hours": "5", "log.retention.minutes": "7"}, 420_000),
        ({"log.retention.minutes": "7", "log.retention.ms": "8"}, 8),
        ({"log.retention.hours": "-5"}, -1),
        ({"log.retention.ms": "-1"}, -1),
    ],
)
def test_the_finest_retention_wins(settings: dict[str, str], retention_ms: int) -> None:
    """Of the three retention times the finest that is set counts, and anything below zero is for ever."""
    assert log_retention_ms(read_node({**BROKER, **settings})) == retention_ms


def test_log_dirs_come_before_log_dir() -> None:
    """`log.dir` is for whoever does not set `log.dirs`."""
    assert log_dirs(read_node(BROKER)) == ("/tmp/kafka-logs",)
    assert log_dirs(read_node({**BROKER, "log.dir": "/a"})) == ("/a",)
    assert log_dirs(read_node({**BROKER, "log.dir": "/a", "log.dirs": "/b,/c"})) == ("/b", "/c")


def test_connection_overrides_are_hosts_with_counts() -> None:
    """Each entry is a host and a number; the last colon separates, since addresses may have colons."""
    config = read_node({**BROKER, "max.connections.per.ip.overrides": "h:1, 127.0.0.1:2 ,::1:3"})
    assert connection_overrides(config) == {"h": 1, "127.0.0.1": 2, "::1": 3}


def test_what_is_odd_is_a_warning() -> None:
    """Several controllers' listeners on a broker, and logs without a bound, are warned about."""
    config = read_node(
        {
            **BROKER,
            "controller.listener.names": "C,E",
            "log.retention.ms": "-1",
        }
    )
    assert warnings_about_node(config) == (
        "A broker uses the first of controller.listener.names only, which is C.",
        "Neither log.retention.ms nor log.retention.bytes has a bound: logs grow until the disk is full.",
    )
    assert warnings_about_node(read_node(CONTROLLER)) == ()
