"""The network suite: servers that echo, clients that compare, and all that can happen to a network and its nodes.

The seed draws how many there are, how much they say, and which faults are on. Receivers check the order in which they
are told things; at the end everything is healed, and every client must be answered again.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial

from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.faults import NODE_FAULTS
from ottla.world.simulated.nemesis import FaultPlan, Nemesis
from ottla.world.simulated.network_faults import NETWORK_FAULTS
from tests.simulation.echo import MOST_UNSENT_BYTES, RULES, Chatter, Client, Server, serve
from tests.simulation.suite import Report, Suite, replay

SUFFERING_MS = 75_000
HEALED_MS = 30_000  # within which every client must have been answered so often:
HEALED_ANSWERS = 10

KINDS = {
    name: kind
    for name, kind in (NODE_FAULTS | NETWORK_FAULTS).items()
    if name not in ("job-death", "crash-in-call", "clock-jump")  # nothing here has jobs, disks, or wall clocks
}


class Story:
    """One run: how often each client was answered, and what the servers held."""

    def __init__(self, seed: int, show: Callable[[str], object] | None, broken: str) -> None:
        self.simulation = Simulation(seed, show=show, replay=replay(SUITE_NAME, seed))
        self.checks: Counter[str] = Counter()
        rng = self.simulation.rng("shape")
        self._broken, self._largest = broken, rng.choice((10, 2_000, 30_000))
        self._servers = [f"server-{number}" for number in range(rng.randint(1, 3))]
        self._clients = [f"client-{number}" for number in range(rng.randint(1, 4))]
        self._answers: Counter[str] = Counter()
        self._ends: list[Server] = []

    def report(self) -> Report:
        """Run it."""
        outcome = self.simulation.run(self._scenario)
        return Report(outcome.hash, outcome.virtual_ms, self._answers.total(), self.simulation.struck, self.checks)

    async def _scenario(self, world: SimulatedWorld) -> None:
        simulation = self.simulation
        for name in self._servers:
            simulation.start(name, partial(serve, broken=self._broken, made=self._accepted))
        for name in self._clients:
            simulation.start(name, partial(self._chat, name))
        plan = FaultPlan.draw(simulation.rng("plan"), KINDS)
        simulation.note("scenario", "plan", f"{plan}")
        await Nemesis(simulation, plan, [*self._servers, *self._clients], kinds=KINDS).run(world, SUFFERING_MS)
        await world.timeout(HEALED_MS, self._must_go_on(world))

    def _accepted(self, server: Server) -> None:
        self._ends.append(server)

    async def _chat(self, name: str, world: SimulatedWorld) -> None:
        chatter = Chatter(world, self._servers, self._largest, self._broken)
        chatter.told = partial(self._told, name)
        await chatter.run()

    def _told(self, name: str, client: Client, answered: bool) -> None:
        self._answers[name] += answered
        self.checks["echo"] += client.compared
        self.checks["order of events"] += client.told
        client.compared = client.told = 0
        for server in self._ends:
            assert server.most_unsent <= MOST_UNSENT_BYTES, "a slow reader makes a server hold more and more"
            self.checks["bound"] += 1
        self._ends = [server for server in self._ends if not server.is_closed]

    async def _must_go_on(self, world: SimulatedWorld) -> None:
        before = Counter(self._answers)
        while any(self._answers[name] < before[name] + HEALED_ANSWERS for name in self._clients):
            await world.clock.sleep(100)
        self.checks["progress"] += 1


def scenario(seed: int, show: Callable[[str], object] | None = None, *, broken: str = "") -> Report:
    """Run one seed."""
    return Story(seed, show, broken).report()


SUITE_NAME = "network"
NETWORK = Suite(
    SUITE_NAME,
    scenario,
    faults=frozenset(KINDS),
    checkers=frozenset({"echo", "order of events", "bound", "progress"}),
    mutants={rule: partial(scenario, broken=rule) for rule in RULES},
)
