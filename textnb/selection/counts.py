"""Count models without some of their documents: what a group holds is subtracted, then its documents are scored.

A group touches few of the counts that its documents are scored with, and only their logarithms are computed anew. Where
groups are few and large, such as folds, a model a group costs less. Either way the function returned is of α alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from textnb.likelihood.bernoulli import bernoulli_rule
from textnb.likelihood.complement import complement_rule, complement_weights
from textnb.likelihood.multinomial import multinomial_log_probability, multinomial_rule
from textnb.likelihood.rules import LinearRule
from textnb.likelihood.smoothing import log_smoothed, sum_features
from textnb.selection.groups import Groups, take_rows
from textnb.selection.logarithms import logarithm_sums
from textnb.selection.touched import Block, Touched, cell_totals, group_totals, look_up, subtract
from textnb.statistics.counts import count_classes
from textnb.text.rows import Array, SparseRows

Alpha = float | Array
Scores = Callable[[Alpha], Array]  # α ↦ (n, K), unless another shape is named
_MODEL_PAYS = 8  # so many weights of a model are derived in the time that one touched entry takes


def scores_without(
    model: str, rows: SparseRows, groups: Groups, norm: bool = False, *, ignore_unseen: bool = False
) -> Scores:
    """α ↦ log P(x | c) of every row without its group or, of a complement model, its score; the prior left out.

    The model is multinomial, complement or bernoulli; a row stores a column once, and no zeros. Words that no other
    group has are scored by smoothing alone or, as by a model that has never heard of them, ignored.
    """
    scored = seen_elsewhere(rows, groups) if ignore_unseen else rows
    totals = count_classes(rows, groups.class_ids, np.arange(groups.n_classes)).totals
    by_model = model_a_group(rows, scored, groups, totals, partial(_rule, model, norm))
    n_touched = int((np.diff(rows.indptr) * groups.n_cells[groups.of_row]).sum())
    if groups.n_groups * groups.n_classes * rows.n_columns <= _MODEL_PAYS * n_touched:
        return by_model
    if model == "multinomial":
        return multinomial_without(rows, scored, groups, totals)
    if model == "complement":
        by_entry = complement_without(rows, scored, groups, totals, norm)
    else:
        by_entry = bernoulli_without(rows, scored, groups, totals)
    # Sums over all words can be put right where a word changes, but not if they are infinite.
    return lambda alpha: by_entry(alpha) if np.min(alpha) > 0 else by_model(alpha)


def seen_elsewhere(rows: SparseRows, groups: Groups) -> SparseRows:
    """The rows, with 0 for the words that only one group has."""
    elsewhere = group_totals(rows, groups).document_frequency() > 1
    return rows.with_data(rows.data * elsewhere[rows.indices])


def model_a_group(
    rows: SparseRows,
    scored: SparseRows,
    groups: Groups,
    totals: Array,
    derive: Callable[[Array, Array, Alpha], LinearRule],
) -> Scores:
    """Derive a rule from what each group leaves of the totals and documents, and score its rows with it."""
    classes = np.arange(groups.n_classes)

    def scores(alpha: Alpha) -> Array:
        found = np.empty((rows.shape[0], groups.n_classes))
        bounds = np.cumsum(np.bincount(groups.of_row, minlength=groups.n_groups))[:-1]
        members = np.split(np.argsort(groups.of_row, kind="stable"), bounds)
        for own, left in zip(members, groups.documents_left(), strict=True):
            leaving = take_rows(rows, own)
            taken = count_classes(leaving, groups.class_ids[own], classes).totals
            found[own] = derive(subtract(totals, taken), left, alpha).log_likelihood(take_rows(scored, own))
        return found

    return scores


def _rule(model: str, norm: bool, totals: Array, documents: Array, alpha: Alpha) -> LinearRule:
    if model == "multinomial":
        return multinomial_rule(multinomial_log_probability(totals, alpha))
    if model == "complement":
        return complement_rule(complement_weights(totals, alpha, norm))
    return bernoulli_rule(totals, documents, alpha)


def multinomial_without(rows: SparseRows, scored: SparseRows, groups: Groups, totals: Array) -> Scores:
    """Σ_j x_j log((N_cj − G_cj + α_j) / Σ_j (N_cj − G_cj + α_j)), where the row's group holds G_cj in class c."""
    touched = Touched(scored, groups.of_row, groups, cell_totals(rows, groups), totals)
    lengths = scored.row_sums()
    mass = subtract(np.einsum("cj->c", totals), groups.sums(rows.row_sums()))

    def scores(alpha: Alpha) -> Array:
        found = scored @ np.ascontiguousarray(log_smoothed(totals, alpha).T)
        touched.replace(found, lambda block: _weighted(block, alpha))
        found -= lengths[:, np.newaxis] * _log_mass(mass, alpha, rows.n_columns)[groups.of_row]
        return found

    return scores


