"""Control records."""

import pytest

from ottla.errors import InvalidRecord
from ottla.protocol.records.control import (
    ControlRecordType,
    EndTransaction,
    control_key,
    control_type,
    end_transaction,
    end_transaction_value,
)


def test_markers_say_how_a_transaction_ended() -> None:
    """Abort is type 0 and commit type 1; the value carries the coordinator's epoch."""
    value = end_transaction_value(42)
    assert value == bytes.fromhex("00000000002a")
    assert control_key(ControlRecordType.ABORT) == bytes.fromhex("00000000")
    assert control_key(ControlRecordType.COMMIT) == bytes.fromhex("00000001")
    assert end_transaction(control_key(ControlRecordType.ABORT), value) == EndTransaction(False, 42)
    assert end_transaction(control_key(ControlRecordType.COMMIT), value) == EndTransaction(True, 42)


@pytest.mark.parametrize("number", range(2, 7))
def test_the_quorums_types_are_known_by_name(number: int) -> None:
    """Types 2 to 6 are named and end no transaction."""
    record_type = ControlRecordType(number)
    assert control_type(control_key(record_type)) == record_type
    assert end_transaction(control_key(record_type), None) is None


@pytest.mark.parametrize("number", [7, 100, 0x7FFF, -1, -2])
def test_unknown_types_are_no_fault(number: int) -> None:
    """A newer broker may write types that we do not know; readers step over them."""
    key = b"\x00\x00" + number.to_bytes(2, "big", signed=True)
    assert control_type(key) == ControlRecordType.UNKNOWN
    assert end_transaction(key, b"anything") is None


def test_later_versions_begin_alike() -> None:
    """A key or value of a later version is longer, and is read as far as we know it."""
    assert control_type(b"\x00\x05\x00\x01more") == ControlRecordType.COMMIT
    assert end_transaction(b"\x00\x05\x00\x01", b"\x00\x01\x00\x00\x00\x07more") == EndTransaction(True, 7)


@pytest.mark.parametrize("key", [None, b"", b"\x00\x00\x00", b"\xff\xff\x00\x00"])
def test_keys_that_are_none_are_refused(key: bytes | None) -> None:
    """A key too short, or of a negative version, is an invalid record."""
    with pytest.raises(InvalidRecord, match="a control record's key"):
        control_type(key)


@pytest.mark.parametrize("value", [None, b"", b"\x00\x00\x00\x00\x00", b"\xff\xff\x00\x00\x00\x00"])
def test_values_that_are_none_are_refused(value: bytes | None) -> None:
    """A marker's value too short, or of a negative version, is an invalid record."""
    with pytest.raises(InvalidRecord, match="a transaction marker's value"):
        end_transaction(control_key(ControlRecordType.COMMIT), value)
