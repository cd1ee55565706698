"""Where terms stand: the terms of a document, each with the places in the original text that it was made of."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array, ranges
from textnb.compiled import compiled_kernel
from textnb.text.analyzer import Analyzer
from textnb.text.ngrams import WHITE_SPACES, char_ngrams, char_wb_ngrams, word_ngrams
from textnb.text.normalize import ACCENT_STRIPPERS
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN, OWN_TOKENIZERS, own_spans, pattern_spans

Span = tuple[int, int]  # start and end, in characters

_WORDS = re.compile(r"\S+")
_ENTITIES = re.compile(r"&#?\w{1,32};")
_REWRITTEN = {  # tokens that a tokenizer writes otherwise than the text has them
    "treebank": {"``": '"', "''": '"'},
    "toktok": {"&amp;": "&", "&#9;": "\t", "&#124;": "|"},
}
_NOWHERE = (0, 0)


class Places(NamedTuple):
    """The terms of a text in the analyzer's order, each a run of units: of words or, in character n-grams, characters.

    Units are those that stand in the original text, in order. A term that stands nowhere, as after a preprocessor of
    the user's, is a run of none.
    """

    terms: list[Any]
    first: Array  # the first unit of each term
    n_units: Array  # and how many they are
    starts: Array  # where the units start and end in the original text
    ends: Array


class Occurrences(NamedTuple):
    """Occurrences in a text of numbered things, each a run of units: its words or characters."""

    ids: Array
    first: Array  # the first unit of each
    n_units: Array  # and how many they are
    starts: Array  # where the units start and end in the text
    ends: Array

    def select(self, keep: Array) -> Occurrences:
        """Those where the mask is true, of the same units."""
        return self._replace(ids=self.ids[keep], first=self.first[keep], n_units=self.n_units[keep])

    def spans(self, n: int) -> list[tuple[Span, ...]]:
        """Of each of n things, where it stands."""
        kernel = compiled_kernel()
        if kernel is not None:
            found: list[tuple[Span, ...]] = kernel.spans_by_id(*self, n)
            return found
        order = np.argsort(self.ids, kind="stable")
        first, n_units = self.first[order], self.n_units[order]
        both = list(zip(self.starts[first].tolist(), self.ends[first + n_units - 1].tolist(), strict=True))
        bounds = np.searchsorted(self.ids[order], np.arange(n + 1)).tolist()
        return [tuple(both[begin:end]) for begin, end in pairwise(bounds)]

    def shares(self, added: Array) -> tuple[Array, Array]:
        """What each unit adds, given what the things add, (n,) or (n, K), and how many occurrences it is part of.

        What a thing adds is divided equally among its occurrences, and each of these among its units.
        """
        divisor = np.bincount(self.ids, minlength=len(added))[self.ids] * self.n_units
        share = added[self.ids] / divisor.reshape(-1, *[1] * (added.ndim - 1))
        units, of_units = ranges(self.first, self.n_units), np.repeat(share, self.n_units, axis=0)
        n = len(self.starts)
        totals: Array = np.zeros((n, *added.shape[1:]))
        with np.errstate(invalid="ignore"):
            if added.ndim == 1:
                totals = np.bincount(units, of_units, n)
            else:
                np.add.at(totals, units, of_units)
        return totals, np.bincount(units, minlength=n)


def places(analyzer: Analyzer, text: str) -> Places:
    """The analyzer's terms of a text, or of a rendered message, and where they stand."""
    if callable(analyzer.kind):
        return _runs(list(analyzer.kind(text)), None, None, None)
    if analyzer.is_mail:
        found = [(word[0], word.span()) for word in _WORDS.finditer(text)]
        spans = np.array([span for _, span in found], dtype=np.int64).reshape(-1, 2)
        return _runs([term for term, _ in found], np.arange(len(found)), np.ones(len(found), dtype=np.int64), spans)
    aligned = _preprocessed(analyzer, text)
    if analyzer.kind == "char":
        return _characters(aligned, *analyzer.ngrams)
    if analyzer.kind == "char_wb":
        return _characters_of_words(aligned, *analyzer.ngrams)
    tokens, spans = _words(analyzer, aligned)
    low, high = analyzer.ngrams
    lengths = np.arange(low, min(high, len(tokens)) + 1)
    return _runs(word_ngrams(tokens, low, high), *_all_runs(len(tokens), lengths), spans)


