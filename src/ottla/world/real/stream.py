"""One end of a connection, as a buffered protocol of asyncio's on a transport of the loop's.

    transport -> receiver.buffer() -> receiver.received(n)           plain: the bytes go straight to where they belong
    transport -> shared buffer -> TLS -> receiver.buffer() -> ...
    write -> transport                                               small, and nothing waits: the common case
    write -> queue -> transport, a piece at a time, when it has drained -> ... -> closed

The transport is never given more than one piece that it cannot send at once. So what waits is ours: it is counted, cut
and dropped here, a range of a file can go to the socket behind the transport's back (`file_ranges`), and ciphertext is
made when there is room for it.

What is always true:
- The receiver hears of nothing before `begin`, and of nothing after `closed`; what came too early is kept for it.
- It is told from the loop: whatever a method leads to is put off until the method has returned.
- An error ends the connection, and `closed` is told the first one. One of the receiver's own is reported after that.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Sequence
from typing import Any, cast

from ottla.errors import ConnectionLost, OttlaError
from ottla.world.api import Chunk, Receiver
from ottla.world.real.addresses import LINGER_NOT, address_of
from ottla.world.real.file_ranges import read_range, send_range
from ottla.world.real.send_queue import Bytes, SendQueue
from ottla.world.real.streams import Streams
from ottla.world.real.tls_session import RECORD_BYTES, TlsSession

HIGH_BYTES, LOW_BYTES = 65_536, 16_384  # until `set_write_limits`
JOINED_BYTES = 65_536  # copying so little is cheaper than a list of buffers for the system
PIECE_BYTES = 524_288  # what the transport gets at once; with 1 MB asyncio copies for 0.9 s a GB, with this for 0.1 s
MOST_BYTES_A_TURN = 8 * PIECE_BYTES  # sent from one connection before others get a turn
MOST_UNASKED_BYTES = 262_144  # of TLS's own answers to a peer that does not read them
MOST_DISCARDED_BYTES = 262_144  # of what a peer has sent to a connection that is closing

Ready = Callable[["RealStream", Exception | None], None]


class RealStream(asyncio.BufferedProtocol):
    """A `Stream`. `ready` is called once: when the connection, TLS included, is there, or with what went wrong."""

    __slots__ = (
        "_allocating", "_begun", "_closing", "_direct", "_early", "_ended", "_error", "_held_up", "_high", "_loop",
        "_lost", "_low", "_paused", "_queue", "_ready", "_receiver", "_reported", "_socket", "_streams", "_tls",
        "_told_ended", "_told_paused", "_transport", "local", "peer", "peer_certificate",
    )  # fmt: skip

    def __init__(self, streams: Streams, connection: socket.socket, ready: Ready, tls: TlsSession | None) -> None:
        self._streams, self._loop, self._socket = streams, streams.loop, connection
        self.local, self.peer = address_of(connection.getsockname()), address_of(connection.getpeername())
        self.peer_certificate: dict[str, Any] | None = None
        self._ready: Ready | None = ready
        self._tls = tls
        self._receiver: Receiver | None = None
        self._transport: asyncio.Transport | None = None
        self._queue = SendQueue()
        self._high, self._low = HIGH_BYTES, LOW_BYTES
        self._early = b""  # plain bytes that came before the receiver, or while it paused
        self._error: Exception | None = None  # why we ended it
        self._reported: Exception | None = None  # the receiver's own fault
        self._held_up = False  # the transport has not sent all of what it was given
        self._paused = False  # the receiver wants nothing for now
        self._closing = False  # nothing is received any more, and nothing can be written
        self._begun = self._ended = self._lost = False
        self._told_paused = self._told_ended = False
        self._direct = self._allocating = False

    # The receiver's side

    def begin(self, receiver: Receiver) -> None:
        """From the loop's next turn on, everything is told to this receiver."""
        self._receiver = receiver
        self._loop.call_soon(self._begin)

    def write(self, chunks: Sequence[Chunk]) -> None:
        """Send these behind what waits already."""
        transport = self._transport
        if self._closing or transport is None or transport.is_closing():
            return
        if not self._held_up and not self._queue.size and self._tls is None and sum(map(len, chunks)) <= JOINED_BYTES:
            try:
                transport.write(chunks[0] if len(chunks) == 1 else b"".join(chunks))  # type: ignore[arg-type]
            except TypeError:
                self._enqueue(chunks)  # A range is among them.
            else:
                if transport.get_write_buffer_size():
                    self._check_limits()
        else:
            self._enqueue(chunks)

    def unsent_bytes(self) -> int:
        """How much waits to be sent."""
        transport = self._transport
        return 0 if transport is None else self._queue.size + transport.get_write_buffer_size()

    def set_write_limits(self, high: int, low: int) -> None:
        """When the receiver is told to pause and to go on."""
        assert 0 <= low <= high
        self._high, self._low = high, low
        self._check_limits()

    def pause_reading(self) -> None:
        """Read nothing more for now."""
        if not self._paused and not self._closing:
            self._paused = True
            self._outside_of_allocation(self._follow_pause)

    def resume_reading(self) -> None:
        """Read again."""
        if self._paused and not self._closing:
            self._paused = False
            self._loop.call_soon(self._deliver)

    def close(self) -> None:
        """Send what waits, then close."""
        if not self._closing:
            self._closing = True
            self._outside_of_allocation(self._stop_reading_and_finish)

    def abort(self) -> None:
        """Close at once."""
        self._closing = True
        self._queue.clear()
        self._outside_of_allocation(self._abort)

    def fail(self, error: Exception) -> None:
        """End the connection because of this."""
        if self._error is None:
            self._error = error
        self.abort()

    # The transport's side: reading

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is there; TLS is not."""
        made = cast("asyncio.Transport", transport)  # uvloop's is none by its class
        self._transport = made
        self._streams.add(self)
        made.set_write_buffer_limits(0)  # Tell us when all is sent, and not before.
        if self._tls is None:
            self._become_ready(None)
        else:
            self._shake_hands(self._tls)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the next bytes go. uvloop does not survive it when its transport is touched in here."""
        del sizehint
        self._direct = self._begun and self._tls is None and not self._paused and not self._closing
        if self._direct:
            assert self._receiver is not None
            self._allocating = True
            try:
                buffer = self._receiver.buffer()
                assert len(buffer), "a receiver has room"
            except Exception as error:
                self._direct = False
                self._receiver_raised(error)
            else:
                return buffer
            finally:
                self._allocating = False
        return self._streams.shared_buffer

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes are there."""
        if self._closing:
            return
        if self._direct:
            assert self._receiver is not None
            try:
                self._receiver.received(nbytes)
            except Exception as error:
                self._receiver_raised(error)
        elif self._tls is not None:
            self._tls.receive(self._streams.shared_buffer[:nbytes])
            if self._ready is not None:
                self._shake_hands(self._tls)
            else:
                self._deliver()
        else:
            self._early += self._streams.shared_buffer[:nbytes]
            assert self._transport is not None
            self._transport.pause_reading()

    def eof_received(self) -> bool:
        """The peer will send nothing more. True: the connection stays."""
        self._ended = True
        if self._tls is not None and not self._closing:
            self._tls.receive(memoryview(b""))
            if self._ready is not None:
                self._shake_hands(self._tls)
                return True
        self._deliver()
        return True

    def _shake_hands(self, tls: TlsSession) -> None:
        try:
            done = tls.handshake()
        except ConnectionLost as error:
            self._say(tls)  # the alert
            self._become_ready(error)
            self.close()
            return
        self._say(tls)
        if done:
            self.peer_certificate = tls.peer_certificate()
            self._become_ready(None)

    def _say(self, tls: TlsSession) -> None:
        """Send what TLS has to say by itself."""
        transport = self._transport
        data = tls.outgoing()
        if data and transport is not None:
            transport.write(data)
            if transport.get_write_buffer_size() > MOST_UNASKED_BYTES + PIECE_BYTES:
                self.fail(ConnectionLost(f"{self.peer} asks TLS for more answers than it reads"))

    def _become_ready(self, error: Exception | None) -> None:
        ready, self._ready = self._ready, None
        if ready is not None:
            ready(self, error)

    def _begin(self) -> None:
        self._begun = True
        if self._lost:
            self._tell_closed()
        else:
            self._check_limits()
            self._deliver()

    def _deliver(self) -> None:
        """Give the receiver what came for it and is kept here; then read on, or say that there is no more."""
        receiver = self._receiver
        try:
            while self._begun and not self._paused and not self._closing:
                assert receiver is not None
                count = self._read_kept(receiver) if self._tls is not None or self._early else 0
                if not count:
                    break
                receiver.received(count)
            if self._tls is not None:
                self._say(self._tls)
        except ConnectionLost as error:
            if self._tls is not None:
                self._say(self._tls)
            self.fail(error)
        except Exception as error:
            self._receiver_raised(error)
        self._follow_pause()
        self._tell_ended()

    def _read_kept(self, receiver: Receiver) -> int:
        buffer = receiver.buffer()
        assert len(buffer), "a receiver has room"
        if self._tls is not None:
            return self._tls.read_into(buffer)
        count = min(len(buffer), len(self._early))
        buffer[:count] = self._early[:count]
        self._early = self._early[count:]
        return count

    def _follow_pause(self) -> None:
        """Let the transport read when there is somebody who wants it."""
        transport = self._transport
        if transport is None or self._closing or self._ended:
            return
        if self._paused or self._early:
            transport.pause_reading()
        else:
            transport.resume_reading()

    def _tell_ended(self) -> None:
        """Tell that the peer has ended, once, when everything before it has been told."""
        ended = self._ended if self._tls is None else self._tls.peer_has_ended
        if not ended or self._told_ended or not self._begun or self._paused or self._closing or self._early:
            return
        assert self._receiver is not None
        self._told_ended = True
        try:
            self._receiver.ended()
        except Exception as error:
            self._receiver_raised(error)

    # The transport's side: writing

    def pause_writing(self) -> None:
        """The transport has not sent everything: called inside of its `write`."""
        self._held_up = True

    def resume_writing(self) -> None:
        """It has. asyncio's transports cannot be closed from in here, so we go on in the next turn."""
        self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        self._held_up = False
        self._pump()
        self._check_limits()

    def _enqueue(self, chunks: Sequence[Chunk]) -> None:
        try:
            self._queue.add(chunks)
        except OttlaError as error:
            self.fail(error)
            return
        self._pump()
        self._check_limits()

    def _pump(self) -> None:
        """Hand on what waits, for as long as the transport can send it at once."""
        queue = self._queue
        most_left = queue.size - MOST_BYTES_A_TURN
        try:
            while queue.size and not self._held_up and self._transport is not None and not self._transport.is_closing():
                if queue.size <= most_left:
                    self._held_up = True
                    self._loop.call_soon(self._go_on)
                    break
                self._send_piece(self._transport)
        except OSError as error:
            self.fail(self._lost_by(error))
        except OttlaError as error:
            self.fail(error)
        if self._closing and not queue.size:
            self._finish()

    def _send_piece(self, transport: asyncio.Transport) -> None:
        """Move something from the front of the queue to the transport, or to the socket itself."""
        queue = self._queue
        range_ = queue.first_range()
        if self._tls is not None:
            if range_ is None:
                chunks = queue.take_bytes(RECORD_BYTES)
                joined: list[Bytes] = chunks if len(chunks) < 2 else [b"".join(chunks)]  # One record, not many.
            else:
                joined = [read_range(range_, RECORD_BYTES)]
                queue.advance(len(joined[0]))
            transport.write(self._tls.encrypt(joined))
        elif range_ is None:
            chunks = queue.take_bytes(PIECE_BYTES)
            if len(chunks) == 1:
                transport.write(chunks[0])
            else:
                transport.writelines(chunks)
        else:
            queue.advance(send_range(range_, self._socket, transport))

    def _check_limits(self) -> None:
        """Arrange for the receiver to be told when a limit has been crossed."""
        if not self._begun or self._lost:
            return
        unsent = self.unsent_bytes()
        if self._told_paused:
            if unsent <= self._low:
                self._told_paused = False
                self._loop.call_soon(self._tell, "writing_resumed")
        elif unsent > self._high:
            self._told_paused = True
            self._loop.call_soon(self._tell, "writing_paused")

    def _tell(self, what: str) -> None:
        if not self._lost:
            try:
                getattr(self._receiver, what)()
            except Exception as error:
                self._receiver_raised(error)

    # The end

    def _stop_reading_and_finish(self) -> None:
        if self._transport is not None:
            self._transport.pause_reading()
            self._early = b""
            self._pump()

    def _finish(self) -> None:
        """Everything is with the transport: it closes when it has sent it."""
        transport = self._transport
        if transport is not None and not transport.is_closing():
            if self._tls is not None and self._error is None:
                transport.write(self._tls.end())
            self._discard()
            transport.close()

    def _discard(self) -> None:
        """Take out what has arrived and nobody wants: a system that closes a socket with unread bytes in it resets the
        connection, and the peer may lose what it was sent last.
        """
        shared = self._streams.shared_buffer
        with contextlib.suppress(OSError):
            for _ in range(MOST_DISCARDED_BYTES // len(shared)):
                if self._socket.recv_into(shared) < len(shared):
                    break

    def _abort(self) -> None:
        if self._transport is not None and not self._lost:
            # The peer shall see a reset, and the system shall not keep what it was given for somebody who never reads.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
            self._transport.abort()

    def _outside_of_allocation(self, act: Callable[[], None]) -> None:
        if self._allocating:
            self._loop.call_soon(act)
        else:
            act()

    def _receiver_raised(self, error: Exception) -> None:
        """The receiver's fault costs its connection."""
        if self._reported is None:
            self._reported = error
            self._error = self._error or error
        self._closing = True
        self._loop.call_soon(self.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """The transport is closed."""
        self._lost = self._closing = True
        self._queue.clear()
        if self._error is None and exc is not None:
            self._error = self._lost_by(exc)
        self._transport = None
        self._early = b""
        self._streams.remove(self)
        self._become_ready(self._error or ConnectionLost(f"{self.peer} has closed the connection"))
        if self._begun:
            self._tell_closed()

    def forget(self) -> None:
        """The loop has taken the transport away, and will not say that the connection is gone."""
        self._lost = self._closing = True
        self._transport = None
        self._streams.remove(self)

    def _lost_by(self, error: Exception) -> Exception:
        if isinstance(error, OSError):
            lost = ConnectionLost(f"connection with {self.peer} lost: {error.strerror or error}")
            lost.__cause__ = error
            return lost
        return error

    def _tell_closed(self) -> None:
        receiver, self._receiver = self._receiver, None
        assert receiver is not None
        try:
            receiver.closed(self._error)
        except Exception as error:
            self._streams.report(f"receiver of {self.peer}", error)
        if self._reported is not None:
            self._streams.report(f"receiver of {self.peer}", self._reported)
