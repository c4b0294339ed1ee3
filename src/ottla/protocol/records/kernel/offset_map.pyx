# Compaction's offset map: a part of compiled.pyx, which includes this file; it is no module of its own.
#
# An open-addressed table of (MD5 of a key, newest offset), 24 bytes a slot, in one block of memory, filled from a whole
# batch in one call. MD5 (RFC 1321) is here because a call of hashlib for each key would cost four times the rest; what
# it has to do is to give two keys different 16 bytes, as in Kafka's own map.

cdef struct Slot:
    uint64_t low  # the hash, in two halves
    uint64_t high
    int64_t behind  # the offset + 1, so that fresh memory, all 0, is an empty slot

cdef uint32_t[64] SINES = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
]
cdef uint8_t[16] TURNS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]


cdef inline uint32_t turn(uint32_t value, int bits) noexcept nogil:
    return value << bits | value >> (32 - bits)


cdef void md5_block(const uint8_t* block, uint32_t* state) noexcept nogil:
    cdef uint32_t a = state[0], b = state[1], c = state[2], d = state[3], mixed
    cdef uint32_t[16] words
    cdef int i
    for i in range(16):  # little-endian, whatever this machine is
        words[i] = (block[4 * i] | <uint32_t>block[4 * i + 1] << 8 | <uint32_t>block[4 * i + 2] << 16
                    | <uint32_t>block[4 * i + 3] << 24)
    for i in range(64):
        if i < 16:
            mixed = (d ^ (b & (c ^ d))) + words[i]
        elif i < 32:
            mixed = (c ^ (d & (b ^ c))) + words[(5 * i + 1) & 15]
        elif i < 48:
            mixed = (b ^ c ^ d) + words[(3 * i + 5) & 15]
        else:
            mixed = (c ^ (b | ~d)) + words[(7 * i) & 15]
        mixed = b + turn(a + mixed + SINES[i], TURNS[(i >> 4) << 2 | i & 3])
        a, d, c, b = d, c, b, mixed
    state[0] += a
    state[1] += b
    state[2] += c
    state[3] += d


cdef void md5(const uint8_t* data, Py_ssize_t size, uint64_t* low, uint64_t* high) noexcept nogil:
    cdef uint32_t[4] state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
    cdef uint8_t[128] tail  # the last bytes, a 1 bit, and the length in bits: one block or two
    cdef Py_ssize_t at = 0, rest, padded
    cdef uint64_t bits = <uint64_t>size << 3
    cdef int i
    while size - at >= 64:
        md5_block(data + at, state)
        at += 64
    rest = size - at
    padded = 64 if rest < 56 else 128
    memset(tail, 0, 128)
    if rest:
        memcpy(tail, data + at, rest)
    tail[rest] = 0x80
    for i in range(8):
        tail[padded - 8 + i] = <uint8_t>(bits >> (8 * i))
    md5_block(tail, state)
    if padded == 128:
        md5_block(tail + 64, state)
    low[0] = <uint64_t>state[1] << 32 | state[0]
    high[0] = <uint64_t>state[3] << 32 | state[2]


def digest(key):
    """The MD5 of a key, for the tests to compare with the standard library's."""
    cdef const uint8_t[::1] data = as_bytes(key)
    cdef uint64_t low, high
    md5(first_byte(data), data.shape[0], &low, &high)
    return (int(low) | int(high) << 64).to_bytes(16, "little")


