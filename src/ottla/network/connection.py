"""One connection of a server: frames in, answers out in order, and the reasons why it is muted.

    received -> whole frame -> may it be served now? -> header -> barrier -> the serving function -> answer, some time
                                  no: kept, the connection waits in `turns`            in order -> write

Requests of one connection are served in order while several are in flight; at most `max_in_flight` of them, and no
more once they have `max_in_flight_bytes`, wait for their answers. A mute is a set of reasons: while there is one,
nothing is read and nothing served, so that a peer which sends faster than it reads, or than we can serve, is held up by
TCP and costs no memory beyond its own buffer. (Who only waits for a turn is stopped when more arrives: most have asked
all that they want to ask for now, and to stop reading a socket and begin again costs as much as to serve a frame.)
Answers wait as well while the peer does not read, so what is unsent stays within `max_unsent_bytes` and one answer.

What a peer does wrong ends its connection and nothing else. What our serving function does wrong is reported, and ends
the connection too, since the answers behind it could not be told apart any more. A peer that has closed its side has
gone, as in Kafka, but what it has asked before is served: a producer that wants no acknowledgement closes behind its
last batch.
"""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ottla.errors import OversizedFrame, PeerError
from ottla.network.frames import FrameBuffer
from ottla.network.handshake import Barrier
from ottla.network.limits import Mute, Reason
from ottla.network.request import Request
from ottla.network.sasl import expects_bare_token, serve_bare_token, serve_sasl
from ottla.network.turns import CONTROL_APIS, FRAMES_AT_ONCE
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Chunk
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.framing import MAX_BYTES_BEFORE_AUTHENTICATION
from ottla.protocol.headers import read_request_header
from ottla.protocol.messages.connection import ApiVersionsResponse, ApiVersionsResponse_ApiVersion
from ottla.world.api import Stream, Timer

if TYPE_CHECKING:
    from ottla.network.listener import ServerListener

FLUSH_BYTES: Final = 64 * 1024  # answers to one read of many requests go out together up to here
RECHECK_MS: Final = 1
LINGER_MS: Final = 10_000  # how long a peer may take to read what is left when we close

# Plain numbers, since every operation on an enum's member costs what a request may cost in all.
BACKLOG, IN_FLIGHT, QUEUED = int(Mute.BACKLOG), int(Mute.IN_FLIGHT), int(Mute.QUEUED)
HELD_UP = ~int(Mute.MEMORY)  # who is short of memory reads nothing, but is served what it has: that makes room
_SASL_APIS = (ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE)


