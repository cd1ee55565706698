"""The entries of a sparse matrix whose counts change when a group of rows leaves: all that need be computed anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from textnb.selection.groups import Groups, ranges, row_blocks, sum_rows, values_at
from textnb.text.rows import Array, SparseRows

_BLOCK = 1 << 20  # touched entries worked on at a time
_KEPT = 1 << 24  # touched entries kept from one alpha to the next; beyond that they are looked up again
_ROUNDING = 1e-12  # of a floating-point total: what is left of it below that is nothing


class Block(NamedTuple):
    """Rows paired with the classes that their group touches, and the entries of those rows, once for every pair."""

    row: Array  # (P,)
    cell: Array  # (P,)
    class_id: Array  # (P,)
    pair: Array  # (E,), the pair of an entry
    column: Array  # (E,)
    value: Array  # (E,), its own
    left: Array  # (E,), what is left of the count of its column in the class

    def sums(self, values: Array) -> Array:
        """Σ values (E,) of the entries of each pair, (P,)."""
        return np.bincount(self.pair, values, minlength=len(self.row))


@dataclass(frozen=True, eq=False)
class Touched:
    """Blocks of touched entries, for rows that are documents or sums of them.

    ``counts`` has the totals of all documents; a group takes from a class what its own documents of that class hold
    or, if `whole` says for every entry what the group holds of its column in all, the difference: what is in its
    other classes.
    """

    rows: SparseRows
    of_row: Array  # (n,), groups
    groups: Groups
    cell_sums: SparseRows  # (T, V)
    counts: Array  # (K, V)
    whole: Array | None = None  # (entries,)

    def __iter__(self) -> Iterator[Block]:
        return iter(self._kept) if self._kept is not None else self._blocks()

    def replace(self, scores: Array, value: Callable[[Block], Array]) -> None:
        """Set the scores (n, K) of touched classes."""
        for block in self:
            scores[block.row, block.class_id] = value(block)

    @cached_property
    def _kept(self) -> list[Block] | None:
        return list(self._blocks()) if self._sizes.sum() <= _KEPT else None

    @cached_property
    def _sizes(self) -> Array:
        """Touched entries of every row."""
        return np.diff(self.rows.indptr).astype(np.int64) * self.groups.n_cells[self.of_row]

    def _blocks(self) -> Iterator[Block]:
        bounds = np.concatenate(([0], np.cumsum(self._sizes)))
        return (self._block(start, stop) for start, stop in row_blocks(bounds, _BLOCK))

    def _block(self, start: int, stop: int) -> Block:
        row, cell = self.groups.pairs(np.arange(start, stop), self.of_row)
        lengths = np.diff(self.rows.indptr)[row]
        pair = np.repeat(np.arange(len(row)), lengths)
        entry = ranges(self.rows.indptr[row], lengths)
        column = self.rows.indices[entry]
        class_id = self.groups.cell_class[cell]
        single = self.groups.single  # then the sums have the very entries of the rows
        taken = self.cell_sums.data[entry] if single else look_up(self.cell_sums, cell[pair], column)
        if self.whole is not None:
            taken = self.whole[entry] - taken
        left = subtract(self.counts[class_id[pair], column], taken)
        return Block(row, cell, class_id, pair, column, self.rows.data[entry], left)


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
