"""scikit-learn's tests of discriminant analysis, passed by textnb's."""

import numpy as np
import pytest
import sklearn.discriminant_analysis as theirs
from parity.swap import collected, swapped_module
from sklearn.covariance import empirical_covariance, ledoit_wolf, shrunk_covariance
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import textnb
from textnb.statistics.covariance import covariance

REPLACEMENTS = {name: getattr(textnb, name) for name in ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis")}
# Tests of scikit-learn's private functions.
EXCEPTIONS = {"test_covariance": "calls _cov"}

module = swapped_module("sklearn.tests.test_discriminant_analysis", theirs.__name__, REPLACEMENTS)
globals().update(collected(module, EXCEPTIONS))


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_every_class_was_swapped(name):
    assert getattr(module, name) is REPLACEMENTS[name]
    assert getattr(module, name).__module__.startswith("textnb.")


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_no_class_inherits_from_its_namesake(name):
    assert not any(base.__module__ == theirs.__name__ for base in REPLACEMENTS[name].__mro__)


DATA = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer, "digits": load_digits}
LINEAR = [
    {"solver": "svd", "store_covariance": True},
    {"solver": "lsqr"},
    {"solver": "eigen", "shrinkage": "auto"},
    {"solver": "lsqr", "shrinkage": "auto"},
    {"solver": "eigen", "shrinkage": 0.3},
]


def equal(found, expected):
    """Equal to 1e-10 of the largest entry."""
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


@pytest.mark.filterwarnings("ignore:The within-class covariance is singular")
@pytest.mark.parametrize("priors", [False, True], ids=["learned", "given"])
@pytest.mark.parametrize("settings", LINEAR, ids=lambda settings: "-".join(map(str, settings.values())))
@pytest.mark.parametrize("data", DATA)
def test_linear_results_are_the_same(data, settings, priors):
    X, y = DATA[data](return_X_y=True)
    weights = np.arange(1.0, len(set(y)) + 1)
    settings = {**settings, "priors": weights / weights.sum() if priors else None}
    ours = textnb.LinearDiscriminantAnalysis(**settings).fit(X, y)
    other = theirs.LinearDiscriminantAnalysis(**settings).fit(X, y)
    for name in ("coef_", "intercept_", "means_", "priors_", "covariance_"):
        equal(getattr(ours, name), getattr(other, name))
    equal(ours.decision_function(X), other.decision_function(X))
    equal(ours.predict_proba(X), other.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))
    if settings["solver"] != "lsqr":
        equal(ours.explained_variance_ratio_, other.explained_variance_ratio_)
        equal(np.abs(ours.transform(X)), np.abs(other.transform(X)))


@pytest.mark.parametrize(
    "settings", [{}, {"reg_param": 0.2}, {"solver": "eigen", "shrinkage": 0.1}], ids=lambda settings: str(settings)
)
@pytest.mark.parametrize("data", ["iris", "wine", "cancer"])
def test_quadratic_results_are_the_same(data, settings):
    X, y = DATA[data](return_X_y=True)
    settings = {"store_covariance": True, "tol": 1e-12, **settings}
    ours = textnb.QuadraticDiscriminantAnalysis(**settings).fit(X, y)
    other = theirs.QuadraticDiscriminantAnalysis(**settings).fit(X, y)
    for name in ("means_", "priors_", "covariance_", "scalings_"):
        equal(np.array(getattr(ours, name)), np.array(getattr(other, name)))
    equal(ours.decision_function(X), other.decision_function(X))
    equal(ours.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize("condition", [1e1, 1e3, 1e5])
def test_results_are_the_same_of_features_that_almost_repeat_each_other(condition):
    random = np.random.default_rng(0)
    y = random.integers(3, size=500)
    X = random.standard_normal((500, 6)) + y[:, np.newaxis] * np.arange(6)
    X[:, 5] = X[:, 4] + X[:, 5] / condition
    ours = textnb.LinearDiscriminantAnalysis(tol=1e-8).fit(X, y)
    other = theirs.LinearDiscriminantAnalysis(tol=1e-8).fit(X, y)
    equal(ours.coef_, other.coef_)
    equal(ours.predict_proba(X), other.predict_proba(X))


def test_more_features_than_rows_are_no_matter_and_are_warned_of():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((30, 200)), np.arange(30) % 3
    with pytest.warns(UserWarning, match="its rank is 27, of 200 features"):
        ours = textnb.LinearDiscriminantAnalysis().fit(X, y)
    equal(ours.decision_function(X), theirs.LinearDiscriminantAnalysis().fit(X, y).decision_function(X))


@pytest.mark.parametrize("shrinkage", [None, "auto", 0.2])
def test_covariances_are_those_of_its_public_functions(shrinkage):
    """In place of its test of the private _cov."""
    X = load_wine().data
    _, ours = covariance(X, shrinkage)
    expected = {
        None: lambda: empirical_covariance(X),
        "auto": lambda: _rescaled_ledoit_wolf(X),
        0.2: lambda: shrunk_covariance(empirical_covariance(X), 0.2),
    }[shrinkage]()
    np.testing.assert_array_equal(ours, ours.T)
    equal(ours, expected)


def _rescaled_ledoit_wolf(X):
    scale = X.std(axis=0)
    return ledoit_wolf((X - X.mean(axis=0)) / scale)[0] * np.outer(scale, scale)
