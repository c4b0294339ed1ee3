"""Many partitions: writing to a thousand and to five thousand of them, and what each costs in memory."""

from collections.abc import Sequence
from time import perf_counter

from bench.versus import java
from bench.versus.contestants import Contestant, Figure, take_turns
from bench.versus.throughput import SETTINGS, Row, drop

COUNTS = (1_000, 5_000)
RECORDS = 300_000
SIZE = 1_000


def run(contestants: Sequence[Contestant]) -> list[Row]:
    """The rows."""
    rows: list[Row] = []
    for count in COUNTS:
        topic = f"partitions-{count}"
        created, memory = [], []
        for contestant in contestants:
            before, began = contestant.resident_bytes(), perf_counter()
            contestant.server.create_topics({topic: {}}, count)
            created.append(Figure(count / (perf_counter() - began)))
            java.producer_performance(contestant.address, topic, RECORDS, SIZE, acks="1", **SETTINGS)
            memory.append(Figure((contestant.resident_bytes() - before) / count / 1e3))

        def measure(contestant: Contestant, turn: int, topic: str = topic) -> Figure:
            del turn
            before = contestant.cpu_seconds()
            rate = java.producer_performance(contestant.address, topic, RECORDS, SIZE, acks="1", **SETTINGS)
            return Figure(rate, (contestant.cpu_seconds() - before) / (RECORDS * SIZE / 1e9))

        rows.append((f"create {count:,} partitions", "1/s", created, False))
        rows.append((f"produce over {count:,} partitions", "MB/s", take_turns(contestants, measure), False))
        rows.append((f"memory a partition of {count:,}, written to", "KB", memory, True))
        for contestant in contestants:
            drop(contestant, topic)
    return rows
