"""One direction of a connection: from the sender's kernel, over a link, into the receiver's kernel.

    process --take--> buffer --window--> flight --link--> unread --consume--> process
                      '------ held ------'                        (not acknowledged: at most `send_bytes`)
                                '------ outstanding ------'       (not read: at most `receive_bytes`)

Only what changes something costs an event: one when the segments at the head of the flight arrive, and one when a
sender that waits for room is told that there is some. Acknowledgements are not sent, but they are missed: while the
way back is blocked nothing is acknowledged, and the sender's buffer fills.

What is always true: bytes arrive in the order in which they were taken, each once, cut wherever chance wants it. What
stands still for `give_up_ns` ends the sender's side, and nobody tells the other. What arrives where the socket is gone
is answered with a reset; resets themselves are never sent again when they are lost.
"""

from collections import deque
from typing import TYPE_CHECKING

from ottla.world.simulated.network.link import Link, Waiting
from ottla.world.simulated.timeline import NEVER

if TYPE_CHECKING:
    from ottla.world.simulated.network.stream import SimulatedStream

MAX_SEGMENT_BYTES = 65_536  # what a network card cuts up by itself
CUT_CHANCES = (0.0, 0.02, 0.3)  # of a segment to be cut at any byte; drawn once a pipe
PROBE_NS = 500_000_000  # how soon a sender asks a window that has shut whether anybody is still there
EXPLAINED_NS = 1_000_000_000

FIN = b""
RESET = None
Piece = bytes | memoryview | None

# Where a pipe stands still: a set of bits.
FORWARD, ACKNOWLEDGEMENT, WINDOW = 1, 2, 4


