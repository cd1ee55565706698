# cython: language_level=3, cdivision=True, show_performance_hints=False
"""Text to counts, without the GIL: the accelerator of the built-in analyzers.

A document becomes lower-cased UTF-8, cut into spans (words, or character n-grams). A span is interned in a hash table,
which numbers the distinct ones, and counted in the document's row. A word n-gram is the pair (n-gram of one word less,
last word), so no text is joined to look it up. Each worker has a table of its own; at the end the tables are merged,
the terms sorted, and the rows written with the sorted terms' numbers. UTF-8 sorts as code points do.
"""

import os
from functools import partial

import numpy as np

from textnb.text.threads import run_blocks

cdef extern from *:
    dict __Pyx_PyDict_NewPresized(Py_ssize_t size)  # Cython's own, on any Python

include "_kernel_base.pxi"
include "_kernel_table.pxi"
include "_kernel_count.pxi"
include "_kernel_order.pxi"
include "_kernel_rows.pxi"

SMALLEST_BLOCK = 1 << 16  # characters, unless there are fewer
LARGEST_BLOCK = 1 << 22
LARGEST_INDEX = (1 << 31) - 1  # in 32 bits
KINDS = {"word": WORD, "char": CHAR, "char_wb": CHAR_WB}


# Python strings -------------------------------------------------------------------------------------------------------

cdef object decode_term(const Table *table, uint32_t term):
    """The term as a str; a word n-gram is its words, found from the last to the first, joined by spaces."""
    cdef uint32_t node = term, word
    cdef size_t size = 0, i
    cdef uint8_t *start
    cdef uint8_t combined = 0
    while table.lengths[node] == PAIR:
        size += table.lengths[last_word(table, node)] + 1
        node = prefix(table, node)
    size += table.lengths[node]
    text = PyUnicode_New(size, 127)
    start = <uint8_t *>PyUnicode_DATA(text) + size
    while table.lengths[term] == PAIR:
        word = last_word(table, term)
        start -= table.lengths[word]
        memcpy(start, table.bytes + table.places[word], table.lengths[word])
        start -= 1
        start[0] = c" "
        term = prefix(table, term)
    start -= table.lengths[term]
    memcpy(start, table.bytes + table.places[term], table.lengths[term])
    for i in range(size):
        combined |= start[i]
    return text if combined < 0x80 else PyUnicode_DecodeUTF8(<const char *>start, size, "surrogatepass")


cdef struct Buffer:
    uint8_t *bytes
    size_t capacity


cdef int64_t encode_text(object text, Buffer *buffer) except -1:
    """Write a str as UTF-8 into the buffer, with padding; the number of bytes."""
    cdef int width = PyUnicode_KIND(text)
    cdef const void *characters = PyUnicode_DATA(text)
    cdef size_t n = PyUnicode_GET_LENGTH(text), size = 0, i
    if n > LONGEST:
        raise ValueError(f"the term {text[:20]!r}… has {n} characters, more than {LONGEST}; leave it out.")
    buffer.bytes = <uint8_t *>reserve(buffer.bytes, &buffer.capacity, 4 * n + PADDING, 1)
    for i in range(n):
        size += encode(PyUnicode_READ(width, characters, i), buffer.bytes + size)
    return size


cdef int64_t intern_words(Table *table, const uint8_t *bytes, size_t size) except -1 nogil:
    """The id of a term given as words with a space between each two, as pairs of all but the last word and the last."""
    cdef size_t start = 0, end
    cdef int64_t term = -1, word
    cdef Key key
    while start <= size:
        end = start
        while end < size and bytes[end] != c" ":
            end += 1
        key = bytes_key(SEEDS, bytes + start, <uint32_t>(end - start))
        word = intern(table, &key)
        if term < 0:
            term = word
        else:
            key = pair_key(<uint32_t>term, <uint32_t>word)
            term = intern(table, &key)
        start = end + 1
    return term


cdef int64_t[::1] intern_terms(Table *table, terms, bint split):
    """The ids of the terms, which are split into words or taken as they are."""
    cdef int64_t[::1] ids = np.empty(len(terms), dtype=np.int64)
    cdef Buffer buffer = Buffer(NULL, 0)
    cdef size_t place, size
    cdef Key key
    try:
        for place, term in enumerate(terms):
            if not isinstance(term, str):
                raise TypeError(f"the term {term!r} is a {type(term).__name__}, not a str.")
            size = encode_text(term, &buffer)
            if split:
                ids[place] = intern_words(table, buffer.bytes, size)
            else:
                key = bytes_key(SEEDS, buffer.bytes, <uint32_t>size)
                ids[place] = intern(table, &key)
    finally:
        free(buffer.bytes)
    return ids


