"""A text model as the counts it is made of: documents are learned, forgotten and merged exactly. numpy alone.

A learner is a value: learning gives another one, so that an update that fails or is interrupted changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.likelihood.rules import LinearRule
from textnb.model.once import Conflict, plan_once
from textnb.model.recipe import Recipe
from textnb.statistics.counts import in_kind_of, sorted_union, unique_classes
from textnb.statistics.ledger import Ledger, document_keys, hashes, message_ids, sum_of
from textnb.statistics.tally import Tally, can_tally
from textnb.statistics.text_counts import CountsBuilder, TextCounts, totals_by_class
from textnb.text.counting import count_all
from textnb.text.documents import text_blocks
from textnb.text.features import EMPTY_VOCABULARY
from textnb.text.frozen import LEFT_OUT, Reference, freeze, stands_in, weigh_frozen
from textnb.text.terms import TermTable
from textnb.text.threads import threads_that_pay

REFIT = (
    "a {} model is fitted to all its documents at once, and can neither learn nor forget nor be merged: a linear "
    "model must be refitted, by `textnb refit MODEL CORPUS` or by fit"
)
COUNT_ALIKE = "Count the second like the first: first.blank().learn(texts, labels), or textnb count --like FIRST"
_SHOWN = 50  # characters of a document that an error shows
_THREADS_PAY = 1 << 20  # entries of rows from which a second thread gains more than it costs


class CountedDocuments(NamedTuple):
    """Documents as rows of counts of their terms, and how many terms each has outside a given vocabulary, (n,)."""

    terms: TermTable
    rows: SparseRows
    outside: Array


class WeightedRows(NamedTuple):
    """Weighted rows, the weight of each document's unknown words, and the reference frequency of each term."""

    rows: SparseRows
    outside: Array  # (n,)
    frozen: Array  # (V,)


