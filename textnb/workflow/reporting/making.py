"""A report of a model on labelled documents: the evaluation, and what there is to see behind its figures."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.corpora.rows import ReadOptions
from textnb.estimators.text_model import TextModel
from textnb.model.explanation import finite
from textnb.workflow.evaluation import EvaluatedDocuments, documents_to_test, evaluate_probabilities
from textnb.workflow.inputs import ModelLike
from textnb.workflow.metrics import DecisionEvaluation
from textnb.workflow.progress import SILENT, Progress, hears_steps
from textnb.workflow.reading import CorpusLike
from textnb.workflow.reporting.confused_pairs import most_confused_pairs
from textnb.workflow.reporting.documents import (
    cells_of,
    documents_to_show,
    numbered,
)
from textnb.workflow.reporting.duplicates import TestedDuplicates, find_duplicates
from textnb.workflow.reporting.explained import Explainer
from textnb.workflow.reporting.learning_curves import LearningCurve, learning_curve
from textnb.workflow.reporting.results import DuplicatePair, DuplicateSummary, ReportResult, SuspectedLabel
from textnb.workflow.reporting.scoring import score, texts_of
from textnb.workflow.reporting.second_model import second_model
from textnb.workflow.reporting.slices import slices_of
from textnb.workflow.reporting.view import LISTED, View

BINS = 20
NO_LEDGER = "the model has no ledger of the documents that it has learned"
NOT_OF_TABLES = "models of several columns have no learning curve"


@hears_steps
def report(
    model: ModelLike,
    corpus: CorpusLike,
    subset: str | None = None,
    *,
    options: ReadOptions | None = None,
    label: str | None = None,
    include_learned: bool = False,
    prior: Mapping[str, float] | None = None,
    compare: ModelLike | None = None,
    texts: bool = True,
    progress: Progress = SILENT,
) -> ReportResult:
    """Evaluate a model as `evaluate` does, and look behind the figures.

    Parameters
    ----------
    model, corpus, subset, options, label, include_learned, prior, progress
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
    >>> later = make_corpus("later", ["cheap cheap pills", "noon", "Lunch?"], ["spam", "ham", "spam"], "made up")
    >>> found = report(classifier, later)
    >>> [found.documents[i].text for i in found.confident_errors]
    ['Lunch?']
    """
    tested = documents_to_test(
        model,
        corpus,
        subset,
        options=options,
        label=label,
        include_learned=include_learned,
        prior=prior,
        progress=progress,
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
    evaluation, decisions = evaluate_probabilities(
        tested.classifier, scored.log_probabilities, tested.labels, scored.raw_log_probabilities
    )
    view = View.of(tested, scored, evaluation)
    with ThreadPoolExecutor(1, thread_name_prefix="textnb") as beside:  # counting leaves time for explaining
        curve = beside.submit(_learning_curve, tested, view, learned)
        return _report(view, decisions, learned, curve, other, texts, progress)


def _report(
    view: View,
    decisions: DecisionEvaluation | None,
    learned: Array | None,
    curve: Future[LearningCurve],
    other: EvaluatedDocuments | None,
    texts: bool,
    progress: Progress,
) -> ReportResult:
    tested, scored, evaluation = view.tested, view.scored, view.evaluation
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
    explained = Explainer(view, texts, {*errors, *(i for i, _, _ in suspected)})
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
        confidence_histogram=np.histogram(view.confidence, BINS, (0, 1))[0].tolist(),
        texts=texts,
        documents=documents,
        cells=cells_of(view.true, view.predicted, view.confidence, shown),
        confident_errors=[number[i] for i in errors],
        suspected_labels=[SuspectedLabel(number[i], c, finite(margin)) for i, c, margin in suspected],
        near_duplicates=_duplicate_summary(tested, view, duplicates, pairs, learned, number),
        confused_pairs=confused,
        thresholds=view.thresholds(),
        intervals=view.intervals(),
        slices=slices_of(
            view.right,
            view.true,
            evaluation.classes,
            n_words=None if duplicates is None else duplicates.n_words,
            unknown_share=scored.unknown_share,
            is_duplicate=None if duplicates is None else duplicates.is_repeated,
        ),
        top_words=view.top_words(texts),
        learning_curve=curve.result(),
        comparison=None
        if compare is None
        else replace(compare, others={number[i]: of for i, of in compare.others.items()}),
    )


def _listed_pairs(tested: EvaluatedDocuments, duplicates: TestedDuplicates | None) -> list[Any]:
    """The near duplicates that are listed, those with different labels first."""
    labels = tested.corpus.labels
    pairs = [] if duplicates is None else duplicates.pairs
    ordered = sorted(pairs, key=lambda pair: bool(labels[pair.first] == labels[pair.second]))
    once = {(pair.second, labels[pair.first]): pair for pair in reversed(ordered)}  # of many copies, one of each class
    return [pair for pair in ordered if once[pair.second, labels[pair.first]] is pair][:LISTED]


def _duplicate_summary(
    tested: EvaluatedDocuments,
    view: View,
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


def _learning_curve(tested: EvaluatedDocuments, view: View, learned: Array | None) -> LearningCurve:
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
    )
