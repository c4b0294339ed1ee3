"""TLS settings become contexts, or errors that name the setting and the file."""

import dataclasses
import ssl
from pathlib import Path

import pytest

from ottla.errors import ConfigError
from ottla.world.api import TlsSettings
from ottla.world.real.tls import MOST_CONTEXTS, ClientContexts, client_context, openssl_name, server_context
from tests.unit.world.real.certificate import CERTIFICATE, KEY, LOCKED_KEY


@pytest.fixture
def settings(tmp_path: Path) -> TlsSettings:
    """Settings with a certificate and its key."""
    for name, content in (("chain.pem", CERTIFICATE), ("key.pem", KEY), ("locked.pem", LOCKED_KEY)):
        (tmp_path / name).write_text(content)
    (tmp_path / "both.pem").write_text(CERTIFICATE + KEY)
    (tmp_path / "junk.pem").write_text("not a certificate")
    chain = str(tmp_path / "chain.pem")
    return TlsSettings(certificate_chain=chain, private_key=str(tmp_path / "key.pem"), trusted_certificates=chain)


@pytest.mark.parametrize(
    ("authentication", "mode"),
    [("none", ssl.CERT_NONE), ("requested", ssl.CERT_OPTIONAL), ("required", ssl.CERT_REQUIRED)],
)
def test_client_authentication(settings: TlsSettings, authentication: str, mode: ssl.VerifyMode) -> None:
    """ssl.client.auth says whether a listener asks for certificates and whether it insists."""
    context = server_context(dataclasses.replace(settings, client_authentication=authentication))
    assert context.verify_mode == mode
    assert len(context.get_ca_certs()) == (mode != ssl.CERT_NONE)


def test_a_client_checks_certificate_and_name(settings: TlsSettings) -> None:
    """A client always checks the server's certificate, and its name unless told otherwise."""
    context = client_context(settings)
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    context = client_context(dataclasses.replace(settings, verify_host_name=False))
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, False)


@pytest.mark.parametrize(
    ("enabled", "suites", "lowest", "highest"),
    [
        (("TLSv1.2", "TLSv1.3"), (), ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3),
        (("TLSv1.3",), (), ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_3),
        (("TLSv1.3", "TLSv1.2"), ("TLS_AES_128_GCM_SHA256",), ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_3),
        (
            ("TLSv1.2", "TLSv1.3"),
            ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",),
            ssl.TLSVersion.TLSv1_2,
            ssl.TLSVersion.TLSv1_2,
        ),
        (
            ("TLSv1.2", "TLSv1.3"),
            ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"),
            ssl.TLSVersion.TLSv1_2,
            ssl.TLSVersion.TLSv1_3,
        ),
    ],
)
def test_versions(
    settings: TlsSettings,
    enabled: tuple[str, ...],
    suites: tuple[str, ...],
    lowest: ssl.TLSVersion,
    highest: ssl.TLSVersion,
) -> None:
    """The versions are those that are enabled, as far as the cipher suites leave something to speak them with."""
    context = server_context(dataclasses.replace(settings, enabled_protocols=enabled, cipher_suites=suites))
    assert (context.minimum_version, context.maximum_version) == (lowest, highest)


@pytest.mark.parametrize(
    "java",
    [
        "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256",
        "TLS_RSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8",
        "ECDHE-RSA-AES128-GCM-SHA256",
    ],
)
def test_cipher_suites_have_two_names(java: str) -> None:
    """A suite is understood by the name that Java and the RFCs give it, and by OpenSSL's."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers(f"{openssl_name(java)}:@SECLEVEL=0")
    older = [cipher["name"] for cipher in context.get_ciphers() if cipher["protocol"] != "TLSv1.3"]
    assert older == [openssl_name(java)]


def test_the_suites_that_are_named_are_the_only_ones(settings: TlsSettings) -> None:
    """ssl.cipher.suites is a list of what is allowed."""
    suite = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
    context = server_context(dataclasses.replace(settings, cipher_suites=(suite,)))
    older = [cipher["name"] for cipher in context.get_ciphers() if cipher["protocol"] != "TLSv1.3"]
    assert older == ["ECDHE-ECDSA-AES128-GCM-SHA256"]


def test_a_key_may_be_in_the_file_of_its_certificate(settings: TlsSettings, tmp_path: Path) -> None:
    """Without a private_key the key is looked for behind the certificates."""
    server_context(dataclasses.replace(settings, certificate_chain=str(tmp_path / "both.pem"), private_key=None))


def test_a_locked_key_needs_its_password(settings: TlsSettings, tmp_path: Path) -> None:
    """The right password opens the key; a wrong one, or none, is ConfigError which names the file."""
    locked = dataclasses.replace(settings, private_key=str(tmp_path / "locked.pem"), private_key_password="secret")
    server_context(locked)
    for password in ("wrong", None):
        with pytest.raises(ConfigError, match=r"TLS private_key .*locked\.pem"):
            server_context(dataclasses.replace(locked, private_key_password=password))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"certificate_chain": None}, "certificate_chain: a listener must have one"),
        ({"certificate_chain": "missing.pem"}, r"certificate_chain .*missing\.pem: No such file"),
        ({"certificate_chain": "junk.pem", "private_key": None}, r"certificate_chain .*junk\.pem"),
        ({"certificate_chain": "chain.pem", "private_key": None}, r"certificate_chain .*chain\.pem"),
        ({"private_key": "missing.pem"}, r"private_key .*missing\.pem: No such file"),
        ({"private_key": "junk.pem"}, r"private_key .*junk\.pem"),
        ({"trusted_certificates": "missing.pem"}, r"trusted_certificates .*missing\.pem: No such file"),
        ({"trusted_certificates": "junk.pem"}, r"trusted_certificates .*junk\.pem"),
        ({"client_authentication": "maybe"}, "client_authentication maybe: not one of none, requested, required"),
        ({"enabled_protocols": ("SSLv3",)}, "enabled_protocols SSLv3: not one of"),
        ({"enabled_protocols": ()}, "enabled_protocols: none is left"),
        ({"enabled_protocols": ("TLSv1", "TLSv1.2")}, "versions between two enabled ones"),
        ({"cipher_suites": ("ROT13",)}, "cipher_suites ROT13"),
    ],
)
def test_what_cannot_be_used_is_named(
    settings: TlsSettings, tmp_path: Path, change: dict[str, str], message: str
) -> None:
    """Every setting that cannot be used is ConfigError with its name, and the file's where there is one."""
    change = {key: str(tmp_path / value) if str(value).endswith(".pem") else value for key, value in change.items()}
    wrong = dataclasses.replace(settings, client_authentication="required")
    with pytest.raises(ConfigError, match=message):
        server_context(dataclasses.replace(wrong, **change))  # type: ignore[arg-type]


def test_contexts_of_clients_are_kept_until_a_file_changes(settings: TlsSettings, tmp_path: Path) -> None:
    """The same settings give the same context, until one of the files is another one; few are kept."""
    contexts = ClientContexts()
    first = contexts.get(settings)
    assert contexts.get(settings) is first
    (tmp_path / "new.pem").write_text(CERTIFICATE)
    (tmp_path / "new.pem").rename(tmp_path / "chain.pem")
    second = contexts.get(settings)
    assert second is not first
    for number in range(MOST_CONTEXTS):
        contexts.get(dataclasses.replace(settings, private_key_password=str(number)))
    assert len(contexts._contexts) == MOST_CONTEXTS
    assert contexts.get(settings) is not second
