"""The engine: runs the seeds of a suite, adds up what they went through, and says how to replay one that failed.

A suite fails if a seed fails, if too few of its seeds count, or if one of its kinds of faults or one of its checkers
was never exercised: a run in which nothing went wrong, or nobody looked, proves nothing. Its mutants are the same
scenario with one rule of the program broken; a suite whose checkers do not see one is as bad as one that fails.
"""

import gc
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

# Runs one seed and raises what it finds wrong; the trace goes to the second argument as it comes.
Scenario = Callable[[int, Callable[[str], object] | None], "Report"]

# What makes a seed count.
MIN_VIRTUAL_MS = 60_000
MIN_FAULTS = 5
MIN_KINDS = 2
MIN_ACKNOWLEDGED = 200

MIN_COUNTING = 0.8  # of a suite's seeds
ENOUGH_SEEDS = 20  # fewer cannot be expected to exercise everything
MUTANT_SEEDS = 200  # within which a broken rule must be caught
COLLECT_EVERY = 5  # seeds
MAX_FAILURES = 5  # after which a suite is not worth going on with


@dataclass(frozen=True, slots=True)
class Report:
    """What one seed went through, if it did not fail."""

    hash: str
    virtual_ms: int
    acknowledged: int  # operations that a client was told to be done
    faults: Counter[str]
    checks: Counter[str]  # how often each checker has looked

    def counts(self) -> bool:
        """Whether this run was long and bad enough to prove something."""
        return (
            self.virtual_ms >= MIN_VIRTUAL_MS
            and self.faults.total() >= MIN_FAULTS
            and len(+self.faults) >= MIN_KINDS
            and self.acknowledged >= MIN_ACKNOWLEDGED
        )


@dataclass(frozen=True, slots=True)
class Suite:
    """A scenario, and what it must go through."""

    name: str
    scenario: Scenario
    faults: frozenset[str]
    checkers: frozenset[str]
    mutants: Mapping[str, Scenario] = field(default_factory=dict)


@dataclass(slots=True)
class Result:
    """What many seeds of a suite went through together."""

    suite: Suite
    seeds: int = 0
    counting: int = 0
    virtual_ms: int = 0
    acknowledged: int = 0
    seconds: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    failures: dict[int, BaseException] = field(default_factory=dict)

    def add(self, report: Report) -> None:
        """One seed more."""
        self.counting += report.counts()
        self.virtual_ms += report.virtual_ms
        self.acknowledged += report.acknowledged
        self.faults += report.faults
        self.checks += report.checks

    def complaints(self) -> list[str]:
        """What is wrong with it, a line each."""
        lines = [
            f"{type(error).__name__}: {first_line(error)}; {replay(self.suite.name, seed)}"
            for seed, error in self.failures.items()
        ]
        if self.seeds >= ENOUGH_SEEDS and not self.failures:
            if self.counting < MIN_COUNTING * self.seeds:
                lines.append(f"only {self.counting} of {self.seeds} seeds count")
            lines += [f"no {kind} ever struck" for kind in sorted(self.suite.faults - set(self.faults))]
            lines += [f"{checker} was never checked" for checker in sorted(self.suite.checkers - set(self.checks))]
        return lines

    def line(self) -> str:
        """It all in one line."""
        faults = ", ".join(f"{kind} {count}" for kind, count in sorted(self.faults.items()))
        checks = ", ".join(f"{checker} {count}" for checker, count in sorted(self.checks.items()))
        verdict = "FAILED" if self.complaints() else "ok"
        return (
            f"{self.suite.name}: {verdict}, {self.seeds} seeds, {self.counting} count, "
            f"{self.virtual_ms // 1_000:,} virtual s in {self.seconds:.1f} s, {self.acknowledged:,} operations; "
            f"faults: {faults}; checks: {checks}"
        )


def run(suite: Suite, seeds: Iterable[int]) -> Result:
    """Run these seeds of a suite."""
    result = Result(suite)
    start = time.perf_counter()
    for seed in seeds:
        result.seeds += 1
        try:
            result.add(suite.scenario(seed, None))
        except Exception as error:
            result.failures[seed] = error
            if len(result.failures) == MAX_FAILURES:
                break
        if result.seeds % COLLECT_EVERY == 0:
            gc.collect()  # a run is one large cycle, and holds whole disks
    result.seconds = time.perf_counter() - start
    return result


def caught_by(scenario: Scenario, seeds: Iterable[int] = range(MUTANT_SEEDS)) -> tuple[int, Exception] | None:
    """The first seed that sees what is broken in a mutant, and what it sees; None if nobody does."""
    for seed in seeds:
        try:
            scenario(seed, None)
        except Exception as error:
            return seed, error
    return None


def first_line(error: BaseException) -> str:
    """What an error says, without what pytest adds."""
    return str(error).partition("\n")[0]


def replay(suite: str, seed: int) -> str:
    """How to see a seed again: it is the same run only at the same commit."""
    return f"seed {seed} at commit {commit()}; replay it with: make sim SUITE={suite} SEED={seed}"


def commit() -> str:
    """What is checked out here, with a plus if something was changed since."""
    root = Path(__file__).parents[2]
    try:
        head = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=True
        )
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.strip() + ("+" if changed.stdout else "")
