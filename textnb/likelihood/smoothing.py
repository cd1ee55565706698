"""Logarithms of smoothed counts, the expensive part of deriving a count model."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np

from textnb.arrays import Array

Alpha = float | Array  # one for all features, or one per feature
SMALLEST_ALPHA = 1e-10


def safe_log(values: Any) -> Array:
    """log, with log 0 = −∞ and no warning."""
    with np.errstate(divide="ignore"):
        return np.log(values)


def log_smoothed(counts: Array, alpha: Alpha) -> Array:
    """log(N + α) of every count. They are mostly small integers: their logarithms come from a table where that pays."""
    integers = np.issubdtype(counts.dtype, np.integer)
    if integers and np.ndim(alpha) == 0 and counts.size:
        largest = int(counts.max())
        if 4 * largest < counts.size:
            return np.take(safe_log(np.arange(largest + 1) + alpha), counts)
    smoothed = counts + alpha
    with np.errstate(divide="ignore"):
        return np.log(smoothed, out=smoothed)


def of_features(features: Array, values: float | Array) -> float | Array:
    """The values of some features, by position; of one value for all features that one."""
    return values[features] if isinstance(values, np.ndarray) else values


def per_feature(alpha: Alpha) -> Alpha:
    """Alpha as it is added to totals (V, K)."""
    return alpha[:, np.newaxis] if isinstance(alpha, np.ndarray) else alpha


def log_mass(counts: Array, alpha: Alpha, n_features: int | Array) -> Array:
    """log Σ_j (N_cj + α_j) from Σ_j N_cj; 0 where there is nothing. One α may be for several numbers of features."""
    smoothing: float | Array
    if isinstance(n_features, np.ndarray):
        smoothing = alpha * n_features
    else:
        smoothing = float(np.sum(np.broadcast_to(alpha, n_features), dtype=np.float64))
    mass = counts + smoothing
    return np.log(np.where(mass > 0, mass, 1.0))


def check_alpha(alpha: Any, n_features: int | None, force_alpha: bool = True) -> Alpha:
    """A smoothing parameter, one or one per feature; below 1e-10 it is raised to that unless it is forced."""
    try:
        checked = float(alpha) if isinstance(alpha, Real) else np.asarray(alpha, dtype=np.float64)
    except OverflowError:  # of a whole number
        raise ValueError("alpha must be 0 or more and finite, got a number that no float holds") from None
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
            stacklevel=6,
        )
        return np.maximum(checked, SMALLEST_ALPHA)
    return checked
