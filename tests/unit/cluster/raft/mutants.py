"""Rules of Raft, each broken on purpose: what the checkers of the simulation must see.

A mutant replaces one function of the machine. A checker that misses it is blind, whatever it says of the code that is
right.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ottla.cluster.raft import elections, following, leading, serving
from ottla.cluster.raft.events import Effect, Event, Persist
from ottla.cluster.raft.log import Agreement, Agrees, NeedsSnapshot, RaftLog, agreement
from ottla.cluster.raft.machine import Raft
from ottla.cluster.raft.progress import Progress
from ottla.cluster.raft.quorum import Quorum
from ottla.cluster.raft.states import Leader, Prospective, Unattached
from ottla.cluster.raft.voters import ReplicaKey
from ottla.protocol.records.columns import Bytes
from tests.unit.cluster.raft.shape import Shape


@dataclass(frozen=True, slots=True)
class Mutant:
    """What is replaced, and by what."""

    rule: str
    owner: object
    name: str
    replacement: Callable[..., Any]
    seen_as: tuple[str, ...]
    shape: Shape | None = None  # of a quorum in which it is seen soon: within thirty seeds, not within 200


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


def _answer_before_disk(self: Raft, event: Event, now_ms: int) -> list[Effect]:
    return sorted(_step(self, event, now_ms), key=lambda effect: isinstance(effect, Persist))


def _count_unsynced(quorum_: Quorum, section: Bytes, now_ms: int, linger_ms: int) -> None:
    _append(quorum_, section, now_ms, linger_ms)
    if isinstance(quorum_.state, Leader) and quorum_.state.progress.synced(quorum_.log.end_offset, now_ms):
        leading.on_high_watermark(quorum_)


def _agree_always(log: RaftLog, fetch_offset: int, last_fetched_epoch: int) -> Agreement:
    found = _agreement(log, fetch_offset, last_fetched_epoch)
    return found if isinstance(found, NeedsSnapshot) or fetch_offset > log.end_offset else Agrees()


_can_grant, _is_synced, _step = elections.can_grant, following._is_synced, Raft.step
_append, _agreement = leading._append, agreement

FIGURE_EIGHT = Shape(
    voters=3, observers=0, suffering_ms=60_000, loss=0, doubling=0, delay_ms=(0.1, 2), faults=("figure-8",),
    fault_every_ms=1_500, append_every_ms=40, snapshots=False,
)  # fmt: skip
LOST = ("lacks what is committed", "has other records than were committed", "commits another batch")

MUTANTS = (
    Mutant("a vote is given once an epoch", elections, "can_grant", _grant_always, seen_as=("votes for", "lead in")),
    Mutant("a vote is given to no log that is behind", elections, "can_grant", _grant_to_shorter_logs, seen_as=LOST),
    Mutant("a vote is on the disk before its answer", Raft, "step", _answer_before_disk,
           seen_as=("tells of a vote", "votes for", "goes back to")),
    Mutant("what is persisted is persisted", Quorum, "persist", _persist_nothing,
           seen_as=("tells of a vote", "goes back to", "votes for")),
    Mutant("entries of older epochs are not committed by count", Progress, "is_committed_by_count", _any_epoch,
           seen_as=LOST, shape=FIGURE_EIGHT),
    Mutant("a follower tells what it has when it is synced", following, "_is_synced", _believe_unsynced,
           seen_as=(*LOST, "have on disk")),
    Mutant("a leader counts itself for what it has synced", leading, "_append", _count_unsynced,
           seen_as=(*LOST, "have on disk")),
    Mutant("a reader whose log diverges is told where", serving, "agreement", _agree_always,
           seen_as=(*LOST, "have on disk", "has another batch")),
)  # fmt: skip
