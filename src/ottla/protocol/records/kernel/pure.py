"""The kernel in plain Python: what runs where no compiler was at hand, and what the compiled twin is held to.

Each function has the signature, the bytes and the errors of its twin in `compiled.pyx`; the tests run over both. It is
written to be read, at a third of a million records a second. A section is a batch's records, decompressed; nothing in
it is believed before it is compared with the bytes that are there.
"""

from array import array
from collections.abc import Iterator
from hashlib import md5
from operator import le, lt
from struct import Struct
from typing import Final, NamedTuple

from ottla.protocol.checksum import crc32c
from ottla.protocol.records.batch import CRC_START, HEADER_SIZE, LENGTH_END, MAGIC
from ottla.protocol.records.columns import Columns
from ottla.protocol.records.kernel.faults import (
    INT32_MAX,
    INT64_MAX,
    INT64_MIN,
    LEAST,
    LEAST_RECORD_BYTES,
    NO_OFFSET,
    Fault,
    Field,
    Reason,
    Rejected,
    Retained,
    Validated,
    map_room,
    outside,
    refuse,
)

Bytes = bytes | bytearray | memoryview
HEAD: Final = Struct(">qiibI2xi8xqq")  # of a batch's header what every batch is asked for

# Plain numbers, since an enum's member costs a look-up for every field of every record.
LENGTH, TIMESTAMP_DELTA, OFFSET_DELTA = int(Field.LENGTH), int(Field.TIMESTAMP_DELTA), int(Field.OFFSET_DELTA)
KEY_LENGTH, VALUE_LENGTH, HEADER_COUNT = int(Field.KEY_LENGTH), int(Field.VALUE_LENGTH), int(Field.HEADER_COUNT)
HEADER_KEY_LENGTH, HEADER_VALUE_LENGTH = int(Field.HEADER_KEY_LENGTH), int(Field.HEADER_VALUE_LENGTH)


class _Record(NamedTuple):
    """One record in its section: where it and its parts begin, and what its numbers are."""

    start: int  # of its length
    body: int  # of its attributes
    rest: int  # behind the timestamp delta: of the offset delta
    end: int
    timestamp: int
    offset_delta: int
    key_position: int
    key_length: int
    value_position: int
    value_length: int
    header_position: int
    header_count: int


def validate(
    section: Bytes,
    count: int,
    base_timestamp: int,
    *,
    earliest: int = INT64_MIN,
    latest: int = INT64_MAX,
    keys_required: bool = False,
    header_text: bool = False,
) -> Validated:
    """Walk over produced records as Kafka's validator does, and find their timestamps' range.

    Refused: what is not well-formed, and offset deltas other than 0 to n - 1. Rejected, record by record: a missing key
    where keys are required, a timestamp outside of `earliest` to `latest` (-1, no timestamp, is never outside).
    `header_text` refuses header keys that are not UTF-8 too; Kafka's broker does not look at them.
    """
    max_timestamp, max_index, min_timestamp = -1, 0, -1
    rejected: list[Rejected] = []
    for index, record in enumerate(_walk(bytes(section), count, base_timestamp, header_text)):
        if record.offset_delta != index:
            delta = record.offset_delta
            refuse(Fault.OFFSET_DELTA, index, Field.OFFSET_DELTA, record.rest, delta, index)
        timestamp = record.timestamp
        if index == 0:
            max_timestamp = min_timestamp = timestamp
        elif timestamp > max_timestamp:
            max_timestamp, max_index = timestamp, index
        elif timestamp < min_timestamp:
            min_timestamp = timestamp
        if keys_required and record.key_length < 0:
            rejected.append(Rejected(index, Reason.NO_KEY, timestamp))
        elif timestamp != -1 and not earliest <= timestamp <= latest:
            rejected.append(Rejected(index, Reason.TIMESTAMP, timestamp))
    return Validated(max_timestamp, max_index, min_timestamp, tuple(rejected))


def index(section: Bytes, count: int, base_offset: int, base_timestamp: int) -> Columns:
    """Find every part of every record."""
    records: list[_Record] = []
    for at, record in enumerate(_walk(bytes(section), count, base_timestamp, header_text=False)):
        records.append(record)
        if base_offset + record.offset_delta > INT64_MAX:
            delta = record.offset_delta
            refuse(Fault.OVERFLOW, at, Field.OFFSET_DELTA, record.rest, delta, base_offset)
    return Columns(
        section,
        array("q", [base_offset + record.offset_delta for record in records]),
        array("q", [record.timestamp for record in records]),
        array("i", [record.key_position for record in records]),
        array("i", [record.key_length for record in records]),
        array("i", [record.value_position for record in records]),
        array("i", [record.value_length for record in records]),
        array("i", [record.header_position for record in records]),
        array("i", [record.end - record.header_position for record in records]),
        array("i", [record.header_count for record in records]),
    )


