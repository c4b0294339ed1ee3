"""A listener of a server: its port, its connections, and how many of them may be.

Limits, in the order in which a newcomer meets them: of the listener and in all (`max.connections`), where a listener
that is full accepts nothing until a connection goes, so that newcomers wait in the backlog; and per address
(`max.connections.per.ip` and its overrides), where one too many is closed at once. Who was accepted in the moment in
which a listener became full is closed as well, so the limits are never exceeded. Where they come too fast
(`max.connection.creation.rate`), newcomers wait in the backlog too; other nodes wait for their listener's rate alone.
"""

from typing import TYPE_CHECKING

from ottla.network.connection import Connection
from ottla.network.creation_rate import CreationRate
from ottla.network.figures import ListenerFigures
from ottla.network.limits import ListenerSettings, Mute
from ottla.world.api import Address, Listener, Receiver, Stream, Timer, TlsSettings

if TYPE_CHECKING:
    from ottla.network.server import Server


class ServerListener:
    """One listener."""

    def __init__(self, server: "Server", settings: ListenerSettings, now_ms: int) -> None:
        self.server, self.settings = server, settings
        self.connections: dict[Connection, None] = {}  # in the order of their coming
        self.max_connections = settings.max_connections
        self.rate = CreationRate(settings.max_creation_rate, now_ms)
        self.figures = ListenerFigures(server.metrics, settings.name, lambda: len(self.connections), now_ms)
        self._bound: Listener | None = None
        self._paused = False
        self._serving = False
        self._rest: Timer | None = None  # until connections may come again

    @property
    def address(self) -> Address:
        """Where it listens, with the port that was really bound."""
        assert self._bound is not None, f"listener {self.settings.name} is not bound"
        return self._bound.address

    @property
    def is_full(self) -> bool:
        """Whether it has as many connections as it may have."""
        return len(self.connections) >= self.max_connections

    async def bind(self) -> None:
        """Take the port. Who connects before `serve` waits."""
        settings = self.settings
        assert self._bound is None, f"listener {settings.name} is bound"
        self._bound = await self.server.world.network.listen(
            settings.address, self.accept, tls=settings.tls, backlog=settings.backlog, buffers=settings.buffers
        )
        self.pause_if_full()

    def serve(self) -> None:
        """Accept, and serve whoever has come before."""
        self._serving = True
        self.pause_if_full()
        for connection in list(self.connections):
            connection.unmute(Mute.STARTING)

    def limit(self, max_connections: int, max_creation_rate: int) -> None:
        """So many connections from now on, and so many of them a second; those that are there may stay."""
        self.max_connections = max_connections
        self.rate.limit(max_creation_rate)
        self.pause_if_full()

    def pause_if_full(self) -> None:
        """Accept nothing while there is no room or they come too fast, or accept again."""
        paused = not self._serving or self.is_full or (self.server.is_full and not self.settings.is_protected)
        paused = paused or self._has_to_rest()
        if self._bound is not None and paused != self._paused:
            self._paused = paused
            (self._bound.pause if paused else self._bound.resume)()

    def _has_to_rest(self) -> bool:
        """Whether connections come too fast; arranges to look again when they may come."""
        if self._rest is not None:
            return True
        clock = self.server.world.clock
        now_ms = clock.monotonic_ms()
        wait_ms = self.rate.wait_ms(now_ms)
        if not self.settings.is_protected:
            wait_ms = max(wait_ms, self.server.rate.wait_ms(now_ms))
        if wait_ms:
            self._rest = clock.call_at(now_ms + wait_ms, self._rested)
        return wait_ms > 0

    def _rested(self) -> None:
        self._rest = None
        self.pause_if_full()

    def replace_tls(self, settings: TlsSettings) -> None:
        """New connections use these settings."""
        assert self._bound is not None, f"listener {self.settings.name} is not bound"
        self._bound.replace_tls(settings)

    def accept(self, stream: Stream) -> Receiver | None:
        """A newcomer: its connection, or None to turn it away."""
        if self.is_full or not self.server.admits(self, stream.peer.host):
            self.figures.refused.count += 1
            return None
        connection = Connection(stream, self)
        self.connections[connection] = None
        self.figures.created.value += 1
        self.rate.created(self.server.world.clock.monotonic_ms())
        if not self._serving:
            connection.mute(Mute.STARTING)
        self.server.came(connection)
        return connection

    def gone(self, connection: Connection) -> None:
        """A connection has ended."""
        del self.connections[connection]
        self.server.gone(connection)

    async def close(self) -> None:
        """Give the port up; connections go on."""
        bound, self._bound, self._serving, self._paused = self._bound, None, False, False
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
        if bound is not None:
            await bound.close()
