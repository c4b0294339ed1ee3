"""The one place that says how a partition may change: who leads next, and what record writes it down.

Whoever wants a change states a `PartitionChange`: the partition, and what is to be different (an ISR, replicas, a
directory). `record()` completes a reassignment that has come to its end, keeps eligible leaders (KIP-966), elects, and
answers the change record, or None if nothing changes. A leader is, in this order: the preferred one if that is asked
for; the present one; the first of the replicas, in their order, that is in the ISR (or, when that is empty, in the ELR)
and may lead; the last known leader, if nobody else is left; and only by an unclean election anybody who is alive.

Always true: a record's leader is in the ISR that goes with it; an ISR is empty only where eligible leaders are kept,
else its last member stays in it without leading.
"""

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ottla.cluster.controller.partitions.partition import (
    LEADER_UNCHANGED,
    NO_LEADER,
    RECOVERING,
    RECOVERY_UNCHANGED,
    Partition,
    TopicPartition,
    directory_map,
)
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.features import SINCE, MetadataVersion
from ottla.protocol.messages.metadata_records import PartitionChangeRecord


class Election(enum.Enum):
    """Who may be elected."""

    CLEAN = "whoever leads, else the first replica in sync"
    PREFERRED = "the preferred replica, if it is in sync"
    UNCLEAN = "a replica in sync, else anybody who is alive"


@dataclass(frozen=True, slots=True)
class Rules:
    """What a change goes by."""

    metadata_version: MetadataVersion
    keeps_elr: bool
    min_isr: int
    may_lead: Callable[[int], bool]  # alive, and its directory too
    default_directory: Callable[[int], Uuid]


class Elected(NamedTuple):
    """The outcome of an election."""

    leader: int
    is_unclean: bool = False