def build(columns: Columns, base_offset: int, base_timestamp: int) -> bytes:
    """The section that holds these records, each written the shortest way."""
    data = bytes(columns.data)
    pieces: list[bytes] = []
    for at in range(len(columns)):
        offset_delta = columns.offsets[at] - base_offset
        timestamp_delta = columns.timestamps[at] - base_timestamp
        if not (0 <= offset_delta <= INT32_MAX and INT64_MIN <= timestamp_delta <= INT64_MAX):
            outside(at)
        header_length = columns.header_lengths[at]
        body = b"".join(
            (
                b"\x00",
                encode_varint(timestamp_delta),
                encode_varint(offset_delta),
                _field(data, columns.key_positions[at], columns.key_lengths[at], at),
                _field(data, columns.value_positions[at], columns.value_lengths[at], at),
                _piece(data, columns.header_positions[at], header_length, at) if header_length else b"\x00",
            )
        )
        if len(body) > INT32_MAX:
            outside(at)
        pieces += (encode_varint(len(body)), body)
    return b"".join(pieces)


def retain(section: Bytes, count: int, mask: Bytes, base_timestamp: int, new_base_timestamp: int) -> Retained:
    """The records whose byte in the mask is not 0, with their offset deltas and timestamps.

    A batch that gets a delete horizon gets a new base timestamp with it, and then the deltas are written anew.
    """
    assert len(mask) == count or count < 0, f"a mask of {len(mask)} for {count} records"
    whole, mask = bytes(section), bytes(mask)
    pieces: list[bytes] = []
    kept, max_timestamp = 0, -1
    for at, record in enumerate(_walk(whole, count, base_timestamp, header_text=False)):
        if not mask[at]:
            continue
        max_timestamp = record.timestamp if kept == 0 else max(max_timestamp, record.timestamp)
        kept += 1
        if base_timestamp == new_base_timestamp:
            pieces.append(whole[record.start : record.end])
            continue
        timestamp_delta = record.timestamp - new_base_timestamp
        if not INT64_MIN <= timestamp_delta <= INT64_MAX:
            timestamp = record.timestamp
            refuse(Fault.OVERFLOW, at, Field.TIMESTAMP_DELTA, record.body + 1, timestamp, new_base_timestamp)
        encoded = encode_varint(timestamp_delta)
        length = 1 + len(encoded) + record.end - record.rest
        pieces += (
            encode_varint(length),
            whole[record.body : record.body + 1],
            encoded,
            whole[record.rest : record.end],
        )
    return Retained(b"".join(pieces), kept, max_timestamp)


def rises(numbers: "array[int]", *, strictly: bool = True) -> bool:
    """Whether each number of an array (of type q or i) is above the one before it; or at least not below it."""
    return all(map(lt if strictly else le, numbers, numbers[1:]))


class OffsetMap:
    """The newest offset of every key, for compaction: as much of it as `size_bytes` hold at 24 bytes a key.

    The compiled twin keeps 16 bytes of MD5 and 8 of offset in one block of memory; this one counts the same room.
    """

    def __init__(self, size_bytes: int, load_factor: float = 0.9) -> None:
        """Make an empty map; its size never changes."""
        self.slots, self.capacity = map_room(size_bytes, load_factor)
        self._offsets: dict[bytes, int] = {}

    def __len__(self) -> int:
        """The number of keys."""
        return len(self._offsets)

    def put(self, key: Bytes, offset: int) -> bool:
        """Remember the offset if it is the key's newest; False says that there is no room for another key."""
        assert offset >= 0, f"offset {offset}"
        return self._put(md5(key, usedforsecurity=False).digest(), offset)

    def get(self, key: Bytes) -> int:
        """The newest offset of a key, or -1."""
        return self._offsets.get(md5(key, usedforsecurity=False).digest(), NO_OFFSET)

    def put_columns(self, columns: Columns, start_offset: int = 0) -> int:
        """Put all records from this offset on that have a key; answer how many were worked off before it was full."""
        data = memoryview(columns.data)
        for at, length in enumerate(columns.key_lengths):
            if length < 0 or columns.offsets[at] < start_offset:
                continue
            start, offset = columns.key_positions[at], columns.offsets[at]
            if start < 0 or start + length > len(data) or offset < 0:
                outside(at)
            if not self._put(md5(data[start : start + length], usedforsecurity=False).digest(), offset):
                return at
        return len(columns)

    def mask(self, columns: Columns, drop_tombstones: bool = False) -> bytearray:
        """Which records compaction keeps, for `retain`: those with a key of which no newer offset is known."""
        data = memoryview(columns.data)
        kept = bytearray(len(columns))
        for at, length in enumerate(columns.key_lengths):
            if length < 0 or (drop_tombstones and columns.value_lengths[at] < 0):
                continue
            start = columns.key_positions[at]
            if start < 0 or start + length > len(data):
                outside(at)
            newest = self._offsets.get(md5(data[start : start + length], usedforsecurity=False).digest(), NO_OFFSET)
            kept[at] = columns.offsets[at] >= newest
        return kept

    def clear(self) -> None:
        """Forget every key."""
        self._offsets.clear()

    def _put(self, digest: bytes, offset: int) -> bool:
        known = self._offsets.get(digest)
        if known is None:
            if len(self._offsets) >= self.capacity:
                return False
        elif known >= offset:
            return True
        self._offsets[digest] = offset
        return True


