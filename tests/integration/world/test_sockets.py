"""What only real sockets show: families and options, half-closed peers, resets, exhausted descriptors, no leftovers."""

import asyncio
import errno
import gc
import logging
import os
import resource
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from ottla.errors import AddressInUse, ConnectFailed, ConnectionLost, DiskError
from ottla.world.api import Address, FileRange, SocketBuffers, Stream, World
from ottla.world.real import file_ranges
from ottla.world.real import listener as listener_module
from ottla.world.real.network import RealNetwork
from ottla.world.real.run import run as run_world
from ottla.world.real.stream import RealStream
from tests.conformance.peers import CLOSED, ENDED, HOST, QUIET_MS, Accepting, Echo, Recorder, connected
from tests.integration.world.certificates import new_authority
from tests.integration.world.loops import LOOPS, run_on

ANY = Address(HOST, 0)


@pytest.fixture(params=LOOPS)
def loop(request: pytest.FixtureRequest) -> str:
    """Each kind of event loop."""
    return cast("str", request.param)


async def connect(world: World, address: Address) -> Recorder:
    """Connect, and give back the end."""
    ends: list[Recorder] = []

    def receiver(stream: Stream) -> Recorder:
        ends.append(Recorder(world, stream))
        return ends[0]

    await world.network.connect(address, receiver)
    return ends[0]


def test_every_interface_is_ipv4_and_ipv6(loop: str) -> None:
    """A listener without a host has one port on every interface, in both families."""

    async def main(world: World) -> None:
        accepting = Accepting(world, Echo)
        listener = await world.network.listen(Address("", 0), accepting)
        assert listener.address.host == ""
        for host in (HOST, "::1", "127.0.0.2", "localhost"):
            end = await connect(world, Address(host, listener.address.port))
            end.stream.write([b"hello"])
            await end.until_data(5)
        assert [end.stream.local.host for end in accepting.accepted] == [HOST, "::1", "127.0.0.2", HOST]
        assert str(accepting.accepted[1].stream.local) == f"[::1]:{listener.address.port}"
        with pytest.raises(AddressInUse):
            await world.network.listen(Address("::1", listener.address.port), accepting)

    run_on(loop, main)


def test_an_address_of_somebody_else_cannot_be_bound(loop: str) -> None:
    """Addresses that this machine does not have, and names without one, are AddressInUse, which says why."""

    async def main(world: World) -> None:
        for host in ("192.0.2.1", "no-such-host.invalid"):
            with pytest.raises(AddressInUse, match=host):
                await world.network.listen(Address(host, 0), Accepting(world))

    run_on(loop, main)


