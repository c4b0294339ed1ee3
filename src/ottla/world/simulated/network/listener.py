"""A bound port: the kernel's backlog of connections, and the process that accepts them.

    SYN --begin--> half open --arrived--> backlog --accept--> (TLS handshake) --> the program's `accept`

What is always true: half-open connections and those in the backlog are together at most one more than `backlog`, as on
Linux; whoever comes then is not answered, and tries again. The kernel takes connections in while the process stands
still or has paused the listener.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla.errors import ConfigError
from ottla.world.api import Address, Receiver, SocketBuffers, Stream, TlsSettings
from ottla.world.simulated.network.stream import SimulatedStream
from ottla.world.simulated.network.tls import ServerHandshake

if TYPE_CHECKING:
    from ottla.world.simulated.network.network import SimulatedNetwork

Accept = Callable[[Stream], Receiver | None]


class SimulatedListener:
    """A `Listener` of the simulated world."""

    def __init__(
        self,
        network: "SimulatedNetwork",
        address: Address,
        accept: Accept,
        *,
        tls: TlsSettings | None,
        backlog: int,
        buffers: SocketBuffers,
        loopback_only: bool,
    ) -> None:
        self.address, self.buffers, self.loopback_only, self.network = address, buffers, loopback_only, network
        self._accept, self._tls, self._backlog = accept, checked_server_tls(tls), backlog
        self._half_open: dict[SimulatedStream, None] = {}
        self._waiting: dict[SimulatedStream, None] = {}
        self._paused = self._closed = self._woken = False

    # What the program asks for

    def pause(self) -> None:
        """Accept nothing for now."""
        self._paused = True

    def resume(self) -> None:
        """Accept again."""
        self._paused = False
        self._wake()

    def replace_tls(self, settings: TlsSettings) -> None:
        """New connections use these."""
        self._tls = checked_server_tls(settings)

    async def close(self) -> None:
        """Give the port up; what was not accepted is reset."""
        if not self._closed:
            self.network.host.listeners.pop(self.address.port, None)
            self.shut()

    # The kernel's side

    @property
    def is_full(self) -> bool:
        """Whether a connection more goes unanswered."""
        return len(self._half_open) + len(self._waiting) > self._backlog

    def begin(self, stream: SimulatedStream) -> None:
        """A connection has been answered, and its peer has not confirmed it yet."""
        self._half_open[stream] = None

    def abandon(self, stream: SimulatedStream) -> None:
        """Its peer does not want it any more."""
        self._half_open.pop(stream, None)
        stream.process_died()

    def arrived(self, stream: SimulatedStream) -> None:
        """A connection is confirmed."""
        if stream in self._half_open:
            del self._half_open[stream]
            self._waiting[stream] = None
            self._wake()

    def shut(self) -> None:
        """The port is closed: by its program, or because that has died."""
        self._closed = True
        self.network.host.listeners.pop(self.address.port, None)
        for stream in (*self._half_open, *self._waiting):
            stream.process_died()
        self._half_open.clear()
        self._waiting.clear()

    # The process

    def _wake(self) -> None:
        if self._waiting and not self._paused and not self._woken:
            self._woken = True
            self.network.loop.call_soon(self._accept_all)

    def _accept_all(self) -> None:
        self._woken = False
        while self._waiting and not self._paused:
            stream = next(iter(self._waiting))
            del self._waiting[stream]
            stream.is_accepted = True
            if self._tls is None:
                self._hand_over(stream)
            else:
                ServerHandshake(stream, self._tls, self.network.clock, self._hand_over).begin()

    def _hand_over(self, stream: SimulatedStream) -> None:
        try:
            receiver = self._accept(stream)
        except Exception as error:
            stream.abort()
            self.network.loop.fail(error, f"what accepts connections on {self.address}")
            return
        if receiver is None:
            stream.close()
        else:
            stream.start(receiver)


def checked_server_tls(settings: TlsSettings | None) -> TlsSettings | None:
    """Settings that a server can use; `ConfigError` if not."""
    if settings is not None and settings.certificate_chain is None:
        raise ConfigError("a listener with TLS needs a certificate chain")
    return settings
