"""Tested documents by numbers of classes, and what a report says of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from textnb.arrays import Array
from textnb.selection.audit import suspicious_labels
from textnb.workflow.evaluation import EvaluatedDocuments, evaluate_probabilities
from textnb.workflow.metrics import Evaluation
from textnb.workflow.reporting.confused_pairs import ConfusedPair, misleading_rows, misleading_words
from textnb.workflow.reporting.intervals import Interval, auc_interval, macro_f1_interval, mean_interval
from textnb.workflow.reporting.paired_comparison import PairedComparison, where_they_differ
from textnb.workflow.reporting.scoring import ScoredDocuments
from textnb.workflow.reporting.thresholds import ThresholdCurve, threshold_curve

LISTED = 10  # confident errors, suspected labels, near duplicates
DIFFERENCES_SHOWN = 50
TOP_WORDS = 12


@dataclass(frozen=True, eq=False)
class View:
    """The documents tested on, by numbers of classes in the order of the evaluation."""

    tested: EvaluatedDocuments
    scored: ScoredDocuments
    evaluation: Evaluation
    true: Array  # (n,)
    predicted: Array  # (n,)
    confidence: Array  # (n,), the probability of the predicted class
    known: Array  # (K,), the number of each class of the model

    @classmethod
    def of(cls, tested: EvaluatedDocuments, scored: ScoredDocuments, evaluation: Evaluation) -> View:
        numbers = {name: c for c, name in enumerate(evaluation.classes)}
        known = np.array([numbers[str(label)] for label in tested.classifier.classes_.tolist()])
        best = scored.log_probabilities.argmax(axis=1)
        true = np.array([numbers[label] for label in tested.labels.tolist()])
        confidence = np.exp(scored.log_probabilities[np.arange(len(best)), best])
        return cls(tested, scored, evaluation, true, known[best], confidence, known)

    @cached_property
    def right(self) -> Array:
        return self.true == self.predicted

    @cached_property
    def own(self) -> Array:
        """The position of each document's label among the classes of the model, −1 if it does not know it, (n,)."""
        place = np.full(len(self.evaluation.classes), -1)
        place[self.known] = np.arange(len(self.known))
        return place[self.true]

    def intervals(self) -> dict[str, Interval | None]:
        """Of macro-F1, log-loss and AUC; the calibration error has none."""
        log_probabilities = self.scored.log_probabilities
        losses = np.where(self.own < 0, np.inf, -log_probabilities[np.arange(len(self.own)), self.own])
        found = {
            "macro_f1_interval": macro_f1_interval(self.evaluation.confusion_matrix),
            "log_loss_interval": mean_interval(losses),
        }
        if self.evaluation.auc is not None:
            first, second = log_probabilities.T
            found["auc_interval"] = auc_interval(self.own == 1, second - first)
        return found

    def confident_errors(self) -> list[int]:
        (wrong,) = np.nonzero(~self.right)
        return wrong[np.argsort(-self.confidence[wrong], kind="stable")][:LISTED].tolist()

    def suspected_labels(self) -> list[tuple[int, int, float]]:
        """Documents, classes that are suggested, and margins."""
        (judged,) = np.nonzero(self.own >= 0)
        found = suspicious_labels(self.scored.joint[judged], self.own[judged], self.scored.lengths[judged], self.known)
        return [(int(judged[one.position]), one.suggested, one.margin) for one in found[:LISTED]]

    def thresholds(self) -> list[ThresholdCurve]:
        probabilities = np.exp(self.scored.log_probabilities)
        return [
            threshold_curve(c, probabilities[:, column], self.true == c)
            for c, column in sorted((c, column) for column, c in enumerate(self.known.tolist()))
        ]

    def top_words(self, texts: bool) -> list[list[tuple[str, float]]]:
        words: list[list[tuple[str, float]]] = [[] for _ in self.evaluation.classes]
        if texts and self.scored.predictor is not None:
            for c, terms in zip(self.known.tolist(), self.scored.predictor.top_terms(TOP_WORDS).values(), strict=True):
                words[c] = [(str(term), round(weight, 4)) for term, weight in terms]
        return words

    def with_words(self, pair: ConfusedPair, shown: Array) -> ConfusedPair:
        """The words that mislead in the documents of a pair; of a table, in those shown."""
        columns = self.known.tolist()
        if pair.true not in columns:
            return pair
        members = np.flatnonzero((self.true == pair.true) & (self.predicted == pair.predicted))
        right, wrong = columns.index(pair.true), columns.index(pair.predicted)
        if self.scored.predictor is not None and self.scored.rows is not None:
            words = misleading_words(self.scored.predictor, self.scored.rows.take_rows(members), right, wrong)
        else:
            labels = self.tested.classifier.classes_.tolist()
            both = np.intersect1d(members, shown).tolist()
            words = misleading_rows(self.scored.explain(i, labels[wrong], labels[right]) for i in both)
        return replace(pair, words=words)

    def compare(
        self, other: EvaluatedDocuments | None, scored: ScoredDocuments | None
    ) -> tuple[list[int], PairedComparison | None]:
        """The documents that are shown because a second model differs on them, and its comparison, by position."""
        if other is None or scored is None:
            return [], None
        evaluation, _ = evaluate_probabilities(other.classifier, scored.log_probabilities, other.labels)
        best = scored.log_probabilities.argmax(axis=1)
        named = [str(label) for label in other.classifier.classes_[best].tolist()]
        classes = [*self.evaluation.classes, *sorted(set(named).difference(self.evaluation.classes))]
        position = {name: c for c, name in enumerate(classes)}
        second = np.array([position[name] for name in named])
        confidence = np.exp(scored.log_probabilities[np.arange(len(best)), best])
        first_right, second_right = self.right, self.true == second
        differ = where_they_differ(
            self.true, self.predicted, second, np.maximum(self.confidence, confidence), DIFFERENCES_SHOWN
        ).tolist()
        recalls = [
            (c, float(first_right[members].mean()), float(second_right[members].mean()))
            for c in range(len(self.evaluation.classes))
            if (members := self.true == c).any()
        ]
        return differ, PairedComparison(
            model_file=other.model_file,
            settings=other.columns.settings(other.classifier),
            evaluation=evaluation,
            both_right=int((first_right & second_right).sum()),
            only_first=int((first_right & ~second_right).sum()),
            only_second=int((~first_right & second_right).sum()),
            both_wrong=int((~first_right & ~second_right).sum()),
            recalls=tuple(recalls),
            classes=classes,
            others={i: (int(second[i]), round(float(confidence[i]), 6)) for i in differ},
        )
