"""N-grams of words by rank, without a hash table: sort where they occur, and the columns come out in order.

Every occurrence of a word is an item in the bucket of that word: the next word's number, 1 + its rank, in the upper
half, or 0 at the end of the document; in the lower half the document, or, where n-grams have more than two words, the
place among all words. A bucket is one term, the word; sorted by the next word it is a run per pair; and so on.

Buckets are shared among walks, one per thread. Each goes over its buckets twice: first it counts its terms and the
entries it has in each row, then, when all walks have done so, it writes them.
"""

cdef struct RowEnd:
    uint32_t n_entries
    uint32_t latest  # number of the term that the last of them counts

cdef struct Walk:
    uint64_t *items
    uint64_t *spare
    const int64_t *buckets  # where the items of each word begin
    size_t first  # word, and the one after the last
    size_t last
    const uint32_t *words  # the numbers of all words, 0 after each document; NULL for pairs
    const uint32_t *documents  # the document of each of them
    size_t ngram_min
    size_t ngram_max
    int bits  # of a word's number
    size_t *ends  # of the runs that are open, by their number of words
    int32_t *path  # the second and further words of the latest term
    size_t n_terms
    RowEnd *rows
    const int64_t *indptr  # this and the rest are NULL while counting
    int32_t *indices  # one of the two
    int64_t *wide_indices
    int64_t *data
    int64_t *starts
    int32_t *rest
    size_t width


cdef void scatter_words(
    const Block *block, Target *targets, uint64_t *items, uint32_t document, uint32_t *words, uint32_t *documents,
    size_t base
) noexcept nogil:
    """Put the words of a block into their buckets, and fill `words` and `documents` from `base` on; NULL for pairs."""
    cdef size_t n = block.n_words, i
    cdef uint32_t word
    cdef Target *target
    for i in range(n):
        if i + 24 < n:
            prefetch(targets + block.words[i + 24])
        if i + 12 < n:
            prefetch(items + targets[block.words[i + 12]].place)
        word = block.words[i]
        target = targets + word
        if words != NULL:
            words[base + i] = target.number
            documents[base + i] = document
        if word == 0:
            document += 1
            continue
        items[target.place] = <uint64_t>targets[block.words[i + 1]].number << 32 | (
            document if words == NULL else <uint32_t>(base + i)
        )
        target.place += 1


cdef int walk_bucket(Walk *walk, size_t at, size_t end) except -1 nogil:
    """Go through the runs of a bucket, each before those that begin with its words."""
    cdef size_t n = 1
    cdef uint64_t word
    walk.ends[1] = end
    at = open_run(walk, at, end, 1)
    while n > 0:
        if n + 1 == walk.ngram_max:
            count_longest(walk, at, walk.ends[n])
            at = walk.ends[n]
        if at == walk.ends[n]:
            n -= 1
            continue
        word = walk.items[at] >> 32
        end = at + 1
        while end < walk.ends[n] and walk.items[end] >> 32 == word:
            end += 1
        walk.path[n - 1] = <int32_t>(word - 1)
        n += 1
        walk.ends[n] = end
        at = open_run(walk, at, end, n)
    return 0


cdef inline int64_t open_run(Walk *walk, size_t at, size_t end, size_t n) except -1 nogil:
    """Count these occurrences of a term of n words, and sort them by their next word. Returns the position of the first
    one that has a next word."""
    cdef size_t i
    cdef uint32_t place
    cdef uint64_t *sorted_items
    if n >= walk.ngram_min:
        start_term(walk, n)
        for i in range(at, end):
            add_occurrence(walk, document_of(walk, i))
    if n == walk.ngram_max:
        return end
    if walk.words != NULL:
        for i in range(at, end):
            place = <uint32_t>walk.items[i]
            walk.items[i] = <uint64_t>walk.words[<size_t>place + n] << 32 | place
    if not is_sorted(walk.items + at, end - at):
        sorted_items = sort_row(walk.items + at, walk.spare, end - at, walk.bits)
        if sorted_items == walk.spare:
            memcpy(walk.items + at, sorted_items, (end - at) * sizeof(uint64_t))
    while at < end and walk.items[at] >> 32 == 0:
        at += 1
    return at


