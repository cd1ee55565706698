"""Evaluating a fitted model on the labelled documents of a corpus."""

from __future__ import annotations

from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.corpora.corpus import Corpus
from textnb.corpora.rows import ReadOptions
from textnb.workflow.inputs import Documents, ModelLike, TableInput, open_fitted, remembered_columns, take
from textnb.workflow.metrics import DecisionEvaluation, Evaluation, measure, measure_decisions
from textnb.workflow.progress import SILENT, Progress
from textnb.workflow.reading import CorpusLike, in_blocks, opened, part_of, with_columns
from textnb.workflow.results import EvaluationResult


def evaluate(
    model: ModelLike,
    corpus: CorpusLike,
    subset: str | None = None,
    *,
    options: ReadOptions | None = None,
    label: str | None = None,
    progress: Progress = SILENT,
) -> EvaluationResult:
    """Evaluate a model on the labelled documents of a corpus.

    Parameters
    ----------
    model : path, TextClassifier or MixedNB
    corpus, progress
        As in `train`.
    subset : {"train", "test", "all"}, optional
        By default "test" if the corpus has such a part, else "all".
    options : ReadOptions, optional
        How to read a corpus that is a path. A text of None is the column that the model of a file was trained on.
    label : str, optional
        The column of the classes; by default the one that the model of a file was trained on.

    Examples
    --------
    >>> from textnb import TextClassifier
    >>> from textnb.corpora.corpus import make_corpus
    >>> classifier = TextClassifier().fit(["cheap pills", "cheap watches", "lunch at noon?"], ["spam", "spam", "ham"])
    >>> later = make_corpus("later", ["cheap cheap lunch", "noon"], ["spam", "ham"], "made up")
    >>> evaluate(classifier, later).evaluation.accuracy
    1.0
    """
    classifier, columns, path = open_fitted(model)
    options = options or ReadOptions(text=None)
    if isinstance(columns, TableInput):
        columns = columns.with_text(options.text)
    options = with_columns(options, remembered_columns(path), label)
    read = opened(corpus, columns.options(options), progress)
    rows, part = part_of(read, subset)
    labels = read.labels[rows]
    _require_shared_classes(classifier, read, labels, path or "given", progress)
    documents = take(columns.documents(read), rows)
    evaluation, decisions = evaluate_documents(classifier, documents, labels, progress)
    return EvaluationResult(
        corpus=read.name,
        edition=read.edition,
        n_train=columns.n_documents(classifier),
        evaluated_on=part,
        settings=columns.settings(classifier),
        evaluation=evaluation,
        decisions=decisions,
        calibration=getattr(classifier, "calibration_", None),
        model_file=path,
        problems=read.problems,
    )


def evaluate_documents(
    classifier: Any, documents: Documents, labels: Array, progress: Progress
) -> tuple[Evaluation, DecisionEvaluation | None]:
    """The evaluation of a fitted classifier, and of its decisions if it has a policy."""
    log_probabilities = np.concatenate([*map(classifier.predict_log_proba, in_blocks(documents, progress))])
    classes = classifier.classes_.astype(np.str_)  # as corpora have them
    best = classes[log_probabilities.argmax(axis=1)]
    evaluation = measure(labels, best, classes, log_probabilities=log_probabilities)
    policy = getattr(classifier, "policy_", None)
    known = np.isin(labels, classes)
    if policy is None or not known.any():
        return evaluation, None
    rule, posterior = policy.rule(classifier.classes_), log_probabilities[known]
    position = {label: c for c, label in enumerate(classes.tolist())}  # "10" < "2", so the names need not be sorted
    class_ids = np.array([position[label] for label in labels[known].tolist()])
    return evaluation, measure_decisions(class_ids, rule.decide(posterior), rule, posterior)


def _require_shared_classes(classifier: Any, corpus: Corpus, labels: Array, path: str, progress: Progress) -> None:
    known = set(map(str, classifier.classes_.tolist()))
    unknown = sorted(set(labels.tolist()) - known)
    if known.isdisjoint(labels.tolist()):
        raise ValueError(
            f"{corpus.name} has the classes {_listed(unknown)}, the model {path} has {_listed(sorted(known))}, none of "
            "them the same: evaluate on what the model is for"
        )
    if unknown:
        progress.notice(f"the model does not know the classes {_listed(unknown)}: their documents count as errors")


def _listed(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
