# Leave-one-group-out: what a group of rows holds of the counts is taken out of them, its rows are scored with what is
# left, and the counts are put back. All alphas in one pass; groups are independent, so threads can share them.
#
# Logarithms of whole counts come from a table. Those of others are computed, a buffer at a time without branches, so
# that the compiler makes vector instructions of the loop: for x = m · 2^e with √½ ≤ m < √2 and f = (m − 1) / (m + 1),
# log x = e log 2 + 2 (f + f³/3 + f⁵/5 + …), and as |f| < 0.172, ten terms give all digits of a double.

cdef extern from *:
    """
    /* The same digits on every machine, by wider vector instructions where it has them. */
    #if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
    __attribute__((target_clones("default", "avx2", "avx512f")))
    #endif
    static void take_logarithms(double *values, Py_ssize_t n) {
        const uint64_t root_half = 0x3fe6a09e667f3bcdu, one = 0x3ff0000000000000u;
        for (Py_ssize_t i = 0; i < n; i++) {
            uint64_t bits, shifted;
            double exponent, m, f, s, sum;
            memcpy(&bits, values + i, 8);
            shifted = bits - root_half + one;
            bits = (shifted >> 52) | 0x4330000000000000u;  /* 2^52 + exponent + 1023, as a double */
            memcpy(&exponent, &bits, 8);
            bits = (shifted & 0x000fffffffffffffu) + root_half;
            memcpy(&m, &bits, 8);
            f = (m - 1.0) / (m + 1.0);
            s = f * f;
            sum = 1.0 / 19.0;
            sum = sum * s + 1.0 / 17.0;
            sum = sum * s + 1.0 / 15.0;
            sum = sum * s + 1.0 / 13.0;
            sum = sum * s + 1.0 / 11.0;
            sum = sum * s + 1.0 / 9.0;
            sum = sum * s + 1.0 / 7.0;
            sum = sum * s + 1.0 / 5.0;
            sum = sum * s + 1.0 / 3.0;
            values[i] = (exponent - 4503599627371519.0) * 0.69314718055994530942 + (2.0 * f + 2.0 * f * (s * sum));
        }
    }

    /* counts − taken + alpha for every alpha and class; what rounding leaves of sums that cancel is 0. */
    static inline void smooth_left(double *RESTRICT smoothed, const double *RESTRICT counts, double taken,
                                   const double *RESTRICT alphas, Py_ssize_t n_classes, Py_ssize_t n) {
        for (Py_ssize_t c = 0; c < n_classes; c++) {
            double left = counts[c] - taken;
            smoothed[c] = left < 1e-12 * counts[c] ? 0.0 : left;
        }
        for (Py_ssize_t l = n - 1; l >= 0; l--)
            for (Py_ssize_t c = 0; c < n_classes; c++) smoothed[l * n_classes + c] = smoothed[c] + alphas[l];
    }

    /* Four at a time: a row of the table is that wide, or a multiple of it. */
    static inline void add_logarithms(double *RESTRICT sums, const double *RESTRICT logarithms, double value,
                                      Py_ssize_t n) {
        for (Py_ssize_t l = 0; l < n; l += 4)
            for (int k = 0; k < 4; k++) sums[l + k] += value * logarithms[l + k];
    }
    """
    void take_logarithms(double *values, Py_ssize_t n) noexcept nogil
    void smooth_left(double *smoothed, const double *counts, double taken, const double *alphas, Py_ssize_t n_classes,
                     Py_ssize_t n) noexcept nogil
    void add_logarithms(double *sums, const double *logarithms, double value, Py_ssize_t n) noexcept nogil

ctypedef fused count_t:
    int32_t  # whole counts, with a table of logarithms
    double

cdef enum:
    BUFFERED = 2048  # logarithms taken at a time, if a term has no more


cdef struct Smoothing:
    Py_ssize_t n  # alphas
    const double *alphas
    const double *table  # of log(count + alpha): a row per count, a column per alpha, and some more
    Py_ssize_t width  # of its rows
    double *buffer
    Py_ssize_t room  # terms that fit in the buffer
    double *sums


