"""Frames: every message on a connection stands behind its size, an int32.

The size is checked before a byte of the message is waited for, so nobody can make us reserve memory by announcing: the
limit is `socket.request.max.bytes`, and while a connection has not authenticated, `MAX_BYTES_BEFORE_AUTHENTICATION`
(the default of `sasl.server.max.receive.size`). Frames are views into the buffer that they arrived in.
"""

import struct
from collections.abc import Sequence
from typing import Final

from ottla.errors import OversizedFrame
from ottla.protocol.codec.message import Chunk

SIZE_BYTES: Final = 4
MAX_BYTES_BEFORE_AUTHENTICATION: Final = 512 * 1024

_SIZE = struct.Struct(">i")


def announced_size(buffer: memoryview, position: int, limit: int) -> int | None:
    """The size of the frame that starts at `position`, or None while its four bytes are not all there."""
    if len(buffer) - position < SIZE_BYTES:
        return None
    size: int = _SIZE.unpack_from(buffer, position)[0]
    if not 0 <= size <= limit:
        raise OversizedFrame(f"a frame of {size} bytes is announced, and at most {limit} are accepted")
    return size


def complete_frames(buffer: memoryview, limit: int) -> tuple[list[memoryview], int]:
    """The messages whose frames are complete, as views, and how many bytes of the buffer they take with their sizes.

    A frame whose size is over the limit is an error only once the frames before it have been handed out.
    """
    frames: list[memoryview] = []
    position = 0
    while True:
        try:
            size = announced_size(buffer, position, limit)
        except OversizedFrame:
            if not frames:
                raise
            return frames, position
        if size is None or position + SIZE_BYTES + size > len(buffer):
            return frames, position
        start = position + SIZE_BYTES
        position = start + size
        frames.append(buffer[start:position])


def framed(header: bytes, body: Sequence[Chunk]) -> list[Chunk]:
    """A message with its size in front: what goes out on a connection. Chunks of records are handed on as they are."""
    size = len(header)
    for chunk in body:
        size += len(chunk)
    first = _SIZE.pack(size) + header
    if body and isinstance(body[0], bytes):
        return [first + body[0], *body[1:]]
    return [first, *body]
