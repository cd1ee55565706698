"""A report of a model on labelled documents: the evaluation, and what there is to see behind its figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.corpora.rows import ReadOptions
from textnb.estimators.text_model import TextModel
from textnb.model.explanation import Explanation, finite
from textnb.selection.audit import suspicious_labels
from textnb.workflow.confused_pairs import ConfusedPair, misleading_rows, misleading_words, most_confused_pairs
from textnb.workflow.evaluation import EvaluatedDocuments, documents_to_test, evaluate_probabilities
from textnb.workflow.inputs import ModelLike
from textnb.workflow.learning_curves import LearningCurve, learning_curve
from textnb.workflow.metrics import Evaluation, reliability_of
from textnb.workflow.paired_comparison import PairedComparison, where_they_differ
from textnb.workflow.progress import SILENT, Progress
from textnb.workflow.reading import CorpusLike
from textnb.workflow.report_documents import (
    ShownDocument,
    ShownExplanation,
    cells_of,
    class_numbers,
    cut,
    documents_to_show,
    numbered,
    shown_explanation,
)
from textnb.workflow.report_results import DuplicatePair, DuplicateSummary, ReportResult, SuspectedLabel
from textnb.workflow.scoring import ScoredDocuments, score, texts_of
from textnb.workflow.second_model import second_model
from textnb.workflow.slices import slices_of
from textnb.workflow.tested_duplicates import TestedDuplicates, find_duplicates
from textnb.workflow.threshold_curves import threshold_curve

LISTED = 10  # confident errors, suspected labels, near duplicates
DIFFERENCES_SHOWN = 50
TOP_WORDS = 12
BINS = 20
NO_LEDGER = "the model has no ledger of the documents that it has learned"
NOT_OF_TABLES = "models of several columns have no learning curve"


def report(
    model: ModelLike,
    corpus: CorpusLike,
    subset: str | None = None,
    *,
    options: ReadOptions | None = None,
    label: str | None = None,
    include_learned: bool = False,
    compare: ModelLike | None = None,
    texts: bool = True,
    progress: Progress = SILENT,
) -> ReportResult:
    """Evaluate a model as `evaluate` does, and look behind the figures.

    Parameters
    ----------
    model, corpus, subset, options, label, include_learned, progress
        As in `evaluate`.
    compare : path, TextClassifier or MixedNB, optional
        A second model, on the same documents: those that neither has learned.
    texts : bool, default=True
        Whether the result has texts of documents, and terms: not where they are private.

    Returns
    -------
    ReportResult
        Whose `to_json` is all that the page of a report shows.

    Examples
    --------
    >>> from textnb import TextClassifier
    >>> from textnb.corpora.corpus import make_corpus
    >>> classifier = TextClassifier().fit(["cheap pills", "cheap watches", "lunch at noon?"], ["spam", "spam", "ham"])
    >>> later = make_corpus("later", ["cheap cheap lunch", "noon", "cheap lunch"], ["spam", "ham", "ham"], "made up")
    >>> found = report(classifier, later)
    >>> [(found.documents[i].text, found.documents[i].probability > 0.5) for i in found.confident_errors]
    [('cheap lunch', True)]
    """
    tested = documents_to_test(
        model, corpus, subset, options=options, label=label, include_learned=include_learned, progress=progress
    )
    other = None
    if compare is not None:
        tested, other = second_model(
            tested, compare, corpus, options=options, label=label, include_learned=include_learned, progress=progress
        )
    return report_on(tested, _learned_rows(tested), other=other, texts=texts, progress=progress)


def _learned_rows(tested: EvaluatedDocuments) -> Array | None:
    """Positions of documents of the corpus that the model has learned; None where nobody knows."""
    ledger = getattr(getattr(tested.classifier, "learner_", None), "ledger", None)
    return None if ledger is None else np.flatnonzero(ledger.accounts_for(tested.corpus.texts))


def report_on(
    tested: EvaluatedDocuments,
    learned: Array | None,
    *,
    other: EvaluatedDocuments | None = None,
    texts: bool = True,
    progress: Progress = SILENT,
) -> ReportResult:
    """The report of a model on prepared documents, given the positions of those in the corpus that it has learned."""
    scored = score(tested, progress)
    evaluation, decisions = evaluate_probabilities(tested.classifier, scored.log_probabilities, tested.labels)
    view = _View.of(tested, scored, evaluation)
    progress.status("comparing documents with one another …")
    duplicates = None
    if scored.texts is not None:
        corpus_texts = tested.columns.texts_of(tested.corpus)
        duplicates = find_duplicates(corpus_texts, scored.words, tested.rows, learned)
    second = None if other is None else score(other, progress)

    errors = view.confident_errors()
    suspected = view.suspected_labels()
    pairs = _listed_pairs(tested, duplicates)
    differing, compare = view.compare(other, second)
    position = {row: i for i, row in enumerate(tested.rows.tolist())}
    in_pairs = [position[row] for pair in pairs for row in (pair.first, pair.second) if row in position]
    wanted = [*errors, *(i for i, _, _ in suspected), *in_pairs, *differing]
    shown = documents_to_show(view.true, view.predicted, view.confidence, wanted)
    number = numbered(shown)
    explained = _Explained(view, texts, {*errors, *(i for i, _, _ in suspected)})
    documents = [
        explained.document(i, duplicates) for i in progress.each(shown.tolist(), len(shown), "explaining", " documents")
    ]
    progress.status("counting what misleads …")
    confused = most_confused_pairs(evaluation.confusion_matrix)
    if texts:
        confused = [view.with_words(pair, shown) for pair in confused]
    return ReportResult(
        result=tested.result(evaluation, decisions),
        n_documents=tested.columns.n_documents(tested.classifier),
        n_terms=None if scored.predictor is None else scored.predictor.features.n_columns,
        raw_reliability=view.raw_reliability(),
        confidence_histogram=np.histogram(view.confidence, BINS, (0, 1))[0].tolist(),
        texts=texts,
        documents=documents,
        cells=cells_of(view.true, view.predicted, view.confidence, shown),
        confident_errors=[number[i] for i in errors],
        suspected_labels=[SuspectedLabel(number[i], c, finite(margin)) for i, c, margin in suspected],
        near_duplicates=_duplicate_summary(tested, view, duplicates, pairs, learned, number),
        confused_pairs=confused,
        thresholds=view.thresholds(),
        slices=slices_of(
            view.right,
            view.true,
            evaluation.classes,
            n_words=None if duplicates is None else duplicates.n_words,
            unknown_share=scored.unknown_share,
            is_duplicate=None if duplicates is None else duplicates.is_repeated,
        ),
        top_words=view.top_words(texts),
        learning_curve=_learning_curve(tested, view, learned, progress),
        comparison=None
        if compare is None
        else replace(compare, others={number[i]: of for i, of in compare.others.items()}),
    )


@dataclass(frozen=True, eq=False)
class _View:
    """The documents tested on, by numbers of classes in the order of the evaluation."""

    tested: EvaluatedDocuments
    scored: ScoredDocuments
    evaluation: Evaluation
    true: Array  # (n,)
    predicted: Array  # (n,)
    confidence: Array  # (n,), the probability of the predicted class
    known: Array  # (K,), the number of each class of the model

    @classmethod
    def of(cls, tested: EvaluatedDocuments, scored: ScoredDocuments, evaluation: Evaluation) -> _View:
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

    def confident_errors(self) -> list[int]:
        (wrong,) = np.nonzero(~self.right)
        return wrong[np.argsort(-self.confidence[wrong], kind="stable")][:LISTED].tolist()

    def suspected_labels(self) -> list[tuple[int, int, float]]:
        """Documents, classes that are suggested, and margins."""
        (judged,) = np.nonzero(self.own >= 0)
        found = suspicious_labels(self.scored.joint[judged], self.own[judged], self.scored.lengths[judged], self.known)
        return [(int(judged[one.position]), one.suggested, one.margin) for one in found[:LISTED]]

    def raw_reliability(self) -> Any:
        raw = self.scored.raw_log_probabilities
        return None if raw is None else reliability_of(raw, self.own)

    def thresholds(self) -> list[Any]:
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
            found = (
                self.scored.explain(i, labels[wrong], labels[right]) for i in np.intersect1d(members, shown).tolist()
            )
            words = misleading_rows(why for why in found if why is not None)
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


class _Explained:
    """Makes of positions the documents that are shown."""

    def __init__(self, view: _View, texts: bool, flipped: set[int]) -> None:
        self.view, self.texts, self.flipped = view, texts, flipped
        self.labels = view.tested.classifier.classes_.tolist()
        self.numbers = class_numbers(self.labels, view.evaluation.classes)
        self.column = {c: column for column, c in enumerate(view.known.tolist())}
        columns = getattr(view.tested.columns, "texts", None)
        self.source = columns[0] if columns else None  # the column of a table whose text is shown

    def document(self, i: int, duplicates: TestedDuplicates | None) -> ShownDocument:
        view, scored = self.view, self.view.scored
        true, predicted = int(view.true[i]), int(view.predicted[i])
        shown = full = None
        if self.texts and scored.texts is not None:
            full = scored.texts[i]
            shown = cut(full)
        against = self.column[true] if true != predicted and true in self.column else None
        why = self._why(i, predicted, against) if self.texts else None
        own = int(view.own[i])
        flip = why.what_would_flip() if why is not None and i in self.flipped else None
        return ShownDocument(
            where=view.tested.corpus.place(int(view.tested.rows[i])),
            true=true,
            predicted=predicted,
            probability=round(float(view.confidence[i]), 6),
            true_probability=None if own < 0 else round(float(np.exp(scored.log_probabilities[i, own])), 6),
            n_words=0 if duplicates is None else int(duplicates.n_words[i]),
            unknown_share=None if scored.unknown_share is None else round(float(scored.unknown_share[i]), 4),
            text=shown,
            is_cut=shown is not None and shown != full,
            explanation=self._unexplained(i, predicted, against)
            if why is None
            else shown_explanation(why, self.numbers, shown, self.source),
            flip=None if flip is None else (flip.words, self.numbers[flip.label]),
        )

    def _why(self, i: int, predicted: int, against: int | None) -> Explanation | None:
        other = None if against is None else self.labels[against]
        return self.view.scored.explain(i, self.labels[self.column[predicted]], other)

    def _unexplained(self, i: int, predicted: int, against: int | None) -> ShownExplanation:
        """The log-odds alone."""
        joint, c = self.view.scored.joint[i], self.column[predicted]
        if against is None and len(joint) > 1:
            others = np.delete(np.arange(len(joint)), c)
            against = int(others[joint[others].argmax()])
        with np.errstate(invalid="ignore"):
            odds = finite(float(joint[c] if against is None else joint[c] - joint[against]))
        odds = None if odds is None else round(odds, 4)
        return ShownExplanation(
            predicted, None if against is None else int(self.view.known[against]), odds, rest=(0, odds)
        )


def _listed_pairs(tested: EvaluatedDocuments, duplicates: TestedDuplicates | None) -> list[Any]:
    """The near duplicates that are listed, those with different labels first."""
    labels = tested.corpus.labels
    pairs = [] if duplicates is None else duplicates.pairs
    return sorted(pairs, key=lambda pair: bool(labels[pair.first] == labels[pair.second]))[:LISTED]


def _duplicate_summary(
    tested: EvaluatedDocuments,
    view: _View,
    duplicates: TestedDuplicates | None,
    listed: list[Any],
    learned: Array | None,
    number: dict[int, int],
) -> DuplicateSummary:
    if duplicates is None:
        return DuplicateSummary()
    corpus, repeated = tested.corpus, duplicates.is_repeated
    is_learned = np.zeros(len(corpus), dtype=np.bool_)
    if learned is not None:
        is_learned[learned] = True
    position = {row: i for i, row in enumerate(tested.rows.tolist())}
    return DuplicateSummary(
        n_pairs=len(duplicates.pairs),
        n_with_learned=None if repeated is None else int(repeated.sum()),
        n_other_class=sum(bool(corpus.labels[pair.first] != corpus.labels[pair.second]) for pair in duplicates.pairs),
        accuracy_without=None if repeated is None or repeated.all() else float(view.right[~repeated].mean()),
        pairs=tuple(
            DuplicatePair(
                first=number[position[pair.first]],
                second=number[position[pair.second]] if pair.second in position else None,
                second_where=corpus.place(pair.second),
                second_label=str(corpus.labels[pair.second]),
                is_learned=bool(is_learned[pair.second]),
                similarity=round(pair.similarity, 4),
            )
            for pair in listed
        ),
    )


def _learning_curve(
    tested: EvaluatedDocuments, view: _View, learned: Array | None, progress: Progress
) -> LearningCurve:
    model, texts = tested.classifier, view.scored.texts
    if not isinstance(model, TextModel) or texts is None:
        return LearningCurve(why_not=NOT_OF_TABLES)
    if learned is None:
        return LearningCurve(why_not=NO_LEDGER)
    is_all = len(learned) == tested.columns.n_documents(model)  # then the model itself is that of all documents
    return learning_curve(
        model,
        texts_of(tested, learned),
        tested.corpus.labels[learned],
        texts,
        tested.labels,
        view.evaluation.accuracy if is_all else None,
        progress,
    )
