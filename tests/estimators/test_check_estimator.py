"""scikit-learn's own checks of an estimator, passed without an exception list."""

import importlib.util

import pytest
from sklearn.utils.estimator_checks import check_estimator

from textnb import BernoulliNB, ComplementNB, MultinomialNB, TfidfTransformer

# Runs only under SCIPY_ARRAY_API=1; textnb works on numpy arrays and scipy's sparse ones.
NEEDS_ARRAY_API = {"check_array_api_input"}


@pytest.mark.parametrize(
    "estimator",
    [MultinomialNB(), ComplementNB(), ComplementNB(norm=True), BernoulliNB(), TfidfTransformer()],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_every_check_passes(estimator):
    results = check_estimator(estimator, expected_failed_checks={}, on_fail=None)
    names = {status: {r["check_name"] for r in results if r["status"] == status} for status in ("failed", "skipped")}
    assert names == {"failed": set(), "skipped": NEEDS_ARRAY_API}
    assert len(results) > 40


def test_pandas_is_there_so_that_no_check_skips_for_want_of_it():
    assert importlib.util.find_spec("pandas") is not None
