"""The documents that a text model was fitted on, each scored by the model without it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from textnb.arrays import Array, SparseRows, stacked
from textnb.model.calibration import Calibration
from textnb.model.decision import log_posterior
from textnb.model.derive import Derivation
from textnb.model.learner import CountedDocuments
from textnb.selection.calibration import fit_calibration
from textnb.selection.subtraction import leave_one_out_scores
from textnb.text.frozen import UNIT

_MOST_SCORES = 1 << 24  # of documents and classes that a calibration is fitted to: of more, some documents are enough


@dataclass(frozen=True, eq=False)
class TrainingDocuments:
    """The documents that a model was fitted on: as they were counted, block by block, and in the columns of its rule.

    Scores are log P(x, c) under the model without the document, or without its group, (n, K). Of a model that is fitted
    to documents, they are those by models without the fold of the document.
    """

    derivation: Derivation
    counted: list[CountedDocuments]
    class_ids: Array
    groups: Array | None = None
    held_out: Array | None = None  # (n, K), of a model fitted to documents: the scores by models without their fold

    @cached_property
    def _rows(self) -> tuple[SparseRows, SparseRows]:
        blocks = [_in_columns(self.derivation, block) for block in self.counted]
        counts, weighted = zip(*blocks, strict=True)
        return stacked(counts), stacked(weighted)

    @property
    def counts(self) -> SparseRows:
        return self._rows[0]

    @property
    def weighted(self) -> SparseRows:
        return self._rows[1]

    @property
    def lengths(self) -> Array:
        """How many words of each the model knows."""
        return self.counts.row_sums()

    def leave_one_out(self, groups: Any = None, *, ignore_unseen: bool = False, only: Array | None = None) -> Array:
        """The scores of all documents, or `only` of some; `ignore_unseen` leaves out words that no other group has."""
        recipe = self.derivation.learner.recipe
        (scores,) = leave_one_out_scores(
            self.derivation.family,
            self.weighted,
            self.class_ids,
            [recipe.alpha],
            groups,
            ignore_unseen=ignore_unseen,
            norm=recipe.norm,
            fit_prior=recipe.fit_prior,
            class_prior=recipe.class_prior,
            only=only,
        )
        return scores

    def _as_new(self, only: Array | None = None) -> Array:
        """The scores that they would get as new documents, in which words that only they have are unknown."""
        if self.derivation.family.fitted_to_documents:
            if self.held_out is None:
                raise ValueError(
                    "the documents of the last fit were not scored by models without them: fit two classes or more, "
                    "with calibrate=True and without weights"
                )
            return self.held_out if only is None else self.held_out[only]
        return self.leave_one_out(self.groups, ignore_unseen=not self.derivation.learner.recipe.unknown, only=only)

    def calibration(self, *, keep_label: bool = True) -> Calibration | None:
        """The calibration of the model, fitted to these scores; None if there are none."""
        family = self.derivation.family
        if family.fitted_to_documents and self.held_out is None:
            return None
        n_classes, grow = len(self.derivation.log_prior), family.scores_grow
        if len(self.class_ids) * n_classes <= _MOST_SCORES:
            joint, class_ids, lengths, mix = self._as_new(), self.class_ids, self.lengths, None
        else:
            only = some_rows(self.weighted, self.class_ids, self.groups, max(1, _MOST_SCORES // n_classes))
            joint, class_ids, lengths = self._as_new(only), self.class_ids[only], self.lengths[only]
            mix = np.bincount(self.class_ids, minlength=n_classes) / len(self.class_ids)
        return fit_calibration(joint, class_ids, lengths, keep_label=keep_label, length_exponent=grow, mix=mix)

    def log_posterior(self, calibration: Calibration | None) -> Array:
        """log P(c | x) of every document, calibrated, from these scores, (n, K)."""
        joint = self._as_new()
        if calibration is not None:
            joint = calibration.apply(joint, self.lengths)
        return log_posterior(joint, self.derivation.log_prior)


def some_rows(rows: SparseRows, class_ids: Array, groups: Array | None, n: int) -> Array:
    """Positions of about n rows, whole groups of them, that do not depend on the order in which the rows came.

    Groups are taken at equal distances, in the order of their classes and of numbers that stand for their content.
    """
    weights = np.random.default_rng(0).integers(1 << 62, size=rows.n_columns, dtype=np.uint64)
    bits = rows.data.astype(np.float64).view(np.uint64)
    sums = np.append(np.uint64(0), np.cumsum(weights[rows.indices] * (2 * bits + np.uint64(1)), dtype=np.uint64))
    keys = sums[rows.indptr[1:]] - sums[rows.indptr[:-1]]
    of_row = np.arange(len(class_ids)) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_groups = int(of_row.max()) + 1
    key_of_group, class_of_group = np.zeros(n_groups, dtype=np.uint64), np.full(n_groups, np.iinfo(np.int64).max)
    np.add.at(key_of_group, of_row, keys)
    np.minimum.at(class_of_group, of_row, class_ids)
    step = -(-len(class_ids) // n)
    taken = np.zeros(n_groups, dtype=bool)
    taken[np.lexsort((key_of_group, class_of_group))[::step]] = True
    return np.flatnonzero(taken[of_row])


def _in_columns(derivation: Derivation, counted: CountedDocuments) -> tuple[SparseRows, SparseRows]:
    """A block's rows, as counts and as weights, in the columns of the rule."""
    learner, keep = derivation.learner, derivation.keep
    counts, recipe = learner.counts, learner.recipe
    at = counts.terms.locate(counted.terms)
    column = np.where(keep, np.cumsum(keep) - 1, -1)[at]
    rows, outside, _ = learner.weigh(counted)
    weighted = rows.with_data(rows.data * UNIT) if recipe.is_tfidf else rows
    both = [block.move_columns(column, int(keep.sum())) for block in (counted.rows, weighted)]
    if not recipe.unknown:
        return both[0], both[1]
    stands_in = column < 0
    if learner.reference is None and not counts.outside.any() and keep.all():
        stands_in = counts.occurrences[at] == 1
    unknown = counted.rows.select_columns(stands_in).row_sums() + counted.outside
    if learner.reference is None:
        outside = unknown
    elif recipe.is_tfidf:
        outside = outside * UNIT
    return both[0].append_column(unknown), both[1].append_column(outside)
