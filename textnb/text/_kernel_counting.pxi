"""Share documents among threads, and write their rows into one matrix."""

SMALLEST_BLOCK = 1 << 16  # characters, unless there are fewer
LARGEST_BLOCK = 1 << 22
LARGEST_INDEX = (1 << 31) - 1  # in 32 bits
KINDS = {"word": WORD, "char": CHAR, "char_wb": CHAR_WB, "mail": MAIL, "punctuation": WORD, "unicode": WORD}
WORDS = {"punctuation": WITH_MARKS, "unicode": UNICODE_WORDS}
WIDEST = 64  # words in an n-gram, unless a document has more


cdef inline object prepared_text(object text, bint lowercase):
    """The text, lower-cased by Python if it is to be and is more than ASCII."""
    return str.lower(text) if lowercase and not PyUnicode_IS_ASCII(text) else text


cdef inline Document text_document(object text, size_t place) except *:
    """The characters of a text, which must be kept alive."""
    cdef Document document
    if PyUnicode_GET_LENGTH(text) > LONGEST:
        raise ValueError(f"document {place} has {len(text)} characters, more than {LONGEST}; split it.")
    document.characters = PyUnicode_DATA(text)
    document.n_characters = PyUnicode_GET_LENGTH(text)
    document.width = PyUnicode_KIND(text)
    document.ascii = PyUnicode_IS_ASCII(text)
    return document


