"""Hostile peers, as a process of their own: `python -m tests.integration.hostile KIND PORT`.

It prints `ready` when it is at work, and works until its standard input is closed, or for MOST_ROUNDS rounds. Nothing
in here uses our code for the network: these are bare sockets.
"""

import contextlib
import random
import select
import socket
import struct
import sys
from collections.abc import Callable, Iterator

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


KINDS: dict[str, Callable[[int], Round]] = {
    "random-bytes": random_bytes,
    "mutated-frames": mutated_frames,
    "absurd-lengths": absurd_lengths,
    "half-frames": half_frames,
    "pipelines": pipelines,
    "slow-readers": slow_readers,
    "tls-garbage": tls_garbage,
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
