"""CategoricalNB: what it promises beyond scikit-learn, and where it differs from it on purpose."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.naive_bayes as theirs
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from textnb import CategoricalNB

COLOURS = pd.DataFrame({"colour": ["red", "red", "blue", "blue", "green"], "size": [0, 1, 1, 1, 0]})
LABELS = ["a", "a", "b", "b", "b"]
rng = np.random.default_rng(0)
CODES = rng.integers(4, size=(60, 5))
CODE_LABELS = rng.integers(3, size=60)


@pytest.mark.parametrize(
    "estimator",
    [
        CategoricalNB(),
        CategoricalNB(m=2, unknown="smooth", missing="ignore"),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_every_check_of_scikit_learn_passes(estimator):
    results = check_estimator(estimator, expected_failed_checks={}, on_fail=None)
    names = {status: {r["check_name"] for r in results if r["status"] == status} for status in ("failed", "skipped")}
    assert names == {"failed": set(), "skipped": {"check_array_api_input"}}  # which needs SCIPY_ARRAY_API=1
    assert len(results) > 40


@pytest.mark.parametrize("settings", [{}, {"alpha": 0.3}, {"min_categories": 6}, {"fit_prior": False}])
def test_codes_give_what_scikit_learn_gives(settings):
    ours = CategoricalNB(**settings).fit(CODES, CODE_LABELS)
    other = theirs.CategoricalNB(**settings).fit(CODES, CODE_LABELS)
    for name in ("class_count_", "class_log_prior_", "n_categories_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(other, name), rtol=1e-12)
    for name in ("category_count_", "feature_log_prob_"):
        for a, b in zip(getattr(ours, name), getattr(other, name), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    np.testing.assert_allclose(ours.predict_log_proba(CODES), other.predict_log_proba(CODES), rtol=1e-10)


def test_the_number_of_categories_is_that_of_all_batches():
    """scikit-learn's is that of the last batch, although its tables have more."""
    ours, other = CategoricalNB(), theirs.CategoricalNB()
    for model in (ours, other):
        model.partial_fit([[3]], [0], classes=[0]).partial_fit([[1]], [0])
    assert ours.n_categories_.tolist() == [4]
    assert other.n_categories_.tolist() == [2] and other.category_count_[0].shape == (1, 4)


@pytest.mark.parametrize("form", [COLOURS, COLOURS.to_numpy(), COLOURS.astype({"colour": "category"})])
def test_strings_beside_codes(form):
    model = CategoricalNB().fit(form, LABELS)
    assert [c.tolist() for c in model.categories_] == [["blue", "green", "red"], [0, 1]]
    np.testing.assert_array_equal(model.category_count_[0], [[0, 0, 2], [2, 1, 0]])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0][0]), [1 / 5, 1 / 5, 3 / 5])
    assert model.predict(form).tolist() == ["a", "a", "b", "b", "b"]


def test_strings_give_what_their_codes_give():
    words = np.array(["ant", "bee", "cat", "dog"])[CODES]
    by_name, by_code = CategoricalNB().fit(words, CODE_LABELS), CategoricalNB().fit(CODES, CODE_LABELS)
    np.testing.assert_array_equal(by_name.predict_proba(words), by_code.predict_proba(CODES))


@pytest.mark.parametrize(
    ("fitted", "asked", "named"),
    [
        ([[0], [1]], [[2]], "column 0 has the category 2"),
        ([["a"], ["b"]], [["c"]], "column 0 has the category 'c'"),
    ],
)
def test_an_unseen_category_is_a_clear_error(fitted, asked, named):
    """scikit-learn's raises an IndexError."""
    with pytest.raises(ValueError, match=f"{named}, which was not seen in fitting.*unknown='smooth'"):
        CategoricalNB().fit(fitted, [0, 1]).predict(asked)
    with pytest.raises(IndexError):
        theirs.CategoricalNB().fit([[0], [1]], [0, 1]).predict([[2]])


@pytest.mark.parametrize(("fitted", "strange"), [([[0], [1], [1]], 9), ([["a"], ["b"], ["b"]], "c")])
def test_an_unseen_category_can_have_its_smoothed_share(fitted, strange):
    model = CategoricalNB(unknown="smooth", alpha=0.5).fit(fitted, [0, 1, 1])
    np.testing.assert_allclose(np.exp(model.log_likelihood([[strange]])), [[0.5 / 2.5, 0.5 / 3.5]])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0]).sum(axis=1), 1.0)
    assert model.n_categories_.tolist() == [2]


def test_announced_categories_have_their_share_before_they_are_seen():
    model = CategoricalNB(categories=[["blue", "green", "pink", "red"], None]).fit(COLOURS, LABELS)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0][0]), [1 / 6, 1 / 6, 1 / 6, 3 / 6])
    assert model.predict(pd.DataFrame({"colour": ["pink"], "size": [1]})).tolist() == ["b"]
    with pytest.raises(ValueError, match="column 'colour' has the category 'green', which was not announced"):
        CategoricalNB(categories=[["blue", "red"], None]).fit(COLOURS, LABELS)
    with pytest.raises(ValueError, match="categories has 1 lists for 2 columns"):
        CategoricalNB(categories=[["blue", "red"]]).fit(COLOURS, LABELS)


def test_numbers_can_be_announced_as_categories():
    model = CategoricalNB(categories=[[1980, 1990, 2000]]).fit([[1990], [1980], [1990]], [0, 1, 0])
    assert model.n_categories_.tolist() == [3]
    np.testing.assert_allclose(np.exp(model.log_likelihood([[2000]])), [[1 / 5, 1 / 4]])


