"""A document's text cut into spans: words, n-grams of characters, or the terms of a rendered message."""

cdef int scan_document(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    """Add the keys of all its spans to the worker's batches."""
    cdef size_t widest = 1 if document.ascii else 2 if document.width == 1 else 3 if document.width == 2 else 4
    worker.text = <uint8_t *>reserve(
        worker.text, &worker.text_capacity, widest * (document.n_characters + 2) + PADDING, 1
    )
    if settings.kind == MAIL:
        scan_terms(worker, settings, document)
    elif settings.kind != WORD:
        scan_character_ngrams(worker, settings, document)
    elif settings.words != TWO_OR_MORE:
        scan_tokens(worker, settings, document)
    elif document.ascii:
        scan_ascii_words(worker, settings, document)
    else:
        scan_unicode_words(worker, settings, document)
    empty_batch(worker, settings)
    return 0


cdef inline int add_span(Worker *worker, const Settings *settings, size_t start, size_t end) except -1 nogil:
    """Add these bytes of the text to the batch. Their slot is fetched while the next keys are computed."""
    cdef Key *key
    if settings.n_features > 0:
        return hash_span(worker, settings, start, end)
    key = &worker.batch[worker.n_batch]
    key[0] = bytes_key(SEEDS, worker.text + start, <uint32_t>(end - start))
    prefetch_slot(worker.table, key)
    worker.n_batch += 1
    if worker.n_batch == BATCH:
        empty_batch(worker, settings)
    return 0


# Words ----------------------------------------------------------------------------------------------------------------

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
                add_span(worker, settings, start, edge)
            start = edge
            open = not open
    return 0


cdef int scan_unicode_words(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    cdef size_t i, start = 0, end = 0, n_in_word = 0
    cdef uint32_t character
    for i in range(document.n_characters):
        character = PyUnicode_READ(document.width, document.characters, i)
        if belongs_to_word(character):
            n_in_word += 1
            end += encode(character, worker.text + end)
        else:
            if n_in_word >= 2:
                add_span(worker, settings, start, end)
            start = end
            n_in_word = 0
    if n_in_word >= 2:
        add_span(worker, settings, start, end)
    return 0


cdef int scan_tokens(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    """Words of another kind, one after the other."""
    cdef size_t start = 0, stop = 0, begin, end = 0
    while next_token(settings, document, &start, &stop):
        begin = end
        while start < stop:
            end += encode(lower_ascii(settings, document, start), worker.text + end)
            start += 1
        add_span(worker, settings, begin, end)
    return 0


cdef inline bint separates_terms(uint32_t character) noexcept nogil:
    """Whether a character stands between the terms of a rendered message."""
    return character == c" " or character == c"\n"


cdef int scan_terms(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
    """The terms of a rendered message: whatever stands between blanks and line ends."""
    cdef size_t i, start = 0, end = 0
    cdef uint32_t character
    for i in range(document.n_characters):
        character = PyUnicode_READ(document.width, document.characters, i)
        if not separates_terms(character):
            end += encode(character, worker.text + end)
            continue
        if end > start:
            add_span(worker, settings, start, end)
        start = end
    if end > start:
        add_span(worker, settings, start, end)
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


cdef int add_spans(Worker *worker, const Settings *settings, size_t first, size_t end) except -1 nogil:
    """All n-grams of the characters from `first` to before `end`."""
    cdef size_t i, n
    for i in range(first, end):
        for n in range(settings.ngram_min, min(settings.ngram_max, end - i) + 1):
            add_span(worker, settings, worker.starts[i], worker.starts[i + n])
    return 0


cdef int scan_character_ngrams(Worker *worker, const Settings *settings, const Document *document) except -1 nogil:
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
                add_span(worker, settings, worker.starts[first], worker.starts[last + 1])
            else:
                add_spans(worker, settings, first, last + 1)
            first = last
    return 0
