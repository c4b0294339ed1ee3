"""Voters that come, go, move and lose their disks while a simulated quorum suffers.

Requests are those of an operator who asks whoever seems to lead. A disk is lost only while all other voters have
theirs: a quorum survives the loss of one voter at a time, and is not asked for more.
"""

from typing import TYPE_CHECKING

from ottla.cluster.raft.events import Received, UpgradeKRaftVersion
from ottla.cluster.raft.voters import VoterSet
from ottla.protocol.messages.quorum import AddRaftVoterRequest, AddRaftVoterRequest_Listener, RemoveRaftVoterRequest
from tests.unit.cluster.raft.replica import CLUSTER_ID, Replica

if TYPE_CHECKING:
    from tests.unit.cluster.raft.driver import Cluster

OPERATOR = -99


class VoterChanges:
    """The operator, and the disks."""

    def __init__(self, cluster: "Cluster") -> None:
        self.cluster = cluster

    def change(self) -> None:
        """Something changes; then, later, something else."""
        cluster = self.cluster
        if not cluster.suffers:
            return
        cluster.at(cluster.rng.uniform(0, 4_000), self.change)
        leader = self._leader()
        if leader is None:
            return
        if leader.machine is not None and leader.machine.quorum.history.kraft_version == 0:
            cluster.faults["upgrade"] += 1
            cluster.step(leader, UpgradeKRaftVersion(1, None))
            return
        action = cluster.rng.choice((self._add, self._add, self._remove, self._lose_disk, self._lose_disk, self._move))
        action(leader, cluster.rng.choice(self._all()))

    def _leader(self) -> Replica | None:
        leaders = [replica for replica in self._all() if replica.leads and not replica.is_paused]
        return max(leaders, key=lambda replica: replica.machine.state.epoch if replica.machine else 0, default=None)

    def _static(self) -> list[Replica]:
        """Those who may still believe in the static voters: they would take the vote of a replica that lost its disk.

        With kraft.version 0 nobody can tell its two lives apart, so two leaders of an epoch are possible (seed 2151).
        """
        cluster = self.cluster
        return [] if cluster.shape.kraft_version else self._all()

    def _add(self, leader: Replica, who: Replica) -> None:
        listeners = [AddRaftVoterRequest_Listener(*endpoint) for endpoint in who.identity.endpoints]
        self._ask(leader, AddRaftVoterRequest(CLUSTER_ID, 2_000, *who.identity.key, listeners))

    def _remove(self, leader: Replica, who: Replica) -> None:
        assert leader.machine is not None
        voters = leader.machine.quorum.voters
        if len(voters) > 2 and self._are_reached(voters):  # one that is lost is to be replaced first
            self._ask(leader, RemoveRaftVoterRequest(CLUSTER_ID, *who.identity.key))

    def _ask(self, leader: Replica, request: AddRaftVoterRequest | RemoveRaftVoterRequest) -> None:
        self.cluster.faults[type(request).__name__] += 1
        self.cluster.step(leader, Received(request, self.cluster.token(leader, OPERATOR, request)))

    def _move(self, leader: Replica, who: Replica) -> None:
        """A node comes back at another address, and must tell so: one at a time, as an operator would.

        Not one of two voters: if its log is the shorter one, the other must be elected, and cannot reach it.
        """
        cluster, machine = self.cluster, leader.machine
        assert machine is not None
        history = machine.quorum.history
        offset = history.voters_offset
        is_committed = offset is not None and offset < machine.quorum.log.high_watermark
        if not is_committed or len(history.voters) == 2 or not self._are_reached(history.voters):
            return
        if all(replica.machine and replica.machine.quorum.history.kraft_version for replica in self._static()):
            cluster.faults["moved"] += 1
            who.move()
            cluster.start(who)

    def _are_reached(self, voters: VoterSet) -> bool:
        """Whether all voters have their disks, and are where the set says that they are."""
        here = {(replica.identity.key, replica.identity.endpoints) for replica in self._all()}
        return {(voter.key, voter.endpoints) for voter in voters} <= here

    def are_done(self, leader: Replica) -> bool:
        """Whether the log says of all voters where they are, and all vote that ask for it by themselves."""
        assert leader.machine is not None
        history = leader.machine.quorum.history
        if history.kraft_version == 0:
            return True
        voters = history.voters
        joined = not self.cluster.shape.auto_join or all(voters.is_voter(one.identity.key) for one in self._all())
        return joined and self._are_reached(voters)

    def _all(self) -> list[Replica]:
        return list(self.cluster.replicas.values())

    def _lose_disk(self, leader: Replica, who: Replica) -> None:
        """One voter, or observer, comes back with an empty disk."""
        cluster, machine = self.cluster, leader.machine
        assert machine is not None
        history = machine.quorum.history
        voters = history.voters
        offset = history.voters_offset
        is_committed = offset is not None and offset < (machine.quorum.log.high_watermark)
        epochs = [replica.machine.state.epoch for replica in self._all() if replica.machine]
        if who is leader or not is_committed or not self._are_reached(voters) or len(voters) < 3:
            return
        if not cluster.shape.auto_join or max(epochs) > machine.state.epoch:
            return
        if not all(replica.machine and replica.machine.quorum.history.kraft_version for replica in self._static()):
            return
        cluster.faults["lost-disk"] += 1
        who.lose_disk()
        cluster.checkers.forget(who)
        cluster.start(who)
