"""Naive Bayes for text: fast, exact, explainable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb._lazy import lazy_names

if TYPE_CHECKING:
    from textnb.classifier import TextClassifier, load
    from textnb.corpora import load_corpus
    from textnb.models.count import BernoulliNB, ComplementNB, MultinomialNB
    from textnb.models.discriminant import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
        RegularizedDiscriminantAnalysis,
    )
    from textnb.models.mixed import MixedNB
    from textnb.models.tabular import CategoricalNB, GaussianNB
    from textnb.text.vectorizers import CountVectorizer, TfidfTransformer, TfidfVectorizer
    from textnb.text.vocabulary import Vocabulary

__version__ = "0.1.0"

_HOMES = {
    "BernoulliNB": "textnb.models.count",
    "CategoricalNB": "textnb.models.tabular",
    "ComplementNB": "textnb.models.count",
    "CountVectorizer": "textnb.text.vectorizers",
    "GaussianNB": "textnb.models.tabular",
    "LinearDiscriminantAnalysis": "textnb.models.discriminant",
    "MixedNB": "textnb.models.mixed",
    "MultinomialNB": "textnb.models.count",
    "QuadraticDiscriminantAnalysis": "textnb.models.discriminant",
    "RegularizedDiscriminantAnalysis": "textnb.models.discriminant",
    "TextClassifier": "textnb.classifier",
    "TfidfTransformer": "textnb.text.vectorizers",
    "TfidfVectorizer": "textnb.text.vectorizers",
    "Vocabulary": "textnb.text.vocabulary",
    "load": "textnb.classifier",
    "load_corpus": "textnb.corpora",
}

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "CountVectorizer",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "MixedNB",
    "MultinomialNB",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "TextClassifier",
    "TfidfTransformer",
    "TfidfVectorizer",
    "Vocabulary",
    "__version__",
    "load",
    "load_corpus",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