class BatchWalk:
    """Over the batches of a segment, window by window, as far as they are sound and in order.

    Sound is a batch whose header, length and checksum are right; in order is one that fits the segment: not below the
    offset that follows, and below that of the next segment. What an append would have given the indexes is collected
    in four columns (offsets are relative), the largest timestamp beside it. Most batches have nothing else to say:
    `told` are those of the last window with a producer, a new leader epoch or a gap before them, by their positions in
    it, and `told_after` are the offsets that would have followed there.
    """

    def __init__(
        self,
        base_offset: int,
        last_offset_max: int,
        end_offset: int,
        index_interval_bytes: int,
        *,
        next_offset: int,
        latest_epoch: int,
        max_timestamp: int,
        offset_of_max_timestamp: int,
        indexed_position: int,
        indexed_timestamp: int,
    ) -> None:
        """A walk that begins behind what these numbers say."""
        assert base_offset >= 0
        assert last_offset_max < INT64_MAX
        self.base_offset, self.last_offset_max, self.end_offset = base_offset, last_offset_max, end_offset
        self.index_interval_bytes = index_interval_bytes
        self.next_offset, self.latest_epoch = next_offset, latest_epoch
        self.max_timestamp, self.offset_of_max_timestamp = max_timestamp, offset_of_max_timestamp
        self.indexed_position, self.indexed_timestamp = indexed_position, indexed_timestamp
        self.offsets, self.positions = array("i"), array("i")
        self.timestamps, self.timestamp_offsets = array("q"), array("i")
        self.told, self.told_after = array("i"), array("q")

    def walk(self, window: Bytes, position: int) -> int:
        """Over the batches of a window that begins at this position; answers where the first one begins that stops it:
        one that is not sound, is out of order, or goes on behind the window.
        """
        view, at = memoryview(window), 0
        self.told, self.told_after = array("i"), array("q")
        assert 0 <= position <= INT32_MAX - len(view), f"a segment of {position + len(view)} bytes"
        while at + HEADER_SIZE <= len(view):
            head = HEAD.unpack_from(view, at)
            base_offset, length, epoch, magic, crc, last_offset_delta, max_timestamp, producer_id = head
            end, last_offset = at + LENGTH_END + length, base_offset + last_offset_delta
            if magic != MAGIC or not at + HEADER_SIZE <= end <= len(view) or crc32c(view[at + CRC_START : end]) != crc:
                break
            if not (self.base_offset <= base_offset < self.end_offset and self.next_offset <= base_offset):
                break
            if not base_offset <= last_offset <= self.last_offset_max:
                break
            if producer_id >= 0 or epoch != self.latest_epoch or base_offset != self.next_offset:
                self.told.append(at)
                self.told_after.append(self.next_offset)
            self.latest_epoch = max(epoch, self.latest_epoch)
            self.next_offset = last_offset + 1
            self._index(last_offset, max_timestamp, position + at)
            at = end
        return at

    def _index(self, last_offset: int, max_timestamp: int, position: int) -> None:
        """The largest timestamp, and the entry that a batch gets."""
        if max_timestamp > self.max_timestamp:
            self.max_timestamp, self.offset_of_max_timestamp = max_timestamp, last_offset
        if position - self.indexed_position <= self.index_interval_bytes:
            return
        self.indexed_position = position
        self.offsets.append(last_offset - self.base_offset)
        self.positions.append(position)
        if self.max_timestamp > self.indexed_timestamp:
            self.indexed_timestamp = self.max_timestamp
            self.timestamps.append(self.max_timestamp)
            self.timestamp_offsets.append(self.offset_of_max_timestamp - self.base_offset)


