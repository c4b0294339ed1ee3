"""The `Network` of one life of a node: where a program listens and connects.

Nodes are found by their names, and each finds itself under the usual loopback names too. A name that no node has ever
had is unknown; a machine without power does not answer.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla.errors import AddressInUse, ConnectFailed
from ottla.world.api import Address, Receiver, SocketBuffers, Stream, TlsSettings
from ottla.world.simulated.clock import SimulatedClock
from ottla.world.simulated.loop import NodeLoop
from ottla.world.simulated.network.attempt import Attempt
from ottla.world.simulated.network.host import Host
from ottla.world.simulated.network.listener import Accept, SimulatedListener
from ottla.world.simulated.network.stream import SimulatedStream
from ottla.world.simulated.network.tls import ClientHandshake

if TYPE_CHECKING:
    from ottla.world.simulated.network.fabric import Fabric

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERY_INTERFACE = ("", "0.0.0.0", "::")  # noqa: S104  # names of it: nothing is bound here
SYSTEM_BUFFERS = SocketBuffers()
LOOKUP_MS = 2  # how long it takes to learn that a name is unknown


class SimulatedNetwork:
    """What a program on a simulated node is handed as its network."""

    def __init__(self, fabric: "Fabric", host: Host, loop: NodeLoop) -> None:
        self.fabric, self.host, self.loop, self.clock = fabric, host, loop, SimulatedClock(loop)

    async def host_name(self) -> str:
        """The node's name."""
        return self.host.name

    async def listen(
        self,
        address: Address,
        accept: Accept,
        *,
        tls: TlsSettings | None = None,
        backlog: int = 50,
        buffers: SocketBuffers = SYSTEM_BUFFERS,
    ) -> SimulatedListener:
        """Bind a port and call `accept` with every connection."""
        if address.host not in (*LOOPBACK, *EVERY_INTERFACE, self.host.name):
            raise AddressInUse(f"{address} is no address of {self.host.name}")
        if address.port and not self.host.is_free(address.port):
            raise AddressInUse(f"{address} is in use on {self.host.name}")
        bound = Address(address.host, address.port or self.host.ephemeral_port())
        listener = SimulatedListener(
            self, bound, accept, tls=tls, backlog=backlog, buffers=buffers, loopback_only=address.host in LOOPBACK
        )
        self.host.listeners[bound.port] = listener
        self.fabric.note(self.host.name, "listen", str(bound))
        return listener

    async def connect(
        self,
        address: Address,
        receiver: Callable[[Stream], Receiver],
        *,
        tls: TlsSettings | None = None,
        timeout_ms: int = 30_000,
        buffers: SocketBuffers = SYSTEM_BUFFERS,
    ) -> SimulatedStream:
        """Connect, or `ConnectFailed`."""
        is_loopback = address.host in LOOPBACK or address.host in EVERY_INTERFACE
        target = self.host if is_loopback else self.fabric.hosts.get(address.host)
        if target is None:
            await self.clock.sleep(LOOKUP_MS)
            raise ConnectFailed(f"{address.host} has no address")
        local = Address(address.host if is_loopback else self.host.name, self.host.ephemeral_port())
        attempt = Attempt(self, target, local, address, buffers)
        attempt.begin()
        try:
            await self._in_time(attempt.outcome, address, self.clock.monotonic_ms(), timeout_ms)
            stream = attempt.stream
            assert stream is not None
            if tls is not None:
                await self._handshake(stream, tls, timeout_ms)
            stream.resume_reading()  # after a handshake; its receiver may pause it at once
            stream.start(receiver(stream))
        except BaseException:
            attempt.give_up()
            raise
        return stream

    async def _handshake(self, stream: SimulatedStream, tls: TlsSettings, timeout_ms: int) -> None:
        done: asyncio.Future[None] = self.loop.create_future()
        ClientHandshake(stream, tls, done).begin()
        await self._in_time(done, stream.peer, self.clock.monotonic_ms(), timeout_ms)

    async def _in_time(self, future: "asyncio.Future[None]", peer: Address, start_ms: int, timeout_ms: int) -> None:
        """Wait for a future, which fails when its time is over."""

        def expire() -> None:
            if not future.done():
                future.set_exception(ConnectFailed(f"{peer} has not answered within {timeout_ms} ms"))

        timer = self.clock.call_at(start_ms + timeout_ms, expire)
        try:
            await future
        finally:
            timer.cancel()
