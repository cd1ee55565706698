"""Arrays of a model file in place: nothing is read out of bounds, or used before its block has met its checksum."""

cdef extern from *:
    """
    #include <math.h>

    #define BLOCK_SHIFT 12 /* blocks of 4096 bytes have a checksum each */

    static uint32_t CRC_TABLE[8][256];

    static void fill_crc_table(void) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t rest = i;
            for (int bit = 0; bit < 8; bit++) rest = rest >> 1 ^ (rest & 1 ? 0xEDB88320u : 0);
            CRC_TABLE[0][i] = rest;
        }
        for (int k = 1; k < 8; k++)
            for (int i = 0; i < 256; i++)
                CRC_TABLE[k][i] = CRC_TABLE[k - 1][i] >> 8 ^ CRC_TABLE[0][CRC_TABLE[k - 1][i] & 255];
    }

    /* CRC-32 as zlib has it, eight bytes at a time. */
    static uint32_t crc_32(const uint8_t *bytes, size_t n) {
        uint32_t rest = 0xFFFFFFFFu;
        for (; n >= 8; n -= 8, bytes += 8) {
            uint64_t word = load_word(bytes) ^ rest;
            rest = CRC_TABLE[7][word & 255] ^ CRC_TABLE[6][word >> 8 & 255] ^ CRC_TABLE[5][word >> 16 & 255]
                 ^ CRC_TABLE[4][word >> 24 & 255] ^ CRC_TABLE[3][word >> 32 & 255] ^ CRC_TABLE[2][word >> 40 & 255]
                 ^ CRC_TABLE[1][word >> 48 & 255] ^ CRC_TABLE[0][word >> 56];
        }
        for (; n > 0; n--, bytes++) rest = rest >> 8 ^ CRC_TABLE[0][(rest ^ *bytes) & 255];
        return ~rest;
    }

    /* A little-endian number of 1, 2, 4 or 8 bytes. */
    static inline uint64_t load_unsigned(const uint8_t *bytes, int width) {
        switch (width) {
        case 1: return bytes[0];
        case 2: return bytes[0] | (uint64_t)bytes[1] << 8;
        case 4: return bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
        default: return load_word(bytes);
        }
    }

    /* An IEEE number of 2, 4 or 8 bytes. */
    static double load_float(const uint8_t *bytes, int width) {
        uint64_t bits = load_unsigned(bytes, width);
        if (width == 8) {
            double number;
            memcpy(&number, &bits, 8);
            return number;
        }
        if (width == 4) {
            uint32_t half_bits = (uint32_t)bits;
            float number;
            memcpy(&number, &half_bits, 4);
            return number;
        }
        int exponent = bits >> 10 & 31;
        double fraction = (double)(bits & 1023);
        double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
        if (exponent == 31) size = fraction == 0 ? INFINITY : NAN;
        return bits >> 15 ? -size : size;
    }
    """
    const int BLOCK_SHIFT
    void fill_crc_table() noexcept nogil
    uint32_t crc_32(const uint8_t *bytes, size_t n) noexcept nogil
    uint64_t load_unsigned(const uint8_t *bytes, int width) noexcept nogil
    double load_float(const uint8_t *bytes, int width) noexcept nogil

fill_crc_table()

cdef enum:
    MOST_EQUAL_HASHES = 8  # as textnb.text.terms has it: a longer run of equal hashes is a trap
    STRIDE = 64  # terms between two starts of totals, as textnb.model.stored has it


class Damage(ValueError):
    """A model file whose content cannot be, or does not match its checksums."""


cdef struct Stored:
    const char *name
    const uint8_t *bytes
    const uint8_t *checksums
    uint8_t *checked  # 1 for each block that has met its checksum
    size_t n  # items; 0 for an array that is not there
    int width  # bytes per item
    bint is_float
    bint is_signed


cdef int refuse(const Stored *array, what) except -1:
    raise Damage(f"array {array.name.decode()!r} {what}")


cdef int check_block(Stored *array, size_t item) except -1:
    """Compare the block that holds an item with its checksum, unless that was done before."""
    cdef size_t block = item * array.width >> BLOCK_SHIFT, begin = block << BLOCK_SHIFT
    if array.checked[block]:
        return 0
    if crc_32(array.bytes + begin, min(<size_t>1 << BLOCK_SHIFT, array.n * array.width - begin)) != load_unsigned(
        array.checksums + 4 * block, 4
    ):
        refuse(array, f"does not match the checksum of its block {block}")
    array.checked[block] = 1
    return 0


cdef inline int check_item(Stored *array, size_t i) except -1:
    if i >= array.n:
        refuse(array, f"has {array.n} items, and {i} is asked for")
    return check_block(array, i)


cdef int check_items(Stored *array, size_t first, size_t last) except -1:
    """Check the items from `first` to before `last`, which must be in range."""
    cdef size_t i = first
    while i < last:
        check_item(array, i)
        i = ((i * array.width >> BLOCK_SHIFT) + 1 << BLOCK_SHIFT) // array.width
    return 0


cdef inline uint64_t peek(const Stored *array, size_t i) noexcept nogil:
    """An item in range, unchecked: only for searches that check what they have found."""
    return load_unsigned(array.bytes + i * array.width, array.width)


cdef inline int64_t whole_number(Stored *array, size_t i) except -1:
    """An item of an array of whole numbers from 0."""
    cdef uint64_t number
    check_item(array, i)
    number = peek(array, i)
    if number >> 62 or (array.is_signed and number >> (8 * array.width - 1)):
        refuse(array, "has negative or infinite counts")
    return <int64_t>number


