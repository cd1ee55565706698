"""Leaving rows of a table out is fitting scikit-learn's model without them; of a mixed model, our own."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.naive_bayes
from hypothesis import given, settings
from hypothesis import strategies as st
from selection.refitting import assert_same, refitted
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.pipeline import make_pipeline

import textnb
from textnb.likelihood import gaussian
from textnb.selection import kfold_by_subtraction, leave_one_out


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("n_groups", [None, 40, 5])
def test_gaussian_rows_score_as_in_scikit_learn_fitted_without_them(load, n_groups):
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(0)
    groups = None if n_groups is None else rng.integers(0, n_groups, len(y))
    rows = rng.choice(len(y), 40, replace=False)
    theirs = refitted(sklearn.naive_bayes.GaussianNB(), X, y, groups, rows)
    assert_same(leave_one_out(textnb.GaussianNB(), X, y, groups)[rows], theirs)


@st.composite
def tables(draw, missing=False):
    n, width = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    number = st.sampled_from([-3.0, -0.25, 0.0, 0.0, 1.0, 1.5, 40.0])
    row = st.lists(number | st.just(np.nan) if missing else number, min_size=width, max_size=width)
    X = np.array(draw(st.lists(row, min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    groups = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n) | st.permutations(range(n)))
    return X, y, groups


@given(tables(), st.sampled_from([1e-9, 0.1]))
@settings(max_examples=100)
def test_small_classes_and_constant_columns_are_measured_anew(data, var_smoothing):
    X, y, groups = data
    ours = leave_one_out(textnb.GaussianNB(var_smoothing=var_smoothing), X, y, groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = refitted(sklearn.naive_bayes.GaussianNB(var_smoothing=var_smoothing), X, y, groups)
    varied = ~np.isnan(theirs).any(axis=1) & ~np.isposinf(theirs).any(axis=1)  # scikit-learn divides by a variance of 0
    assert_same(ours[varied], theirs[varied], largest_term=1e-3)


@given(tables(missing=True), st.sampled_from([0.0, 1e-9, 0.1]))
@settings(max_examples=100)
def test_missing_values_and_no_floor_are_as_in_our_own_model(data, var_smoothing):
    X, y, groups = data
    model = textnb.GaussianNB(var_smoothing=var_smoothing, missing="ignore")
    assert_same(leave_one_out(model, X, y, groups), refitted(model, X, y, groups), largest_term=1e-3)


def test_a_value_that_dwarfs_the_others_leaves_them_their_digits():
    X, y = np.array([[1.0], [2.0], [4.0], [3e9], [5.0], [7.5]]), np.array([0, 0, 0, 0, 1, 1])
    assert_same(leave_one_out(textnb.GaussianNB(), X, y), refitted(sklearn.naive_bayes.GaussianNB(), X, y))


def test_the_variance_floor_is_that_of_the_rows_left():
    X, y = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 1e6], [0.0, 3.0], [0.0, 5.0]]), np.array([0, 0, 0, 1, 1])
    model = textnb.GaussianNB(var_smoothing=0.5)
    assert_same(leave_one_out(model, X, y), refitted(sklearn.naive_bayes.GaussianNB(var_smoothing=0.5), X, y))


def test_blocks_of_rows_make_no_difference(monkeypatch):
    X, y = load_iris(return_X_y=True)
    groups = np.arange(len(y)) % 37
    at_once = leave_one_out(textnb.GaussianNB(), X, y, groups)
    monkeypatch.setattr(gaussian, "_BLOCK", 8)
    assert_same(leave_one_out(textnb.GaussianNB(), X, y, groups), at_once)


def test_sparse_rows_score_as_dense_ones():
    X, y = load_digits(return_X_y=True)
    X, y = X[:200], y[:200]
    assert_same(
        leave_one_out(textnb.GaussianNB(), scipy.sparse.csr_array(X), y), leave_one_out(textnb.GaussianNB(), X, y)
    )


def test_unbiased_variances_need_two_values_to_be_left():
    X, y = np.array([[1.0], [2.0], [4.0], [5.0], [7.5], [8.0]]), np.array([0, 0, 0, 1, 1, 1])
    model = textnb.GaussianNB(ddof=1, priors=[0.3, 0.7])
    assert_same(leave_one_out(model, X, y), refitted(model, X, y))
    with pytest.raises(ValueError, match="leaves column 0 only 1 values in class 0: a variance with ddof=1 needs more"):
        leave_one_out(model, X[1:], y[1:])


@st.composite
def codes(draw):
    n, width = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    row = st.lists(st.integers(0, 3), min_size=width, max_size=width)
    X = np.array(draw(st.lists(row, min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    groups = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n) | st.permutations(range(n)))
    return X, y, groups


@given(codes(), st.floats(1e-3, 10), st.booleans())
@settings(max_examples=100)
def test_categories_score_as_in_scikit_learn_fitted_without_them(data, alpha, fit_prior):
    X, y, groups = data
    parameters = {"alpha": alpha, "fit_prior": fit_prior, "min_categories": 4}
    theirs = refitted(sklearn.naive_bayes.CategoricalNB(**parameters), X, y, groups)
    assert_same(leave_one_out(textnb.CategoricalNB(**parameters), X, y, groups), theirs, largest_term=1e-6)


@pytest.mark.parametrize(
    "parameters", [{"alpha": 0}, {"m": 2.0, "p": [[0.5, 0.3, 0.2], None]}, {"unknown": "smooth"}], ids=str
)
def test_categories_by_name_with_missing_ones_are_as_in_our_own_model(parameters):
    X = np.array([["a", "x"], ["b", None], ["a", "y"], [None, "x"], ["b", "x"], ["c", "y"]], dtype=object)
    y = np.array([0, 0, 0, 1, 1, 1])
    model = textnb.CategoricalNB(categories=[["a", "b", "c"], ["x", "y"]], missing="ignore", **parameters)
    for groups in (None, [0, 0, 1, 1, 2, 2]):
        assert_same(leave_one_out(model, X, y, groups), refitted(model, X, y, groups))


def test_categories_of_a_real_table_score_as_in_scikit_learn():
    X, y = load_digits(return_X_y=True)
    X = X.astype(int)
    rows = np.arange(0, len(y), 100)
    folds = np.arange(len(y)) % 5
    ours, theirs = textnb.CategoricalNB(min_categories=17), sklearn.naive_bayes.CategoricalNB(min_categories=17)
    assert_same(leave_one_out(ours, X, y)[rows], refitted(theirs, X, y, rows=rows))
    assert_same(kfold_by_subtraction(ours, X, y, folds)[rows], refitted(theirs, X, y, folds, rows))


def mixed_table(n=40):
    rng = np.random.default_rng(0)
    words = ["cheap", "pills", "meeting", "agenda", "lunch"]
    X = np.empty((n, 5), dtype=object)
    X[:, 0] = [" ".join(rng.choice(words, 4)) for _ in range(n)]
    X[:, 1] = rng.choice(["red", "green"], n)
    X[:, 2] = rng.normal(size=n)
    X[:, 3] = rng.integers(0, 2, n)
    X[:, 4] = rng.poisson(3, n)
    X[rng.random(X.shape) < 0.15] = None
    return X, rng.integers(0, 3, n), make_pipeline(textnb.CountVectorizer(vocabulary=words), textnb.MultinomialNB())


@pytest.mark.parametrize("priors", [None, [0.5, 0.3, 0.2]])
def test_mixed_rows_score_as_in_our_own_model_fitted_without_them(priors):
    X, y, text = mixed_table()
    parts = [
        ("text", text, 0),
        ("colour", textnb.CategoricalNB(categories=[["green", "red"]]), 1),
        ("size", textnb.GaussianNB(), 2),
        ("flags", textnb.BernoulliNB(), [3]),
        ("counts", textnb.MultinomialNB(), [4]),
    ]
    model = textnb.MixedNB(parts, priors=priors, weights={"text": 0.5, "counts": 0})
    for groups in (None, np.arange(len(y)) % 9):
        assert_same(leave_one_out(model, X, y, groups), refitted(model, X, y, groups))


def test_a_class_that_a_part_no_longer_sees_is_only_impossible_if_it_has_no_rows():
    X = np.array([["a", 1.0], ["b", 2.0], [None, 3.0], ["a", 5.0], ["b", None]], dtype=object)
    y = np.array([0, 0, 1, 1, 2])
    parts = [("name", textnb.CategoricalNB(categories=[["a", "b"]]), 0), ("number", textnb.GaussianNB(), 1)]
    model = textnb.MixedNB(parts)
    scores = leave_one_out(model, X, y)
    assert_same(scores, refitted(model, X, y))
    assert np.isneginf(scores).sum() == 1
