"""Sums of logarithms of counts of which every entry takes something away: the expensive part of a complement model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from textnb.likelihood.smoothing import safe_log
from textnb.selection.groups import row_blocks
from textnb.text.compiled import compiled_kernel
from textnb.text.rows import Array, SparseRows
from textnb.text.threads import available_cores, run_blocks

_BLOCK = 1 << 18  # logarithms held at a time: small enough for the cache


def logarithm_sums(rows: SparseRows, counts: Array, taken: Array) -> Callable[[float | Array], Array]:
    """α ↦ Σ_j x_ij log(N_cj − t_ij + α_j), (n, K), where t (entries,) is taken of the count of every entry's column.

    The logarithms of whole counts come from a table, in the kernel if it is there. Less than 0 counts as 0.
    """
    by_column = np.ascontiguousarray(counts.T)
    largest = int(counts.max(initial=0)) if np.issubdtype(counts.dtype, np.integer) else None
    small = largest is not None and 4 * largest < len(rows.data) * len(counts) and largest < 2**31
    if small:
        by_column = by_column.astype(np.int32)

    def sums(alpha: float | Array) -> Array:
        if largest is None or not small or np.ndim(alpha):
            return _in_blocks(rows, by_column, taken, alpha, None)
        table = safe_log(np.arange(largest + 1) + alpha)
        kernel = compiled_kernel()
        if kernel is None:
            return _in_blocks(rows, by_column, taken, alpha, table)
        out = np.zeros((rows.shape[0], len(counts)))
        kernel.sum_logarithms(rows.indptr, rows.indices, rows.data, taken, by_column, table, out, 0, len(out))
        return out

    return sums


def _in_blocks(rows: SparseRows, counts: Array, taken: Array, alpha: float | Array, table: Array | None) -> Array:
    out = np.empty((rows.shape[0], counts.shape[1]))

    def fill(block: tuple[int, int], _: int) -> None:
        start, stop = block
        bounds = rows.indptr[start : stop + 1] - rows.indptr[start]
        entries = slice(rows.indptr[start], rows.indptr[stop])
        columns = rows.indices[entries]
        left = counts.take(columns, axis=0)
        left = np.maximum(np.subtract(left, taken[entries, np.newaxis]), 0)
        if table is None:
            left = left + (alpha[columns, np.newaxis] if isinstance(alpha, np.ndarray) else alpha)
            logarithms = np.log(left, out=left)
        else:
            logarithms = table.take(left)
        each = np.arange(len(columns), dtype=bounds.dtype)
        out[start:stop] = SparseRows(bounds, each, rows.data[entries], len(columns)) @ logarithms

    blocks = list(row_blocks(rows.indptr, max(1, _BLOCK // max(1, counts.shape[1]))))
    run_blocks(fill, blocks, available_cores())
    return out
