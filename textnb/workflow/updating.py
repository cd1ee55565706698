"""Changing model files: learn, forget, merge. Called once per message by mail filters, so it imports little."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from textnb.arrays import Array
from textnb.corpora.messages import read_messages
from textnb.corpora.problems import Problem, Skipped
from textnb.model.file import table_columns
from textnb.model.learner import Learner, NotLearned, UpdateSummary
from textnb.model.once import Conflict
from textnb.model.settings import USUAL_COLUMNS, Columns, Fitted, dropped_in_merge
from textnb.model.start import start_model
from textnb.model.update import drop_ledger, merge_models, update_model
from textnb.storage import open_model
from textnb.text.documents import as_strings
from textnb.text.steps import each
from textnb.workflow.near_misses import near_misses

if TYPE_CHECKING:
    from textnb.corpora.rows import ReadOptions

SHOWN_CONFLICTS = 5


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
    is_mail: bool = False  # whether they are messages, for the analyzer of mail
    mail: str | None = None  # what a model reads of messages that is started by them
    notices: list[str] = field(default_factory=list)
    may_be_none: bool = False  # as where a maildir has no messages

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.labels):
            raise ValueError(f"there are {len(self.texts)} documents and {len(self.labels)} labels: give one each")
        strange = next((text for text in self.texts if not isinstance(text, str)), None)
        if strange is not None or None in self.texts:
            raise ValueError(f"documents must be strings, got {strange!r:.60}")

    def place(self, position: int) -> str:
        """Where a document stands."""
        return f"document {position}" if self.where is None else self.where[position]

    def warnings(self, conflicts: Sequence[Conflict]) -> list[str]:
        """What to say of messages whose Message-ID was learned under another label: of the first few, and how many."""
        shown = [f"{self.place(one.position)}: {one.warning}" for one in conflicts[:SHOWN_CONFLICTS]]
        more = len(conflicts) - len(shown)
        return [*shown, f"and so for {more:,} more messages"] if more else shown


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
    dropped: Sequence[str] = ()  # in which the merged models differ: calibration, policy
    problems: Sequence[Problem] = ()
    n_problems: int | None = None  # where more were skipped than are listed
    unreadable: Sequence[str] = ()
    notices: Sequence[str] = ()
    started: bool = False  # whether there was no such file before

    @classmethod
    def of(cls, model_file: str, learner: Learner, **more: Any) -> Self:
        counts = learner.counts
        documents = dict(zip(map(str, counts.classes.tolist()), counts.documents.tolist(), strict=True))
        return cls(model_file, documents, counts.n_documents, counts.n_seen_terms, **more)

    def to_json(self) -> dict[str, Any]:
        """The summary by name; `skipped` only where there is such a thing."""
        total = {} if self.changes else {"n_documents": self.n_documents}
        merged: dict[str, Any] = {}
        if self.merged is not None:
            merged = {"merged": list(self.merged), "n_shared": self.n_shared, "dropped": list(self.dropped)}
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
    model: str | PathLike[str],
    documents: LabelledDocuments,
    *,
    once: bool = False,
    new_class: bool = False,
    strict: bool = False,
) -> ModelSummary:
    """Teach the model of a file more documents: new words and new classes simply arrive.

    Where there is no file, a model is started (`textnb.model.start`). The file is replaced as a whole, and several
    processes may learn and predict at the same time. With `once`, documents that it knows are left, and those that it
    knows under another class are moved. Of mail, one that it knows under another class by its Message-ID only is
    learned as it is, and a notice, or an error if `strict`, says so. A label that looks like a known one misspelt is an
    error, unless it is said to be a `new_class`.

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
        learner, summary = learner.learn(texts, labels, once=once)
        if strict and summary.conflicts:
            first = summary.conflicts[0]
            raise ValueError(f"{documents.place(first.position)}: {first.warning}")
        return learner, summary

    nothing = UpdateSummary(learned=0)
    if once:
        nothing = replace(nothing, known=0, moved=0)
        nothing = replace(nothing, copies=0, conflicting=0) if documents.is_mail else nothing
    return _update(model, documents, change, nothing, start=True)


