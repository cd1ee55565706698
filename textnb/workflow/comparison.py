"""Comparing two text models: their settings, classes and terms, and the documents whose label flips."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array
from textnb.corpora.problems import Problem
from textnb.corpora.rows import ReadOptions
from textnb.model.derive import derive
from textnb.model.file import (
    content,
    fitted_of,
    has_counts,
    learner_of,
    parameters_of,
    table_columns,
    whole_predictor_of,
)
from textnb.model.learner import Learner
from textnb.model.parameters import effective
from textnb.model.predictor import Predictor
from textnb.model.records import to_json
from textnb.model.stored import read_counts
from textnb.storage import ModelFile, open_model
from textnb.text.terms import Terms
from textnb.text.vocabulary import UNKNOWN
from textnb.workflow.progress import SILENT, Progress, hears_steps
from textnb.workflow.reading import CorpusLike, in_blocks, opened, part_of, plain_text, with_columns


class ClassShare(NamedTuple):
    """How many documents of a class a model has learned, and the class's prior probability."""

    documents: float
    prior: float


@dataclass(frozen=True)
class ClassChange:
    """A class before and after; None for a model without it."""

    label: str
    before: ClassShare | None
    after: ClassShare | None

    def to_json(self) -> dict[str, Any]:
        before, after = (None if share is None else share._asdict() for share in (self.before, self.after))
        return {"class": self.label, "before": before, "after": after}


@dataclass(frozen=True)
class TermChange:
    """A term's weight for a class before and after; None where the model does not have the term, which weighs 0 there.

    A weight is what a unit of the term adds to the class's score beyond what it adds, on average, to the others'.
    """

    term: str
    label: str
    before: float | None
    after: float | None

    @property
    def change(self) -> float:
        return (self.after or 0.0) - (self.before or 0.0)

    def to_json(self) -> dict[str, Any]:
        weights = {"before": self.before, "after": self.after, "change": self.change}
        return {"term": self.term, "class": self.label, **weights}


@dataclass(frozen=True)
class TermChanges:
    """Numbers of terms added and removed, and the terms that moved most, largest change first."""

    added: int
    removed: int
    moved: list[TermChange]


class Answer(NamedTuple):
    """A model's most probable class of a document."""

    label: str
    probability: float


@dataclass(frozen=True)
class Flip:
    """A document with different labels from two models; `true` is None where its own label is unknown."""

    where: str
    before: Answer
    after: Answer
    true: str | None

    @property
    def verdict(self) -> str | None:
        """Whether the change is for the "better" or the "worse": neither if both labels are wrong, or nobody knows."""
        if self.true is None:
            return None
        return {self.after.label: "better", self.before.label: "worse"}.get(self.true)

    def to_json(self) -> dict[str, Any]:
        answers = {"before": self.before._asdict(), "after": self.after._asdict()}
        return {"where": self.where, **answers, "true": self.true, "verdict": self.verdict}


@dataclass(frozen=True)
class Side:
    model_file: str
    n_documents: float
    n_terms: int


@dataclass(frozen=True)
class Flips:
    """The documents of a corpus whose label differs between the models."""

    corpus: str
    edition: str
    part: str
    n: int  # documents looked at
    flips: list[Flip]
    problems: Sequence[Problem] = ()

    def verdicts(self, which: str) -> int:
        """How many flips are for the "better" or the "worse"."""
        return sum(flip.verdict == which for flip in self.flips)

    @property
    def labelled(self) -> bool:
        return any(flip.true is not None for flip in self.flips)

    def to_json(self) -> dict[str, Any]:
        """The flips by name; `skipped` only where there is such a thing."""
        result = {
            "corpus": self.corpus,
            "edition": self.edition,
            "part": self.part,
            "n_documents": self.n,
            "better": self.verdicts("better"),
            "worse": self.verdicts("worse"),
            "flips": [flip.to_json() for flip in self.flips],
        }
        return result | ({"skipped": [problem._asdict() for problem in self.problems]} if self.problems else {})


@dataclass(frozen=True)
class Comparison:
    """The changes between two models; `settings` has those that differ, `flips` is None without a corpus."""

    before: Side
    after: Side
    identical: bool
    settings: dict[str, tuple[Any, Any]]
    classes: list[ClassChange]
    terms: TermChanges
    flips: Flips | None = None

    def to_json(self) -> dict[str, Any]:
        """The changes by name; None for what a model does not have."""
        result = {
            "before": asdict(self.before),
            "after": asdict(self.after),
            "identical": self.identical,
            "settings": {key: {"before": old, "after": new} for key, (old, new) in self.settings.items()},
            "classes": [change.to_json() for change in self.classes],
            "terms_added": self.terms.added,
            "terms_removed": self.terms.removed,
            "terms": [change.to_json() for change in self.terms.moved],
        }
        return result if self.flips is None else result | {"corpus": self.flips.to_json()}


