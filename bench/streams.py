"""Streams of the real network over loopback: echoes a second, what a sent gigabyte costs the sender, idle connections.

The peers are another process, made with plain sockets, so that what is measured here is one end alone: CPU time of this
process for sending, its resident memory for connections that do nothing. Run it by `python -m bench.streams`.
"""

import asyncio
import itertools
import multiprocessing
import os
import resource
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import uvloop

from bench.measure import table
from ottla.world.api import Address, Chunk, FileRange, Listener, Receiver, Stream, TlsSettings
from ottla.world.real.run import run as run_world
from ottla.world.real.world import RealWorld

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "uvloop": uvloop.new_event_loop,
    "asyncio": asyncio.new_event_loop,
}
ECHO_SECONDS = 2.0
ECHO_BYTES = 100
ANSWER_BYTES = 1_000_000
SENT_BYTES = 1_000_000_000
FILE_BYTES = 500_000_000  # more than the caches of a processor hold
ANSWERS = ("range", "read and write")
IDLE = 10_000
IDLE_OVER_TLS = 2_000
SHARED = memoryview(bytearray(262_144))


class End(Receiver):
    """A receiver that asks for nothing; all of them share a buffer."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    def buffer(self) -> memoryview:
        """The shared one."""
        return SHARED

    def received(self, count: int) -> None:
        """Nothing."""

    def ended(self) -> None:
        """Close as well."""
        self.stream.close()

    def writing_paused(self) -> None:
        """Nothing."""

    def writing_resumed(self) -> None:
        """Nothing."""

    def closed(self, error: Exception | None) -> None:
        """Nothing."""


class EchoEnd(End):
    """Sends back what comes."""

    def received(self, count: int) -> None:
        """Send it back."""
        self.stream.write([bytes(SHARED[:count])])


class AnsweringEnd(End):
    """Sends an answer again and again, for as long as the peer takes it, until so much has been sent."""

    def __init__(self, stream: Stream, answer: Callable[[], Chunk]) -> None:
        super().__init__(stream)
        self.answer, self.left_bytes = answer, SENT_BYTES
        stream.set_write_limits(high=ANSWER_BYTES // 2, low=0)
        self.send()

    def send(self) -> None:
        """One more answer, or the end."""
        if self.left_bytes > 0:
            self.left_bytes -= ANSWER_BYTES
            self.stream.write([b"head", self.answer()])
        else:
            self.stream.close()

    def writing_resumed(self) -> None:
        """The last one is gone."""
        self.send()

    def received(self, count: int) -> None:
        """The peer asks for the next one: what was sent last never filled the socket."""
        if not self.stream.unsent_bytes():
            self.send()


def run() -> None:
    """Print all tables."""
    with tempfile.TemporaryDirectory() as folder:
        tls = _certificate(Path(folder))
        kinds = [(loop, settings) for settings in (None, tls) for loop in LOOPS]
        rows = [[f"{loop}, {_name(settings)}", *_fresh(_echo, loop, settings)] for loop, settings in kinds]
        table(
            "Echo of 100 bytes over loopback",
            ["loop", "1 connection /s", "CPU us", "16 connections /s", "CPU us"],
            rows,
        )
        path = Path(folder) / "file"
        with path.open("wb") as file:
            for _ in range(FILE_BYTES // ANSWER_BYTES):
                file.write(os.urandom(ANSWER_BYTES))
        rows = [
            [f"{loop}, {_name(settings)}, {kind}", *_fresh(_gigabyte, loop, str(path), kind, settings)]
            for loop, settings in kinds
            for kind in ANSWERS
        ]
        table("Sending 1 GB of a cached file in answers of 1 MB", ["how", "CPU s", "MB/s"], rows)
        rows = []
        for loop, settings in kinds:
            count = IDLE if settings is None else IDLE_OVER_TLS
            rows.append([f"{loop}, {_name(settings)}", f"{count:,}", _fresh(_idle, loop, settings, count)])
        table("Idle connections", ["loop", "connections", "bytes each"], rows)


def _name(tls: TlsSettings | None) -> str:
    return "plain" if tls is None else "TLS"


def _fresh(measure: Callable[..., Any], *arguments: Any) -> Any:
    """Measure in a process of its own, whose memory nobody has used before."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as pool:
        return pool.submit(measure, *arguments).result()


