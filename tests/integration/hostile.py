"""Hostile peers, as a process of their own: `python -m tests.integration.hostile KIND PORT`.

It prints `ready` when it is at work, and works until its standard input is closed, or for MOST_ROUNDS rounds. Nothing
in here uses our code for the network: these are bare sockets. The later ones attack what stands behind it: the data
path and the administration.
"""

import contextlib
import random
import select
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from itertools import cycle

from ottla.protocol.api_keys import BY_KEY
from ottla.protocol.codec.message import Message
from ottla.protocol.framing import framed
from ottla.protocol.headers import write_request_header
from ottla.protocol.messages.cluster import MetadataRequest
from ottla.protocol.messages.configs import (
    DescribeConfigsRequest,
    DescribeConfigsRequest_DescribeConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequest_AlterableConfig,
    IncrementalAlterConfigsRequest_AlterConfigsResource,
)
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchRequest_FetchPartition, FetchRequest_FetchTopic
from ottla.protocol.messages.topics import CreateTopicsRequest, CreateTopicsRequest_CreatableTopic
from ottla.protocol.messages.transactions import InitProducerIdRequest
from tests.integration.lying_batches import BOMBS, LIES, batch
from tests.integration.raw_client import produce_request

MOST_ROUNDS = 20_000
OPEN_AT_ONCE = 50
PIPELINE = 100_000
METADATA = struct.pack(">ihhih", 14, 3, 1, 7, -1) + struct.pack(">i", -1)  # all topics, in version 1

Round = Iterator[None]


