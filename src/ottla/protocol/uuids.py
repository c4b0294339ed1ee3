"""Uuids as text: Kafka writes them as 22 letters of URL-safe base64, without padding.

On the wire a uuid is 16 bytes, and so it is in here. Some are reserved: zero is nobody's, one is the metadata topic's.
Text that Java reads is read: padding is allowed, and the four bits that the last letter has too many do not count.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Final

from ottla.protocol.codec.wire import ZERO_UUID, Uuid

METADATA_TOPIC_ID: Final = Uuid(bytes(15) + b"\x01")
UUID_SIZE: Final = 16

_RESERVED = {ZERO_UUID, METADATA_TOPIC_ID}
_TEXT = re.compile(r"[A-Za-z0-9_-]{22}(==)?", re.ASCII)


def uuid_text(uuid: Uuid) -> str:
    """The text that Kafka's tools and files show."""
    assert len(uuid) == UUID_SIZE
    return urlsafe_b64encode(uuid)[:22].decode("ascii")


def parse_uuid(text: str) -> Uuid:
    """The uuid of a text; `ValueError` if it is none."""
    if not _TEXT.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no uuid: that is 22 letters of URL-safe base64")
    return Uuid(urlsafe_b64decode(text[:22] + "=="))


def random_uuid(randbytes: Callable[[int], bytes]) -> Uuid:
    """A new uuid, of version 4 as Java's are: neither reserved nor with a text that command lines take for an option.

    `randbytes` gives so many random bytes: a world's chance.
    """
    while True:
        drawn = bytearray(randbytes(UUID_SIZE))
        drawn[6] = drawn[6] & 0x0F | 0x40
        drawn[8] = drawn[8] & 0x3F | 0x80
        uuid = Uuid(bytes(drawn))
        if uuid not in _RESERVED and not uuid_text(uuid).startswith("-"):
            return uuid