def words(analyzer: Analyzer, text: str) -> list[tuple[str, Span]]:
    """The words that people see: those that n-grams are made of, or what stands between white space."""
    if analyzer.kind == "word":
        tokens, spans = _words(analyzer, _preprocessed(analyzer, text))
        pairs = zip(tokens, spans.tolist(), strict=True)
        return [(str(token), (start, end)) for token, (start, end) in pairs if start < end]
    shown = str if analyzer.keeps_case else str.lower
    return [(shown(word[0]), word.span()) for word in _WORDS.finditer(text)]


class Aligned(NamedTuple):
    """A text made from another one, and the start and end there of what each character was made from.

    Without `starts` every character stands where it stood; without `known` nobody knows.
    """

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None
    known: bool = True

    def original(self, spans: list[Span]) -> Array:
        """The places in the original of runs of characters, (n, 2); an empty one where there is none."""
        found = np.array(spans, dtype=np.int64).reshape(-1, 2)
        if not self.known:
            return np.zeros_like(found)
        if self.starts is None or self.ends is None:
            return found
        there = found[:, 0] < found[:, 1]
        found[there, 0] = np.asarray(self.starts, dtype=np.int64)[found[there, 0]]
        found[there, 1] = np.asarray(self.ends, dtype=np.int64)[found[there, 1] - 1]
        return np.where(there[:, np.newaxis], found, 0)

    def characters(self, at: Array) -> Array:
        """The places in the original of single characters, (n, 2)."""
        if not self.known:
            return np.zeros((len(at), 2), dtype=np.int64)
        if self.starts is None or self.ends is None:
            return np.stack((at, at + 1), axis=1)
        starts, ends = (np.asarray(places, dtype=np.int64) for places in (self.starts, self.ends))
        return np.stack((starts[at], ends[at]), axis=1)

    def replaced(self, pieces: Iterable[tuple[str, int, int]]) -> Aligned:
        """The text of pieces, each made from the characters of this one from a start to an end."""
        texts, starts, ends = [], [], []
        for piece, start, end in pieces:
            texts.append(piece)
            starts += [start if self.starts is None else self.starts[start]] * len(piece)
            ends += [end if self.ends is None else self.ends[end - 1]] * len(piece)
        return Aligned("".join(texts), starts, ends, self.known)

    def substituted(self, pattern: re.Pattern[str], substitute: Callable[[str], str]) -> Aligned:
        """The text with every match of a pattern replaced as a whole."""
        pieces, position = [], 0
        for match in pattern.finditer(self.text):
            pieces += [(self.text[i], i, i + 1) for i in range(position, match.start())]
            pieces.append((substitute(match[0]), *match.span()))
            position = match.end()
        if not position:
            return self
        return self.replaced(pieces + [(self.text[i], i, i + 1) for i in range(position, len(self.text))])


def _preprocessed(analyzer: Analyzer, text: str) -> Aligned:
    """The text as the analyzer cuts it, aligned with the original."""
    processed = analyzer.preprocess(text)
    if not isinstance(processed, str):
        return Aligned("", known=False)
    aligned = Aligned(text)
    if analyzer.preprocessor is None:
        if analyzer.lowercase:
            aligned = _lowered(aligned)
        if isinstance(analyzer.strip_accents, str):
            aligned = _stripped(aligned, analyzer.strip_accents)
    return aligned if aligned.text == processed else Aligned(processed, known=False)


def _lowered(aligned: Aligned) -> Aligned:
    """Lower case, which no character leaves out: where the length is the same, so is every place."""
    text, lowered = aligned.text, aligned.text.lower()
    if len(lowered) == len(text):
        return aligned._replace(text=lowered)
    pieces, end = [], 0
    for i, character in enumerate(text):
        start, end = end, end + len(character.lower())
        pieces.append((lowered[start:end], i, i + 1))  # of the whole, since a final sigma is known by its neighbours
    return aligned.replaced(pieces)


def _stripped(aligned: Aligned, name: str) -> Aligned:
    """Without accents; a mark that is left out belongs to the character before it."""
    text, strip = aligned.text, ACCENT_STRIPPERS[name]
    if text.isascii():
        return aligned
    pieces: list[tuple[str, int, int]] = []
    for i, character in enumerate(text):
        piece = strip(character)
        if piece:
            pieces.append((piece, i, i + 1))
        elif pieces and unicodedata.combining(character) and pieces[-1][2] == i:
            pieces[-1] = (*pieces[-1][:2], i + 1)
    return aligned.replaced(pieces)


