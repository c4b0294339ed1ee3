"""Who leads: elections when brokers go and come, on request, and by timers."""

from typing import Any

import pytest

from ottla.cluster.controller.partitions.partition import RECOVERED, RECOVERING
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import MetadataVersion
from ottla.protocol.messages.configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequest_AlterableConfig,
    IncrementalAlterConfigsRequest_AlterConfigsResource,
)
from ottla.protocol.messages.topics import ElectLeadersRequest, ElectLeadersRequest_TopicPartitions
from tests.unit.cluster.controller.office import Office, refused, uuid

WITHOUT_ELR = {"eligible.leader.replicas.version": 0}


def elect(office: Office, kind: int, *names: str, partition_id: int = 0) -> dict[str, int]:
    """Ask for elections; the code of each topic's one partition."""
    wanted = [ElectLeadersRequest_TopicPartitions(name, [partition_id]) for name in names] or None
    request = ElectLeadersRequest(kind, wanted)
    results = office.ask(lambda now_ms: office.controller.elections.elect(request, now_ms)).replica_election_results
    return {each.topic: row.error_code for each in results for row in each.partition_result}


def test_first_in_sync_replica_leads() -> None:
    """W17: of the ISR 1, 5, 9 the first in the order of the replicas leads; when 1 is gone, 5 does."""
    office = Office(brokers=[1, 5, 9])
    office.create("t", [1, 5, 9])
    assert office.partition("t").leader == 1
    office.kill(1)
    partition = office.partition("t")
    assert (partition.leader, partition.isr, partition.leader_epoch, partition.partition_epoch) == (5, (5, 9), 1, 1)


def test_replica_order_and_not_isr_order() -> None:
    """The next leader is the first of the replicas that is in sync, in whatever order the ISR came."""
    office = Office(brokers=[1, 2, 3])
    office.create("t", [1, 2, 3])
    office.alter_isr("t", [1, 3, 2])
    office.kill(1)
    assert office.partition("t").leader == 2


def test_the_last_in_sync_replica_stays() -> None:
    """Without eligible leaders an ISR keeps its last member, which leads again when it is back."""
    office = Office(brokers=[1, 2], features=WITHOUT_ELR)
    office.create("t", [1, 2])
    office.kill(1, 2)
    partition = office.partition("t")
    assert (partition.leader, len(partition.isr)) == (-1, 1)
    (last,) = partition.isr
    office.start(1 if last == 2 else 2)
    assert office.partition("t").leader == -1, "who is not in sync does not lead"
    office.start(last)
    assert (office.partition("t").leader, office.partition("t").recovery) == (last, RECOVERED)


def test_unclean_election_by_config() -> None:
    """With unclean.leader.election.enable anybody who is alive leads, alone in the ISR, and recovers (W29)."""
    office = Office(brokers=[1, 2], features=WITHOUT_ELR)
    office.create("t", [1, 2], unclean_leader_election_enable="true")
    office.kill(2)
    office.kill(1)
    assert office.partition("t").isr == (1,)
    office.start(2)
    partition = office.partition("t")
    assert (partition.leader, partition.isr, partition.recovery) == (2, (2,), RECOVERING)
    office.check_replayed()


def test_unclean_election_when_the_setting_comes_later() -> None:
    """A partition without leader is looked at every unclean.leader.election.interval.ms."""
    office = Office(brokers=[1, 2], features=WITHOUT_ELR, static={"unclean.leader.election.interval.ms": "1000"})
    office.create("t", [1, 2])
    office.kill(2)
    office.kill(1)
    office.start(2)
    assert office.partition("t").leader == -1
    change = IncrementalAlterConfigsRequest_AlterableConfig("unclean.leader.election.enable", 0, "true")
    resource = IncrementalAlterConfigsRequest_AlterConfigsResource(2, "t", [change])
    request = IncrementalAlterConfigsRequest([resource])
    office.ask(lambda now_ms: office.controller.alter_configs.incremental(request, now_ms))
    office.advance(1_001)
    assert office.partition("t").leader == 2


# Eligible leaders (KIP-966)


