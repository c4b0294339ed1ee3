"""From a record's sending to its arrival, at a rate that nobody is busy with; and small requests beside a flood."""

import struct
import threading
from collections.abc import Sequence
from time import perf_counter_ns, sleep

from confluent_kafka import Consumer, Producer, TopicPartition

from bench.node import metadata_request
from bench.versus import java
from bench.versus.clients import ask
from bench.versus.contestants import Contestant, Figure, take_turns
from bench.versus.throughput import SETTINGS, Row, drop

RATE = 2_000  # records a second
SECONDS = 8
SKIPPED = RATE  # the first second
SIZE = 100
FLOOD_RECORDS = 1_000_000
TOPIC = "latency"
PERCENTILES = (50.0, 99.0, 99.9)


def percentile(values: Sequence[float], percent: float) -> float:
    """Of sorted values."""
    return values[min(len(values) - 1, int(len(values) * percent / 100))]


def end_to_end(contestants: Sequence[Contestant]) -> list[Row]:
    """Milliseconds until a reader has what a writer sent."""
    for contestant in contestants:
        contestant.server.create_topics({TOPIC: {}})
    runs: dict[tuple[str, int], list[float]] = {}

    def measure(contestant: Contestant, turn: int) -> Figure:
        runs[contestant.address, turn] = _end_to_end(contestant.address)
        return Figure(percentile(runs[contestant.address, turn], 50.0))

    take_turns(contestants, measure)
    rows: list[Row] = []
    for percent in PERCENTILES:
        figures = []
        for contestant in contestants:
            turns = sorted(
                percentile(run, percent) for (address, _), run in runs.items() if address == contestant.address
            )
            figures.append(Figure(turns[len(turns) // 2]))
        rows.append((f"end to end at {RATE:,}/s, p{percent:g}", "ms", figures, True))
    return rows


def _end_to_end(address: str) -> list[float]:
    consumer = Consumer(
        {"bootstrap.servers": address, "group.id": "none", "enable.auto.commit": False, "fetch.wait.max.ms": 100}
    )
    end = consumer.get_watermark_offsets(TopicPartition(TOPIC, 0), timeout=30)[1]
    consumer.assign([TopicPartition(TOPIC, 0, end)])
    wanted = RATE * SECONDS
    found: list[float] = []

    def receive() -> None:
        while len(found) < wanted:
            for message in consumer.consume(100, 1.0):
                value = message.value()
                assert value is not None
                found.append((perf_counter_ns() - struct.unpack_from(">q", value)[0]) / 1e6)

    reader = threading.Thread(target=receive)
    reader.start()
    sleep(1)  # it is in its place
    producer = Producer({"bootstrap.servers": address, "linger.ms": 0, "acks": 1})
    began, rest = perf_counter_ns(), bytes(SIZE - 8)
    for number in range(wanted):
        due = began + number * 1_000_000_000 // RATE
        while (left := due - perf_counter_ns()) > 0:
            sleep(left / 1e9)
        producer.produce(TOPIC, struct.pack(">q", perf_counter_ns()) + rest, partition=0)
        producer.poll(0)
    producer.flush(30)
    reader.join()
    consumer.close()
    return sorted(found[SKIPPED:])


def beside_a_flood(contestants: Sequence[Contestant]) -> list[Row]:
    """p99 of Metadata requests on a quiet connection while a producer sends as much as it can."""

    def measure(contestant: Contestant, turn: int) -> Figure:
        topic = f"flood-{turn}"
        contestant.server.create_topics({topic: {}}, 4)
        flood = threading.Thread(
            target=java.producer_performance,
            args=(contestant.address, topic, FLOOD_RECORDS, 1_000),
            kwargs={"acks": "1", **SETTINGS},
        )
        flood.start()
        sleep(2)  # the tool's own start
        took = []
        with ask(contestant.address) as question:
            while flood.is_alive():
                began = perf_counter_ns()
                question(metadata_request())
                took.append((perf_counter_ns() - began) / 1e6)
                sleep(0.005)
        flood.join()
        drop(contestant, topic)
        return Figure(percentile(sorted(took), 99.0))

    return [("Metadata beside a producer's flood, p99", "ms", take_turns(contestants, measure), True)]