def learn_if_new(model: str | PathLike[str], message: str, label: str) -> bool:
    """Teach the model of a file a message, unless it knows it or, of mail, its Message-ID, under whatever label.

    Returns whether it was learned. So what somebody has labelled is never overturned by what a filter thinks of it.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mail.tnb")
    ...     TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).save(path)
    ...     learn_if_new(path, "cheap pills", "ham"), learn_if_new(path, "cheap watches", "spam")
    (False, True)
    """

    def change(learner: Learner) -> tuple[Learner, bool]:
        documents = list(as_strings([message], is_mail=learner.recipe.analyzer.is_mail))
        known = learner.knows(documents)
        if known is None:
            raise ValueError(
                f"{fspath(model)} has no ledger, so nobody knows what it has learned: train it with a ledger"
            )
        if known[0]:
            return learner, False
        return learner.learn(documents, as_labels([label], learner))[0], True

    return update_model(fspath(model), change)[0]


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

    return _update(model, documents, change, UpdateSummary(forgotten=0))


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

    Calibration and policy stay where all models have the same, and are dropped otherwise, which a notice says.
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
    merged, n_shared, dropped = merge_models(
        place.path, paths, lambda merged: place.check(KnownDocuments.learned_by(merged))
    )
    notices = [dropped_in_merge(dropped)] if dropped else []
    return ModelSummary.of(place.path, merged, merged=paths, n_shared=n_shared, dropped=dropped, notices=notices)


def labelled_messages(
    files: list[str],
    label: str,
    *,
    lines: bool = False,
    strict: bool = False,
    model: str | PathLike[str] | None = None,
    analyzer: str | None = None,
    mail: str | None = None,
) -> LabelledDocuments:
    """Documents of one class: one per file, those of mailboxes, or with `lines` one per line; "-" is stdin.

    They are messages if the model of a file takes those. Where there is no such file, a model is to be started: of
    messages if the `analyzer` is "mail", or is None and they look like mail; `mail` says what it reads of them.
    """
    skipped = Skipped(strict)
    _, as_mail = _input_of(model, analyzer, mail)
    if as_mail is None and lines:
        as_mail = False
    if as_mail is None:
        from textnb.corpora.recognition import kinds_of, mail_notice, mixed_notice

        kinds, as_mail = kinds_of(files), False
        name = "stdin" if files == ["-"] else files[0] if len(files) == 1 else f"{files[0]} …"
        if kinds.is_mail:
            as_mail = True
            skipped.notices.append(mail_notice(name))
        if kinds.is_mixed:
            skipped.notices.append(mixed_notice(name, as_mail=as_mail))
    messages = list(each(read_messages(files, lines, skipped, mail=as_mail), "reading", " documents"))
    return _read_documents([(where, text, label) for where, text in messages], skipped, as_mail, mail)


def labelled_sources(
    words: list[str],
    options: ReadOptions | None = None,
    *,
    model: str | PathLike[str] | None = None,
    analyzer: str | None = None,
    mail: str | None = None,
) -> LabelledDocuments:
    """The documents of sources that are given with their class, as in `spam=Junk/`; messages as `labelled_messages`."""
    from textnb.corpora.labelled import LabelledSources
    from textnb.corpora.labelled_rows import labelled_rows, resolved
    from textnb.corpora.rows import ReadOptions
    from textnb.workflow.reading import how_read, read_columns, with_columns

    sources, (columns, as_mail) = LabelledSources(words), _input_of(model, analyzer, mail)
    options = with_columns(options or ReadOptions(text=None), columns)
    skipped = Skipped(options.strict)
    if as_mail is None:
        as_mail, notices = how_read(sources)
        skipped.notices += notices
    options = resolved(sources, replace(options, mail=as_mail))
    rows = [(row.where, row.text, row.label) for row in labelled_rows(sources, options, skipped)]
    return _read_documents(rows, skipped, as_mail, mail, read_columns(options))


def _read_documents(
    rows: list[tuple[str, str, str]],
    skipped: Skipped,
    is_mail: bool,
    mail: str | None,
    columns: Columns = USUAL_COLUMNS,
) -> LabelledDocuments:
    """Documents of which each is given by its place, its text and its class."""
    return LabelledDocuments(
        [text for _, text, _ in rows],
        [label for _, _, label in rows],
        skipped.problems,
        skipped.unreadable,
        [where for where, _, _ in rows],
        columns,
        n_problems=skipped.n_problems if skipped.n_problems > len(skipped.problems) else None,
        is_mail=is_mail,
        mail=mail,
        notices=skipped.notices,
        may_be_none=skipped.may_be_none,
    )


