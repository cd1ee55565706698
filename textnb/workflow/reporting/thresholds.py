"""What would be named a class at every threshold of its probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.arrays import Array

MOST_POINTS = 500
_DIGITS = 9  # of a threshold, rounded down, so that the document that it is taken from reaches it


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """How many documents of a class, and of others, have P(class) ≥ each threshold."""

    class_id: int
    n_positive: int
    n_negative: int
    thresholds: Array  # (m,), ascending, 0.5 among them
    true_positives: Array  # (m,)
    false_positives: Array  # (m,)

    def to_json(self) -> dict[str, Any]:
        columns = (self.thresholds, self.true_positives, self.false_positives)
        return {
            "class": self.class_id,
            "n_positive": self.n_positive,
            "n_negative": self.n_negative,
            "points": [list(point) for point in zip(*(column.tolist() for column in columns), strict=True)],
        }


def threshold_curve(class_id: int, probabilities: Array, positive: Array) -> ThresholdCurve:
    """The curve of one class against all others, from P(class) and whether that is the class, (n,) each.

    Counts are exact. Of more than `MOST_POINTS` probabilities, thresholds are quantiles of all, and of those of the
    class: there may be few among many.

    Examples
    --------
    >>> import numpy as np
    >>> curve = threshold_curve(0, np.array([0.1, 0.4, 0.8, 0.9]), np.array([False, True, False, True]))
    >>> curve.to_json()["points"]
    [[0.1, 2, 2], [0.4, 2, 1], [0.5, 1, 1], [0.8, 1, 1], [0.9, 1, 0]]
    """
    ranked, ranked_positive = np.sort(probabilities), np.sort(probabilities[positive])
    thresholds = np.unique(np.append(_rounded_down(ranked), 0.5))
    if len(thresholds) > MOST_POINTS:
        half = (MOST_POINTS - 1) // 2
        chosen = [_quantiles(some, half) for some in (ranked, ranked_positive)]
        thresholds = np.unique(np.append(_rounded_down(np.concatenate(chosen)), 0.5))
    n, n_positive = len(ranked), len(ranked_positive)
    reached = n - np.searchsorted(ranked, thresholds, side="left")
    true_positives = n_positive - np.searchsorted(ranked_positive, thresholds, side="left")
    return ThresholdCurve(class_id, n_positive, n - n_positive, thresholds, true_positives, reached - true_positives)


def _rounded_down(probabilities: Array) -> Array:
    rounded = np.round(probabilities, _DIGITS)
    return np.where(rounded <= probabilities, rounded, np.round(rounded - 10.0**-_DIGITS, _DIGITS)).clip(0)


def _quantiles(ranked: Array, n: int) -> Array:
    """n of the values, evenly spread, the smallest and the largest among them."""
    return ranked[np.linspace(0, len(ranked) - 1, n).astype(np.int64)] if len(ranked) else ranked
