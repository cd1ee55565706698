"""A hash table that numbers distinct keys: UTF-8 strings, and pairs of ids."""

cdef struct Key:
    uint64_t word  # the bytes themselves if there are at most eight, the pair, or else the hash
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
    uint64_t *places  # of each term: where its bytes begin, or the pair
    size_t places_capacity
    uint32_t *lengths
    size_t lengths_capacity
    size_t n_terms
    uint8_t *bytes
    size_t n_bytes
    size_t bytes_capacity


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


cdef inline Key pair_key(uint32_t prefix, uint32_t last) noexcept nogil:
    cdef Key key
    key.bytes = NULL
    key.length = PAIR
    key.word = <uint64_t>prefix << 32 | last
    key.hash = hash_word(SEEDS, key.word, PAIR)
    return key


cdef inline Slot *locate(const Table *table, const Key *key) noexcept nogil:
    """The slot that holds the key, or the empty one where it belongs."""
    cdef size_t at = key.hash & (table.n_slots - 1)
    cdef Slot *slot = table.slots + at
    while slot.number != 0:
        if slot.word == key.word and slot.length == key.length and (
            key.length <= 8
            or key.length == PAIR
            or memcmp(table.bytes + table.places[slot.number - 1], key.bytes, key.length) == 0
        ):
            break
        at = (at + 1) & (table.n_slots - 1)
        slot = table.slots + at
    return slot


cdef inline uint32_t find(const Table *table, const Key *key) noexcept nogil:
    return locate(table, key).number - 1  # an empty slot gives NONE


cdef int64_t intern(Table *table, const Key *key) except -1 nogil:
    """The id of the key, the next one if it is new."""
    cdef Slot *slot = locate(table, key)
    if slot.number == 0:
        if table.n_terms >= table.n_slots // 8 * 5:
            enlarge(table)
            slot = locate(table, key)
        append(table, key)
        slot.word = key.word
        slot.length = key.length
        slot.number = <uint32_t>table.n_terms
    return slot.number - 1


cdef int append(Table *table, const Key *key) except -1 nogil:
    cdef size_t n = table.n_terms
    if n >= MOST_TERMS:
        too_many_terms()
    table.places = <uint64_t *>reserve(table.places, &table.places_capacity, n + 1, sizeof(uint64_t))
    table.lengths = <uint32_t *>reserve(table.lengths, &table.lengths_capacity, n + 1, sizeof(uint32_t))
    if key.length == PAIR:
        table.places[n] = key.word
    else:
        table.bytes = <uint8_t *>reserve(
            table.bytes, &table.bytes_capacity, table.n_bytes + key.length + PADDING, 1
        )
        memcpy(table.bytes + table.n_bytes, key.bytes, key.length)
        table.places[n] = table.n_bytes
        table.n_bytes += key.length
    table.lengths[n] = key.length
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
            if old[i].length <= 8 or old[i].length == PAIR:
                at = hash_word(SEEDS, old[i].word, old[i].length)
            at &= 2 * n_old - 1
            while slots[at].number != 0:
                at = (at + 1) & (2 * n_old - 1)
            slots[at] = old[i]
    table.slots = slots
    table.n_slots = 2 * n_old
    free(old)
    return 0


cdef int open_table(Table *table) except -1 nogil:
    memset(table, 0, sizeof(Table))
    table.slots = <Slot *>calloc(1024, sizeof(Slot))
    if table.slots == NULL:
        out_of_memory()
    table.n_slots = 1024
    return 0


cdef void close_table(Table *table) noexcept nogil:
    free(table.slots)
    free(table.places)
    free(table.lengths)
    free(table.bytes)
    memset(table, 0, sizeof(Table))


cdef inline uint32_t prefix(const Table *table, size_t pair) noexcept nogil:
    return <uint32_t>(table.places[pair] >> 32)


cdef inline uint32_t last_word(const Table *table, size_t pair) noexcept nogil:
    return <uint32_t>table.places[pair]


cdef int absorb(Table *table, const Table *other, uint32_t *ids) except -1 nogil:
    """Intern the terms of another table; ids[i] becomes the id here of its term i."""
    cdef size_t i, ahead
    cdef Key key
    for i in range(other.n_terms):
        ahead = min(i + 16, other.n_terms - 1)
        key = moved_key(other, ahead, ids, i)
        prefetch(table.slots + (key.hash & (table.n_slots - 1)))
        key = moved_key(other, i, ids, i)
        ids[i] = <uint32_t>intern(table, &key)
    return 0


cdef inline Key moved_key(const Table *table, size_t term, const uint32_t *ids, size_t n_ids) noexcept nogil:
    """The key of a term where its table's first terms, n_ids of them, have other ids.

    A pair comes after its parts, so they have theirs when it is its turn, and mostly also some terms ahead.
    """
    if table.lengths[term] != PAIR:
        return bytes_key(SEEDS, table.bytes + table.places[term], table.lengths[term])
    if max(prefix(table, term), last_word(table, term)) < n_ids:
        return pair_key(ids[prefix(table, term)], ids[last_word(table, term)])
    return pair_key(NONE, NONE)
