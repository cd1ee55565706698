"""The multinomial model: a class is a unigram language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.likelihood.rules import ClassPart
from textnb.likelihood.smoothing import Alpha, log_mass, log_smoothed, of_features, per_feature, safe_log

if TYPE_CHECKING:
    from textnb.likelihood.forgotten import Forgotten
    from textnb.likelihood.groups import Groups, Scores


def log_probability(totals: SparseRows, documents: Array, alpha: Alpha, norm: bool = False) -> Array:
    """log θ_cj = log((N_cj + α_j) / Σ_j (N_cj + α_j)), (V, K).  Manning et al. 2008, eq. 13.7 (Lidstone smoothing).

    A class of which nothing was seen at α = 0 produces no word: −∞ everywhere.
    """
    return log_smoothed(totals.toarray(), per_feature(alpha)) + class_part(totals, documents, alpha).by_class


def class_part(totals: SparseRows, documents: Array, alpha: Alpha, norm: bool = False) -> ClassPart:
    """k_c = −log Σ_j (N_cj + α_j). The multinomial coefficient is left out: it is the same for every class."""
    by_class = -log_mass(totals.column_sums(), alpha, totals.shape[0])
    return ClassPart(by_class, np.zeros(len(by_class)))


def term_part(totals: SparseRows, documents: Array, alpha: Alpha) -> tuple[float | Array, SparseRows]:
    """t_j = log α_j, or 0 where α_j = 0, and d_jc = log(N_cj + α_j) − t_j: 0 for a term that a class has not."""
    logs = np.where(np.greater(alpha, 0), safe_log(alpha), 0.0)
    by_term: float | Array = logs if isinstance(alpha, np.ndarray) else float(logs)
    totals = totals if np.min(alpha) > 0 else totals.filled()
    terms = totals.row_ids
    logarithms = log_smoothed(totals.data, of_features(terms, alpha))
    return by_term, totals.with_data(logarithms - of_features(terms, by_term))


def leave_one_out(totals: SparseRows, norm: bool) -> Scores:
    """Σ_j x_j log((N_cj − G_cj + α_j) / Σ_j (N_cj − G_cj + α_j)), where the row's group holds G_cj in class c."""
    from textnb.likelihood.groups import subtract  # which predicting and learning need not wait for
    from textnb.likelihood.touched import Touched, compact

    counts, n_features = totals.with_data(compact(totals.data)).toarray(), totals.shape[0]

    def scores(
        rows: SparseRows, scored: SparseRows, groups: Groups, alphas: Sequence[Alpha], forgotten: Forgotten | None
    ) -> Array:
        lengths = scored.row_sums()[:, np.newaxis]
        mass = subtract(totals.column_sums(), groups.sums(rows.row_sums()))
        n_left: int | Array = n_features
        if forgotten is not None:
            mass = subtract(mass, forgotten.sums(forgotten.left(rows, groups, totals)))
            n_left = n_features - forgotten.n_columns()
        found = np.array([scored @ log_smoothed(counts, per_feature(alpha)) for alpha in alphas])
        Touched(rows, scored, groups, counts).logarithm_sums(alphas, found)
        for log_likelihood, alpha in zip(found, alphas, strict=True):
            log_likelihood -= lengths * log_mass(mass, alpha, n_left)[groups.of_row]
        return found

    return scores


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
