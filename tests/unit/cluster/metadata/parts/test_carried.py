"""What is read into the image and written back: quotas, producer ids, credentials, access control, tokens."""

import pytest

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY
from ottla.cluster.metadata.parts.scram import ScramUser
from ottla.errors import DamagedMetadata, UnwritableMetadata
from ottla.protocol.codec.message import Message
from ottla.protocol.features import MetadataVersion
from ottla.protocol.messages.metadata_records import (
    AccessControlEntryRecord,
    ClientQuotaRecord,
    DelegationTokenRecord,
    ProducerIdsRecord,
    RemoveAccessControlEntryRecord,
    RemoveDelegationTokenRecord,
    RemoveUserScramCredentialRecord,
    UserScramCredentialRecord,
)
from tests.unit.cluster.metadata.histories import replayed, uuid

Part = ClientQuotaRecord.EntityData
USER, CLIENT = Part("user", "alice"), Part("client-id", None)
QUOTA = ClientQuotaRecord([CLIENT, USER], "producer_byte_rate", 1.5)
ENTRY = AccessControlEntryRecord(uuid(1), 2, "topic", 3, "User:alice", "*", 3, 2)
CREDENTIAL = UserScramCredentialRecord("alice", 1, b"salt", b"stored", b"server", 4096)
TOKEN = DelegationTokenRecord("User:a", "User:b", ["User:c"], 1, 2, 3, "token")
IDS = ProducerIdsRecord(-1, -1, 2000)


@pytest.mark.parametrize("record", [QUOTA, ENTRY, CREDENTIAL, TOKEN, IDS], ids=lambda record: type(record).__name__)
def test_it_is_written_back_as_it_was_read(record: Message) -> None:
    """The record of a snapshot is the record that was read."""
    written = [each.message for each in replayed([record]).records(MetadataVersion.IBP_4_3_IV0)]
    assert written[1:] == [record]


@pytest.mark.parametrize(
    ("record", "gone"),
    [
        (QUOTA, ClientQuotaRecord([USER, CLIENT], "producer_byte_rate", remove=True)),
        (ENTRY, RemoveAccessControlEntryRecord(uuid(1))),
        (CREDENTIAL, RemoveUserScramCredentialRecord("alice", 1)),
        (TOKEN, RemoveDelegationTokenRecord("token")),
    ],
    ids=lambda record: type(record).__name__,
)
def test_what_is_removed_leaves_nothing(record: Message, gone: Message) -> None:
    """At once as well as later; what is left of the others stays."""
    assert replayed([record, gone]) == replayed([gone], replayed([record])) == EMPTY


def test_an_entity_is_the_same_in_any_order() -> None:
    """Two quotas of one entity, whose parts are named in either order, belong together."""
    other = ClientQuotaRecord([USER, CLIENT], "consumer_byte_rate", 2.0)
    quotas = replayed([QUOTA, other]).client_quotas.entities
    assert dict(quotas) == {
        (("client-id", None), ("user", "alice")): {"producer_byte_rate": 1.5, "consumer_byte_rate": 2.0}
    }


def test_an_entry_that_is_not_there_cannot_be_removed() -> None:
    """It is damage, as in Kafka; a credential or a token that is not there is none."""
    with pytest.raises(DamagedMetadata, match="no such access control entry: RemoveAccessControlEntryRecord"):
        MetadataDelta(EMPTY).replay(RemoveAccessControlEntryRecord(uuid(5)))
    assert replayed([RemoveUserScramCredentialRecord("bob", 1), RemoveDelegationTokenRecord("none")]) == EMPTY


def test_a_mechanism_that_we_do_not_have() -> None:
    """SHA-256 and SHA-512 are 1 and 2; another number is damage, and the error tells no secret."""
    unknown = UserScramCredentialRecord("alice", 3, b"salt", b"secret", b"secret", 1)
    with pytest.raises(DamagedMetadata, match="there is no SCRAM mechanism 3") as raised:
        MetadataDelta(EMPTY).replay(unknown)
    assert "secret" not in str(raised.value)
    assert "stored" not in repr(replayed([CREDENTIAL]).scram.credentials[ScramUser(1, "alice")])


def test_the_last_block_of_producer_ids_counts() -> None:
    """A cluster that has given none away says nothing."""
    image = replayed([ProducerIdsRecord(1, 5, 1000), ProducerIdsRecord(2, 9, 2000)])
    assert image.producer_ids.next_producer_id == 2000
    assert EMPTY.producer_ids.next_producer_id == -1
    assert list(EMPTY.producer_ids.records()) == []


@pytest.mark.parametrize(
    ("record", "version"),
    [(CREDENTIAL, MetadataVersion.IBP_3_5_IV1), (TOKEN, MetadataVersion.IBP_3_6_IV1)],
    ids=["SCRAM", "tokens"],
)
def test_what_a_version_cannot_say(record: Message, version: MetadataVersion) -> None:
    """Credentials exist since 3.5-IV2, tokens since 3.6-IV2: below that nothing is written."""
    with pytest.raises(UnwritableMetadata, match="1 exist"):
        list(replayed([record]).records(version))
    assert len(list(EMPTY.records(version))) == 1
