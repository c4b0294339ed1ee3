"""Settings that have to fit together: topics, groups, subscriptions and clients, judged as Kafka judged them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ottla.config.config import Config
from ottla.config.layers import read_node
from ottla.config.rules.client_metrics import check_client_metrics
from ottla.config.rules.clients import check_admin, check_consumer, check_producer, check_share_consumer
from ottla.config.rules.groups import check_group, within_bounds
from ottla.config.rules.topics import check_topic
from ottla.config.tables.group import GROUP
from ottla.errors import ConfigError

GOLDEN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[3] / "golden/kafka-4.3/rules.json").read_text(encoding="utf-8")
)
NODE = {
    "process.roles": "broker",
    "node.id": "1",
    "controller.listener.names": "C",
    "controller.quorum.voters": "2@h:9093",
}
SERIALIZERS: dict[str, dict[str, object]] = {
    "producer": {"key.serializer": bytes, "value.serializer": bytes},
    "consumer": {"key.deserializer": bytes, "value.deserializer": bytes},
    "admin": {},
}


def broker(**settings: str) -> Config:
    """A sound broker with some settings changed; underscores stand for dots."""
    return read_node({**NODE, **{name.replace("_", "."): value for name, value in settings.items()}})


def is_expression(text: str) -> bool:
    """Whether a regular expression can be understood."""
    try:
        re.compile(text)
    except re.error:
        return False
    return True


def pairs(text: str) -> dict[str, str]:
    """`a=1;b=2` as a dict."""
    return dict(pair.split("=", 1) for pair in text.split(";") if pair)


def judge(case: str) -> dict[str, object]:
    """What follows from the settings of a case, or a `ConfigError`."""
    kind, _, rest = case.partition("|")
    texts, _, before = rest.partition("#")
    match kind:
        case "topic" | "tiered":
            node = broker(remote_log_storage_system_enable="true" if kind == "tiered" else "false")
            check_topic(pairs(texts), node, pairs(before))
        case "group":
            check_group(pairs(texts), broker())
        case "client-metrics":
            check_client_metrics(pairs(texts), is_expression)
        case "producer":
            producer = check_producer({"bootstrap.servers": "h:1", **SERIALIZERS[kind], **pairs(texts)})
            return {
                "acks": str(producer.acks),
                "enable.idempotence": producer.is_idempotent,
                "reconnect.backoff.max.ms": producer.reconnect_backoff_max_ms,
                "retry.backoff.max.ms": producer.config["retry.backoff.max.ms"],
            }
        case "consumer":
            consumer = check_consumer({"bootstrap.servers": "h:1", **SERIALIZERS[kind], **pairs(texts)})
            return {
                "enable.auto.commit": consumer.commits_by_itself,
                "reconnect.backoff.max.ms": consumer.reconnect_backoff_max_ms,
                "group.id": consumer.config["group.id"],
                "isolation.level": consumer.config["isolation.level"],
            }
        case "admin":
            admin = check_admin({"bootstrap.servers": "h:1", **pairs(texts)})
            return {"reconnect.backoff.max.ms": admin.reconnect_backoff_max_ms}
        case _:
            raise AssertionError(kind)
    return {}


# The producer itself, and not its configuration, checks this in Kafka, with the same outcome.
CHECKED_LATER_BY_KAFKA = {"producer|delivery.timeout.ms=30000"}


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: entry["case"])
def test_settings_are_refused_together_where_kafka_refuses_them(entry: dict[str, Any]) -> None:
    """Settings are refused exactly where Kafka refuses them, and what follows from them is what follows in Kafka."""
    if entry["case"] in CHECKED_LATER_BY_KAFKA:
        assert not entry["refused"]
        with pytest.raises(ConfigError, match=r"delivery\.timeout\.ms must not be less"):
            judge(entry["case"])
        return
    if entry["refused"]:
        with pytest.raises(ConfigError):
            judge(entry["case"])
    else:
        # Names of clients end in a counter of the process, which is no setting.
        kafkas = {name: value for name, value in entry["following"].items() if name != "client.id"}
        assert judge(entry["case"]) == kafkas


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("topic|retention=1", "Unknown topic config name: retention"),
        ("group|session=1", "Unknown group config name: session"),
        ("client-metrics|matches=1", "Unknown client metrics configuration: matches"),
        (
            "topic|min.compaction.lag.ms=6;max.compaction.lag.ms=5",
            "min.compaction.lag.ms (6) must not be more than max.compaction.lag.ms (5).",
        ),
        (
            "group|consumer.session.timeout.ms=70000",
            "consumer.session.timeout.ms must not be more than group.consumer.max.session.timeout.ms, which is 60000.",
        ),
        ("producer|acks=1;enable.idempotence=true", "acks has to be all with enable.idempotence."),
        (
            "consumer|group.id=g;group.protocol=consumer;session.timeout.ms=5",
            "session.timeout.ms cannot be set with the group.protocol consumer.",
        ),
        ("admin|retries=-1", "Invalid value -1 for configuration retries: Value must be at least 0"),
        (
            "client-metrics|interval.ms=1",
            "Invalid value 1 for configuration interval.ms: Value must be between 100 and 3600000",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong(case: str, message: str) -> None:
    """A refusal is a sentence that names the settings."""
    with pytest.raises(ConfigError) as refused:
        judge(case)
    assert str(refused.value) == message


def test_the_delivery_timeout_grows_with_its_parts() -> None:
    """A delivery timeout that nobody set is at least as long as waiting and one request."""
    given = {"bootstrap.servers": "h:1", **SERIALIZERS["producer"]}
    assert check_producer(given).delivery_timeout_ms == 120_000
    assert check_producer({**given, "linger.ms": 100_000}).delivery_timeout_ms == 130_000
    assert check_producer({**given, "linger.ms": 2**40}).delivery_timeout_ms == 2**31 - 1


def test_a_share_consumer_has_no_use_for_a_position() -> None:
    """Settings that a share group decides, or does not know, cannot be set by its consumers."""
    given = {"bootstrap.servers": "h:1", "group.id": "g", **SERIALIZERS["consumer"]}
    rules = check_share_consumer({**given, "share.acknowledgement.mode": "explicit"})
    assert (rules.group_protocol, rules.commits_by_itself) == ("share", False)
    with pytest.raises(ConfigError, match=r"auto\.offset\.reset cannot be set for a share consumer\."):
        check_share_consumer({**given, "auto.offset.reset": "earliest"})


def test_a_value_out_of_narrowed_bounds_counts_as_the_nearest() -> None:
    """A group's value that no longer fits the broker's bounds is obeyed as the nearest that does."""
    narrow = broker(group_consumer_max_session_timeout_ms="50000")
    session = GROUP["consumer.session.timeout.ms"]
    assert within_bounds(session, 60_000, narrow) == 50_000
    assert within_bounds(session, 1, narrow) == 45_000
    assert within_bounds(session, 47_000, narrow) == 47_000
    assert within_bounds(GROUP["streams.num.standby.replicas"], 9, narrow) == 2
    assert within_bounds(GROUP["streams.initial.rebalance.delay.ms"], 999_999, narrow) == 999_999
