"""The structures of counting, and the row of one document: its terms are looked up in batches and counted."""

cdef struct Document:
    const void *characters
    size_t n_characters
    int width  # bytes per character
    bint ascii

cdef struct Entry:
    uint32_t term  # by the worker's ids, or the column if the terms are known
    uint32_t count  # modulo 2³²: sums of hashed terms may be negative

cdef struct Block:  # consecutive documents, counted by one worker
    Entry *entries  # of their rows
    size_t n_entries
    size_t entries_capacity
    uint32_t *words  # where n-grams of words are counted: 1 + the worker's id of each word, and 0 after each document
    size_t n_words
    size_t words_capacity
    int worker

cdef struct Known:
    Table table  # of the terms, or of the words that the n-grams consist of; borrows their bytes and offsets
    const int64_t *starts  # NULL, or where the n-grams that begin with each word start
    const int32_t *rest  # their other words
    size_t width  # how many of those at most
    const uint32_t *pairs  # NULL, or a hash table: 1 + the place of the first n-gram that begins with a pair of words
    size_t n_pairs  # its size, a power of two
    const int32_t *columns  # NULL if a term's place is its column

cdef struct Settings:
    int kind
    int words  # what a word is
    size_t ngram_min
    size_t ngram_max
    bint lowercase
    bint joined  # words are joined to n-grams once all words of a document are looked up
    const Table *stop_words  # NULL if there are none
    const Known *known  # NULL if every term is to be counted
    uint32_t n_features  # 0, or among how many columns the terms are hashed
    bint alternate_sign

cdef struct Target:
    int64_t place  # for the next occurrence of a word
    uint32_t number  # 1 + the rank of the word, 0 for the end of a document

cdef struct Cell:
    uint64_t key  # 1 + the term, and in the lower half the class; 0 for an empty slot
    int64_t count

cdef struct Seen:
    int64_t n_documents
    int64_t latest  # number of the latest document that has the term

cdef struct Sums:
    Cell *cells  # a hash table of terms and classes
    size_t n_slots  # a power of two, of which at most five in eight are taken
    size_t n_cells
    Seen *seen  # of each term of the worker
    size_t seen_capacity
    int64_t document  # number of the one at hand, from 1
    uint32_t class_id  # of that document

cdef struct Worker:
    Sums *sums  # NULL where rows are counted
    Table own  # grows; empty if the terms are known
    const Table *table  # the own or the known one
    Block *block
    int64_t *marks  # for each term, 1 + the place of its latest entry among all entries of the worker; 0 for none
    size_t marks_capacity
    int64_t n_before  # entries in the worker's earlier blocks
    int64_t row_start  # entries before the current row
    uint32_t *frequencies  # how often the blocks have each of their words
    size_t frequencies_capacity
    size_t n_ranked  # how many words those are, once all documents are read
    Target *targets  # of these words, from the second one on
    uint32_t *words  # the ids of the document's words, to be joined to n-grams
    size_t words_capacity
    size_t n_words
    uint64_t *row  # the known terms of the document, their columns in the upper half
    size_t row_capacity
    size_t n_row
    int64_t n_unknown  # terms of the document that are not known
    uint8_t *joined  # the words to be joined and hashed, a blank after each
    size_t joined_capacity
    size_t n_joined
    uint8_t *text  # the document as UTF-8
    size_t text_capacity
    size_t n_text
    uint64_t *masks  # a bit for each of its characters that belongs to a word
    size_t masks_capacity
    uint32_t *starts  # where its characters, or the words to be joined, begin
    size_t starts_capacity
    size_t n_characters
    Key[BATCH] batch
    size_t n_batch


cdef void close_worker(Worker *worker) noexcept nogil:
    close_table(&worker.own)
    free(worker.marks)
    free(worker.frequencies)
    free(worker.targets)
    free(worker.words)
    free(worker.row)
    free(worker.joined)
    free(worker.text)
    free(worker.masks)
    free(worker.starts)


