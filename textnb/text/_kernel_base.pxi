"""Shared by the other files: access to the characters of a str, words of eight bytes, limits, and memory."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memchr, memcmp, memcpy, memset, strlen


cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(uint32_t character) noexcept nogil
    bint Py_UNICODE_ISSPACE(uint32_t character) noexcept nogil
    bint PyUnicode_IS_ASCII(object text)
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    uint32_t PyUnicode_READ(int kind, const void *data, size_t index) noexcept nogil
    object PyUnicode_New(Py_ssize_t size, uint32_t largest)
    object PyUnicode_DecodeUTF8(const char *bytes, Py_ssize_t size, const char *errors)


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #define NONE UINT32_MAX
    #define MOST_WORDS (UINT32_MAX - 1)

    static const uint8_t NO_BYTES[1] = {0};

    #if defined(_MSC_VER)
    #include <intrin.h>
    #define prefetch(address) ((void)0)
    static int lowest_bit(uint64_t bits) { unsigned long at; _BitScanForward64(&at, bits); return (int)at; }
    #else
    #define prefetch(address) __builtin_prefetch(address)
    #define lowest_bit(bits) __builtin_ctzll(bits)
    #endif

    /* Eight bytes as a little-endian number, on any machine. */
    static inline uint64_t load_word(const uint8_t *bytes) {
        uint64_t word;
        memcpy(&word, bytes, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
    #endif
        return word;
    }

    /* Four bytes likewise. */
    static inline uint32_t load_half_word(const uint8_t *bytes) {
        uint32_t word;
        memcpy(&word, bytes, 4);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap32(word);
    #endif
        return word;
    }

    static inline uint64_t reverse_bytes(uint64_t word) {
        word = ((word & 0x00FF00FF00FF00FFu) << 8) | ((word >> 8) & 0x00FF00FF00FF00FFu);
        word = ((word & 0x0000FFFF0000FFFFu) << 16) | ((word >> 16) & 0x0000FFFF0000FFFFu);
        return (word << 32) | (word >> 32);
    }

    /* Both halves of the 128-bit product, folded into one. */
    static inline uint64_t mix(uint64_t a, uint64_t b) {
    #if defined(__SIZEOF_INT128__)
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    #else
        uint64_t low = (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu), high = (a >> 32) * (b >> 32);
        uint64_t left = (a >> 32) * (b & 0xFFFFFFFFu), right = (a & 0xFFFFFFFFu) * (b >> 32);
        uint64_t middle = (low >> 32) + (left & 0xFFFFFFFFu) + (right & 0xFFFFFFFFu);
        high += (left >> 32) + (right >> 32) + (middle >> 32);
        return ((middle << 32) | (low & 0xFFFFFFFFu)) ^ high;
    #endif
    }

    static inline int is_ascii_word(uint32_t c) {
        return (c | 32) - 'a' < 26 || c - '0' < 10 || c == '_';
    }

    /* 64 ASCII characters: lower-cased if asked, and a bit for each that belongs to a word. No branches, so that the
       compiler makes vector instructions of the first loop; the multiplication gathers the low bits of eight bytes. */
    static inline uint64_t scan_ascii(const uint8_t *characters, uint8_t shift, uint8_t *out) {
        uint8_t in_word[64];
        uint64_t bits = 0;
        for (int i = 0; i < 64; i++) {
            uint8_t c = characters[i];
            uint8_t upper = (uint8_t)(c - 'A') < 26, lower = (uint8_t)(c - 'a') < 26, digit = (uint8_t)(c - '0') < 10;
            in_word[i] = upper | lower | digit | (c == '_');
            out[i] = c + (upper ? shift : 0);
        }
        for (int i = 0; i < 8; i++)
            bits |= ((load_word(in_word + 8 * i) * 0x0102040810204080u) >> 56) << (8 * i);
        return bits;
    }
    """
    bint is_ascii_word(uint32_t character) noexcept nogil
    const uint32_t NONE  # the id of what is not in a table
    const uint8_t *NO_BYTES  # where nothing is read; NULL must not even be copied from
    const uint32_t MOST_WORDS  # of all documents together, so that a place among them has 32 bits
    void prefetch(const void *address) noexcept nogil
    int lowest_bit(uint64_t bits) noexcept nogil
    uint64_t load_word(const uint8_t *bytes) noexcept nogil
    uint32_t load_half_word(const uint8_t *bytes) noexcept nogil
    uint64_t reverse_bytes(uint64_t word) noexcept nogil
    uint64_t mix(uint64_t a, uint64_t b) noexcept nogil
    uint64_t scan_ascii(const uint8_t *characters, uint8_t shift, uint8_t *out) noexcept nogil


cdef enum:
    MOST_TERMS = 0x7FFFFFFE  # so that a column number has 31 bits
    LONGEST = 0x3FFFFFFF  # characters in a document, so that an offset in its UTF-8 has 32 bits
    PADDING = 64  # bytes that may be read or written beyond the end of a text
    BATCH = 128  # keys computed, and their slots fetched, before the first is looked up

cdef enum:
    WORD
    CHAR
    CHAR_WB
    MAIL

cdef enum:  # what a word is
    TWO_OR_MORE  # letters, digits and underscores, as in scikit-learn's pattern
    WITH_MARKS  # one or more of these, or any other character but white space
    UNICODE_WORDS

# Drawn anew in every process, so that nobody can prepare a text whose words all collide. No result depends on it.
cdef uint64_t[4] SEEDS
for _place in range(4):
    SEEDS[_place] = int.from_bytes(os.urandom(8), "little") | 1


cdef inline bint belongs_to_word(uint32_t character) noexcept nogil:
    return is_ascii_word(character) if character < 0x80 else Py_UNICODE_ISALNUM(character)


cdef int out_of_memory() except -1 with gil:
    raise MemoryError("no memory left to count in; pass fewer documents at a time.")


cdef int too_many_terms() except -1 with gil:
    raise OverflowError(f"more than {MOST_TERMS} distinct terms; pass fewer documents at a time.")


cdef int too_many_words() except -1 with gil:
    raise OverflowError(f"more than {MOST_WORDS} words or documents; pass fewer documents at a time.")


cdef inline void *reserve(void *array, size_t *capacity, size_t wanted, size_t size) except NULL nogil:
    """The array with room for `wanted` items of this size, growing by half; unchanged if there is no memory."""
    cdef size_t larger
    if wanted <= capacity[0] and array != NULL:  # NULL would be taken for an error
        return array
    larger = max(wanted, capacity[0] + capacity[0] // 2, <size_t>64)
    if larger < wanted or larger > (<size_t>-1) // size:
        out_of_memory()
    array = realloc(array, larger * size)
    if array == NULL:
        out_of_memory()
    capacity[0] = larger
    return array


cdef inline void *reserve_zeros(void *array, size_t *capacity, size_t wanted, size_t size) except NULL nogil:
    """As `reserve`; new items are 0."""
    cdef size_t before = capacity[0]
    array = reserve(array, capacity, wanted, size)
    memset(<uint8_t *>array + before * size, 0, (capacity[0] - before) * size)
    return array
