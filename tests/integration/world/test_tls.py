"""TLS on the real network: who believes whom, what a failed handshake costs, and certificates that are replaced."""

import asyncio
import dataclasses
import logging
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from ottla.errors import ConfigError, ConnectFailed, ConnectionLost
from ottla.world.api import Address, Listener, SocketBuffers, Stream, TlsSettings, World
from ottla.world.real.network import RealNetwork
from ottla.world.real.world import RealWorld
from tests.conformance import Run
from tests.conformance.peers import CLOSED, ENDED, HOST, Accepting, Echo, Recorder
from tests.conformance.streams import StreamConformance
from tests.integration.world.certificates import Authority, new_authority
from tests.integration.world.loops import LOOPS, run_on

T = TypeVar("T")
ANY = Address(HOST, 0)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """The authority that the tests believe in."""
    return new_authority(tmp_path_factory.mktemp("ours"), "ours")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Another one."""
    return new_authority(tmp_path_factory.mktemp("theirs"), "theirs")


@pytest.fixture(params=LOOPS)
def loop(request: pytest.FixtureRequest) -> str:
    """Each kind of event loop."""
    return cast("str", request.param)


class EncryptedNetwork:
    """A network on which everything goes over TLS."""

    def __init__(self, network: RealNetwork, authority: Authority) -> None:
        self.network, self.authority = network, authority
        self.close = network.close

    async def listen(self, address: Address, accept: Any, **settings: Any) -> Listener:
        """Listen with a certificate."""
        return await self.network.listen(address, accept, tls=self.authority.settings("server"), **settings)

    async def connect(self, address: Address, receiver: Any, **settings: Any) -> Stream:
        """Connect, believing the authority."""
        return await self.network.connect(address, receiver, tls=self.authority.anonymous(), **settings)


class TestStreamsOverTls(StreamConformance):
    """A stream over TLS does what every stream must do."""

    @pytest.fixture
    def run(self, loop: str, ours: Authority) -> Run:
        """A world whose network is encrypted."""

        def run(main: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
            async def encrypted(world: RealWorld) -> T:
                world.network = cast("RealNetwork", EncryptedNetwork(world.network, ours))
                return await main(world)

            return run_on(loop, encrypted)

        return run

    @pytest.fixture
    def folder(self, tmp_path: Path) -> str:
        """A path on the world's disk."""
        return str(tmp_path / "data")


async def connect(world: World, address: Address, tls: TlsSettings | None, **settings: Any) -> Recorder:
    """Connect, and give back the end."""
    ends: list[Recorder] = []

    def receiver(stream: Stream) -> Recorder:
        ends.append(Recorder(world, stream))
        return ends[0]

    await world.network.connect(address, receiver, tls=tls, **settings)
    return ends[0]


async def echoes(world: World, address: Address, tls: TlsSettings) -> Recorder:
    """Connect, and see that it works."""
    end = await connect(world, address, tls)
    end.stream.write([b"hello"])
    assert await end.until_data(5) == b"hello"
    return end


async def refused(world: World, address: Address, tls: TlsSettings) -> str:
    """Connect and see it fail: at once, or (in TLS 1.3, where the client is ready first) as soon as we read."""
    try:
        end = await connect(world, address, tls)
    except ConnectFailed as error:
        return str(error)
    await end.until_event(CLOSED)
    assert isinstance(end.error, ConnectionLost)
    assert end.data == b""
    return str(end.error)


@pytest.mark.parametrize("version", ["TLSv1.2", "TLSv1.3"])
def test_both_ends_may_demand_a_certificate(loop: str, ours: Authority, theirs: Authority, version: str) -> None:
    """With ssl.client.auth=required only clients of a trusted authority get in, and the stream knows who they are."""

    async def main(world: World) -> None:
        accepting = Accepting(world, Echo)
        demanding = ours.settings("server", client_authentication="required")
        listener = await world.network.listen(ANY, accepting, tls=demanding)
        own = dataclasses.replace(ours.settings("client"), enabled_protocols=(version,))
        end = await echoes(world, listener.address, own)
        assert _common_name(accepting.accepted[0].stream) == "ours-client"
        assert _common_name(end.stream) == "ours-server"
        nobody = dataclasses.replace(ours.anonymous(), enabled_protocols=(version,))
        assert "TLS" in await refused(world, listener.address, nobody)
        stranger = dataclasses.replace(theirs.settings("client", trusted=ours), enabled_protocols=(version,))
        assert "UNKNOWN_CA" in await refused(world, listener.address, stranger)
        assert len(accepting.accepted) == 1

    run_on(loop, main)


