"""The result of a report: all that its page shows, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textnb.workflow.metrics import Evaluation, wilson_interval
from textnb.workflow.reporting.confused_pairs import ConfusedPair
from textnb.workflow.reporting.documents import Cell, ShownDocument
from textnb.workflow.reporting.learning_curves import LearningCurve
from textnb.workflow.reporting.paired_comparison import PairedComparison
from textnb.workflow.reporting.slices import Slice
from textnb.workflow.reporting.thresholds import ThresholdCurve
from textnb.workflow.results import EvaluationResult


@dataclass(frozen=True)
class SuspectedLabel:
    """A document that another class explains better than its label, by `margin` a word; document and class numbers."""

    document: int
    suggested: int
    margin: float | None

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class DuplicatePair:
    """Two documents that are nearly the same; the second has a number if it is shown."""

    first: int
    second: int | None
    second_where: str
    second_label: str
    is_learned: bool
    similarity: float

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class DuplicateSummary:
    """Near duplicates among the documents tested on, and of learned ones.

    Attributes
    ----------
    n_pairs : pairs of which one or both are tested
    n_with_learned : tested documents that are nearly the same as a learned one; None where nobody knows
    n_other_class : pairs with different labels
    accuracy_without : without those of `n_with_learned`; None where there are no others
    pairs : some of them, those with different labels first
    """

    n_pairs: int = 0
    n_with_learned: int | None = None
    n_other_class: int = 0
    accuracy_without: float | None = None
    pairs: tuple[DuplicatePair, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "pairs": [pair.to_json() for pair in self.pairs]}


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportResult:
    """What a model does on documents, in figures and by examples. Documents are numbered as they are shown.

    Attributes
    ----------
    result : EvaluationResult, as `evaluate` gives it
    n_documents, n_terms : what the model has learned from; None for terms of a table
    confidence_histogram : how many documents have the probability of their most probable class in each of 20 bins
    texts : whether texts and terms of documents are there
    confident_errors : numbers of the documents that were named wrongly with the highest probability
    top_words : of each class, the terms that speak most for it, with their weights
    """

    result: EvaluationResult
    n_documents: int
    n_terms: int | None
    confidence_histogram: list[int]
    texts: bool
    documents: list[ShownDocument]
    cells: list[Cell]
    confident_errors: list[int]
    suspected_labels: list[SuspectedLabel]
    near_duplicates: DuplicateSummary
    confused_pairs: list[ConfusedPair]
    thresholds: list[ThresholdCurve]
    intervals: dict[str, tuple[float, float] | None]  # of figures other than the accuracy
    slices: list[Slice]
    top_words: list[list[tuple[str, float]]]
    learning_curve: LearningCurve
    comparison: PairedComparison | None

    @property
    def evaluation(self) -> Evaluation:
        assert self.result.evaluation is not None
        return self.result.evaluation

    def to_json(self) -> dict[str, Any]:
        """The same by name, in plain Python types: what the page is drawn from."""
        result, learned, evaluation = self.result, self.result.learned, _with_intervals(self.evaluation)
        return {
            "title": f"{result.corpus}: {result.edition}",
            "model": {
                "file": result.model_file,
                "settings": result.settings,
                "n_documents": self.n_documents,
                "n_terms": self.n_terms,
                "calibrated": result.calibration is not None,
            },
            "corpus": result.corpus,
            "edition": result.edition,
            "evaluated_on": result.evaluated_on,
            "n": self.evaluation.n,
            "n_train": result.n_train,
            "n_learned_skipped": 0 if learned is None else learned.n_skipped,
            "n_learned_tested": 0 if learned is None else learned.n_tested,
            "classes": self.evaluation.classes,
            "evaluation": evaluation
            | {name: None if bounds is None else list(bounds) for name, bounds in self.intervals.items()},
            "raw_reliability": evaluation.pop("raw_reliability", None),
            "confidence_histogram": self.confidence_histogram,
            "decisions": None if result.decisions is None else result.decisions.to_json(),
            "texts": self.texts,
            "documents": [document.to_json() for document in self.documents],
            "cells": [cell.to_json() for cell in self.cells],
            "confident_errors": self.confident_errors,
            "suspected_labels": [suspected.to_json() for suspected in self.suspected_labels],
            "near_duplicates": self.near_duplicates.to_json(),
            "confused_pairs": [pair.to_json() for pair in self.confused_pairs],
            "thresholds": [curve.to_json() for curve in self.thresholds],
            "slices": [part.to_json() for part in self.slices],
            "top_words": [[list(word) for word in words] for words in self.top_words],
            "learning_curve": self.learning_curve.to_json(),
            "comparison": None if self.comparison is None else self.comparison.to_json(),
            "skipped": [problem._asdict() for problem in result.problems],
        }


def _with_intervals(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation whose rows of classes have intervals of 95 %; None for a share of no documents."""
    n_named = evaluation.confusion_matrix.sum(axis=0).tolist()
    rows = [
        {
            **row,
            "recall_interval": _interval(row["recall"], row["support"]),
            "precision_interval": _interval(row["precision"], n),
        }
        for row, n in zip(evaluation.per_class, n_named, strict=True)
    ]
    return {**evaluation.to_json(), "per_class": rows}


def _interval(share: float, n: int) -> list[float] | None:
    return list(wilson_interval(share, n)) if n else None
