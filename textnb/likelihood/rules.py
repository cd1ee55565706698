"""Rules: what prediction needs of a model, the prior left out so that several can be added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.text.rows import Array, SparseRows, Table

_QUADRATIC_BLOCK = 1 << 17  # values of a block of rows, which with its deviations stays in the processor's cache


@dataclass(frozen=True, eq=False)
class LinearRule:
    """log P(x | c) = Σ_j x_j w_jc + b_c: one sparse product.

    ``weights`` has a row a feature, so that a sparse row of X takes only the rows it needs. Probabilities of exactly 0
    (alpha = 0) are no weights: `impossible` lists them.
    """

    weights: Table  # (V, K), C order
    intercept: Array  # (K,)
    impossible: Impossible | None = None

    @property
    def coef(self) -> Array:
        """(K, V)."""
        return np.asarray(self.weights).T

    def log_likelihood(self, X: Any) -> Array:
        """(n, K), from a scipy sparse matrix, `SparseRows` or a dense array."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = _product(X, self.weights)
            scores += self.intercept
        if not np.isfinite(scores).all():
            raise ValueError("X has values so large that the scores are beyond floating point; scale X down")
        if self.impossible is not None:
            scores[self.impossible.violated(X)] = -np.inf
        return scores


@dataclass(frozen=True, eq=False)
class QuadraticRule:
    """log P(x | c) = b_c − ½ ‖(x − μ_c) W_c‖²: Gaussian classes with Σ_c⁻¹ = W_c W_cᵀ and b_c = −½ log |2π Σ_c|.

    ``whitening`` has a matrix a class, or a row a class where features are independent and W_c is diagonal. There, a
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
            scores -= missing @ (np.log(self.whitening) - 0.5 * np.log(2 * np.pi)).T
        return scores


@dataclass(frozen=True, eq=False)
class Impossible:
    """Which features a class never has (+1) and, for Bernoulli, always has (−1).

    A document violates a class as often as it has a feature the class never has or lacks one it always has: as
    ``present @ signs + required`` counts, a linear rule itself. Where that is above 0 the class cannot have produced
    the document.
    """

    signs: Table  # (V, K), −1, 0 or 1
    required: Array  # (K,): how many features a class always has

    def violated(self, X: Any) -> Array:
        return (_present(X) @ self.signs + self.required) > 0


def _product(X: Any, weights: Table) -> Array:
    """X @ weights, (n, K). Of a scipy matrix by the kernel, but for two classes as two products with a vector."""
    if isinstance(X, np.ndarray | SparseRows):
        return X @ weights
    if weights.shape[1] == 2:
        return np.column_stack([X @ column for column in np.asarray(weights).T])
    rows = SparseRows(X.indptr, X.indices, X.data, X.shape[1])
    return rows @ weights if rows.suit_kernel(weights) else X @ weights


def _present(X: Any) -> Any:
    if isinstance(X, SparseRows):
        return X.present()
    return (X > 0).astype(np.float64)


def finite_rule(weights: Array, intercept: Array) -> LinearRule:
    """A rule from weights (V, K) where −∞ stands for a feature that a class never has, +∞ for one it always has."""
    infinite = np.isinf(weights)
    if not infinite.any():
        return LinearRule(np.ascontiguousarray(weights), intercept)
    signs = np.where(infinite, -np.sign(weights), 0).astype(np.int8)
    impossible = Impossible(np.ascontiguousarray(signs), (signs < 0).sum(axis=0))
    return LinearRule(np.ascontiguousarray(np.where(infinite, 0.0, weights)), intercept, impossible)
