"""In which version a record is written."""

import pytest

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY
from ottla.cluster.metadata.records import version_for, versioned
from ottla.errors import DamagedMetadata
from ottla.protocol.codec.message import Message
from ottla.protocol.features import LATEST, MINIMUM, MetadataVersion
from ottla.protocol.messages import metadata_records as records
from tests.unit.cluster.metadata.histories import uuid

MESSAGES = [
    value
    for value in vars(records).values()
    if isinstance(value, type) and issubclass(value, Message) and value.KEY is not None
]
TRANSACTION = {records.BeginTransactionRecord, records.EndTransactionRecord, records.AbortTransactionRecord}


@pytest.mark.parametrize(
    ("record", "oldest", "newest"),
    [
        (records.RegisterBrokerRecord(), 1, 4),
        (records.PartitionRecord(), 0, 2),
        (records.PartitionChangeRecord(), 0, 2),
        (records.TopicRecord(), 0, 0),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_newest_version_that_the_metadata_version_has(record: Message, oldest: int, newest: int) -> None:
    """At 3.3-IV3, and at 4.3-IV0."""
    assert (version_for(record, MINIMUM), version_for(record, LATEST)) == (oldest, newest)


def test_a_change_of_a_broker_in_the_lowest_version_that_can_say_it() -> None:
    """As Kafka's controllers write it, whatever the metadata version."""
    change = records.BrokerRegistrationChangeRecord
    changes = [change(1, 1, 1), change(1, 1, 0, 1), change(1, 1, 1, 1, [uuid(300)]), change(1, 1, 0, 0, (), [])]
    assert [versioned(each, LATEST).version for each in changes] == [0, 1, 2, 3]


def test_a_record_is_never_written_too_early() -> None:
    """What a metadata version does not have yet is our own fault."""
    with pytest.raises(AssertionError, match=r"RegisterControllerRecord cannot be written at 3\.6-IV2"):
        version_for(records.RegisterControllerRecord(), MetadataVersion.IBP_3_6_IV2)


@pytest.mark.parametrize("cls", MESSAGES, ids=lambda cls: cls.__name__)
def test_every_record_of_4_3_is_known_to_a_delta(cls: type[Message]) -> None:
    """Each is replayed or, with all defaults, found to be damage of its own kind; transactions are the loader's."""
    why = ""
    try:
        MetadataDelta(EMPTY).replay(cls())
    except DamagedMetadata as damage:
        why = str(damage)
    assert why.startswith("not a record that changes an image") == (cls in TRANSACTION)
