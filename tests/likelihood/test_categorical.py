"""Smoothed category tables and the rule that looks values up in them; drawing from distributions."""

import numpy as np
import pytest

from textnb.likelihood.categorical import categorical_log_probability, categorical_rule, m_estimate
from textnb.likelihood.sampling import draw_flags, draw_positions, draw_words

TABLE = np.array([[3, 0, 1], [0, 0, 0]])


@pytest.mark.parametrize("alpha", [0.1, 1.0, 2.5])
def test_lidstone_and_laplace_smoothing(alpha):
    found = np.exp(categorical_log_probability(TABLE, np.full(3, alpha)))
    np.testing.assert_allclose(found[0], (TABLE[0] + alpha) / (4 + 3 * alpha), rtol=1e-12)
    np.testing.assert_allclose(found[1], 1 / 3, rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_without_smoothing_zeros_are_exact_and_an_empty_class_has_nothing():
    found = categorical_log_probability(TABLE, np.zeros(3))
    np.testing.assert_array_equal(np.isneginf(found), TABLE == 0)
    np.testing.assert_allclose(np.exp(found[0]), [0.75, 0, 0.25], rtol=1e-15)


def test_m_estimate_is_uniform_or_as_given():
    np.testing.assert_allclose(m_estimate(6, None, 3, False, "x"), [2, 2, 2])
    np.testing.assert_allclose(m_estimate(6, [0.5, 0.25, 0.25], 3, False, "x"), [3, 1.5, 1.5])
    np.testing.assert_allclose(m_estimate(6, 1 / 3, 3, False, "x"), [2, 2, 2])


def test_of_an_unknown_category_p_is_what_the_others_leave_over():
    np.testing.assert_allclose(m_estimate(10, [0.5, 0.3], 3, True, "x"), [5, 3, 2])
    np.testing.assert_allclose(m_estimate(10, [0.5, 0.5], 3, True, "x"), [5, 5, 0])


@pytest.mark.parametrize("p", [0.5, [0.5, 0.6, -0.1], [0.1, 0.1, 0.1]])
def test_a_p_that_is_no_distribution_is_refused(p):
    with pytest.raises(ValueError, match="p of column 2 must be 0 or more and add up to 1 over 3 categories"):
        m_estimate(1, p, 3, False, "column 2")


def test_a_p_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="one for each of 3 categories"):
        m_estimate(1, [0.5, 0.5], 3, False, "column 2")


def test_the_rule_looks_up_and_leaves_missing_values_out():
    tables = [np.log([[0.2, 0.8], [0.6, 0.4]]), np.log([[0.1, 0.9], [0.5, 0.5]])]
    scores = categorical_rule(tables).log_likelihood(np.array([[0, 1], [-1, 0], [-1, -1]]))
    np.testing.assert_allclose(np.exp(scores), [[0.2 * 0.9, 0.6 * 0.5], [0.1, 0.5], [1, 1]], rtol=1e-12)


def test_what_has_no_probability_is_never_drawn():
    rng = np.random.RandomState(0)
    assert set(draw_positions(np.log([1e-300, 0.5, 0.5]), 10_000, rng)) == {1, 2}
    with np.errstate(divide="ignore"):
        assert set(draw_positions(np.log([0.0, 0.5, 0.0, 0.5, 0.0]), 10_000, rng)) == {1, 3}


def test_a_class_of_nothing_cannot_be_drawn_from():
    with pytest.raises(ValueError, match="nothing was seen"):
        draw_positions(np.full(3, -np.inf), 1, np.random.RandomState(0))


def test_documents_have_the_lengths_asked_for():
    logs = np.log([[0.5, 0.5], [0.1, 0.9]])
    drawn = draw_words(logs, np.array([0, 1, 0]), np.array([3, 0, 7]), np.random.RandomState(0))
    assert drawn.row_sums().tolist() == [3, 0, 7]


def test_flags_are_drawn_in_blocks_alike(monkeypatch):
    logs = np.log(np.random.default_rng(0).random((2, 5)))
    at_once = draw_flags(logs, np.arange(9) % 2, np.random.RandomState(0))
    monkeypatch.setattr("textnb.likelihood.sampling._BLOCK", 10)
    in_blocks = draw_flags(logs, np.arange(9) % 2, np.random.RandomState(0))
    np.testing.assert_array_equal(at_once.indptr, in_blocks.indptr)
    np.testing.assert_array_equal(at_once.indices, in_blocks.indices)


def test_contributions_add_up_and_a_missing_value_adds_nothing():
    tables = [np.log([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]), np.log([[0.9, 0.1], [0.3, 0.7]])]
    rule = categorical_rule(tables)
    for codes in np.array([[0, 1], [2, 0], [-1, 1], [-1, -1]]):
        added, constant = rule.contributions(codes)
        np.testing.assert_allclose(added.sum(axis=0) + constant, rule.log_likelihood(codes[np.newaxis])[0], rtol=1e-14)
        assert not added[codes == -1].any()
    np.testing.assert_allclose(rule.contributions(np.array([0, 1]))[0], np.log([[0.5, 0.1], [0.1, 0.7]]))
