"""kafka-python: produce in every codec, consume by `assign` and `seek`."""

from collections.abc import Callable
from typing import Any

import pytest
from kafka import KafkaConsumer, KafkaProducer  # type: ignore[import-untyped]
from kafka import TopicPartition as Partition
from kafka.errors import (  # type: ignore[import-untyped]
    InvalidTimestampError,
    KafkaTimeoutError,
    MessageSizeTooLargeError,
    OffsetOutOfRangeError,
)

from tests.integration.clients.records import CODECS, FAR_AHEAD, TIME, Record, read_by_librdkafka, records
from tests.integration.peer.server import Server

WITHIN_MS = 20_000
NewTopic = Callable[..., str]


def write(broker: Server, topic: str, given: list[Record], **settings: Any) -> list[Any]:
    """Where each record went."""
    producer = KafkaProducer(bootstrap_servers=broker.address, **settings)
    try:
        sent = [producer.send(topic, each.value, each.key, list(each.headers), 0, each.timestamp) for each in given]
        return [future.get(WITHIN_MS / 1_000) for future in sent]
    finally:
        producer.close()


@pytest.mark.parametrize("codec", CODECS)
def test_records_come_back(broker: Server, new_topic: NewTopic, codec: str) -> None:
    """What kafka-python produces in a codec it consumes again, and so does librdkafka."""
    topic, given = new_topic(), records(null_headers=False)
    sent = write(broker, topic, given, compression_type=None if codec == "none" else codec)
    assert [each.offset for each in sent] == list(range(len(given)))
    assert read_by_librdkafka(broker.address, topic, len(given)) == given
    consumer = KafkaConsumer(bootstrap_servers=broker.address, group_id=None, consumer_timeout_ms=WITHIN_MS)
    try:
        consumer.assign([Partition(topic, 0)])
        consumer.seek(Partition(topic, 0), 0)
        found = []
        for each in consumer:
            found.append(Record(each.key, each.value, each.timestamp, tuple(each.headers)))
            if len(found) == len(given):
                break
        assert found == given
        assert consumer.end_offsets([Partition(topic, 0)]) == {Partition(topic, 0): len(given)}
        assert consumer.beginning_offsets([Partition(topic, 0)]) == {Partition(topic, 0): 0}
        (at,) = consumer.offsets_for_times({Partition(topic, 0): TIME + 12}).values()
        assert at.offset == 10
    finally:
        consumer.close()


def test_what_a_broker_refuses(broker: Server, new_topic: NewTopic) -> None:
    """Too large, too far ahead, no such topic: each has its own error."""
    with pytest.raises(MessageSizeTooLargeError):
        write(broker, new_topic(max_message_bytes="1000"), [Record(None, bytes(2_000), TIME)])
    with pytest.raises(InvalidTimestampError):
        write(broker, new_topic(), [Record(None, b"x", FAR_AHEAD)])
    with pytest.raises(KafkaTimeoutError):
        write(broker, "nowhere", [Record(None, b"x", TIME)], max_block_ms=1_000)


def test_an_offset_out_of_range(broker: Server, new_topic: NewTopic) -> None:
    """An offset that is not there is OffsetOutOfRange to a consumer that wants no reset."""
    topic = new_topic()
    write(broker, topic, [Record(None, b"x", TIME)])
    consumer = KafkaConsumer(bootstrap_servers=broker.address, group_id=None, auto_offset_reset="none")
    try:
        consumer.assign([Partition(topic, 0)])
        consumer.seek(Partition(topic, 0), 99)
        with pytest.raises(OffsetOutOfRangeError):
            consumer.poll(WITHIN_MS)
    finally:
        consumer.close()