@hears_steps
def compare(
    before: str | PathLike[str],
    after: str | PathLike[str],
    corpus: CorpusLike | None = None,
    subset: str | None = None,
    *,
    terms: int = 10,
    by_class: bool = False,
    options: ReadOptions | None = None,
    label: str | None = None,
    progress: Progress = SILENT,
) -> Comparison:
    """What changed between two model files, both of them verified.

    Parameters
    ----------
    before, after : path
    corpus : str, path, LabelledSources or Corpus, optional
        Documents to try both models on; labels are not needed.
    subset, options, progress
        As in `evaluate`.
    terms : int, default=10
        How many of the terms that moved most to list; of each class, if `by_class`.
    label : str, optional
        The column of the classes, which must then be there; by default that of the first model, if it is there.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> classifier = TextClassifier("multinomial", "counts").fit(["cheap pills", "lunch"], ["spam", "ham"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     before, after = os.path.join(folder, "before.tnb"), os.path.join(folder, "after.tnb")
    ...     classifier.save(before)
    ...     classifier.learn(["cheap watches"], ["spam"]).save(after)
    ...     comparison = compare(before, after)
    >>> comparison.identical, comparison.terms.added, comparison.after.n_documents
    (False, 1, 3)
    """
    old, new = _open_text_model(before), _open_text_model(after)
    flips = None
    if corpus is not None:
        options = with_columns(options or ReadOptions(text=None), table_columns(old.file), label)
        flips = find_flips(old.predictor, new.predictor, corpus, subset, options, label, progress)
    progress.status("comparing …")
    return Comparison(
        before=old.side,
        after=new.side,
        identical=_same_content(old, new),
        settings=_changed(old.settings, new.settings),
        classes=compare_classes(old.shares, new.shares),
        terms=compare_terms(old.predictor, new.predictor, terms, by_class=by_class),
        flips=flips,
    )


def find_flips(
    before: Predictor,
    after: Predictor,
    corpus: CorpusLike,
    subset: str | None,
    options: ReadOptions,
    label: str | None,
    progress: Progress,
) -> Flips:
    takers = [predictor.analyzer.is_mail for predictor in (before, after)]
    read = opened(corpus, replace(options, label_required=False, mail=any(takers)), progress)
    if label is not None and not read.classes:
        raise ValueError(f"{read.name} has no labels in a column {label!r}: name another column, or none")
    rows, part = part_of(read, subset)
    of_each = [read.texts if mail or not read.is_mail else plain_text(read).texts for mail in takers]
    old_texts, new_texts = ([texts[row] for row in rows] for texts in of_each)
    both = zip(rows.tolist(), answers(before, old_texts, progress), answers(after, new_texts, progress), strict=True)
    return Flips(
        corpus=read.name,
        edition=read.edition,
        part=part,
        n=len(rows),
        flips=[
            Flip(read.place(row), old, new, str(read.labels[row]) or None)
            for row, old, new in both
            if old.label != new.label
        ],
        problems=read.problems,
    )


def answers(predictor: Predictor, texts: list[str], progress: Progress = SILENT) -> Iterator[Answer]:
    """The most probable class of each document."""
    classes = class_names(predictor)
    for block in in_blocks(texts, progress):
        log_probabilities = predictor.log_proba(block)
        best, probabilities = log_probabilities.argmax(axis=1), np.exp(log_probabilities.max(axis=1))
        yield from (Answer(classes[c], p) for c, p in zip(best.tolist(), probabilities.tolist(), strict=True))


def class_names(predictor: Predictor) -> list[str]:
    return [str(label) for label in predictor.classes.tolist()]


def compare_classes(before: dict[str, ClassShare], after: dict[str, ClassShare]) -> list[ClassChange]:
    """The classes of both models, new ones last."""
    return [ClassChange(label, before.get(label), after.get(label)) for label in before | after]


def compare_terms(before: Predictor, after: Predictor, n: int = 10, *, by_class: bool = False) -> TermChanges:
    """The n terms, or of each class the n terms, whose weights moved most, for classes that both models have.

    Overall a term appears once: for the class where it moved most, and of two classes for the one it moved towards.
    """
    terms, old_rows, new_rows = Terms.of(before.features.names()).union(Terms.of(after.features.names()))
    names = [*terms.strings(), UNKNOWN]
    weights_before = dict(_weights(before, old_rows, len(names)))
    moved = [
        change
        for label, weights in _weights(after, new_rows, len(names))
        if label in weights_before
        for change in _moved_most(label, weights_before[label], weights, names, n)
    ]
    return TermChanges(
        added=len(terms) - len(old_rows),
        removed=len(terms) - len(new_rows),
        moved=moved if by_class else _each_term_once(moved)[:n],
    )


