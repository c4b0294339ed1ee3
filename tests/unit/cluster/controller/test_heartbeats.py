"""Heartbeats, sessions and controlled shutdown."""

import pytest

from ottla.cluster.controller.partitions import elections
from ottla.cluster.controller.partitions.partition import Partition
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages import controller as messages
from ottla.protocol.messages.controller import BrokerHeartbeatRequest
from tests.unit.cluster.controller.office import Office, refused, uuid


def fenced(office: Office) -> list[int]:
    """Who is fenced."""
    return [broker.broker_id for broker in office.controller.brokers if broker.fenced]


def test_unfenced_when_caught_up() -> None:
    """A broker is unfenced when it has read its own registration, and not before."""
    office = Office()
    office.register(1)
    behind = office.heartbeat(1, current_metadata_offset=office.epochs[1] - 1)
    assert (behind.is_caught_up, behind.is_fenced) == (False, True)
    assert office.heartbeat(1, want_fence=True).is_fenced
    there = office.heartbeat(1, current_metadata_offset=office.epochs[1])
    assert (there.is_caught_up, there.is_fenced, there.should_shut_down) == (True, False, False)


def test_stale_epochs_are_refused() -> None:
    """A heartbeat of an earlier life, or of a broker that is not registered, gets STALE_BROKER_EPOCH."""
    office = Office(brokers=[1])
    for request in (BrokerHeartbeatRequest(1, office.epochs[1] - 1), BrokerHeartbeatRequest(2, 5)):
        decide = office.controller.broker_heartbeat(request, office.now_ms)
        code, message = refused(lambda: office.ask(decide))  # noqa: B023 - called at once
        assert code == ErrorCode.STALE_BROKER_EPOCH
        assert str(request.broker_id) in message


def test_a_silent_broker_is_fenced() -> None:
    """A broker without heartbeats for broker.session.timeout.ms is fenced, and leads nothing; others are not."""
    office = Office(brokers=[1, 2], static={"broker.session.timeout.ms": "6000"})
    office.create("t", [1, 2])
    office.advance(5_999)
    office.heartbeat(2)
    assert fenced(office) == []
    office.advance(1)
    assert fenced(office) == [1]
    assert (office.partition("t").leader, office.partition("t").isr) == (2, (2,))
    office.check_replayed()


def test_a_new_controller_gives_a_whole_session() -> None:
    """After a failover nobody is fenced before a whole session has passed, and then whoever is silent is."""
    office = Office(brokers=[1])
    office.advance(8_000)
    office.resign()
    office.elect(2)
    office.advance(8_999)
    assert fenced(office) == []
    office.advance(1)
    assert fenced(office) == [1]


def test_controlled_shutdown() -> None:
    """A leader that wants to go hands over first, and goes when all active brokers have read that it did."""
    office = Office(brokers=[1, 2, 3])
    office.create("t", [1, 2, 3])
    begun = office.heartbeat(1, want_shut_down=True)
    assert (begun.should_shut_down, begun.is_fenced) == (False, False)
    assert (office.partition("t").leader, office.partition("t").isr) == (2, (2, 3))
    office.heartbeat(2)
    assert not office.heartbeat(1, want_shut_down=True).should_shut_down, "3 has not read it"
    office.heartbeat(3)
    gone = office.heartbeat(1, want_shut_down=True)
    assert (gone.should_shut_down, gone.is_fenced) == (True, True)


def test_a_shutdown_is_not_taken_back() -> None:
    """A broker that began to shut down and was fenced comes back by registering anew, and leads nothing before."""
    office = Office(brokers=[1])
    office.create("t", [1])
    office.heartbeat(1, want_shut_down=True)
    office.kill(1)
    assert office.heartbeat(1).is_fenced
    assert office.partition("t").leader == -1
    office.start(1)
    assert office.partition("t").leader == 1


def test_shutdown_of_whoever_leads_nothing() -> None:
    """A broker without leaderships may go at once, and so may one that is fenced."""
    office = Office(brokers=[1, 2])
    office.create("t", [1, 2])
    response = office.heartbeat(2, want_shut_down=True)
    assert response.should_shut_down
    assert office.partition("t").isr == (1,)
    assert office.heartbeat(2, want_shut_down=True).should_shut_down


