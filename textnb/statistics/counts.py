"""What a count model has seen: documents and term totals of every class. Counts add, and can be taken away again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.text.rows import Array, SparseRows

_FEW_ENTRIES = 1 << 16
_ROUNDING = 1e-9  # of what is taken away, or of 1: above the error of a sum of floats, below what a word can weigh


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Totals N_cj of every term j in every class c, and the number of documents of every class.

    Integers stay integers, so that adding and subtracting are exact; weights and tf-idf make them floats. Columns are
    positions in a matrix, or named by sorted ``terms``; operands are aligned over classes and terms.
    """

    classes: Array  # (K,), sorted
    documents: Array  # (K,)
    totals: Array  # (K, V)
    terms: Array | None = None  # (V,), sorted, or None for columns by position

    def __post_init__(self) -> None:
        shape = (len(self.classes), self.totals.shape[1] if self.terms is None else len(self.terms))
        if self.totals.shape != shape or self.documents.shape != shape[:1]:
            raise ValueError(
                f"totals {self.totals.shape} and documents {self.documents.shape} do not fit {shape[0]} classes and "
                f"{shape[1]} terms"
            )
        _check_total(self.totals)
        for array in (self.classes, self.documents, self.totals, self.terms):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def nothing(cls, classes: Array, n_terms: int) -> ClassCounts:
        """The neutral element: no document of any of these classes."""
        return cls(classes, np.zeros(len(classes), dtype=np.int64), np.zeros((len(classes), n_terms), dtype=np.int64))

    def __add__(self, other: ClassCounts) -> ClassCounts:
        classes, terms = self._union(other)
        mine, theirs = self._aligned(classes, terms), other._aligned(classes, terms)
        return ClassCounts(
            classes,
            checked_sum(mine.documents, theirs.documents),
            checked_sum(mine.totals, theirs.totals),
            terms,
        )

    def __sub__(self, other: ClassCounts) -> ClassCounts:
        """What is left without `other`, which must be contained in it; classes and terms stay, if only with zeros."""
        classes, terms = self._union(other)
        if len(classes) != len(self.classes):
            raise ValueError(f"cannot subtract documents of {_missing(classes, self.classes)}: none were counted")
        if terms is not None and self.terms is not None and len(terms) != len(self.terms):
            raise ValueError(f"cannot subtract the term {_missing(terms, self.terms)}: it was never counted")
        taken = other._aligned(classes, terms)
        documents, totals = difference(self.documents, taken.documents), difference(self.totals, taken.totals)
        if (documents < 0).any():
            short = classes[documents < 0].tolist()[0]
            raise ValueError(f"cannot subtract more documents than were counted in class {short!r}")
        if (totals < 0).any():
            c, j = np.argwhere(totals < 0)[0]
            what = f"column {j}" if terms is None else f"the term {terms.tolist()[j]!r}"
            raise ValueError(f"cannot subtract more of {what} than was counted in class {classes.tolist()[c]!r}")
        return ClassCounts(classes, documents, totals, terms)

    def without_empty(self) -> ClassCounts:
        """Classes without documents and named terms without counts left out: the canonical form."""
        classes = (self.documents != 0) | (self.totals != 0).any(axis=1)
        terms = np.ones(self.totals.shape[1], bool) if self.terms is None else (self.totals != 0).any(axis=0)
        return ClassCounts(
            self.classes[classes],
            self.documents[classes],
            self.totals[np.ix_(classes, terms)],
            None if self.terms is None else self.terms[terms],
        )

    def __eq__(self, other: object) -> bool:
        """Equal in canonical form."""
        if not isinstance(other, ClassCounts):
            return NotImplemented
        a, b = self.without_empty(), other.without_empty()
        return (
            np.array_equal(a.classes, b.classes)
            and np.array_equal(a.documents, b.documents)
            and np.array_equal(a.totals, b.totals)
            and _same(a.terms, b.terms)
        )

    __hash__ = None  # type: ignore[assignment]

    def _union(self, other: ClassCounts) -> tuple[Array, Array | None]:
        if (self.terms is None) != (other.terms is None):
            raise ValueError("cannot align counts with named terms and counts by position")
        if self.terms is None and self.totals.shape[1] != other.totals.shape[1]:
            raise ValueError(f"cannot align {self.totals.shape[1]} columns with {other.totals.shape[1]}")
        terms = None if self.terms is None or other.terms is None else sorted_union(self.terms, other.terms, "terms")
        return sorted_union(self.classes, other.classes, "classes"), terms

    def _aligned(self, classes: Array, terms: Array | None) -> ClassCounts:
        if _same(classes, self.classes) and _same(terms, self.terms):
            return self
        rows = np.searchsorted(classes, self.classes)
        width = self.totals.shape[1] if terms is None else len(terms)
        columns = np.arange(width) if terms is None or self.terms is None else np.searchsorted(terms, self.terms)
        documents = np.zeros(len(classes), dtype=self.documents.dtype)
        documents[rows] = self.documents
        totals = np.zeros((len(classes), width), dtype=self.totals.dtype, order="F")
        totals[np.ix_(rows, columns)] = self.totals
        return ClassCounts(classes, documents, totals, terms)