def _weights(predictor: Predictor, rows: Array, size: int) -> Iterator[tuple[str, Array]]:
    """Each class and its weights in the given rows, `<UNK>` last; NaN for missing terms."""
    if predictor.unknown:
        rows = np.append(rows, size - 1)
    for c, label in enumerate(class_names(predictor)):
        placed = np.full(size, np.nan)
        placed[rows] = predictor.rule.lead(c)
        yield label, placed


def _moved_most(label: str, before: Array, after: Array, names: list[str], n: int) -> list[TermChange]:
    """The n terms whose weight for a class changed most; ties in order, unchanged terms left out."""
    size = np.abs(np.nan_to_num(after) - np.nan_to_num(before))
    least = np.partition(size, -n)[-n] if 0 < n < len(size) else 0.0  # sorting them all would take most of the time
    largest = np.flatnonzero((size >= least) & (size > 0))
    best = largest[np.argsort(-size[largest], kind="stable")][:n]
    weights = zip(best.tolist(), before[best].tolist(), after[best].tolist(), strict=True)
    return [TermChange(names[j], label, _known(old), _known(new)) for j, old, new in weights]


def _known(weight: float) -> float | None:
    return None if np.isnan(weight) else weight


def _each_term_once(moved: Iterable[TermChange]) -> list[TermChange]:
    """The largest change of each term, largest first."""

    def place(change: TermChange) -> tuple[float, bool]:
        # Of two classes one's weights are the negatives of the other's, but for rounding, which must not choose.
        return -float(f"{abs(change.change):.9g}"), change.change < 0

    once: dict[str, TermChange] = {}
    for change in sorted(moved, key=place):
        once.setdefault(change.term, change)
    return list(once.values())


@dataclass(frozen=True, eq=False)
class _TextModel:
    """A model file, and the parts of it that are compared."""

    file: ModelFile
    learner: Learner | None  # None for a file without counts
    predictor: Predictor
    documents: Array  # of each class

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in use, chosen or given, without the number of threads; with calibration and policy."""
        parameters, chosen = parameters_of(self.file)
        given = "given" if parameters.pop("vocabulary", None) is not None else None
        pruned = self.learner is not None and self.learner.pruned
        settings: dict[str, Any] = to_json(effective(parameters, chosen) | {"vocabulary": given, "pruned": pruned})
        fitted = fitted_of(self.file)
        parts = {"calibration": to_json(fitted.calibration), "policy": to_json(fitted.policy)}
        stated = {f"{part}.{name}": value for part, values in parts.items() for name, value in (values or {}).items()}
        stated.pop("calibration.labels", None)  # the classes that it was fitted to, which learning does not change
        return settings | stated

    @property
    def side(self) -> Side:
        return Side(self.file.path, self.documents.sum().item(), self.predictor.features.n_columns)

    @property
    def shares(self) -> dict[str, ClassShare]:
        priors = np.exp(self.predictor.log_prior).tolist()
        shares = map(ClassShare, self.documents.tolist(), priors)
        return dict(zip(class_names(self.predictor), shares, strict=True))

    @property
    def content(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """The arrays and settings of the model in the current file format, if it can be written in that."""
        if self.learner is None:
            return {name: self.file.array(name) for name in self.file.names}, self.file.settings
        return content(self.learner, fitted_of(self.file))


def _open_text_model(path: str | PathLike[str]) -> _TextModel:
    file = open_model(path, verify="all")
    if file.settings.get("kind") == "mixed":
        raise ValueError(f"{fspath(path)} is a model of columns: diff compares models of text alone")
    learner = learner_of(file) if has_counts(file) else None
    fitted = fitted_of(file)
    if learner is None:
        predictor = whole_predictor_of(file)
    else:
        predictor = derive(learner).predictor(fitted.calibration, fitted.policy)
    documents = read_counts(file, "documents", predictor.classes.shape, floats=True)
    return _TextModel(file, learner, predictor, documents)


def _same_content(a: _TextModel, b: _TextModel) -> bool:
    (arrays, settings), (others, other_settings) = a.content, b.content
    return (
        settings == other_settings
        and arrays.keys() == others.keys()
        and all(np.array_equal(array, others[name]) for name, array in arrays.items())
    )


def _changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    pairs = {name: (before.get(name), after.get(name)) for name in sorted(before | after)}
    return {name: (old, new) for name, (old, new) in pairs.items() if old != new}