def test_a_certificate_may_be_requested(loop: str, ours: Authority, theirs: Authority) -> None:
    """With ssl.client.auth=requested clients without a certificate get in; those with a bad one do not."""

    async def main(world: World) -> None:
        accepting = Accepting(world, Echo)
        asking = ours.settings("server", client_authentication="requested")
        listener = await world.network.listen(ANY, accepting, tls=asking)
        await echoes(world, listener.address, ours.anonymous())
        await echoes(world, listener.address, ours.settings("client"))
        assert accepting.accepted[0].stream.peer_certificate is None
        assert _common_name(accepting.accepted[1].stream) == "ours-client"
        await refused(world, listener.address, theirs.settings("client", trusted=ours))
        assert len(accepting.accepted) == 2

    run_on(loop, main)


def test_a_client_believes_its_own_authorities_alone(loop: str, ours: Authority, theirs: Authority) -> None:
    """A server of another authority is refused; nobody is told at the server, which goes on."""

    async def main(world: World) -> None:
        accepting = Accepting(world, Echo)
        listener = await world.network.listen(ANY, accepting, tls=ours.settings("server"))
        for settings in (theirs.anonymous(), TlsSettings()):
            with pytest.raises(ConnectFailed, match="issuer certificate"):
                await connect(world, listener.address, settings)
        assert accepting.accepted == []
        await echoes(world, listener.address, ours.anonymous())

    run_on(loop, main)


def test_a_server_must_have_the_name_that_was_asked_for(loop: str, ours: Authority) -> None:
    """A certificate for another name is refused, unless names are not verified."""

    async def main(world: World) -> None:
        listener = await world.network.listen(
            Address("127.0.0.2", 0), Accepting(world, Echo), tls=ours.settings("server")
        )
        with pytest.raises(ConnectFailed, match=r"127\.0\.0\.2"):
            await connect(world, listener.address, ours.anonymous())
        await echoes(world, listener.address, dataclasses.replace(ours.anonymous(), verify_host_name=False))
        named = await world.network.listen(ANY, Accepting(world, Echo), tls=ours.settings("server"))
        await echoes(world, Address("localhost", named.address.port), ours.anonymous())

    run_on(loop, main)


def test_certificates_are_replaced_while_connections_go_on(loop: str, ours: Authority, theirs: Authority) -> None:
    """New connections see the new certificate, old ones go on; settings that cannot be used change nothing."""

    async def main(world: World) -> None:
        listener = await world.network.listen(ANY, Accepting(world, Echo), tls=ours.settings("server"))
        old = await echoes(world, listener.address, ours.anonymous())
        listener.replace_tls(theirs.settings("server"))
        await echoes(world, listener.address, theirs.anonymous())
        missing = dataclasses.replace(ours.settings("server"), private_key="/no/such.key")
        with pytest.raises(ConfigError, match=r"private_key /no/such\.key"):
            listener.replace_tls(missing)
        await echoes(world, listener.address, theirs.anonymous())
        old.stream.write([b" again"])
        assert await old.until_data(11) == b"hello again"

    run_on(loop, main)


def test_a_trust_store_that_changes_is_read_again(
    loop: str, ours: Authority, theirs: Authority, tmp_path: Path
) -> None:
    """A client whose file of trusted certificates has been replaced believes the new ones from then on."""
    store = tmp_path / "trusted.pem"

    async def main(world: World) -> None:
        listener = await world.network.listen(ANY, Accepting(world, Echo), tls=ours.settings("server"))
        settings = TlsSettings(trusted_certificates=str(store))
        store.write_text(Path(theirs.trusted).read_text() + "\n")
        with pytest.raises(ConnectFailed):
            await connect(world, listener.address, settings)
        store.write_text(Path(ours.trusted).read_text())
        await echoes(world, listener.address, settings)

    run_on(loop, main)


def test_a_key_may_have_a_password(loop: str, ours: Authority) -> None:
    """A locked key works with its password; with a wrong one or none it is ConfigError, and nobody is asked."""

    async def main(world: World) -> None:
        locked = dataclasses.replace(
            ours.settings("server"), private_key=str(ours.folder / "ours-locked.key"), private_key_password="secret"
        )
        listener = await world.network.listen(ANY, Accepting(world, Echo), tls=locked)
        await echoes(world, listener.address, ours.anonymous())
        for password in ("wrong", None):
            with pytest.raises(ConfigError, match=r"ours-locked\.key"):
                await world.network.listen(
                    ANY, Accepting(world), tls=dataclasses.replace(locked, private_key_password=password)
                )

    run_on(loop, main)


