"""n-grams of tokens and of characters."""

from __future__ import annotations

import re
from typing import Any

WHITE_SPACES = re.compile(r"\s\s+")


def word_ngrams(tokens: list[Any], low: int, high: int, joint: str = " ") -> list[Any]:
    """All runs of `low` to `high` tokens, joined by a space or another joint; single tokens as they are."""
    if (low, high) == (1, 1):
        return tokens
    singles = list(tokens) if low == 1 else []
    lengths = range(max(low, 2), min(high, len(tokens)) + 1)
    return singles + [joint.join(tokens[i : i + n]) for n in lengths for i in range(len(tokens) - n + 1)]


def char_ngrams(text: str, low: int, high: int) -> list[str]:
    """All runs of `low` to `high` characters; runs of white space count as one space."""
    text = WHITE_SPACES.sub(" ", text)
    return [text[i : i + n] for n in range(low, min(high, len(text)) + 1) for i in range(len(text) - n + 1)]


def char_wb_ngrams(text: str, low: int, high: int) -> list[str]:
    """Character n-grams inside words padded with a space; a padded word shorter than n counts once, whole."""
    found = []
    for word in text.split():
        padded = f" {word} "
        length = len(padded)
        for n in range(low, high + 1):
            found += [padded[i : i + n] for i in range(max(length - n, 0) + 1)]
            if n >= length:
                break
    return found
