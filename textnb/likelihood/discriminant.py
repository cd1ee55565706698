"""Gaussian classes with full covariances: what linear, quadratic and regularised discriminant analysis decide by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.likelihood.rules import LinearRule, QuadraticRule
from textnb.statistics.covariance import feature_scale, principal_axes

_COLLINEAR = 1e-12  # a smaller share of a feature's variance that others leave unexplained is rounding


@dataclass(frozen=True, eq=False)
class Shape:
    """A covariance Σ = RᵀR of rank r, and what whitens it: W Wᵀ = Σ⁻¹, the pseudo-inverse where r < p."""

    whitening: Array  # W, (p, r)
    root: Array  # R, (r, p)
    log_determinant: float  # of Σ, within the axes that W keeps

    @property
    def is_full_rank(self) -> bool:
        return self.whitening.shape[0] == self.whitening.shape[1]


def shape_of_covariance(covariance: Array) -> Shape:
    """From Σ = L Lᵀ (Cholesky), which does not mind features of very different units."""
    from scipy.linalg import solve_triangular

    variances = np.diagonal(covariance)
    try:
        lower = np.linalg.cholesky(covariance)
        independent = np.diagonal(lower) ** 2 > _COLLINEAR * variances
    except np.linalg.LinAlgError:
        independent = np.zeros(len(variances), dtype=bool)
    if not independent.all():
        raise np.linalg.LinAlgError("The covariance is not positive definite: no density has that shape.")
    whitening = solve_triangular(lower, np.eye(len(lower)), lower=True).T
    return Shape(whitening, lower.T, float(2 * np.log(np.diagonal(lower)).sum()))


def shape_of_axes(deviations: Array, axes: Array, scale: float | Array = 1.0) -> Shape:
    """From standard deviations (r,) along orthonormal axes (r, p) of features that were divided by `scale` (p,)."""
    return Shape(
        whitening=(axes / scale).T / deviations,
        root=deviations[:, np.newaxis] * axes * scale,
        log_determinant=float(2 * np.log(deviations).sum() + 2 * np.log(np.broadcast_to(scale, axes.shape[1])).sum()),
    )


def within_shape(X: Array, class_ids: Array, means: Array, divisor: float, tol: float) -> Shape:
    """The shape that all classes share, from the deviations x_i − μ_c: Σ_i (x_i − μ_c)(x_i − μ_c)ᵀ / divisor.

    Axes along which standardised features deviate by no more than `tol` are left out.
    """
    deviations = X - means[class_ids]
    scale = feature_scale(deviations, np.abs(means).max(axis=0))
    deviations /= scale * np.sqrt(len(X))
    singular, axes = principal_axes(deviations)
    kept = singular > tol
    if not kept.any():
        raise np.linalg.LinAlgError("no feature varies within the classes: the covariance is zero, or below `tol`.")
    return shape_of_axes(singular[kept], axes[kept], scale * np.sqrt(len(X) / divisor))


def separating_axes(means: Array, weights: Array, whitening: Array, tol: float) -> tuple[Array, Array]:
    """Whitened axes (p, r) along which weighted class means lie furthest apart, and the share of each in that.

    Hastie, Tibshirani & Friedman 2009, section 4.3.3.
    """
    spread = np.sqrt(weights)[:, np.newaxis] * (means - weights @ means)
    _, singular, axes = np.linalg.svd(spread @ whitening, full_matrices=False)
    kept = singular > tol * singular[0]
    total = np.sum(singular**2)
    return whitening @ axes[kept].T, singular**2 / total if total > 0 else singular


def generalized_eigenvectors(between: Array, within: Array) -> tuple[Array, Array]:
    """Axes A (p, p) with Aᵀ S_W A = I and Aᵀ S_B A diagonal, largest first, and the share of each in the sum."""
    from scipy.linalg import eigh

    try:
        values, axes = eigh(between, within)
    except np.linalg.LinAlgError as error:
        raise np.linalg.LinAlgError(
            "The within-class covariance is not full rank, which solver='eigen' needs. Set `shrinkage`, or use "
            "solver='svd'."
        ) from error
    return axes[:, ::-1], values[::-1] / values.sum()


def precision_means(means: Array, covariance: Array) -> tuple[Array, int]:
    """μ Σ⁻¹ (K, p) and the rank of Σ; the solution of least length where it is singular."""
    from scipy.linalg import lstsq

    solution, _, rank, _ = lstsq(covariance, means.T)
    return solution.T, int(rank)


def linear_discriminant_rule(means: Array, coef: Array) -> LinearRule:
    """log P(x | c) = μ_cᵀ Σ⁻¹ x − ½ μ_cᵀ Σ⁻¹ μ_c + what is the same for every class, given coef = μ Σ⁻¹ (K, p)."""
    return LinearRule(np.ascontiguousarray(coef.T), -0.5 * np.einsum("cj,cj->c", means, coef))


def centred_linear_rule(means: Array, center: Array, axes: Array) -> LinearRule:
    """The same in coordinates z = Aᵀ (x − x̄) along whitened axes A: z_cᵀ z − ½ ‖z_c‖², where z_c are those of μ_c."""
    coordinates = (means - center) @ axes
    coef = coordinates @ axes.T
    return LinearRule(np.ascontiguousarray(coef.T), -0.5 * np.sum(coordinates**2, axis=1) - coef @ center)


def quadratic_discriminant_rule(means: Array, shapes: Sequence[Shape]) -> QuadraticRule:
    """log P(x | c) = −½ (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c) − ½ log |2π Σ_c|."""
    log_determinants = np.array([shape.log_determinant for shape in shapes])
    constant = -0.5 * (log_determinants + means.shape[1] * np.log(2 * np.pi))
    return QuadraticRule(means, np.array([shape.whitening for shape in shapes]), constant)


@dataclass(frozen=True, eq=False)
class DiscriminantFunctions:
    """δ_c(x) = a_c + b_cᵀ x + xᵀ A_c x for every class: log P(x, c) less what is the same for every class."""

    constant: Array  # a, (K,)
    linear: Array  # b, (K, p)
    quadratic: Array | None = None  # A, (K, p, p); None where the functions are linear

    def __call__(self, X: Array) -> Array:
        """(n, K)."""
        scores: Array = self.constant + X @ self.linear.T
        return scores if self.quadratic is None else scores + np.einsum("ni,cij,nj->nc", X, self.quadratic, X)

    def boundary(self, a: int, b: int) -> Boundary:
        """Where the functions of two classes, by position, are equal."""
        return Boundary(
            float(self.constant[a] - self.constant[b]),
            self.linear[a] - self.linear[b],
            None if self.quadratic is None else self.quadratic[a] - self.quadratic[b],
        )


@dataclass(frozen=True, eq=False)
class Boundary:
    """The points with a + bᵀ x + xᵀ A x = 0; the first of the two classes is where the left side is above 0."""

    constant: float
    linear: Array  # (p,)
    quadratic: Array | None = None  # (p, p)

    @property
    def points(self) -> Array:
        """Where a single predictor crosses the boundary, in ascending order: one point if linear, up to two if not."""
        if len(self.linear) != 1:
            raise ValueError(f"with {len(self.linear)} predictors the boundary is no set of points; read its terms")
        square = 0.0 if self.quadratic is None else self.quadratic.item()
        roots = np.roots([square, self.linear.item(), self.constant])
        return np.sort(roots[np.isreal(roots)].real)


def linear_functions(means: Array, coef: Array, log_prior: Array) -> DiscriminantFunctions:
    """δ_c(x) = log π_c − ½ μ_cᵀ Σ⁻¹ μ_c + μ_cᵀ Σ⁻¹ x, given coef = μ Σ⁻¹."""
    return DiscriminantFunctions(log_prior - 0.5 * np.einsum("cj,cj->c", means, coef), coef)


def quadratic_functions(rule: QuadraticRule, log_prior: Array) -> DiscriminantFunctions:
    """δ_c(x) = log π_c − ½ log |Σ_c| − ½ (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c), multiplied out."""
    precisions = rule.whitening @ rule.whitening.transpose(0, 2, 1)
    linear = np.einsum("cij,cj->ci", precisions, rule.means)
    log_scale = rule.constant + 0.5 * rule.means.shape[1] * np.log(2 * np.pi)
    constant = log_prior + log_scale - 0.5 * np.einsum("cj,cj->c", linear, rule.means)
    return DiscriminantFunctions(constant, linear, -0.5 * precisions)


def draw_gaussian(means: Array, shapes: Sequence[Shape], class_ids: Array, rng: Any) -> Array:
    """A row x = μ_c + Rᵀ z, z standard normal, for every class id, (n, p)."""
    X = means[class_ids]
    for c, shape in enumerate(shapes):
        rows = class_ids == c
        X[rows] += rng.standard_normal((rows.sum(), len(shape.root))) @ shape.root
    return X
