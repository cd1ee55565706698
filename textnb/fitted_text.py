"""What a text classifier has learned, and what is derived from that when it is first asked for."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from textnb.decision import Calibration
from textnb.learner import Derived, Learner
from textnb.likelihood.rules import LinearRule
from textnb.policy import Policy
from textnb.predictor import Predictor
from textnb.statistics.counts import ClassCounts
from textnb.text.rows import Array
from textnb.text.vocabulary import Vocabulary


class FittedText:
    """A learner, its rule, and the columns that its terms have had since it was fitted.

    Prediction adds up in the order of the sorted terms, so that its digits depend on nothing else. To users a term has
    the column it got when it arrived: it keeps that, and those of later terms come after. A file of format 1 has
    no learner: only a predictor, and what its rule was derived from.
    """

    def __init__(
        self,
        learner: Learner | None,
        calibration: Calibration | None = None,
        policy: Policy | None = None,
        *,
        ids: Vocabulary | None = None,
        predictor: Predictor | None = None,
        statistics: ClassCounts | None = None,
    ) -> None:
        self._learner = learner
        self.calibration, self.policy = calibration, policy
        self._ids = ids
        if predictor is not None:
            self.predictor = predictor  # instead of what would be derived
        self._old_statistics = statistics

    @property
    def learner(self) -> Learner:
        if self._learner is None:
            raise ValueError(
                "the model was saved by an older textnb, without all its counts: it can predict, and no more. Fit anew."
            )
        return self._learner

    def followed_by(self, learner: Learner) -> FittedText:
        """The same after more was learned or forgotten: columns that somebody may have seen stay."""
        ids = self.ids if "predictor" in self.__dict__ else self._ids
        return FittedText(learner, self.calibration, self.policy, ids=ids)

    def with_policy(self, policy: Policy | None) -> FittedText:
        """The same, deciding by a policy."""
        predictor = replace(self.predictor, policy=policy)
        other = FittedText(
            self._learner, self.calibration, policy, ids=self._ids, predictor=predictor, statistics=self._old_statistics
        )
        if "derived" in self.__dict__:
            other.derived = self.derived
        return other

    @cached_property
    def derived(self) -> Derived:
        return self.learner.derive()

    @cached_property
    def predictor(self) -> Predictor:
        derived = self.learner.predictor(self.derived)
        return replace(derived, calibration=self.calibration, policy=self.policy)

    @property
    def classes(self) -> Array:
        return self.predictor.classes if self._learner is None else self._learner.counts.classes

    @property
    def n_documents(self) -> int:
        return int(self.old_statistics.documents.sum()) if self._learner is None else self._learner.counts.n_documents

    @property
    def old_statistics(self) -> ClassCounts:
        assert self._old_statistics is not None
        return self._old_statistics

    @property
    def ids(self) -> Vocabulary:
        """The columns of all terms that there have been."""
        terms = self.predictor.vocabulary.terms()
        if self._ids is None:
            self._ids = Vocabulary.of_ids(dict(zip(terms, range(len(terms)), strict=True)))
        for term in terms:
            self._ids.add(term)
        return self._ids

    @property
    def vocabulary(self) -> dict[str, int]:
        """The columns of the terms that there are."""
        ids, terms = self.ids, self.predictor.vocabulary.terms()
        return {term: ids[term] for term in terms} if len(ids) > len(terms) else dict(ids.ids)

    @property
    def columns(self) -> Array:
        """The column of each of the predictor's, `<UNK>` last of all."""
        columns = self.ids.find(self.predictor.vocabulary.terms())
        return np.append(columns, self.n_columns - 1) if self.predictor.unknown else columns

    @property
    def n_columns(self) -> int:
        return len(self.ids) + self.predictor.unknown

    @property
    def statistics(self) -> ClassCounts:
        """What the rule is derived from, in the columns that terms have; those of forgotten terms are 0."""
        if self._learner is None:
            return self.old_statistics
        _, found = self.learner.statistics()
        totals = np.zeros((self.n_columns, len(found.classes)), dtype=found.totals.dtype)
        totals[self.columns] = found.totals.T
        return ClassCounts(found.classes, found.documents, totals.T)

    @property
    def rule(self) -> LinearRule | None:
        """The rule in those columns where some are forgotten, and weigh nothing; None where none is."""
        if self._learner is None or len(self.columns) == self.n_columns:
            return None
        rule = self.predictor.rule
        weights = np.zeros((self.n_columns, len(self.classes)))
        weights[self.columns] = np.asarray(rule.weights)
        return replace(rule, weights=weights, impossible=None)
