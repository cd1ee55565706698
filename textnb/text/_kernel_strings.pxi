"""Python strings: to UTF-8, and terms back to strings."""

cdef inline bytes padded_utf8(object text):
    """The str as UTF-8 and eight more bytes, which `bytes_key` may read."""
    return str.encode(text, "utf-8", "surrogatepass") + b"\0\0\0\0\0\0\0\0"


cdef inline Key padded_key(const uint64_t *seeds, bytes padded):
    return bytes_key(seeds, <const uint8_t *><const char *>padded, <uint32_t>(len(padded) - 8))


cdef int intern_strings(Table *table, strings) except -1:
    """Put the strings among a collection into a table, but for those too long to be in a document."""
    cdef bytes padded
    cdef Key key
    for string in strings:
        if isinstance(string, str) and PyUnicode_GET_LENGTH(string) <= LONGEST:
            padded = padded_utf8(string)
            key = padded_key(SEEDS, padded)
            intern(table, &key)
    return 0


def _hashes(terms, seeds=SEEDS):
    """The hashes of the terms under the seeds, by default those of this process: for tests of the hash."""
    cdef uint64_t[4] c_seeds = seeds
    return np.array([padded_key(c_seeds, padded_utf8(term)).hash for term in terms], dtype=np.uint64)


# Terms as strings -----------------------------------------------------------------------------------------------------

cdef extern from *:
    dict __Pyx_PyDict_NewPresized(Py_ssize_t size)  # Cython's own, on any Python


cdef inline object finished_string(object text, const uint8_t *start, size_t size):
    """`text` if the bytes written into it are ASCII, otherwise the str decoded from them."""
    cdef uint8_t combined = 0
    cdef size_t i
    for i in range(size):
        combined |= start[i]
    return text if combined < 0x80 else PyUnicode_DecodeUTF8(<const char *>start, size, "surrogatepass")


cdef inline object term_string(const Table *table, size_t term):
    cdef size_t size = term_length(table, term)
    cdef object text = PyUnicode_New(size, 127)
    cdef uint8_t *start = <uint8_t *>PyUnicode_DATA(text)
    memcpy(start, term_bytes(table, term), size)
    return finished_string(text, start, size)


cdef object ngram_string(const Table *words, size_t first, const int32_t *rest, size_t width):
    """The words, joined by blanks."""
    cdef size_t size = term_length(words, first), n = 0, i
    cdef object text
    cdef uint8_t *start
    cdef uint8_t *end
    while n < width and rest[n] >= 0:
        size += 1 + term_length(words, rest[n])
        n += 1
    text = PyUnicode_New(size, 127)
    start = end = <uint8_t *>PyUnicode_DATA(text)
    memcpy(end, term_bytes(words, first), term_length(words, first))
    end += term_length(words, first)
    for i in range(n):
        end[0] = c" "
        memcpy(end + 1, term_bytes(words, rest[i]), term_length(words, rest[i]))
        end += 1 + term_length(words, rest[i])
    return finished_string(text, start, size)


def term_strings(const uint8_t[::1] blob, const int64_t[::1] offsets):
    """The strings of a table as a list."""
    cdef Table table = borrowed_table(blob, offsets)
    cdef Py_ssize_t n = table.n_terms, i
    cdef list strings = [None] * n
    for i in range(n):
        strings[i] = term_string(&table, i)
    return strings


def ngram_strings(
    const uint8_t[::1] blob, const int64_t[::1] offsets, const int64_t[::1] starts, const int32_t[:, ::1] rest,
    const int64_t[::1] ids=None
):
    """The n-grams of a table as a list of strings: those with these ids, or all."""
    cdef Table words = borrowed_table(blob, offsets)
    cdef Py_ssize_t n = rest.shape[0] if ids is None else ids.shape[0], width = rest.shape[1], i
    cdef int64_t term, first = 0
    cdef int64_t[::1] firsts
    check_starts(words.n_terms, starts, rest)
    check_ids(rest, words.n_terms)
    if ids is not None:
        if np.min(ids, initial=0) < 0 or np.max(ids, initial=-1) >= rest.shape[0]:
            raise IndexError(f"an id is out of range: there are {rest.shape[0]}.")
        firsts = np.searchsorted(starts, ids, side="right") - 1
    cdef const int32_t *ngrams = &rest[0, 0] if rest.size > 0 else NULL
    cdef list strings = [None] * n
    for i in range(n):
        term = i if ids is None else ids[i]
        if ids is not None:
            first = firsts[i]
        while starts[first + 1] <= term:
            first += 1
        strings[i] = ngram_string(&words, first, ngrams + term * width, width)
    return strings


def probe_strings(Probe probe not None, const int64_t[::1] ids not None):
    """The terms of a probe with these ids, as strings."""
    cdef const Known *known = &probe.known
    cdef Py_ssize_t n_terms = len(probe), i
    cdef size_t width = known.width if known.starts != NULL else 0, k
    cdef const int32_t *rest = NULL
    cdef const int64_t[::1] firsts
    cdef list strings = [None] * ids.shape[0]
    if known.starts != NULL:
        firsts = np.searchsorted(np.asarray(probe.starts), ids, side="right") - 1
    for i in range(ids.shape[0]):
        if not 0 <= ids[i] < n_terms:
            raise IndexError(f"id {ids[i]} is out of range: there are {n_terms}.")
        if known.starts == NULL:
            strings[i] = term_string(&known.table, ids[i])
            continue
        rest = known.rest + ids[i] * width
        for k in range(width):
            if rest[k] >= <int64_t>known.table.n_terms:
                raise ValueError(f"a word of n-gram {ids[i]} is out of range.")
        strings[i] = ngram_string(&known.table, firsts[i], rest, width)
    return strings


def number_strings(list strings not None):
    """A dict from each string to its position in the list."""
    cdef dict numbers = __Pyx_PyDict_NewPresized(len(strings))
    cdef Py_ssize_t i
    for i in range(len(strings)):
        numbers[strings[i]] = i
    return numbers


def ngram_numbers(
    const uint8_t[::1] blob, const int64_t[::1] offsets, const int64_t[::1] starts, const int32_t[:, ::1] rest
):
    """A dict from each n-gram of a table, as a string, to its position."""
    cdef Table words = borrowed_table(blob, offsets)
    cdef Py_ssize_t n = rest.shape[0], width = rest.shape[1], i
    cdef int64_t first = 0
    check_starts(words.n_terms, starts, rest)
    check_ids(rest, words.n_terms)
    cdef const int32_t *ngrams = &rest[0, 0] if rest.size > 0 else NULL
    cdef dict numbers = __Pyx_PyDict_NewPresized(n)
    for i in range(n):
        while starts[first + 1] <= i:
            first += 1
        numbers[ngram_string(&words, first, ngrams + i * width, width)] = i
    return numbers
