"""Partitions are moved to other brokers."""

from collections.abc import Sequence

from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.topics import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsRequest_ReassignablePartition,
    AlterPartitionReassignmentsRequest_ReassignableTopic,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsRequest_ListPartitionReassignmentsTopics,
)
from tests.unit.cluster.controller.office import Office


def move(office: Office, name: str, replicas: Sequence[int] | None, *, partition_id: int = 0, free: bool = True) -> int:
    """Ask for these replicas; the code of the answer."""
    request = AlterPartitionReassignmentsRequest(
        allow_replication_factor_change=free,
        topics=[
            AlterPartitionReassignmentsRequest_ReassignableTopic(
                name, [AlterPartitionReassignmentsRequest_ReassignablePartition(partition_id, replicas)]
            )
        ],
    )
    response = office.ask(lambda now_ms: office.controller.reassignment.alter(request, now_ms))
    row = response.responses[0].partitions[0]
    speaks_for_itself = row.error_code in (ErrorCode.NONE, ErrorCode.NO_REASSIGNMENT_IN_PROGRESS)  # as in Kafka
    assert speaks_for_itself == (row.error_message is None)
    return row.error_code


def moving(office: Office, *names: str) -> list[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """What is being moved: replicas, adding, removing."""
    topics = [ListPartitionReassignmentsRequest_ListPartitionReassignmentsTopics(name, [0]) for name in names] or None
    request = ListPartitionReassignmentsRequest(topics=topics)
    response = office.ask(lambda now_ms: office.controller.reassignment.list(request, now_ms))
    return [
        (topic.name, tuple(row.replicas), tuple(row.adding_replicas), tuple(row.removing_replicas))
        for topic in response.topics
        for row in topic.partitions
    ]


def test_move() -> None:
    """New replicas join, and when they are in sync the old ones are gone; if the leader was one, it is told."""
    office = Office(brokers=[1, 2, 3, 4])
    office.create("t", [1, 2])
    assert move(office, "t", [3, 4]) == ErrorCode.NONE
    partition = office.partition("t")
    assert (partition.replicas, partition.adding, partition.removing) == ((3, 4, 1, 2), (3, 4), (1, 2))
    assert (partition.leader, partition.isr) == (1, (1, 2))
    assert moving(office) == moving(office, "t") == [("t", (3, 4, 1, 2), (3, 4), (1, 2))]
    assert moving(office, "u") == []
    assert office.alter_isr("t", [1, 2, 3]).error_code == ErrorCode.NONE
    assert office.partition("t").is_reassigning
    assert office.alter_isr("t", [1, 2, 3, 4]).error_code == ErrorCode.NEW_LEADER_ELECTED
    partition = office.partition("t")
    assert (partition.replicas, partition.isr, partition.leader, partition.leader_epoch) == ((3, 4), (3, 4), 3, 1)
    assert moving(office) == []
    office.check_replayed()


def test_the_leader_epoch_grows_when_replicas_go() -> None:
    """A leader that stays learns by a new epoch that replicas are gone."""
    office = Office(brokers=[1, 2, 3])
    office.create("t", [1, 2])
    move(office, "t", [1, 3])
    assert office.alter_isr("t", [1, 2, 3]).error_code == ErrorCode.NONE
    partition = office.partition("t")
    assert (partition.replicas, partition.leader, partition.leader_epoch) == ((1, 3), 1, 1)


def test_another_order_is_done_at_once() -> None:
    """Who only reorders replicas, or takes some away, waits for nobody."""
    office = Office(brokers=[1, 2, 3])
    office.create("t", [1, 2, 3])
    assert move(office, "t", [3, 1]) == ErrorCode.NONE
    partition = office.partition("t")
    assert (partition.replicas, partition.isr, partition.is_reassigning) == ((3, 1), (1, 3), False)


def test_cancel() -> None:
    """A move that is called off ends at the original replicas, also if another had replaced it."""
    office = Office(brokers=[1, 2, 3, 4])
    office.create("t", [1, 2])
    move(office, "t", [3, 4])
    office.alter_isr("t", [1, 2, 3])
    move(office, "t", [4, 1])
    assert office.partition("t").removing == (2, 3)
    assert move(office, "t", None) == ErrorCode.NONE
    partition = office.partition("t")
    assert (set(partition.replicas), partition.isr, partition.is_reassigning) == ({1, 2}, (1, 2), False)
    assert move(office, "t", None) == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS


def test_cancel_that_would_be_unclean() -> None:
    """A move is not called off when none of the old replicas is in sync, unless the topic elects uncleanly."""
    for allowed, code in (("false", ErrorCode.INVALID_REPLICA_ASSIGNMENT), ("true", ErrorCode.NONE)):
        office = Office(brokers=[1, 2, 3], features={"eligible.leader.replicas.version": 0})
        office.create("t", [1], unclean_leader_election_enable=allowed)
        move(office, "t", [2, 3])
        office.alter_isr("t", [1, 2])
        office.kill(1)
        assert office.partition("t").isr == (2,)
        assert move(office, "t", None) == code
        office.check_replayed()


def test_refused() -> None:
    """Unknown partitions, brokers that cannot be used, and changes of the replication factor that are not wanted."""
    office = Office(brokers=[1, 2])
    office.create("t", [1, 2])
    assert move(office, "u", [1]) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert move(office, "t", [1], partition_id=7) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    for replicas in ([], [1, 1], [1, 9]):
        assert move(office, "t", replicas) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert move(office, "t", [1], free=False) == ErrorCode.INVALID_REPLICATION_FACTOR
    assert move(office, "t", [2, 1], free=False) == ErrorCode.NONE
