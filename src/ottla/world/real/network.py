"""The real network: TCP and TLS on the transports of asyncio or uvloop.

Streams are in `stream`, ports in `listener`. Here connections and listeners are made, and all of them are ended when
their world is.
"""

import asyncio
import errno
import os
import socket
import ssl
from collections.abc import Callable

from ottla.errors import AddressInUse, ConnectFailed, ConnectionLost
from ottla.world.api import Address, Receiver, SocketBuffers, Stream, TlsSettings
from ottla.world.real.addresses import (
    EVERY_INTERFACE,
    SocketAddress,
    bind,
    every_interface,
    new_socket,
    own_name,
    resolve,
)
from ottla.world.real.listener import Accept, RealListener
from ottla.world.real.stream import RealStream
from ottla.world.real.streams import Streams
from ottla.world.real.tls import ClientContexts, server_context
from ottla.world.real.tls_session import TlsSession
from ottla.world.tasks import Failure

HANDSHAKE_TIMEOUT_MS = 10_000  # for a client of a listener; who connects has its own time-out
MOST_BIND_TRIES = 8  # to find a port that is free in IPv4 and in IPv6
NOT_HERE = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}  # a machine without IPv6 has no "::"
DEFAULT_BUFFERS = SocketBuffers()


class RealNetwork:
    """A `Network` on a loop that is running."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, report: Failure, *, handshake_timeout_ms: int = HANDSHAKE_TIMEOUT_MS
    ) -> None:
        self._loop, self._handshake_timeout_ms = loop, handshake_timeout_ms
        self._streams = Streams(loop, report)
        self._contexts = ClientContexts()
        self._listeners: dict[RealListener, None] = {}

    async def host_name(self) -> str:
        """The full name of this machine."""
        return await own_name(self._loop)

    async def listen(
        self,
        address: Address,
        accept: Accept,
        *,
        tls: TlsSettings | None = None,
        backlog: int = 50,
        buffers: SocketBuffers = DEFAULT_BUFFERS,
    ) -> RealListener:
        """Bind a port on every address of the host, and accept."""
        context = None if tls is None else server_context(tls)
        try:
            if address.host == EVERY_INTERFACE:
                where = every_interface(address.port)
            else:
                where = await resolve(self._loop, address)
            sockets = _bind_all(where, address, backlog, buffers)
        except OSError as error:
            raise AddressInUse(f"cannot listen on {address}: {error.strerror or error}") from error
        bound = Address(address.host, sockets[0].getsockname()[1])
        listener = RealListener(
            self._streams, sockets, bound, accept,
            context=context, handshake_timeout_ms=self._handshake_timeout_ms, closed=self._listeners.pop,
        )  # fmt: skip
        self._listeners[listener] = None
        return listener

    async def connect(
        self,
        address: Address,
        receiver: Callable[[Stream], Receiver],
        *,
        tls: TlsSettings | None = None,
        timeout_ms: int = 30_000,
        buffers: SocketBuffers = DEFAULT_BUFFERS,
    ) -> RealStream:
        """Connect to the first address of the host that answers. Each gets its share of the time that is left."""
        context = None if tls is None else self._contexts.get(tls)
        deadline = self._loop.time() + timeout_ms / 1000
        reasons: list[str] = []
        try:
            async with asyncio.timeout_at(deadline):
                candidates = await resolve(self._loop, address)
        except OSError as error:  # TimeoutError is one
            raise ConnectFailed(f"cannot find {address}: {error.strerror or 'no answer in time'}") from error
        for index, where in enumerate(candidates):
            now = self._loop.time()
            share_ends = now + (deadline - now) / (len(candidates) - index)
            try:
                async with asyncio.timeout_at(share_ends):
                    stream = await self._connect_to(where, address.host, context, buffers)
            except TimeoutError:
                reasons.append(f"no answer within {timeout_ms} ms")
            except (OSError, ConnectionLost) as error:
                number = getattr(error, "errno", None)  # asyncio has its own words beside it
                reasons.append(os.strerror(number) if number else str(error))
            else:
                return _introduce(stream, receiver)
        raise ConnectFailed(f"cannot connect to {address}: {'; '.join(dict.fromkeys(reasons)) or 'it has no address'}")

    async def _connect_to(
        self, where: SocketAddress, host: str, context: ssl.SSLContext | None, buffers: SocketBuffers
    ) -> RealStream:
        """A stream that is ready, and has no receiver yet. Whatever ends the wait ends the connection."""
        opened: asyncio.Future[None] = self._loop.create_future()

        def ready(_: RealStream, error: Exception | None) -> None:
            if opened.done():
                return
            if error is None:
                opened.set_result(None)
            else:
                opened.set_exception(error)

        connection = new_socket(where.family, buffers)
        try:
            await self._loop.sock_connect(connection, where.value)
            tls = None if context is None else TlsSession(context, server_side=False, host=host)
            stream = RealStream(self._streams, connection, ready, tls)
        except BaseException:
            connection.close()
            raise
        try:
            await self._loop.create_connection(lambda: stream, sock=connection)
        except BaseException:
            stream.forget()
            connection.close()
            raise
        try:
            await opened
        except ConnectionLost:  # It ends by itself: TLS has a last word to say to the peer.
            raise
        except BaseException:
            stream.abort()
            raise
        return stream

    async def close(self) -> None:
        """Close every listener, end every connection, and return when their receivers have been told."""
        for listener in tuple(self._listeners):
            await listener.close()
        await self._streams.abort()


def _introduce(stream: RealStream, receiver: Callable[[Stream], Receiver]) -> RealStream:
    try:
        stream.begin(receiver(stream))
    except BaseException:
        stream.abort()
        raise
    return stream


def _bind_all(
    where: list[SocketAddress], address: Address, backlog: int, buffers: SocketBuffers
) -> list[socket.socket]:
    """A socket for each address that this machine has, all on one port."""
    error = OSError(errno.EADDRNOTAVAIL, "it has no address")
    for _ in range(MOST_BIND_TRIES):
        bound: list[socket.socket] = []
        for one in where:
            try:
                bound.append(bind(one, bound[0].getsockname()[1] if bound else address.port, backlog, buffers))
            except OSError as refused:
                error = refused
                if refused.errno not in NOT_HERE:
                    break
        else:
            if bound:
                return bound
        for other in bound:
            other.close()
        if address.port or not bound:
            break
    raise error
