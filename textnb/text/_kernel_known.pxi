"""Counting known terms: their lookup, and the row of a document."""

cdef inline int add_known(Worker *worker, const Known *known, uint32_t term) except -1 nogil:
    """Count one more of the term at this position."""
    if term != NONE and known.columns != NULL:
        term = <uint32_t>known.columns[term]  # NONE for one that is left out
    if term >= NONE >> 1:
        worker.n_unknown += 1
        return 0
    if worker.n_row == worker.row_capacity:
        worker.row = <uint64_t *>reserve(worker.row, &worker.row_capacity, worker.n_row + 1, sizeof(uint64_t))
    worker.row[worker.n_row] = <uint64_t>term << 32
    worker.n_row += 1
    return 0


cdef int finish_row(Worker *worker) except -1 nogil:
    """Sort the terms of the document and append one entry per distinct term to the block."""
    cdef size_t n = worker.n_row, i
    cdef uint64_t used = 0
    cdef uint64_t *row
    cdef Entry *entry = NULL
    worker.row = <uint64_t *>reserve(worker.row, &worker.row_capacity, 2 * n + 1, sizeof(uint64_t))
    for i in range(n):
        used |= worker.row[i]
    row = sort_row(worker.row, worker.row + n, n, n_bits(used >> 32))
    for i in range(n):
        if i > 0 and row[i] == row[i - 1]:
            entry.count += 1
        else:
            entry = next_entry(worker.block)
            entry.term = <uint32_t>(row[i] >> 32)
            entry.count = 1
    return 0


# Word n-grams ---------------------------------------------------------------------------------------------------------

cdef inline int64_t lower_bound(
    const int32_t *column, size_t width, int64_t first, int64_t end, int64_t word
) noexcept nogil:
    """The first position from `first` to `end` where the column is at least `word`."""
    cdef int64_t n = end - first, half
    while n > 0:
        half = n >> 1
        if column[(first + half) * width] < word:
            first += half + 1
            n -= half + 1
        else:
            n = half
    return first


