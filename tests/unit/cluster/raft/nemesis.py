"""What happens to a simulated quorum: each kind of fault is drawn again and again while it suffers.

Some wait for their moment: a leader that has hardly begun, or has just appended, is worth more than any other. Faults
of the network leave it alone while a course of `figure_eight.py` is under way, which needs it for itself.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla.cluster.raft.events import Resign
from tests.unit.cluster.raft.figure_eight import FigureEight
from tests.unit.cluster.raft.replica import Replica

if TYPE_CHECKING:
    from tests.unit.cluster.raft.driver import Cluster

APPEND_CRASHES, BARRIER_CRASHES = 0.01, 0.03  # of all appends, and of all barriers


class Nemesis:
    """Whoever wishes the quorum ill."""

    def __init__(self, cluster: "Cluster") -> None:
        self.cluster = cluster
        self.figure_eight = FigureEight(cluster)
        self._kinds: dict[str, Callable[[Replica], None]] = {
            "cut": lambda victim: self._cut(both_ways=True),
            "one-way": lambda victim: self._cut(both_ways=False),
            "crash": self._crash,
            "all-crash": lambda victim: self._crash_most(),
            "pause": self._pause,
            "resign": self._resign,
            "full-disk": self._fill,
            "figure-8": lambda victim: self._begin_figure_eight(),
        }

    def _is_on(self, kind: str) -> bool:
        return self.cluster.suffers and kind in self.cluster.shape.faults

    def strike(self) -> None:
        """Something bad happens, or something bad ends."""
        cluster, rng = self.cluster, self.cluster.rng
        if not cluster.suffers:
            return
        cluster.at(rng.uniform(0, 2 * cluster.shape.fault_every_ms), self.strike)
        if rng.random() < 0.4 and not self.figure_eight.is_under_way:
            cluster.cuts.clear()
        kinds = [kind for kind in cluster.shape.faults if kind in self._kinds]
        if kinds:
            self._kinds[rng.choice(kinds)](cluster.replicas[rng.choice(list(cluster.replicas))])

    def after(self, replica: Replica, *, led: bool) -> None:
        """After an event of a replica, which led before it or did not."""
        self.figure_eight.after(replica)
        if replica.leads and not led and self._is_on("young-leader"):
            self._depose(replica)

    def appended(self, leader: Replica) -> None:
        """A leader has new records, which nobody else has yet."""
        if self._is_on("append-crash") and self.cluster.rng.random() < APPEND_CRASHES:
            self.cluster.faults["append-crash"] += 1
            self.cluster.crash(leader)

    def dies_before_barrier(self, replica: Replica) -> bool:
        """Whether a replica dies when it is about to write what must be on its disk."""
        dies = self._is_on("barrier-crash") and self.cluster.rng.random() < BARRIER_CRASHES
        self.cluster.faults["barrier-crash"] += dies
        return dies

    # The kinds

    def _cut(self, *, both_ways: bool) -> None:
        """Some do not hear the others, and perhaps are not heard by them either."""
        cluster, nodes = self.cluster, list(self.cluster.replicas)
        if self.figure_eight.is_under_way:
            return
        cluster.faults["cut" if both_ways else "one-way"] += 1
        side = set(cluster.rng.sample(nodes, cluster.rng.randint(1, len(nodes))))
        cluster.cuts |= {(one, other) for one in side for other in nodes if other not in side}
        if both_ways:
            cluster.cuts |= {(other, one) for one, other in cluster.cuts}

    def _crash(self, victim: Replica) -> None:
        self.cluster.faults["crash"] += 1
        self.cluster.crash(victim)

    def _crash_most(self) -> None:
        if self.figure_eight.is_under_way:
            return
        self.cluster.faults["all-crash"] += 1
        for replica in self.cluster.replicas.values():
            if self.cluster.rng.random() < 0.8:
                self.cluster.crash(replica)

    def _pause(self, victim: Replica) -> None:
        """Its process stands still, and what comes meanwhile waits for it."""
        self.cluster.faults["pause"] += 1
        victim.is_paused = True

        def resume() -> None:
            if victim.machine is not None and victim.is_paused:
                victim.is_paused = False
                self.cluster.arm(victim)

        self.cluster.at(self.cluster.rng.choice((200, 1_500, 6_000)), resume)

    def _resign(self, victim: Replica) -> None:
        """Whoever leads gives up, as if its state machine could not."""
        for replica in self.cluster.replicas.values():
            if replica.leads and replica.machine is not None and not replica.is_paused:
                self.cluster.faults["resign"] += 1
                self.cluster.step(replica, Resign(replica.machine.state.epoch))

    def _fill(self, victim: Replica) -> None:
        """Its disk is full for a while: it dies at the first write, and again whenever it comes back before that."""
        self.cluster.faults["full-disk"] += 1
        log = victim.log
        log.is_full = True

        def free() -> None:
            log.is_full = False

        self.cluster.at(self.cluster.rng.choice((500, 3_000, 8_000)), free)

    def _begin_figure_eight(self) -> None:
        for replica in self.cluster.replicas.values():
            self.figure_eight.begin(replica)

    def _depose(self, leader: Replica) -> None:
        """A leader that has hardly begun is killed or cut off: the worst time for what older epochs left behind."""
        cluster = self.cluster
        if cluster.rng.random() < 0.5 or self.figure_eight.is_under_way:
            return
        cluster.faults["young-leader"] += 1
        life, dies = leader.life, cluster.rng.random() < 0.5

        def depose() -> None:
            if not cluster.suffers or leader.life != life or self.figure_eight.is_under_way:
                return
            if dies:
                cluster.crash(leader)
            else:
                cluster.isolate(leader)

        cluster.at(cluster.rng.choice((0.5, 5, 50)) * cluster.rng.random() * 2, depose)