cdef class KernelVocabulary:
    """Terms and their columns, compiled for look-up. Without `ids` the columns are the terms' places."""

    cdef Table words  # terms as word n-grams
    cdef Table texts  # terms as character n-grams
    cdef object word_columns, text_columns  # of the tables' terms, once they are compiled
    cdef readonly tuple terms
    cdef readonly object ids

    def __cinit__(self):
        open_table(&self.words)
        open_table(&self.texts)

    def __init__(self, terms, ids=None):
        self.terms = tuple(terms)
        self.ids = np.arange(len(self.terms)) if ids is None else np.array(ids, dtype=np.int64)
        if self.ids.shape != (len(self.terms),) or self.ids.min(initial=0) < 0 or self.ids.max(initial=0) > MOST_TERMS:
            raise ValueError(f"each of the {len(self.terms)} terms needs an id from 0 to {MOST_TERMS}.")

    def __dealloc__(self):
        close_table(&self.words)
        close_table(&self.texts)

    def __reduce__(self):
        return KernelVocabulary, (self.terms, self.ids)

    def __len__(self):
        return len(self.terms)

    cdef object compile(self, bint split):
        """Fill the table that an analyzer needs, when it is first needed. Returns the columns of the table's terms."""
        cdef Table *table = &self.words if split else &self.texts
        columns = self.word_columns if split else self.text_columns
        if columns is None:
            places = np.asarray(intern_terms(table, self.terms, split))
            columns = np.full(table.n_terms, -1, dtype=np.int32)
            columns[places] = self.ids
            if np.count_nonzero(columns >= 0) < len(self.terms):
                raise ValueError("a vocabulary must not repeat a term.")
            if split:
                self.word_columns = columns
            else:
                self.text_columns = columns
        return columns


# Counting all documents -----------------------------------------------------------------------------------------------