def test_eligible_leader_replicas() -> None:
    """Who leaves an ISR that is too small to acknowledge stays eligible, and leads when the ISR is empty."""
    office = Office(brokers=[1, 2, 3])
    office.create("t", [1, 2, 3], min_insync_replicas="2")
    office.kill(1)
    assert (office.partition("t").isr, office.partition("t").elr) == ((2, 3), ())
    office.kill(2)
    assert (office.partition("t").isr, office.partition("t").elr) == ((3,), (2,))
    office.kill(3)
    partition = office.partition("t")
    assert (partition.leader, partition.isr, partition.elr, partition.last_known_elr) == (-1, (), (2, 3), (3,))
    office.start(2)
    partition = office.partition("t")
    assert (partition.leader, partition.isr, partition.elr, partition.recovery) == (2, (2,), (3,), RECOVERED)
    assert partition.last_known_elr == ()
    office.start(3)
    office.alter_isr("t", [2, 3])
    assert office.partition("t").elr == ()
    office.check_replayed()


def test_last_known_leader() -> None:
    """When nobody is eligible any more, the last leader is elected when it is back, as one that has to recover."""
    office = Office(brokers=[1])
    office.create("t", [1])
    office.kill(1)
    assert (office.partition("t").isr, office.partition("t").elr) == ((), (1,))
    office.register(1, previous_broker_epoch=-1)
    assert (office.partition("t").elr, office.partition("t").last_known_elr) == ((), (1,))
    office.heartbeat(1)
    partition = office.partition("t")
    assert (partition.leader, partition.isr, partition.recovery) == (1, (1,), RECOVERING)


def test_before_3_6_a_shrinking_isr_raises_the_leader_epoch() -> None:
    """Until 3.6-IV0 a leader had to learn of each smaller ISR by a new epoch; since then only leaders count."""
    for version, leader_epoch in ((MetadataVersion.IBP_3_5_IV2, 1), (MetadataVersion.IBP_3_6_IV0, 0)):
        office = Office(brokers=[1, 2, 3], version=version)
        office.create("t", [1, 2, 3])
        office.alter_isr("t", [1, 2])
        partition = office.partition("t")
        assert (partition.leader, partition.leader_epoch, partition.partition_epoch) == (1, leader_epoch, 1)


# On request


