"""Batches of ours, fetched by a librdkafka consumer from a broker that serves nothing else."""

import confluent_kafka
import pytest

from tests.integration.record_batches import end_offset, written_log
from tools.golden_batches.fake_broker import TOPIC, FakeBroker

READ_WITHIN_S = 30.0


@pytest.mark.parametrize("isolation", ["read_uncommitted", "read_committed"])
def test_librdkafka_reads_every_record(isolation: str) -> None:
    """All codecs, levels, headers, nulls, transactions: librdkafka checks the sums and hands out what we wrote."""
    log = written_log()
    expected = [record for written in log for record in written.records]
    with FakeBroker(b"".join(written.data for written in log), end_offset(log)) as broker:
        consumer = confluent_kafka.Consumer(
            {
                "bootstrap.servers": broker.address,
                "group.id": "golden",
                "check.crcs": True,
                "enable.auto.commit": False,
                "isolation.level": isolation,
                "fetch.message.max.bytes": 10_000_000,
            }
        )
        try:
            consumer.assign([confluent_kafka.TopicPartition(TOPIC, 0, 0)])
            found = [shown(message) for message in consumer.consume(len(expected), READ_WITHIN_S)]
        finally:
            consumer.close()
    assert found == expected


def shown(message: confluent_kafka.Message) -> tuple[object, ...]:
    """What librdkafka hands out, as a record of ours compares with it."""
    assert message.error() is None, message.error()
    headers = tuple(message.headers() or ())
    return (message.offset(), message.timestamp()[1], message.key(), message.value(), headers)
