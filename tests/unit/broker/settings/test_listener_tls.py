"""TLS of listeners out of settings: stores of each kind, for all listeners and for one."""

import pytest

from ottla.broker.settings.listener_tls import listener_tls, outgoing_tls
from ottla.broker.settings.listeners import listener_settings
from ottla.config.config import Config
from ottla.config.layers import read_node
from ottla.errors import ConfigError
from ottla.world.api import KeyStore, Pem, TlsSettings

NODE = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.quorum.voters": "1@localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "listeners": "OUTSIDE://127.0.0.1:0,CONTROLLER://127.0.0.1:9093",
    "listener.security.protocol.map": "OUTSIDE:SSL,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "OUTSIDE",
}
PEM_FILES = {"ssl.keystore.type": "PEM", "ssl.keystore.location": "all.pem"}
PEM_TEXTS = {"ssl.keystore.type": "PEM", "ssl.keystore.key": "KEY", "ssl.keystore.certificate.chain": "CHAIN"}


def config(given: dict[str, str]) -> Config:
    """A node's settings."""
    return read_node(NODE | given)


def tls(given: dict[str, str]) -> TlsSettings:
    """What the listener has."""
    return listener_tls(config(given), "OUTSIDE")


def test_a_listener_of_ones_own_name_has_tls() -> None:
    """The map of security protocols decides which listener has TLS, whatever it is called."""
    outside, controller = listener_settings(config(PEM_FILES))
    assert (outside.name, outside.security_protocol) == ("OUTSIDE", "SSL")
    assert outside.tls == TlsSettings(certificate_chain="all.pem")
    assert controller.tls is None


def test_pem_files() -> None:
    """A PEM file holds key and certificates, and what is set for one listener goes first."""
    found = tls(
        {
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": "all.p12",
            "listener.name.outside.ssl.keystore.type": "pem",
            "listener.name.outside.ssl.keystore.location": "mine.pem",
            "listener.name.outside.ssl.key.password": "secret",
            "listener.name.outside.ssl.truststore.type": "PEM",
            "listener.name.outside.ssl.truststore.location": "friends.pem",
            "ssl.client.auth": "required",
        }
    )
    assert (found.certificate_chain, found.private_key, found.private_key_password) == ("mine.pem", None, "secret")
    assert (found.trusted_certificates, found.client_authentication) == ("friends.pem", "required")
    assert "secret" not in repr(found)


def test_pem_in_the_settings() -> None:
    """Key, chain and trusted certificates may stand in the settings themselves."""
    found = tls(PEM_TEXTS | {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": "FRIENDS"})
    assert (found.certificate_chain, found.private_key) == (Pem("CHAIN"), Pem("KEY"))
    assert found.trusted_certificates == Pem("FRIENDS")
    assert "KEY" not in repr(found.private_key)


@pytest.mark.parametrize("given", ["PKCS12", "JKS", None])
def test_java_stores(given: str | None) -> None:
    """Stores of Java's are a file and its password; JKS is the default, since keytool calls PKCS12 so as well."""
    types = {} if given is None else {"ssl.keystore.type": given, "ssl.truststore.type": given}
    stores = {
        "ssl.keystore.location": "own.p12", "ssl.keystore.password": "secret",
        "ssl.truststore.location": "trust.p12",
    }  # fmt: skip
    found = tls(types | stores)
    assert found.certificate_chain == KeyStore("own.p12", "secret")
    assert found.trusted_certificates == KeyStore("trust.p12")
    assert "secret" not in repr(found.certificate_chain)


def test_connections_from_here() -> None:
    """A node connects to others with the stores of that listener, and checks names unless it is told not to."""
    found = outgoing_tls(config(PEM_FILES), "OUTSIDE")
    assert (found.certificate_chain, found.verify_host_name) == ("all.pem", True)
    trusting = {"ssl.truststore.type": "PEM", "ssl.truststore.location": "friends.pem"}
    bare = outgoing_tls(config({**trusting, "ssl.endpoint.identification.algorithm": ""}), "OUTSIDE")
    assert (bare.certificate_chain, bare.trusted_certificates) == (None, "friends.pem")
    assert not bare.verify_host_name


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ssl.keystore.type": "PEM"}, "ssl.keystore.location is missing"),
        ({"ssl.keystore.type": "BCFKS"}, "ssl.keystore.type is BCFKS"),
        (PEM_FILES | {"ssl.keystore.password": "secret"}, "ssl.keystore.password must not be given for a PEM file"),
        (PEM_FILES | PEM_TEXTS, "ssl.keystore.location must not be given beside"),
        (PEM_TEXTS | {"ssl.keystore.type": "PKCS12"}, "ssl.keystore.type has to be PEM"),
        ({"ssl.keystore.type": "PEM", "ssl.keystore.key": "K"}, "ssl.keystore.certificate.chain is missing"),
        ({"ssl.keystore.type": "PEM", "ssl.keystore.certificate.chain": "C"}, "ssl.keystore.key is missing"),
        (PEM_FILES | {"ssl.truststore.certificates": "C"}, "ssl.truststore.type has to be PEM"),
        (
            PEM_FILES
            | {"ssl.truststore.type": "PEM", "ssl.truststore.location": "t", "ssl.truststore.certificates": "C"},
            "ssl.truststore.location must not be given beside",
        ),
    ],
)
def test_what_cannot_be_used_is_named(given: dict[str, str], said: str) -> None:
    """Stores that are missing, or given twice, are an error that names the setting and the listener, and no secret."""
    with pytest.raises(ConfigError, match=rf"{said}.*OUTSIDE") as caught:
        tls(given)
    assert "secret" not in str(caught.value)