def connect(port: int) -> socket.socket:
    """A connection."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.settimeout(0.5)
    return connection


def send_and_close(port: int, data: bytes) -> None:
    """Send this, look whether there is an answer, and go."""
    with connect(port) as connection:
        try:
            connection.sendall(data)
            connection.recv(1024)
        except OSError:
            return


def random_bytes(port: int) -> Round:
    """Bytes without any sense."""
    rng = random.Random(1)
    while True:
        send_and_close(port, rng.randbytes(rng.choice([1, 4, 5, 100, 5_000])))
        yield


def mutated_frames(port: int) -> Round:
    """A good request with a few bytes of it changed."""
    rng = random.Random(2)
    while True:
        data = bytearray(METADATA * 3)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        send_and_close(port, bytes(data))
        yield


def absurd_lengths(port: int) -> Round:
    """Frames that announce nothing, less than nothing, or two gigabytes."""
    while True:
        for length in (-1, -(1 << 31), 0, (1 << 31) - 1, 104_857_601):
            send_and_close(port, struct.pack(">i", length) + bytes(100))
            yield


def half_frames(port: int) -> Round:
    """Connections that begin a large frame and then say nothing more."""
    kept: list[socket.socket] = []
    while True:
        connection = connect(port)
        connection.sendall(struct.pack(">i", 50_000_000) + bytes(3_000))
        kept.append(connection)
        if len(kept) > OPEN_AT_ONCE:
            kept.pop(0).close()
        yield


def pipelines(port: int) -> Round:
    """Very many requests on a connection that never reads an answer."""
    kept: list[socket.socket] = []
    while True:
        connection = connect(port)
        connection.settimeout(0.05)
        try:
            connection.sendall(METADATA * PIPELINE)
        except OSError:
            kept.append(connection)  # held up, as it should be
        if len(kept) > OPEN_AT_ONCE:
            kept.pop(0).close()
        yield


def slow_readers(port: int) -> Round:
    """Connections that read their answers a byte at a time."""
    kept = [connect(port) for _ in range(OPEN_AT_ONCE)]
    for connection in kept:
        connection.setblocking(False)
    while True:
        for connection in kept:
            with contextlib.suppress(OSError):
                connection.send(METADATA * 100)
            with contextlib.suppress(OSError):
                connection.recv(1)
        select.select([], [], [], 0.01)
        yield


def tls_garbage(port: int) -> Round:
    """The beginning of a TLS handshake, and nonsense behind it."""
    rng = random.Random(3)
    while True:
        send_and_close(port, b"\x16\x03\x01\x02\x00\x01" + rng.randbytes(rng.choice([3, 200, 600])))
        yield


# The data path


def frame(request: Message, version: int) -> bytes:
    """A request as it goes over the wire."""
    assert request.KEY is not None
    return b"".join(framed(write_request_header(BY_KEY[request.KEY], version, 7, None), request.write(version)))


def lies(port: int) -> Round:
    """Batches that lie, one after the other, on one connection as long as it lasts."""
    frames = [frame(produce_request("orders", {0: make(), 1: batch()}), 12) for make in LIES.values()]
    for data in cycle(frames):
        send_and_close(port, data)
        yield


def bombs(port: int) -> Round:
    """Batches that decompress to gigabytes, pipelined; nobody reads the answers."""
    frames = [frame(produce_request("orders", {0: make()}), 12) for make in BOMBS.values()]
    kept: list[socket.socket] = []
    for data in cycle(frames):
        connection = connect(port)
        with contextlib.suppress(OSError):
            connection.sendall(data * 2)
        kept.append(connection)
        yield
        if len(kept) > 3:
            kept.pop(0).close()


def half_produces(port: int) -> Round:
    """Produce requests, acknowledged or not, whose sender closes in the middle of them or right behind."""
    whole = [frame(produce_request("orders", {0: batch()}, acks), 12) for acks in (0, 1, -1)]
    rng = random.Random(4)
    for data in cycle(whole):
        with connect(port) as connection:
            connection.sendall(data[: rng.choice([5, 30, len(data) - 1, len(data)])])
        yield


def fetch(partitions: range, *, max_wait_ms: int = 0, min_bytes: int = 0) -> FetchRequest:
    """A fetch of a topic."""
    asked = [FetchRequest_FetchPartition(index, fetch_offset=0, partition_max_bytes=2**31 - 1) for index in partitions]
    topics = [FetchRequest_FetchTopic("orders", partitions=asked)]
    return FetchRequest(max_wait_ms=max_wait_ms, min_bytes=min_bytes, max_bytes=2**31 - 1, topics=topics)


def parked_fetches(port: int) -> Round:
    """Fetches that would wait for days for more than will ever come, and are left alone."""
    waiting = frame(fetch(range(3), max_wait_ms=2**31 - 1, min_bytes=2**31 - 1), 12) * 80
    kept: list[socket.socket] = []
    while True:
        connection = connect(port)
        connection.sendall(waiting)
        kept.append(connection)
        if len(kept) > OPEN_AT_ONCE:
            kept.pop(0).close()
        yield


def wide_fetches(port: int) -> Round:
    """Fetches of partitions that are not there, by the million, and of as many as are allowed, with a session each."""
    too_many = frame(fetch(range(1_000_000)), 12)
    many = frame(fetch(range(4_000)), 12)  # what Kafka advises as a broker's most
    while True:
        send_and_close(port, too_many)
        yield
        for _ in range(20):
            send_and_close(port, many)
            yield


def greedy_readers(port: int) -> Round:
    """Fetches of everything, two gigabytes at once, by who reads hardly anything of it."""
    everything = frame(fetch(range(3)), 12)
    kept = [connect(port) for _ in range(OPEN_AT_ONCE)]
    for connection in kept:
        connection.setblocking(False)
    while True:
        for connection in kept:
            with contextlib.suppress(OSError):
                connection.send(everything)
            with contextlib.suppress(OSError):
                connection.recv(1)
        select.select([], [], [], 0.01)
        yield


# The administration


def silly_admins(port: int) -> Round:
    """Too many partitions, topics that cannot be, settings that are none, ids by the thousand."""
    topics = [CreateTopicsRequest_CreatableTopic(name, 2**31 - 1, 1) for name in ("", "..", "a/b", "x" * 300, "vast")]
    garbage = [
        IncrementalAlterConfigsRequest_AlterableConfig(f"none-{number}", 0, "9" * 300) for number in range(1_000)
    ]
    altered = IncrementalAlterConfigsRequest_AlterConfigsResource(2, "orders", garbage)
    described = [DescribeConfigsRequest_DescribeConfigsResource(2, f"none-{number}") for number in range(3_000)]
    unknown = [MetadataRequest.MetadataRequestTopic(name=f"none-{number}") for number in range(3_000)]
    frames = [
        frame(CreateTopicsRequest(topics, timeout_ms=1_000), 5),
        frame(IncrementalAlterConfigsRequest([altered]), 1),
        frame(DescribeConfigsRequest(described), 4),
        frame(MetadataRequest(topics=unknown), 9),
        frame(InitProducerIdRequest(None, 1_000), 4) * 200,
    ]
    for data in cycle(frames):
        send_and_close(port, data)
        yield


KINDS: dict[str, Callable[[int], Round]] = {
    "random-bytes": random_bytes,
    "mutated-frames": mutated_frames,
    "absurd-lengths": absurd_lengths,
    "half-frames": half_frames,
    "pipelines": pipelines,
    "slow-readers": slow_readers,
    "tls-garbage": tls_garbage,
    "lies": lies,
    "bombs": bombs,
    "half-produces": half_produces,
    "parked-fetches": parked_fetches,
    "wide-fetches": wide_fetches,
    "greedy-readers": greedy_readers,
    "silly-admins": silly_admins,
}


def main(kind: str, port: int) -> None:
    """The program."""
    for number, _ in enumerate(KINDS[kind](port)):
        if number == 0:
            sys.stdout.write("ready\n")
            sys.stdout.flush()
        if number == MOST_ROUNDS or select.select([sys.stdin], [], [], 0)[0]:
            break


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
