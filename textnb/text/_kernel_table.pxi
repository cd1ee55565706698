"""A hash table that numbers distinct UTF-8 strings, stored like an Arrow array: bytes end to end, and offsets."""

cdef struct Key:
    uint64_t word  # the bytes themselves if there are at most eight, or else the hash
    uint64_t hash
    const uint8_t *bytes
    uint32_t length

cdef struct Slot:
    uint64_t word
    uint32_t length
    uint32_t number  # id + 1, so that 0 is an empty slot

cdef struct Table:
    Slot *slots
    size_t n_slots  # a power of two, of which at most five in eight are taken
    uint8_t *bytes
    size_t bytes_capacity
    int64_t *offsets  # where the bytes of each term begin, and where those of the last end
    size_t offsets_capacity
    size_t n_terms


cdef inline uint64_t hash_word(const uint64_t *seeds, uint64_t word, uint32_t length) noexcept nogil:
    return mix(mix(word ^ seeds[0], seeds[1]) ^ length, seeds[2])


cdef uint64_t hash_bytes(const uint64_t *seeds, const uint8_t *bytes, size_t length) noexcept nogil:
    """For nine bytes and more, sixteen at a time; the last sixteen, or eight, may overlap those before."""
    cdef uint64_t state = seeds[3]
    cdef size_t i = 0
    while i + 16 < length:
        state = mix(load_word(bytes + i) ^ seeds[0], load_word(bytes + i + 8) ^ seeds[1] ^ state)
        i += 16
    i = length - 16 if length > 16 else 0
    state = mix(load_word(bytes + i) ^ seeds[0], load_word(bytes + length - 8) ^ seeds[1] ^ state)
    return mix(state ^ length, seeds[2])


cdef inline uint64_t first_word(const uint8_t *bytes, uint32_t length) noexcept nogil:
    """The first eight bytes, or zeros for those beyond the length; they are read all the same."""
    if length == 0:
        return 0
    return load_word(bytes) & (<uint64_t>-1 >> (64 - 8 * min(length, <uint32_t>8)))


cdef inline Key bytes_key(const uint64_t *seeds, const uint8_t *bytes, uint32_t length) noexcept nogil:
    cdef Key key
    key.bytes = bytes
    key.length = length
    if length <= 8:
        key.word = first_word(bytes, length)
        key.hash = hash_word(seeds, key.word, length)
    else:
        key.word = key.hash = hash_bytes(seeds, bytes, length)
    return key


cdef inline uint32_t term_length(const Table *table, size_t term) noexcept nogil:
    return <uint32_t>(table.offsets[term + 1] - table.offsets[term])


cdef inline const uint8_t *term_bytes(const Table *table, size_t term) noexcept nogil:
    return table.bytes + table.offsets[term]


cdef inline Key stored_key(const Table *table, size_t term) noexcept nogil:
    """The key of a term of the table. Reads nothing beyond the last term, where a mapped file may end."""
    cdef const uint8_t *bytes = term_bytes(table, term)
    cdef uint32_t length = term_length(table, term)
    cdef uint8_t[8] padded
    cdef Key key
    if length > 8 or table.offsets[term] + 8 <= table.offsets[table.n_terms]:
        return bytes_key(SEEDS, bytes, length)
    memset(padded, 0, 8)
    memcpy(padded, bytes, length)
    key = bytes_key(SEEDS, padded, length)
    key.bytes = bytes
    return key


cdef inline bint same_bytes(const uint8_t *a, const uint8_t *b, uint32_t length) noexcept nogil:
    """Whether nine bytes or more are the same; of up to sixteen, the first and the last eight are compared."""
    if length > 16:
        return memcmp(a, b, length) == 0
    return load_word(a) == load_word(b) and load_word(a + length - 8) == load_word(b + length - 8)


cdef inline Slot *locate(const Table *table, const Key *key) noexcept nogil:
    """The slot that holds the key, or the empty one where it belongs."""
    cdef size_t at = key.hash & (table.n_slots - 1)
    cdef Slot *slot = table.slots + at
    while slot.number != 0:
        if slot.word == key.word and slot.length == key.length and (
            key.length <= 8 or same_bytes(term_bytes(table, slot.number - 1), key.bytes, key.length)
        ):
            break
        at = (at + 1) & (table.n_slots - 1)
        slot = table.slots + at
    return slot


