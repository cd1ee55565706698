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
    cdef int order = memcmp(a.bytes, b.bytes, min(a.length, b.length))
    return order if order != 0 else (a.length > b.length) - (a.length < b.length)


cdef int sort_texts(const Table *table, Ranked *items, Ranked *spare, size_t n) except -1 nogil:
    """Sort terms that are strings: by their first eight bytes, and where those agree by comparison."""
    cdef Text *texts = NULL
    cdef size_t capacity = 0, first = 0, end, i
    for i in range(n):
        items[i].word = reverse_bytes(
            first_word(table.bytes + table.places[items[i].term], table.lengths[items[i].term])
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
                    texts[i - first].bytes = table.bytes + table.places[items[i].term]
                    texts[i - first].length = table.lengths[items[i].term]
                    texts[i - first].term = items[i].term
                qsort(texts, end - first, sizeof(Text), compare_texts)
                for i in range(first, end):
                    items[i].term = texts[i - first].term
            first = end
    finally:
        free(texts)
    return 0


cdef int rank_terms(const Table *table, const uint8_t *wanted, int32_t *ranks) except -1 nogil:
    """For each wanted term its place among them in sorted order.

    A word n-gram sorts after its prefix and before the next word, since the space that joins it comes before every
    character of a word. So the order is that of a tree walked from the top: a term, then those it is the prefix of, by
    their last words. A term's place is its prefix's, plus one if that is wanted, plus what its elder siblings span.
    """
    cdef size_t n = table.n_terms, n_words = 0, n_pairs = 0, i
    cdef Ranked *items = <Ranked *>malloc(2 * n * sizeof(Ranked) + 1)
    cdef int32_t *spans = <int32_t *>malloc(n * sizeof(int32_t) + 1)  # wanted terms in the subtree of each
    cdef Ranked *pairs
    cdef int32_t place = 0
    try:
        if items == NULL or spans == NULL:
            out_of_memory()
        for i in range(n):
            spans[i] = wanted[i]
            if table.lengths[i] != PAIR:
                items[n_words].term = <uint32_t>i
                n_words += 1
        sort_texts(table, items, items + n, n_words)
        for i in range(n_words):
            ranks[items[i].term] = <int32_t>i
        pairs = items + n_words
        for i in range(n):
            if table.lengths[i] == PAIR:
                pairs[n_pairs].word = <uint64_t>prefix(table, i) << 32 | <uint32_t>ranks[last_word(table, i)]
                pairs[n_pairs].term = <uint32_t>i
                n_pairs += 1
        for i in range(n_pairs, 0, -1):  # a pair comes after its prefix, so its own span is complete by now
            spans[pairs[i - 1].word >> 32] += spans[pairs[i - 1].term]
        for i in range(n_words):
            ranks[items[i].term] = place
            place += spans[items[i].term]
        sort_by_word(pairs, items + n, n_pairs)
        for i in range(n_pairs):
            if i == 0 or pairs[i].word >> 32 != pairs[i - 1].word >> 32:
                place = ranks[pairs[i].word >> 32] + wanted[pairs[i].word >> 32]
            ranks[pairs[i].term] = place
            place += spans[pairs[i].term]
    finally:
        free(items)
        free(spans)
    return 0


# Rows -----------------------------------------------------------------------------------------------------------------

ctypedef fused Index:
    int32_t
    int64_t


cdef uint64_t *sort_row(uint64_t *row, uint64_t *spare, size_t n, int n_bits) noexcept nogil:
    """Sort by the upper halves, of which `n_bits` are in use; the result is in one of the two arrays.

    Few by insertion; else by radix, with a number of buckets that suits the length of the row.
    """
    cdef size_t[2048] counts
    cdef int width = 6 if n < 256 else 8 if n < 4096 else 11
    cdef int n_passes = (n_bits + width - 1) // width, shift = 32, turn
    cdef size_t n_buckets, i, digit, place, moved
    cdef uint64_t item
    if n <= 24:
        for i in range(1, n):
            item = row[i]
            place = i
            while place > 0 and row[place - 1] > item:
                row[place] = row[place - 1]
                place -= 1
            row[place] = item
        return row
    width = (n_bits + n_passes - 1) // n_passes
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
    const Block *block, const int32_t *columns, const int64_t *row_ends, size_t n_rows, int64_t start, int n_bits,
    bint binary, Index *indices, int64_t *data
) except -1 nogil:
    """Write a block's rows, the first of them at `start`, with columns for terms and in their order."""
    cdef uint64_t *row
    cdef uint64_t *sorted_row
    cdef size_t longest = 0, i, j, n
    cdef const Entry *entries = block.entries
    cdef int64_t begin = start
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
        sorted_row = sort_row(row, row + longest, n, n_bits)
        for j in range(n):
            indices[start + j] = <Index>(sorted_row[j] >> 32)
            data[start + j] = 1 if binary else <int64_t><uint32_t>sorted_row[j]
        entries += n
        start = row_ends[i]
    free(row)
    return 0