cdef class Counting:
    """Documents on their way to rows: workers with their tables, and blocks of rows. Frees what it holds."""

    cdef tuple texts
    cdef Settings settings
    cdef Table stop_words
    cdef object kept  # what the settings point into
    cdef Worker *workers
    cdef int n_workers
    cdef Block *blocks
    cdef int n_blocks
    cdef list bounds  # of each block, the first document and the one after the last
    cdef int64_t[::1] row_sizes, unknown

    def __dealloc__(self):
        cdef int i
        for i in range(self.n_workers):
            close_worker(&self.workers[i])
        for i in range(self.n_blocks):
            free(self.blocks[i].entries)
        free(self.workers)
        free(self.blocks)
        close_table(&self.stop_words)

    cdef int set_analysis(self, analyzer, ngram_min, ngram_max, lowercase, stop_words) except -1:
        if analyzer not in KINDS:
            raise ValueError(f"analyzer must be one of {', '.join(KINDS)}, got {analyzer!r}.")
        if not 1 <= ngram_min <= ngram_max:
            raise ValueError(f"n-grams need 1 <= ngram_min <= ngram_max, got {ngram_min} and {ngram_max}.")
        self.settings.kind = KINDS[analyzer]
        self.settings.ngram_min = min(ngram_min, LONGEST)
        self.settings.ngram_max = min(ngram_max, LONGEST)
        self.settings.lowercase = lowercase
        if stop_words and self.settings.kind == WORD:
            open_table(&self.stop_words)
            intern_terms(&self.stop_words, [word for word in stop_words if isinstance(word, str)], False)
            self.settings.stop_words = &self.stop_words
        return 0

    cdef int set_vocabulary(self, KernelVocabulary vocabulary) except -1:
        cdef bint split = self.settings.kind == WORD
        cdef int32_t[::1] columns = vocabulary.compile(split)
        self.kept = vocabulary, columns
        self.settings.known = &vocabulary.words if split else &vocabulary.texts
        self.settings.columns = &columns[0] if len(columns) > 0 else NULL
        return 0

    cdef int set_texts(self, texts, n_threads) except -1:
        """Take the documents, and open the workers and blocks to count them with."""
        cdef int i, n_workers
        if n_threads < 1:
            raise ValueError(f"n_threads must be 1 or more, got {n_threads}.")
        self.texts = tuple(texts)  # nobody else can change it
        self.bounds = block_bounds(self.texts, n_threads)
        self.row_sizes = np.zeros(len(self.texts), dtype=np.int64)
        self.unknown = np.zeros(len(self.texts), dtype=np.int64)
        n_workers = min(n_threads, max(1, len(self.bounds)))
        self.workers = <Worker *>calloc(n_workers, sizeof(Worker))
        self.blocks = <Block *>calloc(len(self.bounds) + 1, sizeof(Block))
        if self.workers == NULL or self.blocks == NULL:
            out_of_memory()
        self.n_workers = n_workers
        self.n_blocks = len(self.bounds)
        for i in range(n_workers):
            self.workers[i].table = self.settings.known
            if self.settings.known == NULL:
                open_table(&self.workers[i].own)
                self.workers[i].table = &self.workers[i].own
        return 0

    cdef Document document(self, size_t place, list lowered) except *:
        """Where a document's characters are. Other than ASCII is lower-cased here, by the interpreter's own rules."""
        cdef Document document
        cdef object text = self.texts[place]
        if self.settings.lowercase and not PyUnicode_IS_ASCII(text):
            text = str.lower(text)
            lowered.append(text)
        if PyUnicode_GET_LENGTH(text) > LONGEST:
            raise ValueError(f"document {place} has {len(text)} characters, more than {LONGEST}; split it.")
        document.characters = PyUnicode_DATA(text)
        document.n_characters = PyUnicode_GET_LENGTH(text)
        document.width = PyUnicode_KIND(text)
        document.ascii = PyUnicode_IS_ASCII(text)
        return document

    cdef int count_block(self, int number, int worker_number) except -1:
        """Count the documents of one block into its rows."""
        cdef Worker *worker = &self.workers[worker_number]
        cdef size_t first, last, i
        cdef Document *documents
        cdef list lowered = []  # keeps alive what the documents point into
        first, last = self.bounds[number]
        worker.block = &self.blocks[number]
        worker.block.worker = worker_number
        documents = <Document *>malloc((last - first) * sizeof(Document))
        if documents == NULL:
            out_of_memory()
        try:
            for i in range(first, last):
                documents[i - first] = self.document(i, lowered)
            with nogil:
                for i in range(first, last):
                    count_document(worker, &self.settings, &documents[i - first])
                    self.row_sizes[i] = worker.n_before + <int64_t>worker.block.n_entries - worker.row_start
                    self.unknown[i] = worker.n_unknown
            worker.n_before += worker.block.n_entries
        finally:
            free(documents)
        return 0

    cdef tuple sort_terms(self):
        """The terms that were counted, in sorted order, by their ids in the first worker's table, where all terms are
        brought together; and for each worker the columns of its terms."""
        cdef Table *table = &self.workers[0].own
        cdef Worker *worker
        cdef uint32_t[::1] ids
        cdef int32_t[::1] ranks
        cdef uint8_t[::1] wanted
        cdef size_t i
        cdef int number
        maps = []
        for number in range(self.n_workers):
            worker = &self.workers[number]
            ids = np.arange(worker.own.n_terms + 1, dtype=np.uint32)
            if number > 0:
                with nogil:
                    absorb(table, &worker.own, &ids[0])
                    close_table(&worker.own)
            maps.append(ids)
        wanted = np.zeros(table.n_terms + 1, dtype=np.uint8)
        for number, ids in enumerate(maps):
            worker = &self.workers[number]
            for i in range(min(<size_t>len(ids) - 1, worker.marks_capacity)):
                if worker.marks[i] > 0:
                    wanted[ids[i]] = 1
        free(table.slots)  # nothing is looked up any more
        table.slots = NULL
        ranks = np.empty(table.n_terms + 1, dtype=np.int32)
        with nogil:
            rank_terms(table, &wanted[0], &ranks[0])
        terms = np.flatnonzero(wanted)
        order = np.empty(len(terms), dtype=np.int64)
        order[np.asarray(ranks)[terms]] = terms
        return order, [np.asarray(ranks)[ids] for ids in maps]

    cdef dict number_terms(self, const int64_t[::1] order):
        """The strings of the terms with these ids, numbered."""
        cdef const Table *table = &self.workers[0].own
        cdef size_t n = len(order), i, term
        cdef list terms = [None] * n
        cdef dict numbers = __Pyx_PyDict_NewPresized(n)
        for i in range(n):
            if i + 24 < n:  # reading a word takes three steps through memory, each of them begun ahead
                prefetch(table.places + order[i + 24])
                prefetch(table.lengths + order[i + 24])
            if i + 16 < n:
                term = order[i + 16]
                if table.lengths[term] == PAIR:
                    prefetch(table.places + last_word(table, term))
                    prefetch(table.lengths + last_word(table, term))
            if i + 8 < n:
                term = order[i + 8]
                if table.lengths[term] == PAIR:
                    term = last_word(table, term)
                prefetch(table.bytes + table.places[term])
            terms[i] = decode_term(table, <uint32_t>order[i])
        for i in range(n):  # in a loop of its own: the dictionary would drive the table out of the processor's cache
            numbers[terms[i]] = i
        return numbers

    cdef int write_block(
        self, int number, int32_t[::1] columns, indptr, indices, int64_t[::1] data, int n_bits, bint binary
    ) except -1:
        """Write the rows of a block, and free it."""
        cdef Block *block = &self.blocks[number]
        cdef int64_t[::1] ends = indptr[1:]
        cdef int32_t[::1] narrow
        cdef int64_t[::1] wide
        cdef size_t first, last, n
        cdef int64_t start
        first, last = self.bounds[number]
        n = last - first
        start = indptr[first]
        if block.n_entries > 0:
            if indices.dtype == np.int32:
                narrow = indices
                with nogil:
                    write_rows(block, &columns[0], &ends[first], n, start, n_bits, binary, &narrow[0], &data[0])
            else:
                wide = indices
                with nogil:
                    write_rows(block, &columns[0], &ends[first], n, start, n_bits, binary, &wide[0], &data[0])
        free(block.entries)
        block.entries = NULL
        return 0


