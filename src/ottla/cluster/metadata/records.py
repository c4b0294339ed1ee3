"""Records of `__cluster_metadata` with their versions: which version to write one in, and what is in a batch of them.

Registrations and partitions are written in the newest version that the metadata version has (`features.VERSIONS`), the
change of a broker's registration in the lowest that can say it, everything else in version 0, the only one.

Always true: a record type that we do not know is an error, as in Kafka, since passing over it would leave an image that
differs from everybody else's; a record is never written in a version that the metadata version does not have yet.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ottla.errors import DamagedMetadata, MalformedMessage, UnsupportedVersion
from ottla.protocol.codec.message import Message
from ottla.protocol.features import SINCE, VERSIONS, MetadataVersion, version_at
from ottla.protocol.internal_records import read_metadata_record, write_metadata_record
from ottla.protocol.messages.metadata_records import BrokerRegistrationChangeRecord
from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.record import records_of


class VersionedRecord(NamedTuple):
    """A record, and the version that it is written in."""

    message: Message
    version: int = 0

    def to_bytes(self) -> bytes:
        """The value of the record in the log."""
        return write_metadata_record(self.message, self.version)


def versioned(record: Message, metadata_version: MetadataVersion) -> VersionedRecord:
    """A record as it is written at a metadata version."""
    return VersionedRecord(record, version_for(record, metadata_version))


def version_for(record: Message, metadata_version: MetadataVersion) -> int:
    """The version that a record is written in at a metadata version, which must have it."""
    if isinstance(record, BrokerRegistrationChangeRecord):
        return _change_version(record, metadata_version)
    name = type(record).__name__
    version = version_at(name, metadata_version) if name in VERSIONS else 0
    assert version is not None, f"{name} cannot be written at {metadata_version.text}"
    return version


def _change_version(record: BrokerRegistrationChangeRecord, metadata_version: MetadataVersion) -> int:
    """Kafka's controllers write this record in the lowest version that can say what has changed."""
    if record.cordoned_log_dirs is not None:
        assert metadata_version >= SINCE["cordoned log directories"]
        return 3
    if record.log_dirs:
        assert metadata_version >= SINCE["directory assignment"]
        return 2
    return 1 if record.in_controlled_shutdown else 0


def parse_record(value: bytes | None, offset: int) -> VersionedRecord:
    """The record that stands at an offset; one that is none, or none that we know, is an error that says where."""
    try:
        parsed = read_metadata_record(value or b"")
    except (MalformedMessage, UnsupportedVersion) as error:
        raise DamagedMetadata(f"offset {offset}: {error}") from error
    if parsed is None:
        raise DamagedMetadata(
            f"offset {offset}: a metadata record of an unknown type, {(value or b'')[:8].hex(' ')}..."
        )
    return VersionedRecord(*parsed)


def records_in(batch: RecordBatch) -> Iterator[tuple[int, VersionedRecord]]:
    """The records of a data batch with their offsets; a control batch has none, it is the quorum's own."""
    if not batch.is_control:
        for record in records_of(batch):
            yield record.offset, parse_record(record.value, record.offset)
