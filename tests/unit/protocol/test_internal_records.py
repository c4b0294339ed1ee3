"""Messages inside the records of internal topics."""

import random

import pytest

from ottla.errors import MalformedMessage, UnsupportedVersion
from ottla.protocol.internal_records import (
    read_key,
    read_metadata_record,
    read_value,
    write_key,
    write_metadata_record,
    write_value,
)
from ottla.protocol.messages.group_records import OffsetCommitKey, OffsetCommitValue
from ottla.protocol.messages.metadata_records import FeatureLevelRecord, NoOpRecord
from tests.property.wire.instances import Instances, all_messages

KEYS = [cls for cls in all_messages() if cls.schema().kind == "key"]
METADATA = [cls for cls in all_messages() if cls.__module__.endswith("metadata_records")]


def test_a_committed_offset() -> None:
    """The key begins with its record type, the value with its version, both int16."""
    key = OffsetCommitKey(group="g", topic="t", partition=3)
    assert write_key(key) == bytes.fromhex("0001 000167 000174 00000003")
    value = OffsetCommitValue(offset=5, leader_epoch=1, metadata="m", commit_timestamp=7)
    written = write_value(value, 3)
    assert written == bytes.fromhex("0003 0000000000000005 00000001 00016d 0000000000000007")
    assert read_key("group_records", write_key(key)) == key
    assert read_value(key, written) == value


def test_a_feature_level() -> None:
    """A metadata record begins with three varints: 1, its type, its version."""
    record = FeatureLevelRecord(name="metadata.version", feature_level=30)
    written = write_metadata_record(record, 0)
    assert written == bytes.fromhex("01 0c 00 11") + b"metadata.version" + bytes.fromhex("001e 00")
    assert read_metadata_record(written) == (record, 0)
    assert write_metadata_record(NoOpRecord(), 0) == bytes.fromhex("01 14 00 00")


def test_every_key_and_value_is_found_by_its_type() -> None:
    """Keys and values of all internal topics come back as what they were."""
    instances = Instances(random.Random(1))
    for cls in KEYS:
        family = cls.__module__.rpartition(".")[2]
        key = instances.message(cls, 0)
        assert read_key(family, write_key(key)) == key
        (value_cls,) = (c for c in all_messages() if c.__module__ == cls.__module__ and c.__name__ == _value_of(cls))
        for version in value_cls.VERSIONS:
            value = instances.message(value_cls, version)
            assert read_value(key, write_value(value, version)) == value


def test_every_metadata_record_is_found_by_its_type() -> None:
    """All records of the cluster's metadata, in every version."""
    instances = Instances(random.Random(2))
    assert len(METADATA) == 26
    for cls in METADATA:
        for version in cls.VERSIONS:
            record = instances.message(cls, version)
            assert read_metadata_record(write_metadata_record(record, version)) == (record, version)


def test_unknown_record_types_are_stepped_over() -> None:
    """A newer broker's records are no fault."""
    assert read_key("group_records", b"\x00\x63anything") is None
    assert read_key("group_records", b"\xff\xffanything") is None
    assert read_metadata_record(b"\x01\x63\x00anything") is None


@pytest.mark.parametrize("data", [b"", b"\0", b"\0\1", b"\0\1\0\5g"])
def test_a_broken_key_is_malformed(data: bytes) -> None:
    """Garbage in a log is an error that names the record, never another exception."""
    with pytest.raises(MalformedMessage, match=r"group_records|OffsetCommitKey"):
        read_key("group_records", data)


@pytest.mark.parametrize(
    "data", [b"", b"\x01", b"\x01\x0c", b"\x02\x0c\x00", b"\xff\xff\xff\xff\xff\xff", b"\x01\x0c\x00"]
)
def test_a_broken_metadata_record_is_malformed(data: bytes) -> None:
    """A prefix that is cut off, a frame version that nobody knows, a record that is cut off."""
    with pytest.raises(MalformedMessage, match=r"metadata record|FeatureLevelRecord v0"):
        read_metadata_record(data)


def test_a_version_that_there_is_not_is_unsupported() -> None:
    """A value in a version of the future cannot be read, and says so."""
    with pytest.raises(UnsupportedVersion, match="OffsetCommitValue has versions 0-4, not 9"):
        read_value(OffsetCommitKey(), b"\0\x09")
    with pytest.raises(UnsupportedVersion, match="FeatureLevelRecord"):
        read_metadata_record(b"\x01\x0c\x09")


def _value_of(key: type) -> str:
    return key.__name__.removesuffix("Key") + "Value"
