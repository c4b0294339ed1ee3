"""The quorum suite: voters and observers under everything that can happen to them, and changes of who votes.

Here the machine runs with a disk, a network and clocks of its own driver (`tests/unit/cluster/raft/driver.py`), which
is faster than whole nodes by far; what a seed goes through is drawn there, for mutants too.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from hashlib import blake2b

from tests.simulation.suite import Report, Suite, replay
from tests.unit.cluster.raft.driver import Cluster
from tests.unit.cluster.raft.mutants import MUTANTS, Mutant

SUITE_NAME = "quorum"
SUFFERING_MS = 60_000


def scenario(seed: int, show: Callable[[str], object] | None) -> Report:
    """One run."""
    cluster = Cluster(seed)
    cluster.shape = replace(cluster.shape, suffering_ms=SUFFERING_MS)
    cluster.show = show
    try:
        cluster.run()
    except AssertionError as error:
        raise AssertionError(f"{error}; {cluster.shape}; {replay(SUITE_NAME, seed)}") from error
    return Report(
        hash=blake2b(cluster.fingerprint.encode(), digest_size=16).hexdigest(),
        virtual_ms=int(cluster.now_ms),
        acknowledged=cluster.checkers.committed_offset,  # records
        faults=cluster.faults,
        checks=cluster.checkers.counts,
    )


@contextmanager
def broken(mutant: Mutant) -> Iterator[None]:
    """The machine with one rule replaced."""
    rule = getattr(mutant.owner, mutant.name)
    setattr(mutant.owner, mutant.name, mutant.replacement)
    try:
        yield
    finally:
        setattr(mutant.owner, mutant.name, rule)


def mutated(mutant: Mutant, seed: int, show: Callable[[str], object] | None) -> Report:
    """One run with a broken rule."""
    with broken(mutant):
        return scenario(seed, show)


QUORUM = Suite(
    SUITE_NAME,
    scenario,
    faults=frozenset(
        {
            "cut", "one-way", "crash", "all-crash", "pause", "resign", "barrier-crash", "young-leader", "append-crash",
            "full-disk", "figure-8", "figure-8 complete", "snapshot", "AddRaftVoterRequest", "RemoveRaftVoterRequest",
            "lost-disk", "moved", "upgrade",
        }
    ),
    checkers=frozenset(
        {
            "one vote an epoch", "one leader an epoch", "logs match", "committed agrees", "held by a majority",
            "images agree", "integrity", "snapshots agree", "Truncate",
        }
    ),
    mutants={mutant.rule: partial(mutated, mutant) for mutant in MUTANTS},
)  # fmt: skip
