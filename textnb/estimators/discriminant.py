"""Discriminant analysis: Gaussian classes with one covariance, one per class, or something in between."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from textnb.arrays import Array
from textnb.estimators.gaussian_classes import (
    DiscriminantAnalysis,
    QuadraticModel,
    check_choice,
    check_number,
    inverse,
    rank_error,
)
from textnb.likelihood.discriminant import (
    DiscriminantFunctions,
    Shape,
    centred_linear_rule,
    generalized_eigenvectors,
    linear_discriminant_rule,
    linear_functions,
    precision_means,
    quadratic_discriminant_rule,
    separating_axes,
    shape_of_axes,
    shape_of_covariance,
    within_shape,
)
from textnb.likelihood.rules import LinearRule
from textnb.statistics.covariance import (
    Estimate,
    class_covariances,
    class_means,
    covariance,
    covariance_axes,
    pooled,
    principal_axes,
    regularized,
    within_covariance,
)


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, DiscriminantAnalysis):
    """Gaussian classes that share one covariance: the boundaries between them are linear.

    Parameters, attributes and results are those of scikit-learn's class of that name, the signs of components aside.
    On top, ``ddof=1`` divides the covariance by n − K instead of n, parameters can be given (`from_parameters`) and
    read off (`discriminant_functions`, `boundary`), and the model scores and produces data (`log_likelihood`,
    `sample`). Of a singular covariance it warns.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}
    shrinkage : None, "auto" or float from 0 to 1
        Not with "svd".
    priors : array-like of shape (n_classes,), default as in the data
    n_components : int, default all
        How many components `transform` gives.
    store_covariance : bool
        Whether "svd" sets ``covariance_`` too.
    tol : float
        Axes along which standardised features deviate by no more are left out by "svd".
    covariance_estimator : object with a method ``fit`` that sets ``covariance_``
        Not with "svd", nor with shrinkage or ddof.
    ddof : float
        Degrees of freedom that the mean of a class takes: the covariance is divided by n − ddof K.

    Examples
    --------
    >>> from textnb import LinearDiscriminantAnalysis
    >>> balance = [[500], [1980], [60], [2810], [1400], [300], [2000], [940], [1630], [2170]]
    >>> model = LinearDiscriminantAnalysis(ddof=1).fit(balance, list("NYNYNNYNYY"))
    >>> model.predict([[1500]])
    array(['Y'], dtype='<U1')
    >>> model.boundary("Y", "N").points
    array([1379.])
    """

    rule_: LinearRule
    _shape: Shape | None  # of the classes, where the solver has found it on its way

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

    def transform(self, X: Any) -> Array:
        """X along the axes that separate the classes most, (n, n_components)."""
        X = self._validate(X)
        if not hasattr(self, "scalings_"):
            raise NotImplementedError(
                "transform not implemented for 'lsqr' solver, nor for given parameters (use 'svd' or 'eigen')."
            )
        return ((X - getattr(self, "xbar_", 0.0)) @ self.scalings_)[:, : self._n_features_out]

    def log_likelihood(self, X: Any) -> Array:
        """log P(x | c), the density of every row in every class, (n, n_classes). Of ``rule_``, it has all terms."""
        X = self._validate(X)
        shapes = self._shapes()
        if not shapes[0].is_full_rank:
            raise np.linalg.LinAlgError(
                "A singular covariance has no density. Leave out features that are constant or follow from others, "
                "or use shrinkage."
            )
        return quadratic_discriminant_rule(self.means_, shapes).log_likelihood(X)

    def discriminant_functions(self) -> DiscriminantFunctions:
        """δ_c(x) = log π_c − ½ μ_cᵀ Σ⁻¹ μ_c + μ_cᵀ Σ⁻¹ x, by its constant and linear terms."""
        check_is_fitted(self, "rule_")
        if self._shape is None:
            return linear_functions(self.means_, self.rule_.coef, self.class_log_prior_)
        whitening = self._shape.whitening
        return linear_functions(self.means_, self.means_ @ whitening @ whitening.T, self.class_log_prior_)

    def _check_parameters(self) -> None:
        check_choice("solver", self.solver, ("svd", "lsqr", "eigen"))
        check_number("tol", self.tol)
        check_number("n_components", 1 if self.n_components is None else self.n_components, 1, kind=Integral)
        _check_covariance_parameters(self)

    def _fit(self, X: Array, class_ids: Array, counts: Array) -> None:
        n, n_classes = len(X), len(counts)
        if n <= n_classes:
            raise ValueError("The number of samples must be more than the number of classes.")
        most = min(n_classes - 1, X.shape[1])
        if self.n_components is not None and self.n_components > most:
            raise ValueError(
                f"n_components cannot be larger than min(n_features, n_classes - 1), {most} here, "
                f"got {self.n_components}."
            )
        self._n_features_out = most if self.n_components is None else self.n_components
        divisor = _degrees_left(n, self.ddof * n_classes, "X")
        rows = X.astype(np.float64, copy=False)
        if self.solver == "svd":
            self._fit_deviations(rows, class_ids, divisor)
        else:
            self._fit_covariance(rows, class_ids, divisor)
        self._set_coefficients(X.dtype)

    def _fit_deviations(self, X: Array, class_ids: Array, divisor: float) -> None:
        self.means_ = class_means(X, class_ids, len(self.classes_))
        if self.store_covariance:
            self.covariance_ = len(X) / divisor * within_covariance(X, class_ids, self.priors_, covariance)[1]
        self._shape = within_shape(X, class_ids, self.means_, divisor, self.tol)
        _warn_if_singular(self._shape.whitening.shape[1], X.shape[1])
        self.xbar_ = self.priors_ @ self.means_
        self.scalings_, share = separating_axes(self.means_, self.priors_, self._shape.whitening, self.tol)
        self.explained_variance_ratio_ = share[: self._n_features_out]
        self._n_features_out = min(self._n_features_out, self.scalings_.shape[1])
        self.rule_ = centred_linear_rule(self.means_, self.xbar_, self.scalings_)

    def _fit_covariance(self, X: Array, class_ids: Array, divisor: float) -> None:
        estimate = _covariance_estimate(self)
        self._shape = None
        self.means_, within = within_covariance(X, class_ids, self.priors_, estimate)
        self.covariance_ = len(X) / divisor * within
        if self.solver == "eigen":
            self.scalings_, share = generalized_eigenvectors(estimate(X)[1] - within, self.covariance_)
            self.explained_variance_ratio_ = share[: self._n_features_out]
            coef = self.means_ @ self.scalings_ @ self.scalings_.T
        else:
            coef, rank = precision_means(self.means_, self.covariance_)
            _warn_if_singular(rank, X.shape[1])
        self.rule_ = linear_discriminant_rule(self.means_, coef)

    def _set_covariance(self, matrix: Array, inverted: bool) -> None:
        if matrix.ndim != 2:
            raise ValueError("The classes of a linear model share one covariance: give one, or use a quadratic model.")
        self._shape = None
        self.covariance_ = inverse(matrix) if inverted else matrix
        if np.linalg.eigvalsh(matrix)[0] <= 0:
            warnings.warn(
                "The given matrix is not positive definite. Linear functions follow from it all the same, but no "
                "density has that shape.",
                UserWarning,
                stacklevel=3,
            )
        coef = self.means_ @ matrix if inverted else precision_means(self.means_, matrix)[0]
        self.rule_ = linear_discriminant_rule(self.means_, coef)
        self._set_coefficients(np.float64)

    def _set_coefficients(self, dtype: Any) -> None:
        """scikit-learn's ``coef_`` and ``intercept_``: of two classes, those of the difference."""
        coef, intercept = self.rule_.coef, self.rule_.intercept + self.class_log_prior_
        if len(self.classes_) == 2:
            coef, intercept = np.diff(coef, axis=0), np.diff(intercept)
        self.coef_, self.intercept_ = coef.astype(dtype), intercept.astype(dtype)

    def _shapes(self) -> Sequence[Shape]:
        shape = shape_of_covariance(self.covariance_) if self._shape is None else self._shape
        return [shape] * len(self.classes_)


