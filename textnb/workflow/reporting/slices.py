"""How a model does on parts of the documents: short and long ones, with known and unknown words, by class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.workflow.metrics import wilson_interval

UNKNOWN_SHARES = (0.0, 0.05, 0.1, 0.2, 0.4, 1.0)


@dataclass(frozen=True)
class Slice:
    """The accuracy on some documents, with its interval of 95 %."""

    by: str
    name: str
    n: int
    accuracy: float

    @property
    def interval(self) -> tuple[float, float]:
        return wilson_interval(self.accuracy, self.n)

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "interval": list(self.interval)}


def slices_of(
    right: Array,
    class_ids: Array,
    classes: Sequence[str],
    *,
    n_words: Array | None = None,
    unknown_share: Array | None = None,
    is_duplicate: Array | None = None,
) -> list[Slice]:
    """Documents by length, share of unknown words, duplicates and class; what is not known is left out.

    `right` says of each document whether its class was named, `is_duplicate` whether a learned one is nearly the same.

    Examples
    --------
    >>> import numpy as np
    >>> right, class_ids = np.array([True, False, True, True]), np.array([0, 0, 1, 1])
    >>> [(part.name, part.n, part.accuracy) for part in slices_of(right, class_ids, ["ham", "spam"])]
    [('ham', 2, 0.5), ('spam', 2, 1.0)]
    """
    parts: list[tuple[str, str, Array]] = []
    if n_words is not None:
        parts += [("length", name, members) for name, members in _by_length(n_words)]
    if unknown_share is not None:
        parts += [("unknown words", name, members) for name, members in _by_unknown(unknown_share)]
    if is_duplicate is not None:
        parts += [
            ("duplicates", "nearly the same as a learned document", is_duplicate),
            ("duplicates", "unlike the learned documents", ~is_duplicate),
        ]
    parts += [("class", name, class_ids == c) for c, name in enumerate(classes)]
    return [
        Slice(by, name, int(members.sum()), float(right[members].mean()))
        for by, name, members in parts
        if members.any()
    ]


def _by_length(n_words: Array) -> Iterator[tuple[str, Array]]:
    """Quartiles of the number of words; fewer where many documents are of one length."""
    ends = np.unique(np.quantile(n_words, [0.25, 0.5, 0.75, 1.0], method="inverted_cdf"))
    for end, before in zip(ends, [-1, *ends[:-1]], strict=True):
        members = (n_words > before) & (n_words <= end)
        shortest, longest = int(n_words[members].min()), int(end)
        unit = "word" if longest == 1 else "words"
        yield (f"{longest} {unit}" if shortest == longest else f"{shortest}–{longest} {unit}"), members


def _by_unknown(unknown_share: Array) -> Iterator[tuple[str, Array]]:
    yield "none unknown", unknown_share == 0
    for low, high in pairwise(UNKNOWN_SHARES):
        name = f"over {low:.0%}" if high == 1 else f"{low:.0%} to {high:.0%}" if low else f"up to {high:.0%}"
        yield name.replace("%", " %"), (unknown_share > low) & (unknown_share <= high)
