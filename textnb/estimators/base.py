"""What all naive Bayes estimators share: predicting from a joint log-likelihood, and checking what they are given."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from textnb.arrays import Array
from textnb.likelihood.groups import Groups
from textnb.likelihood.leave_one_out import with_prior_left
from textnb.likelihood.sampling import draw_positions
from textnb.model.decision import log_posterior, most_probable
from textnb.statistics.counts import announced_classes, check_labels, class_positions, unique_classes

PREDICTION_BLOCK = 1 << 20  # scores held at a time by predict, which needs none of them afterwards


class NaiveBayes(ClassifierMixin, BaseEstimator):
    """Predictions from `rule_` and the prior, for rows that `_validate` has checked."""

    classes_: Array
    class_log_prior_: Array
    rule_: Any
    has_likelihood = True  # whether the model can be sampled, and be part of a mixed model

    @property
    def _adds_prior(self) -> bool:
        """Whether the prior enters the score."""
        return True

    def _prior(self) -> dict[str, Any]:
        """How the prior comes about: `learned` or not, and `given` or None."""
        return {"given": getattr(self, "priors", None)}

    @abstractmethod
    def _validate(self, X: Any) -> Any:
        """X as `_joint` takes it; an error if the estimator is not fitted or X does not fit it."""

    def _log_likelihood(self, X: Any) -> Array:
        """log P(x | c), (n, n_classes)."""
        scores: Array = self.rule_.log_likelihood(X)
        return scores

    def _joint(self, X: Any) -> Array:
        """log P(x, c), or a complement model's scores, (n, n_classes)."""
        scores = self._log_likelihood(X)
        return scores + self.class_log_prior_ if self._adds_prior else scores

    def _joint_without(self, X: Any, groups: Groups) -> Array:
        """log P(x, c) of every row without its group, (n, K), of models that have `_log_likelihood_without`."""
        scores = self._log_likelihood_without(X, groups)
        return with_prior_left(scores, groups, self._adds_prior, **self._prior())

    def log_likelihood(self, X: Any) -> Array:
        """log P(x | c) for every row and class, the prior left out, (n, n_classes)."""
        return self._log_likelihood(self._validate(X))

    def _sample_given(self, class_ids: Array, rng: Any) -> Any:
        """Rows X of the model, each from the class at a given position."""
        raise NotImplementedError

    def sample(self, n: int, random_state: Any = None) -> tuple[Any, Array]:
        """n rows that the model could have produced, and their classes: (X, y)."""
        class_ids, rng = self._sample_classes(n, random_state)
        return self._sample_given(class_ids, rng), self.classes_[class_ids]

    def _sample_classes(self, n: int, random_state: Any) -> tuple[Array, Any]:
        check_is_fitted(self)
        rng = check_random_state(random_state)
        return draw_positions(self.class_log_prior_, n, rng), rng

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
        block = max(1, PREDICTION_BLOCK // len(self.classes_))
        blocks = [X] if X.shape[0] <= block else (X[i : i + block] for i in range(0, X.shape[0], block))
        chosen = [most_probable(self._joint(rows), self.class_log_prior_) for rows in blocks]
        return self.classes_[np.concatenate(chosen)]


class AdditiveNB(NaiveBayes):
    """Fitting by statistics that add up: what was seen is in ``statistics_``, everything else is derived from it."""

    statistics_: Any

    @abstractmethod
    def _validate_training(self, X: Any, y: Any, reset: bool) -> tuple[Any, Array]:
        """X as `_count` takes it, and the labels."""

    @abstractmethod
    def _count(self, X: Any, class_ids: Array, classes: Array, weights: Array | None) -> Any:
        """The statistics of these rows."""

    @abstractmethod
    def _derive(self, statistics: Any) -> None:
        """Set `statistics_` and all that follows from them."""

    @abstractmethod
    def _log_likelihood_without(self, X: Any, groups: Groups) -> Array:
        """log P(x | c) of every row without its group, (n, K), from the model of all rows; or complement scores."""

    def set_statistics(self, statistics: Any) -> Self:
        """Derive the model from statistics, however they came about."""
        with unchanged_on_error(self):
            self._derive(statistics)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the rows of X by the classes of y and derive the model."""
        check_labels(y)
        with unchanged_on_error(self):
            X, y = self._validate_training(X, y, reset=True)
            classes, class_ids = unique_classes(y)
            return self.set_statistics(self._count(X, class_ids, classes, check_weights(sample_weight, len(y))))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more rows. The first call announces all classes; a label outside them is an error."""
        first = not hasattr(self, "statistics_")
        known = announced_classes(classes, None if first else self.classes_)
        check_labels(y)
        with unchanged_on_error(self):
            X, y = self._validate_training(X, y, reset=first)
            counted = self._count(X, class_positions(y, known), known, check_weights(sample_weight, len(y)))
            return self.set_statistics(counted if first else self.statistics_ + counted)


@contextmanager
def unchanged_on_error(estimator: BaseEstimator) -> Iterator[None]:
    """A change that fails or is interrupted leaves the estimator as it was."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before  # one assignment, which nothing can interrupt half-way
        raise


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
