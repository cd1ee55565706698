"""Words of other kinds than scikit-learn's: with punctuation as tokens, or by the rules of Unicode.

Characters have the classes of `textnb.text.unicode_words`, which says what they mean; a page of 256 is asked for when
one of them is first met.
"""

cdef enum:
    N_PAGES = 0x1100

cdef uint8_t *PAGES[N_PAGES]
memset(<void *>PAGES, 0, sizeof(PAGES))


cdef int open_page(uint32_t number) except -1 with gil:
    from textnb.text.unicode_words import class_page

    cdef bytes classes = class_page(number)
    cdef uint8_t *page
    if PAGES[number] != NULL:
        return 0
    page = <uint8_t *>malloc(256)
    if page == NULL:
        out_of_memory()
    memcpy(page, <const char *>classes, 256)
    PAGES[number] = page  # for as long as the process lives
    return 0


cdef inline uint8_t class_at(const Document *document, size_t place) except 0 nogil:
    """The class of a character; upper and lower case have the same."""
    cdef uint32_t character = PyUnicode_READ(document.width, document.characters, place)
    if PAGES[character >> 8] == NULL:
        open_page(character >> 8)
    return PAGES[character >> 8][character & 0xFF]


cdef inline uint32_t lower_ascii(const Settings *settings, const Document *document, size_t place) noexcept nogil:
    """A character, in lower case if it is to be; a document of more than ASCII is so already."""
    cdef uint32_t character = PyUnicode_READ(document.width, document.characters, place)
    return character + 32 if document.ascii and settings.lowercase and c"A" <= character <= c"Z" else character


cdef inline bint next_token(
    const Settings *settings, const Document *document, size_t *start, size_t *stop
) except -1 nogil:
    """Find the first token from `stop` on: where it starts and stops; whether there is one."""
    if settings.words == UNICODE_WORDS:
        return next_unicode_word(document, start, stop)
    return next_word_or_mark(document, start, stop)


cdef inline bint is_word_character(const Document *document, size_t place) noexcept nogil:
    return belongs_to_word(PyUnicode_READ(document.width, document.characters, place))


cdef bint next_word_or_mark(const Document *document, size_t *start, size_t *stop) noexcept nogil:
    cdef size_t i = stop[0], n = document.n_characters
    while i < n and Py_UNICODE_ISSPACE(PyUnicode_READ(document.width, document.characters, i)):
        i += 1
    start[0] = i
    while i < n and is_word_character(document, i):
        i += 1
    stop[0] = i + 1 if i == start[0] and i < n else i
    return stop[0] > start[0]


cdef bint next_unicode_word(const Document *document, size_t *start, size_t *stop) except -1 nogil:
    cdef size_t i = stop[0], n = document.n_characters, after
    cdef uint8_t kind, last, following
    cdef bint has_content
    while i < n:
        last = class_at(document, i)
        if last != c"A" and last != c"D" and last != c"K" and last != c"E" and last != c"S" and last != c"Y":
            i += 1
            continue
        start[0] = i
        has_content = last != c"E"
        i = after_marks(document, i + 1)
        while i < n:
            kind = class_at(document, i)
            if kind == c"A" or kind == c"D":
                if last != c"A" and last != c"D" and last != c"E":
                    break
            elif kind == c"K":
                if last != c"K" and last != c"E":
                    break
            elif kind == c"E":
                if last == c"S" or last == c"Y":
                    break
            elif kind == c"Y":
                if last != c"Y" or class_at(document, i - 1) != c"J":
                    break
            elif (last == c"A" and (kind == c"L" or kind == c"B")) or (last == c"D" and (kind == c"N" or kind == c"B")):
                after = after_marks(document, i + 1)
                if after == n or class_at(document, after) != last:
                    break
                i = after
                kind = last
            else:
                break
            has_content |= kind != c"E"
            last = kind
            i = after_marks(document, i + 1)
        if has_content:
            stop[0] = i
            return True
    return False


cdef inline size_t after_marks(const Document *document, size_t place) except? 0 nogil:
    """The first place from this one on that has no mark, or the end."""
    cdef uint8_t kind
    while place < document.n_characters:
        kind = class_at(document, place)
        if kind != c"M" and kind != c"J":
            break
        place += 1
    return place
