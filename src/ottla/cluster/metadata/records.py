"""Records of `__cluster_metadata` with their versions: which version to write one in, and what is in a batch of them.

Four kinds of records have versions that matter; `features.VERSIONS` says from which metadata version on three of them
are used, the change of a broker's registration follows what it can say. All others have one version, 0.

Always true: a record type that we do not know is an error, as in Kafka, since passing over it would leave an image that
differs from everybody else's; a record is never written in a version that the metadata version does not have yet.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ottla.errors import DamagedMetadata, MalformedMessage, UnsupportedVersion
from ottla.protocol.codec.message import Message
from ottla.protocol.features import SINCE, VERSIONS, MetadataVersion, version_at
from ottla.protocol.internal_records import read_metadata_record, write_metadata_record
from ottla.protocol.messages.metadata_records import BrokerRegistrationChangeRecord
from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.record import records_of

BROKER_CHANGE_VERSIONS: Final = (
    (3, SINCE["cordoned log directories"]),
    (2, SINCE["directory assignment"]),
)
BROKER_CHANGE_LOWEST: Final = 1  # controlled shutdown: as old as the oldest metadata version


class VersionedRecord(NamedTuple):
    """A record, and the version that it is written in."""

    message: Message
    version: int = 0

    def to_bytes(self) -> bytes:
        """The value of the record in the log."""
        return write_metadata_record(self.message, self.version)


def version_for(record: type[Message], metadata_version: MetadataVersion) -> int:
    """The version that a kind of record is written in at a metadata version that has it."""
    if record is BrokerRegistrationChangeRecord:
        fits = (version for version, since in BROKER_CHANGE_VERSIONS if metadata_version >= since)
        return next(fits, BROKER_CHANGE_LOWEST)
    if record.__name__ not in VERSIONS:
        return 0
    version = version_at(record.__name__, metadata_version)
    assert version is not None, f"{record.__name__} cannot be written at {metadata_version.text}"
    return version


def versioned(record: Message, metadata_version: MetadataVersion) -> VersionedRecord:
    """A record as it is written at a metadata version."""
    return VersionedRecord(record, version_for(type(record), metadata_version))


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
