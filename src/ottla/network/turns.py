"""Whose request is served next: control before data, and data in slices.

The queue is no list of requests but of connections that hold a whole frame: what is not served stays where it arrived,
and its connection reads nothing more, so a busy node holds back its clients instead of filling its memory. A turn of
the loop serves control frames (the controller's listener, heartbeats, metadata), one of each connection in turn, for at
most `CONTROL_SLICE_NS`, then data frames in the same way for at most `SLICE_NS` or `SLICE_BYTES`; then the loop gets a
chance to read sockets and run timers before the next turn.

On an idle node a frame is served as it arrives, without a detour over the queue: that is what `admits` is asked for. It
says no as soon as the slice is spent, and a connection asks it for `FRAMES_AT_ONCE` frames at most, so that no pipeline
keeps the loop to itself. The first control frame of a connection that had none waiting goes before those of pipelines:
however many of these there are, a heartbeat does not wait for a round of all of them.
"""

from collections import deque
from typing import Final, Protocol

from ottla.protocol.api_keys import ApiKey
from ottla.world.api import Clock

SLICE_NS: Final = 5_000_000
SLICE_BYTES: Final = 4 * 1024 * 1024
CONTROL_SLICE_NS: Final = 1_000_000
FRAMES_AT_ONCE: Final = 32  # of one connection, as they arrive; others may have come meanwhile

# What overtakes data: group members and brokers that must not be taken for dead, and clients that look for a leader.
CONTROL_APIS: Final = frozenset(
    int(api)
    for api in (
        ApiKey.METADATA,
        ApiKey.FIND_COORDINATOR,
        ApiKey.HEARTBEAT,
        ApiKey.API_VERSIONS,
        ApiKey.BROKER_HEARTBEAT,
        ApiKey.CONSUMER_GROUP_HEARTBEAT,
        ApiKey.SHARE_GROUP_HEARTBEAT,
        ApiKey.STREAMS_GROUP_HEARTBEAT,
    )
)


class Served(Protocol):
    """A connection, as the queue sees it."""

    def serve_next(self) -> bool:
        """Serve the next frame; whether another whole one may be served after it."""

    def next_is_control(self) -> bool:
        """The class of the next frame."""


class Turns:
    """The order of service on one loop."""

    __slots__ = (
        "_arranged", "_began_ns", "_bytes_left", "_clock", "_control", "_data", "_first", "_slice_bytes", "_slice_ns",
    )  # fmt: skip

    def __init__(self, clock: Clock, *, slice_ns: int = SLICE_NS, slice_bytes: int = SLICE_BYTES) -> None:
        self._clock, self._slice_ns, self._slice_bytes = clock, slice_ns, slice_bytes
        self._first: deque[Served] = deque()  # control, of who had nothing waiting before
        self._control: deque[Served] = deque()
        self._data: deque[Served] = deque()
        self._began_ns = 0
        self._bytes_left = slice_bytes
        self._arranged = False  # whether the end of this turn has been arranged

    @property
    def waiting(self) -> int:
        """How many connections wait with a whole frame."""
        return len(self._first) + len(self._control) + len(self._data)

    def admits(self, now_ns: int, size_bytes: int, *, control: bool, is_first: bool = False) -> bool:
        """Whether a frame that has just arrived may be served at once; it counts as served if so. `is_first`: nothing
        of its connection was served just before it.
        """
        if not self._arranged:
            self._begin(now_ns)
        elif self._bytes_left <= 0 or now_ns - self._began_ns >= self._slice_ns:
            return False
        if control:
            if self._first or (self._control and not is_first):
                return False
        elif self._first or self._control or self._data:
            return False
        self._bytes_left -= size_bytes
        return True

    def enqueue(self, connection: Served, *, is_first: bool = False) -> None:
        """Serve this connection in its turn: it holds a whole frame, and is in the queue no more than once."""
        if not connection.next_is_control():
            self._data.append(connection)
        else:
            (self._first if is_first else self._control).append(connection)
        if not self._arranged:
            self._begin(self._clock.monotonic_ns())

    def charge(self, size_bytes: int) -> None:
        """A frame of this size is served out of the queue."""
        self._bytes_left -= size_bytes

    def _begin(self, now_ns: int) -> None:
        """A turn begins with the first frame after the loop has been elsewhere, and ends when it comes back to us."""
        self._began_ns, self._bytes_left, self._arranged = now_ns, self._slice_bytes, True
        self._clock.call_at(now_ns // 1_000_000, self._turn)

    def _turn(self) -> None:
        """One turn: all control, then data until the slice is spent."""
        self._arranged = False
        if not self.waiting:
            return
        clock = self._clock
        self._begin(clock.monotonic_ns())
        for _ in range(len(self._first)):
            self._serve(self._first.popleft())
        began_ns = clock.monotonic_ns()
        while self._control and clock.monotonic_ns() - began_ns < CONTROL_SLICE_NS:
            self._serve(self._control.popleft())
        # Data has a slice of its own behind control, however long that took: neither starves the other. It is as short
        # as control's while more of that waits.
        began_ns, self._bytes_left = clock.monotonic_ns(), self._slice_bytes
        slice_ns = min(self._slice_ns, CONTROL_SLICE_NS) if self._control else self._slice_ns
        while self._data and self._bytes_left > 0 and clock.monotonic_ns() - began_ns < slice_ns:
            self._serve(self._data.popleft())

    def _serve(self, connection: Served) -> None:
        if connection.serve_next():
            (self._control if connection.next_is_control() else self._data).append(connection)