def block_bounds(tuple texts, n_threads):
    """Blocks of similar size: several a thread, to share the work evenly, and none so big that Ctrl-C must wait."""
    cdef int64_t[::1] sizes = np.empty(len(texts), dtype=np.int64)
    cdef size_t place
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"document {place} is a {type(text).__name__}, not a str.")
        sizes[place] = PyUnicode_GET_LENGTH(text) + 16
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(texts) else 0
    n_blocks = max(1, min(8 * n_threads, total // SMALLEST_BLOCK), total // LARGEST_BLOCK)
    cuts = np.searchsorted(ends, np.arange(1, n_blocks) * total // n_blocks)
    cuts = np.unique(np.concatenate(([0], cuts, [len(texts)]))).tolist()
    return list(zip(cuts[:-1], cuts[1:]))


def write_matrix(Counting counting not None, columns, n_columns, binary, other_jobs=()):
    """The rows as CSR arrays, given the columns of each worker's terms; other jobs run beside the writing."""
    indptr = np.concatenate(([0], np.cumsum(counting.row_sizes)))
    index_type = np.int32 if indptr[-1] <= LARGEST_INDEX else np.int64
    indices = np.empty(indptr[-1], dtype=index_type)
    data = np.empty(indptr[-1], dtype=np.int64)
    cdef int n_bits = int(n_columns).bit_length()
    cuts = [counting.n_blocks * part // counting.n_workers for part in range(counting.n_workers + 1)]

    def write(first, last):
        for number in range(first, last):
            counting.write_block(number, columns[counting.blocks[number].worker], indptr, indices, data, n_bits, binary)

    jobs = [*other_jobs, *[partial(write, first, last) for first, last in zip(cuts[:-1], cuts[1:])]]
    run_blocks(lambda job, worker: job(), jobs, counting.n_workers)
    return indptr.astype(index_type), indices, data


def count_growing(texts, analyzer, ngram_min, ngram_max, lowercase, stop_words, n_threads, *, binary=False):
    """The terms of the texts, sorted and numbered, and how often each text has each: `(terms, indptr, indices, data)`.

    The arrays are canonical CSR. Results are those of scikit-learn's CountVectorizer, whatever the number of threads.
    """
    cdef Counting counting = Counting()
    counting.set_analysis(analyzer, ngram_min, ngram_max, lowercase, stop_words)
    counting.set_texts(texts, n_threads)
    run_blocks(lambda block, worker: counting.count_block(block, worker), range(counting.n_blocks), n_threads)
    order, columns = counting.sort_terms()
    numbered = []
    number = lambda: numbered.append(counting.number_terms(order))
    arrays = write_matrix(counting, columns, len(order), binary, [number])
    return numbered.pop(), *arrays


def count_known(
    texts, KernelVocabulary vocabulary not None, analyzer, ngram_min, ngram_max, lowercase, stop_words, n_threads, *,
    binary=False, unknown=False
):
    """How often each text has each term of the vocabulary: `(indptr, indices, data, unknown_per_document)`.

    The last is how many words or n-grams each text has outside the vocabulary, or None if that is not asked for.
    """
    cdef Counting counting = Counting()
    counting.set_analysis(analyzer, ngram_min, ngram_max, lowercase, stop_words)
    counting.set_vocabulary(vocabulary)
    counting.set_texts(texts, n_threads)
    run_blocks(lambda block, worker: counting.count_block(block, worker), range(counting.n_blocks), n_threads)
    columns = vocabulary.compile(counting.settings.kind == WORD)
    arrays = write_matrix(counting, [columns] * counting.n_workers, columns.max(initial=0) + 1, binary)
    return *arrays, np.asarray(counting.unknown) if unknown else None


def _hashes(terms, seeds=SEEDS):
    """The hashes of the terms under the seeds, by default those of this process: for tests of the hash."""
    cdef uint64_t[4] c_seeds = seeds
    cdef Buffer buffer = Buffer(NULL, 0)
    cdef size_t size
    hashes = []
    try:
        for term in terms:
            size = encode_text(term, &buffer)
            hashes.append(bytes_key(c_seeds, buffer.bytes, <uint32_t>size).hash)
    finally:
        free(buffer.bytes)
    return np.array(hashes, dtype=np.uint64)
