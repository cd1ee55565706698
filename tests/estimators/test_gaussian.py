"""GaussianNB: what it promises beyond scikit-learn, and where it differs from it on purpose."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.naive_bayes as theirs
from scipy.sparse import csc_matrix, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import check_estimator

from textnb import GaussianNB

IRIS, SPECIES = load_iris(return_X_y=True)
rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(),
        GaussianNB(missing="ignore"),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_every_check_of_scikit_learn_passes(estimator):
    results = check_estimator(estimator, expected_failed_checks={}, on_fail=None)
    names = {status: {r["check_name"] for r in results if r["status"] == status} for status in ("failed", "skipped")}
    assert names == {"failed": set(), "skipped": {"check_array_api_input"}}  # which needs SCIPY_ARRAY_API=1
    assert len(results) > 40


def test_results_are_those_of_scikit_learn():
    ours, other = GaussianNB().fit(IRIS, SPECIES), theirs.GaussianNB().fit(IRIS, SPECIES)
    for name in ("theta_", "var_", "epsilon_", "class_prior_", "class_count_", "classes_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(other, name), rtol=1e-10, err_msg=name)
    np.testing.assert_allclose(ours.predict_log_proba(IRIS), other.predict_log_proba(IRIS), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(IRIS), other.predict_joint_log_proba(IRIS), rtol=1e-10, atol=1e-10
    )


def test_batches_equal_one_fit_where_those_of_scikit_learn_drift():
    """Its partial_fit takes the new batch's floor from variances that hold the old one's; here none is kept."""
    X, y = np.array([[0.0], [1.0], [0.0], [300.0]]), [0, 0, 0, 0]
    once = GaussianNB(var_smoothing=0.5).fit(X, y)
    batches = GaussianNB(var_smoothing=0.5).partial_fit(X[:2], y[:2], classes=[0]).partial_fit(X[2:], y[2:])
    np.testing.assert_allclose(batches.var_, once.var_, rtol=1e-12)
    drifting = theirs.GaussianNB(var_smoothing=0.5).partial_fit(X[:2], y[:2], classes=[0]).partial_fit(X[2:], y[2:])
    assert abs(drifting.var_[0, 0] / theirs.GaussianNB(var_smoothing=0.5).fit(X, y).var_[0, 0] - 1) > 0.05


def test_the_floor_counts_weights_as_repetitions():
    """scikit-learn's floor is that of the rows without their weights."""
    X, y, weights = np.array([[0.0], [1.0], [9.0]]), [0, 0, 1], np.array([1, 2, 3])
    weighted = GaussianNB(var_smoothing=0.1).fit(X, y, sample_weight=weights)
    repeated = GaussianNB(var_smoothing=0.1).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.epsilon_ == pytest.approx(repeated.epsilon_, rel=1e-12)
    np.testing.assert_allclose(weighted.var_, repeated.var_, rtol=1e-12)


@pytest.mark.parametrize("container", [csr_array, csr_matrix, csc_matrix])
def test_sparse_input_gives_what_dense_input_gives(container):
    thin = np.where(rng.random(IRIS.shape) < 0.4, IRIS, 0.0)
    dense, sparse = GaussianNB().fit(thin, SPECIES), GaussianNB().fit(container(thin), SPECIES)
    np.testing.assert_allclose(sparse.var_, dense.var_, rtol=1e-10)
    np.testing.assert_allclose(
        sparse.predict_log_proba(container(thin)), dense.predict_log_proba(thin), rtol=1e-8, atol=1e-10
    )


def test_sparse_input_is_never_made_dense_as_a_whole():
    wide = csr_array((np.ones(4_000), (np.arange(4_000), np.arange(4_000))), shape=(4_000, 10_000))
    tracemalloc.start()
    GaussianNB().fit(wide, np.arange(4_000) % 2).predict(wide)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000 * 10_000 * 8 / 20


