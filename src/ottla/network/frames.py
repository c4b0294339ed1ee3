"""Bytes as they arrive on one connection, cut into frames where they lie.

All connections of a loop receive into one shared buffer, so an idle connection owns none. What is whole is handed out
as views into that buffer; only what is left over, the beginning of a frame or frames that may not be served yet, moves
to a buffer of the connection's own, which grows with what has really arrived: announcing a large frame reserves
nothing.

Always true: a view that was handed out by `take` is good until the next call of `buffer` or `keep`; `owned_bytes` is
what this connection holds, at most `LEAST_OWN_BYTES` or twice of what waits; bytes are handed out once, in order.
"""

import struct
from typing import Final

from ottla.errors import OversizedFrame
from ottla.protocol.framing import SIZE_BYTES

SHARED_BUFFER_BYTES: Final = 256 * 1024
LEAST_OWN_BYTES: Final = 4 * 1024

_SIZE = struct.Struct(">i")


class SharedBuffer:
    """The one buffer that all connections of a loop receive into."""

    __slots__ = ("view",)

    def __init__(self, size_bytes: int = SHARED_BUFFER_BYTES) -> None:
        self.view = memoryview(bytearray(size_bytes))


class FrameBuffer:
    """What has arrived on a connection and has not been handed out."""

    __slots__ = ("_filled", "_own", "_position", "_shared", "_view")

    def __init__(self, shared: SharedBuffer) -> None:
        self._shared = shared.view
        self._own: memoryview | None = None
        self._view = self._shared  # where the bytes at hand are: the shared buffer or our own
        self._position = 0  # what lies before has been handed out
        self._filled = 0  # what lies behind has not arrived

    @property
    def owned_bytes(self) -> int:
        """How much memory this connection holds."""
        return 0 if self._own is None else len(self._own)

    @property
    def waiting_bytes(self) -> int:
        """How much has arrived and not been handed out."""
        return self._filled - self._position

    def buffer(self) -> memoryview:
        """Where the next bytes go."""
        if self._own is None:
            return self._shared
        if self._filled == len(self._own):
            self._move()
        return self._own[self._filled :]

    def received(self, count: int) -> None:
        """So many bytes are in the buffer; until `keep` is called they may lie in the one that all share."""
        if self._own is None:
            self._position, self._filled = 0, count
        else:
            self._filled += count

    def next_size(self, limit: int) -> int | None:
        """The size of the next frame if it is whole, else None; an announced size over the limit is an error."""
        position = self._position
        if self._filled - position < SIZE_BYTES:
            return None
        size: int = _SIZE.unpack_from(self._view, position)[0]
        if not 0 <= size <= limit:
            raise OversizedFrame(f"a frame of {size} bytes is announced, and at most {limit} are accepted")
        return size if position + SIZE_BYTES + size <= self._filled else None

    def api_key(self) -> int:
        """The API that the next frame asks for, by the two bytes behind its size; -1 if there are none."""
        at = self._position + SIZE_BYTES
        return self._view[at] << 8 | self._view[at + 1] if at + 2 <= self._filled else -1

    def take(self, size: int) -> memoryview:
        """The next frame, which is whole and of this size."""
        start = self._position + SIZE_BYTES
        self._position = start + size
        return self._view[start : self._position]

    def take_for_good(self, size: int) -> bytes | memoryview:
        """The next frame, which is whole and of this size, to be kept: our own buffer itself if it is full of it."""
        own = self._own
        frame = self.take(size)
        if own is None or self._position < self._filled or len(own) > 2 * size:
            return bytes(frame)
        self._let_go()
        return frame

    def keep(self) -> None:
        """Hold on to what was not handed out; called before the shared buffer becomes somebody else's."""
        if self._filled == self._position:
            self._let_go()
        elif self._own is None or self._position:
            self._move()

    def clear(self) -> None:
        """Let go of everything: the connection has ended."""
        self._let_go()

    def _let_go(self) -> None:
        self._own, self._view, self._position, self._filled = None, self._shared, 0, 0

    def _move(self) -> None:
        """Into a buffer of our own, or into another one that has room."""
        rest = self._view[self._position : self._filled]
        own = memoryview(bytearray(self._room(rest)))
        own[: len(rest)] = rest
        self._own = self._view = own
        self._position, self._filled = 0, len(rest)

    def _room(self, rest: memoryview) -> int:
        """What to make room for: the frame that has begun, but never more than twice of what has arrived."""
        waiting = len(rest)
        room = max(LEAST_OWN_BYTES, 2 * waiting)
        if waiting >= SIZE_BYTES:
            whole: int = SIZE_BYTES + _SIZE.unpack_from(rest)[0]
            return min(room, whole) if whole > waiting else room
        return room
