"""Models that combine the clear terms of a document: what each term says of a class against the rest.

b of N_b documents of a class have a term, and g of N_g documents of the rest: p = (b/N_b) / (b/N_b + g/N_g), and with n
= b + g and a belief in x of strength s, f = (s x + n p) / (s + n) (Robinson 2003). A term is clear where |f − ½| is at
least the minimum deviation; others say nothing. `robinson`, `fisher` and `log_odds` combine the clear ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from textnb.arrays import Array, SparseRows, exact_bincount, row_blocks
from textnb.likelihood.rules import ClassPart, as_rows
from textnb.likelihood.smoothing import Alpha

if TYPE_CHECKING:
    from textnb.likelihood.forgotten import Forgotten
    from textnb.likelihood.groups import Groups, Scores

_WHOLE_TABLE = 1 << 23  # odds, of terms and classes, up to which those of all terms are kept
SMALLEST_ALPHA = 1e-100  # below which what a term lacks would vanish
_CLASSES_PAY = 1  # so many odds are derived for a class in the time that one entry takes
_BLOCK = 1 << 20  # entries, times classes, that are worked on at a time


@dataclass(frozen=True)
class Clarity:
    """When a term is clear, and which clear terms count."""

    assumed: float = 0.5  # x: what is believed of a term before it is seen; of two classes, about the second
    min_deviation: float = 0.375
    most_terms: int | None = None  # only so many of a document, the clearest, count
    headers: tuple[int, int] = (0, 0)  # the columns, from one to before another, of terms of a header

    def __post_init__(self) -> None:
        if not 0 < self.assumed < 1:
            raise ValueError(f"assumed must be a probability between 0 and 1, got {self.assumed!r}")
        if not 0 <= self.min_deviation < 0.5:
            raise ValueError(f"min_deviation must be from 0 to below 0.5, got {self.min_deviation!r}")
        if self.most_terms is not None and self.most_terms < 1:
            raise ValueError(f"most_terms must be 1 or more, or None for all, got {self.most_terms!r}")

    def in_header(self, columns: Array) -> Array:
        """Which columns, (n,), are of a header."""
        first, stop = self.headers
        return (columns >= first) & (columns < stop)


class TermOdds(NamedTuple):
    """What terms say of classes against the rest, (n, C); 0 where they are not clear.

    Of two classes only the second is looked at, C = 1: what speaks for it speaks against the first.
    """

    log_for: Array  # ln f
    log_against: Array  # ln(1 − f)
    clear: Array

    @property
    def odds(self) -> Array:
        """ln(f / (1 − f))."""
        return self.log_for - self.log_against


def term_odds(counts: Array, documents: Array, alpha: float, clarity: Clarity) -> TermOdds:
    """From how many documents of each class have a term, (n, K), and how many there are, (K,) or (n, K).

    f and 1 − f are each computed from counts. Where a side has no documents, there is nothing to compare: p = x.
    """
    of_class = slice(1, None) if counts.shape[1] == 2 else slice(None)
    n = counts.sum(axis=1, keepdims=True)
    own, own_documents = counts[:, of_class], documents[..., of_class]
    other_documents = documents.sum(axis=-1, keepdims=True) - own_documents
    share = own / np.where(own_documents > 0, own_documents, 1)
    other = (n - own) / np.where(other_documents > 0, other_documents, 1)
    both = share + other
    known = (both > 0) & (own_documents > 0) & (other_documents > 0)
    both[~known] = 1.0
    x, weight = clarity.assumed, alpha + n
    mass_for = alpha * x + n * np.where(known, share / both, x)
    mass_against = alpha * (1 - x) + n * np.where(known, other / both, 1 - x)
    clear = np.maximum(mass_for, mass_against) >= (0.5 + clarity.min_deviation) * weight
    log_weight = np.log(weight)
    log_for, log_against = (np.where(clear, np.log(mass) - log_weight, 0.0) for mass in (mass_for, mass_against))
    return TermOdds(log_for, log_against, clear)


def check_strength(alpha: Any) -> float:
    """Alpha as the strength s of the belief in x, which cannot be 0."""
    if np.ndim(alpha) or not alpha >= SMALLEST_ALPHA:
        raise ValueError(
            f"a model that combines clear terms needs one alpha above 0, got {alpha!r:.60}: with none, a term of one "
            "class only would decide alone. Use a small alpha such as 0.0178."
        )
    return float(alpha)


@dataclass(frozen=True)
class Combination:
    """A way from the clear terms of a document to the log-odds of a class against the rest.

    Attributes
    ----------
    parts : (odds, in_header) ↦ arrays (n_terms, C) of which a document needs the sums over its terms
    log_odds : (sums, one per part, each (n, C)) ↦ (n, C)
    shares : (odds and in_header of entries, the row of each, the sums of the rows) ↦ what each adds, (entries, C)
    """

    parts: Callable[[TermOdds, Array], tuple[Array, ...]]
    log_odds: Callable[..., Array]
    shares: Callable[..., Array]

    def sums(self, rows: SparseRows, odds: TermOdds, in_header: Array, most_terms: int | None) -> list[Array]:
        """The sums of the parts over the terms of every row that count, one array (n, C) per part."""
        parts, n_classes = self.parts(odds, in_header), odds.clear.shape[1]
        if most_terms is None:
            return np.split(rows @ np.ascontiguousarray(np.hstack(parts)), len(parts), axis=1)
        by_class = []
        for c in range(n_classes):
            counted = rows.with_data(clearest(rows, odds.odds[:, c], most_terms).astype(np.int64))
            by_class.append(counted @ np.column_stack([part[:, c] for part in parts]))
        return [np.column_stack([sums[:, part] for sums in by_class]) for part in range(len(parts))]


def clearest(rows: SparseRows, odds: Array, most_terms: int) -> Array:
    """Which entries are among so many of their row with the largest |odds|; of equal ones the first."""
    size = np.where(rows.data > 0, np.abs(odds[rows.indices]), -1.0)
    row = rows.row_ids
    order = np.lexsort((-size, row))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - rows.indptr[row]
    return (rank < most_terms) & (size > 0)


def of_every_class(log_odds: Array, n_classes: int) -> Array:
    """Scores (n, K): half the log-odds of each class against the rest, so that of two classes they differ by them."""
    half = 0.5 * log_odds
    return np.hstack([-half, half]) if n_classes == 2 else half


@dataclass(frozen=True, eq=False)
class ClearTermsRule:
    """The scores of documents by their clear terms, from the counts of terms (V, K), or of some of them."""

    combination: Combination
    clarity: Clarity
    totals: SparseRows
    documents: Array
    alpha: float
    columns: Array | None = None  # of the counts among all columns; None: these are all

    @property
    def n_classes(self) -> int:
        return self.totals.n_columns

    def compact(self) -> ClearTermsRule:
        """The same: the rule holds counts."""
        return self

    def lead(self, c: int) -> Array:
        """By how much each term adds more to class c than, on average, to the others, as the only clear one, (V,)."""
        scores = of_every_class(self._all[0].odds, self.n_classes)
        return scores[:, c] - (scores.sum(axis=1) - scores[:, c]) / max(self.n_classes - 1, 1)

    def log_likelihood(self, X: Any) -> Array:
        """Scores (n, K), from a scipy sparse matrix, `SparseRows` or a dense array; anything above 0 counts once."""
        rows = as_rows(X)
        scores = np.empty((rows.shape[0], self.n_classes))
        for start, stop in row_blocks(rows.indptr, max(1, _BLOCK // self.n_classes)):
            block, odds, in_header = self._narrowed(rows.take_rows(np.arange(start, stop)))
            sums = self.combination.sums(block, odds, in_header, self.clarity.most_terms)
            scores[start:stop] = of_every_class(self.combination.log_odds(*sums), self.n_classes)
        return scores

    def contributions(self, rows: SparseRows) -> tuple[Array, Array]:
        """What every entry of some rows adds to its row's scores, (entries, K), and what any row gets, nothing."""
        rows, odds, in_header = self._narrowed(rows)
        most, row = self.clarity.most_terms, rows.row_ids
        sums = self.combination.sums(rows, odds, in_header, most)
        of_entries = TermOdds(*(values[rows.indices] for values in odds))
        shares = self.combination.shares(of_entries, in_header[rows.indices], row, *sums)
        counted = np.repeat((rows.data > 0)[:, np.newaxis], shares.shape[1], axis=1)
        if most is not None:
            counted = np.column_stack([clearest(rows, column, most) for column in odds.odds.T])
        scores = of_every_class(np.where(counted, shares, 0.0), self.n_classes)
        return scores, np.zeros(self.n_classes)

    def _narrowed(self, rows: SparseRows) -> tuple[SparseRows, TermOdds, Array]:
        """The rows as presences, and what is known of their columns: of all, or only of those that occur."""
        rows = rows.present()
        if self.totals.shape[0] * self.n_classes <= _WHOLE_TABLE:
            return rows, *self._all
        touched, narrowed = rows.narrowed()
        return narrowed, *self._known(touched)

    @cached_property
    def _all(self) -> tuple[TermOdds, Array]:
        return self._known(np.arange(self.totals.shape[0]))

    def _known(self, places: Array) -> tuple[TermOdds, Array]:
        """The odds of the terms at some places of the counts, and which are of a header."""
        counts = self.totals.take_rows(places).toarray()
        columns = places if self.columns is None else self.columns[places]
        return term_odds(counts, self.documents, self.alpha, self.clarity), self.clarity.in_header(columns)


