"""The ledger suite: a ledger on a disk that everything happens to, and a client that remembers what it was promised.

The seed draws sizes, pace, and which faults are on. After every recovery the ledger is held against what the client
knows; at the end everything is healed, and the ledger must take entries again.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial

from ottla.errors import DiskError, NodeDown
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.faults import DISK_FAULTS, NODE_FAULTS
from ottla.world.simulated.nemesis import FaultPlan, Nemesis
from tests.simulation.ledger_program import RULES, Ledger
from tests.simulation.suite import Report, Suite, replay

NODE = "ledger"
DIRECTORY = "/data"
SUFFERING_MS = 75_000
HEALED_MS = 30_000  # within which a healed ledger must have taken the entries below
HEALED_ENTRIES = 20
PATIENCE_MS = 2_000

KINDS = {
    name: kind for name, kind in (NODE_FAULTS | DISK_FAULTS).items() if name not in ("job-death", "bit-flip")
}  # it has no jobs, and nothing that could be made again


class Story:
    """One run: the ledger's lives, and what the client was told."""

    def __init__(self, seed: int, show: Callable[[str], object] | None, broken: str) -> None:
        self.simulation = Simulation(seed, show=show, replay=replay(SUITE_NAME, seed))
        self.checks: Counter[str] = Counter()
        self.acknowledged = 0
        self._rng = self.simulation.rng("client")
        self._broken, self._segment_bytes = broken, self._rng.choice((1, 2_000, 50_000))
        self._pause_ms = self._rng.choice((20, 50, 120))
        self._largest = self._rng.choice((10, 600, 3_000))
        self._ledger: Ledger | None = None
        self._sent: dict[bytes, None] = {}
        self._kept: list[bytes] = []  # entries that must be there from now on: acknowledged, or seen after a recovery
        self._kept_checkpoint = 0
        self._is_over = False

    def report(self) -> Report:
        """Run it."""
        outcome = self.simulation.run(self._scenario)
        return Report(outcome.hash, outcome.virtual_ms, self.acknowledged, self.simulation.struck, self.checks)

    async def _scenario(self, world: SimulatedWorld) -> None:
        simulation = self.simulation
        simulation.start(NODE, self._program, may_fail=True)
        plan = FaultPlan.draw(simulation.rng("plan"), KINDS)
        simulation.note(NODE, "plan", f"{plan}")
        nemesis = Nemesis(simulation, plan, [NODE], kinds=KINDS, directories=(DIRECTORY, "/"))
        client = world.spawn(self._client(world), "client")
        await nemesis.run(world, SUFFERING_MS)
        await world.timeout(HEALED_MS, self._must_go_on(world))
        self._is_over = True
        await client

    # The node

    async def _program(self, world: SimulatedWorld) -> None:
        ledger = Ledger(world, DIRECTORY, self._segment_bytes, self._broken)
        try:
            await ledger.recover()
            self._check(ledger)
        except DiskError:
            raise
        except Exception as error:
            world.loop.fail(error, "recovery")  # a program may fail, but not by finding nonsense
            raise
        self._ledger = ledger
        await ledger.failure

    def _check(self, ledger: Ledger) -> None:
        """What every recovery must have found."""
        assert ledger.entries[: len(self._kept)] == self._kept, "an entry that was promised is lost or changed"
        self.checks["promises"] += len(self._kept)
        assert all(entry in self._sent for entry in ledger.entries), "an entry was never sent"
        assert len(set(ledger.entries)) == len(ledger.entries), "an entry is there twice"
        self.checks["origin"] += len(ledger.entries)
        assert self._kept_checkpoint <= ledger.checkpoint <= len(ledger.entries), "the checkpoint is wrong"
        self.checks["checkpoint"] += 1
        self._kept = list(ledger.entries)

    async def _append(self, payload: bytes, world: SimulatedWorld) -> int | None:
        """On the node: None while it recovers."""
        ledger = self._ledger
        if ledger is None or ledger.world is not world or ledger.failure.done():
            return None
        number = await ledger.append(payload)
        self._keep(number, payload)
        self._kept_checkpoint = max(self._kept_checkpoint, ledger.checkpointed)
        return number

    def _keep(self, number: int, payload: bytes) -> None:
        """The node is about to say that this is safe."""
        assert number == len(self._kept), "entries are acknowledged in their order"
        self._kept.append(payload)

    # The client

    async def _client(self, world: SimulatedWorld) -> None:
        while not self._is_over:
            payload = len(self._sent).to_bytes(4) + self._rng.randbytes(self._rng.randrange(self._largest))
            self._sent[payload] = None
            call = self.simulation.call(NODE, partial(self._append, payload))
            try:
                if await world.timeout(PATIENCE_MS, call) is not None:
                    self.acknowledged += 1
            except (NodeDown, DiskError, TimeoutError):
                pass  # it may be there or not
            await world.clock.sleep(self._rng.randrange(2 * self._pause_ms))

    async def _must_go_on(self, world: SimulatedWorld) -> None:
        wanted = self.acknowledged + HEALED_ENTRIES
        while self.acknowledged < wanted:
            await world.clock.sleep(100)
            if not self.simulation.nodes[NODE].is_up:
                self.simulation.restart(NODE)
        self.checks["progress"] += 1


def scenario(seed: int, show: Callable[[str], object] | None = None, *, broken: str = "") -> Report:
    """Run one seed."""
    return Story(seed, show, broken).report()


SUITE_NAME = "ledger"
LEDGER = Suite(
    SUITE_NAME,
    scenario,
    faults=frozenset(KINDS),
    checkers=frozenset({"promises", "origin", "checkpoint", "progress"}),
    mutants={rule: partial(scenario, broken=rule) for rule in RULES},
)
