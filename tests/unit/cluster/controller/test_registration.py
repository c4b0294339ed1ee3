"""Brokers register, and are unregistered."""

import pytest

from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import METADATA_VERSION, MetadataVersion
from ottla.protocol.messages.cluster import UnregisterBrokerRequest
from ottla.protocol.messages.controller import (
    BrokerRegistrationRequest,
    BrokerRegistrationRequest_Feature,
    ControllerRegistrationRequest,
)
from ottla.protocol.messages.metadata_records import RegisterBrokerRecord
from tests.unit.cluster.controller.office import Office, refused, uuid


def register(office: Office, request: BrokerRegistrationRequest) -> tuple[int, str]:
    """How a registration is refused."""
    return refused(lambda: office.ask(lambda now_ms: office.controller.registration.register(request, now_ms)))


def test_epoch_is_the_offset_of_the_registration() -> None:
    """A broker's epoch is the offset of its registration in the metadata log, and it begins fenced."""
    office = Office()
    epoch = office.register(1).broker_epoch
    record = office.log.records[epoch]
    assert isinstance(record, RegisterBrokerRecord)
    assert record.broker_epoch == epoch
    broker = office.controller.brokers.registrations[1]
    assert (broker.fenced, broker.registered_offset, broker.end_points[0].host) == (True, epoch, "b1")


def test_a_serving_broker_id_is_taken() -> None:
    """While a broker serves, another incarnation with its id is refused; once it is fenced it may register."""
    office = Office(brokers=[1])
    office.incarnations[1] = 77
    code, message = register(office, office.registration(1))
    assert code == ErrorCode.DUPLICATE_BROKER_REGISTRATION
    assert "1" in message
    without_directories = office.registration(1, log_dirs=[])  # that it is a duplicate says more than what it lacks
    assert register(office, without_directories)[0] == ErrorCode.DUPLICATE_BROKER_REGISTRATION
    office.incarnations[1] = 1_001
    office.advance(9_001)
    assert office.register(1).broker_epoch > 0


def test_a_broker_in_controlled_shutdown_can_be_replaced() -> None:
    """A broker that restarts quickly need not wait for the session of its shutdown to end (KAFKA-19047)."""
    office = Office(brokers=[1, 2])
    office.create("t", [1, 2])
    office.heartbeat(1, want_shut_down=True)
    assert office.controller.brokers.registrations[1].in_controlled_shutdown
    office.register(1)
    assert not office.controller.brokers.registrations[1].in_controlled_shutdown


def test_the_same_incarnation_amends_its_registration() -> None:
    """A registration that is sent again keeps its epoch, and does not fence the broker."""
    office = Office(brokers=[1])
    request = office.registration(1, rack="elsewhere")
    response = office.ask(lambda now_ms: office.controller.registration.register(request, now_ms))
    broker = office.controller.brokers.registrations[1]
    assert (response.broker_epoch, broker.fenced, broker.rack) == (office.epochs[1], False, "elsewhere")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"cluster_id": "other"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
        ({"log_dirs": []}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [uuid(5), uuid(5)]}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [bytes(15) + b"\x63"]}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [uuid(1)]}, ErrorCode.INVALID_REGISTRATION),
        ({"is_migrating_zk_broker": True}, ErrorCode.BROKER_ID_NOT_REGISTERED),
        ({"features": []}, ErrorCode.INVALID_REGISTRATION),
        (
            {"features": [BrokerRegistrationRequest_Feature(METADATA_VERSION, 7, 30)]},
            ErrorCode.UNSUPPORTED_VERSION,  # group.version is finalised, and this broker cannot have it
        ),
    ],
)
def test_refused_registrations(fields: dict[str, object], code: int) -> None:
    """A broker of another cluster, with wrong directories or without a finalised feature, is refused with its code."""
    office = Office(brokers=[1])
    assert register(office, office.registration(2, **fields))[0] == code


