"""The server's end: listeners, what all connections hold together, and how it starts and stops.

    server = Server(world, listeners, serve, report, limits, metrics=metrics)
    await server.start()         # or bind() first, when the ports have to be known, and serve(names) when one is ready
    server.limit(limits)         # at any time
    await server.stop()          # answers what is in flight, for a bounded time; nothing is left behind

A listener that other nodes use is never kept waiting for the total: the connection elsewhere that has been idle longest
makes room. Idle connections are closed after `connections.max.idle.ms`. `memory` bounds what parts of frames they hold.

`serve` is called with every request, in order, on the loop; `report` with what went wrong through our own fault. No
fault of a peer gets there.
"""

from collections.abc import Callable, Iterator, Sequence

from ottla.metrics.registry import Metrics
from ottla.network.connection import Connection
from ottla.network.creation_rate import CreationRate
from ottla.network.figures import ServerFigures
from ottla.network.frames import SharedBuffer
from ottla.network.limits import UNLIMITED, Limits, ListenerSettings, Reason
from ottla.network.listener import ServerListener
from ottla.network.memory import Memory
from ottla.network.request import Request
from ottla.network.turns import Turns
from ottla.world.api import Future, Timer, World

__all__ = ["UNLIMITED", "Limits", "ListenerSettings", "Server"]

LOOK_MS = 5_000  # how often connections are looked at, or four times within their idle time if that is more often
_LOOKS_PER_IDLE_TIME = 4
_LEAST_LOOK_MS = 100
GRACE_MS = 5_000  # what is in flight has so long to be answered when the server stops
_ABORTED_MS = 1_000  # and a stream so long to say that it is closed


class Server:
    """All listeners of a node, and the function that serves their requests."""

    def __init__(
        self,
        world: World,
        listeners: Sequence[ListenerSettings],
        serve: Callable[[Request], None],
        report: Callable[[str, BaseException], None],
        limits: Limits | None = None,
        *,
        metrics: Metrics | None = None,
    ) -> None:
        self.world, self.serve, self.report = world, serve, report
        self.limits = limits or Limits()
        self.metrics = Metrics(world.clock.monotonic_ms()) if metrics is None else metrics
        self.turns = Turns(world.clock)
        self.memory: Memory[Connection] = Memory(self.limits.queued_request_bytes)
        self.shared_buffer = SharedBuffer()
        self.figures = ServerFigures(self.metrics, lambda: self.turns.waiting, lambda: self.memory.held_bytes)
        now_ms = world.clock.monotonic_ms()
        self.rate = CreationRate(self.limits.max_creation_rate, now_ms)
        self.listeners = {settings.name: ServerListener(self, settings, now_ms) for settings in listeners}
        self._total = 0
        self._per_address: dict[str, int] = {}
        self._look_timer: Timer | None = None
        self._stopping = False
        self._empty: Future[None] | None = None

    # Life

    async def bind(self, *names: str) -> None:
        """Take the ports of these listeners, or of all; if one cannot be had, none is kept."""
        listeners = [self.listeners[name] for name in names or self.listeners]
        try:
            for listener in listeners:
                await listener.bind()
        except BaseException:
            for listener in listeners:
                await listener.close()
            raise
        if self._look_timer is None:
            self._arrange_look()

    def accept(self, *names: str) -> None:
        """Serve those who come to these listeners, or to all."""
        for name in names or tuple(self.listeners):
            self.listeners[name].serve()

    async def start(self, *names: str) -> None:
        """Bind and accept."""
        await self.bind(*names)
        self.accept(*names)

    async def stop(self, grace_ms: int = GRACE_MS) -> None:
        """Give the ports up, answer what is in flight for at most so long, and close every connection."""
        self._stopping = True
        if self._look_timer is not None:
            self._look_timer.cancel()
        for listener in self.listeners.values():
            await listener.close()
        for connection in list(self.connections()):
            connection.drain()
        if not await self._is_empty_within(grace_ms):
            for connection in list(self.connections()):
                connection.abort(Reason.STOPPED)
            await self._is_empty_within(_ABORTED_MS)
        self.figures.remove()
        for listener in self.listeners.values():
            listener.figures.remove()

    async def _is_empty_within(self, duration_ms: int) -> bool:
        if self._total:
            self._empty = self.world.future()
            try:
                await self.world.timeout(duration_ms, self._empty)
            except TimeoutError:
                return False
        return True

    def limit(self, limits: Limits) -> None:
        """From now on these are the limits; connections that are there stay."""
        self.limits = limits
        self.memory.limit(limits.queued_request_bytes)
        self.rate.limit(limits.max_creation_rate)
        for connection in list(self.connections()):
            connection.limit_changed()
        self._pause_full_listeners()
        if self._look_timer is not None:
            self._look_timer.cancel()
            self._arrange_look()

    # Who is here

    def connections(self) -> Iterator[Connection]:
        """All connections, listener by listener."""
        for listener in self.listeners.values():
            yield from listener.connections

    @property
    def is_full(self) -> bool:
        """Whether there are as many connections as there may be, in all."""
        return self._total >= self.limits.max_connections

    def admits(self, listener: ServerListener, host: str) -> bool:
        """Whether one more connection from this address may come in."""
        if self._stopping or (self.is_full and not listener.settings.is_protected):
            return False
        allowed = self.limits.per_ip_overrides.get(host, self.limits.max_connections_per_ip)
        return self._per_address.get(host, 0) < allowed

    def came(self, connection: Connection) -> None:
        """A connection is in."""
        host = connection.stream.peer.host
        self._per_address[host] = self._per_address.get(host, 0) + 1
        self._total += 1
        self.rate.created(self.world.clock.monotonic_ms())
        if self._total > self.limits.max_connections and connection.listener.settings.is_protected:
            self._make_room()
        self._pause_full_listeners()

    def gone(self, connection: Connection) -> None:
        """A connection has ended, and gives back what it held."""
        host = connection.stream.peer.host
        self._per_address[host] -= 1
        if not self._per_address[host]:
            del self._per_address[host]
        self._total -= 1
        self.memory.account(connection, 0)
        self._pause_full_listeners()
        if not self._total and self._empty is not None and not self._empty.done():
            self._empty.set_result(None)

    def _pause_full_listeners(self) -> None:
        for listener in self.listeners.values():
            listener.pause_if_full()

    def _make_room(self) -> None:
        """Close the connection of an unprotected listener that has been idle longest."""
        others = [
            each for each in self.connections() if not each.listener.settings.is_protected and not each.is_closing
        ]
        if others:
            min(others, key=lambda connection: connection.last_active_ms).close(Reason.ROOM)

    # Now and then

    def _arrange_look(self) -> None:
        idle_ms, every_ms = self.limits.idle_ms, LOOK_MS
        if idle_ms >= 0:
            every_ms = min(LOOK_MS, max(_LEAST_LOOK_MS, idle_ms // _LOOKS_PER_IDLE_TIME))
        clock = self.world.clock
        self._look_timer = clock.call_at(clock.monotonic_ms() + every_ms, self._look)

    def _look(self) -> None:
        """Close what is idle, stuck, or stands in the way of others; rates follow their totals."""
        now_ms = self.world.clock.monotonic_ms()
        idle_ms = self.limits.idle_ms if self.limits.idle_ms >= 0 else now_ms + 1  # nobody has been idle for so long
        for connection in list(self.connections()):
            connection.look(now_ms, idle_ms)
        stalled = self.memory.stalled(now_ms)
        if stalled is not None:
            stalled.abort(Reason.MEMORY)
        for listener in self.listeners.values():
            listener.figures.tick(now_ms)
        self._arrange_look()
