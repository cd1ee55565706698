"""Gaussian parameters and their rule against the textbook's formula."""

import numpy as np
import pytest
import scipy.stats
from scipy.sparse import csr_array

from textnb.likelihood import rules
from textnb.likelihood.gaussian import gaussian_parameters, gaussian_rule
from textnb.statistics.moments import measure_classes

CLASSES = np.array(["a", "b"])
rng = np.random.default_rng(1)
X = rng.normal(size=(30, 4)) * [1, 2, 3, 4]
class_ids = np.arange(30) % 2


def test_variances_over_n_minus_ddof_and_the_floor():
    mean, variance, floor = gaussian_parameters(measure_classes(X, class_ids, CLASSES), 1e-3, ddof=1)
    assert floor == pytest.approx(1e-3 * X.var(axis=0).max(), rel=1e-12)
    for c in (0, 1):
        np.testing.assert_allclose(mean[c], X[class_ids == c].mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(variance[c], X[class_ids == c].var(axis=0, ddof=1) + floor, rtol=1e-12)


def test_ddof_needs_more_values_than_it_takes_away():
    moments = measure_classes(X[:3], class_ids[:3], CLASSES)
    with pytest.raises(ValueError, match=r"column 0 has only 1 values in class 'b'.*Use ddof=0"):
        gaussian_parameters(moments, 1e-9, ddof=1)


def test_a_class_without_values_of_a_column_is_like_all_classes():
    holes = X.copy()
    holes[class_ids == 1, 2] = np.nan
    mean, variance, _ = gaussian_parameters(measure_classes(holes, class_ids, CLASSES), 0.0, ddof=0)
    assert mean[1, 2] == pytest.approx(mean[0, 2])
    assert variance[1, 2] == pytest.approx(variance[0, 2])


@pytest.mark.filterwarnings("error")
def test_a_column_that_never_varied_decides_and_gives_no_nan():
    constant = np.array([[1.0], [1.0], [2.0], [2.0]])
    rule = gaussian_rule(*gaussian_parameters(measure_classes(constant, np.array([0, 0, 1, 1]), CLASSES), 0.0, 0)[:2])
    scores = rule.log_likelihood(np.array([[1.0], [2.0], [1.4], [1.6]]))
    assert np.isfinite(scores).all()
    assert scores.argmax(axis=1).tolist() == [0, 1, 0, 1]


def densities(rows, mean, variance):
    """log P(x | c) by scipy, a missing value left out."""
    logs = scipy.stats.norm.logpdf(rows[:, np.newaxis], mean, np.sqrt(variance))
    return np.nansum(logs, axis=2)


@pytest.mark.parametrize("block", [1, 1 << 17])
def test_the_rule_is_the_sum_of_log_densities(monkeypatch, block):
    monkeypatch.setattr(rules, "_QUADRATIC_BLOCK", block)
    mean, variance = rng.normal(size=(3, 4)), rng.random((3, 4)) + 0.1
    rule = gaussian_rule(mean, variance)
    np.testing.assert_allclose(rule.log_likelihood(X), densities(X, mean, variance), rtol=1e-12)
    thin = np.where(rng.random(X.shape) < 0.5, X, 0.0)
    np.testing.assert_allclose(rule.log_likelihood(csr_array(thin)), densities(thin, mean, variance), rtol=1e-12)


def test_a_missing_value_leaves_its_own_feature_out():
    mean, variance = rng.normal(size=(3, 4)), rng.random((3, 4)) + 0.1
    holes = np.where(rng.random(X.shape) < 0.3, np.nan, X)
    holes[0] = np.nan
    scores = gaussian_rule(mean, variance).log_likelihood(holes)
    np.testing.assert_allclose(scores, densities(holes, mean, variance), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scores[0], 0.0, atol=1e-12)


def test_contributions_are_log_densities_and_a_missing_value_adds_nothing():
    rule = gaussian_rule(np.array([[0.0, 5.0], [1.0, -1.0]]), np.array([[1.0, 4.0], [0.25, 9.0]]))
    added, constant = rule.contributions(np.array([0.5, 2.0]))
    expected = [
        [scipy.stats.norm(0.0, 1.0).logpdf(0.5), scipy.stats.norm(1.0, 0.5).logpdf(0.5)],
        [scipy.stats.norm(5, 2).logpdf(2), scipy.stats.norm(-1, 3).logpdf(2)],
    ]
    np.testing.assert_allclose(added, expected, rtol=1e-13)
    for row in np.array([[0.5, 2.0], [np.nan, 2.0], [np.nan, np.nan]]):
        added, constant = rule.contributions(row)
        assert not added[np.isnan(row)].any()
        np.testing.assert_allclose(
            added.sum(axis=0) + constant, rule.log_likelihood(row[np.newaxis])[0], rtol=1e-13, atol=1e-14
        )


def test_features_that_vary_together_have_no_contributions():
    rule = rules.QuadraticRule(np.zeros((1, 2)), np.eye(2)[np.newaxis], np.zeros(1))
    with pytest.raises(ValueError, match="none has a contribution of its own"):
        rule.contributions(np.zeros(2))
