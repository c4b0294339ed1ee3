# Reading one record: a part of compiled.pyx, which includes this file; it is no module of its own.
#
# A byte is read only after its position was compared with the end of its record, and that with the end of the section.
# Sums of untrusted numbers are made in 64 bits from 32-bit parts, or are checked first. What is wrong is written down
# in a Fault; the functions answer -1 then. Only `fail` makes a Python error of it, with the sentences of faults.py.

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

cdef inline int note(Fault* fault, int kind, int64_t index, int field, int64_t position, int64_t value,
                     int64_t limit) noexcept nogil:
    fault.kind, fault.index, fault.field = kind, index, field
    fault.position, fault.value, fault.limit = position, value, limit
    return -1


cdef int long_varint(const uint8_t* data, Py_ssize_t* at, Py_ssize_t end, int bits, int64_t index, int field,
                     int64_t* out, Fault* fault) noexcept nogil:
    """A signed varint of at most this many bits, however many bytes it takes; `at` moves behind it."""
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


cdef inline int varint(const uint8_t* data, Py_ssize_t* at, Py_ssize_t end, int bits, int64_t index, int field,
                       int64_t* out, Fault* fault) noexcept nogil:
    """The same; one byte or two, as nearly always, are read here, without a call and a loop: a third of a walk."""
    cdef Py_ssize_t start = at[0]
    cdef uint32_t value
    if start < end and data[start] < 0x80:
        value = data[start]
        at[0] = start + 1
    elif start + 1 < end and data[start + 1] < 0x80:
        value = (data[start] & 0x7F) | <uint32_t>data[start + 1] << 7
        at[0] = start + 2
    else:
        return long_varint(data, at, end, bits, index, field, out, fault)
    out[0] = <int64_t>(value >> 1) ^ -<int64_t>(value & 1)
    return 0


cdef inline int length(const uint8_t* data, Py_ssize_t* at, Py_ssize_t end, int64_t index, int field, int least,
                       int32_t* out, Fault* fault) noexcept nogil:
    """A length or count that the rest of the record has room for; `at` moves behind it."""
    cdef Py_ssize_t start = at[0]
    cdef int64_t value
    if varint(data, at, end, 32, index, field, &value, fault):
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


cdef int check_sizes(Py_ssize_t size, int64_t count, Fault* fault) noexcept nogil:
    if count < 0 or count > size // 7:  # faults.LEAST_RECORD_BYTES
        return note(fault, COUNT, 0, 0, 0, count, size)
    return 0


cdef int check_end(Py_ssize_t size, Py_ssize_t at, int64_t count, Fault* fault) noexcept nogil:
    if at != size:
        return note(fault, REMAINING, count, 0, at, size - at, 0)
    return 0


cdef int fail(Fault* fault) except -1:
    """Make a Python error of a fault."""
    if fault.kind == OUTSIDE:
        outside(fault.index)
    refuse(fault.kind, fault.index, fault.field, fault.position, fault.value, fault.limit)
    return -1


cdef as_bytes(data):
    """A flat view, whatever the format of the buffer was."""
    return memoryview(data).cast("B")


cdef inline const uint8_t* first_byte(const uint8_t[::1] data) noexcept:
    return &data[0] if data.shape[0] > 0 else <const uint8_t*>NULL