cdef class Counting:
    """The state of one count: workers with their tables, and blocks of rows."""

    cdef tuple texts
    cdef Settings settings
    cdef Table stop_words
    cdef Known known
    cdef object kept  # what is known, as long as it is pointed into
    cdef Worker *workers
    cdef int n_workers
    cdef Block *blocks
    cdef int n_blocks
    cdef list bounds  # of each block, the first document and the one after the last
    cdef int64_t[::1] row_sizes, unknown, longest

    def __dealloc__(self):
        cdef int i
        for i in range(self.n_workers):
            close_worker(&self.workers[i])
        for i in range(self.n_blocks):
            close_block(&self.blocks[i])
        free(self.workers)
        free(self.blocks)
        close_table(&self.stop_words)

    cdef int set_analysis(self, analyzer, ngram_min, ngram_max, lowercase, stop_words) except -1:
        self.settings.kind = KINDS[analyzer]
        self.settings.words = WORDS.get(analyzer, TWO_OR_MORE)
        self.settings.ngram_min = min(ngram_min, LONGEST)
        self.settings.ngram_max = min(ngram_max, LONGEST)
        self.settings.lowercase = lowercase
        self.settings.joined = self.settings.kind == WORD and ngram_max > 1
        if stop_words and self.settings.kind == WORD:
            open_table(&self.stop_words)
            intern_strings(&self.stop_words, stop_words)
            self.settings.stop_words = &self.stop_words
        return 0

    cdef int set_known(self, Probe probe, const int32_t[::1] columns) except -1:
        """Count only the terms of the probe, each in its column."""
        if probe.rest is not None and self.settings.kind != WORD:
            raise ValueError("these terms are n-grams of words, which need analyzer 'word'.")
        if probe.rest is None and self.settings.joined:
            raise ValueError("n-grams of words are known by their words only: the probe needs starts and rest.")
        if columns is not None and columns.shape[0] != len(probe):
            raise ValueError(f"{columns.shape[0]} columns do not fit {len(probe)} terms.")
        self.kept = probe, columns
        self.known = probe.known
        self.known.columns = &columns[0] if columns is not None and columns.shape[0] > 0 else NULL
        self.settings.joined = probe.rest is not None
        self.settings.known = &self.known
        return 0

    cdef int set_hashing(self, n_features, alternate_sign) except -1:
        """Count every term in the column that its hash says."""
        self.settings.n_features = n_features
        self.settings.alternate_sign = alternate_sign
        return 0

    cdef int count(self, texts, n_threads) except -1:
        """Count the documents into blocks of rows."""
        self.take(texts, n_threads)
        self.row_sizes = np.zeros(len(self.texts), dtype=np.int64)
        self.unknown = np.zeros(len(self.texts), dtype=np.int64)
        self.open_workers(min(n_threads, max(1, len(self.bounds))), len(self.bounds))
        self.longest = np.zeros(self.n_workers, dtype=np.int64)
        run_blocks(self.count_block, range(len(self.bounds)), n_threads)
        return 0

    cdef int take(self, texts, n_threads) except -1:
        self.texts = tuple(texts)  # nobody else can change it
        self.bounds = block_bounds(self.texts, n_threads)
        return 0

    cdef int open_workers(self, n_workers, n_blocks) except -1:
        """Allocate workers, each with a table of its own unless the terms are known, and blocks."""
        cdef int i
        self.workers = <Worker *>calloc(n_workers, sizeof(Worker))
        self.blocks = <Block *>calloc(n_blocks + 1, sizeof(Block))
        if self.workers == NULL or self.blocks == NULL:
            out_of_memory()
        self.n_workers = n_workers
        self.n_blocks = n_blocks
        for i in range(n_workers):
            self.workers[i].table = &self.known.table
            if self.settings.known == NULL:
                open_table(&self.workers[i].own)
                self.workers[i].table = &self.workers[i].own
        return 0

    cdef Document document(self, size_t place, list lowered) except *:
        """The characters of a document; `lowered` keeps them alive."""
        cdef object text = prepared_text(self.texts[place], self.settings.lowercase)
        lowered.append(text)
        return text_document(text, place)

    def count_block(self, int number, int worker_number):
        """Count the documents of one block into its rows."""
        cdef Worker *worker = &self.workers[worker_number]
        cdef size_t first, last, i
        cdef Document *documents
        cdef list lowered = []  # keeps alive what the documents point into
        first, last = self.bounds[number]
        worker.block = self.block_for(number, worker_number)
        worker.block.worker = worker_number
        documents = <Document *>malloc((last - first) * sizeof(Document))
        if documents == NULL:
            out_of_memory()
        try:
            for i in range(first, last):
                documents[i - first] = self.document(i, lowered)
            with nogil:
                for i in range(first, last):
                    self.begin_document(worker_number, i)
                    count_document(worker, &self.settings, &documents[i - first])
                    self.finish_document(worker_number, i)
            worker.n_before += worker.block.n_entries
        finally:
            free(documents)

    cdef Block *block_for(self, int number, int worker_number) noexcept:
        """The block that a worker counts the documents of a block into."""
        return &self.blocks[number]

    cdef int begin_document(self, int worker_number, size_t place) except -1 nogil:
        """What is to be done before a document is counted."""
        return 0

    cdef int finish_document(self, int worker_number, size_t place) except -1 nogil:
        """What is to be done with a document that was counted."""
        cdef Worker *worker = &self.workers[worker_number]
        self.row_sizes[place] = worker.n_before + <int64_t>worker.block.n_entries - worker.row_start
        self.unknown[place] = worker.n_unknown
        self.longest[worker_number] = max(self.longest[worker_number], <int64_t>worker.n_words)
        return 0

    cdef tuple sort_terms(self):
        """Merge all terms into the first worker's table: their ids there in sorted order, and for each worker the ranks
        of its terms. Words of documents too short for any n-gram are left out."""
        cdef Table *table = &self.workers[0].own
        cdef Worker *worker
        cdef uint32_t[::1] ids, ranks, order
        cdef size_t i
        cdef int number, n_ranked
        maps = []
        for number in range(self.n_workers):
            worker = &self.workers[number]
            ids = np.arange(worker.own.n_terms + 1, dtype=np.uint32)
            if number > 0:
                with nogil:
                    absorb(table, &worker.own, &ids[0])
                    close_table(&worker.own)
            maps.append(ids)
        free(table.slots)  # nothing is looked up any more
        table.slots = NULL
        ranks = np.full(table.n_terms + 1, NONE if self.settings.joined else 0, dtype=np.uint32)
        if self.settings.joined:
            for number, ids in enumerate(maps):
                worker = &self.workers[number]
                for i in range(min(<size_t>len(ids) - 1, worker.frequencies_capacity)):
                    if worker.frequencies[i] > 0:
                        ranks[ids[i]] = 0
        order = np.empty(table.n_terms + 1, dtype=np.uint32)
        with nogil:
            n_ranked = rank_terms(table, &ranks[0], &order[0])
        return np.asarray(order)[:n_ranked], [np.asarray(ranks)[ids] for ids in maps]

    cdef tuple copy_terms(self, uint32_t[::1] order):
        """The terms with these ids as a blob and offsets; their table is closed."""
        cdef Table *table = &self.workers[0].own
        cdef size_t n = len(order), i
        cdef int64_t[::1] offsets = np.zeros(n + 1, dtype=np.int64)
        for i in range(n):
            offsets[i + 1] = offsets[i] + term_length(table, order[i])
        cdef uint8_t[::1] blob = np.empty(offsets[n], dtype=np.uint8)
        cdef uint8_t *start = <uint8_t *>bytes_start(blob)
        with nogil:
            for i in range(n):
                if i + 16 < n:
                    prefetch(table.offsets + order[i + 16])
                    prefetch(term_bytes(table, order[i + 8]))
                memcpy(start + offsets[i], term_bytes(table, order[i]), term_length(table, order[i]))
        close_table(table)
        return np.asarray(blob), np.asarray(offsets)

    cdef int write_block(
        self, int number, const uint32_t[::1] columns, const int64_t[::1] indptr, indices, int64_t[::1] data, int bits
    ) except -1:
        """Write the rows of a block, and free it."""
        cdef Block *block = &self.blocks[number]
        cdef const uint32_t *places = NULL
        cdef int32_t[::1] narrow
        cdef int64_t[::1] wide
        cdef size_t first, last
        first, last = self.bounds[number]
        if columns is not None:
            places = &columns[0]
        if block.n_entries > 0 and indices.dtype == np.int32:
            narrow = indices
            with nogil:
                write_rows(block, places, &indptr[first + 1], last - first, indptr[first], bits, &narrow[0], &data[0])
        elif block.n_entries > 0:
            wide = indices
            with nogil:
                write_rows(block, places, &indptr[first + 1], last - first, indptr[first], bits, &wide[0], &data[0])
        close_block(block)
        return 0