cdef int count_longest(Walk *walk, size_t at, size_t end) except -1 nogil:
    """Count the longest n-grams; a new one begins where the last word changes."""
    cdef uint64_t word, previous = 0
    cdef size_t i
    for i in range(at, end):
        word = walk.items[i] >> 32
        if word != previous:
            walk.path[walk.ngram_max - 2] = <int32_t>(word - 1)
            start_term(walk, walk.ngram_max)
            previous = word
        add_occurrence(walk, document_of(walk, i))
    return 0


cdef inline uint32_t document_of(const Walk *walk, size_t item) noexcept nogil:
    cdef uint32_t place = <uint32_t>walk.items[item]
    return place if walk.words == NULL else walk.documents[place]


cdef inline int start_term(Walk *walk, size_t n) except -1 nogil:
    cdef size_t i
    cdef int32_t *rest
    if walk.n_terms >= MOST_TERMS:
        too_many_terms()
    if walk.data != NULL:
        rest = walk.rest + walk.n_terms * walk.width
        for i in range(walk.width):
            rest[i] = walk.path[i] if i + 1 < n else -1
    walk.n_terms += 1
    return 0


cdef inline void add_occurrence(Walk *walk, uint32_t document) noexcept nogil:
    """Count one more of the latest term in the document's row."""
    cdef RowEnd *row = walk.rows + document
    cdef bint again = row.latest == walk.n_terms
    cdef int64_t place
    if not again:
        row.latest = <uint32_t>walk.n_terms
        row.n_entries += 1
    if walk.data == NULL:
        return
    place = walk.indptr[document] + row.n_entries - 1
    if again:
        walk.data[place] += 1
        return
    walk.data[place] = 1
    if walk.indices != NULL:
        walk.indices[place] = <int32_t>(walk.n_terms - 1)
    else:
        walk.wide_indices[place] = walk.n_terms - 1


cdef inline bint is_sorted(const uint64_t *items, size_t n) noexcept nogil:
    cdef size_t i
    for i in range(1, n):
        if items[i] >> 32 < items[i - 1] >> 32:
            return False
    return True


cdef void place_rows(Walk *walks, int n_walks, int64_t *indptr, size_t n_rows) noexcept nogil:
    """Add up the entries of the rows; where each walk begins in a row becomes its n_entries."""
    cdef size_t i
    cdef int k
    cdef int64_t n_entries
    indptr[0] = 0
    for i in range(n_rows):
        n_entries = 0
        for k in range(n_walks):
            walks[k].rows[i].latest = 0
            n_entries += walks[k].rows[i].n_entries
            walks[k].rows[i].n_entries = <uint32_t>(n_entries - walks[k].rows[i].n_entries)
        indptr[i + 1] = indptr[i] + n_entries


# All documents --------------------------------------------------------------------------------------------------------

cdef void add_frequencies(const Worker *worker, const uint32_t *ranks, int64_t *sizes) noexcept nogil:
    """Add the frequency of each of the worker's words to the size of its bucket."""
    cdef size_t i
    for i in range(worker.n_ranked):
        if ranks[i] != NONE:
            sizes[ranks[i]] += worker.frequencies[i]


cdef int set_targets(Worker *worker, const uint32_t *ranks, int64_t *places) except -1 nogil:
    """Assign the worker its part of each bucket, and advance `places` past it."""
    cdef size_t i
    worker.targets = <Target *>calloc(worker.n_ranked + 1, sizeof(Target))
    if worker.targets == NULL:
        out_of_memory()
    for i in range(worker.n_ranked):
        if ranks[i] != NONE:
            worker.targets[i + 1].number = ranks[i] + 1
            worker.targets[i + 1].place = places[ranks[i]]
            places[ranks[i]] += worker.frequencies[i]
    return 0


