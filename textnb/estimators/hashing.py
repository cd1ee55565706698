"""scikit-learn's vectorizer without a vocabulary: a hash of the term is its column."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from textnb.arrays import SparseRows
from textnb.estimators.analysis import DocumentAnalysis, check_choice
from textnb.estimators.sklearn_compat import to_public_csr
from textnb.text.analyzer import check_stop_words
from textnb.text.documents import as_documents
from textnb.text.hashing import MOST_FEATURES, count_hashed
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN
from textnb.text.weights import weigh


class HashingVectorizer(DocumentAnalysis, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Documents to a sparse matrix of term counts, without a vocabulary: the column of a term is its hash.

    All parameters and results are those of scikit-learn's class of that name; ``stemmer``, named tokenizers and
    ``n_jobs`` are as in `textnb.CountVectorizer`. It learns nothing, so that documents can be transformed without a
    fit, in parts, and by several processes alike. Naive Bayes models of counts need ``alternate_sign=False``.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from textnb import HashingVectorizer, MultinomialNB
    >>> vectorizer = HashingVectorizer(n_features=2**18, alternate_sign=False, norm=None)
    >>> vectorizer.transform(["the cat sat", "the dog and the cat"]).sum(axis=1).tolist()
    [[3.0], [5.0]]
    >>> model = make_pipeline(vectorizer, MultinomialNB())
    >>> model.fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).predict(["cheap lunch, cheap pills"]).tolist()
    ['spam']
    """

    def __init__(
        self,
        *,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: str | Callable[[str], str] | None = None,
        lowercase: bool = True,
        preprocessor: Callable[[Any], str] | None = None,
        tokenizer: str | Callable[[str], Iterable[Any]] | None = None,
        stop_words: str | Iterable[str] | None = None,
        token_pattern: str | None = DEFAULT_TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: str | Callable[[Any], Iterable[Any]] = "word",
        n_features: int = 2**20,
        binary: bool = False,
        norm: str | None = "l2",
        alternate_sign: bool = True,
        dtype: Any = np.float64,
        stemmer: str | Callable[[str], str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.n_features = n_features
        self.binary = binary
        self.norm = norm
        self.alternate_sign = alternate_sign
        self.dtype = dtype
        self.stemmer = stemmer
        self.n_jobs = n_jobs

    def partial_fit(self, X: Any, y: Any = None) -> HashingVectorizer:
        """Check the parameters; there is nothing to learn."""
        return self.fit(X, y)

    def fit(self, X: Any, y: Any = None) -> HashingVectorizer:
        """Check the parameters; there is nothing to learn."""
        self._check_before_fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Check the parameters, and count."""
        self._check_before_fit(X)
        return to_public_csr(self._rows(X))

    def transform(self, X: Any) -> Any:
        """Count the terms of documents."""
        return to_public_csr(self._rows(X))

    def _check_before_fit(self, X: Any) -> None:
        as_documents(X)
        self._check_parameters()
        self._warn_for_unused_params()

    def _check_parameters(self) -> None:
        self._check_analysis()
        n = self.n_features
        if not isinstance(n, Integral) or isinstance(n, bool) or not 1 <= n <= MOST_FEATURES:
            raise ValueError(f"n_features must be a whole number from 1 to {MOST_FEATURES}, got {n!r}")
        if self.norm is not None:
            check_choice("norm", self.norm, ("l1", "l2"))
        if self.alternate_sign and np.dtype(self.dtype).kind == "u":
            raise ValueError(f"{np.dtype(self.dtype)} has no negative numbers: set alternate_sign=False, or dtype")

    def _rows(self, documents: Any) -> SparseRows:
        self._check_parameters()
        analyzer = self._analyzer()
        check_stop_words(analyzer)
        rows = count_hashed(
            self._documents(documents),
            analyzer,
            self.n_features,
            alternate_sign=self.alternate_sign,
            n_jobs=self.n_jobs,
        )
        if not rows.shape[0]:
            raise ValueError("Cannot vectorize empty sequence: there are no documents")
        if self.binary or np.dtype(self.dtype) == np.bool_:
            rows = rows.with_data(np.ones_like(rows.data))
        return _normed(rows, self.norm, np.dtype(self.dtype))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def _normed(rows: SparseRows, norm: str | None, dtype: Any) -> SparseRows:
    """The rows in a type, integers as floats if they are divided by a norm."""
    if norm is None:
        return rows.with_data(rows.data.astype(dtype, copy=False))
    rows = weigh(rows, idf=None, sublinear_tf=False, norm=norm)
    return rows.with_data(rows.data.astype(dtype, copy=False)) if dtype == np.float32 else rows
