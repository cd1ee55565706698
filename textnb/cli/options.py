"""The values of options: choices, and lists and numbers written as text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path


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


class Subset(StrEnum):
    train = "train"
    test = "test"
    all = "all"


def names(text: str | None) -> list[str] | None:
    """`a,b,c` as a list; None if not given."""
    if text is None:
        return None
    return [name for name in (part.strip() for part in text.split(",")) if name]


def one_of(option: str, text: str | None, known: Sequence[str]) -> str | None:
    """One of many names, or None."""
    if text is not None and text not in known:
        raise ValueError(f"{option} is one of {', '.join(known)}, got {text!r}")
    return text


def stop_words(text: str | None) -> str | list[str] | None:
    """`english`, or a list of words; one word alone is rather the name of a language that is not there."""
    if text is None or text == "english":
        return text
    if "," not in text:
        raise ValueError(f"--stop-words takes english, or words with commas such as the,a,of, got {text!r}")
    return names(text)


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
        number = float(text) if "." in text else int(text)
    except ValueError:
        number = -1
    if not (0 <= number <= 1 if isinstance(number, float) else number >= 1):
        raise ValueError(f"{option} takes a number of documents, or a share from 0.0 to 1.0, got {text!r}")
    return number


def place(option: str, path: Path) -> Path:
    """A file that can be written, or an error before time is spent on its content."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{option} {path}: the folder does not exist; create it, or choose another")
    if path.exists() and not path.is_file():
        raise ValueError(f"{option} {path}: it exists and is not a regular file; choose another name")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{option} {path}: the folder may not be written to; choose another")
    return path


def check_plot(path: Path | None) -> None:
    """Refuse a picture that could not be drawn, before time is spent on what it shows."""
    if path is not None:
        from textnb.report import check_picture

        check_picture(place("--plot", path))
