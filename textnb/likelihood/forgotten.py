"""Columns that a model without a group of rows would not have, since too few other documents have them.

A model fitted anew without a document has no column for a word that only this document has or, with min_df m, fewer
than m others. In it the word is unknown: it is not scored, it takes no part in smoothing, and what other documents hold
of it is no part of any total.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textnb.arrays import Array, SparseRows, exact_bincount
from textnb.compiled import compiled_kernel
from textnb.likelihood.groups import Groups, group_totals, look_up, subtract
from textnb.text.weights import weigh


@dataclass(frozen=True, eq=False)
class Forgotten:
    """Pairs (group, column) of columns that a model without the group has not, by group; P of them."""

    entries: Array  # the positions of the rows' entries in such columns
    pair: Array  # of each of these entries
    group: Array  # (P,)
    column: Array  # (P,)
    n_groups: int
    left_behind: bool  # whether other documents have any of them

    def n_columns(self) -> Array:
        """How many columns each group takes with it, (n_groups, 1)."""
        return np.bincount(self.group, minlength=self.n_groups)[:, np.newaxis]

    def without_entries(self, rows: SparseRows, *, unit_length: bool = False) -> SparseRows:
        """The rows with 0 in such columns, then of length 1 again if they are to be."""
        data = rows.data.copy()
        data[self.entries] = 0
        left = rows.with_data(data)
        return weigh(left, idf=None, sublinear_tf=False, norm="l2") if unit_length and len(self.entries) else left

    def left(self, rows: SparseRows, groups: Groups, totals: SparseRows) -> SparseRows:
        """What other rows hold of the column of each pair, (P, K)."""
        n_classes = groups.n_classes
        if not self.left_behind:
            nothing = np.zeros(0, dtype=totals.indices.dtype)
            starts = np.zeros(len(self.group) + 1, dtype=totals.indptr.dtype)
            return SparseRows(starts, nothing, np.zeros(0, dtype=totals.data.dtype), n_classes)
        of_row = np.searchsorted(rows.indptr, self.entries, side="right") - 1
        keys, place = np.unique(self.pair * n_classes + groups.class_ids[of_row], return_inverse=True)
        taken = exact_bincount(place, rows.data[self.entries], len(keys))
        starts = np.searchsorted(keys, np.arange(len(self.group) + 1) * n_classes)
        return totals.take_rows(self.column).combine(SparseRows(starts, keys % n_classes, taken, n_classes), subtract)

    def sums(self, of_pairs: SparseRows) -> Array:
        """Σ of the pairs of each group, (n_groups, K), from values (P, K)."""
        n_classes = of_pairs.n_columns
        keys = self.group[of_pairs.row_ids] * n_classes + of_pairs.indices
        return exact_bincount(keys, of_pairs.data, self.n_groups * n_classes).reshape(-1, n_classes)


def forgotten_columns(rows: SparseRows, groups: Groups, min_df: int) -> Forgotten:
    """The columns of which fewer than `min_df` rows of other groups have an entry. A row stores a column once."""
    (entries,) = np.nonzero(_elsewhere(rows, groups) < min_df)
    of_entry = groups.of_row[np.searchsorted(rows.indptr, entries, side="right") - 1]
    keys, pair = np.unique(of_entry * rows.n_columns + rows.indices[entries], return_inverse=True)
    group, column = np.divmod(keys, max(rows.n_columns, 1))
    return Forgotten(entries, pair.reshape(-1), group, column, groups.n_groups, min_df > 1)


def _elsewhere(rows: SparseRows, groups: Groups) -> Array:
    """How many rows of other groups have the column of each entry, (entries,)."""
    frequency = rows.document_frequency()
    if groups.single:
        return frequency[rows.indices] - 1
    kernel = compiled_kernel()
    if kernel is None or rows.indptr.dtype != rows.indices.dtype:
        own = group_totals(rows.with_data(np.ones(len(rows.data), dtype=np.int64)), groups)
        return frequency[rows.indices] - look_up(own, groups.of_row[rows.row_ids], rows.indices)
    found = np.empty(len(rows.indices), dtype=np.int64)
    kernel.count_elsewhere(rows.indptr, rows.indices, groups.layout[0], groups.of_row, frequency, found)
    return found