cdef class NgramCounting:
    """From the words of all documents to rows of n-grams."""

    cdef Counting counting
    cdef uint64_t[::1] items
    cdef int64_t[::1] buckets
    cdef uint32_t[::1] words, documents  # None for pairs
    cdef int64_t[::1] bases  # where the words of each block begin
    cdef Walk *walks
    cdef int n_walks
    cdef size_t n_words
    cdef object indptr, indices, data, starts, rest

    def __cinit__(self, Counting counting not None, list ranks, size_t n_words):
        self.counting = counting
        self.n_words = n_words
        self.words = self.documents = None
        self.set_buckets(ranks)
        self.open_walks()

    def __dealloc__(self):
        cdef int i
        for i in range(self.n_walks):
            free(self.walks[i].spare)
            free(self.walks[i].ends)
            free(self.walks[i].path)
            free(self.walks[i].rows)
        free(self.walks)

    cdef int set_buckets(self, list ranks) except -1:
        """Lay out one bucket per word, with one part per worker, given the ranks of each worker's words."""
        cdef const uint32_t[::1] of_worker
        cdef int64_t[::1] places = np.zeros(self.n_words + 2, dtype=np.int64)
        cdef int i
        for i, of_worker in enumerate(ranks):
            self.counting.workers[i].n_ranked = of_worker.shape[0] - 1
            add_frequencies(&self.counting.workers[i], &of_worker[0], &places[1])
        places = np.cumsum(places)
        self.buckets = np.array(places)
        for i, of_worker in enumerate(ranks):
            set_targets(&self.counting.workers[i], &of_worker[0], &places[0])
        self.items = np.empty(self.buckets[self.n_words] + 1, dtype=np.uint64)
        self.bases = np.cumsum([0, *(self.counting.blocks[i].n_words for i in range(self.counting.n_blocks))])
        if self.bases[self.counting.n_blocks] > MOST_WORDS:  # documents included, by the 0 after each
            too_many_words()
        return 0

    cdef int open_walks(self) except -1:
        """Share the buckets evenly among as many walks as there are workers."""
        cdef int n_walks = self.counting.n_workers, i
        cdef size_t n_documents = len(self.counting.texts), largest = 0
        cdef Walk *walk
        ngram_max = min(self.counting.settings.ngram_max, max(1, np.max(self.counting.longest)))
        if ngram_max > 2:
            self.words = np.empty(self.bases[self.counting.n_blocks], dtype=np.uint32)
            self.documents = np.empty(self.bases[self.counting.n_blocks], dtype=np.uint32)
        cuts = np.searchsorted(
            self.buckets[: self.n_words + 1], np.arange(1, n_walks) * self.buckets[self.n_words] // n_walks
        )
        cuts = [0, *cuts.tolist(), self.n_words]
        self.walks = <Walk *>calloc(n_walks, sizeof(Walk))
        if self.walks == NULL:
            out_of_memory()
        self.n_walks = n_walks
        for i in range(n_walks):
            walk = &self.walks[i]
            walk.items, walk.buckets = &self.items[0], &self.buckets[0]
            walk.first, walk.last = cuts[i], cuts[i + 1]
            if self.words is not None:
                walk.words, walk.documents = &self.words[0], &self.documents[0]
            walk.ngram_min, walk.ngram_max = self.counting.settings.ngram_min, ngram_max
            walk.bits = int(self.n_words).bit_length()
            largest = np.max(np.diff(self.buckets[walk.first : walk.last + 1]), initial=0)
            walk.spare = <uint64_t *>malloc(largest * sizeof(uint64_t) + 1)
            walk.ends = <size_t *>malloc((walk.ngram_max + 2) * sizeof(size_t))
            walk.path = <int32_t *>malloc((walk.ngram_max + 2) * sizeof(int32_t))
            walk.rows = <RowEnd *>calloc(n_documents + 1, sizeof(RowEnd))
            if walk.spare == NULL or walk.ends == NULL or walk.path == NULL or walk.rows == NULL:
                out_of_memory()
        return 0

    def scatter(self, int worker, _):
        """Put the words of a worker's blocks into their buckets, and free the blocks."""
        cdef Block *block
        cdef uint32_t first
        cdef uint32_t *words = NULL if self.words is None else &self.words[0]
        cdef uint32_t *documents = NULL if self.words is None else &self.documents[0]
        cdef int i
        for i in range(self.counting.n_blocks):
            block = &self.counting.blocks[i]
            if block.worker == worker and block.n_words > 0:
                first = self.counting.bounds[i][0]
                with nogil:
                    scatter_words(
                        block, self.counting.workers[worker].targets, &self.items[0], first, words, documents,
                        self.bases[i]
                    )
                close_block(block)

    def walk(self, int number, _):
        cdef Walk *walk = &self.walks[number]
        cdef size_t word
        with nogil:
            for word in range(walk.first, walk.last):
                if walk.starts != NULL:
                    walk.starts[word] = walk.n_terms
                walk_bucket(walk, walk.buckets[word], walk.buckets[word + 1])

    cdef int open_matrix(self) except -1:
        """Allocate the arrays, after all walks have counted, for the walks to write to."""
        cdef int64_t[::1] indptr = np.zeros(len(self.counting.texts) + 1, dtype=np.int64)
        cdef int64_t[::1] data, starts
        cdef int32_t[::1] narrow = None
        cdef int64_t[::1] wide = None
        cdef int32_t[:, ::1] rest
        cdef Walk *walk
        cdef size_t n_terms = 0, n_before
        cdef int i
        with nogil:
            place_rows(self.walks, self.n_walks, &indptr[0], indptr.shape[0] - 1)
        for i in range(self.n_walks):
            n_before = n_terms
            n_terms += self.walks[i].n_terms
            self.walks[i].n_terms = n_before
        if n_terms > MOST_TERMS:
            too_many_terms()
        width = min(self.counting.settings.ngram_max, max(WIDEST, np.max(self.counting.longest))) - 1
        n_entries = indptr[indptr.shape[0] - 1]
        self.indptr, self.data = np.asarray(indptr), np.empty(n_entries, dtype=np.int64)
        self.indices = np.empty(n_entries, dtype=index_type(n_entries))
        self.starts, self.rest = np.full(self.n_words + 1, n_terms), np.empty((n_terms, width), dtype=np.int32)
        if n_entries == 0:
            return 0
        data, starts, rest = self.data, self.starts, self.rest
        if self.indices.dtype == np.int32:
            narrow = self.indices
        else:
            wide = self.indices
        for i in range(self.n_walks):
            walk = &self.walks[i]
            walk.indptr, walk.data, walk.starts, walk.rest = &indptr[0], &data[0], &starts[0], &rest[0, 0]
            walk.width = width
            walk.indices = NULL if narrow is None else &narrow[0]
            walk.wide_indices = NULL if wide is None else &wide[0]
        return 0


def write_ngrams(Counting counting not None, ranks, n_words):
    """The n-grams of the documents' words, as `(starts, rest)`, and the rows as CSR arrays."""
    cdef NgramCounting ngrams = NgramCounting(counting, ranks, n_words)
    each = range(counting.n_workers)
    run_blocks(ngrams.scatter, each, counting.n_workers)
    run_blocks(ngrams.walk, each, counting.n_workers)
    ngrams.open_matrix()
    if len(ngrams.data):
        run_blocks(ngrams.walk, each, counting.n_workers)
    indptr = ngrams.indptr.astype(ngrams.indices.dtype)
    return (ngrams.starts, ngrams.rest), indptr, ngrams.indices, ngrams.data
