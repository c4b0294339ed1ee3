"""Where new replicas go: striped over racks, and within a rack over its brokers.

The first partition's leader is drawn; each next partition begins with the next rack, and in each rack with its next
broker, so that leaders and followers spread evenly. A partition's replicas are taken from one rack after the other, so
that as few as possible share one. When every broker has led once, racks and brokers are shuffled, and with them who
follows whom. Fenced brokers are taken only when others run out, and never lead.

Always true: a partition's replicas are on different brokers; its first one is not fenced. A replication factor above
the number of brokers is refused.
"""

from collections.abc import Callable, Iterable, Sequence
from math import gcd
from typing import NamedTuple, TypeVar

from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode

T = TypeVar("T")
Draw = Callable[[int], int]  # a number in [0, n)


class Usable(NamedTuple):
    """A broker that can be given replicas."""

    broker_id: int
    rack: str | None
    fenced: bool


class _Ring:
    """Brokers of a rack that take turns: each round begins further on."""

    def __init__(self, brokers: Sequence[int], racks: int, draw: Draw) -> None:
        self.brokers = sorted(brokers)
        self._start = draw(len(brokers)) if brokers else 0
        self._taken, self._round = 0, -1
        # A rack has the leader every `racks` rounds. Were that a multiple of its size, always the same broker would be
        # it (in Kafka it is so until the next shuffle), so a ring makes extra steps until they have nothing in common.
        self._racks = racks
        self._extra = next((extra for extra in range(len(brokers)) if gcd(racks + extra, len(brokers)) == 1), 0)

    def next(self, round_: int) -> int | None:
        """The next broker that this round has not taken."""
        if self._round != round_:
            self._round, self._taken = round_, 0
        if self._taken >= len(self.brokers):
            return None
        self._taken += 1
        first = self._start + round_ + self._extra * (round_ // self._racks)
        return self.brokers[(first + self._taken - 1) % len(self.brokers)]


class _Rack:
    """The brokers of one rack."""

    def __init__(self, brokers: Sequence[Usable], racks: int, draw: Draw) -> None:
        self.unfenced = _Ring([each.broker_id for each in brokers if not each.fenced], racks, draw)
        self.fenced = _Ring([each.broker_id for each in brokers if each.fenced], racks, draw)

    def next(self, round_: int) -> int | None:
        """The next broker, one that is not fenced if there is one."""
        broker = self.unfenced.next(round_)
        return self.fenced.next(round_) if broker is None else broker


class Placement:
    """The striping of one request's partitions."""

    def __init__(self, brokers: Iterable[Usable], draw: Draw) -> None:
        by_rack: dict[str | None, list[Usable]] = {}
        for broker in brokers:
            by_rack.setdefault(broker.rack, []).append(broker)
        names = sorted(by_rack, key=lambda rack: (rack is not None, rack or ""))
        self._draw = draw
        self._racks = [_Rack(by_rack[name], len(names), draw) for name in names]
        self._brokers = sum(map(len, by_rack.values()))
        self._unfenced = sum(len(rack.unfenced.brokers) for rack in self._racks)
        self._round = self._until_shuffle = 0
        self._first = draw(len(self._racks)) if self._racks else 0

    def place(self, partitions: int, replication_factor: int) -> list[tuple[int, ...]]:
        """The replicas of so many partitions, leaders first."""
        if replication_factor < 1:
            raise _refused(f"A replication factor is at least 1, not {replication_factor}.")
        if replication_factor > self._brokers:
            raise _refused(
                f"The replication factor {replication_factor} cannot be reached: {self._brokers} broker(s) can be used."
            )
        if not self._unfenced:
            raise _refused("All brokers are fenced.")
        return [self._place_one(replication_factor) for _ in range(partitions)]

    def _place_one(self, replication_factor: int) -> tuple[int, ...]:
        if self._until_shuffle == self._unfenced > 1:
            self._shuffle()
        racks = self._racks[self._first :] + self._racks[: self._first]
        leader_at, leader = next(
            (at, broker) for at, rack in enumerate(racks) if (broker := rack.unfenced.next(self._round)) is not None
        )
        replicas = [leader]
        at = leader_at + 1 if leader_at == 0 else 0
        skips = leader_at  # the leader's rack has had its turn in the first go round
        while len(replicas) < replication_factor:
            rack_at = at % len(racks)
            if skips and rack_at == skips:
                skips = 0
            elif (broker := racks[rack_at].next(self._round)) is not None:
                replicas.append(broker)
            at += 1
        self._round += 1
        self._until_shuffle += 1
        self._first = (self._first + 1) % len(self._racks)
        return tuple(replicas)

    def _shuffle(self) -> None:
        """Every broker has led once: from now on others follow it."""
        self._until_shuffle = 0
        shuffle(self._racks, self._draw)
        for rack in self._racks:
            shuffle(rack.unfenced.brokers, self._draw)
            shuffle(rack.fenced.brokers, self._draw)


def shuffle(items: list[T], draw: Draw) -> None:
    """Put a list into a random order."""
    for last in range(len(items) - 1, 0, -1):
        other = draw(last + 1)
        items[last], items[other] = items[other], items[last]


def _refused(message: str) -> RequestRefused:
    return RequestRefused(ErrorCode.INVALID_REPLICATION_FACTOR, message)
