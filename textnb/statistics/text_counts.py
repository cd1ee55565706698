"""Counts of a text model under the names of its terms and classes: all that was seen, whatever a rule leaves out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.statistics.counts import (
    checked_sum,
    count_classes,
    difference,
    new_classes,
    places_among,
    sorted_union,
    spread,
)
from textnb.text.terms import Terms, TermTable


@dataclass(frozen=True, eq=False)
class TextCounts:
    """Totals of every term in every class, documents of every class, and frequencies of every term.

    Counts add, and what was added can be taken away. Integers stay integers, so that both are exact.
    """

    classes: Array  # (K,), sorted
    documents: Array  # (K,), weighted if documents are
    n_documents: int
    terms: TermTable
    totals: SparseRows  # (V, K), of the terms' weights
    document_frequency: Array  # (V,)
    occurrences: Array  # (V,)
    outside: Array  # (K,): totals counted under <UNK> instead of under a name
    frozen: Array  # (V,): reference document frequency and flags (set by fit), 0 for a term that came later
    fixed: bool = False  # whether the terms are given: then all stay and none arrive

    @classmethod
    def nothing(cls, terms: TermTable | None = None, frozen: Array | None = None, *, fixed: bool = False) -> TextCounts:
        """The neutral element, or terms of which nothing was seen yet."""
        terms = Terms.of([]) if terms is None else terms
        none, zeros = np.zeros(0, dtype=np.int64), np.zeros(len(terms), dtype=np.int64)
        totals = SparseRows(np.zeros(len(terms) + 1, dtype=np.int64), none, none, 0)
        return cls(none, none, 0, terms, totals, zeros, zeros, none, zeros if frozen is None else frozen, fixed)

    @property
    def exact(self) -> bool:
        """Whether all are integers; weights of documents make them floats."""
        return all(np.issubdtype(counts.dtype, np.integer) for counts in (self.totals.data, self.documents))

    @property
    def n_seen_terms(self) -> int:
        """The number of terms that a rule without limits has."""
        return len(self.terms) if self.fixed else int(np.count_nonzero(self.document_frequency))

    def __add__(self, other: TextCounts) -> TextCounts:
        if not len(self.classes) and self.terms is other.terms:  # what a fit of tf-idf adds its documents to
            return replace(other, frozen=np.maximum(self.frozen, other.frozen), fixed=self.fixed or other.fixed)
        if not len(self.classes) and not len(self.terms):
            return replace(other, fixed=self.fixed or other.fixed)
        return self._combine(other, checked_sum)

    def __sub__(self, other: TextCounts) -> TextCounts:
        """What is left without `other`, which must be contained in it.

        A term or class of which nothing is left is as if it had never been seen; given terms stay.
        """
        classes = sorted_union(self.classes, other.classes, "classes")
        if unseen := new_classes(self.classes, classes):
            raise ValueError(f"cannot forget documents of class {unseen[0]!r}: none were learned")
        strange = np.flatnonzero(self.terms.locate(other.terms) < 0)
        if len(strange):
            (term,) = other.terms.strings(strange[:1])
            raise ValueError(f"cannot forget the term {term!r}: it was never learned")
        left = self._combine(other, difference)
        for array in (left.documents, left.totals.data, left.document_frequency, left.occurrences, left.outside):
            if (array < 0).any():
                raise ValueError("cannot forget documents that were not learned: more would be taken than is there")
        seen = (left.document_frequency > 0) | (left.frozen != 0)
        emptied = np.zeros(len(classes), dtype=bool)
        emptied[places_among(other.classes, classes)] = True
        emptied &= left.documents == 0
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
            a.totals.combine(b.totals, operation),
            operation(a.document_frequency, b.document_frequency),
            operation(a.occurrences, b.occurrences),
            operation(a.outside, b.outside),
            np.maximum(a.frozen, b.frozen),  # the same in both, or 0 where a term is not
            self.fixed or other.fixed,
        )

    def _placed(self, classes: Array, terms: TermTable, positions: Array) -> TextCounts:
        """The same counts among more classes and terms."""
        placed, n_terms, n_classes = self, len(terms), len(classes)
        if n_terms != len(self.terms):
            placed = replace(
                placed,
                terms=terms,
                totals=self.totals.place_rows(positions, n_terms),
                document_frequency=spread(self.document_frequency, positions, n_terms),
                occurrences=spread(self.occurrences, positions, n_terms),
                frozen=spread(self.frozen, positions, n_terms),
            )
        if n_classes != len(self.classes):
            columns = places_among(self.classes, classes)
            placed = replace(
                placed,
                classes=classes,
                documents=spread(self.documents, columns, n_classes),
                totals=placed.totals.place_columns(columns, n_classes),
                outside=spread(self.outside, columns, n_classes),
            )
        return placed

    def _select(self, terms: Array, classes: Array) -> TextCounts:
        """Only some terms and classes, by masks."""
        if terms.all() and classes.all():
            return self
        names = self.classes[classes]
        totals = self.totals if terms.all() else self.totals.take_rows(np.flatnonzero(terms))
        return replace(
            self,
            classes=np.array(names.tolist()) if names.dtype.kind == "U" else names,  # no wider than the longest name
            documents=self.documents[classes],
            terms=self.terms.select(terms),
            totals=totals if classes.all() else totals.select_columns(classes),
            document_frequency=self.document_frequency[terms],
            occurrences=self.occurrences[terms],
            outside=self.outside[classes],
            frozen=self.frozen[terms],
        )

    def fold(self, keep: Array) -> TextCounts:
        """The terms where the mask is true; all others counted under `<UNK>` from now on."""
        left_out = self.totals.take_rows(np.flatnonzero(~keep)).column_sums()
        outside = checked_sum(self.outside, left_out)
        return replace(self._select(keep, np.ones(len(self.classes), dtype=bool)), outside=outside)

    def most_frequent(self, n: int) -> TextCounts:
        """The n terms that occur most often, of equals the first; all others counted under `<UNK>` from now on."""
        keep = np.zeros(len(self.terms), dtype=bool)
        keep[np.argsort(-self.occurrences, kind="stable")[:n]] = True
        return self.fold(keep)


def totals_by_class(
    rows: SparseRows, class_ids: Array, classes: Array, weights: Array | None, n_threads: int = 1
) -> SparseRows:
    """Σ of the rows of every class, (V, K).

    In units of 2⁻⁴⁰, the weights of a million documents add up to more than 64 bits hold, though those of no term do:
    then they are added up in parts.
    """
    n = len(class_ids)
    if n > 1 and float(rows.data.sum(dtype=np.float64)) >= 2.0**62:
        halves = []
        for part in (slice(0, n // 2), slice(n // 2, n)):
            some = None if weights is None else weights[part]
            halves.append(totals_by_class(rows.take_rows(np.arange(n)[part]), class_ids[part], classes, some))
        return halves[0].combine(halves[1], checked_sum)
    return count_classes(rows, class_ids, classes, weights, n_threads).totals


@dataclass(frozen=True, eq=False)
class CountsBuilder:
    """A sum of counts that is added up when it is asked for.

    Counts of similar size are added up at once, as in a binary counter: n additions take n log n time together.
    """

    parts: tuple[TextCounts, ...] = ()

    def __add__(self, counts: TextCounts) -> CountsBuilder:
        parts = [*self.parts, counts]
        while len(parts) > 1 and len(parts[-2].terms) <= 2 * len(parts[-1].terms):
            last = parts.pop()
            parts[-1] = parts[-1] + last
        return CountsBuilder(tuple(parts))

    def __bool__(self) -> bool:
        return bool(self.parts)

    @property
    def exact(self) -> bool:
        return all(part.exact for part in self.parts)

    @cached_property
    def total(self) -> TextCounts:
        """The sum, the smallest first."""
        total = TextCounts.nothing()
        for part in reversed(self.parts):
            total = total + part
        return total
