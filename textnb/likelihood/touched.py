"""Sums of logarithms of what is left of counts without a group of rows: the expensive part of leaving documents out.

The kernel takes what a group holds out of the counts, scores its rows for all alphas, and puts it back. Without the
kernel the entries that a group touches are laid out in blocks of arrays; both give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array, SparseRows, ranges, row_blocks
from textnb.compiled import compiled_kernel
from textnb.likelihood.groups import Groups, cell_totals, group_totals, look_up, subtract
from textnb.likelihood.smoothing import Alpha, log_smoothed, of_features, per_feature, safe_log
from textnb.text.threads import available_cores, run_blocks, threads_that_pay

_BLOCK = 1 << 20  # touched entries worked on at a time
_CACHED = 1 << 18  # logarithms held at a time where all classes are touched: small enough for the cache
_TABLE = 1 << 20  # whole counts up to which logarithms come from a table
_SMALLEST_ALPHA = 1e-300  # that the kernel takes: it knows no subnormal numbers
_THREADS_PAY = 1 << 18  # entries from which a second thread gains more than it costs


@dataclass(frozen=True, eq=False)
class Touched:
    """Rows that are scored with the counts (V, K) that their group leaves, and what all rows hold.

    A group takes from a class what its own documents of that class hold or, with `others`, from the counts of all
    classes but one what its documents of all classes but that one hold.
    """

    rows: SparseRows
    scored: SparseRows
    groups: Groups
    counts: Array
    others: bool = False

    def logarithm_sums(self, alphas: Sequence[Alpha], scores: Array) -> None:
        """Set scores[l, i, c] to Σ_j x_ij log(left_cj + α_l) where the group of i touches class c.

        With `others`, it touches all.
        """
        if self._in_kernel(alphas, scores):
            return
        if self.others:
            for alpha, found in zip(alphas, scores, strict=True):
                found[:] = logarithm_sums(self.scored, self.counts, self._whole, alpha)
        self._entries.replace(alphas, scores, Block.weighted_logarithms)

    def odds_sums(self, alphas: Sequence[Alpha], scores: Array, cell_left: Array) -> Array:
        """Set the same to Σ_j x_ij (log(left_cj + α_l) − log(D − left_cj + α_l)), where D documents are left.

        `cell_left` has D for every cell, (T,). Returns, for every alpha and cell, Σ_j log(D − left_cj + α_l) −
        log(D − n_cj + α_l) over its words, (n_alphas, T). A count above D is one of the cell's words, and no part of
        the second.
        """
        changes = np.zeros((len(cell_left), len(alphas)))
        if self._in_kernel(alphas, scores, cell_left, changes):
            return changes.T
        self._entries.replace(
            alphas, scores, lambda block, alpha: block.weighted_odds(alpha, cell_left[block.cell][block.pair])
        )
        return np.array([self._changes(alpha, cell_left) for alpha in alphas])

    def _changes(self, alpha: Alpha, cell_left: Array) -> Array:
        cells = self._entries.cell_sums
        cell = cells.row_ids
        wrong = cell_left[cell] - self.counts[cells.indices, self.groups.cell_class[cell]]
        smoothing = of_features(cells.indices, alpha)
        right = log_smoothed(wrong + cells.data, smoothing)
        change = np.where(wrong < 0, right, right - log_smoothed(np.maximum(wrong, 0), smoothing))
        return np.bincount(cell, change, minlength=len(cell_left))

    @cached_property
    def _entries(self) -> TouchedEntries:
        whole = self._whole if self.others else None
        cells = cell_totals(self.rows, self.groups)
        return TouchedEntries(self.scored, self.groups.of_row, self.groups, cells, self.counts, whole)

    @cached_property
    def _whole(self) -> Array:
        """What the group of every entry's row holds of its column."""
        rows, groups = self.rows, self.groups
        if groups.single:
            return rows.data
        return look_up(group_totals(rows, groups), groups.of_row[rows.row_ids], rows.indices)

    def _in_kernel(
        self, alphas: Sequence[Alpha], scores: Array, cell_left: Array | None = None, changes: Array | None = None
    ) -> bool:
        """Let the kernel do it, if it is there and the counts and alphas suit it."""
        kernel, rows, groups = compiled_kernel(), self.rows, self.groups
        if kernel is None or not all(np.ndim(alpha) == 0 and alpha > _SMALLEST_ALPHA for alpha in alphas):
            return False
        smoothing = np.array(alphas, dtype=np.float64)
        largest = max(self.counts.max(initial=0), 0 if cell_left is None else cell_left.max(initial=0))
        whole = np.issubdtype(self.counts.dtype, np.integer) and largest < _TABLE
        if not whole and (cell_left is not None or self.counts.dtype != np.float64):
            return False
        table = _table(int(largest), smoothing) if whole else None
        kind = np.int32 if whole else np.float64
        arguments = (
            rows.indptr,
            rows.indices.astype(rows.indptr.dtype, copy=False),
            self.scored.data.astype(np.float64, copy=False),
            rows.data.astype(kind, copy=False),
            *groups.layout,
            groups.cell_class,
            self.counts.astype(kind, order="C", copy=False),
            smoothing,
            table,
            scores,
            cell_left,
            changes,
            self.others,
        )
        n_threads = threads_that_pay(None, len(rows.data), _THREADS_PAY)
        cuts = np.linspace(0, groups.n_groups, n_threads + 1).astype(int).tolist()
        run_blocks(lambda part, _: kernel.leave_groups_out(*arguments, *part), list(pairwise(cuts)), n_threads)
        return True