@dataclass(slots=True)
class PartitionChange:
    """A partition, and what is to be different; None: as it was."""

    key: TopicPartition
    partition: Partition
    rules: Rules
    election: Election = Election.CLEAN
    isr: tuple[int, ...] | None = None
    replicas: tuple[int, ...] | None = None
    removing: tuple[int, ...] | None = None
    adding: tuple[int, ...] | None = None
    recovery: int | None = None
    directories: dict[int, Uuid] = field(default_factory=dict)
    unclean_shutdown: int | None = None  # a broker that may have lost what it had

    def record(self) -> PartitionChangeRecord | None:
        """The record that brings the change about."""
        before = self.partition
        isr = before.isr if self.isr is None else self.isr
        replicas = before.replicas if self.replicas is None else self.replicas
        removing = before.removing if self.removing is None else self.removing
        adding = before.adding if self.adding is None else self.adding
        if (removing or adding) and (done := completed(replicas, removing, isr)) is not None:
            replicas, isr = done
            removing = adding = ()
        elr = self._eligible(isr, replicas)
        elected = self._elect(isr, elr, replicas)
        change = PartitionChangeRecord(partition_id=self.key.partition_id, topic_id=self.key.topic_id)
        if elected.leader != before.leader:
            change.leader = elected.leader
            if elected.leader in elr or elected.is_unclean:
                isr, elr = (elected.leader,), tuple(each for each in elr if each != elected.leader)
        if elected.is_unclean:
            elr = ()
            if before.recovery != RECOVERING:
                change.leader_recovery_state = RECOVERING
        if isr != before.isr and (isr or self.rules.keeps_elr):
            change.isr = isr
        if elr != before.elr:
            change.eligible_leader_replicas = elr
        self._raise_leader_epoch(change, replicas)
        self._last_known_leader(change)
        self._assignment(change, replicas, removing, adding)
        if self.recovery is not None and self.recovery != before.recovery:
            change.leader_recovery_state = self.recovery
        return change if changes_anything(change) else None

    # Elections

    def _elect(self, isr: Sequence[int], elr: Sequence[int], replicas: Sequence[int]) -> Elected:
        candidates = isr or elr
        may_lead = self.rules.may_lead
        asked = (
            (replicas[0], self.partition.leader) if self.election is Election.PREFERRED else (self.partition.leader,)
        )
        for replica in (*asked, *replicas):
            if replica in candidates and may_lead(replica):
                return Elected(replica)
        if self.rules.keeps_elr and not candidates and len(self.partition.last_known_elr) == 1:
            last_known = self.partition.last_known_elr[0]
            if last_known in replicas and may_lead(last_known):
                return Elected(last_known, is_unclean=True)
        if self.election is Election.UNCLEAN:
            for replica in replicas:
                if may_lead(replica):
                    return Elected(replica, is_unclean=True)
        return Elected(NO_LEADER)

    def _eligible(self, isr: Sequence[int], replicas: Sequence[int]) -> tuple[int, ...]:
        """Who left the ISR when it was, or became, too small to acknowledge anything: they miss nothing committed."""
        if not self.rules.keeps_elr or len(isr) >= self.rules.min_isr:
            return ()
        candidates = {*self.partition.elr, *self.partition.isr} - {*isr, self.unclean_shutdown}
        return tuple(sorted(candidates.intersection(replicas)))

    # What follows from it

    def _raise_leader_epoch(self, change: PartitionChangeRecord, replicas: Sequence[int]) -> None:
        """A leader counts anew when a replica goes, and did when one left the ISR until 3.6."""
        if change.leader != LEADER_UNCHANGED:
            return
        before = self.partition
        shrinks = change.isr is not None and not set(before.isr).issubset(change.isr)
        needed = self.rules.metadata_version < SINCE["isr shrink without a new leader epoch"]
        if (shrinks and needed) or not set(before.replicas).issubset(replicas):
            change.leader = before.leader

    def _last_known_leader(self, change: PartitionChangeRecord) -> None:
        """Remember who led when the ISR became empty, and forget it when somebody leads."""
        if not self.rules.keeps_elr:
            if self.partition.last_known_elr:
                change.last_known_elr = ()
            return
        before = self.partition
        if change.isr is not None and not change.isr:
            last = (before.leader,) if before.leader != NO_LEADER else before.isr[:1]
            if last != before.last_known_elr:
                change.last_known_elr = last
        elif before.last_known_elr:
            leader = before.leader if change.leader == LEADER_UNCHANGED else change.leader
            if leader != NO_LEADER:
                change.last_known_elr = ()

    def _assignment(
        self,
        change: PartitionChangeRecord,
        replicas: tuple[int, ...],
        removing: tuple[int, ...],
        adding: tuple[int, ...],
    ) -> None:
        before = self.partition
        if self.rules.metadata_version >= SINCE["directory assignment"]:
            known = {**directory_map(before), **self.directories}
            directories = tuple(
                known[replica] if replica in known else self.rules.default_directory(replica) for replica in replicas
            )
            if directories != before.directories:
                change.directories = directories
        if replicas != before.replicas:
            change.replicas = replicas
        if removing != before.removing:
            change.removing_replicas = removing
        if adding != before.adding:
            change.adding_replicas = adding


def completed(
    replicas: tuple[int, ...], removing: tuple[int, ...], isr: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Replicas and ISR when a reassignment is over: when everybody who is to stay is in sync."""
    staying = tuple(replica for replica in replicas if replica not in removing)
    in_sync = tuple(replica for replica in isr if replica not in removing)
    return (staying, in_sync) if in_sync and set(staying).issubset(in_sync) else None


def changes_anything(change: PartitionChangeRecord) -> bool:
    """Whether a record says anything but the partition's name."""
    return (
        change.leader != LEADER_UNCHANGED
        or change.leader_recovery_state != RECOVERY_UNCHANGED
        or any(
            value is not None
            for value in (
                change.isr,
                change.replicas,
                change.removing_replicas,
                change.adding_replicas,
                change.directories,
                change.eligible_leader_replicas,
                change.last_known_elr,
            )
        )
    )
