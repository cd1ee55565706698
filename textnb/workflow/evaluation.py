"""Evaluating a fitted model on the labelled documents of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.corpora.corpus import Corpus
from textnb.corpora.rows import ReadOptions
from textnb.model.decision import UNSURE
from textnb.model.policy import Policy
from textnb.workflow.inputs import Documents, Input, ModelLike, open_fitted, remembered_columns, take
from textnb.workflow.metrics import DecisionEvaluation, Evaluation, Outcomes, measure, measure_decisions
from textnb.workflow.mixes import MixDifference, compare_mixes
from textnb.workflow.progress import SILENT, Progress, hears_steps
from textnb.workflow.reading import ALL, CorpusLike, in_blocks, opened, part_of, with_columns
from textnb.workflow.results import EvaluationResult, LearnedDocuments

CANNOT_KNOW = (
    "the model has no ledger of the documents that it has learned, so nobody knows whether it is evaluated on them, "
    "which would flatter"
)


@hears_steps
def evaluate(
    model: ModelLike,
    corpus: CorpusLike,
    subset: str | None = None,
    *,
    options: ReadOptions | None = None,
    label: str | None = None,
    include_learned: bool = False,
    prior: Mapping[str, float] | None = None,
    progress: Progress = SILENT,
) -> EvaluationResult:
    """Evaluate a model on the labelled documents of a corpus that it has not learned.

    Which those are is known where the model has a ledger; without one, all documents are evaluated on, and the result
    says that nobody knows.

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
    include_learned : bool, default=False
        Evaluate on learned documents too, which flatters.
    prior : dict of every class to its share, optional
        The mix of classes that the documents come from, if it is another than the model's. A notice says where the
        labels look like that.

    Examples
    --------
    >>> from textnb import TextClassifier
    >>> from textnb.corpora.corpus import make_corpus
    >>> classifier = TextClassifier().fit(["cheap pills", "cheap watches", "lunch at noon?"], ["spam", "spam", "ham"])
    >>> later = make_corpus("later", ["cheap cheap lunch", "noon"], ["spam", "ham"], "made up")
    >>> evaluate(classifier, later).evaluation.accuracy
    1.0
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
    evaluation, decisions = evaluate_documents(tested.classifier, tested.documents, tested.labels, progress)
    return tested.result(evaluation, decisions)


@dataclass(frozen=True, eq=False)
class EvaluatedDocuments:
    """Labelled documents of a corpus that a model is to be evaluated on, and what is to be said of them."""

    classifier: Any
    columns: Input
    model_file: str | None
    corpus: Corpus
    rows: Array  # positions in the corpus
    n_train: int
    evaluated_on: str
    learned: LearnedDocuments | None = None
    mix: MixDifference | None = None
    prior: dict[str, float] | None = None

    @cached_property
    def documents(self) -> Documents:
        return take(self.columns.documents(self.corpus), self.rows)

    @property
    def labels(self) -> Array:
        return self.corpus.labels[self.rows]

    def result(self, evaluation: Evaluation, decisions: DecisionEvaluation | None) -> EvaluationResult:
        return EvaluationResult(
            corpus=self.corpus.name,
            edition=self.corpus.edition,
            n_train=self.n_train,
            evaluated_on=self.evaluated_on,
            learned=self.learned,
            settings=self.columns.settings(self.classifier),
            told=self.columns.told(self.classifier),
            evaluation=evaluation,
            decisions=decisions,
            calibration=getattr(self.classifier, "calibration_", None),
            model_file=self.model_file,
            problems=self.corpus.problems,
            mix=self.mix,
            prior=self.prior,
        )


