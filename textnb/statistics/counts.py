"""What a count model has seen: documents and term totals of every class. Counts add, and can be taken away again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.text.rows import Array, SparseRows, exact_bincount


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
        for array in (self.classes, self.documents, self.totals):
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
            _checked_sum(mine.documents, theirs.documents),
            _checked_sum(mine.totals, theirs.totals),
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
        documents, totals = self.documents - taken.documents, self.totals - taken.totals
        short = (totals < 0).any(axis=1) | (documents < 0)
        if short.any() and np.issubdtype(totals.dtype, np.integer):
            raise ValueError(f"cannot subtract more than was counted in class {classes[short][0]!r}")
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
        terms = None if self.terms is None or other.terms is None else _sorted_union(self.terms, other.terms, "terms")
        return _sorted_union(self.classes, other.classes, "classes"), terms

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


def count_classes(X: Any, class_ids: Array, classes: Array, weights: Array | None = None) -> ClassCounts:
    """N_cj = Σ_{i: y_i = c} w_i x_ij, from sparse or dense rows X, without an n × K indicator matrix.

    The totals are in Fortran order: the transpose, which prediction multiplies with, is contiguous.
    """
    n_classes = len(classes)
    documents = _class_sums(class_ids, weights, n_classes)
    if isinstance(X, SparseRows):
        entry_classes = np.repeat(class_ids, np.diff(X.indptr))
        data = X.data if weights is None else X.data * np.repeat(weights, np.diff(X.indptr))
        keys = X.indices.astype(np.int64) * n_classes + entry_classes
        totals = exact_bincount(keys, data, X.n_columns * n_classes).reshape(X.n_columns, n_classes).T
    else:
        totals = _dense_totals(X, class_ids, n_classes, weights)
    if not np.isfinite(totals).all():
        raise ValueError("the counts add up to more than a floating-point number can hold; scale X down")
    return ClassCounts(classes, documents, totals)


def _dense_totals(X: Array, class_ids: Array, n_classes: int, weights: Array | None) -> Array:
    from scipy.sparse import csr_array

    n = len(class_ids)
    values = np.ones(n, dtype=np.int64) if weights is None else weights
    indicator = csr_array((values, (class_ids, np.arange(n))), shape=(n_classes, n))
    return np.asfortranarray(indicator @ X)


def _class_sums(class_ids: Array, weights: Array | None, n_classes: int) -> Array:
    return np.bincount(class_ids, weights=weights, minlength=n_classes)


def _checked_sum(a: Array, b: Array) -> Array:
    """a + b; integers that would pass the 64-bit limit are refused instead of wrapping round."""
    total = a + b
    if np.issubdtype(total.dtype, np.integer) and ((total < a) & (b > 0)).any():
        raise ValueError("counts add up to more than a 64-bit integer can hold")
    return total


def _sorted_union(a: Array, b: Array, what: str) -> Array:
    if _same(a, b):
        return a
    if a.size and b.size and (a.dtype.kind in "OUST") != (b.dtype.kind in "OUST"):
        raise ValueError(f"cannot align {what} of different types: {a[0]!r} and {b[0]!r}")
    return np.union1d(a, b)


def _same(a: Array | None, b: Array | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _missing(union: Array, known: Array) -> str:
    return repr(np.setdiff1d(union, known)[0])
