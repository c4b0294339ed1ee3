# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel, compiled: the loops that look at every record or batch, in C, with the GIL released where that pays.

The twin of `pure.py`: the same signatures, bytes and errors, about a hundred times as fast (40 million records of 100 B
a second). The loops work on pointers and plain numbers. Their parts are in the files that are included below: one
module, since a loop calls the reading of a record a million times.

The GIL is kept for sections below 64 KiB (20 µs of work), since a thread that gives it up beside a busy one may get it
back 5 ms later. Nothing is needed at run time but this module.
"""

from cpython cimport array
from cpython.buffer cimport PyBUF_READ, PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.limits cimport INT_MAX
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from array import array as new_array

from ottla.protocol.checksum import crc32c
from ottla.protocol.records.columns import Columns
from ottla.protocol.records.kernel.faults import Retained, Reason, Rejected, Validated, map_room, outside, refuse

cdef Py_ssize_t NOGIL_BYTES = 1 << 16
cdef array.array INT64S = new_array("q")
cdef array.array INT32S = new_array("i")
cdef object NO_KEY = Reason.NO_KEY
cdef object TIMESTAMP = Reason.TIMESTAMP

include "reading.pyx"
include "writing.pyx"
include "offset_map.pyx"
include "batches.pyx"


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


cdef inline int broken_rule(Record* record, Rules* rules) noexcept nogil:
    """The number of the faults.Reason why the topic's rules reject a record, or 0."""
    if rules.keys_required and record.key_length < 0:
        return 1
    if record.timestamp != -1 and (record.timestamp < rules.earliest or record.timestamp > rules.latest):
        return 2
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


def rises(numbers, *, bint strictly=True):
    """Whether each number of an array is above the one before it; or at least not below it."""
    cdef const int64_t[::1] wide
    cdef const int32_t[::1] narrow
    cdef Py_ssize_t at
    if numbers.typecode == "q":
        wide = numbers
        for at in range(1, wide.shape[0]):
            if wide[at] < wide[at - 1] or (strictly and wide[at] == wide[at - 1]):
                return False
    else:
        narrow = numbers
        for at in range(1, narrow.shape[0]):
            if narrow[at] < narrow[at - 1] or (strictly and narrow[at] == narrow[at - 1]):
                return False
    return True
