"""Nodes: registered, changed, fenced, forgotten."""

from dataclasses import replace

import pytest

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, MetadataImage
from ottla.cluster.metadata.parts.registrations import EndPoint, LevelRange
from ottla.errors import DamagedMetadata, UnwritableMetadata
from ottla.protocol.codec.message import Message
from ottla.protocol.features import MetadataVersion
from ottla.protocol.messages.metadata_records import (
    BrokerRegistrationChangeRecord,
    FenceBrokerRecord,
    RegisterBrokerRecord,
    RegisterControllerRecord,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
)
from tests.unit.cluster.metadata.histories import replayed, uuid

FEATURE = RegisterBrokerRecord.BrokerFeature("group.version", 0, 1)


def registered(node_id: int = 1, **fields: object) -> RegisterBrokerRecord:
    """A broker with two listeners."""
    end_points = [RegisterBrokerRecord.BrokerEndpoint(name, "host", 9000 + node_id, 0) for name in ("ONE", "TWO")]
    record = RegisterBrokerRecord(node_id, False, uuid(9), 7, end_points, [FEATURE], None, True)
    for name, value in fields.items():
        setattr(record, name, value)
    return record


IMAGE = replayed([registered(1), registered(2, fenced=False, log_dirs=[uuid(301), uuid(300)], rack="r")])


def after(*messages: Message, base: MetadataImage = IMAGE) -> MetadataImage:
    """The image behind these records."""
    return replayed(list(messages), base)


def test_a_broker_as_it_registered() -> None:
    """End points and features by name, in order; directories sorted; what was not told is not known."""
    broker = IMAGE.cluster.brokers[2]
    assert list(broker.end_points.items()) == [("ONE", EndPoint("host", 9002)), ("TWO", EndPoint("host", 9002))]
    assert broker.features == {"group.version": LevelRange(0, 1)}
    assert (broker.rack, broker.broker_epoch, broker.incarnation_id) == ("r", 7, uuid(9))
    assert broker.log_dirs == (uuid(300), uuid(301))
    assert broker.cordoned_log_dirs is None


def test_only_brokers_that_are_alive_are_shown_to_clients() -> None:
    """A fenced broker is not alive, and neither is one that is not there; a listener shows who has it."""
    assert [IMAGE.cluster.is_alive(node_id) for node_id in (1, 2, 3)] == [False, True, False]
    both = after(UnfenceBrokerRecord(1, 7)).cluster
    assert [(broker.node_id, end_point.port) for broker, end_point in both.brokers_on("ONE")] == [(1, 9001), (2, 9002)]
    assert both.brokers_on("THREE") == []
    assert [broker.node_id for broker, _ in after(FenceBrokerRecord(2, 7)).cluster.brokers_on("ONE")] == []


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        (BrokerRegistrationChangeRecord(2, 7, fenced=1), "fenced", True),
        (BrokerRegistrationChangeRecord(2, 7, in_controlled_shutdown=1), "in_controlled_shutdown", True),
        (BrokerRegistrationChangeRecord(2, 7, log_dirs=[uuid(302), uuid(300)]), "log_dirs", (uuid(300), uuid(302))),
        (BrokerRegistrationChangeRecord(2, 7, cordoned_log_dirs=[]), "cordoned_log_dirs", ()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_change_says_what_changes(change: Message, field: str, value: object) -> None:
    """Fencing, shutting down, directories and cordoned ones each for itself; the rest stays."""
    before = IMAGE.cluster.brokers[2]
    assert after(change).cluster.brokers[2] == replace(before, **{field: value})  # type: ignore[arg-type]


def test_a_change_of_nothing_is_none() -> None:
    """What a broker is already makes no delta."""
    delta = MetadataDelta(IMAGE)
    for record in (BrokerRegistrationChangeRecord(2, 7), FenceBrokerRecord(1, 7), UnregisterBrokerRecord(3, 1)):
        delta.replay(record)
    assert not delta
    assert delta.apply(IMAGE.provenance).cluster is IMAGE.cluster


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (FenceBrokerRecord(3, 7), r"broker 3 is not registered: FenceBrokerRecord\(id=3, epoch=7\)"),
        (UnfenceBrokerRecord(1, 6), "broker 1 has epoch 7: UnfenceBrokerRecord"),
        (BrokerRegistrationChangeRecord(1, 8), "broker 1 has epoch 7: BrokerRegistrationChangeRecord"),
        (BrokerRegistrationChangeRecord(1, 7, fenced=2), "an unknown change"),
        (BrokerRegistrationChangeRecord(1, 7, in_controlled_shutdown=-1), "an unknown change"),
    ],
)
def test_damage_names_the_record_and_changes_nothing(record: Message, why: str) -> None:
    """A broker that is not there, an epoch that is not its own, a value that means nothing."""
    delta = MetadataDelta(IMAGE)
    with pytest.raises(DamagedMetadata, match=why):
        delta.replay(record)
    assert not delta


def test_a_broker_that_is_forgotten() -> None:
    """It is gone, whatever the epoch, and may come again; the delta says None, then what it is now."""
    delta = MetadataDelta(IMAGE)
    delta.replay(UnregisterBrokerRecord(1, 99))
    assert delta.cluster.brokers.changes == {1: None}
    delta.replay(registered(1, broker_epoch=8))
    changed = delta.cluster.brokers.changes[1]
    assert changed is not None
    assert changed.broker_epoch == 8


def test_a_controller() -> None:
    """It registers with its end points and features, and is no broker."""
    end_point = RegisterControllerRecord.ControllerEndpoint("CONTROLLER", "host", 9093, 1)
    feature = RegisterControllerRecord.ControllerFeature("metadata.version", 7, 30)
    image = after(RegisterControllerRecord(5, uuid(4), True, [end_point], [feature]), base=EMPTY)
    controller = image.cluster.controllers[5]
    assert controller.end_points == {"CONTROLLER": EndPoint("host", 9093, 1)}
    assert controller.features == {"metadata.version": LevelRange(7, 30)}
    assert controller.zk_migration_ready
    assert not image.cluster.brokers


@pytest.mark.parametrize(
    ("record", "since", "loss"),
    [
        (registered(is_migrating_zk_broker=True), MetadataVersion.IBP_3_4_IV0, "its migration, which broker 1 has"),
        (registered(log_dirs=[uuid(300)]), MetadataVersion.IBP_3_7_IV2, "its log directories"),
        (registered(cordoned_log_dirs=[]), MetadataVersion.IBP_4_3_IV0, "its cordoned log directories"),
        (RegisterControllerRecord(5, uuid(4)), MetadataVersion.IBP_3_7_IV0, "controller 5 is registered"),
    ],
    ids=lambda value: value.text if isinstance(value, MetadataVersion) else "",
)
def test_what_a_version_cannot_say(record: Message, since: MetadataVersion, loss: str) -> None:
    """It is written from the version on that has it, and below that the loss is named."""
    image = after(record, base=EMPTY)
    assert [each.message for each in image.cluster.records(since)] == [record]
    before = list(MetadataVersion)[list(MetadataVersion).index(since) - 1]
    with pytest.raises(UnwritableMetadata, match=loss):
        list(image.cluster.records(before))
