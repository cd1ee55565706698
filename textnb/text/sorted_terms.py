"""The terms of a model in their one order, as a dict or as the arrays of a file, joined without changing the form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from textnb.text.rows import Array
from textnb.text.term_index import TermArrays, TermIndex, build_term_arrays, insert_terms, select_terms

_FEW = 4096  # new terms up to which inserting them one by one is quicker than decoding all that were there


class SortedTerms:
    """Distinct terms in ascending order; a term's position is its number.

    Terms that were counted are a dict of terms to positions, those of a file four arrays. Each becomes the other only
    when it must: a mail filter learns a message without decoding a vocabulary.
    """

    def __init__(self, ids: dict[Any, int] | None = None, arrays: TermArrays | None = None) -> None:
        if ids is not None:
            self.ids = ids  # shadows the cached property
        if arrays is not None:
            self.arrays = arrays
        self._size = len(ids) if ids is not None else len(self.arrays["hashes"])

    @classmethod
    def of(cls, terms: Sequence[Any]) -> SortedTerms:
        """Around terms known to be sorted and distinct."""
        return cls(dict(zip(terms, range(len(terms)), strict=True)))

    @cached_property
    def ids(self) -> dict[Any, int]:
        """Terms to positions, in order."""
        terms = TermIndex(**self.arrays).terms()
        return dict(zip(terms, range(len(terms)), strict=True))

    @cached_property
    def arrays(self) -> TermArrays:
        """As a file holds them."""
        return build_term_arrays(list(self.ids))

    @property
    def _decoded(self) -> bool:
        return "ids" in self.__dict__

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SortedTerms):
            return NotImplemented
        return self is other or (len(self) == len(other) and self.ids == other.ids)

    __hash__ = None  # type: ignore[assignment]

    def find(self, terms: Sequence[Any]) -> Array:
        """The position of each term, −1 where it is none of these."""
        if self._decoded:
            get = self.ids.get
            return np.fromiter((get(term, -1) for term in terms), np.int64, len(terms))
        return TermIndex(**self.arrays).find(terms)

    def union(self, other: SortedTerms) -> tuple[SortedTerms, Array, Array]:
        """Both together, and the positions in it of the terms of each."""
        if self is other:
            return self, np.arange(len(self)), np.arange(len(self))
        if len(other) > len(self):
            joined, theirs, mine = other.union(self)
            return joined, mine, theirs
        others = list(other.ids)
        found = self.find(others)
        new = list(compress(others, found < 0))
        if not new:
            return self, np.arange(len(self)), found
        joined, before = self._insert(new)
        mine = np.arange(len(self)) + np.searchsorted(before, np.arange(len(self)), side="right")
        theirs = np.empty(len(others), dtype=np.int64)
        theirs[found < 0] = before + np.arange(len(new))
        theirs[found >= 0] = mine[found[found >= 0]]
        return joined, mine, theirs

    def _insert(self, new: list[Any]) -> tuple[SortedTerms, Array]:
        """With these sorted terms, none of which was there; and before which of the old terms each of them comes."""
        if not self._decoded and len(new) <= _FEW:
            arrays, before = insert_terms(self.arrays, new)
            return SortedTerms(arrays=arrays), before
        joined = SortedTerms.of(sorted([*self.ids, *new]))  # two sorted runs, which Python merges in one pass
        return joined, joined.find(new) - np.arange(len(new))

    def select(self, keep: Array) -> SortedTerms:
        """Those where the mask is true."""
        if keep.all():
            return self
        if not self._decoded:
            return SortedTerms(arrays=select_terms(self.arrays, keep))
        return SortedTerms.of(list(compress(self.ids, keep)))

    def __getstate__(self) -> dict[str, Any]:
        return {"ids": self.ids, "_size": self._size}
