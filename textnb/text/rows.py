"""Sparse rows as plain numpy arrays: what counting gives and prediction needs, without scipy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from textnb.text.compiled import compiled_kernel

Array = NDArray[Any]

_PRODUCT_BLOCK = 1 << 16  # entries gathered at a time in a product: 10 MB at 20 classes


class Table(Protocol):
    """Rows that can be taken by number: a numpy array, or a file that reads only what it is asked for."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __getitem__(self, indices: Any, /) -> Array: ...


@dataclass(frozen=True, eq=False)
class SparseRows:
    """A matrix in CSR form: the entries of row i are `indices` and `data` from indptr[i] to indptr[i + 1]."""

    indptr: Array
    indices: Array
    data: Array
    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.indptr) - 1, self.n_columns

    @property
    def row_ids(self) -> Array:
        """The row of every entry."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def with_data(self, data: Array) -> SparseRows:
        return SparseRows(self.indptr, self.indices, data, self.n_columns)

    def present(self) -> SparseRows:
        """1 where an entry is above 0."""
        return self.with_data((self.data > 0).astype(np.int64))

    def select_columns(self, keep: Array) -> SparseRows:
        """The columns where the mask `keep` is true, renumbered."""
        kept = keep[self.indices]
        indptr = np.concatenate(([0], np.cumsum(kept)))[self.indptr].astype(self.indptr.dtype)
        renumbered = (np.cumsum(keep) - 1).astype(self.indices.dtype)
        return SparseRows(indptr, renumbered[self.indices[kept]], self.data[kept], int(keep.sum()))

    def append_column(self, values: Array) -> SparseRows:
        """One more column at the end, holding `values` (n_rows,) where they are not 0."""
        (rows,) = np.nonzero(values)
        at = self.indptr[rows + 1]
        grown = np.concatenate(([0], np.cumsum(values != 0))).astype(self.indptr.dtype)
        return SparseRows(
            self.indptr + grown,
            np.insert(self.indices, at, self.n_columns),
            np.insert(self.data, at, values[rows]),
            self.n_columns + 1,
        )

    def column_sums(self) -> Array:
        return exact_bincount(self.indices, self.data, self.n_columns)

    def document_frequency(self) -> Array:
        """In how many rows each column has an entry."""
        kernel = compiled_kernel()
        if kernel is None or not _plain(self.indices, np.int32, np.int64):
            return np.bincount(self.indices, minlength=self.n_columns)
        frequency = np.zeros(self.n_columns, dtype=np.int64)
        kernel.count_columns(self.indices, frequency)
        return frequency

    def sums_by_class(self, class_ids: Array, n_classes: int) -> Array | None:
        """Σ of the rows of every class, (n_columns, n_classes), by the kernel; None if it is not there for them."""
        kernel = compiled_kernel()
        plain = _plain(self.indices, np.int32, np.int64) and _plain(self.data, np.float64, np.int64)
        if kernel is None or not plain or self.indptr.dtype != self.indices.dtype:
            return None
        totals = np.zeros((self.n_columns, n_classes), dtype=self.data.dtype)
        indptr = np.ascontiguousarray(self.indptr)
        kernel.add_by_class(indptr, self.indices, self.data, class_ids.astype(np.int64, copy=False), totals)
        return totals

    def row_sums(self) -> Array:
        return exact_bincount(self.row_ids, self.data, self.shape[0])

    def suit_kernel(self, table: Table) -> bool:
        """Whether the kernel can multiply these rows with the table, and is there: asked last, since that loads it."""
        plain = _plain(table, np.float64) and _plain(self.data, np.float64, np.int64)
        return plain and compiled_kernel() is not None

    def __matmul__(self, table: Table) -> Array:
        """(n_rows, k): each row's entries times the table's rows, added in the order of the entries.

        Only the rows of the table that occur are taken. A row's sum does not depend on its neighbours.
        """
        n_rows, width = self.shape[0], table.shape[1]
        out = np.zeros((n_rows, width))
        if self.suit_kernel(table):
            compiled_kernel().multiply_rows(self.indptr, self.indices, self.data, table, out, 0, n_rows)
            return out
        start = 0
        while start < n_rows:
            first = self.indptr[start]
            stop = max(start + 1, int(np.searchsorted(self.indptr, first + _PRODUCT_BLOCK, side="right")) - 1)
            entries = slice(first, self.indptr[stop])
            with np.errstate(over="ignore"):  # as in the kernel; whoever asks for the product judges it
                terms = table[self.indices[entries]] * self.data[entries, np.newaxis]
            owners = np.repeat(np.arange(stop - start), np.diff(self.indptr[start : stop + 1]))
            for column in range(width):  # bincount keeps the order, to the last digit; add.reduceat would not
                out[start:stop, column] = np.bincount(owners, terms[:, column], minlength=stop - start)
            start = stop
        return out


def _plain(array: Any, *dtypes: Any) -> bool:
    """Whether the kernel can work on it: a contiguous numpy array of one of these types."""
    return isinstance(array, np.ndarray) and array.dtype in dtypes and array.flags.c_contiguous


def exact_bincount(keys: Array, values: Array, n: int) -> Array:
    """Σ values per key, (n,): in int64 for integers (`np.bincount` alone adds in floating point), else float64."""
    sums = np.bincount(keys, weights=values, minlength=n)
    if not np.issubdtype(values.dtype, np.integer) and values.dtype != np.bool_:
        return sums
    if sums.size and sums.max(initial=0) >= 2**53:
        if sums.max() >= 2**63:
            raise ValueError("counts add up to more than a 64-bit integer can hold")
        exact = np.zeros(n, dtype=np.int64)
        np.add.at(exact, keys, values)
        return exact
    return sums.astype(np.int64)
