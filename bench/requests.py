"""Produce and Fetch on the server, without the network: what they cost beside the log's own append and read.

One partition with one replica, on a real disk; each figure is a median of many calls that take turns with the same call
of the log alone. "all" is what a request costs from its frame to the chunks of its answer.
"""

import gc
import tempfile
from collections.abc import Callable
from statistics import median
from time import perf_counter

from bench.measure import table
from ottla.broker.context import RequestContext
from ottla.broker.handlers.table import HANDLERS
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
    FetchRequest_FetchPartition,
    FetchRequest_FetchTopic,
    ProduceRequest,
    ProduceRequest_PartitionProduceData,
    ProduceRequest_TopicProduceData,
)
from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.builder import BatchBuilder
from ottla.storage.log_config import LogConfig
from ottla.storage.reading import FetchIsolation
from ottla.world.api import World
from ottla.world.real.run import run as run_in_world
from tests.unit.broker.handlers.data_broker import CLUSTER, ORDERS, DataBroker, partition
from tests.unit.storage.home import Home

CALLS = 1_500
NOW_MS = 1_700_000_000_000
CONFIG = LogConfig(max_message_bytes=2 << 20, message_timestamp_after_max_ms=2**62)
PRODUCE_VERSION, FETCH_VERSION = 13, 17
PARTITIONS = 1_000

Row = tuple[float, float, float, float]  # seconds: reading the request, handling it, writing the answer; the log alone


class Taken:
    """Whoever asked: keeps the answer."""

    def __init__(self) -> None:
        self.response: Message | None = None

    def answer(self, response: Message) -> None:
        """An answer."""
        self.response = response

    def answer_when_sent(self, make: Callable[[], Message]) -> None:
        """An answer that is made now."""
        self.response = make()

    def answer_nothing(self) -> None:
        """None."""

    def refuse(self, why: str) -> None:
        """No answer is what nobody expects here."""
        raise AssertionError(why)

    is_wanted = True

    def if_gone(self, forget: Callable[[], object]) -> None:
        """It stays."""


def run() -> None:
    """Print all tables."""
    run_in_world(_main)


async def _main(world: World) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        broker = await DataBroker.start(Home(world, paths=(folder,), logs=CONFIG))
        for record_bytes, batch_bytes in ((100, 0), (1_000, 64 << 10)):
            batch = _batch(record_bytes, batch_bytes)
            rows.append(_shown(f"produce {len(batch):,} bytes", _produces(broker, batch)))
        await broker.stop()
    for record_bytes, batch_bytes in ((100, 0), (1_000, 64 << 10)):
        with tempfile.TemporaryDirectory() as folder:
            broker = await DataBroker.start(Home(world, paths=(folder,), logs=CONFIG))
            batch = _batch(record_bytes, batch_bytes)
            _produces(broker, batch)
            rows.append(_shown(f"fetch {len(batch):,} bytes", _fetches(broker, batch)))
            await broker.stop()
    heads = ["what, us", "all", "request", "handler", "answer", "log alone", "own"]
    table("Produce and Fetch, from frame to chunks", heads, rows)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(world, paths=(folder,), logs=CONFIG)
        broker = await DataBroker.start(home, *CLUSTER, *(partition(index) for index in range(1, PARTITIONS)))
        rows = [[f"{PARTITIONS:,} partitions", f"{_session(broker) / PARTITIONS * 1e6:.2f}"]]
        table("An incremental fetch without news", ["session", "us a partition"], rows)
        await broker.stop()


def _batch(record_bytes: int, batch_bytes: int) -> bytes:
    building = BatchBuilder()
    while True:
        building.append(NOW_MS, b"k", bytes(record_bytes))
        if building.size_bytes + record_bytes >= batch_bytes:
            return bytes(building.build())


def _frame(request: Message, version: int) -> bytes:
    return b"".join(bytes(chunk) for chunk in request.write(version))


def _context(broker: DataBroker, reply: Taken, version: int) -> RequestContext:
    return RequestContext(
        reply,
        version=version,
        principal="User:ANONYMOUS",
        listener="PLAINTEXT",
        security_protocol="PLAINTEXT",
        client_id="bench",
        client_address="127.0.0.1",
        broker=broker.parts,
    )


def _served(broker: DataBroker, api: ApiKey, frame: bytes, version: int) -> tuple[float, float, float]:
    """One request, on a frame of its own, which may be written to."""
    served, reply, buffer = HANDLERS[api], Taken(), memoryview(bytearray(frame))
    start = perf_counter()
    body = served.request.read(buffer, version)
    read = perf_counter()
    served.handle(_context(broker, reply, version), body)
    handled = perf_counter()
    assert reply.response is not None
    reply.response.write(version)
    return read - start, handled - read, perf_counter() - handled


def _produces(broker: DataBroker, batch: bytes) -> list[Row]:
    data = ProduceRequest_PartitionProduceData(0, batch)
    topic = ProduceRequest_TopicProduceData(topic_id=ORDERS, partition_data=[data])
    frame = _frame(ProduceRequest(acks=-1, timeout_ms=1_000, topic_data=[topic]), PRODUCE_VERSION)
    log = broker.partition().log
    rows: list[Row] = []
    gc.collect()
    gc.disable()
    for _ in range(CALLS):
        taken = _served(broker, ApiKey.PRODUCE, frame, PRODUCE_VERSION)
        copy = memoryview(bytearray(batch))
        start = perf_counter()
        log.append_as_leader(copy, 0)
        rows.append((*taken, perf_counter() - start))
        broker.leader().appended(0)
    gc.enable()
    return rows


def _fetches(broker: DataBroker, batch: bytes) -> list[Row]:
    log, count = broker.partition().log, RecordBatch(memoryview(bytearray(batch))).count
    rows: list[Row] = []
    gc.collect()
    gc.disable()
    for number in range(CALLS):
        offset = number * count
        asked = FetchRequest_FetchPartition(0, fetch_offset=offset, partition_max_bytes=len(batch))
        topic = FetchRequest_FetchTopic(topic_id=ORDERS, partitions=[asked])
        frame = _frame(FetchRequest(min_bytes=1, max_bytes=1 << 20, topics=[topic]), FETCH_VERSION)
        taken = _served(broker, ApiKey.FETCH, frame, FETCH_VERSION)
        start = perf_counter()
        log.read(offset, len(batch), FetchIsolation.HIGH_WATERMARK)
        rows.append((*taken, perf_counter() - start))
    gc.enable()
    return rows


def _session(broker: DataBroker) -> float:
    """Seconds of an incremental fetch of many partitions, none of which has news."""
    asked = [FetchRequest_FetchPartition(index, partition_max_bytes=1 << 20) for index in range(PARTITIONS)]
    topic = FetchRequest_FetchTopic(topic_id=ORDERS, partitions=asked)
    (response,) = broker.send(FetchRequest(session_epoch=0, topics=[topic]), FETCH_VERSION).responses
    taken = []
    for epoch in range(1, 30):
        going_on = FetchRequest(session_id=response.session_id, session_epoch=epoch)  # type: ignore[attr-defined]
        taken.append(sum(_served(broker, ApiKey.FETCH, _frame(going_on, FETCH_VERSION), FETCH_VERSION)))
    return median(taken)


def _shown(what: str, rows: list[Row]) -> list[str]:
    request, handler, answer, alone = (median(row[at] for row in rows) * 1e6 for at in range(4))
    whole = request + handler + answer
    return [what, *(f"{each:.1f}" for each in (whole, request, handler, answer, alone, whole - alone))]


if __name__ == "__main__":
    run()
