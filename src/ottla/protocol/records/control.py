"""Control records: what the log says to those who read it, rather than what users say to each other.

A control batch (attribute bit 5) holds them; a record's key is a version and a type, two int16. Type 0 and 1 end a
transaction (KIP-98) and are the only ones with a value that is read here; 2 to 6 belong to the metadata quorum
(KIP-595, 630, 853), whose own messages describe their values. Types that we do not know are no fault: a newer broker
wrote them, and readers step over them. A key or value too short to be one is an `InvalidRecord`.
"""

from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple

from ottla.errors import InvalidRecord

CONTROL_KEY_VERSION: Final = 0
END_TRANSACTION_VERSION: Final = 0

_KEY = Struct(">hh")
_END_TRANSACTION = Struct(">hi")


class ControlRecordType(IntEnum):
    """The types of control records; UNKNOWN is never written."""

    UNKNOWN = -1
    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6


class EndTransaction(NamedTuple):
    """How a transaction ended, and the epoch of the coordinator that said so."""

    committed: bool
    coordinator_epoch: int


def control_type(key: bytes | None) -> ControlRecordType:
    """The type that a control record's key names. Later versions of the key begin with the same two fields."""
    if key is None or len(key) < _KEY.size:
        raise InvalidRecord(f"a control record's key has {_KEY.size} bytes at least, this one {len(key or b'')}")
    version, number = _KEY.unpack_from(key)
    if version < 0:
        raise InvalidRecord(f"a control record's key is of version {version}")
    known = 0 <= number <= ControlRecordType.KRAFT_VOTERS
    return ControlRecordType(number) if known else ControlRecordType.UNKNOWN


def control_key(record_type: ControlRecordType) -> bytes:
    """The key of a control record."""
    assert record_type != ControlRecordType.UNKNOWN
    return _KEY.pack(CONTROL_KEY_VERSION, record_type)


def end_transaction(key: bytes | None, value: bytes | None) -> EndTransaction | None:
    """The end of a transaction that a control record marks, or None if it marks something else."""
    record_type = control_type(key)
    if record_type not in (ControlRecordType.ABORT, ControlRecordType.COMMIT):
        return None
    if value is None or len(value) < _END_TRANSACTION.size:
        raise InvalidRecord(
            f"a transaction marker's value has {_END_TRANSACTION.size} bytes at least, this one {len(value or b'')}"
        )
    version, coordinator_epoch = _END_TRANSACTION.unpack_from(value)
    if version < 0:
        raise InvalidRecord(f"a transaction marker's value is of version {version}")
    return EndTransaction(record_type == ControlRecordType.COMMIT, coordinator_epoch)


def end_transaction_value(coordinator_epoch: int) -> bytes:
    """The value of a transaction marker."""
    return _END_TRANSACTION.pack(END_TRANSACTION_VERSION, coordinator_epoch)