def _words(analyzer: Analyzer, aligned: Aligned) -> tuple[list[Any], Array]:
    """The words of a text without stop words, stemmed, and their places in the original, (n, 2)."""
    tokens, spans = _tokens(analyzer, aligned)
    if analyzer.stop_words is not None:
        kept = [i for i, token in enumerate(tokens) if token not in analyzer.stop_words]
        tokens, spans = [tokens[i] for i in kept], spans[kept]
    return (tokens if analyzer.stem is None else list(map(analyzer.stem, tokens))), spans


def _tokens(analyzer: Analyzer, aligned: Aligned) -> tuple[list[Any], Array]:
    text = aligned.text
    if analyzer.tokenizer is None:
        pattern = DEFAULT_TOKEN_PATTERN if analyzer.token_pattern is None else analyzer.token_pattern
        found = pattern_spans(pattern)(text)
        return [text[start:end] for start, end in found], aligned.original(found)
    if analyzer.tokenizer in OWN_TOKENIZERS:
        found = own_spans(str(analyzer.tokenizer))(text)
        return [text[start:end] for start, end in found], aligned.original(found)
    rewritten: dict[str, str] = {}
    if isinstance(analyzer.tokenizer, str):
        rewritten = _REWRITTEN.get(analyzer.tokenizer, {})
        if analyzer.tokenizer == "tweet":
            aligned = aligned.substituted(_ENTITIES, html.unescape)  # as it does itself, before it cuts
    position, tokens, spans = 0, list(analyzer.tokenize(text)), []
    for token in tokens:
        span = _found(aligned.text, token, rewritten, position) if isinstance(token, str) else _NOWHERE
        position = max(position, span[1])
        spans.append(span)
    return tokens, aligned.original(spans)


def _found(text: str, token: str, rewritten: dict[str, str], position: int) -> Span:
    """Where a token stands from a position on, as it is or as it was before a tokenizer wrote it otherwise."""
    forms = {token, rewritten.get(token, token)}
    spans = [(start, start + len(form)) for form in forms if form and (start := text.find(form, position)) >= 0]
    return min(spans, default=_NOWHERE)


def _characters(aligned: Aligned, low: int, high: int) -> Places:
    """Runs of characters, where a run of white space is one space."""
    terms = char_ngrams(aligned.text, low, high)
    aligned = aligned.substituted(WHITE_SPACES, lambda run: " ")
    n = len(aligned.text)
    return _runs(terms, *_all_runs(n, np.arange(low, min(high, n) + 1)), aligned.characters(np.arange(n)))


def _characters_of_words(aligned: Aligned, low: int, high: int) -> Places:
    """Runs of characters in words with a space before and after, which stand nowhere."""
    found = [word.span() for word in _WORDS.finditer(aligned.text)]
    starts, ends = np.array(found, dtype=np.int64).reshape(-1, 2).T
    lengths = ends - starts
    n_sizes = np.minimum(high, np.maximum(low, lengths + 2)) - low + 1  # no n-gram but the first is longer than a word
    word, size = np.repeat(np.arange(len(found)), n_sizes), low + ranges(np.zeros_like(n_sizes), n_sizes)
    n_runs = np.maximum(lengths[word] + 2 - size, 0) + 1
    word, size, at = np.repeat(word, n_runs), np.repeat(size, n_runs), ranges(np.zeros_like(n_runs), n_runs)
    first = np.maximum(at - 1, 0)
    n_characters = np.minimum(at - 1 + size, lengths[word]) - first
    before = np.cumsum(lengths) - lengths  # characters of words before each word
    spans = aligned.characters(ranges(starts, lengths))
    return _runs(char_wb_ngrams(aligned.text, low, high), before[word] + first, n_characters, spans)


def _all_runs(n_units: int, lengths: Array) -> tuple[Array, Array]:
    """First units and lengths of all runs among so many units, the shortest first."""
    n_runs = n_units - lengths + 1
    return ranges(np.zeros_like(n_runs), n_runs), np.repeat(lengths, n_runs)


def _runs(terms: list[Any], first: Array | None, n_units: Array | None, spans: Array | None) -> Places:
    """Terms that are runs of units, of which only those with a place in the text are kept."""
    if first is None or n_units is None or spans is None:
        first = n_units = np.zeros(len(terms), dtype=np.int64)
        spans = np.zeros((0, 2), dtype=np.int64)
    stands = spans[:, 0] < spans[:, 1]
    if not stands.all():
        before = np.concatenate(([0], np.cumsum(stands)))
        n_units = before[first + n_units] - before[first]
        first, spans = before[first], spans[stands]
    return Places(terms, first, n_units, spans[:, 0], spans[:, 1])
