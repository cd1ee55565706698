"""The complement model: a class is judged by how unlike the document the other classes are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.likelihood.rules import ClassPart
from textnb.likelihood.smoothing import Alpha, log_mass, log_smoothed, of_features, per_feature

if TYPE_CHECKING:
    from textnb.likelihood.forgotten import Forgotten
    from textnb.likelihood.groups import Groups, Scores

NEEDS_SMOOTHING = (
    "ComplementNB needs alpha > 0 here: with alpha = 0, a feature that occurs in one class only, or in none, would get "
    "an infinite weight. Use a small alpha such as 1e-3."
)


def log_probability(totals: SparseRows, documents: Array, alpha: Alpha, norm: bool = False) -> Array:
    """w_cj = −log((N_j − N_cj + α_j) / Σ_j (N_j − N_cj + α_j)), (V, K).  Rennie et al. 2003, Table 4, steps 4–6.

    With ``norm``, divided by Σ_j |w_cj| (step 7; the sum is of one sign). A lone feature weighs 0.
    """
    part = class_part(totals, documents, alpha, norm)
    rest = np.maximum(totals.row_sums()[:, np.newaxis] - totals.toarray(), 0)  # rounding can leave less than nothing
    unscaled = part.by_class - log_smoothed(rest, per_feature(alpha))
    return unscaled if part.scale is None else unscaled * part.scale


def class_part(totals: SparseRows, documents: Array, alpha: Alpha, norm: bool = False) -> ClassPart:
    """k_c = log Σ_j (N_j − N_cj + α_j) and, with ``norm``, s_c = 1 / Σ_j |w_cj|.

    There is no prior (Rennie et al. 2003, Table 4, step 8). Two features or more have Σ_j |w_cj| ≥ 2 log 2, one has 0.
    """
    n_features = totals.shape[0]
    counted = totals.column_sums()
    by_class = log_mass(np.maximum(counted.sum() - counted, 0), alpha, n_features)
    intercept = np.zeros(len(counted))
    if not norm:
        return ClassPart(by_class, intercept)
    by_term, deviations = term_part(totals, documents, alpha)
    length = n_features * by_class + by_term.sum() + deviations.column_sums()
    return ClassPart(by_class, intercept, 1.0 / np.where(length < 1.0, 1.0, length))


def term_part(totals: SparseRows, documents: Array, alpha: Alpha) -> tuple[Array, SparseRows]:
    """t_j = −log(N_j + α_j) and d_jc = log(N_j + α_j) − log(N_j − N_cj + α_j): 0 for a term that a class has not."""
    everywhere, terms = totals.row_sums(), totals.row_ids
    rest = np.maximum(everywhere[terms] - totals.data, 0)
    smoothing = of_features(terms, alpha)
    if np.min(alpha) == 0 and not ((everywhere + alpha > 0).all() and (rest + smoothing > 0).all()):
        raise ValueError(NEEDS_SMOOTHING)
    logarithms = log_smoothed(everywhere, alpha)
    return -logarithms, totals.with_data(logarithms[terms] - log_smoothed(rest, smoothing))


def leave_one_out(totals: SparseRows, norm: bool) -> Scores:
    """−Σ_j x_j log((R_cj − H_cj + α_j) / Σ_j (R_cj − H_cj + α_j)), for α > 0.

    R_cj is the total of all classes but c, and H_cj what the row's group holds of it.
    """
    from textnb.likelihood.groups import subtract  # which predicting and learning need not wait for
    from textnb.likelihood.touched import Touched, compact

    n_features, n_classes = totals.shape
    everywhere, of_classes = totals.row_sums(), totals.column_sums()
    rest = np.repeat(compact(everywhere), n_classes).reshape(n_features, n_classes)  # few classes have a word
    rest[totals.row_ids, totals.indices] = subtract(everywhere[totals.row_ids], totals.data)

    def scores(
        rows: SparseRows, scored: SparseRows, groups: Groups, alphas: Sequence[Alpha], forgotten: Forgotten | None
    ) -> Array | None:
        if any(np.min(alpha) == 0 for alpha in alphas):
            return None
        found = np.empty((len(alphas), rows.shape[0], groups.n_classes))
        Touched(rows, scored, groups, rest, others=True).logarithm_sums(alphas, found)
        lengths = scored.row_sums()[:, np.newaxis]
        taken = groups.sums(rows.row_sums())
        mass = subtract(everywhere.sum() - of_classes, taken.sum(axis=1, keepdims=True) - taken)
        n_left: int | Array = n_features
        if forgotten is not None:
            left = forgotten.left(rows, groups, totals)
            gone = forgotten.sums(left)
            mass = subtract(mass, gone.sum(axis=1, keepdims=True) - gone)
            n_left = n_features - forgotten.n_columns()
        for log_rest, alpha in zip(found, alphas, strict=True):
            log_masses = log_mass(mass, alpha, n_left)
            np.subtract(lengths * log_masses[groups.of_row], log_rest, out=log_rest)
            if norm:
                size = n_left * log_masses - _weight_sums(rows, groups, rest, alpha)
                if forgotten is not None:
                    size += _forgotten_sums(forgotten, left, alpha)
                log_rest /= np.where(size < 1.0, 1.0, size)[groups.of_row]  # as in `class_part`
        return found

    return scores


def _forgotten_sums(forgotten: Forgotten, left: SparseRows, alpha: Alpha) -> Array:
    """Σ_j log(R_cj − H_cj + α) over the words that leave with a group, (n_groups, K)."""
    everywhere, pair = left.row_sums(), left.row_ids
    logarithms = log_smoothed(everywhere, alpha)
    changes = log_smoothed(np.maximum(everywhere[pair] - left.data, 0), alpha) - logarithms[pair]
    whole = np.bincount(forgotten.group, logarithms, minlength=forgotten.n_groups)
    return whole[:, np.newaxis] + forgotten.sums(left.with_data(changes))


def _weight_sums(rows: SparseRows, groups: Groups, rest: Array, alpha: Alpha) -> Array:
    """Σ_j log(R_cj − H_cj + α_j) over all words, (n_groups, K): that of R, put right where a group has the word."""
    from textnb.likelihood.groups import cell_totals, group_totals
    from textnb.likelihood.touched import Block, TouchedEntries, logarithm_sums

    wholes = group_totals(rows, groups)
    words = wholes.with_data(np.ones(len(wholes.data)))
    right = logarithm_sums(words, rest, wholes.data, alpha)
    of_groups = np.arange(groups.n_groups)
    touched = TouchedEntries(words, of_groups, groups, cell_totals(rows, groups), rest, wholes.data)
    touched.replace([alpha], right[np.newaxis], Block.weighted_logarithms)
    log_rest = log_smoothed(rest, per_feature(alpha))
    return log_rest.sum(axis=0) + (right - words @ log_rest)
