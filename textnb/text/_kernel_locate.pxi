"""Where a document has known terms: its words or characters are units, and a term is a run of them."""

from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

cdef extern from "Python.h":
    void PyObject_GC_UnTrack(void *object)


def locate_known(str text not None, Probe probe not None, columns, analyzer, ngram_min, ngram_max, lowercase, stop_words):
    """Where a text has the terms of the probe: `(columns, first, n_units, starts, ends)`.

    The first three have one entry per word or n-gram of the text: its column as in `count_known`, -1 for one that has
    none, its first unit, and how many units it has. The others say where the units start and end in the text, or in
    its lower case if that is to be taken.
    """
    cdef Counting counting = Counting()
    counting.set_analysis(analyzer, ngram_min, ngram_max, lowercase, stop_words)
    if ngram_max > 1:
        probe.prepare(len(text))
    counting.set_known(probe, columns)
    text = prepared_text(text, lowercase)
    cdef Document document = text_document(text, 0)
    if counting.settings.kind == WORD or counting.settings.kind == MAIL:
        return located_words(counting, &document)
    return located_characters(counting, &document)


cdef inline int64_t known_column(const Known *known, uint32_t term) noexcept nogil:
    """The column of a term, -1 for none."""
    if term == NONE:
        return -1
    if known.columns == NULL:
        return term
    return known.columns[term]


def spans_by_id(
    const int64_t[:] ids not None, const int64_t[:] first not None, const int64_t[:] n_units not None,
    const int64_t[:] starts not None, const int64_t[:] ends not None, Py_ssize_t n
):
    """For each id below n, the (start, end) of its occurrences, each of which is a run of one unit or more."""
    cdef Py_ssize_t i
    cdef int64_t[::1] sizes = np.bincount(ids, minlength=n)
    cdef list spans = [PyTuple_New(sizes[i]) for i in range(n)]
    cdef tuple span
    for i in reversed(range(ids.shape[0])):
        if not (0 <= first[i] and 0 < n_units[i] <= starts.shape[0] - first[i]):
            raise IndexError(f"occurrence {i} has units that are not there.")
        span = (starts[first[i]], ends[first[i] + n_units[i] - 1])
        PyObject_GC_UnTrack(<void *>span)  # whole numbers make no cycles, and thousands of them no work
        sizes[ids[i]] -= 1
        Py_INCREF(span)
        PyTuple_SET_ITEM(spans[ids[i]], sizes[ids[i]], span)
    for of_id in spans:
        if of_id:
            PyObject_GC_UnTrack(<void *>of_id)
    return spans


# Words ----------------------------------------------------------------------------------------------------------------

cdef size_t find_words(
    const Settings *settings, const Document *document, uint8_t *buffer, int64_t *starts, int64_t *ends, uint32_t *ids
) except? 0 nogil:
    """Where the words other than stop words start and end, and their ids; returns their number."""
    cdef bint is_mail = settings.kind == MAIL
    cdef size_t n_words = 0, i, start = 0, stop = 0, size = 0
    cdef uint32_t character
    cdef Key key
    while settings.words != TWO_OR_MORE and next_token(settings, document, &start, &stop):
        size = 0
        for i in range(start, stop):
            size += encode(lower_ascii(settings, document, i), buffer + size)
        key = bytes_key(SEEDS, buffer, <uint32_t>size)
        if settings.stop_words == NULL or find(settings.stop_words, &key) == NONE:
            starts[n_words] = start
            ends[n_words] = stop
            ids[n_words] = find(&settings.known.table, &key)
            n_words += 1
    if settings.words != TWO_OR_MORE:
        return n_words
    for i in range(document.n_characters + 1):
        if i < document.n_characters:
            character = lower_ascii(settings, document, i)
            if not separates_terms(character) if is_mail else Py_UNICODE_ISALNUM(character) or character == c"_":
                size += encode(character, buffer + size)
                continue
        if i >= start + (1 if is_mail else 2):
            key = bytes_key(SEEDS, buffer, <uint32_t>size)
            if settings.stop_words == NULL or find(settings.stop_words, &key) == NONE:
                starts[n_words] = start
                ends[n_words] = i
                ids[n_words] = find(&settings.known.table, &key)
                n_words += 1
        start = i + 1
        size = 0
    return n_words


cdef tuple located_words(Counting counting, const Document *document):
    cdef size_t most = document.n_characters + 1, low, high, n, i, k = 0
    cdef uint8_t[::1] buffer = np.empty(4 * document.n_characters + PADDING, dtype=np.uint8)
    cdef int64_t[::1] starts = np.empty(most, dtype=np.int64), ends = np.empty(most, dtype=np.int64)
    cdef uint32_t[::1] ids = np.empty(most, dtype=np.uint32)
    cdef Worker worker
    memset(&worker, 0, sizeof(Worker))
    with nogil:
        worker.n_words = find_words(&counting.settings, document, &buffer[0], &starts[0], &ends[0], &ids[0])
    low, high = counting.settings.ngram_min, min(counting.settings.ngram_max, worker.n_words)
    sizes = np.arange(low, high + 1)
    n_runs = worker.n_words - sizes + 1
    cdef int64_t[::1] columns = np.empty(n_runs.sum() + 1, dtype=np.int64)
    worker.words = &ids[0]
    try:
        for n in range(low, high + 1):
            counting.settings.ngram_min = counting.settings.ngram_max = n
            for i in range(worker.n_words - n + 1):
                if counting.settings.joined:
                    worker.n_row = 0
                    find_ngrams_at(&worker, &counting.settings, i)
                    columns[k] = -1
                    if worker.n_row > 0:
                        columns[k] = <int64_t>(worker.row[0] >> 32)
                else:
                    columns[k] = known_column(counting.settings.known, ids[i])
                k += 1
    finally:
        free(worker.row)
    first = np.concatenate([np.arange(n) for n in n_runs]) if len(n_runs) else n_runs
    n_words = worker.n_words
    return np.asarray(columns)[:k], first, np.repeat(sizes, n_runs), np.asarray(starts)[:n_words], np.asarray(ends)[:n_words]


