"""BLAKE2b of strings, RFC 7693, without a key and with a digest of eight bytes."""

cdef extern from *:
    """
    static const uint64_t BLAKE_START[8] = {
        0x6A09E667F3BCC908u, 0xBB67AE8584CAA73Bu, 0x3C6EF372FE94F82Bu, 0xA54FF53A5F1D36F1u,
        0x510E527FADE682D1u, 0x9B05688C2B3E6C1Fu, 0x1F83D9ABFB41BD6Bu, 0x5BE0CD19137E2179u,
    };

    static const uint8_t BLAKE_ORDER[10][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    };

    static inline uint64_t rotate_right(uint64_t word, int n) { return (word >> n) | (word << (64 - n)); }

    static inline void blake_mix(uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y) {
        v[a] += v[b] + x;
        v[d] = rotate_right(v[d] ^ v[a], 32);
        v[c] += v[d];
        v[b] = rotate_right(v[b] ^ v[c], 24);
        v[a] += v[b] + y;
        v[d] = rotate_right(v[d] ^ v[a], 16);
        v[c] += v[d];
        v[b] = rotate_right(v[b] ^ v[c], 63);
    }

    static void blake_compress(uint64_t *state, const uint8_t *block, uint64_t n_bytes, int last) {
        uint64_t v[16], m[16];
        for (int i = 0; i < 8; i++) {
            v[i] = state[i];
            v[i + 8] = BLAKE_START[i];
        }
        for (int i = 0; i < 16; i++) m[i] = load_word(block + 8 * i);
        v[12] ^= n_bytes;
        if (last) v[14] = ~v[14];
        for (int round = 0; round < 12; round++) {
            const uint8_t *s = BLAKE_ORDER[round % 10];
            blake_mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
            blake_mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
            blake_mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
            blake_mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
            blake_mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
            blake_mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
            blake_mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
            blake_mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
        }
        for (int i = 0; i < 8; i++) state[i] ^= v[i] ^ v[i + 8];
    }

    static uint64_t blake_hash(const uint8_t *bytes, uint64_t length) {
        uint64_t state[8], done = 0;
        uint8_t block[128] = {0};
        memcpy(state, BLAKE_START, sizeof(state));
        state[0] ^= 0x01010000u ^ 8u; /* eight bytes of digest, no key, fan-out and depth 1 */
        while (length - done > 128) {
            blake_compress(state, bytes + done, done + 128, 0);
            done += 128;
        }
        if (length > done) memcpy(block, bytes + done, length - done);
        blake_compress(state, block, length, 1);
        return state[0];
    }
    """
    uint64_t blake_hash(const uint8_t *bytes, uint64_t length) noexcept nogil


def hash_terms(const uint8_t[::1] blob, const int64_t[::1] offsets):
    """The hash of each string of a table, the digest read as a little-endian number."""
    cdef Table table = borrowed_table(blob, offsets)
    cdef uint64_t[::1] hashes = np.empty(table.n_terms, dtype=np.uint64)
    cdef size_t i
    with nogil:
        for i in range(table.n_terms):
            hashes[i] = blake_hash(term_bytes(&table, i), term_length(&table, i))
    return np.asarray(hashes)