def _input_of(model: str | PathLike[str] | None, analyzer: str | None, mail: str | None) -> tuple[Columns, bool | None]:
    """The columns that the model of a file was trained on, and whether its documents are messages.

    If there is no such file, the usual columns, and whether they are to be messages; None if nobody has said so. An
    analyzer, or a choice of what is read of messages, that is not the model's own is a ValueError.
    """
    if analyzer == "word" and mail is not None:
        raise ValueError("--mail says what is read of messages: leave it out, or --analyzer word")
    wanted = analyzer or ("mail" if mail is not None else None)
    if model is None or not Path(model).exists():
        return USUAL_COLUMNS, None if wanted is None else wanted == "mail"
    file = open_model(model, verify="touched")
    settings = file.settings.get("analyzer")
    own = settings if isinstance(settings, dict) else {}
    for option, given, name in (("--analyzer", wanted, "kind"), ("--mail", mail, "mail")):
        if given is not None and given != own.get(name):
            raise ValueError(
                f"{fspath(model)} was started with {option} {own.get(name)}, not {given}, and stays so: leave "
                f"{option} out, or start another model"
            )
    return table_columns(file), own.get("kind") == "mail"


def labelled_corpora(
    specs: list[str],
    options: ReadOptions | None = None,
    *,
    model: str | PathLike[str] | None = None,
    label: str | None = None,
    analyzer: str | None = None,
    mail: str | None = None,
) -> LabelledDocuments:
    """The documents of tables, folders and named corpora, with their labels.

    Columns that neither the options nor `label` name are those that the model of a file was trained on, or the usual
    ones if there is no such file.
    """
    from textnb.corpora import ReadOptions, open_corpus
    from textnb.workflow.reading import how_read, read_columns, with_columns

    columns, as_mail = _input_of(model, analyzer, mail)
    options = with_columns(options or ReadOptions(text=None), columns, label)
    notices: list[str] = []
    if as_mail is None:
        found = [how_read(spec) for spec in specs]
        as_mail = all(is_mail for is_mail, _ in found)
        notices = [notice for is_mail, told in found for notice in told if is_mail == as_mail]
    where: list[str] = []
    documents = LabelledDocuments(
        [], [], where=where, columns=read_columns(options), is_mail=as_mail, mail=mail, notices=notices
    )
    for spec in specs:
        corpus = open_corpus(spec, options=options, mail=as_mail)
        documents.notices.extend(corpus.notices)
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
    nothing: UpdateSummary,
    *,
    start: bool = False,
) -> ModelSummary:
    """Change the model of a file by documents; without any, the summary is `nothing`, where there may be none."""
    path, texts = fspath(model), documents.texts
    if not texts and documents.may_be_none:
        notices = [*documents.notices, f"nothing to {'learn' if start else 'forget'}"]
        if start and not Path(path).exists():
            return ModelSummary(path, {}, 0, 0, changes=nothing.counts(), notices=notices)
        _, learner = update_model(path, lambda learner: (learner, nothing))
        return ModelSummary.of(path, learner, changes=nothing.counts(), notices=notices)
    if not texts:
        skipped = [*documents.unreadable, *(f"{problem.where}: {problem.why}" for problem in documents.problems[:1])]
        raise ValueError(f"there is no document to change {path} by. {' '.join(skipped)}".strip())
    started = False

    def new_model() -> tuple[Learner, Fitted]:
        nonlocal started
        started = True
        return start_model(documents.columns, is_mail=documents.is_mail, mail=documents.mail)

    def changed(learner: Learner) -> tuple[Learner, UpdateSummary]:
        read = list(as_strings(texts, is_mail=learner.recipe.analyzer.is_mail))
        return change(learner, read, as_labels(documents.labels, learner))

    try:
        done, learner = update_model(path, changed, new_model if start else None)
    except NotLearned as error:
        raise error if documents.where is None else error.at(documents.where[error.position]) from None
    return ModelSummary.of(
        path,
        learner,
        changes=done.counts(),
        started=started,
        notices=[*documents.notices, *documents.warnings(done.conflicts)],
        problems=documents.problems,
        n_problems=documents.n_problems,
        unreadable=documents.unreadable,
    )


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
