"""Small requests: one record each, on few and many connections; Metadata of many topics; connections that are idle."""

import struct
from collections.abc import Sequence
from contextlib import ExitStack

from confluent_kafka.cimpl import NewTopic

from bench.node import metadata_request
from bench.versus.clients import SECONDS, connect, crowd, receive
from bench.versus.contestants import Contestant, Figure, take_turns
from bench.versus.throughput import Row, drop
from ottla.protocol.messages.cluster import MetadataRequest
from ottla.protocol.messages.produce_fetch import (
    ProduceRequest,
    ProduceRequest_PartitionProduceData,
    ProduceRequest_TopicProduceData,
)
from ottla.protocol.records.builder import BatchBuilder, BatchFields

CROWDS = (1, 16, 200)
TOPICS = 1_000
IDLE = 1_000
TOPIC = "small"
PRODUCE_VERSION, METADATA_VERSION = 9, 12


def framed(key: int, version: int, body: bytes) -> bytes:
    """A request of a flexible version, as bytes on the wire."""
    head = struct.pack(">hhih", key, version, 1, 5) + b"bench" + b"\0"
    return struct.pack(">i", len(head) + len(body)) + head + body


def produce_request() -> bytes:
    """One record of a hundred bytes."""
    builder = BatchBuilder(BatchFields())
    builder.append(1_700_000_000_000, None, bytes(100))
    data = ProduceRequest_PartitionProduceData(0, memoryview(builder.build()))
    request = ProduceRequest(None, 1, 30_000, [ProduceRequest_TopicProduceData(TOPIC, partition_data=[data])])
    return framed(0, PRODUCE_VERSION, request.to_bytes(PRODUCE_VERSION))


def run(contestants: Sequence[Contestant]) -> list[Row]:
    """The rows."""
    rows: list[Row] = []
    for contestant in contestants:
        contestant.server.create_topics({TOPIC: {"message.timestamp.before.max.ms": str(2**63 - 1)}})
    for connections in CROWDS:
        rows.append(
            _requests(f"one record a request, {connections} connections", produce_request(), connections, contestants)
        )
    for contestant in contestants:
        admin = contestant.server.admin()
        made = admin.create_topics([NewTopic(f"many-{number}", 1, 1) for number in range(TOPICS)])
        for future in made.values():
            future.result()
    everything = framed(3, METADATA_VERSION, MetadataRequest(topics=None).to_bytes(METADATA_VERSION))
    rows.append(_requests(f"Metadata of {TOPICS:,} topics", everything, 4, contestants))
    for contestant in contestants:
        admin = contestant.server.admin()
        for future in admin.delete_topics([f"many-{number}" for number in range(TOPICS)]).values():
            future.result()
        drop(contestant, TOPIC)
    rows.append(("memory of an idle connection", "KB", take_turns(contestants, _idle), True))
    return rows


def _requests(name: str, frame: bytes, connections: int, contestants: Sequence[Contestant]) -> Row:
    def measure(contestant: Contestant, turn: int) -> Figure:
        del turn
        before = contestant.cpu_seconds()
        rate = crowd(contestant.address, frame, connections)
        return Figure(rate, (contestant.cpu_seconds() - before) / (rate * SECONDS) * 1e6)

    return name, "1/s", take_turns(contestants, measure), False


def _idle(contestant: Contestant, turn: int) -> Figure:
    del turn
    with ExitStack() as stack:
        before = contestant.resident_bytes()
        for _ in range(IDLE):
            client = stack.enter_context(connect(contestant.address))
            client.sendall(metadata_request())
            receive(client)
        return Figure(max(contestant.resident_bytes() - before, 0) / IDLE / 1e3)
