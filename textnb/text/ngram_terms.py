"""Word n-grams as terms: the table of their words, and each n-gram as word ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.compiled import compiled_kernel
from textnb.text.analyzer import LONGEST_PLAIN_NGRAM
from textnb.text.terms import (
    STRING_ARRAYS,
    SearchableArray,
    Terms,
    TermTable,
    compiled_probe,
    compiled_strings,
    damaged,
)

NGRAM_ARRAYS = ("ngram_starts", "ngram_rest")


class NgramTerms(TermTable):
    """Word n-grams: the table of their words and, for each n-gram, the ids of its words.

    The n-grams whose first word is w are at positions starts[w] to starts[w + 1] − 1; `rest` (n, longest − 1) has the
    ids of their other words, −1 where an n-gram is shorter. A blank sorts before every character of a word, so the
    order by word ids is the order as strings. Every word is in some n-gram.
    """

    def __init__(self, words: Terms, starts: SearchableArray, rest: SearchableArray | ShortWordIds) -> None:
        self.words, self._starts, self._rest = words, starts, rest

    @classmethod
    def of(cls, strings: Sequence[str], longest: int) -> NgramTerms | None:
        """The table of sorted strings of up to `longest` words; None if one is not words joined by single blanks."""
        split = [string.split(" ") for string in strings]
        words = sorted({word for ngram in split for word in ngram})
        if any(len(ngram) > longest for ngram in split) or any(not word or min(word) <= " " for word in words):
            return None
        ids = {word: i for i, word in enumerate(words)}
        rows = np.full((len(split), longest), -1, dtype=np.int32)
        for row, ngram in zip(rows, split, strict=True):
            row[: len(ngram)] = [ids[word] for word in ngram]
        return cls._of_rows(Terms.of(words), rows)

    @classmethod
    def _of_rows(cls, words: Terms, rows: Array) -> NgramTerms:
        """From sorted rows of word ids, first words included."""
        starts = np.searchsorted(rows[:, 0], np.arange(len(words) + 1))
        return cls(words, starts, np.ascontiguousarray(rows[:, 1:]))

    @property
    def starts(self) -> Array:
        return np.asarray(self._starts).astype(np.int64, copy=False)

    @property
    def rest(self) -> Array:
        return np.asarray(self._rest)

    @property
    def longest(self) -> int:
        return self._rest.shape[1] + 1

    def _rows(self) -> Array:
        """The ids of all words of each n-gram, (n, longest)."""
        first = np.repeat(np.arange(len(self.words), dtype=np.int32), np.diff(self.starts))
        return np.column_stack([first, self.rest])

    @cached_property
    def probe(self) -> Any:
        return compiled_probe(self.words.blob, self.words.offsets, self.starts, self.rest)

    def __len__(self) -> int:
        return len(self._rest)

    def find(self, terms: Sequence[Any]) -> Array:
        split = [term.split(" ") if isinstance(term, str) else [] for term in terms]
        words = sorted({word for ngram in split for word in ngram})
        known = dict(zip(words, self.words.find(words).tolist(), strict=True))
        rows = np.full((len(split), self.longest), -1, dtype=np.int64)
        for row, ngram in zip(rows, split, strict=True):
            ids = [known[word] for word in ngram]
            if 0 < len(ids) <= self.longest and min(ids) >= 0:
                row[: len(ids)] = ids
        possible = rows[:, 0] >= 0
        positions = np.full(len(split), -1, dtype=np.int64)
        positions[possible] = np.maximum(self._search_rows(rows[possible]), -1)
        return positions

    def between(self, first: str, stop: str) -> tuple[int, int]:
        """By their first words."""
        begin, end = (int(self._starts[word]) for word in self.words.between(first, stop))
        if not 0 <= begin <= end <= len(self):
            raise damaged("the n-grams of a word are out of range")
        return begin, end

    def _search_rows(self, rows: Array) -> Array:
        """As `_search`, for rows of word ids: by bisection."""
        first = rows[:, 0]
        low, stop = (np.asarray(self._starts[at]).astype(np.int64) for at in (first, first + 1))
        if ((low < 0) | (low > stop) | (stop > len(self))).any():
            raise damaged("the n-grams of a word are out of range")
        high = stop.copy()
        found = np.zeros(len(rows), dtype=bool)
        (open_,) = np.nonzero(low < high)
        while open_.size:
            middle = (low[open_] + high[open_]) // 2
            order = _compare(self._rest[middle], rows[open_, 1:])
            found[open_[order == 0]] = True
            low[open_] = np.where(order < 0, middle + 1, np.where(order == 0, middle, low[open_]))
            high[open_] = np.where(order > 0, middle, high[open_])
            open_ = open_[(order != 0) & (low[open_] < high[open_])]
        return np.where(found, low, -1 - low)

    def strings(self, ids: Array | None = None) -> list[str]:
        if ids is not None and self.has_probe:
            return compiled_strings(self.probe, ids)
        kernel = compiled_kernel()
        if kernel is not None:
            wanted = None if ids is None else np.ascontiguousarray(ids, dtype=np.int64)
            return kernel.ngram_strings(self.words.blob, self.words.offsets, self.starts, self.rest, wanted)
        names = self.words.strings()
        rows = self._rows() if ids is None else self._rows()[ids]
        return [" ".join([names[i] for i in row if i >= 0]) for row in rows.tolist()]

    def numbers(self) -> dict[str, int]:
        kernel = compiled_kernel()
        if kernel is None:
            return super().numbers()
        return kernel.ngram_numbers(self.words.blob, self.words.offsets, self.starts, self.rest)

    def select(self, keep: Array) -> NgramTerms:
        if keep.all():
            return self
        rows = self._rows()[keep]
        used = np.zeros(len(self.words), dtype=bool)
        used[rows[rows >= 0]] = True
        if not used.all():
            rows = _renumbered(rows, np.cumsum(used) - 1)
        return self._of_rows(self.words.select(used), rows)

    def _search(self, other: TermTable) -> Array:
        assert isinstance(other, NgramTerms)
        words = self.words.locate(other.words)
        if (words >= 0).all():
            return self._locate_ngrams(other, words)
        joined, mine, theirs = self.words.union(other.words)
        assert isinstance(joined, Terms)
        return self._among(joined, mine)._locate_ngrams(other, theirs)

    def locate(self, other: TermTable) -> Array:
        ngrams = self._like(other)
        if self is ngrams or not isinstance(ngrams, NgramTerms):
            return super().locate(other)
        return np.maximum(self._locate_ngrams(ngrams, self.words.locate(ngrams.words)), -1)

    def _locate_ngrams(self, other: NgramTerms, words: Array) -> Array:
        """As `_search`, given the id here of each word of the other table; −1 for an n-gram with a missing word."""
        kernel = compiled_kernel()
        if kernel is not None:
            return kernel.locate_ngrams(self.starts, self.rest, other.starts, other.rest, words)
        rows = _renumbered(other._rows(), words)
        possible = ((rows >= 0) == (other._rows() >= 0)).all(axis=1)
        positions = np.full(len(other), -1, dtype=np.int64)
        positions[possible] = self._search_rows(rows[possible])
        return positions

    def _among(self, words: Terms, positions: Array) -> NgramTerms:
        """The same n-grams over a larger table of words, given the positions in it of these words."""
        if len(words) == len(self.words):
            return self
        lengths = np.zeros(len(words) + 1, dtype=np.int64)
        lengths[positions + 1] = np.diff(self.starts)
        return NgramTerms(words, np.cumsum(lengths), _renumbered(self.rest, positions))

    def _insert(self, other: TermTable, before: Array) -> NgramTerms:
        assert isinstance(other, NgramTerms)
        words, mine, theirs = self.words.union(other.words)
        assert isinstance(words, Terms)
        rows = self._among(words, mine)._rows()
        return self._of_rows(words, np.insert(rows, before, _renumbered(other._rows(), theirs), axis=0))

    def _like(self, other: TermTable) -> TermTable:
        if isinstance(other, NgramTerms) and other.longest == self.longest:
            return other
        ngrams = NgramTerms.of(other.strings(), self.longest)
        if ngrams is None:
            raise ValueError("terms that are not n-grams of words cannot be joined with n-grams of words")
        return ngrams

    def arrays(self) -> dict[str, Array]:
        """The arrays of a file."""
        return {**self.words.arrays(), **dict(zip(NGRAM_ARRAYS, (self.starts, self.rest), strict=True))}

    def check(self, *, compare_hashes: bool = True) -> None:
        """Raise a ValueError if the arrays are damaged."""
        self.words.check(compare_hashes=compare_hashes)
        starts, rest = self.starts, self.rest
        if starts[0] != 0 or starts[-1] != len(rest) or (starts[1:] < starts[:-1]).any():
            raise damaged("the n-grams of its words do not divide its n-grams")
        kernel = compiled_kernel()
        if kernel is not None and kernel.check_ngrams(len(self.words), starts, rest) < 0:
            return
        if ((rest < -1) | (rest >= len(self.words))).any() or ((rest[:, :-1] < 0) & (rest[:, 1:] >= 0)).any():
            raise damaged("an n-gram has a word that is none")
        if len(rest) > 1:
            rows = self._rows()
            if not (_compare(rows[:-1], rows[1:]) < 0).all():
                raise damaged("n-grams are not sorted and distinct")

    def check_form(self) -> None:
        """Raise a ValueError unless each array is of the right type and length. Reads none of them."""
        self.words.check_form()
        starts, rest = self._starts, self._rest
        if starts.dtype.kind not in "iu" or starts.shape != (len(self.words) + 1,):
            raise damaged(f"ngram_starts is {starts.dtype} of shape {tuple(starts.shape)}")
        if rest.dtype != np.dtype("i4") or len(rest.shape) != 2 or not 1 <= rest.shape[1] < LONGEST_PLAIN_NGRAM:
            raise damaged(f"ngram_rest is {rest.dtype} of shape {tuple(rest.shape)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return NgramTerms, (self.words, np.array(self.starts), np.array(self.rest))


def terms_from_arrays(
    fetch: Callable[[str], Any], names: Iterable[str], *, compact: bool = False
) -> Terms | NgramTerms:
    """The terms of a file whose arrays have these names; their form is checked, their content is not.

    Those of a compact file have no index by hash, and may have their word ids in 16 bits.
    """
    words = Terms(*map(fetch, STRING_ARRAYS[:2] if compact else STRING_ARRAYS))
    terms: Terms | NgramTerms = words
    if any(name in NGRAM_ARRAYS for name in names):
        starts, rest = map(fetch, NGRAM_ARRAYS)
        terms = NgramTerms(words, starts, ShortWordIds(rest) if compact and rest.dtype == np.uint16 else rest)
    terms.check_form()
    return terms


def compact_arrays(terms: TermTable) -> dict[str, Array]:
    """The arrays of a compact file."""
    words = terms.words if isinstance(terms, NgramTerms) else terms
    assert isinstance(words, Terms)
    arrays = dict(zip(STRING_ARRAYS[:2], (words.blob, words.offsets), strict=True))
    if isinstance(terms, NgramTerms):
        rest = ShortWordIds.of(terms.rest) if len(words) <= ShortWordIds.MOST else terms.rest
        arrays |= dict(zip(NGRAM_ARRAYS, (terms.starts, rest), strict=True))
    return arrays


class ShortWordIds:
    """Word ids in 16 bits: each plus one, so that 0 is none. They are read as the ids that they stand for."""

    MOST = 0xFFFF  # words
    dtype = np.dtype("i4")

    def __init__(self, stored: SearchableArray) -> None:
        self._stored = stored

    @staticmethod
    def of(ids: Array) -> Array:
        return (ids + 1).astype(np.uint16)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._stored.shape)

    def __len__(self) -> int:
        return len(self._stored)

    def __getitem__(self, indices: Any) -> Array:
        return np.asarray(self._stored[indices]).astype(np.int32) - 1

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self._stored).astype(np.int32) - 1


def _renumbered(rows: Array, ids: Array) -> Array:
    """Rows of word ids with ids[word] for each word; −1 stays."""
    return np.append(ids, -1).astype(np.int32)[rows]


def _compare(rows: Array, others: Array) -> Array:
    """−1, 0 or 1 for each pair of rows: the sign of the first difference."""
    signs = np.sign(np.asarray(rows).astype(np.int64) - others)
    first = (signs != 0).argmax(axis=1)
    return signs[np.arange(len(signs)), first]
