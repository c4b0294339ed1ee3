"""Rules of Raft, each broken on purpose: what the checkers of the simulation must see.

A mutant replaces one function of the machine. A checker that misses it is blind, whatever it says of the code that is
right.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ottla.cluster.raft import elections, following
from ottla.cluster.raft.progress import Progress
from ottla.cluster.raft.quorum import Quorum
from ottla.cluster.raft.states import Prospective, Unattached
from ottla.cluster.raft.voters import ReplicaKey
from tests.unit.cluster.raft.driver import Shape


@dataclass(frozen=True, slots=True)
class Mutant:
    """What is replaced, and by what."""

    rule: str
    owner: object
    name: str
    replacement: Callable[..., Any]
    seen_as: tuple[str, ...]
    shape: Shape | None = None
    script: str = ""  # that sees it, where chance needs too many seeds
    is_rare: bool = False  # seen within 200 seeds, too many for every test run


def _grant_always(quorum_: Quorum, candidate: ReplicaKey, *, is_up_to_date: bool, pre_vote: bool) -> bool:
    if isinstance(quorum_.state, Unattached | Prospective) and not pre_vote:
        quorum_.state.voted = None
        return is_up_to_date
    return _can_grant(quorum_, candidate, is_up_to_date=is_up_to_date, pre_vote=pre_vote)


def _grant_to_shorter_logs(quorum_: Quorum, candidate: ReplicaKey, *, is_up_to_date: bool, pre_vote: bool) -> bool:
    return _can_grant(quorum_, candidate, is_up_to_date=True, pre_vote=pre_vote)


def _persist_nothing(self: Quorum) -> None:
    self.stored = self.election()


def _any_epoch(self: Progress, offset: int) -> bool:
    return offset > 0


def _believe_unsynced(quorum_: Quorum) -> bool:
    _is_synced(quorum_)
    return True


_can_grant, _is_synced = elections.can_grant, following._is_synced

CRASHES = Shape(
    voters=3, observers=0, suffering_ms=60_000, loss=0, doubling=0, delay_ms=(0.1, 2),
    faults=("barrier-crash", "crash"), fault_every_ms=1_000, append_every_ms=100, snapshots=False,
)  # fmt: skip
LOST = ("lacks what is committed", "has other records than were committed", "commits another batch")

MUTANTS = (
    Mutant("a vote is given once an epoch", elections, "can_grant", _grant_always, seen_as=("votes for", "lead in")),
    Mutant("a vote is given to no log that is behind", elections, "can_grant", _grant_to_shorter_logs, seen_as=LOST),
    Mutant("a vote is on the disk before its answer", Quorum, "persist", _persist_nothing,
           seen_as=("goes back to", "votes for")),
    Mutant("entries of older epochs are not committed by count", Progress, "is_committed_by_count", _any_epoch,
           seen_as=LOST, script="older_epochs"),
    Mutant("a follower tells what it has when it is synced", following, "_is_synced", _believe_unsynced,
           seen_as=LOST, shape=CRASHES, is_rare=True),
)  # fmt: skip
