"""The documents that a text model was fitted on, each scored by the model without it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from textnb.decision import Calibration, log_posterior
from textnb.learner import Counted, Derived, Learner
from textnb.models.count import count_model
from textnb.selection.calibration import fit_calibration
from textnb.selection.subtraction import leave_one_out_scores
from textnb.text.frozen import UNIT
from textnb.text.rows import Array, SparseRows


@dataclass(frozen=True, eq=False)
class TrainingDocuments:
    """Documents in the columns of a rule, as they were counted and as they weigh."""

    counts: SparseRows
    weighed: SparseRows
    class_ids: Array
    groups: Array | None = None

    @property
    def lengths(self) -> Array:
        """How many words of each the model knows."""
        return self.counts.row_sums()

    def leave_one_out(self, learner: Learner, groups: Any = None, *, ignore_unseen: bool = False) -> Array:
        """log P(x, c) of every document under the model without it, or without its group, (n, K)."""
        recipe = learner.recipe
        model = count_model(recipe.model, norm=recipe.norm, fit_prior=recipe.fit_prior, class_prior=recipe.class_prior)
        (scores,) = leave_one_out_scores(
            model, self.weighed, self.class_ids, [recipe.alpha], groups, ignore_unseen=ignore_unseen
        )
        return scores

    def _as_new(self, learner: Learner) -> Array:
        """The scores that they would get as new documents, in which words that only they have are unknown."""
        return self.leave_one_out(learner, self.groups, ignore_unseen=not learner.recipe.unknown)

    def calibration(self, learner: Learner) -> Calibration:
        """How sure the learner's model is to be of itself, by the scores of its documents, or groups, without them."""
        return fit_calibration(self._as_new(learner), self.class_ids, self.lengths)

    def log_posterior(self, learner: Learner, log_prior: Array, calibration: Calibration | None) -> Array:
        """log P(c | x) of every document, calibrated, under the model without it, or without its group, (n, K)."""
        joint = self._as_new(learner)
        if calibration is not None:
            joint = calibration.apply(joint, self.lengths)
        return log_posterior(joint, log_prior)


@dataclass(frozen=True, eq=False)
class Training:
    """What a learner was fitted on, as it was counted, a block of documents after the other."""

    learner: Learner
    derived: Derived
    counted: list[Counted]
    class_ids: Array
    groups: Array | None = None

    @cached_property
    def documents(self) -> TrainingDocuments:
        """The same in the columns of the rule, when that is asked for."""
        blocks = [_in_columns(self.learner, self.derived, block) for block in self.counted]
        counts, weighed = (stacked(list(rows)) for rows in zip(*blocks, strict=True))
        return TrainingDocuments(counts, weighed, self.class_ids, self.groups)


def _in_columns(learner: Learner, derived: Derived, counted: Counted) -> tuple[SparseRows, SparseRows]:
    """A block's rows, as counts and as weights, in the columns of the rule."""
    counts = learner.counts
    at = counts.terms.find(list(counted.ids))
    column = np.where(derived.keep, np.cumsum(derived.keep) - 1, -1)[at]
    n_columns = int(derived.keep.sum())
    rows, outside, _ = learner.weigh(counted)
    weighed = rows.with_data(rows.data * UNIT) if learner.recipe.is_tfidf else rows
    both = [_moved(block, column, n_columns) for block in (counted.rows, weighed)]
    if not learner.recipe.unknown:
        return both[0], both[1]
    stands_in = column < 0
    if learner.reference is None and not counts.outside.any() and derived.keep.all():
        stands_in = counts.occurrences[at] == 1
    unknown = counted.rows.select_columns(stands_in).row_sums() + counted.outside
    if learner.reference is None:
        outside = unknown
    elif learner.recipe.is_tfidf:
        outside = outside * UNIT
    return both[0].append_column(unknown), both[1].append_column(outside)


def _moved(rows: SparseRows, column: Array, n_columns: int) -> SparseRows:
    """The entries whose column is not −1, in that column; the order of columns stays."""
    kept = column >= 0
    inside = rows.select_columns(kept)
    return SparseRows(inside.indptr, column[kept][inside.indices].astype(inside.indices.dtype), inside.data, n_columns)


def stacked(blocks: list[SparseRows]) -> SparseRows:
    """Blocks of rows one below the other."""
    if len(blocks) == 1:
        return blocks[0]
    ends = np.cumsum([0, *(len(block.indices) for block in blocks)])
    indptr = np.concatenate([[0], *(block.indptr[1:] + end for block, end in zip(blocks, ends, strict=False))])
    return SparseRows(
        indptr.astype(blocks[0].indptr.dtype if ends[-1] < 2**31 else np.int64),
        np.concatenate([block.indices for block in blocks]),
        np.concatenate([block.data for block in blocks]),
        blocks[0].n_columns,
    )
