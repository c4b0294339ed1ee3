"""The controller: topics decided and replayed, a broker fenced, and what the state of 100,000 partitions costs.

Decisions and replay are the real ones, with 100 brokers on 5 racks; the log is left out, as it is measured elsewhere.
"""

import gc
import random
import time
import tracemalloc
from collections.abc import Sequence

from bench.measure import table
from ottla.cluster.controller.controller import Controller
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.features import FEATURES, LATEST, METADATA_VERSION, default_level
from ottla.protocol.messages.metadata_records import FeatureLevelRecord, RegisterBrokerRecord
from ottla.protocol.messages.topics import CreateTopicsRequest, CreateTopicsRequest_CreatableTopic

BROKERS, RACKS = 100, 5
PARTITIONS = 100_000
REPLICAS = 3
ROUNDS = 3
STATIC = {
    "process.roles": "controller",
    "node.id": "900",
    "listeners": "CONTROLLER://localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.voters": "900@localhost:9093",
}


class Bench:
    """A controller and the offset of its next record."""

    def __init__(self) -> None:
        self.controller = Controller(STATIC, "cluster", random.Random(0))  # noqa: S311 - the same in every run
        self.next_offset = 0
        levels = {METADATA_VERSION: int(LATEST), **{name: default_level(name, LATEST) for name in FEATURES}}
        self.replay([FeatureLevelRecord(name, level) for name, level in levels.items()])
        self.replay(
            [
                RegisterBrokerRecord(
                    broker_id=broker,
                    rack=f"r{broker % RACKS}",
                    fenced=False,
                    log_dirs=[Uuid(broker.to_bytes(15) + b"\xff")],
                )
                for broker in range(BROKERS)
            ]
        )

    def replay(self, records: Sequence[Message]) -> None:
        """As the runtime does it; all of it is committed at once."""
        journal = self.controller.journal
        for record in records:
            journal.begin(self.next_offset)
            self.controller.replay(record)
            journal.end()
            self.next_offset += 1
        journal.forget_through(self.next_offset)

    def create(self, topics: int, partitions: int, prefix: str) -> None:
        """One request for so many topics."""
        request = CreateTopicsRequest(
            [CreateTopicsRequest_CreatableTopic(f"{prefix}-{at}", partitions, REPLICAS) for at in range(topics)]
        )
        decision = self.controller.topics.create(request, 0, describable=())
        assert all(each.error_code == 0 for each in decision.response.topics)
        self.replay(decision.records)


def creation(topics: int, partitions: int) -> float:
    """Partitions a second, at requests of this shape."""
    best = 0.0
    for _ in range(ROUNDS):
        bench = Bench()
        gc.collect()
        start = time.perf_counter()
        bench.create(topics, partitions, "t")
        best = max(best, topics * partitions / (time.perf_counter() - start))
    return best


def told() -> float:
    """Milliseconds that telling all settings adds to the creation of a topic."""
    bench = Bench()
    start = time.perf_counter()
    for _ in range(10):
        bench.controller.configs.described({})
    return (time.perf_counter() - start) * 100


def fencing(bench: Bench) -> tuple[int, float]:
    """How many partitions change when a broker goes, and partitions a second."""
    elections = bench.controller.elections
    draft = elections.draft()
    start = time.perf_counter()
    assert elections.broker_goes(draft, 7)
    bench.replay(draft.records)
    return len(draft.records), len(draft.records) / (time.perf_counter() - start)


def run() -> None:
    """Print the table."""
    rows = [
        [f"topics created, {topics} of {partitions} partitions in a request, partitions/s", f"{rate:,.0f}"]
        for topics, partitions in ((1, 1), (1, 1_000), (1_000, 1), (100, 50))
        for rate in [creation(topics, partitions)]
    ]
    rows.append(["all settings of a new topic told, ms", f"{told():.2f}"])
    gc.collect()
    tracemalloc.start()
    bench = Bench()
    before, _ = tracemalloc.get_traced_memory()
    for at in range(PARTITIONS // 5_000):
        bench.create(100, 50, f"t{at}")
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    rows.append([f"state of {PARTITIONS:,} partitions, MB", f"{(after - before) / 1e6:.0f}"])
    changed, rate = fencing(bench)
    rows.append([f"a broker fenced ({changed:,} partitions), partitions/s", f"{rate:,.0f}"])
    table(f"Controller: {BROKERS} brokers, {REPLICAS} replicas", ["", "ottla"], rows)
