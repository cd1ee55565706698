"""Terms and their ids, and what becomes of terms that have none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from textnb.text.rows import Array

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
        self._compiled: Any = None
        self.characters_seen = 0  # of text that was looked up, which decides whether compiling pays
        self.ids: dict[Any, int] = checked_ids(terms)

    @classmethod
    def of_ids(cls, ids: dict[Any, int], *, unknown: bool = False) -> Vocabulary:
        """Around a dict known to be right, not copied."""
        vocabulary = cls(unknown=unknown)
        vocabulary.ids = ids
        return vocabulary

    def add(self, term: Any) -> int:
        """The id of a term, a new one if it was not there."""
        return self.ids.setdefault(term, len(self.ids))

    def find(self, terms: Iterable[Any]) -> Array:
        """The ids of the terms, −1 where there is none."""
        get = self.ids.get
        return np.fromiter((get(term, -1) for term in terms), dtype=np.int64)

    def terms(self) -> list[Any]:
        """All terms, by id."""
        return sorted(self.ids, key=self.ids.__getitem__)

    def names(self) -> list[Any]:
        """The name of every column: the terms, and ``<UNK>`` if it has one."""
        return self.terms() + [UNKNOWN] * self.unknown

    @property
    def is_compiled(self) -> bool:
        return self._compiled is not None and len(self._compiled) == len(self.ids)

    def compiled(self, compiler: Callable[[Iterable[Any], Iterable[int]], Any]) -> Any:
        """What a compiler makes of the terms and their ids, kept until the vocabulary grows."""
        if not self.is_compiled:
            self._compiled = compiler(self.ids.keys(), list(self.ids.values()))
        return self._compiled

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": None}

    @property
    def n_columns(self) -> int:
        return len(self.ids) + self.unknown

    def __getitem__(self, term: Any) -> int:
        return self.ids[term]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, term: object) -> bool:
        return term in self.ids

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
