"""TLS as bytes in and bytes out: two ends that talk through memory."""

from pathlib import Path

import pytest

from ottla.errors import ConnectionLost
from ottla.world.api import TlsSettings
from ottla.world.real.tls import client_context, server_context
from ottla.world.real.tls_session import TlsSession
from tests.unit.world.real.certificate import CERTIFICATE, KEY


@pytest.fixture
def settings(tmp_path: Path) -> TlsSettings:
    """A certificate that both ends believe."""
    path = tmp_path / "both.pem"
    path.write_text(CERTIFICATE + KEY)
    return TlsSettings(certificate_chain=str(path), trusted_certificates=str(path))


def ends(settings: TlsSettings, host: str = "localhost") -> tuple[TlsSession, TlsSession]:
    """A client and a server."""
    client = TlsSession(client_context(settings), server_side=False, host=host)
    return client, TlsSession(server_context(settings), server_side=True)


def move(source: TlsSession, target: TlsSession, data: bytes = b"") -> None:
    """Carry bytes to the other end, a few at a time."""
    data += source.outgoing()
    for at in range(0, len(data), 100):
        target.receive(memoryview(data)[at : at + 100])


def shake_hands(client: TlsSession, server: TlsSession) -> None:
    """Until both are done."""
    client_done = server_done = False
    while not (client_done and server_done):
        client_done = client.handshake()
        move(client, server)
        server_done = server.handshake()
        move(server, client)


def read(end: TlsSession) -> bytes:
    """All that is there."""
    got, buffer = bytearray(), memoryview(bytearray(1_000))
    while count := end.read_into(buffer):
        got += buffer[:count]
    return bytes(got)


def test_plaintext_goes_there_and_back(settings: TlsSettings) -> None:
    """What one end encrypts the other reads, in order, and nobody else could."""
    client, server = ends(settings)
    shake_hands(client, server)
    large = bytes(range(256)) * 200
    for source, target in ((client, server), (server, client)):
        sent = source.encrypt([b"one", memoryview(b"two"), large])
        assert b"one" not in sent
        move(source, target, sent)
        assert read(target) == b"onetwo" + large
        assert not target.peer_has_ended


def test_half_a_record_is_nothing_yet(settings: TlsSettings) -> None:
    """Bytes of a record that has not arrived whole wait until it has."""
    client, server = ends(settings)
    shake_hands(client, server)
    sent = client.encrypt([b"hello"])
    server.receive(memoryview(sent)[:-1])
    assert read(server) == b""
    assert not server.peer_has_ended
    server.receive(memoryview(sent)[-1:])
    assert read(server) == b"hello"


def test_an_end_is_told_and_the_other_may_still_write(settings: TlsSettings) -> None:
    """After the peer's farewell nothing comes from it any more, and it can still be answered."""
    client, server = ends(settings)
    shake_hands(client, server)
    move(client, server, client.encrypt([b"bye"]) + client.end())
    assert read(server) == b"bye"
    assert server.peer_has_ended
    assert server.encrypt([b"answer"])


def test_a_connection_that_is_cut_has_ended(settings: TlsSettings) -> None:
    """A connection that ends below TLS has ended."""
    client, server = ends(settings)
    shake_hands(client, server)
    server.receive(memoryview(b""))
    assert read(server) == b""
    assert server.peer_has_ended


def test_certificates_are_shown(settings: TlsSettings) -> None:
    """The client knows the server's certificate; the server has not asked for one."""
    client, server = ends(settings)
    shake_hands(client, server)
    certificate = client.peer_certificate()
    assert certificate is not None
    assert certificate["subjectAltName"] == (("DNS", "localhost"),)
    assert server.peer_certificate() is None


def test_failures_say_why_and_leave_an_alert(settings: TlsSettings) -> None:
    """A handshake that fails is ConnectionLost with a reason, and what tells the peer is there to be sent."""
    client, server = ends(settings, host="elsewhere")
    with pytest.raises(ConnectionLost, match="elsewhere"):
        shake_hands(client, server)
    assert client.outgoing()


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\x05" + bytes(5)])
def test_garbage_is_no_handshake(settings: TlsSettings, garbage: bytes) -> None:
    """Bytes that are not TLS end the handshake."""
    _, server = ends(settings)
    server.receive(memoryview(garbage))
    with pytest.raises(ConnectionLost, match="TLS handshake failed"):
        server.handshake()


def test_garbage_is_no_record(settings: TlsSettings) -> None:
    """Bytes that the peer cannot have encrypted end the connection."""
    client, server = ends(settings)
    shake_hands(client, server)
    server.receive(memoryview(b"\x17\x03\x03\x00\x20" + bytes(32)))
    with pytest.raises(ConnectionLost, match="TLS connection failed"):
        read(server)
