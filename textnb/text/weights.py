"""Term weights: pure functions on the entries of sparse rows, and the four schemes that go by a name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textnb.arrays import Array, SparseRows, Table
from textnb.compiled import compiled_kernel


def inverse_document_frequency(document_frequency: Array, n_documents: int, smooth: bool) -> Array:
    """idf_j = log((n + s) / (df_j + s)) + 1, with s = 1 when smoothed, as if one more document had every term."""
    s = int(smooth)
    return np.log((n_documents + s) / (document_frequency + s)) + 1.0


def sublinear(counts: Array) -> Array:
    """1 + log(tf). Counts are mostly small integers: their logarithms come from a table where that pays."""
    if np.issubdtype(counts.dtype, np.integer) and counts.size and 4 * (largest := int(counts.max())) < counts.size:
        table = np.zeros(largest + 1)
        table[1:] = np.log(np.arange(1, largest + 1)) + 1.0
        return np.take(table, counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        logged = np.log(counts)
        logged += 1.0
        return logged


def row_norms(rows: SparseRows, norm: str) -> Array:
    """Σ|x| (l1) or √Σx² (l2) of every row."""
    if norm == "l1":
        return np.bincount(rows.row_ids, weights=np.abs(rows.data), minlength=rows.shape[0])
    if norm == "l2":
        return np.sqrt(np.bincount(rows.row_ids, weights=np.square(rows.data), minlength=rows.shape[0]))
    raise ValueError(f'norm must be "l1", "l2" or None, got {norm!r}')


def normalized(rows: SparseRows, norm: str) -> SparseRows:
    """Every row divided by its norm; rows of zeros stay."""
    norms = row_norms(rows, norm)
    norms[norms == 0] = 1.0
    return rows.with_data(rows.data / np.repeat(norms, np.diff(rows.indptr)).astype(rows.data.dtype))


def weigh(rows: SparseRows, *, idf: Table | None, sublinear_tf: bool, norm: str | None) -> SparseRows:
    """tf-idf: term frequencies, perhaps sublinear, times idf, each row then normalised."""
    floats = np.issubdtype(rows.data.dtype, np.floating)
    data = sublinear(rows.data) if sublinear_tf else rows.data.astype(rows.data.dtype if floats else np.float64)
    plain = data.dtype == np.float64 and (idf is None or isinstance(idf, np.ndarray))
    if plain and (kernel := compiled_kernel()) is not None:
        factors = None if idf is None else np.ascontiguousarray(idf, dtype=np.float64)
        norms = {None: 0, "l1": 1, "l2": 2}
        kernel.weigh_rows(rows.indptr, rows.indices, data, factors, norms[norm], 0, rows.shape[0])
        return rows.with_data(data)
    if idf is not None:
        data = data * idf[rows.indices]
    weighed = rows.with_data(data)
    return weighed if norm is None else normalized(weighed, norm)


WEIGHTINGS = ("counts", "binary", "tfidf", "log-tfidf")


def check_weighting(name: str) -> None:
    if name not in WEIGHTINGS:
        raise ValueError(f"weights must be one of {', '.join(WEIGHTINGS)}, got {name!r}")


@dataclass(frozen=True, eq=False)
class Weighting:
    """Counts as they are, 1 for any count, or smoothed, l2-normalised tf-idf, perhaps of 1 + log(tf)."""

    name: str
    idf: Table | None = None

    @classmethod
    def fitted(cls, name: str, rows: SparseRows) -> Weighting:
        """The scheme, with the idf of these rows if it needs one."""
        check_weighting(name)
        if not name.endswith("tfidf"):
            return cls(name)
        return cls(name, inverse_document_frequency(rows.document_frequency(), rows.shape[0], smooth=True))

    def apply(self, rows: SparseRows) -> SparseRows:
        if self.name == "counts":
            return rows
        if self.name == "binary":
            return rows.present()
        return weigh(rows, idf=self.idf, sublinear_tf=self.name == "log-tfidf", norm="l2")
