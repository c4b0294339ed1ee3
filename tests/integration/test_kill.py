"""A broker that is killed at work, again and again: what it has acknowledged is there, in order, once.

A power cut for the process, not for the machine: what was written is in the page cache. Two producers are at work, one
that counts (enable.idempotence), which goes on by itself until everything is acknowledged, and one that neither counts
nor repeats. `OTTLA_KILLS=50 make integration` kills more often.
"""

import os
import random
from pathlib import Path

from confluent_kafka import Producer

from tests.integration.clients.records import end_offset, read_by_librdkafka
from tests.integration.peer.judged import judged
from tests.integration.peer.server import Server

KILLS = int(os.environ.get("OTTLA_KILLS", "10"))
PARTITIONS = 3
ACKNOWLEDGED_A_ROUND = 1_500
ALL_WITHIN_S = 120


class Writer:
    """A producer of numbers, each to one partition; knows which of them were acknowledged, and where."""

    def __init__(self, broker: Server, topic: str, **settings: object) -> None:
        self.topic, self.sent, self.acknowledged = topic, 0, dict[int, tuple[int, int]]()
        dotted = {name.replace("_", "."): value for name, value in settings.items()}
        given = {"acks": "all", "linger.ms": 1, "batch.num.messages": 100, "log_level": 0, **dotted}
        self.producer = Producer(broker.settings(**given))

    def write(self, count: int) -> None:
        """Send so many more, without waiting for them."""
        for number in range(self.sent, self.sent + count):

            def arrived(error: object, message: object, number: int = number) -> None:
                if error is None:
                    self.acknowledged[number] = (message.partition(), message.offset())  # type: ignore[attr-defined]

            value = str(number).encode()
            self.producer.produce(self.topic, value, partition=number % PARTITIONS, on_delivery=arrived)
        self.sent += count


def at_work(writers: list[Writer], rng: random.Random) -> None:
    """Until both have had enough acknowledged in this round; leave some under way."""
    goals = [(writer, len(writer.acknowledged) + ACKNOWLEDGED_A_ROUND) for writer in writers]
    while any(len(writer.acknowledged) < goal for writer, goal in goals):
        for writer in writers:
            writer.write(rng.randint(1, 60))
            writer.producer.poll(0.002)
    for writer in writers:
        writer.write(rng.randint(1, 500))
        writer.producer.poll(0)


def stored(broker: Server, topic: str) -> list[list[int]]:
    """The numbers in each partition, by offset."""
    found = []
    for partition in range(PARTITIONS):
        end = end_offset(broker.address, topic, partition)
        found.append([int(each.value or b"") for each in read_by_librdkafka(broker.address, topic, end, partition)])
    return found


def test_what_was_acknowledged_survives(tmp_path: Path) -> None:
    """Every acknowledged record is at its offset after each kill -9; one that counts has all of them, once."""
    rng = random.Random(11)
    with judged()(tmp_path).start() as broker:
        broker.create_topics({"counted": {}, "plain": {}}, PARTITIONS)
        counted = Writer(broker, "counted", enable_idempotence=True, message_timeout_ms=ALL_WITHIN_S * 1_000)
        plain = Writer(broker, "plain", message_send_max_retries=0, message_timeout_ms=ALL_WITHIN_S * 1_000)
        for _ in range(KILLS):
            at_work([counted, plain], rng)
            broker.kill()
            broker.start()
        for writer in (counted, plain):
            assert writer.producer.flush(ALL_WITHIN_S) == 0
        assert len(counted.acknowledged) == counted.sent
        for writer in (counted, plain):
            found = stored(broker, writer.topic)
            for number, (partition, offset) in writer.acknowledged.items():
                assert found[partition][offset] == number
            for numbers in found:
                assert numbers == sorted(set(numbers))
        broker.stop()
