"""The complement model: a class is judged by how unlike the document the other classes are."""

from __future__ import annotations

import numpy as np

from textnb.arrays import Array, SparseRows, compiled_kernel, row_blocks
from textnb.likelihood.groups import Groups, Scores, Touched, cell_totals, group_totals, look_up, subtract
from textnb.likelihood.rules import ClassPart
from textnb.likelihood.smoothing import Alpha, log_mass, log_smoothed, of_features, per_feature, safe_log
from textnb.text.threads import available_cores, run_blocks

_BLOCK = 1 << 18  # logarithms held at a time: small enough for the cache
NEEDS_SMOOTHING = (
    "ComplementNB needs alpha > 0 here: with alpha = 0, a feature that occurs in one class only, or in none, would get "
    "an infinite weight. Use a small alpha such as 1e-3."
)


def log_probability(totals: SparseRows, documents: Array, alpha: Alpha, norm: bool = False) -> Array:
    """w_cj = −log((N_j − N_cj + α_j) / Σ_j (N_j − N_cj + α_j)), (V, K).  Rennie et al. 2003, Table 4, steps 4–6.

    With ``norm``, divided by Σ_j |w_cj| (step 7; the sum is of one sign). A lone feature weighs 0.
    """
    part = class_part(totals, documents, alpha, norm)
    rest = np.maximum(totals.row_sums()[:, np.newaxis] - totals.toarray(), 0)  # rounding can leave less than nothing
    unscaled = part.by_class - log_smoothed(rest, per_feature(alpha))
    return unscaled if part.scale is None else unscaled * part.scale


def class_part(totals: SparseRows, documents: Array, alpha: Alpha, norm: bool = False) -> ClassPart:
    """k_c = log Σ_j (N_j − N_cj + α_j) and, with ``norm``, s_c = 1 / Σ_j |w_cj|.

    There is no prior (Rennie et al. 2003, Table 4, step 8). Two features or more have Σ_j |w_cj| ≥ 2 log 2, one has 0.
    """
    n_features = totals.shape[0]
    counted = totals.column_sums()
    by_class = log_mass(np.maximum(counted.sum() - counted, 0), alpha, n_features)
    intercept = np.zeros(len(counted))
    if not norm:
        return ClassPart(by_class, intercept)
    by_term, deviations = term_part(totals, documents, alpha)
    length = n_features * by_class + by_term.sum() + deviations.column_sums()
    return ClassPart(by_class, intercept, 1.0 / np.where(length < 1.0, 1.0, length))


def term_part(totals: SparseRows, documents: Array, alpha: Alpha) -> tuple[Array, SparseRows]:
    """t_j = −log(N_j + α_j) and d_jc = log(N_j + α_j) − log(N_j − N_cj + α_j): 0 for a term that a class has not."""
    everywhere, terms = totals.row_sums(), totals.row_ids
    rest = np.maximum(everywhere[terms] - totals.data, 0)
    smoothing = of_features(terms, alpha)
    if np.min(alpha) == 0 and not ((everywhere + alpha > 0).all() and (rest + smoothing > 0).all()):
        raise ValueError(NEEDS_SMOOTHING)
    logarithms = log_smoothed(everywhere, alpha)
    return -logarithms, totals.with_data(logarithms[terms] - log_smoothed(rest, smoothing))


