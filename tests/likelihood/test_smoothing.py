"""(N_ci + α) / (N_c + α d): the textbook's formula, its logarithms and its zeros."""

import math

import numpy as np
import pytest

from textnb.arrays import SparseRows
from textnb.likelihood.families import family
from textnb.likelihood.smoothing import check_alpha, log_mass, log_smoothed, safe_log

pytestmark = pytest.mark.filterwarnings("error")

TOTALS = np.array([[3, 0, 1, 7], [0, 0, 2, 5], [0, 0, 0, 0]])
DOCUMENTS = np.array([1, 1, 0])


def totals_of(by_class) -> SparseRows:
    """Totals (V, K), from one row per class."""
    return SparseRows.of_dense(np.transpose(by_class))


def log_probability(name, by_class, documents, alpha, norm=False):
    return family(name).log_probability(totals_of(by_class), documents, alpha, norm).T


SMOOTHINGS = [1e-9, 0.1, 0.5, 1.0, 2.5]  # Lidstone, Laplace, and more


@pytest.mark.parametrize("alpha", SMOOTHINGS)
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_multinomial_probabilities_are_the_formulas(alpha, dtype):
    found = log_probability("multinomial", TOTALS.astype(dtype), DOCUMENTS, alpha)
    for c, row in enumerate(TOTALS.tolist()):
        for i, count in enumerate(row):
            assert math.isclose(np.exp(found[c, i]), (count + alpha) / (sum(row) + alpha * len(row)), rel_tol=1e-12)


@pytest.mark.parametrize("alpha", SMOOTHINGS)
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_bernoulli_probabilities_are_the_formulas(alpha, dtype):
    documents = np.array([7, 5, 0], dtype=dtype)
    found = log_probability("bernoulli", TOTALS.astype(dtype), documents, alpha)
    rule = family("bernoulli").rule(totals_of(TOTALS.astype(dtype)), documents, alpha)
    for c, row in enumerate(TOTALS.tolist()):
        odds = [(count + alpha) / (documents[c] - count + alpha) for count in row]
        absent = [(documents[c] - count + alpha) / (documents[c] + 2 * alpha) for count in row]
        np.testing.assert_allclose(np.exp(found[c]), np.array(odds) * absent, rtol=1e-12)
        np.testing.assert_allclose(rule.coef[c], [math.log(o) for o in odds], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(rule.intercept[c], sum(math.log(a) for a in absent), rtol=1e-12)


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("alpha", SMOOTHINGS)
def test_complement_weights_are_the_formulas(alpha, norm):
    found = log_probability("complement", TOTALS, DOCUMENTS, alpha, norm)
    for c in range(3):
        rest = [sum(TOTALS[k, i].item() for k in range(3) if k != c) + alpha for i in range(4)]
        weights = [-math.log(value / sum(rest)) for value in rest]
        length = sum(weights) if norm else 1.0
        np.testing.assert_allclose(found[c], [w / length for w in weights], rtol=1e-12)


def test_without_smoothing_what_was_not_seen_is_impossible():
    found = log_probability("multinomial", TOTALS, DOCUMENTS, 0.0)
    np.testing.assert_allclose(np.exp(found), [[3 / 11, 0, 1 / 11, 7 / 11], [0, 0, 2 / 7, 5 / 7], [0] * 4], rtol=1e-15)
    assert np.isneginf(found).tolist() == (TOTALS == 0).tolist()


def test_without_smoothing_bernoulli_knows_zeros_and_ones():
    found = np.exp(log_probability("bernoulli", np.array([[4, 0, 1], [0, 0, 0]]), np.array([4, 0]), 0.0))
    assert found.tolist() == [[1, 0, 0.25], [0, 0, 0]]


@pytest.mark.parametrize("alpha", [0.0, 1e-3, 0.1, 1.0, 17.3])
def test_the_table_of_logarithms_gives_the_plain_logarithm_bit_for_bit(alpha):
    counts = np.random.default_rng(0).integers(0, 200, (7, 501))
    assert 4 * counts.max() < counts.size  # the table is used
    found = log_smoothed(counts, alpha)
    np.testing.assert_array_equal(found, safe_log(counts + alpha))
    np.testing.assert_array_equal(found, log_smoothed(counts.astype(np.float64), alpha))


def test_few_large_counts_take_no_table():
    assert log_smoothed(np.array([[2**62, 0]]), 1.0).tolist() == [[math.log(2**62 + 1.0), 0.0]]


def test_the_logarithm_of_nothing_is_infinite_without_a_warning():
    assert safe_log([0.0, 1.0]).tolist() == [-np.inf, 0.0]
    assert log_smoothed(np.array([[0.0, 1.0]]), 0.0).tolist() == [[-np.inf, 0.0]]
    assert log_smoothed(np.array([[0, 1]]), np.array([0.0, 0.0])).tolist() == [[-np.inf, 0.0]]


def test_the_mass_holds_one_pseudo_count_per_feature():
    def masses(alpha):
        return np.exp(-family("multinomial").class_part(totals_of(TOTALS), DOCUMENTS, alpha, False).by_class)

    assert log_mass(np.array([1.0, 0.0]), 0.5, 4).tolist() == np.log([3.0, 2.0]).tolist()
    assert log_mass(0, np.array([1.0, 2.0, 3.0, 4.0]), 4) == np.log(10.0)
    np.testing.assert_allclose(masses(0.5), [13.0, 9.0, 2.0], rtol=1e-14)
    np.testing.assert_allclose(masses(np.array([1.0, 2.0, 3.0, 4.0])), [21.0, 17.0, 10.0], rtol=1e-14)


def test_rounding_that_leaves_less_than_no_documents_gives_no_nan():
    rule = family("bernoulli").rule(totals_of([[0.1 + 0.2]]), np.array([0.3]), 0.0)
    assert np.isfinite(rule.coef).all()
    assert rule.log_likelihood(np.array([[1.0]])).tolist() == [[0.0]]


def test_a_whole_number_that_no_float_holds_is_refused():
    with pytest.raises(ValueError, match="alpha must be 0 or more and finite"):
        check_alpha(10**400, None)
