"""A document's terms, counted: scan the text into spans, look them up in batches, add to the document's row."""

cdef struct Document:
    const void *characters
    size_t n_characters
    int width  # bytes a character
    bint ascii

cdef struct Entry:
    uint32_t term
    uint32_t count

cdef struct Block:  # the rows of consecutive documents, counted by one worker
    Entry *entries
    size_t n_entries
    size_t capacity
    int worker

cdef struct Settings:
    int kind
    size_t ngram_min
    size_t ngram_max
    bint lowercase
    const Table *stop_words  # NULL if there are none
    const Table *known  # NULL if every term is to be counted
    const int32_t *columns  # of the known terms, -1 for one that is only a part of others

cdef struct Worker:
    Table own  # grows; empty if the terms are known
    const Table *table  # the own or the known one
    int64_t *marks  # for each term, 1 + the place of its latest entry among all entries of the worker; 0 for none
    size_t marks_capacity
    int64_t n_before  # entries in the worker's earlier blocks
    int64_t row_start  # entries before the current row
    int64_t n_unknown  # terms of the current document that are not in the known table
    Block *block
    uint8_t *text  # the document as UTF-8
    size_t text_capacity
    size_t n_text
    uint64_t *masks  # a bit for each of its characters that belongs to a word
    size_t masks_capacity
    uint32_t *starts  # where its characters begin
    size_t starts_capacity
    size_t n_characters
    uint32_t *words  # the ids of its words
    size_t words_capacity
    size_t n_words
    uint32_t *prefixes  # for each word, the id of the n-gram that begins there
    size_t prefixes_capacity
    Key[BATCH] batch
    size_t n_batch
    uint32_t[BATCH] terms  # of the batch, where they need not be kept


cdef void close_worker(Worker *worker) noexcept nogil:
    close_table(&worker.own)
    free(worker.marks)
    free(worker.text)
    free(worker.masks)
    free(worker.starts)
    free(worker.words)
    free(worker.prefixes)


cdef inline int add_entry(Worker *worker, uint32_t term) except -1 nogil:
    """Count one more of the term in the current row."""
    cdef Block *block = worker.block
    cdef size_t n_marks = worker.marks_capacity
    if term >= n_marks:
        worker.marks = <int64_t *>reserve(worker.marks, &worker.marks_capacity, <size_t>term + 1, sizeof(int64_t))
        memset(worker.marks + n_marks, 0, (worker.marks_capacity - n_marks) * sizeof(int64_t))
    if worker.marks[term] > worker.row_start:
        block.entries[worker.marks[term] - 1 - worker.n_before].count += 1
        return 0
    if block.n_entries == block.capacity:
        block.entries = <Entry *>reserve(block.entries, &block.capacity, block.n_entries + 1, sizeof(Entry))
    block.entries[block.n_entries].term = term
    block.entries[block.n_entries].count = 1
    block.n_entries += 1
    worker.marks[term] = worker.n_before + <int64_t>block.n_entries
    return 0


cdef int empty_batch(Worker *worker, const Settings *settings, size_t n, uint32_t *terms) except -1 nogil:
    """Look up the n-grams of the batch and count them; `terms` gets their ids. Returns how many were no stop words."""
    cdef size_t i, n_terms = 0
    cdef uint32_t term
    cdef const Key *key
    for i in range(worker.n_batch):
        key = &worker.batch[i]
        if n == 1 and settings.stop_words != NULL and find(settings.stop_words, key) != NONE:
            continue
        term = find(worker.table, key)
        if term == NONE and settings.known == NULL:
            term = <uint32_t>intern(&worker.own, key)
        prefetch(worker.marks + term)
        terms[n_terms] = term
        n_terms += 1
    worker.n_batch = 0
    if n >= settings.ngram_min:
        for i in range(n_terms):
            if settings.known == NULL or (terms[i] != NONE and settings.columns[terms[i]] >= 0):
                add_entry(worker, terms[i])
            else:
                worker.n_unknown += 1
    return <int>n_terms


cdef inline void add_key(Worker *worker, Key key) noexcept nogil:
    """To the batch. The slot is on its way from memory while the next keys are computed."""
    prefetch(worker.table.slots + (key.hash & (worker.table.n_slots - 1)))
    worker.batch[worker.n_batch] = key
    worker.n_batch += 1


