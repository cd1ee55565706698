"""From joint log-likelihoods to posteriors and labels, at the edges of floating point too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from textnb.decision import log_posterior, most_probable, resolve_impossible

pytestmark = pytest.mark.filterwarnings("error")

scores = st.floats(-1e308, 1e308) | st.floats(-100, 0) | st.just(-np.inf)
joints = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=scores)


def uniform(joint):
    return np.full(joint.shape[1], -np.log(joint.shape[1]))


@given(joints)
def test_posteriors_sum_to_one_whatever_the_scores(joint):
    posterior = np.exp(log_posterior(joint, uniform(joint)))
    assert not np.isnan(posterior).any()
    np.testing.assert_allclose(posterior.sum(axis=1), 1, rtol=1e-14)


@given(joints)
def test_the_most_probable_class_has_the_largest_posterior(joint):
    found = log_posterior(joint, uniform(joint))
    chosen = most_probable(joint, uniform(joint))
    np.testing.assert_array_equal(found[np.arange(len(found)), chosen], found.max(axis=1))


def test_bayes_rule():
    joint = np.log([[0.1, 0.3], [0.02, 0.06]])
    np.testing.assert_allclose(np.exp(log_posterior(joint, np.log([0.5, 0.5]))), [[0.25, 0.75]] * 2, rtol=1e-14)


def test_a_posterior_does_not_change_when_all_classes_lose_the_same():
    far = np.array([[-1e6, -1e6 - 1, -1e6 - 2]])
    near = np.array([[0.0, -1.0, -2.0]])
    np.testing.assert_array_equal(log_posterior(far, np.zeros(3)), log_posterior(near, np.zeros(3)))


def test_where_no_class_is_possible_the_posterior_is_the_prior():
    joint = np.array([[-np.inf, -np.inf], [-np.inf, -5.0]])
    prior = np.log([0.8, 0.2])
    np.testing.assert_allclose(np.exp(log_posterior(joint, prior)), [[0.8, 0.2], [0, 1]], rtol=1e-15)
    assert most_probable(joint, prior).tolist() == [0, 1]


def test_a_prior_with_zeros_that_sums_to_something_else_is_normalised():
    prior = np.array([-np.inf, np.log(2.0), np.log(6.0)])
    posterior = np.exp(log_posterior(np.full((1, 3), -np.inf), prior))
    np.testing.assert_allclose(posterior, [[0, 0.25, 0.75]], rtol=1e-15)
    assert most_probable(np.full((1, 3), -np.inf), prior).tolist() == [2]


def test_of_equals_the_first_is_chosen():
    assert most_probable(np.zeros((1, 3)), uniform(np.zeros((1, 3)))).tolist() == [0]


@pytest.mark.parametrize("value", [1e308, -1e308])
def test_differences_beyond_floating_point_decide_for_certain(value):
    joint = np.array([[value, -value]])
    expected = [[1.0, 0.0]] if value > 0 else [[0.0, 1.0]]
    assert np.exp(log_posterior(joint, uniform(joint))).tolist() == expected


def test_possible_rows_are_passed_on_as_they_are():
    joint = np.array([[0.0, -np.inf]])
    assert resolve_impossible(joint, np.zeros(2)) is joint
