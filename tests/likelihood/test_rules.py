"""The linear rule on sparse, dense and plain rows, with features that a class never or always has."""

import numpy as np
import pytest
import scipy.sparse

from textnb.likelihood.multinomial import language_model
from textnb.likelihood.rules import LinearRule, finite_rule
from textnb.text.sklearn_compat import from_csr

pytestmark = pytest.mark.filterwarnings("error")

packed = pytest.mark.parametrize(
    "pack",
    [np.asarray, scipy.sparse.csr_array, scipy.sparse.csr_matrix, lambda X: from_csr(scipy.sparse.csr_array(X))],
    ids=["dense", "csr_array", "csr_matrix", "SparseRows"],
)
NEVER, ALWAYS = -np.inf, np.inf


@packed
def test_scores_are_weights_times_values_plus_intercept(pack):
    rule = LinearRule(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0.5, -0.5]))
    assert rule.log_likelihood(pack([[1, 0, 2], [0, 0, 0], [0, 3, 0]])).tolist() == [
        [11.5, 13.5],
        [0.5, -0.5],
        [9.5, 11.5],
    ]
    assert rule.coef.tolist() == [[1, 3, 5], [2, 4, 6]]


@packed
def test_a_class_that_never_has_a_feature_cannot_have_produced_it(pack):
    rule = finite_rule(np.array([[NEVER, 1.0], [2.0, 3.0]]), np.zeros(2))
    assert rule.log_likelihood(pack([[0, 1], [4, 1], [0, 0]])).tolist() == [[2, 3], [-np.inf, 7], [0, 0]]


@packed
def test_a_class_that_always_has_a_feature_cannot_do_without(pack):
    rule = finite_rule(np.array([[ALWAYS, 1.0], [ALWAYS, 3.0]]), np.zeros(2))
    scores = rule.log_likelihood(pack([[1, 1], [1, 0], [0, 1], [0, 0]]))
    assert scores.tolist() == [[0, 4], [-np.inf, 1], [-np.inf, 3], [-np.inf, 0]]


@packed
def test_one_feature_too_many_is_not_made_up_for_by_another_that_must_be_there(pack):
    rule = finite_rule(np.array([[NEVER], [ALWAYS]]), np.zeros(1))
    assert rule.log_likelihood(pack([[0, 1], [1, 1], [1, 0], [0, 0]])).tolist() == [[0], *[[-np.inf]] * 3]


def test_a_zero_that_is_stored_is_still_a_zero():
    stored = scipy.sparse.csr_array((np.array([0.0, 1.0]), [0, 1], [0, 2]), shape=(1, 2))
    rule = finite_rule(np.array([[NEVER], [1.0]]), np.zeros(1))
    for X in (stored, from_csr(stored)):
        assert rule.log_likelihood(X).tolist() == [[1]]


def test_a_rule_of_finite_weights_knows_nothing_impossible():
    assert finite_rule(np.ones((2, 2)), np.zeros(2)).impossible is None


@packed
def test_extreme_weights_and_values_score_without_a_warning(pack):
    rule = LinearRule(np.array([[-1e308, 1e-308], [1.0, 1.0]]), np.array([0.0, -1e308]))
    assert rule.log_likelihood(pack([[1.0, 0.0], [0.0, 1e308]])).tolist() == [[-1e308, -1e308], [1e308, 0]]


@packed
def test_scores_beyond_floating_point_are_refused(pack):
    rule = LinearRule(np.array([[-2.0, 2.0], [1.0, 1.0]]), np.zeros(2))
    with pytest.raises(ValueError, match="scores are beyond floating point; scale X down"):
        rule.log_likelihood(pack([[1e308, 0.0]]))


@packed
def test_a_word_of_probability_zero_makes_a_string_impossible(pack):
    model = language_model([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    scores = model.log_likelihood(pack([[1, 1, 0], [1, 0, 1]]))
    np.testing.assert_allclose(np.exp(scores), [[0.25, 0.06], [0, 0.1]], rtol=1e-14)


@pytest.mark.parametrize("probabilities", [[[0.5, 1.5]], [[-0.1, 1.1]], [[np.nan, 1]]])
def test_word_probabilities_lie_between_zero_and_one(probabilities):
    with pytest.raises(ValueError, match="word probabilities must lie between 0 and 1"):
        language_model(probabilities)
