"""Naive Bayes on columns of numbers, with scikit-learn's parameters and more."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from textnb.arrays import Array
from textnb.estimators.base import AdditiveNB
from textnb.estimators.columns import ignores_missing
from textnb.estimators.sklearn_compat import from_csr, is_sparse, validate_rows
from textnb.likelihood.gaussian import gaussian_parameters, gaussian_rule, gaussian_without
from textnb.likelihood.groups import Groups
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.sampling import draw_normal
from textnb.statistics.moments import ClassMoments, measure_classes


class GaussianNB(AdditiveNB):
    """Naive Bayes for numbers that are normally distributed in each class.

    Parameters and attributes are those of scikit-learn's class of that name. Fitting in batches gives what fitting at
    once gives, since the variance floor ``epsilon_`` is derived from all rows seen and never kept with them; sparse
    input is allowed.

    Parameters
    ----------
    priors : array of shape (n_classes,), optional
        Probabilities of the classes; learned if not given.
    var_smoothing : float, default=1e-9
        Share of the largest variance of any column that is added to every variance.
    ddof : float, default=0
        Variances are sums of squares over n − ddof: 1 gives the unbiased estimate.
    missing : {"error", "ignore"}, default="error"
        Whether NaN is refused, or leaves out its own column in its own row.

    Examples
    --------
    >>> from textnb import GaussianNB
    >>> model = GaussianNB(ddof=1).fit([[1.0], [2.0], [3.0], [7.0], [9.0]], ["low", "low", "low", "high", "high"])
    >>> model.theta_.ravel(), model.var_.ravel().round(6)
    (array([8., 2.]), array([2., 1.]))
    >>> model.predict([[2.5], [6.5]])
    array(['low', 'high'], dtype='<U4')
    """

    statistics_: ClassMoments

    def __init__(
        self, *, priors: Any = None, var_smoothing: float = 1e-9, ddof: float = 0, missing: str = "error"
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.ddof = ddof
        self.missing = missing

    def _derive(self, statistics: ClassMoments) -> None:
        for name in ("var_smoothing", "ddof"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ValueError(f"{name} must be 0 or more and finite, got {getattr(self, name)}.")
        self.class_log_prior_ = class_log_prior(statistics.weight, **self._prior())
        check_sum_of_priors(self.priors)
        mean, variance, floor = gaussian_parameters(statistics, self.var_smoothing, self.ddof)
        self.n_features_in_ = mean.shape[1]
        self.statistics_ = statistics
        self.classes_ = statistics.classes
        self.theta_, self.var_, self.epsilon_ = mean, variance, floor
        self.rule_ = gaussian_rule(mean, variance)

    @property
    def class_count_(self) -> Array:
        """Rows of each class, weighted, (n_classes,)."""
        return self.statistics_.weight

    @property
    def class_prior_(self) -> Array:
        """P(c), (n_classes,)."""
        return np.exp(self.class_log_prior_)

    def _count(self, X: Any, class_ids: Array, classes: Array, weights: Array | None) -> ClassMoments:
        return measure_classes(X, class_ids, classes, weights)

    def _log_likelihood_without(self, X: Any, groups: Groups) -> Array:
        return gaussian_without(self._validate(X), groups, self.statistics_, self.var_smoothing, self.ddof)

    def _sample_given(self, class_ids: Array, rng: Any) -> Array:
        return draw_normal(self.theta_, self.var_, class_ids, rng)

    def _validate(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_rows(self, X, reset=False, **self._accepted(X))

    def _validate_training(self, X: Any, y: Any, reset: bool) -> tuple[Any, Array]:
        X, y = validate_rows(self, X, y, reset=reset, **self._accepted(X))
        check_classification_targets(y)
        return (from_csr(X) if is_sparse(X) else X), y

    def _accepted(self, X: Any) -> dict[str, Any]:
        """What `validate_rows` lets through; zeros are values, so a sparse matrix has none missing."""
        ignore = ignores_missing(self.missing) and not is_sparse(X)
        return {"ensure_all_finite": "allow-nan" if ignore else True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "ignore"
        return tags


def check_sum_of_priors(priors: Any) -> None:
    """scikit-learn's Gaussian model asks for priors that add up to one, unlike its discrete models."""
    if priors is not None and not np.isclose(np.sum(priors), 1.0):
        raise ValueError(f"The sum of the priors should be 1, got {np.sum(priors):g}.")
