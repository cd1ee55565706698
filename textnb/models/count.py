"""Naive Bayes on counts: multinomial, complement and Bernoulli, scikit-learn's parameters, attributes and results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from textnb.likelihood.bernoulli import bernoulli_log_probability, bernoulli_rule
from textnb.likelihood.complement import complement_rule, complement_weights
from textnb.likelihood.multinomial import multinomial_log_probability, multinomial_rule
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.rules import LinearRule
from textnb.models.base import (
    NaiveBayes,
    announced_classes,
    check_alpha,
    check_weights,
    class_positions,
    unchanged_on_error,
)
from textnb.statistics.counts import ClassCounts, count_classes
from textnb.text.rows import Array
from textnb.text.sklearn_compat import from_csr, is_sparse


class _CountNB(NaiveBayes, ABC):
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
        with unchanged_on_error(self):
            X, y = self._validate_training(X, y, reset=True)
            classes, class_ids = np.unique(y, return_inverse=True)
            return self.set_statistics(count_classes(X, class_ids, classes, check_weights(sample_weight, len(y))))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more rows. The first call announces all classes; a label outside them is an error."""
        first = not hasattr(self, "statistics_")
        known = announced_classes(classes, None if first else self.classes_)
        with unchanged_on_error(self):
            X, y = self._validate_training(X, y, reset=first)
            class_ids = class_positions(y, known)
            counted = count_classes(X, class_ids, known, check_weights(sample_weight, len(y)))
            return self.set_statistics(counted if first else self.statistics_ + counted)

    def set_statistics(self, statistics: ClassCounts) -> Self:
        """Derive the model from counts, however they came about."""
        with unchanged_on_error(self):
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

    def _joint(self, X: Any) -> Array:
        scores = self.rule_.log_likelihood(X)
        scores += self.class_log_prior_
        return scores

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
        return check_alpha(self.alpha, getattr(self, "n_features_in_", None), self.force_alpha)

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
        if is_sparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()  # it is the whole value that is above the threshold or not, and counts once
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


__all__ = ["BernoulliNB", "ComplementNB", "MultinomialNB"]
