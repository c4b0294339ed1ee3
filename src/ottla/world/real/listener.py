"""A bound port: connections are accepted here, a few at a time, and become streams.

The loop's own servers are not used: uvloop's ends when the system has no descriptor left for a connection, asyncio's
takes whole backlogs in one turn, and neither can be paused.

What is always true: a listener reads its sockets only while somebody wants connections, descriptors are to be had, and
not too many handshakes are going on; else what connects waits in the backlog. A connection that fails before it has a
receiver is gone, and nobody is told.
"""

import asyncio
import errno
import logging
import socket
import ssl
from collections.abc import Callable, Sequence

from ottla.world.api import Address, Receiver, Stream, TlsSettings
from ottla.world.real.addresses import prepare
from ottla.world.real.stream import RealStream
from ottla.world.real.streams import Streams
from ottla.world.real.tls import server_context
from ottla.world.real.tls_session import TlsSession

logger = logging.getLogger(__name__)

MOST_ACCEPTED_A_TURN = 4  # each costs the loop about 0.3 ms with its first request, and others wait meanwhile
MOST_OPENING = 1_024  # connections that are accepted, and not ready yet
REST_SECONDS = 0.1  # before we ask again, when the system has nothing left for a connection
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}

Accept = Callable[[Stream], Receiver | None]


class RealListener:
    """A `Listener` on one or more sockets of the same port."""

    def __init__(
        self,
        streams: Streams,
        sockets: Sequence[socket.socket],
        address: Address,
        accept: Accept,
        *,
        context: ssl.SSLContext | None,
        handshake_timeout_ms: int,
        closed: Callable[["RealListener"], None],
    ) -> None:
        self.address = address
        self._streams, self._loop = streams, streams.loop
        self._sockets, self._accept, self._context = sockets, accept, context
        self._handshake_timeout_ms, self._tell_closed = handshake_timeout_ms, closed
        self._opening: dict[RealStream | socket.socket, asyncio.TimerHandle | None] = {}
        self._paused = self._closed = self._is_reading = False
        self._rest: asyncio.TimerHandle | None = None
        self._follow()

    def pause(self) -> None:
        """Accept nothing for now."""
        self._paused = True
        self._follow()

    def resume(self) -> None:
        """Accept again."""
        self._paused = False
        self._follow()

    def replace_tls(self, settings: TlsSettings) -> None:
        """New connections use these; ConfigError leaves the old ones in use."""
        assert self._context is not None, "a plain listener stays plain"
        self._context = server_context(settings)

    async def close(self) -> None:
        """Give the port up. Connections go on; those that have no receiver yet never get one."""
        if self._closed:
            return
        self._closed = True
        self._follow()
        if self._rest is not None:
            self._rest.cancel()
        for bound in self._sockets:
            bound.close()
        for opening in tuple(self._opening):
            if isinstance(opening, RealStream):
                opening.abort()
            else:
                opening.close()
        self._tell_closed(self)

    def _follow(self) -> None:
        """Read the sockets if there is no reason against it."""
        wanted = not (self._paused or self._closed or self._rest is not None or len(self._opening) >= MOST_OPENING)
        if wanted == self._is_reading:
            return
        self._is_reading = wanted
        for bound in self._sockets:
            if wanted:
                self._loop.add_reader(bound, self._readable, bound)
            else:
                self._loop.remove_reader(bound)

    def _readable(self, bound: socket.socket) -> None:
        """Somebody connects."""
        for _ in range(MOST_ACCEPTED_A_TURN):
            if not self._is_reading:
                return
            try:
                connection, _ = bound.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                if error.errno in EXHAUSTED:
                    self._take_a_rest(error)
                    return
                continue  # That connection was gone before we came to it.
            self._opening[connection] = None
            self._follow()
            self._streams.spawn(self._open(connection))

    def _take_a_rest(self, error: OSError) -> None:
        """The system has no room for another connection. It stays in the backlog, and would wake us without end."""
        logger.warning("cannot accept connections for now: listener=%s reason=%s", self.address, error.strerror)
        self._rest = self._loop.call_later(REST_SECONDS, self._rested)
        self._follow()

    def _rested(self) -> None:
        self._rest = None
        self._follow()

    async def _open(self, connection: socket.socket) -> None:
        """Give a connection a transport, which calls `_ready` when it is ready."""
        try:
            connection.setblocking(False)
            prepare(connection)
            tls = None if self._context is None else TlsSession(self._context, server_side=True)
            stream = RealStream(self._streams, connection, self._ready, tls)
        except OSError:  # It is gone already.
            connection.close()
            self._opened(connection)
            return
        timer = self._loop.call_later(self._handshake_timeout_ms / 1000, stream.abort) if tls is not None else None
        self._opening[stream] = timer
        del self._opening[connection]
        try:
            await self._loop.connect_accepted_socket(lambda: stream, connection)
        except OSError:
            connection.close()
            self._opened(stream)

    def _opened(self, opening: RealStream | socket.socket) -> None:
        timer = self._opening.pop(opening, None)
        if timer is not None:
            timer.cancel()
        self._follow()

    def _ready(self, stream: RealStream, error: Exception | None) -> None:
        """A connection can be used, or has failed."""
        self._opened(stream)
        if error is not None:
            logger.debug("connection failed: listener=%s peer=%s reason=%s", self.address, stream.peer, error)
            return
        if self._closed:
            stream.abort()
            return
        try:
            receiver = self._accept(stream)
        except Exception as raised:
            stream.abort()
            self._streams.report(f"accept on {self.address}", raised)
            return
        if receiver is None:
            stream.close()
        else:
            stream.begin(receiver)
