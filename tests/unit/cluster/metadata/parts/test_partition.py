"""Partitions: whole, changed, and back as records."""

import pytest

from ottla.cluster.metadata.parts.partition import (
    LOST,
    MIGRATING,
    UNASSIGNED,
    LeaderRecoveryState,
    Partition,
    Shared,
)
from ottla.errors import DamagedMetadata, UnwritableMetadata
from ottla.protocol.features import MetadataVersion
from ottla.protocol.messages.metadata_records import PartitionChangeRecord, PartitionRecord
from tests.unit.cluster.metadata.histories import uuid

DIRECTORY = uuid(101)
TOPIC = uuid(7)
PLAIN = Partition((1, 2, 3), (MIGRATING,) * 3, (1, 2), 1, 4, 9)


def merged(partition: Partition = PLAIN, **fields: object) -> Partition:
    """A partition with a change made."""
    change = PartitionChangeRecord(0, TOPIC)
    for name, value in fields.items():
        setattr(change, name, value)
    return partition.merged(change, {})


def test_a_change_of_nothing_raises_the_partition_epoch_alone() -> None:
    """-2 as leader and nulls mean that nothing changes; the partition epoch counts the change all the same."""
    assert merged() == PLAIN._replace(partition_epoch=10)


@pytest.mark.parametrize("leader", [1, 2, -1])
def test_the_leader_epoch_rises_where_a_leader_is_named(leader: int) -> None:
    """Another leader, none, or the same one again: as before 3.6-IV0, when an ISR shrank."""
    assert merged(leader=leader) == PLAIN._replace(leader_id=leader, leader_epoch=5, partition_epoch=10)


def test_an_isr_that_shrinks_leaves_the_leader_epoch_alone() -> None:
    """Unless the controller names the leader with it: readers have no rule of their own for that."""
    assert merged(isr=[1]) == PLAIN._replace(isr=(1,), partition_epoch=10)
    assert merged(isr=[1], leader=1).leader_epoch == 5


def test_a_reassignment() -> None:
    """Replicas change together with who comes and goes; directories that are not told yet follow their number."""
    changed = merged(replicas=[1, 2, 3, 4], adding_replicas=[4], removing_replicas=[3])
    assert changed.replicas == (1, 2, 3, 4)
    assert changed.directories == (MIGRATING,) * 4
    assert (changed.adding_replicas, changed.removing_replicas) == ((4,), (3,))
    assert merged(changed, adding_replicas=[], removing_replicas=[]).adding_replicas == ()


def test_directories() -> None:
    """Each replica has one, and is asked for by its node."""
    told = merged(directories=[DIRECTORY, UNASSIGNED, LOST])
    assert [told.directory(node_id) for node_id in (1, 2, 3)] == [DIRECTORY, UNASSIGNED, LOST]
    assert merged(told, isr=[1]).directories == told.directories


@pytest.mark.parametrize("directories", [[DIRECTORY], [DIRECTORY] * 4])
def test_directories_that_are_not_as_many_as_replicas(directories: list[bytes]) -> None:
    """Neither more nor fewer: the record is named as damage."""
    with pytest.raises(DamagedMetadata, match=r"3 replicas in \d directories: PartitionChangeRecord\(partition_id=0"):
        merged(directories=directories)
    with pytest.raises(DamagedMetadata, match="2 replicas in 3 directories"):
        merged(merged(directories=[DIRECTORY] * 3), replicas=[1, 2])


def test_recovery() -> None:
    """The state of recovery stays, or becomes what a change says; other numbers are damage."""
    recovering = merged(leader_recovery_state=1)
    assert recovering.leader_recovery_state is LeaderRecoveryState.RECOVERING
    assert merged(recovering).leader_recovery_state is LeaderRecoveryState.RECOVERING
    assert merged(recovering, leader_recovery_state=0).leader_recovery_state is LeaderRecoveryState.RECOVERED
    with pytest.raises(DamagedMetadata, match="2 is no state of recovery"):
        merged(leader_recovery_state=2)


def test_eligible_leaders() -> None:
    """Null leaves them, a list replaces them; forgetting them is a change only where there are some."""
    eligible = merged(eligible_leader_replicas=[3], last_known_elr=[2])
    assert (merged(eligible).eligible_leader_replicas, merged(eligible).last_known_elr) == ((3,), (2,))
    assert merged(eligible, eligible_leader_replicas=[]).eligible_leader_replicas == ()
    assert eligible.without_eligible_leaders() == PLAIN._replace(partition_epoch=11)
    assert PLAIN.without_eligible_leaders() is PLAIN


def test_the_preferred_leader_is_the_first_replica() -> None:
    """A partition without replicas has none."""
    assert PLAIN.preferred_leader_id == 1
    assert PLAIN._replace(replicas=()).preferred_leader_id == -1


def test_equal_lists_are_kept_once() -> None:
    """Partitions that lie on the same brokers share what says so, which is most of an image's weight."""
    shared: Shared = {}
    one, other = (Partition.of(PartitionRecord(index, TOPIC, [1, 2], [1, 2], leader=1), shared) for index in (0, 1))
    assert one.replicas is other.replicas is one.isr
    assert one.directories is other.directories


def test_versions_of_the_record() -> None:
    """Version 1 says directories, version 2 eligible leaders; what is empty is left out, as Kafka leaves it out."""
    versions = {
        version.text: PLAIN.record(TOPIC, 3, version).version
        for version in (MetadataVersion.IBP_3_7_IV1, MetadataVersion.IBP_3_7_IV2, MetadataVersion.IBP_4_0_IV1)
    }
    assert versions == {"3.7-IV1": 0, "3.7-IV2": 1, "4.0-IV1": 2}
    newest = PLAIN.record(TOPIC, 3, MetadataVersion.IBP_4_3_IV0).message
    assert isinstance(newest, PartitionRecord)
    assert (newest.eligible_leader_replicas, newest.last_known_elr) == (None, None)
    assert newest.directories == PLAIN.directories


def test_what_a_version_cannot_say() -> None:
    """Directories below 3.7-IV2 and eligible leaders below 4.0-IV1 would be lost, so nothing is written."""
    with pytest.raises(UnwritableMetadata, match="in which directories partition 3"):
        merged(directories=[DIRECTORY] * 3).record(TOPIC, 3, MetadataVersion.IBP_3_7_IV1)
    with pytest.raises(UnwritableMetadata, match="who may lead partition 3"):
        merged(last_known_elr=[1]).record(TOPIC, 3, MetadataVersion.IBP_4_0_IV0)
