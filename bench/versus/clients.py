"""Clients that are nothing but a socket: what they cost is not the measure's concern."""

import selectors
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

SECONDS = 2.0


def connect(address: str) -> socket.socket:
    """A connection."""
    host, _, port = address.rpartition(":")
    client = socket.create_connection((host, int(port)))
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def receive(client: socket.socket) -> bytes:
    """One whole answer, its size left out."""
    data = b""
    while len(data) < 4 or len(data) < 4 + struct.unpack_from(">i", data)[0]:
        piece = client.recv(1 << 20)
        assert piece, "the broker has closed the connection"
        data += piece
    return data[4:]


@contextmanager
def ask(address: str) -> Iterator[Callable[[bytes], bytes]]:
    """A connection to ask over, one question after the other."""
    with connect(address) as client:

        def question(frame: bytes) -> bytes:
            client.sendall(frame)
            return receive(client)

        yield question


def crowd(address: str, frame: bytes, connections: int) -> float:
    """Requests a second of so many clients, each with one under way; all are answered with as many bytes."""
    selector = selectors.DefaultSelector()
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(address)) for _ in range(connections)]
        sizes = set()
        for client in clients:
            client.sendall(frame)
            sizes.add(len(receive(client)) + 4)
            client.sendall(frame)
            selector.register(client, selectors.EVENT_READ, client)
        (size,) = sizes
        missing = dict.fromkeys((client.fileno() for client in clients), size)
        answered, began = 0, time.perf_counter()
        while (now := time.perf_counter()) - began < SECONDS:
            for key, _ in selector.select(0.1):
                peer = key.data
                missing[key.fd] -= len(peer.recv(1 << 20))
                if not missing[key.fd]:
                    answered += 1
                    missing[key.fd] = size
                    peer.sendall(frame)
    return answered / (now - began)
