"""Text to tokens: patterns, and nltk's data-free tokenizers and stemmers by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from textnb.text.unicode_words import unicode_spans, unicode_words

DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"
PATTERN_SECONDS = 5.0

Tokenize = Callable[[str], list[Any]]
# nltk's patterns take a time that grows with the square of what has no white space: 80 s for 150,000 digits.
_LONG_RUN = re.compile(r"\S{1000}(?=\S)")

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

# Of our own, which the kernel knows too: runs of letters and digits with all other characters as tokens, and words of
# any script.
OWN_TOKENIZERS = ("punctuation", "unicode")
PUNCTUATION_PATTERN = r"\w+|[^\w\s]"

TOKENIZERS = sorted([*_NLTK_TOKENIZERS, *OWN_TOKENIZERS])
STEMMERS = sorted([*_NLTK_STEMMERS, "snowball", *(f"snowball-{language}" for language in _SNOWBALL)])


def named_tokenizer(name: str) -> Tokenize:
    """One of ours, "punctuation" or "unicode", or nltk's "toktok", "treebank", "tweet", "whitespace" or "wordpunct"."""
    check_name("tokenizer", name, TOKENIZERS)
    if name == "unicode":
        return unicode_words
    if name == "punctuation":
        return pattern_tokenizer(PUNCTUATION_PATTERN)
    import nltk.tokenize

    nltk_tokenize: Tokenize = getattr(nltk.tokenize, _NLTK_TOKENIZERS[name])().tokenize

    def tokenize(text: str) -> list[Any]:
        with _time_limit(f"tokenizer {name!r}", text, "use another tokenizer, or leave the document out"):
            return nltk_tokenize(_LONG_RUN.sub(r"\g<0>\n", text))

    return tokenize


def own_spans(name: str) -> Callable[[str], list[tuple[int, int]]]:
    """Where the tokens of one of our own tokenizers start and end."""
    return unicode_spans if name == "unicode" else pattern_spans(PUNCTUATION_PATTERN)


def named_stemmer(name: str) -> Callable[[str], str]:
    """nltk's stemmer of that name: "porter", "lancaster", …, "snowball" (English) or "snowball-german" and so on."""
    check_name("stemmer", name, STEMMERS)
    import nltk.stem

    if name.startswith("snowball"):
        stemmer = nltk.stem.SnowballStemmer(name.partition("-")[2] or "english")
    else:
        stemmer = getattr(nltk.stem, _NLTK_STEMMERS[name])()
    return lru_cache(1 << 16)(stemmer.stem)  # bounded: a filter that runs for weeks meets ever new words


def check_name(what: str, name: str, known: list[str]) -> None:
    if name not in known:
        raise ValueError(f"unknown {what} {name!r}; choose one of {', '.join(known)}, or pass a callable")


def pattern_tokenizer(pattern: str) -> Tokenize:
    """All matches of a regular expression, of its group if it has one.

    Simple patterns run on `re`. One that could backtrack for long runs on the `regex` package with a time limit; there
    `\\w` is Unicode's own, with combining marks and without fractions.
    """
    compiled = _compiled(pattern)
    if is_simple_pattern(pattern):
        return compiled.findall
    timed = _compiled_with_limit(pattern)

    def tokenize(text: str) -> list[Any]:
        with _time_limit(f"token_pattern {pattern!r}", text):
            return timed.findall(text, timeout=PATTERN_SECONDS)

    return tokenize


def pattern_spans(pattern: str) -> Callable[[str], list[tuple[int, int]]]:
    """Where those matches start and end; one of an empty group has no length."""
    compiled = _compiled(pattern)
    group, is_simple = compiled.groups, is_simple_pattern(pattern)
    timed: Any = compiled if is_simple else _compiled_with_limit(pattern)
    limit = {} if is_simple else {"timeout": PATTERN_SECONDS}

    def spans(text: str) -> list[tuple[int, int]]:
        with _time_limit(f"token_pattern {pattern!r}", text):
            found = [match.span(group) for match in timed.finditer(text, **limit)]
        return found if not group else [(max(start, 0), max(end, 0)) for start, end in found]

    return spans


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError, TypeError) as error:
        raise ValueError(f"token_pattern {pattern!r} is not a regular expression: {error}") from None
    if compiled.groups > 1:
        raise ValueError("More than 1 capturing group in token pattern. Only a single group should be captured.")
    return compiled


def _compiled_with_limit(pattern: str) -> Any:
    import regex

    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"token_pattern {pattern!r} is not a regular expression: {error}") from None


@contextmanager
def _time_limit(what: str, text: str, advice: str = "use a pattern without nested repetitions") -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise ValueError(
            f"{what} took longer than {PATTERN_SECONDS:g} s on a document of {len(text)} characters that starts "
            f"{text[:40]!r}; {advice}"
        ) from None


# Characters that may be optional, and groups that may not, then at most one repetition and nothing that could fail
# after it. A word boundary there is harmless if the pattern starts at one too.
_SIMPLE_BRANCH = re.compile(
    r"(?P<start>\(*\\b)?(?:[^\\*+?{()]\??|\((?!\?)|\)(?![*+?{]))*"
    r"(?P<repetition>[*+]|\{\d{0,2},?\d{0,2}\})?\)*(?P<end>\\b\)*)?"
)


def is_simple_pattern(pattern: str) -> bool:
    """Whether matching is sure to take time linear in the text, with a small factor."""
    if len(pattern) > 1000:
        return False
    bare = re.sub(r"\\[^0-9bB]", "x", pattern)  # escapes other than boundaries and back-references
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "x", bare)  # character sets
    bare = re.sub(r"^\(\?[aiu]+\)", "", bare).replace("(?:", "(")
    if bare.count("?") > 4 or ("|" in bare and "(" in bare):
        return False
    branches = [_SIMPLE_BRANCH.fullmatch(branch) for branch in bare.split("|")]
    return all(branch and (branch["start"] or not (branch["repetition"] and branch["end"])) for branch in branches)
