# Writing sections: a part of compiled.pyx, which includes this file; it is no module of its own.
#
# `build` measures first, then writes into bytes of that size, and measures each record again while it writes, so that
# columns which another thread changes meanwhile cannot make it write elsewhere. `retain` writes as it reads.

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