class QuadraticDiscriminantAnalysis(QuadraticModel):
    """Gaussian classes, each with its own covariance: the boundaries between them are quadratic.

    Parameters, attributes and results are those of scikit-learn's class of that name, the signs of axes aside. On top,
    ``ddof=1`` divides the covariance of a class by n_c − 1 instead of n_c, parameters can be given (`from_parameters`)
    and read off (`discriminant_functions`, `boundary`), and the model scores and produces data (`log_likelihood`,
    `sample`). A singular covariance is an error.

    Parameters
    ----------
    solver : {"svd", "eigen"}
    shrinkage : None, "auto" or float from 0 to 1
        Not with "svd".
    priors : array-like of shape (n_classes,), default as in the data
    reg_param : float from 0 to 1
        With "svd", covariances become (1 − r) Σ_c + r I.
    store_covariance : bool
        Whether to set ``covariance_``.
    tol : float
        The variance that each axis of a class must exceed.
    covariance_estimator : object with a method ``fit`` that sets ``covariance_``
        Not with "svd", nor with shrinkage or ddof.
    ddof : float
        Degrees of freedom that the mean of a class takes.

    Examples
    --------
    >>> from textnb import QuadraticDiscriminantAnalysis
    >>> X = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 3], [3, 1]]
    >>> model = QuadraticDiscriminantAnalysis().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[-1, -1.5], [2, 2]])
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        ddof: float = 0,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.ddof = ddof

    def _check_parameters(self) -> None:
        check_choice("solver", self.solver, ("svd", "eigen"))
        check_number("tol", self.tol)
        check_number("reg_param", self.reg_param, largest=1)
        _check_covariance_parameters(self)

    def _fit(self, X: Array, class_ids: Array, counts: Array) -> None:
        _check_several_classes(counts)
        if counts.min() == 1:
            raise ValueError(
                f"y has only 1 sample in class {self.classes_[counts.argmin()]}, covariance is ill defined."
            )
        estimate = _covariance_estimate(self)
        means, axes = [], []
        for k, label in enumerate(self.classes_):
            rows = X[class_ids == k].astype(np.float64, copy=False)
            divisor = _degrees_left(len(rows), self.ddof, f"class {label}")
            if self.solver == "svd":
                mean = rows.mean(axis=0)
                singular, directions = principal_axes(rows - mean)
                variances = (1 - self.reg_param) * singular**2 / divisor + self.reg_param
            else:
                mean, spread = estimate(rows)
                variances, directions = covariance_axes(len(rows) / divisor * spread)
            self._check_rank(label, variances, *rows.shape)
            means.append(mean)
            axes.append((variances, directions))
        self.means_ = np.array(means)
        self._set_axes(axes)
        self._set_shapes([shape_of_axes(np.sqrt(variances), directions) for variances, directions in axes])
        if self.store_covariance:
            self.covariance_ = [directions.T * variances @ directions for variances, directions in axes]

    def _set_axes(self, axes: Sequence[tuple[Array, Array]]) -> None:
        self.scalings_ = [variances for variances, _ in axes]
        self.rotations_ = [directions.T for _, directions in axes]

    def _check_rank(self, label: Any, variances: Array, n: int, n_features: int) -> None:
        if np.sum(variances > self.tol) == n_features:
            return
        if self.solver == "svd" and n <= n_features:
            advice = (
                f"When using `solver='svd'` the number of samples in each class should be more than the number of "
                f"features, but class {label} has {n} samples and {n_features} features. Use `solver='eigen'` with "
                "`shrinkage`."
            )
        else:
            advice = f"Raise `{'reg_param' if self.solver == 'svd' else 'shrinkage'}`, or leave out collinear features."
        raise rank_error(label, advice)

    def _set_covariance(self, matrix: Array, inverted: bool) -> None:
        covariances = self._each_class(matrix, inverted)
        self._shape_each(covariances, "Give a positive definite matrix.")
        self._set_axes([covariance_axes(spread) for spread in covariances])
        self.covariance_ = list(covariances)


class RegularizedDiscriminantAnalysis(QuadraticModel):
    """Between linear and quadratic: covariances of classes, drawn towards the one they share and towards a sphere.

    Σ_c(α) = α Σ_c + (1 − α) Σ, then (1 − γ) Σ_c(α) + γ tr(Σ_c(α))/p I (Friedman 1989): α = 1 decides as quadratic
    discriminant analysis, α = 0 as linear.

    Parameters
    ----------
    alpha : float from 0 to 1
        The weight of a class's own covariance.
    gamma : float from 0 to 1
        The weight of the sphere.
    ddof : float
        Degrees of freedom that the mean of a class takes: Σ_c is divided by n_c − ddof, Σ by n − ddof K.
    priors : array-like of shape (n_classes,), default as in the data

    Attributes
    ----------
    covariance_ : ndarray of shape (n_classes, n_features, n_features)
        The regularised covariances.
    means_ : ndarray of shape (n_classes, n_features)
    priors_ : ndarray of shape (n_classes,)
    classes_ : ndarray of shape (n_classes,)

    Examples
    --------
    >>> from textnb import RegularizedDiscriminantAnalysis
    >>> X = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 3], [3, 1]]
    >>> model = RegularizedDiscriminantAnalysis(alpha=0.5, gamma=0.1).fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[-1, -1.5], [2, 2]])
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(self, alpha: float = 1.0, gamma: float = 0.0, ddof: float = 0, priors: Any = None) -> None:
        self.alpha = alpha
        self.gamma = gamma
        self.ddof = ddof
        self.priors = priors

    def _check_parameters(self) -> None:
        check_number("alpha", self.alpha, largest=1)
        check_number("gamma", self.gamma, largest=1)
        check_number("ddof", self.ddof)

    def _fit(self, X: Array, class_ids: Array, counts: Array) -> None:
        _check_several_classes(counts)
        degrees = _degrees_left(counts.sum(), self.ddof * len(counts), "X")
        if self.alpha > 0:
            _degrees_left(counts.min(), self.ddof, f"class {self.classes_[counts.argmin()]}")
        rows = X.astype(np.float64, copy=False)
        estimated = list(class_covariances(rows, class_ids, len(counts), covariance))
        self.means_ = np.array([mean for mean, _ in estimated])
        spreads = np.array([spread for _, spread in estimated])
        own = spreads * (counts / np.where(counts > self.ddof, counts - self.ddof, 1))[:, np.newaxis, np.newaxis]
        self._regularize(own, pooled(spreads, counts / degrees))

    def _set_covariance(self, matrix: Array, inverted: bool) -> None:
        own = self._each_class(matrix, inverted)
        self._regularize(own, pooled(own, self.priors_))

    def _regularize(self, own: Array, shared: Array) -> None:
        self.covariance_ = regularized(own, shared, self.alpha, self.gamma)
        self._shape_each(self.covariance_, "Raise `gamma`, or lower `alpha`.")


