"""The complement model: a class is judged by how unlike the document the other classes are."""

from __future__ import annotations

import numpy as np

from textnb.likelihood.rules import LinearRule
from textnb.likelihood.smoothing import log_smoothed, smoothed_mass, sum_features
from textnb.text.rows import Array


def complement_weights(totals: Array, alpha: float | Array, norm: bool) -> Array:
    """w_cj = −log((N_j − N_cj + α_j) / Σ_j (N_j − N_cj + α_j)), (K, V).  Rennie et al. 2003, Table 4, steps 4–6.

    With ``norm``, divided by Σ_j |w_cj| (step 7; the sum is of one sign). A lone feature weighs 0.
    """
    rest = _rest(totals)
    if np.min(alpha) == 0 and not (rest + alpha > 0).all():
        raise ValueError(
            "ComplementNB needs alpha > 0 here: with alpha = 0, a feature that occurs in one class only, or in none, "
            "would get an infinite weight. Use a small alpha such as 1e-3."
        )
    weights = log_smoothed(rest, alpha)
    np.subtract(np.log(smoothed_mass(rest, alpha)), weights, out=weights)
    if norm:
        length = sum_features(weights)[:, np.newaxis]
        return weights / np.where(length == 0, 1.0, length)
    return weights


def _rest(totals: Array) -> Array:
    """N_j − N_cj, (K, V): of two classes, the other."""
    if len(totals) == 2:
        return totals[::-1]
    rest = np.einsum("cj->j", totals) - totals
    return np.maximum(rest, 0, out=rest)  # rounding can leave less than nothing


def complement_rule(weights: Array) -> LinearRule:
    """score_c(x) = Σ_j x_j w_cj: no likelihood, and without a prior (Rennie et al. 2003, Table 4, step 8)."""
    return LinearRule(np.ascontiguousarray(weights.T), np.zeros(len(weights)))
