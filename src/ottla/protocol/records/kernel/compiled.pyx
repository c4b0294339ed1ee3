# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel, compiled: the loops that look at every record, in C, with the GIL released where that pays.

The twin of `pure.py`: the same signatures, bytes and errors, 25 to 40 times as fast. The loops work on pointers and
plain numbers; what they find wrong they write down in a `Fault`, and only then is a Python object made of it, by
`faults.refuse`, which the twin uses too. Nothing at run time but this file's C.

Always true: a byte is read only after its position was compared with the end of its record, and that with the end of
the section; sums of untrusted numbers are made in 64 bits from 32-bit parts, or checked first. The GIL is kept for
sections below 64 KiB (20 µs), since a thread that gives it up beside a busy one gets it back 5 ms later.
"""

from cpython cimport array
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.limits cimport INT_MAX
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from array import array as new_array

from ottla.protocol.records.columns import Columns
from ottla.protocol.records.kernel.faults import Retained, Reason, Rejected, Validated, map_room, outside, refuse

cdef Py_ssize_t NOGIL_BYTES = 1 << 16
cdef array.array INT64S = new_array("q")
cdef array.array INT32S = new_array("i")
cdef object NO_KEY = Reason.NO_KEY
cdef object TIMESTAMP = Reason.TIMESTAMP

cdef enum:  # faults.Fault
    COUNT = 1
    REMAINING = 2
    CUT_OFF = 3
    OVERLONG = 4
    NEGATIVE = 5
    EXCEEDS = 6
    SIZE = 7
    OFFSET_DELTA = 8
    OVERFLOW = 9
    TEXT = 10
    OUTSIDE = 11  # columns that do not fit: our own fault, see faults.outside

cdef enum:  # faults.Field
    F_LENGTH = 0
    F_ATTRIBUTES = 1
    F_TIMESTAMP_DELTA = 2
    F_OFFSET_DELTA = 3
    F_KEY_LENGTH = 4
    F_VALUE_LENGTH = 5
    F_HEADER_COUNT = 6
    F_HEADER_KEY_LENGTH = 7
    F_HEADER_VALUE_LENGTH = 8

cdef struct Fault:
    int kind
    int field
    int64_t index
    int64_t position
    int64_t value
    int64_t limit

cdef struct Record:  # pure._Record
    Py_ssize_t start
    Py_ssize_t body
    Py_ssize_t rest
    Py_ssize_t end
    int64_t timestamp
    int32_t offset_delta
    int32_t key_position
    int32_t key_length
    int32_t value_position
    int32_t value_length
    int32_t header_position
    int32_t header_count

cdef struct Summary:
    int64_t max_timestamp
    int64_t max_index
    int64_t min_timestamp
    int64_t rejected

cdef struct Rules:
    int64_t base_timestamp
    int64_t earliest
    int64_t latest
    bint keys_required
    bint header_text


# ---- reading one record -------------------------------------------------------------------------------------------

cdef inline int note(Fault* fault, int kind, int64_t index, int field, int64_t position, int64_t value,
                     int64_t limit) noexcept nogil:
    fault.kind, fault.index, fault.field = kind, index, field
    fault.position, fault.value, fault.limit = position, value, limit
    return -1


cdef int varint(const uint8_t* data, Py_ssize_t* at, Py_ssize_t end, int bits, int64_t index, int field,
                int64_t* out, Fault* fault) noexcept nogil:
    """A signed varint of at most this many bits; `at` moves behind it."""
    cdef Py_ssize_t start = at[0], position = at[0]
    cdef uint64_t value = 0
    cdef uint8_t byte
    cdef int shift = 0
    while True:
        if position == end:
            return note(fault, CUT_OFF, index, field, start, 0, 0)
        byte = data[position]
        position += 1
        if shift + 7 > bits and byte >> (bits - shift):
            return note(fault, OVERLONG, index, field, start, 0, bits)
        value |= <uint64_t>(byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    at[0] = position
    out[0] = <int64_t>(value >> 1) ^ -<int64_t>(value & 1)
    return 0


cdef inline int length(const uint8_t* data, Py_ssize_t* at, Py_ssize_t end, int64_t index, int field, int least,
                       int32_t* out, Fault* fault) noexcept nogil:
    """A length or count that the rest of the record has room for; `at` moves behind it."""
    cdef Py_ssize_t start = at[0]
    cdef int64_t value
    if start < end and data[start] < 0x80:  # one byte, as nearly always
        value = <int64_t>(data[start] >> 1) ^ -<int64_t>(data[start] & 1)
        at[0] = start + 1
    elif varint(data, at, end, 32, index, field, &value, fault):
        return -1
    if value < least:
        return note(fault, NEGATIVE, index, field, start, value, 0)
    if value > end - at[0]:
        return note(fault, EXCEEDS, index, field, start, value, end - at[0])
    out[0] = <int32_t>value
    return 0


cdef int parse(const uint8_t* data, Py_ssize_t size, Py_ssize_t start, int64_t index, int64_t base_timestamp,
               bint header_text, Record* record, Fault* fault) noexcept nogil:
    """One record, every number in it checked before it is used."""
    cdef Py_ssize_t at = start, end
    cdef int64_t delta
    cdef int32_t number = 0
    if length(data, &at, size, index, F_LENGTH, 0, &number, fault):
        return -1
    end = at + number
    record.start, record.body, record.end = start, at, end
    if at == end:
        return note(fault, CUT_OFF, index, F_ATTRIBUTES, at, 0, 0)
    at += 1
    if varint(data, &at, end, 64, index, F_TIMESTAMP_DELTA, &delta, fault):
        return -1
    if overflows(base_timestamp, delta):
        return note(fault, OVERFLOW, index, F_TIMESTAMP_DELTA, record.body + 1, delta, base_timestamp)
    record.timestamp = base_timestamp + delta
    record.rest = at
    if varint(data, &at, end, 32, index, F_OFFSET_DELTA, &delta, fault):
        return -1
    if delta < 0:
        return note(fault, NEGATIVE, index, F_OFFSET_DELTA, record.rest, delta, 0)
    record.offset_delta = <int32_t>delta
    if length(data, &at, end, index, F_KEY_LENGTH, -1, &record.key_length, fault):
        return -1
    record.key_position = <int32_t>at
    at += record.key_length if record.key_length > 0 else 0
    if length(data, &at, end, index, F_VALUE_LENGTH, -1, &record.value_length, fault):
        return -1
    record.value_position = <int32_t>at
    at += record.value_length if record.value_length > 0 else 0
    record.header_position = <int32_t>at
    if length(data, &at, end, index, F_HEADER_COUNT, 0, &record.header_count, fault):
        return -1
    if record.header_count and headers(data, &at, end, index, record.header_count, header_text, fault):
        return -1
    if at != end:
        return note(fault, SIZE, index, 0, at, end - record.body, at - record.body)
    return 0


cdef int headers(const uint8_t* data, Py_ssize_t* at, Py_ssize_t end, int64_t index, int32_t count, bint text,
                 Fault* fault) noexcept nogil:
    """Step over a record's headers."""
    cdef int32_t number = 0, i
    for i in range(count):
        if length(data, at, end, index, F_HEADER_KEY_LENGTH, 0, &number, fault):
            return -1
        if text and not is_text(data + at[0], number):
            return note(fault, TEXT, index, 0, at[0], 0, 0)
        at[0] += number
        if length(data, at, end, index, F_HEADER_VALUE_LENGTH, -1, &number, fault):
            return -1
        at[0] += number if number > 0 else 0
    return 0


