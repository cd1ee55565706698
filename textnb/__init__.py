"""Naive Bayes for text: fast, exact, explainable."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textnb.corpora import load_corpus
    from textnb.estimators.categorical import CategoricalNB
    from textnb.estimators.classifier import TextClassifier, load
    from textnb.estimators.count import BernoulliNB, ComplementNB, MultinomialNB
    from textnb.estimators.discriminant import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
        RegularizedDiscriminantAnalysis,
    )
    from textnb.estimators.gaussian import GaussianNB
    from textnb.estimators.hashing import HashingVectorizer
    from textnb.estimators.linear import NBSVM
    from textnb.estimators.mixed import MixedNB
    from textnb.estimators.vectorizers import CountVectorizer, TfidfTransformer, TfidfVectorizer
    from textnb.text.vocabulary import Vocabulary

__version__ = "0.1.0"

_HOMES = {
    "BernoulliNB": "textnb.estimators.count",
    "CategoricalNB": "textnb.estimators.categorical",
    "ComplementNB": "textnb.estimators.count",
    "CountVectorizer": "textnb.estimators.vectorizers",
    "GaussianNB": "textnb.estimators.gaussian",
    "HashingVectorizer": "textnb.estimators.hashing",
    "LinearDiscriminantAnalysis": "textnb.estimators.discriminant",
    "MixedNB": "textnb.estimators.mixed",
    "MultinomialNB": "textnb.estimators.count",
    "NBSVM": "textnb.estimators.linear",
    "QuadraticDiscriminantAnalysis": "textnb.estimators.discriminant",
    "RegularizedDiscriminantAnalysis": "textnb.estimators.discriminant",
    "TextClassifier": "textnb.estimators.classifier",
    "TfidfTransformer": "textnb.estimators.vectorizers",
    "TfidfVectorizer": "textnb.estimators.vectorizers",
    "Vocabulary": "textnb.text.vocabulary",
    "load": "textnb.estimators.classifier",
    "load_corpus": "textnb.corpora",
}

__all__ = [
    "NBSVM",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "CountVectorizer",
    "GaussianNB",
    "HashingVectorizer",
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


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package that imports a public name from its module when it is first used."""

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(sys.modules[package].__all__)


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
