"""Naive Bayes on counts: multinomial, complement and Bernoulli, scikit-learn's parameters, attributes and results."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_array,
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from textnb.decision import log_posterior, most_probable
from textnb.likelihood.bernoulli import bernoulli_log_probability, bernoulli_rule
from textnb.likelihood.complement import complement_rule, complement_weights
from textnb.likelihood.multinomial import multinomial_log_probability, multinomial_rule
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.rules import LinearRule
from textnb.statistics.counts import ClassCounts, count_classes
from textnb.text.rows import Array
from textnb.text.sklearn_compat import from_csr, is_sparse

_SMALLEST_ALPHA = 1e-10
_PREDICTION_BLOCK = 1 << 22  # scores held at a time by predict, which needs none of them afterwards


class _CountNB(ClassifierMixin, BaseEstimator, ABC):
    """Count, derive a rule, decide. What was seen is in ``statistics_``; everything else is derived from it."""

    alpha: float | Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any

    @abstractmethod
    def _derive(self, statistics: ClassCounts, alpha: float | Array) -> tuple[Array, LinearRule]:
        """The public feature weights (K, V) and the rule that predicts with them."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the rows of X by the classes of y and derive the model."""
        X, y = self._validate_training(X, y, reset=True)
        classes, class_ids = np.unique(y, return_inverse=True)
        return self.set_statistics(count_classes(X, class_ids, classes, check_weights(sample_weight, len(y))))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more rows. The first call announces all classes; a label outside them is an error."""
        first = not hasattr(self, "statistics_")
        known = announced_classes(classes, None if first else self.classes_)
        X, y = self._validate_training(X, y, reset=first)
        class_ids = class_positions(y, known)
        counted = count_classes(X, class_ids, known, check_weights(sample_weight, len(y)))
        return self.set_statistics(counted if first else self.statistics_ + counted)

    def set_statistics(self, statistics: ClassCounts) -> Self:
        """Derive the model from counts, however they came about."""
        self.n_features_in_ = statistics.totals.shape[1]
        log_prior = class_log_prior(statistics.documents, learned=self.fit_prior, given=self.class_prior)
        weights, rule = self._derive(statistics, self._check_alpha())
        self.statistics_ = statistics
        self.classes_ = statistics.classes
        self.class_log_prior_ = log_prior
        self.feature_log_prob_ = weights
        self.rule_ = rule
        return self

    @property
    def class_count_(self) -> Array:
        """Documents of each class, weighted, (n_classes,)."""
        return self.statistics_.documents.astype(np.float64)

    @property
    def feature_count_(self) -> Array:
        """Totals of each feature in each class, weighted, (n_classes, n_features)."""
        return self.statistics_.totals.astype(np.float64)

    def predict_joint_log_proba(self, X: Any) -> Array:
        """log P(x, c) for every row and class, (n, n_classes)."""
        return self._joint(self._validate(X))

    def predict_log_proba(self, X: Any) -> Array:
        """log P(c | x) for every row and class, (n, n_classes)."""
        return log_posterior(self.predict_joint_log_proba(X), self.class_log_prior_)

    def predict_proba(self, X: Any) -> Array:
        """P(c | x) for every row and class, (n, n_classes)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Array:
        """The most probable class of every row."""
        X = self._validate(X)
        block = max(1, _PREDICTION_BLOCK // len(self.classes_))
        blocks = [X] if X.shape[0] <= block else (X[i : i + block] for i in range(0, X.shape[0], block))
        found = [most_probable(self._joint(rows), self.class_log_prior_) for rows in blocks]
        return self.classes_[np.concatenate(found)]

    def _joint(self, X: Any) -> Array:
        return self.rule_.log_likelihood(X) + self.class_log_prior_

    def _validate(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._clean(validate_data(self, X, accept_sparse="csr", reset=False))

    def _validate_training(self, X: Any, y: Any, reset: bool) -> tuple[Any, Array]:
        X, y = validate_data(self, X, y, accept_sparse="csr", reset=reset)
        check_classification_targets(y)
        X = self._clean(X)
        return (from_csr(X) if is_sparse(X) else X), y

    def _clean(self, X: Any) -> Any:
        """X as the model sees it: here without negative values."""
        check_non_negative(X, f"{type(self).__name__} (input X)")
        return X

    def _check_alpha(self) -> float | Array:
        alpha = float(self.alpha) if isinstance(self.alpha, Real) else np.asarray(self.alpha, dtype=np.float64)
        if isinstance(alpha, np.ndarray) and alpha.shape != (self.n_features_in_,):
            raise ValueError(
                "When alpha is an array, it should contains `n_features`. "
                f"Got {alpha.size} elements instead of {self.n_features_in_}."
            )
        smallest = np.min(alpha)
        if not smallest >= 0 or not np.isfinite(alpha).all():
            several = "All values in alpha must be greater than 0. " if isinstance(alpha, np.ndarray) else ""
            raise ValueError(f"{several}alpha must be 0 or more and finite, got {self.alpha}.")
        if smallest < _SMALLEST_ALPHA and not self.force_alpha:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {_SMALLEST_ALPHA:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
                stacklevel=4,
            )
            return np.maximum(alpha, _SMALLEST_ALPHA)
        return alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


class MultinomialNB(_CountNB):
    """Naive Bayes for multinomial counts, such as how often each word occurs in a document.

    Parameters, attributes and results are those of scikit-learn's class of that name; ``statistics_`` holds the counts
    the model is derived from. A label that ``partial_fit`` was not told of is an error, and ``alpha=0`` gives exact
    zeros: a class that cannot have produced a document has probability 0, and if none can, the posterior is the prior.

    Examples
    --------
    >>> from textnb import MultinomialNB
    >>> model = MultinomialNB().fit([[2, 0], [1, 0], [0, 3]], ["ham", "ham", "spam"])
    >>> model.predict([[1, 0], [0, 1]])
    array(['ham', 'spam'], dtype='<U4')
    >>> model.predict_proba([[0, 1]]).round(3)
    array([[0.333, 0.667]])
    """

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _derive(self, statistics: ClassCounts, alpha: float | Array) -> tuple[Array, LinearRule]:
        log_probability = multinomial_log_probability(statistics.totals, alpha)
        return log_probability, multinomial_rule(log_probability)


class ComplementNB(_CountNB):
    """Complement naive Bayes (Rennie et al. 2003), the stronger model for text and for classes of unequal size.

    Parameters, attributes and results are those of scikit-learn's class of that name. ``alpha=0`` is refused where a
    feature would get an infinite weight.

    Examples
    --------
    >>> from textnb import ComplementNB
    >>> model = ComplementNB(norm=True).fit([[2, 0], [1, 0], [0, 3]], ["ham", "ham", "spam"])
    >>> model.predict([[1, 0], [0, 1]])
    array(['ham', 'spam'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    @property
    def feature_all_(self) -> Array:
        """Totals of each feature over all classes, (n_features,)."""
        return self.feature_count_.sum(axis=0)

    def _derive(self, statistics: ClassCounts, alpha: float | Array) -> tuple[Array, LinearRule]:
        weights = complement_weights(statistics.totals, alpha, self.norm)
        return weights, complement_rule(weights)

    def _joint(self, X: Any) -> Array:
        scores = self.rule_.log_likelihood(X)
        return scores + self.class_log_prior_ if len(self.classes_) == 1 else scores


class BernoulliNB(_CountNB):
    """Naive Bayes for features that are there or not.

    Parameters, attributes and results are those of scikit-learn's class of that name; ``alpha`` may be an array, and
    ``alpha=0`` gives exact zeros and ones.

    Examples
    --------
    >>> from textnb import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 1]], ["ham", "ham", "spam"])
    >>> model.predict([[1, 0], [0, 1]])
    array(['ham', 'spam'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _derive(self, statistics: ClassCounts, alpha: float | Array) -> tuple[Array, LinearRule]:
        present, documents = statistics.totals, statistics.documents
        return bernoulli_log_probability(present, documents, alpha), bernoulli_rule(present, documents, alpha)

    def _clean(self, X: Any) -> Any:
        values = X.data if is_sparse(X) else X
        if self.binarize is None:
            if not ((values == 0) | (values == 1)).all():
                raise ValueError(
                    "BernoulliNB(binarize=None) expects only 0 and 1 in X. Set binarize to a threshold to map other "
                    "values to 0 and 1."
                )
            return X
        if self.binarize < 0:
            raise ValueError(f"binarize must be 0 or more, or None, got {self.binarize}.")
        present = values > self.binarize
        if not is_sparse(X):
            return present.astype(np.int64)
        binary = scipy.sparse.csr_array((present.astype(np.int64), X.indices, X.indptr), shape=X.shape)
        if not present.all():
            binary = binary.copy()
            binary.eliminate_zeros()
        return binary

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False
        return tags


def check_weights(sample_weight: Any, n: int) -> Array | None:
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n, sample_weight)
    weights: Array = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.ndim != 1 or len(weights) != n:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n,)}!")
    if (weights < 0).any():
        raise ValueError(f"Negative values in sample_weight: {weights.min()} at position {int(weights.argmin())}.")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights


def announced_classes(classes: Any, known: Array | None) -> Array:
    """The classes of `partial_fit`: announced at the first call, when none are known, and the same ever after."""
    if known is None:
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return np.unique(np.asarray(classes))
    if classes is not None and not np.array_equal(np.sort(np.asarray(classes)), known):
        raise ValueError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}")
    return known


def class_positions(y: Array, classes: Array) -> Array:
    """The position of every label in the sorted classes; a label outside them is named."""
    found = np.searchsorted(classes, y)
    strange = (found == len(classes)) | (classes[np.minimum(found, len(classes) - 1)] != y)
    if strange.any():
        raise ValueError(
            f"unknown label {y[strange][0]!r} in partial_fit: it is not among the classes announced at the first call, "
            f"{classes.tolist()!r}. Announce every class there."
        )
    return found


__all__ = ["BernoulliNB", "ComplementNB", "MultinomialNB"]
