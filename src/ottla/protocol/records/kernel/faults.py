"""What can be wrong with the records of a batch, and the sentence for each: one table for both twins.

A twin finds a fault, and calls `refuse` with the numbers that describe it; so the compiled loop needs no Python object
until something is wrong, and both twins say the same. Every fault is an `InvalidRecord`, as in Kafka: the batch's
checksum was right, so its writer meant these bytes.
"""

from enum import IntEnum
from typing import Final, NamedTuple, NoReturn

from ottla.errors import InvalidRecord

LEAST_RECORD_BYTES: Final = 7  # length, attributes, two deltas, two lengths and a header count of one byte each
SLOT_BYTES: Final = 24  # of the offset map: sixteen of a key's hash, eight of its newest offset
MOST_LOAD: Final = 0.9  # of the offset map; log.cleaner.io.buffer.load.factor may lower it
NO_OFFSET: Final = -1
INT64_MIN: Final = -(1 << 63)
INT64_MAX: Final = (1 << 63) - 1
INT32_MAX: Final = (1 << 31) - 1


class Fault(IntEnum):
    """The kinds of fault. compiled.pyx repeats the numbers."""

    COUNT = 1  # more records than the bytes could hold, or fewer than none
    REMAINING = 2  # bytes behind the last record
    CUT_OFF = 3  # the field runs past the end of its record (the length: of the section)
    OVERLONG = 4  # more bits than the field has
    NEGATIVE = 5  # a length or count below its least value
    EXCEEDS = 6  # a length or count larger than what is left
    SIZE = 7  # the record is longer than what is in it
    OFFSET_DELTA = 8  # not the one that follows
    OVERFLOW = 9  # base and delta do not add up to 64 bits
    TEXT = 10  # a header key that is not UTF-8


class Field(IntEnum):
    """The fields of a record, in their order. compiled.pyx repeats the numbers."""

    LENGTH = 0
    ATTRIBUTES = 1
    TIMESTAMP_DELTA = 2
    OFFSET_DELTA = 3
    KEY_LENGTH = 4
    VALUE_LENGTH = 5
    HEADER_COUNT = 6
    HEADER_KEY_LENGTH = 7
    HEADER_VALUE_LENGTH = 8


LEAST: Final[dict[int, int]] = {  # a null is a length of -1
    Field.LENGTH: 0,
    Field.OFFSET_DELTA: 0,
    Field.KEY_LENGTH: -1,
    Field.VALUE_LENGTH: -1,
    Field.HEADER_COUNT: 0,
    Field.HEADER_KEY_LENGTH: 0,
    Field.HEADER_VALUE_LENGTH: -1,
}


class Reason(IntEnum):
    """Why a well-formed record is rejected by the topic's rules; a batch may have many such records."""

    NO_KEY = 1  # a compacted topic needs a key
    TIMESTAMP = 2  # outside of what the topic allows


class Rejected(NamedTuple):
    """One record that breaks the topic's rules: what a ProduceResponse calls a record error."""

    batch_index: int
    reason: Reason
    timestamp: int


class Validated(NamedTuple):
    """What the walk over a batch's records found out. Without records the timestamps are -1."""

    max_timestamp: int
    max_timestamp_offset_delta: int  # of the first record that has it
    min_timestamp: int
    rejected: tuple[Rejected, ...]


class Retained(NamedTuple):
    """A records section with fewer records in it."""

    section: bytes
    record_count: int
    max_timestamp: int


def refuse(  # noqa: PLR0917  # all of a C struct
    fault: int, index: int, field: int, position: int, value: int, limit: int
) -> NoReturn:
    """Raise the error for a fault in the field at this byte of the section, in the record of this index."""
    where = f"record {index}: its {Field(field).name.lower().replace('_', ' ')} at byte {position}"
    match Fault(fault):
        case Fault.COUNT:
            sentence = f"the batch says that it has {value} records, in {limit} bytes"
        case Fault.REMAINING:
            sentence = f"{value} bytes are left over behind the {index} records of the batch"
        case Fault.CUT_OFF:
            sentence = f"{where} is cut off"
        case Fault.OVERLONG:
            sentence = f"{where} has more than {limit} bits"
        case Fault.NEGATIVE:
            sentence = f"{where} is {value}"
        case Fault.EXCEEDS:
            sentence = f"{where} is {value}, with {limit} bytes left"
        case Fault.SIZE:
            sentence = f"record {index}: it says that it has {value} bytes, and has {limit}"
        case Fault.OFFSET_DELTA:
            sentence = f"{where} is {value}, where {limit} follows"
        case Fault.OVERFLOW:
            sentence = f"{where} is {value}, which overflows from the base {limit}"
        case Fault.TEXT:
            sentence = f"record {index}: a header key at byte {position} is not UTF-8"
    raise InvalidRecord(sentence)


def outside(index: int) -> NoReturn:
    """Our own fault: columns that do not describe records in their data."""
    raise AssertionError(f"record {index}: its columns do not fit its data, or its batch")


def map_room(size_bytes: int, load_factor: float) -> tuple[int, int]:
    """The slots of an offset map of this size, and how many of them may be taken; one at least stays empty."""
    slots = size_bytes // SLOT_BYTES
    capacity = min(int(slots * min(load_factor, MOST_LOAD)), slots - 1)
    assert capacity > 0, f"an offset map of {size_bytes} bytes holds nothing"
    return slots, capacity
