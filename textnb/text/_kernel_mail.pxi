"""The words of a message's text, and the tags of its HTML.

`textnb/text/mail/words.py` and `markup.py` there have the same in Python, and say what the parts are.
"""

cdef enum:
    LONGEST_WORD = 20
    LONGEST_WHOLE = LONGEST_WORD + 4  # of a word with its punctuation
    LONGEST_PUNCTUATION = 5
    SHORTEST_ENCODED = 57  # lines of base64 and the like are longer
    SHORTEST_PIECE = 3
    MOST_PIECES = 20
    LONGEST_APART = 500


cdef enum:  # classes of characters
    SEPARATOR = 1  # white space and control characters
    PUNCTUATION = 2
    LETTER = 4  # or a digit, or "_"
    NOTABLE = 8  # may make a word a link or an address

cdef uint8_t[256] CLASSES
for _place in range(256):
    CLASSES[_place] = (
        SEPARATOR * (_place <= 0x20 or 0x7F <= _place <= 0xA0)
        + PUNCTUATION * (chr(_place) in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\xa1\xab\xb7\xbb\xbf")
        + LETTER * (chr(_place).isalnum() or chr(_place) == "_")
        + NOTABLE * (chr(_place) in "@/.")
    )

ctypedef fused Character:
    uint8_t
    uint16_t
    uint32_t


cdef struct Output:
    uint8_t *bytes
    size_t size


cdef inline uint8_t classes(Character character) noexcept nogil:
    if Character is uint8_t:
        return CLASSES[character]
    else:
        if character < 256:
            return CLASSES[character]
        if 0x2000 <= character <= 0x3011 and (
            0x2010 <= character <= 0x2027
            or 0x2030 <= character <= 0x205E
            or 0x3001 <= character <= 0x3003
            or 0x3008 <= character
        ):
            return PUNCTUATION
        return SEPARATOR if Py_UNICODE_ISSPACE(character) else LETTER if Py_UNICODE_ISALNUM(character) else 0


cdef inline void write_byte(Output *output, uint8_t byte) noexcept nogil:
    output.bytes[output.size] = byte
    output.size += 1


cdef inline void write_characters(Output *output, const Character *start, const Character *end) noexcept nogil:
    while start < end:
        if start[0] < 0x80:
            write_byte(output, <uint8_t>start[0])
        else:
            output.size += encode(start[0], output.bytes + output.size)
        start += 1


cdef void write_skip(Output *output, const Character *start, const Character *end) noexcept nogil:
    """The first character of a long word and its length, rounded down to tens and 100 at most."""
    cdef size_t tens = min(<size_t>10, <size_t>(end - start) // 10)
    memcpy(output.bytes + output.size, b"skip:", 5)
    output.size += 5
    write_characters(output, start, start + 1)
    if tens == 10:
        write_byte(output, c"1")
        write_byte(output, c"0")
    elif tens > 0:
        write_byte(output, <uint8_t>(c"0" + tens))
    write_byte(output, c"0")


cdef void write_pieces(Output *other, const Character *start, const Character *end) noexcept nogil:
    """The first runs of letters and digits in a long word that are as long as a word may be."""
    cdef const Character *first = start
    cdef size_t n_pieces = 0
    while start <= end:
        if start == end or not classes(start[0]) & LETTER:
            if SHORTEST_PIECE <= start - first <= LONGEST_WORD:
                write_characters(other, first, start)
                write_byte(other, c"\n")
                n_pieces += 1
                if n_pieces == MOST_PIECES:
                    return
            first = start + 1
        start += 1


cdef void write_word(
    Output *bare, Output *other, const Character *start, const Character *end, bint in_encoded
) noexcept nogil:
    cdef const Character *first = start
    cdef const Character *last = end
    while first < last and classes(first[0]) & PUNCTUATION:
        first += 1
    while last > first and classes(last[-1]) & PUNCTUATION:
        last -= 1
    if first == last:
        if end - start <= LONGEST_PUNCTUATION:
            write_characters(other, start, end)
        else:
            write_skip(other, start, end)
        write_byte(other, c"\n")
        return
    if last - first > LONGEST_WORD:
        write_skip(bare, first, last)
        write_byte(bare, c" ")
        if not in_encoded:
            write_pieces(other, first, last)
        return
    write_characters(bare, first, last)
    write_byte(bare, c" ")
    if last - first < end - start <= LONGEST_WHOLE:
        write_characters(other, start, end)
        write_byte(other, c"\n")


cdef inline bint starts_link(const Character *start, const Character *place) noexcept nogil:
    """Whether this is the "@" of an address, the end of "://" or the end of "www."."""
    if place[0] == c"@":
        return True
    if place[0] == c"/":
        return place - start >= 2 and place[-1] == c"/" and place[-2] == c":"
    return place - start >= 3 and place[-1] == c"w" and place[-2] == c"w" and place[-3] == c"w"


cdef bint write_words(
    Output *outputs, const Character *place, const Character *end, size_t most, bint apart
) noexcept nogil:
    """Whether there are more words than `most`, which are written."""
    cdef const Character *start
    cdef const Character *first
    cdef bint is_apart, has_colon, in_encoded, after_encoded = False
    cdef uint8_t kind
    while True:
        while place < end and classes(place[0]) & SEPARATOR:
            place += 1
        if place == end or most == 0:
            return place < end
        most -= 1
        start = place
        is_apart = has_colon = False
        while place < end:
            kind = classes(place[0])
            if kind & SEPARATOR:
                break
            if kind & NOTABLE and not is_apart:
                is_apart = starts_link(start, place)
            has_colon |= place[0] == c":"
            place += 1
        in_encoded = after_encoded and place - start >= SHORTEST_ENCODED
        after_encoded = place - start >= SHORTEST_ENCODED
        if is_apart and apart:
            write_characters(&outputs[2], start, min(place, start + LONGEST_APART))
            write_byte(&outputs[2], c" ")
            continue
        if not has_colon:
            write_word(&outputs[0], &outputs[1], start, place, in_encoded)
            continue
        first = start
        while start <= place:
            if start == place or start[0] == c":":
                if start > first:
                    write_word(&outputs[0], &outputs[1], first, start, in_encoded)
                first = start + 1
            start += 1


cdef object written(Output *output):
    """As a str, without the separator at the end."""
    return PyUnicode_DecodeUTF8(<char *>output.bytes, max(output.size, 1) - 1, b"surrogatepass")


def mail_words(str text not None, size_t most, bint apart):
    """As `textnb.text.mail.words.split_words`."""
    cdef int width = PyUnicode_KIND(text)
    cdef const void *characters = PyUnicode_DATA(text)
    cdef size_t size = PyUnicode_GET_LENGTH(text), widest = 1 if PyUnicode_IS_ASCII(text) else 2 if width == 1 else 4
    cdef size_t i, room = 2 * widest * size + 32
    cdef bint is_cut
    cdef Output[3] outputs
    cdef uint8_t *memory = <uint8_t *>malloc(3 * room)
    if memory == NULL:
        out_of_memory()
    for i in range(3):
        outputs[i].bytes = memory + i * room
        outputs[i].size = 0
    try:
        with nogil:
            if width == 1:
                is_cut = write_words(
                    outputs, <const uint8_t *>characters, <const uint8_t *>characters + size, most, apart
                )
            elif width == 2:
                is_cut = write_words(
                    outputs, <const uint16_t *>characters, <const uint16_t *>characters + size, most, apart
                )
            else:
                is_cut = write_words(
                    outputs, <const uint32_t *>characters, <const uint32_t *>characters + size, most, apart
                )
        return written(&outputs[0]), written(&outputs[1]), written(&outputs[2]), is_cut
    finally:
        free(memory)


cdef enum:
    LONGEST_TAG = 31
    LONGEST_ATTRIBUTE = 30

cdef enum TagKind:
    ELEMENT
    UNDISPLAYED  # with what it holds, to the end of its closing tag
    COMMENT
    DECLARATION

cdef struct Tag:
    size_t start
    size_t end
    size_t name
    size_t name_end
    size_t attributes_end  # they start where the name ends
    TagKind kind
    bint is_closing
    bint has_attributes
    bint is_hidden  # by the attribute of that name

cdef const char *UNDISPLAYED_NAMES[4]
UNDISPLAYED_NAMES[:] = [b"script", b"style", b"template", b"noframes"]


cdef inline bint is_letter(uint32_t character) noexcept nogil:
    return (character | 0x20) - <uint32_t>c"a" < 26


cdef inline bint is_digit(uint32_t character) noexcept nogil:
    return character - <uint32_t>c"0" < 10


cdef inline bint is_in_word(uint32_t character) noexcept nogil:
    return character == c"_" or Py_UNICODE_ISALNUM(character)


cdef inline size_t seek(const Character *text, size_t place, size_t end, uint32_t wanted) noexcept nogil:
    """Where the character is, or the end."""
    cdef const void *found
    if Character is uint8_t:
        found = memchr(text + place, <int>wanted, end - place) if wanted < 256 else NULL
        return end if found == NULL else <const uint8_t *>found - text
    else:
        while place < end and text[place] != wanted:
            place += 1
        return place


cdef inline size_t seek_behind(const Character *text, size_t place, size_t end, uint32_t wanted) noexcept nogil:
    """Behind the next such character, or the end."""
    return min(seek(text, place, end, wanted) + 1, end)


cdef inline size_t skip_space(const Character *text, size_t place, size_t end) noexcept nogil:
    while place < end and Py_UNICODE_ISSPACE(text[place]):
        place += 1
    return place


cdef size_t name_length(const Character *text, size_t place, size_t end, const char *name) noexcept nogil:
    """The length of this name, which is in lower case, if it is there in any case; otherwise 0."""
    cdef size_t n = 0
    while name[n]:
        if place + n == end or not is_letter(text[place + n]) or (text[place + n] | 0x20) != <uint32_t>name[n]:
            return 0
        n += 1
    return n


cdef size_t undisplayed_end(const Character *text, size_t place, size_t end, const char *name) noexcept nogil:
    while True:
        place = seek(text, place, end, c"<")
        if place == end:
            return end
        place += 1
        if place < end and text[place] == c"/" and name_length(text, place + 1, end, name):
            return seek_behind(text, place, end, c">")


cdef size_t comment_end(const Character *text, size_t place, size_t end) noexcept nogil:
    """Behind the first "-->" or "--!>", or a ">" or "->" at once."""
    cdef size_t first = place, before
    before = place + (place < end and text[place] == c"-")
    if before < end and text[before] == c">":
        return before + 1
    while True:
        place = seek(text, place, end, c">")
        if place == end:
            return end
        before = place - 1 if place > first and text[place - 1] == c"!" else place
        if before >= first + 2 and text[before - 1] == c"-" and text[before - 2] == c"-":
            return place + 1
        place += 1


cdef bint is_hidden_name(const Character *text, size_t place, size_t end) noexcept nogil:
    """Whether this is the whole name of the attribute `hidden`; there is a character before it."""
    cdef size_t behind = place + name_length(text, place, end, b"hidden")
    if behind == place:
        return False
    if not (text[place - 1] == c"/" or text[place - 1] == c'"' or text[place - 1] == c"'"):
        if not Py_UNICODE_ISSPACE(text[place - 1]):
            return False
    return (
        behind == end
        or text[behind] == c">"
        or text[behind] == c"/"
        or text[behind] == c"="
        or Py_UNICODE_ISSPACE(text[behind])
    )


cdef void scan_attributes(const Character *text, size_t end, Tag *tag) noexcept nogil:
    """To the ">" that is not in quotes after "="; a quote that is not closed is none."""
    cdef size_t place = tag.name_end, closed, value = place
    while place < end and text[place] != c">":
        if text[place] != c"=":
            if (text[place] | 0x20) == c"h" and place != value and is_hidden_name(text, place, end):
                tag.is_hidden = True
            place += 1
            continue
        tag.has_attributes = True
        value = place = skip_space(text, place + 1, end)
        if place < end and (text[place] == c'"' or text[place] == c"'"):
            closed = seek(text, place + 1, end, text[place])
            if closed < end:
                place = closed + 1
    tag.attributes_end = place
    tag.end = min(place + 1, end)


cdef bint scan_tag(const Character *text, size_t end, Tag *tag) noexcept nogil:
    """Whether a tag starts at `tag.start`, where there is a "<"."""
    cdef size_t place = tag.start + 1, n
    cdef int i
    if place == end:
        return False
    for i in range(4):
        n = name_length(text, place, end, UNDISPLAYED_NAMES[i])
        if n and (place + n == end or not is_in_word(text[place + n])):
            tag.kind = UNDISPLAYED
            tag.name = place
            tag.name_end = place + n
            tag.end = undisplayed_end(text, place + n, end, UNDISPLAYED_NAMES[i])
            return True
    tag.is_closing = text[place] == c"/"
    tag.name = place + tag.is_closing
    if tag.name < end and is_letter(text[tag.name]):
        tag.kind = ELEMENT
        n = tag.name + 1
        while n < end and n - tag.name < LONGEST_TAG and (is_letter(text[n]) or is_digit(text[n])):
            n += 1
        tag.name_end = n
        tag.has_attributes = tag.is_hidden = False
        scan_attributes(text, end, tag)
        return True
    if end - place >= 3 and text[place] == c"!" and text[place + 1] == c"-" and text[place + 2] == c"-":
        tag.kind = COMMENT
        tag.end = comment_end(text, place + 3, end)
        return True
    if text[place] == c"!" or text[place] == c"?" or text[place] == c"/":
        tag.kind = DECLARATION
        tag.end = seek_behind(text, place, end, c">")
        return True
    return False


cdef bint find_tag(const Character *text, size_t end, Tag *tag) noexcept nogil:
    """Whether there is one more tag behind the last one."""
    cdef size_t place = tag.end
    while True:
        place = seek(text, place, end, c"<")
        if place == end:
            return False
        tag.start = place
        if scan_tag(text, end, tag):
            return True
        place += 1


cdef dict scan_names(const Character *text, size_t place, size_t end, object whole, object wanted):
    cdef dict found = {}
    cdef size_t name, name_end, value
    while True:
        while place < end and not (is_letter(text[place]) or text[place] == c"-"):
            place += 1
        if place == end:
            return found
        name = place
        while place < end and (is_letter(text[place]) or text[place] == c"-"):
            place += 1
        name_end = place
        value = skip_space(text, place, end)
        if value == end or text[value] != c"=":
            continue
        value = skip_space(text, value + 1, end)
        if value == end or text[value] == c">":
            continue
        if text[value] == c'"' or text[value] == c"'":
            place = seek_behind(text, value + 1, end, text[value])
        else:
            place = value
            while place < end and text[place] != c">" and not Py_UNICODE_ISSPACE(text[place]):
                place += 1
        if name_end - name > LONGEST_ATTRIBUTE:
            name = name_end - LONGEST_ATTRIBUTE
        given = whole[name:name_end].lower()
        if given in wanted:
            found[given] = whole[value:place].strip("\"' \n\t")


cdef dict read_attributes(str text, size_t place, size_t end, wanted):
    cdef const void *characters = PyUnicode_DATA(text)
    cdef int width = PyUnicode_KIND(text)
    if width == 1:
        return scan_names(<const uint8_t *>characters, place, end, text, wanted)
    if width == 2:
        return scan_names(<const uint16_t *>characters, place, end, text, wanted)
    return scan_names(<const uint32_t *>characters, place, end, text, wanted)


def mail_attributes(str text not None, wanted):
    """As `textnb.text.mail.markup.find_attributes`."""
    return read_attributes(text, 0, PyUnicode_GET_LENGTH(text), wanted)


def mail_markup(
    str html not None,
    dict sheet not None,
    wanted,
    size_t longest,
    apply,
    style,
    breaking,
    empty,
    dict ends not None,
    ended,
    around,
):
    """As `textnb.text.mail.markup.walk_tags`; the last arguments are what it uses of its module."""
    cdef int width = PyUnicode_KIND(html)
    cdef const void *characters = PyUnicode_DATA(html)
    cdef size_t size = PyUnicode_GET_LENGTH(html), position = 0
    cdef Tag tag
    cdef bint found
    cdef list visible = [], hidden = [], text = visible, opened = [], sheets = []
    cdef tuple texts = (visible, hidden)
    cdef dict links = {}, n_open = {}, nothing = {}
    cdef set tags = set()
    cdef dict given
    cdef str name
    none = frozenset()
    endable = none
    tag.end = 0
    while True:
        if width == 1:
            found = find_tag(<const uint8_t *>characters, size, &tag)
        elif width == 2:
            found = find_tag(<const uint16_t *>characters, size, &tag)
        else:
            found = find_tag(<const uint32_t *>characters, size, &tag)
        if not found:
            break
        if tag.start > position:
            text.append(html[position:tag.start])
        position = tag.end
        if tag.kind == COMMENT or tag.kind == DECLARATION:
            tags.add("comment" if tag.kind == COMMENT else "other")
            continue
        name = html[tag.name:tag.name_end].lower()
        if tag.kind == UNDISPLAYED:
            tags.add(name)
            if name == "style":
                sheets.append(html[tag.name_end:tag.end])
            continue
        if name in breaking:
            text.append(" ")
        if tag.is_closing:
            if n_open.get(name):
                style, endable = close_elements((name,), opened, n_open)
                text = visible if style.is_visible else hidden
            continue
        tags.add(name)
        if endable and name in ends:
            while not endable.isdisjoint(ends[name]):
                style, endable = close_elements(endable & ends[name], opened, n_open)
                text = visible if style.is_visible else hidden
        inner = style
        given = nothing
        if tag.has_attributes:
            given = read_attributes(html, tag.name_end, min(tag.attributes_end, tag.name_end + longest), wanted)
        if given or tag.is_hidden or name in sheet:
            inner = apply(name, given, tag.is_hidden, style, texts, links, sheet)
        is_around = name in around
        if (inner is not style or is_around or n_open.get(name)) and name not in empty:
            opened.append((name, style, endable))
            n_open[name] = n_open.get(name, 0) + 1
            endable = none if is_around else endable | {name} if name in ended else endable
            style = inner
            text = visible if style.is_visible else hidden
    text.append(html[position:])
    return "".join(visible), "".join(hidden), links, tags, sheets


cdef close_elements(names, list opened, dict n_open):
    while True:
        closed, style, endable = opened.pop()
        n_open[closed] -= 1
        if closed in names:
            return style, endable


cdef enum:
    LONGEST_LINK = 500
    LONGEST_SCHEME = 20
    LONGEST_HOST = 40  # of a part of it in a term
    LONGEST_PORT = 5
    MOST_SUFFIXES = 5
    MOST_PATH_PIECES = 40
    SHORTEST_PATH_PIECE = 2
    ROOM_OF_LINK = 2048  # for its terms: 5 + 3 parts of a host, 40 pieces of the path, and five short ones


cdef void write_term(Output *output, const char *tag, const uint8_t *start, size_t size) noexcept nogil:
    cdef size_t length = strlen(tag)
    memcpy(output.bytes + output.size, tag, length)
    memcpy(output.bytes + output.size + length, start, size)
    output.size += length + size
    write_byte(output, c"\n")


cdef bint are_digits(const uint8_t *start, const uint8_t *end, bint or_points) noexcept nogil:
    """Whether there is a digit, and nothing else but points."""
    cdef bint has_digit = False
    while start < end:
        if is_digit(start[0]):
            has_digit = True
        elif not or_points or start[0] != c".":
            return False
        start += 1
    return has_digit


cdef void write_suffixes(Output *output, const uint8_t *start, const uint8_t *end) noexcept nogil:
    """The last names of a host, each cut off, and all but the first of them, and so on."""
    cdef uint8_t[MOST_SUFFIXES * (LONGEST_HOST + 1)] joined
    cdef size_t[MOST_SUFFIXES] starts
    cdef const uint8_t *first
    cdef size_t size = 0, n = 0, i, length
    while start < end and start[0] == c".":
        start += 1
    while end > start and end[-1] == c".":
        end -= 1
    first = end
    while first > start:
        if first[-1] == c".":
            n += 1
            if n == MOST_SUFFIXES:
                break
        first -= 1
    n = 0
    while True:
        starts[n] = size
        n += 1
        length = 0
        while first < end and first[0] != c".":
            if length < LONGEST_HOST:
                joined[size + length] = first[0]
                length += 1
            first += 1
        size += length
        if first == end:
            break
        joined[size] = c"."
        size += 1
        first += 1
    for i in range(n):
        length = min(size - starts[i], <size_t>LONGEST_HOST)
        write_term(output, b"url:", joined + size - length, length)


cdef void write_host(Output *output, uint8_t *start, uint8_t *end) noexcept nogil:
    cdef uint8_t *place = end
    cdef uint8_t *kept
    cdef int n
    while place > start and place[-1] != c"@":
        place -= 1
    if place > start:
        write_term(output, b"url:userinfo", place, 0)
        start = place
    if memchr(start, c"%", end - start) != NULL:
        write_term(output, b"url:escaped-host", start, 0)
    place = start
    while place < end and place[0] != c":":
        place += 1
    if place < end and are_digits(place + 1, end, False):
        write_term(output, b"url:port:", place + 1, min(end - place - 1, LONGEST_PORT))
    end = place
    kept = place = start
    while place < end:
        if is_letter(place[0]) or is_digit(place[0]) or place[0] == c"_" or place[0] == c"." or place[0] == c"-":
            kept[0] = place[0]
            kept += 1
        place += 1
    end = kept
    if not are_digits(start, end, True):
        write_suffixes(output, start, end)
        return
    write_term(output, b"url:ip", start, 0)
    end = min(end, start + LONGEST_HOST)
    place = start
    for n in range(3):
        while place < end and place[0] != c".":
            place += 1
        write_term(output, b"url:", start, place - start)
        place = min(place + 1, end)


cdef void write_path(Output *output, const uint8_t *place, const uint8_t *end) noexcept nogil:
    cdef const uint8_t *start
    cdef int n = 0
    if memchr(place, c"%", end - place) != NULL:
        write_term(output, b"url:%", place, 0)
    while n < MOST_PATH_PIECES and place < end:
        start = place
        while place < end and (is_letter(place[0]) or is_digit(place[0])):
            place += 1
        if place - start > LONGEST_WORD:
            write_term(output, b"url:/long", start, 0)
        elif place - start >= SHORTEST_PATH_PIECE:
            write_term(output, b"url:/", start, place - start)
        n += place - start >= SHORTEST_PATH_PIECE
        place += 1


def mail_link(str link not None):
    """The terms of `textnb.text.mail.links.link_terms`, one per line; None for a link that is not ASCII or "mailto:"."""
    cdef uint8_t[LONGEST_LINK] characters
    cdef uint8_t[ROOM_OF_LINK] terms
    cdef uint8_t *place = characters
    cdef uint8_t *end = characters
    cdef uint8_t *slash
    cdef const uint8_t *text
    cdef size_t i, n
    cdef Output output
    if not PyUnicode_IS_ASCII(link):
        return None
    output.bytes = terms
    output.size = 0
    text = <const uint8_t *>PyUnicode_DATA(link)
    for i in range(min(<size_t>PyUnicode_GET_LENGTH(link), <size_t>LONGEST_LINK)):
        if not Py_UNICODE_ISSPACE(text[i]):
            end[0] = text[i] | 0x20 if c"A" <= text[i] <= c"Z" else text[i]
            end += 1
    n = 0
    while n <= LONGEST_SCHEME and place + n < end and is_letter(place[n]):
        n += 1
    if 0 < n <= LONGEST_SCHEME and place + n < end and place[n] == c":":
        if n == 6 and memcmp(place, b"mailto", 6) == 0:
            return None
        write_term(&output, b"url:", place, n + 1)
        place += n + 1
        if end - place >= 2 and place[0] == c"/" and place[1] == c"/":
            place += 2
    elif not (end - place >= 4 and memcmp(place, b"www.", 4) == 0):
        write_path(&output, place, end)
        return written(&output)
    slash = <uint8_t *>memchr(place, c"/", end - place)
    write_host(&output, place, end if slash == NULL else slash)
    if slash != NULL:
        write_path(&output, slash + 1, end)
    return written(&output)


cdef enum:
    LONGEST_HEADER_NAME = 200
    LONGEST_KNOWN_NAME = 30

cdef struct HeaderLine:
    size_t name_end
    size_t value
    size_t value_end
    size_t next  # 0 if the line is of no header


cdef bint is_mailbox_line(const Character *text, size_t place, size_t end) noexcept nogil:
    place += place < end and text[place] == c">"
    return (
        end - place >= 5
        and text[place] == c"F"
        and text[place + 1] == c"r"
        and text[place + 2] == c"o"
        and text[place + 3] == c"m"
        and text[place + 4] == c" "
    )


cdef inline bint is_blank(uint32_t character) noexcept nogil:
    return character == c" " or character == c"\t"


cdef void scan_header(const Character *text, size_t place, size_t end, HeaderLine *line) noexcept nogil:
    """The header at the start of a line. It has a value only if it has a name; a mailbox's own line may have none."""
    cdef bint is_mailbox = is_mailbox_line(text, place, end)
    cdef size_t start = place
    line.next = line.value = 0
    while place < end and c"!" <= text[place] <= c"~" and text[place] != c":":
        place += 1
    line.name_end = place
    while place < end and is_blank(text[place]):
        place += 1
    if 0 < line.name_end - start <= LONGEST_HEADER_NAME and place < end and text[place] == c":":
        place += 1
        while place < end and is_blank(text[place]):
            place += 1
        line.value = place
    elif not is_mailbox:
        return
    place = seek(text, place, end, c"\n")
    while not is_mailbox and end - place >= 2 and is_blank(text[place + 1]):
        place = seek(text, place + 1, end, c"\n")
    line.value_end = place
    line.next = min(place + 1, end)


def mail_headers(str text not None, size_t most, known):
    """As `textnb.text.mail.message.scan_headers`."""
    cdef int width = PyUnicode_KIND(text)
    cdef const void *characters = PyUnicode_DATA(text)
    cdef size_t size = PyUnicode_GET_LENGTH(text), place = 0
    cdef HeaderLine line
    cdef list headers = [], further = []
    cdef set met = set()
    cdef bint is_cut = False
    while place < size:
        if width == 1:
            scan_header(<const uint8_t *>characters, place, size, &line)
        elif width == 2:
            scan_header(<const uint16_t *>characters, place, size, &line)
        else:
            scan_header(<const uint32_t *>characters, place, size, &line)
        if line.next == 0:
            break
        if line.value and <size_t>len(headers) < most:
            headers.append((text[place:line.name_end].lower(), text[line.value:line.value_end]))
        elif line.value:
            if not is_cut:
                is_cut = True
                met = {name for name, _ in headers}
            if line.name_end - place <= LONGEST_KNOWN_NAME:
                name = text[place:line.name_end].lower()
                if name in known and name not in met:
                    met.add(name)
                    further.append((name, text[line.value:line.value_end]))
        place = line.next
    return further + headers, place, is_cut


cdef bint has_line(str message, const Character *text, size_t place, size_t end, tuple starts):
    cdef size_t behind
    cdef bint[128] is_first  # of one of the starts
    memset(is_first, 0, sizeof(is_first))
    for start in starts:
        is_first[ord(start[0])] = is_first[ord(start[0].upper())] = True
    while place < end and text[place] != c"\n":
        behind = seek_behind(text, place, end, c"\n")
        if text[place] < 128 and is_first[text[place]] and message[place:behind].lower().startswith(starts):
            return True
        place = behind
    return False


def mail_has_line(str message not None, size_t place, tuple starts not None):
    """As `textnb.text.mail.canonical.has_line`."""
    cdef int width = PyUnicode_KIND(message)
    cdef const void *characters = PyUnicode_DATA(message)
    cdef size_t size = PyUnicode_GET_LENGTH(message)
    if width == 1:
        return has_line(message, <const uint8_t *>characters, place, size, starts)
    if width == 2:
        return has_line(message, <const uint16_t *>characters, place, size, starts)
    return has_line(message, <const uint32_t *>characters, place, size, starts)