cdef double real_number(Stored *array, size_t i) except? -1:
    """An item of any array as a float."""
    check_item(array, i)
    if array.is_float:
        return load_float(array.bytes + i * array.width, array.width)
    return <double>whole_number(array, i)


# Words ----------------------------------------------------------------------------------------------------------------

cdef struct StoredTerms:
    Stored terms
    Stored offsets
    Stored hashes  # these two may be missing: then words are found by their bytes
    Stored order
    Stored starts  # and these, if the terms are no n-grams
    Stored rest
    size_t n_words
    size_t rest_width


cdef size_t lower_hash(const Stored *hashes, uint64_t wanted) noexcept nogil:
    """The first position of a hash that is at least this one. Hashes spread evenly: the search starts where it should
    be, and goes outward in steps that double."""
    cdef size_t low = 0, high = hashes.n, step = 16, middle = <size_t>(<double>wanted / 18446744073709551616.0 * high)
    if middle < high and peek(hashes, middle) < wanted:
        low = middle + 1
        while low + step < high and peek(hashes, low + step) < wanted:
            low += step + 1
            step *= 2
        high = min(high, low + step)
    else:
        high = min(middle, high)
        while high > step and peek(hashes, high - step) >= wanted:
            high -= step
            step *= 2
        low = high - step if high > step else 0
    while low < high:
        middle = low + (high - low) // 2
        if peek(hashes, middle) < wanted:
            low = middle + 1
        else:
            high = middle
    return low


cdef int64_t find_word(StoredTerms *stored, const uint8_t *bytes, size_t length) except -2:
    """The position of a word, -1 if it is not there."""
    cdef Stored *hashes = &stored.hashes
    cdef uint64_t wanted
    cdef size_t at
    cdef int64_t term
    cdef int tried
    if hashes.n == 0:
        return bisect_words(stored, bytes, length)
    wanted = blake_hash(bytes, length)
    at = lower_hash(hashes, wanted)
    if at > 0:  # the two neighbours prove the search right
        check_item(hashes, at - 1)
    for tried in range(MOST_EQUAL_HASHES):
        if at == hashes.n:
            break
        check_item(hashes, at)
        if peek(hashes, at) != wanted:
            break
        term = whole_number(&stored.order, at)
        if word_bytes(stored, term, True) != NULL and same_word(stored, term, bytes, length):
            return term
        at += 1
    return -1


cdef inline size_t word_length(const StoredTerms *stored, size_t word) noexcept nogil:
    return peek(&stored.offsets, word + 1) - peek(&stored.offsets, word)


cdef const uint8_t *word_bytes(StoredTerms *stored, size_t word, bint checked) except NULL:
    """Where a word begins; it is in range, and checked if that is asked for."""
    cdef uint64_t start, stop
    if word >= stored.n_words:
        raise Damage("a word is out of range")
    start, stop = peek(&stored.offsets, word), peek(&stored.offsets, word + 1)
    if start > stop or stop > stored.terms.n:
        raise Damage("array 'offsets' does not divide its terms")
    if checked:
        check_item(&stored.offsets, word)
        check_item(&stored.offsets, word + 1)
        check_items(&stored.terms, start, stop)
    return stored.terms.bytes + start


cdef inline bint same_word(const StoredTerms *stored, size_t word, const uint8_t *bytes, size_t length) noexcept nogil:
    """Whether a word, whose extent was checked, has these bytes."""
    return word_length(stored, word) == length and memcmp(
        stored.terms.bytes + peek(&stored.offsets, word), bytes, length
    ) == 0


cdef int64_t bisect_words(StoredTerms *stored, const uint8_t *bytes, size_t length) except -2:
    """As `find_word`, by the order of the words."""
    cdef size_t low = 0, high = stored.n_words, middle
    while low < high:
        middle = low + (high - low) // 2
        if compare_bytes(word_bytes(stored, middle, False), word_length(stored, middle), bytes, length) < 0:
            low = middle + 1
        else:
            high = middle
    if low > 0:  # the two neighbours prove the search right
        word_bytes(stored, low - 1, True)
    if low == stored.n_words:
        return -1
    word_bytes(stored, low, True)
    return <int64_t>low if same_word(stored, low, bytes, length) else -1


# N-grams --------------------------------------------------------------------------------------------------------------

cdef inline int64_t rest_word(const StoredTerms *stored, size_t ngram, size_t n) noexcept nogil:
    """The word that follows the first n + 1 of an n-gram, -1 if there is none; unchecked. Unsigned ones are ids + 1."""
    cdef uint64_t word = peek(&stored.rest, ngram * stored.rest_width + n)
    return <int32_t>word if stored.rest.is_signed else <int64_t>word - 1


cdef size_t lower_ngram(StoredTerms *stored, size_t first, size_t end, size_t n, int64_t word) except? 0:
    """The first of the n-grams, alike in their first n + 1 words, whose next word is at least this one."""
    cdef size_t low = first, high = end, middle
    while low < high:
        middle = low + (high - low) // 2
        if rest_word(stored, middle, n) < word:
            low = middle + 1
        else:
            high = middle
    if low > first:
        check_item(&stored.rest, (low - 1) * stored.rest_width + n)
    if low < end:
        check_item(&stored.rest, low * stored.rest_width + n)
    return low
