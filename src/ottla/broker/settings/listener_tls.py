"""TLS out of a node's settings: whose certificate a listener shows, and whom it believes.

    type        our key and certificates                         whom we trust
    PEM         ssl.keystore.location (one file with both), or   ssl.truststore.location, or
                ssl.keystore.key and .certificate.chain          ssl.truststore.certificates
    PKCS12      ssl.keystore.location, .password                 ssl.truststore.location, .password
    JKS         the default; newer keytools write PKCS12 all the same, and such a file can be read

What is set for one listener goes before what is set for all. Always true: of two ways to give the same thing only one
may be used; an error names the setting and the listener, and no secret. Without a trust store those of the system are
believed.
"""

from typing import Final

from ottla.config.config import Config
from ottla.config.password import Password
from ottla.errors import ConfigError
from ottla.world.api import KeyStore, Pem, TlsSettings

TYPES: Final = ("PEM", "PKCS12", "JKS")


def listener_tls(config: Config, listener: str) -> TlsSettings:
    """What a listener needs for TLS."""
    settings = _Settings(config, listener)
    chain, key = _own(settings)
    if chain is None:
        raise settings.error("ssl.keystore.location", "is missing, and the listener needs a certificate")
    return TlsSettings(
        certificate_chain=chain,
        private_key=key,
        private_key_password=settings.secret("ssl.key.password"),
        trusted_certificates=_trusted(settings),
        client_authentication=settings.text("ssl.client.auth") or "none",
        enabled_protocols=settings.words("ssl.enabled.protocols"),
        cipher_suites=settings.words("ssl.cipher.suites"),
    )


def outgoing_tls(config: Config, listener: str) -> TlsSettings:
    """What this node needs to connect to another node's listener: a certificate only if there is one to show."""
    settings = _Settings(config, listener)
    chain, key = _own(settings)
    return TlsSettings(
        certificate_chain=chain,
        private_key=key,
        private_key_password=settings.secret("ssl.key.password"),
        trusted_certificates=_trusted(settings),
        enabled_protocols=settings.words("ssl.enabled.protocols"),
        cipher_suites=settings.words("ssl.cipher.suites"),
        verify_host_name=bool(settings.text("ssl.endpoint.identification.algorithm")),
    )


class _Settings:
    """The settings as one listener has them."""

    def __init__(self, config: Config, listener: str) -> None:
        self._config, self._listener = config, listener

    def text(self, name: str) -> str | None:
        value = self._config.for_listener(name, self._listener)
        assert value is None or isinstance(value, str), f"{name} is a text"
        return value

    def secret(self, name: str) -> str | None:
        value = self._config.for_listener(name, self._listener)
        assert value is None or isinstance(value, Password), f"{name} is secret"
        return None if value is None else value.reveal()

    def words(self, name: str) -> tuple[str, ...]:
        value = self._config.for_listener(name, self._listener)
        return value if isinstance(value, tuple) else ()

    def error(self, name: str, reason: str) -> ConfigError:
        return ConfigError(f"{name} {reason} (listener {self._listener}).")

    def store_type(self, store: str) -> str:
        """The kind of store, in capitals."""
        name = f"ssl.{store}.type"
        found = (self.text(name) or "").upper()
        if found not in TYPES:
            raise self.error(name, f"is {found}, and there are {', '.join(TYPES)}")
        return found


def _own(settings: _Settings) -> tuple[str | Pem | KeyStore | None, Pem | None]:
    """Our certificates, and the key if it is not with them."""
    location, key = settings.text("ssl.keystore.location"), settings.secret("ssl.keystore.key")
    chain = settings.secret("ssl.keystore.certificate.chain")
    is_pem = settings.store_type("keystore") == "PEM"
    if key is None and chain is None:
        return _file(settings, "keystore", location, is_pem=is_pem), None
    if not is_pem:
        raise settings.error("ssl.keystore.type", "has to be PEM where ssl.keystore.key is given")
    if location is not None:
        raise settings.error("ssl.keystore.location", "must not be given beside ssl.keystore.key")
    if key is None or chain is None:
        missing = "ssl.keystore.key" if key is None else "ssl.keystore.certificate.chain"
        raise settings.error(missing, "is missing: key and certificates are given together")
    return Pem(chain), Pem(key)


def _trusted(settings: _Settings) -> str | Pem | KeyStore | None:
    location, text = settings.text("ssl.truststore.location"), settings.secret("ssl.truststore.certificates")
    is_pem = settings.store_type("truststore") == "PEM"
    if text is None:
        return _file(settings, "truststore", location, is_pem=is_pem)
    if not is_pem:
        raise settings.error("ssl.truststore.type", "has to be PEM where ssl.truststore.certificates is given")
    if location is not None:
        raise settings.error("ssl.truststore.location", "must not be given beside ssl.truststore.certificates")
    return Pem(text)


def _file(settings: _Settings, store: str, location: str | None, *, is_pem: bool) -> str | KeyStore | None:
    """A store that is a file."""
    name = f"ssl.{store}.password"
    password = settings.secret(name)
    if location is None:
        return None
    if not is_pem:
        return KeyStore(location, password)
    if password is not None:
        raise settings.error(name, "must not be given for a PEM file, whose key has ssl.key.password")
    return location