def test_preferred_election() -> None:
    """A preferred election gives the first replica its office back, if it is in sync."""
    office = Office(brokers=[1, 2])
    office.create("t", [1, 2])
    office.create("u", [2, 1])
    office.kill(1)
    office.start(1)
    assert elect(office, 0, "t") == {"t": ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE}
    office.alter_isr("t", [2, 1])
    assert elect(office, 0, "t", "u", "v") == {
        "t": ErrorCode.NONE,
        "u": ErrorCode.ELECTION_NOT_NEEDED,
        "v": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert office.partition("t").leader == 1
    assert elect(office, 0, "t", partition_id=9) == {"t": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


def test_unclean_election_on_request() -> None:
    """An unclean election is for partitions without leader, whatever the setting says."""
    office = Office(brokers=[1, 2], features=WITHOUT_ELR)
    office.create("t", [1, 2])
    office.kill(2)
    assert elect(office, 1, "t") == {"t": ErrorCode.ELECTION_NOT_NEEDED}
    office.kill(1)
    assert elect(office, 1, "t") == {"t": ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE}
    office.start(2)
    assert elect(office, 1, "t") == {"t": ErrorCode.NONE}
    assert (office.partition("t").leader, office.partition("t").recovery) == (2, RECOVERING)


def test_election_of_all() -> None:
    """Without names all partitions are meant, and those that need no election are not in the answer."""
    office = Office(brokers=[1, 2])
    office.create("t", [1, 2])
    office.create("u", [2, 1])
    office.kill(1)
    office.start(1)
    office.alter_isr("t", [2, 1])
    assert elect(office, 0) == {"t": ErrorCode.NONE}
    assert refused(lambda: elect(office, 2))[0] == ErrorCode.INVALID_REQUEST


def test_balancing() -> None:
    """Every leader.imbalance.check.interval.seconds preferred leaders that are in sync lead again."""
    office = Office(brokers=[1, 2], static={"leader.imbalance.check.interval.seconds": "60"})
    office.create("t", [1, 2])
    office.kill(1)
    office.start(1)
    office.alter_isr("t", [2, 1])
    for _ in range(11):
        office.advance(5_000)
        for broker_id in (1, 2):
            office.heartbeat(broker_id)
    assert office.partition("t").leader == 1


def test_no_balancing_unless_wanted() -> None:
    """With auto.leader.rebalance.enable=false leaders stay where they are."""
    office = Office(brokers=[1, 2], static={"auto.leader.rebalance.enable": "false"})
    office.create("t", [1, 2])
    office.kill(1)
    office.start(1)
    office.alter_isr("t", [2, 1])
    for _ in range(62):
        office.advance(5_000)
        for broker_id in (1, 2):
            office.heartbeat(broker_id)
    assert office.partition("t").leader == 2


# AlterPartition


@pytest.mark.parametrize(
    ("isr", "fields", "code"),
    [
        ([1], {"leader_epoch": -1}, ErrorCode.FENCED_LEADER_EPOCH),
        ([1], {"leader_epoch": 9}, ErrorCode.NOT_CONTROLLER),
        ([1], {"partition_epoch": -1}, ErrorCode.INVALID_UPDATE_VERSION),
        ([1], {"partition_epoch": 9}, ErrorCode.NOT_CONTROLLER),
        ([1, 4], {}, ErrorCode.INVALID_REQUEST),
        ([2], {}, ErrorCode.INVALID_REQUEST),
        ([1, 1], {}, ErrorCode.INVALID_REQUEST),
        ([1, 3], {}, ErrorCode.INELIGIBLE_REPLICA),
        ([1], {"leader_recovery_state": RECOVERING}, ErrorCode.INVALID_REQUEST),
        ([1], {"broker_id": 2}, ErrorCode.INVALID_REQUEST),
        ([], {"new_isr": [1, 3]}, ErrorCode.INELIGIBLE_REPLICA),
    ],
)
def test_refused_isr(isr: list[int], fields: dict[str, Any], code: int) -> None:
    """A leader that is behind, an ISR without it, of strangers or of fenced brokers: each has its code."""
    office = Office(brokers=[1, 2, 3, 4])
    office.create("t", [1, 2, 3])
    office.kill(3)
    before = office.partition("t")
    assert office.alter_isr("t", isr, **fields).error_code == code
    assert office.partition("t") == before


def test_isr_grows_with_the_right_epoch() -> None:
    """A replica comes into the ISR in the life in which its leader saw it catch up, and in no other (KIP-903)."""
    office = Office(brokers=[1, 2])
    office.create("t", [1, 2])
    office.kill(2)
    old = office.epochs[2]
    office.start(2)
    new, office.epochs[2] = office.epochs[2], old
    assert office.alter_isr("t", [1, 2]).error_code == ErrorCode.INELIGIBLE_REPLICA
    office.epochs[2] = new
    row = office.alter_isr("t", [1, 2])
    partition = office.partition("t")
    assert (row.error_code, tuple(row.isr), row.partition_epoch) == (ErrorCode.NONE, (1, 2), partition.partition_epoch)
    assert partition.isr == (1, 2)


def test_recovery_ends() -> None:
    """A leader that was elected uncleanly grows no ISR before it says that it has recovered (KIP-704)."""
    office = Office(brokers=[1, 2], features=WITHOUT_ELR)
    office.create("t", [1, 2], unclean_leader_election_enable="true")
    office.kill(2)
    office.kill(1)
    office.start(2)
    office.start(1)
    code = office.alter_isr("t", [2, 1], leader_recovery_state=RECOVERING).error_code
    assert code == ErrorCode.INVALID_REQUEST
    assert office.alter_isr("t", [2, 1]).error_code == ErrorCode.NONE
    assert office.partition("t").recovery == RECOVERED


def test_unknown_partitions() -> None:
    """A topic or partition that is gone has its own code; a stale broker epoch refuses the whole request."""
    office = Office(brokers=[1])
    office.create("t", [1])
    assert office.alter_isr("t", [1], partition_index=3).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert office.alter_isr("t", [1], topic_id=uuid(99)).error_code == ErrorCode.UNKNOWN_TOPIC_ID
    office.epochs[1] -= 1
    assert refused(lambda: office.alter_isr("t", [1]))[0] == ErrorCode.STALE_BROKER_EPOCH