cdef inline int64_t next_bound(
    const int32_t *column, size_t width, int64_t first, int64_t end, int64_t word
) noexcept nogil:
    """As `lower_bound`, in doubling steps: the position is near `first`."""
    cdef int64_t step = 1
    while first + step < end and column[(first + step) * width] < word:
        step *= 2
    return lower_bound(column, width, first + step // 2, min(first + step, end), word)


cdef inline size_t pair_slot(const Known *known, uint32_t first, uint32_t second) noexcept nogil:
    return mix((<uint64_t>first << 32 | second) ^ SEEDS[0], SEEDS[1]) & (known.n_pairs - 1)


cdef int64_t find_pair(const Known *known, uint32_t first, uint32_t second) noexcept nogil:
    """The position of the first n-gram that begins with these words, or of another one if there is none."""
    cdef int64_t start = known.starts[first], end = known.starts[first + 1], place
    cdef size_t slot
    if known.pairs == NULL:
        return lower_bound(known.rest, known.width, start, end, second)
    slot = pair_slot(known, first, second)
    while known.pairs[slot] != 0:
        place = known.pairs[slot] - 1
        if start <= place < end and known.rest[place * known.width] == <int64_t>second:
            return place
        slot = (slot + 1) & (known.n_pairs - 1)
    return end


cdef inline void fetch_ngrams(const Worker *worker, const Known *known, size_t place) noexcept nogil:
    """Prefetch what the lookup of later words needs, in two steps."""
    cdef const uint32_t *words = worker.words + place
    if place + 17 < worker.n_words and words[16] != NONE:
        prefetch(known.starts + words[16])
        if known.pairs != NULL and words[17] != NONE:
            prefetch(known.pairs + pair_slot(known, words[16], words[17]))
    if place + 9 < worker.n_words and words[8] != NONE:
        prefetch(known.rest + known.starts[words[8]] * known.width)
        if known.pairs != NULL and words[9] != NONE:
            prefetch(known.rest + known.pairs[pair_slot(known, words[8], words[9])] * known.width)


cdef inline bint ends_after(const Known *known, int64_t term, size_t n) noexcept nogil:
    """Whether a term consists of its first word and n others."""
    return n == known.width or known.rest[term * known.width + n] < 0


cdef int find_ngrams_at(Worker *worker, const Settings *settings, size_t place) except -1 nogil:
    """Count the known n-grams that begin at this word of the document, and return their number."""
    cdef const Known *known = settings.known
    cdef const uint32_t *words = worker.words + place
    cdef size_t most = min(min(settings.ngram_max - 1, known.width), worker.n_words - place - 1), n = 0
    cdef int64_t first, end
    cdef int found = 0
    if words[0] == NONE:
        return 0
    first = known.starts[words[0]]
    end = known.starts[words[0] + 1]
    while first < end:
        if n + 1 >= settings.ngram_min and ends_after(known, first, n):
            add_known(worker, known, <uint32_t>first)
            found += 1
        if n == most or words[n + 1] == NONE:
            break
        if n == 0:
            first = find_pair(known, words[0], words[1])
        else:
            first = lower_bound(known.rest + n, known.width, first, end, words[n + 1])
        if first < end and known.rest[first * known.width + n] != <int64_t>words[n + 1]:
            break
        n += 1
        if n < most:
            end = next_bound(known.rest + n - 1, known.width, first, end, <int64_t>words[n] + 1)
    return found


cdef int find_ngrams(Worker *worker, const Settings *settings) except -1 nogil:
    """Count the n-grams of the document's words."""
    cdef size_t n_words = worker.n_words, n, i
    cdef int64_t n_ngrams = 0
    for n in range(settings.ngram_min, min(settings.ngram_max, n_words) + 1):
        n_ngrams += n_words - n + 1
    for i in range(n_words):
        fetch_ngrams(worker, settings.known, i)
        n_ngrams -= find_ngrams_at(worker, settings, i)
    worker.n_unknown += n_ngrams
    return 0


cdef void index_pairs(const Known *known, uint32_t *pairs) noexcept nogil:
    """Fill the hash table of pairs, which is empty and larger than there are n-grams."""
    cdef size_t word, slot
    cdef int64_t i
    cdef const int32_t *second
    for word in range(known.table.n_terms):
        for i in range(known.starts[word], known.starts[word + 1]):
            second = known.rest + i * known.width
            if second[0] < 0 or (i > known.starts[word] and second[0] == (second - known.width)[0]):
                continue
            slot = pair_slot(known, <uint32_t>word, <uint32_t>second[0])
            while pairs[slot] != 0:
                slot = (slot + 1) & (known.n_pairs - 1)
            pairs[slot] = <uint32_t>(i + 1)


# The compiled lookup --------------------------------------------------------------------------------------------------

cdef class Probe:
    """A lookup of sorted strings or, with `starts` and `rest`, of n-grams of such words.

    It points into the arrays, which may be mapped from a file and must not change. N-grams are found by binary search,
    and once enough text was looked up, through a hash table of their first two words.
    """

    cdef Known known
    cdef object pairs  # what known.pairs points to
    cdef int64_t n_characters  # looked up so far
    cdef const uint8_t[::1] blob
    cdef const int64_t[::1] offsets, starts
    cdef const int32_t[:, ::1] rest

    def __cinit__(self, blob, offsets, starts=None, rest=None):
        if (starts is None) != (rest is None):
            raise ValueError("starts and rest are given together or not at all.")
        self.blob, self.offsets, self.starts, self.rest = blob, offsets, starts, rest
        self.known.table = borrowed_table(self.blob, self.offsets)
        if starts is not None:
            check_starts(self.known.table.n_terms, self.starts, self.rest)
            self.known.starts = &self.starts[0]
            self.known.rest = &self.rest[0, 0] if self.rest.size > 0 else NULL
            self.known.width = self.rest.shape[1]
        cdef int64_t repeated
        with nogil:
            repeated = index_terms(&self.known.table)
        if repeated >= 0:
            raise ValueError(f"the term at {repeated} is repeated.")

    def __dealloc__(self):
        free(self.known.table.slots)

    cdef int prepare(self, n_characters) except -1:
        """Make the hash table of pairs if it pays, given the length of the text to look up next."""
        cdef size_t n_terms = len(self), n_pairs = 1024
        cdef uint32_t[::1] pairs
        self.n_characters += n_characters
        if self.known.pairs != NULL or self.known.rest == NULL or <size_t>self.n_characters < n_terms:
            return 0
        while n_pairs // 8 * 5 < n_terms:
            n_pairs *= 2
        pairs = np.zeros(n_pairs, dtype=np.uint32)
        self.known.n_pairs = n_pairs
        index_pairs(&self.known, &pairs[0])
        self.pairs = pairs
        self.known.pairs = &pairs[0]
        return 0

    def __len__(self):
        return self.offsets.shape[0] - 1 if self.rest is None else self.rest.shape[0]
