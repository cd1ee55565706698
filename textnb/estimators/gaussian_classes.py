"""What the discriminant analyses share: fitting and giving Gaussian classes, reading them off, checking parameters."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from textnb.arrays import Array
from textnb.estimators.base import NaiveBayes, unchanged_on_error
from textnb.likelihood.discriminant import (
    Boundary,
    DiscriminantFunctions,
    Shape,
    draw_gaussian,
    quadratic_discriminant_rule,
    quadratic_functions,
    shape_of_covariance,
)
from textnb.likelihood.prior import class_log_prior
from textnb.likelihood.rules import QuadraticRule
from textnb.likelihood.smoothing import safe_log
from textnb.statistics.counts import check_labels

_LARGEST = 1e150
_NOTED_BY_VALIDATION = ("n_features_in_", "feature_names_in_")


class DiscriminantAnalysis(NaiveBayes, ABC):
    """Gaussian classes that can be fitted or given, read off and sampled."""

    priors: Any
    ddof: float
    priors_: Array
    means_: Array

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense, whatever the data."""

    @abstractmethod
    def _fit(self, X: Array, class_ids: Array, counts: Array) -> None:
        """Means, covariances and the rule from data; classes and priors are set."""

    @abstractmethod
    def _set_covariance(self, matrix: Array, inverted: bool) -> None:
        """The rule from given covariances, or their inverses, one or one per class; all else is set."""

    @abstractmethod
    def _shapes(self) -> Sequence[Shape]:
        """The shape of every class."""

    @abstractmethod
    def discriminant_functions(self) -> DiscriminantFunctions:
        """δ_c(x) = log P(x, c) less what is the same for every class, by its constant, linear and quadratic terms."""

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate priors, means and covariances from the rows of X by the classes of y."""
        with unchanged_on_error(self):
            check_labels(y)
            X, y = validate_data(self, X, y, ensure_min_samples=2, dtype="numeric")
            X = X if X.dtype == np.float32 else X.astype(np.float64, copy=False)
            check_classification_targets(y)
            if max(float(X.max()), -float(X.min())) > _LARGEST:
                raise ValueError("X has values so large that their squares are beyond floating point; scale X down")
            self._check_parameters()
            for name in [name for name in vars(self) if name.endswith("_") and name not in _NOTED_BY_VALIDATION]:
                delattr(self, name)  # of an earlier fit, with a solver that may have set more than this one does
            self.classes_, class_ids, counts = np.unique(y, return_inverse=True, return_counts=True)
            self._set_priors(class_priors(self.priors, counts))
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
        """A model whose parameters are given instead of fitted.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features)
        covariance, precision : array-like of shape (n_features, n_features) or (n_classes, n_features, n_features)
            One of the two, a precision being the inverse of a covariance: one matrix for all classes, or one per class
            where the model is not linear.
        priors : array-like of shape (n_classes,), default equal
        classes : array-like of shape (n_classes,), default 0, 1, …
        **settings
            Parameters of the constructor.
        """
        means = check_array(means, dtype=np.float64, input_name="means")
        labels = np.arange(len(means)) if classes is None else np.asarray(classes)
        if labels.shape != means.shape[:1] or len(np.unique(labels)) != len(labels):
            raise ValueError(f"classes must be {len(means)} different labels, one a row of means: {labels.tolist()}.")
        if (covariance is None) == (precision is None):
            raise ValueError("Give either covariance or precision, its inverse.")
        matrix = symmetric(precision if covariance is None else covariance, *means.shape)
        order = np.argsort(labels)
        model = cls(**settings)
        model._check_parameters()
        model.n_features_in_ = means.shape[1]
        model.classes_ = labels[order]
        model._set_priors(class_priors(priors, np.ones(len(means)))[order])
        model.means_ = means[order]
        model._set_covariance(matrix if matrix.ndim == 2 else matrix[order], inverted=covariance is None)
        return model

    def decision_function(self, X: Any) -> Array:
        """Scores of the classes, (n, n_classes); of two classes the log-odds of the second, (n,)."""
        scores = self._scores(self._validate(X))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def boundary(self, class_a: Any, class_b: Any) -> Boundary:
        """Where two classes are equally probable, by its terms; its ``points`` are those of a single predictor."""
        return self.discriminant_functions().boundary(self._position(class_a), self._position(class_b))

    def _sample_given(self, class_ids: Array, rng: Any) -> Array:
        return draw_gaussian(self.means_, self._shapes(), class_ids, rng)

    def _scores(self, X: Array) -> Array:
        """What `decision_function` shows: by default the joint log-likelihood."""
        return self._joint(X)

    def _validate(self, X: Any) -> Array:
        check_is_fitted(self, "rule_")
        checked: Array = validate_data(self, X, dtype=np.float64, reset=False)
        return checked

    def _set_priors(self, priors: Array) -> None:
        self.priors_ = priors
        self.class_log_prior_ = safe_log(priors)

    def _position(self, label: Any) -> int:
        found = np.flatnonzero(self.classes_ == label)
        if not len(found):
            raise ValueError(f"unknown class {label!r}: the classes are {self.classes_.tolist()!r}.")
        return int(found[0])


class QuadraticModel(DiscriminantAnalysis):
    """One covariance per class."""

    rule_: QuadraticRule

    def discriminant_functions(self) -> DiscriminantFunctions:
        """δ_c(x) = log π_c − ½ log |Σ_c| − ½ (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c), multiplied out."""
        check_is_fitted(self, "rule_")
        return quadratic_functions(self.rule_, self.class_log_prior_)

    def _scores(self, X: Array) -> Array:
        """The discriminant functions, in which log 2π does not occur."""
        return self._joint(X) + 0.5 * X.shape[1] * np.log(2 * np.pi)

    def _set_shapes(self, shapes: Sequence[Shape]) -> None:
        self._class_shapes = shapes
        self.rule_ = quadratic_discriminant_rule(self.means_, shapes)

    def _shapes(self) -> Sequence[Shape]:
        return self._class_shapes

    def _shape_each(self, covariances: Array, advice: str) -> None:
        """The rule from covariances (K, p, p); an error where one has no inverse."""
        shapes = []
        for label, spread in zip(self.classes_, covariances, strict=True):
            try:
                shapes.append(shape_of_covariance(spread))
            except np.linalg.LinAlgError as error:
                raise rank_error(label, advice) from error
        self._set_shapes(shapes)

    def _each_class(self, matrix: Array, inverted: bool) -> Array:
        """Given matrices as covariances, (K, p, p)."""
        spreads = inverse(matrix) if inverted else matrix
        return np.broadcast_to(spreads, (len(self.classes_), *spreads.shape[-2:]))


def class_priors(given: Any, counts: Array) -> Array:
    """Priors as given, made to sum to 1, or as often as the classes were counted."""
    if given is None:
        return counts / counts.sum()
    priors = np.array(given, dtype=np.float64)
    if (priors < 0).any():
        raise ValueError(f"priors must be non-negative, got {priors.tolist()}.")
    class_log_prior(counts, given=priors)  # refuses what else no prior can be
    if abs(priors.sum() - 1.0) > 1e-5:
        warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=3)
        priors /= priors.sum()
    return priors


def rank_error(label: Any, advice: str) -> np.linalg.LinAlgError:
    return np.linalg.LinAlgError(f"The covariance matrix of class {label} is not full rank. {advice}")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")


def check_number(name: str, value: Any, smallest: float = 0, largest: float = np.inf, kind: Any = Real) -> None:
    if not isinstance(value, kind) or not smallest <= float(value) <= largest:
        limits = f"{smallest} or more" if largest == np.inf else f"from {smallest} to {largest}"
        raise ValueError(f"{name} must be {'an integer' if kind is Integral else 'a number'}, {limits}, got {value!r}.")


def symmetric(given: Any, n_classes: int, n_features: int) -> Array:
    """A given matrix, or one per class, checked."""
    matrix: Array = check_array(given, dtype=np.float64, allow_nd=True, input_name="covariance or precision")
    if matrix.shape not in ((n_features, n_features), (n_classes, n_features, n_features)):
        raise ValueError(
            f"covariance or precision must have the shape {(n_features, n_features)}, or "
            f"{(n_classes, n_features, n_features)} for one per class, got {matrix.shape}."
        )
    if not np.allclose(matrix, np.swapaxes(matrix, -1, -2)):
        raise ValueError("covariance or precision must be symmetric.")
    return matrix


def inverse(matrix: Array) -> Array:
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError as error:
        raise np.linalg.LinAlgError("The given precision is singular: it is the inverse of no covariance.") from error
