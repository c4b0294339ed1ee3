"""Names, ports and TLS handshakes between simulated nodes."""

import pytest

from ottla.errors import AddressInUse, ConfigError, ConnectFailed
from ottla.world.api import Address, SocketBuffers, Stream, TlsSettings
from ottla.world.simulated import SimulatedWorld
from tests.conformance.peers import CLOSED, Accepting, Recorder
from tests.unit.world.simulated.two_nodes import LARGE, PORT, Echo, TwoNodes

SERVER_TLS = TlsSettings(certificate_chain="/etc/b.pem", private_key="/etc/b.key")
CLIENT_TLS = TlsSettings(trusted_certificates="/etc/ca.pem")
MUTUAL_TLS = TlsSettings(certificate_chain="/etc/a.pem", private_key="/etc/a.key")


def test_nodes_are_found_by_their_names() -> None:
    """Both ends are known by node name and port, and every outgoing connection has a port of its own."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        pairs = [await nodes.pair(world) for _ in range(20)]
        for client, server in pairs:
            assert client.stream.peer == server.stream.local == Address("b", PORT)
            assert client.stream.local == server.stream.peer
            assert client.stream.local.host == "a"
        assert len({client.stream.local.port for client, _ in pairs}) == 20

    TwoNodes(1).tell(story)


def test_ports_of_ended_connections_can_be_had_again() -> None:
    """A node that connects again and again does not run out of ports."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        host = nodes.network.hosts["a"]
        for _ in range(20):
            client, server = await nodes.pair(world)
            client.stream.close()
            server.stream.close()
        with pytest.raises(ConnectFailed):
            await nodes.connect(port=1)
        await world.clock.sleep(1_000)
        assert (host.streams, host._outgoing_ports) == ({}, {})

    TwoNodes(1).tell(story)


def test_a_name_that_no_node_has_is_unknown_and_a_port_that_nobody_has_refuses() -> None:
    """Both are ConnectFailed, at once, and say what was asked for."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        before_ms = world.clock.monotonic_ms()
        with pytest.raises(ConnectFailed, match="no-such-node has no address"):
            await nodes.connect(host="no-such-node")
        with pytest.raises(ConnectFailed, match="b:9093 refuses connections"):
            await nodes.connect(port=9_093)
        assert world.clock.monotonic_ms() - before_ms < 100
        assert len(nodes.simulation.trace.lines("refused")) == 1

    TwoNodes(1).tell(story)


def test_a_loopback_listener_is_for_its_own_node() -> None:
    """What listens on 127.0.0.1 is reached from the same machine alone."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        async def listen(world: SimulatedWorld) -> None:
            await world.network.listen(Address("127.0.0.1", 9_093), Accepting(world))
            await world.network.connect(Address("localhost", 9_093), lambda stream: Recorder(world, stream))

        await nodes.simulation.call("b", listen)
        with pytest.raises(ConnectFailed, match="b:9093 refuses"):
            await nodes.connect(port=9_093)
        del world

    TwoNodes(1).tell(story)


def test_a_node_listens_on_its_own_addresses() -> None:
    """Another node's name is an address that cannot be bound, and every node has ports of its own."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        with pytest.raises(AddressInUse, match="b:9092"):
            await world.network.listen(Address("b", PORT), Accepting(world))
        listener = await world.network.listen(Address("", PORT), Accepting(world))
        with pytest.raises(AddressInUse, match=":9092"):
            await world.network.listen(Address("scenario", PORT), Accepting(world))
        await listener.close()
        del nodes

    TwoNodes(1).tell(story)


def test_buffers_bound_what_the_network_holds() -> None:
    """To a peer that does not read, no more leaves the sender than both kernels were told to hold."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        for size in (0, 10_000, 100_000):
            client = await nodes.connect(buffers=SocketBuffers(send_bytes=size))
            await nodes.until(world, lambda: nodes.accepted)
            server = nodes.accepted.pop()
            server.stream.pause_reading()
            client.stream.write([bytes(LARGE)])
            await world.clock.sleep(5_000)
            # All that the receiver holds is acknowledged, so that both buffers fill.
            held = LARGE - client.stream.unsent_bytes()
            assert 65_536 <= held <= 65_536 + max(size, 2_304)
            server.stream.resume_reading()
            await nodes.until(world, lambda server=server: len(server.data) == LARGE)  # type: ignore[misc]

    TwoNodes(1).tell(story)


