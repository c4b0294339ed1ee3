"""aiokafka: produce in every codec, consume by `assign` and `seek`, on an event loop of its own."""

import asyncio
from collections.abc import Callable

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition  # type: ignore[import-untyped]
from aiokafka.errors import (  # type: ignore[import-untyped]
    InvalidTimestampError,
    MessageSizeTooLargeError,
    OffsetOutOfRangeError,
    UnknownTopicOrPartitionError,
)

from tests.integration.clients.records import CODECS, FAR_AHEAD, TIME, Record, read_by_librdkafka, records
from tests.integration.peer.server import Server

WITHIN_S = 20
NewTopic = Callable[..., str]


async def write(broker: Server, topic: str, given: list[Record], codec: str = "none", **settings: int) -> list[int]:
    """The offset of each record."""
    codec_or_none = None if codec == "none" else codec
    producer = AIOKafkaProducer(bootstrap_servers=broker.address, compression_type=codec_or_none, **settings)
    await producer.start()
    try:
        sent = [
            await producer.send(
                topic, each.value, each.key, partition=0, timestamp_ms=each.timestamp, headers=list(each.headers)
            )
            for each in given
        ]
        return [(await asyncio.wait_for(future, WITHIN_S)).offset for future in sent]
    finally:
        await producer.stop()


async def read(broker: Server, topic: str, count: int, offset: int = 0, reset: str = "earliest") -> list[Record]:
    """So many records from there."""
    consumer = AIOKafkaConsumer(bootstrap_servers=broker.address, auto_offset_reset=reset)
    await consumer.start()
    try:
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek(TopicPartition(topic, 0), offset)
        found = [await asyncio.wait_for(consumer.getone(), WITHIN_S) for _ in range(count)]
        return [Record(each.key, each.value, each.timestamp, tuple(each.headers)) for each in found]
    finally:
        await consumer.stop()


@pytest.mark.parametrize("codec", CODECS)
def test_records_come_back(broker: Server, new_topic: NewTopic, codec: str) -> None:
    """What aiokafka produces in a codec it consumes again, and so does librdkafka."""
    topic, given = new_topic(), records(null_headers=False)
    assert asyncio.run(write(broker, topic, given, codec)) == list(range(len(given)))
    assert read_by_librdkafka(broker.address, topic, len(given)) == given
    assert asyncio.run(read(broker, topic, len(given))) == given


def test_what_a_broker_refuses(broker: Server, new_topic: NewTopic) -> None:
    """Too large, too far ahead, no such topic: each has its own error."""
    with pytest.raises(MessageSizeTooLargeError):
        asyncio.run(write(broker, new_topic(max_message_bytes="1000"), [Record(None, bytes(2_000), TIME)]))
    with pytest.raises(InvalidTimestampError):
        asyncio.run(write(broker, new_topic(), [Record(None, b"x", FAR_AHEAD)]))
    with pytest.raises(UnknownTopicOrPartitionError):
        asyncio.run(write(broker, "nowhere", [Record(None, b"x", TIME)], request_timeout_ms=1_000))


def test_an_offset_out_of_range(broker: Server, new_topic: NewTopic) -> None:
    """An offset that is not there is OffsetOutOfRange to a consumer that wants no reset."""
    topic = new_topic()
    asyncio.run(write(broker, topic, [Record(None, b"x", TIME)]))
    with pytest.raises(OffsetOutOfRangeError):
        asyncio.run(read(broker, topic, 1, offset=99, reset="none"))
