"""Covariances against loops over their definitions."""

import numpy as np
import pytest

from textnb.statistics import covariance as module
from textnb.statistics.covariance import (
    class_covariances,
    class_means,
    covariance,
    covariance_axes,
    feature_scale,
    ledoit_wolf_shrinkage,
    pooled,
    principal_axes,
    regularized,
    scatter,
    shrink,
    within_covariance,
)


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    return random.standard_normal((40, 4)) @ random.standard_normal((4, 4)) + [1, 20, -300, 0]


@pytest.fixture
def class_ids():
    return np.arange(40) % 3


def test_covariance_is_the_mean_product_of_deviations(rows):
    mean, spread = covariance(rows)
    expected = sum(np.outer(row - rows.mean(axis=0), row - rows.mean(axis=0)) for row in rows) / len(rows)
    np.testing.assert_allclose(mean, rows.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(spread, expected, rtol=1e-10)


def test_blocks_of_rows_add_up(rows, monkeypatch):
    whole = scatter(rows, rows.mean(axis=0))
    monkeypatch.setattr(module, "_BLOCK", 12)
    np.testing.assert_allclose(scatter(rows, rows.mean(axis=0)), whole, rtol=1e-12)


def test_rows_are_left_as_they_were(rows):
    before = rows.copy()
    covariance(rows, "auto")
    np.testing.assert_array_equal(rows, before)


def test_classes_are_estimated_one_by_one(rows, class_ids):
    found = list(class_covariances(rows, class_ids, 3, covariance))
    for k, (mean, spread) in enumerate(found):
        np.testing.assert_allclose(mean, rows[class_ids == k].mean(axis=0))
        np.testing.assert_allclose(spread, np.cov(rows[class_ids == k].T, ddof=0), rtol=1e-10)
    np.testing.assert_allclose(class_means(rows, class_ids, 3), [mean for mean, _ in found])


def test_within_covariance_weights_the_classes(rows, class_ids):
    weights = np.array([0.5, 0.2, 0.3])
    means, within = within_covariance(rows, class_ids, weights, covariance)
    spreads = np.array([spread for _, spread in class_covariances(rows, class_ids, 3, covariance)])
    np.testing.assert_allclose(means, class_means(rows, class_ids, 3))
    np.testing.assert_allclose(within, sum(w * spread for w, spread in zip(weights, spreads, strict=True)))
    np.testing.assert_allclose(pooled(spreads, weights), within)


def test_shrinking_keeps_the_trace_and_ends_in_a_sphere(rows):
    spread = covariance(rows)[1]
    np.testing.assert_array_equal(shrink(spread, 0.0), spread)
    np.testing.assert_allclose(shrink(spread, 1.0), np.trace(spread) / 4 * np.eye(4))
    assert np.trace(shrink(spread, 0.3)) == pytest.approx(np.trace(spread))


def test_a_stack_is_shrunk_matrix_by_matrix(rows, class_ids):
    spreads = np.array([spread for _, spread in class_covariances(rows, class_ids, 3, covariance)])
    np.testing.assert_allclose(shrink(spreads, 0.3), [shrink(spread, 0.3) for spread in spreads])


def test_regularizing_blends_then_shrinks(rows, class_ids):
    own = np.array([spread for _, spread in class_covariances(rows, class_ids, 3, covariance)])
    shared = own.mean(axis=0)
    found = regularized(own, shared, 0.25, 0.1)
    for k in range(3):
        blend = 0.25 * own[k] + 0.75 * shared
        np.testing.assert_allclose(found[k], 0.9 * blend + 0.1 * np.trace(blend) / 4 * np.eye(4))


def test_ledoit_wolf_shrinkage_is_its_definition(rows):
    deviations = rows - rows.mean(axis=0)
    spread = covariance(rows)[1]
    n, p = rows.shape
    distance = np.linalg.norm(spread - np.trace(spread) / p * np.eye(p)) ** 2
    uncertainty = sum(np.linalg.norm(np.outer(x, x) - spread) ** 2 for x in deviations) / n**2
    assert ledoit_wolf_shrinkage(deviations, spread) == pytest.approx(min(uncertainty, distance) / distance)


def test_what_is_a_sphere_already_needs_no_shrinkage():
    deviations = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    assert ledoit_wolf_shrinkage(deviations, 0.5 * np.eye(2)) == 0.0


def test_automatic_shrinkage_does_not_depend_on_units(rows):
    units = np.array([1.0, 1e-3, 1e4, 7.0])
    np.testing.assert_allclose(
        covariance(rows * units, "auto")[1], covariance(rows, "auto")[1] * np.outer(units, units), rtol=1e-9
    )


def test_a_constant_feature_has_scale_one_though_its_mean_is_rounded():
    rows = np.full((7, 1), 0.1)
    mean = np.array([rows.mean() * (1 + 2e-16)])
    assert feature_scale(rows - mean, mean).tolist() == [1.0]
    assert feature_scale(np.array([[1e-9], [-1e-9]]), np.zeros(1)) == pytest.approx(1e-9)


def test_principal_axes_are_those_of_the_singular_value_decomposition(rows):
    deviations = rows - rows.mean(axis=0)
    singular, axes = principal_axes(deviations)
    _, expected, expected_axes = np.linalg.svd(deviations, full_matrices=False)
    np.testing.assert_allclose(singular, expected, rtol=1e-10)
    np.testing.assert_allclose(np.abs(axes), np.abs(expected_axes), atol=1e-10)


@pytest.mark.parametrize("condition", [1e2, 1e5, 1e9])
def test_small_singular_values_keep_their_digits(condition):
    random = np.random.default_rng(0)
    left = np.linalg.qr(random.standard_normal((50, 3)))[0]
    right = np.linalg.qr(random.standard_normal((3, 3)))[0]
    singular, _ = principal_axes(left * [1.0, 0.5, 1 / condition] @ right)
    np.testing.assert_allclose(singular[-1], 1 / condition, rtol=1e-16 * condition + 1e-12)


def test_tall_data_of_good_condition_are_squared_not_decomposed(rows, monkeypatch):
    monkeypatch.setattr(module.np.linalg, "svd", None)
    monkeypatch.setattr(module.np.linalg, "qr", None)
    singular, axes = principal_axes(rows - rows.mean(axis=0))
    assert singular.shape == (4,)
    assert (np.diff(singular) <= 0).all()
    np.testing.assert_allclose(axes @ axes.T, np.eye(4), atol=1e-12)


def test_more_features_than_rows_give_as_many_axes_as_rows():
    deviations = np.random.default_rng(0).standard_normal((3, 10))
    singular, axes = principal_axes(deviations)
    assert (singular.shape, axes.shape) == ((3,), (3, 10))


def test_covariance_axes_put_the_largest_first(rows):
    spread = covariance(rows)[1]
    variances, axes = covariance_axes(spread)
    assert (np.diff(variances) <= 0).all()
    np.testing.assert_allclose(axes.T * variances @ axes, spread, atol=1e-12 * variances[0])