def unique_classes(y: Array) -> tuple[Array, Array]:
    """The sorted classes, and the position of every label among them."""
    classes, class_ids = np.unique(y, return_inverse=True)
    if classes.dtype == object and all(isinstance(label, str) for label in classes):
        classes = np.array(classes.tolist())  # strings, as scikit-learn has them
    return classes, class_ids


def count_classes(X: Any, class_ids: Array, classes: Array, weights: Array | None = None) -> ClassCounts:
    """N_cj = Σ_{i: y_i = c} w_i x_ij, from sparse or dense rows X, without an n × K indicator matrix.

    The totals are in Fortran order: the transpose, which prediction multiplies with, is contiguous.
    """
    documents = np.bincount(class_ids, weights=weights, minlength=len(classes))
    if isinstance(X, SparseRows):
        totals = _sparse_totals(X, class_ids, len(classes), weights)
    else:
        totals = _dense_totals(X, class_ids, len(classes), weights)
    return ClassCounts(classes, documents, totals)


def _sparse_totals(X: SparseRows, class_ids: Array, n_classes: int, weights: Array | None) -> Array:
    """Entries added up by (class, term) in one pass, in the type of the data.

    The kernel does that or, without it, of many entries a coordinate matrix as it becomes dense; of a few numpy does,
    and scipy need not be loaded.
    """
    lengths = np.diff(X.indptr)
    data = _in_64_bits(X.data)
    if weights is not None:
        with np.errstate(over="ignore"):  # an infinite total is refused
            data = data * np.repeat(weights, lengths)
    totals = X.with_data(data).sums_by_class(class_ids, n_classes)
    if totals is not None:
        return totals.T
    entry_classes = np.repeat(class_ids.astype(X.indices.dtype), lengths)
    if len(data) < _FEW_ENTRIES:
        totals = np.zeros((X.n_columns, n_classes), dtype=data.dtype)
        np.add.at(totals, (X.indices, entry_classes), data)
        return totals.T
    from scipy.sparse import coo_array

    return coo_array((data, (entry_classes, X.indices)), shape=(n_classes, X.n_columns)).toarray(order="F")


def _dense_totals(X: Array, class_ids: Array, n_classes: int, weights: Array | None) -> Array:
    from scipy.sparse import csr_array

    n = len(class_ids)
    values = np.ones(n, dtype=np.int64) if weights is None else weights
    indicator = csr_array((values, (class_ids, np.arange(n))), shape=(n_classes, n))
    return np.asfortranarray(indicator @ _in_64_bits(X))


def _in_64_bits(values: Array) -> Array:
    """Integers as int64, all else as float64. Integers that would wrap round when added up are refused beforehand."""
    if np.issubdtype(values.dtype, np.floating):
        return values.astype(np.float64, copy=False)
    _check_total(values)
    return values.astype(np.int64, copy=False)


def _check_total(counts: Array) -> None:
    """Refuse counts whose grand total overflows. Where it does not, nor does any sum of some of them."""
    floating = np.issubdtype(counts.dtype, np.floating)
    limit = float(np.finfo(np.float64).max if floating else 2**63)
    if not counts.size or float(counts.max()) < limit / (2 * counts.size):
        return
    if floating:
        with np.errstate(over="ignore"):
            overflows = not np.isfinite(counts.sum())
    else:
        overflows = (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum()) >= 2**63
    if overflows:
        kind = "floating-point number" if floating else "64-bit integer"
        raise ValueError(f"the counts add up to more than a {kind} can hold; scale X down")


def difference(a: Array, b: Array) -> Array:
    """a − b; what rounding leaves of floating-point sums that cancel is 0, not less."""
    rest = a - b
    if np.issubdtype(rest.dtype, np.floating):
        rest[(rest < 0) & (rest >= -_ROUNDING * np.maximum(b, 1.0))] = 0.0
    return rest


def checked_sum(a: Array, b: Array) -> Array:
    """a + b; integers that would pass the 64-bit limit are refused instead of wrapping round."""
    with np.errstate(over="ignore"):
        total = a + b
    if np.issubdtype(total.dtype, np.integer) and ((total < a) & (b > 0)).any():
        raise ValueError("the counts add up to more than a 64-bit integer can hold")
    return total


def sorted_union(a: Array, b: Array, what: str) -> Array:
    if _same(a, b) or not b.size:
        return a
    if not a.size:
        return b
    if isinstance(a[0], str) != isinstance(b[0], str):
        raise ValueError(f"cannot align {what} of different types: {a.tolist()[0]!r} and {b.tolist()[0]!r}")
    return np.union1d(a, b)


def _same(a: Array | None, b: Array | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _missing(union: Array, known: Array) -> str:
    return repr(np.setdiff1d(union, known).tolist()[0])
