"""Keys and certificates, wherever the settings say that they are, as PEM: what the standard library's TLS takes.

    a path          a PEM file
    `Pem`           PEM text in the settings themselves
    `KeyStore`      a PKCS12 file, as Java's keytool makes them, read by the package cryptography (`ottla[pkcs12]`)

Java has called its own older format JKS, and takes PKCS12 for it as well, so it is the file that says which of the two
it is. JKS itself is refused, with what to do about it.

Always true: an opened key is nowhere where others could read it: it goes to OpenSSL through a file that has no name, or
where there is no such thing, through one that is ours alone and gone at once.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from ottla.errors import ConfigError
from ottla.world.api import KeyStore, Pem, TlsSettings

JKS_MAGICS = (b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")
PKCS12_BEGINS = b"\x30"  # a sequence, as everything in ASN.1


class Own(NamedTuple):
    """Files that hold our own certificates and key, for as long as OpenSSL reads them."""

    chain: str
    key: str | None  # None: it is in the file of the certificates
    password: str  # never None, since OpenSSL would ask the terminal for one


@contextmanager
def own_files(settings: TlsSettings) -> Iterator[Own]:
    """Our own certificates and key as files."""
    chain, key, password = settings.certificate_chain, settings.private_key, settings.private_key_password or ""
    if isinstance(chain, KeyStore):
        with _as_file(_own_pem(chain)) as path:
            yield Own(path, None, "")
    elif isinstance(chain, Pem) or isinstance(key, Pem):
        texts = [_pem_text("certificate_chain", chain)] + ([] if key is None else [_pem_text("private_key", key)])
        with _as_file("\n".join(texts)) as path:
            yield Own(path, None, password)
    else:
        assert chain is not None, "whoever has no certificate shows none"
        must_be_readable("certificate_chain", chain)
        if key is not None:
            must_be_readable("private_key", key)
        yield Own(chain, key, password)


def trusted_pem(trusted: "str | Pem | KeyStore") -> str:
    """The certificates that are believed."""
    if isinstance(trusted, KeyStore):
        store, serialization = _opened("trusted_certificates", trusted)
        certificates = [each.certificate for each in store.additional_certs]
        certificates += [store.cert.certificate] if store.cert is not None else []
        if not certificates:
            refuse("trusted_certificates", trusted.path, "no certificate is in it")
        pem = serialization.Encoding.PEM
        return "".join(each.public_bytes(pem).decode("ascii") for each in certificates)
    return _pem_text("trusted_certificates", trusted)


def paths(settings: TlsSettings) -> tuple[str, ...]:
    """The files that the settings name, for whoever wants to know whether one has changed."""
    named = (settings.certificate_chain, settings.private_key, settings.trusted_certificates)
    found = (each.path if isinstance(each, KeyStore) else each for each in named)
    return tuple(each for each in found if isinstance(each, str))


def must_be_readable(setting: str, path: str) -> None:
    """OpenSSL does not say which file it could not open."""
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError as error:
        refuse(setting, path, error.strerror or str(error))


def refuse(setting: str, value: str, reason: str) -> NoReturn:
    """Say which setting cannot be used, and why."""
    raise ConfigError(f"TLS {setting} {value}: {reason}")


def _pem_text(setting: str, value: "str | Pem | KeyStore | None") -> str:
    if isinstance(value, Pem):
        return value.text
    assert isinstance(value, str), f"{setting} is PEM text or a file of it"
    return _read(setting, value).decode("utf-8", "replace")


def _read(setting: str, path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        refuse(setting, path, error.strerror or str(error))


def _own_pem(key_store: KeyStore) -> str:
    store, serialization = _opened("certificate_chain", key_store)
    if store.key is None or store.cert is None:
        refuse("certificate_chain", key_store.path, "no key with its certificate is in it")
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    key = store.key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    chain = [store.cert, *store.additional_certs]
    return "".join([key.decode("ascii"), *(each.certificate.public_bytes(pem).decode("ascii") for each in chain)])


def _opened(setting: str, key_store: KeyStore) -> tuple[Any, Any]:
    """What is in a PKCS12 file, and the module that writes it as PEM."""
    data = _read(setting, key_store.path)
    if data.startswith(JKS_MAGICS):
        refuse(
            setting,
            key_store.path,
            "it is in Java's own format JKS, which cannot be read. Make it PKCS12: keytool -importkeystore "
            f"-srckeystore {key_store.path} -destkeystore NEW.p12 -deststoretype PKCS12",
        )
    if not data.startswith(PKCS12_BEGINS):
        refuse(setting, key_store.path, "it is no PKCS12 file; a PEM file needs the type PEM")
    try:
        # It costs 10 MB and 40 ms, and only who has such a file needs it.
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import pkcs12  # noqa: PLC0415
    except ImportError:
        refuse(setting, key_store.path, "reading PKCS12 takes the package cryptography: pip install 'ottla[pkcs12]'")
    password = None if key_store.password is None else key_store.password.encode()
    try:
        return pkcs12.load_pkcs12(data, password), serialization
    except ValueError:
        refuse(setting, key_store.path, "its password is another one, or it is damaged")


@contextmanager
def _as_file(text: str) -> Iterator[str]:
    """A file with this text that nobody else can open."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("pem")
        try:
            os.write(descriptor, text.encode())
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
    else:
        descriptor, path = tempfile.mkstemp()
        try:
            os.write(descriptor, text.encode())
            yield path
        finally:
            os.close(descriptor)
            os.unlink(path)
