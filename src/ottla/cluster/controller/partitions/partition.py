"""One partition as the controller knows it, and what a record makes of it.

A `Partition` is a value: a change makes another one. Its epochs are counted here and nowhere else: every change record
raises the partition epoch by one, and the leader epoch too if it names a leader, even the same one.

Always true: a partition has a directory for each replica; who adds or removes replicas is among them. Adding replicas
are those that a reassignment brings, removing ones those that it takes away once the new ones are in sync (KIP-455).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from ottla.protocol.codec.wire import ZERO_UUID, Uuid
from ottla.protocol.features import SINCE, MetadataVersion
from ottla.protocol.messages.metadata_records import PartitionChangeRecord, PartitionRecord
from ottla.protocol.uuids import UUID_SIZE

NO_LEADER: Final = -1
LEADER_UNCHANGED: Final = -2
RECOVERED: Final = 0
RECOVERING: Final = 1  # the leader was elected uncleanly, and looks what it has (KIP-704)
RECOVERY_UNCHANGED: Final = -1

# Directory ids that stand for no directory (KIP-858); the first hundred are reserved.
MIGRATING: Final = ZERO_UUID  # the broker has one, and has not said which
UNASSIGNED: Final = Uuid(bytes(15) + b"\x01")
LOST: Final = Uuid(bytes(15) + b"\x02")
RESERVED_IDS: Final = 100


class TopicPartition(NamedTuple):
    """Which partition."""

    topic_id: Uuid
    partition_id: int


class Partition(NamedTuple):
    """Its replicas, who of them is in sync, who leads, and since how many changes."""

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    directories: tuple[Uuid, ...]
    leader_epoch: int = 0
    partition_epoch: int = 0
    removing: tuple[int, ...] = ()
    adding: tuple[int, ...] = ()
    elr: tuple[int, ...] = ()  # not in sync, yet known to have everything that was committed (KIP-966)
    last_known_elr: tuple[int, ...] = ()  # the last leader, when nobody is left in ISR and ELR
    recovery: int = RECOVERED

    @property
    def preferred_leader(self) -> int:
        """Whoever leads when all is well."""
        return self.replicas[0]

    @property
    def is_balanced(self) -> bool:
        """Whether the preferred leader leads."""
        return self.leader == self.replicas[0]

    @property
    def is_reassigning(self) -> bool:
        """Whether it is moved to other brokers."""
        return bool(self.removing or self.adding)

    def directory_of(self, broker_id: int) -> Uuid:
        """Where a broker keeps its replica."""
        return self.directories[self.replicas.index(broker_id)]

    def to_record(self, key: TopicPartition, metadata_version: MetadataVersion) -> PartitionRecord:
        """The record that makes this partition."""
        has_directories = metadata_version >= SINCE["directory assignment"]
        return PartitionRecord.make(
            partition_id=key.partition_id,
            topic_id=key.topic_id,
            replicas=self.replicas,
            isr=self.isr,
            removing_replicas=self.removing,
            adding_replicas=self.adding,
            leader=self.leader,
            leader_recovery_state=self.recovery,
            leader_epoch=self.leader_epoch,
            partition_epoch=self.partition_epoch,
            directories=self.directories if has_directories else (),
            eligible_leader_replicas=self.elr or None,
            last_known_elr=self.last_known_elr or None,
        )


def created(record: PartitionRecord) -> Partition:
    """The partition that a record makes."""
    replicas = tuple(record.replicas)
    isr = tuple(record.isr)
    return Partition(
        replicas=replicas,
        isr=replicas if isr == replicas else isr,  # one tuple for both: nearly all partitions have all in sync
        leader=record.leader,
        directories=tuple(record.directories) or (MIGRATING,) * len(replicas),
        leader_epoch=record.leader_epoch,
        partition_epoch=record.partition_epoch,
        removing=tuple(record.removing_replicas),
        adding=tuple(record.adding_replicas),
        elr=tuple(record.eligible_leader_replicas or ()),
        last_known_elr=tuple(record.last_known_elr or ()),
        recovery=record.leader_recovery_state,
    )


def changed(partition: Partition, change: PartitionChangeRecord) -> Partition:
    """What a change makes of a partition."""
    is_led_anew = change.leader != LEADER_UNCHANGED
    replicas = partition.replicas if change.replicas is None else tuple(change.replicas)
    return Partition(
        replicas=replicas,
        isr=partition.isr if change.isr is None else tuple(change.isr),
        leader=change.leader if is_led_anew else partition.leader,
        directories=_directories(partition, change, replicas),
        leader_epoch=partition.leader_epoch + is_led_anew,
        partition_epoch=partition.partition_epoch + 1,
        removing=partition.removing if change.removing_replicas is None else tuple(change.removing_replicas),
        adding=partition.adding if change.adding_replicas is None else tuple(change.adding_replicas),
        elr=partition.elr if change.eligible_leader_replicas is None else tuple(change.eligible_leader_replicas),
        last_known_elr=partition.last_known_elr if change.last_known_elr is None else tuple(change.last_known_elr),
        recovery=(
            partition.recovery if change.leader_recovery_state == RECOVERY_UNCHANGED else change.leader_recovery_state
        ),
    )


def _directories(partition: Partition, change: PartitionChangeRecord, replicas: tuple[int, ...]) -> tuple[Uuid, ...]:
    if change.directories is not None:
        return tuple(change.directories)
    if change.replicas is None:
        return partition.directories
    before = directory_map(partition)
    return tuple(before.get(replica, MIGRATING) for replica in replicas)


def directory_map(partition: Partition) -> Mapping[int, Uuid]:
    """Each replica's directory."""
    return dict(zip(partition.replicas, partition.directories, strict=True))


def is_reserved(directory: Uuid) -> bool:
    """Whether a directory id is one of those that no directory has."""
    return int.from_bytes(directory[: UUID_SIZE - 1]) == 0 and directory[-1] < RESERVED_IDS


def is_sound(partition: Partition) -> bool:
    """Whether what is always true of a partition is true."""
    replicas = set(partition.replicas)
    return (
        len(replicas) == len(partition.replicas) == len(partition.directories)
        and replicas.issuperset(partition.isr)
        and (partition.leader == NO_LEADER or partition.leader in partition.isr)
        and not set(partition.elr).intersection(partition.isr)
        and replicas.issuperset(partition.removing)
        and replicas.issuperset(partition.adding)
    )
