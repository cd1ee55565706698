"""The Bernoulli model: a document has a word or has it not."""

from __future__ import annotations

import numpy as np

from textnb.likelihood.rules import LinearRule, finite_rule
from textnb.likelihood.smoothing import log_smoothed, sum_features
from textnb.text.rows import Array

_ROUNDING = 1e-9  # what sums of document weights may be off by


def bernoulli_log_probability(present: Array, documents: Array, alpha: float | Array) -> Array:
    """log p_cj = log((n_cj + α_j) / (N_c + 2 α_j)), (K, V).  Manning et al. 2008, figure 13.3.

    n_cj of the N_c documents of class c have word j. A class without documents at α = 0 has no word: −∞ everywhere.
    """
    log_probability = log_smoothed(present, alpha)
    log_probability -= np.log(_mass(documents, alpha))
    return log_probability


def bernoulli_rule(present: Array, documents: Array, alpha: float | Array) -> LinearRule:
    """log P(x | c) = Σ_j x_j (log p_cj − log(1 − p_cj)) + Σ_j log(1 − p_cj), with x_j ∈ {0, 1}.

    1 − p_cj = (N_c − n_cj + α_j) / (N_c + 2 α_j) is computed from the counts, never as 1 − exp(log p).
    At α = 0 a word in no document of a class weighs −∞, one in every document +∞. A document that the class can have
    produced has every word of the second kind (log p = 0) and none of the first (log(1 − p) = 0): neither enters the
    intercept.
    """
    documents = documents[:, np.newaxis]
    log_absent = log_smoothed(_absent(present, documents), alpha)
    log_absent[np.broadcast_to(documents == 0, log_absent.shape) & np.isneginf(log_absent)] = 0.0
    weights = log_smoothed(present, alpha)
    weights -= log_absent
    log_absent -= np.log(_mass(documents[:, 0], alpha))
    infinite = np.isinf(weights)
    if infinite.any():
        log_absent[infinite] = 0.0
    return finite_rule(weights.T, sum_features(log_absent))


def _absent(present: Array, documents: Array) -> Array:
    """N_c − n_cj, (K, V)."""
    absent = documents - present
    if absent.min(initial=0) < 0:
        if (absent < -_ROUNDING * documents).any():
            raise ValueError(
                "a word is in more documents of a class than the class has: the Bernoulli model needs counts of "
                "documents, from rows of 0 and 1 that store no entry twice"
            )
        np.maximum(absent, 0, out=absent)
    return absent


def _mass(documents: Array, alpha: float | Array) -> Array:
    """N_c + 2 α_j, and 1 for a class of which nothing is known."""
    mass = documents[:, np.newaxis] + 2.0 * np.asarray(alpha)
    return np.where(mass > 0, mass, 1.0)
