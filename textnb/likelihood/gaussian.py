"""The Gaussian model: in each class, every column is normal and independent of the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textnb.likelihood.rules import QuadraticRule
from textnb.statistics.moments import ClassMoments
from textnb.text.rows import Array

SMALLEST_VARIANCE = 1e-150  # so small that it decides, and that squared distances stay within floating point


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