cdef inline bint overflows(int64_t a, int64_t b) noexcept nogil:
    return (b > 0 and a > INT64_MAX - b) or (b < 0 and a < INT64_MIN - b)


cdef bint is_text(const uint8_t* data, Py_ssize_t size) noexcept nogil:
    """UTF-8 as Python's strict decoder takes it: shortest forms only, no surrogates, nothing above U+10FFFF."""
    cdef Py_ssize_t at = 0
    cdef int more
    cdef uint32_t code, least
    while at < size:
        code = data[at]
        at += 1
        if code < 0x80:
            continue
        if 0xC2 <= code < 0xE0:
            more, least, code = 1, 0x80, code & 0x1F
        elif 0xE0 <= code < 0xF0:
            more, least, code = 2, 0x800, code & 0x0F
        elif 0xF0 <= code < 0xF5:
            more, least, code = 3, 0x10000, code & 0x07
        else:
            return False
        if size - at < more:
            return False
        while more:
            if data[at] & 0xC0 != 0x80:
                return False
            code = code << 6 | (data[at] & 0x3F)
            at += 1
            more -= 1
        if code < least or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            return False
    return True


# ---- validate -----------------------------------------------------------------------------------------------------

cdef inline int broken_rule(Record* record, Rules* rules) noexcept nogil:
    """The number of the faults.Reason why the topic's rules reject a record, or 0."""
    if rules.keys_required and record.key_length < 0:
        return 1
    if record.timestamp != -1 and (record.timestamp < rules.earliest or record.timestamp > rules.latest):
        return 2
    return 0


