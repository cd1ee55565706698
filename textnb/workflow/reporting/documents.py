"""The documents that a report shows: which ones, and what of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.model.explanation import Explanation, Row, finite

DOCUMENTS_SHOWN = 2000
ERRORS_PER_CELL = 50
HITS_PER_CELL = 15
TEXT_LIMIT = 1000  # characters
MAIL_TEXT_LIMIT = 4000  # of a rendered message, which begins with the terms of its headers
ROWS_SHOWN = 12
_SMALLEST_MARK = 0.01  # of the largest in a document
_DIGITS = 3  # after the point, more where all numbers of a document are small
_WORD_BORDER = 80  # characters before the limit, among which a text is rather cut at a blank


@dataclass(frozen=True)
class ShownExplanation:
    """Why a document is of `label` rather than `against`, by numbers of classes, rounded to be shown.

    `rows` and `rest` add up to the log-odds; None stands for an infinite number.
    """

    label: int
    against: int | None
    log_odds: float | None
    rows: tuple[tuple[str, int | None, float | None, str], ...] = ()  # term, count, contribution, kind
    rest: tuple[int, float | None] = (0, 0.0)  # how many other rows, and what they add
    marks: tuple[tuple[int, int, float | None], ...] = ()  # start, end and share of pieces of the text

    def to_json(self) -> dict[str, Any]:
        lists = {name: [list(entry) for entry in getattr(self, name)] for name in ("rows", "marks")}
        return {**vars(self), **lists, "rest": list(self.rest)}


@dataclass(frozen=True)
class ShownDocument:
    """A document that a report shows; classes are numbers.

    `text` is what the marks of the explanation point into: of a message its rendering, and `title` is what the message
    is called in lists. `flip` has words without which it would be of another class, if such were sought and found.
    """

    where: str
    true: int
    predicted: int
    probability: float
    true_probability: float | None
    n_words: int
    unknown_share: float | None
    title: str | None  # of a message
    text: str | None
    is_cut: bool
    explanation: ShownExplanation
    flip: tuple[list[str], int] | None = None
    is_flip_sought: bool = False

    def to_json(self) -> dict[str, Any]:
        others = ("explanation", "flip", "is_flip_sought")
        shown = {name: value for name, value in vars(self).items() if name not in others}
        flip = None if self.flip is None else {"words": self.flip[0], "label": self.flip[1]}
        return {**shown, **self.explanation.to_json(), **({"flip": flip} if self.is_flip_sought else {})}


def cut(text: str, limit: int = TEXT_LIMIT) -> str:
    """The beginning of a text, at a border between words where one is near.

    Examples
    --------
    >>> cut("one two three", 9)
    'one two'
    """
    if len(text) <= limit:
        return text
    border = next((i for i in range(limit, max(limit - _WORD_BORDER, 0), -1) if text[i].isspace()), limit)
    return text[:border]


def shown_explanation(
    explanation: Explanation, numbers: dict[Any, int], text: str | None, source: str | None = None
) -> ShownExplanation:
    """What is shown of an explanation: the largest rows, and the marks within a shown text of some column."""
    rows, contributions = explanation.largest(ROWS_SHOWN), explanation.contributions
    digits = _digits(float(np.abs(contributions).max(initial=0.0, where=np.isfinite(contributions))))
    starts, ends, shares = explanation.shares(source)
    smallest = _SMALLEST_MARK * np.abs(shares).max(initial=0.0, where=np.isfinite(shares))
    marked = (ends <= len(text or "")) & (shares != 0) & ~(np.abs(shares) < smallest)
    rounded = np.round(shares[marked], digits) + 0.0
    marks = (starts[marked].tolist(), ends[marked].tolist(), rounded.tolist())
    return ShownExplanation(
        label=numbers[explanation.label],
        against=None if explanation.against is None else numbers[explanation.against],
        log_odds=_rounded(explanation.log_odds, digits),
        rows=tuple((_named(row, source), row.count, _rounded(row.contribution, digits), row.kind) for row in rows),
        rest=(len(contributions) - len(rows), _rounded(float(contributions[len(rows) :].sum()), digits)),
        marks=tuple((start, end, share if isfinite(share) else None) for start, end, share in zip(*marks, strict=True)),
    )


def _named(row: Row, text_column: str | None) -> str:
    """The term of a row, with its column if it is of another text than the one shown; values name theirs."""
    is_elsewhere = row.count is not None and row.source != text_column
    return f"{row.source}: {row.term}" if is_elsewhere and row.source is not None else row.term


def _digits(largest: float) -> int:
    return _DIGITS - min(0, floor(log10(largest))) if largest > 0 else _DIGITS


def _rounded(number: float, digits: int) -> float | None:
    known = finite(number)
    return None if known is None else round(known, digits) + 0.0  # never −0


@dataclass(frozen=True)
class Cell:
    """Documents of one class that were given one class: how many, and which of them are shown, by their numbers."""

    true: int
    predicted: int
    n: int
    documents: list[int]

    def to_json(self) -> list[Any]:
        return [self.true, self.predicted, self.n, self.documents]


def documents_to_show(
    true: Array, predicted: Array, confidence: Array, wanted: Iterable[int], most: int = DOCUMENTS_SHOWN
) -> Array:
    """Positions of the documents that are shown, ascending: those wanted, and of every cell of the confusion matrix.

    Of cells off the diagonal come the most confident ones, on the diagonal the least confident. Where there are too
    many, errors go before, and the first of every cell before the second.
    """
    ranks = _rank_in_cell(true, predicted, confidence)
    wrong = true != predicted
    (possible,) = np.nonzero(ranks < np.where(wrong, ERRORS_PER_CELL, HITS_PER_CELL))
    order = possible[np.lexsort((possible, ranks[possible], ~wrong[possible]))]
    first = list(dict.fromkeys(wanted))
    chosen = dict.fromkeys([*first, *order.tolist()])
    return np.sort(np.array(list(chosen)[: max(most, len(first))], dtype=np.int64))


def cells_of(true: Array, predicted: Array, confidence: Array, shown: Array) -> list[Cell]:
    """All cells of the confusion matrix that have documents, by row and column, with the numbers of those shown."""
    ranks = _rank_in_cell(true, predicted, confidence)
    documents: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for number, position in enumerate(shown.tolist()):
        cell = int(true[position]), int(predicted[position])
        documents.setdefault(cell, []).append((int(ranks[position]), number))
    pairs, counts = np.unique(np.stack([true, predicted], axis=1), axis=0, return_counts=True)
    return [
        Cell(i, j, n, [number for _, number in sorted(documents.get((i, j), []))])
        for (i, j), n in zip(pairs.tolist(), counts.tolist(), strict=True)
    ]


def _rank_in_cell(true: Array, predicted: Array, confidence: Array) -> Array:
    """The place of each document in its cell: by confidence, falling for errors and rising for others."""
    key = np.where(true == predicted, confidence, -confidence)
    order = np.lexsort((np.arange(len(true)), key, predicted, true))
    new_cell = (np.diff(true[order], prepend=-1) != 0) | (np.diff(predicted[order], prepend=-1) != 0)
    starts = np.maximum.accumulate(np.where(new_cell, np.arange(len(order)), 0))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order)) - starts
    return ranks


def numbered(shown: Array) -> dict[int, int]:
    """The number of each document shown, by its position."""
    return {position: number for number, position in enumerate(shown.tolist())}


def class_numbers(labels: Sequence[Any], classes: Sequence[str]) -> dict[Any, int]:
    """The number of each label of a model among classes that are named by strings."""
    position = {name: c for c, name in enumerate(classes)}
    return {label: position[str(label)] for label in labels}