def test_garbage_costs_its_connection_alone(loop: str, ours: Authority, caplog: pytest.LogCaptureFixture) -> None:
    """Bytes that are not TLS, and peers that leave in the middle, end their connections without a word in the log."""
    caplog.set_level(logging.INFO)

    async def main(world: World) -> None:
        accepting = Accepting(world, Echo)
        listener = await world.network.listen(ANY, accepting, tls=ours.settings("server"))
        good = await echoes(world, listener.address, ours.anonymous())
        for garbage in (
            b"GET / HTTP/1.1\r\n\r\n",
            world.rng.randbytes(100_000),
            b"\x16\x03\x01\x40\x00" + bytes(20_000),
            b"",
        ):
            await _send_and_see_the_end(world, listener.address, garbage)
        # A connection that is established, and then breaks the protocol.
        broken = await echoes(world, listener.address, ours.anonymous())
        broken.stream._socket.send(b"\x17\x03\x03\x00\x20" + bytes(32))  # type: ignore[attr-defined]
        await accepting.accepted[1].until_event(CLOSED)
        assert "TLS" in str(accepting.accepted[1].error)
        good.stream.write([b"!"])
        assert await good.until_data(6) == b"hello!"
        assert len(accepting.accepted) == 2

    run_on(loop, main)
    assert caplog.records == []


def test_a_handshake_must_end_in_time(loop: str, ours: Authority) -> None:
    """Who connects and says nothing is let go after the handshake's time-out; others are served meanwhile."""

    failures: list[BaseException] = []

    async def main(world: World) -> None:
        network = RealNetwork(
            asyncio.get_running_loop(), lambda _, error: failures.append(error), handshake_timeout_ms=50
        )
        accepting = Accepting(world, Echo)
        listener = await network.listen(ANY, accepting, tls=ours.settings("server"))
        silent = await connect(world, listener.address, None)
        await echoes(world, listener.address, ours.anonymous())
        await silent.until_gone()
        assert len(accepting.accepted) == 1
        await network.close()

    run_on(loop, main)
    assert failures == []


def test_a_server_that_never_shakes_hands_is_given_up(loop: str, ours: Authority) -> None:
    """Connecting with TLS to somebody who accepts and says nothing is ConnectFailed in time."""

    async def main(world: World) -> None:
        accepting = Accepting(world)
        listener = await world.network.listen(ANY, accepting)
        with pytest.raises(ConnectFailed, match="no answer"):
            await connect(world, listener.address, ours.anonymous(), timeout_ms=50)
        await (await accepting.until_accepted(1))[0].until_gone()

    run_on(loop, main)


def test_a_peer_that_ends_without_a_farewell_has_ended(loop: str, ours: Authority) -> None:
    """A connection that is closed below TLS is an end like any other, as it is for Java's peers."""

    async def main(world: World) -> None:
        accepting = Accepting(world)
        listener = await world.network.listen(ANY, accepting, tls=ours.settings("server"))
        end = await connect(world, listener.address, ours.anonymous())
        end.stream.write([b"last words"])
        end.stream._socket.shutdown(socket.SHUT_WR)  # type: ignore[attr-defined]
        server = (await accepting.until_accepted(1))[0]
        await server.until_event(ENDED)
        assert server.data == b"last words"
        server.stream.close()
        await server.until_event(CLOSED)
        assert server.error is None

    run_on(loop, main)


def test_a_listener_without_a_certificate_is_refused(loop: str) -> None:
    """TLS settings that cannot serve are ConfigError before a port is bound."""

    async def main(world: World) -> None:
        with pytest.raises(ConfigError, match="certificate_chain"):
            await world.network.listen(ANY, Accepting(world), tls=TlsSettings(), buffers=SocketBuffers())

    run_on(loop, main)


def _common_name(stream: Stream) -> str | None:
    assert stream.peer_certificate is not None
    return dict[str, str](pair for part in stream.peer_certificate["subject"] for pair in part).get("commonName")


async def _send_and_see_the_end(world: World, address: Address, data: bytes) -> None:
    with socket.create_connection((address.host, address.port)) as peer:
        peer.setblocking(False)
        await asyncio.get_running_loop().sock_sendall(peer, data)
        peer.shutdown(socket.SHUT_WR)
        try:
            while await world.timeout(20_000, asyncio.get_running_loop().sock_recv(peer, 65_536)):
                pass
        except ConnectionResetError:
            pass
