"""NBSVM as a scikit-learn estimator."""

import numpy as np
import pytest
from estimators.test_check_estimator import NEEDS_ARRAY_API
from scipy.sparse import csr_array, random_array
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from textnb import NBSVM
from textnb.likelihood.nb_weighted import log_count_ratio


def documents(n=300, n_columns=120, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = random_array((n, n_columns), density=0.1, rng=rng, format="csr")
    y = np.array(["ham", "spam", "news"])[(X @ rng.normal(size=(n_columns, n_classes))).argmax(axis=1)]
    return X, y


@pytest.mark.parametrize("estimator", [NBSVM(), NBSVM(loss="log", beta=1.0)], ids=repr)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_every_check_passes(estimator):
    results = check_estimator(estimator, expected_failed_checks={}, on_fail=None)
    names = {status: {r["check_name"] for r in results if r["status"] == status} for status in ("failed", "skipped")}
    assert names == {"failed": set(), "skipped": NEEDS_ARRAY_API}


def test_there_is_no_partial_fit():
    assert not hasattr(NBSVM(), "partial_fit")


@pytest.mark.parametrize(("n_classes", "n_problems"), [(2, 1), (3, 3)])
def test_coefficients_have_the_shapes_of_scikit_learn_and_give_the_scores(n_classes, n_problems):
    X, y = documents(n_classes=n_classes)
    model = NBSVM().fit(X, y)
    assert model.coef_.shape == (n_problems, X.shape[1])
    assert model.intercept_.shape == (n_problems,)
    scores = X @ model.coef_.T + model.intercept_
    assert np.allclose(model.decision_function(X), scores[:, 0] if n_problems == 1 else scores, rtol=1e-10, atol=1e-12)
    assert model.classes_.tolist() == sorted(set(y))


@pytest.mark.parametrize("class_weight", [None, "balanced", {"ham": 5.0, "spam": 0.3, "news": 1.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_with_beta_one_it_is_liblinear_on_scaled_features(n_classes, class_weight):
    X, y = documents(n_classes=n_classes)
    if isinstance(class_weight, dict):
        class_weight = {label: class_weight[label] for label in np.unique(y)}
    model = NBSVM(C=0.5, beta=1.0, tol=1e-10, class_weight=class_weight).fit(X, y)
    for place, label in enumerate(np.unique(y)[1 if n_classes == 2 else 0 :]):
        own, present = y == label, (X != 0).toarray()
        ratios = log_count_ratio(present[own].sum(axis=0), present[~own].sum(axis=0), 1.0)
        theirs = LinearSVC(C=0.5, tol=1e-10, max_iter=100_000)
        if class_weight == "balanced":
            sizes = dict(zip(*np.unique(y, return_counts=True), strict=True))
            weights = {name: len(y) / (len(sizes) * size) for name, size in sizes.items()}
        else:
            weights = class_weight or dict.fromkeys(np.unique(y), 1.0)
        others = {True: weights[label], False: 1.0 if n_classes == 3 else weights[np.unique(y)[0]]}
        theirs.class_weight = others
        scaled = csr_array(X * ratios)
        theirs.fit(scaled, own)
        expected = scaled @ theirs.coef_[0] + theirs.intercept_
        mine = X @ model.coef_[place] + model.intercept_[place]
        assert np.allclose(mine, expected, atol=2e-3 * np.abs(expected).max())


def test_with_beta_zero_it_weighs_as_naive_bayes():
    X, y = documents(n_classes=2)
    coef = NBSVM(beta=0.0).fit(X, y).coef_[0]
    own, present = y == np.unique(y)[1], (X != 0).toarray()
    ratios = log_count_ratio(present[own].sum(axis=0), present[~own].sum(axis=0), 1.0)
    assert np.allclose(coef / coef[0], ratios / ratios[0], rtol=1e-9)


def test_probabilities_are_those_of_logistic_regression():
    X, y = documents(n_classes=2)
    model = NBSVM(loss="log").fit(X, y)
    assert np.allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-model.decision_function(X))), rtol=1e-10)


def test_zeros_that_are_stored_are_no_features_of_a_row():
    X, y = documents()
    with_zeros = X.copy()
    with_zeros.data[::7] = 0.0
    without = with_zeros.copy()
    without.eliminate_zeros()
    assert np.array_equal(NBSVM().fit(with_zeros, y).coef_, NBSVM().fit(without, y).coef_)
    assert (with_zeros.data == 0).any()  # which are the user's


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be a number above 0, and at most 1e10, got 0"),
        ({"beta": 1.5}, "beta must be a number from 0 to 1, got 1.5"),
        ({"loss": "hinge"}, "loss must be one of squared_hinge, log, got 'hinge'"),
        ({"alpha": 0.0}, "alpha must be above 0"),
        ({"tol": 0}, "tol must be a number between 0 and 1, got 0"),
        ({"n_jobs": 0}, "n_jobs must be a number of threads"),
    ],
)
def test_parameters_that_cannot_be_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        NBSVM(**parameters).fit(*documents())


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    X, y = documents()
    model = NBSVM().fit(X, y)
    before = model.coef_
    with pytest.raises(ValueError, match="at least 2 classes"):
        model.fit(X, np.full(len(y), "ham"))
    assert np.array_equal(model.coef_, before)