def leave_one_out(rows: SparseRows, scored: SparseRows, groups: Groups, totals: SparseRows, norm: bool) -> Scores:
    """−Σ_j x_j log((R_cj − H_cj + α_j) / Σ_j (R_cj − H_cj + α_j)), for α > 0.

    R_cj is the total of all classes but c, and H_cj what the row's group holds of it.
    """
    rest = subtract(totals.row_sums()[:, np.newaxis], totals.toarray())
    cells, wholes = cell_totals(rows, groups), group_totals(rows, groups)
    whole = rows.data if groups.single else look_up(wholes, groups.of_row[rows.row_ids], rows.indices)
    touched = Touched(scored, groups.of_row, groups, cells, rest, whole)
    log_sums = _logarithm_sums(scored, rest, whole)
    lengths = scored.row_sums()
    taken = groups.sums(rows.row_sums())
    mass = subtract(rest.sum(axis=0), taken.sum(axis=1, keepdims=True) - taken)
    sizes = _weight_sums(wholes, groups, cells, rest) if norm else None

    def scores(alpha: Alpha) -> Array | None:
        if np.min(alpha) == 0:
            return None
        log_rest = log_sums(alpha)
        touched.replace(log_rest, lambda block: block.weighted_logarithms(alpha))
        log_masses = log_mass(mass, alpha, rows.n_columns)
        sums = lengths[:, np.newaxis] * log_masses[groups.of_row] - log_rest
        if sizes is None:
            return sums
        size = rows.n_columns * log_masses - sizes(alpha)
        return sums / np.where(size > 0, size, 1.0)[groups.of_row]

    return scores


def _weight_sums(wholes: SparseRows, groups: Groups, cells: SparseRows, rest: Array) -> Scores:
    """Σ_j log(R_cj − H_cj + α_j) over all words, (n_groups, K): that of R, put right where a group has the word."""
    words = wholes.with_data(np.ones(len(wholes.data)))
    touched = Touched(words, np.arange(groups.n_groups), groups, cells, rest, wholes.data)
    log_sums = _logarithm_sums(words, rest, wholes.data)

    def sums(alpha: Alpha) -> Array:
        right = log_sums(alpha)
        touched.replace(right, lambda block: block.weighted_logarithms(alpha))
        log_rest = log_smoothed(rest, per_feature(alpha))
        return log_rest.sum(axis=0) + (right - words @ log_rest)

    return sums


def _logarithm_sums(rows: SparseRows, counts: Array, taken: Array) -> Scores:
    """α ↦ Σ_j x_ij log(N_cj − t_ij + α_j), (n, K), where t (entries,) is taken of the count of every entry's column.

    Counts N are (V, K), and less than 0 counts as 0. The logarithms of whole counts come from a table, in the kernel if
    it is there.
    """
    largest = int(counts.max(initial=0)) if np.issubdtype(counts.dtype, np.integer) else None
    small = largest is not None and 4 * largest < len(rows.data) * counts.shape[1] and largest < 2**31
    by_column = counts.astype(np.int32) if small else counts

    def sums(alpha: Alpha) -> Array:
        if largest is None or not small or np.ndim(alpha):
            return _in_blocks(rows, by_column, taken, alpha, None)
        table = safe_log(np.arange(largest + 1) + alpha)
        kernel = compiled_kernel()
        if kernel is None:
            return _in_blocks(rows, by_column, taken, alpha, table)
        out = np.zeros((rows.shape[0], counts.shape[1]))
        kernel.sum_logarithms(rows.indptr, rows.indices, rows.data, taken, by_column, table, out, 0, len(out))
        return out

    return sums


def _in_blocks(rows: SparseRows, counts: Array, taken: Array, alpha: Alpha, table: Array | None) -> Array:
    out = np.empty((rows.shape[0], counts.shape[1]))

    def fill(block: tuple[int, int], _: int) -> None:
        start, stop = block
        bounds = rows.indptr[start : stop + 1] - rows.indptr[start]
        entries = slice(rows.indptr[start], rows.indptr[stop])
        columns = rows.indices[entries]
        left = counts.take(columns, axis=0)
        left = np.maximum(np.subtract(left, taken[entries, np.newaxis]), 0)
        if table is None:
            left = left + per_feature(of_features(columns, alpha))
            logarithms = np.log(left, out=left)
        else:
            logarithms = table.take(left)
        each = np.arange(len(columns), dtype=bounds.dtype)
        out[start:stop] = SparseRows(bounds, each, rows.data[entries], len(columns)) @ logarithms

    blocks = list(row_blocks(rows.indptr, max(1, _BLOCK // max(1, counts.shape[1]))))
    run_blocks(fill, blocks, available_cores())
    return out
