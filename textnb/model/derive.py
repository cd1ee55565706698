"""From a learner's counts to a rule: which terms it has, their totals, and what it needs to predict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.likelihood.clear_terms import ClearTermsRule
from textnb.likelihood.families import Family
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.rules import ClassPart, LinearRule
from textnb.likelihood.smoothing import check_alpha
from textnb.model.calibration import Calibration
from textnb.model.learner import Learner
from textnb.model.policy import Policy
from textnb.statistics.counts import ClassCounts
from textnb.statistics.text_counts import TextCounts
from textnb.text.features import EMPTY_VOCABULARY, Features
from textnb.text.frozen import UNIT, frozen_idf, unknown_idf
from textnb.text.terms import TermTable
from textnb.text.weights import Weighting

if TYPE_CHECKING:
    from textnb.model.predictor import Predictor


@dataclass(frozen=True, eq=False)
class Derivation:
    """A learner's features and statistics, `<UNK>` last if there is one, and the per-class part of its rule."""

    learner: Learner
    keep: Array  # (V,): which terms of the counts are features
    statistics: ClassCounts
    class_part: ClassPart
    log_prior: Array

    @property
    def prior_in_score(self) -> bool:
        return self.learner.recipe.family.adds_prior(len(self.statistics.classes))

    @cached_property
    def family(self) -> Family:
        """The family, which knows the columns of the terms of headers."""
        return knowing_headers(self.learner.recipe.family, self.learner.counts.terms, self.keep)

    @cached_property
    def rule(self) -> LinearRule | ClearTermsRule:
        """The rule of all features."""
        if self.learner.rule is not None:
            return self.learner.rule
        statistics = self.statistics
        return self.family.rule(
            statistics.totals, statistics.documents, _alpha(self.learner, statistics), class_part=self.class_part
        )

    @cached_property
    def features(self) -> Features:
        return Features.kept(self.learner.counts.terms, self.keep)

    @property
    def idf(self) -> Array | None:
        """Inverse document frequency of each feature; None for other weights."""
        learner = self.learner
        if learner.reference is None or not learner.recipe.is_tfidf:
            return None
        idf = frozen_idf(learner.counts.frozen[self.keep], learner.reference)
        return np.append(idf, unknown_idf(learner.reference)) if learner.recipe.unknown else idf

    def predictor(self, calibration: Calibration | None = None, policy: Policy | None = None) -> Predictor:
        """What predicts with all of that in memory."""
        from textnb.model.predictor import Predictor

        recipe = self.learner.recipe
        return Predictor(
            analyzer=recipe.analyzer,
            features=self.features,
            unknown=recipe.unknown,
            weighting=Weighting(recipe.weighting, self.idf),
            rule=self.rule,
            log_prior=self.log_prior,
            prior_in_score=self.prior_in_score,
            classes=self.statistics.classes,
            calibration=calibration,
            policy=policy,
            n_jobs=recipe.n_jobs,
            constant=recipe.family.constant,
        )


def derive(learner: Learner) -> Derivation:
    """The rule of what was learned, but for the weights, which follow when they are needed."""
    recipe, counts = learner.recipe, learner.counts
    if not counts.n_documents:
        raise ValueError("nothing is left of the model: all its documents were forgotten. Learn some first.")
    keep = kept_terms(learner)
    if not keep.any():
        raise ValueError(EMPTY_VOCABULARY)
    statistics = _statistics(learner, keep)
    alpha = _alpha(learner, statistics)
    if alpha == 0:  # not every family has a rule then
        recipe.family.rule(statistics.totals, statistics.documents, alpha)
    return Derivation(
        learner,
        keep,
        statistics,
        recipe.family.class_part(statistics.totals, statistics.documents, alpha, recipe.norm),
        class_log_prior(statistics.documents, learned=recipe.fit_prior, given=recipe.class_prior),
    )


