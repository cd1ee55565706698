"""Where terms stand: the terms of a document, each with the places in the original text that it was made of."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from textnb.text.analyzer import Analyzer
from textnb.text.ngrams import WHITE_SPACES
from textnb.text.normalize import ACCENT_STRIPPERS
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN, pattern_spans

Span = tuple[int, int]  # start and end, in characters

_WORDS = re.compile(r"\S+")
_ENTITIES = re.compile(r"&#?\w{1,32};")
_REWRITTEN = {  # tokens that a tokenizer writes otherwise than the text has them
    "treebank": {"``": '"', "''": '"'},
    "toktok": {"&amp;": "&", "&#9;": "\t", "&#124;": "|"},
}


class Occurrence(NamedTuple):
    """One occurrence of a term, and its parts in the original text: the words of an n-gram, or a run of characters.

    A term that cannot be found in the text, as after a preprocessor of the user's, has no parts.
    """

    term: Any
    parts: tuple[Span, ...]

    @property
    def span(self) -> Span | None:
        """From the start of the first part to the end of the last."""
        return (self.parts[0][0], self.parts[-1][1]) if self.parts else None


def occurrences(analyzer: Analyzer, text: str) -> Iterator[Occurrence]:
    """The analyzer's terms of a text, in its order, with their parts."""
    if callable(analyzer.kind):
        return (Occurrence(term, ()) for term in analyzer.kind(text))
    aligned = _preprocessed(analyzer, text)
    if analyzer.kind == "char":
        return _characters(aligned, *analyzer.ngrams)
    if analyzer.kind == "char_wb":
        return _characters_of_words(aligned, *analyzer.ngrams)
    return _word_ngrams(_words(analyzer, aligned), *analyzer.ngrams)


def words(analyzer: Analyzer, text: str) -> list[Occurrence]:
    """The words that people see: those that n-grams are made of, or what stands between white space."""
    if analyzer.kind == "word":
        return _words(analyzer, _preprocessed(analyzer, text))
    return [Occurrence(word[0].lower(), (word.span(),)) for word in _WORDS.finditer(text)]


class Aligned(NamedTuple):
    """A text made from another one, and the start and end there of what each character was made from.

    Without `starts` every character stands where it stood; without `known` nobody knows.
    """

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None
    known: bool = True

    def parts(self, start: int, end: int) -> tuple[Span, ...]:
        """The place in the original of a run of characters, as the parts of an occurrence."""
        if start >= end or not self.known:
            return ()
        if self.starts is None or self.ends is None:
            return ((start, end),)
        return ((self.starts[start], self.ends[end - 1]),)

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


def _words(analyzer: Analyzer, aligned: Aligned) -> list[Occurrence]:
    """The words of a text without stop words, stemmed."""
    found = list(_tokens(analyzer, aligned))
    if analyzer.stop_words is not None:
        found = [word for word in found if word.term not in analyzer.stop_words]
    stem = analyzer.stem
    return found if stem is None else [Occurrence(stem(word.term), word.parts) for word in found]


def _tokens(analyzer: Analyzer, aligned: Aligned) -> Iterator[Occurrence]:
    text = aligned.text
    if analyzer.tokenizer is None:
        pattern = DEFAULT_TOKEN_PATTERN if analyzer.token_pattern is None else analyzer.token_pattern
        for start, end in pattern_spans(pattern)(text):
            yield Occurrence(text[start:end], aligned.parts(start, end))
        return
    rewritten: dict[str, str] = {}
    if isinstance(analyzer.tokenizer, str):
        rewritten = _REWRITTEN.get(analyzer.tokenizer, {})
        if analyzer.tokenizer == "tweet":
            aligned = aligned.substituted(_ENTITIES, html.unescape)  # as it does itself, before it cuts
    position = 0
    for token in analyzer.tokenize(text):
        place = _found(aligned.text, token, rewritten, position) if isinstance(token, str) else None
        if place is None:
            yield Occurrence(token, ())
        else:
            position = place[1]
            yield Occurrence(token, aligned.parts(*place))


def _found(text: str, token: str, rewritten: dict[str, str], position: int) -> Span | None:
    """Where a token stands from a position on, as it is or as it was before a tokenizer wrote it otherwise."""
    forms = {token, rewritten.get(token, token)}
    places = [(start, start + len(form)) for form in forms if form and (start := text.find(form, position)) >= 0]
    return min(places, default=None)


def _word_ngrams(words: list[Occurrence], low: int, high: int) -> Iterator[Occurrence]:
    if low == 1:
        yield from words
    for n in range(max(low, 2), min(high, len(words)) + 1):
        for i in range(len(words) - n + 1):
            run = words[i : i + n]
            yield Occurrence(
                " ".join([word.term for word in run]), tuple([part for word in run for part in word.parts])
            )


def _characters(aligned: Aligned, low: int, high: int) -> Iterator[Occurrence]:
    """Runs of characters, where a run of white space is one space."""
    aligned = aligned.substituted(WHITE_SPACES, lambda run: " ")
    text = aligned.text
    for n in range(low, min(high, len(text)) + 1):
        for i in range(len(text) - n + 1):
            yield Occurrence(text[i : i + n], aligned.parts(i, i + n))


def _characters_of_words(aligned: Aligned, low: int, high: int) -> Iterator[Occurrence]:
    """Runs of characters in words with a space before and after, which stand nowhere."""
    for word in _WORDS.finditer(aligned.text):
        padded, first, last = f" {word[0]} ", word.start(), word.end()
        for n in range(low, high + 1):
            for i in range(max(len(padded) - n, 0) + 1):
                start = first - 1 + i
                yield Occurrence(padded[i : i + n], aligned.parts(max(start, first), min(start + n, last)))
            if n >= len(padded):
                break
