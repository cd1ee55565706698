# Linear models with two classes, by dual coordinate descent (Hsieh et al. 2008; for the logistic loss Yu, Huang & Lin
# 2011). One problem is one class against the rest: threads take different classes, over the same rows.
#
# A feature j of a class is x_ij r_j, which is never made: with u_j = r_j w_j the score is Σ_j x_ij u_j, and a step d of
# the dual variable of row i adds d y_i x_ij r_j² to u_j. The last of u is the weight of a constant feature of 1.

from libc.stdint cimport int8_t
from libc.math cimport INFINITY, exp, log1p

cdef extern from *:
    """
    /* Four sums, so that additions need not wait for each other. */
    static inline double row_score(const int32_t *RESTRICT columns, const double *RESTRICT values, Py_ssize_t n,
                                   const double *RESTRICT u) {
        double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
        Py_ssize_t k = 0;
        for (; k + 4 <= n; k += 4) {
            a += values[k] * u[columns[k]];
            b += values[k + 1] * u[columns[k + 1]];
            c += values[k + 2] * u[columns[k + 2]];
            d += values[k + 3] * u[columns[k + 3]];
        }
        for (; k < n; k++) a += values[k] * u[columns[k]];
        return (a + b) + (c + d);
    }

    static inline void add_row(const int32_t *RESTRICT columns, const double *RESTRICT values, Py_ssize_t n,
                               const double *RESTRICT squares, double step, double *RESTRICT u) {
        for (Py_ssize_t k = 0; k < n; k++) u[columns[k]] += step * values[k] * squares[columns[k]];
    }
    """
    double row_score(const int32_t *columns, const double *values, Py_ssize_t n, const double *u) noexcept nogil
    void add_row(const int32_t *columns, const double *values, Py_ssize_t n, const double *squares, double step,
                 double *u) noexcept nogil

cdef enum:
    MOST_NEWTON = 100  # steps of Newton's method for one dual variable
    MOST_HOT = 3  # passes over the rows with the largest gradients, after each pass over all active ones

cdef double HOT = 0.03  # of the largest gradient is what makes a row one of those
cdef double FIRST_SLACK = 0.1  # how far gradients may be from the optimum before the duality gap is first looked at
cdef double LESS_SLACK = 0.3  # and by how much less each time the gap is too large


cdef struct Problem:
    Py_ssize_t n
    const int64_t *indptr
    const int32_t *indices
    const double *data
    const double *squares  # r_j²
    const int8_t *signs  # y_i, −1 or 1
    const double *costs  # C_i; a row of cost 0 plays no part
    double *curvature  # Σ_j (x_ij r_j)² + 1
    double *violation  # size of the projected gradient when a row was last looked at
    double *dual
    double *u
    double *bias


cdef inline double score_of_row(const Problem *p, Py_ssize_t i) noexcept nogil:
    cdef int64_t start = p.indptr[i]
    return row_score(p.indices + start, p.data + start, p.indptr[i + 1] - start, p.u) + p.bias[0]


cdef inline void add_step(const Problem *p, Py_ssize_t i, double step) noexcept nogil:
    cdef int64_t start = p.indptr[i]
    add_row(p.indices + start, p.data + start, p.indptr[i + 1] - start, p.squares, step, p.u)
    p.bias[0] += step


cdef inline uint64_t next_random(uint64_t *state) noexcept nogil:
    """Steele, Lea & Flood 2014, splitmix64."""
    cdef uint64_t z
    state[0] += 0x9E3779B97F4A7C15u
    z = state[0]
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu
    return z ^ (z >> 31)


cdef void shuffle(int32_t *order, Py_ssize_t n, uint64_t *state) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(n - 1, 0, -1):
        j = <Py_ssize_t>(((next_random(state) >> 32) * <uint64_t>(i + 1)) >> 32)
        order[i], order[j] = order[j], order[i]


cdef inline double entropy(double a) noexcept nogil:
    return a * log(a) if a > 0 else 0.0


cdef Py_ssize_t measure_gap(
    const Problem *p, bint logistic, double above, int32_t *order, double *primal, double *gap
) noexcept nogil:
    """P = ½‖w‖² + Σ C_i loss(m_i), and by how much it is above the dual, which no primal value is below.

    ‖w‖² = Σ α_i m_i, as w = Σ α_i y_i z_i. Returned is how many rows are active, which are put in order: with the
    squared hinge, those at 0 whose gradient is above `above` are not.
    """
    cdef double size = 0, losses = 0, conjugate = 0, m, slack, a, cost
    cdef Py_ssize_t i, active = 0
    for i in range(p.n):
        cost, a = p.costs[i], p.dual[i]
        if cost <= 0:
            continue
        m = p.signs[i] * score_of_row(p, i)
        size += a * m
        if logistic:
            losses += cost * (log1p(exp(-m)) if m > 0 else log1p(exp(m)) - m)
            conjugate += entropy(a) + entropy(cost - a) - entropy(cost)
        else:
            slack = 1.0 - m if m < 1.0 else 0.0
            losses += cost * slack * slack
            conjugate += a * a / (4.0 * cost) - a
        if logistic or a > 0 or m - 1.0 <= above:
            order[active] = <int32_t>i
            active += 1
    primal[0] = 0.5 * size + losses
    gap[0] = size + losses + conjugate
    return active


