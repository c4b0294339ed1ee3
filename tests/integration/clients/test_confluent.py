"""confluent-kafka, which is librdkafka: produce in every codec, consume by `assign` with offsets."""

from collections.abc import Callable

import pytest
from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, KafkaException, Producer, TopicPartition

from tests.integration.clients.records import CODECS, FAR_AHEAD, TIME, Record, read_by_librdkafka, records
from tests.integration.peer.server import Server

WITHIN_S = 20
NewTopic = Callable[..., str]


def write(broker: Server, topic: str, given: list[Record], **settings: object) -> list[KafkaError | int | None]:
    """What became of each record: its offset, or why there is none."""
    results: list[KafkaError | int | None] = []
    producer = Producer(broker.settings(**{name.replace("_", "."): value for name, value in settings.items()}))
    for each in given:
        producer.produce(
            topic,
            each.value,
            each.key,
            0,
            timestamp=each.timestamp,
            headers=list(each.headers),
            on_delivery=lambda error, message: results.append(error or message.offset()),
        )
    assert producer.flush(WITHIN_S) == 0
    return results


def consumer_of(broker: Server, **settings: object) -> Consumer:
    """A consumer that commits nothing."""
    given = {name.replace("_", "."): value for name, value in settings.items()}
    return Consumer(broker.settings(**{"group.id": "none", "enable.auto.commit": False, **given}))


@pytest.mark.parametrize("codec", CODECS)
def test_records_come_back(broker: Server, new_topic: NewTopic, codec: str) -> None:
    """What is produced in a codec is consumed again: keys, values, headers, nulls, timestamps, in order."""
    topic, given = new_topic(), records()
    assert write(broker, topic, given, compression_type=codec) == list(range(len(given)))
    assert read_by_librdkafka(broker.address, topic, len(given)) == given


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_acknowledgements(broker: Server, new_topic: NewTopic, acks: str) -> None:
    """Whatever a producer waits for, its records are there."""
    topic, given = new_topic(), records()
    write(broker, topic, given, acks=acks)
    assert read_by_librdkafka(broker.address, topic, len(given)) == given


def test_idempotent_producers(broker: Server, new_topic: NewTopic) -> None:
    """A producer with enable.idempotence gets its id, and its records are there in order, once."""
    topic, given = new_topic(), records()
    assert write(broker, topic, given, enable_idempotence=True, batch_num_messages=7) == list(range(len(given)))
    assert read_by_librdkafka(broker.address, topic, len(given)) == given


def test_begin_end_and_between(broker: Server, new_topic: NewTopic) -> None:
    """A consumer starts where it is told to: at an offset, at the beginning, at the end."""
    topic = new_topic()
    write(broker, topic, records()[:5])
    consumer = consumer_of(broker)
    try:
        for start, first in ((3, 3), (OFFSET_BEGINNING, 0), (OFFSET_END, 5)):
            consumer.assign([TopicPartition(topic, 0, start)])
            if start == OFFSET_END:
                assert consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=WITHIN_S) == (0, 5)
                write(broker, topic, [Record(None, b"later", TIME)])
            message = consumer.poll(WITHIN_S)
            assert message is not None
            assert message.offset() == first
    finally:
        consumer.close()


def test_offsets_for_times(broker: Server, new_topic: NewTopic) -> None:
    """The first record that is as young as a time is found by it; behind the last there is the end."""
    topic = new_topic()
    write(broker, topic, [Record(None, b"x", TIME + at * 10) for at in range(10)])
    consumer = consumer_of(broker)
    try:
        for time, offset in ((TIME, 0), (TIME + 1, 1), (TIME + 90, 9), (TIME + 91, -1)):
            (found,) = consumer.offsets_for_times([TopicPartition(topic, 0, time)], timeout=WITHIN_S)
            assert found.offset == offset
    finally:
        consumer.close()


def test_a_missing_topic(broker: Server) -> None:
    """Producing to a topic that is not there fails with UNKNOWN_TOPIC_OR_PART, and asking for it says so."""
    (error,) = write(broker, "nowhere", [Record(None, b"x", TIME)], topic_metadata_propagation_max_ms=100)
    assert isinstance(error, KafkaError)
    assert error.code() in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC)
    found = broker.admin().list_topics("nowhere", timeout=WITHIN_S).topics["nowhere"]
    assert found.error is not None
    assert found.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART


def test_a_record_that_is_too_large(broker: Server, new_topic: NewTopic) -> None:
    """A batch above the topic's max.message.bytes is refused with MSG_SIZE_TOO_LARGE, and a smaller one is not."""
    topic = new_topic(max_message_bytes="1000")
    (error,) = write(broker, topic, [Record(None, bytes(2_000), TIME)])
    assert isinstance(error, KafkaError)
    assert error.code() == KafkaError.MSG_SIZE_TOO_LARGE
    assert write(broker, topic, [Record(None, bytes(500), TIME)]) == [0]


def test_a_timestamp_that_is_far_ahead(broker: Server, new_topic: NewTopic) -> None:
    """A record further ahead than message.timestamp.after.max.ms allows is refused with INVALID_TIMESTAMP."""
    (error,) = write(broker, new_topic(), [Record(None, b"x", FAR_AHEAD)])
    assert isinstance(error, KafkaError)
    assert error.code() == KafkaError.INVALID_TIMESTAMP


def test_an_offset_out_of_range(broker: Server, new_topic: NewTopic) -> None:
    """Consuming from behind the end fails, or begins where auto.offset.reset says."""
    topic = new_topic()
    write(broker, topic, [Record(None, b"x", TIME)])
    for reset in ("error", "earliest"):
        consumer = consumer_of(broker, auto_offset_reset=reset)
        try:
            consumer.assign([TopicPartition(topic, 0, 99)])
            message = consumer.poll(WITHIN_S)
            assert message is not None
            error = message.error()
            if error is None:
                assert (reset, message.offset()) == ("earliest", 0)
            else:
                assert reset == "error"
                assert error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE)
        finally:
            consumer.close()


def test_log_append_time(broker: Server, new_topic: NewTopic) -> None:
    """In a topic of LogAppendTime a record has the time at which the broker took it."""
    topic = new_topic(message_timestamp_type="LogAppendTime")
    write(broker, topic, [Record(None, b"x", TIME)])
    consumer = consumer_of(broker)
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        message = consumer.poll(WITHIN_S)
        assert message is not None
        kind, time = message.timestamp()
        assert kind == 2
        assert time != TIME
    finally:
        consumer.close()


def test_the_admin_of_librdkafka(broker: Server, new_topic: NewTopic) -> None:
    """A topic that is there already is not created again, and one that is deleted is gone."""
    topic, admin = new_topic(partitions=3), broker.admin()
    assert len(admin.list_topics(topic, timeout=WITHIN_S).topics[topic].partitions) == 3
    with pytest.raises(KafkaException) as refused:
        broker.create_topics({topic: {}})
    assert refused.value.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS
    admin.delete_topics([topic])[topic].result()
    assert admin.list_topics(topic, timeout=WITHIN_S).topics[topic].error is not None
