"""The nemesis, the kinds of faults, and which of them must be survived."""

import contextlib
from itertools import pairwise
from random import Random

import pytest

from ottla.errors import DiskError, JobFailed
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.faults import DISK_FAULTS, NODE_FAULTS
from ottla.world.simulated.nemesis import SURVIVABLE, FaultPlan, Nemesis
from ottla.world.simulated.survival import Survival, survival

KINDS = NODE_FAULTS | DISK_FAULTS


async def works(world: SimulatedWorld) -> None:
    """A program that uses everything that can be struck."""
    while True:
        try:
            world.disk.make_directory("/data")
            file = world.disk.open("/data/0.index", create=True)
            file.write(0, [world.rng.randbytes(600)])
            file.sync()
            file.read(0, 600)
            file.write(file.size() % 10_000, [b"more"])
        except DiskError:
            pass  # the next round finds the disk in order, or does not
        with contextlib.suppress(JobFailed):
            await world.jobs.run("math:isqrt", 9)
        await world.clock.sleep(20)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_strikes_and_is_healed(kind: str) -> None:
    """A nemesis that has one kind to draw inflicts it, it strikes, and afterwards the node is up and well."""

    async def main(world: SimulatedWorld) -> None:
        node = simulation.start("node", works, may_fail=True)
        nemesis = Nemesis(simulation, FaultPlan((kind,), 500, 500), ["node"], kinds=KINDS, directories=("/data",))
        await nemesis.run(world, 30_000)
        assert nemesis.inflicted[kind] >= 5
        assert set(nemesis.inflicted) == {kind}
        struck = simulation.struck.copy()
        assert struck[kind] >= 2
        life = node.life.number
        await world.clock.sleep(20_000)
        assert simulation.struck == struck, "a fault goes on after it was healed"
        assert node.is_up
        assert node.life.number == life
        assert node.clock.drift_ppm == 0

    simulation = Simulation(1)
    simulation.run(main)


def test_the_seed_draws_what_is_on() -> None:
    """Over the seeds every kind is on now and off then, at least two in each run, at every pace."""
    plans = [FaultPlan.draw(Random(seed), KINDS) for seed in range(100)]
    assert min(len(plan.kinds) for plan in plans) == 2
    for kind in KINDS:
        assert 0 < sum(kind in plan.kinds for plan in plans) < len(plans)
    assert len({(plan.interval_ms, plan.duration_ms) for plan in plans}) == 9


def test_who_dies_by_itself_is_started_again() -> None:
    """A program that fails comes back within seconds, as under a supervisor."""
    lives: list[int] = []

    async def fails(world: SimulatedWorld) -> None:
        lives.append(world.loop.now_ns())
        await world.clock.sleep(1_000)
        raise KeyError("again")

    async def main(world: SimulatedWorld) -> None:
        simulation.start("node", fails, may_fail=True)
        plan = FaultPlan(("clock-jump",), 100_000_000, 1)
        await Nemesis(simulation, plan, ["node"], kinds=KINDS).run(world, 30_000)

    simulation = Simulation(1)
    simulation.run(main)
    assert all(1_000 <= (after - before) / 1e6 <= 3_000 for before, after in pairwise(lives))
    assert len(lives) > 10


@pytest.mark.parametrize(
    ("kind", "path", "expected"),
    [
        ("crash", "/data/t-0/00000000000000000000.log", Survival.UNHARMED),
        ("disk-slow", "/data/meta.properties", Survival.UNHARMED),
        ("bit-flip", "/data/t-0/00000000000000000000.index", Survival.UNHARMED),
        ("bit-flip", "/data/t-0/00000000000000000000.log", Survival.COPY_LOST),
        ("bit-flip", "/data/__cluster_metadata-0/quorum-state", Survival.COPY_LOST),
        ("disk-full", "/data/t-0/00000000000000000000.log", Survival.DIRECTORY_OFFLINE),
        ("sync-error", "/data/__cluster_metadata-0/00000000000000000000.log", Survival.NODE_STOPS),
        ("read-error", "/data/meta.properties", Survival.NODE_STOPS),
    ],
)
def test_what_must_be_survived(kind: str, path: str, expected: Survival) -> None:
    """File by file: what can be made again is never missed, a log directory may go, metadata stops its node."""
    assert survival(kind, path) is expected


