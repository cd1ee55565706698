"""Totals of terms by class, without rows: the row of a document is added up as soon as it is counted."""

cdef struct Cell:
    uint32_t term
    uint32_t number  # 1 + the class, 0 for an empty slot
    int64_t count

cdef struct Seen:
    int64_t documents
    int64_t occurrences

cdef struct Sums:
    Cell *cells  # a hash table of terms and classes
    size_t n_slots  # a power of two, of which at most five in eight are taken
    size_t n_cells
    Seen *terms  # of each term of the worker
    size_t terms_capacity


cdef inline size_t cell_slot(const Sums *sums, uint32_t term, uint32_t number) noexcept nogil:
    return mix((<uint64_t>term << 32 | number) ^ SEEDS[0], SEEDS[1]) & (sums.n_slots - 1)


cdef inline Cell *find_cell(const Sums *sums, uint32_t term, uint32_t number) noexcept nogil:
    """The cell of a term and a class, or the empty slot where it belongs."""
    cdef size_t at = cell_slot(sums, term, number)
    while sums.cells[at].number != 0 and (sums.cells[at].term != term or sums.cells[at].number != number):
        at = (at + 1) & (sums.n_slots - 1)
    return sums.cells + at


cdef int make_room(Sums *sums, size_t n_more) except -1 nogil:
    """Have slots for so many more cells."""
    cdef Cell *old = sums.cells
    cdef size_t n_old = sums.n_slots, i
    if old != NULL and sums.n_cells + n_more <= n_old // 8 * 5:
        return 0
    sums.n_slots = max(n_old, <size_t>1024)
    while sums.n_cells + n_more > sums.n_slots // 8 * 5:
        sums.n_slots *= 2
    sums.cells = <Cell *>calloc(sums.n_slots, sizeof(Cell))
    if sums.cells == NULL:
        sums.cells, sums.n_slots = old, n_old
        out_of_memory()
    for i in range(n_old):
        if old[i].number != 0:
            find_cell(sums, old[i].term, old[i].number)[0] = old[i]
    free(old)
    return 0


cdef int pour_row(Sums *sums, Worker *worker, uint32_t number) except -1 nogil:
    """Add the entries of the worker's block, a row, to the sums of a class, and empty the block."""
    cdef const Entry *entries = worker.block.entries
    cdef size_t n = worker.block.n_entries, i
    cdef Cell *cell
    make_room(sums, n)
    sums.terms = <Seen *>reserve_zeros(sums.terms, &sums.terms_capacity, worker.own.n_terms + 1, sizeof(Seen))
    for i in range(n):
        if i + 16 < n:
            prefetch(sums.cells + cell_slot(sums, entries[i + 16].term, number))
            prefetch(sums.terms + entries[i + 16].term)
        sums.terms[entries[i].term].documents += 1
        sums.terms[entries[i].term].occurrences += entries[i].count
        cell = find_cell(sums, entries[i].term, number)
        if cell.number == 0:
            cell.term, cell.number = entries[i].term, number
            sums.n_cells += 1
        cell.count += entries[i].count
    worker.n_before += <int64_t>n
    worker.block.n_entries = 0
    return 0


cdef class Tally(Counting):
    """Sums over any number of calls of `add`; each worker has its own until they are asked for, once."""

    cdef Sums *sums
    cdef const int64_t[::1] class_ids

    def __cinit__(self, analyzer, ngram_min, ngram_max, lowercase, stop_words, n_threads):
        self.set_analysis(analyzer, ngram_min, ngram_max, lowercase, stop_words)
        if self.settings.joined:
            raise ValueError("n-grams of words are not added up by class: count rows.")
        self.open_workers(n_threads, n_threads)
        self.sums = <Sums *>calloc(n_threads, sizeof(Sums))
        if self.sums == NULL:
            out_of_memory()

    def __dealloc__(self):
        cdef int i
        for i in range(self.n_workers):
            if self.sums != NULL:
                free(self.sums[i].cells)
                free(self.sums[i].terms)
        free(self.sums)

    def add(self, texts, const int64_t[::1] class_ids not None):
        """Count texts of these classes."""
        cdef size_t i
        if len(class_ids) != len(texts):
            raise ValueError(f"there are {len(class_ids)} classes of {len(texts)} texts.")
        for i in range(class_ids.shape[0]):
            if not 0 <= class_ids[i] < MOST_TERMS:
                raise ValueError(f"a class is out of range: {class_ids[i]}")
        self.class_ids = class_ids
        self.take(texts, self.n_workers)
        run_blocks(self.count_block, range(len(self.bounds)), self.n_workers)
        self.texts = ()

    cdef Block *block_for(self, int number, int worker_number) noexcept:
        return &self.blocks[worker_number]

    cdef int finish_document(self, int worker_number, size_t place) except -1 nogil:
        return pour_row(&self.sums[worker_number], &self.workers[worker_number], <uint32_t>self.class_ids[place] + 1)

    def totals(self, n_classes):
        """The terms, sorted, and their sums: `(blob, offsets, documents, occurrences, parts)`.

        A part is rows by class, `(indptr, indices, data)`; parts may have the same terms. Nothing can be added any more.
        """
        order, ranks = self.sort_terms()
        documents, occurrences = np.zeros((2, len(order)), dtype=np.int64)
        parts = []
        for number in range(self.n_workers):
            self.add_seen(number, ranks[number], documents, occurrences)
            parts.append(self.rows_by_class(number, ranks[number], n_classes))
        return *self.copy_terms(order), documents, occurrences, parts

    cdef int add_seen(
        self, int number, const uint32_t[::1] ranks, int64_t[::1] documents, int64_t[::1] occurrences
    ) except -1:
        cdef size_t n = len(ranks) - 1, i  # the last stands for no term
        cdef const Seen *terms = self.sums[number].terms
        for i in range(min(n, self.sums[number].terms_capacity)):
            documents[ranks[i]] += terms[i].documents
            occurrences[ranks[i]] += terms[i].occurrences
        return 0

    cdef tuple rows_by_class(self, int number, const uint32_t[::1] ranks, n_classes):
        """The cells of a worker, which are freed, class by class."""
        cdef Sums *sums = &self.sums[number]
        cdef size_t i
        cdef int64_t at
        indptr = np.zeros(n_classes + 1, dtype=np.int64)
        cdef int64_t[::1] ends = indptr
        cdef int64_t[::1] indices = np.empty(sums.n_cells, dtype=np.int64)
        cdef int64_t[::1] data = np.empty(sums.n_cells, dtype=np.int64)
        for i in range(sums.n_slots):
            if <int64_t>sums.cells[i].number > n_classes:
                raise ValueError(f"there are more than {n_classes} classes.")
            if sums.cells[i].number != 0:
                ends[sums.cells[i].number] += 1
        indptr = np.cumsum(indptr)
        cdef int64_t[::1] places = indptr.copy()
        with nogil:
            for i in range(sums.n_slots):
                if sums.cells[i].number != 0:
                    at = places[sums.cells[i].number - 1]
                    places[sums.cells[i].number - 1] += 1
                    indices[at] = ranks[sums.cells[i].term]
                    data[at] = sums.cells[i].count
        free(sums.cells)
        sums.cells, sums.n_slots, sums.n_cells = NULL, 0, 0
        return indptr, np.asarray(indices), np.asarray(data)
