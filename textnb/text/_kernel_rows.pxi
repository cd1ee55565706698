# Arithmetic on CSR rows, a range of rows at a time so that threads can share them. Sums are added in the order of the
# entries, as numpy's `bincount` and `add.reduceat` do it, so that both give the same digits.

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

    static inline void keep_smallest(uint32_t *RESTRICT smallest, const uint32_t *RESTRICT values, Py_ssize_t n) {
        for (Py_ssize_t k = 0; k < n; k++) smallest[k] = values[k] < smallest[k] ? values[k] : smallest[k];
    }

    static inline void fetch_counts(const int32_t *counts, Py_ssize_t n) {
        for (Py_ssize_t k = 0; k < n; k += 16) prefetch(counts + k);
    }

    static inline void fetch_row(const double *weights, Py_ssize_t n) {
        for (Py_ssize_t k = 0; k < n; k += 8) prefetch(weights + k);
    }
    """
    void add_scaled(double *sums, const double *weights, double value, Py_ssize_t n) noexcept nogil
    void keep_smallest(uint32_t *smallest, const uint32_t *values, Py_ssize_t n) noexcept nogil
    void fetch_counts(const int32_t *counts, Py_ssize_t n) noexcept nogil
    void fetch_row(const double *weights, Py_ssize_t n) noexcept nogil

ctypedef fused index_t:
    int32_t
    int64_t

ctypedef fused value_t:
    int64_t
    double

ctypedef fused start_t:
    int32_t
    int64_t

ctypedef fused class_t:
    int32_t
    int64_t


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
def multiply_sparse(const index_t[::1] indptr, const index_t[::1] indices, const value_t[::1] data,
                    const start_t[::1] w_indptr, const class_t[::1] w_classes, const double[::1] w_values,
                    double[:, ::1] out, Py_ssize_t first, Py_ssize_t last):
    """out[i, c] += Σ data · w over the entries of row i and the weights (c, w) of their columns.

    The weights are canonical CSR rows: those of a column with a weight for every class are added without their classes.
    """
    cdef Py_ssize_t i, n_columns = w_indptr.shape[0] - 1, n_classes = out.shape[1]
    cdef int64_t n_weights = w_values.shape[0], weight, begin, end, ahead
    cdef index_t entry, last_entry
    cdef double value
    cdef index_t bad = -1
    if n_columns < 0:
        raise ValueError("the weights of no columns still need a start")
    check_rows(indptr, indices, data.shape[0], n_columns, first, last)
    if out.shape[0] < last or w_classes.shape[0] != n_weights:
        raise ValueError("out does not fit the rows, or the weights do not fit each other")
    with nogil:
        last_entry = indptr[last]
        for i in range(first, last):
            for entry in range(indptr[i], indptr[i + 1]):
                if last_entry - entry > 16:
                    prefetch(&w_indptr[indices[entry + 16]])
                if last_entry - entry > 8:
                    ahead = w_indptr[indices[entry + 8]]
                    if 0 <= ahead < n_weights:
                        prefetch(&w_classes[ahead])
                        prefetch(&w_values[ahead])
                begin, end = w_indptr[indices[entry]], w_indptr[indices[entry] + 1]
                value = <double>data[entry]
                if not 0 <= begin <= end <= n_weights:
                    bad = indices[entry]
                    break
                if end - begin == n_classes and n_classes > 0:
                    add_scaled(&out[i, 0], &w_values[begin], value, n_classes)
                    continue
                for weight in range(begin, end):
                    if not 0 <= w_classes[weight] < n_classes:
                        bad = indices[entry]
                        break
                    out[i, w_classes[weight]] += value * w_values[weight]
            if bad >= 0:
                break
    if bad >= 0:
        raise ValueError(f"the weights of column {bad} are out of range")


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


cdef struct ClassCount:  # of a column
    int32_t n
    int32_t latest  # class + 1


@cython.boundscheck(False)
@cython.wraparound(False)
def sum_by_class(const index_t[::1] indptr, const index_t[::1] indices, const value_t[::1] data,
                 const int64_t[::1] class_ids, Py_ssize_t n_classes, Py_ssize_t all_columns, Py_ssize_t first_column,
                 Py_ssize_t last_column):
    """Σ of the rows of every class as CSR arrays of shape (n_columns, n_classes): indptr, classes, sums.

    Only the columns from `first_column` to before `last_column` are summed, so that threads can share them; the columns
    of a row must then ascend. Rows are taken class by class, so that the entries of a column come in
    the order of their classes: the first pass counts them, the second adds up. Both reach about in memory, so they
    fetch what the next entries need.
    """
    cdef Py_ssize_t i, k, n_rows = class_ids.shape[0], n_columns = last_column - first_column
    cdef index_t entry, end
    cdef int32_t c
    cdef int64_t place
    cdef ClassCount *counts
    cdef ClassCount *count
    if not 0 <= first_column <= last_column <= all_columns or n_classes > MOST_TERMS:
        raise ValueError(f"sums of columns {first_column} to {last_column} and {n_classes} classes are out of range")
    check_rows(indptr, indices, data.shape[0], all_columns, 0, n_rows)
    for i in range(n_rows):
        if not 0 <= class_ids[i] < n_classes:
            raise ValueError(f"a class is out of range: {class_ids[i]}")
    cdef int64_t[::1] order = np.argsort(class_ids, kind="stable")
    cdef index_t[::1] starts = np.array(indptr[:n_rows])
    cdef index_t[::1] stops = np.array(indptr[1:n_rows + 1])
    if n_columns < all_columns:
        with nogil:
            for i in range(n_rows):
                starts[i] = first_at(indices, starts[i], stops[i], first_column)
                stops[i] = first_at(indices, starts[i], stops[i], last_column)
        check_columns(indices, starts, stops, first_column, last_column)
    bounds = np.zeros(n_columns + 1, dtype=np.int64)
    cdef int64_t[::1] ends = bounds
    counts = <ClassCount *>calloc(n_columns + 1, sizeof(ClassCount))
    if counts == NULL:
        out_of_memory()
    with nogil:
        for k in range(n_rows):
            i = order[k]
            c = <int32_t>class_ids[i] + 1
            end = stops[i]
            for entry in range(starts[i], end):
                if end - entry > 16:
                    prefetch(counts + (indices[entry + 16] - first_column))
                count = counts + (indices[entry] - first_column)
                count.n += count.latest != c
                count.latest = c
        for i in range(n_columns):
            ends[i + 1] = ends[i] + counts[i].n
        free(counts)
    cdef int64_t[::1] places = bounds.copy()  # of the latest sum of each column
    cdef int32_t[::1] classes = np.full(bounds[n_columns], -1, dtype=np.int32)
    cdef value_t[::1] sums = np.zeros(bounds[n_columns], dtype=np.asarray(data).dtype)
    with nogil:
        for k in range(n_rows):
            i = order[k]
            c = <int32_t>class_ids[i]
            end = stops[i]
            for entry in range(starts[i], end):
                if end - entry > 16:
                    prefetch(&places[indices[entry + 16] - first_column])
                if end - entry > 8:
                    place = places[indices[entry + 8] - first_column]
                    prefetch(&classes[place])
                    prefetch(&sums[place])
                place = places[indices[entry] - first_column]
                if classes[place] != c:
                    if classes[place] >= 0:
                        place += 1
                        places[indices[entry] - first_column] = place
                    classes[place] = c
                sums[place] += data[entry]
    return bounds, np.asarray(classes), np.asarray(sums)


@cython.boundscheck(False)
@cython.wraparound(False)
cdef index_t first_at(const index_t[::1] indices, index_t low, index_t high, Py_ssize_t column) noexcept nogil:
    """The first entry of ascending ones whose column is not before this one."""
    cdef index_t middle
    while low < high:
        middle = low + (high - low) // 2
        if indices[middle] < column:
            low = middle + 1
        else:
            high = middle
    return low


@cython.boundscheck(False)
@cython.wraparound(False)
cdef int check_columns(const index_t[::1] indices, index_t[::1] starts, index_t[::1] stops,
                       Py_ssize_t first_column, Py_ssize_t last_column) except -1:
    """Refuse columns that are not in the range."""
    cdef Py_ssize_t i
    cdef index_t entry
    cdef bint inside = True
    with nogil:
        for i in range(starts.shape[0]):
            for entry in range(starts[i], stops[i]):
                inside &= first_column <= indices[entry] < last_column
    if not inside:
        raise ValueError("the columns of a row must ascend, to be summed in parts")
    return 0


@cython.boundscheck(False)
@cython.wraparound(False)
def add_rows(const index_t[::1] indptr, const value_t[::1] data, value_t[::1] sums):
    """sums[i] = Σ data over the entries of row i."""
    cdef Py_ssize_t i, n_rows = sums.shape[0]
    cdef index_t entry
    cdef value_t total
    if indptr.shape[0] != n_rows + 1:
        raise ValueError("sums does not fit the rows")
    for i in range(n_rows):
        if not 0 <= indptr[i] <= indptr[i + 1] <= data.shape[0]:
            raise ValueError(f"row {i} has no place in the arrays")
    with nogil:
        for i in range(n_rows):
            total = 0
            for entry in range(indptr[i], indptr[i + 1]):
                total += data[entry]
            sums[i] = total


@cython.boundscheck(False)
@cython.wraparound(False)
def move_columns(const index_t[::1] indptr, const index_t[::1] indices, const value_t[::1] data,
                 const index_t[::1] columns):
    """The entries whose column moves to another, columns[column], and not to -1: `(indptr, indices, data)`."""
    cdef Py_ssize_t i, n_rows = indptr.shape[0] - 1
    cdef index_t entry, column, n = 0
    check_rows(indptr, indices, data.shape[0], columns.shape[0], 0, n_rows)
    for entry in range(indptr[0], indptr[n_rows]):
        n += columns[indices[entry]] >= 0
    cdef index_t[::1] starts = np.empty(n_rows + 1, dtype=np.asarray(indptr).dtype)
    cdef index_t[::1] moved = np.empty(n, dtype=np.asarray(indptr).dtype)
    cdef value_t[::1] values = np.empty(n, dtype=np.asarray(data).dtype)
    with nogil:
        n = 0
        for i in range(n_rows):
            starts[i] = n
            for entry in range(indptr[i], indptr[i + 1]):
                column = columns[indices[entry]]
                if column >= 0:
                    moved[n] = column
                    values[n] = data[entry]
                    n += 1
        starts[n_rows] = n
    return np.asarray(starts), np.asarray(moved), np.asarray(values)


@cython.boundscheck(False)
@cython.wraparound(False)
def smallest_ranks(const int64_t[::1] indptr, const int64_t[::1] indices, const uint32_t[:, ::1] ranks,
                   uint32_t[:, ::1] out):
    """out[i, k] = the smallest of ranks[column, k] over the entries of row i."""
    cdef Py_ssize_t i, k, n_rows = out.shape[0], width = ranks.shape[1]
    cdef int64_t entry
    check_rows(indptr, indices, indices.shape[0], ranks.shape[0], 0, n_rows)
    if out.shape[1] != width:
        raise ValueError("out does not fit the rows")
    if width == 0:
        return
    with nogil:
        for i in range(n_rows):
            for k in range(width):
                out[i, k] = NONE
            for entry in range(indptr[i], indptr[i + 1]):
                if indptr[i + 1] - entry > 16:
                    prefetch(&ranks[indices[entry + 16], 0])
                keep_smallest(&out[i, 0], &ranks[indices[entry], 0], width)


@cython.boundscheck(False)
@cython.wraparound(False)
def count_owners(const index_t[::1] indptr, const index_t[::1] indices, const int64_t[::1] order,
                 const int64_t[::1] owners, int64_t[::1] frequency):
    """frequency[column] += the number of owners of whose rows one has the column; `order` has the rows owner by owner."""
    cdef Py_ssize_t i, k, n_rows = owners.shape[0], n_columns = frequency.shape[0]
    cdef index_t entry
    check_rows(indptr, indices, indices.shape[0], n_columns, 0, n_rows)
    if order.shape[0] != n_rows:
        raise ValueError("the order does not fit the rows")
    for i in range(n_rows):
        if not 0 <= order[i] < n_rows:
            raise ValueError(f"an owner has the row {order[i]}, of {n_rows}")
    cdef int64_t[::1] latest = np.full(n_columns, -1)
    with nogil:
        for k in range(n_rows):
            i = order[k]
            for entry in range(indptr[i], indptr[i + 1]):
                if latest[indices[entry]] != owners[i]:
                    latest[indices[entry]] = owners[i]
                    frequency[indices[entry]] += 1


@cython.boundscheck(False)
@cython.wraparound(False)
def count_elsewhere(const index_t[::1] indptr, const index_t[::1] indices, const int64_t[::1] order,
                    const int64_t[::1] owners, const int64_t[::1] frequency, int64_t[::1] out):
    """out[entry] = frequency[column] less the rows of the same owner that have it; `order` as for `count_owners`."""
    cdef Py_ssize_t i, k, first = 0, last, n_rows = owners.shape[0]
    cdef index_t entry
    check_rows(indptr, indices, indices.shape[0], frequency.shape[0], 0, n_rows)
    if order.shape[0] != n_rows or out.shape[0] != indices.shape[0]:
        raise ValueError("the order or the result does not fit the rows")
    for i in range(n_rows):
        if not 0 <= order[i] < n_rows:
            raise ValueError(f"an owner has the row {order[i]}, of {n_rows}")
    cdef int64_t[::1] own = np.zeros(frequency.shape[0], dtype=np.int64)
    with nogil:
        while first < n_rows:
            last = first
            while last < n_rows and owners[order[last]] == owners[order[first]]:
                for entry in range(indptr[order[last]], indptr[order[last] + 1]):
                    own[indices[entry]] += 1
                last += 1
            for k in range(first, last):
                for entry in range(indptr[order[k]], indptr[order[k] + 1]):
                    out[entry] = frequency[indices[entry]] - own[indices[entry]]
            for k in range(first, last):
                for entry in range(indptr[order[k]], indptr[order[k] + 1]):
                    own[indices[entry]] = 0
            first = last


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
