"""Naive Bayes on counts: multinomial, complement and Bernoulli, scikit-learn's parameters, attributes and results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self, TypeAlias

import numpy as np
import scipy.sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from textnb.likelihood.bernoulli import bernoulli_log_probability, bernoulli_rule
from textnb.likelihood.complement import complement_rule, complement_weights
from textnb.likelihood.multinomial import multinomial_log_probability, multinomial_rule, perplexity
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.rules import LinearRule
from textnb.likelihood.sampling import draw_flags, draw_words
from textnb.likelihood.smoothing import check_alpha
from textnb.models.base import AdditiveNB, unchanged_on_error
from textnb.statistics.counts import ClassCounts, count_classes
from textnb.text.rows import Array
from textnb.text.sklearn_compat import from_csr, is_sparse, to_public_csr

NO_LIKELIHOOD = (
    "ComplementNB has no likelihood: its weights say how unlike a document the other classes are, not how probable the "
    "document is in a class, so it can neither be sampled from nor be part of a mixed model. Use MultinomialNB."
)


class _CountNB(AdditiveNB, ABC):
    """Count, derive a rule, decide."""

    alpha: float | Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any

    @abstractmethod
    def _derive(self, statistics: ClassCounts, alpha: float | Array) -> tuple[Array, LinearRule]:
        """The public feature weights (K, V) and the rule that predicts with them."""

    def _count(self, X: Any, class_ids: Array, classes: Array, weights: Array | None) -> ClassCounts:
        return count_classes(X, class_ids, classes, weights)

    def set_statistics(self, statistics: ClassCounts) -> Self:
        """Derive the model from counts, however they came about."""
        with unchanged_on_error(self):
            self.n_features_in_ = statistics.totals.shape[1]
            log_prior = class_log_prior(statistics.documents, learned=self.fit_prior, given=self.class_prior)
            weights, rule = self._derive(statistics, self._check_alpha())
        self.statistics_ = statistics
        self.classes_ = statistics.classes
        self.class_log_prior_ = log_prior
        weights.flags.writeable = False
        self._feature_weights = weights
        self.rule_ = rule
        return self

    @property
    def feature_log_prob_(self) -> Array:
        """log P(x_j | c), or a complement model's weights, (n_classes, n_features); derived, so it cannot be set."""
        return self._feature_weights

    @property
    def class_count_(self) -> Array:
        """Documents of each class, weighted, (n_classes,)."""
        return self.statistics_.documents.astype(np.float64)

    @property
    def feature_count_(self) -> Array:
        """Totals of each feature in each class, weighted, (n_classes, n_features)."""
        return self.statistics_.totals.astype(np.float64)

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

    def sample(self, n: int, random_state: Any = None, *, length: Any = None) -> tuple[Any, Array]:
        """n documents of `length` words (a number, or one a document) that the model could have produced: (X, y)."""
        class_ids, rng = self._sample_classes(n, random_state)
        return self._sample_given(class_ids, rng, length), self.classes_[class_ids]

    def _sample_given(self, class_ids: Array, rng: Any, length: Any = None) -> Any:
        if length is None:
            raise ValueError("MultinomialNB does not model how long a document is: pass length=, the number of words")
        totals = self.statistics_.totals
        if not (totals == np.floor(totals)).all():
            raise ValueError(
                "cannot sample: the model was fitted on weights such as tf-idf, which are no counts of words that "
                "could be drawn. Fit it on counts."
            )
        lengths = np.broadcast_to(np.asarray(length, dtype=np.int64), class_ids.shape)
        return to_public_csr(draw_words(self.feature_log_prob_, class_ids, lengths, rng))

    def perplexity(self, X: Any, y: Any = None) -> Array:
        """How many words each class's language model hesitates between, (n_classes,): exp(−log P(X | c) / words of X).

        With labels, each class is measured on its own documents alone.
        """
        X = self._validate(X)
        lengths = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        if y is None:
            return perplexity(self._log_likelihood(X), lengths)
        check_consistent_length(X, y)
        strange = np.setdiff1d(y, self.classes_).tolist()
        if strange:
            raise ValueError(f"unknown label {strange[0]!r}; the classes are {self.classes_.tolist()}")
        return perplexity(self._log_likelihood(X), lengths, np.searchsorted(self.classes_, y))


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
        scores = self._log_likelihood(X)
        return scores + self.class_log_prior_ if len(self.classes_) == 1 else scores

    def log_likelihood(self, X: Any) -> Array:
        """Refused: the scores of a complement model are no likelihood."""
        raise ValueError(NO_LIKELIHOOD)

    def _sample_given(self, class_ids: Array, rng: Any) -> Any:
        raise ValueError(NO_LIKELIHOOD)


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

    def _sample_given(self, class_ids: Array, rng: Any) -> Any:
        return to_public_csr(draw_flags(self.feature_log_prob_, class_ids, rng))

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


__all__ = ["BernoulliNB", "ComplementNB", "MultinomialNB"]


CountModel: TypeAlias = MultinomialNB | ComplementNB | BernoulliNB


def count_model(model: str, *, norm: bool = False, **parameters: Any) -> CountModel:
    """The estimator of that name; `norm` is Complement's."""
    if model == "complement":
        return ComplementNB(norm=norm, **parameters)
    return (MultinomialNB if model == "multinomial" else BernoulliNB)(**parameters)
