"""A node as clients see it: requests a second on 1, 16 and 200 connections, and what an idle connection costs it.

The node is a process of its own, and so is the crowd of clients, which are plain sockets: each keeps one Metadata
request under way, or eight. Beside it stands the same crowd at a bare echo of as many bytes on the same loop, which is
what a server in Python could do at best that reads nothing and knows nothing. CPU is the node's, from /proc.
"""

import os
import selectors
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.measure import table
from tests.integration.nodes import node_process

SECONDS = 2.0
CROWDS = ((1, 1), (1, 8), (16, 1), (16, 8), (200, 1), (200, 8))  # connections, requests under way on each
IDLE = 5_000
ROOT = Path(__file__).parents[1]
TICKS = os.sysconf("SC_CLK_TCK")


def metadata_request() -> bytes:
    """Brokers and no topics, in version 1: a small question with a small answer."""
    body = struct.pack(">hhih", 3, 1, 7, -1) + struct.pack(">i", 0)
    return struct.pack(">i", len(body)) + body


def cpu_seconds(pid: int) -> float:
    """What a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_bytes(pid: int) -> int:
    """What a process has in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def crowd(port: int, connections: int, under_way: int, answer_bytes: int) -> float:
    """Requests a second of so many clients, in this process."""
    selector = selectors.DefaultSelector()
    question = metadata_request()
    with ExitStack() as stack:
        rests: dict[int, int] = {}
        for _ in range(connections):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(client, selectors.EVENT_READ, client)
            client.sendall(question * under_way)
        answered = 0
        start = time.perf_counter()
        while (now := time.perf_counter()) - start < SECONDS:
            for key, _ in selector.select(0.1):
                peer = key.data
                whole, rests[key.fd] = divmod(rests.get(key.fd, 0) + len(peer.recv(65_536)), answer_bytes)
                answered += whole
                peer.sendall(question * whole)
    return answered / (now - start)


def answer_size(port: int) -> int:
    """How many bytes come back for one question."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(metadata_request())
        head = client.recv(65_536)
    return len(head)


@contextmanager
def bare_echo(size: int) -> Iterator[tuple[int, int]]:
    """A process that answers whatever comes with as many bytes as a node would; its pid and port."""
    command = [sys.executable, "-m", "bench.bare_echo", str(len(metadata_request())), str(size)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ourselves
    try:
        assert process.stdout is not None
        yield process.pid, int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()


def measured(pid: int, port: int, connections: int, under_way: int, size: int) -> tuple[float, float]:
    """Requests a second, and microseconds of the server's CPU for each."""
    before, start = cpu_seconds(pid), time.perf_counter()
    rate = crowd(port, connections, under_way, size)
    return rate, (cpu_seconds(pid) - before) / (rate * (time.perf_counter() - start)) * 1e6


def idle_bytes(pid: int, port: int) -> float:
    """What an idle connection costs, once it has asked something."""
    with ExitStack() as stack:
        before = resident_bytes(pid)
        for _ in range(IDLE):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            client.sendall(metadata_request())
            client.recv(65_536)
        return (resident_bytes(pid) - before) / IDLE


def run() -> None:
    """Print the tables."""
    with node_process() as node:
        pid, port = node.process.pid, node.ports["PLAINTEXT"]
        size = answer_size(port)
        rows = []
        with bare_echo(size) as (echo_pid, echo_port):
            for connections, under_way in CROWDS:
                ours, ours_us = measured(pid, port, connections, under_way, size)
                bare, bare_us = measured(echo_pid, echo_port, connections, under_way, size)
                figures = (f"{ours:,.0f}", f"{ours_us:.1f}", f"{bare:,.0f}", f"{bare_us:.1f}", f"{ours / bare:.2f}")
                rows.append((f"{connections} x {under_way}", *figures))
        heads = ("connections x under way", "node/s", "CPU us", "bare echo/s", "CPU us", "ratio")
        table("Metadata without topics, requests a second", heads, rows)
        table("An idle connection", ("", "bytes"), [("of a node", f"{idle_bytes(pid, port):,.0f}")])
