"""Class priors: learned, uniform or given."""

import numpy as np
import pytest

from textnb.likelihood.prior import class_log_prior

pytestmark = pytest.mark.filterwarnings("error")


def test_learned_priors_are_shares_of_documents():
    np.testing.assert_allclose(np.exp(class_log_prior(np.array([1, 3, 0]))), [0.25, 0.75, 0], rtol=1e-15)


def test_uniform_priors_are_equal():
    np.testing.assert_allclose(np.exp(class_log_prior(np.array([1, 3, 0]), learned=False)), [1 / 3] * 3, rtol=1e-15)


def test_before_anything_is_seen_priors_are_uniform():
    np.testing.assert_allclose(np.exp(class_log_prior(np.array([0, 0]))), [0.5, 0.5], rtol=1e-15)


def test_given_priors_are_taken_as_they_are():
    assert class_log_prior(np.array([1, 3]), given=[0.0, 1.0]).tolist() == [-np.inf, 0.0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0.5], "Number of priors must match number of classes. Got 1 for 2."),
        ([0.2, 0.3, 0.5], "Number of priors must match number of classes. Got 3 for 2."),
        ([-1, 2], "Priors must be non-negative, got [-1.0, 2.0]."),
        ([np.nan, 1], "Priors must be non-negative, got [nan, 1.0]."),
        ([0, 0], "Priors must be finite and not all zero, got [0.0, 0.0]."),
        ([np.inf, 1], "Priors must be finite and not all zero, got [inf, 1.0]."),
    ],
)
def test_what_is_no_prior_is_refused(given, message):
    with pytest.raises(ValueError) as error:
        class_log_prior(np.array([1, 3]), given=given)
    assert str(error.value) == message