cdef double hinge_pass(const Problem *p, int32_t *order, Py_ssize_t *active, double *least, double *most) noexcept nogil:
    """One pass for the squared hinge over the active rows; the spread of their projected gradients.

    min ½ αᵀ(Q + D)α − Σ α_i, α_i ≥ 0, D_ii = 1 / (2 C_i). A row at 0 whose gradient is above the largest projected one
    of the pass before (`most`) leaves the active rows. `least` and `most` are set for the next pass.
    """
    cdef double above = most[0], low = INFINITY, high = -INFINITY, m, gradient, a, projected, diagonal, new
    cdef Py_ssize_t s = 0, i
    while s < active[0]:
        i = order[s]
        a = p.dual[i]
        diagonal = 0.5 / p.costs[i]
        m = p.signs[i] * score_of_row(p, i)
        gradient = projected = m - 1.0 + a * diagonal
        if a <= 0:
            if gradient > above:
                active[0] -= 1
                order[s], order[active[0]] = order[active[0]], order[s]
                continue
            projected = min(gradient, 0.0)
        low, high = min(low, projected), max(high, projected)
        p.violation[i] = fabs(projected)
        if p.violation[i] > 1e-12:
            new = max(a - gradient / (p.curvature[i] + diagonal), 0.0)
            p.dual[i] = new
            add_step(p, i, p.signs[i] * (new - a))
        s += 1
    most[0] = high if high > 0 else INFINITY
    least[0] = low
    return high - low if active[0] else 0.0


cdef double logistic_pass(const Problem *p, const int32_t *order, Py_ssize_t active, double precision) noexcept nogil:
    """One pass for the logistic loss; the largest gradient met.

    min ½ αᵀQα + Σ α_i log α_i + (C_i − α_i) log(C_i − α_i), 0 < α_i < C_i.  Yu, Huang & Lin 2011, Algorithm 5: the
    smaller of α and C − α is found by Newton's method, z, so that its logarithm stays exact.
    """
    cdef double most = 0, m, a, cost, z, old, sign, gradient, newton
    cdef Py_ssize_t s, i, k
    for s in range(active):
        i = order[s]
        a, cost = p.dual[i], p.costs[i]
        m = p.signs[i] * score_of_row(p, i)
        sign = 1.0 if 0.5 * p.curvature[i] * (cost - 2.0 * a) + m >= 0 else -1.0
        old = a if sign > 0 else cost - a
        z = old if old <= 0.5 * cost else 0.1 * old
        gradient = p.curvature[i] * (z - old) + sign * m + log(z / (cost - z))
        p.violation[i] = fabs(gradient)
        most = max(most, p.violation[i])
        k = 0
        while fabs(gradient) >= precision and k < MOST_NEWTON:
            newton = z - gradient / (p.curvature[i] + cost / ((cost - z) * z))
            z = newton if newton > 0 else 0.1 * z
            gradient = p.curvature[i] * (z - old) + sign * m + log(z / (cost - z))
            k += 1
        if z != old:
            p.dual[i] = z if sign > 0 else cost - z
            add_step(p, i, p.signs[i] * sign * (z - old))
    return most


cdef Py_ssize_t take_hot(const Problem *p, const int32_t *order, Py_ssize_t active, int32_t *hot) noexcept nogil:
    """Puts the rows with the largest gradients first among `hot`; how many they are."""
    cdef double most = 0
    cdef Py_ssize_t s, n_hot = 0
    for s in range(active):
        most = max(most, p.violation[order[s]])
    for s in range(active):
        if p.violation[order[s]] > HOT * most:
            hot[n_hot] = order[s]
            n_hot += 1
    return n_hot


