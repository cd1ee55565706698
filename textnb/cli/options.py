"""The values of options: choices, and lists and numbers written as text."""

from __future__ import annotations

from enum import StrEnum


class Model(StrEnum):
    multinomial = "multinomial"
    complement = "complement"
    bernoulli = "bernoulli"


class Weights(StrEnum):
    counts = "counts"
    binary = "binary"
    tfidf = "tfidf"
    log_tfidf = "log-tfidf"


class Units(StrEnum):
    word = "word"
    char = "char"
    char_wb = "char_wb"


class Unknown(StrEnum):
    ignore = "ignore"
    token = "token"


def names(text: str | None) -> list[str] | None:
    """`a,b,c` as a list; None if not given."""
    if text is None:
        return None
    return [name for name in (part.strip() for part in text.split(",")) if name]


def stop_words(text: str | None) -> str | list[str] | None:
    return "english" if text == "english" else names(text)


def ngram_range(text: str) -> tuple[int, int]:
    """`1,2`, or `2` for 2,2."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2) or not 1 <= numbers[0] <= numbers[-1]:
        raise ValueError(f"--ngrams takes the shortest and the longest n-gram, such as 1,2, got {text!r}")
    return numbers[0], numbers[-1]


def frequency(option: str, text: str) -> int | float:
    """A whole number of documents, or a share of them with a decimal point."""
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise ValueError(f"{option} takes a number of documents, or a share such as 0.01, got {text!r}") from None
