"""From a document to its terms: normalise, tokenize, remove stop words, stem, build n-grams."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any

from textnb.text.ngrams import char_ngrams, char_wb_ngrams, word_ngrams
from textnb.text.normalize import ACCENT_STRIPPERS
from textnb.text.pattern_size import check_pattern_size
from textnb.text.tokenize import (
    DEFAULT_TOKEN_PATTERN,
    OWN_TOKENIZERS,
    STEMMERS,
    TOKENIZERS,
    Tokenize,
    check_name,
    named_stemmer,
    named_tokenizer,
    pattern_tokenizer,
)

ANALYZERS = ("word", "char", "char_wb", "mail")
LONGEST_MAIL_NGRAM = 5  # terms
LONGEST_PLAIN_NGRAM = 64  # words; longer n-grams are not counted by the kernel, nor have they a compact form


@dataclass(frozen=True)
class Analyzer:
    """A document's terms, in order: `Analyzer()("The cat sat")` is `["the", "cat", "sat"]`.

    A part is a plain value, a registered name, or a callable of the user's, which cannot be stored in a model file.
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
    mail: str | None = None  # which parts of a message are read

    def __post_init__(self) -> None:
        if not callable(self.kind) and self.kind not in ANALYZERS:
            raise ValueError(
                f"{self.kind} is not a valid tokenization scheme/analyzer; choose one of {', '.join(ANALYZERS)}, "
                "or pass a callable"
            )
        object.__setattr__(self, "ngrams", check_ngram_range(self.ngrams))
        if self.is_mail:
            if self.ngrams[1] > LONGEST_MAIL_NGRAM:
                raise ValueError(f"n-grams of mail have up to {LONGEST_MAIL_NGRAM} terms, got {self.ngrams}")
            object.__setattr__(self, "mail", "all" if self.mail is None else _known_preset(self.mail))
        elif self.mail is not None:
            raise ValueError(f'mail={self.mail!r} says what is read of messages: leave it out, or take analyzer="mail"')
        if isinstance(self.tokenizer, str):
            check_name("tokenizer", self.tokenizer, TOKENIZERS)
        if isinstance(self.stemmer, str):
            check_name("stemmer", self.stemmer, STEMMERS)
        _accent_stripper(self.strip_accents)

    def __call__(self, text: Any) -> Iterable[Any]:
        if callable(self.kind):
            return self.kind(text)
        if self.is_mail:
            return self.rendered(text).split()
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
        if self.stem is not None:
            tokens = [self.stem(token) for token in tokens]
        return tokens if isinstance(tokens, list) else list(tokens)

    @property
    def is_mail(self) -> bool:
        """Whether documents are messages, which are rendered before their terms are counted."""
        return self.kind == "mail"

    def rendered(self, message: str) -> str:
        """The terms of a message in lines, with blanks between them; n-grams are of one line, with + between words."""
        from textnb.text.mail import render

        text = render(message, str(self.mail))
        return text if self.ngrams == (1, 1) else _with_ngrams(text, *self.ngrams)

    @property
    def keeps_case(self) -> bool:
        """Whether terms that differ in capitals are different terms."""
        return self.is_mail or self.preprocessor is not None or not self.lowercase

    @property
    def of_rendered(self) -> Analyzer:
        """What gives the same terms of messages that are rendered already."""
        return _AnalyzerOfRendered(**self.__getstate__()) if self.is_mail else self

    @property
    def is_plain(self) -> bool:
        """Whether the kernel counts its terms: it can lower-case, cut into words or characters, drop stop words."""
        if self.is_mail:
            return True
        if callable(self.kind) or self.preprocessor is not None or self.strip_accents is not None:
            return False
        usual_pattern = self.tokenizer is None and self.token_pattern in (None, DEFAULT_TOKEN_PATTERN)
        plain_words = self.stemmer is None and (usual_pattern or self.tokenizer in OWN_TOKENIZERS)
        return self.kind != "word" or (plain_words and self.ngrams[1] <= LONGEST_PLAIN_NGRAM)

    @property
    def units(self) -> Any:
        """What the kernel cuts a document into: the kind, or one of our own tokenizers."""
        return self.tokenizer if self.kind == "word" and self.tokenizer is not None else self.kind

    @property
    def makes_ngrams(self) -> bool:
        """Whether its terms are n-grams of words that have no blank in them."""
        return self.is_plain and self.kind == "word" and self.ngrams[1] > 1

    def preprocess(self, text: Any) -> str:
        if self.preprocessor is not None:
            return self.preprocessor(text)
        if self.lowercase:
            text = text.lower()
        strip_accents = _accent_stripper(self.strip_accents)
        return text if strip_accents is None else strip_accents(text)

    @cached_property
    def tokenize(self) -> Tokenize:
        if callable(self.tokenizer):
            return self.tokenizer  # type: ignore[return-value]
        if self.tokenizer is not None:
            return named_tokenizer(self.tokenizer)
        return pattern_tokenizer(DEFAULT_TOKEN_PATTERN if self.token_pattern is None else self.token_pattern)

    @cached_property
    def stem(self) -> Callable[[str], str] | None:
        return named_stemmer(self.stemmer) if isinstance(self.stemmer, str) else self.stemmer

    def __getstate__(self) -> dict[str, Any]:
        """Without the functions built from the fields: some cannot be pickled, all are built again on demand."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def check_storable(self) -> None:
        """Raise a ValueError if a part is a callable of the user's, or larger than a stranger's file may have it."""
        if custom := [name for name in self.__dataclass_fields__ if callable(getattr(self, name))]:
            raise ValueError(
                f"a model with its own callable for {', '.join(custom)} cannot be saved: a model file holds no code. "
                "Use a built-in name, or pickle the object"
            )
        if self.ngrams[1] > LONGEST_PLAIN_NGRAM:
            raise ValueError(f"a model file holds n-grams of up to {LONGEST_PLAIN_NGRAM} parts, got {self.ngrams}")
        if self.token_pattern is not None:
            check_pattern_size(self.token_pattern)


class _AnalyzerOfRendered(Analyzer):
    """An analyzer of mail for messages that are rendered already; no file holds one."""

    def rendered(self, message: str) -> str:
        return message


def _with_ngrams(rendered: str, low: int, high: int) -> str:
    lines = (word_ngrams(line.split(" "), low, high, "+") for line in rendered.split("\n"))
    return "\n".join(map(" ".join, lines))


def _known_preset(mail: str) -> str:
    from textnb.text.mail import PRESETS

    if mail not in PRESETS:
        raise ValueError(f"mail must be one of {', '.join(PRESETS)}, got {mail!r}")
    return mail


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


def stop_word_set(choice: str | Iterable[str] | None) -> frozenset[str] | None:
    """The words of a list, or of the list named "english" (scikit-learn's)."""
    if choice is None:
        return None
    if isinstance(choice, str):
        if choice != "english":
            raise ValueError(f'not a built-in stop list: {choice}; use "english" or pass a list of words')
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    return frozenset(choice)


def check_stop_words(analyzer: Analyzer) -> None:
    """Warn of stop words that the analyzer takes apart, so that their parts would stay."""
    stop_words = analyzer.stop_words
    if not stop_words:
        return
    try:
        parts = {token for word in stop_words for token in analyzer.tokenize(analyzer.preprocess(word))}
    except Exception:  # a callable of the user's that does not take single words: nothing can be said
        return
    if strays := sorted(parts - stop_words):
        warnings.warn(
            "Your stop_words may be inconsistent with your preprocessing. Tokenizing the stop words generated tokens "
            f"{strays} not in stop_words.",
            stacklevel=4,
        )
