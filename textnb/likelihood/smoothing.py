"""Logarithms of smoothed counts, the expensive part of deriving a count model."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np

from textnb.text.rows import Array

SMALLEST_ALPHA = 1e-10


def safe_log(values: Any) -> Array:
    """log, with log 0 = −∞ and no warning."""
    with np.errstate(divide="ignore"):
        return np.log(values)


def log_smoothed(counts: Array, alpha: float | Array) -> Array:
    """log(N + α), (K, V). Counts are mostly small integers: their logarithms come from a table where that pays."""
    integers = np.issubdtype(counts.dtype, np.integer)
    if integers and np.ndim(alpha) == 0 and counts.size:
        largest = int(counts.max())
        if 4 * largest < counts.size:
            table = safe_log(np.arange(largest + 1) + alpha)
            return np.take(table, counts.T).T
    smoothed = counts + alpha
    with np.errstate(divide="ignore"):
        return np.log(smoothed, out=smoothed)


def sum_features(values: Array) -> Array:
    """Σ_j x_cj, (K,), in two stages, which keeps the rounding of 100,000 terms to that of a few hundred."""
    if not values.shape[1]:
        return np.zeros(len(values), dtype=values.dtype)
    return np.add.reduceat(values.T, np.arange(0, values.shape[1], 512), axis=0).sum(axis=0)


def smoothed_mass(counts: Array, alpha: float | Array) -> Array:
    """Σ_j (N_cj + α_j), (K, 1)."""
    pseudo_counts = np.sum(np.broadcast_to(alpha, counts.shape[1]), dtype=np.float64)
    return (np.einsum("cj->c", counts) + pseudo_counts)[:, np.newaxis]


def check_alpha(alpha: Any, n_features: int | None, force_alpha: bool = True) -> float | Array:
    """A smoothing parameter, one or one a feature; below 1e-10 it is raised to that unless it is forced."""
    checked = float(alpha) if isinstance(alpha, Real) else np.asarray(alpha, dtype=np.float64)
    if isinstance(checked, np.ndarray) and checked.shape != (n_features,):
        raise ValueError(
            f"When alpha is an array, it should contains `n_features`. Got {checked.size} instead of {n_features}."
        )
    smallest = np.min(checked)
    if not smallest >= 0 or not np.isfinite(checked).all():
        several = "All values in alpha must be greater than 0. " if isinstance(checked, np.ndarray) else ""
        raise ValueError(f"{several}alpha must be 0 or more and finite, got {alpha}.")
    if smallest < SMALLEST_ALPHA and not force_alpha:
        warnings.warn(
            f"alpha too small will result in numeric errors, setting alpha = {SMALLEST_ALPHA:.1e}. "
            "Use `force_alpha=True` to keep alpha unchanged.",
            stacklevel=5,
        )
        return np.maximum(checked, SMALLEST_ALPHA)
    return checked
