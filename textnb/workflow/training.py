"""Training a classifier on a corpus, and evaluating it on documents that it has not seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.corpora.corpus import Corpus
from textnb.corpora.rows import ReadOptions
from textnb.estimators.text_model import TextModel
from textnb.likelihood.families import FAMILIES, MODELS
from textnb.model.decision import UNSURE
from textnb.model.parameters import CHOOSABLE, is_open
from textnb.model.settings import Columns
from textnb.selection.splitting import grouped_split, stratified_split
from textnb.text.steps import step
from textnb.workflow.evaluation import EvaluatedDocuments, evaluate_decisions, evaluate_documents
from textnb.workflow.inputs import Documents, Input, TextInput, take
from textnb.workflow.metrics import DecisionEvaluation, Evaluation, measure
from textnb.workflow.near_misses import alike_notices
from textnb.workflow.outputs import KnownDocuments, ModelOutput
from textnb.workflow.progress import SILENT, Progress, hears_steps
from textnb.workflow.reading import (
    CorpusLike,
    opened,
    read_columns,
    require_two_classes,
    with_analyzer,
    with_own_columns,
)
from textnb.workflow.refitting import fitted_anew
from textnb.workflow.results import TrainingResult


@dataclass(frozen=True)
class Decisions:
    """What errors cost: the parameters of `TextClassifier.decide_by`."""

    costs: Mapping[tuple[str, str], float] = field(default_factory=dict)
    unsure: float | None = None
    protected: str | None = None
    ceiling: float | None = None

    @property
    def wanted(self) -> bool:
        return bool(self.costs) or any(value is not None for value in (self.unsure, self.protected, self.ceiling))

    def apply(self, classifier: Any) -> None:
        if self.wanted:
            with step("weighing errors"):
                classifier.decide_by(self.costs, unsure=self.unsure, protected=self.protected, ceiling=self.ceiling)


NO_DECISIONS = Decisions()


@hears_steps
def train(
    corpus: CorpusLike,
    *,
    test_size: float = 0.3,
    seed: int = 0,
    decisions: Decisions = NO_DECISIONS,
    categorical: Sequence[str] | None = None,
    numeric: Sequence[str] | None = None,
    options: ReadOptions | None = None,
    output: str | PathLike[str] | None = None,
    overwrite: bool = False,
    refit: bool = False,
    compact: bool = False,
    report: bool = False,
    report_texts: bool = True,
    progress: Progress = SILENT,
    **settings: Any,
) -> TrainingResult:
    """Train a classifier on a corpus, evaluate it on documents that it has not seen, and perhaps save it.

    Parameters
    ----------
    corpus : str, path, LabelledSources or Corpus
        A named corpus, a path that `textnb.corpora.read_corpus` reads, paths of documents with their classes, or a
        corpus that was read.
    test_size, seed
        The share that is held out, stratified, of a corpus without a test part of its own, and the seed of the split.
        With 0 nothing is held out, nor a test part of the corpus's own: the model learns everything, and there is no
        evaluation.
    decisions : Decisions, optional
        What errors cost.
    categorical, numeric : sequence of str, optional
        Columns of a table that hold categories and numbers. With them the model is a `MixedNB`, of the text too if
        there is one.
    options : ReadOptions, optional
        How to read a corpus that is a path. A text of None is the column "text"; beside other columns, if it is there.
    output : path, optional
        Where to save the model. An input, a file that is not a model, and a model that has learned documents which are
        not in the corpus are refused, unless `overwrite` is true.
    refit : bool, default=False
        Learn what was held out too, once the model is evaluated: its counts are then those of all documents. What was
        chosen, the idf, the calibration and the policy stay as they were evaluated. A linear model is fitted anew to
        all documents, with what was chosen for it.
    compact : bool, default=False
        Save a smaller file that only predicts: see `textnb.workflow.compact`.
    report : bool, default=False
        Make a report on what was held out: see `textnb.workflow.report`.
    report_texts : bool, default=True
        Whether the report has texts of documents, and terms.
    progress : Progress, optional
        Receives messages and progress while the work is done.
    **settings
        Parameters of `TextClassifier`. Where model, weights, alpha, ngrams and min_df are all left out, they are
        chosen by leave-one-out on the training documents, if there are 50 or more; with the model "best", a linear
        model by folds too, and the better of both is taken. Without an analyzer, that of mail
        is taken for mail, and words for all else.

    Returns
    -------
    TrainingResult
        With the fitted ``classifier``, its ``evaluation``, which is None if nothing was held out, and its ``report``,
        if one was asked for.

    Examples
    --------
    >>> from textnb.corpora.corpus import make_corpus
    >>> texts = ["cheap pills", "cheap watches", "buy cheap", "lunch at noon?", "meeting at noon", "minutes at noon"]
    >>> mail = make_corpus("mail", texts, ["spam"] * 3 + ["ham"] * 3, "made up")
    >>> result = train(mail, model="multinomial", weights="counts")
    >>> result.evaluation.accuracy, result.n_train
    (1.0, 4)
    >>> result.classifier.predict(["lunch, then a meeting"])
    array(['ham'], dtype='<U4')
    """
    check_share(test_size)
    if report and test_size == 0:
        raise ValueError("a report is of documents that were held out, and a test size of 0 holds none out")
    place = None if output is None else ModelOutput.of(output, [corpus], overwrite=overwrite)
    work = _prepare(corpus, settings, decisions, categorical, numeric, options, progress, refit=refit, compact=compact)
    if place is not None:
        place.check(work.known)
    learn, test, evaluated_on = split_documents(work.corpus, test_size, seed)
    progress.status(f"learning from {len(learn):,} documents …")
    work.columns.fit(work.model, work.corpus, work.documents, learn, progress)
    decisions.apply(work.model)
    evaluation = decided = shown = None
    n_copies = 0
    if len(test):
        n_copies = _copies(work.documents, learn, test)
        held_out, labels = take(work.documents, test), work.corpus.labels[test]
        if report:
            from textnb.workflow.reporting.making import report_on

            tested = work.tested(None if place is None else place.path, learn, test, evaluated_on)
            shown = report_on(tested, learn, texts=report_texts, progress=progress)
            evaluation, decided = shown.evaluation, shown.result.decisions
        else:
            evaluation, decided = evaluate_documents(work.model, held_out, labels, progress)
    choice = getattr(work.model, "choice_", None)
    if refit and len(test):
        progress.status(f"learning from all {len(work.corpus):,} documents …")
        work = work.with_all(test)
    return work.result(
        place,
        choice=choice,
        evaluation=evaluation,
        decisions=decided,
        n_train=len(learn),
        n_learned=len(work.corpus) if refit else len(learn),
        n_copies=n_copies,
        evaluated_on=evaluated_on,
        report=shown,
    )


@hears_steps
def cross_validate(
    corpus: CorpusLike,
    folds: int = 5,
    *,
    seed: int = 0,
    decisions: Decisions = NO_DECISIONS,
    categorical: Sequence[str] | None = None,
    numeric: Sequence[str] | None = None,
    options: ReadOptions | None = None,
    output: str | PathLike[str] | None = None,
    overwrite: bool = False,
    compact: bool = False,
    progress: Progress = SILENT,
    **settings: Any,
) -> TrainingResult:
    """Predict every document by a model that has not seen its fold; the classifier returned has learned all of them.

    Documents that belong together (`groups`) stay in one fold: a reply quotes what it answers. A test part of the
    corpus's own is not touched. Parameters are those of `train`.

    Examples
    --------
    >>> from textnb.corpora.corpus import make_corpus
    >>> texts = ["cheap pills", "cheap watches", "buy cheap", "lunch at noon?", "meeting at noon", "minutes at noon"]
    >>> mail = make_corpus("mail", texts, ["spam"] * 3 + ["ham"] * 3, "made up")
    >>> cross_validate(mail, 3, model="multinomial", weights="counts").folds
    [1.0, 1.0, 1.0]
    """
    place = None if output is None else ModelOutput.of(output, [corpus], overwrite=overwrite)
    work = _prepare(corpus, settings, decisions, categorical, numeric, options, progress, compact=compact)
    if place is not None:
        place.check(work.known)
    split = work.corpus.split
    rows = np.arange(len(work.corpus)) if split is None else np.flatnonzero(split == "train")
    evaluation, decided, accuracies = _predict_folds(work, rows, folds, seed, decisions, progress)
    work.columns.fit(work.model, work.corpus, work.documents, rows, progress)
    decisions.apply(work.model)
    by_group = "" if work.corpus.groups is None else " by group"
    return work.result(
        place,
        choice=getattr(work.model, "choice_", None),
        evaluation=evaluation,
        decisions=decided,
        folds=accuracies,
        n_train=len(rows),
        n_learned=len(rows),
        evaluated_on=f"{folds}-fold cross-validation{by_group}",
    )


@dataclass(frozen=True, eq=False)
class _Work:
    """A corpus that was read, and the model to train on it."""

    corpus: Corpus
    columns: Input
    documents: Documents
    model: Any
    names: Columns
    compact: bool

    @property
    def known(self) -> KnownDocuments:
        """All documents that were read."""
        return KnownDocuments.of(self.columns.texts_of(self.corpus), self.corpus.classes)

    def tested(self, path: str | None, learn: Array, test: Array, evaluated_on: str) -> EvaluatedDocuments:
        """The documents that were held out, for the model that has learned the others and will be saved there."""
        return EvaluatedDocuments(
            classifier=self.model,
            columns=self.columns,
            model_file=path,
            corpus=self.corpus,
            rows=test,
            n_train=len(learn),
            evaluated_on=evaluated_on,
        )

    def with_all(self, test: Array) -> _Work:
        """The same, of a model that has learned what it was tested on too; a linear one is fitted to all documents."""
        corpus = self.corpus
        if self.model.learner_.recipe.family.fitted_to_documents:
            return replace(self, model=fitted_anew(self.model, corpus.texts, corpus.labels, corpus.groups))
        self.model.learn(take(self.documents, test), corpus.labels[test])
        return self

    def result(self, output: ModelOutput | None, **measured: Any) -> TrainingResult:
        """Save the model, and return its result."""
        self.columns.name_columns(self.model, self.names)
        path = None
        if output is not None:
            path = output.save(self.known, lambda path: self.columns.save(self.model, path, self.names, self.compact))
        return TrainingResult(
            corpus=self.corpus.name,
            edition=self.corpus.edition,
            settings=self.columns.settings(self.model),
            told=self.columns.told(self.model),
            model=self.model,
            calibration=getattr(self.model, "calibration_", None),
            model_file=path,
            compact=self.compact,
            n_documents=len(self.corpus),
            problems=self.corpus.problems,
            **measured,
        )


def _prepare(
    corpus: CorpusLike,
    settings: Mapping[str, Any],
    decisions: Decisions,
    categorical: Sequence[str] | None,
    numeric: Sequence[str] | None,
    options: ReadOptions | None,
    progress: Progress,
    *,
    refit: bool = False,
    compact: bool = False,
) -> _Work:
    options = options or ReadOptions(text=None)
    columns: Input = TextInput()
    is_mixed = categorical is not None or numeric is not None
    settings = checked_settings(settings, can_choose=not is_mixed)
    if is_mixed:
        model = settings.get("model")
        if model in MODELS and not MODELS[model].has_likelihood:
            usable = " or ".join(name for name, family in FAMILIES.items() if family.has_likelihood)
            raise ValueError(
                f"a {model} model cannot be combined with categorical or numeric columns: its weights are no "
                f"likelihood that theirs could be added to; use {usable}"
            )
        from textnb.workflow.table_input import chosen_columns

        columns = chosen_columns(corpus, options, categorical or (), numeric or ())
        for what, wanted in (
            ("costs, unsure and a ceiling are", decisions.wanted),
            ("refit is", refit),
            ("compact files are", compact),
        ):
            if wanted:
                raise ValueError(f"{what} for models of text: leave out the other columns")
    options, settings = with_analyzer(corpus, options, settings, progress)
    if not is_mixed:
        options = with_own_columns(corpus, options, progress)
    read = opened(corpus, columns.options(options), progress)
    require_two_classes(read)
    for notice in alike_notices(read.classes):
        progress.notice(notice)
    return _Work(read, columns, columns.documents(read), columns.new_model(settings), read_columns(options), compact)


def checked_settings(settings: Mapping[str, Any], *, can_choose: bool) -> dict[str, Any]:
    """Settings that `TextClassifier` has, without those that are left out; nothing is "auto" unless it can be."""
    for name in settings:
        if name not in TextModel().get_params():
            raise ValueError(f"there is no setting {name!r}; columns are named by options=ReadOptions(text=…, label=…)")
    given = {name: value for name, value in settings.items() if name not in CHOOSABLE or value is not None}
    chosen = [name for name in CHOOSABLE if given.get(name) is not None and is_open(given[name])]
    if not can_choose and chosen:
        needed = f"{given[chosen[0]]} needs the text of all documents in memory"
        raise ValueError(f"{needed}: give a value, or no stream and no columns")
    return given


def check_share(test_size: float) -> None:
    if not 0 <= test_size < 1:
        raise ValueError(f"the test size (--test-size) is a share from 0 to less than 1, got {test_size:g}")


def split_documents(corpus: Corpus, test_size: float = 0.3, seed: int = 0) -> tuple[Array, Array, str]:
    """Positions to learn from and to test on: the corpus's own parts, or a stratified random share held out.

    With a share of 0, all documents are to be learned, also those of a test part.
    """
    if test_size == 0:
        return np.arange(len(corpus)), np.arange(0), "nothing"
    if corpus.split is not None:
        learn, test = np.flatnonzero(corpus.split == "train"), np.flatnonzero(corpus.split == "test")
        if not len(learn) or not len(test):
            raise ValueError(f"{corpus.name} has no document in its {'test' if len(learn) else 'train'} part")
        return learn, test, "its own test part"
    # A class of one document can only be learned from: it cannot be on both sides.
    names, counts = np.unique(corpus.labels, return_counts=True)
    lone = np.isin(corpus.labels, names[counts < 2])
    if corpus.groups is not None:  # nor can what belongs to such a document
        lone = np.isin(corpus.groups, corpus.groups[lone])
    others = np.flatnonzero(~lone)
    class_ids = np.unique(corpus.labels[others], return_inverse=True)[1]
    try:
        if corpus.groups is None:
            learn, test = stratified_split(class_ids, test_size, seed)
        else:
            learn, test = grouped_split(class_ids, corpus.groups[others], test_size, seed)
    except ValueError:
        raise ValueError(
            f"a share of {test_size:g} of {len(corpus):,} documents is too few or too many to test {len(names)} "
            "classes on: use more documents, another test size (--test-size), or fewer categories"
        ) from None
    learned = np.sort(np.concatenate([others[learn], np.flatnonzero(lone)]))
    by_group = "" if corpus.groups is None else " by group"
    return learned, others[test], f"{test_size:.0%} held out at random{by_group}"


def _copies(documents: Documents, learn: Array, test: Array) -> int:
    """How many texts to test on are, to the letter, among those to learn from; 0 of tables."""
    if not isinstance(documents, list):
        return 0
    learned = {documents[row] for row in learn.tolist()}
    return sum(documents[row] in learned for row in test.tolist())


def _predict_folds(
    work: _Work, rows: Array, n_folds: int, seed: int, decisions: Decisions, progress: Progress
) -> tuple[Evaluation, DecisionEvaluation | None, list[float]]:
    """The evaluation of all documents, each predicted and decided without its fold, and the accuracy of each fold."""
    corpus, labels = work.corpus, work.corpus.labels[rows]
    smallest = min(np.unique(labels, return_counts=True)[1])
    if smallest < n_folds:
        raise ValueError(f"a class of {smallest} documents cannot be divided into {n_folds} folds: use fewer folds")
    log_probabilities = np.full((len(rows), len(corpus.classes)), -np.inf)
    named = np.full(len(rows), UNSURE)
    policy, accuracies = None, []
    folds = _folds(labels, None if corpus.groups is None else corpus.groups[rows], n_folds, seed)
    for learn, test in progress.each(folds, n_folds, "cross-validating", " folds"):
        model = deepcopy(work.model)
        work.columns.fit(model, corpus, work.documents, rows[learn])
        predicted = model.predict_log_proba(take(work.documents, rows[test]))
        columns = np.searchsorted(corpus.classes, model.classes_)
        log_probabilities[np.ix_(test, columns)] = predicted
        decisions.apply(model)
        if (policy := getattr(model, "policy_", None)) is not None:
            named[test] = np.append(columns, UNSURE)[policy.rule(model.classes_).decide(predicted)]
        accuracies.append(float(np.mean(model.classes_[predicted.argmax(axis=1)] == labels[test])))
    classes = np.array(corpus.classes)
    best = classes[log_probabilities.argmax(axis=1)]
    evaluation = measure(labels, best, corpus.classes, log_probabilities=log_probabilities)
    decided = None
    if policy is not None:  # all folds have its prices
        decided = evaluate_decisions(labels, named, policy, classes, log_probabilities, evaluation)
    return evaluation, decided, accuracies


def _folds(labels: Array, groups: Array | None, n_folds: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Positions to learn from and to test on, stratified; those of a group stay together."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold  # which takes its time, too

    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    yield from kind(n_folds, shuffle=True, random_state=seed).split(labels, labels, groups)
