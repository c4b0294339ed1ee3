"""What the kernel says of records that a producer sent."""

from types import ModuleType

import pytest

from ottla.errors import InvalidRecord
from ottla.protocol.records.kernel import Reason
from ottla.protocol.records.kernel.pure import encode_varint
from tests.unit.protocol.records.sections import prefixed, record, section

MAX = 2**63 - 1
MIN = -(2**63)


def sized(body: bytes) -> bytes:
    """A record of any body at all."""
    return encode_varint(len(body)) + body


def test_the_range_of_the_timestamps_is_found(twin: ModuleType) -> None:
    """The largest timestamp is reported with the first offset that has it, and the smallest too."""
    records = record(5, 0) + record(9, 1) + record(-3, 2) + record(9, 3)
    assert twin.validate(records, 4, 1000) == (1009, 1, 997, ())


def test_a_batch_without_records_has_no_timestamps(twin: ModuleType) -> None:
    """An empty section is well-formed, and its timestamps are -1."""
    assert twin.validate(b"", 0, 1000) == (-1, 0, -1, ())


def test_sections_of_every_size_are_walked(twin: ModuleType) -> None:
    """A section large enough for the loop to release the GIL is walked like a small one."""
    large = section(2_000, value=bytes(100))
    assert len(large) > 1 << 16
    assert twin.validate(large, 2_000, 7) == (2006, 1999, 7, ())
    with pytest.raises(InvalidRecord, match=r"^1 bytes are left over behind the 2000 records"):
        twin.validate(large + b"\x00", 2_000, 7)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_will_do(twin: ModuleType, kind: type) -> None:
    """A section may be bytes, a bytearray or a view of either."""
    assert twin.validate(kind(section(3)), 3, 0).max_timestamp == 2


NOTHING = b"\x00\x00\x00\x01\x01"  # attributes, deltas, a null key and a null value

BAD = [
    # section, count, the sentence
    (b"", -1, "the batch says that it has -1 records, in 0 bytes"),
    (section(2)[:13], 2, "the batch says that it has 2 records, in 13 bytes"),
    (b"", 2**31 - 1, "the batch says that it has 2147483647 records, in 0 bytes"),
    (section(2) + b"\x00\x00", 2, "2 bytes are left over behind the 2 records of the batch"),
    (section(2), 1, "10 bytes are left over behind the 1 records of the batch"),
    (section(2), 0, "20 bytes are left over behind the 0 records of the batch"),
    (section(1) + b"\x80" * 6, 2, "record 1: its length at byte 10 has more than 32 bits"),
    (section(1) + b"\x80\x80\x80\x80\x10", 2, "record 1: its length at byte 10 has more than 32 bits"),
    (section(1) + b"\x80" * 4, 2, "record 1: its length at byte 10 is cut off"),
    (section(1) + b"\xff" * 3 + b"\x01", 2, "record 1: its length at byte 10 is -2097152"),
    (section(1), 2, "the batch says that it has 2 records, in 10 bytes"),
    (b"\x01" + bytes(6), 1, "record 0: its length at byte 0 is -1"),
    (b"\xff\xff\xff\xff\x0f" + bytes(6), 1, "record 0: its length at byte 0 is -2147483648"),
    (b"\xfe\xff\xff\xff\x0f" + bytes(6), 1, "record 0: its length at byte 0 is 2147483647, with 6 bytes left"),
    (b"\x0e" + bytes(6), 1, "record 0: its length at byte 0 is 7, with 6 bytes left"),
    (b"\x00" + bytes(6), 1, "record 0: its attributes at byte 1 is cut off"),
    (sized(b"\x00") + bytes(6), 1, "record 0: its timestamp delta at byte 2 is cut off"),
    (sized(b"\x00\x80\x80\x80") + bytes(6), 1, "record 0: its timestamp delta at byte 2 is cut off"),
    (sized(b"\x00" + b"\x80" * 9 + b"\x02"), 1, "record 0: its timestamp delta at byte 2 has more than 64 bits"),
    (sized(b"\x00" + b"\x80" * 12), 1, "record 0: its timestamp delta at byte 2 has more than 64 bits"),
    (sized(b"\x00\x00") + bytes(6), 1, "record 0: its offset delta at byte 3 is cut off"),
    (sized(b"\x00\x00\x01\x01\x01\x00"), 1, "record 0: its offset delta at byte 3 is -1"),
    (sized(b"\x00\x00\x02\x01\x01\x00"), 1, "record 0: its offset delta at byte 3 is 1, where 0 follows"),
    (record(0, 0) + record(0, 2), 2, "record 1: its offset delta at byte 11 is 2, where 1 follows"),
    (record(0, 0) + record(0, 0), 2, "record 1: its offset delta at byte 11 is 0, where 1 follows"),
    (sized(b"\x00\x00\x00") + bytes(6), 1, "record 0: its key length at byte 4 is cut off"),
    (sized(b"\x00\x00\x00\x03\x01\x00"), 1, "record 0: its key length at byte 4 is -2"),
    (sized(b"\x00\x00\x00\x06\x01\x00"), 1, "record 0: its key length at byte 4 is 3, with 2 bytes left"),
    (sized(b"\x00\x00\x00\x04\x01\x00"), 1, "record 0: its value length at byte 7 is cut off"),
    (sized(b"\x00\x00\x00\x01\x05\x00"), 1, "record 0: its value length at byte 5 is -3"),
    (sized(b"\x00\x00\x00\x01\x04\x00"), 1, "record 0: its value length at byte 5 is 2, with 1 bytes left"),
    (sized(b"\x00\x00\x00\x01\x02\x00"), 1, "record 0: its header count at byte 7 is cut off"),
    (sized(NOTHING + b"\x01"), 1, "record 0: its header count at byte 6 is -1"),
    (sized(NOTHING + b"\x02"), 1, "record 0: its header count at byte 6 is 1, with 0 bytes left"),
    (sized(NOTHING + b"\x02\x01\x01"), 1, "record 0: its header key length at byte 7 is -1"),
    (sized(NOTHING + b"\x02\x04\x00"), 1, "record 0: its header key length at byte 7 is 2, with 1 bytes left"),
    (sized(NOTHING + b"\x02\x02\x00"), 1, "record 0: its header value length at byte 9 is cut off"),
    (sized(NOTHING + b"\x02\x00\x03"), 1, "record 0: its header value length at byte 8 is -2"),
    (sized(NOTHING + b"\x02\x00\x02"), 1, "record 0: its header value length at byte 8 is 1, with 0 bytes left"),
    (sized(NOTHING + b"\x04\x00\x01"), 1, "record 0: its header key length at byte 9 is cut off"),
    (sized(NOTHING + b"\x00\x00"), 1, "record 0: it says that it has 7 bytes, and has 6"),
]  # fmt: skip