def test_options_of_sockets(loop: str) -> None:
    """Both ends send small writes at once, find out dead peers, and have buffers of the size that was asked for."""

    async def main(world: World) -> None:
        accepting = Accepting(world)
        buffers = SocketBuffers(send_bytes=100_000, receive_bytes=50_000)
        listener = await world.network.listen(ANY, accepting, buffers=buffers)
        client = await world.network.connect(listener.address, lambda stream: Recorder(world, stream), buffers=buffers)
        server = (await accepting.until_accepted(1))[0].stream
        for stream in (client, server):
            option = cast("RealStream", stream)._socket.getsockopt
            assert option(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert option(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert option(socket.SOL_SOCKET, socket.SO_SNDBUF) == 200_000  # Linux doubles it, for its own bookkeeping.
            assert option(socket.SOL_SOCKET, socket.SO_RCVBUF) == 100_000

    run_on(loop, main)


def test_a_peer_that_has_ended_may_still_be_answered(loop: str) -> None:
    """A peer that has closed its side alone gets everything that is written afterwards."""

    async def main(world: World) -> None:
        accepting = Accepting(world)
        listener = await world.network.listen(ANY, accepting)
        with socket.create_connection((listener.address.host, listener.address.port)) as peer:
            peer.setblocking(False)
            peer.send(b"question")
            peer.shutdown(socket.SHUT_WR)
            server = (await accepting.until_accepted(1))[0]
            await server.until_event(ENDED)
            assert server.data == b"question"
            answer = world.rng.randbytes(3_000_000)
            server.stream.write([answer])
            server.stream.close()
            got = bytearray()
            while piece := await asyncio.get_running_loop().sock_recv(peer, 100_000):
                got += piece
            assert got == answer
            await server.until_event(CLOSED)
            assert server.error is None

    run_on(loop, main)


def test_a_reset_is_told(loop: str) -> None:
    """A peer that resets the connection is ConnectionLost with the peer's address, without a word in the log."""

    async def main(world: World) -> None:
        accepting = Accepting(world)
        listener = await world.network.listen(ANY, accepting)
        with socket.create_connection((listener.address.host, listener.address.port)) as peer:
            server = (await accepting.until_accepted(1))[0]
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await server.until_event(CLOSED)
        assert isinstance(server.error, ConnectionLost)
        assert str(server.stream.peer) in str(server.error)
        assert server.events == [CLOSED]

    run_on(loop, main)


def test_close_does_not_reset_what_the_peer_has_not_read(loop: str) -> None:
    """An answer arrives though the connection is closed behind it while requests of the peer lie unread."""

    async def main(world: World) -> None:
        pair = await connected(world)
        pair.server.stream.pause_reading()
        pair.client.stream.write([bytes(50_000)])
        await world.clock.sleep(QUIET_MS)
        pair.client.stream.pause_reading()
        pair.server.stream.write([b"the answer"])
        pair.server.stream.close()
        await pair.server.until_event(CLOSED)
        pair.client.stream.resume_reading()
        await pair.client.until_event(ENDED)
        assert pair.client.data == b"the answer"

    run_on(loop, main)


def test_exhausted_descriptors_pause_a_listener(loop: str, caplog: pytest.LogCaptureFixture) -> None:
    """While the system has no descriptor left connections wait, at no cost; afterwards they are served."""

    async def main(world: World) -> None:
        accepting = Accepting(world, Echo)
        listener = await world.network.listen(ANY, accepting)
        peers = [socket.socket() for _ in range(5)]
        with _no_more_descriptors():
            for peer in peers:
                peer.connect((listener.address.host, listener.address.port))
                peer.send(b"hello")
            used = time.process_time()
            await world.clock.sleep(250)
            assert time.process_time() - used < 0.15
            assert accepting.accepted == []
        for receiver in await accepting.until_accepted(5):
            assert await receiver.until_data(5) == b"hello"
        for peer in peers:
            peer.close()

    run_on(loop, main)
    assert 1 <= len(caplog.records) <= 4
    for record in caplog.records:
        assert (record.levelno, record.exc_info) == (logging.WARNING, None)
        assert os.strerror(errno.EMFILE) in record.getMessage()


def test_nothing_is_left_behind(loop: str, tmp_path: Path) -> None:
    """A world that ends with listeners, connections, connecting and waiting ranges leaves no descriptor open."""

    async def main(world: World) -> None:
        file = world.disk.open(str(tmp_path / "file"), create=True)
        file.truncate(5_000_000)
        pair = await connected(world)
        pair.server.stream.pause_reading()
        pair.client.stream.write([FileRange(file, 0, 5_000_000)])
        full = await world.network.listen(ANY, Accepting(world), backlog=1)
        full.pause()
        for number in range(6):
            world.spawn(world.network.connect(full.address, lambda stream: Recorder(world, stream)), f"{number}")
        await world.clock.sleep(QUIET_MS)

    run_on(loop, main)
    before = _open_descriptors()
    run_on(loop, main)
    assert _open_descriptors() <= before


def test_a_platform_without_sendfile_copies(loop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system cannot send files by itself, the bytes are read and written, in the same order."""
    monkeypatch.setattr(file_ranges, "_sendfile", None)

    async def main(world: World) -> None:
        content = world.rng.randbytes(3_000_000)
        file = world.disk.open(str(tmp_path / "file"), create=True)
        file.write(0, [content])
        pair = await connected(world)
        pair.client.stream.write([b"a", FileRange(file, 0, 3_000_000), b"b", FileRange(file, 5, 10), b"c"])
        expected = b"a" + content + b"b" + content[5:15] + b"c"
        assert await pair.server.until_data(len(expected)) == expected

    run_on(loop, main)


def test_a_disk_that_does_not_give_a_range_ends_the_connection(loop: str) -> None:
    """A file that cannot be read is DiskError for the receiver, and the peer sees the connection end."""

    async def main(world: World) -> None:
        file = world.disk.open("/proc/self/mem", read_only=True)  # Its first page is nobody's: reading it is EIO.
        pair = await connected(world)
        pair.client.stream.write([b"before", FileRange(file, 0, 10)])
        await pair.client.until_event(CLOSED)
        assert isinstance(pair.client.error, DiskError)
        assert "/proc/self/mem" in str(pair.client.error)
        await pair.server.until_gone()

    run_on(loop, main)


class TwoAddresses(asyncio.SelectorEventLoop):
    """A loop whose resolver knows one name, with an IPv6 address and an IPv4 address."""

    async def getaddrinfo(self, host: Any, port: Any, **_: Any) -> Any:
        """The name has both; the resolver prefers IPv6, as most do."""
        assert host == "two-addresses"
        kind = (socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
        return [(socket.AF_INET6, *kind, ("::1", port, 0, 0)), (socket.AF_INET, *kind, (HOST, port))]


def test_addresses_of_a_name_are_tried_in_turn() -> None:
    """A name's IPv4 address is tried first and its IPv6 address next; a failure tells of all."""

    async def main(world: World) -> None:
        accepting = Accepting(world, Echo)
        newer = await world.network.listen(Address("::1", 0), accepting)
        name = Address("two-addresses", newer.address.port)
        assert (await connect(world, name)).stream.peer.host == "::1"
        older = await world.network.listen(Address(HOST, newer.address.port), accepting)
        assert (await connect(world, name)).stream.peer.host == HOST
        await older.close()
        await newer.close()
        with pytest.raises(
            ConnectFailed, match=f"two-addresses:{newer.address.port}: {os.strerror(errno.ECONNREFUSED)}"
        ):
            await connect(world, name)
        both = await world.network.listen(Address("two-addresses", 0), accepting)
        for host in (HOST, "::1"):
            assert (await connect(world, Address(host, both.address.port))).stream.peer.host == host

    run_world(main, loop_factory=TwoAddresses)


@pytest.mark.parametrize("ending", ["close", "abort", "pause_reading"])
def test_a_stream_may_be_stopped_while_it_asks_for_a_buffer(loop: str, ending: str) -> None:
    """Closing, aborting or pausing inside of `buffer` is done as soon as the transport can bear it."""

    class Leaving(Recorder):
        def buffer(self) -> memoryview:
            getattr(self.stream, ending)()
            return super().buffer()

    async def main(world: World) -> None:
        pair = await connected(world, server=lambda world, stream: Leaving(world, stream, buffer_bytes=10))
        pair.client.stream.write([bytes(1_000)])
        if ending == "pause_reading":
            await pair.server.until_data(10)
            await world.clock.sleep(QUIET_MS)
            assert len(pair.server.data) == 10
        else:
            await pair.server.until_event(CLOSED)
            assert pair.server.error is None
            assert pair.server.data == b""

    run_on(loop, main)


def test_silent_clients_of_a_listener_are_bounded(loop: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only so many handshakes go on at once; who comes later waits in the backlog until some are over."""
    monkeypatch.setattr(listener_module, "MOST_OPENING", 3)
    authority = new_authority(tmp_path, "ours")

    async def main(world: World) -> None:
        network = RealNetwork(asyncio.get_running_loop(), lambda *_: None, handshake_timeout_ms=500)
        listener = await network.listen(ANY, Accepting(world, Echo), tls=authority.settings("server"))
        silent = [await connect(world, listener.address) for _ in range(5)]
        await world.clock.sleep(QUIET_MS)
        assert len(listener._opening) == 3
        ends: list[Recorder] = []

        def receiver(stream: Stream) -> Recorder:
            ends.append(Recorder(world, stream))
            return ends[0]

        stream = await network.connect(listener.address, receiver, tls=authority.anonymous())
        stream.write([b"hello"])
        assert await ends[0].until_data(5) == b"hello"
        for end in silent:
            await end.until_gone()
        assert not listener._opening
        await network.close()

    run_on(loop, main)


@contextmanager
def _no_more_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest_free = os.dup(0)
    os.close(lowest_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _open_descriptors() -> int:
    gc.collect()  # what earlier tests have dropped is theirs, and must not go between two counts
    return len(os.listdir("/proc/self/fd"))