def class_part(totals: SparseRows, documents: Array, alpha: Alpha, norm: bool = False) -> ClassPart:
    """Nothing: what a term says follows from its own counts, and the number of documents."""
    check_strength(alpha)
    nothing = np.zeros(totals.n_columns)
    return ClassPart(nothing, nothing)


def leave_one_out(combination: Combination, clarity: Clarity, totals: SparseRows) -> Scores:
    """The scores of every row by the counts that its group leaves: b − B of N_b − D_b documents, and the rest alike."""

    def scores(
        rows: SparseRows, scored: SparseRows, groups: Groups, alphas: Sequence[Alpha], forgotten: Forgotten | None
    ) -> Array:  # what a term says follows from its own counts: those that leave are not scored, and that is all
        found = np.empty((len(alphas), rows.shape[0], groups.n_classes))
        few_odds = totals.shape[0] * groups.n_classes <= _CLASSES_PAY * len(rows.data)
        for one_alpha, alpha in zip(found, map(check_strength, alphas), strict=True):
            without = ClearTermsRule(combination, clarity, totals, groups.documents, alpha)
            if groups.single and few_odds:
                _by_class(without, scored, groups, one_alpha)
            else:
                _by_group(without, rows, scored, groups, one_alpha)
        return found

    return scores


def _by_class(rule: ClearTermsRule, scored: SparseRows, groups: Groups, scores: Array) -> None:
    """Set the scores (n, K) of rows that are left out one by one: those of a class all take one of it from a count."""
    totals = rule.totals
    for c in range(groups.n_classes):
        (own,) = np.nonzero(groups.class_ids == c)
        left = totals.with_data(totals.data - (totals.indices == c))
        without = replace(rule, totals=left, documents=groups.documents - (np.arange(groups.n_classes) == c))
        scores[own] = without.log_likelihood(scored.take_rows(own))


