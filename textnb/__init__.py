"""Naive Bayes for text: fast, exact, explainable."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textnb.classifier import TextClassifier, load
    from textnb.corpora import load_corpus
    from textnb.models.count import BernoulliNB, ComplementNB, MultinomialNB
    from textnb.text.vectorizers import CountVectorizer, TfidfTransformer, TfidfVectorizer
    from textnb.text.vocabulary import Vocabulary

__version__ = "0.1.0"

_HOMES = {
    "BernoulliNB": "textnb.models.count",
    "ComplementNB": "textnb.models.count",
    "CountVectorizer": "textnb.text.vectorizers",
    "MultinomialNB": "textnb.models.count",
    "TextClassifier": "textnb.classifier",
    "TfidfTransformer": "textnb.text.vectorizers",
    "TfidfVectorizer": "textnb.text.vectorizers",
    "Vocabulary": "textnb.text.vocabulary",
    "load": "textnb.classifier",
    "load_corpus": "textnb.corpora",
}

__all__ = [
    "BernoulliNB",
    "ComplementNB",
    "CountVectorizer",
    "MultinomialNB",
    "TextClassifier",
    "TfidfTransformer",
    "TfidfVectorizer",
    "Vocabulary",
    "__version__",
    "load",
    "load_corpus",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that `import textnb` costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'textnb' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
