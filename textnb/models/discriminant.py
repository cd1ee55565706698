"""Discriminant analysis: classes that are Gaussian with a shared, an own, or a regularised covariance."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from textnb.likelihood.discriminant import (
    Boundary,
    DiscriminantFunctions,
    Shape,
    centred_linear_rule,
    generalized_eigenvectors,
    linear_discriminant_rule,
    linear_functions,
    precision_means,
    quadratic_discriminant_rule,
    quadratic_functions,
    sample_gaussians,
    separating_axes,
    shape_of_axes,
    shape_of_covariance,
    within_shape,
)
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.rules import LinearRule, QuadraticRule
from textnb.likelihood.smoothing import safe_log
from textnb.models.base import NaiveBayes, unchanged_on_error
from textnb.statistics.covariance import (
    Estimate,
    class_covariances,
    class_means,
    covariance,
    principal_axes,
    shrink,
    within_covariance,
)
from textnb.text.rows import Array


class _DiscriminantAnalysis(NaiveBayes, ABC):
    """What the three share: Gaussian classes can be given, read off, scored and sampled."""

    priors: Any
    ddof: float
    priors_: Array
    means_: Array
    rule_: LinearRule | QuadraticRule

    @abstractmethod
    def _fit(self, X: Array, class_ids: Array, counts: Array) -> None:
        """Set what follows from the data; classes and priors are known."""

    @abstractmethod
    def _set_parameters(self, covariance: Array | None, precision: Array | None) -> None:
        """Set what follows from given symmetric matrices, one or one a class; classes, priors and means are known."""

    @abstractmethod
    def _shapes(self) -> Sequence[Shape]:
        """The shape of every class."""

    @abstractmethod
    def discriminant_functions(self) -> DiscriminantFunctions:
        """δ_c(x), the logarithm of prior times density less what all classes share, by its terms."""

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate priors, means and covariances from the rows of X by the classes of y."""
        with unchanged_on_error(self):
            X, y = validate_data(self, X, y, ensure_min_samples=2, dtype=[np.float64, np.float32])
            check_classification_targets(y)
            self._check_parameters()
            self._forget()
            self.classes_, class_ids, counts = np.unique(y, return_inverse=True, return_counts=True)
            self._set_priors(self.priors, counts)
            self._fit(X, class_ids, counts)
        return self

    @classmethod
    def from_parameters(
        cls,
        *,
        means: Any,
        covariance: Any = None,
        precision: Any = None,
        priors: Any = None,
        classes: Any = None,
        **settings: Any,
    ) -> Self:
        """A model with given parameters instead of fitted ones.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features)
        covariance, precision : array-like of shape (n_features, n_features) or (n_classes, n_features, n_features)
            One of the two: covariances, or their inverses; one for all classes or, unless the model is linear, one a class.
        priors : array-like of shape (n_classes,), default equal
        classes : array-like of shape (n_classes,), default 0, 1, …
        **settings
            Parameters of the constructor.
        """
        means = check_array(means, dtype=np.float64, input_name="means")
        labels = np.arange(len(means)) if classes is None else np.asarray(classes)
        if labels.shape != means.shape[:1] or len(np.unique(labels)) != len(labels):
            raise ValueError(f"classes must be {len(means)} different labels, one a row of means, got {labels.tolist()}.")
        if (covariance is None) == (precision is None):
            raise ValueError("give either covariance or precision, its inverse.")
        order = np.argsort(labels)
        model = cls(**settings)
        model._check_parameters()
        model.classes_ = labels[order]
        model.n_features_in_ = means.shape[1]
        model._set_priors(None if priors is None else np.asarray(priors)[order], np.ones(len(means)))
        model.means_ = means[order]
        model._set_parameters(_symmetric(covariance, means.shape, order), _symmetric(precision, means.shape, order))
        return model

    def decision_function(self, X: Any) -> Array:
        """Scores of the classes, (n, n_classes); of two classes the log-odds of the second, (n,)."""
        scores = self._scores(self._validate(X))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def boundary(self, class_a: Any, class_b: Any) -> Boundary:
        """Where two classes are equally probable, by its terms; ``.points`` gives the points of a single predictor."""
        check_is_fitted(self, "rule_")
        return self.discriminant_functions().boundary(self._position(class_a), self._position(class_b))

    def log_likelihood(self, X: Any) -> Array:
        """log P(x | c), the density of every row under every class, (n, n_classes)."""
        X = self._validate(X)
        shapes = self._shapes()
        if not all(shape.is_full_rank for shape in shapes):
            raise np.linalg.LinAlgError("a singular covariance has no density: leave out features that repeat others.")
        return quadratic_discriminant_rule(self.means_, shapes).log_likelihood(X)

    def sample(self, n: int, random_state: Any = None) -> tuple[Array, Array]:
        """n rows drawn from the model, (n, n_features), and the class that produced each, (n,)."""
        check_is_fitted(self, "rule_")
        random = check_random_state(random_state)
        class_ids = random.choice(len(self.classes_), size=n, p=self.priors_)
        return sample_gaussians(self.means_, self._shapes(), class_ids, random), self.classes_[class_ids]

    def _joint(self, X: Array) -> Array:
        return self.rule_.log_likelihood(X) + self.class_log_prior_

    def _scores(self, X: Array) -> Array:
        return self._joint(X)

    def _validate(self, X: Any) -> Array:
        check_is_fitted(self, "rule_")
        checked: Array = validate_data(self, X, dtype=np.float64, reset=False)
        return checked

    def _check_parameters(self) -> None:
        _check_number("ddof", self.ddof, 0, np.inf)

    def _forget(self) -> None:
        """Drop what an earlier fit has left, since another solver may not replace all of it."""
        for name in [name for name in vars(self) if name.endswith("_") and name not in _SET_BY_VALIDATION]:
            delattr(self, name)

    def _set_priors(self, given: Any, counts: Array) -> None:
        if given is not None and np.min(given) < 0:
            raise ValueError(f"priors must be non-negative, got {np.asarray(given).tolist()}.")
        class_log_prior(counts, given=given)
        priors = counts / counts.sum() if given is None else np.array(given, dtype=np.float64)
        if abs(priors.sum() - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=4)
            priors /= priors.sum()
        self.priors_ = priors
        self.class_log_prior_ = safe_log(priors)

    def _degrees_of_freedom(self, n: float, what: str, ddof: float) -> float:
        if n <= ddof:
            raise ValueError(f"{what} has {n:g} samples: with ddof={self.ddof:g} that leaves no degree of freedom.")
        return n - ddof

    def _position(self, label: Any) -> int:
        found = np.flatnonzero(self.classes_ == label)
        if not len(found):
            raise ValueError(f"unknown class {label!r}: the classes are {self.classes_.tolist()!r}.")
        return int(found[0])


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _DiscriminantAnalysis):
    """Gaussian classes that share one covariance: the boundaries between them are linear.

    Parameters, attributes and results are those of scikit-learn's class of that name (the sign of a component aside).
    On top, ``ddof=1`` estimates the covariance over n − K instead of n, parameters can be given (`from_parameters`)
    and read off (`discriminant_functions`, `boundary`), and the model scores and samples data (`log_likelihood`,
    `sample`). A singular covariance is warned of.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}
    shrinkage : None, "auto" or float from 0 to 1
        Not with "svd".
    priors : array-like of shape (n_classes,), default as in the data
    n_components : int, default as many as there are
        Components of `transform`.
    store_covariance : bool
        Whether "svd" computes ``covariance_`` too.
    tol : float
        Axes with less deviation than this, of features standardised within classes, are left out by "svd".
    covariance_estimator : object with ``fit`` and then ``covariance_``, default None
        Not with "svd", and in place of shrinkage and ddof.
    ddof : float
        Taken off the number of samples of every class before the covariance is divided by it.

    Examples
    --------
    >>> from textnb import LinearDiscriminantAnalysis
    >>> balance = [[500], [1980], [60], [2810], [1400], [300], [2000], [940], [1630], [2170]]
    >>> model = LinearDiscriminantAnalysis(ddof=1).fit(balance, list("NYNYNNYNYY"))
    >>> model.predict([[1500]])
    array(['Y'], dtype='<U1')
    >>> model.boundary("Y", "N").points.round(6)
    array([1379.])
    """

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        ddof: float = 0,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.ddof = ddof

    @classmethod
    def from_parameters(cls, **parameters: Any) -> Self:
        return super().from_parameters(**{"solver": "lsqr", **parameters})

    from_parameters.__func__.__doc__ = _DiscriminantAnalysis.from_parameters.__doc__

    def _fit(self, X: Array, class_ids: Array, counts: Array) -> None:
        n, n_classes = len(X), len(counts)
        if n <= n_classes:
            raise ValueError("The number of samples must be more than the number of classes.")
        most = min(n_classes - 1, X.shape[1])
        if self.n_components is not None and self.n_components > most:
            raise ValueError(
                f"n_components cannot be larger than min(n_features, n_classes - 1) = {most}, got {self.n_components}."
            )
        self._n_features_out = most if self.n_components is None else self.n_components
        dtype, X = X.dtype, X.astype(np.float64, copy=False)
        correction = n / self._degrees_of_freedom(n, "X", self.ddof * n_classes)
        if self.solver == "svd":
            self._solve_by_svd(X, class_ids, correction)
        else:
            self._solve_by_covariance(X, class_ids, correction)
        self._set_coefficients(dtype)

    def _solve_by_svd(self, X: Array, class_ids: Array, correction: float) -> None:
        self.means_ = class_means(X, class_ids, len(self.classes_))
        if self.store_covariance:
            self.covariance_ = correction * within_covariance(X, class_ids, self.priors_, covariance)[1]
        self._shape = within_shape(X, class_ids, self.means_, correction, self.tol)
        _warn_if_singular(self._shape.whitening.shape[1], X.shape[1])
        self.xbar_ = self.priors_ @ self.means_
        self.scalings_, share = separating_axes(self.means_, self.priors_, self._shape.whitening, self.tol)
        self.explained_variance_ratio_ = share[: self._n_features_out]
        self.rule_ = centred_linear_rule(self.means_, self.xbar_, self.scalings_)

    def _solve_by_covariance(self, X: Array, class_ids: Array, correction: float) -> None:
        estimate = _estimate(self.shrinkage, self.covariance_estimator)
        self.means_, within = within_covariance(X, class_ids, self.priors_, estimate)
        self.covariance_ = correction * within
        if self.solver == "lsqr":
            coef, rank = precision_means(self.means_, self.covariance_)
            _warn_if_singular(rank, X.shape[1])
        else:
            between = estimate(X)[1] - within
            self.scalings_, share = generalized_eigenvectors(between, self.covariance_)
            self.explained_variance_ratio_ = share[: self._n_features_out]
            coef = self.means_ @ self.scalings_ @ self.scalings_.T
        self.rule_ = linear_discriminant_rule(self.means_, coef)

    def _set_parameters(self, covariance: Array | None, precision: Array | None) -> None:
        if self.solver != "lsqr":
            raise ValueError(f"given parameters need no solver but 'lsqr', got solver={self.solver!r}.")
        ...