cdef int check_sizes(Py_ssize_t size, int64_t count, Fault* fault) noexcept nogil:
    if count < 0 or count > size // 7:  # faults.LEAST_RECORD_BYTES
        return note(fault, COUNT, 0, 0, 0, count, size)
    return 0


cdef int check_end(Py_ssize_t size, Py_ssize_t at, int64_t count, Fault* fault) noexcept nogil:
    if at != size:
        return note(fault, REMAINING, count, 0, at, size - at, 0)
    return 0


cdef int validate_loop(const uint8_t* data, Py_ssize_t size, int64_t count, Rules* rules, Summary* summary,
                       Fault* fault) noexcept nogil:
    cdef Record record
    cdef Py_ssize_t at = 0
    cdef int64_t i
    summary.max_timestamp, summary.max_index, summary.min_timestamp, summary.rejected = -1, 0, -1, 0
    if check_sizes(size, count, fault):
        return -1
    for i in range(count):
        if parse(data, size, at, i, rules.base_timestamp, rules.header_text, &record, fault):
            return -1
        at = record.end
        if record.offset_delta != i:
            return note(fault, OFFSET_DELTA, i, F_OFFSET_DELTA, record.rest, record.offset_delta, i)
        if i == 0:
            summary.max_timestamp = summary.min_timestamp = record.timestamp
        elif record.timestamp > summary.max_timestamp:
            summary.max_timestamp, summary.max_index = record.timestamp, i
        elif record.timestamp < summary.min_timestamp:
            summary.min_timestamp = record.timestamp
        summary.rejected += broken_rule(&record, rules) != 0
    return check_end(size, at, count, fault)


cdef tuple rejected_records(const uint8_t* data, Py_ssize_t size, int64_t count, Rules* rules):
    """The second walk, over a batch that has something to reject."""
    cdef Record record
    cdef Fault fault
    cdef Py_ssize_t at = 0
    cdef int64_t i
    cdef list found = []
    for i in range(count):
        if parse(data, size, at, i, rules.base_timestamp, rules.header_text, &record, &fault):
            fail(&fault)
        at = record.end
        if broken_rule(&record, rules):
            found.append(Rejected(i, NO_KEY if broken_rule(&record, rules) == 1 else TIMESTAMP, record.timestamp))
    return tuple(found)


def validate(section, int64_t count, int64_t base_timestamp, *, int64_t earliest=INT64_MIN, int64_t latest=INT64_MAX,
             bint keys_required=False, bint header_text=False):
    """Walk over produced records as Kafka's validator does, and find their timestamps' range."""
    cdef Py_buffer view
    cdef Fault fault
    cdef Summary summary
    cdef Rules rules = Rules(base_timestamp, earliest, latest, keys_required, header_text)
    cdef int failed
    cdef tuple rejected = ()
    PyObject_GetBuffer(section, &view, PyBUF_SIMPLE)
    try:
        assert view.len <= INT_MAX, f"a section of {view.len} bytes"
        if view.len < NOGIL_BYTES:
            failed = validate_loop(<const uint8_t*>view.buf, view.len, count, &rules, &summary, &fault)
        else:
            with nogil:
                failed = validate_loop(<const uint8_t*>view.buf, view.len, count, &rules, &summary, &fault)
        if failed:
            fail(&fault)
        if summary.rejected:
            rejected = rejected_records(<const uint8_t*>view.buf, view.len, count, &rules)
    finally:
        PyBuffer_Release(&view)
    return Validated(summary.max_timestamp, summary.max_index, summary.min_timestamp, rejected)


cdef int fail(Fault* fault) except -1:
    """Make a Python error of a fault."""
    if fault.kind == OUTSIDE:
        outside(fault.index)
    refuse(fault.kind, fault.index, fault.field, fault.position, fault.value, fault.limit)
    return -1


# ---- index --------------------------------------------------------------------------------------------------------

