"""Tables of terms: strings in ascending order as a blob and offsets, and n-grams of such words."""

cdef inline const uint8_t *bytes_start(const uint8_t[::1] blob) noexcept nogil:
    return &blob[0] if blob.shape[0] > 0 else NO_BYTES


@cython.boundscheck(False)
@cython.wraparound(False)
cdef int check_strings(const uint8_t[::1] blob, const int64_t[::1] offsets) except -1:
    """Refuse offsets that reach beyond the blob."""
    cdef Py_ssize_t i, n = offsets.shape[0] - 1
    if not 0 <= n <= MOST_TERMS:
        raise ValueError(f"n strings need n + 1 offsets, and n up to {MOST_TERMS}, got {n + 1} offsets.")
    for i in range(n):
        if not 0 <= offsets[i] <= offsets[i + 1] or offsets[i + 1] - offsets[i] > LONGEST * <int64_t>4:
            raise ValueError(f"string {i} has no place in the blob.")
    if not 0 <= offsets[n] <= blob.shape[0]:
        raise ValueError(f"the strings end at {offsets[n]}, the blob at {blob.shape[0]}.")
    return 0


@cython.boundscheck(False)
@cython.wraparound(False)
cdef int check_starts(Py_ssize_t n_words, const int64_t[::1] starts, const int32_t[:, ::1] rest) except -1:
    """Refuse starts that reach beyond the n-grams."""
    cdef Py_ssize_t i
    if n_words < 0 or starts.shape[0] != n_words + 1 or rest.shape[0] > MOST_TERMS:
        raise ValueError(f"{n_words} words need {n_words + 1} starts, got {starts.shape[0]}.")
    if starts[0] != 0 or starts[n_words] != rest.shape[0]:
        raise ValueError(f"the n-grams go from 0 to {rest.shape[0]}, their starts do not.")
    for i in range(n_words):
        if starts[i] > starts[i + 1]:
            raise ValueError(f"the n-grams of word {i} have no place.")
    return 0


cdef inline Table borrowed_table(const uint8_t[::1] blob, const int64_t[::1] offsets) except *:
    """The strings as a table without slots; the offsets are checked. It must not be closed."""
    cdef Table table
    check_strings(blob, offsets)
    memset(&table, 0, sizeof(Table))
    table.bytes = <uint8_t *>bytes_start(blob)
    table.offsets = <int64_t *>&offsets[0]
    table.n_terms = offsets.shape[0] - 1
    return table


# Where the terms of one table are in another: the search for a term begins where the one before it was found, in steps
# that double. Among as many terms it is a merge, among many more a binary search.

cdef inline int compare_terms(const Table *a, size_t i, const Table *b, size_t j) noexcept nogil:
    return compare_bytes(term_bytes(a, i), term_length(a, i), term_bytes(b, j), term_length(b, j))


cdef size_t seek_term(const Table *a, size_t low, const Table *b, size_t wanted) noexcept nogil:
    """The first position in a, from `low` on, whose term does not sort before the wanted term of b."""
    cdef size_t high = low, step = 1, middle
    while high < a.n_terms and compare_terms(a, high, b, wanted) < 0:
        low = high + 1
        high = low + step
        step *= 2
    high = min(high, a.n_terms)
    while low < high:
        middle = (low + high) // 2
        if compare_terms(a, middle, b, wanted) < 0:
            low = middle + 1
        else:
            high = middle
    return low


def locate_terms(
    const uint8_t[::1] blob_a, const int64_t[::1] offsets_a, const uint8_t[::1] blob_b, const int64_t[::1] offsets_b
):
    """The position in table a of each string of b; for a missing one, -1 - the position to insert it at.

    Both tables are in ascending order.
    """
    cdef Table a = borrowed_table(blob_a, offsets_a), b = borrowed_table(blob_b, offsets_b)
    cdef int64_t[::1] places = np.empty(b.n_terms, dtype=np.int64)
    cdef size_t place = 0, i
    with nogil:
        for i in range(b.n_terms):
            place = seek_term(&a, place, &b, i)
            if place < a.n_terms and compare_terms(&a, place, &b, i) == 0:
                places[i] = place
            else:
                places[i] = -1 - <int64_t>place
    return np.asarray(places)


cdef inline int compare_ngrams(const int32_t *a, const int32_t *b, size_t width) noexcept nogil:
    cdef size_t i
    for i in range(width):
        if a[i] != b[i]:
            return -1 if a[i] < b[i] else 1
    return 0


cdef int64_t seek_ngram(
    const int32_t *ngrams, size_t width, int64_t low, int64_t end, const int32_t *wanted
) noexcept nogil:
    """The first position from `low` to `end` whose n-gram does not sort before the wanted one."""
    cdef int64_t high = low, step = 1, middle
    while high < end and compare_ngrams(ngrams + high * width, wanted, width) < 0:
        low = high + 1
        high = low + step
        step *= 2
    high = min(high, end)
    while low < high:
        middle = (low + high) // 2
        if compare_ngrams(ngrams + middle * width, wanted, width) < 0:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline bint translate_ngram(
    const int32_t *ngram, size_t width, const int64_t *words, int32_t *translated
) noexcept nogil:
    """Write the n-gram with the other table's word ids; False if a word is missing there."""
    cdef size_t i
    for i in range(width):
        translated[i] = -1
        if ngram[i] >= 0:
            translated[i] = <int32_t>words[ngram[i]]
            if translated[i] < 0:
                return False
    return True