def knowing_headers(family: Family, terms: TermTable, keep: Array | None = None) -> Family:
    """The family with the columns of terms of headers, which start with a capital letter of ASCII: they are one run.

    Columns are the positions of the terms or, given a mask, the positions among those kept.
    """
    if family.clarity is None:
        return family
    headers = terms.between("A", "[")
    if keep is not None:
        headers = int(np.count_nonzero(keep[: headers[0]])), int(np.count_nonzero(keep[: headers[1]]))
    return family.with_clarity(headers=headers)


def kept_terms(learner: Learner) -> Array:
    """The mask of the terms within the limits; of a given vocabulary all."""
    counts, limits = learner.counts, learner.recipe.limits
    if counts.fixed:
        return np.ones(len(counts.terms), dtype=bool)
    keep = counts.document_frequency > 0
    if not limits.keep_everything and keep.any():
        seen = keep.copy()
        keep[seen] = limits.kept(counts.document_frequency[seen], lambda: counts.occurrences[seen], counts.n_documents)
    return keep


def fix_vocabulary(learner: Learner) -> Learner:
    """The learner to which no words arrive any more: what is outside the features is unknown.

    A word that arrived after the idf was fixed counts in the length of its documents. Where it is left out now, what
    they weighed is not known any more, and they cannot be forgotten.
    """
    from dataclasses import replace

    counts = learner.counts
    if counts.fixed:
        return learner
    keep = kept_terms(learner)
    base = replace(counts.fold(keep), outside=unknown_totals(learner, keep), fixed=True)
    changes_lengths = learner.recipe.is_tfidf and bool((counts.frozen[~keep] == 0).any())
    return replace(learner.settled(), base=base, pruned=learner.pruned or changes_lengths)


def unknown_totals(learner: Learner, keep: Array) -> Array:
    """Totals of unknown words, (K,): of the terms left out or, where none is, of the words seen once."""
    counts: TextCounts = learner.counts
    if learner.reference is not None:
        return counts.outside
    if counts.outside.any() or not keep.all():
        return counts.outside + counts.totals.take_rows(np.flatnonzero(~keep)).column_sums()
    return counts.totals.take_rows(np.flatnonzero(counts.occurrences == 1)).column_sums()


def _statistics(learner: Learner, keep: Array) -> ClassCounts:
    """The totals that a rule is derived from: of its terms, and of `<UNK>`."""
    counts = learner.counts
    totals = counts.totals if keep.all() else counts.totals.take_rows(np.flatnonzero(keep))
    if learner.recipe.unknown:
        totals = totals.append_row(unknown_totals(learner, keep))
    if learner.recipe.is_tfidf:
        totals = totals.with_data(totals.data * UNIT)
    return ClassCounts(counts.classes, counts.documents, totals)


def _alpha(learner: Learner, statistics: ClassCounts) -> float | Array:
    return check_alpha(learner.recipe.alpha, statistics.totals.shape[0])


@dataclass(frozen=True, eq=False)
class TouchedRule:
    """A rule over counts that are read when they are needed: it derives the weights of the terms that documents have.

    Scores are those of the whole rule, to the last digit.
    """

    family: Family
    totals: Callable[[Array], SparseRows]  # of the features with these ids, (n, K)
    documents: Array
    alpha: float
    class_part: ClassPart

    def log_likelihood(self, rows: SparseRows) -> Array:
        rule, own = self._narrowed(rows)
        return rule.log_likelihood(own)

    def contributions(self, rows: SparseRows) -> tuple[Array, Array]:
        """As those of the whole rule."""
        rule, own = self._narrowed(rows)
        return rule.contributions(own)

    def of_columns(self, columns: Array) -> LinearRule | ClearTermsRule:
        """The rule of some columns, ascending."""
        totals = self.totals(columns)
        return self.family.rule(totals, self.documents, self.alpha, class_part=self.class_part, columns=columns)

    def _narrowed(self, rows: SparseRows) -> tuple[LinearRule | ClearTermsRule, SparseRows]:
        """The rule of the columns that occur, and the rows in them."""
        touched, narrowed = rows.narrowed()
        return self.of_columns(touched), narrowed

    def lead(self, c: int) -> Array:
        raise ValueError("a model that is opened to predict has no weights of all its terms: load it with textnb.load")