# Characters -----------------------------------------------------------------------------------------------------------

cdef struct Characters:  # of a document, each run of white space as one; for "char_wb" one space around every word
    uint8_t *text  # their UTF-8
    size_t n_text
    int64_t *begins  # where each begins there, and where the last ends
    int64_t *n_before  # how many units there are before each, and in all: a space that was added is none
    size_t n
    int64_t *starts  # of the units
    int64_t *ends
    int64_t n_units


cdef void put_character(Characters *characters, uint32_t character, bint is_unit, size_t start, size_t end) noexcept nogil:
    characters.begins[characters.n] = characters.n_text
    characters.n_before[characters.n] = characters.n_units
    characters.n_text += encode(character, characters.text + characters.n_text)
    characters.n += 1
    if is_unit:
        characters.starts[characters.n_units] = start
        characters.ends[characters.n_units] = end
        characters.n_units += 1


cdef void cut_characters(const Settings *settings, const Document *document, Characters *characters) noexcept nogil:
    """As `scan_characters` cuts a document."""
    cdef bint word_bound = settings.kind == CHAR_WB
    cdef size_t i, n_spaces = 2 if word_bound else 0
    cdef uint32_t character, space = c" "
    for i in range(document.n_characters + 1):
        if i < document.n_characters:
            character = lower_ascii(settings, document, i)
            if Py_UNICODE_ISSPACE(character):
                n_spaces += 1
                space = character
                continue
        elif word_bound:
            n_spaces = 2
        if n_spaces > 0:
            put_character(
                characters, space if n_spaces == 1 and not word_bound else c" ", not word_bound, i - n_spaces, i
            )
            n_spaces = 0
        if i < document.n_characters:
            put_character(characters, character, True, i, i + 1)
    characters.begins[characters.n] = characters.n_text
    characters.n_before[characters.n] = characters.n_units


cdef size_t find_runs(
    const Settings *settings, const Characters *characters, size_t first, size_t end,
    int64_t *columns, int64_t *units, int64_t *sizes
) noexcept nogil:
    """The n-grams of the characters from `first` to before `end`, or of all of them where those are too few.

    Returns their number; where `columns` is NULL, that is all.
    """
    cdef size_t shortest = min(settings.ngram_min, end - first) if settings.kind == CHAR_WB else settings.ngram_min
    cdef size_t n_found = 0, i, n
    cdef Key key
    for i in range(first, end):
        for n in range(shortest, min(settings.ngram_max, end - i) + 1):
            if columns != NULL:
                key = bytes_key(
                    SEEDS, characters.text + characters.begins[i],
                    <uint32_t>(characters.begins[i + n] - characters.begins[i])
                )
                columns[n_found] = known_column(settings.known, find(&settings.known.table, &key))
                units[n_found] = characters.n_before[i]
                sizes[n_found] = characters.n_before[i + n] - characters.n_before[i]
            n_found += 1
    return n_found


cdef size_t find_all_runs(
    const Settings *settings, const Characters *characters, int64_t *columns, int64_t *units, int64_t *sizes
) noexcept nogil:
    cdef size_t n_found = 0, first = 0, last
    if settings.kind == CHAR:
        return find_runs(settings, characters, 0, characters.n, columns, units, sizes)
    while first + 1 < characters.n:
        last = first + 1
        while characters.text[characters.begins[last]] != c" ":
            last += 1
        if columns == NULL:
            n_found += find_runs(settings, characters, first, last + 1, NULL, NULL, NULL)
        else:
            n_found += find_runs(
                settings, characters, first, last + 1, columns + n_found, units + n_found, sizes + n_found
            )
        first = last
    return n_found


cdef tuple located_characters(Counting counting, const Document *document):
    cdef size_t n = document.n_characters + 3, n_runs
    cdef uint8_t[::1] text = np.empty(4 * n + PADDING, dtype=np.uint8)
    cdef int64_t[:, ::1] arrays = np.empty((4, n), dtype=np.int64)
    cdef Characters characters
    memset(&characters, 0, sizeof(Characters))
    characters.text, characters.begins, characters.n_before = &text[0], &arrays[0, 0], &arrays[1, 0]
    characters.starts, characters.ends = &arrays[2, 0], &arrays[3, 0]
    with nogil:
        cut_characters(&counting.settings, document, &characters)
        n_runs = find_all_runs(&counting.settings, &characters, NULL, NULL, NULL)
    cdef int64_t[:, ::1] runs = np.empty((3, n_runs + 1), dtype=np.int64)
    with nogil:
        find_all_runs(&counting.settings, &characters, &runs[0, 0], &runs[1, 0], &runs[2, 0])
    columns, units, sizes = np.asarray(runs)[:, :n_runs]
    starts, ends = np.asarray(arrays)[2:, : characters.n_units]
    return columns, units, sizes, starts, ends
