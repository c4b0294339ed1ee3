"""The whole simulated network, and what a scenario does to it.

Every fault is a plain method: `partition`, `heal`, `clog`, `reset_connections`, `set_latency`, ... Nodes are named, one
or several at a time; a fault acts in both directions unless it says `one_way`.

What is always true: a partition loses nothing that TCP would not: connections stand still and go on when it heals, or
end when they have stood still for `give_up_ms`. Links are made when somebody first speaks of them, and draw from
streams of their own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ottla.world.api import SocketBuffers
from ottla.world.simulated.loop import NodeLoop
from ottla.world.simulated.network.host import Host
from ottla.world.simulated.network.link import MILLION, Link
from ottla.world.simulated.network.network import SimulatedNetwork
from ottla.world.simulated.network.pipe import Pipe
from ottla.world.simulated.network.stream import SimulatedStream
from ottla.world.simulated.rng import Chances
from ottla.world.simulated.timeline import Timeline

SEND_BYTES, RECEIVE_BYTES = 87_040, 131_072  # what the system gives a socket for which nobody asks otherwise
MIN_BUFFER_BYTES = 2_304  # the least that Linux lets a program ask for
GIVE_UP_MS = 120_000  # Linux: a quarter of an hour, which few runs would live to see

NETWORK = "network"  # whose lines they are in the trace

Names = str | Sequence[str]
Tell = Callable[[str, str, str], None]  # node, kind, text


@dataclass(frozen=True, slots=True)
class Figures:
    """What has arrived over a link."""

    segments: int
    bytes: int


class Fabric:
    """All hosts and links of one run."""

    def __init__(self, timeline: Timeline, chances: Chances, *, note: Tell, strike: Tell) -> None:
        self.timeline, self.note = timeline, note
        self.hosts: dict[str, Host] = {}
        self.give_up_ms = GIVE_UP_MS
        self._chances, self._strike = chances, strike
        self._links: dict[tuple[str, str], Link] = {}

    # What a scenario asks for

    def partition(self, a: Names, b: Names, *, one_way: bool = False) -> None:
        """Let nothing through from each of `a` to each of `b`, nor back unless it is one-way."""
        for link in self._between(a, b, one_way=one_way):
            link.cut(True)
        self._strike(NETWORK, "partition", f"{_said(a)} {'>' if one_way else '|'} {_said(b)}")

    def heal(self, a: Names | None = None, b: Names | None = None) -> None:
        """End partitions: between these, or of one with everybody, or all."""
        chosen = self._links.values() if a is None else self._between(a, tuple(self.hosts) if b is None else b)
        for link in tuple(chosen):
            link.cut(False)
        self.note(NETWORK, "heal", " - ".join(_said(names) for names in (a, b) if names is not None))

    def clog(self, a: Names, b: Names, duration_ms: int, *, one_way: bool = False) -> None:
        """Hold up everything for so long; then all of it arrives."""
        for link in self._between(a, b, one_way=one_way):
            link.clog(duration_ms * MILLION)
        self._strike(NETWORK, "clog", f"{_said(a)} {'>' if one_way else '-'} {_said(b)} for {duration_ms} ms")

    def reset_connections(self, a: Names, b: Names) -> int:
        """End all connections between these; how many there were."""
        pairs = {(link.source, link.target) for link in self._between(a, b)}
        count = 0
        for name in dict.fromkeys((*_names(a), *_names(b))):
            for stream in tuple(self.hosts[name].streams):
                if (name, stream.outgoing.target_name) in pairs and not stream.gone:
                    stream.outgoing.break_connection()
                    count += 1
        return count

    def set_latency(
        self, a: Names, b: Names, latency_ms: float, jitter_ms: float = 0.0, *, one_way: bool = False
    ) -> None:
        """How long things take between these. One in a hundred takes a hundred times the jitter longer."""
        for link in self._between(a, b, one_way=one_way):
            link.latency_ns, link.jitter_ns = round(latency_ms * MILLION), round(jitter_ms * MILLION)
        self.note(NETWORK, "latency", f"{_said(a)} - {_said(b)}: {latency_ms} ms, jitter {jitter_ms} ms")

    def slow_down(self, a: Names, b: Names, extra_ms: int) -> Callable[[], None]:
        """Everything between these takes so much longer, until what is returned is called."""
        links = list(self._between(a, b))
        for link in links:
            link.latency_ns += extra_ms * MILLION
        self._strike(NETWORK, "slow-network", f"{_said(a)} - {_said(b)} by {extra_ms} ms")

        def undo() -> None:
            while links:
                links.pop().latency_ns -= extra_ms * MILLION

        return undo

    def set_bandwidth(self, a: Names, b: Names, bytes_per_second: int) -> None:
        """How much gets through between these, in each direction; 0 is without bound."""
        for link in self._between(a, b):
            link.bytes_per_second = bytes_per_second
        self.note(NETWORK, "bandwidth", f"{_said(a)} - {_said(b)}: {bytes_per_second} B/s")

    def set_reset_chance(self, a: Names, b: Names, chance: float) -> None:
        """How likely a segment between these is to bring down its connection."""
        for link in self._between(a, b):
            link.reset_chance = chance
        self.note(NETWORK, "resets", f"{_said(a)} - {_said(b)}: {chance}")

    def figures(self, a: str, b: str) -> Figures:
        """What has arrived at `b` from `a`."""
        link = self.link(a, b)
        return Figures(link.segments, link.bytes)

    def totals(self) -> Figures:
        """What has arrived anywhere."""
        links = self._links.values()
        return Figures(sum(link.segments for link in links), sum(link.bytes for link in links))

    # What becomes of machines

    def attach(self, name: str, loop: NodeLoop) -> SimulatedNetwork:
        """A process begins to live on a machine, which is on from now on if it was off."""
        host = self.hosts.get(name)
        if host is None:
            host = self.hosts[name] = Host(name, self._chances.of(f"host/{name}"))
        elif not host.is_up:
            host.is_up = True
            self._power(name, is_up=True)
        return SimulatedNetwork(self, host, loop)

    def process_died(self, name: str) -> None:
        """The machine goes on, and its kernel closes what the process had open."""
        self.hosts[name].process_died()

    def power_lost(self, name: str) -> None:
        """The machine is off until another process begins to live on it."""
        self.hosts[name].power_lost()
        self._power(name, is_up=False)

    def _power(self, name: str, *, is_up: bool) -> None:
        for link in self._links.values():
            if link.target == name:
                link.target_power(is_up)

    # What the parts of the network ask for

    def link(self, source: str, target: str) -> Link:
        """The way from one host to another."""
        link = self._links.get((source, target))
        if link is None:
            assert source in self.hosts and target in self.hosts, f"no link from {source} to {target}"  # noqa: PT018
            rng = self._chances.of(f"link/{source}/{target}")
            link = Link(source, target, self.timeline, rng, partial(self._strike, NETWORK))
            self._links[source, target] = link
            if not self.hosts[target].is_up:
                link.target_power(False)
        return link

    def join(
        self, client: SimulatedStream, server: SimulatedStream, wanted: SocketBuffers, offered: SocketBuffers
    ) -> None:
        """Lay the two pipes between the ends of a connection."""
        there = self.link(client.host_name, server.host_name)
        home = self.link(server.host_name, client.host_name)
        for sender, senders, target, targets, link, back in (
            (client, wanted, server, offered, there, home),
            (server, offered, client, wanted, home, there),
        ):
            sender.outgoing = target.incoming = Pipe(
                sender,
                target,
                link=link,
                back=back,
                send_bytes=_buffer_bytes(senders.send_bytes, SEND_BYTES),
                receive_bytes=_buffer_bytes(targets.receive_bytes, RECEIVE_BYTES),
                give_up_ns=self.give_up_ms * MILLION,
            )

    def _between(self, a: Names, b: Names, *, one_way: bool = False) -> Iterator[Link]:
        for source in _names(a):
            for target in _names(b):
                if source != target:
                    yield self.link(source, target)
                    if not one_way:
                        yield self.link(target, source)


def _names(names: Names) -> Sequence[str]:
    return (names,) if isinstance(names, str) else names


def _said(names: Names) -> str:
    return ",".join(_names(names))


def _buffer_bytes(wanted: int, default: int) -> int:
    return default if wanted < 0 else max(wanted, MIN_BUFFER_BYTES)