def test_the_last_broker_may_shut_down() -> None:
    """Where nobody can take over, a partition is without leader and the broker may go."""
    office = Office(brokers=[1])
    office.create("t", [1])
    office.heartbeat(1, want_shut_down=True)
    assert office.heartbeat(1, want_shut_down=True).should_shut_down
    assert office.partition("t").leader == -1
    office.start(1)
    assert office.partition("t").leader == 1


def test_failed_directory() -> None:
    """A directory that fails takes its replicas out of the ISR, and those of other directories stay (KIP-858)."""
    office = Office(brokers=[1])
    office.start(2, log_dirs=[uuid(21), uuid(22)])
    for name, directory in (("t", 21), ("u", 22)):
        office.create(name, [2, 1])
        assign(office, 2, directory, name)
    office.heartbeat(2, offline_log_dirs=[uuid(21)])
    assert (office.partition("t").leader, office.partition("u").leader) == (1, 2)
    assert office.controller.brokers.registrations[2].log_dirs == (uuid(22),)
    end_offset = office.log.end_offset
    office.heartbeat(2, offline_log_dirs=[uuid(21)])
    assert office.log.end_offset == end_offset, "what is known is not written again"


def assign(office: Office, broker_id: int, directory: int, name: str) -> int:
    """A broker has put its replica into a directory; the code that it is told."""
    key = office.key(name)
    request = messages.AssignReplicasToDirsRequest(
        broker_id,
        office.epochs[broker_id],
        [
            messages.AssignReplicasToDirsRequest_DirectoryData(
                uuid(directory),
                [
                    messages.AssignReplicasToDirsRequest_TopicData(
                        key.topic_id, [messages.AssignReplicasToDirsRequest_PartitionData(key.partition_id)]
                    )
                ],
            )
        ],
    )
    response = office.ask(lambda now_ms: office.controller.directories.assign(request, now_ms))
    return response.directories[0].topics[0].partitions[0].error_code


def test_assigning_directories() -> None:
    """A broker's directory is taken down; not for partitions that it does not have, nor for unknown topics."""
    office = Office(brokers=[1])
    office.start(2, log_dirs=[uuid(21), uuid(22)])
    office.create("t", [2, 1])
    office.create("u", [1])
    assert assign(office, 2, 21, "t") == ErrorCode.NONE
    assert office.partition("t").directory_of(2) == uuid(21)
    assert assign(office, 2, 21, "u") == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert assign(office, 2, 99, "t") == ErrorCode.NONE
    assert (office.partition("t").leader, office.partition("t").isr) == (1, (1,)), "99 is no directory that is there"


def test_cordoned_directories() -> None:
    """A broker whose directories are all cordoned gets no new replicas (KIP-1066)."""
    office = Office(brokers=[1, 2])
    office.heartbeat(2, cordoned_log_dirs=[uuid(2)])
    office.create("t")
    assert office.partition("t").replicas == (1,)
    office.heartbeat(2, cordoned_log_dirs=[])
    assert office.controller.brokers.registrations[2].takes_replicas


def test_more_partitions_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker with more partitions than a decision may change is fenced all the same, and comes back to all."""
    office = Office(brokers=[1, 2])
    monkeypatch.setattr(elections, "MAX_RECORDS", 30)  # the bound, so small that the test is quick
    count = 18
    for name in ("t", "u"):
        office.create(name, *[[1, 2]] * count)
    leaders = [partition.leader for name in "tu" for partition in partitions(office, name)]
    assert leaders == [1] * 2 * count
    office.kill(1)
    assert {partition.isr for name in "tu" for partition in partitions(office, name)} == {(2,)}
    office.kill(2)
    office.start(2)
    office.advance(10)
    assert {partition.leader for name in "tu" for partition in partitions(office, name)} == {2}


def partitions(office: Office, name: str) -> list[Partition]:
    """A topic's partitions."""
    topic = office.controller.table.topic(name)
    assert topic is not None
    return list(topic.partitions.values())
