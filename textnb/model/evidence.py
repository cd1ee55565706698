"""What speaks for the classes: things of a document, what each adds to every score, and where it stands in the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from textnb.arrays import Array
from textnb.text.spans import Occurrences, Span

Kind = Literal["term", "unknown", "value", "prior", "constant"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Things of one source, such as the terms of a text: what each adds to the score of every class."""

    kind: Kind
    names: Callable[[Array], list[str]]  # of some rows
    scores: Array  # (n, K)
    values: Array  # (n,)
    counts: Array | None = None  # (n,), of terms
    text: str | None = None
    occurrences: Callable[[], Occurrences] | None = None  # of the terms in the text, numbered by row
    words: Callable[[], list[tuple[str, Span]]] | None = None  # that people see in it
    keeps_case: bool = False  # whether words that differ in capitals are different words
    unknown: int | None = None  # the row of terms outside the vocabulary, the last one
    source: str | None = None  # the column of a table that it is from

    @cached_property
    def located(self) -> Occurrences:
        """Where the terms stand in the text, numbered by row."""
        if self.occurrences is None:
            nowhere = np.zeros(0, dtype=np.int64)
            return Occurrences(nowhere, nowhere, nowhere, nowhere, nowhere)
        return self.occurrences()

    def spans(self, rows: Array | None = None) -> list[tuple[Span, ...]]:
        """Where the terms of all rows, or of some, stand."""
        if self.occurrences is None:
            return [()] * len(self.scores if rows is None else rows)
        if rows is None:
            return self.located.spans(len(self.scores))
        number = np.full(len(self.scores), -1)
        number[rows] = np.arange(len(rows))
        wanted = self.located._replace(ids=number[self.located.ids])
        return wanted.select(wanted.ids >= 0).spans(len(rows))


def constants(scores: dict[str, Array], kind: Kind) -> list[Evidence]:
    """Evidence that no term brings, by name; what adds nothing to any class is left out."""
    return [
        Evidence(kind, lambda rows, name=name: [name] * len(rows), added[np.newaxis], np.ones(1))  # type: ignore[misc]
        for name, added in scores.items()
        if added.any()
    ]


def without_nan(differences: Array) -> Array:
    """0 for ∞ − ∞: what makes two classes impossible says nothing about either."""
    return np.where(np.isnan(differences), 0.0, differences)
