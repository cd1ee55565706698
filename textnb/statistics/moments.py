"""What a Gaussian model has seen: weight, mean and scatter of every column in every class. Moments merge exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.statistics.counts import new_classes, places_among, sorted_union, spread

_BLOCK = 1 << 17  # values measured at a time: small enough for the cache, and for short sums with small errors
_DIGITS_LOST = 1e-6  # of a scatter is left: a difference smaller than that has lost too many digits to be believed


class Moments(NamedTuple):
    """Weight w, mean μ and scatter Σ w (x − μ)² of each column, all of one shape."""

    weight: Array
    mean: Array
    scatter: Array

    def merge(self, other: Moments) -> Moments:
        """w = w₁ + w₂, μ = μ₁ + δ w₂/w, S = S₁ + S₂ + δ² w₁ w₂/w, δ = μ₂ − μ₁.  Chan, Golub & LeVeque 1979."""
        weight = self.weight + other.weight
        share = other.weight / np.where(weight > 0, weight, 1.0)
        delta = other.mean - self.mean
        with np.errstate(over="ignore"):
            between = delta * delta * self.weight * share
            return Moments(weight, self.mean + delta * share, self.scatter + other.scatter + between)

    def without(self, taken: Moments, weight: Array) -> tuple[Moments, Array]:
        """What is left, of that weight, and where subtracting has cancelled too many digits to be believed.

        S' = S − S₂ − (μ' − μ₂)² w' w₂ / w, with μ' = μ + (μ − μ₂) w₂ / w' and w' = w − w₂.
        """
        some = weight > 0
        mean = np.where(some, self.mean + (self.mean - taken.mean) * taken.weight / np.where(some, weight, 1.0), 0.0)
        between = (mean - taken.mean) ** 2 * weight * taken.weight / np.where(self.weight > 0, self.weight, 1.0)
        scatter = np.where(some, self.scatter - taken.scatter - between, 0.0)
        return Moments(weight, mean, scatter), some & (taken.weight > 0) & (scatter < _DIGITS_LOST * self.scatter)


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Moments of p columns in K classes: `+` merges them, `−` takes rows away again.

    ``weight`` is that of a class's rows, ``observed`` that of the values seen in each column: less, where some were
    missing.
    """

    classes: Array  # (K,), sorted
    weight: Array  # (K,)
    observed: Array  # (K, p)
    mean: Array  # (K, p)
    scatter: Array  # (K, p)

    def __post_init__(self) -> None:
        shapes = {self.observed.shape, self.mean.shape, self.scatter.shape}
        if len(shapes) != 1 or self.weight.shape != self.classes.shape or len(self.mean) != len(self.classes):
            raise ValueError(f"moments of shapes {sorted(shapes)} do not fit {len(self.classes)} classes")
        for array in (self.classes, self.weight, self.observed, self.mean, self.scatter):
            array.flags.writeable = False

    @property
    def columns(self) -> Moments:
        """The moments of every column in every class, (K, p)."""
        return Moments(self.observed, self.mean, self.scatter)

    def __add__(self, other: ClassMoments) -> ClassMoments:
        classes = self._union(other)
        mine, theirs = self._aligned(classes), other._aligned(classes)
        return ClassMoments(classes, mine.weight + theirs.weight, *mine.columns.merge(theirs.columns))

    def __sub__(self, other: ClassMoments) -> ClassMoments:
        """What is left without `other`, which must be contained in it.

        Subtracting cancels digits. Where too few would be left, that is an error: measure the remaining rows instead.
        """
        classes = self._union(other)
        if unseen := new_classes(self.classes, classes):
            raise ValueError(f"cannot subtract rows of {unseen[0]!r}: none were measured")
        taken = other._aligned(classes)
        weight = _difference(self.weight, taken.weight)
        observed = _difference(self.observed, taken.observed)
        if (weight < 0).any() or (observed < 0).any():
            short = classes[(weight < 0) | (observed < 0).any(axis=1)][0]
            raise ValueError(f"cannot subtract more rows than were measured in class {short!r}")
        left, cancelled = self.columns.without(taken.columns, observed)
        if cancelled.any():
            c, j = np.argwhere(cancelled)[0]
            raise ValueError(
                f"cannot subtract exactly: hardly anything is left of the scatter of column {j} in class "
                f"{classes[c]!r}. Measure the remaining rows instead."
            )
        return ClassMoments(classes, weight, *left)

    def pooled(self) -> Moments:
        """The moments of each column over all classes, (p,)."""
        weight = self.observed.sum(axis=0)
        mean = (self.observed * self.mean).sum(axis=0) / np.where(weight > 0, weight, 1.0)
        between = (self.observed * (self.mean - mean) ** 2).sum(axis=0)
        return Moments(weight, mean, self.scatter.sum(axis=0) + between)

    def _union(self, other: ClassMoments) -> Array:
        if self.mean.shape[1] != other.mean.shape[1]:
            raise ValueError(f"cannot align moments of {self.mean.shape[1]} and of {other.mean.shape[1]} columns")
        return sorted_union(self.classes, other.classes, "classes")

    def _aligned(self, classes: Array) -> ClassMoments:
        if len(classes) == len(self.classes):
            return self
        places = places_among(self.classes, classes)
        moments = (spread(part, places, len(classes)) for part in (self.weight, *self.columns))
        return ClassMoments(classes, *moments)


