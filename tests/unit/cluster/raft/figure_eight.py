"""Figure 8 of the Raft paper, brought about on purpose: what chance does too seldom to prove anything.

    1  a leader is alone, and writes what nobody else has
    2  another is elected, and is alone as soon as it is: its epoch begins in its own log only
    3  the first one is back, and is elected by the rest; they take over what it wrote in 1, batch by batch
    4  when a majority has that, but nothing of the new epoch, the first is cut off, and the second is back: it may be
       elected, since its last epoch is the later one, and cuts what the majority had

Whoever commits in 4 what a majority has, by count, loses it. Each stage ends when the next begins, or when it takes too
long: then all is as it was. Everybody's answers are lost in 4 as soon as he has something, so that he gets no more.
"""

from enum import Enum
from typing import TYPE_CHECKING

from ottla.cluster.raft.states import Leader
from tests.unit.cluster.raft.replica import Replica

if TYPE_CHECKING:
    from tests.unit.cluster.raft.driver import Cluster

STAGE_MS = 8_000  # how long one may take


class Stage(Enum):
    """How far it has come."""

    OVER = "over"
    FIRST_ALONE = "first alone"
    SECOND_ALONE = "second alone"
    TAKING_OVER = "taking over"
    SECOND_BACK = "second back"


class FigureEight:
    """One course at a time."""

    def __init__(self, cluster: "Cluster") -> None:
        self.cluster = cluster
        self.stage = Stage.OVER
        self.until_ms = 0.0
        self.first: Replica | None = None
        self.second: Replica | None = None
        self.committed_offset = 0

    @property
    def is_under_way(self) -> bool:
        """Whether the network is its own for now."""
        return self.stage is not Stage.OVER and self.cluster.suffers

    def begin(self, leader: Replica) -> None:
        """A leader is to be the first one."""
        if self.is_under_way or not leader.leads or leader.machine is None:
            return
        if len(leader.machine.quorum.voters) < 3 or not leader.machine.quorum.is_voter:
            return
        self.first, self.second = leader, None
        self.cluster.isolate(leader)
        self._next(Stage.FIRST_ALONE)

    def after(self, replica: Replica) -> None:
        """Something has happened to a replica."""
        if not self.is_under_way:
            return None
        if self.cluster.now_ms > self.until_ms or self.first is None:
            return self.end()
        match self.stage:
            case Stage.FIRST_ALONE if _leads_after(replica, self.first):
                self.second = replica
                self.cluster.isolate(replica)
                self._next(Stage.SECOND_ALONE)
            case Stage.SECOND_ALONE if replica is self.first and self.second and _leads_after(replica, self.second):
                self.committed_offset = self.cluster.checkers.committed_offset
                self._next(Stage.TAKING_OVER)
            case Stage.TAKING_OVER:
                self._watch(replica)
            case Stage.SECOND_BACK if replica is self.second and replica.leads:
                self.cluster.faults["figure-8 complete"] += 1
                self.end()
        return None

    def _watch(self, replica: Replica) -> None:
        """Whether the rest has something of the first one's old entries."""
        first, second, cluster = self.first, self.second, self.cluster
        assert first is not None
        assert second is not None
        if first.machine is None or not isinstance(first.machine.state, Leader):
            return self.end()
        progress = first.machine.state.progress
        if replica not in (first, second) and self._is_between(replica.log.end_offset):
            cluster.cuts.add((first.node_id, replica.node_id))  # it may tell what it has, and gets no more
        if replica is first:
            offsets = sorted((state.end_offset for state in progress.voters.values()), reverse=True)
            if self._is_between(offsets[len(offsets) // 2]):
                cluster.isolate(first)
                self._next(Stage.SECOND_BACK)
        return None

    def _is_between(self, offset: int) -> bool:
        """Whether an offset lies behind what was committed, and nothing of the newest epoch below it."""
        assert self.first is not None
        assert self.first.machine is not None
        state = self.first.machine.state
        assert isinstance(state, Leader)
        return self.committed_offset < offset <= state.progress.epoch_start_offset

    def _next(self, stage: Stage) -> None:
        self.stage, self.until_ms = stage, self.cluster.now_ms + STAGE_MS
        self.cluster.faults["figure-8"] += stage is Stage.FIRST_ALONE

    def end(self) -> None:
        """It is over, one way or the other."""
        self.stage = Stage.OVER
        self.cluster.cuts.clear()


def _leads_after(replica: Replica, other: Replica) -> bool:
    """Whether a replica leads, and in a later epoch than the other is in, or in that in which it has heard of it."""
    if replica is other or not replica.leads or replica.machine is None:
        return False
    return other.machine is None or replica.machine.state.epoch > other.machine.state.epoch
