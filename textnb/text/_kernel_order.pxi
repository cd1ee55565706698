"""The terms of a table in the order of Python strings, and rows in the order of their columns."""

cdef struct Ranked:
    uint64_t word  # what to sort by
    uint32_t term

cdef struct Text:
    const uint8_t *bytes
    uint32_t length
    uint32_t term


cdef void sort_by_word(Ranked *items, Ranked *spare, size_t n) noexcept nogil:
    """Radix sort, a byte at a time; bytes that are the same everywhere cost nothing."""
    cdef size_t[8][256] counts
    cdef size_t i, digit, place, count
    cdef Ranked *source = items
    cdef Ranked *target = spare
    memset(counts, 0, sizeof(counts))
    for i in range(n):
        for digit in range(8):
            counts[digit][items[i].word >> 8 * digit & 0xFF] += 1
    for digit in range(8):
        if n == 0 or counts[digit][items[0].word >> 8 * digit & 0xFF] == n:
            continue
        place = 0
        for i in range(256):
            count = counts[digit][i]
            counts[digit][i] = place
            place += count
        for i in range(n):
            place = source[i].word >> 8 * digit & 0xFF
            target[counts[digit][place]] = source[i]
            counts[digit][place] += 1
        source, target = target, source
    if source != items:
        memcpy(items, source, n * sizeof(Ranked))


cdef int compare_texts(const void *left, const void *right) noexcept nogil:
    cdef const Text *a = <const Text *>left
    cdef const Text *b = <const Text *>right
    return compare_bytes(a.bytes, a.length, b.bytes, b.length)


cdef inline int compare_bytes(const uint8_t *a, size_t n, const uint8_t *b, size_t m) noexcept nogil:
    """Negative if a sorts before b, 0 if they are equal, positive if it sorts after."""
    cdef int order = memcmp(a, b, min(n, m))
    return order if order != 0 else (n > m) - (n < m)


cdef int sort_texts(const Table *table, Ranked *items, Ranked *spare, size_t n) except -1 nogil:
    """Sort terms by their first eight bytes, and where those agree by comparison."""
    cdef Text *texts = NULL
    cdef size_t capacity = 0, first = 0, end, i
    for i in range(n):
        items[i].word = reverse_bytes(
            first_word(term_bytes(table, items[i].term), term_length(table, items[i].term))
        )
    sort_by_word(items, spare, n)
    try:
        while first < n:
            end = first + 1
            while end < n and items[end].word == items[first].word:
                end += 1
            if end - first > 1:
                texts = <Text *>reserve(texts, &capacity, end - first, sizeof(Text))
                for i in range(first, end):
                    texts[i - first].bytes = term_bytes(table, items[i].term)
                    texts[i - first].length = term_length(table, items[i].term)
                    texts[i - first].term = items[i].term
                qsort(texts, end - first, sizeof(Text), compare_texts)
                for i in range(first, end):
                    items[i].term = texts[i - first].term
            first = end
    finally:
        free(texts)
    return 0


cdef int rank_terms(const Table *table, uint32_t *ranks, uint32_t *order) except -1 nogil:
    """Rank the terms whose rank is not NONE; `order` gets their ids in sorted order. Returns their number."""
    cdef size_t n = 0, i
    cdef Ranked *items = <Ranked *>malloc(2 * table.n_terms * sizeof(Ranked) + 1)
    if items == NULL:
        out_of_memory()
    try:
        for i in range(table.n_terms):
            if ranks[i] != NONE:
                items[n].term = <uint32_t>i
                n += 1
        sort_texts(table, items, items + n, n)
        for i in range(n):
            order[i] = items[i].term
            ranks[items[i].term] = <uint32_t>i
    finally:
        free(items)
    return <int>n


# Rows -----------------------------------------------------------------------------------------------------------------

ctypedef fused Index:
    int32_t
    int64_t


cdef inline int n_bits(uint64_t number) noexcept nogil:
    cdef int bits = 0
    while number >> bits:
        bits += 1
    return bits


cdef uint64_t *sort_row(uint64_t *row, uint64_t *spare, size_t n, int bits) noexcept nogil:
    """Sort by the upper halves, of which `bits` are in use; the result is in one of the two arrays.

    Few by insertion; else by radix, with a number of buckets that suits the length of the row.
    """
    cdef size_t[2048] counts
    cdef int width = 6 if n < 256 else 8 if n < 4096 else 11
    cdef int n_passes = (bits + width - 1) // width, shift = 32, turn
    cdef size_t n_buckets, i, digit, place, moved
    cdef uint64_t item
    if bits == 0:
        return row
    if n <= 24:
        for i in range(1, n):
            item = row[i]
            place = i
            while place > 0 and row[place - 1] > item:
                row[place] = row[place - 1]
                place -= 1
            row[place] = item
        return row
    width = (bits + n_passes - 1) // n_passes
    n_buckets = <size_t>1 << width
    for turn in range(n_passes):
        memset(counts, 0, n_buckets * sizeof(size_t))
        for i in range(n):
            counts[row[i] >> shift & (n_buckets - 1)] += 1
        place = 0
        for i in range(n_buckets):
            moved = counts[i]
            counts[i] = place
            place += moved
        for i in range(n):
            digit = row[i] >> shift & (n_buckets - 1)
            spare[counts[digit]] = row[i]
            counts[digit] += 1
        row, spare = spare, row
        shift += width
    return row


cdef int write_rows(
    const Block *block, const uint32_t *columns, const int64_t *row_ends, size_t n_rows, int64_t start, int bits,
    Index *indices, int64_t *data
) except -1 nogil:
    """Write a block's rows from `start` on, in the order of their columns; NULL: the terms are sorted columns."""
    cdef uint64_t *row
    cdef uint64_t *sorted_row
    cdef size_t longest = 0, i, j, n
    cdef const Entry *entries = block.entries
    cdef int64_t begin = start
    if columns == NULL:
        for i in range(block.n_entries):
            indices[start + i] = <Index>entries[i].term
            data[start + i] = <int32_t>entries[i].count
        return 0
    for i in range(n_rows):
        longest = max(longest, <size_t>(row_ends[i] - begin))
        begin = row_ends[i]
    row = <uint64_t *>malloc(2 * longest * sizeof(uint64_t) + 1)
    if row == NULL:
        out_of_memory()
    for i in range(n_rows):
        n = <size_t>(row_ends[i] - start)
        for j in range(n):
            row[j] = <uint64_t>columns[entries[j].term] << 32 | entries[j].count
        sorted_row = sort_row(row, row + longest, n, bits)
        for j in range(n):
            indices[start + j] = <Index>(sorted_row[j] >> 32)
            data[start + j] = <uint32_t>sorted_row[j]
        entries += n
        start = row_ends[i]
    free(row)
    return 0