def block_bounds(tuple texts, n_threads):
    """Blocks of similar size: several per thread, to share the work evenly, and none so big that Ctrl-C must wait."""
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
    cuts = sorted({0, *cuts.tolist(), len(texts)})
    return list(zip(cuts[:-1], cuts[1:]))


def index_type(largest):
    return np.int32 if largest <= LARGEST_INDEX else np.int64


def write_matrix(Counting counting not None, columns, n_columns, other_jobs=()):
    """The rows as CSR arrays, given the columns of each worker's terms; other jobs run beside the writing."""
    indptr = np.concatenate(([0], np.cumsum(counting.row_sizes)))
    indices = np.empty(indptr[-1], dtype=index_type(indptr[-1]))
    data = np.empty(indptr[-1], dtype=np.int64)
    cdef int bits = int(n_columns).bit_length()
    cuts = [counting.n_blocks * part // counting.n_workers for part in range(counting.n_workers + 1)]

    def write(first, last):
        for number in range(first, last):
            counting.write_block(number, columns[counting.blocks[number].worker], indptr, indices, data, bits)

    jobs = [*other_jobs, *[partial(write, first, last) for first, last in zip(cuts[:-1], cuts[1:])]]
    run_blocks(lambda job, worker: job(), jobs, counting.n_workers)
    return indptr.astype(indices.dtype), indices, data
