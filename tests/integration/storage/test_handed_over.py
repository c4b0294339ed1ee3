"""A log directory goes from a real Kafka to Ottla and back, however each of them ended; nothing of it is lost.

Kafka writes topics and ends; our log manager reads what it wrote, appends as the leader of the same epoch, and ends;
Kafka starts on the directory again, serves all of it and writes more; at last we read everything. Either may end
cleanly, or without a word: then the other one recovers.
"""

import re
from pathlib import Path

import pytest

from ottla.protocol.records.record import Record
from tests.integration.peer.kafka import Kafka
from tests.integration.storage.lives import (
    TOPICS,
    Ours,
    Seen,
    consumed,
    read_with_ours,
    with_ours,
    write_to_kafka,
    write_with_ours,
)

TORN = b"\x00" * 7 + b"\x63\x00\x00\x10\x00\x00\x00\x00\x00\x02"  # a batch that had just begun
COMPLAINT = re.compile(r" (?:WARN|ERROR) .*(?:Log|Segment|Index|Snapshot|Partition ).*")


def joined(*lives: Seen) -> Seen:
    """What is in the topics after these lives, in the order of the log."""
    return {topic: [record for life in lives for record in life[topic]] for topic in TOPICS}


def check_with_kafka(kafka: Kafka, expected: Seen) -> None:
    """A consumer of Kafka's gets just this."""
    for topic, records in expected.items():
        assert consumed(kafka.address, topic, len(records)) == by_offset(records), topic


async def check_with_ours(ours: Ours, expected: Seen) -> None:
    """Our logs have just this, in leader epochs that go up."""
    for topic, records in expected.items():
        log = ours.log(topic)
        assert await read_with_ours(log) == by_offset(records), topic
        epochs = [entry.epoch for entry in log.epochs.entries()]
        assert epochs == sorted(epochs)
        assert log.log_end_offset > max(record.offset for record in records)


def hand_over(kafka: Kafka, *, kafka_stops: bool, we_stop: bool) -> str:
    """The whole way; answers what Kafka said when it had the directory again."""
    end_kafka = kafka.stop if kafka_stops else kafka.kill
    kafka.start()
    kafka.create_topics(TOPICS)
    first = write_to_kafka(kafka.address, "first")
    check_with_kafka(kafka, first)
    end_kafka()

    async def ours(ours: Ours) -> Seen:
        await check_with_ours(ours, first)
        assert ours.manager.directories[0].was_clean == kafka_stops
        written = write_with_ours(ours)
        await check_with_ours(ours, joined(first, written))
        if we_stop:
            await ours.close()
        else:
            ours.abandon()
            tear(ours)
        return written

    second = with_ours(str(kafka.data), ours)
    said_before = len(kafka.log.read_text())
    kafka.start()
    check_with_kafka(kafka, joined(first, second))
    third = write_to_kafka(kafka.address, "third")
    check_with_kafka(kafka, joined(first, second, third))
    end_kafka()

    async def last(ours: Ours) -> None:
        await check_with_ours(ours, joined(first, second, third))
        await ours.close()

    with_ours(str(kafka.data), last)
    return kafka.log.read_text()[said_before:]


def by_offset(records: list[Record]) -> list[Record]:
    """Deliveries are told in any order."""
    return sorted(records, key=lambda record: record.offset)


def tear(ours: Ours) -> None:
    """Leave what a write leaves that was cut off, behind the end of each log."""
    for topic in TOPICS:
        with Path(ours.log(topic).segments.active.file.path).open("ab") as file:
            file.write(TORN)


@pytest.mark.timeout(120)
def test_from_clean_stop_to_clean_stop(tmp_path: Path) -> None:
    """Nobody recovers anything, and Kafka finds nothing to complain of in what we left."""
    with Kafka(tmp_path) as kafka:
        said = hand_over(kafka, kafka_stops=True, we_stop=True)
    assert COMPLAINT.findall(said) == []


@pytest.mark.timeout(120)
def test_kafka_is_killed(tmp_path: Path) -> None:
    """We recover what it left, and it has all of it again."""
    with Kafka(tmp_path) as kafka:
        hand_over(kafka, kafka_stops=False, we_stop=True)


@pytest.mark.timeout(120)
def test_we_are_killed(tmp_path: Path) -> None:
    """Kafka recovers what we left: our indexes were not written, and a batch was cut off in each log. It complains of
    that, and of nothing else.
    """
    with Kafka(tmp_path) as kafka:
        said = hand_over(kafka, kafka_stops=True, we_stop=False)
    complaints = COMPLAINT.findall(said)
    assert len(complaints) == len(TOPICS)
    assert all("Corruption found in segment" in complaint for complaint in complaints)
