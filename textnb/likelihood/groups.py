"""Which rows leave a model together, and which of its counts that touches: only those need be computed anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.arrays import Array, SparseRows, exact_bincount, ranges
from textnb.likelihood.smoothing import Alpha

if TYPE_CHECKING:
    from textnb.likelihood.forgotten import Forgotten

_ROUNDING = 1e-12  # of a floating-point total: what is left of it below that is nothing


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows by group, and the cells (group, class) that have rows: leaving a group out changes only its own cells.

    Cells are numbered by group, then by class.
    """

    of_row: Array  # (n,)
    class_ids: Array  # (n,)
    n_groups: int
    n_classes: int
    cell_of_row: Array  # (n,)
    cell_group: Array  # (T,)
    cell_class: Array  # (T,)
    documents: Array  # (K,): rows of each class

    @property
    def single(self) -> bool:
        """Whether every row is a group of its own."""
        return self.n_groups == len(self.of_row)

    def sums(self, values: Array) -> Array:
        """Σ values (n,) of the rows of each group and class, (n_groups, K)."""
        keys = self.of_row * self.n_classes + self.class_ids
        return exact_bincount(keys, values, self.n_groups * self.n_classes).reshape(-1, self.n_classes)

    def documents_left(self) -> Array:
        """Rows of each class without each group, (n_groups, K)."""
        return self.documents - self.sums(np.ones(len(self.of_row), np.int64))

    @cached_property
    def n_cells(self) -> Array:
        """Classes that each group touches, (n_groups,)."""
        return np.bincount(self.cell_group, minlength=self.n_groups)

    def pairs(self, rows: Array, of_row: Array) -> tuple[Array, Array]:
        """Each of these rows, of the group that `of_row` says, with every cell of its group: rows, cells."""
        first = np.cumsum(self.n_cells) - self.n_cells
        group = of_row[rows]
        return np.repeat(rows, self.n_cells[group]), ranges(first[group], self.n_cells[group])

    @cached_property
    def layout(self) -> tuple[Array, Array, Array]:
        """Rows in the order of their cells, where the cells start among them, and the groups among the cells."""
        sizes = np.bincount(self.cell_of_row, minlength=len(self.cell_class))
        starts, cells = (np.concatenate(([0], np.cumsum(counts))) for counts in (sizes, self.n_cells))
        return np.argsort(self.cell_of_row, kind="stable"), starts, cells

    def alone(self, rows: Array) -> Groups:
        """Only the groups of some rows, which are all the rows of their groups, among the documents of all."""
        return replace(self.subset(rows), documents=self.documents)

    def subset(self, rows: Array) -> Groups:
        """The same groups of some rows only."""
        return group_rows(self.of_row[rows], self.class_ids[rows], self.n_classes)


def group_rows(groups: Any, class_ids: Array, n_classes: int) -> Groups:
    """Groups by any labels, one per row; None leaves each row out by itself."""
    n = len(class_ids)
    if groups is None:
        of_row, n_groups = np.arange(n), n
    else:
        labels = np.asarray(groups)
        if labels.shape != (n,):
            raise ValueError(f"groups has shape {labels.shape}: give one label for each of {n} rows")
        try:
            found, of_row = np.unique(labels, return_inverse=True)
        except TypeError:
            raise ValueError("groups must be of one kind, such as numbers or strings, and none missing") from None
        n_groups = len(found)
        if n_groups == n:  # whatever they are called: groups of one row are numbered like the rows
            of_row = np.arange(n)
    cells, cell_of_row = np.unique(of_row * n_classes + class_ids, return_inverse=True)
    documents = np.bincount(class_ids, minlength=n_classes)
    return Groups(of_row, class_ids, n_groups, n_classes, cell_of_row, cells // n_classes, cells % n_classes, documents)


# From rows, what of them is scored, their groups, alphas, and which columns leave with a group, if any does, to scores
# (n_alphas, n, K), or to None where an alpha needs one model per group.
Scores = Callable[[SparseRows, SparseRows, Groups, Sequence[Alpha], "Forgotten | None"], Array | None]


def cell_totals(rows: SparseRows, groups: Groups) -> SparseRows:
    """The rows of each group and class added up: the very same rows where each is left out by itself."""
    return rows if groups.single else sum_rows(rows, groups.cell_of_row, len(groups.cell_class))


def group_totals(rows: SparseRows, groups: Groups) -> SparseRows:
    """The rows of each group added up."""
    return rows if groups.single else sum_rows(rows, groups.of_row, groups.n_groups)


def look_up(rows: SparseRows, row_ids: Array, columns: Array) -> Array:
    """The values at some rows and columns; entries of the rows are in the order of the columns."""
    keys = rows.row_ids * rows.n_columns + rows.indices
    wanted = row_ids.astype(np.int64) * rows.n_columns + columns
    return values_at(keys, rows.data, wanted)


def subtract(totals: Array, taken: Array) -> Array:
    """totals − taken, where what rounding leaves of floating-point sums that cancel is 0."""
    left = totals - taken
    if np.issubdtype(left.dtype, np.floating):
        left[left < _ROUNDING * totals] = 0.0
    return left


def values_at(keys: Array, values: Array, wanted: Array) -> Array:
    """The value of every wanted key, 0 if it has none; keys are sorted."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=values.dtype)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], 0)


def sum_rows(rows: SparseRows, owners: Array, n_owners: int) -> SparseRows:
    """The sum of the rows of each owner, (n_owners, n_columns), entries in the order of the columns."""
    from scipy.sparse import csr_array

    n = len(owners)
    indicator = csr_array((np.ones(n, dtype=rows.data.dtype), (owners, np.arange(n))), shape=(n_owners, n))
    summed = indicator @ csr_array((rows.data, rows.indices, rows.indptr), shape=rows.shape)
    summed.sort_indices()
    return SparseRows(summed.indptr, summed.indices, summed.data, rows.n_columns)
