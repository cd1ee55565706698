"""Stop words: which, and whether they fit the tokens they are to be compared with."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from textnb.text.analyzer import Analyzer


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
