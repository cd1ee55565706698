"""Which rows leave a model together, and which classes that touches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from textnb.likelihood.smoothing import safe_log
from textnb.text.rows import Array, SparseRows, exact_bincount


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
        return np.bincount(self.class_ids, minlength=self.n_classes) - self.sums(np.ones(len(self.of_row), np.int64))

    @cached_property
    def n_cells(self) -> Array:
        """Classes that each group touches, (n_groups,)."""
        return np.bincount(self.cell_group, minlength=self.n_groups)

    def pairs(self, rows: Array, of_row: Array) -> tuple[Array, Array]:
        """Each of these rows, of the group that `of_row` says, with every cell of its group: rows, cells."""
        first = np.cumsum(self.n_cells) - self.n_cells
        group = of_row[rows]
        return np.repeat(rows, self.n_cells[group]), ranges(first[group], self.n_cells[group])

    def subset(self, rows: Array) -> Groups:
        """The same groups of some rows only."""
        return group_rows(self.of_row[rows], self.class_ids[rows], self.n_classes)


def group_rows(groups: Any, class_ids: Array, n_classes: int) -> Groups:
    """Groups by any labels, one a row; None leaves each row out by itself."""
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
    return Groups(of_row, class_ids, n_groups, n_classes, cell_of_row, cells // n_classes, cells % n_classes)


def log_prior_left(documents: Array, *, learned: bool = True, given: Any = None) -> Array:
    """log P(c) of models that have seen `documents` of each class, (m, K): given, learned, or uniform.

    As in a model fitted anew, a class without documents is none: the uniform prior is that of the others.
    """
    if given is not None:
        return np.broadcast_to(safe_log(np.asarray(given, dtype=np.float64)), documents.shape)
    seen = documents if learned else documents > 0
    return safe_log(seen) - np.log(np.maximum(seen.sum(axis=1, keepdims=True), 1))


def ranges(starts: Array, lengths: Array) -> Array:
    """start … start + length − 1 for every start and length, one after the other."""
    return np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def values_at(keys: Array, values: Array, wanted: Array) -> Array:
    """The value of every wanted key, 0 if it has none; keys are sorted."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=values.dtype)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], 0)


def row_blocks(bounds: Array, size: int) -> Iterator[tuple[int, int]]:
    """(start, stop) of blocks of rows with at most `size` entries each, or one row; row i ends at bounds[i + 1]."""
    start = 0
    while start < len(bounds) - 1:
        stop = max(start + 1, int(np.searchsorted(bounds, bounds[start] + size, side="right")) - 1)
        yield start, stop
        start = stop


def take_rows(rows: SparseRows, ids: Array) -> SparseRows:
    """Some rows, in the order asked for."""
    lengths = np.diff(rows.indptr)[ids]
    entries = ranges(rows.indptr[ids], lengths)
    indptr = np.concatenate(([0], np.cumsum(lengths))).astype(rows.indptr.dtype)
    return SparseRows(indptr, rows.indices[entries], rows.data[entries], rows.n_columns)


def sum_rows(rows: SparseRows, owners: Array, n_owners: int) -> SparseRows:
    """The sum of the rows of each owner, (n_owners, n_columns), entries in the order of the columns."""
    from scipy.sparse import csr_array

    n = len(owners)
    indicator = csr_array((np.ones(n, dtype=rows.data.dtype), (owners, np.arange(n))), shape=(n_owners, n))
    summed = indicator @ csr_array((rows.data, rows.indices, rows.indptr), shape=rows.shape)
    summed.sort_indices()
    return SparseRows(summed.indptr, summed.indices, summed.data, rows.n_columns)
