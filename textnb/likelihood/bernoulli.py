"""The Bernoulli model: a document has a word or has it not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.likelihood.rules import ClassPart, linear_rule
from textnb.likelihood.smoothing import Alpha, log_smoothed, of_features, per_feature

if TYPE_CHECKING:
    from textnb.likelihood.forgotten import Forgotten
    from textnb.likelihood.groups import Groups, Scores

_ROUNDING = 1e-9  # what sums of document weights may be off by


def log_probability(totals: SparseRows, documents: Array, alpha: Alpha, norm: bool = False) -> Array:
    """log p_cj = log((n_cj + α_j) / (N_c + 2 α_j)), (V, K).  Manning et al. 2008, figure 13.3.

    n_cj of the N_c documents of class c have word j. A class without documents at α = 0 has no word: −∞ everywhere.
    """
    smoothing = per_feature(alpha)
    return log_smoothed(totals.toarray(), smoothing) - np.log(_mass(documents, smoothing))


def class_part(totals: SparseRows, documents: Array, alpha: Alpha, norm: bool = False) -> ClassPart:
    """b_c = Σ_j log(1 − p_cj) and k_c = −log(N_c + α), or k_c = 0 where `term_part` has every weight.

    At α = 0 a word in no document of a class weighs −∞, one in every document +∞. A document that the class can have
    produced has every word of the second kind (log p = 0) and none of the first (log(1 − p) = 0): neither enters b.
    """
    logs = _logarithms(totals, documents, alpha)
    terms, classes = logs.entries.row_ids, logs.entries.indices
    n_features, n_classes = totals.shape
    weights = logs.present - logs.absent
    log_absence = logs.absent - np.log(_mass(documents[classes], of_features(terms, alpha)))
    intercept = np.bincount(classes, np.where(np.isinf(weights), 0.0, log_absence), minlength=n_classes)
    always = np.isposinf(weights)
    required = np.bincount(classes, always, minlength=n_classes) if always.any() else None
    if logs.every_weight:
        return ClassPart(np.zeros(n_classes), intercept, required=required)
    log_lacking = np.log(documents + alpha)
    lacking = n_features - np.bincount(classes, minlength=n_classes)
    intercept = intercept + lacking * (log_lacking - np.log(documents + 2.0 * alpha))
    return ClassPart(-log_lacking, intercept, required=required)


def term_part(totals: SparseRows, documents: Array, alpha: Alpha) -> tuple[float, SparseRows]:
    """log p_cj − log(1 − p_cj) as t = log α and d_jc, which is 0 for a word in no document of the class.

    d_jc = (log(n_cj + α) − log α) − (log(N_c − n_cj + α) − log(N_c + α)). At α = 0, or with one alpha per feature,
    t = 0 and d has every weight.
    """
    logs = _logarithms(totals, documents, alpha)
    if logs.every_weight:
        return 0.0, logs.entries.with_data(logs.present - logs.absent)
    by_term = float(np.log(alpha))
    log_lacking = np.log(documents + alpha)[logs.entries.indices]
    return by_term, logs.entries.with_data((logs.present - by_term) - (logs.absent - log_lacking))


class _Logarithms(NamedTuple):
    """Logarithms of the smoothed numbers of documents with and without a word."""

    entries: SparseRows  # of words and classes; those in no document too, if they have weights of their own
    every_weight: bool
    present: Array  # log(n_cj + α_j)
    absent: Array  # log(N_c − n_cj + α_j), and 0 at α = 0 in a class without documents


def _logarithms(totals: SparseRows, documents: Array, alpha: Alpha) -> _Logarithms:
    """From counts, never as 1 − exp(log p). A word in no document has one weight in a class only if α is one number."""
    every_weight = isinstance(alpha, np.ndarray) or alpha == 0
    entries = totals.filled() if every_weight else totals
    smoothing, of_class = of_features(entries.row_ids, alpha), documents[entries.indices]
    lacking = of_class - entries.data
    if lacking.min(initial=0) < 0:
        if (lacking < -_ROUNDING * of_class).any():
            raise ValueError(
                "a word is in more documents of a class than the class has: the Bernoulli model needs counts of "
                "documents, from rows of 0 and 1 that store no entry twice"
            )
        lacking = np.maximum(lacking, 0)
    absent = log_smoothed(lacking, smoothing)
    absent[(of_class == 0) & np.isneginf(absent)] = 0.0
    return _Logarithms(entries, every_weight, log_smoothed(entries.data, smoothing), absent)


def _mass(documents: Array, alpha: Alpha) -> Array:
    """N_c + 2 α_j, and 1 for a class of which nothing is known."""
    mass = documents + 2.0 * np.asarray(alpha)
    return np.where(mass > 0, mass, 1.0)


def leave_one_out(totals: SparseRows, norm: bool) -> Scores:
    """Σ_j x_j log(p_cj / (1 − p_cj)) + Σ_j log(1 − p_cj), x_j ∈ {0, 1}, for α > 0.

    p_cj = (n_cj − G_cj + α_j) / (N_c − D_c + 2 α_j), where the row's group has D_c of the N_c documents of class c, and
    G_cj of the n_cj with word j.
    """
    from textnb.likelihood.touched import Touched, compact  # which predicting and learning need not wait for

    present = totals.with_data(compact(totals.data)).toarray()

    def scores(
        rows: SparseRows, scored: SparseRows, groups: Groups, alphas: Sequence[Alpha], forgotten: Forgotten | None
    ) -> Array | None:
        if any(np.min(alpha) == 0 for alpha in alphas):
            return None
        documents = groups.documents
        rules = (linear_rule(class_part(totals, documents, a), *term_part(totals, documents, a)) for a in alphas)
        found = np.array([rule.dense().log_likelihood(scored) for rule in rules])
        cell_left = groups.documents_left()[groups.cell_group, groups.cell_class]
        changes = Touched(rows, scored, groups, present).odds_sums(alphas, found, cell_left)
        row, cell = groups.pairs(np.arange(rows.shape[0]), groups.of_row)
        for log_likelihood, alpha, change in zip(found, alphas, changes, strict=True):
            absence = _absence(present, groups, cell_left, alpha) + change
            log_likelihood[row, groups.cell_class[cell]] += absence[cell]
        if forgotten is not None:
            left, documents = forgotten.left(rows, groups, totals), groups.documents_left()
            for log_likelihood, alpha in zip(found, alphas, strict=True):
                log_likelihood -= _forgotten_absence(forgotten, left, documents, alpha)[groups.of_row]
        return found

    return scores


def _forgotten_absence(forgotten: Forgotten, left: SparseRows, documents: Array, alpha: Alpha) -> Array:
    """Σ_j log((N' − n'_j + α) / (N' + 2α)) over the words that leave with a group, (n_groups, K).

    N' (n_groups, K) documents of a class are left, of which n'_j have word j.
    """
    lacking = documents[forgotten.group[left.row_ids], left.indices]
    changes = log_smoothed(np.maximum(lacking - left.data, 0), alpha) - log_smoothed(lacking, alpha)
    of_absent_words = log_smoothed(documents, alpha) - np.log(documents + 2.0 * alpha)
    return forgotten.n_columns() * of_absent_words + forgotten.sums(left.with_data(changes))


def _absence(present: Array, groups: Groups, cell_left: Array, alpha: Alpha) -> Array:
    """Σ_j log((N' − n_j + α_j) / (N' + 2 α_j)) for every cell, (T,): N' documents are left in its class, n_j had j.

    It is the same for all cells of a class and size, and wrong for the words of the cell. One in more documents than
    are left is one of the cell's, and no part of the sum.
    """
    sizes, of_cell = np.unique(cell_left * groups.n_classes + groups.cell_class, return_inverse=True)
    words = [_distinct(counts, alpha) for counts in np.ascontiguousarray(present.T)]
    of_sizes = np.empty(len(sizes))
    for i, (n_left, c) in enumerate(zip(*np.divmod(sizes, groups.n_classes), strict=True)):
        counts, times, smoothing = words[c]
        possible = counts <= n_left
        of_sizes[i] = times[possible] @ np.log((n_left - counts + smoothing)[possible])
        of_sizes[i] -= times @ np.log(n_left + 2.0 * smoothing)
    return of_sizes[of_cell]


def _distinct(counts: Array, alpha: Alpha) -> tuple[Array, Array, Array]:
    """Counts, how many words have each, and what smoothing adds to them: few, unless each word has its own."""
    if isinstance(alpha, np.ndarray):
        return counts, np.ones(len(counts)), alpha
    times = np.bincount(counts)
    (distinct,) = np.nonzero(times)
    return distinct, times[distinct].astype(np.float64), np.full(len(distinct), alpha)
