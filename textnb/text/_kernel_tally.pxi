"""Totals of terms by class, without rows: every occurrence is added to the cell of its term and class."""

cdef inline uint64_t cell_key(uint32_t term, uint32_t class_id) noexcept nogil:
    return (<uint64_t>term + 1) << 32 | class_id


cdef inline size_t cell_slot(const Sums *sums, uint64_t key) noexcept nogil:
    """Where a search begins: two classes of a term have slots beside each other, often in the cache together."""
    return (mix(key >> 1 ^ SEEDS[0], SEEDS[1]) << 1 | (key & 1)) & (sums.n_slots - 1)


cdef inline Cell *find_cell(const Sums *sums, uint64_t key, size_t at) noexcept nogil:
    """The cell of a term and a class, or the empty one where it belongs, from its slot on."""
    while sums.cells[at].key != 0 and sums.cells[at].key != key:
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
        if old[i].key != 0:
            find_cell(sums, old[i].key, cell_slot(sums, old[i].key))[0] = old[i]
    free(old)
    return 0


cdef int add_up(Sums *sums, size_t n_terms, const uint32_t *terms, size_t n) except -1 nogil:
    """Count some of a document's terms. Their cells are fetched before the first is counted."""
    cdef size_t[BATCH] slots
    cdef uint64_t key
    cdef size_t i
    cdef Cell *cell
    cdef Seen *seen
    make_room(sums, n)
    sums.seen = <Seen *>reserve_zeros(sums.seen, &sums.seen_capacity, n_terms + 1, sizeof(Seen))
    for i in range(n):
        slots[i] = cell_slot(sums, cell_key(terms[i], sums.class_id))
        prefetch(sums.cells + slots[i])
        prefetch(sums.seen + terms[i])
    for i in range(n):
        seen = sums.seen + terms[i]
        seen.n_documents += seen.latest != sums.document
        seen.latest = sums.document
        key = cell_key(terms[i], sums.class_id)
        cell = find_cell(sums, key, slots[i])
        sums.n_cells += cell.key == 0
        cell.key = key
        cell.count += 1
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
        for number in range(n_threads):
            self.workers[<int>number].sums = &self.sums[<int>number]

    def __dealloc__(self):
        cdef int i
        for i in range(self.n_workers):
            if self.sums != NULL:
                free(self.sums[i].cells)
                free(self.sums[i].seen)
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

    cdef int begin_document(self, int worker_number, size_t place) except -1 nogil:
        self.sums[worker_number].class_id = <uint32_t>self.class_ids[place]
        self.sums[worker_number].document += 1
        return 0

    cdef int finish_document(self, int worker_number, size_t place) except -1 nogil:
        return 0

    def totals(self, n_classes):
        """The terms, sorted, how many documents have each, and their sums: `(blob, offsets, n_documents, parts)`.

        A part is rows by class, `(indptr, indices, data)`; parts may have the same terms. Nothing can be added any more.
        """
        order, ranks = self.sort_terms()
        n_documents = np.zeros(len(order), dtype=np.int64)
        parts = []
        for number in range(self.n_workers):
            self.add_seen(number, ranks[number], n_documents)
            parts.append(self.rows_by_class(number, ranks[number], n_classes))
        return *self.copy_terms(order), n_documents, parts

    cdef int add_seen(self, int number, const uint32_t[::1] ranks, int64_t[::1] n_documents) except -1:
        cdef size_t n = len(ranks) - 1, i  # the last stands for no term
        for i in range(min(n, self.sums[number].seen_capacity)):
            n_documents[ranks[i]] += self.sums[number].seen[i].n_documents
        return 0

    cdef tuple rows_by_class(self, int number, const uint32_t[::1] ranks, n_classes):
        """The cells of a worker class by class."""
        cdef const Sums *sums = &self.sums[number]
        cdef size_t i
        cdef int64_t at
        indptr = np.zeros(n_classes + 1, dtype=np.int64)
        cdef int64_t[::1] ends = indptr
        cdef int64_t[::1] indices = np.empty(sums.n_cells, dtype=np.int64)
        cdef int64_t[::1] data = np.empty(sums.n_cells, dtype=np.int64)
        for i in range(sums.n_slots):
            if <int64_t>(sums.cells[i].key & NONE) >= n_classes:
                raise ValueError(f"there are more than {n_classes} classes.")
            if sums.cells[i].key != 0:
                ends[(sums.cells[i].key & NONE) + 1] += 1
        indptr = np.cumsum(indptr)
        cdef int64_t[::1] places = indptr.copy()
        with nogil:
            for i in range(sums.n_slots):
                if sums.cells[i].key != 0:
                    at = places[sums.cells[i].key & NONE]
                    places[sums.cells[i].key & NONE] += 1
                    indices[at] = ranks[(sums.cells[i].key >> 32) - 1]
                    data[at] = sums.cells[i].count
        return indptr, np.asarray(indices), np.asarray(data)