def test_new_categories_may_come_in_later_batches():
    batches = CategoricalNB().partial_fit([["a"]], [0], classes=[0, 1]).partial_fit([["c"], ["b"]], [1, 0])
    once = CategoricalNB().fit([["a"], ["c"], ["b"]], [0, 1, 0])
    np.testing.assert_array_equal(
        batches.predict_proba([["a"], ["b"], ["c"]]), once.predict_proba([["a"], ["b"], ["c"]])
    )


@pytest.mark.filterwarnings("error")
def test_alpha_0_gives_exact_zeros_and_no_nan():
    model = CategoricalNB(alpha=0).fit([["a", "x"], ["b", "y"]], [0, 1])
    np.testing.assert_array_equal(model.predict_proba([["a", "x"], ["a", "y"]]), [[1, 0], [0.5, 0.5]])


def test_alpha_may_differ_by_column():
    model = CategoricalNB(alpha=[0.5, 2.0]).fit(COLOURS, LABELS)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[1][0]), [(1 + 2) / (2 + 4)] * 2)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0][0, 2]), (2 + 0.5) / (2 + 1.5))


def test_m_estimates():
    model = CategoricalNB(m=3, p=[[0.5, 0.25, 0.25], None]).fit(COLOURS, LABELS)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0][0]), [1.5 / 5, 0.75 / 5, 2.75 / 5])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[1][0]), [2.5 / 5, 2.5 / 5])
    for settings, message in [({"p": 0.5}, "pass m as well"), ({"m": -1}, "m must be 0 or more")]:
        with pytest.raises(ValueError, match=message):
            CategoricalNB(**settings).fit(COLOURS, LABELS)


def test_negative_priors_are_refused():
    with pytest.raises(ValueError, match="non-negative"):
        CategoricalNB(class_prior=[-0.5, 1.5]).fit(COLOURS, LABELS)


def test_codes_that_are_really_names_are_refused_before_they_fill_the_memory():
    for huge in ([[10**12], [0]], [[1e300], [0]], np.array([[2**64 - 1], [0]], dtype=np.uint64)):
        with pytest.raises(ValueError, match="column 0 has codes of 16777216 and more"):
            CategoricalNB().fit(huge, [0, 1])


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused(value):
    with pytest.raises(ValueError, match="infinity"):
        CategoricalNB().fit(np.array([[value], ["a"]], dtype=object)[:1], [0])


def test_missing_values_are_refused_unless_they_are_to_be_ignored():
    holes = COLOURS.astype({"size": float})
    holes.loc[1, "colour"], holes.loc[2, "size"] = None, np.nan
    with pytest.raises(ValueError, match="NaN"):
        CategoricalNB().fit(holes, LABELS)
    with pytest.raises(ValueError, match="None in column 0"):
        CategoricalNB().fit([["a"], [None]], [0, 1])
    model = CategoricalNB(missing="ignore").fit(holes, LABELS)
    np.testing.assert_array_equal(model.category_count_[0], [[0, 0, 1], [2, 1, 0]])
    np.testing.assert_array_equal(model.category_count_[1], [[1, 1], [1, 1]])
    np.testing.assert_array_equal(model.class_count_, [2, 3])
    asked = pd.DataFrame({"colour": [None, None], "size": [1.0, None]})
    np.testing.assert_allclose(np.exp(model.log_likelihood(asked)), [[2 / 4, 2 / 4], [1, 1]])
    np.testing.assert_array_equal(
        CategoricalNB(missing="ignore").fit(holes.convert_dtypes(), LABELS).log_likelihood(asked),
        model.log_likelihood(asked),
    )


def test_bins_are_laid_out_once_and_take_in_what_lies_outside():
    model = CategoricalNB(bins=4).partial_fit([[0.0], [4.0]], [0, 1], classes=[0, 1])
    model.partial_fit([[2.5], [-100.0], [100.0]], [0, 0, 1])
    np.testing.assert_array_equal(model.category_count_[0], [[2, 0, 1, 0], [0, 0, 0, 2]])
    np.testing.assert_array_equal(model.bin_edges_[0], [0, 1, 2, 3, 4])


def test_bins_of_a_column_that_never_varies_are_one():
    model = CategoricalNB(bins=4, binning="quantile").fit([[3.0, 1.0], [3.0, 2.0]], [0, 1])
    assert model.n_categories_.tolist() == [1, 4]
    X, _ = model.sample(20, random_state=0)
    assert (X[:, 0] == 3.0).all() and ((X[:, 1] >= 1) & (X[:, 1] <= 2)).all()


@pytest.mark.parametrize("settings", [{"bins": 0}, {"bins": 3, "binning": "height"}, {"unknown": "x"}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match=next(reversed(settings))):
        CategoricalNB(**settings).fit([[0.0], [1.0]], [0, 1])


def test_it_survives_pickling_and_cloning():
    model = CategoricalNB(unknown="smooth").fit(COLOURS, LABELS)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(COLOURS), model.predict_proba(COLOURS))
    assert clone(model).get_params() == model.get_params()


def test_samples_do_not_change_with_the_same_seed():
    model = CategoricalNB().fit(COLOURS, LABELS)
    (X, y), (again, labels) = model.sample(9, random_state=3), model.sample(9, random_state=3)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, labels)


def test_a_column_of_which_nothing_was_given_may_hold_names_later():
    X = np.array([[None, "a"], [None, "b"]], dtype=object)
    model = CategoricalNB(missing="ignore", unknown="smooth").fit(X, [0, 1])
    assert model.predict(np.array([["red", "a"], [None, "b"]], dtype=object)).tolist() == [0, 1]


def test_weights_that_add_up_beyond_floating_point_are_refused():
    """Probabilities were NaN."""
    with pytest.raises(ValueError, match="add up to more than a floating-point number can hold"):
        CategoricalNB().fit([[0], [1], [1]], [0, 1, 1], sample_weight=[1e308] * 3)