def _walk(data: bytes, count: int, base_timestamp: int, header_text: bool) -> Iterator[_Record]:
    """Every record of a section. What is not a record is refused, and so is anything behind the last one."""
    assert len(data) <= INT32_MAX, f"a section of {len(data)} bytes"
    if not 0 <= count * LEAST_RECORD_BYTES <= len(data):
        refuse(Fault.COUNT, 0, 0, 0, count, len(data))
    position = 0
    for at in range(count):
        record = _parse(data, position, at, base_timestamp, header_text)
        yield record
        position = record.end
    if position != len(data):
        refuse(Fault.REMAINING, count, 0, position, len(data) - position, 0)


def _parse(data: bytes, start: int, at: int, base_timestamp: int, header_text: bool) -> _Record:
    """One record, every number in it checked before it is used."""
    body, end = _length(data, start, len(data), at, LENGTH)
    end += body
    if body == end:
        refuse(Fault.CUT_OFF, at, Field.ATTRIBUTES, body, 0, 0)
    rest, delta = _varint(data, body + 1, end, at, TIMESTAMP_DELTA)
    timestamp = base_timestamp + delta
    if not INT64_MIN <= timestamp <= INT64_MAX:
        refuse(Fault.OVERFLOW, at, TIMESTAMP_DELTA, body + 1, delta, base_timestamp)
    position, offset_delta = _varint(data, rest, end, at, OFFSET_DELTA)
    if offset_delta < 0:
        refuse(Fault.NEGATIVE, at, OFFSET_DELTA, rest, offset_delta, 0)
    key_position, key_length = _length(data, position, end, at, KEY_LENGTH)
    position = key_position + key_length if key_length > 0 else key_position
    value_position, value_length = _length(data, position, end, at, VALUE_LENGTH)
    header_position = value_position + value_length if value_length > 0 else value_position
    position, header_count = _length(data, header_position, end, at, HEADER_COUNT)
    if header_count:
        position = _headers(data, position, end, at, header_count, header_text)
    if position != end:
        refuse(Fault.SIZE, at, 0, position, end - body, position - body)
    return _Record(
        start, body, rest, end, timestamp, offset_delta,
        key_position, key_length, value_position, value_length, header_position, header_count,
    )  # fmt: skip


def _headers(  # noqa: PLR0917  # all of them numbers of one record
    data: bytes, position: int, end: int, at: int, count: int, header_text: bool
) -> int:
    """Step over a record's headers."""
    for _ in range(count):
        position, length = _length(data, position, end, at, HEADER_KEY_LENGTH)
        if header_text and not _is_text(data[position : position + length]):
            refuse(Fault.TEXT, at, 0, position, 0, 0)
        position, length = _length(data, position + length, end, at, HEADER_VALUE_LENGTH)
        position += max(length, 0)
    return position


def _length(data: bytes, position: int, end: int, at: int, field: int) -> tuple[int, int]:
    """A length or count: the position behind it, and its value, which the rest of the record has room for."""
    if position < end and not (byte := data[position]) & 0x81 and byte >> 1 < end - position:
        return position + 1, byte >> 1  # one byte, not negative, as nearly always
    start, value = _varint(data, position, end, at, field)
    if value < LEAST[field]:
        refuse(Fault.NEGATIVE, at, field, position, value, 0)
    if value > end - start:
        refuse(Fault.EXCEEDS, at, field, position, value, end - start)
    return start, value


def _varint(data: bytes, position: int, end: int, at: int, field: int) -> tuple[int, int]:
    """A signed varint of 32 bits, or of 64 for the timestamp delta: the position behind it, and its value."""
    if position < end and (byte := data[position]) < 0x80:
        return position + 1, byte >> 1 ^ -(byte & 1)
    bits = 64 if field == TIMESTAMP_DELTA else 32
    start, value, shift = position, 0, 0
    while True:
        if position == end:
            refuse(Fault.CUT_OFF, at, field, start, 0, 0)
        byte = data[position]
        position += 1
        if shift + 7 > bits and byte >> (bits - shift):
            refuse(Fault.OVERLONG, at, field, start, 0, bits)
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return position, value >> 1 ^ -(value & 1)
        shift += 7


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def encode_varint(value: int) -> bytes:
    """A signed varint of up to 64 bits, the shortest way."""
    if 0 <= value < 0x40:
        return _ONE_BYTE[value]
    value = value << 1 ^ value >> 63
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_ONE_BYTE = [bytes((value << 1,)) for value in range(0x40)]


def _piece(data: bytes, position: int, length: int, at: int) -> bytes:
    if length < 0 or position < 0 or position + length > len(data):
        outside(at)
    return data[position : position + length]


def _field(data: bytes, position: int, length: int, at: int) -> bytes:
    """A key or value behind its length."""
    return b"\x01" if length == -1 else encode_varint(length) + _piece(data, position, length, at)
