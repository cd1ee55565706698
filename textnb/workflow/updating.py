"""Changing model files: learn, forget, merge. Called once per message by mail filters, so it imports little."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from textnb.arrays import Array
from textnb.corpora.messages import read_messages
from textnb.corpora.problems import Problem, Skipped
from textnb.model.file import table_columns
from textnb.model.learner import Learner, NotLearned, UpdateSummary
from textnb.model.settings import USUAL_COLUMNS, Columns, Fitted
from textnb.model.start import start_model
from textnb.model.update import drop_ledger, merge_models, update_model
from textnb.storage import open_model
from textnb.workflow.near_misses import near_misses

if TYPE_CHECKING:
    from textnb.corpora.rows import ReadOptions


@dataclass(frozen=True)
class LabelledDocuments:
    """Documents and their classes, and what could not be read.

    `problems` are documents of tables, folders and lines that were skipped, `unreadable` files that were asked for by
    name. `where` says where each document stands, `columns` of which columns of tables they are.
    """

    texts: list[str]
    labels: list[str]
    problems: list[Problem] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    where: list[str] | None = None
    columns: Columns = USUAL_COLUMNS
    n_problems: int | None = None  # where more were skipped than are listed

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.labels):
            raise ValueError(f"there are {len(self.texts)} documents and {len(self.labels)} labels: give one each")
        strange = next((text for text in self.texts if not isinstance(text, str)), None)
        if strange is not None or None in self.texts:
            raise ValueError(f"documents must be strings, got {strange!r:.60}")


@dataclass(frozen=True)
class ModelSummary:
    """The counts of a model file, and the outcome of an update."""

    model_file: str
    documents: dict[str, float]  # of each class
    n_documents: int
    n_terms: int
    changes: dict[str, int] = field(default_factory=dict)  # of an update: how many documents were learned, …
    merged: Sequence[str] | None = None  # the files of a merge, and
    n_shared: int = 0  # how many documents of one were in others, so that they count more than once
    problems: Sequence[Problem] = ()
    n_problems: int | None = None  # where more were skipped than are listed
    unreadable: Sequence[str] = ()
    started: bool = False  # whether there was no such file before

    @classmethod
    def of(cls, model_file: str, learner: Learner, **more: Any) -> Self:
        counts = learner.counts
        documents = dict(zip(map(str, counts.classes.tolist()), counts.documents.tolist(), strict=True))
        return cls(model_file, documents, counts.n_documents, counts.n_seen_terms, **more)

    def to_json(self) -> dict[str, Any]:
        """The summary by name; `skipped` only where there is such a thing."""
        total = {} if self.changes else {"n_documents": self.n_documents}
        merged = {} if self.merged is None else {"merged": list(self.merged), "n_shared": self.n_shared}
        started = {"started": True} if self.started else {}
        result: dict[str, Any] = {"model_file": self.model_file, **started, **merged, **self.changes}
        result["classes"] = self.documents
        result |= {**total, "n_terms": self.n_terms}
        if self.problems:
            result["skipped"] = [problem._asdict() for problem in self.problems]
            if self.n_problems is not None:
                result["n_skipped"] = self.n_problems
        return result


def learn(
    model: str | PathLike[str], documents: LabelledDocuments, *, once: bool = False, new_class: bool = False
) -> ModelSummary:
    """Teach the model of a file more documents: new words and new classes simply arrive.

    Where there is no file, a model is started (`textnb.model.start`). The file is replaced as a whole, and several
    processes may learn and predict at the same time. With `once`, documents that it knows are left, and those that it
    knows under another class are moved. A label that looks like a known one misspelt is an error, unless it is said to
    be a `new_class`.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mail.tnb")
    ...     TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).save(path)
    ...     learn(path, LabelledDocuments(["cheap watches"], ["spam"])).documents
    {'ham': 1, 'spam': 2}
    """

    def change(learner: Learner, texts: list[str], labels: Array) -> tuple[Learner, UpdateSummary]:
        if not new_class:
            _refuse_near_misses(documents, learner, " If it is a new class, say so (--new-class)")
        return learner.learn(texts, labels, once=once)

    return _update(model, documents, change, start=True)


def forget(model: str | PathLike[str], documents: LabelledDocuments) -> ModelSummary:
    """Take documents out of the model of a file, exactly; one that it has not learned is an error.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mail.tnb")
    ...     TextClassifier().fit(["cheap pills", "pills", "lunch at noon"], ["spam", "spam", "ham"]).save(path)
    ...     forget(path, LabelledDocuments(["pills"], ["spam"])).documents
    {'ham': 1, 'spam': 1}
    """

    def change(learner: Learner, texts: list[str], labels: Array) -> tuple[Learner, UpdateSummary]:
        _refuse_near_misses(documents, learner)
        return learner.forget(texts, labels)

    return _update(model, documents, change)


def forget_ledger(model: str | PathLike[str]) -> ModelSummary:
    """Take out of a model file which documents it has learned; what it has learned from them stays.

    Then nobody can ask the file whether it has learned a given text, nor can it tell: `forget` refuses only what its
    counts have no room for, and `learn` with `once` needs a ledger.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mail.tnb")
    ...     TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).save(path)
    ...     forget_ledger(path).changes
    {'ledger_entries_forgotten': 2}
    """
    n, learner = drop_ledger(fspath(model))
    return ModelSummary.of(fspath(model), learner, changes={"ledger_entries_forgotten": n})


def merge(
    output: str | PathLike[str], models: Sequence[str | PathLike[str]], *, overwrite: bool = False
) -> ModelSummary:
    """Write to a file what the models of several files have learned together.

    One of the models, a file that is no model, and a model that has learned other documents are refused as the output,
    unless `overwrite` is true.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [os.path.join(folder, name) for name in ("monday.tnb", "tuesday.tnb")]
    ...     for path in paths:
    ...         TextClassifier(weights="counts").fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).save(path)
    ...     merge(os.path.join(folder, "all.tnb"), paths).n_documents
    4
    """
    if isinstance(models, str) or not len(models):
        raise ValueError(f"give a list of the model files to merge, got {models!r:.60}")
    from textnb.workflow.outputs import KnownDocuments, ModelOutput  # which a filter of mail need not wait for

    paths = [fspath(model) for model in models]
    place = ModelOutput.of(output, paths, overwrite=overwrite)
    merged, n_shared = merge_models(place.path, paths, lambda merged: place.check(KnownDocuments.learned_by(merged)))
    return ModelSummary.of(place.path, merged, merged=paths, n_shared=n_shared)


def labelled_messages(files: list[str], label: str, *, lines: bool = False, strict: bool = False) -> LabelledDocuments:
    """Documents of one class: one per file, or with `lines` one per line; "-" is stdin."""
    skipped = Skipped(strict)
    messages = list(read_messages(files, lines, skipped))
    texts = [text for _, text in messages]
    where = [name for name, _ in messages]
    total = skipped.n_problems if skipped.n_problems > len(skipped.problems) else None
    return LabelledDocuments(texts, [label] * len(texts), skipped.problems, skipped.unreadable, where, n_problems=total)


def labelled_corpora(
    specs: list[str],
    options: ReadOptions | None = None,
    *,
    model: str | PathLike[str] | None = None,
    label: str | None = None,
) -> LabelledDocuments:
    """The documents of tables, folders and named corpora, with their labels.

    Columns that neither the options nor `label` name are those that the model of a file was trained on, if there is it.
    """
    from textnb.corpora import ReadOptions, open_corpus
    from textnb.workflow.reading import read_columns, with_columns

    columns = USUAL_COLUMNS
    if model is not None and Path(model).exists():
        columns = table_columns(open_model(model, verify="touched"))
    options = with_columns(options or ReadOptions(text=None), columns, label)
    where: list[str] = []
    documents = LabelledDocuments([], [], where=where, columns=read_columns(options))
    for spec in specs:
        corpus = open_corpus(spec, options=options)
        documents.texts.extend(corpus.texts)
        documents.labels.extend(corpus.labels.tolist())
        where.extend(f"{spec}: {corpus.place(row)}" for row in range(len(corpus)))
        place = "" if len(specs) == 1 else f"{spec}: "
        documents.problems.extend(problem._replace(where=place + problem.where) for problem in corpus.problems)
    return documents


def _update(
    model: str | PathLike[str],
    documents: LabelledDocuments,
    change: Callable[[Learner, list[str], Array], tuple[Learner, UpdateSummary]],
    *,
    start: bool = False,
) -> ModelSummary:
    path, texts = fspath(model), documents.texts
    if not texts:
        skipped = [*documents.unreadable, *(f"{problem.where}: {problem.why}" for problem in documents.problems[:1])]
        raise ValueError(f"there is no document to change {path} by. {' '.join(skipped)}".strip())
    started = False

    def new_model() -> tuple[Learner, Fitted]:
        nonlocal started
        started = True
        return start_model(documents.columns)

    def changed(learner: Learner) -> tuple[Learner, UpdateSummary]:
        return change(learner, texts, as_labels(documents.labels, learner))

    try:
        done, learner = update_model(path, changed, new_model if start else None)
    except NotLearned as error:
        raise error if documents.where is None else error.at(documents.where[error.position]) from None
    changes = {name: count for name, count in vars(done).items() if count is not None}
    left = {name: getattr(documents, name) for name in ("problems", "n_problems", "unreadable")}
    return ModelSummary.of(path, learner, changes=changes, started=started, **left)


def _refuse_near_misses(documents: LabelledDocuments, learner: Learner, advice: str = "") -> None:
    """Refuse labels that look like known ones misspelt; numbers cannot."""
    classes = learner.counts.classes
    if classes.dtype.kind != "U" or not (found := near_misses(documents.labels, classes.tolist())):
        return
    label, meant = next(iter(found.items()))
    where = "" if documents.where is None else f"{documents.where[documents.labels.index(label)]}: "
    raise ValueError(f"{where}the model has no class {label!r}; did you mean {meant!r}?{advice}")


def as_labels(names: list[str], learner: Learner) -> Array:
    """The names as labels of the model, whose classes may be numbers."""
    classes = learner.counts.classes
    if classes.dtype.kind == "U" or not len(classes):
        return np.array(names)
    known = {str(label): label for label in classes.tolist()}
    if classes.dtype.kind in "iu":  # then numbers may arrive
        known |= {name: int(name) for name in names if re.fullmatch("0|-?[1-9][0-9]{0,17}", name)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"the classes of the model are numbers, such as {classes[0]}: {unknown[0]!r} is none of them")
    return np.array([known[name] for name in names])
