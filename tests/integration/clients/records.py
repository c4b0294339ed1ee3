"""Records that a broker must give back as they were: small and big, with headers, without a key, without a value."""

import random
from dataclasses import dataclass
from typing import Final, cast

from confluent_kafka import Consumer, TopicPartition

TIME: Final = 1_790_000_000_000
FAR_AHEAD: Final = 4_000_000_000_000  # a day of the year 2096
CODECS: Final = ("none", "gzip", "snappy", "lz4", "zstd")
READ_WITHIN_S: Final = 20
AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Record:
    """What is written, and read again."""

    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: tuple[tuple[str, bytes | None], ...] = ()

    def fields(self, topic: str, partition: int = 0) -> dict[str, object]:
        """As the agent wants it."""
        return {
            "topic": topic,
            "partition": partition,
            "timestamp": self.timestamp,
            "key": self.key,
            "value": self.value,
            "headers": list(self.headers),
        }


HEADERS: Final = (("a", b"1"), ("a", b"2"), ("empty", b""), ("größe", "größe".encode()))
NULL_HEADER: Final = (("null", None),)


def records(*, null_headers: bool = True) -> list[Record]:
    """The records; not every client can write a header without a value."""
    rng = random.Random(5)
    several = [
        Record(b"key", b"value", TIME),
        Record(None, b"without key", TIME + 1),
        Record(b"without value", None, TIME + 2),
        Record(b"", b"", TIME + 3),
        Record(b"with headers", b"x", TIME + 4, HEADERS + (NULL_HEADER if null_headers else ())),
        Record(b"repeated", b"abc" * 50_000, TIME + 5),
        Record(b"random", rng.randbytes(150_000), TIME + 6),
        Record("schlüssel".encode(), "größe ☃".encode(), TIME - 100_000),
    ]
    return several + [Record(b"%d" % at, b"value %d" % at, TIME + 10 + at) for at in range(300)]


def read_by_librdkafka(address: str, topic: str, count: int, partition: int = 0) -> list[Record]:
    """What a consumer without a group finds, from the first offset on."""
    consumer = Consumer(
        {"bootstrap.servers": address, "group.id": "none", "enable.auto.commit": False, "check.crcs": True}
    )
    found: list[Record] = []
    try:
        consumer.assign([TopicPartition(topic, partition, 0)])
        while len(found) < count:
            messages = consumer.consume(min(AT_ONCE, count - len(found)), timeout=READ_WITHIN_S)
            assert messages, f"only {len(found)} of {count} records came"
            for message in messages:
                assert message.error() is None, message.error()
                assert message.offset() == len(found)
                headers = tuple(cast("list[tuple[str, bytes | None]]", message.headers() or []))
                found.append(Record(message.key(), message.value(), message.timestamp()[1], headers))
    finally:
        consumer.close()
    return found


def end_offset(address: str, topic: str, partition: int = 0) -> int:
    """Where a partition ends."""
    consumer = Consumer({"bootstrap.servers": address, "group.id": "none"})
    try:
        marks = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=READ_WITHIN_S)
        assert marks is not None
        return int(marks[1])
    finally:
        consumer.close()
