"""One direction between two hosts: how long things take, and whether they arrive at all.

A link has a base latency and a jitter with a long tail: most segments take a little longer than the base, one in a
hundred a hundred times the jitter. A link is *blocked* when it is cut (a partition), clogged (everything is held up) or
when the host behind it is without power. What arrives at a blocked link waits in `waiting` and is tried again when the
link flows: at once behind a clog, else when somebody's retransmission timer happens to run out.

What is always true: whatever a link draws comes from its own stream of chance, so traffic elsewhere changes nothing
here. A link knows nothing of connections: order and flow are the business of `Pipe`.
"""

from collections.abc import Callable
from random import Random

from ottla.world.simulated.timeline import Timeline

MILLION = 1_000_000
MIN_LATENCY_NS, MAX_LATENCY_NS = 50_000, 500_000  # drawn once a link: within a data centre
MIN_JITTER_NS, MAX_JITTER_NS = 1_000, 20_000
LOOPBACK_LATENCY_NS, LOOPBACK_JITTER_NS = 10_000, 1_000
LONGEST_TAIL = 0.001  # the slowest segments take 1/this times the jitter
MAX_RETRANSMISSION_NS = 2_000 * MILLION  # TCP doubles its timer up to two minutes; here to two seconds

Waiting = Callable[[None], object]


class Link:
    """The way from one host to another."""

    __slots__ = (
        "_blocked_since_ns", "_busy_until_ns", "_clogs", "_cut", "_target_is_down", "blocked", "bytes",
        "bytes_per_second", "draw", "jitter_ns", "latency_ns", "reset_chance", "segments", "source", "strike",
        "target", "timeline", "waiting",
    )  # fmt: skip

    def __init__(
        self, source: str, target: str, timeline: Timeline, rng: Random, strike: Callable[[str, str], None]
    ) -> None:
        self.source, self.target, self.timeline, self.draw, self.strike = source, target, timeline, rng.random, strike
        self.latency_ns, self.jitter_ns = LOOPBACK_LATENCY_NS, LOOPBACK_JITTER_NS
        if source != target:
            self.latency_ns = rng.randrange(MIN_LATENCY_NS, MAX_LATENCY_NS)
            self.jitter_ns = rng.randrange(MIN_JITTER_NS, MAX_JITTER_NS)
        self.bytes_per_second = 0  # 0: as many as there are
        self.reset_chance = 0.0  # of a segment to bring down its connection
        self.segments = self.bytes = 0  # that have arrived
        self.blocked = False
        self.waiting: list[Waiting] = []
        self._cut = self._target_is_down = False
        self._clogs = 0
        self._busy_until_ns = self._blocked_since_ns = 0

    def delay_ns(self) -> int:
        """How long something small takes that leaves now."""
        return self.latency_ns + int(self.jitter_ns / (1 + LONGEST_TAIL - self.draw()))

    def arrival_ns(self, now_ns: int, size: int) -> int:
        """When so many bytes arrive that leave now, behind what this link is busy with."""
        if self.bytes_per_second:
            now_ns = max(now_ns, self._busy_until_ns) + size * 1_000 * MILLION // self.bytes_per_second
            self._busy_until_ns = now_ns
        return now_ns + self.latency_ns + int(self.jitter_ns / (1 + LONGEST_TAIL - self.draw()))

    @property
    def loses(self) -> bool:
        """Whether what arrives now is lost, and not only late: somebody has to send it again."""
        return self._cut or self._target_is_down

    @property
    def is_cut(self) -> bool:
        """Whether a partition goes through it."""
        return self._cut

    def cut(self, is_cut: bool) -> None:
        """Begin or end a partition."""
        self._cut = is_cut
        self._changed(MAX_RETRANSMISSION_NS)

    def target_power(self, is_up: bool) -> None:
        """The host behind it has lost power, or has it again."""
        self._target_is_down = not is_up
        self._changed(MAX_RETRANSMISSION_NS)

    def clog(self, duration_ns: int) -> None:
        """Hold up everything for so long."""
        self._clogs += 1
        self._changed(0)
        self.timeline.at(self.timeline.now_ns + duration_ns, self._unclog)

    def _unclog(self, _: None) -> None:
        self._clogs -= 1
        self._changed(0)

    def _changed(self, longest_ns: int) -> None:
        blocked = self._cut or self._target_is_down or self._clogs > 0
        if blocked == self.blocked:
            return
        now_ns = self.timeline.now_ns
        self.blocked = blocked
        if blocked:
            self._blocked_since_ns = now_ns
            return
        # The timer doubles each time, so after a stall of T the next attempt comes within T.
        longest_ns = min(longest_ns, now_ns - self._blocked_since_ns)
        waiting, self.waiting = self.waiting, []
        for call in waiting:
            self.timeline.at(now_ns + int(self.draw() * longest_ns), call)
