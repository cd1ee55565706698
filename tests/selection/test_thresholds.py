"""A ceiling on errors is kept by documents that the threshold was not chosen on."""

import numpy as np
import pytest
from scipy.stats import binomtest

from textnb.model.decision import DecisionRule, log_posterior
from textnb.model.plain import cost_table
from textnb.selection.thresholds import share_interval, threshold_for_ceiling


def made(n, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    class_ids = rng.integers(0, n_classes, n)
    joint = rng.normal(0, 2, (n, n_classes))
    joint[np.arange(n), class_ids] += 3
    return log_posterior(joint, np.zeros(n_classes)), class_ids


def share_lost(posterior, class_ids, protected, threshold):
    rule = DecisionRule(cost_table(posterior.shape[1]), protected, threshold)
    return float((rule.decide(posterior)[class_ids == protected] != protected).mean())


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("ceiling", [0.05, 0.01, 0.002])
def test_the_ceiling_is_met_where_the_threshold_was_chosen(n_classes, ceiling):
    posterior, class_ids = made(4000, n_classes)
    threshold = threshold_for_ceiling(posterior, class_ids, 1, ceiling)
    assert share_lost(posterior, class_ids, 1, threshold) <= ceiling


def test_no_lower_threshold_would_do():
    posterior, class_ids = made(4000)
    threshold = threshold_for_ceiling(posterior, class_ids, 0, 0.01)
    n = (class_ids == 0).sum()
    errors = share_lost(posterior, class_ids, 0, threshold) * n
    assert errors + 1 <= 0.01 * (n + 1) < errors + 2
    assert share_lost(posterior, class_ids, 0, threshold - 1e-9) * n == errors + 1


def test_on_average_new_documents_keep_the_ceiling():
    """Over 300 draws of 400 documents, the mean share lost is below the ceiling, and close to it."""
    later = made(50_000, seed=10**6)
    shares = []
    for seed in range(300):
        threshold = threshold_for_ceiling(*made(400, seed=seed), 0, 0.02)
        shares.append(share_lost(*later, 0, threshold))
    error = np.std(shares) / np.sqrt(len(shares))
    assert 0.01 < np.mean(shares) < 0.02 + 2 * error


def test_with_confidence_the_ceiling_is_seldom_broken():
    later = made(50_000, seed=10**6)
    broken = [
        share_lost(*later, 0, threshold_for_ceiling(*made(400, seed=seed), 0, 0.05, confidence=0.9)) > 0.05
        for seed in range(300)
    ]
    assert 0.02 < np.mean(broken) < 0.1 + 2 * np.sqrt(0.1 * 0.9 / 300)


def test_equal_odds_fall_on_one_side():
    posterior = np.log([[0.4, 0.6]] * 50 + [[0.9, 0.1]] * 50)
    class_ids = np.zeros(100, dtype=int)
    assert share_lost(posterior, class_ids, 0, threshold_for_ceiling(posterior, class_ids, 0, 0.1)) == 0


@pytest.mark.parametrize(
    ("n", "ceiling", "confidence", "needed"), [(998, 0.001, None, "999"), (2994, 0.001, 0.95, "2,995")]
)
def test_too_few_documents_are_said_to_be_too_few(n, ceiling, confidence, needed):
    posterior = np.log(np.full((n + 1, 2), 0.5))
    with pytest.raises(ValueError, match=f"needs {needed} documents .* there are {n:,}"):
        threshold_for_ceiling(posterior[:n], np.zeros(n, dtype=int), 0, ceiling, confidence)
    threshold_for_ceiling(posterior, np.zeros(n + 1, dtype=int), 0, ceiling, confidence)


def test_impossible_documents_of_the_protected_class_are_an_error():
    with np.errstate(divide="ignore"):
        posterior = np.log([[0.0, 1.0]] * 20)
    with pytest.raises(ValueError, match=r"20 documents .* are impossible in it .* larger alpha"):
        threshold_for_ceiling(posterior, np.zeros(20, dtype=int), 0, 0.1)


def test_certain_documents_leave_a_finite_threshold():
    with np.errstate(divide="ignore"):
        posterior = np.log([[1.0, 0.0]] * 20)
    assert np.isfinite(threshold_for_ceiling(posterior, np.zeros(20, dtype=int), 0, 0.1))


@pytest.mark.parametrize("ceiling", [0, 1, -0.1, float("nan")])
def test_a_ceiling_that_is_no_share_is_refused(ceiling):
    with pytest.raises(ValueError, match="ceiling must be a share"):
        threshold_for_ceiling(*made(100), 0, ceiling)


def test_a_confidence_that_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="confidence must be a probability"):
        threshold_for_ceiling(*made(100), 0, 0.1, confidence=95)


@pytest.mark.parametrize(("errors", "n"), [(0, 10), (3, 10), (10, 10), (1, 2900)])
def test_intervals_are_those_of_scipy(errors, n):
    expected = binomtest(errors, n).proportion_ci(0.95, method="exact")
    np.testing.assert_allclose(share_interval(errors, n), [expected.low, expected.high], rtol=1e-9)