def measure_classes(
    X: Array | SparseRows, class_ids: Array, classes: Array, weights: Array | None = None
) -> ClassMoments:
    """The moments of the rows of X by class; NaN is a missing value. Sparse rows cost what their entries cost.

    Values too large for floating point leave moments that are not finite, for whoever derives a model to refuse.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(X, SparseRows):
            return _measure_sparse(X, class_ids, classes, weights)
        return _measure_dense(X, class_ids, classes, weights)


def _measure_dense(X: Array, class_ids: Array, classes: Array, weights: Array | None) -> ClassMoments:
    weight = np.bincount(class_ids, weights=weights, minlength=len(classes)).astype(np.float64)
    by_class = np.argsort(class_ids.astype(np.min_scalar_type(len(classes))), kind="stable")  # few bits sort faster
    bounds = np.cumsum(np.bincount(class_ids, minlength=len(classes)))[:-1]
    columns = [_measure_blocks(X, rows, weights) for rows in np.split(by_class, bounds)]
    return ClassMoments(classes, weight, *map(np.array, zip(*columns, strict=True)))


def _measure_blocks(X: Array, rows: Array, weights: Array | None) -> Moments:
    """The moments of some rows, (p,), merged from blocks of them."""
    nothing = np.zeros((3, X.shape[1]))
    block = max(1, _BLOCK // max(1, X.shape[1]))
    parts = (rows[start : start + block] for start in range(0, len(rows), block))
    measured = (_measure(X[i].astype(np.float64, copy=False), None if weights is None else weights[i]) for i in parts)
    return reduce(Moments.merge, measured, Moments(*nothing))


def _measure(rows: Array, weights: Array | None) -> Moments:
    """The moments of rows that are ours to overwrite, in two passes: the mean, then the scatter about it."""
    sums = rows.sum(axis=0) if weights is None else weights @ rows
    weight = np.full(rows.shape[1], float(len(rows)) if weights is None else weights.sum())
    missing = np.isnan(rows) if np.isnan(sums).any() else None
    if missing is not None:
        given = ~missing if weights is None else ~missing * weights[:, np.newaxis]
        weight = given.sum(axis=0, dtype=np.float64)
        rows[missing] = 0.0
        sums = np.einsum("ij,ij->j", given, rows)
    mean = sums / np.where(weight > 0, weight, 1.0)
    rows -= mean
    if missing is not None:
        rows[missing] = 0.0
    if weights is None:
        return Moments(weight, mean, np.einsum("ij,ij->j", rows, rows))
    return Moments(weight, mean, np.einsum("i,ij,ij->j", weights, rows, rows))


def _measure_sparse(X: SparseRows, class_ids: Array, classes: Array, weights: Array | None) -> ClassMoments:
    """Entries one by one; the zeros between them at once, each (0 − μ)² of the scatter."""
    shape = (len(classes), X.n_columns)
    size = shape[0] * shape[1]
    weight = np.bincount(class_ids, weights=weights, minlength=shape[0]).astype(np.float64)
    observed = np.repeat(weight[:, np.newaxis], shape[1], axis=1)
    rows = X.row_ids
    cells = class_ids[rows] * shape[1] + X.indices
    entry_weights = np.ones(len(rows)) if weights is None else weights[rows]
    sums = np.bincount(cells, weights=entry_weights * X.data, minlength=size).reshape(shape)
    mean = sums / np.where(observed > 0, observed, 1.0)
    deviations = X.data - mean.ravel()[cells]
    scatter = np.bincount(cells, weights=entry_weights * deviations**2, minlength=size).reshape(shape)
    entries = np.bincount(cells, weights=entry_weights, minlength=size).reshape(shape)
    zeros = np.maximum(observed - entries, 0.0)
    return ClassMoments(classes, weight, observed, mean, scatter + zeros * mean**2)


def _difference(a: Array, b: Array) -> Array:
    """a − b; what rounding leaves of weights that cancel is 0."""
    rest = a - b
    return np.where(np.abs(rest) <= 1e-9 * b, 0.0, rest)