def documents_to_test(
    model: ModelLike,
    corpus: CorpusLike,
    subset: str | None = None,
    *,
    options: ReadOptions | None = None,
    label: str | None = None,
    include_learned: bool = False,
    prior: Mapping[str, float] | None = None,
    progress: Progress = SILENT,
) -> EvaluatedDocuments:
    """The documents that `evaluate` evaluates a model on."""
    classifier, columns, path = open_fitted(model)
    classifier = classifier.with_prior(prior)
    options = options or ReadOptions(text=None)
    columns = columns.with_text(options.text)
    options = replace(with_columns(options, remembered_columns(path), label), mail=columns.is_mail(classifier))
    read = opened(corpus, columns.options(options), progress)
    rows, part = part_of(read, subset)
    learned = which_are_learned(classifier, take(columns.documents(read), rows))
    if learned is None:
        progress.notice(CANNOT_KNOW)
    n_learned = None if learned is None else int(learned.sum())
    if learned is not None and not include_learned:
        if learned.all():
            raise ValueError(_all_learned(read, part, len(rows)))
        rows = rows[~learned]
    require_shared_classes(classifier, read, read.labels[rows], path or "given", progress)
    mix = compare_mixes(classifier, read.labels[rows], prior, columns.n_documents(classifier))
    if mix is not None:
        progress.notice(mix.warning)
    return EvaluatedDocuments(
        classifier=classifier,
        columns=columns,
        model_file=path,
        corpus=read,
        rows=rows,
        n_train=columns.n_documents(classifier),
        evaluated_on=part if include_learned or not n_learned else f"what the model has not learned of {_named(part)}",
        learned=LearnedDocuments(n_learned, included=include_learned),
        mix=mix,
        prior=None if prior is None else {str(label): float(share) for label, share in prior.items()},
    )


def _named(part: str) -> str:
    return "it" if part == ALL else part


def evaluate_documents(
    classifier: Any, documents: Documents, labels: Array, progress: Progress
) -> tuple[Evaluation, DecisionEvaluation | None]:
    """The evaluation of a fitted classifier, and of its decisions if it has a policy."""
    blocks = in_blocks(documents, progress)
    if getattr(classifier, "calibration_", None) is None:
        return evaluate_probabilities(classifier, np.concatenate([*map(classifier.predict_log_proba, blocks)]), labels)
    predictor = classifier.predictor_
    scored = [(log_proba, predictor.raw_log_proba(joint)) for joint, log_proba in map(predictor.scored, blocks)]
    calibrated, raw = map(np.concatenate, zip(*scored, strict=True))
    return evaluate_probabilities(classifier, calibrated, labels, raw)


def evaluate_probabilities(
    classifier: Any, log_probabilities: Array, labels: Array, raw: Array | None = None
) -> tuple[Evaluation, DecisionEvaluation | None]:
    """The same of documents whose log P(c | x), (n, K), the classifier has given, and `raw` before calibration."""
    classes = classifier.classes_.astype(np.str_)  # as corpora have them
    best = classes[log_probabilities.argmax(axis=1)]
    evaluation = measure(labels, best, classes, log_probabilities=log_probabilities, raw=raw)
    policy = getattr(classifier, "policy_", None)
    if policy is None:
        return evaluation, None
    decided = policy.rule(classifier.classes_).decide(log_probabilities, classifier.predictor_.log_ratios())
    return evaluation, evaluate_decisions(labels, decided, policy, classifier.classes_, log_probabilities, evaluation)


def evaluate_decisions(
    labels: Array, decisions: Array, policy: Policy, classes: Array, log_probabilities: Array, evaluation: Evaluation
) -> DecisionEvaluation:
    """What decisions among the classes of a model cost, and their matrix, in the order of classes of the evaluation.

    Documents of a class that the model does not know have no cost, but stand in the matrix.
    """
    names = classes.astype(np.str_)
    known = np.isin(labels, names)
    costs = measure_decisions(
        _positions(labels[known], names.tolist()), decisions[known], policy.rule(classes), log_probabilities[known]
    )
    named = np.append(_positions(names, evaluation.classes), UNSURE)[decisions]  # UNSURE is the last one's number too
    outcomes = Outcomes.of(_positions(labels, evaluation.classes), named, evaluation.classes)
    return replace(costs, outcomes=outcomes, protected=None if policy.protected is None else str(policy.protected))


def _positions(labels: Array, classes: list[str]) -> Array:
    """The position of each label among the classes, which need not be sorted: "10" < "2"."""
    position = {label: c for c, label in enumerate(classes)}
    return np.array([position[label] for label in labels.tolist()], dtype=np.int64)


def which_are_learned(classifier: Any, documents: Documents) -> Array | None:
    """Which of the documents the model has learned, under whatever label; None if it has no ledger."""
    learner = getattr(classifier, "learner_", None)
    return None if learner is None else learner.knows(documents)


def _all_learned(corpus: Corpus, part: str, n: int) -> str:
    elsewhere = "its test part (--subset test)" if part == "its own train part" else "others, such as a test part"
    return (
        f"all {n:,} documents of {corpus.name} ({part}) were learned by the model, and its figures on them would "
        f"flatter: evaluate on {elsewhere}, or on these, saying so (--all)"
    )


def require_shared_classes(classifier: Any, corpus: Corpus, labels: Array, path: str, progress: Progress) -> None:
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
