"""Rules: what prediction needs of a model, the prior left out so that several can be added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from textnb.arrays import Array, SparseRows, Table
from textnb.likelihood.smoothing import of_features

_DENSE_BYTES = 1 << 26  # up to which weights are dense for speed, though sparse ones may be smaller
_QUADRATIC_BLOCK = 1 << 17  # values of a block of rows, which with its deviations stays in the processor's cache


@dataclass(frozen=True, eq=False)
class LinearRule:
    """log P(x | c) = Σ_j x_j w_jc + b_c: one product.

    ``weights`` has one row per feature, so that a sparse row of X takes only the rows it needs. Probabilities of
    exactly 0 (alpha = 0) are no weights: `impossible` lists them.
    """

    weights: Table | SparseWeights  # (V, K), in C order if dense
    intercept: Array  # (K,)
    impossible: Impossible | None = None

    @property
    def coef(self) -> Array:
        """The weights as a dense array, (K, V)."""
        return (self.weights.dense() if isinstance(self.weights, SparseWeights) else np.asarray(self.weights)).T

    def lead(self, c: int) -> Array:
        """By how much a unit of each feature adds more to class c than, on average, to the other classes, (V,)."""
        if isinstance(self.weights, SparseWeights):
            own, total = self.weights.column(c), self.weights.row_sums
        else:
            weights = np.asarray(self.weights)
            own, total = weights[:, c], weights.sum(axis=1)
        return own - (total - own) / max(self.weights.shape[1] - 1, 1)

    def contributions(self, row: SparseRows) -> tuple[Array, Array]:
        """What every entry of one row adds to the classes' scores, (entries, K), and what any row gets, (K,).

        They add up to the row's log-likelihood.
        """
        starts = np.arange(len(row.data) + 1, dtype=row.indices.dtype)
        alone = SparseRows(starts, row.indices, row.data, row.n_columns)  # every entry in a row of its own
        added = (
            self.weights.product(alone) if isinstance(self.weights, SparseWeights) else _product(alone, self.weights)
        )
        constant = self.intercept
        return (added, constant) if self.impossible is None else self.impossible.marked(row, added, constant)

    def dense(self) -> LinearRule:
        """The same rule with dense weights."""
        return replace(self, weights=self.coef.T)

    def compact(self) -> LinearRule:
        """The same rule with sparse weights only where they are smaller, and dense ones would take much memory.

        Where both fit, the dense product is three times faster: words that occur often have a weight in every class.
        """
        if not isinstance(self.weights, SparseWeights):
            return self
        n_features, n_classes = self.weights.shape
        return self.dense() if 8 * n_features * n_classes <= max(self.weights.nbytes, _DENSE_BYTES) else self

    def log_likelihood(self, X: Any) -> Array:
        """(n, K), from a scipy sparse matrix, `SparseRows` or a dense array."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.weights.product(X) if isinstance(self.weights, SparseWeights) else _product(X, self.weights)
            scores += self.intercept
        if not np.isfinite(scores).all():
            raise ValueError("X has values so large that the scores are beyond floating point; scale X down")
        if self.impossible is not None:
            scores[self.impossible.violated(X)] = -np.inf
        return scores


