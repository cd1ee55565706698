"""Thresholds that keep a promise about errors, chosen on scores of documents that the model had not seen."""

from __future__ import annotations

import numpy as np

from textnb.arrays import Array
from textnb.model.decision import log_odds_against


def threshold_for_ceiling(
    log_posterior: Array, class_ids: Array, protected: int, ceiling: float, confidence: float | None = None
) -> float:
    """The threshold of a `DecisionRule` under which at most a share `ceiling` of `protected` is named otherwise.

    log_posterior : (n, K) leave-one-out log P(c | x), calibrated if decisions will be
    class_ids : (n,) the true class of each document

    It is the (k + 1)th largest log-odds among the n_p protected documents, k being the most errors allowed. The share
    of new documents above it is Beta(k + 1, n_p − k), whatever the distribution of the scores. So k is the largest
    with a mean share (k + 1) / (n_p + 1) ≤ ceiling, which also keeps k / n_p below it. Since the mean is exceeded
    about every other time, `confidence` asks for more: that the share is within the ceiling with that probability
    (Clopper & Pearson 1934).
    """
    if not 0 < ceiling < 1:
        raise ValueError(f"ceiling must be a share between 0 and 1, such as 0.001 for 1 in 1,000, got {ceiling}.")
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError(f"confidence must be a probability between 0 and 1, such as 0.95, got {confidence}.")
    odds = np.sort(log_odds_against(log_posterior[class_ids == protected], protected))[::-1]
    allowed = _errors_allowed(len(odds), ceiling, confidence)
    if allowed < 0:
        raise ValueError(
            f"a ceiling of {ceiling:g} needs {_fewest_documents(ceiling, confidence):,} documents of the protected "
            f"class to choose a threshold on, and there are {len(odds):,}: give more documents or a higher ceiling."
        )
    threshold = float(odds[allowed])
    if np.isposinf(threshold):
        raise ValueError(
            f"a ceiling of {ceiling:g} cannot be kept: {int(np.isposinf(odds).sum()):,} documents of the protected "
            "class are impossible in it (alpha = 0?). Use a larger alpha."
        )
    return max(threshold, -_LARGEST)


_LARGEST = 1e99  # a threshold is a finite number, also where documents are certain


def share_interval(errors: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The shares under which `errors` of `n` are not surprising: Clopper and Pearson's exact interval."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(errors, n - errors + 1, tail)) if errors else 0.0
    high = float(betaincinv(errors + 1, n - errors, 1 - tail)) if errors < n else 1.0
    return low, high


def _errors_allowed(n: int, ceiling: float, confidence: float | None) -> int:
    """The largest k such that the share above the (k + 1)th largest of n is within the ceiling; −1 if none is."""
    errors = np.arange(min(n, int(ceiling * (n + 1)) + 1))
    if confidence is None:
        kept = errors + 1 <= ceiling * (n + 1)
    else:
        from scipy.special import betainc

        kept = betainc(errors + 1, n - errors, ceiling) >= confidence
    return int(kept.sum()) - 1


def _fewest_documents(ceiling: float, confidence: float | None) -> int:
    """The least n for which k = 0 is allowed: 1 / (n + 1) ≤ ceiling, or 1 − (1 − ceiling)^n ≥ confidence."""
    if confidence is None:
        return int(np.ceil(1 / ceiling - 1))
    return int(np.ceil(np.log1p(-confidence) / np.log1p(-ceiling)))