class Pipe:
    """The bytes that go one way."""

    __slots__ = (
        "_armed", "_back", "_buffer", "_cut_chance", "_flight", "_give_up_ns", "_link", "_opening",
        "_orphaned", "_outstanding", "_receive_bytes", "_send_bytes", "_sender", "_stalled", "_stalled_since_ns",
        "_target", "_timeline", "_unacknowledged", "held", "unread",
    )  # fmt: skip

    def __init__(
        self,
        sender: "SimulatedStream",
        target: "SimulatedStream",
        *,
        link: Link,
        back: Link,
        send_bytes: int,
        receive_bytes: int,
        give_up_ns: int,
    ) -> None:
        self._sender, self._target, self._link, self._back = sender, target, link, back
        self._timeline = link.timeline
        self._send_bytes, self._receive_bytes, self._give_up_ns = send_bytes, receive_bytes, give_up_ns
        self._cut_chance = CUT_CHANCES[int(link.draw() * len(CUT_CHANCES))]
        self._buffer: deque[bytes | memoryview] = deque()  # until the window lets them go; last an empty one: the end
        self._flight: deque[tuple[int, Piece]] = deque()
        self.unread: deque[bytes | memoryview] = deque()
        self.held = self._outstanding = self._unacknowledged = 0
        self._armed = self._opening = self._orphaned = False
        self._stalled = 0
        self._stalled_since_ns = -1

    @property
    def target_name(self) -> str:
        """The host that it leads to."""
        return self._link.target

    # The sender's side

    def room(self) -> int:
        """How many bytes the sender's kernel takes now."""
        return self._send_bytes - self.held

    @property
    def has_room(self) -> bool:
        """Whether there is so much room that a waiting process is woken: a third, as Linux does it."""
        return (self._send_bytes - self.held) * 3 >= self._send_bytes

    def take(self, data: bytes, now_ns: int) -> None:
        """Take bytes from the process: not more than there is room for."""
        self.held += len(data)
        self._buffer.append(data)
        self._pump(now_ns)

    def finish(self, now_ns: int) -> None:
        """Nothing more comes behind what was taken."""
        self._buffer.append(FIN)
        self._pump(now_ns)

    def send_reset(self, now_ns: int) -> None:
        """Break the connection; what flies already may still arrive before this does."""
        self._buffer.clear()
        self._orphaned = True
        self._fly(RESET, now_ns, 0)

    def power_lost(self) -> None:
        """The sender's machine is off: nothing is sent any more, nor sent again."""
        self._buffer.clear()
        self._orphaned = True
        if self._stalled & FORWARD:
            self._flight.clear()

    def clear(self) -> None:
        """Forget everything: there is nobody to send it, or nobody to send it to."""
        self._buffer.clear()
        self._flight.clear()
        self.held = self._outstanding = self._unacknowledged = 0

    def _pump(self, now_ns: int) -> None:
        """Let fly what the window allows."""
        buffer, link = self._buffer, self._link
        while buffer:
            piece = buffer[0]
            size = len(piece)
            if size:
                limit = min(self._receive_bytes - self._outstanding, MAX_SEGMENT_BYTES)
                if limit <= 0:
                    return
                if self._cut_chance and link.draw() < self._cut_chance:
                    limit = min(limit, 1 + int(link.draw() * size))
                if size > limit:
                    view = memoryview(piece)
                    piece, buffer[0], size = view[:limit], view[limit:], limit
                else:
                    buffer.popleft()
                self._outstanding += size
            else:
                buffer.popleft()
            self._fly(piece, now_ns, size)

    def _fly(self, piece: Piece, now_ns: int, size: int) -> None:
        # A segment that is faster than the one before it waits for that one: only the head's arrival is an event.
        link = self._link
        arrival_ns = link.arrival_ns(now_ns, size)
        self._flight.append((arrival_ns, piece))
        if not self._armed:
            self._armed = True
            self._timeline.at(arrival_ns, self._arrive)
        if link.reset_chance and link.draw() < link.reset_chance:
            self._timeline.at(arrival_ns, self.break_connection)

    def break_connection(self, _: None = None) -> None:
        """Something in the middle has had enough of this connection, and tells both ends."""
        if not (self._sender.gone and self._target.gone):
            self._link.strike("reset", f"{self._sender.local} {self._target.local}")
            self._sender.reset_by_network()
            self._target.reset_by_network()

    # On the way

    def _arrive(self, _: None) -> None:
        """The segments at the head are there: hand them over, unless nothing gets through."""
        link, flight, target = self._link, self._flight, self._target
        if link.blocked or (target.gone and self._back.blocked):
            self._do_not_arrive()
            return
        if self._stalled & FORWARD:
            self._flows(FORWARD)
        now_ns, size = self._timeline.now_ns, 0
        while flight and flight[0][0] <= now_ns:
            piece = flight.popleft()[1]
            link.segments += 1
            if piece is None:
                self._armed = False
                self.clear()
                target.reset_by_peer()
                return
            if not target.gone:
                self.unread.append(piece)
                size += len(piece)
            elif piece:
                self._armed = False
                self.clear()
                target.outgoing.send_reset(now_ns)
                return
        if flight:
            self._timeline.at(flight[0][0], self._arrive)
        else:
            self._armed = False
        link.bytes += size
        if size:
            self._acknowledge(size)
        if not target.gone:
            target.readable()

    def _do_not_arrive(self) -> None:
        if self._orphaned and (self._link.loses or not self._link.blocked):
            self._armed = False
            self._flight.clear()
        else:
            self._stall(self._link if self._link.blocked else self._back, self._arrive, FORWARD)

    def _acknowledge(self, size: int) -> None:
        if self._back.blocked:
            self._unacknowledged += size
            if not self._stalled & ACKNOWLEDGEMENT:
                self._stall(self._back, self._acknowledged, ACKNOWLEDGEMENT)
            return
        self.held -= size
        self._open(self._timeline.now_ns)

    def _acknowledged(self, _: None) -> None:
        if self._back.blocked:
            self._stall(self._back, self._acknowledged, ACKNOWLEDGEMENT)
            return
        self._flows(ACKNOWLEDGEMENT)
        self.held -= self._unacknowledged
        self._unacknowledged = 0
        self._open(self._timeline.now_ns)

    # The receiver's side

    def consume(self, size: int, now_ns: int) -> None:
        """The process has read so many bytes, which makes room for others."""
        self._outstanding -= size
        if self._buffer:
            self._open(now_ns)

    def forget(self, now_ns: int) -> None:
        """The receiver's socket is gone: whatever arrives will learn it, and what waits for room goes to find out."""
        self.unread.clear()
        self._receive_bytes = NEVER
        if self._buffer:
            self._timeline.at(now_ns + PROBE_NS, self._probe)

    def _probe(self, _: None) -> None:
        self._pump(self._timeline.now_ns)

    def _open(self, now_ns: int) -> None:
        """Tell a sender that waits that there is room, if there is enough of it to be worth a message."""
        if self._opening:
            return
        window = self._receive_bytes - self._outstanding
        wanted = self._buffer and window * 2 >= min(self._receive_bytes, MAX_SEGMENT_BYTES)
        if wanted or (self._sender.waits_for_room and self.has_room):
            self._opening = True
            self._timeline.at(now_ns + self._back.delay_ns(), self._opened)

    def _opened(self, _: None) -> None:
        if self._back.blocked:
            self._stall(self._back, self._opened, WINDOW)
            return
        if self._stalled & WINDOW:
            self._flows(WINDOW)
        self._opening = False
        self._pump(self._timeline.now_ns)
        if self._sender.waits_for_room and self.has_room:
            self._sender.writable()

    # Standing still

    def _stall(self, link: Link, call: Waiting, where: int) -> None:
        """Wait until a blocked link flows, but not for ever."""
        link.waiting.append(call)
        self._stalled |= where
        if self._stalled_since_ns < 0:
            self._stalled_since_ns = now_ns = self._timeline.now_ns
            self._timeline.at(now_ns + self._give_up_ns, self._give_up, now_ns)

    def _flows(self, where: int) -> None:
        self._stalled &= ~where
        if not self._stalled:
            self._stalled_since_ns = -1

    def _give_up(self, since_ns: int) -> None:
        if since_ns == self._stalled_since_ns:
            self._sender.gave_up(self._give_up_ns // EXPLAINED_NS)
