"""The Gaussian model: in each class, every column is normal and independent of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array, row_blocks
from textnb.likelihood.groups import Groups
from textnb.likelihood.rules import QuadraticRule
from textnb.statistics.moments import ClassMoments, Moments

SMALLEST_VARIANCE = 1e-150  # so small that it decides, and that squared distances stay within floating point
_BLOCK = 1 << 18  # values of rows worked on at a time, unless one group has more
_NOISE = 4 * np.finfo(np.float64).eps  # of its mean: what rounding makes of a constant column


class GaussianParameters(NamedTuple):
    mean: Array  # (K, p)
    variance: Array  # (K, p), the floor included
    floor: float


def gaussian_parameters(moments: ClassMoments, var_smoothing: float, ddof: float) -> GaussianParameters:
    """μ_cj and σ²_cj = S_cj / (w_cj − ddof) + ε, where ε = var_smoothing · max_j (variance of column j in all classes).

    Of a column without a value in some class, the class is taken to be like all classes together. A column that
    never varied, in a model without a floor, has the smallest variance there is: its mean decides.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        weight, mean, scatter = moments.pooled()
    if not np.isfinite(scatter).all():
        raise ValueError("X has values so large that their variances are beyond floating point; scale X down")
    seen = weight > 0
    variance = np.where(seen, scatter / np.where(seen, weight, 1.0), 1.0)
    floor = float(var_smoothing * variance.max(where=seen, initial=0.0))
    known = moments.observed > 0
    degrees = np.where(known, moments.observed - ddof, 1.0)
    if (degrees <= 0).any():
        c, j = np.argwhere(degrees <= 0)[0]
        raise ValueError(
            f"column {j} has only {moments.observed[c, j]:g} values in class {moments.classes.tolist()[c]!r}: a "
            f"variance with ddof={ddof:g} needs more. Use ddof=0."
        )
    variances = np.where(known, moments.scatter / degrees, variance) + floor
    return GaussianParameters(np.where(known, moments.mean, mean), np.maximum(variances, SMALLEST_VARIANCE), floor)


def gaussian_rule(mean: Array, variance: Array) -> QuadraticRule:
    """log P(x | c) = Σ_j −½ log(2π σ²_cj) − ½ (x_j − μ_cj)² / σ²_cj."""
    return QuadraticRule(mean, 1.0 / np.sqrt(variance), -0.5 * np.log(2.0 * np.pi * variance).sum(axis=1))


def gaussian_without(X: Any, groups: Groups, moments: ClassMoments, var_smoothing: float, ddof: float) -> Array:
    """Σ_j −½ log(2π σ²_cj) − ½ (x_j − μ_cj)² / σ²_cj, (n, K), with μ and σ² of the rows outside the row's group.

    X is a dense array or a scipy matrix, of which a block of rows becomes dense at a time.
    """
    scores = np.empty((X.shape[0], groups.n_classes))
    for rows in _blocks(groups, X.shape[1]):
        scores[rows] = _score_block(X, rows, groups, moments, var_smoothing, ddof)
    return scores


def _blocks(groups: Groups, n_columns: int) -> Iterator[Array]:
    """Rows of whole groups, at least one of them."""
    order = np.argsort(groups.of_row, kind="stable")
    bounds = np.concatenate(([0], np.cumsum(np.bincount(groups.of_row, minlength=groups.n_groups))))
    for first, last in row_blocks(bounds, _BLOCK // max(1, n_columns)):
        yield order[bounds[first] : bounds[last]]


def _score_block(
    X: Any, rows: Array, groups: Groups, moments: ClassMoments, var_smoothing: float, ddof: float
) -> Array:
    """The scores of the rows of some groups. A class of which a column is not known is like all classes together."""
    values = _dense(X[rows])
    group_ids, of_row = np.unique(groups.of_row[rows], return_inverse=True)
    cell_ids, cell_of_row = np.unique(groups.cell_of_row[rows], return_inverse=True)
    cell_class, cell_group = groups.cell_class[cell_ids], groups.cell_group[cell_ids]

    def of_all_classes(group: int) -> Array:
        return groups.of_row != group_ids[group]

    def of_class(cell: int) -> Array:
        return (groups.of_row != cell_group[cell]) & (groups.class_ids == cell_class[cell])

    everything = Moments(*(np.repeat(part[np.newaxis], len(group_ids), axis=0) for part in moments.pooled()))
    pooled = _left(everything, _measure(values, of_row, len(group_ids)), X, of_all_classes)
    own = Moments(*(part[cell_class] for part in moments.columns))
    own_left = _left(own, _measure(values, cell_of_row, len(cell_ids)), X, of_class)

    seen = pooled.weight > 0
    common = np.where(seen, pooled.scatter / np.where(seen, pooled.weight, 1.0), 1.0)
    floor = var_smoothing * common.max(axis=1, where=seen, initial=0.0, keepdims=True)
    scores = np.empty((len(rows), groups.n_classes))
    for c in range(groups.n_classes):
        weight, mean, scatter = (np.repeat(part[c : c + 1], len(group_ids), axis=0) for part in moments.columns)
        touched = cell_class == c
        for whole, left in zip((weight, mean, scatter), own_left, strict=True):
            whole[np.searchsorted(group_ids, cell_group[touched])] = left[touched]
        known = weight > 0
        degrees = np.where(known, weight - ddof, 1.0)
        if (degrees <= 0).any():
            g, j = np.argwhere(degrees <= 0)[0]
            raise ValueError(
                f"leaving rows out leaves column {j} only {weight[g, j]:g} values in class "
                f"{moments.classes.tolist()[c]!r}: a variance with ddof={ddof:g} needs more. Use ddof=0."
            )
        variance = np.maximum(np.where(known, scatter / degrees, common) + floor, SMALLEST_VARIANCE)
        mean = np.where(known, mean, pooled.mean)
        terms = np.log(2.0 * np.pi * variance)[of_row] + (values - mean[of_row]) ** 2 / variance[of_row]
        scores[:, c] = -0.5 * np.nansum(terms, axis=1)
    return scores


def _measure(values: Array, owners: Array, n_owners: int) -> Moments:
    """The moments of the rows of each owner, (n_owners, p); NaN is a missing value."""
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], np.arange(n_owners))
    given = ~np.isnan(values)

    def sums(terms: Array) -> Array:
        return np.add.reduceat(terms[order], starts, axis=0)

    weight = sums(given.astype(np.float64))
    mean = sums(np.where(given, values, 0.0)) / np.where(weight > 0, weight, 1.0)
    return Moments(weight, mean, sums(np.where(given, values - mean[owners], 0.0) ** 2))


def _left(total: Moments, taken: Moments, X: Any, remaining: Callable[[int], Array]) -> Moments:
    """What is left of moments (m, p). Where subtracting cancels too many digits, the remaining rows are measured."""
    left, cancelled = total.without(taken, total.weight - taken.weight)
    np.maximum(left.scatter, 0.0, out=left.scatter)
    noise = total.weight * (_NOISE * total.mean) ** 2
    for owner, j in np.argwhere(cancelled & (total.scatter > noise)):
        column = _dense(X[:, [j]])[remaining(owner)]
        measured = _measure(column, np.zeros(len(column), dtype=np.int64), 1)
        left.mean[owner, j], left.scatter[owner, j] = measured.mean[0, 0], measured.scatter[0, 0]
    return left


def _dense(X: Any) -> Array:
    return np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
