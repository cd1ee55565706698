"""Text to tokens: patterns, and nltk's data-free tokenizers and stemmers by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"
PATTERN_SECONDS = 5.0

Tokenize = Callable[[str], list[Any]]
Stem = Callable[[str], str]

_NLTK_TOKENIZERS = {
    "toktok": "ToktokTokenizer",
    "treebank": "TreebankWordTokenizer",
    "tweet": "TweetTokenizer",
    "whitespace": "WhitespaceTokenizer",
    "wordpunct": "WordPunctTokenizer",
}
_NLTK_STEMMERS = {
    "arlstem": "ARLSTem",
    "cistem": "Cistem",
    "isri": "ISRIStemmer",
    "lancaster": "LancasterStemmer",
    "porter": "PorterStemmer",
}
_SNOWBALL = (
    *("arabic", "danish", "dutch", "english", "finnish", "french", "german", "hungarian"),
    *("italian", "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish"),
)

TOKENIZERS = {
    "toktok": "ToktokTokenizer",
    "treebank": "TreebankWordTokenizer",
    "tweet": "TweetTokenizer",
    "whitespace": "WhitespaceTokenizer",
    "wordpunct": "WordPunctTokenizer",
}
_NLTK_STEMMERS = {
    "arlstem": "ARLSTem",
    "cistem": "Cistem",
    "isri": "ISRIStemmer",
    "lancaster": "LancasterStemmer",
    "porter": "PorterStemmer",
}
_SNOWBALL = [
    "arabic",
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "spanish",
    "swedish",
]

TOKENIZERS = sorted(_NLTK_TOKENIZERS)
STEMMERS = sorted([*_NLTK_STEMMERS, "snowball", *(f"snowball-{language}" for language in _SNOWBALL)])


def named_tokenizer(name: str) -> Tokenize:
    """nltk's tokenizer of that name; "toktok", "treebank", "tweet", "whitespace" or "wordpunct"."""
    check_tokenizer_name(name)
    import nltk.tokenize

    tokenize: Tokenize = getattr(nltk.tokenize, _NLTK_TOKENIZERS[name])().tokenize
    return tokenize


def named_stemmer(name: str) -> Stem:
    """nltk's stemmer of that name: "porter", "lancaster", …, "snowball" (English) or "snowball-german" and so on."""
    check_stemmer_name(name)
    import nltk.stem

    if name.startswith("snowball"):
        stemmer = nltk.stem.SnowballStemmer(name.partition("-")[2] or "english")
    else:
        stemmer = getattr(nltk.stem, _NLTK_STEMMERS[name])()
    return cache(stemmer.stem)


def check_tokenizer_name(name: str) -> None:
    _check_name("tokenizer", name, TOKENIZERS)


def check_stemmer_name(name: str) -> None:
    _check_name("stemmer", name, STEMMERS)


def _check_name(what: str, name: str, known: list[str]) -> None:
    if name not in known:
        raise ValueError(f"unknown {what} {name!r}; choose one of {', '.join(known)}, or pass a callable")


def pattern_tokenizer(pattern: str) -> Tokenize:
    """All matches of a regular expression, of its group if it has one.

    Simple patterns run on `re`. One that could backtrack for ever (a repeated group, a back-reference, more than one
    open-ended repetition) runs on the `regex` package with a time limit; there `\\w` also takes combining marks.
    """
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"token_pattern {pattern!r} is not a regular expression: {error}") from None
    if compiled.groups > 1:
        raise ValueError("More than 1 capturing group in token pattern. Only a single group should be captured.")
    if is_simple_pattern(pattern):
        return compiled.findall
    return _timed_tokenizer(pattern)


def is_simple_pattern(pattern: str) -> bool:
    """Whether no repetition is nested, doubled or refers back, so that matching cannot take exponential time."""
    bare = re.sub(r"\\[^0-9]", "x", pattern)  # escapes other than back-references
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "x", bare)  # character sets
    open_ended = re.findall(r"[*+]|\{\d*,\}", bare)
    bounds = [int(n) for n in re.findall(r"\{\d*,?(\d+)\}", bare)]
    return (
        len(open_ended) <= 1
        and not re.search(r"\)[*+?{]", bare)
        and not re.search(r"\\[0-9]|\(\?P=|\(\?\(", bare)
        and all(n <= 64 for n in bounds)
        and len(bounds) <= 1
    )


def _timed_tokenizer(pattern: str) -> Tokenize:
    import regex

    compiled = regex.compile(pattern)

    def tokenize(text: str) -> list[Any]:
        try:
            found: list[Any] = compiled.findall(text, timeout=PATTERN_SECONDS)
        except TimeoutError:
            raise ValueError(
                f"token_pattern {pattern!r} took longer than {PATTERN_SECONDS:g} s on a document of {len(text)} "
                f"characters that starts {text[:40]!r}; use a pattern without nested repetitions"
            ) from None
        return found

    return tokenize