@dataclass(frozen=True, eq=False)
class SparseWeights:
    """w_jc = (t_j + k_c + d_jc) · s_c: a baseline, and deviations d where a class has the term."""

    deviations: SparseRows  # d, (V, K)
    by_term: float | Array  # t: one for all terms, or one per term
    by_class: Array  # k, (K,)
    scale: Array | None = None  # s, (K,); 1 if not given

    @property
    def shape(self) -> tuple[int, int]:
        return self.deviations.shape

    @property
    def nbytes(self) -> int:
        """The size of what grows with the number of terms: as the kernel takes it, whatever the types in memory."""
        per_term = 8 + 8 * isinstance(self.by_term, np.ndarray)
        return per_term * self.shape[0] + 12 * len(self.deviations.data)

    def product(self, X: Any) -> Array:
        """(Σ_j x_j d_jc + (Σ_j x_j t_j + k_c Σ_j x_j)) · s_c, (n, K), every sum in the order of the row's entries."""
        rows = as_rows(X)
        lengths = rows.row_sums()
        if isinstance(self.by_term, np.ndarray):
            by_term = rows.with_data(rows.data * self.by_term[rows.indices]).row_sums()
        else:
            by_term = lengths * self.by_term
        scores = rows @ self.deviations
        scores += by_term[:, np.newaxis] + lengths[:, np.newaxis] * self.by_class
        return scores if self.scale is None else scores * self.scale

    def column(self, c: int) -> Array:
        """The weights of one class, (V,)."""
        deviations = self.deviations
        (mine,) = np.nonzero(deviations.indices == c)
        weights = np.zeros(self.shape[0])
        weights[np.searchsorted(deviations.indptr, mine, side="right") - 1] = deviations.data[mine]
        weights += self.by_term + self.by_class[c]
        return weights if self.scale is None else weights * self.scale[c]

    def rows(self, ids: Array) -> Array:
        """The weights of some terms, (n, K)."""
        by_term = self.by_term[ids, np.newaxis] if isinstance(self.by_term, np.ndarray) else self.by_term
        weights: Array = self.deviations.take_rows(ids).toarray() + by_term + self.by_class
        return weights if self.scale is None else weights * self.scale

    @cached_property
    def row_sums(self) -> Array:
        """The sum of each term's weights over the classes, (V,)."""
        scale = np.ones(self.shape[1]) if self.scale is None else self.scale
        scaled = self.deviations.with_data(self.deviations.data * scale[self.deviations.indices])
        return scaled.row_sums() + (self.by_term * scale.sum() + self.by_class @ scale)

    def dense(self) -> Array:
        """(V, K), in C order."""
        n_terms, n_classes = self.shape
        weights = np.empty((n_terms, n_classes))
        np.add(np.reshape(self.by_term, (-1, 1)), self.by_class, out=weights)
        weights.ravel()[self.deviations.row_ids * n_classes + self.deviations.indices] += self.deviations.data
        if self.scale is not None:
            weights *= self.scale
        return weights


@dataclass(frozen=True, eq=False)
class ClassPart:
    """What a rule needs of all totals together, (K,) each; the rest follows from the totals of single terms."""

    by_class: Array
    intercept: Array
    scale: Array | None = None
    required: Array | None = None  # how many terms a class always has, if some class has any


def linear_rule(part: ClassPart, by_term: float | Array, deviations: SparseRows) -> LinearRule:
    """The rule of some terms. A deviation of −∞ marks a term that a class never has, +∞ one that it always has.

    Such a term weighs 0.
    """
    infinite = np.isinf(deviations.data)
    impossible = None
    if infinite.any() or part.required is not None:
        signs = deviations.with_data(np.where(infinite, -np.sign(deviations.data), 0.0)).without_zeros()
        required = np.zeros(len(part.by_class)) if part.required is None else part.required
        impossible = Impossible(signs, required)
        baseline = part.by_class[deviations.indices] + of_features(deviations.row_ids, by_term)
        deviations = deviations.with_data(np.where(infinite, -baseline, deviations.data))
    # In its types once and for all: converting them takes longer than scoring a document.
    weights = SparseWeights(deviations.for_products(), by_term, part.by_class, part.scale)
    return LinearRule(weights, part.intercept, impossible)


