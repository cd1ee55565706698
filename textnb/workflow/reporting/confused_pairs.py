"""The classes that a model confuses most, and the words that mislead it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.model.evidence import without_nan
from textnb.model.explanation import Explanation, finite
from textnb.model.predictor import Predictor

MOST_PAIRS = 8
MOST_WORDS = 12
_DIGITS = 4


@dataclass(frozen=True)
class MisleadingWord:
    """What a term adds, over all documents of a pair, to the log-odds of the wrong class; how many of them have it."""

    term: str
    contribution: float
    n_documents: int

    def to_json(self) -> list[Any]:
        total = finite(self.contribution)
        return [self.term, total if total is None else round(total, _DIGITS), self.n_documents]


@dataclass(frozen=True)
class ConfusedPair:
    """Documents of one class that were taken for another: how many, and which share of their class."""

    true: int
    predicted: int
    count: int
    share: float
    words: tuple[MisleadingWord, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "words": [word.to_json() for word in self.words]}


def most_confused_pairs(matrix: Array, n: int = MOST_PAIRS) -> list[ConfusedPair]:
    """The largest counts off the diagonal, without words; equal ones in the order of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> [(pair.true, pair.predicted, pair.share) for pair in most_confused_pairs(np.array([[3, 1], [2, 2]]))]
    [(1, 0, 0.5), (0, 1, 0.25)]
    """
    true, predicted = np.nonzero(matrix * (1 - np.eye(len(matrix), dtype=np.int64)))
    counts = matrix[true, predicted]
    largest = np.argsort(-counts, kind="stable")[:n]
    columns = (true[largest], predicted[largest], counts[largest], counts[largest] / matrix.sum(axis=1)[true[largest]])
    return [ConfusedPair(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]


def misleading_words(predictor: Predictor, counts: SparseRows, right: int, wrong: int) -> tuple[MisleadingWord, ...]:
    """The terms that speak most for the wrong class in some documents, from the positions of two of the classes."""
    weighted = predictor.weighting.apply(counts)
    columns, which = np.unique(weighted.indices, return_inverse=True)
    scores, _ = predictor.rule.contributions(weighted)
    with np.errstate(invalid="ignore"):
        total = np.bincount(which, without_nan(scores[:, wrong] - scores[:, right]), len(columns))
    n_documents = np.bincount(which[weighted.data > 0], minlength=len(columns))
    best = np.argsort(-total, kind="stable")[:MOST_WORDS]
    best = best[total[best] > 0]
    found = (predictor.column_names(columns[best]), total[best].tolist(), n_documents[best].tolist())
    return tuple(MisleadingWord(str(term), added, n) for term, added, n in zip(*found, strict=True))


def misleading_rows(explained: Iterable[Explanation]) -> tuple[MisleadingWord, ...]:
    """The terms and values that speak most for the wrong class, from explanations of it against the right one."""
    totals: dict[tuple[str | None, str], float] = defaultdict(float)
    n_documents: dict[tuple[str | None, str], int] = defaultdict(int)
    for explanation in explained:
        added: dict[tuple[str | None, str], float] = defaultdict(float)
        for row in explanation.rows:
            if row.kind in ("term", "value"):
                added[row.source if row.kind == "term" else None, row.term] += row.contribution
        for name, contribution in added.items():
            totals[name] += contribution
            n_documents[name] += 1
    best = sorted((name for name, total in totals.items() if total > 0), key=lambda name: (-totals[name], str(name)))
    several = len({source for source, _ in totals if source is not None}) > 1
    return tuple(
        MisleadingWord(f"{name[0]}: {name[1]}" if several and name[0] else name[1], totals[name], n_documents[name])
        for name in best[:MOST_WORDS]
    )
