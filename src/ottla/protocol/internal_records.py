"""How messages stand inside the records of internal topics: a prefix tells which message it is, and in which version.

    __consumer_offsets, __transaction_state, __share_group_state
        key    int16 record type, then the key in version 0
        value  int16 version, then the value; null is a tombstone
    __cluster_metadata
        value  uvarint 1 (the frame's own version), uvarint record type, uvarint version, then the record

A record type that we do not know is `None`: whoever loads a log skips it, since a newer broker may have written it, or
garbage may stand in the log; a version that we do not know, or bytes that are no record, are errors.
"""

import struct
from functools import cache
from importlib import import_module
from typing import Final

from ottla.errors import MalformedMessage
from ottla.protocol.codec.message import Buffer, Message
from ottla.protocol.codec.wire import Fault, encode_uvarint, read_uvarint

METADATA_FRAME_VERSION: Final = 1

_INT16 = struct.Struct(">h")


def write_key(key: Message) -> bytes:
    """A key of a coordinator's topic."""
    assert key.KEY is not None, f"{type(key).__name__} is no key"
    return _INT16.pack(key.KEY) + key.to_bytes(0)


def write_value(value: Message, version: int) -> bytes:
    """A value of a coordinator's topic."""
    return _INT16.pack(version) + value.to_bytes(version)


def read_key(family: str, data: Buffer) -> Message | None:
    """A key of the topic whose records `family` declares (`group_records` and the like); None for an unknown type."""
    cls = _by_type(family, "Key").get(_prefix(data, f"a key of {family}"))
    return None if cls is None else cls.read(data, 0, _INT16.size)


def read_value(key: Message, data: Buffer) -> Message:
    """The value that belongs to a key."""
    assert key.KEY is not None, f"{type(key).__name__} is no key"
    cls = _by_type(type(key).__module__.rpartition(".")[2], "Value")[key.KEY]
    return cls.read(data, _prefix(data, cls.__name__), _INT16.size)


def write_metadata_record(record: Message, version: int) -> bytes:
    """A record of the cluster's metadata."""
    assert record.KEY is not None, f"{type(record).__name__} is no metadata record"
    prefix = (METADATA_FRAME_VERSION, record.KEY, version)
    return b"".join(map(encode_uvarint, prefix)) + record.to_bytes(version)


def read_metadata_record(data: Buffer) -> tuple[Message, int] | None:
    """A record of the cluster's metadata and its version; None for a record type that we do not know."""
    try:
        frame, position = read_uvarint(data, 0)
        record_type, position = read_uvarint(data, position)
        version, position = read_uvarint(data, position)
    except (IndexError, Fault):
        raise MalformedMessage(f"a metadata record of {len(data)} bytes has no whole prefix") from None
    if frame != METADATA_FRAME_VERSION:
        raise MalformedMessage(
            f"a metadata record in frame version {frame}, where only {METADATA_FRAME_VERSION} is known"
        )
    cls = _by_type("metadata_records", "Record").get(record_type)
    return None if cls is None else (cls.read(data, version, position), version)


@cache
def _by_type(family: str, suffix: str) -> dict[int, type[Message]]:
    """The messages of a family whose names end so, by record type."""
    module = import_module(f"ottla.protocol.messages.{family}")
    classes = [value for name, value in vars(module).items() if name.endswith(suffix) and isinstance(value, type)]
    return {cls.KEY: cls for cls in classes if issubclass(cls, Message) and cls.KEY is not None}


def _prefix(data: Buffer, what: str) -> int:
    if len(data) < _INT16.size:
        raise MalformedMessage(f"{what}: byte 0: the message ends after {len(data)} bytes")
    prefix: int = _INT16.unpack_from(data)[0]
    return prefix