cdef class OffsetMap:
    """The newest offset of every key, for compaction: as much of it as `size_bytes` hold at 24 bytes a key."""

    cdef Slot* table
    cdef readonly Py_ssize_t slots
    cdef readonly Py_ssize_t capacity
    cdef Py_ssize_t taken

    def __cinit__(self, Py_ssize_t size_bytes, double load_factor=0.9):
        self.slots, self.capacity = map_room(size_bytes, load_factor)
        self.table = <Slot*>PyMem_RawCalloc(self.slots, sizeof(Slot))
        if self.table == NULL:
            raise MemoryError(f"an offset map of {size_bytes} bytes")
        with nogil:  # the system hands its pages out now, and not key by key to whoever puts the first ones in
            memset(self.table, 0, self.slots * sizeof(Slot))

    def __dealloc__(self):
        with nogil:  # 8 ms for 128 MB
            PyMem_RawFree(self.table)

    def __len__(self):
        return self.taken

    cdef Slot* find(self, const uint8_t* key, Py_ssize_t size, uint64_t* low, uint64_t* high) noexcept nogil:
        """The slot of a key, or the empty one where it would go. There always is an empty one."""
        md5(key, size, low, high)
        cdef Py_ssize_t at = <Py_ssize_t>(low[0] % <uint64_t>self.slots)
        while self.table[at].behind and (self.table[at].low != low[0] or self.table[at].high != high[0]):
            at += 1
            if at == self.slots:
                at = 0
        return &self.table[at]

    cdef bint set(self, const uint8_t* key, Py_ssize_t size, int64_t offset) noexcept nogil:
        cdef uint64_t low, high
        cdef Slot* slot = self.find(key, size, &low, &high)
        if slot.behind == 0:
            if self.taken >= self.capacity:
                return False
            self.taken += 1
            slot.low, slot.high = low, high
        if slot.behind <= offset:
            slot.behind = offset + 1
        return True

    def put(self, key, int64_t offset):
        """Remember the offset if it is the key's newest; False says that there is no room for another key."""
        cdef const uint8_t[::1] data = as_bytes(key)
        assert 0 <= offset < INT64_MAX, f"offset {offset}"
        return bool(self.set(first_byte(data), data.shape[0], offset))

    def get(self, key):
        """The newest offset of a key, or -1."""
        cdef const uint8_t[::1] data = as_bytes(key)
        cdef uint64_t low, high
        return self.find(first_byte(data), data.shape[0], &low, &high).behind - 1

    cdef Py_ssize_t put_loop(self, const uint8_t* data, Py_ssize_t size, Py_ssize_t count, const int64_t* offsets,
                             const int32_t* positions, const int32_t* lengths, int64_t start_offset,
                             Fault* fault) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(count):
            if lengths[i] < 0 or offsets[i] < start_offset:
                continue
            if not fits(size, positions[i], lengths[i], 0) or not 0 <= offsets[i] < INT64_MAX:
                return note(fault, OUTSIDE, i, 0, 0, 0, 0)
            if not self.set(data + positions[i], lengths[i], offsets[i]):
                return i
        return count

    cdef int mask_loop(self, const uint8_t* data, Py_ssize_t size, Py_ssize_t count, const int64_t* offsets,
                       const int32_t* positions, const int32_t* lengths, const int32_t* value_lengths, uint8_t* kept,
                       Fault* fault) noexcept nogil:
        cdef uint64_t low, high
        cdef Py_ssize_t i
        for i in range(count):
            if lengths[i] < 0 or (value_lengths != NULL and value_lengths[i] < 0):
                continue
            if not fits(size, positions[i], lengths[i], 0):
                return note(fault, OUTSIDE, i, 0, 0, 0, 0)
            # offset >= newest, in other words offset + 1 >= behind, without a sum that overflows
            kept[i] = self.find(data + positions[i], lengths[i], &low, &high).behind - 1 <= offsets[i]
        return 0

    def put_columns(self, columns, int64_t start_offset=0):
        """Put all records from this offset on that have a key; answer how many were worked off before it was full."""
        cdef const uint8_t[::1] data = as_bytes(columns.data)
        cdef const int64_t[::1] offsets = columns.offsets
        cdef const int32_t[::1] positions = columns.key_positions, lengths = columns.key_lengths
        cdef Py_ssize_t count = offsets.shape[0], done
        cdef const uint8_t* first = first_byte(data)
        cdef Fault fault
        assert positions.shape[0] == lengths.shape[0] == count
        if count == 0:
            return 0
        if data.shape[0] < NOGIL_BYTES:
            done = self.put_loop(first, data.shape[0], count, &offsets[0], &positions[0], &lengths[0], start_offset,
                                 &fault)
        else:
            with nogil:
                done = self.put_loop(first, data.shape[0], count, &offsets[0], &positions[0], &lengths[0],
                                     start_offset, &fault)
        if done < 0:
            fail(&fault)
        return done

    def mask(self, columns, bint drop_tombstones=False):
        """Which records compaction keeps, for `retain`: those with a key of which no newer offset is known."""
        cdef const uint8_t[::1] data = as_bytes(columns.data)
        cdef const int64_t[::1] offsets = columns.offsets
        cdef const int32_t[::1] positions = columns.key_positions, lengths = columns.key_lengths
        cdef const int32_t[::1] value_lengths = columns.value_lengths
        cdef Py_ssize_t count = offsets.shape[0]
        cdef const uint8_t* first = first_byte(data)
        cdef const int32_t* values = NULL
        cdef bytearray kept = bytearray(count)
        cdef uint8_t* out = <uint8_t*><char*>kept
        cdef Fault fault
        cdef int failed
        assert positions.shape[0] == lengths.shape[0] == value_lengths.shape[0] == count
        if count == 0:
            return kept
        if drop_tombstones:
            values = &value_lengths[0]
        if data.shape[0] < NOGIL_BYTES:
            failed = self.mask_loop(first, data.shape[0], count, &offsets[0], &positions[0], &lengths[0], values, out,
                                    &fault)
        else:
            with nogil:
                failed = self.mask_loop(first, data.shape[0], count, &offsets[0], &positions[0], &lengths[0], values,
                                        out, &fault)
        if failed:
            fail(&fault)
        return kept

    def clear(self):
        """Forget every key."""
        memset(self.table, 0, self.slots * sizeof(Slot))
        self.taken = 0
