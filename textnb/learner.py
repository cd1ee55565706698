"""A text model as the counts it is made of: documents are learned, forgotten and merged exactly. numpy alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from textnb.likelihood.bernoulli import bernoulli_rule
from textnb.likelihood.complement import complement_rule, complement_weights
from textnb.likelihood.multinomial import multinomial_log_probability, multinomial_rule
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.rules import LinearRule
from textnb.likelihood.smoothing import check_alpha
from textnb.predictor import Predictor
from textnb.statistics.counts import ClassCounts, sorted_union, unique_classes
from textnb.statistics.ledger import Ledger, document_keys, hashes
from textnb.statistics.text_counts import CountsInTheMaking, TextCounts, totals_by_class
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all
from textnb.text.documents import text_blocks
from textnb.text.frozen import LEFT_OUT, UNIT, Reference, freeze, frozen_idf, stands_in, unknown_idf, weigh_frozen
from textnb.text.learning import Limits, kept_ids
from textnb.text.rows import Array, SparseRows
from textnb.text.sorted_terms import SortedTerms
from textnb.text.vocabulary import Vocabulary
from textnb.text.weights import Weighting

MODELS = ("multinomial", "complement", "bernoulli")
EMPTY_VOCABULARY = "empty vocabulary; perhaps the documents only contain stop words"


@dataclass(frozen=True, eq=False)
class Recipe:
    """How documents are counted, and how a rule is derived from their counts."""

    analyzer: Analyzer
    model: str
    weights: str
    unknown: bool
    limits: Limits
    alpha: float | Array
    fit_prior: bool
    class_prior: Any
    norm: bool
    n_jobs: int | None = None

    @property
    def weighting(self) -> str:
        """A Bernoulli model looks only at which terms occur."""
        return "binary" if self.model == "bernoulli" else self.weights

    @property
    def is_tfidf(self) -> bool:
        return self.weighting.endswith("tfidf")

    @property
    def needs_reference(self) -> bool:
        """Whether what a document adds depends on others: on idf, or on which words count as unknown.

        Of plain counts, unknown words are counted when the rule is derived.
        """
        return self.is_tfidf or (self.weighting == "binary" and self.unknown)

    def difference(self, other: Recipe) -> tuple[str, Any, Any] | None:
        """A setting in which two recipes differ: its name and its values; the number of threads is none."""
        theirs = other._settings()
        for name, mine in self._settings().items():
            value = theirs[name]
            same = mine is value or np.array_equal(mine, value)
            if name in ("min_df", "max_df"):  # 1 is one document, 1.0 all of them
                same = same and isinstance(mine, float) == isinstance(value, float)
            if not same:
                return name, mine, value
        return None

    def _settings(self) -> dict[str, Any]:
        """By the names that users know them by."""
        parts = (self, self.analyzer, self.limits)
        found = {field.name: getattr(part, field.name) for part in parts for field in fields(part)}
        found["analyzer"] = found.pop("kind")
        return {name: value for name, value in found.items() if name not in ("limits", "n_jobs")}


class Counted(NamedTuple):
    """Documents as rows of counts of their terms, and how many terms each has outside a given vocabulary, (n,)."""

    ids: dict[Any, int]  # sorted
    rows: SparseRows
    outside: Array


class Weighed(NamedTuple):
    """The same in what they weigh, and what each of their terms is weighed by."""

    rows: SparseRows
    outside: Array  # (n,): under <UNK>
    frozen: Array  # (V,)


@dataclass(frozen=True)
class Learned:
    """What became of documents; None where it could not have."""

    learned: int | None = None
    known: int | None = None  # they had been learned already
    moved: int | None = None  # from another label
    forgotten: int | None = None


@dataclass(frozen=True, eq=False)
class Derived:
    """A rule, and what it was derived from: the terms within the limits, sorted, and `<UNK>` last if there is one."""

    keep: Array  # (V,): which terms of the counts these are
    statistics: ClassCounts
    rule: LinearRule
    log_prior: Array
    idf: Array | None
    prior_in_joint: bool


class Learner:
    """Counts, what they are weighed by, and the ledger. Whatever is learned in whatever order, the sum is the same."""

    def __init__(
        self,
        recipe: Recipe,
        counts: TextCounts | None = None,
        *,
        reference: Reference | None = None,
        ledger: Ledger | None = None,
        pruned: bool = False,
    ) -> None:
        self.recipe = recipe
        self.reference = reference
        self.ledger = ledger
        self.kept: list[Counted] | None = None  # a list takes the rows of all that is learned
        self.pruned = pruned  # whether rare terms have lost their names, and nothing can be forgotten any more
        self._base = TextCounts.nothing() if counts is None else counts
        self._learned, self._forgotten = CountsInTheMaking(), CountsInTheMaking()
        self._labels = self._base.classes  # of one kind, which is seen here before anything is added

    def copy(self) -> Learner:
        """One that can be changed without changing this one."""
        return Learner(self.recipe, self.counts, reference=self.reference, ledger=self.ledger, pruned=self.pruned)

    def blank(self) -> Learner:
        """One that would weigh documents alike, and has learned nothing."""
        counts = self.counts
        settled = np.ones(len(counts.terms), dtype=bool) if counts.fixed else counts.frozen != 0
        terms = TextCounts.nothing(counts.terms.select(settled), counts.frozen[settled], fixed=counts.fixed)
        ledger = None if self.ledger is None else Ledger.nothing()
        return Learner(self.recipe, terms, reference=self.reference, ledger=ledger)

    @property
    def counts(self) -> TextCounts:
        """All that was learned and not forgotten."""
        if not self._learned.is_empty:
            self._base, self._learned = self._base + self._learned.total(), CountsInTheMaking()
        if not self._forgotten.is_empty:
            self._base, self._forgotten = self._base - self._forgotten.total(), CountsInTheMaking()
        return self._base

    def start_from(self, counts: TextCounts) -> None:
        """Take on counts before anything is learned."""
        self._base = counts

    @property
    def vocabulary_is_given(self) -> bool:
        return self._base.fixed

    # Counting

    def count(self, documents: Sequence[str]) -> Counted:
        """Terms as they come, or those of a given vocabulary."""
        ids, rows = count_all(documents, self.recipe.analyzer, self.recipe.n_jobs)
        if not self._base.fixed:
            return Counted(ids, rows, np.zeros(len(documents), dtype=np.int64))
        known = self._base.terms.find(list(ids)) >= 0
        inside = rows.select_columns(known)
        return Counted(kept_ids(ids, known), inside, rows.row_sums() - inside.row_sums())

    def freeze(self, counted: Counted) -> None:
        """From now on, idf and what counts as unknown are those of these documents."""
        rows = counted.rows
        self.freeze_terms(
            SortedTerms(counted.ids),
            rows.document_frequency(),
            rows.column_sums(),
            rows.shape[0],
            some_outside=bool(counted.outside.any()),
        )
        if self.recipe.unknown and self.recipe.is_tfidf:
            self.freeze_unknown(self._with_unknown(counted))

    def freeze_terms(
        self,
        terms: SortedTerms,
        document_frequency: Array,
        occurrences: Array,
        n_documents: int,
        *,
        some_outside: bool = False,
    ) -> None:
        """The same from what is known of these terms, but for how many documents have unknown words."""
        every, _, at = self._base.terms.union(terms)
        frequency, occurring = np.zeros((2, len(every)), dtype=np.int64)
        frequency[at], occurring[at] = document_frequency, occurrences
        left_out = np.zeros(len(every), dtype=bool)
        if not self._base.fixed:
            if not len(every):
                raise ValueError(EMPTY_VOCABULARY)
            left_out = ~self.recipe.limits.kept(frequency, lambda: occurring, n_documents)
        stand_in = np.zeros_like(left_out)
        if self.recipe.unknown:
            stand_in = left_out if some_outside or left_out.any() else occurring == 1
        frozen = freeze(frequency, left_out, stand_in)
        self._base = TextCounts.nothing(every, frozen, fixed=self._base.fixed)
        self.reference = Reference(n_documents, 0)

    def freeze_unknown(self, document_frequency: int) -> None:
        assert self.reference is not None
        self.reference = replace(self.reference, unknown_frequency=document_frequency)

    def documents_with_unknown(self, documents: Sequence[str]) -> int:
        """How many of these documents have words that count as unknown."""
        return self._with_unknown(self.count(documents))

    def _with_unknown(self, counted: Counted) -> int:
        return int(np.count_nonzero(self._unknown(counted, self._frozen(counted.ids))))

    def _frozen(self, ids: dict[Any, int]) -> Array:
        """What these terms are weighed by: 0 for new ones."""
        at = self._base.terms.find(list(ids))
        frozen = np.zeros(len(ids), dtype=np.int64)
        frozen[at >= 0] = self._base.frozen[at[at >= 0]]
        return frozen

    def _unknown(self, counted: Counted, frozen: Array) -> Array:
        """How many unknown words each document has."""
        return counted.rows.select_columns(stands_in(frozen)).row_sums() + counted.outside

    def weigh(self, counted: Counted) -> Weighed:
        """Documents as rows of what they add."""
        rows, outside = counted.rows, counted.outside
        frozen = np.zeros(len(counted.ids), dtype=np.int64)
        if self.reference is not None:
            frozen = self._frozen(counted.ids)
            outside = self._unknown(counted, frozen)
        if self.recipe.is_tfidf:
            assert self.reference is not None
            rows, outside = weigh_frozen(
                rows,
                outside if self.recipe.unknown else None,
                frozen,
                self.reference,
                sublinear_tf=self.recipe.weighting == "log-tfidf",
                limited=bool((self._base.frozen & LEFT_OUT).any()),
            )
        elif self.recipe.weighting == "binary":
            rows, outside = rows.present(), np.minimum(outside, 1)
        return Weighed(rows, outside, frozen)

    def weighed(self, counted: Counted, class_ids: Array, classes: Array, weights: Array | None = None) -> TextCounts:
        """What these documents add."""
        rows, outside, frozen = self.weigh(counted)
        totals = totals_by_class(rows, class_ids, classes, weights)
        one_column = SparseRows(np.arange(len(outside) + 1), np.zeros(len(outside), dtype=np.int64), outside, 1)
        return TextCounts(
            classes,
            np.bincount(class_ids, weights=weights, minlength=len(classes)),
            len(class_ids),
            SortedTerms(counted.ids),
            totals,
            counted.rows.document_frequency(),
            totals.sum(axis=1) if rows is counted.rows and weights is None else counted.rows.column_sums(),
            totals_by_class(one_column, class_ids, classes, weights)[0],
            frozen,
        )

    # Learning

    def add(self, documents: Sequence[str], class_ids: Array, classes: Array, weights: Array | None = None) -> None:
        """Learn documents whose labels stand at these positions among the classes."""
        labels = sorted_union(self._labels, classes, "classes")
        counted = self.count(documents)
        if self.recipe.needs_reference and self.reference is None:
            self.freeze(counted)
        counts = self.weighed(counted, class_ids, classes, weights)
        if self.kept is not None:
            self.kept.append(counted)
        ledger = None if self.ledger is None else self.ledger + Ledger.of(documents, class_ids, classes)
        self._learned.add(counts)
        self._labels, self.ledger = labels, ledger

    def prune(self, most_terms: int) -> None:
        """Keep the names of so many terms at most. If there are more, half as many stay: the rest go to `<UNK>`.

        Terms that documents are weighed by keep theirs; where there are none, what was learned before counts too.
        """
        if self.reference is None and not self._base.fixed and len(self._base.terms):
            counts, self._base = self.counts, TextCounts.nothing()
            self._learned.add(counts)
        if self._learned.n_terms > most_terms:
            rest = self._learned.total().most_frequent(max(1, most_terms // 2))
            self._learned = CountsInTheMaking()
            self._learned.add(rest)
            self.pruned = True

    def fit(self, documents: Iterable[str], class_ids: Array, classes: Array, weights: Array | None = None) -> Learner:
        """Learn the first documents. Where they simply add up, a block is held at a time; idf needs them all."""
        start = 0
        for block in [list(documents)] if self.recipe.needs_reference else text_blocks(documents):
            these = slice(start, start + len(block))
            start = these.stop
            if start > len(class_ids):
                break
            self.add(block, class_ids[these], classes, None if weights is None else weights[these])
        if start != len(class_ids):
            raise ValueError(
                f"there are {len(class_ids)} labels for more or fewer documents: give each document one label"
            )
        if not len(self.counts.terms):
            raise ValueError(EMPTY_VOCABULARY)
        return self

    def learn(self, documents: Sequence[str], labels: Array, *, once: bool = False) -> Learned:
        """Learn documents; new words and classes simply arrive.

        With `once`, those that the ledger has are left, and those it has under another label move to this one.
        """
        if not once:
            classes, class_ids = unique_classes(labels)
            self.add(documents, class_ids, classes)
            return Learned(len(documents))
        ledger = self.ledger
        if ledger is None:
            raise ValueError(
                "to learn documents once needs the ledger of a model, and this one has none: train it with one "
                "(ledger=True, --ledger)"
            )
        sorted_union(self._labels, unique_classes(labels)[0], "classes")  # of one kind, before anything moves
        last = {digest: i for i, digest in enumerate(hashes(documents))}
        new, moved = [], []
        names = ledger.classes.tolist()
        for digest, i in last.items():
            there = {names[position]: count for position, count in ledger.labels_of(digest).items()}
            if labels[i] not in there:
                new.append(i)
            moved += [(i, label) for label, count in there.items() if label != labels[i] for _ in range(count)]
        if moved:
            self.forget([documents[i] for i, _ in moved], np.array([label for _, label in moved]))
        if new:
            self.learn([documents[i] for i in new], labels[new])
        relabelled = {i for i, _ in moved}
        n_new = len(set(new) - relabelled)
        return Learned(n_new, len(documents) - n_new - len(relabelled), len(relabelled))

    def forget(self, documents: Sequence[str], labels: Array) -> Learned:
        """Take documents away again, as if they had never been learned."""
        if self.pruned:
            raise ValueError("a pruned model cannot forget: the counts of rare words are no longer known. Train anew.")
        if not self.counts_are_exact:
            raise ValueError("a model of weighted documents cannot forget: what a document weighed is not known")
        classes, class_ids = unique_classes(labels)
        if self.ledger is not None:
            entries = Ledger.of(documents, class_ids, classes)
            there = self.ledger.has(entries)
            if not there.all():
                missing = np.isin(document_keys(hashes(documents), class_ids), entries.keys[~there])
                i = int(np.flatnonzero(missing)[-1])
                raise ValueError(
                    f"document {i} ({documents[i]!r:.60}) was not learned as {labels[i]!s}, or not so often: "
                    "it cannot be forgotten"
                )
            counts = self.weighed(self.count(documents), class_ids, classes)
            self._forgotten.add(counts)
            self.ledger = self.ledger - entries
            if not self.ledger:
                self._labels = self.counts.classes
        else:
            self._base = self.counts - self.weighed(self.count(documents), class_ids, classes)
        return Learned(forgotten=len(documents))

    @property
    def counts_are_exact(self) -> bool:
        return self._base.exact and self._learned.exact

    def merged(self, other: Learner) -> Learner:
        """All documents of both."""
        difference = self.recipe.difference(other.recipe)
        if difference is not None:
            name, mine, theirs = difference
            raise ValueError(
                f"models with different settings cannot be merged: {name} is {mine!r:.60}, and {theirs!r:.60}"
            )
        a, b = self.counts, other.counts
        if a.fixed != b.fixed or (a.fixed and a.terms != b.terms):
            raise ValueError("models with different given vocabularies cannot be merged")
        both = a + b
        if self.reference != other.reference or not _same_frozen(a, b, both):
            raise ValueError(
                "models with another idf, or other words that count as unknown, cannot be merged: "
                "start both from copies of one fitted model, or count parts like one (textnb count --like)"
            )
        ledger = None if self.ledger is None or other.ledger is None else self.ledger + other.ledger
        return Learner(self.recipe, both, reference=self.reference, ledger=ledger, pruned=self.pruned or other.pruned)

    def fix_vocabulary(self) -> None:
        """From now on no words arrive: what is outside the terms of the rule is unknown."""
        counts = self.counts
        if not counts.fixed:
            keep = self._kept(counts)
            outside = self._unknown_totals(counts, keep)
            self._base = replace(counts.fold(keep), outside=outside, fixed=True)

    # Deriving

    def derive(self) -> Derived:
        """The rule of what was learned."""
        recipe, counts = self.recipe, self.counts
        keep, statistics = self.statistics()
        idf = None
        if self.reference is not None and recipe.is_tfidf:
            idf = frozen_idf(counts.frozen[keep], self.reference)
            idf = np.append(idf, unknown_idf(self.reference)) if recipe.unknown else idf
        return Derived(
            keep,
            statistics,
            rule_of(recipe, statistics),
            class_log_prior(statistics.documents, learned=recipe.fit_prior, given=recipe.class_prior),
            idf,
            prior_in_joint=recipe.model != "complement" or len(counts.classes) == 1,
        )

    def statistics(self) -> tuple[Array, ClassCounts]:
        """Which terms a rule has, and what it is derived from: their totals, and those of `<UNK>`."""
        counts = self.counts
        if not counts.n_documents:
            raise ValueError("nothing is left of the model: all its documents were forgotten. Learn some first.")
        keep = self._kept(counts)
        if not keep.any():
            raise ValueError(EMPTY_VOCABULARY)
        totals = counts.totals if keep.all() else counts.totals[keep]
        if self.recipe.unknown:
            totals = np.vstack([totals, self._unknown_totals(counts, keep)])
        # One layout, however the counts came together: it is the order of adding up, to the last digit.
        totals = np.ascontiguousarray(totals)
        if self.recipe.is_tfidf:
            totals = totals * UNIT
        return keep, ClassCounts(counts.classes, counts.documents, totals.T)

    def _kept(self, counts: TextCounts) -> Array:
        """The terms within the limits; of a given vocabulary all."""
        keep = np.ones(len(counts.terms), dtype=bool)
        if counts.fixed:
            return keep
        seen = counts.document_frequency > 0
        if not self.recipe.limits.keep_everything and seen.any():
            seen[seen] = self.recipe.limits.kept(
                counts.document_frequency[seen], lambda: counts.occurrences[seen], counts.n_documents
            )
        return seen

    def _unknown_totals(self, counts: TextCounts, keep: Array) -> Array:
        """What stands for unknown words: what is left out or, where nothing is, the words seen once."""
        if self.reference is not None:
            return counts.outside
        if counts.outside.any() or not keep.all():
            return counts.outside + counts.totals[~keep].sum(axis=0)
        return counts.totals[counts.occurrences == 1].sum(axis=0)

    def predictor(self, derived: Derived) -> Predictor:
        ids = self.counts.terms.ids
        return Predictor(
            analyzer=self.recipe.analyzer,
            vocabulary=Vocabulary.of_ids(ids if derived.keep.all() else kept_ids(ids, derived.keep)),
            unknown=self.recipe.unknown,
            weighting=Weighting(self.recipe.weighting, derived.idf),
            rule=derived.rule,
            log_prior=derived.log_prior,
            prior_in_joint=derived.prior_in_joint,
            classes=derived.statistics.classes,
            n_jobs=self.recipe.n_jobs,
        )


def rule_of(recipe: Recipe, statistics: ClassCounts) -> LinearRule:
    """The rule of a count model."""
    totals = statistics.totals
    alpha = check_alpha(recipe.alpha, totals.shape[1])
    if recipe.model == "multinomial":
        return multinomial_rule(multinomial_log_probability(totals, alpha))
    if recipe.model == "complement":
        return complement_rule(complement_weights(totals, alpha, recipe.norm))
    return bernoulli_rule(totals, statistics.documents, alpha)


def _same_frozen(a: TextCounts, b: TextCounts, both: TextCounts) -> bool:
    """Whether the terms of two models are weighed alike."""
    return all(
        np.array_equal(both.frozen[both.terms.find(list(one.terms.ids))], one.frozen)
        and np.count_nonzero(one.frozen) == np.count_nonzero(both.frozen)
        for one in (a, b)
    )