def _by_group(rule: ClearTermsRule, rows: SparseRows, scored: SparseRows, groups: Groups, scores: Array) -> None:
    """Set the scores (n, K) a block of groups at a time: every term of a group has odds of its own."""
    counts, documents, clarity = rule.totals.toarray(), groups.documents_left(), rule.clarity
    by_group = np.argsort(groups.of_row, kind="stable")
    first = np.concatenate(([0], np.cumsum(np.bincount(groups.of_row, minlength=groups.n_groups))))
    bounds = np.concatenate(([0], np.cumsum(np.diff(rows.indptr)[by_group])))[first]
    for start, stop in row_blocks(bounds, max(1, _BLOCK // groups.n_classes)):
        own = by_group[first[start] : first[stop]]
        block, columns, of_group, taken = _group_terms(rows.take_rows(own), groups, own)
        present = block.with_data((scored.take_rows(own).data > 0).astype(np.int64))
        odds = term_odds(counts[columns] - taken, documents[of_group], rule.alpha, clarity)
        sums = rule.combination.sums(present, odds, clarity.in_header(columns), clarity.most_terms)
        scores[own] = of_every_class(rule.combination.log_odds(*sums), groups.n_classes)


def _group_terms(rows: SparseRows, groups: Groups, own: Array) -> tuple[SparseRows, Array, Array, Array]:
    """Rows whose columns are the terms of their groups; of each its column, group, and what is taken, (n, K)."""
    row = rows.row_ids
    of_entry = groups.of_row[own][row]
    if groups.single:
        columns, of_group, term = rows.indices, of_entry, np.arange(len(row))
    else:
        keys, term = np.unique(of_entry * rows.n_columns + rows.indices, return_inverse=True)
        of_group, columns = np.divmod(keys, rows.n_columns)
        term = term.reshape(-1)
    of_class = term * groups.n_classes + groups.class_ids[own][row]
    taken = exact_bincount(of_class, rows.data, len(columns) * groups.n_classes).reshape(-1, groups.n_classes)
    return replace(rows, indices=term.astype(rows.indices.dtype), n_columns=len(columns)), columns, of_group, taken