def leave_groups_out(const index_t[::1] indptr, const index_t[::1] indices, const double[::1] data,
                     const count_t[::1] held, const int64_t[::1] order, const int64_t[::1] cell_starts,
                     const int64_t[::1] group_cells, const int64_t[::1] cell_class, const count_t[:, ::1] counts,
                     const double[::1] alphas, const double[:, ::1] table, double[:, :, ::1] out,
                     const int64_t[::1] documents, double[:, ::1] changes, bint others,
                     Py_ssize_t first, Py_ssize_t last):
    """out[l, i, c] = Σ_j data_ij log(left + α_l), for the classes c that the group of row i has rows of.

    The rows of a cell (group and class) are those of `order` from its start to the next; groups from `first` to `last`
    have the cells from group_cells[g] on. left = counts[j, c] − what the cell holds of column j; with `others`, it is
    counts[j, c] − what the other cells of the group hold, and is summed for all classes. With `documents`, how many are
    left in the class of each cell, log(left + α) − log(documents − left + α) is summed, and changes[cell, l] is
    Σ_j log(documents − left + α) − log(documents − counts + α) over the columns that the cell holds, the second where
    it is not negative. Whole counts take their logarithms from the table, which must reach as far; its rows have a
    column per alpha, filled up to a multiple of four.
    """
    cdef Py_ssize_t n_rows = indptr.shape[0] - 1, n_columns = counts.shape[0], n_classes = counts.shape[1]
    cdef Py_ssize_t n_cells = cell_class.shape[0], g, k, cell
    cdef bint odds = documents is not None
    cdef Smoothing smoothing
    cdef count_t *own
    cdef count_t *whole
    check_rows(indptr, indices, data.shape[0], n_columns, 0, n_rows)
    _check_left_out(order, cell_starts, group_cells, cell_class, n_rows, n_classes, first, last)
    if held.shape[0] != data.shape[0] or out.shape[0] != alphas.shape[0] or out.shape[1] != n_rows:
        raise ValueError("held or out does not fit the rows")
    if out.shape[2] != n_classes:
        raise ValueError("out does not fit the counts")
    if odds and (documents.shape[0] != n_cells or changes is None or changes.shape[0] != n_cells
                 or changes.shape[1] != alphas.shape[0]):
        raise ValueError("documents or changes does not fit the cells and alphas")
    if count_t is int32_t:
        _check_table(counts, documents, table, alphas.shape[0])
    if not n_columns or not n_classes or not alphas.shape[0] or first == last:
        return
    smoothing.n = alphas.shape[0]
    smoothing.alphas = &alphas[0]
    smoothing.table = &table[0, 0] if count_t is int32_t else NULL
    smoothing.width = table.shape[1] if count_t is int32_t else smoothing.n
    smoothing.room = max(<Py_ssize_t>1, BUFFERED // (n_classes * smoothing.n))
    smoothing.buffer = <double *>malloc(smoothing.room * n_classes * smoothing.n * sizeof(double))
    smoothing.sums = <double *>malloc(n_classes * smoothing.width * sizeof(double))
    own = <count_t *>calloc(n_columns, sizeof(count_t))
    whole = <count_t *>calloc(n_columns, sizeof(count_t))
    try:
        if smoothing.buffer == NULL or smoothing.sums == NULL or own == NULL or whole == NULL:
            out_of_memory()
        with nogil:
            for g in range(first, last):
                if others:
                    for k in range(cell_starts[group_cells[g]], cell_starts[group_cells[g + 1]]):
                        hold(indptr, indices, held, order[k], whole)
                    for k in range(cell_starts[group_cells[g]], cell_starts[group_cells[g + 1]]):
                        sum_all_classes(indptr, indices, data, order[k], counts, whole, &smoothing)
                        write_sums(out, order[k], 0, n_classes, &smoothing)
                for cell in range(group_cells[g], group_cells[g + 1]):
                    for k in range(cell_starts[cell], cell_starts[cell + 1]):
                        hold(indptr, indices, held, order[k], own)
                    for k in range(cell_starts[group_cells[g]], cell_starts[group_cells[g + 1]]):
                        sum_class(indptr, indices, data, order[k], counts, cell_class[cell], own,
                                  whole if others else NULL, documents[cell] if odds else -1, &smoothing)
                        write_sums(out, order[k], cell_class[cell], 1, &smoothing)
                    if odds:
                        sum_changes(indptr, indices, order, cell_starts[cell], cell_starts[cell + 1], counts,
                                    cell_class[cell], own, documents[cell], &changes[cell, 0], &smoothing)
                    for k in range(cell_starts[cell], cell_starts[cell + 1]):
                        release(indptr, indices, order[k], own)
                if others:
                    for k in range(cell_starts[group_cells[g]], cell_starts[group_cells[g + 1]]):
                        release(indptr, indices, order[k], whole)
    finally:
        free(smoothing.buffer)
        free(smoothing.sums)
        free(own)
        free(whole)


# Counts that no group can hold wrap around, and stay within the table: signed overflow would be undefined.

cdef inline count_t plus(count_t a, count_t b) noexcept nogil:
    if count_t is int32_t:
        return <int32_t>(<uint32_t>a + <uint32_t>b)
    else:
        return a + b


cdef inline count_t minus(count_t a, count_t b) noexcept nogil:
    if count_t is int32_t:
        return <int32_t>(<uint32_t>a - <uint32_t>b)
    else:
        return a - b


@cython.boundscheck(False)
@cython.wraparound(False)
cdef inline void hold(const index_t[::1] indptr, const index_t[::1] indices, const count_t[::1] held, Py_ssize_t i,
                      count_t *holds) noexcept nogil:
    """Add a row to what is held of each column."""
    cdef index_t entry
    for entry in range(indptr[i], indptr[i + 1]):
        holds[indices[entry]] = plus[count_t](holds[indices[entry]], held[entry])


@cython.boundscheck(False)
@cython.wraparound(False)
cdef inline void release(const index_t[::1] indptr, const index_t[::1] indices, Py_ssize_t i,
                         count_t *holds) noexcept nogil:
    """Forget what is held of the columns of a row."""
    cdef index_t entry
    for entry in range(indptr[i], indptr[i + 1]):
        holds[indices[entry]] = 0


cdef inline count_t left_of(count_t total, count_t taken) noexcept nogil:
    """total − taken, where what rounding leaves of sums that cancel is 0."""
    cdef count_t left = minus[count_t](total, taken)
    if count_t is int32_t:
        return max(<int32_t>0, min(left, total))  # within the table, whatever is taken
    else:
        return 0.0 if left < 1e-12 * total else left


@cython.boundscheck(False)
@cython.wraparound(False)
cdef inline void sum_all_classes(const index_t[::1] indptr, const index_t[::1] indices, const double[::1] data,
                                 Py_ssize_t i, const count_t[:, ::1] counts, const count_t *taken,
                                 Smoothing *smoothing) noexcept nogil:
    """Σ_j data_ij log(counts[j, c] − taken_j + α_l) for all classes and alphas."""
    cdef Py_ssize_t c, k, n_classes = counts.shape[1], width = smoothing.width, n_sums = width * n_classes, fitting
    cdef index_t entry, start = indptr[i], end = indptr[i + 1]
    cdef const count_t *row
    cdef count_t held
    memset(smoothing.sums, 0, n_sums * sizeof(double))
    if count_t is int32_t:
        for entry in range(start, end):
            if end - entry > 8:
                fetch_counts(&counts[indices[entry + 8], 0], n_classes)
            row = &counts[indices[entry], 0]
            held = taken[indices[entry]]
            for c in range(n_classes):
                add_logarithms(smoothing.sums + c * width,
                               smoothing.table + <Py_ssize_t>left_of[count_t](row[c], held) * width, data[entry], width)
    else:
        while start < end:
            fitting = min(<Py_ssize_t>(end - start), smoothing.room)
            for k in range(fitting):
                if end - start > k + 8:
                    fetch_row(&counts[indices[start + k + 8], 0], n_classes)
                smooth_left(smoothing.buffer + k * n_sums, &counts[indices[start + k], 0], taken[indices[start + k]],
                            smoothing.alphas, n_classes, smoothing.n)
            take_logarithms(smoothing.buffer, fitting * n_sums)
            for k in range(fitting):
                add_scaled(smoothing.sums, smoothing.buffer + k * n_sums, data[start + k], n_sums)
            start += fitting


@cython.boundscheck(False)
@cython.wraparound(False)
cdef inline void sum_class(const index_t[::1] indptr, const index_t[::1] indices, const double[::1] data, Py_ssize_t i,
                           const count_t[:, ::1] counts, Py_ssize_t c, const count_t *own, const count_t *whole,
                           int64_t documents, Smoothing *smoothing) noexcept nogil:
    """The same for one class of which `own` is held or, of all classes, `whole`; less the rest of the documents'."""
    cdef Py_ssize_t l, k, n = smoothing.n, width = smoothing.width, fitting, room = smoothing.room * counts.shape[1]
    cdef index_t entry, column, start = indptr[i], end = indptr[i + 1]
    cdef count_t left
    memset(smoothing.sums, 0, width * sizeof(double))
    while start < end:
        fitting = min(<Py_ssize_t>(end - start), room)
        for k in range(fitting):
            entry = start + k
            if end - entry > 8:
                prefetch(&counts[indices[entry + 8], c])
            column = indices[entry]
            left = left_of[count_t](counts[column, c], own[column] if whole == NULL else minus[count_t](whole[column], own[column]))
            if count_t is int32_t:
                add_logarithms(smoothing.sums, smoothing.table + <Py_ssize_t>left * width, data[entry], width)
                if documents >= 0:
                    add_logarithms(smoothing.sums, smoothing.table + max(<int64_t>0, documents - left) * width,
                                   -data[entry], width)
            else:
                for l in range(n):
                    smoothing.buffer[k * n + l] = left + smoothing.alphas[l]
        if count_t is double:
            take_logarithms(smoothing.buffer, fitting * n)
            for k in range(fitting):
                add_scaled(smoothing.sums, smoothing.buffer + k * n, data[start + k], n)
        start += fitting


@cython.boundscheck(False)
@cython.wraparound(False)
cdef inline void sum_changes(const index_t[::1] indptr, const index_t[::1] indices, const int64_t[::1] order,
                             Py_ssize_t first, Py_ssize_t last, const count_t[:, ::1] counts, Py_ssize_t c,
                             count_t *own, int64_t documents, double *changes, Smoothing *smoothing) noexcept nogil:
    """Σ_j log(documents − left + α) − log(documents − counts + α) over the columns held, which are released."""
    cdef Py_ssize_t k, l, n = smoothing.n
    cdef index_t entry, column
    cdef int64_t before, after
    for l in range(n):
        changes[l] = 0.0
    if count_t is int32_t:
        for k in range(first, last):
            for entry in range(indptr[order[k]], indptr[order[k] + 1]):
                column = indices[entry]
                if own[column] == 0:
                    continue
                before = documents - counts[column, c]
                after = max(<int64_t>0, min(before + own[column], documents))
                own[column] = 0
                for l in range(n):
                    changes[l] += smoothing.table[after * smoothing.width + l]
                    if before >= 0:
                        changes[l] -= smoothing.table[before * smoothing.width + l]


@cython.boundscheck(False)
@cython.wraparound(False)
cdef inline void write_sums(double[:, :, ::1] out, Py_ssize_t i, Py_ssize_t first, Py_ssize_t n_classes,
                            const Smoothing *smoothing) noexcept nogil:
    """The sums of a row, of some classes from the first on; of whole counts they are laid out class by class."""
    cdef Py_ssize_t c, l
    cdef bint by_class = smoothing.table != NULL
    for l in range(smoothing.n):
        for c in range(n_classes):
            out[l, i, first + c] = smoothing.sums[c * smoothing.width + l if by_class else l * n_classes + c]


@cython.boundscheck(False)
@cython.wraparound(False)
cdef int _check_left_out(const int64_t[::1] order, const int64_t[::1] cell_starts, const int64_t[::1] group_cells,
                         const int64_t[::1] cell_class, Py_ssize_t n_rows, Py_ssize_t n_classes, Py_ssize_t first,
                         Py_ssize_t last) except -1:
    """Refuse rows, cells or groups that would be looked for out of bounds."""
    cdef Py_ssize_t i, n_cells = cell_class.shape[0]
    if cell_starts.shape[0] != n_cells + 1 or order.shape[0] != n_rows or not 0 <= first <= last < group_cells.shape[0]:
        raise ValueError("the rows of the groups do not fit their arrays")
    for i in range(n_rows):
        if not 0 <= order[i] < n_rows:
            raise ValueError(f"a group has the row {order[i]}, of {n_rows}")
    for i in range(n_cells):
        if not 0 <= cell_starts[i] <= cell_starts[i + 1] <= n_rows or not 0 <= cell_class[i] < n_classes:
            raise ValueError(f"cell {i} of the groups has no place among the rows or classes")
    for i in range(first, last):
        if not 0 <= group_cells[i] <= group_cells[i + 1] <= n_cells:
            raise ValueError(f"group {i} has no place among the cells")
    return 0


@cython.boundscheck(False)
@cython.wraparound(False)
cdef int _check_table(const count_t[:, ::1] counts, const int64_t[::1] documents, const double[:, ::1] table,
                      Py_ssize_t n_alphas) except -1:
    """Refuse counts that have no logarithms in the table."""
    cdef Py_ssize_t i, c
    cdef int64_t largest = 0, smallest = 0
    for i in range(counts.shape[0]):
        for c in range(counts.shape[1]):
            largest = max(largest, <int64_t>counts[i, c])
            smallest = min(smallest, <int64_t>counts[i, c])
    if documents is not None:
        for i in range(documents.shape[0]):
            largest = max(largest, documents[i])
    if table is None or table.shape[1] < n_alphas or table.shape[1] % 4 != 0:
        raise ValueError("the table needs a column for every alpha, filled up to a multiple of four")
    if smallest < 0 or largest >= table.shape[0]:
        raise ValueError(f"a column counts {largest if smallest == 0 else smallest}, which is not in the table")
    return 0
