"""From a document to its terms: normalise, tokenize, drop stop words, stem, build n-grams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any

from textnb.text.ngrams import char_ngrams, char_wb_ngrams, word_ngrams
from textnb.text.normalize import ACCENT_STRIPPERS
from textnb.text.tokenize import (
    DEFAULT_TOKEN_PATTERN,
    Tokenize,
    check_stemmer_name,
    check_tokenizer_name,
    named_stemmer,
    named_tokenizer,
    pattern_tokenizer,
)

ANALYZERS = ("word", "char", "char_wb")


@dataclass(frozen=True)
class Analyzer:
    """A document's terms, in order: `Analyzer()("The cat sat")` is `["the", "cat", "sat"]`.

    Everything is either a plain value or a registered name, or else a callable of the user's, and then the analyzer
    cannot be stored in a model file.
    """

    kind: str | Callable[[Any], Iterable[Any]] = "word"
    ngrams: tuple[int, int] = (1, 1)
    lowercase: bool = True
    strip_accents: str | Callable[[str], str] | None = None
    preprocessor: Callable[[Any], str] | None = None
    tokenizer: str | Callable[[str], Iterable[Any]] | None = None
    token_pattern: str | None = DEFAULT_TOKEN_PATTERN
    stop_words: frozenset[str] | None = None
    stemmer: str | Callable[[str], str] | None = None

    def __post_init__(self) -> None:
        if not callable(self.kind) and self.kind not in ANALYZERS:
            raise ValueError(
                f"{self.kind} is not a valid tokenization scheme/analyzer; choose one of {', '.join(ANALYZERS)}, "
                "or pass a callable"
            )
        low, high = check_ngram_range(self.ngrams)
        object.__setattr__(self, "ngrams", (low, high))
        if isinstance(self.tokenizer, str):
            check_tokenizer_name(self.tokenizer)
        if isinstance(self.stemmer, str):
            check_stemmer_name(self.stemmer)
        _accent_stripper(self.strip_accents)

    def __call__(self, text: Any) -> Iterable[Any]:
        if callable(self.kind):
            return self.kind(text)
        text = self.preprocess(text)
        if self.kind == "char":
            return char_ngrams(text, *self.ngrams)
        if self.kind == "char_wb":
            return char_wb_ngrams(text, *self.ngrams)
        return word_ngrams(self.words(text), *self.ngrams)

    def words(self, text: str) -> list[Any]:
        """Tokens without stop words, stemmed."""
        tokens = self.tokenize(text)
        if self.stop_words is not None:
            tokens = [token for token in tokens if token not in self.stop_words]
        if self._stem is not None:
            tokens = [self._stem(token) for token in tokens]
        return tokens if isinstance(tokens, list) else list(tokens)

    @cached_property
    def preprocess(self) -> Callable[[Any], str]:
        if self.preprocessor is not None:
            return self.preprocessor
        return Preprocessor(self.lowercase, _accent_stripper(self.strip_accents))

    @cached_property
    def tokenize(self) -> Tokenize:
        if callable(self.tokenizer):
            return self.tokenizer  # type: ignore[return-value]
        if self.tokenizer is not None:
            return named_tokenizer(self.tokenizer)
        return pattern_tokenizer(DEFAULT_TOKEN_PATTERN if self.token_pattern is None else self.token_pattern)

    @cached_property
    def _stem(self) -> Callable[[str], str] | None:
        return named_stemmer(self.stemmer) if isinstance(self.stemmer, str) else self.stemmer

    def __getstate__(self) -> dict[str, Any]:
        """Without the functions built from the fields: some cannot be pickled, all are built again on demand."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def custom_parts(self) -> list[str]:
        """The names of the parts that are callables of the user's."""
        return [name for name in self.__dataclass_fields__ if callable(getattr(self, name))]

    def to_settings(self) -> dict[str, Any]:
        """Plain values from which `from_settings` makes the same analyzer."""
        if custom := self.custom_parts():
            raise ValueError(
                f"a model with its own callable for {', '.join(custom)} cannot be saved: a model file holds no code. "
                "Use a built-in name, or pickle the object"
            )
        settings = {name: getattr(self, name) for name in self.__dataclass_fields__}
        settings["ngrams"] = list(self.ngrams)
        settings["stop_words"] = None if self.stop_words is None else sorted(self.stop_words)
        return settings

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Analyzer:
        """An analyzer of these settings; what an older file does not have is as by default."""
        fields = dict(settings)
        if fields.get("stop_words") is not None:
            fields["stop_words"] = frozenset(fields["stop_words"])
        fields["ngrams"] = tuple(fields["ngrams"])
        return cls(**fields)


@dataclass(frozen=True)
class Preprocessor:
    lowercase: bool
    strip_accents: Callable[[str], str] | None

    def __call__(self, text: Any) -> str:
        if self.lowercase:
            text = text.lower()
        return text if self.strip_accents is None else self.strip_accents(text)


def _accent_stripper(choice: Any) -> Callable[[str], str] | None:
    if choice is None or callable(choice):
        return choice
    if choice not in ACCENT_STRIPPERS:
        raise ValueError(f'Invalid value for "strip_accents": {choice!r}; use "ascii", "unicode", None or a callable')
    return ACCENT_STRIPPERS[choice]


def check_ngram_range(ngram_range: Any) -> tuple[int, int]:
    try:
        low, high = map(index, ngram_range)
    except (TypeError, ValueError):
        raise ValueError(f"an n-gram range is a pair of numbers such as (1, 2), got {ngram_range!r}") from None
    if low > high:
        raise ValueError(f"Invalid value for ngram_range={ngram_range} lower boundary larger than the upper boundary.")
    if low < 1:
        raise ValueError(f"Invalid value for ngram_range={ngram_range}: n-grams have at least one part.")
    return low, high