def test_a_machine_dies_in_the_middle_of_a_call() -> None:
    """Power is lost at the disk call that was asked for, before it has an effect, and once only."""
    calls: list[str] = []

    async def writes(world: SimulatedWorld) -> None:
        file = world.disk.open("/file", create=True)
        calls.append("open")
        file.write(0, [b"x"])
        calls.append("write")
        file.sync()
        calls.append("sync")
        try:
            world.disk.sync_directory("/")
        finally:
            calls.append("left")

    async def main(world: SimulatedWorld) -> None:
        node = simulation.start("node", writes)
        simulation.crash_in_disk_call("node", 4)
        assert (await simulation.ended("node")).how == "crashed"
        assert simulation.struck == {"crash-in-call": 1, "crash": 1}
        assert not node.disk.locks
        simulation.restart("node")
        assert (await simulation.ended("node")).how == "returned", "the fuse has burnt"

    simulation = Simulation(1)
    simulation.run(main)
    assert calls == ["open", "write", "sync", "left", "open", "write", "sync", "left"]


def test_a_process_dies_in_the_middle_of_a_call() -> None:
    """A kill between two disk calls of one step leaves what was written, and nothing that comes after it."""

    async def writes(world: SimulatedWorld) -> None:
        file = world.disk.open("/file", create=True)
        for number in range(9):
            file.write(number, [b"x"])

    async def main(world: SimulatedWorld) -> None:
        node = simulation.start("node", writes)
        simulation.kill_in_disk_call("node", 5)
        assert (await simulation.ended("node")).how == "killed"
        assert node.disk.content("/file") == b"xxx"
        assert simulation.struck == {"kill-in-call": 1, "kill": 1}

    simulation = Simulation(1)
    simulation.run(main)


def test_what_cannot_be_survived_marks_the_run() -> None:
    """Damage to the only copy of something happens where a suite allows it, and the run says so."""

    async def writes(world: SimulatedWorld) -> None:
        for name in ("0.log", "0.index"):
            file = world.disk.open(f"/{name}", create=True)
            file.write(0, [bytes(100)])
            file.sync()
        await world.clock.sleep(100_000)

    def damaged(allowed: frozenset[Survival]) -> set[str]:
        async def main(world: SimulatedWorld) -> None:
            simulation.start("node", writes)
            plan = FaultPlan(("bit-flip",), 500, 10)
            await Nemesis(simulation, plan, ["node"], kinds=KINDS, allowed=allowed).run(world, 20_000)
            assert simulation.struck["bit-flip"] > 10

        simulation = Simulation(1)
        simulation.run(main)
        return set(simulation.unsurvivable)

    assert damaged(SURVIVABLE) == set()
    assert damaged(frozenset(Survival)) == {"bit-flip in /0.log of node"}


def test_power_goes_on_a_machine_whose_process_is_dead() -> None:
    """What a killed process had not synced is lost when the machine goes down after it."""

    async def writes(world: SimulatedWorld) -> None:
        world.disk.open("/file", create=True).write(0, [b"x"])

    def files_left(seed: int) -> int:
        async def main(world: SimulatedWorld) -> int:
            node = simulation.start("node", writes)
            await simulation.ended("node")
            assert node.disk.content("/file") == b"x"
            simulation.crash("node")
            return len(list(node.disk.tree.files()))

        simulation = Simulation(seed)
        return simulation.run(main).value

    assert {files_left(seed) for seed in range(20)} == {0, 1}
