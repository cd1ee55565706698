"""Logarithms of smoothed counts, the expensive part of deriving a count model."""

from __future__ import annotations

from typing import Any

import numpy as np

from textnb.text.rows import Array


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