def locate_ngrams(
    const int64_t[::1] starts_a, const int32_t[:, ::1] rest_a, const int64_t[::1] starts_b,
    const int32_t[:, ::1] rest_b, const int64_t[::1] words
):
    """The position among the n-grams a of each n-gram of b; for a missing one, -1 - the position to insert it at.

    words[i] is the id in a of word i of b, ascending, -1 for a missing word. N-grams with a missing word get -1.
    """
    cdef size_t width = rest_a.shape[1], n_words = words.shape[0], word
    cdef int64_t i, place, end
    check_starts(starts_a.shape[0] - 1, starts_a, rest_a)
    check_starts(n_words, starts_b, rest_b)
    if <size_t>rest_b.shape[1] != width:
        raise ValueError(f"n-grams of up to {width + 1} and {rest_b.shape[1] + 1} words do not compare.")
    check_ids(rest_b, n_words)
    check_ids(words, starts_a.shape[0] - 1)
    cdef const int32_t *ngrams_a = &rest_a[0, 0] if rest_a.size > 0 else NULL
    cdef const int32_t *ngrams_b = &rest_b[0, 0] if rest_b.size > 0 else NULL
    cdef int64_t[::1] places = np.full(rest_b.shape[0], -1, dtype=np.int64)
    cdef int32_t[::1] wanted = np.empty(width + 1, dtype=np.int32)
    with nogil:
        for word in range(n_words):
            if words[word] < 0:
                continue
            place = starts_a[words[word]]
            end = starts_a[words[word] + 1]
            for i in range(starts_b[word], starts_b[word + 1]):
                if not translate_ngram(ngrams_b + i * width, width, &words[0], &wanted[0]):
                    continue
                place = seek_ngram(ngrams_a, width, place, end, &wanted[0])
                if place < end and compare_ngrams(ngrams_a + place * width, &wanted[0], width) == 0:
                    places[i] = place
                else:
                    places[i] = -1 - place
    return np.asarray(places)


# Checks of tables read from a file ------------------------------------------------------------------------------------

cdef int check_ids(ids, int64_t n) except -1:
    """Refuse ids that are not among n, other than -1."""
    ids = np.asarray(ids)
    if ids.min(initial=0) < -1 or ids.max(initial=-1) >= n:
        raise ValueError(f"an id is out of range: there are {n}.")
    return 0


cdef inline size_t character_size(const uint8_t *bytes, size_t n) noexcept nogil:
    """The size of the UTF-8 character that begins here, with n bytes left; 0 if invalid. Surrogates are valid."""
    cdef uint8_t lead = bytes[0]
    cdef size_t size = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4, i
    if size == 1:
        return 1
    if lead < 0xC2 or lead > 0xF4 or size > n:
        return 0
    for i in range(1, size):
        if bytes[i] & 0xC0 != 0x80:
            return 0
    if (lead == 0xE0 and bytes[1] < 0xA0) or (lead == 0xF0 and bytes[1] < 0x90) or (lead == 0xF4 and bytes[1] > 0x8F):
        return 0
    return size


cdef bint is_utf8(const uint8_t *bytes, size_t n) noexcept nogil:
    cdef size_t i = 0, size
    while i < n:
        if i + 8 <= n and not load_word(bytes + i) & <uint64_t>0x8080808080808080:
            i += 8
            continue
        size = character_size(bytes + i, n - i)
        if size == 0:
            return False
        i += size
    return True


def check_terms(const uint8_t[::1] blob, const int64_t[::1] offsets):
    """The first string that is not UTF-8 or not greater than the one before it; -1 if there is none."""
    cdef Table table = borrowed_table(blob, offsets)
    cdef int64_t bad = -1
    cdef size_t i
    with nogil:
        for i in range(table.n_terms):
            if not is_utf8(term_bytes(&table, i), term_length(&table, i)) or (
                i > 0 and compare_terms(&table, i - 1, &table, i) >= 0
            ):
                bad = i
                break
    return bad


cdef bint is_ngram(const int32_t *rest, size_t width, int64_t n_words) noexcept nogil:
    """Whether these are word ids, followed by nothing but -1."""
    cdef size_t i
    for i in range(width):
        if not -1 <= rest[i] < n_words or (i > 0 and rest[i - 1] < 0 <= rest[i]):
            return False
    return True


cdef int64_t first_bad_ngram(
    int64_t n_words, const int64_t *starts, const int32_t *ngrams, size_t width
) noexcept nogil:
    cdef int64_t word, i
    for word in range(n_words):
        for i in range(starts[word], starts[word + 1]):
            if not is_ngram(ngrams + i * width, width, n_words):
                return i
            if i > starts[word] and compare_ngrams(ngrams + (i - 1) * width, ngrams + i * width, width) >= 0:
                return i
    return -1


def check_ngrams(Py_ssize_t n_words, const int64_t[::1] starts, const int32_t[:, ::1] rest):
    """The first n-gram that is invalid or not greater than the one before it; -1 if there is none."""
    cdef const int32_t *ngrams = &rest[0, 0] if rest.size > 0 else NULL
    cdef int64_t bad
    check_starts(n_words, starts, rest)
    with nogil:
        bad = first_bad_ngram(n_words, &starts[0], ngrams, rest.shape[1])
    return bad
