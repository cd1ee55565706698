"""What a text model has seen, under the names of its terms and classes: everything, whatever a rule then leaves out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from textnb.statistics.counts import checked_sum, count_classes, difference, sorted_union
from textnb.text.rows import Array, SparseRows
from textnb.text.sorted_terms import SortedTerms


@dataclass(frozen=True, eq=False)
class TextCounts:
    """Totals of every term in every class, the documents of every class, and how frequent each term is at all.

    Counts add, and what was added can be taken away. Integers stay integers, so that both are exact.
    """

    classes: Array  # (K,), sorted
    documents: Array  # (K,), weighted if documents are
    n_documents: int
    terms: SortedTerms
    totals: Array  # (V, K), of the terms' weights
    document_frequency: Array  # (V,)
    occurrences: Array  # (V,)
    outside: Array  # (K,): what was counted under <UNK> instead of under a name
    frozen: Array  # (V,): what the terms are weighed by since the last fit, 0 for one that came later
    fixed: bool = False  # whether the terms are given: then all stay and none arrive

    @classmethod
    def nothing(
        cls, terms: SortedTerms | None = None, frozen: Array | None = None, *, fixed: bool = False
    ) -> TextCounts:
        """The neutral element, or terms of which nothing was seen yet."""
        terms = SortedTerms({}) if terms is None else terms
        none, zeros = np.zeros(0, dtype=np.int64), np.zeros(len(terms), dtype=np.int64)
        totals = np.zeros((len(terms), 0), dtype=np.int64)
        return cls(none, none, 0, terms, totals, zeros, zeros, none, zeros if frozen is None else frozen, fixed)

    @property
    def exact(self) -> bool:
        """Whether all are integers; weights of documents make them floats."""
        return np.issubdtype(self.totals.dtype, np.integer)

    @property
    def n_seen_terms(self) -> int:
        """How many terms a rule without limits would have."""
        return len(self.terms) if self.fixed else int(np.count_nonzero(self.document_frequency))

    def __add__(self, other: TextCounts) -> TextCounts:
        return self._combine(other, checked_sum)

    def __sub__(self, other: TextCounts) -> TextCounts:
        """What is left without `other`, which must be contained in it.

        A term or class of which nothing is left is as if it had never been seen; given terms stay.
        """
        unseen = np.setdiff1d(other.classes, self.classes).tolist()
        if unseen:
            raise ValueError(f"cannot forget documents of class {unseen[0]!r}: none were learned")
        strange = other.terms.select(self.terms.find(list(other.terms.ids)) < 0)
        if len(strange):
            raise ValueError(f"cannot forget the term {next(iter(strange.ids))!r}: it was never learned")
        left = self._combine(other, difference)
        for array in (left.documents, left.totals, left.document_frequency, left.occurrences, left.outside):
            if (array < 0).any():
                raise ValueError("cannot forget documents that were not learned: more would be taken than is there")
        seen = (left.document_frequency > 0) | (left.frozen != 0)
        emptied = (left.documents == 0) & np.isin(left.classes, other.classes)
        return left._select(np.ones_like(seen) if left.fixed else seen, ~emptied)

    def _combine(self, other: TextCounts, operation: Callable[[Array, Array], Array]) -> TextCounts:
        classes = sorted_union(self.classes, other.classes, "classes")
        terms, mine, theirs = self.terms.union(other.terms)
        a, b = self._placed(classes, terms, mine), other._placed(classes, terms, theirs)
        return TextCounts(
            classes,
            operation(a.documents, b.documents),
            int(operation(np.array([a.n_documents]), np.array([b.n_documents]))[0]),
            terms,
            operation(a.totals, b.totals),
            operation(a.document_frequency, b.document_frequency),
            operation(a.occurrences, b.occurrences),
            operation(a.outside, b.outside),
            np.maximum(a.frozen, b.frozen),  # the same in both, or 0 where a term is not
            self.fixed or other.fixed,
        )

    def _placed(self, classes: Array, terms: SortedTerms, positions: Array) -> TextCounts:
        """The same counts among more classes and terms."""
        columns = np.searchsorted(classes, self.classes)
        if terms is self.terms and len(columns) == len(classes):
            return self

        def spread(values: Array, places: Array, size: int) -> Array:
            out = np.zeros((size, *values.shape[1:]), dtype=values.dtype)
            out[places] = values
            return out

        totals = self.totals
        if len(columns) != len(classes):
            totals = spread(totals.T, columns, len(classes)).T
        if terms is not self.terms:
            totals = spread(totals, positions, len(terms))
        return replace(
            self,
            classes=classes,
            documents=spread(self.documents, columns, len(classes)),
            terms=terms,
            totals=totals,
            document_frequency=spread(self.document_frequency, positions, len(terms)),
            occurrences=spread(self.occurrences, positions, len(terms)),
            outside=spread(self.outside, columns, len(classes)),
            frozen=spread(self.frozen, positions, len(terms)),
        )

    def _select(self, terms: Array, classes: Array) -> TextCounts:
        """Only some terms and classes, by masks."""
        if terms.all() and classes.all():
            return self
        names = self.classes[classes]
        return replace(
            self,
            classes=np.array(names.tolist()) if names.dtype.kind == "U" else names,  # no wider than the longest name
            documents=self.documents[classes],
            terms=self.terms.select(terms),
            totals=self.totals[terms][:, classes],
            document_frequency=self.document_frequency[terms],
            occurrences=self.occurrences[terms],
            outside=self.outside[classes],
            frozen=self.frozen[terms],
        )

    def fold(self, keep: Array) -> TextCounts:
        """The terms where the mask is true; all others counted under `<UNK>` from now on."""
        outside = checked_sum(self.outside, self.totals[~keep].sum(axis=0))
        return replace(self._select(keep, np.ones(len(self.classes), dtype=bool)), outside=outside)

    def most_frequent(self, n: int) -> TextCounts:
        """The n terms that occur most often, of equals the first; all others counted under `<UNK>` from now on."""
        keep = np.zeros(len(self.terms), dtype=bool)
        keep[np.argsort(-self.occurrences, kind="stable")[:n]] = True
        return self.fold(keep)


def totals_by_class(rows: SparseRows, class_ids: Array, classes: Array, weights: Array | None) -> Array:
    """Σ of the rows of every class, (V, K).

    In units of 2⁻⁴⁰, the weights of a million documents add up to more than 64 bits hold, though those of no term do:
    then they are added up in parts.
    """
    n = len(class_ids)
    if n > 1 and float(rows.data.sum(dtype=np.float64)) >= 2.0**62:
        cut = rows.indptr[n // 2]
        first = SparseRows(rows.indptr[: n // 2 + 1], rows.indices[:cut], rows.data[:cut], rows.n_columns)
        last = SparseRows(rows.indptr[n // 2 :] - cut, rows.indices[cut:], rows.data[cut:], rows.n_columns)
        weights_of = (None, None) if weights is None else (weights[: n // 2], weights[n // 2 :])
        return checked_sum(
            totals_by_class(first, class_ids[: n // 2], classes, weights_of[0]),
            totals_by_class(last, class_ids[n // 2 :], classes, weights_of[1]),
        )
    return count_classes(rows, class_ids, classes, weights).totals.T


class CountsInTheMaking:
    """A sum of counts to which more are added, in time proportional to what is added."""

    def __init__(self) -> None:
        self._first: TextCounts | None = None
        self._ids: dict[Any, int] = {}
        self._classes: dict[Any, int] = {}
        self._n_documents = 0
        self._frequencies = np.zeros((0, 3), dtype=np.int64)  # document frequency, occurrences, frozen
        self._totals: Array = np.zeros((0, 0), dtype=np.int64)
        self._by_class: Array = np.zeros((2, 0), dtype=np.int64)  # documents, outside

    @property
    def is_empty(self) -> bool:
        return self._first is None and not self._classes

    @property
    def n_terms(self) -> int:
        return len(self._ids) if self._first is None else len(self._first.terms)

    def add(self, counts: TextCounts) -> None:
        if self.is_empty:
            self._first = counts
            return
        if self._first is not None:
            first, self._first = self._first, None
            self._add(first)
        self._add(counts)

    def _add(self, counts: TextCounts) -> None:
        terms, labels = list(counts.terms.ids), counts.classes.tolist()
        new = [term for term in terms if term not in self._ids]
        self._ids.update(zip(new, range(len(self._ids), len(self._ids) + len(new)), strict=True))
        for label in labels:
            self._classes.setdefault(label, len(self._classes))
        self._make_room(counts)
        rows = np.fromiter(map(self._ids.__getitem__, terms), np.int64, len(terms))
        columns = [self._classes[label] for label in labels]
        everywhere = columns == list(range(self._totals.shape[1]))
        places: Any = rows if everywhere else np.ix_(rows, np.array(columns))
        self._totals[places] = checked_sum(self._totals[places], counts.totals)
        frequencies = np.column_stack([counts.document_frequency, counts.occurrences])
        self._frequencies[rows, :2] = checked_sum(self._frequencies[rows, :2], frequencies)
        self._frequencies[rows, 2] = counts.frozen
        by_class = np.stack([counts.documents, counts.outside])
        self._by_class[:, columns] = checked_sum(self._by_class[:, columns], by_class)
        self._n_documents += counts.n_documents

    def _make_room(self, counts: TextCounts) -> None:
        """Arrays for so many terms and some more, of a type that holds what is added."""
        rows, columns = self._totals.shape
        more = max(len(self._ids), rows + rows // 2) - rows if len(self._ids) > rows else 0
        wider = len(self._classes) - columns
        if more or wider:
            self._totals = np.pad(self._totals, ((0, more), (0, wider)))
            self._frequencies = np.pad(self._frequencies, ((0, more), (0, 0)))
            self._by_class = np.pad(self._by_class, ((0, 0), (0, wider)))
        self._totals = self._totals.astype(np.result_type(self._totals, counts.totals), copy=False)
        self._by_class = self._by_class.astype(np.result_type(self._by_class, counts.documents), copy=False)

    @property
    def exact(self) -> bool:
        totals = self._totals if self._first is None else self._first.totals
        return np.issubdtype(totals.dtype, np.integer)

    def total(self) -> TextCounts:
        """The sum, terms and classes sorted."""
        if self._first is not None:
            return self._first
        if self.is_empty:
            return TextCounts.nothing()
        terms, labels = sorted(self._ids), sorted(self._classes)
        rows = np.fromiter(map(self._ids.__getitem__, terms), np.int64, len(terms))
        columns = [self._classes[label] for label in labels]
        totals = self._totals[rows]
        documents, outside = self._by_class[:, columns]
        return TextCounts(
            np.array(labels),
            documents,
            self._n_documents,
            SortedTerms.of(terms),
            totals if columns == list(range(len(columns))) else totals[:, columns],
            self._frequencies[rows, 0],
            self._frequencies[rows, 1],
            outside,
            self._frequencies[rows, 2],
        )