cdef struct Arrays:
    int64_t* offsets
    int64_t* timestamps
    int32_t* key_positions
    int32_t* key_lengths
    int32_t* value_positions
    int32_t* value_lengths
    int32_t* header_positions
    int32_t* header_lengths
    int32_t* header_counts


cdef int index_loop(const uint8_t* data, Py_ssize_t size, int64_t count, int64_t base_offset, int64_t base_timestamp,
                    Arrays* out, Fault* fault) noexcept nogil:
    cdef Record record
    cdef Py_ssize_t at = 0
    cdef int64_t i
    for i in range(count):
        if parse(data, size, at, i, base_timestamp, False, &record, fault):
            return -1
        at = record.end
        if overflows(base_offset, record.offset_delta):
            return note(fault, OVERFLOW, i, F_OFFSET_DELTA, record.rest, record.offset_delta, base_offset)
        out.offsets[i] = base_offset + record.offset_delta
        out.timestamps[i] = record.timestamp
        out.key_positions[i] = record.key_position
        out.key_lengths[i] = record.key_length
        out.value_positions[i] = record.value_position
        out.value_lengths[i] = record.value_length
        out.header_positions[i] = record.header_position
        out.header_lengths[i] = <int32_t>(record.end - record.header_position)
        out.header_counts[i] = record.header_count
    return check_end(size, at, count, fault)


def index(section, int64_t count, int64_t base_offset, int64_t base_timestamp):
    """Find every part of every record."""
    cdef Py_buffer view
    cdef Fault fault
    cdef Arrays out
    cdef int failed
    cdef array.array offsets, timestamps, key_positions, key_lengths, value_positions, value_lengths
    cdef array.array header_positions, header_lengths, header_counts
    PyObject_GetBuffer(section, &view, PyBUF_SIMPLE)
    try:
        assert view.len <= INT_MAX, f"a section of {view.len} bytes"
        if check_sizes(view.len, count, &fault):
            fail(&fault)
        offsets, timestamps = array.clone(INT64S, count, False), array.clone(INT64S, count, False)
        key_positions, key_lengths = array.clone(INT32S, count, False), array.clone(INT32S, count, False)
        value_positions, value_lengths = array.clone(INT32S, count, False), array.clone(INT32S, count, False)
        header_positions, header_lengths = array.clone(INT32S, count, False), array.clone(INT32S, count, False)
        header_counts = array.clone(INT32S, count, False)
        out = Arrays(
            <int64_t*>offsets.data.as_voidptr, <int64_t*>timestamps.data.as_voidptr,
            <int32_t*>key_positions.data.as_voidptr, <int32_t*>key_lengths.data.as_voidptr,
            <int32_t*>value_positions.data.as_voidptr, <int32_t*>value_lengths.data.as_voidptr,
            <int32_t*>header_positions.data.as_voidptr, <int32_t*>header_lengths.data.as_voidptr,
            <int32_t*>header_counts.data.as_voidptr,
        )
        if view.len < NOGIL_BYTES:
            failed = index_loop(<const uint8_t*>view.buf, view.len, count, base_offset, base_timestamp, &out, &fault)
        else:
            with nogil:
                failed = index_loop(
                    <const uint8_t*>view.buf, view.len, count, base_offset, base_timestamp, &out, &fault)
        if failed:
            fail(&fault)
    finally:
        PyBuffer_Release(&view)
    return Columns(section, offsets, timestamps, key_positions, key_lengths, value_positions, value_lengths,
                   header_positions, header_lengths, header_counts)


# ---- build and retain ---------------------------------------------------------------------------------------------

cdef inline uint64_t zigzag(int64_t value) noexcept nogil:
    return (<uint64_t>value << 1) ^ <uint64_t>(value >> 63)


cdef inline int encoded_size(int64_t value) noexcept nogil:
    cdef uint64_t rest = zigzag(value) >> 7
    cdef int size = 1
    while rest:
        rest >>= 7
        size += 1
    return size


cdef inline Py_ssize_t encode(int64_t value, uint8_t* out, Py_ssize_t at) noexcept nogil:
    """Write a signed varint the shortest way; answer the position behind it."""
    cdef uint64_t rest = zigzag(value)
    while rest >= 0x80:
        out[at] = <uint8_t>(rest & 0x7F | 0x80)
        at += 1
        rest >>= 7
    out[at] = <uint8_t>rest
    return at + 1


