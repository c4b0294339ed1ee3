"""Hostile peers cost themselves alone: well-behaved clients go on, memory stays bounded, nothing is complained about.

The well-behaved ask for metadata, produce a record, or fetch one, each again as soon as it is answered. That nothing is
complained about is seen when the node ends: what it wrote to its standard error fails the test.
"""

import contextlib
import resource
import selectors
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.protocol.messages.produce_fetch import FetchRequest, FetchRequest_FetchPartition, FetchRequest_FetchTopic
from tests.integration.hostile import KINDS, METADATA, frame
from tests.integration.lying_batches import batch
from tests.integration.nodes import NodeProcess, node_process
from tests.integration.raw_client import produce_request
from tests.integration.world.certificates import new_authority

ROOT = Path(__file__).parents[2]
CLIENTS = 20
REQUESTS = 6_000
MOST_TIMES_SLOWER = 10
TIMES_OF_KIND = {"bombs": 40}  # threads decompress on the same two processors, and give back 128 MB at once
TRIES = 3
IDLE = 10_000
IDLE_BYTES = 8 * 1024
MEMORY_BYTES = 64 * 1024 * 1024  # what any crowd of hostile peers may cost
OF_KIND = {  # what some may: decompressing, and what waits for that; half a million partitions in fetch sessions
    "bombs": 768 * 1024 * 1024,
    "wide-fetches": 256 * 1024 * 1024,
}

PRODUCE = frame(produce_request("payments", {0: batch()}), 12)
FETCH = frame(
    FetchRequest(
        max_bytes=1_000,
        session_epoch=-1,
        topics=[
            FetchRequest_FetchTopic("payments", partitions=[FetchRequest_FetchPartition(0, partition_max_bytes=100)])
        ],
    ),
    12,
)
ASKED = (METADATA, PRODUCE, FETCH)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    """A node for all of them, plain and with TLS."""
    authority = new_authority(tmp_path_factory.mktemp("certificates"), "ours").settings("server")
    store = tmp_path_factory.mktemp("store") / "node.pem"
    assert isinstance(authority.private_key, str)
    assert isinstance(authority.certificate_chain, str)
    store.write_text(Path(authority.private_key).read_text() + Path(authority.certificate_chain).read_text())
    settings = {
        "listeners": "PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SSL:SSL,CONTROLLER:PLAINTEXT",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(store),
    }
    with node_process(**settings) as node:
        yield node


def p99_s(node: NodeProcess) -> float:
    """The 99th percentile of what CLIENTS well-behaved clients wait for an answer, each asking again at once."""
    times: list[float] = []
    with contextlib.ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        began: dict[int, float] = {}
        rests: dict[int, bytes] = {}
        asks: dict[int, bytes] = {}
        for number in range(CLIENTS):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", node.ports["PLAINTEXT"]), timeout=30))
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(client, selectors.EVENT_READ, client)
            began[client.fileno()], rests[client.fileno()] = time.perf_counter(), b""
            asks[client.fileno()] = ASKED[number % len(ASKED)]
            client.sendall(asks[client.fileno()])
        while len(times) < REQUESTS:
            for key, _ in selector.select(30):
                data = rests[key.fd] + key.data.recv(65536)
                if len(data) >= 4 and len(data) == 4 + struct.unpack_from(">i", data)[0]:
                    times.append(time.perf_counter() - began[key.fd])
                    began[key.fd], data = time.perf_counter(), b""
                    key.data.sendall(asks[key.fd])
                rests[key.fd] = data
    return sorted(times)[REQUESTS * 99 // 100]


@contextlib.contextmanager
def hostile(kind: str, port: int) -> Iterator[None]:
    """Have a hostile process at work."""
    command = [sys.executable, "-m", "tests.integration.hostile", kind, str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield
        assert process.poll() is None, "it gave up before we had measured"
    finally:
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.mark.parametrize("kind", KINDS)
def test_well_behaved_clients_go_on(node: NodeProcess, kind: str) -> None:
    """Beside a hostile peer the p99 of others is at most so many times what it was, and memory stays bounded."""
    port = node.ports["SSL" if kind == "tls-garbage" else "PLAINTEXT"]
    ratios = []
    p99_s(node)  # there is something to fetch from now on
    for _ in range(TRIES):
        alone = p99_s(node)
        before = node.resident_bytes()
        with hostile(kind, port):
            ratios.append(p99_s(node) / alone)
            assert node.resident_bytes() - before < OF_KIND.get(kind, MEMORY_BYTES)
        if ratios[-1] <= TIMES_OF_KIND.get(kind, MOST_TIMES_SLOWER):
            return
    raise AssertionError(f"others wait {ratios} times as long beside {kind}")


def test_ten_thousand_idle_connections() -> None:
    """Ten thousand connections that ask once and then nothing cost at most 8 KB each, and nobody waits for them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = IDLE + 200
    assert hard == resource.RLIM_INFINITY or hard >= wanted, f"this test opens {wanted} files, and may open {hard}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    with node_process() as node:  # one that nobody has attacked: what those left in its memory moves
        _hold_idle_connections(node)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _hold_idle_connections(node: NodeProcess) -> None:
    alone = p99_s(node)
    before = node.resident_bytes()
    with contextlib.ExitStack() as stack:
        for _ in range(IDLE):
            connection = socket.create_connection(("127.0.0.1", node.ports["PLAINTEXT"]), timeout=30)
            stack.enter_context(connection)
            connection.sendall(METADATA)
            assert connection.recv(65536)
        assert (node.resident_bytes() - before) / IDLE <= IDLE_BYTES
        assert min(p99_s(node) for _ in range(TRIES)) / alone <= MOST_TIMES_SLOWER