def test_before_directory_assignment_directories_are_not_asked_for() -> None:
    """A cluster before 3.7-IV2 registers brokers without directories, and writes none."""
    office = Office(version=MetadataVersion.IBP_3_6_IV2)
    office.register(1, log_dirs=[])
    assert office.controller.brokers.registrations[1].log_dirs == ()


def test_a_restarted_broker_leaves_its_isrs() -> None:
    """A new incarnation of a fenced broker is in no ISR any more when it registers."""
    office = Office(brokers=[1, 2])
    office.create("t", [1, 2])
    office.heartbeat(1, want_shut_down=True)
    office.register(1)
    assert office.partition("t").isr == (2,)


def test_unclean_shutdown_ends_eligibility() -> None:
    """A broker that went down uncleanly is no eligible leader; one that went down cleanly still is (KIP-966)."""
    for previous, elr in ((None, (1,)), (-1, ())):
        office = Office(brokers=[1, 2, 3])
        office.create("t", [1, 2, 3], min_insync_replicas="3")
        office.kill(1)
        assert office.partition("t").elr == (1,)
        office.register(1, previous_broker_epoch=office.epochs[1] if previous is None else previous)
        assert office.partition("t").elr == elr


def test_unregister() -> None:
    """An unregistered broker is in no ISR and unknown afterwards; its replicas stay assigned."""
    office = Office(brokers=[1, 2])
    office.create("t", [1, 2])
    request = UnregisterBrokerRequest(1)
    office.ask(lambda now_ms: office.controller.registration.unregister(request, now_ms))
    assert (office.partition("t").isr, office.partition("t").leader, office.partition("t").replicas) == (
        (2,),
        2,
        (1, 2),
    )
    code, message = refused(
        lambda: office.ask(lambda now_ms: office.controller.registration.unregister(request, now_ms))
    )
    assert code == ErrorCode.BROKER_ID_NOT_REGISTERED
    assert "1" in message
    office.check_replayed()


def test_controllers_register() -> None:
    """A controller's endpoints and features are known once it has registered (KIP-919), from 3.7 on."""
    request = ControllerRegistrationRequest(controller_id=900, incarnation_id=uuid(3))
    office = Office()
    office.ask(lambda now_ms: office.controller.controllers.register(request, now_ms))
    assert office.controller.controllers.registrations[900].incarnation_id == uuid(3)
    older = Office(version=MetadataVersion.IBP_3_6_IV2)
    code, _ = refused(lambda: older.ask(lambda now_ms: older.controller.controllers.register(request, now_ms)))
    assert code == ErrorCode.UNSUPPORTED_VERSION


def test_a_broker_that_is_about_to_serve_keeps_its_id() -> None:
    """Two processes with one id: while the first catches up and is heard of, the second is a duplicate."""
    office = Office(brokers=[2])
    office.register(1)
    office.heartbeat(1, want_fence=True)
    code, _ = refused(lambda: office.register(1))
    assert code == ErrorCode.DUPLICATE_BROKER_REGISTRATION
    office.advance(9_001)
    office.register(1)
    office.heartbeat(1, want_fence=True, want_shut_down=True)
    assert office.register(1).broker_epoch > 0


def test_the_broker_of_the_controllers_own_process_does_not_wait_for_its_earlier_session() -> None:
    """A node alone that was killed serves at once when it is back: who holds its directories is no duplicate."""
    office = Office(brokers=[1])
    office.create("t", [1])
    code, _ = refused(lambda: office.register(1))
    assert code == ErrorCode.DUPLICATE_BROKER_REGISTRATION
    request = office.registration(1, incarnation_id=uuid(77), previous_broker_epoch=-1)
    response = office.ask(lambda now_ms: office.controller.registration.register(request, now_ms, is_own=True))
    assert response.broker_epoch > office.epochs[1]
    office.epochs[1] = response.broker_epoch
    assert not office.heartbeat(1).is_fenced
    assert office.partition("t").leader == 1
    office.check_replayed()