cdef inline Py_ssize_t write(const uint8_t* data, Py_ssize_t position, Py_ssize_t size, uint8_t* out,
                             Py_ssize_t at) noexcept nogil:
    if size > 0:
        memcpy(out + at, data + position, size)
        at += size
    return at


cdef inline bint fits(Py_ssize_t size, int64_t position, int64_t length, int64_t least) noexcept nogil:
    return length == -1 and least == -1 or (length >= 0 and position >= 0 and position + length <= size)


cdef struct Source:  # columns, read only
    const uint8_t* data
    Py_ssize_t size
    const int64_t* offsets
    const int64_t* timestamps
    const int32_t* key_positions
    const int32_t* key_lengths
    const int32_t* value_positions
    const int32_t* value_lengths
    const int32_t* header_positions
    const int32_t* header_lengths
    int64_t base_offset
    int64_t base_timestamp


cdef int64_t body_size(Source* source, Py_ssize_t i, Fault* fault) noexcept nogil:
    """How long a record is behind its length, or -1 where its columns do not fit."""
    cdef int64_t key = source.key_lengths[i], value = source.value_lengths[i], block = source.header_lengths[i]
    cdef int64_t offset = source.offsets[i], timestamp = source.timestamps[i], total
    if (overflows_minus(offset, source.base_offset) or overflows_minus(timestamp, source.base_timestamp)
            or not 0 <= offset - source.base_offset <= INT_MAX
            or not fits(source.size, source.key_positions[i], key, -1)
            or not fits(source.size, source.value_positions[i], value, -1)
            or (block and not fits(source.size, source.header_positions[i], block, 0))):
        return note(fault, OUTSIDE, i, 0, 0, 0, 0)
    total = (1 + encoded_size(timestamp - source.base_timestamp) + encoded_size(offset - source.base_offset)
             + encoded_size(key) + (key if key > 0 else 0) + encoded_size(value) + (value if value > 0 else 0)
             + (block if block else 1))
    if total > INT_MAX:
        return note(fault, OUTSIDE, i, 0, 0, 0, 0)
    return total


cdef inline bint overflows_minus(int64_t a, int64_t b) noexcept nogil:
    return (b < 0 and a > INT64_MAX + b) or (b > 0 and a < INT64_MIN + b)


cdef int64_t built_size(Source* source, Py_ssize_t count, Fault* fault) noexcept nogil:
    cdef int64_t total = 0, body
    cdef Py_ssize_t i
    for i in range(count):
        body = body_size(source, i, fault)
        if body < 0:
            return -1
        total += encoded_size(body) + body
    return total


cdef int build_loop(Source* source, Py_ssize_t count, uint8_t* out, int64_t room, Fault* fault) noexcept nogil:
    cdef Py_ssize_t i, at = 0
    cdef int64_t body
    for i in range(count):
        body = body_size(source, i, fault)  # again, so that nothing is trusted that may have changed since
        if body < 0:
            return -1
        if encoded_size(body) + body > room - at:
            return note(fault, OUTSIDE, i, 0, 0, 0, 0)
        at = encode(body, out, at)
        out[at] = 0
        at = encode(source.timestamps[i] - source.base_timestamp, out, at + 1)
        at = encode(source.offsets[i] - source.base_offset, out, at)
        at = encode(source.key_lengths[i], out, at)
        at = write(source.data, source.key_positions[i], source.key_lengths[i], out, at)
        at = encode(source.value_lengths[i], out, at)
        at = write(source.data, source.value_positions[i], source.value_lengths[i], out, at)
        if source.header_lengths[i]:
            at = write(source.data, source.header_positions[i], source.header_lengths[i], out, at)
        else:
            out[at] = 0
            at += 1
    return 0