@pytest.mark.parametrize(("records", "count", "sentence"), BAD)
def test_what_is_not_well_formed_is_refused(twin: ModuleType, records: bytes, count: int, sentence: str) -> None:
    """Records that are not what they say are refused, with the record, the field and the byte."""
    with pytest.raises(InvalidRecord) as refused:
        twin.validate(records, count, 0)
    assert str(refused.value) == sentence
    assert refused.value.code == 87


@pytest.mark.parametrize(
    ("base", "delta"), [(MAX, 1), (MIN, -1), (MAX, MAX), (MIN, MIN), (1, MAX), (-2, MIN), (0, MAX), (-1, MIN)]
)
def test_a_timestamp_must_have_64_bits(twin: ModuleType, base: int, delta: int) -> None:
    """A delta that overflows from the base timestamp is refused; one that just fits is not."""
    records = record(delta, 0)
    if MIN <= base + delta <= MAX:
        assert twin.validate(records, 1, base).max_timestamp == base + delta
        return
    with pytest.raises(InvalidRecord) as refused:
        twin.validate(records, 1, base)
    assert f"is {delta}, which overflows from the base {base}" in str(refused.value)


def test_timestamps_out_of_bounds_are_rejected_one_by_one(twin: ModuleType) -> None:
    """The bounds themselves are allowed, and so is -1, which says that there is no timestamp."""
    records = b"".join(record(delta, at) for at, delta in enumerate((10, 9, 20, 21, -1)))
    found = twin.validate(records, 5, 0, earliest=10, latest=20)
    assert found.rejected == ((1, Reason.TIMESTAMP, 9), (3, Reason.TIMESTAMP, 21))
    assert found.max_timestamp == 21


def test_missing_keys_are_rejected_one_by_one_where_keys_are_required(twin: ModuleType) -> None:
    """A compacted topic rejects the records without a key; an empty key is a key. Key before timestamp, as in Kafka."""
    records = record(0, 0, b"") + record(1, 1, None) + record(2, 2, b"k") + record(3, 3, None)
    assert twin.validate(records, 4, 0).rejected == ()
    assert twin.validate(records, 4, 0, keys_required=True, latest=2).rejected == (
        (1, Reason.NO_KEY, 1),
        (3, Reason.NO_KEY, 3),
    )


def test_a_malformed_record_behind_a_rejected_one_is_refused(twin: ModuleType) -> None:
    """A batch is refused as a whole if a record in it is not well-formed, whatever else is wrong."""
    with pytest.raises(InvalidRecord, match=r"^record 1: "):
        twin.validate(record(0, 0, None) + sized(bytes(7)), 2, 0, keys_required=True)


TEXTS = [
    (b"", True),
    (b"plain", True),
    ("größe €𝄞".encode(), True),
    (b"\xc0\x80", False),
    (b"\xc1\xbf", False),
    (b"\xc2", False),
    (b"\xc2\x80", True),
    (b"\xc2\xc0", False),
    (b"\xe0\x9f\xbf", False),
    (b"\xe0\xa0\x80", True),
    (b"\xed\xa0\x80", False),
    (b"\xed\x9f\xbf", True),
    (b"\xee\x80\x80", True),
    (b"\xef\xbf", False),
    (b"\xf0\x8f\xbf\xbf", False),
    (b"\xf0\x90\x80\x80", True),
    (b"\xf4\x8f\xbf\xbf", True),
    (b"\xf4\x90\x80\x80", False),
    (b"\xf5\x80\x80\x80", False),
    (b"\x80", False),
    (b"a\xff", False),
]


@pytest.mark.parametrize(("name", "is_text"), TEXTS)
def test_header_keys_are_text_where_that_is_asked_for(twin: ModuleType, name: bytes, is_text: bool) -> None:
    """Kafka's broker takes header keys of any bytes; with `header_text` they must be UTF-8."""
    records = record(0, 0, b"k", b"v", ((b"first", None), (name, b"value")))
    assert twin.validate(records, 1, 0).rejected == ()
    if is_text:
        twin.validate(records, 1, 0, header_text=True)
        return
    position = len(records) - len(name) - len(prefixed(b"value"))
    with pytest.raises(InvalidRecord, match=f"^record 0: a header key at byte {position} is not UTF-8$"):
        twin.validate(records, 1, 0, header_text=True)
