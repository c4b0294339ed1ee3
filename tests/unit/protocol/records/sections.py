"""Records sections made by hand, byte by byte, for tests of what reads them."""

from ottla.protocol.records.kernel.pure import encode_varint


def prefixed(field: bytes | None) -> bytes:
    """A key, value or header part behind its length."""
    return b"\x01" if field is None else encode_varint(len(field)) + field


def record(
    timestamp_delta: int = 0,
    offset_delta: int = 0,
    key: bytes | None = None,
    value: bytes | None = b"v",
    headers: tuple[tuple[bytes, bytes | None], ...] = (),
) -> bytes:
    """One record, well-formed."""
    body = b"\x00" + encode_varint(timestamp_delta) + encode_varint(offset_delta) + prefixed(key) + prefixed(value)
    body += encode_varint(len(headers)) + b"".join(prefixed(name) + prefixed(content) for name, content in headers)
    return encode_varint(len(body)) + body


def section(count: int, *, step: int = 1, value: bytes | None = b"v") -> bytes:
    """So many records, with keys k0, k1, ... and timestamps that grow."""
    return b"".join(record(step * at, at, b"k%d" % at, value) for at in range(count))