@dataclass(frozen=True)
class UpdateSummary:
    """How many documents were learned, known already, moved from another label, or forgotten; None: not counted.

    Of mail learned once, also how many were left because they are `copies` of known messages, and how many are
    `conflicting` with the label of a copy: the `conflicts`.
    """

    learned: int | None = None
    known: int | None = None
    moved: int | None = None
    forgotten: int | None = None
    copies: int | None = None
    conflicting: int | None = None
    conflicts: tuple[Conflict, ...] = ()

    def counts(self) -> dict[str, int]:
        """What was counted, by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, int)}


class NotLearned(ValueError):
    """A document that cannot be forgotten, by its position among those given."""

    def __init__(self, position: int, document: str, label: str, where: str | None = None) -> None:
        self.position, self.document, self.label = position, document, label
        shown = repr(document if len(document) <= _SHOWN else f"{document[:_SHOWN]}…")
        place = f"document {position} ({shown})" if where is None else where
        super().__init__(f"{place} was not learned as {label}, or not so often: it cannot be forgotten")

    def at(self, where: str) -> NotLearned:
        """The same of a document that stands somewhere."""
        return NotLearned(self.position, self.document, self.label, where)


@dataclass(frozen=True, eq=False)
class Learner:
    """Counts, their reference frequencies, and the ledger. The order of learning does not matter: counts add up.

    Of mail, a second ledger has the Message-IDs of the messages, wherever there is the first. A model that is fitted to
    documents has its rule beside its counts, from which it does not follow.
    """

    recipe: Recipe
    base: TextCounts
    reference: Reference | None = None
    ledger: Ledger | None = None
    pruned: bool = False  # whether terms have lost their names, and nothing can be forgotten any more
    learned: CountsBuilder = field(default_factory=CountsBuilder)
    forgotten: CountsBuilder = field(default_factory=CountsBuilder)
    message_ids: Ledger | None = None
    rule: LinearRule | None = None  # of a model that is fitted to documents

    @classmethod
    def new(cls, recipe: Recipe, vocabulary: TermTable | None = None, *, keep_ledger: bool = False) -> Learner:
        """A learner that has learned nothing, of a given vocabulary or of any."""
        base = TextCounts.nothing(vocabulary, fixed=vocabulary is not None)
        ledger = Ledger.nothing() if keep_ledger else None
        return cls(recipe, base, ledger=ledger, message_ids=ledger if recipe.analyzer.is_mail else None)

    @cached_property
    def counts(self) -> TextCounts:
        """All that was learned and not forgotten."""
        counts = self.base
        if self.learned:
            counts = counts + self.learned.total
        return counts - self.forgotten.total if self.forgotten else counts

    def settled(self) -> Learner:
        """The same with its counts added up."""
        return replace(self, base=self.counts, learned=CountsBuilder(), forgotten=CountsBuilder())

    def require_sums(self) -> None:
        """Refuse to go on from the counts where a model does not follow from them."""
        if self.recipe.family.fitted_to_documents:
            raise ValueError(REFIT.format(self.recipe.model))

    def blank(self) -> Learner:
        """A learner that weighs documents alike, and has learned nothing."""
        self.require_sums()
        counts = self.counts
        known = np.ones(len(counts.terms), dtype=bool) if counts.fixed else counts.frozen != 0
        base = TextCounts.nothing(counts.terms.select(known), counts.frozen[known], fixed=counts.fixed)
        ledger, ids = (None if known is None else Ledger.nothing() for known in (self.ledger, self.message_ids))
        return Learner(self.recipe, base, self.reference, ledger, message_ids=ids)

    @property
    def vocabulary_is_given(self) -> bool:
        return self.base.fixed

    @property
    def counts_are_exact(self) -> bool:
        return self.base.exact and self.learned.exact

    @property
    def _labels(self) -> Array:
        """The labels so far, of which all others must be of the same kind."""
        labels = self.base.classes
        for part in self.learned.parts:
            labels = sorted_union(labels, part.classes, "classes")
        return labels

    # Counting

    def count(self, documents: Sequence[str]) -> CountedDocuments:
        """The terms of the documents, or those of a given vocabulary."""
        return self.within_vocabulary(*count_all(documents, self.recipe.analyzer, self.recipe.n_jobs))

    def within_vocabulary(self, terms: TermTable, rows: SparseRows) -> CountedDocuments:
        """Documents that were counted with the analyzer of the recipe: all their terms, or those of the vocabulary."""
        if not self.base.fixed:
            return CountedDocuments(terms, rows, np.zeros(rows.shape[0], dtype=np.int64))
        known = self.base.terms.locate(terms) >= 0
        inside = rows.select_columns(known)
        return CountedDocuments(terms.select(known), inside, rows.row_sums() - inside.row_sums())

    def frozen_at(self, counted: CountedDocuments) -> Learner:
        """The same whose idf and unknown words are, from now on, those of these documents."""
        rows = counted.rows
        frozen = self.frozen_at_frequencies(
            counted.terms,
            rows.document_frequency(),
            rows.column_sums(),
            rows.shape[0],
            some_outside=bool(counted.outside.any()),
        )
        if self.recipe.unknown and self.recipe.is_tfidf:
            return frozen.frozen_at_unknown(frozen._documents_with_unknown(counted))
        return frozen

    def frozen_at_frequencies(
        self,
        terms: TermTable,
        document_frequency: Array,
        occurrences: Array,
        n_documents: int,
        *,
        some_outside: bool = False,
    ) -> Learner:
        """The same from the frequencies of terms, but for how many documents have unknown words."""
        every, _, at = self.base.terms.union(terms)
        frequency, occurring = np.zeros((2, len(every)), dtype=np.int64)
        frequency[at], occurring[at] = document_frequency, occurrences
        left_out = np.zeros(len(every), dtype=bool)
        if not self.base.fixed:
            if not len(every):
                raise ValueError(EMPTY_VOCABULARY)
            left_out = ~self.recipe.limits.kept(frequency, lambda: occurring, n_documents)
        stand_in = np.zeros_like(left_out)
        if self.recipe.unknown:
            stand_in = left_out if some_outside or left_out.any() else occurring == 1
        base = TextCounts.nothing(every, freeze(frequency, left_out, stand_in), fixed=self.base.fixed)
        return replace(self, base=base, reference=Reference(n_documents, 0))

    def frozen_at_unknown(self, document_frequency: int) -> Learner:
        """The same with the number of documents that have unknown words."""
        assert self.reference is not None
        return replace(self, reference=replace(self.reference, unknown_frequency=document_frequency))

    def documents_with_unknown(self, documents: Sequence[str]) -> int:
        """How many of these documents have words that count as unknown."""
        return self._documents_with_unknown(self.count(documents))

    def _documents_with_unknown(self, counted: CountedDocuments) -> int:
        return int(np.count_nonzero(self._unknown(counted, self._frozen(counted.terms))))

    def _frozen(self, terms: TermTable) -> Array:
        """The reference frequency and flags of each term, 0 for a new one."""
        at = self.base.terms.locate(terms)
        frozen = np.zeros(len(terms), dtype=np.int64)
        frozen[at >= 0] = self.base.frozen[at[at >= 0]]
        return frozen

    def _unknown(self, counted: CountedDocuments, frozen: Array) -> Array:
        """How many unknown words each document has."""
        outside = counted.outside
        return counted.rows.select_columns(stands_in(frozen)).row_sums() + outside if self.recipe.unknown else outside

    def weigh(self, counted: CountedDocuments) -> WeightedRows:
        """The weights that documents add."""
        recipe, rows, outside = self.recipe, counted.rows, counted.outside
        frozen = np.zeros(len(counted.terms), dtype=np.int64)
        if self.reference is not None:
            frozen = self._frozen(counted.terms)
            outside = self._unknown(counted, frozen)
        if recipe.is_tfidf:
            assert self.reference is not None
            rows, outside = weigh_frozen(
                rows,
                outside if recipe.unknown else None,
                frozen,
                self.reference,
                sublinear_tf=recipe.weighting == "log-tfidf",
                limited=bool((self.base.frozen & LEFT_OUT).any()),
            )
        elif recipe.weighting == "binary":
            rows, outside = rows.present(), np.minimum(outside, 1)
        return WeightedRows(rows, outside, frozen)

    def counts_of(
        self, counted: CountedDocuments, class_ids: Array, classes: Array, weights: Array | None = None
    ) -> TextCounts:
        """The counts that documents add."""
        rows, outside, frozen = self.weigh(counted)
        n_threads = threads_that_pay(self.recipe.n_jobs, len(rows.data), _THREADS_PAY)
        totals = totals_by_class(rows, class_ids, classes, weights, n_threads)
        one_column = SparseRows(np.arange(len(outside) + 1), np.zeros(len(outside), dtype=np.int64), outside, 1)
        plain = rows is counted.rows and weights is None
        return TextCounts(
            classes,
            np.bincount(class_ids, weights=weights, minlength=len(classes)),
            len(class_ids),
            counted.terms,
            totals,
            counted.rows.document_frequency(),
            totals.row_sums() if plain else counted.rows.column_sums(),
            totals_by_class(one_column, class_ids, classes, weights).toarray()[0],
            frozen,
        )

    # Learning

    def add(self, documents: Sequence[str], class_ids: Array, classes: Array, weights: Array | None = None) -> Learner:
        """With documents whose labels stand at these positions among the classes."""
        self.require_sums()
        return self._add(self.count(documents), documents, class_ids, classes, weights)

    def _add(
        self,
        counted: CountedDocuments,
        documents: Sequence[str],
        class_ids: Array,
        classes: Array,
        weights: Array | None,
    ) -> Learner:
        classes = in_kind_of(self._labels, classes)
        learner = self
        if self.recipe.needs_reference and self.reference is None:
            learner = self.frozen_at(counted)
        counts = learner.counts_of(counted, class_ids, classes, weights)
        entries, ids = self.ledger_entries(documents, class_ids, classes)
        return replace(
            learner,
            learned=learner.learned + counts,
            ledger=sum_of(self.ledger, entries),
            message_ids=sum_of(self.message_ids, ids),
        )

    def tally(self) -> Tally | None:
        """What counts documents for `with_counts`, where nothing of a document is needed but its part of the totals."""
        needs_rows = self.recipe.weighting != "counts" or self.reference is not None or self.base.fixed
        if needs_rows or self.ledger is not None or not can_tally(self.recipe.analyzer):
            return None
        return Tally(self.recipe.analyzer, self.recipe.n_jobs)

    def with_counts(self, counts: TextCounts) -> Learner:
        """With documents that its tally has counted."""
        self.require_sums()
        sorted_union(self._labels, counts.classes, "classes")  # of one kind
        return replace(self, learned=self.learned + counts)

    def ledger_entries(
        self, documents: Sequence[str], class_ids: Array, classes: Array
    ) -> tuple[Ledger | None, Ledger | None]:
        """What documents add to the ledger, and to that of Message-IDs; None where there is no such ledger."""
        entries = None if self.ledger is None else Ledger.of(documents, class_ids, classes)
        ids = None if self.message_ids is None else Ledger.of_message_ids(documents, class_ids, classes)
        return entries, ids

    def knows(self, documents: Sequence[str]) -> Array | None:
        """Of each document, whether it was learned under whatever label; of mail also by its Message-ID.

        None if there is no ledger.
        """
        if self.ledger is None:
            return None
        known = self.ledger.knows(documents)
        if self.message_ids is not None:
            ids = message_ids(documents)
            named = np.array([name is not None for name in ids], dtype=bool)
            known[named] |= self.message_ids.knows(name for name in ids if name is not None)
        return known

    def prune(self, most_terms: int) -> Learner:
        """With the names of at most `most_terms` terms. If there are more, half as many stay: the rest go to `<UNK>`.

        Terms with a reference frequency keep theirs; where there are none, what was learned before counts too.
        """
        if self.forgotten:  # perhaps of terms that would lose their names
            return self.settled().prune(most_terms)
        base, learned = self.base, self.learned
        if self.reference is None and not base.fixed and len(base.terms):
            base, learned = TextCounts.nothing(), CountsBuilder((self.counts,))
        if sum(len(part.terms) for part in learned.parts) <= most_terms or len(learned.total.terms) <= most_terms:
            return self
        rest = learned.total.most_frequent(max(1, most_terms // 2))
        return replace(self, base=base, learned=CountsBuilder((rest,)), pruned=True)

    def fit(
        self,
        documents: Iterable[str],
        class_ids: Array,
        classes: Array,
        weights: Array | None = None,
        *,
        counted_before: CountedDocuments | None = None,
        keep_documents: bool = False,
    ) -> tuple[Learner, list[CountedDocuments]]:
        """With the first documents; and these as they were counted, if they are to be kept.

        Where counts simply add up, documents are read block by block; idf needs them all. Documents that were counted
        before are not counted again.
        """
        learner, kept, start = self, [], 0
        at_once = self.recipe.needs_reference or counted_before is not None
        for block in [list(documents)] if at_once else text_blocks(documents):
            these = slice(start, start + len(block))
            start = these.stop
            if start > len(class_ids):
                break
            counted = counted_before or learner.count(block)
            if keep_documents:
                kept.append(counted)
            some = None if weights is None else weights[these]
            learner = learner._add(counted, block, class_ids[these], classes, some)
        if start != len(class_ids):
            raise ValueError(
                f"there are {len(class_ids)} labels for more or fewer documents: give each document one label"
            )
        if not len(learner.counts.terms):
            raise ValueError(EMPTY_VOCABULARY)
        return learner, kept

    def learn(self, documents: Sequence[str], labels: Array, *, once: bool = False) -> tuple[Learner, UpdateSummary]:
        """With more documents; new words and classes simply arrive.

        With `once`, those that the ledger has are left, and those it has under another label move to this one
        (`textnb.model.once`).
        """
        self.require_sums()
        if once:
            return self._learn_once(documents, labels)
        classes, class_ids = unique_classes(labels)
        return self.add(documents, class_ids, classes), UpdateSummary(len(documents))

    def _learn_once(self, documents: Sequence[str], labels: Array) -> tuple[Learner, UpdateSummary]:
        if self.ledger is None:
            raise ValueError(
                "to learn documents once needs the ledger of a model, and this one has none: train it with a ledger"
            )
        labels = in_kind_of(self._labels, labels)
        new, moved, n_copies, conflicts = plan_once(self.ledger, self.message_ids, documents, labels)
        learner = self
        if moved:
            learner, _ = learner.forget([documents[i] for i, _ in moved], np.array([label for _, label in moved]))
        if new:
            learner, _ = learner.learn([documents[i] for i in new], labels[new])
        relabelled = {i for i, _ in moved}
        n_new, n_moved = len(set(new) - relabelled), len(relabelled)
        n_known = len(documents) - n_new - n_moved - n_copies
        summary = UpdateSummary(n_new, n_known, n_moved)
        if self.message_ids is not None:
            summary = replace(summary, copies=n_copies, conflicting=len(conflicts), conflicts=conflicts)
        return learner, summary

    def forget(self, documents: Sequence[str], labels: Array) -> tuple[Learner, UpdateSummary]:
        """Without some documents, as if they had never been learned."""
        self.require_sums()
        if self.pruned:
            raise ValueError("a pruned model cannot forget: the counts of rare words are no longer known. Train anew.")
        if not self.counts_are_exact:
            raise ValueError("a model of weighted documents cannot forget: what a document weighed is not known")
        classes, class_ids = unique_classes(in_kind_of(self._labels, labels))
        summary = UpdateSummary(forgotten=len(documents))
        counts = self.counts_of(self.count(documents), class_ids, classes)
        if self.ledger is None:
            return replace(self.settled(), base=self.counts - counts), summary
        entries, ids = Ledger.of(documents, class_ids, classes), self.message_ids
        there = self.ledger.has(entries)
        if not there.all():
            missing = np.isin(document_keys(hashes(documents), class_ids), entries.keys[~there])
            i = int(np.flatnonzero(missing)[-1])
            raise NotLearned(i, documents[i], str(labels[i]))
        if ids is not None:
            ids = ids - Ledger.of_message_ids(documents, class_ids, classes)
        learner = replace(self, forgotten=self.forgotten + counts, ledger=self.ledger - entries, message_ids=ids)
        return (learner if learner.ledger else learner.settled()), summary

    def merged(self, other: Learner) -> Learner:
        """With all documents of another learner of the same settings."""
        self.require_sums()
        differences = self.recipe.differences(other.recipe)
        if differences:
            listed = "; ".join(
                f"{name} is {mine!r:.60}, and {theirs!r:.60}" for name, (mine, theirs) in differences.items()
            )
            raise ValueError(f"models with different settings cannot be merged: {listed}. {COUNT_ALIKE}")
        a, b = self.counts, other.counts
        if a.fixed != b.fixed or (a.fixed and a.terms != b.terms):
            raise ValueError("models with different given vocabularies cannot be merged")
        both = a + b
        if self.reference != other.reference or not _same_frozen(a, b, both):
            raise ValueError(
                f"models with another idf, or other words that count as unknown, cannot be merged. {COUNT_ALIKE}"
            )
        return Learner(
            self.recipe,
            both,
            self.reference,
            sum_of(self.ledger, other.ledger),
            self.pruned or other.pruned,
            message_ids=sum_of(self.message_ids, other.message_ids),
        )


def _same_frozen(a: TextCounts, b: TextCounts, both: TextCounts) -> bool:
    """Whether the terms of two models have the same reference frequencies."""
    return all(
        np.array_equal(both.frozen[both.terms.locate(one.terms)], one.frozen)
        and np.count_nonzero(one.frozen) == np.count_nonzero(both.frozen)
        for one in (a, b)
    )
