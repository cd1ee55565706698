"""Terms and their ids, and what becomes of terms that have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from textnb.arrays import Array

UNKNOWN = "<UNK>"


class Vocabulary(Mapping[Any, int]):
    """Terms numbered in the order they arrived; a term never changes its number.

    With ``unknown=True`` everything outside the vocabulary is counted in one more column, the last, named ``<UNK>``.
    That name is not a term: a literal ``<UNK>`` in a text is an ordinary word.

    Parameters
    ----------
    terms : iterable or mapping of terms to ids, default=()
        The first terms. A mapping's ids must be 0, 1, 2, … in any order; a set is sorted.
    unknown : bool, default=False
        Whether there is a column for what is not in the vocabulary.

    Examples
    --------
    >>> from textnb import Vocabulary
    >>> vocabulary = Vocabulary(["cat", "dog"], unknown=True)
    >>> vocabulary.add("fox")
    2
    >>> vocabulary.find(["dog", "unicorn", "fox"])
    array([ 1, -1,  2])
    >>> vocabulary.names()
    ['cat', 'dog', 'fox', '<UNK>']
    """

    def __init__(self, terms: Iterable[Any] | Mapping[Any, int] = (), *, unknown: bool = False) -> None:
        self.unknown = unknown
        self.ids: dict[Any, int] = checked_ids(terms)

    def add(self, term: Any) -> int:
        """The id of a term, a new one if it was not there."""
        return self.ids.setdefault(term, len(self.ids))

    def find(self, terms: Iterable[Any]) -> Array:
        """The ids of the terms, −1 where there is none."""
        return np.fromiter((self.ids.get(term, -1) for term in terms), dtype=np.int64)

    def terms(self) -> list[Any]:
        """All terms, by id."""
        return sorted(self.ids, key=self.ids.__getitem__)

    def names(self) -> list[Any]:
        """The name of every column: the terms, and ``<UNK>`` if it has one."""
        return self.terms() + [UNKNOWN] * self.unknown

    @property
    def n_columns(self) -> int:
        return len(self.ids) + self.unknown

    def __getitem__(self, term: Any) -> int:
        return self.ids[term]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} terms{', unknown=True' * self.unknown})"


def checked_ids(terms: Iterable[Any] | Mapping[Any, int]) -> dict[Any, int]:
    """Terms to ids 0 … n−1, each id once."""
    if isinstance(terms, str):
        raise ValueError(f"a vocabulary is a list or a mapping of terms, got the string {terms!r:.60}")
    if isinstance(terms, Mapping):
        ids = dict(terms)
        taken = set(ids.values())
        if len(taken) != len(ids):
            raise ValueError("Vocabulary contains repeated indices.")
        for i in range(len(ids)):
            if i not in taken:
                raise ValueError(f"Vocabulary of size {len(ids)} doesn't contain index {i}.")
        return ids
    ids = {}
    for i, term in enumerate(sorted(terms) if isinstance(terms, set | frozenset) else terms):
        if ids.setdefault(term, i) != i:
            raise ValueError(f"Duplicate term in vocabulary: {term!r}")
    return ids
