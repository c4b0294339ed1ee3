"""The nemesis: inflicts seeded faults on nodes while a scenario runs, and heals everything at the end.

    plan = FaultPlan.draw(simulation.rng("plan"), NODE_FAULTS | DISK_FAULTS)
    nemesis = Nemesis(simulation, plan, ["broker-1"], kinds=NODE_FAULTS | DISK_FAULTS, directories=("/data/0",))
    await nemesis.run(world, 60_000)

The seed draws which kinds are on at all, how often one is inflicted and how long it lasts. Dead nodes come back after
a while, whatever they died of, as under a supervisor.

What is always true: a node has at most one fault of a kind at a time; when `run` has returned, every fault has been
healed and every node is up.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

from ottla.world.api import World
from ottla.world.simulated.faults import FaultKind, Heal, Target
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.survival import Survival

SURVIVABLE = frozenset({Survival.UNHARMED, Survival.DIRECTORY_OFFLINE, Survival.NODE_STOPS})
INTERVALS_MS = (300, 1_000, 3_000)
DURATIONS_MS = (100, 1_000, 5_000)
MIN_KINDS = 2
MAX_DEAD_MS = 1_500  # until a supervisor starts a dead node again
POLL_MS = 200  # until it notices that one has died by itself


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """What a run will go through."""

    kinds: tuple[str, ...]
    interval_ms: int  # between two faults, on average
    duration_ms: int  # of one fault, on average

    @classmethod
    def draw(cls, rng: Random, kinds: Mapping[str, FaultKind]) -> Self:
        """Which kinds are on, and how bad it is."""
        names = sorted(kinds)
        count = rng.randint(min(MIN_KINDS, len(names)), len(names))
        return cls(tuple(sorted(rng.sample(names, count))), rng.choice(INTERVALS_MS), rng.choice(DURATIONS_MS))


class Nemesis:
    """What makes nodes suffer."""

    def __init__(
        self,
        simulation: Simulation,
        plan: FaultPlan,
        nodes: Sequence[str],
        *,
        kinds: Mapping[str, FaultKind],
        directories: tuple[str, ...] = ("/",),
        allowed: frozenset[Survival] = SURVIVABLE,
    ) -> None:
        self.inflicted: Counter[str] = Counter()
        self._simulation, self._plan, self._nodes, self._kinds = simulation, plan, list(nodes), kinds
        self._directories, self._allowed = directories, allowed
        self._rng = simulation.rng("nemesis")
        self._on: dict[tuple[str, str], tuple[int, Heal]] = {}  # node and kind: when it ends, and how
        self._up_ms: dict[str, int] = {}  # dead nodes: when they are started again

    async def run(self, world: World, duration_ms: int) -> None:
        """Inflict faults for so long, then heal everything."""
        end_ms = world.clock.monotonic_ms() + duration_ms
        next_ms = world.clock.monotonic_ms() + self._some(self._plan.interval_ms)
        while (now_ms := world.clock.monotonic_ms()) < end_ms:
            self._end_what_is_due(now_ms)
            if now_ms >= next_ms:
                self._inflict(now_ms)
                next_ms = now_ms + self._some(self._plan.interval_ms)
            dates = [end_ms, next_ms, *(date for date, _ in self._on.values()), *self._up_ms.values()]
            await world.clock.sleep(min(date for date in (*dates, now_ms + POLL_MS) if date > now_ms) - now_ms)
        self.heal()

    def heal(self) -> None:
        """End every fault, and start every dead node."""
        for _, heal in self._on.values():
            heal()
        self._on.clear()
        for name in self._nodes:
            self._simulation.nodes[name].disk.faults.heal()
            if not self._simulation.nodes[name].is_up:
                self._simulation.restart(name)
        self._up_ms.clear()

    def _inflict(self, now_ms: int) -> None:
        name, kind = self._rng.choice(self._nodes), self._rng.choice(self._plan.kinds)
        if (name, kind) in self._on or not self._simulation.nodes[name].is_up:
            return
        self._simulation.note(name, "nemesis", f"{kind}: {self._kinds[kind].what}")
        self.inflicted[kind] += 1
        target = Target(self._simulation, name, self._rng, self._directories, self._allowed)
        self._on[name, kind] = (now_ms + self._some(self._plan.duration_ms), self._kinds[kind].inflict(target))

    def _end_what_is_due(self, now_ms: int) -> None:
        for (name, kind), (end_ms, heal) in list(self._on.items()):
            if end_ms <= now_ms:
                self._simulation.note(name, "nemesis", f"{kind} is over")
                heal()
                del self._on[name, kind]
        for name in self._nodes:
            if self._simulation.nodes[name].is_up:
                self._up_ms.pop(name, None)
            elif self._up_ms.setdefault(
                name, now_ms + self._rng.randrange(1, MAX_DEAD_MS)
            ) <= now_ms and not self._is_kept_down(name):
                self._simulation.restart(name)
                del self._up_ms[name]

    def _is_kept_down(self, name: str) -> bool:
        return any(self._kinds[kind].keeps_down for node, kind in self._on if node == name)

    def _some(self, mean_ms: int) -> int:
        """A time with this mean: most are shorter, some are much longer."""
        return 1 + round(self._rng.expovariate(1 / mean_ms))
