"""Sparse rows as plain numpy arrays: what counting gives and prediction needs, without scipy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from textnb.compiled import compiled_kernel

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_PRODUCT_BLOCK = 1 << 16  # entries gathered at a time in a product: 10 MB at 20 classes


def kernel_name() -> str:
    """What counts: "Cython" or "Python"."""
    return "Python" if compiled_kernel() is None else "Cython"


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
        if 16 * len(self.indices) < len(self.indptr):
            return np.searchsorted(self.indptr, np.arange(len(self.indices)), side="right") - 1
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def with_data(self, data: Array) -> SparseRows:
        return SparseRows(self.indptr, self.indices, data, self.n_columns)

    def present(self) -> SparseRows:
        """1 where an entry is above 0."""
        return self.with_data((self.data > 0).astype(np.int64))

    def select_columns(self, keep: Array) -> SparseRows:
        """The columns where the mask `keep` is true, renumbered."""
        return self.move_columns(np.where(keep, np.cumsum(keep) - 1, -1), int(np.count_nonzero(keep)))

    def move_columns(self, columns: Array, n_columns: int) -> SparseRows:
        """The entries whose column has another among `n_columns`, in that one; −1 for none. Their order stays."""
        columns = columns.astype(self.indices.dtype, copy=False)
        kernel = compiled_kernel()
        plain = _plain(self.indices, np.int32, np.int64) and _plain(self.data, np.float64, np.int64)
        if kernel is not None and plain and self.indptr.dtype == self.indices.dtype:
            indptr, indices, data = kernel.move_columns(self.indptr, self.indices, self.data, columns)
            return SparseRows(indptr, indices, data, n_columns)
        moved = columns[self.indices]
        kept = moved >= 0
        indptr = np.concatenate(([0], np.cumsum(kept)))[self.indptr].astype(self.indptr.dtype)
        return SparseRows(indptr, moved[kept], self.data[kept], n_columns)

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

    def take_rows(self, ids: Array) -> SparseRows:
        """Some rows, in the order asked for."""
        starts = self.indptr[ids]
        lengths = self.indptr[ids + 1] - starts
        entries: Array | slice
        if len(ids) and ids[-1] - ids[0] == len(ids) - 1 and (np.diff(ids) == 1).all():  # then nothing is copied
            entries = slice(starts[0], starts[-1] + lengths[-1])
        else:
            entries = ranges(starts, lengths)
        indptr = np.concatenate(([0], np.cumsum(lengths))).astype(self.indptr.dtype)
        return SparseRows(indptr, self.indices[entries], self.data[entries], self.n_columns)

    def narrowed(self) -> tuple[Array, SparseRows]:
        """The columns that have entries, ascending, and the rows in these alone."""
        if self.n_columns > 4 * len(self.indices):
            touched, columns = np.unique(self.indices, return_inverse=True)
        else:  # marking them takes less time than sorting
            occurs = np.zeros(self.n_columns, dtype=np.bool_)
            occurs[self.indices] = True
            touched = np.flatnonzero(occurs).astype(self.indices.dtype)
            columns = (np.cumsum(occurs) - 1)[self.indices]
        columns = columns.reshape(-1).astype(self.indices.dtype)
        return touched, SparseRows(self.indptr, columns, self.data, len(touched))

    def place_rows(self, positions: Array, n_rows: int) -> SparseRows:
        """The rows at ascending positions among `n_rows`; the others are empty."""
        lengths = np.zeros(n_rows + 1, dtype=np.int64)
        lengths[positions + 1] = np.diff(self.indptr)
        indptr = np.cumsum(lengths).astype(self.indptr.dtype)
        return SparseRows(indptr, self.indices, self.data, self.n_columns)

    def place_columns(self, positions: Array, n_columns: int) -> SparseRows:
        """The columns at ascending positions among `n_columns`; the others are empty."""
        return SparseRows(self.indptr, positions.astype(self.indices.dtype)[self.indices], self.data, n_columns)

    def append_row(self, values: Array) -> SparseRows:
        """One more row at the end, from dense values (n_columns,)."""
        (columns,) = np.nonzero(values)
        return SparseRows(
            np.append(self.indptr, self.indptr[-1] + len(columns)).astype(self.indptr.dtype),
            np.concatenate([self.indices, columns.astype(self.indices.dtype)]),
            np.concatenate([self.data, values[columns]]),
            self.n_columns,
        )

    def toarray(self) -> Array:
        """The dense matrix, (n_rows, n_columns)."""
        dense = np.zeros(self.shape, dtype=self.data.dtype)
        dense[self.row_ids, self.indices] = self.data
        return dense

    @classmethod
    def of_dense(cls, dense: Array) -> SparseRows:
        """The entries of a dense matrix that are not 0."""
        rows, columns = np.nonzero(dense)
        indptr = np.searchsorted(rows, np.arange(len(dense) + 1))
        return cls(indptr, np.ascontiguousarray(columns), dense[rows, columns], dense.shape[1])

    def filled(self) -> SparseRows:
        """The same matrix with every entry stored, the zeros too."""
        n_rows, width = self.shape
        return SparseRows(
            np.arange(n_rows + 1) * width, np.tile(np.arange(width), n_rows), self.toarray().ravel(), width
        )

    def sums_by_class(self, class_ids: Array, n_classes: int, n_threads: int = 1) -> SparseRows:
        """Σ of the rows of every class, (n_columns, n_classes): canonical, without zeros.

        Floats are added in the order of the rows, by the kernel and without it. For several threads, columns must
        ascend within the rows.
        """
        if self._is_plain and (kernel := compiled_kernel()) is not None:
            class_ids = class_ids.astype(np.int64, copy=False)
            indptr = np.ascontiguousarray(self.indptr)
            cuts = self._equal_cuts(n_threads)
            parts = [self] * (len(cuts) - 1)  # to be replaced

            def add_up(part: int, worker: int) -> None:
                rows = (indptr, self.indices, self.data)
                columns = (self.n_columns, cuts[part], cuts[part + 1])
                ends, classes, sums = kernel.sum_by_class(*rows, class_ids, n_classes, *columns)
                parts[part] = SparseRows(ends, classes, sums, n_classes)

            kernel.run_blocks(add_up, range(len(parts)), n_threads)
            sums = stacked(parts)
        else:
            keys = self.indices.astype(np.int64) * n_classes + np.repeat(class_ids, np.diff(self.indptr))
            distinct, places = np.unique(keys, return_inverse=True)
            totals = exact_bincount(places, self.data, len(distinct))
            indptr = np.searchsorted(distinct, np.arange(self.n_columns + 1) * n_classes)
            sums = SparseRows(indptr, distinct % max(n_classes, 1), totals, n_classes)
        return sums if sums.data.all() else sums.without_zeros()

    def _equal_cuts(self, n: int) -> list[int]:
        """Columns that divide the entries of a sample of the rows into n parts of like size."""
        sample = np.sort(self.indices[:: max(1, len(self.indices) // 4096)]).tolist()
        inner = {sample[len(sample) * i // n] for i in range(1, n)} if sample else set()
        return [0, *sorted(inner - {0}), self.n_columns]

    def without_zeros(self) -> SparseRows:
        """Without the entries that are 0."""
        kept = self.data != 0
        indptr = np.concatenate(([0], np.cumsum(kept)))[self.indptr].astype(self.indptr.dtype)
        return SparseRows(indptr, self.indices[kept], self.data[kept], self.n_columns)

    def combine(self, other: SparseRows, operation: Callable[[Array, Array], Array]) -> SparseRows:
        """`operation` of the entries of two canonical matrices of one shape, 0 where one has no entry; zeros go.

        `operation(x, 0)` must be x: then a few entries are combined with many in little time.
        """
        if not len(other.data):
            return self
        if not len(self.data):
            return other.with_data(operation(np.zeros(len(other.data), dtype=self.data.dtype), other.data))
        rows = other.row_ids
        at, there = self._locate(rows, other.indices)
        new = ~there
        changed = operation(self.data[at[there]], other.data[there])
        data = self.data.astype(changed.dtype)
        data[at[there]] = changed
        indptr, indices = self.indptr, self.indices
        if new.any():
            arrived = operation(np.zeros(int(new.sum()), dtype=self.data.dtype), other.data[new])
            data = np.insert(data, at[new], arrived)
            indices = np.insert(indices, at[new], other.indices[new])
            grown = np.bincount(rows[new], minlength=self.shape[0])
            indptr = indptr + np.concatenate(([0], np.cumsum(grown)))
        combined = SparseRows(indptr, indices, data, self.n_columns)
        return combined if combined.data.all() else combined.without_zeros()

    def _locate(self, rows: Array, columns: Array) -> tuple[Array, Array]:
        """Where cells, in ascending order, have their entries or would have them, and whether they have them."""
        touched, which = np.unique(rows, return_inverse=True)
        starts = self.indptr[touched]
        lengths = self.indptr[touched + 1] - starts
        entries = ranges(starts, lengths)
        keys = np.repeat(touched, lengths) * self.n_columns + self.indices[entries]
        wanted = rows * self.n_columns + columns
        found = np.searchsorted(keys, wanted)
        there = np.zeros(len(wanted), dtype=bool)
        inside = found < len(keys)
        there[inside] = keys[found[inside]] == wanted[inside]
        return starts[which] + (found - (np.cumsum(lengths) - lengths)[which]), there

    def row_sums(self) -> Array:
        """Σ of the entries of every row, added in their order."""
        kernel, whole = compiled_kernel(), self.data.dtype == np.int64
        if whole and max(self.data.max(initial=0), -self.data.min(initial=0)) >= 2**63 // max(len(self.data), 1):
            return exact_bincount(self.row_ids, self.data, self.shape[0])
        if kernel is not None and _plain(self.indptr, np.int32, np.int64) and _plain(self.data, np.float64, np.int64):
            sums = np.empty(self.shape[0], dtype=self.data.dtype)
            kernel.add_rows(self.indptr, self.data, sums)
            return sums
        if whole:
            running = np.concatenate(([0], np.cumsum(self.data)))
            return running[self.indptr[1:]] - running[self.indptr[:-1]]
        return exact_bincount(self.row_ids, self.data, self.shape[0])

    @property
    def _is_plain(self) -> bool:
        """Whether the kernel can work on these rows."""
        plain = _plain(self.indices, np.int32, np.int64) and _plain(self.data, np.float64, np.int64)
        return plain and self.indptr.dtype == self.indices.dtype

    def suit_kernel(self, table: Table) -> bool:
        """Whether the kernel can multiply these rows with the table, and is there: asked last, since that loads it."""
        plain = _plain(table, np.float64) and _plain(self.data, np.float64, np.int64)
        return plain and compiled_kernel() is not None

    def __matmul__(self, table: Table | SparseRows) -> Array:
        """(n_rows, k): each row's entries times the table's rows, added in the order of the entries.

        Only the rows of the table that occur are taken. A row's sum does not depend on its neighbours.
        """
        n_rows, width = self.shape[0], table.shape[1]
        if isinstance(table, SparseRows):
            return self._times_sparse(table)
        out = np.zeros((n_rows, width))
        if self.suit_kernel(table):
            compiled_kernel().multiply_rows(self.indptr, self.indices, self.data, table, out, 0, n_rows)
            return out
        for start, stop in row_blocks(self.indptr, _PRODUCT_BLOCK):
            entries = slice(self.indptr[start], self.indptr[stop])
            with np.errstate(over="ignore"):  # as in the kernel; whoever asks for the product judges it
                terms = table[self.indices[entries]] * self.data[entries, np.newaxis]
            owners = np.repeat(np.arange(stop - start), np.diff(self.indptr[start : stop + 1]))
            for column in range(width):  # bincount keeps the order, to the last digit; add.reduceat would not
                out[start:stop, column] = np.bincount(owners, terms[:, column], minlength=stop - start)
        return out

    def _times_sparse(self, table: SparseRows) -> Array:
        """(n_rows, k): each row's entries times the entries of the table's rows, added in that order."""
        n_rows, width = self.shape[0], table.n_columns
        out = np.zeros((n_rows, width))
        if self._is_plain and (kernel := compiled_kernel()) is not None:
            other = table.for_products()
            rows = (self.indptr, self.indices, self.data)
            kernel.multiply_sparse(*rows, other.indptr, other.indices, other.data, out, 0, n_rows)
            return out
        lengths = np.diff(table.indptr)[self.indices]
        bounds = np.concatenate(([0], np.cumsum(lengths)))[self.indptr] + width * np.arange(n_rows + 1)
        for start, stop in row_blocks(bounds, _PRODUCT_BLOCK):
            entries = slice(self.indptr[start], self.indptr[stop])
            places = ranges(table.indptr[self.indices[entries]], lengths[entries])
            owners = np.repeat(np.arange(stop - start), np.diff(self.indptr[start : stop + 1]))
            cells = np.repeat(owners * width, lengths[entries]) + table.indices[places]
            with np.errstate(over="ignore"):
                terms = np.repeat(self.data[entries], lengths[entries]) * table.data[places]
            out[start:stop] = np.bincount(cells, terms, minlength=(stop - start) * width).reshape(-1, width)
        return out

    def for_products(self) -> SparseRows:
        """The same in the types that the kernel takes of what it multiplies rows with."""
        return SparseRows(
            self.indptr.astype(np.int64, copy=False),
            self.indices.astype(np.int32, copy=False),
            self.data.astype(np.float64, copy=False),
            self.n_columns,
        )


def _plain(array: Any, *dtypes: Any) -> bool:
    """Whether the kernel can work on it: a contiguous numpy array of one of these types."""
    return isinstance(array, np.ndarray) and array.dtype in dtypes and array.flags.c_contiguous


def stacked(blocks: Sequence[SparseRows]) -> SparseRows:
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


def ranges(starts: Array, lengths: Array) -> Array:
    """start … start + length − 1 for every start and length, one after the other."""
    return np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def row_blocks(bounds: Array, size: int) -> Iterator[tuple[int, int]]:
    """(start, stop) of blocks of rows with at most `size` entries each, or one row; row i ends at bounds[i + 1]."""
    start = 0
    while start < len(bounds) - 1:
        stop = max(start + 1, int(np.searchsorted(bounds, bounds[start] + size, side="right")) - 1)
        yield start, stop
        start = stop


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


def distinct(values: Array) -> Array:
    """The distinct values, sorted. Without `return_index`, numpy.unique would import numpy.ma for it."""
    return np.unique(values, return_index=True)[0]