# Words ----------------------------------------------------------------------------------------------------------------

cdef inline int add_word(Worker *worker, const Settings *settings, size_t start, size_t end) except -1 nogil:
    add_key(worker, bytes_key(SEEDS, worker.text + start, <uint32_t>(end - start)))
    if worker.n_batch == BATCH:
        empty_word_batch(worker, settings)
    return 0


cdef int empty_word_batch(Worker *worker, const Settings *settings) except -1 nogil:
    if settings.ngram_max == 1:
        empty_batch(worker, settings, 1, worker.terms)
    else:
        worker.n_words += empty_batch(worker, settings, 1, worker.words + worker.n_words)
    return 0


cdef int scan_ascii_words(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    """Words are runs of set bits, 64 characters at a time; their edges are where a bit differs from the one before."""
    cdef const uint8_t *characters = <const uint8_t *>document.characters
    cdef uint8_t[64] rest
    cdef uint8_t shift = 32 if settings.lowercase else 0
    cdef size_t whole = document.n_characters // 64, left = document.n_characters % 64, start = 0, edge, i
    cdef uint64_t bits, words, edges, inside = 0
    cdef bint open = False
    worker.masks = <uint64_t *>reserve(worker.masks, &worker.masks_capacity, whole + 3, sizeof(uint64_t))
    for i in range(whole):
        worker.masks[i + 1] = scan_ascii(characters + 64 * i, shift, worker.text + 64 * i)
    memset(rest, 0, 64)
    memcpy(rest, characters + 64 * whole, left)
    worker.masks[whole + 1] = scan_ascii(rest, shift, worker.text + 64 * whole)
    worker.masks[0] = worker.masks[whole + 2] = 0
    for i in range(whole + 1):
        bits = worker.masks[i + 1]
        words = bits & (bits << 1 | worker.masks[i] >> 63 | bits >> 1 | worker.masks[i + 2] << 63)  # two or more
        edges = words ^ (words << 1 | inside)
        inside = words >> 63
        while edges:
            edge = 64 * i + lowest_bit(edges)
            edges &= edges - 1
            if open:
                add_word(worker, settings, start, edge)
            start = edge
            open = not open
    return 0


cdef int scan_unicode_words(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    cdef size_t i, start = 0, end = 0, n_in_word = 0
    cdef uint32_t character
    for i in range(document.n_characters):
        character = PyUnicode_READ(document.width, document.characters, i)
        if Py_UNICODE_ISALNUM(character) or character == c"_":
            n_in_word += 1
            end += encode(character, worker.text + end)
        else:
            if n_in_word >= 2:
                add_word(worker, settings, start, end)
            start = end
            n_in_word = 0
    if n_in_word >= 2:
        add_word(worker, settings, start, end)
    return 0


cdef inline size_t encode(uint32_t character, uint8_t *out) noexcept nogil:
    """UTF-8, surrogates included; the number of bytes."""
    if character < 0x80:
        out[0] = <uint8_t>character
        return 1
    if character < 0x800:
        out[0] = <uint8_t>(0xC0 | character >> 6)
        out[1] = <uint8_t>(0x80 | character & 0x3F)
        return 2
    if character < 0x10000:
        out[0] = <uint8_t>(0xE0 | character >> 12)
        out[1] = <uint8_t>(0x80 | character >> 6 & 0x3F)
        out[2] = <uint8_t>(0x80 | character & 0x3F)
        return 3
    out[0] = <uint8_t>(0xF0 | character >> 18)
    out[1] = <uint8_t>(0x80 | character >> 12 & 0x3F)
    out[2] = <uint8_t>(0x80 | character >> 6 & 0x3F)
    out[3] = <uint8_t>(0x80 | character & 0x3F)
    return 4


cdef int count_words(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    cdef size_t n, i, done
    worker.n_words = 0
    if settings.ngram_max > 1:
        n = document.n_characters // 2 + 1
        worker.words = <uint32_t *>reserve(worker.words, &worker.words_capacity, n, sizeof(uint32_t))
        worker.prefixes = <uint32_t *>reserve(worker.prefixes, &worker.prefixes_capacity, n, sizeof(uint32_t))
    if document.ascii:
        scan_ascii_words(worker, settings, document)
    else:
        scan_unicode_words(worker, settings, document)
    empty_word_batch(worker, settings)
    if worker.n_words > 0:
        memcpy(worker.prefixes, worker.words, worker.n_words * sizeof(uint32_t))
    for n in range(2, min(settings.ngram_max, worker.n_words) + 1):
        done = 0
        for i in range(worker.n_words - n + 1):
            add_key(worker, pair_key(worker.prefixes[i], worker.words[i + n - 1]))
            if worker.n_batch == BATCH:
                done += empty_batch(worker, settings, n, worker.prefixes + done)
        empty_batch(worker, settings, n, worker.prefixes + done)
    return 0


# Characters -----------------------------------------------------------------------------------------------------------

cdef inline void put(Worker *worker, uint32_t character) noexcept nogil:
    worker.starts[worker.n_characters] = <uint32_t>worker.n_text
    worker.n_text += encode(character, worker.text + worker.n_text)
    worker.n_characters += 1


cdef int scan_characters(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    """Copy the text, each run of white space as one space. For "char" a single white space stays what it is; for
    "char_wb" there is a space before and after every word."""
    cdef bint word_bound = settings.kind == CHAR_WB, lowercase = document.ascii and settings.lowercase
    cdef size_t i, n_spaces = 2 if word_bound else 0
    cdef uint32_t character, space = c" "
    worker.starts = <uint32_t *>reserve(
        worker.starts, &worker.starts_capacity, document.n_characters + 3, sizeof(uint32_t)
    )
    worker.n_characters = worker.n_text = 0
    for i in range(document.n_characters):
        character = PyUnicode_READ(document.width, document.characters, i)
        if Py_UNICODE_ISSPACE(character):
            n_spaces += 1
            space = character
            continue
        if n_spaces > 0:
            put(worker, space if n_spaces == 1 and not word_bound else c" ")
            n_spaces = 0
        put(worker, character + 32 if lowercase and c"A" <= character <= c"Z" else character)
    if n_spaces > 0 or word_bound:
        put(worker, space if n_spaces == 1 and not word_bound else c" ")
    worker.starts[worker.n_characters] = <uint32_t>worker.n_text
    return 0


cdef inline int add_span(Worker *worker, const Settings *settings, size_t first, size_t end) except -1 nogil:
    cdef size_t start = worker.starts[first]
    add_key(worker, bytes_key(SEEDS, worker.text + start, <uint32_t>(worker.starts[end] - start)))
    if worker.n_batch == BATCH:
        empty_batch(worker, settings, settings.ngram_min, worker.terms)
    return 0


cdef int add_spans(Worker *worker, const Settings *settings, size_t first, size_t end) except -1 nogil:
    """All n-grams of the characters from `first` to before `end`."""
    cdef size_t i, n
    for i in range(first, end):
        for n in range(settings.ngram_min, min(settings.ngram_max, end - i) + 1):
            add_span(worker, settings, i, i + n)
    return 0


cdef int count_characters(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    cdef size_t first = 0, last
    scan_characters(worker, settings, document)
    if settings.kind == CHAR:
        add_spans(worker, settings, 0, worker.n_characters)
    else:
        while first + 1 < worker.n_characters:
            last = first + 1
            while worker.text[worker.starts[last]] != c" ":
                last += 1
            if last + 1 - first < settings.ngram_min:  # a short word counts once, whole
                add_span(worker, settings, first, last + 1)
            else:
                add_spans(worker, settings, first, last + 1)
            first = last
    empty_batch(worker, settings, settings.ngram_min, worker.terms)
    return 0


cdef int count_document(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    """Make the document's row, at the end of the worker's block."""
    cdef size_t widest = 1 if document.ascii else 2 if document.width == 1 else 3 if document.width == 2 else 4
    worker.row_start = worker.n_before + <int64_t>worker.block.n_entries
    worker.n_unknown = 0
    worker.text = <uint8_t *>reserve(
        worker.text, &worker.text_capacity, widest * (document.n_characters + 2) + PADDING, 1
    )
    if settings.kind == WORD:
        count_words(worker, settings, document)
    else:
        count_characters(worker, settings, document)
    return 0
