"""Folds, and what is asked of all models alike."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import textnb
from textnb.selection import kfold_by_subtraction, leave_one_out, leave_one_out_scores
from textnb.selection.subtraction import stratified_folds

X = np.array([[2, 0, 1], [1, 0, 0], [0, 3, 1], [1, 2, 0], [0, 1, 1], [3, 0, 1]])
Y = np.array(["ham", "ham", "spam", "spam", "spam", "ham"])


def test_folds_are_of_one_size_and_share_each_class():
    class_ids = np.random.default_rng(0).integers(0, 4, 203)
    folds = stratified_folds(class_ids, 10)
    assert np.ptp(np.bincount(folds)) <= 1
    for c in range(4):
        assert np.ptp(np.bincount(folds[class_ids == c], minlength=10)) <= 1


def test_a_number_of_folds_makes_the_same_folds_every_time():
    folds = stratified_folds(np.unique(Y, return_inverse=True)[1], 3)
    given = kfold_by_subtraction(textnb.MultinomialNB(), X, Y, folds)
    assert (kfold_by_subtraction(textnb.MultinomialNB(), X, Y, 3) == given).all()


def test_as_many_folds_as_rows_leave_one_out():
    ours = kfold_by_subtraction(textnb.MultinomialNB(), X, Y, len(Y))
    assert (ours == leave_one_out(textnb.MultinomialNB(), X, Y)).all()


def test_a_fitted_estimator_counts_by_its_parameters_and_stays_as_it_is():
    model = textnb.MultinomialNB(alpha=0.5).fit(X[::-1] + 1, Y)
    before = model.feature_log_prob_.copy()
    assert (leave_one_out(model, X, Y) == leave_one_out(textnb.MultinomialNB(alpha=0.5), X.tolist(), Y.tolist())).all()
    assert (model.feature_log_prob_ == before).all()


def test_names_of_groups_do_not_matter():
    groups = np.array(["b", "a", "c", "a", "b", "c"])
    numbered = leave_one_out(textnb.MultinomialNB(), X, Y, [9, 7, 8, 7, 9, 8])
    assert (leave_one_out(textnb.MultinomialNB(), X, Y, groups) == numbered).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: leave_one_out(LogisticRegression(), X, Y),
            "needs a naive Bayes model of textnb, got LogisticRegression",
        ),
        (lambda: leave_one_out(textnb.MultinomialNB(), X, Y, [0, 1]), "one label for each of 6 rows"),
        (
            lambda: kfold_by_subtraction(textnb.MultinomialNB(), X, Y, 1),
            "folds must be from 2 to the number of rows, 6",
        ),
        (lambda: kfold_by_subtraction(textnb.MultinomialNB(), X, Y, [0, 1]), "one fold for each of 6 rows"),
        (lambda: kfold_by_subtraction(textnb.MultinomialNB(), X, Y, 2.5), "folds must be a whole number, .* got 2.5"),
        (lambda: kfold_by_subtraction(textnb.MultinomialNB(), X, Y, None), "folds must be a whole number, .* got None"),
        (lambda: leave_one_out(textnb.MultinomialNB(), X, Y, [1, None, 1, 1, 2, 2]), "groups must be of one kind"),
        (lambda: leave_one_out(textnb.MultinomialNB(), -X, Y), "Negative values"),
        (lambda: next(leave_one_out_scores("gaussian", None, None, [1.0])), "model must be one of .*'gaussian'"),
    ],
    ids=[
        "a strange model",
        "groups too few",
        "one fold",
        "folds too few",
        "a share of folds",
        "no folds",
        "groups of two kinds",
        "negative counts",
        "no count model",
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