cdef inline uint32_t find(const Table *table, const Key *key) noexcept nogil:
    return locate(table, key).number - 1  # an empty slot gives NONE


cdef inline void fill_slot(Slot *slot, const Key *key, size_t term) noexcept nogil:
    slot.word = key.word
    slot.length = key.length
    slot.number = <uint32_t>(term + 1)


cdef int64_t intern(Table *table, const Key *key) except -1 nogil:
    """The id of the key; a new key gets the next id."""
    cdef Slot *slot = locate(table, key)
    if slot.number == 0:
        if table.n_terms >= table.n_slots // 8 * 5:
            enlarge(table)
            slot = locate(table, key)
        append(table, key)
        fill_slot(slot, key, table.n_terms - 1)
    return slot.number - 1


cdef int append(Table *table, const Key *key) except -1 nogil:
    cdef size_t n = table.n_terms
    cdef int64_t end = table.offsets[n]
    if n >= MOST_TERMS:
        too_many_terms()
    table.offsets = <int64_t *>reserve(table.offsets, &table.offsets_capacity, n + 2, sizeof(int64_t))
    table.bytes = <uint8_t *>reserve(table.bytes, &table.bytes_capacity, end + key.length + PADDING, 1)
    memcpy(table.bytes + end, key.bytes, key.length)
    table.offsets[n + 1] = end + key.length
    table.n_terms = n + 1
    return 0


cdef int enlarge(Table *table) except -1 nogil:
    """Twice as many slots; a short key's hash is computed again, a long one's is its word."""
    cdef Slot *old = table.slots
    cdef size_t n_old = table.n_slots, i, at
    cdef Slot *slots = <Slot *>calloc(2 * n_old, sizeof(Slot))
    if slots == NULL:
        out_of_memory()
    for i in range(n_old):
        if old[i].number != 0:
            at = old[i].word
            if old[i].length <= 8:
                at = hash_word(SEEDS, old[i].word, old[i].length)
            at &= 2 * n_old - 1
            while slots[at].number != 0:
                at = (at + 1) & (2 * n_old - 1)
            slots[at] = old[i]
    table.slots = slots
    table.n_slots = 2 * n_old
    free(old)
    return 0


cdef int open_slots(Table *table, size_t n_terms) except -1 nogil:
    """Allocate empty slots for this number of terms."""
    table.n_slots = 1024
    while table.n_slots // 8 * 5 < n_terms:
        table.n_slots *= 2
    table.slots = <Slot *>calloc(table.n_slots, sizeof(Slot))
    if table.slots == NULL:
        out_of_memory()
    return 0


cdef int open_table(Table *table) except -1 nogil:
    memset(table, 0, sizeof(Table))
    open_slots(table, 0)
    table.offsets = <int64_t *>reserve(NULL, &table.offsets_capacity, 1, sizeof(int64_t))
    table.offsets[0] = 0
    return 0


cdef void close_table(Table *table) noexcept nogil:
    free(table.slots)
    free(table.bytes)
    free(table.offsets)
    memset(table, 0, sizeof(Table))


cdef inline void prefetch_slot(const Table *table, const Key *key) noexcept nogil:
    prefetch(table.slots + (key.hash & (table.n_slots - 1)))


cdef int64_t index_terms(Table *table) except -2 nogil:
    """Fill the slots with the terms of the table. Returns -1, or the id of a repeated term."""
    cdef Key[BATCH] keys
    cdef size_t first = 0, i, n
    cdef Slot *slot
    open_slots(table, table.n_terms)
    while first < table.n_terms:
        n = min(<size_t>BATCH, table.n_terms - first)
        for i in range(n):
            keys[i] = stored_key(table, first + i)
            prefetch_slot(table, &keys[i])
        for i in range(n):
            slot = locate(table, &keys[i])
            if slot.number != 0:
                return first + i
            fill_slot(slot, &keys[i], first + i)
        first += n
    return -1


cdef int absorb(Table *table, const Table *other, uint32_t *ids) except -1 nogil:
    """Intern the terms of another table; ids[i] becomes the id here of its term i."""
    cdef Key[BATCH] keys
    cdef size_t first = 0, i, n
    while first < other.n_terms:
        n = min(<size_t>BATCH, other.n_terms - first)
        for i in range(n):
            keys[i] = stored_key(other, first + i)
            prefetch_slot(table, &keys[i])
        for i in range(n):
            ids[first + i] = <uint32_t>intern(table, &keys[i])
        first += n
    return 0
