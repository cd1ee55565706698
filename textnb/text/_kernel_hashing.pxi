"""Counting by hash: a term's column follows from its bytes alone, and no table of terms is built."""

cdef inline uint32_t rotate(uint32_t word, int bits) noexcept nogil:
    return word << bits | word >> (32 - bits)


cdef inline uint32_t scramble(uint32_t word) noexcept nogil:
    return rotate(word * <uint32_t>0xCC9E2D51, 15) * <uint32_t>0x1B873593


cdef inline uint32_t first_bytes(const uint8_t *bytes, uint32_t n) noexcept nogil:
    """The first bytes, up to four, as a little-endian number."""
    return load_half_word(bytes) & <uint32_t>((<uint64_t>1 << 8 * n) - 1)


cdef inline uint32_t murmur_round(uint32_t state, const uint8_t *bytes) noexcept nogil:
    return rotate(state ^ scramble(load_half_word(bytes)), 13) * <uint32_t>5 + <uint32_t>0xE6546B64


cdef inline uint32_t murmur_hash(const uint8_t *bytes, uint32_t length) noexcept nogil:
    """MurmurHash3 for 32 bits, seed 0. Up to 16 bytes are read in any case.

    Of short terms all rounds are computed, and the right one taken: a branch would be guessed wrong too often.
    """
    cdef uint32_t n_rounds = length >> 2, state, first, second, third
    if n_rounds <= 3:
        first = murmur_round(0, bytes)
        second = murmur_round(first, bytes + 4)
        third = murmur_round(second, bytes + 8)
        state = 0 if n_rounds == 0 else first
        state = second if n_rounds == 2 else state
        state = third if n_rounds == 3 else state
    else:
        state = 0
        for first in range(n_rounds):
            state = murmur_round(state, bytes + 4 * first)
    state ^= scramble(first_bytes(bytes + 4 * n_rounds, length & 3)) ^ length
    state = (state ^ state >> 16) * <uint32_t>0x85EBCA6B
    state = (state ^ state >> 13) * <uint32_t>0xC2B2AE35
    return state ^ state >> 16


cdef inline int add_hashed(Worker *worker, const Settings *settings, const uint8_t *bytes, size_t length) except -1 nogil:
    """Count one more of the term in its column: the hash as a signed number gives the column and the sign."""
    cdef uint32_t hashed = murmur_hash(bytes, <uint32_t>length)
    cdef uint32_t negative = hashed >> 31, mask = 0 - negative  # the absolute value without a branch
    cdef uint64_t column = ((hashed ^ mask) - mask) % settings.n_features
    if worker.n_row == worker.row_capacity:
        worker.row = <uint64_t *>reserve(worker.row, &worker.row_capacity, worker.n_row + 1, sizeof(uint64_t))
    worker.row[worker.n_row] = column << 32 | (negative & <uint32_t>settings.alternate_sign)
    worker.n_row += 1
    return 0


cdef int hash_span(Worker *worker, const Settings *settings, size_t start, size_t end) except -1 nogil:
    """Count these bytes of the text, or keep the word to be joined, unless they are a stop word."""
    cdef Key key
    cdef size_t length = end - start
    if settings.stop_words != NULL:
        key = bytes_key(SEEDS, worker.text + start, <uint32_t>length)
        if find(settings.stop_words, &key) != NONE:
            return 0
    if not settings.joined:
        return add_hashed(worker, settings, worker.text + start, length)
    if worker.n_joined + length >= <uint32_t>-1:
        too_many_words()
    worker.joined = <uint8_t *>reserve(
        worker.joined, &worker.joined_capacity, worker.n_joined + length + 1 + PADDING, 1
    )
    worker.starts = <uint32_t *>reserve(worker.starts, &worker.starts_capacity, worker.n_words + 2, sizeof(uint32_t))
    memcpy(worker.joined + worker.n_joined, worker.text + start, length)
    worker.joined[worker.n_joined + length] = c" "
    worker.n_joined += length + 1
    worker.n_words += 1
    worker.starts[worker.n_words] = <uint32_t>worker.n_joined
    return 0


cdef int hash_ngrams(Worker *worker, const Settings *settings) except -1 nogil:
    """Count the n-grams of the kept words, which stand one after the other with blanks between them."""
    cdef size_t i, n, start
    if worker.n_words == 0:
        return 0
    worker.starts[0] = 0
    for i in range(worker.n_words):
        start = worker.starts[i]
        for n in range(settings.ngram_min, min(settings.ngram_max, worker.n_words - i) + 1):
            add_hashed(worker, settings, worker.joined + start, worker.starts[i + n] - 1 - start)
    return 0


cdef int finish_hashed_row(Worker *worker) except -1 nogil:
    """Sort the columns of the document and append one entry per distinct column to the block, also where its terms
    cancel each other out."""
    cdef size_t n = worker.n_row, i
    cdef uint64_t used = 0
    cdef uint64_t *row
    cdef Entry *entry = NULL
    worker.row = <uint64_t *>reserve(worker.row, &worker.row_capacity, 2 * n + 1, sizeof(uint64_t))
    for i in range(n):
        used |= worker.row[i]
    row = sort_row(worker.row, worker.row + n, n, n_bits(used >> 32))
    for i in range(n):
        if i == 0 or row[i] >> 32 != row[i - 1] >> 32:
            entry = next_entry(worker.block)
            entry.term = <uint32_t>(row[i] >> 32)
            entry.count = 0
        entry.count += 1 - 2 * <uint32_t>(row[i] & 1)
    return 0