def complement_without(rows: SparseRows, scored: SparseRows, groups: Groups, totals: Array, norm: bool) -> Scores:
    """−Σ_j x_j log((R_cj − H_cj + α_j) / Σ_j (R_cj − H_cj + α_j)), for α > 0.

    R_cj is the total of all classes but c, and H_cj what the row's group holds of it.
    """
    rest = subtract(np.einsum("cj->j", totals), totals)
    cells, wholes = cell_totals(rows, groups), group_totals(rows, groups)
    whole = rows.data if groups.single else look_up(wholes, groups.of_row[rows.row_ids], rows.indices)
    touched = Touched(scored, groups.of_row, groups, cells, rest, whole)
    log_sums = logarithm_sums(scored, rest, whole)
    lengths = scored.row_sums()
    taken = groups.sums(rows.row_sums())
    mass = subtract(np.einsum("cj->c", rest), taken.sum(axis=1, keepdims=True) - taken)
    sizes = _complement_sizes(wholes, groups, cells, rest) if norm else None

    def scores(alpha: Alpha) -> Array:
        log_rest = log_sums(alpha)
        touched.replace(log_rest, lambda block: _weighted(block, alpha))
        log_mass = _log_mass(mass, alpha, rows.n_columns)
        found = lengths[:, np.newaxis] * log_mass[groups.of_row] - log_rest
        if sizes is None:
            return found
        size = rows.n_columns * log_mass - sizes(alpha)
        return found / np.where(size > 0, size, 1.0)[groups.of_row]

    return scores


def _complement_sizes(wholes: SparseRows, groups: Groups, cells: SparseRows, rest: Array) -> Scores:
    """Σ_j log(R_cj − H_cj + α_j) over all words, (n_groups, K): that of R, put right where a group has the word."""
    words = wholes.with_data(np.ones(len(wholes.data)))
    touched = Touched(words, np.arange(groups.n_groups), groups, cells, rest, wholes.data)
    log_sums = logarithm_sums(words, rest, wholes.data)

    def sums(alpha: Alpha) -> Array:
        right = log_sums(alpha)
        touched.replace(right, lambda block: _weighted(block, alpha))
        log_rest = log_smoothed(rest, alpha)
        return sum_features(log_rest) + (right - words @ np.ascontiguousarray(log_rest.T))

    return sums


def bernoulli_without(rows: SparseRows, scored: SparseRows, groups: Groups, present: Array) -> Scores:
    """Σ_j x_j log(p_cj / (1 − p_cj)) + Σ_j log(1 − p_cj), x_j ∈ {0, 1}, for α > 0.

    p_cj = (n_cj − G_cj + α_j) / (N_c − D_c + 2 α_j), where the row's group has D_c of the N_c documents of class c, and
    G_cj of the n_cj with word j.
    """
    documents = np.bincount(groups.class_ids, minlength=groups.n_classes)
    cells = cell_totals(rows, groups)
    touched = Touched(scored, groups.of_row, groups, cells, present)
    cell_left = groups.documents_left()[groups.cell_group, groups.cell_class]
    absence_of_cells = _absence(present, cells, groups, cell_left)

    def scores(alpha: Alpha) -> Array:
        found = bernoulli_rule(present, documents, alpha).log_likelihood(scored)
        absence = absence_of_cells(alpha)

        def score(block: Block) -> Array:
            smoothing = _at(alpha, block.column)
            absent = cell_left[block.cell][block.pair] - block.left
            odds = log_smoothed(block.left, smoothing) - log_smoothed(absent, smoothing)
            return absence[block.cell] + block.sums(block.value * odds)

        touched.replace(found, score)
        return found

    return scores


def _absence(present: Array, cells: SparseRows, groups: Groups, left: Array) -> Scores:
    """Σ_j log((N' − n'_j + α_j) / (N' + 2 α_j)) for every cell, (T,): of N' documents left in its class, n'_j have j.

    The sum with n_j, the documents with j before, is the same for all cells of a class and size; the words of the cell
    are put right in it. A word in more documents than are left is one of the cell's, and no part of that sum.
    """
    sizes, of_cell = np.unique(left * groups.n_classes + groups.cell_class, return_inverse=True)
    cell = cells.row_ids
    wrong = left[cell] - present[groups.cell_class[cell], cells.indices]
    right = wrong + cells.data
    impossible = wrong < 0
    wrong[impossible] = 0

    def sums(alpha: Alpha) -> Array:
        words = [_distinct(counts, alpha) for counts in present]
        of_sizes = np.empty(len(sizes))
        for i, (n_left, c) in enumerate(zip(*np.divmod(sizes, groups.n_classes), strict=True)):
            counts, times, smoothing = words[c]
            possible = counts <= n_left
            of_sizes[i] = times[possible] @ np.log((n_left - counts + smoothing)[possible])
            of_sizes[i] -= times @ np.log(n_left + 2.0 * smoothing)
        smoothing = _at(alpha, cells.indices)
        change = log_smoothed(wrong, smoothing)
        change[impossible] = 0.0
        np.subtract(log_smoothed(right, smoothing), change, out=change)
        return of_sizes[of_cell] + np.bincount(cell, change, minlength=len(left))

    return sums


def _distinct(counts: Array, alpha: Alpha) -> tuple[Array, Array, Array]:
    """Counts, how many words have each, and what smoothing adds to them: few, unless each word has its own."""
    if np.ndim(alpha):
        return counts, np.ones(len(counts)), np.asarray(alpha)
    times = np.bincount(counts)
    (distinct,) = np.nonzero(times)
    return distinct, times[distinct].astype(np.float64), np.full(len(distinct), alpha)


def _weighted(block: Block, alpha: Alpha) -> Array:
    """Σ x log(left + α) over the entries of every pair."""
    return block.sums(block.value * log_smoothed(block.left, _at(alpha, block.column)))


def _at(alpha: Alpha, columns: Array) -> Alpha:
    return alpha[columns] if isinstance(alpha, np.ndarray) else alpha


def _log_mass(counts: Array, alpha: Alpha, n_columns: int) -> Array:
    """log Σ_j (N_cj + α_j) from Σ_j N_cj; 0 where there is nothing."""
    mass = counts + np.sum(np.broadcast_to(alpha, n_columns), dtype=np.float64)
    return np.log(np.where(mass > 0, mass, 1.0))
