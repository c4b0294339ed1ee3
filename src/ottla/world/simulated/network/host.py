"""A machine's place in the network: its name, its ports, and the sockets in its kernel.

A host outlives what runs on it. When its process dies the kernel closes everything; when its power is lost everything
is forgotten, and peers find out by themselves.

What is always true: all sockets of a host belong to the one process that lives on it, and are kept in the order of
their making, so that ends are told in the same order in every run.
"""

from random import Random
from typing import TYPE_CHECKING

from ottla.errors import NetworkError

if TYPE_CHECKING:
    from ottla.world.simulated.network.listener import SimulatedListener
    from ottla.world.simulated.network.stream import SimulatedStream

FIRST_EPHEMERAL_PORT, END_OF_PORTS = 32_768, 61_000  # as Linux has it


class Host:
    """A machine, as the network knows it."""

    def __init__(self, name: str, rng: Random) -> None:
        self.name = name
        self.is_up = True
        self.listeners: dict[int, SimulatedListener] = {}
        self.streams: dict[SimulatedStream, None] = {}
        self._outgoing_ports: dict[int, None] = {}
        self._next_port = rng.randrange(FIRST_EPHEMERAL_PORT, END_OF_PORTS)

    def ephemeral_port(self) -> int:
        """A port that nobody has."""
        for _ in range(END_OF_PORTS - FIRST_EPHEMERAL_PORT):
            port = self._next_port
            self._next_port = port + 1 if port + 1 < END_OF_PORTS else FIRST_EPHEMERAL_PORT
            if port not in self.listeners and port not in self._outgoing_ports:
                return port
        raise NetworkError(f"all ports of {self.name} are in use")

    def reserve(self, port: int) -> None:
        """An outgoing connection has this port."""
        self._outgoing_ports[port] = None

    def is_free(self, port: int) -> bool:
        """Whether a listener can have this port."""
        return port not in self.listeners and port not in self._outgoing_ports

    def release(self, port: int) -> None:
        """An outgoing connection has given its port up."""
        self._outgoing_ports.pop(port, None)

    def forget(self, stream: "SimulatedStream") -> None:
        """A socket is no more."""
        del self.streams[stream]
        self.release(stream.local.port)

    def process_died(self) -> None:
        """The kernel closes what the process had open."""
        for listener in tuple(self.listeners.values()):
            listener.shut()
        for stream in tuple(self.streams):
            stream.process_died()
        self._outgoing_ports.clear()

    def power_lost(self) -> None:
        """Everything is forgotten, and nobody is told."""
        self.is_up = False
        self.listeners.clear()
        for stream in tuple(self.streams):
            stream.power_lost()
        self._outgoing_ports.clear()
