# Arithmetic on CSR rows, a range of rows at a time so that threads can share them. Sums are added in the order of the
# entries, as numpy's `bincount` and `add.reduceat` do it, so that both give the same digits.

cimport cython
from libc.math cimport fabs, sqrt

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define RESTRICT __restrict
    #else
    #define RESTRICT restrict
    #endif

    static inline void add_scaled(double *RESTRICT sums, const double *RESTRICT weights, double value, Py_ssize_t n) {
        for (Py_ssize_t k = 0; k < n; k++) sums[k] += value * weights[k];
    }

    static inline void fetch_counts(const int32_t *counts, Py_ssize_t n) {
        for (Py_ssize_t k = 0; k < n; k += 16) prefetch(counts + k);
    }

    static inline void fetch_row(const double *weights, Py_ssize_t n) {
        for (Py_ssize_t k = 0; k < n; k += 8) prefetch(weights + k);
    }
    """
    void add_scaled(double *sums, const double *weights, double value, Py_ssize_t n) noexcept nogil
    void fetch_counts(const int32_t *counts, Py_ssize_t n) noexcept nogil
    void fetch_row(const double *weights, Py_ssize_t n) noexcept nogil

ctypedef fused index_t:
    int32_t
    int64_t

ctypedef fused value_t:
    int64_t
    double


@cython.boundscheck(False)
@cython.wraparound(False)
def multiply_rows(const index_t[::1] indptr, const index_t[::1] indices, const value_t[::1] data,
                  const double[:, ::1] table, double[:, ::1] out, Py_ssize_t first, Py_ssize_t last):
    """out[i] = Σ data · table[column] over the entries of row i, for the rows from first to last."""
    cdef Py_ssize_t i, k, width = table.shape[1]
    cdef index_t entry, end
    cdef const double *weights
    cdef double *sums
    check_rows(indptr, indices, data.shape[0], table.shape[0], first, last)
    if out.shape[0] < last or out.shape[1] != width:
        raise ValueError("out does not fit the rows")
    if width == 0 or table.shape[0] == 0:
        return
    weights = &table[0, 0]
    end = indptr[last]
    with nogil:
        for i in range(first, last):
            sums = &out[i, 0]
            for k in range(width):
                sums[k] = 0.0
            for entry in range(indptr[i], indptr[i + 1]):
                if entry + 8 < end:
                    fetch_row(weights + <Py_ssize_t>indices[entry + 8] * width, width)
                add_scaled(sums, weights + <Py_ssize_t>indices[entry] * width, <double>data[entry], width)


@cython.boundscheck(False)
@cython.wraparound(False)
def sum_logarithms(const index_t[::1] indptr, const index_t[::1] indices, const value_t[::1] data,
                   const int64_t[::1] taken, const int32_t[:, ::1] counts, const double[::1] logarithms,
                   double[:, ::1] out, Py_ssize_t first, Py_ssize_t last):
    """out[i, k] = Σ data · logarithms[counts[column, k] − taken] over the entries of row i; below 0 counts as 0."""
    cdef Py_ssize_t i, k, width = counts.shape[1]
    cdef index_t entry, end
    cdef const int32_t *row
    cdef const double *table
    cdef double *sums
    cdef double value
    cdef int64_t less
    cdef int32_t largest = 0
    check_rows(indptr, indices, data.shape[0], counts.shape[0], first, last)
    if out.shape[0] < last or out.shape[1] != width or taken.shape[0] != data.shape[0]:
        raise ValueError("out or taken does not fit the rows")
    if width == 0 or counts.shape[0] == 0:
        return
    for i in range(counts.shape[0]):
        for k in range(width):
            largest = max(largest, counts[i, k])
    if largest >= logarithms.shape[0]:
        raise ValueError(f"a row counts {largest}, which has no logarithm in the table")
    end = indptr[last]
    table = &logarithms[0]
    with nogil:
        for i in range(first, last):
            sums = &out[i, 0]
            for k in range(width):
                sums[k] = 0.0
            for entry in range(indptr[i], indptr[i + 1]):
                if entry + 8 < end:
                    fetch_counts(&counts[indices[entry + 8], 0], width)
                row = &counts[indices[entry], 0]
                value = <double>data[entry]
                less = max(<int64_t>0, taken[entry])
                for k in range(width):
                    sums[k] += value * table[max(<int64_t>0, row[k] - less)]


@cython.boundscheck(False)
@cython.wraparound(False)
def weigh_rows(const index_t[::1] indptr, const index_t[::1] indices, double[::1] data, const double[::1] idf,
               int norm, Py_ssize_t first, Py_ssize_t last):
    """data times idf[column] where idf is given, then each row divided by its norm (1, 2, or 0 for none), in place."""
    cdef Py_ssize_t i
    cdef index_t entry
    cdef double size
    cdef bint weighted = idf is not None
    check_rows(indptr, indices, data.shape[0], idf.shape[0] if weighted else -1, first, last)
    with nogil:
        for i in range(first, last):
            size = 0.0
            for entry in range(indptr[i], indptr[i + 1]):
                if weighted:
                    data[entry] = data[entry] * idf[indices[entry]]
                if norm == 1:
                    size += fabs(data[entry])
                elif norm == 2:
                    size += data[entry] * data[entry]
            if norm == 2:
                size = sqrt(size)
            if norm != 0 and size != 0.0:
                for entry in range(indptr[i], indptr[i + 1]):
                    data[entry] = data[entry] / size


@cython.boundscheck(False)
@cython.wraparound(False)
def add_by_class(const index_t[::1] indptr, const index_t[::1] indices, const value_t[::1] data,
                 const int64_t[::1] class_ids, value_t[:, ::1] totals):
    """totals[column, class of the row] += data, over all entries in their order."""
    cdef Py_ssize_t i, n_rows = class_ids.shape[0]
    cdef index_t entry
    cdef int64_t c
    check_rows(indptr, indices, data.shape[0], totals.shape[0], 0, n_rows)
    for i in range(n_rows):
        if not 0 <= class_ids[i] < totals.shape[1]:
            raise ValueError(f"a class is out of range: {class_ids[i]}")
    with nogil:
        for i in range(n_rows):
            c = class_ids[i]
            for entry in range(indptr[i], indptr[i + 1]):
                totals[indices[entry], c] += data[entry]


@cython.boundscheck(False)
@cython.wraparound(False)
def count_columns(const index_t[::1] indices, int64_t[::1] frequency):
    """frequency[column] += 1, over all entries."""
    cdef Py_ssize_t i, n_columns = frequency.shape[0]
    cdef bint inside = True
    with nogil:
        for i in range(indices.shape[0]):
            if not 0 <= indices[i] < n_columns:
                inside = False
                break
            frequency[indices[i]] += 1
    if not inside:
        raise ValueError(f"a column is out of range: {indices[i]}")


@cython.boundscheck(False)
@cython.wraparound(False)
cdef int check_rows(const index_t[::1] indptr, const index_t[::1] indices, Py_ssize_t n_entries, Py_ssize_t n_columns,
                    Py_ssize_t first, Py_ssize_t last) except -1:
    """Refuse what would be read or written out of bounds."""
    cdef Py_ssize_t i
    cdef index_t largest = 0, smallest = 0
    if not 0 <= first <= last < indptr.shape[0] or indices.shape[0] != n_entries:
        raise ValueError("the rows do not fit their arrays")
    for i in range(first, last):
        if indptr[i] < 0 or indptr[i] > indptr[i + 1] or indptr[i + 1] > n_entries:
            raise ValueError(f"row {i} has no place in the arrays")
    if n_columns >= 0:
        for i in range(indptr[first], indptr[last]):
            largest = max(largest, indices[i])
            smallest = min(smallest, indices[i])
        if smallest < 0 or (largest >= n_columns and indptr[first] < indptr[last]):
            raise ValueError(f"a column is out of range: {largest if largest >= n_columns else smallest}")
    return 0
