"""The logarithm of the chi-square tail: against scipy, against the sum itself, and where scipy has no numbers left."""

from fractions import Fraction
from math import exp, factorial, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from textnb.likelihood.chi_square import log_chi_square_tail

pytestmark = pytest.mark.filterwarnings("error")


@given(st.lists(st.tuples(st.integers(1, 3000), st.floats(0, 4)), min_size=1, max_size=20))
def test_it_is_the_logarithm_of_scipys_survival_function(cases):
    pairs = np.array([k for k, _ in cases])
    half = pairs * np.array([ratio for _, ratio in cases])
    with np.errstate(divide="ignore"):
        expected = chi2.logsf(2 * half, 2 * pairs)
    exact = expected > -700  # below, the probability itself is no longer a normal number
    found = log_chi_square_tail(half, pairs)
    np.testing.assert_allclose(found[exact], expected[exact], rtol=1e-10, atol=1e-10)
    assert np.isfinite(found).all()


@pytest.mark.parametrize(("half", "pairs"), [(3, 1), (3, 4), (40, 7), (500, 20)])
def test_it_is_the_sum_of_poisson_probabilities(half, pairs):
    total = sum(Fraction(half) ** i / factorial(i) for i in range(pairs))
    expected = log(total) - half if half > 5 * pairs else log(float(total) * exp(-half))
    np.testing.assert_allclose(log_chi_square_tail(np.array([half]), np.array([pairs])), [expected], rtol=1e-12)


def test_what_is_nearly_certain_keeps_its_digits():
    rest = sum(exp(-2) * 2.0**i / factorial(i) for i in range(30, 60))
    np.testing.assert_allclose(log_chi_square_tail(np.array([2.0]), np.array([30])), [-rest], rtol=1e-12)


def test_long_sums_stay_finite_and_apart():
    half = np.linspace(20_000, 90_000, 1000)
    found = log_chi_square_tail(half, np.full(1000, 10_000))
    assert np.isfinite(found).all()
    assert (np.diff(found) < 0).all()
    assert found[-1] < -10_000


def test_nothing_is_certain_of_nothing():
    np.testing.assert_array_equal(log_chi_square_tail(np.array([0.0, 0.0]), np.array([0, 5])), [0.0, 0.0])
    assert log_chi_square_tail(np.zeros((0, 2)), np.zeros((0, 2), dtype=np.int64)).shape == (0, 2)
