"""What would flip a decision: the fewest words without which a document is of another class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array
from textnb.model.evidence import Evidence, without_nan
from textnb.text.spans import Span

_FIRST_WORDS = 60  # words that are each tried alone
_RIVALS = 3  # classes that words are taken away for
_FEW = 32  # words that people read: only as many are sought one by one
_MORE_WORDS = 16  # that are tried where shares promise a flip too early
_MOST_CHARACTERS = 8_000_000  # predicted in one search: of a text of a megabyte, a few candidates are tried
_GROWTH = (1, 1.1, 1.3, 1.6, 2, 4, np.inf)  # of many words, how many times as many are tried


class Flip(NamedTuple):
    """Words without which a document would be of another class."""

    words: list[str]  # as the text has them, in lower case where capitals say nothing, the most telling first
    spans: list[Span]  # all their places, in the order of the text
    label: Any
    sources: list[str | None]  # of each span, the column of a table that its text is from


class _Words(NamedTuple):
    """The words of a document, each with all its places, and what they add to the score of every class."""

    places: list[list[tuple[int, Span]]]  # which text, and where in it
    shares: Array  # (n, K)


def fewest_words(
    texts: Sequence[Evidence],
    joint: Array,
    c: int,
    classes: list[Any],
    predict: Callable[[list[list[str]]], Array],
) -> Flip | None:
    """The fewest words without which the document, of class c by its scores (K,), is of another; None if none are.

    `predict` gives the positions of the classes of documents, each the list of its texts.
    """
    words = _words_of(texts, len(classes))
    if not words.places:
        return None
    best = _Search(texts, words, joint, c, predict).best()
    if best is None:
        return None
    flipping, label = best
    places = sorted(place for i in flipping for place in words.places[i])
    sources = [texts[t].source for t, _ in places]
    names = []
    for i in flipping:
        t, (start, end) = words.places[i][0]
        name = (texts[t].text or "")[start:end]
        names.append(name if texts[t].keeps_case else name.lower())
    return Flip(names, [span for _, span in places], classes[label], sources)


def _words_of(texts: Sequence[Evidence], n_classes: int) -> _Words:
    numbers: dict[str, int] = {}
    places: list[list[tuple[int, Span]]] = []
    added = []  # (owners, shares) of the units of each text that are part of a word
    for t, evidence in enumerate(texts):
        assert evidence.words is not None
        found = evidence.words()
        owners = np.array([numbers.setdefault(name, len(numbers)) for name, _ in found], dtype=np.int64)
        places += [[] for _ in range(len(numbers) - len(places))]
        for owner, (_, span) in zip(owners.tolist(), found, strict=True):
            places[owner].append((t, span))
        bounds = np.array([span for _, span in found], dtype=np.int64).reshape(-1, 2)
        located = evidence.located
        word = np.searchsorted(bounds[:, 0], located.starts, side="right") - 1
        inside = word >= 0
        inside[inside] = located.starts[inside] < bounds[word[inside], 1]
        added.append((owners[word[inside]], located.shares(evidence.scores)[0][inside]))
    shares = np.zeros((len(numbers), n_classes))
    with np.errstate(invalid="ignore"):
        for owners, of_units in added:
            np.add.at(shares, owners, of_units)
    return _Words(places, without_nan(shares))


@dataclass(eq=False)
class _Search:
    texts: Sequence[Evidence]
    words: _Words
    joint: Array
    c: int
    predict: Callable[[list[list[str]]], Array]
    n_left: int = _MOST_CHARACTERS  # that may still be predicted

    def best(self) -> tuple[list[int], int] | None:
        """Numbers of words, and the class without them."""
        joint, c, shares = self.joint, self.c, self.words.shares
        orders, needed = {}, {}  # of each other class, the words that speak against it, and how many it would take
        with np.errstate(invalid="ignore"):
            for d in (d for d in range(len(joint)) if d != c):
                gains = without_nan(shares[:, c] - shares[:, d])
                order = np.argsort(-gains, kind="stable")
                orders[d] = order[gains[order] > 0]
                needed[d] = int(np.searchsorted(np.cumsum(gains[orders[d]]), joint[c] - joint[d])) + 1
        rivals = sorted(orders, key=lambda d: (needed[d], -joint[d]))[:_RIVALS]
        best = None
        if rivals and needed[rivals[0]] <= _FEW:
            strongest = dict.fromkeys(int(i) for d in rivals for i in orders[d][: _FIRST_WORDS // len(rivals)])
            best = self._first([[i] for i in strongest])
        for d in rivals if best is None else []:
            found = self._fewest(orders[d].tolist(), needed[d])
            if found is not None and (best is None or len(found[0]) < len(best[0])):
                best = found
            if best is not None and len(best[0]) > _FEW:
                break  # nobody reads so many words, nor minds a few more
        return best

    def _fewest(self, order: list[int], n: int) -> tuple[list[int], int] | None:
        """The first of some words that flip the decision, given how many should; more where lengths matter."""
        if n <= _FEW:
            sizes = [*range(n, n + _MORE_WORDS), len(order)]
            found = self._first([order[:k] for k in dict.fromkeys(sizes) if 0 < k <= len(order)])
        else:
            sizes = [int(min(n * factor, len(order))) for factor in _GROWTH]
            found = next(filter(None, (self._first([order[:k]]) for k in dict.fromkeys(sizes))), None)
        return None if found is None else self._without_needless(*found)

    def _first(self, candidates: list[list[int]]) -> tuple[list[int], int] | None:
        """The first of some sets of words without which the class is another, and that class."""
        length = sum(len(evidence.text or "") for evidence in self.texts)
        candidates = candidates[: self.n_left // max(length, 1)]
        self.n_left -= length * len(candidates)
        if not candidates:
            return None
        labels = self.predict([self._texts_without(words) for words in candidates]).tolist()
        return next(((words, label) for words, label in zip(candidates, labels, strict=True) if label != self.c), None)

    def _without_needless(self, words: list[int], label: int) -> tuple[list[int], int]:
        """Fewer words that do as well, the least telling left out first; of very many, nobody reads which they are."""
        for word in reversed(words) if len(words) <= _FEW else ():
            fewer = self._first([[other for other in words if other != word]])
            if fewer is not None:
                words, label = fewer
        return words, label

    def _texts_without(self, words: list[int]) -> list[str]:
        texts = [evidence.text or "" for evidence in self.texts]
        for t, text in enumerate(texts):
            pieces, position = [], 0
            for start, end in sorted(span for i in words for of, span in self.words.places[i] if of == t):
                pieces.append(text[position:start])
                position = max(end, position)
            texts[t] = "".join([*pieces, text[position:]])
        return texts
