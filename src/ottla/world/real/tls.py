"""TLS settings become the standard library's contexts.

Names are Kafka's, so cipher suites may be called as Java calls them. Suites of TLS 1.3 cannot be chosen one by one with
this library: if the list names none of them TLS 1.3 is off, if it names nothing else TLS 1.2 is.

What is always true: what cannot be used is `ConfigError`, which names the setting and the file; a key that needs a
password is never asked for at the terminal; renegotiation is off.
"""

import dataclasses
import os
import ssl
from collections.abc import Sequence

from ottla.errors import ConfigError
from ottla.world.api import TlsSettings
from ottla.world.real.key_stores import must_be_readable, own_files, paths, refuse, trusted_pem

VERSIONS = {
    "TLSv1": ssl.TLSVersion.TLSv1,
    "TLSv1.1": ssl.TLSVersion.TLSv1_1,
    "TLSv1.2": ssl.TLSVersion.TLSv1_2,
    "TLSv1.3": ssl.TLSVersion.TLSv1_3,
}
CLIENT_AUTHENTICATION = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}
SUITES_OF_TLS_1_3 = {
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_CCM_SHA256",
    "TLS_AES_128_CCM_8_SHA256",
}
MOST_CONTEXTS = 16  # of clients with different settings, kept ready


def server_context(settings: TlsSettings) -> ssl.SSLContext:
    """For a listener."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _restrict(context, settings)
    if settings.certificate_chain is None:
        raise ConfigError("TLS certificate_chain: a listener must have one")
    if settings.client_authentication not in CLIENT_AUTHENTICATION:
        refuse(
            "client_authentication", settings.client_authentication, f"not one of {', '.join(CLIENT_AUTHENTICATION)}"
        )
    _load_own(context, settings)
    context.verify_mode = CLIENT_AUTHENTICATION[settings.client_authentication]
    if context.verify_mode != ssl.CERT_NONE:
        _load_trusted(context, settings, ssl.Purpose.CLIENT_AUTH)
    # No tickets for resuming sessions: a client that sends and closes at once has not read them, so that its system
    # resets the connection, and what it sent last may be lost. Kafka's connections are few and long.
    context.num_tickets = 0
    return context


def client_context(settings: TlsSettings) -> ssl.SSLContext:
    """For connections from here; they always check the server's certificate, and its name unless told otherwise."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = settings.verify_host_name
    _restrict(context, settings)
    if settings.certificate_chain is not None:
        _load_own(context, settings)
    _load_trusted(context, settings, ssl.Purpose.SERVER_AUTH)
    return context


class ClientContexts:
    """Contexts of clients by their settings, made anew when one of the files has changed.

    The system's certificates take 10 ms to load, which would be the most of a connection's cost.
    """

    def __init__(self) -> None:
        self._contexts: dict[TlsSettings, tuple[object, ssl.SSLContext]] = {}

    def get(self, settings: TlsSettings) -> ssl.SSLContext:
        """The context for these settings as the files are now."""
        files = tuple(map(_state, paths(settings)))
        known = self._contexts.pop(settings, None)
        context = known[1] if known is not None and known[0] == files else client_context(settings)
        self._contexts[settings] = (files, context)  # last, since used last
        if len(self._contexts) > MOST_CONTEXTS:
            del self._contexts[next(iter(self._contexts))]
        return context


def _state(path: str) -> tuple[int, int, int] | None:
    """What changes when a file does."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _restrict(context: ssl.SSLContext, settings: TlsSettings) -> None:
    """Versions and cipher suites."""
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    if settings.cipher_suites:
        older = [suite for suite in settings.cipher_suites if suite not in SUITES_OF_TLS_1_3]
        try:
            context.set_ciphers(":".join(map(openssl_name, older)) if older else "DEFAULT")
        except ssl.SSLError:
            refuse("cipher_suites", ",".join(older), "none of them can be used")
        names_newer = len(older) < len(settings.cipher_suites)
        _enable(context, [name for name in settings.enabled_protocols if (bool(older), names_newer)[name == "TLSv1.3"]])
    else:
        _enable(context, settings.enabled_protocols)


def _enable(context: ssl.SSLContext, names: Sequence[str]) -> None:
    for name in names:
        if name not in VERSIONS:
            refuse("enabled_protocols", name, f"not one of {', '.join(VERSIONS)}")
    if not names:
        raise ConfigError("TLS enabled_protocols: none is left")
    wanted = [name in names for name in VERSIONS]
    lowest, highest = wanted.index(True), len(wanted) - 1 - wanted[::-1].index(True)
    if not all(wanted[lowest:highest]):
        refuse("enabled_protocols", ",".join(names), "versions between two enabled ones cannot be left out")
    versions = list(VERSIONS.values())
    context.minimum_version, context.maximum_version = versions[lowest], versions[highest]


def openssl_name(suite: str) -> str:
    """A cipher suite of TLS 1.2 as OpenSSL calls it: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 is
    ECDHE-RSA-AES128-GCM-SHA256. Names of OpenSSL's own stay as they are.
    """
    if not suite.startswith("TLS_") or "_WITH_" not in suite:
        return suite
    exchange, _, cipher = suite.removeprefix("TLS_").partition("_WITH_")
    for size in ("128", "256"):
        cipher = cipher.replace(f"AES_{size}_CBC", f"AES{size}").replace(f"AES_{size}", f"AES{size}")
    cipher = cipher.replace("POLY1305_SHA256", "POLY1305").replace("CCM_8", "CCM8").replace("_", "-")
    return cipher if exchange == "RSA" else f"{exchange.replace('_', '-')}-{cipher}"


def _load_own(context: ssl.SSLContext, settings: TlsSettings) -> None:
    """Our own certificate and key."""
    with own_files(settings) as own:
        try:
            context.load_cert_chain(own.chain, own.key, password=lambda: own.password)
        except (ssl.SSLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or "not a PEM certificate with its key, or not the key's password"
            named = " ".join(paths(dataclasses.replace(settings, trusted_certificates=None))) or "text"
            refuse("certificate_chain" if own.key is None else "private_key", named, reason)


def _load_trusted(context: ssl.SSLContext, settings: TlsSettings, purpose: ssl.Purpose) -> None:
    """Whose certificates are believed."""
    trusted = settings.trusted_certificates
    if trusted is None:
        context.load_default_certs(purpose)
        return
    try:
        if isinstance(trusted, str):
            must_be_readable("trusted_certificates", trusted)
            context.load_verify_locations(cafile=trusted)
        else:
            context.load_verify_locations(cadata=trusted_pem(trusted))
    except (ssl.SSLError, OSError, ValueError) as error:
        where = trusted if isinstance(trusted, str) else "text"
        refuse("trusted_certificates", where, getattr(error, "reason", None) or "no PEM certificate in it")