def _check_covariance_parameters(model: Any) -> None:
    check_number("ddof", model.ddof)
    if model.shrinkage is not None and model.shrinkage != "auto":
        check_number("shrinkage", model.shrinkage, largest=1)
    if model.solver == "svd" and model.shrinkage is not None:
        raise NotImplementedError("shrinkage not supported with 'svd' solver.")
    if model.covariance_estimator is None:
        return
    if model.solver == "svd":
        raise ValueError(
            "covariance_estimator is not supported with solver='svd' (covariance estimator is not supported with svd "
            "because it forms no covariance). Use solver='eigen'."
        )
    if model.shrinkage:
        raise ValueError("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.")
    if model.ddof:
        raise ValueError("ddof does not apply to a covariance_estimator, which has its own divisor. Leave ddof at 0.")


def _covariance_estimate(model: Any) -> Estimate:
    """How a solver estimates the covariance of rows: empirical, shrunk, or by the estimator it was given."""
    if model.covariance_estimator is None:
        return partial(covariance, shrinkage=model.shrinkage)

    def estimate(rows: Array) -> tuple[Array, Array]:
        estimator = clone(model.covariance_estimator, safe=False)
        estimator.fit(rows)
        if not hasattr(estimator, "covariance_"):
            raise ValueError(f"{type(estimator).__name__} does not have a covariance_ attribute")
        return rows.mean(axis=0), np.atleast_2d(estimator.covariance_)

    return estimate


def _check_several_classes(counts: Array) -> None:
    if len(counts) < 2:
        raise ValueError("The number of classes has to be greater than one. Got 1 class.")


def _degrees_left(n: float, taken: float, what: str) -> float:
    """n less the degrees of freedom that means take."""
    if n <= taken:
        raise ValueError(f"{what} has too few samples for this ddof: {n} less {taken:g} leaves none to divide by.")
    return n - taken


def _warn_if_singular(rank: int, n_features: int) -> None:
    if rank < n_features:
        warnings.warn(
            f"The within-class covariance is singular: its rank is {rank}, of {n_features} features. Axes without "
            "variance are left out.",
            UserWarning,
            stacklevel=5,
        )
