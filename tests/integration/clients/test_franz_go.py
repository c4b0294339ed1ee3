"""franz-go: produce in every codec, consume partitions at offsets, and administer as its command line does."""

import json
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.clients.packages import franz_go
from tests.integration.clients.records import CODECS, FAR_AHEAD, TIME, Record, read_by_librdkafka, records
from tests.integration.peer.server import CLUSTER_ID, Server

WITHIN_S = 60
NewTopic = Callable[..., str]


def text(value: bytes | None) -> str | None:
    """Bytes as JSON holds them."""
    return None if value is None else b64encode(value).decode()


def ask(broker: Server, **command: Any) -> dict[str, Any]:
    """What the program says."""
    done = subprocess.run(
        [str(franz_go())],
        input=json.dumps({"address": broker.address, **command}),
        capture_output=True,
        text=True,
        check=False,
        timeout=WITHIN_S,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def produce(broker: Server, topic: str, given: list[Record], codec: str = "none") -> dict[str, Any]:
    """Where records went."""
    sent = [
        {
            "key": text(each.key),
            "value": text(each.value),
            "timestamp": each.timestamp,
            "headers": [{"name": name, "value": text(value)} for name, value in each.headers],
        }
        for each in given
    ]
    return ask(broker, op="produce", topic=topic, codec=codec, records=sent)


def value(packed: str | None) -> bytes | None:
    """Bytes from JSON."""
    return None if packed is None else b64decode(packed)


@pytest.mark.parametrize("codec", CODECS)
def test_records_come_back(broker: Server, new_topic: NewTopic, codec: str) -> None:
    """What franz-go produces in a codec it consumes again, and so does librdkafka."""
    topic, given = new_topic(), records()
    assert produce(broker, topic, given, codec) == {"offsets": list(range(len(given)))}
    assert read_by_librdkafka(broker.address, topic, len(given)) == given
    answer = ask(broker, op="consume", topic=topic, offset=0, count=len(given))
    found = [
        Record(
            value(each["Key"]),
            value(each["Value"]),
            each["Timestamp"],
            tuple((header["Name"], value(header["Value"])) for header in each["Headers"] or ()),
        )
        for each in answer["records"]
    ]
    assert found == given


def test_what_a_broker_refuses(broker: Server, new_topic: NewTopic) -> None:
    """Too large, too far ahead, no such topic, no such offset: each has its own error."""
    small = new_topic(max_message_bytes="1000")
    assert produce(broker, small, [Record(None, bytes(2_000), TIME)])["error"] == "MESSAGE_TOO_LARGE"
    assert produce(broker, new_topic(), [Record(None, b"x", FAR_AHEAD)])["error"] == "INVALID_TIMESTAMP"
    assert produce(broker, "nowhere", [Record(None, b"x", TIME)])["error"] == "UNKNOWN_TOPIC_OR_PARTITION"
    assert ask(broker, op="consume", topic=small, offset=99, count=1)["error"] == "OFFSET_OUT_OF_RANGE"


def test_a_topic_from_birth_to_death(broker: Server) -> None:
    """franz-go's admin client creates a topic, grows it, sets and describes its settings, and deletes it."""
    answer = ask(broker, op="administer", topic="of-franz")
    assert answer == {"ends": {"0": 0, "1": 0, "2": 0}, "config": "5000", "cluster": CLUSTER_ID}
    assert "of-franz" not in broker.admin().list_topics(timeout=WITHIN_S).topics
