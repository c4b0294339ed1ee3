"""Keys and certificates out of files, texts and PKCS12 stores."""

import dataclasses
import ssl
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    KeySerializationEncryption,
    NoEncryption,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509 import load_pem_x509_certificate

from ottla.errors import ConfigError
from ottla.world.api import KeyStore, Pem, TlsSettings
from ottla.world.real.key_stores import own_files, paths
from ottla.world.real.tls import client_context, server_context
from tests.unit.world.real.certificate import CERTIFICATE, KEY, LOCKED_KEY

OURS = load_pem_x509_certificate(CERTIFICATE.encode())


def key_store(path: Path, password: str | None = "secret", *, is_trust: bool = False) -> KeyStore:
    """A PKCS12 file with our key and certificate, or with the certificate alone."""
    locked: KeySerializationEncryption = NoEncryption()
    if password is not None:
        locked = BestAvailableEncryption(password.encode())
    key = load_pem_private_key(KEY.encode(), None)
    if is_trust:
        data = pkcs12.serialize_java_truststore([pkcs12.PKCS12Certificate(OURS, b"us")], locked)
    else:
        data = pkcs12.serialize_key_and_certificates(b"us", key, OURS, None, locked)  # type: ignore[arg-type,unused-ignore]
    path.write_bytes(data)
    return KeyStore(str(path), password)


def shown_by(context: ssl.SSLContext) -> bytes:
    """The certificate that a listener with this context shows: the handshake goes through memory."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = context.wrap_bio(to_server, to_client, server_side=True)
    asking = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    asking.load_verify_locations(cadata=CERTIFICATE)
    client = asking.wrap_bio(to_client, to_server, server_hostname="localhost")
    steps: list[Callable[[], None]] = [client.do_handshake, server.do_handshake]
    for _ in range(4):
        for step in steps:
            try:
                step()
            except ssl.SSLWantReadError:
                continue
    return client.getpeercert(binary_form=True) or b""


@pytest.mark.parametrize("password", ["secret", None])
def test_a_pkcs12_store_is_ours(tmp_path: Path, password: str | None) -> None:
    """Key and certificate of a store are what a listener shows, with a password on the file or without."""
    settings = TlsSettings(certificate_chain=key_store(tmp_path / "own.p12", password))
    assert shown_by(server_context(settings)) == ssl.PEM_cert_to_DER_cert(CERTIFICATE)


def test_a_pkcs12_store_is_believed(tmp_path: Path) -> None:
    """The certificates of a store, as Java marks those that it trusts, are believed; so is one beside its key."""
    for name, is_trust in (("trust.p12", True), ("own.p12", False)):
        trusted = key_store(tmp_path / name, is_trust=is_trust)
        context = client_context(TlsSettings(trusted_certificates=trusted))
        assert len(context.get_ca_certs()) == 1


def test_pem_in_the_settings() -> None:
    """Texts in place of files: certificates with their key beside them, locked or not, and those that are believed."""
    trusted = Pem(CERTIFICATE)
    plain = TlsSettings(certificate_chain=Pem(CERTIFICATE), private_key=Pem(KEY), trusted_certificates=trusted)
    assert shown_by(server_context(plain)) == ssl.PEM_cert_to_DER_cert(CERTIFICATE)
    assert len(client_context(plain).get_ca_certs()) == 1
    locked = dataclasses.replace(plain, private_key=Pem(LOCKED_KEY), private_key_password="secret")
    server_context(locked)
    with pytest.raises(ConfigError, match="TLS certificate_chain text"):
        server_context(dataclasses.replace(locked, private_key_password="wrong"))


def test_an_opened_key_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What OpenSSL reads a key from is gone afterwards, also where files without a name do not exist."""
    settings = TlsSettings(certificate_chain=key_store(tmp_path / "own.p12"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for is_nameless in (hasattr(sys.modules["os"], "memfd_create"), False):
        if not is_nameless:
            monkeypatch.delattr("os.memfd_create", raising=False)
        with own_files(settings) as own:
            assert "PRIVATE KEY" in Path(own.chain).read_text()
        assert [each.name for each in tmp_path.iterdir()] == ["own.p12"]
        assert not Path(own.chain).exists()


def test_files_are_known() -> None:
    """Files of the settings are known, so that a change of one is noticed; texts are none."""
    settings = TlsSettings(KeyStore("a.p12", "x"), None, None, Pem(CERTIFICATE))
    assert paths(settings) == ("a.p12",)
    assert paths(TlsSettings("a.pem", "b.pem", None, KeyStore("c.p12"))) == ("a.pem", "b.pem", "c.p12")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xfe\xed\xfe\xed and so on", r"own\.p12: .*JKS.*keytool -importkeystore -srckeystore .*own\.p12"),
        (b"-----BEGIN CERTIFICATE-----", r"own\.p12: it is no PKCS12 file"),
        (b"\x30\x82junk", r"own\.p12: its password is another one, or it is damaged"),
        (None, r"own\.p12: No such file"),
    ],
)
def test_what_is_no_store(tmp_path: Path, content: bytes | None, said: str) -> None:
    """A store that cannot be read is named, with what to do about Java's own format."""
    path = tmp_path / "own.p12"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        server_context(TlsSettings(certificate_chain=KeyStore(str(path), "secret")))


def test_a_wrong_password_is_not_shown(tmp_path: Path) -> None:
    """A wrong password is said to be one, and not shown; a store of trusted certificates has no key to show."""
    wrong = dataclasses.replace(key_store(tmp_path / "own.p12"), password="hunter2")
    with pytest.raises(ConfigError, match="its password is another one") as caught:
        server_context(TlsSettings(certificate_chain=wrong))
    assert "hunter2" not in str(caught.value)
    with pytest.raises(ConfigError, match="no key with its certificate"):
        server_context(TlsSettings(certificate_chain=key_store(tmp_path / "trust.p12", is_trust=True)))


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has a PKCS12 store and not the package that reads it is told what to install."""
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(ConfigError, match=r"pip install 'ottla\[pkcs12\]'"):
        server_context(TlsSettings(certificate_chain=key_store(tmp_path / "own.p12")))