@dataclass(frozen=True, eq=False)
class QuadraticRule:
    """log P(x | c) = b_c − ½ ‖(x − μ_c) W_c‖²: Gaussian classes with Σ_c⁻¹ = W_c W_cᵀ and b_c = −½ log |2π Σ_c|.

    ``whitening`` has one matrix per class, or one row where features are independent and W_c is diagonal. There, a
    missing value (NaN) leaves its feature out: its distance, and its share log w_cj − ½ log 2π of the constant.
    """

    means: Array  # (K, p)
    whitening: Array  # (K, p, p) or (K, p)
    constant: Array  # (K,)

    def log_likelihood(self, X: Any) -> Array:
        """(n, K), from a dense array or a scipy sparse matrix, which becomes dense a block of rows at a time."""
        scores = np.empty((X.shape[0], len(self.means)))
        block = max(1, _QUADRATIC_BLOCK // max(1, X.shape[1]))
        for start in range(0, X.shape[0], block):
            rows = X[start : start + block]
            scores[start : start + block] = self._scores(rows if isinstance(rows, np.ndarray) else rows.toarray())
        if not np.isfinite(scores).all():
            raise ValueError("X has values so large that the scores are beyond floating point; scale X down")
        return scores

    def _scores(self, X: Array) -> Array:
        missing = np.isnan(X)
        some_missing = self.whitening.ndim == 2 and missing.any()
        scores = np.empty((len(X), len(self.means)))
        with np.errstate(over="ignore", invalid="ignore"):
            for c, (mean, whiten) in enumerate(zip(self.means, self.whitening, strict=True)):
                white = (X - mean) @ whiten if whiten.ndim == 2 else (X - mean) * whiten
                if some_missing:
                    white[missing] = 0.0
                scores[:, c] = self.constant[c] - 0.5 * np.einsum("ij,ij->i", white, white)
        if some_missing:
            scores -= missing @ self._shares_of_constant.T
        return scores

    def contributions(self, row: Array) -> tuple[Array, Array]:
        """What every feature of one row adds to the classes' scores, (p, K), and what any row gets, nothing, (K,).

        log w_cj − ½ log 2π − ½ ((x_j − μ_cj) w_cj)², and 0 where x_j is missing: they add up to the row's
        log-likelihood, from values (p,). Where features vary together, none has a share of its own.
        """
        if self.whitening.ndim != 2:
            raise ValueError("features that vary together add to a score together: none has a contribution of its own")
        added = self._shares_of_constant - 0.5 * np.square((row - self.means) * self.whitening)
        return np.where(np.isnan(row), 0.0, added).T, np.zeros(len(self.means))

    @property
    def _shares_of_constant(self) -> Array:
        """log w_cj − ½ log 2π, (K, p): what each independent feature adds to the constant."""
        return np.log(self.whitening) - 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True, eq=False)
class Impossible:
    """Which features a class never has (+1) and, for Bernoulli, always has (−1).

    A document violates a class as often as it has a feature the class never has or lacks one it always has: as
    ``present @ signs + required`` counts, a linear rule itself. Where that is above 0 the class cannot have produced
    the document.
    """

    signs: Table | SparseRows  # (V, K), −1, 0 or 1
    required: Array  # (K,): how many features a class always has

    def violated(self, X: Any) -> Array:
        return (as_rows(X).present() @ self.signs + self.required) > 0

    def marked(self, row: SparseRows, added: Array, constant: Array) -> tuple[Array, Array]:
        """Contributions with −∞ for entries that a class never has, and in the constant where one is lacking."""
        taken = (
            self.signs.take_rows(row.indices).toarray()
            if isinstance(self.signs, SparseRows)
            else self.signs[row.indices]
        )
        signs = np.asarray(taken) * (row.data > 0)[:, np.newaxis]
        lacking = self.required + np.minimum(signs, 0).sum(axis=0) > 0
        return np.where(signs > 0, -np.inf, added), np.where(lacking, -np.inf, constant)


def _product(X: Any, weights: Table) -> Array:
    """X @ weights, (n, K). Of a scipy matrix by the kernel, but for two classes as two products with a vector."""
    if isinstance(X, np.ndarray | SparseRows):
        return X @ weights
    if weights.shape[1] == 2:
        return np.column_stack([X @ column for column in np.asarray(weights).T])
    rows = as_rows(X)
    return rows @ weights if rows.suit_kernel(weights) else X @ weights


def as_rows(X: Any) -> SparseRows:
    """A scipy CSR matrix or a dense array as sparse rows; the arrays of the former are not copied."""
    if isinstance(X, SparseRows):
        return X
    if isinstance(X, np.ndarray):
        return SparseRows.of_dense(X)
    return SparseRows(X.indptr, X.indices, X.data, X.shape[1])
