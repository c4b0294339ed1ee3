"""SCRAM credentials (RFC 5802): what a server keeps in place of a password.

A credential is made once, out of a password or of one that was salted elsewhere, and is all that is ever stored. From
it nobody gets the password back, nor what a client needs to prove that it knows it. `parse_credential` reads the text
that people write on a command line:

    SCRAM-SHA-256=[name=alice,password=secret,iterations=8192]
    SCRAM-SHA-512=[name=bob,salt=...,saltedpassword=...]          both in base64

Always true: no secret is shown where one of these values is printed, nor in an error.
"""

import hashlib
import hmac
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ottla.errors import ConfigError

MIN_ITERATIONS: Final = 4_096
MAX_ITERATIONS: Final = 16_384
SALT_BYTES: Final = 26

_PARTS = frozenset({"name", "password", "salt", "iterations", "saltedpassword"})


@dataclass(frozen=True, slots=True)
class Mechanism:
    """One of the two that Kafka has."""

    name: str
    number: int  # in records and requests
    digest: str


MECHANISMS: Final = {
    mechanism.name: mechanism
    for mechanism in (Mechanism("SCRAM-SHA-256", 1, "sha256"), Mechanism("SCRAM-SHA-512", 2, "sha512"))
}


@dataclass(frozen=True, slots=True)
class Credential:
    """What is kept of a user."""

    name: str
    mechanism: Mechanism
    iterations: int
    salt: bytes = field(repr=False)
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)


def salted_password(mechanism: Mechanism, password: str, salt: bytes, iterations: int) -> bytes:
    """What the password becomes, slowly."""
    return hashlib.pbkdf2_hmac(mechanism.digest, password.encode(), salt, iterations)


def credential(name: str, mechanism: Mechanism, salted: bytes, salt: bytes, iterations: int) -> Credential:
    """The credential of a user whose password is salted already."""
    client_key = hmac.digest(salted, b"Client Key", mechanism.digest)
    return Credential(
        name,
        mechanism,
        iterations,
        salt,
        stored_key=hashlib.new(mechanism.digest, client_key).digest(),
        server_key=hmac.digest(salted, b"Server Key", mechanism.digest),
    )


def parse_credential(text: str, randbytes: Callable[[int], bytes]) -> Credential:
    """The credential that a text describes; `randbytes` gives secret bytes for a salt where none is given."""
    name, equals, rest = text.partition("=")
    if not equals:
        raise ConfigError("A SCRAM credential is written MECHANISM=[name=...,password=...]; there is no equals sign.")
    mechanism = MECHANISMS.get(name)
    if mechanism is None:
        raise ConfigError(f"There is no SCRAM mechanism {name}; there are {' and '.join(MECHANISMS)}.")
    parts = _parts(rest)
    if "name" not in parts:
        raise ConfigError("A SCRAM credential needs name=.")
    if ("password" in parts) == ("saltedpassword" in parts):
        raise ConfigError("A SCRAM credential needs either password= or saltedpassword=, and not both.")
    if "saltedpassword" in parts and "salt" not in parts:
        raise ConfigError("A SCRAM credential with saltedpassword= needs the salt= that it was salted with.")
    iterations = _iterations(parts.get("iterations", str(MIN_ITERATIONS)))
    salt = _base64("salt", parts["salt"]) if "salt" in parts else randbytes(SALT_BYTES)
    if "password" in parts:
        salted = salted_password(mechanism, parts["password"], salt, iterations)
    else:
        salted = _base64("saltedpassword", parts["saltedpassword"])
    return credential(parts["name"], mechanism, salted, salt, iterations)


def _parts(text: str) -> dict[str, str]:
    """What stands between the brackets, by name."""
    if not (text.startswith("[") and text.endswith("]")):
        raise ConfigError("What follows a SCRAM mechanism stands in brackets: [name=...,password=...].")
    parts = {}
    for part in text[1:-1].split(","):
        name, equals, value = part.strip().partition("=")
        if not equals or name not in _PARTS:
            raise ConfigError(f"A SCRAM credential is made of {', '.join(sorted(_PARTS))}, each with = and a value.")
        quoted = len(value) >= 2 and value[0] == value[-1] == '"'
        parts[name] = value[1:-1] if quoted else value
    return parts


def _iterations(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and MIN_ITERATIONS <= int(text) <= MAX_ITERATIONS):
        raise ConfigError(f"iterations= of a SCRAM credential is a number from {MIN_ITERATIONS} to {MAX_ITERATIONS}.")
    return int(text)


def _base64(name: str, text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except NotBase64:
        raise ConfigError(f"{name}= of a SCRAM credential is base64.") from None
