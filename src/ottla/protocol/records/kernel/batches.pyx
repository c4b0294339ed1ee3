# Walking over batches: a part of compiled.pyx, which includes this file; it is no module of its own.
#
# A header is read only where all its 61 bytes lie in the window, and its numbers are compared before they are added:
# base offset and length are outside of the checksum, and may be anything. The checksum stays crc32c's, one call a batch
# (0.1 µs), since the instruction alone, in one stream, is a third as fast; crc32c gives the GIL up for large batches.

cdef inline uint64_t big_endian(const uint8_t* data, int size) noexcept nogil:
    cdef uint64_t value = 0
    cdef int i
    for i in range(size):
        value = value << 8 | data[i]
    return value


cdef inline int append_int32(array.array numbers, int64_t value) except -1:
    array.resize_smart(numbers, len(numbers) + 1)
    numbers.data.as_ints[len(numbers) - 1] = <int32_t>value
    return 0


cdef inline int append_int64(array.array numbers, int64_t value) except -1:
    array.resize_smart(numbers, len(numbers) + 1)
    (<int64_t*>numbers.data.as_voidptr)[len(numbers) - 1] = value
    return 0


cdef class BatchWalk:
    """Over the batches of a segment, window by window, as far as they are sound and in order."""

    cdef readonly int64_t base_offset, last_offset_max, end_offset, index_interval_bytes
    cdef readonly int64_t next_offset, max_timestamp, offset_of_max_timestamp, indexed_position, indexed_timestamp
    cdef readonly int32_t latest_epoch
    cdef readonly array.array offsets, positions, timestamps, timestamp_offsets, told, told_after

    def __init__(self, int64_t base_offset, int64_t last_offset_max, int64_t end_offset, int64_t index_interval_bytes,
                 *, int64_t next_offset, int32_t latest_epoch, int64_t max_timestamp, int64_t offset_of_max_timestamp,
                 int64_t indexed_position, int64_t indexed_timestamp):
        assert base_offset >= 0
        assert last_offset_max < INT64_MAX
        self.base_offset, self.last_offset_max, self.end_offset = base_offset, last_offset_max, end_offset
        self.index_interval_bytes = index_interval_bytes
        self.next_offset, self.latest_epoch = next_offset, latest_epoch
        self.max_timestamp, self.offset_of_max_timestamp = max_timestamp, offset_of_max_timestamp
        self.indexed_position, self.indexed_timestamp = indexed_position, indexed_timestamp
        self.offsets, self.positions = array.clone(INT32S, 0, False), array.clone(INT32S, 0, False)
        self.timestamps, self.timestamp_offsets = array.clone(INT64S, 0, False), array.clone(INT32S, 0, False)
        self.told, self.told_after = array.clone(INT32S, 0, False), array.clone(INT64S, 0, False)

    cdef bint fits(self, int64_t base_offset, int64_t last_offset_delta) noexcept nogil:
        return (base_offset >= self.next_offset and base_offset >= self.base_offset and base_offset < self.end_offset
                and last_offset_delta >= 0 and base_offset <= self.last_offset_max - last_offset_delta)

    cdef int learn(self, const uint8_t* header, int64_t at, int64_t position, int64_t base_offset,
                   int64_t last_offset) except -1:
        """What a batch that fits says: who is to be told, the largest timestamp, an entry of the indexes."""
        cdef int32_t epoch = <int32_t>big_endian(header + 12, 4)
        cdef int64_t timestamp = <int64_t>big_endian(header + 35, 8)
        if epoch != self.latest_epoch or base_offset != self.next_offset or not header[43] & 0x80:
            append_int32(self.told, at)
            append_int64(self.told_after, self.next_offset)
            self.latest_epoch = max(self.latest_epoch, epoch)
        self.next_offset = last_offset + 1
        if timestamp > self.max_timestamp:
            self.max_timestamp, self.offset_of_max_timestamp = timestamp, last_offset
        if position - self.indexed_position > self.index_interval_bytes:
            self.indexed_position = position
            append_int32(self.offsets, last_offset - self.base_offset)
            append_int32(self.positions, position)
            if self.max_timestamp > self.indexed_timestamp:
                self.indexed_timestamp = self.max_timestamp
                append_int64(self.timestamps, self.max_timestamp)
                append_int32(self.timestamp_offsets, self.offset_of_max_timestamp - self.base_offset)
        return 0

    def walk(self, window, int64_t position):
        """Over the batches of a window that begins at this position; answers where in it the first one is that stops."""
        cdef Py_buffer view
        cdef Py_ssize_t at = 0
        cdef int64_t size, base_offset, last_offset_delta
        cdef const uint8_t* header
        self.told, self.told_after = array.clone(INT32S, 0, False), array.clone(INT64S, 0, False)
        PyObject_GetBuffer(window, &view, PyBUF_SIMPLE)
        try:
            assert 0 <= position <= INT_MAX - view.len, f"a segment of {position + view.len} bytes"
            while view.len - at >= 61:
                header = <const uint8_t*>view.buf + at
                size = <int32_t>big_endian(header + 8, 4) + <int64_t>12
                if header[16] != 2 or size < 61 or size > view.len - at:
                    break
                covered = PyMemoryView_FromMemory(<char*>header + 21, size - 21, PyBUF_READ)
                if crc32c(covered) != big_endian(header + 17, 4):
                    break
                base_offset = <int64_t>big_endian(header, 8)
                last_offset_delta = <int32_t>big_endian(header + 23, 4)
                if not self.fits(base_offset, last_offset_delta):
                    break
                self.learn(header, at, position + at, base_offset, base_offset + last_offset_delta)
                at += size
        finally:
            PyBuffer_Release(&view)
        return at
