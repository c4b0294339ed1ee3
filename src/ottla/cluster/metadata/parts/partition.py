"""A partition as the cluster knows it: who has it, who leads it, who is in sync, and in which directories it lies.

Always true: there is one directory for each replica; where a record has none, or only such as stand for "not told yet",
all are MIGRATING (KIP-858). Every change raises the partition epoch by one. The leader epoch rises by one exactly where
a change names a leader, be it the same one: that is how controllers before 3.6-IV0 raised it when the ISR shrank, and
why a reader needs no rule of its own for that. Eligible leaders (KIP-966) that are null are none.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple

from ottla.cluster.metadata.parts.damage import damaged
from ottla.cluster.metadata.records import VersionedRecord, versioned
from ottla.errors import UnwritableMetadata
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import ZERO_UUID, Uuid
from ottla.protocol.features import SINCE, MetadataVersion
from ottla.protocol.messages.metadata_records import PartitionChangeRecord, PartitionRecord

NO_LEADER: Final = -1
NO_LEADER_CHANGE: Final = -2
NO_RECOVERY_CHANGE: Final = -1

# Directories that are none; real ones lie above 100.
MIGRATING: Final = ZERO_UUID  # there is one, we have not been told which
UNASSIGNED: Final = Uuid((1).to_bytes(16))
LOST: Final = Uuid((2).to_bytes(16))

Shared = dict[tuple[Any, ...], tuple[Any, ...]]  # tuples that many partitions have, each kept once


class LeaderRecoveryState(IntEnum):
    """Whether a leader still has to recover from an election outside of the ISR (KIP-704)."""

    RECOVERED = 0
    RECOVERING = 1


class Partition(NamedTuple):
    """One partition. A tuple, since a hundred thousand of them are made in a second when a node starts."""

    replicas: tuple[int, ...]
    directories: tuple[Uuid, ...]
    isr: tuple[int, ...]
    leader_id: int
    leader_epoch: int
    partition_epoch: int
    leader_recovery_state: LeaderRecoveryState = LeaderRecoveryState.RECOVERED
    removing_replicas: tuple[int, ...] = ()
    adding_replicas: tuple[int, ...] = ()
    eligible_leader_replicas: tuple[int, ...] = ()
    last_known_elr: tuple[int, ...] = ()

    @property
    def preferred_leader_id(self) -> int:
        """The replica that leads when all is well: the first."""
        return self.replicas[0] if self.replicas else NO_LEADER

    def directory(self, node_id: int) -> Uuid:
        """The directory that a replica lies in."""
        return self.directories[self.replicas.index(node_id)]

    @classmethod
    def of(cls, record: PartitionRecord, shared: Shared) -> "Partition":
        """The partition that a record says, whole."""
        replicas = share(record.replicas, shared)
        return cls(
            replicas,
            _directories(record, replicas, share(record.directories, shared), shared),
            share(record.isr, shared),
            record.leader,
            record.leader_epoch,
            record.partition_epoch,
            _recovery(record, record.leader_recovery_state),
            share(record.removing_replicas, shared),
            share(record.adding_replicas, shared),
            share(record.eligible_leader_replicas or (), shared),
            share(record.last_known_elr or (), shared),
        )

    def merged(self, record: PartitionChangeRecord, shared: Shared) -> "Partition":
        """The partition with a change made: what the record leaves out stays as it is."""
        replicas = self.replicas if record.replicas is None else share(record.replicas, shared)
        directories = self.directories if record.directories is None else share(record.directories, shared)
        elects = record.leader != NO_LEADER_CHANGE
        recovery = record.leader_recovery_state
        removing, adding = record.removing_replicas, record.adding_replicas
        eligible, last_known = record.eligible_leader_replicas, record.last_known_elr
        return Partition(
            replicas,
            _directories(record, replicas, directories, shared),
            self.isr if record.isr is None else share(record.isr, shared),
            record.leader if elects else self.leader_id,
            self.leader_epoch + 1 if elects else self.leader_epoch,
            self.partition_epoch + 1,
            self.leader_recovery_state if recovery == NO_RECOVERY_CHANGE else _recovery(record, recovery),
            self.removing_replicas if removing is None else share(removing, shared),
            self.adding_replicas if adding is None else share(adding, shared),
            self.eligible_leader_replicas if eligible is None else share(eligible, shared),
            self.last_known_elr if last_known is None else share(last_known, shared),
        )

    def without_eligible_leaders(self) -> "Partition":
        """The partition once its eligible leaders are forgotten; where it has none, nothing has changed."""
        if not self.eligible_leader_replicas and not self.last_known_elr:
            return self
        return self._replace(eligible_leader_replicas=(), last_known_elr=(), partition_epoch=self.partition_epoch + 1)

    def record(self, topic_id: Uuid, index: int, metadata_version: MetadataVersion) -> VersionedRecord:
        """The partition as a record. Fields that are not needed are left out, as Kafka leaves them out."""
        place = f"partition {index} of topic {topic_id.hex()}"
        says_directories = metadata_version >= SINCE["directory assignment"]
        if not says_directories and any(directory != MIGRATING for directory in self.directories):
            raise UnwritableMetadata(f"{metadata_version.text} cannot say in which directories {place} lies")
        eligible, last_known = self.eligible_leader_replicas, self.last_known_elr
        if (eligible or last_known) and metadata_version < SINCE["eligible leader replicas"]:
            raise UnwritableMetadata(f"{metadata_version.text} cannot say who may lead {place}")
        record = PartitionRecord(
            index,
            topic_id,
            self.replicas,
            self.isr,
            self.removing_replicas,
            self.adding_replicas,
            self.leader_id,
            self.leader_recovery_state,
            self.leader_epoch,
            self.partition_epoch,
            self.directories if says_directories else (),
            eligible or None,
            last_known or None,
        )
        return versioned(record, metadata_version)


def share(values: Sequence[Any], shared: Shared) -> tuple[Any, ...]:
    """A tuple of these, one and the same for all that ask: most partitions have the replicas of many others."""
    made = tuple(values)
    return shared.setdefault(made, made)


def _directories(
    record: Message, replicas: tuple[int, ...], directories: tuple[Uuid, ...], shared: Shared
) -> tuple[Uuid, ...]:
    """One directory a replica."""
    if all(directory == MIGRATING for directory in directories):
        return share((MIGRATING,) * len(replicas), shared)
    if len(directories) != len(replicas):
        raise damaged(record, f"{len(replicas)} replicas in {len(directories)} directories")
    return directories


def _recovery(record: Message, state: int) -> LeaderRecoveryState:
    if state not in (0, 1):
        raise damaged(record, f"{state} is no state of recovery")
    return LeaderRecoveryState.RECOVERING if state else LeaderRecoveryState.RECOVERED