def _serve(
    loop: str,
    accept: Callable[[RealWorld], Callable[[Stream], Receiver]],
    tls: TlsSettings | None,
    peer: Callable[..., None],
    *arguments: Any,
    measured: Callable[[RealWorld, Connection], Any],
) -> Any:
    """Listen here, run the peer elsewhere, and give back what was measured."""

    async def main(world: RealWorld) -> Any:
        listener: Listener = await world.network.listen(Address("127.0.0.1", 0), accept(world), tls=tls, backlog=1_024)
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=peer, args=(theirs, listener.address.port, tls is not None, *arguments)
        )
        process.start()
        try:
            return await measured(world, ours)
        finally:
            ours.send("end")
            await world.threads.run(process.join)

    return run_world(main, loop_factory=LOOPS[loop])


async def _told(world: RealWorld, pipe: Connection) -> Any:
    return await world.threads.run(pipe.recv)


def _echo(loop: str, tls: TlsSettings | None) -> list[str]:
    async def measured(world: RealWorld, pipe: Connection) -> Any:
        row = []
        for _ in range(2):
            used = time.process_time()
            answers, rate = await _told(world, pipe)
            row += [f"{rate:,.0f}", f"{(time.process_time() - used) / answers * 1e6:.1f}"]
        return row

    row: list[str] = _serve(loop, lambda _: EchoEnd, tls, _echo_peer, measured=measured)
    return row


def _echo_peer(pipe: Connection, port: int, tls: bool) -> None:
    for count in (1, 16):
        connections = [_connect(port, tls) for _ in range(count)]
        message, answers = bytes(ECHO_BYTES), 0
        start = time.perf_counter()
        while time.perf_counter() - start < ECHO_SECONDS:
            for connection in connections:
                connection.sendall(message)
            for connection in connections:
                got = 0
                while got < ECHO_BYTES:
                    got += len(connection.recv(ECHO_BYTES))
            answers += count
        pipe.send((answers, answers / (time.perf_counter() - start)))


def _gigabyte(loop: str, path: str, kind: str, tls: TlsSettings | None) -> list[str]:
    def accept(world: RealWorld) -> Callable[[Stream], Receiver]:
        file = world.disk.open(path, read_only=True)
        positions = itertools.cycle(range(0, FILE_BYTES, ANSWER_BYTES))

        def answer() -> Chunk:
            if kind == "range":
                return FileRange(file, next(positions), ANSWER_BYTES)
            return file.read(next(positions), ANSWER_BYTES)

        return lambda stream: AnsweringEnd(stream, answer)

    async def measured(world: RealWorld, pipe: Connection) -> Any:
        await _told(world, pipe)
        used, start = time.process_time(), time.perf_counter()
        pipe.send("begin")
        await _told(world, pipe)
        return time.process_time() - used, time.perf_counter() - start

    used, took = _serve(loop, accept, tls, _reading_peer, measured=measured)
    return [f"{used:.3f}", f"{SENT_BYTES / took / 1e6:,.0f}"]


def _reading_peer(pipe: Connection, port: int, tls: bool) -> None:
    pipe.send("ready")
    pipe.recv()
    connection, buffer, got = _connect(port, tls), bytearray(1_048_576), 0
    next_answer = ANSWER_BYTES + 4
    while count := connection.recv_into(buffer):
        got += count
        if got >= next_answer:
            connection.sendall(b"next")
            next_answer += ANSWER_BYTES + 4
    pipe.send("done")


def _idle(loop: str, tls: TlsSettings | None, count: int) -> str:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count + 200:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 200), hard))

    async def measured(world: RealWorld, pipe: Connection) -> Any:
        await _told(world, pipe)  # a hundred are there: what is made once is made
        before = _resident_bytes()
        pipe.send("more")
        await _told(world, pipe)
        return (_resident_bytes() - before) / count

    return f"{_serve(loop, lambda _: EchoEnd, tls, _idle_peer, count, measured=measured):,.0f}"


def _idle_peer(pipe: Connection, port: int, tls: bool, count: int) -> None:
    connections = []
    for number in (100, count):
        for _ in range(number):
            connections.append(_connect(port, tls))
            connections[-1].sendall(b"once")
            connections[-1].recv(100)
        pipe.send("connected")
        pipe.recv()


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _connect(port: int, tls: bool) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not tls:
        return connection
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(connection)


def _certificate(folder: Path) -> TlsSettings:
    chain, key = str(folder / "chain.pem"), str(folder / "key.pem")
    subprocess.run(  # noqa: S603 -- all of it is written here
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",  # noqa: S607
         "-subj", "/CN=localhost", "-keyout", key, "-out", chain],
        check=True, capture_output=True,
    )  # fmt: skip
    return TlsSettings(certificate_chain=chain, private_key=key)


if __name__ == "__main__":
    run()
