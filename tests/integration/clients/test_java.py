"""Apache Kafka's own Java clients: produce in every codec, consume by `assign` and `seek`."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.clients.records import CODECS, FAR_AHEAD, TIME, Record, read_by_librdkafka, records
from tests.integration.peer.agent import Agent
from tests.integration.peer.server import Server

NewTopic = Callable[..., str]


def write(agent: Agent, broker: Server, topic: str, given: list[Record], **settings: Any) -> list[dict[str, Any]]:
    """What became of each record."""
    dotted = {name.replace("_", "."): value for name, value in settings.items()}
    return agent.produce(broker.settings(**dotted), [each.fields(topic) for each in given])


def consumer(broker: Server, **settings: Any) -> dict[str, Any]:
    """Settings of one without a group."""
    return broker.settings(**{"enable.auto.commit": False, "auto.offset.reset": "none", **settings})


@pytest.mark.parametrize("codec", CODECS)
def test_records_come_back(agent: Agent, broker: Server, new_topic: NewTopic, codec: str) -> None:
    """What Java produces in a codec it consumes again, and so does librdkafka."""
    topic, given = new_topic(), records()
    sent = write(agent, broker, topic, given, compression_type=codec, linger_ms=20)
    assert [(each["offset"], each["timestamp"]) for each in sent] == [
        (at, each.timestamp) for at, each in enumerate(given)
    ]
    assert read_by_librdkafka(broker.address, topic, len(given)) == given
    answer = agent.consume(consumer(broker), topic, 0, 0, len(given))
    assert "error" not in answer, answer["message"]
    assert [
        Record(each["key"], each["value"], each["timestamp"], tuple(each["headers"])) for each in answer["records"]
    ] == given
    assert (answer["beginning"], answer["end"], answer["position"]) == (0, len(given), len(given))


@pytest.mark.parametrize("writer", CODECS)
def test_a_topic_with_a_codec_of_its_own(agent: Agent, broker: Server, new_topic: NewTopic, writer: str) -> None:
    """A topic with a compression.type is given in it whatever the producer had chosen, and records are the same."""
    topic, given = new_topic(compression_type="zstd"), records()
    write(agent, broker, topic, given, compression_type=writer)
    assert read_by_librdkafka(broker.address, topic, len(given)) == given


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_without_idempotence(agent: Agent, broker: Server, new_topic: NewTopic, acks: str) -> None:
    """Producers that do not count, and wait for nobody, for the leader, for all."""
    topic, given = new_topic(), records()
    write(agent, broker, topic, given, acks=acks, enable_idempotence=False)
    assert read_by_librdkafka(broker.address, topic, len(given)) == given


def test_what_a_broker_refuses(agent: Agent, broker: Server, new_topic: NewTopic) -> None:
    """Too large, too far ahead, no such topic: each has its own exception."""
    small = new_topic(max_message_bytes="1000")
    assert write(agent, broker, small, [Record(None, bytes(2_000), TIME)]) == [{"error": "RecordTooLargeException"}]
    (far,) = write(agent, broker, new_topic(), [Record(None, b"x", FAR_AHEAD)])
    assert far == {"error": "InvalidTimestampException"}
    (missing,) = write(agent, broker, "nowhere", [Record(None, b"x", TIME)], max_block_ms=1_000)
    assert missing == {"error": "TimeoutException"}
    (invalid,) = write(agent, broker, "no/topic", [Record(None, b"x", TIME)], max_block_ms=1_000)
    assert invalid == {"error": "InvalidTopicException"}


def test_several_records_of_which_one_is_refused(agent: Agent, broker: Server, new_topic: NewTopic) -> None:
    """A batch with a record that is refused is refused whole, and says which record it was."""
    given = [Record(None, b"x", TIME), Record(None, b"y", FAR_AHEAD), Record(None, b"z", TIME)]
    found = write(agent, broker, new_topic(), given, linger_ms=500)
    assert [each["error"] for each in found] == ["KafkaException", "InvalidTimestampException", "KafkaException"]


def test_an_offset_out_of_range(agent: Agent, broker: Server, new_topic: NewTopic) -> None:
    """An offset that is not there is an exception, or where auto.offset.reset says."""
    topic = new_topic()
    write(agent, broker, topic, [Record(None, b"x", TIME)])
    assert agent.consume(consumer(broker), topic, 0, 99, 1)["error"] == "OffsetOutOfRangeException"
    answer = agent.consume(consumer(broker, **{"auto.offset.reset": "earliest"}), topic, 0, 99, 1)
    assert [each["offset"] for each in answer["records"]] == [0]


@pytest.mark.parametrize("isolation", ["read_committed", "read_uncommitted"])
def test_isolation_levels(agent: Agent, broker: Server, new_topic: NewTopic, isolation: str) -> None:
    """Without any transaction both isolation levels read the same."""
    topic, given = new_topic(), records()[:5]
    write(agent, broker, topic, given)
    answer = agent.consume(consumer(broker, **{"isolation.level": isolation}), topic, 0, 0, 5)
    assert [each["value"] for each in answer["records"]] == [each.value for each in given]