class Connection:
    """A client's connection, from `accept` to `closed`."""

    __slots__ = (
        "_batching", "_ending", "_frames", "_held_bytes", "_in_flight_bytes", "_is_told", "_linger", "_mute",
        "_now", "_out", "_out_bytes", "_paused", "_pending", "_received_ns", "_server", "_throttle",
        "_throttled_until_ms", "_turns", "_unsent_seen", "barrier", "bytes_in", "bytes_out", "closed_because",
        "figures", "is_closing", "last_active_ms", "listener", "requests", "stream",
    )  # fmt: skip

    def __init__(self, stream: Stream, listener: "ServerListener") -> None:
        server = listener.server
        self.stream, self.listener, self.figures = stream, listener, listener.figures
        self.barrier = Barrier(listener.settings.sasl)
        self.requests = self.bytes_in = self.bytes_out = 0
        self.is_closing = False
        self.closed_because = ""
        self._server, self._turns, self._now = server, server.turns, server.world.clock.monotonic_ns
        self._received_ns = self._now()
        self.last_active_ms = self._received_ns // 1_000_000
        self._frames = FrameBuffer(server.shared_buffer)
        self._pending: deque[Request] = deque()
        self._mute = self._held_bytes = self._in_flight_bytes = 0
        self._paused = False  # nothing is read
        self._is_told = False  # the stream has said that too much waits
        self._batching = False  # answers are collected
        self._out: list[Chunk] = []
        self._out_bytes = self._unsent_seen = 0
        self._ending: Reason | None = None  # it closes as soon as what has been asked is answered
        self._linger: Timer | None = None
        self._throttle: Timer | None = None
        self._throttled_until_ms = 0
        self.limit_changed()

    # What the stream says

    def buffer(self) -> memoryview:
        """Where the next bytes go."""
        return self._frames.buffer()

    def received(self, count: int) -> None:
        """Bytes are there: serve the whole frames among them, as far as they may be served now."""
        if self.is_closing:
            return
        self._received_ns = now_ns = self._now()
        self.last_active_ms = now_ns // 1_000_000
        self.bytes_in += count
        self.figures.bytes_in.value += count
        self._frames.received(count)
        if not self._mute & HELD_UP:
            self._serve_arrived(now_ns)
        elif not self._paused:
            self._pause()
        self._settle()

    def ended(self) -> None:
        """The peer has closed its side: serve what it has asked, and close without waiting for the answers."""
        self._end(Reason.PEER)

    def writing_paused(self) -> None:
        """The peer does not read."""
        self._is_told = True
        self.mute(Mute.BACKLOG)

    def writing_resumed(self) -> None:
        """It reads again."""
        self._is_told = False
        self.unmute(Mute.BACKLOG)

    def closed(self, error: Exception | None) -> None:
        """The connection is gone, and what was asked on it needs no answer."""
        if not self.is_closing:
            self.is_closing = True
            self.figures.closed_for(Reason.PEER if error is None else Reason.LOST)
        for timer in (self._linger, self._throttle):
            if timer is not None:
                timer.cancel()
        pending, self._pending = self._pending, deque()
        for request in pending:
            request.gone()
        self._out.clear()
        self._frames.clear()
        self._held_bytes = 0
        self.listener.gone(self)

    # Serving

    def _serve_arrived(self, now_ns: int) -> None:
        """Serve what has just arrived, until something has to wait."""
        turns = self._turns
        self._batching = True
        frames_left = FRAMES_AT_ONCE
        while not self._mute & HELD_UP and (size := self._next_size()) is not None:
            is_first = frames_left == FRAMES_AT_ONCE
            frames_left -= 1
            if frames_left < 0 or not turns.admits(now_ns, size, control=self.next_is_control(), is_first=is_first):
                self._mute |= QUEUED
                turns.enqueue(self, is_first=is_first)
                break
            self._serve(size, now_ns)
            now_ns = self._now()
        self._stop_batching()

    def serve_next(self) -> bool:
        """Serve the next frame out of the queue; whether another one is to be served after it."""
        self._mute &= ~QUEUED
        if not self._mute & HELD_UP and (size := self._next_size()) is not None:
            self._turns.charge(size)
            self._batching = True
            self._serve(size, self._now())
            self._stop_batching()
            if not self._mute & HELD_UP and self._next_size() is not None:
                self._mute |= QUEUED
                return True
        self._settle()
        return False

    def next_is_control(self) -> bool:
        """Whether the next frame overtakes data."""
        return self._frames.api_key() in CONTROL_APIS or self.listener.settings.is_control

    def _next_size(self) -> int | None:
        """The size of the next frame if it is whole; one that is too large ends the connection."""
        if self.is_closing:
            return None
        limit = self._server.limits.max_request_bytes
        if not self.barrier.is_open:
            limit = min(limit, MAX_BYTES_BEFORE_AUTHENTICATION)
        try:
            return self._frames.next_size(limit)
        except OversizedFrame as error:
            self.close(Reason.OVERSIZED, str(error))
            return None

    def _serve(self, size: int, now_ns: int) -> None:
        """Serve a frame: 4 us with its answer, 5 if it comes alone, without what the serving function takes."""
        frame = self._frames.take(size)
        figures = self.figures
        self.requests += 1
        figures.received.value += 1
        try:
            if expects_bare_token(self.barrier):
                serve_bare_token(self, bytes(frame), now_ns)
                return
            api, header, body = read_request_header(frame)
            version = header.request_api_version
            supported = api.min_version <= version <= api.max_version
            if not supported and api is not ApiKey.API_VERSIONS:
                self.close(Reason.UNSUPPORTED, f"{api.name} in version {version}")
                return
            api_figures = self._server.figures.api(api, version if supported else 0)
            api_figures.requests.count += 1
            api_figures.request_bytes.update(size)
            request = Request(self, api, header, frame, body, self._received_ns, now_ns, api_figures)
            if (self.listener.settings.sasl is not None or api in _SASL_APIS) and not serve_sasl(self, request, now_ns):
                return
            self.expect(request)
            if not supported:
                request.answer(_API_VERSIONS_ONLY, version=0)
                return
            self._server.serve(request)
            if request.chunks is None:
                request.returned_ns = self._now()
        except PeerError as error:
            self.close(Reason.MALFORMED, str(error))
        except Exception as error:
            self._fault(error)

    def expect(self, request: Request) -> None:
        """A request waits for its answer from now on."""
        self._pending.append(request)
        self._in_flight_bytes += request.size_bytes
        limits = self._server.limits
        if len(self._pending) >= limits.max_in_flight or self._in_flight_bytes >= limits.max_in_flight_bytes:
            self.mute(Mute.IN_FLIGHT)

    # Answers

    def answered(self, request: Request) -> None:
        """An answer is there: send it, and those behind it that were waiting, if it is its turn."""
        if not self.is_closing and self._pending and self._pending[0] is request and not self._mute & BACKLOG:
            self._send_ready()

    def _send_ready(self) -> None:
        pending = self._pending
        now_ns = self._now()
        while pending and not self._mute & BACKLOG:
            head = pending[0]
            chunks = head.chunks
            if chunks is None:
                try:
                    chunks = head.ready()
                except Exception as error:
                    self._fault(error)
                    return
                if chunks is None:
                    break
            pending.popleft()
            self._in_flight_bytes -= head.size_bytes
            head.count(now_ns)
            if chunks:
                self.send(chunks)
        if self._mute & IN_FLIGHT:
            limits = self._server.limits
            if len(pending) <= limits.max_in_flight // 2 and self._in_flight_bytes <= limits.max_in_flight_bytes // 2:
                self.unmute(Mute.IN_FLIGHT)
        if self._ending is not None:
            self._end(self._ending)

    def send(self, chunks: Sequence[Chunk]) -> None:
        """Write an answer, together with its neighbours if more are on their way."""
        size = 0
        for chunk in chunks:
            size += len(chunk)
        self.bytes_out += size
        figures = self.figures
        figures.bytes_out.value += size
        figures.sent.value += 1
        self._out += chunks
        self._out_bytes += size
        if not self._batching or self._out_bytes >= FLUSH_BYTES:
            self._flush()

    def _stop_batching(self) -> None:
        self._batching = False
        if self._out:
            self._flush()

    def _flush(self) -> None:
        out, self._out, self._out_bytes = self._out, [], 0
        self.stream.write(out)
        if self.stream.unsent_bytes() > self._server.limits.max_unsent_bytes and not self._mute & BACKLOG:
            self.mute(Mute.BACKLOG)  # at once: thousands of requests may wait in the buffer that is being worked off
            self._recheck_later()

    def _recheck_later(self) -> None:
        """What is sent before the stream has told us that it is too much, it never tells us of."""
        clock = self._server.world.clock
        clock.call_at(clock.monotonic_ms() + RECHECK_MS, self._recheck)

    def _recheck(self) -> None:
        if self._mute & BACKLOG and not self._is_told and not self.is_closing:
            if self.stream.unsent_bytes() <= self._server.limits.max_unsent_bytes:
                self.unmute(Mute.BACKLOG)
            else:
                self._recheck_later()

    # Muting

    @property
    def muted(self) -> Mute:
        """Why nothing is read."""
        return Mute(self._mute)

    @property
    def in_flight(self) -> int:
        """How many requests wait for their answers, or for those before them."""
        return len(self._pending)

    @property
    def held_bytes(self) -> int:
        """How much memory it holds for what has arrived."""
        return self._held_bytes

    def mute(self, reason: Mute) -> None:
        """Read and serve nothing for this reason."""
        if not self._paused and not self.is_closing:
            self._pause()
        self._mute |= int(reason)

    def _pause(self) -> None:
        self._paused = True
        self.stream.pause_reading()

    def unmute(self, reason: Mute) -> None:
        """This reason is gone. What has been held back is served in its turn, before anything more is read."""
        if not self._mute & reason:
            return
        self._mute &= ~int(reason)
        if reason is Mute.BACKLOG and self._pending and not self.is_closing:
            self._send_ready()
        if self._mute & HELD_UP or self._batching:
            return  # who collects answers looks by himself at what comes next
        if self._next_size() is not None:
            self._mute |= QUEUED
            self._turns.enqueue(self)
        else:
            self._settle()

    def throttle(self, duration_ms: int) -> None:
        """Read nothing more for so long."""
        clock = self._server.world.clock
        until_ms = clock.monotonic_ms() + duration_ms
        if self.is_closing or until_ms <= self._throttled_until_ms or duration_ms <= 0:
            return
        if self._throttle is not None:
            self._throttle.cancel()
        self._throttled_until_ms = until_ms
        self._throttle = clock.call_at(until_ms, lambda: self.unmute(Mute.THROTTLE))
        self.mute(Mute.THROTTLE)

    def wait_for_memory(self) -> None:
        """All connections together hold too much."""
        self.mute(Mute.MEMORY)

    def memory_is_there(self) -> None:
        """There is room again."""
        self.unmute(Mute.MEMORY)

    def limit_changed(self) -> None:
        """The server's limits are others than before."""
        limit = self._server.limits.max_unsent_bytes
        self.stream.set_write_limits(high=limit, low=limit // 4)

    def _settle(self) -> None:
        """What could be served has been: let go of what is not needed, and read on if nothing speaks against it."""
        if self.is_closing:
            return
        frames = self._frames
        frames.keep()
        if frames.owned_bytes != self._held_bytes:
            self._held_bytes = frames.owned_bytes
            self._server.memory.account(self, self._held_bytes)
        if self._ending is not None:
            self._end(self._ending)
        elif self._paused and not self._mute:
            self._paused = False
            self.stream.resume_reading()

    # Closing

    def look(self, now_ms: int, idle_ms: int) -> None:
        """Now and then: close it if it has been idle for too long, abort it if it does not read for so long."""
        unsent = self.stream.unsent_bytes()
        if unsent < self._unsent_seen:
            self.last_active_ms = now_ms
        self._unsent_seen = unsent
        if self.last_active_ms <= now_ms - idle_ms and not self.is_closing:
            if unsent:
                self.abort(Reason.STUCK)
            elif not self._pending:
                self.close(Reason.IDLE)

    def drain(self) -> None:
        """Serve nothing more, answer what is in flight, then close."""
        self.mute(Mute.STOPPING)
        self._end(Reason.STOPPED)

    def _end(self, reason: Reason) -> None:
        """Close as soon as what has been asked is answered, or, for a peer that has gone, as soon as it is served."""
        self._ending = reason
        if self.is_closing or self._batching:
            return
        if not self._pending if reason is Reason.STOPPED else self._next_size() is None:
            self.close(reason)

    def close(self, reason: Reason, why: str = "") -> None:
        """Send what is answered already, and close."""
        if self.is_closing:
            return
        self.is_closing = True
        self.closed_because = why
        self.figures.closed_for(reason)
        if self._out:
            self.stream.write(self._out)
            self._out = []
        self.stream.close()
        if self.stream.unsent_bytes():
            clock = self._server.world.clock
            self._linger = clock.call_at(clock.monotonic_ms() + LINGER_MS, self.stream.abort)

    def abort(self, reason: Reason) -> None:
        """Close at once, without sending what waits."""
        if not self.is_closing:
            self.is_closing = True
            self.figures.closed_for(reason)
        self.stream.abort()

    def _fault(self, error: Exception) -> None:
        """An error of ours."""
        self._server.report(f"serving {self.stream.peer}", error)
        self.close(Reason.OURS)


_API_VERSIONS_ONLY = ApiVersionsResponse(
    error_code=ErrorCode.UNSUPPORTED_VERSION,
    api_keys=[
        ApiVersionsResponse_ApiVersion(
            ApiKey.API_VERSIONS, ApiKey.API_VERSIONS.min_version, ApiKey.API_VERSIONS.max_version
        )
    ],
)
