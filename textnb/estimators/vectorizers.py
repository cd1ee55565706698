"""scikit-learn's text vectorizers: the same parameters, attributes and results, with `<UNK>` and stemmers besides."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import metadata_routing
from sklearn.utils.validation import FLOAT_DTYPES, check_array, check_is_fitted

from textnb.arrays import Array, SparseRows
from textnb.estimators.analysis import DocumentAnalysis, check_choice
from textnb.estimators.sklearn_compat import (
    as_public,
    check_structure,
    from_csr,
    is_sparse,
    to_public_csr,
    validate_rows,
)
from textnb.text.analyzer import check_stop_words
from textnb.text.features import UNKNOWN_CHOICES, Features, finished, learn_features
from textnb.text.limits import Limits
from textnb.text.tokenize import DEFAULT_TOKEN_PATTERN
from textnb.text.vocabulary import UNKNOWN, checked_ids
from textnb.text.weights import inverse_document_frequency, weigh

NOT_FITTED = "Vocabulary not fitted or provided: call fit first, or pass vocabulary="


class CountVectorizer(DocumentAnalysis, BaseEstimator):
    """Documents to a sparse matrix of term counts.

    All parameters, attributes and results are those of scikit-learn's class of that name; these are new:

    Parameters
    ----------
    unknown : {"ignore", "token"}, default="ignore"
        With "token", the matrix has one more column, the last, ``<UNK>``, that counts the terms outside the
        vocabulary. In training it counts what ``min_df``, ``max_df``, ``max_features`` or a given vocabulary leave
        out; where they leave nothing out, the terms seen once, which stay features too (Good–Turing).
    tokenizer : callable or name, default=None
        "unicode" takes the words of any script, combining marks included, as `textnb.text.unicode_words` says.
        "punctuation" is the pattern ``\\w+|[^\\w\\s]``: single letters, and every other character as a token. nltk's
        are "toktok", "treebank", "tweet", "whitespace" and "wordpunct".
    stemmer : callable, or "porter", "lancaster", "snowball", "snowball-german", … (nltk's), default=None
        Applied to every token after stop words are removed.
    n_jobs : int, default=None
        Threads to count with; the result does not depend on it. None takes all cores if there is much text, -1 always.
    token_pattern : str, default=r"(?u)\\b\\w\\w+\\b"
        A pattern that might backtrack for ever, such as one with a repeated group, runs on the `regex` package with a
        time limit; there ``\\w`` follows Unicode's own definition and takes combining marks, unlike `re`'s.

    Examples
    --------
    >>> from textnb import CountVectorizer
    >>> vectorizer = CountVectorizer(unknown="token")
    >>> vectorizer.fit_transform(["the cat sat", "the dog sat"]).toarray()
    array([[1, 0, 1, 1, 1],
           [0, 1, 1, 1, 1]])
    >>> vectorizer.get_feature_names_out()
    array(['cat', 'dog', 'sat', 'the', '<UNK>'], dtype=object)
    >>> vectorizer.transform(["the green unicorn"]).toarray()
    array([[0, 0, 0, 1, 2]])
    """

    __metadata_request__fit = {"raw_documents": metadata_routing.UNUSED}  # noqa: RUF012
    __metadata_request__transform = {"raw_documents": metadata_routing.UNUSED}  # noqa: RUF012

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
        max_df: float | int = 1.0,
        min_df: float | int = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.int64,
        unknown: str = "ignore",
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
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype
        self.unknown = unknown
        self.stemmer = stemmer
        self.n_jobs = n_jobs

    # From terms to counts

    def fit(self, raw_documents: Any, y: Any = None) -> CountVectorizer:
        """Learn the vocabulary."""
        self._fit_rows(raw_documents)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary and count: the same as `fit` and `transform`, but for the training count of `<UNK>`."""
        return to_public_csr(self._fit_rows(raw_documents))

    def transform(self, raw_documents: Any) -> Any:
        """Count the terms of the vocabulary in documents."""
        return to_public_csr(self._rows(raw_documents))

    def _fit_rows(self, raw_documents: Any) -> SparseRows:
        self._check_parameters()
        limits = Limits(self.min_df, self.max_df, self.max_features)
        analyzer = self._analyzer()
        check_stop_words(analyzer)
        self._warn_for_unused_params()
        self._validate_vocabulary()
        features, rows = learn_features(
            self._documents(raw_documents),
            analyzer,
            given=self._features if self.fixed_vocabulary_ else None,
            limits=limits,
            unknown=self.unknown == "token",
            binary=self.binary,
            dtype=self.dtype,
            n_jobs=self.n_jobs,
        )
        if not self.fixed_vocabulary_:
            self._set_features(features)
        return rows

    def _rows(self, raw_documents: Any) -> SparseRows:
        self._check_vocabulary()
        rows, outside = self._features.count(self._documents(raw_documents), self._analyzer(), self.n_jobs)
        return finished(rows.append_column(outside) if self.unknown == "token" else rows, self.binary, self.dtype)

    _ids: dict[Any, int]
    _counted_features: Features

    @property
    def vocabulary_(self) -> dict[Any, int]:
        """Terms to columns: a dict, made when it is first asked for. It can be set."""
        if "_ids" not in self.__dict__:
            if "_counted_features" not in self.__dict__:
                raise NotFittedError(NOT_FITTED)
            self._ids = self._counted_features.numbers()
        return self._ids

    @vocabulary_.setter
    def vocabulary_(self, ids: dict[Any, int]) -> None:
        self._ids = ids
        self.__dict__.pop("_counted_features", None)

    @property
    def _features(self) -> Features:
        """What is counted: the features of the documents, or those of a vocabulary that was given or set."""
        ids = self.__dict__.get("_ids")
        if ids is not None and "_counted_features" in self.__dict__ and len(ids) != self._counted_features.n_columns:
            del self._counted_features  # somebody has changed the dict
        if "_counted_features" not in self.__dict__:
            self._counted_features = Features.given(self._ids, self._analyzer())
        return self._counted_features

    def _set_features(self, features: Features) -> None:
        self.__dict__.pop("_ids", None)
        self._counted_features = features

    @property
    def _has_vocabulary(self) -> bool:
        return "_ids" in self.__dict__ or "_counted_features" in self.__dict__

    def inverse_transform(self, X: Any) -> list[Array]:
        """For every row of X the terms with entries in it."""
        check_structure(X)
        rows = scipy.sparse.csr_array(check_array(X, accept_sparse="csr"), copy=True)
        rows.eliminate_zeros()
        rows.sort_indices()
        names = np.array(self.get_feature_names_out().tolist())
        return [names[row] for row in np.split(rows.indices, rows.indptr[1:-1])]

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The name of every column: the terms, and `<UNK>` if it has one."""
        self._check_vocabulary()
        features = self._features
        names = np.empty(features.n_columns + (self.unknown == "token"), dtype=object)
        names[:] = features.names() + [UNKNOWN] * (self.unknown == "token")
        return names

    # What is checked, and where

    def _check_parameters(self) -> None:
        self._check_analysis()
        check_choice("unknown", self.unknown, UNKNOWN_CHOICES)

    def _validate_vocabulary(self) -> None:
        self.fixed_vocabulary_ = self.vocabulary is not None
        if not self.fixed_vocabulary_:
            return
        ids = checked_ids(self.vocabulary)
        if not ids:
            raise ValueError("empty vocabulary passed to fit")
        self.vocabulary_ = ids
        if self.lowercase and any(isinstance(term, str) and any(map(str.isupper, term)) for term in ids):
            warnings.warn(
                "Upper case characters found in vocabulary while 'lowercase' is True. "
                "These entries will not be matched with any documents",
                stacklevel=4,
            )

    def _check_vocabulary(self) -> None:
        if not self._has_vocabulary:
            self._check_parameters()
            self._validate_vocabulary()
            if not self.fixed_vocabulary_:
                raise NotFittedError(NOT_FITTED)
        if self._features.n_columns == 0:
            raise ValueError("Vocabulary is empty")


class TfidfTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """A count matrix to tf or tf-idf weights: scikit-learn's parameters, attributes and results.

    Examples
    --------
    >>> from textnb import TfidfTransformer
    >>> TfidfTransformer(norm="l1").fit_transform([[3, 0], [2, 1]]).toarray().round(3)
    array([[1.   , 0.   ],
           [0.587, 0.413]])
    """

    def __init__(
        self, *, norm: str | None = "l2", use_idf: bool = True, smooth_idf: bool = True, sublinear_tf: bool = False
    ) -> None:
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    def fit(self, X: Any, y: Any = None) -> TfidfTransformer:
        """Learn the idf of every term."""
        X = validate_rows(self, X)
        if self.norm is not None:
            check_choice("norm", self.norm, ("l1", "l2"))
        if self.use_idf:
            frequency = from_csr(X).document_frequency() if is_sparse(X) else np.count_nonzero(X, axis=0)
            self._set_idf(frequency, X.shape[0], X.dtype)
        return self

    def _set_idf(self, document_frequency: Array, n_documents: int, dtype: Any) -> None:
        dtype = dtype if dtype in (np.float32, np.float64) else np.float64
        self.idf_ = inverse_document_frequency(document_frequency.astype(dtype), n_documents, self.smooth_idf)

    def transform(self, X: Any, copy: bool = True) -> Any:
        """Weigh a count matrix; ``copy=False`` may overwrite a CSR matrix given as floats."""
        check_is_fitted(self)
        X = validate_rows(self, X, dtype=[np.float64, np.float32], reset=False)
        if not is_sparse(X):
            X = scipy.sparse.csr_array(X, dtype=X.dtype)
        weighed = self._weigh(from_csr(X))
        if not np.isfinite(weighed.data).all():
            raise ValueError("Input contains NaN or infinity once weighed: counts must be positive, and zeros left out")
        if copy:
            return to_public_csr(weighed)
        X.data[:] = weighed.data
        return as_public(X)

    def _weigh(self, rows: SparseRows) -> SparseRows:
        return weigh(rows, idf=getattr(self, "idf_", None), sublinear_tf=self.sublinear_tf, norm=self.norm)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "idf_") or hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class TfidfVectorizer(CountVectorizer):
    """Documents to a sparse matrix of tf-idf weights: `CountVectorizer`, then `TfidfTransformer`.

    All parameters, attributes and results are those of scikit-learn's class of that name; ``unknown``, ``stemmer``,
    named tokenizers and ``n_jobs`` are as in `textnb.CountVectorizer`. The document frequency of ``<UNK>`` is the
    number of documents that contain anything unknown.

    Examples
    --------
    >>> from textnb import TfidfVectorizer
    >>> TfidfVectorizer().fit_transform(["the cat sat", "the dog sat"]).toarray().round(2)
    array([[0.7, 0. , 0.5, 0.5],
           [0. , 0.7, 0.5, 0.5]])
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
        analyzer: str | Callable[[Any], Iterable[Any]] = "word",
        stop_words: str | Iterable[str] | None = None,
        token_pattern: str | None = DEFAULT_TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        max_df: float | int = 1.0,
        min_df: float | int = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.float64,
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        unknown: str = "ignore",
        stemmer: str | Callable[[str], str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            analyzer=analyzer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
            unknown=unknown,
            stemmer=stemmer,
            n_jobs=n_jobs,
        )
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    def fit(self, raw_documents: Any, y: Any = None) -> TfidfVectorizer:
        """Learn the vocabulary and the idf of its terms."""
        self._fit_tfidf(raw_documents)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn vocabulary and idf, and weigh the documents."""
        rows = self._fit_tfidf(raw_documents)
        return to_public_csr(self._tfidf._weigh(rows))

    def transform(self, raw_documents: Any) -> Any:
        """Weigh documents by the vocabulary and idf learned."""
        check_is_fitted(self, msg="The TF-IDF vectorizer is not fitted")
        return to_public_csr(self._tfidf._weigh(self._rows(raw_documents)))

    def _fit_tfidf(self, raw_documents: Any) -> SparseRows:
        if self.norm is not None:
            check_choice("norm", self.norm, ("l1", "l2"))
        if self.dtype not in FLOAT_DTYPES:
            warnings.warn(
                f"Only {FLOAT_DTYPES} 'dtype' should be used. {self.dtype} 'dtype' will be converted to np.float64.",
                UserWarning,
                stacklevel=3,
            )
        rows = self._fit_rows(raw_documents)
        self._tfidf = self._new_transformer()
        if self.use_idf:
            self._tfidf._set_idf(rows.document_frequency(), rows.shape[0], rows.data.dtype)
        return rows

    def _new_transformer(self) -> TfidfTransformer:
        return TfidfTransformer(
            norm=self.norm, use_idf=self.use_idf, smooth_idf=self.smooth_idf, sublinear_tf=self.sublinear_tf
        )

    @property
    def idf_(self) -> Array:
        """Inverse document frequency of every term, if ``use_idf``; it can be set."""
        if not hasattr(self, "_tfidf"):
            raise NotFittedError(
                f"{type(self).__name__} is not fitted yet. Call 'fit' with appropriate arguments before using this "
                "attribute."
            )
        return self._tfidf.idf_

    @idf_.setter
    def idf_(self, value: Array) -> None:
        if not self.use_idf:
            raise ValueError("`idf_` cannot be set when `user_idf=False`.")
        if not self._has_vocabulary:
            self._validate_vocabulary()
        columns = self._features.n_columns + (self.unknown == "token") if self._has_vocabulary else None
        if columns is not None and columns != len(value):
            raise ValueError(f"idf length = {len(value)} must be equal to vocabulary size = {columns}")
        if not hasattr(self, "_tfidf"):
            self._tfidf = self._new_transformer()
        self._tfidf.idf_ = np.asarray(value)
