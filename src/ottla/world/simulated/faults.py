"""The kinds of faults that a seed can draw: what each does to a node, and what undoes it.

A kind begins when the nemesis inflicts it and ends when its `Heal` is called; in between it may strike often or not at
all, which is counted where it strikes (`Simulation.struck`), under the same name. Kinds of other parts of the world
stand in dicts of their own, and a suite hands the nemesis those that it wants.

What is always true: healing is harmless in any state of the node, also twice, also in another life than the one that
the fault began in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ottla.world.simulated.disk import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.survival import BIT_FLIP, Survival, survival

Heal = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a fault is to strike."""

    simulation: Simulation
    name: str  # of the node
    rng: Random
    directories: tuple[str, ...]  # that may be sick on their own, such as log directories
    allowed: frozenset[Survival]  # what a damaged file may cost


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One kind: how it begins; it gives what ends it. `keeps_down` says that its node is dead until it ends."""

    what: str
    inflict: Callable[[Target], Heal]
    keeps_down: bool = False


def _crash(target: Target) -> Heal:
    target.simulation.crash(target.name)
    return _nothing


def _crash_in_call(target: Target) -> Heal:
    target.simulation.crash_in_disk_call(target.name, target.rng.randrange(1, 60))
    return target.simulation.nodes[target.name].disk.put_out_fuse


def _kill_in_call(target: Target) -> Heal:
    target.simulation.kill_in_disk_call(target.name, target.rng.randrange(1, 60))
    return target.simulation.nodes[target.name].disk.put_out_fuse


def _kill(target: Target) -> Heal:
    target.simulation.kill(target.name)
    return _nothing


def _pause(target: Target) -> Heal:
    target.simulation.pause(target.name)
    return lambda: target.simulation.resume(target.name)


def _slow_loop(target: Target) -> Heal:
    loop = target.simulation.nodes[target.name].life.loop
    before_ns = loop.step_ns
    target.simulation.slow_down(target.name, target.rng.choice((3, 30, 300)))

    def heal() -> None:
        loop.step_ns = before_ns

    return heal


def _clock_jump(target: Target) -> Heal:
    target.simulation.jump_clock(target.name, target.rng.choice((-1, 1)) * target.rng.randrange(1, 120_000))
    return _nothing


def _clock_drift(target: Target) -> Heal:
    target.simulation.drift_clock(target.name, target.rng.choice((-1, 1)) * target.rng.randrange(1, 50_000))
    return lambda: target.simulation.drift_clock(target.name, 0)


def _bit_flip(target: Target) -> Heal:
    directory = target.rng.choice(target.directories)
    disk = target.simulation.nodes[target.name].disk
    path = disk.flip_bit(directory, lambda path: survival(BIT_FLIP, path) in target.allowed)
    if path is not None and survival(BIT_FLIP, path) is Survival.COPY_LOST:
        target.simulation.unsurvivable.append(f"{BIT_FLIP} in {path} of {target.name}")
    return _nothing


def _job_death(target: Target) -> Heal:
    jobs = target.simulation.nodes[target.name].life.world.jobs
    jobs.death_rate = target.rng.choice((0.1, 1.0))

    def heal() -> None:
        jobs.death_rate = 0.0

    return heal


def _sick_disk(kind: DiskFaultKind) -> Callable[[Target], Heal]:
    def inflict(target: Target) -> Heal:
        fault = DiskFault(
            kind,
            path=target.rng.choice(target.directories),
            rate=target.rng.choice((0.05, 0.5, 1.0)),
            delay_ms=target.rng.choice((5, 60, 700)),
        )
        faults = target.simulation.nodes[target.name].disk.faults
        faults.begin(fault)
        return lambda: faults.end(fault)

    return inflict


def _nothing() -> None:
    """Some faults are over as soon as they have struck."""


NODE_FAULTS: dict[str, FaultKind] = {
    "crash": FaultKind("its machine loses power", _crash, keeps_down=True),
    "kill": FaultKind("its process is killed", _kill, keeps_down=True),
    "pause": FaultKind("its process stands still", _pause),
    "slow-loop": FaultKind("each of its callbacks takes longer", _slow_loop),
    "clock-jump": FaultKind("its wall clock is set", _clock_jump),
    "clock-drift": FaultKind("its clocks run too fast or too slow", _clock_drift),
    "job-death": FaultKind("its helper processes die", _job_death),
}

DISK_FAULTS: dict[str, FaultKind] = {
    "disk-slow": FaultKind("calls take longer", _sick_disk(DiskFaultKind.SLOW)),
    "disk-full": FaultKind("nothing more fits", _sick_disk(DiskFaultKind.FULL)),
    "read-error": FaultKind("reads fail", _sick_disk(DiskFaultKind.READ_ERROR)),
    "write-error": FaultKind("writes fail, some in the middle", _sick_disk(DiskFaultKind.WRITE_ERROR)),
    "sync-error": FaultKind("syncs fail, and may drop what they should write", _sick_disk(DiskFaultKind.SYNC_ERROR)),
    "read-only": FaultKind("nothing may be changed", _sick_disk(DiskFaultKind.READ_ONLY)),
    "crash-in-call": FaultKind("its machine loses power in the middle of a disk call", _crash_in_call, keeps_down=True),
    "kill-in-call": FaultKind("its process is killed in the middle of a disk call", _kill_in_call, keeps_down=True),
    "bit-flip": FaultKind("a bit of a file at rest is another", _bit_flip),
}
