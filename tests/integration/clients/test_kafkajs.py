"""kafkajs: produces in the codecs that it has, and describes what it produced to."""

import json
import os
import subprocess
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.clients.packages import HERE, kafkajs
from tests.integration.clients.records import FAR_AHEAD, TIME, Record, read_by_librdkafka, records
from tests.integration.peer.programs import program
from tests.integration.peer.server import CLUSTER_ID, Server

WITHIN_S = 60
NewTopic = Callable[..., str]


def text(value: bytes | None) -> str | None:
    """Bytes as JSON holds them."""
    return None if value is None else b64encode(value).decode()


def produce(broker: Server, topic: str, given: list[Record], codec: str = "none", *, idempotent: bool = False) -> Any:
    """What kafkajs says."""
    sent = [
        {
            "key": text(each.key),
            "value": text(each.value),
            "timestamp": each.timestamp,
            "headers": [(name, text(value)) for name, value in each.headers],
        }
        for each in given
    ]
    command = {"address": broker.address, "topic": topic, "codec": codec, "records": sent, "idempotent": idempotent}
    done = subprocess.run(
        [program("node"), str(HERE / "kafkajs_client.js")],
        input=json.dumps(command),
        capture_output=True,
        text=True,
        check=False,
        timeout=WITHIN_S,
        env=os.environ | {"NODE_PATH": str(kafkajs() / "node_modules"), "KAFKAJS_NO_PARTITIONER_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def unique_headers() -> list[Record]:
    """The records as kafkajs can write them: a header's name stands once."""
    return [
        Record(each.key, each.value, each.timestamp, tuple(dict(each.headers).items()))
        for each in records(null_headers=False)
    ]


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4"])
def test_records_come_back(broker: Server, new_topic: NewTopic, codec: str) -> None:
    """What kafkajs produces in a codec librdkafka consumes, and kafkajs finds the offsets moved."""
    topic, given = new_topic(), unique_headers()
    answer = produce(broker, topic, given, codec)
    assert [(each["errorCode"], each["baseOffset"]) for each in answer["sent"]] == [(0, "0")]
    assert answer["offsets"] == [{"partition": 0, "offset": "308", "high": "308", "low": "0"}]
    assert answer["cluster"]["clusterId"] == CLUSTER_ID
    assert read_by_librdkafka(broker.address, topic, len(given)) == given


def test_an_idempotent_producer(broker: Server, new_topic: NewTopic) -> None:
    """kafkajs gets a producer id, and its records are there."""
    topic, given = new_topic(), unique_headers()
    assert "error" not in produce(broker, topic, given, idempotent=True)
    assert read_by_librdkafka(broker.address, topic, len(given)) == given


def test_what_a_broker_refuses(broker: Server, new_topic: NewTopic) -> None:
    """Too large, too far ahead, no such topic: each has its own error."""
    small = new_topic(max_message_bytes="1000")
    assert produce(broker, small, [Record(None, bytes(2_000), TIME)])["error"] == "MESSAGE_TOO_LARGE"
    assert produce(broker, new_topic(), [Record(None, b"x", FAR_AHEAD)])["error"] == "INVALID_TIMESTAMP"
    assert produce(broker, "nowhere", [Record(None, b"x", TIME)])["error"] == "UNKNOWN_TOPIC_OR_PARTITION"
