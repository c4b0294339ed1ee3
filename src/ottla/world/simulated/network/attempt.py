"""An attempt to connect: a SYN, its answer, and the confirmation, each over a link that may be blocked.

    client                     server
      | ---- SYN --------------> |   no listener: refused    backlog full or blocked: no answer, and again later
      | <--- SYN and ACK ------- |   half open
      | ---- ACK --------------> |   in the backlog
    connected

What is always true: the process that waits is told through its loop; an attempt that was given up (cancelled, too late,
or its process is dead) leaves nothing behind on either side.
"""

import asyncio
from typing import TYPE_CHECKING

from ottla.errors import ConnectFailed
from ottla.world.api import Address, SocketBuffers
from ottla.world.simulated.network.host import Host
from ottla.world.simulated.network.listener import SimulatedListener
from ottla.world.simulated.network.stream import SimulatedStream

if TYPE_CHECKING:
    from ottla.world.simulated.network.network import SimulatedNetwork

FIRST_RETRY_NS = 1_000_000_000  # and twice as much each time, as TCP does it


class Attempt:
    """One `connect`, until there is a connection or none."""

    def __init__(
        self, network: "SimulatedNetwork", target: Host, local: Address, peer: Address, buffers: SocketBuffers
    ) -> None:
        self._network, self._target, self._local, self._peer = network, target, local, peer
        self._buffers, self._fabric = buffers, network.fabric
        self._timeline = network.fabric.timeline
        self._link = network.fabric.link(network.host.name, target.name)
        self._back = network.fabric.link(target.name, network.host.name)
        self._retry_ns = FIRST_RETRY_NS
        self._is_over = False
        self.stream: SimulatedStream | None = None
        self.outcome: asyncio.Future[None] = network.loop.create_future()

    def begin(self) -> None:
        """Send the SYN."""
        self._network.host.reserve(self._local.port)
        self._timeline.at(self._network.loop.now_ns() + self._link.delay_ns(), self._knock)

    def give_up(self) -> None:
        """Nobody waits for it any more."""
        if self._is_over:
            return
        self._is_over = True
        if self.stream is None:
            self._network.host.release(self._local.port)
        else:
            self.stream.abort()

    def _given_up(self) -> bool:
        return self._is_over or self._network.loop.stopped

    def _knock(self, _: None) -> None:
        """The SYN is there."""
        if self._given_up():
            return
        if self._link.blocked:
            self._link.waiting.append(self._knock)
            return
        now_ns = self._timeline.now_ns
        listener = self._target.listeners.get(self._peer.port)
        if listener is None or (listener.loopback_only and self._target is not self._network.host):
            self._timeline.at(now_ns + self._back.delay_ns(), self._refused)
        elif listener.is_full:
            self._timeline.at(now_ns + self._retry_ns, self._knock)
            self._retry_ns *= 2
        else:
            server = SimulatedStream(listener.network, self._peer, self._local)
            self.stream = SimulatedStream(self._network, self._local, self._peer)
            self._fabric.join(self.stream, server, self._buffers, listener.buffers)
            listener.begin(server)
            self._timeline.at(now_ns + self._back.delay_ns(), lambda _: self._answered(listener, server))

    def _refused(self, _: None) -> None:
        if self._back.blocked:
            self._back.waiting.append(self._knock)  # the refusal is lost, and the SYN is sent again
        elif not self._given_up():
            self._fabric.note(self._network.host.name, "refused", str(self._peer))
            self._network.loop.call_soon(self._settle, ConnectFailed(f"{self._peer} refuses connections"))

    def _answered(self, listener: SimulatedListener, server: SimulatedStream) -> None:
        """The server's answer is there."""
        if self._back.blocked:
            self._back.waiting.append(lambda _: self._answered(listener, server))
            return
        assert self.stream is not None
        if self.stream.gone or self._given_up():
            listener.abandon(server)
            return
        self.stream.is_accepted = True
        self._fabric.note(self._network.host.name, "connect", f"{self._local} {self._peer}")
        self._network.loop.call_soon(self._settle, None)
        self._confirm(listener, server)

    def _confirm(self, listener: SimulatedListener, server: SimulatedStream) -> None:
        delay_ns = self._link.delay_ns()
        self._timeline.at(self._timeline.now_ns + delay_ns, lambda _: self._confirmed(listener, server))

    def _confirmed(self, listener: SimulatedListener, server: SimulatedStream) -> None:
        if self._link.blocked:
            self._link.waiting.append(lambda _: self._confirmed(listener, server))
        else:
            listener.arrived(server)

    def _settle(self, error: ConnectFailed | None) -> None:
        if self.outcome.done():
            return
        if error is None:
            self.outcome.set_result(None)
        else:
            self.outcome.set_exception(error)
