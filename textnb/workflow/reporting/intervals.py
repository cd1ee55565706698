"""95 % intervals of the figures that head a report. All take the documents to be independent of one another."""

from __future__ import annotations

import numpy as np

from textnb.arrays import Array
from textnb.workflow.metrics import Z_95, Counts, precision_recall_f1

Interval = tuple[float, float]

_RESAMPLES = 400
_SEED = 0


def mean_interval(values: Array) -> Interval | None:
    """x̄ ± z s / √n; None of fewer than two values, or infinite ones.

    Examples
    --------
    >>> [round(bound, 3) for bound in mean_interval(np.array([1.0, 2.0, 3.0]))]
    [0.868, 3.132]
    """
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    half = Z_95 * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


def auc_interval(positive: Array, scores: Array) -> Interval | None:
    """The interval of the area under the ROC curve A, whose logit is taken to be normal.

    Var(A) = S²(V₁)/n₁ + S²(V₀)/n₀, where V₁ is the share of negative documents that score below each positive one, and
    V₀ that of positive ones above each negative one, ties counting half: DeLong et al. 1988. None where A is 0 or 1,
    or a class has fewer than two documents.
    """
    above, below = scores[positive], scores[~positive]
    if min(len(above), len(below)) < 2:
        return None
    of_positive, of_negative = _share_below(below, above), 1 - _share_below(above, below)
    area = of_positive.mean()
    if not 0 < area < 1:
        return None
    variance = of_positive.var(ddof=1) / len(above) + of_negative.var(ddof=1) / len(below)
    half = Z_95 * np.sqrt(variance) / (area * (1 - area))
    low, high = (1 / (1 + np.exp(-(np.log(area / (1 - area)) + sign * half))) for sign in (-1, 1))
    return float(low), float(high)


def _share_below(others: Array, scores: Array) -> Array:
    """The share of the others below each score, those equal to it counting half."""
    ordered = np.sort(others)
    places = np.searchsorted(ordered, scores) + np.searchsorted(ordered, scores, side="right")
    return places / (2 * len(others))


def macro_f1_interval(matrix: Counts) -> Interval | None:
    """From the 2.5th to the 97.5th percentile of the macro-F1 of matrices drawn from this one: Efron's bootstrap.

    None where all of them have the same.
    """
    rng = np.random.RandomState(_SEED)
    true, predicted = np.nonzero(matrix)
    n = int(matrix.sum())
    drawn = rng.multinomial(n, matrix[true, predicted] / n, size=_RESAMPLES)
    found = np.empty(_RESAMPLES)
    resampled = np.zeros_like(matrix)
    for i, counts in enumerate(drawn):
        resampled[true, predicted] = counts
        found[i] = precision_recall_f1(resampled)[2].mean()
    low, high = np.percentile(found, (2.5, 97.5))
    return None if low == high else (float(low), float(high))  # what never varies says nothing about chance