@pytest.mark.parametrize("priors", [[-0.5, 0.5, 1.0], [0.5, 0.5], [0.2, 0.2, 0.2], [np.nan, 0.5, 0.5]])
def test_priors_that_are_no_distribution_are_refused(priors):
    with pytest.raises(ValueError, match=r"[Pp]riors"):
        GaussianNB(priors=priors).fit(IRIS, SPECIES)


@pytest.mark.parametrize("settings", [{"var_smoothing": -1}, {"ddof": -1}, {"missing": "skip"}, {"ddof": np.nan}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        GaussianNB(**settings).fit(IRIS, SPECIES)


def test_a_failed_fit_leaves_the_old_model():
    model = GaussianNB().fit(IRIS, SPECIES)
    before = model.predict_proba(IRIS)
    with pytest.raises(ValueError, match="NaN"):
        model.fit([[np.nan, 1.0]], [0])
    with pytest.raises(ValueError, match="unknown label 7"):
        model.partial_fit(IRIS[:1], [7])
    np.testing.assert_array_equal(model.predict_proba(IRIS), before)


def test_missing_values_are_refused_unless_they_are_to_be_ignored():
    holes = IRIS.copy()
    holes[::4, 0] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        GaussianNB().fit(holes, SPECIES)
    model = GaussianNB(missing="ignore", var_smoothing=0).fit(holes, SPECIES)
    np.testing.assert_allclose(model.theta_, pd.DataFrame(holes).groupby(SPECIES).mean(), rtol=1e-12)
    np.testing.assert_allclose(model.var_, pd.DataFrame(holes).groupby(SPECIES).var(ddof=0), rtol=1e-12)
    others = GaussianNB(var_smoothing=0).fit(IRIS[:, 1:], SPECIES)
    np.testing.assert_allclose(
        model.log_likelihood(np.column_stack([np.full(150, np.nan), IRIS[:, 1:]])),
        others.log_likelihood(IRIS[:, 1:]),
    )


def test_an_announced_class_that_was_never_seen_has_probability_0():
    model = GaussianNB().partial_fit(IRIS, SPECIES, classes=[0, 1, 2, 3])
    assert np.isfinite(model.theta_).all() and np.isfinite(model.var_).all()
    np.testing.assert_array_equal(model.predict_proba(IRIS)[:, 3], 0.0)


@pytest.mark.filterwarnings("error")
def test_huge_values_are_an_error_and_never_nan():
    model = GaussianNB().fit(IRIS, SPECIES)
    with pytest.raises(ValueError, match="scale X down"):
        model.predict_proba([[1e300, 1e300, 1, 1]])
    for huge in ([[1e200], [-1e200]], [[1e308], [1e308]], csr_array([[1e200], [-1e200]])):
        with pytest.raises(ValueError, match="scale X down"):
            GaussianNB().fit(huge, [0, 0])
    with pytest.raises(ValueError, match="scale X down"):
        model.partial_fit(np.full((1, 4), 1e200), [0])
    assert np.isfinite(model.predict_proba(IRIS)).all()


def test_it_survives_pickling_and_cloning():
    model = GaussianNB(ddof=1).fit(IRIS, SPECIES)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(IRIS), model.predict_proba(IRIS))
    assert clone(model).get_params() == model.get_params()


def test_forgetting_rows_equals_never_having_seen_them():
    model, some = (
        GaussianNB().fit(IRIS, SPECIES),
        GaussianNB().partial_fit(IRIS[::3], SPECIES[::3], classes=[0, 1, 2]),
    )
    kept = np.arange(150) % 3 != 0
    left = clone(model).set_statistics(model.statistics_ - some.statistics_)
    np.testing.assert_allclose(left.var_, GaussianNB().fit(IRIS[kept], SPECIES[kept]).var_, rtol=1e-9)


def test_nothing_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GaussianNB().fit(IRIS, SPECIES).sample(5)