def compact(counts: Array) -> Array:
    """Whole counts of which logarithms come from a table in 32 bits; others as they are."""
    small = np.issubdtype(counts.dtype, np.integer) and counts.max(initial=0) < _TABLE
    return counts.astype(np.int32) if small else counts


def _table(largest: int, alphas: Array) -> Array:
    """log(count + α) of every whole count, a row each; columns are filled up to a multiple of four."""
    width = -(-len(alphas) // 4) * 4
    return safe_log(np.arange(largest + 1)[:, np.newaxis] + np.resize(alphas, width))


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

    def weighted_logarithms(self, alpha: Alpha) -> Array:
        """Σ x log(left + α) over the entries of each pair, (P,)."""
        return self.sums(_times(self.value, log_smoothed(self.left, of_features(self.column, alpha))))

    def weighted_odds(self, alpha: Alpha, documents: Array) -> Array:
        """Σ x (log(left + α) − log(documents − left + α)), documents (E,), over the entries of each pair, (P,)."""
        smoothing = of_features(self.column, alpha)
        with np.errstate(invalid="ignore"):
            odds = log_smoothed(self.left, smoothing) - log_smoothed(documents - self.left, smoothing)
        return self.sums(_times(self.value, odds))


@dataclass(frozen=True, eq=False)
class TouchedEntries:
    """Blocks of touched entries, for rows that are documents or sums of them.

    ``counts`` has the totals of all documents; a group takes from a class what its own documents of that class hold
    or, if `whole` says for every entry what the group holds of its column in all, the difference: what is in its
    other classes.
    """

    rows: SparseRows
    of_row: Array  # (n,), groups
    groups: Groups
    cell_sums: SparseRows  # (T, V)
    counts: Array  # (V, K)
    whole: Array | None = None  # (entries,)

    def __iter__(self) -> Iterator[Block]:
        sizes = np.diff(self.rows.indptr).astype(np.int64) * self.groups.n_cells[self.of_row]
        bounds = np.concatenate(([0], np.cumsum(sizes)))
        return (self._block(start, stop) for start, stop in row_blocks(bounds, _BLOCK))

    def replace(self, alphas: Sequence[Alpha], scores: Array, value: Callable[[Block, Any], Array]) -> None:
        """Set the scores (n_alphas, n, K) of touched classes."""
        for block in self:
            for alpha, found in zip(alphas, scores, strict=True):
                found[block.row, block.class_id] = value(block, alpha)

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
        left = subtract(self.counts[column, class_id[pair]], taken)
        return Block(row, cell, class_id, pair, column, self.rows.data[entry], left)


def logarithm_sums(rows: SparseRows, counts: Array, taken: Array, alpha: Alpha) -> Array:
    """Σ_j x_ij log(N_cj − t_ij + α_j), (n, K), where t (entries,) is taken of the count of every entry's column.

    Counts N are (V, K), and less than 0 counts as 0.
    """
    out = np.empty((rows.shape[0], counts.shape[1]))

    def fill(block: tuple[int, int], _: int) -> None:
        start, stop = block
        bounds = rows.indptr[start : stop + 1] - rows.indptr[start]
        entries = slice(rows.indptr[start], rows.indptr[stop])
        columns = rows.indices[entries]
        left = np.maximum(subtract(counts.take(columns, axis=0), taken[entries, np.newaxis]), 0)
        logarithms = log_smoothed(left, per_feature(of_features(columns, alpha)))
        each = np.arange(len(columns), dtype=bounds.dtype)
        out[start:stop] = SparseRows(bounds, each, rows.data[entries], len(columns)) @ logarithms

    blocks = list(row_blocks(rows.indptr, max(1, _CACHED // max(1, counts.shape[1]))))
    run_blocks(fill, blocks, available_cores())
    return out


def _times(values: Array, logarithms: Array) -> Array:
    """x log p, which is 0 where x is, even if p is 0 too."""
    with np.errstate(invalid="ignore"):
        return np.where(values == 0, 0.0, values * logarithms)
