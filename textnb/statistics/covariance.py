"""Covariances of rows by class: estimated, shrunk, pooled and blended, and the principal axes of data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from textnb.arrays import Array

_SQUARED_CONDITION = 1e5  # of a product XᵀX from which axes still come to ten digits
_BLOCK = 1 << 20  # values of the rows whose deviations are held at a time

Estimate = Callable[[Array], tuple[Array, Array]]  # rows (n, p) → their mean (p,) and covariance (p, p)


def class_means(X: Array, class_ids: Array, n_classes: int) -> Array:
    """μ_c, (K, p)."""
    return np.array([X[class_ids == k].mean(axis=0) for k in range(n_classes)])


def class_covariances(X: Array, class_ids: Array, n_classes: int, estimate: Estimate) -> Iterator[tuple[Array, Array]]:
    """Mean and covariance of every class in turn, from one pass over the data and one class's rows at a time."""
    return (estimate(X[class_ids == k]) for k in range(n_classes))


def within_covariance(X: Array, class_ids: Array, weights: Array, estimate: Estimate) -> tuple[Array, Array]:
    """The class means (K, p) and Σ_c w_c C_c (p, p)."""
    means = np.empty((len(weights), X.shape[1]))
    within = np.zeros((X.shape[1], X.shape[1]))
    for k, (mean, spread) in enumerate(class_covariances(X, class_ids, len(weights), estimate)):
        means[k] = mean
        within += weights[k] * spread
    return means, within


def covariance(rows: Array, shrinkage: str | float | None = None) -> tuple[Array, Array]:
    """The mean μ and C = Σ_i (x_i − μ)(x_i − μ)ᵀ / n of rows, shrunk by a number or, if "auto", by Ledoit and Wolf's.

    The automatic shrinkage is that of the standardised features, so that it does not depend on their units.
    """
    mean = rows.mean(axis=0)
    if shrinkage == "auto":
        deviations = rows - mean
        scale = feature_scale(deviations, mean)
        deviations /= scale
        correlation = deviations.T @ deviations / len(rows)
        return mean, shrink(correlation, ledoit_wolf_shrinkage(deviations, correlation)) * np.outer(scale, scale)
    empirical = scatter(rows, mean) / len(rows)
    return mean, empirical if shrinkage is None else shrink(empirical, float(shrinkage))


def scatter(rows: Array, mean: Array) -> Array:
    """Σ_i (x_i − μ)(x_i − μ)ᵀ, (p, p)."""
    total = np.zeros((len(mean), len(mean)))
    block = max(1, _BLOCK // max(1, len(mean)))
    for start in range(0, len(rows), block):
        deviations = rows[start : start + block] - mean
        total += deviations.T @ deviations
    return total


def feature_scale(deviations: Array, mean: Array) -> Array:
    """The standard deviation of every feature, (p,); 1 where it varies no more than rounding makes it."""
    scale = np.sqrt(np.einsum("ij,ij->j", deviations, deviations) / len(deviations))
    rounding = 10 * np.finfo(np.float64).eps * np.abs(mean)
    return np.where(scale <= rounding, 1.0, scale)


def shrink(spread: Array, amount: float) -> Array:
    """(1 − s) C + s tr(C)/p I, of one matrix or a stack of them.  Friedman 1989, eq. 18."""
    p = spread.shape[-1]
    average = np.trace(spread, axis1=-2, axis2=-1) / p
    return (1.0 - amount) * spread + amount * average[..., np.newaxis, np.newaxis] * np.eye(p)


def pooled(covariances: Array, weights: Array) -> Array:
    """Σ_c w_c C_c, (p, p)."""
    return np.einsum("c,cij->ij", weights, covariances)


def regularized(own: Array, shared: Array, alpha: float, gamma: float) -> Array:
    """Σ_c(α) = α Σ_c + (1 − α) Σ, then (1 − γ) Σ_c(α) + γ tr(Σ_c(α))/p I, (K, p, p).  After Friedman 1989."""
    return shrink(alpha * own + (1.0 - alpha) * shared, gamma)


def ledoit_wolf_shrinkage(deviations: Array, empirical: Array) -> float:
    """s = min(b², d²) / d², the shrinkage of least expected squared error.  Ledoit & Wolf 2004, section 3.2.

    d² = ‖C − tr(C)/p I‖² is how far C is from its target, b² = Σ_i ‖x_i x_iᵀ − C‖² / n² how uncertain it is.
    """
    n, p = deviations.shape
    target = np.trace(empirical) / p * np.eye(p)
    distance = np.sum((empirical - target) ** 2)
    lengths = np.einsum("ij,ij->i", deviations, deviations)
    uncertainty = (np.mean(lengths**2) - np.sum(empirical**2)) / n
    return float(min(uncertainty, distance) / distance) if distance > 0 else 0.0


def principal_axes(deviations: Array) -> tuple[Array, Array]:
    """Singular values, largest first, and right singular vectors (r, p) of centred rows.

    Taken from the small p × p product where that is as good as exact, and from the rows where it is not.
    """
    n, p = deviations.shape
    if n > p:
        squares, axes = np.linalg.eigh(deviations.T @ deviations)
        if squares[0] * _SQUARED_CONDITION > squares[-1]:
            return np.sqrt(squares[::-1]), axes[:, ::-1].T
        deviations = np.asarray(np.linalg.qr(deviations, mode="r"))
    _, singular, axes = np.linalg.svd(deviations, full_matrices=False)
    return singular, axes


def covariance_axes(spread: Array) -> tuple[Array, Array]:
    """Variances, largest first, and principal axes (p, p), one per row, of a covariance."""
    variances, axes = np.linalg.eigh(spread)
    return variances[::-1], axes[:, ::-1].T
