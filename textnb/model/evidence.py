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
    names: Callable[[], list[str]]
    scores: Array  # (n, K)
    values: Array  # (n,)
    counts: Array | None = None  # (n,), of terms
    text: str | None = None
    occurrences: Callable[[], Occurrences] | None = None  # of the terms in the text, numbered by row
    words: Callable[[], list[tuple[str, Span]]] | None = None  # that people see in it
    unknown: int | None = None  # the row of terms outside the vocabulary, the last one
    source: str | None = None  # the column of a table that it is from

    @cached_property
    def terms(self) -> list[str]:
        return self.names()

    @property
    def kinds(self) -> list[Kind]:
        known = len(self.scores) if self.unknown is None else self.unknown
        return [self.kind] * known + ["unknown"] * (len(self.scores) - known)

    @cached_property
    def located(self) -> Occurrences:
        """Where the terms stand in the text, numbered by row."""
        if self.occurrences is None:
            nowhere = np.zeros(0, dtype=np.int64)
            return Occurrences(nowhere, nowhere, nowhere, nowhere, nowhere)
        return self.occurrences()

    @property
    def spans(self) -> list[tuple[Span, ...]]:
        """Of every row, where its term stands."""
        return [()] * len(self.scores) if self.occurrences is None else self.located.spans(len(self.scores))


def constants(scores: dict[str, Array], kind: Kind) -> list[Evidence]:
    """Evidence that no term brings, by name; what adds nothing to any class is left out."""
    return [
        Evidence(kind, lambda name=name: [name], added[np.newaxis], np.ones(1))  # type: ignore[misc]
        for name, added in scores.items()
        if added.any()
    ]


def without_nan(differences: Array) -> Array:
    """0 for ∞ − ∞: what makes two classes impossible says nothing about either."""
    return np.where(np.isnan(differences), 0.0, differences)