def build(columns, int64_t base_offset, int64_t base_timestamp):
    """The section that holds these records, each written the shortest way."""
    cdef const uint8_t[::1] data = as_bytes(columns.data)
    cdef const int64_t[::1] offsets = columns.offsets, timestamps = columns.timestamps
    cdef const int32_t[::1] key_positions = columns.key_positions, key_lengths = columns.key_lengths
    cdef const int32_t[::1] value_positions = columns.value_positions, value_lengths = columns.value_lengths
    cdef const int32_t[::1] header_positions = columns.header_positions, header_lengths = columns.header_lengths
    cdef Py_ssize_t count = offsets.shape[0]
    cdef Fault fault
    cdef int64_t size
    cdef int failed
    cdef Source source
    cdef uint8_t* out
    cdef bytes section
    assert (timestamps.shape[0] == key_positions.shape[0] == key_lengths.shape[0] == value_positions.shape[0]
            == value_lengths.shape[0] == header_positions.shape[0] == header_lengths.shape[0] == count)
    if count == 0:
        return b""
    source = Source(
        first_byte(data), data.shape[0], &offsets[0], &timestamps[0], &key_positions[0],
        &key_lengths[0], &value_positions[0], &value_lengths[0], &header_positions[0], &header_lengths[0],
        base_offset, base_timestamp,
    )
    size = built_size(&source, count, &fault)
    if size < 0:
        fail(&fault)
    section = PyBytes_FromStringAndSize(NULL, size)
    out = <uint8_t*>PyBytes_AS_STRING(section)
    if size < NOGIL_BYTES:
        failed = build_loop(&source, count, out, size, &fault)
    else:
        with nogil:
            failed = build_loop(&source, count, out, size, &fault)
    if failed:
        fail(&fault)
    return section


cdef as_bytes(data):
    """A flat view, whatever the format of the buffer was."""
    return memoryview(data).cast("B")


cdef inline const uint8_t* first_byte(const uint8_t[::1] data) noexcept:
    return &data[0] if data.shape[0] > 0 else <const uint8_t*>NULL


cdef Py_ssize_t retain_loop(const uint8_t* data, Py_ssize_t size, int64_t count, const uint8_t* mask,
                            int64_t base_timestamp, int64_t new_base_timestamp, uint8_t* out, Summary* kept,
                            Fault* fault) noexcept nogil:
    """The size of the new section. `out` has 14 bytes a record more than the old one: a delta's and a length's most."""
    cdef Record record
    cdef Py_ssize_t at = 0, to = 0
    cdef int64_t i, delta
    kept.max_timestamp, kept.max_index = -1, 0
    for i in range(count):
        if parse(data, size, at, i, base_timestamp, False, &record, fault):
            return -1
        at = record.end
        if not mask[i]:
            continue
        if kept.max_index == 0 or record.timestamp > kept.max_timestamp:
            kept.max_timestamp = record.timestamp
        kept.max_index += 1
        if base_timestamp == new_base_timestamp:
            to = write(data, record.start, record.end - record.start, out, to)
            continue
        if overflows_minus(record.timestamp, new_base_timestamp):
            return note(fault, OVERFLOW, i, F_TIMESTAMP_DELTA, record.body + 1, record.timestamp, new_base_timestamp)
        delta = record.timestamp - new_base_timestamp
        to = encode(1 + encoded_size(delta) + record.end - record.rest, out, to)
        out[to] = data[record.body]
        to = encode(delta, out, to + 1)
        to = write(data, record.rest, record.end - record.rest, out, to)
    return to if not check_end(size, at, count, fault) else -1


def retain(section, int64_t count, mask, int64_t base_timestamp, int64_t new_base_timestamp):
    """The records whose byte in the mask is not 0, with their offset deltas and timestamps."""
    cdef Py_buffer view
    cdef const uint8_t[::1] bits = as_bytes(mask)
    cdef const uint8_t* first_bit = first_byte(bits)
    cdef Fault fault
    cdef Summary kept
    cdef Py_ssize_t size
    cdef bytes result
    cdef uint8_t* out
    PyObject_GetBuffer(section, &view, PyBUF_SIMPLE)
    try:
        assert bits.shape[0] == count or count < 0, f"a mask of {bits.shape[0]} for {count} records"
        assert view.len <= INT_MAX, f"a section of {view.len} bytes"
        if check_sizes(view.len, count, &fault):
            fail(&fault)
        result = PyBytes_FromStringAndSize(NULL, view.len + (0 if base_timestamp == new_base_timestamp else 14 * count))
        out = <uint8_t*>PyBytes_AS_STRING(result)
        if view.len < NOGIL_BYTES:
            size = retain_loop(<const uint8_t*>view.buf, view.len, count, first_bit, base_timestamp,
                               new_base_timestamp, out, &kept, &fault)
        else:
            with nogil:
                size = retain_loop(<const uint8_t*>view.buf, view.len, count, first_bit, base_timestamp,
                                   new_base_timestamp, out, &kept, &fault)
        if size < 0:
            fail(&fault)
    finally:
        PyBuffer_Release(&view)
    return Retained(result[:size], kept.max_index, kept.max_timestamp)


include "offset_map.pxi"
