"""Gaussian classes against densities written out, and against each other."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from textnb.likelihood.discriminant import (
    Boundary,
    centred_linear_rule,
    draw_gaussian,
    generalized_eigenvectors,
    linear_discriminant_rule,
    linear_functions,
    precision_means,
    quadratic_discriminant_rule,
    quadratic_functions,
    separating_axes,
    shape_of_axes,
    shape_of_covariance,
    within_shape,
)
from textnb.statistics.covariance import class_means, covariance, covariance_axes, within_covariance

MEANS = np.array([[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [-1.0, -1.0, 4.0]])
SPREAD = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 0.8]])
SPREADS = np.array([SPREAD, SPREAD @ SPREAD, np.diag([3.0, 1.0, 0.2])])
PRIORS = np.array([0.5, 0.2, 0.3])
X = np.random.default_rng(0).normal(0, 2, size=(20, 3))


def differences(scores):
    """Between classes: what a term that is the same for every class does not change."""
    return scores - scores[:, :1]


class TestShapes:
    @pytest.mark.parametrize("units", [1.0, np.array([1e-6, 1.0, 1e7])], ids=["even", "uneven"])
    def test_of_a_covariance(self, units):
        spread = SPREAD * np.outer(units, units) if np.ndim(units) else SPREAD
        shape = shape_of_covariance(spread)
        np.testing.assert_allclose(shape.root.T @ shape.root, spread, rtol=1e-12, atol=0)
        np.testing.assert_allclose(shape.whitening.T @ spread @ shape.whitening, np.eye(3), atol=1e-12)
        assert shape.log_determinant == pytest.approx(np.linalg.slogdet(spread)[1])
        assert shape.is_full_rank

    def test_of_principal_axes(self):
        variances, axes = covariance_axes(SPREAD)
        scale = np.array([1.0, 10.0, 0.1])
        shape = shape_of_axes(np.sqrt(variances), axes, scale)
        spread = SPREAD * np.outer(scale, scale)
        np.testing.assert_allclose(shape.root.T @ shape.root, spread, rtol=1e-12)
        np.testing.assert_allclose(shape.whitening @ shape.whitening.T, np.linalg.inv(spread), rtol=1e-10)
        assert shape.log_determinant == pytest.approx(np.linalg.slogdet(spread)[1])

    @pytest.mark.parametrize(
        "spread",
        [np.diag([1.0, 0.0]), np.diag([1.0, -1.0]), np.ones((2, 2)), np.array([[1.0, 2.0], [2.0, 1.0]])],
        ids=["constant", "negative", "collinear", "indefinite"],
    )
    def test_what_is_no_shape_of_a_density_is_refused(self, spread):
        with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
            shape_of_covariance(spread)

    def test_of_deviations_is_that_of_the_covariance(self):
        rows = np.random.default_rng(1).normal(size=(60, 3)) @ SPREAD + 5
        ids = np.arange(60) % 3
        means = class_means(rows, ids, 3)
        within = within_covariance(rows, ids, np.full(3, 1 / 3), covariance)[1]
        shape = within_shape(rows, ids, means, divisor=57, tol=1e-4)
        np.testing.assert_allclose(shape.root.T @ shape.root, within * 60 / 57, rtol=1e-10)

    def test_of_deviations_leaves_out_what_does_not_vary(self):
        rows = np.random.default_rng(1).normal(size=(60, 3))
        rows[:, 2] = 0.1
        shape = within_shape(rows, np.zeros(60, dtype=int), rows.mean(axis=0, keepdims=True), 60, tol=1e-4)
        assert shape.whitening.shape == (3, 2)
        assert not shape.is_full_rank

    def test_of_no_deviation_at_all_is_refused(self):
        with pytest.raises(np.linalg.LinAlgError, match="no feature varies"):
            within_shape(np.ones((4, 2)), np.zeros(4, dtype=int), np.ones((1, 2)), 4, tol=1e-4)


class TestRules:
    def test_quadratic_is_the_density(self):
        rule = quadratic_discriminant_rule(MEANS, [shape_of_covariance(spread) for spread in SPREADS])
        expected = [multivariate_normal(mean, spread).logpdf(X) for mean, spread in zip(MEANS, SPREADS, strict=True)]
        np.testing.assert_allclose(rule.log_likelihood(X), np.transpose(expected), rtol=1e-12)

    def test_linear_is_the_density_less_what_classes_share(self):
        coef, rank = precision_means(MEANS, SPREAD)
        expected = np.transpose([multivariate_normal(mean, SPREAD).logpdf(X) for mean in MEANS])
        found = linear_discriminant_rule(MEANS, coef).log_likelihood(X)
        assert rank == 3
        np.testing.assert_allclose(differences(found), differences(expected), rtol=1e-10)

    def test_centred_is_the_same(self):
        axes, share = separating_axes(MEANS, PRIORS, shape_of_covariance(SPREAD).whitening, tol=1e-4)
        centred = centred_linear_rule(MEANS, PRIORS @ MEANS, axes)
        plain = linear_discriminant_rule(MEANS, precision_means(MEANS, SPREAD)[0])
        assert axes.shape == (3, 2)
        assert share.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(
            differences(centred.log_likelihood(X)), differences(plain.log_likelihood(X)), rtol=1e-10
        )

    def test_singular_covariances_have_a_solution_of_least_length(self):
        coef, rank = precision_means(np.array([[1.0, 1.0]]), np.ones((2, 2)))
        assert rank == 1
        np.testing.assert_allclose(coef, [[0.5, 0.5]])


class TestAxes:
    def test_eigenvectors_whiten_within_and_separate_between(self):
        between = np.cov(MEANS.T)
        axes, share = generalized_eigenvectors(between, SPREAD)
        np.testing.assert_allclose(axes.T @ SPREAD @ axes, np.eye(3), atol=1e-12)
        scatter = axes.T @ between @ axes
        np.testing.assert_allclose(scatter, np.diag(np.diag(scatter)), atol=1e-12)
        np.testing.assert_allclose(share, np.diag(scatter) / np.trace(scatter), atol=1e-12)
        assert (np.diff(share) <= 0).all()

    def test_eigenvectors_of_a_singular_covariance_are_refused(self):
        with pytest.raises(np.linalg.LinAlgError, match="Set `shrinkage`, or use solver='svd'"):
            generalized_eigenvectors(np.eye(2), np.zeros((2, 2)))

    def test_means_that_coincide_are_separated_by_nothing(self):
        axes, share = separating_axes(np.ones((3, 2)), PRIORS, np.eye(2), tol=1e-4)
        assert axes.shape == (2, 0)
        assert share.tolist() == [0.0, 0.0]


class TestDiscriminantFunctions:
    def test_quadratic_terms_multiply_out(self):
        rule = quadratic_discriminant_rule(MEANS, [shape_of_covariance(spread) for spread in SPREADS])
        functions = quadratic_functions(rule, np.log(PRIORS))
        expected = rule.log_likelihood(X) + np.log(PRIORS) + 1.5 * np.log(2 * np.pi)
        np.testing.assert_allclose(functions(X), expected, rtol=1e-10)
        np.testing.assert_allclose(functions.quadratic, [-0.5 * np.linalg.inv(spread) for spread in SPREADS])

    def test_boundary_is_their_difference(self):
        functions = linear_functions(MEANS, precision_means(MEANS, SPREAD)[0], np.log(PRIORS))
        boundary = functions.boundary(2, 0)
        scores = functions(X)
        np.testing.assert_allclose(boundary.constant + X @ boundary.linear, scores[:, 2] - scores[:, 0], rtol=1e-10)
        assert boundary.quadratic is None

    def test_a_linear_boundary_of_one_predictor_is_a_point(self):
        assert Boundary(-6.0, np.array([2.0])).points.tolist() == [3.0]

    @pytest.mark.parametrize(("constant", "points"), [(-4.0, [-2.0, 2.0]), (4.0, [])])
    def test_a_quadratic_one_has_two_points_or_none(self, constant, points):
        found = Boundary(constant, np.zeros(1), np.ones((1, 1))).points
        np.testing.assert_allclose(found, points, atol=1e-12)

    def test_equal_means_are_told_apart_nowhere(self):
        assert Boundary(1.0, np.zeros(1)).points.tolist() == []

    def test_points_of_several_predictors_are_refused(self):
        with pytest.raises(ValueError, match="with 2 predictors the boundary is no set of points"):
            Boundary(0.0, np.ones(2)).points  # noqa: B018


def test_samples_have_the_shape_of_their_class():
    ids = np.repeat([0, 1, 2], 20_000)
    rows = draw_gaussian(MEANS, [shape_of_covariance(spread) for spread in SPREADS], ids, np.random.RandomState(0))
    for k in range(3):
        error = np.sqrt(np.diag(SPREADS[k]) / 20_000)
        assert (np.abs(rows[ids == k].mean(axis=0) - MEANS[k]) < 4 * error).all()
        np.testing.assert_allclose(np.cov(rows[ids == k].T), SPREADS[k], atol=0.1 * SPREADS[k].max())
