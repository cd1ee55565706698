"""What changed between two text models: their classes, their terms, and what they say of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import compress
from operator import ne
from typing import NamedTuple

import numpy as np

from textnb.predictor import Predictor
from textnb.text.rows import Array
from textnb.text.vocabulary import UNKNOWN


class ClassShare(NamedTuple):
    """How many documents of a class a model has learned, and the class's prior probability."""

    documents: float
    prior: float


@dataclass(frozen=True)
class ClassChange:
    """A class before and after; None where the model does not have it."""

    label: str
    before: ClassShare | None
    after: ClassShare | None


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


@dataclass(frozen=True)
class TermChanges:
    """How many terms came and went, and which moved most, most first."""

    added: int
    removed: int
    moved: list[TermChange]


class Answer(NamedTuple):
    """What a model says of a document."""

    label: str
    probability: float


@dataclass(frozen=True)
class Flip:
    """A document that two models give different labels; its own is None where it is not known."""

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


def class_names(predictor: Predictor) -> list[str]:
    """Labels as corpora have them."""
    return [str(label) for label in predictor.classes.tolist()]


def compare_classes(before: dict[str, ClassShare], after: dict[str, ClassShare]) -> list[ClassChange]:
    """Every class of both, new ones last."""
    return [ClassChange(label, before.get(label), after.get(label)) for label in before | after]


def compare_terms(before: Predictor, after: Predictor, n: int = 10, *, by_class: bool = False) -> TermChanges:
    """The n terms, or of each class the n terms, whose weights moved most, for classes that both models have.

    Overall a term appears once: for the class where it moved most, and of two classes for the one it moved towards.
    """
    terms, old_rows, new_rows = _side_by_side(before.vocabulary.terms(), after.vocabulary.terms())
    names = [*terms, UNKNOWN]
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


def _side_by_side(old: list[str], new: list[str]) -> tuple[list[str], Array, Array]:
    """All terms in order, and the places among them of the old and the new.

    Two sorted runs are merged in one pass: with a million terms each, several times quicker than through dicts.
    """
    both = old + new
    order = sorted(range(len(both)), key=both.__getitem__)
    ordered = [both[i] for i in order]
    first = np.fromiter(map(ne, ordered, [None, *ordered[:-1]]), bool, len(ordered))
    places = np.empty(len(both), dtype=np.int64)
    places[order] = np.cumsum(first) - 1
    return list(compress(ordered, first)), places[: len(old)], places[len(old) :]


def _weights(predictor: Predictor, rows: Array, size: int) -> Iterator[tuple[str, Array]]:
    """Each class, and its weights in rows of their own, `<UNK>` the last: NaN for terms that are not there."""
    if predictor.unknown:
        rows = np.append(rows, size - 1)
    weights = np.asarray(predictor.rule.weights)
    total, others = weights.sum(axis=1), max(len(predictor.classes) - 1, 1)
    for label, own in zip(class_names(predictor), weights.T, strict=True):
        placed = np.full(size, np.nan)
        placed[rows] = own - (total - own) / others
        yield label, placed


def _moved_most(label: str, before: Array, after: Array, names: list[str], n: int) -> list[TermChange]:
    """The n terms whose weight for a class moved most, equal ones in order; none that stayed."""
    size = np.abs(np.nan_to_num(after) - np.nan_to_num(before))
    least = np.partition(size, -n)[-n] if 0 < n < len(size) else 0.0  # sorting them all would take most of the time
    found = np.flatnonzero((size >= least) & (size > 0))
    best = found[np.argsort(-size[found], kind="stable")][:n]
    weights = zip(best.tolist(), before[best].tolist(), after[best].tolist(), strict=True)
    return [TermChange(names[j], label, _known(old), _known(new)) for j, old, new in weights]


def _known(weight: float) -> float | None:
    return None if np.isnan(weight) else weight


def _each_term_once(moved: Iterable[TermChange]) -> list[TermChange]:
    """Of n terms a class, the largest changes: the n largest of all are among them."""

    def place(found: TermChange) -> tuple[float, bool]:
        # Of two classes one's weights are the negatives of the other's, but for rounding, which must not choose.
        return -float(f"{abs(found.change):.9g}"), found.change < 0

    once: dict[str, TermChange] = {}
    for found in sorted(moved, key=place):
        once.setdefault(found.term, found)
    return list(once.values())


def answers(predictor: Predictor, texts: list[str]) -> list[Answer]:
    """The most probable class of each document."""
    log_probabilities = predictor.log_proba(texts)
    classes = class_names(predictor)
    best, probabilities = log_probabilities.argmax(axis=1), np.exp(log_probabilities.max(axis=1))
    return [Answer(classes[c], p) for c, p in zip(best.tolist(), probabilities.tolist(), strict=True)]
