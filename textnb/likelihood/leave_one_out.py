"""Models without some of their documents: what a group holds is subtracted, then its documents are scored.

A group touches few of the counts that its documents are scored with, and only their logarithms are computed anew. Where
groups are few and large, such as folds, one model per group costs less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.compiled import compiled_kernel
from textnb.likelihood.families import Family
from textnb.likelihood.groups import Groups, group_totals, subtract
from textnb.likelihood.smoothing import Alpha, of_features, safe_log
from textnb.statistics.counts import count_classes

if TYPE_CHECKING:
    from textnb.likelihood.forgotten import Forgotten

_MODEL_PAYS = 8  # so many weights of a model are derived in the time that one touched entry takes


def scores_without(
    family: Family,
    rows: SparseRows,
    groups: Groups,
    norm: bool = False,
    *,
    ignore_unseen: bool = False,
    forgotten: Forgotten | None = None,
    unit_length: bool = False,
    only: Array | None = None,
) -> Callable[[Sequence[Alpha]], Array]:
    """log P(x | c) of every row without its group or, of a complement model, its score; the prior left out.

    A function of alphas, to (n_alphas, n, K). A row stores a column once, and no zeros. Words that no other group has
    are scored by smoothing alone or, as by a model that has never heard of them, ignored. Columns that are `forgotten`
    are no part of the model without the group at all; `unit_length` says that what is scored without them is to have
    length 1 again, as tf-idf has. `only` has the rows to score, all those of their groups, if that is not every row.
    """
    if family.weightings == ("binary",):
        rows = rows.present()
    scored = seen_elsewhere(rows, groups) if ignore_unseen else rows
    if forgotten is not None:
        scored = forgotten.without_entries(rows, unit_length=unit_length)
    totals = count_classes(rows, groups.class_ids, np.arange(groups.n_classes)).totals
    if only is not None:
        rows, scored, groups = rows.take_rows(only), scored.take_rows(only), groups.alone(only)
    n_touched = int((np.diff(rows.indptr) * groups.n_cells[groups.of_row]).sum())
    models_pay = groups.n_groups * groups.n_classes * rows.n_columns <= _MODEL_PAYS * n_touched
    by_entry = None if models_pay else family.leave_one_out(totals, norm)

    def scores(alphas: Sequence[Alpha]) -> Array:
        found = None
        if by_entry is not None and (forgotten is None or all(np.ndim(alpha) == 0 for alpha in alphas)):
            found = by_entry(rows, scored, groups, alphas, forgotten)
        if found is None:
            found = one_model_per_group(family, rows, scored, groups, totals, norm, alphas, forgotten)
        return found

    return scores


def seen_elsewhere(rows: SparseRows, groups: Groups) -> SparseRows:
    """The rows, with 0 for the words that only one group has."""
    elsewhere = _group_frequency(rows, groups) > 1
    return rows.with_data(rows.data * elsewhere[rows.indices])


def _group_frequency(rows: SparseRows, groups: Groups) -> Array:
    """How many groups have each column, (V,)."""
    kernel = compiled_kernel()
    if kernel is None or groups.single or rows.indptr.dtype != rows.indices.dtype:
        return group_totals(rows, groups).document_frequency()
    frequency = np.zeros(rows.n_columns, dtype=np.int64)
    kernel.count_owners(rows.indptr, rows.indices, groups.layout[0], groups.of_row, frequency)
    return frequency


def one_model_per_group(
    family: Family,
    rows: SparseRows,
    scored: SparseRows,
    groups: Groups,
    totals: SparseRows,
    norm: bool,
    alphas: Sequence[Alpha],
    forgotten: Forgotten | None = None,
) -> Array:
    """Derive a rule from what each group leaves of the totals, columns and documents, and score its rows with it."""
    classes = np.arange(groups.n_classes)
    found = np.empty((len(alphas), rows.shape[0], groups.n_classes))
    bounds = np.cumsum(np.bincount(groups.of_row, minlength=groups.n_groups))[:-1]
    members = np.split(np.argsort(groups.of_row, kind="stable"), bounds)
    for group, (own, documents) in enumerate(zip(members, groups.documents_left(), strict=True)):
        taken = count_classes(rows.take_rows(own), groups.class_ids[own], classes).totals
        left, new, columns = totals.combine(taken, subtract), scored.take_rows(own), None
        if forgotten is not None:
            keep = np.ones(rows.n_columns, dtype=bool)
            keep[forgotten.column[forgotten.group == group]] = False
            columns = np.flatnonzero(keep)
            left, new = left.take_rows(columns), new.select_columns(keep)
        for scores, alpha in zip(found, alphas, strict=True):
            smoothing = alpha if columns is None else of_features(columns, alpha)
            rule = family.rule(left, documents, smoothing, norm, columns=columns).compact()
            scores[own] = rule.log_likelihood(new)
    return found


def with_prior_left(
    scores: Array, groups: Groups, adds_prior: bool, *, learned: bool = True, given: Any = None
) -> Array:
    """log P(x, c) from log P(x | c) of every row without its group, (n, K); a class left empty scores −∞.

    As in a model fitted anew, a class without documents is none: the uniform prior is that of the others.
    """
    documents = groups.documents_left()
    if adds_prior and given is not None:
        scores = scores + safe_log(np.asarray(given, dtype=np.float64))
    elif adds_prior:
        seen = documents if learned else documents > 0
        log_prior = safe_log(seen) - np.log(np.maximum(seen.sum(axis=1, keepdims=True), 1))
        scores = scores + log_prior[groups.of_row]
    scores[(documents == 0)[groups.of_row]] = -np.inf
    return scores
