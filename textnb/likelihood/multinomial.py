"""The multinomial model: a class is a unigram language model."""

from __future__ import annotations

from typing import Any

import numpy as np

from textnb.likelihood.rules import LinearRule, finite_rule
from textnb.likelihood.smoothing import log_smoothed, safe_log, smoothed_mass
from textnb.text.rows import Array


def multinomial_log_probability(totals: Array, alpha: float | Array) -> Array:
    """log θ_cj = log((N_cj + α_j) / Σ_j (N_cj + α_j)), (K, V).  Manning et al. 2008, eq. 13.7 (Lidstone smoothing).

    A class of which nothing was seen at α = 0 produces no word: −∞ everywhere.
    """
    mass = smoothed_mass(totals, alpha)
    log_probability = log_smoothed(totals, alpha)
    log_probability -= np.log(np.where(mass > 0, mass, 1.0))
    return log_probability


def multinomial_rule(log_probability: Array) -> LinearRule:
    """log P(x | c) = Σ_j x_j log θ_cj, the multinomial coefficient left out: it is the same for every class."""
    return finite_rule(log_probability.T, np.zeros(len(log_probability)))


def language_model(probabilities: Any) -> LinearRule:
    """A unigram language model a class, from word probabilities θ (K, V): log P(string) = Σ_j x_j log θ_cj."""
    given = np.atleast_2d(np.asarray(probabilities, dtype=np.float64))
    if not ((given >= 0) & (given <= 1)).all():
        raise ValueError("word probabilities must lie between 0 and 1")
    return multinomial_rule(safe_log(given))


def perplexity(log_likelihood: Array, lengths: Array, class_ids: Array | None = None) -> Array:
    """exp(−Σ_d log P(d | c) / Σ_d |d|) over all documents d or, given their classes, over those of class c, (K,).

    Jurafsky & Martin, chapter 3. A class without words to measure it on has none: NaN.
    """
    n_classes = log_likelihood.shape[1]
    if class_ids is None:
        totals, words = log_likelihood.sum(axis=0), np.full(n_classes, lengths.sum())
    else:
        totals = np.bincount(class_ids, log_likelihood[np.arange(len(class_ids)), class_ids], minlength=n_classes)
        words = np.bincount(class_ids, lengths, minlength=n_classes)
    return np.where(words > 0, np.exp(-totals / np.where(words > 0, words, 1.0)), np.nan)