cdef void close_block(Block *block) noexcept nogil:
    free(block.entries)
    free(block.words)
    memset(block, 0, sizeof(Block))


cdef int count_document(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    """Append the document's row, or its words if they are to be joined, to the worker's block."""
    worker.row_start = worker.n_before + <int64_t>worker.block.n_entries
    worker.n_words = worker.n_row = worker.n_joined = 0
    worker.n_unknown = 0
    scan_document(worker, settings, document)
    if settings.n_features > 0:
        hash_ngrams(worker, settings)
        return finish_hashed_row(worker)
    if settings.joined:
        if settings.known == NULL:
            keep_words(worker, settings)
        else:
            find_ngrams(worker, settings)
    if settings.known != NULL:
        finish_row(worker)
    return 0


cdef int empty_batch(Worker *worker, const Settings *settings) except -1 nogil:
    """Look up the spans of the batch other than stop words, and count them or keep their ids."""
    cdef uint32_t[BATCH] terms
    cdef size_t i, n = 0
    cdef const Key *key
    for i in range(worker.n_batch):
        key = &worker.batch[i]
        if settings.stop_words != NULL and find(settings.stop_words, key) != NONE:
            continue
        terms[n] = find(worker.table, key)
        if terms[n] == NONE and settings.known == NULL:
            terms[n] = <uint32_t>intern(&worker.own, key)
        if settings.known == NULL and worker.sums == NULL:
            prefetch(worker.marks + terms[n])
        n += 1
    worker.n_batch = 0
    if settings.joined:
        worker.words = <uint32_t *>reserve(worker.words, &worker.words_capacity, worker.n_words + n, sizeof(uint32_t))
        memcpy(worker.words + worker.n_words, terms, n * sizeof(uint32_t))
        worker.n_words += n
    elif worker.sums != NULL:
        add_up(worker.sums, worker.own.n_terms, terms, n)
    elif settings.known == NULL:
        for i in range(n):
            add_entry(worker, terms[i])
    else:
        for i in range(n):
            add_known(worker, settings.known, terms[i])
    return 0


cdef inline Entry *next_entry(Block *block) except NULL nogil:
    """A new entry at the end of the block."""
    if block.n_entries == block.entries_capacity:
        block.entries = <Entry *>reserve(block.entries, &block.entries_capacity, block.n_entries + 1, sizeof(Entry))
    block.n_entries += 1
    return block.entries + block.n_entries - 1


cdef inline int add_entry(Worker *worker, uint32_t term) except -1 nogil:
    """Count one more of the term in the current row."""
    cdef Entry *entry
    if term >= worker.marks_capacity:
        worker.marks = <int64_t *>reserve_zeros(
            worker.marks, &worker.marks_capacity, <size_t>term + 1, sizeof(int64_t)
        )
    if worker.marks[term] > worker.row_start:
        worker.block.entries[worker.marks[term] - 1 - worker.n_before].count += 1
        return 0
    entry = next_entry(worker.block)
    entry.term = term
    entry.count = 1
    worker.marks[term] = worker.n_before + <int64_t>worker.block.n_entries
    return 0


cdef int keep_words(Worker *worker, const Settings *settings) except -1 nogil:
    """Append the words of the document to the block, unless there are too few for any n-gram."""
    cdef Block *block = worker.block
    cdef size_t n = worker.n_words if worker.n_words >= settings.ngram_min else 0, i
    block.words = <uint32_t *>reserve(block.words, &block.words_capacity, block.n_words + n + 1, sizeof(uint32_t))
    worker.frequencies = <uint32_t *>reserve_zeros(
        worker.frequencies, &worker.frequencies_capacity, worker.own.n_terms + 1, sizeof(uint32_t)
    )
    for i in range(n):
        block.words[block.n_words + i] = worker.words[i] + 1
        worker.frequencies[worker.words[i]] += 1
    block.words[block.n_words + n] = 0
    block.n_words += n + 1
    return 0