@pytest.mark.parametrize("seed", range(4))
def test_a_handshake_makes_peers_known(seed: int) -> None:
    """Behind a TLS handshake bytes go both ways, and each end has the other's certificate if that was asked for."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        for asks, tls, expected in (
            ("none", MUTUAL_TLS, None),
            ("requested", CLIENT_TLS, None),
            ("requested", MUTUAL_TLS, {"subject": ((("commonName", "/etc/a.pem"),),)}),
            ("required", MUTUAL_TLS, {"subject": ((("commonName", "/etc/a.pem"),),)}),
        ):
            assert nodes.listener is not None
            nodes.listener.replace_tls(TlsSettings(certificate_chain="/etc/b.pem", client_authentication=asks))
            client = await nodes.connect(tls=tls)
            client.stream.write([b"secret"])
            await nodes.until(world, lambda client=client: client.data == b"secret")  # type: ignore[misc]
            assert client.stream.peer_certificate == {"subject": ((("commonName", "/etc/b.pem"),),)}
            assert nodes.accepted[-1].stream.peer_certificate == expected

    TwoNodes(seed, make=Echo, tls=SERVER_TLS).tell(story)


def test_a_handshake_that_fails_costs_its_connection_alone() -> None:
    """A server with TLS never hears of a peer that does not speak it, or that lacks a certificate; the peer does."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        plain = await nodes.connect()
        plain.stream.write([b"\x00\x00\x00\x10 no hello at all"])
        await nodes.until(world, lambda: plain.events[-1:] == [CLOSED], within_ms=1_000)
        assert nodes.listener is not None
        nodes.listener.replace_tls(TlsSettings(certificate_chain="/etc/b.pem", client_authentication="required"))
        with pytest.raises(ConnectFailed, match="TLS with b:9092 failed"):
            await nodes.connect(tls=CLIENT_TLS)
        assert nodes.accepted == []
        silent = await nodes.connect()
        await nodes.until(world, lambda: silent.events[-1:] == [CLOSED], within_ms=61_000)
        assert nodes.accepted == []

    TwoNodes(1, tls=SERVER_TLS).tell(story)


def test_tls_to_a_plain_server_fails() -> None:
    """Whoever answers a hello with anything else, or with nothing, cannot be connected to with TLS."""

    def rude(world: object, stream: Stream) -> Recorder:
        stream.write([b"HTTP/1.1 400 Bad Request"])
        return Recorder(world, stream)  # type: ignore[arg-type]

    async def rude_story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        with pytest.raises(ConnectFailed, match="does not speak TLS"):
            await nodes.connect(tls=CLIENT_TLS)
        await nodes.until(world, lambda: nodes.accepted[0].events[-1:] == [CLOSED])

    async def silent_story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        with pytest.raises(ConnectFailed, match="has not answered within 2000 ms"):
            await nodes.connect(tls=CLIENT_TLS, timeout_ms=2_000)
        await nodes.until(world, lambda: nodes.accepted[0].events[-1:] == [CLOSED])
        assert nodes.accepted[0].data.startswith(b"\x16\x03"), "the server took the hello for a request"

    TwoNodes(1, make=rude).tell(rude_story)
    TwoNodes(1).tell(silent_story)


def test_a_listener_needs_a_certificate() -> None:
    """TLS settings that a server cannot use are ConfigError, and leave the old ones in use."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        with pytest.raises(ConfigError, match="certificate"):
            await world.network.listen(Address("", 0), Accepting(world), tls=TlsSettings())
        assert nodes.listener is not None
        with pytest.raises(ConfigError, match="certificate"):
            nodes.listener.replace_tls(TlsSettings())
        client = await nodes.connect(tls=CLIENT_TLS)
        client.stream.write([b"still there"])
        await nodes.until(world, lambda: client.data == b"still there")

    TwoNodes(1, make=Echo, tls=SERVER_TLS).tell(story)