@cython.boundscheck(False)
@cython.wraparound(False)
cdef int _check_wide_rows(
    const int64_t[::1] indptr, const int32_t[::1] indices, Py_ssize_t n_entries, Py_ssize_t n_columns
) except -1:
    """As `check_rows`, where columns have 32 bits and places 64."""
    cdef Py_ssize_t i, n = indptr.shape[0] - 1
    cdef bint bad = n < 0 or indices.shape[0] != n_entries or n >= MOST_TERMS
    if not bad:
        bad = indptr[0] != 0 or indptr[n] != n_entries
        for i in range(n):
            bad = bad or indptr[i] > indptr[i + 1]
        for i in range(indices.shape[0]):
            bad = bad or not 0 <= indices[i] < n_columns
    if bad:
        raise ValueError("the rows are no rows of that many columns")
    return 0


@cython.boundscheck(False)
@cython.wraparound(False)
def descend(const int64_t[::1] indptr, const int32_t[::1] indices, const double[::1] data, const double[::1] squares,
            const int8_t[::1] signs, const double[::1] costs, bint logistic, double tolerance, Py_ssize_t most_passes,
            uint64_t seed, double[::1] dual, double[::1] u):
    """Minimise ½‖w‖² + Σ C_i loss(y_i (Σ_j w_j r_j x_ij + w_0)): sets u = r ∘ w, its constant last, and the dual.

    It begins at the dual variables given. Returned are the passes made, the primal objective, and how far at most it is
    from the least: no more than `tolerance` of itself, unless the passes were too few. The same arguments give the same
    digits.
    """
    cdef Py_ssize_t n = indptr.shape[0] - 1, n_columns = squares.shape[0], i, k, n_used = 0, active, passes = 0
    cdef double primal = 0, gap = 0, spread, slack = FIRST_SLACK, least = 0, most = INFINITY, precision = 1e-2, value
    cdef uint64_t state = seed
    cdef double unused, highest
    cdef Py_ssize_t n_hot
    cdef int32_t *order = NULL
    cdef int32_t *hot
    cdef double *curvature = NULL
    cdef Problem p
    _check_wide_rows(indptr, indices, data.shape[0], n_columns)
    if signs.shape[0] != n or costs.shape[0] != n or dual.shape[0] != n or u.shape[0] != n_columns + 1:
        raise ValueError("signs, costs, dual or u does not fit the rows")
    order = <int32_t *>malloc(2 * max(n, 1) * sizeof(int32_t))
    curvature = <double *>malloc(2 * max(n, 1) * sizeof(double))
    if order == NULL or curvature == NULL:
        free(order)
        free(curvature)
        out_of_memory()
    p.n, p.indptr, p.signs, p.costs, p.dual = n, &indptr[0], NULL, NULL, NULL
    p.indices, p.data, p.squares = NULL, NULL, NULL
    if n:
        p.signs, p.costs, p.dual = &signs[0], &costs[0], &dual[0]
    if data.shape[0]:
        p.indices, p.data, p.squares = &indices[0], &data[0], &squares[0]
    p.curvature, p.violation, p.u, p.bias = curvature, curvature + n, &u[0], &u[n_columns]
    hot = order + n
    with nogil:
        for k in range(n_columns + 1):
            u[k] = 0.0
        for i in range(n):
            curvature[i] = 1.0
            for k in range(indptr[i], indptr[i + 1]):
                value = data[k]
                curvature[i] += value * value * squares[indices[k]]
            p.violation[i] = 0.0
            if costs[i] <= 0:
                dual[i] = 0.0
                continue
            order[n_used] = <int32_t>i
            n_used += 1
            if logistic:
                dual[i] = min(max(dual[i], min(1e-3 * costs[i], 1e-8)), (1.0 - 1e-9) * costs[i])
            else:
                dual[i] = max(dual[i], 0.0)
            if dual[i] > 0:
                add_step(&p, i, signs[i] * dual[i])
        active = n_used
        while True:
            if passes >= most_passes:
                measure_gap(&p, logistic, most, order, &primal, &gap)
                break
            shuffle(order, active, &state)
            if logistic:
                spread = logistic_pass(&p, order, active, precision)
                precision = max(0.1 * precision, 1e-8) if spread < 10 * precision else precision
            else:
                spread = hinge_pass(&p, order, &active, &least, &most)
            passes += 1
            for k in range(MOST_HOT):
                n_hot = take_hot(&p, order, active, hot)
                if 2 * n_hot > active:  # then there is no saving
                    break
                shuffle(hot, n_hot, &state)
                if logistic:
                    logistic_pass(&p, hot, n_hot, precision)
                else:
                    unused = highest = INFINITY
                    hinge_pass(&p, hot, &n_hot, &unused, &highest)
            if spread > slack:
                continue
            active = measure_gap(&p, logistic, most, order, &primal, &gap)
            if gap <= tolerance * primal:
                break
            slack *= LESS_SLACK
    free(order)
    free(curvature)
    return passes, primal, gap
