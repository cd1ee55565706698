"""GaussianNB and CategoricalNB: what they promise beyond scikit-learn, and where they differ from it on purpose."""

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

from textnb import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

IRIS, SPECIES = load_iris(return_X_y=True)
COLOURS = pd.DataFrame({"colour": ["red", "red", "blue", "blue", "green"], "size": [0, 1, 1, 1, 0]})
LABELS = ["a", "a", "b", "b", "b"]
rng = np.random.default_rng(0)
CODES = rng.integers(4, size=(60, 5))
CODE_LABELS = rng.integers(3, size=60)


@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(),
        GaussianNB(missing="ignore"),
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


class TestGaussianNB:
    def test_results_are_those_of_scikit_learn(self):
        ours, other = GaussianNB().fit(IRIS, SPECIES), theirs.GaussianNB().fit(IRIS, SPECIES)
        for name in ("theta_", "var_", "epsilon_", "class_prior_", "class_count_", "classes_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(other, name), rtol=1e-10, err_msg=name)
        np.testing.assert_allclose(ours.predict_log_proba(IRIS), other.predict_log_proba(IRIS), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(
            ours.predict_joint_log_proba(IRIS), other.predict_joint_log_proba(IRIS), rtol=1e-10, atol=1e-10
        )

    def test_batches_equal_one_fit_where_those_of_scikit_learn_drift(self):
        """Its partial_fit takes the new batch's floor from variances that hold the old one's; here none is kept."""
        X, y = np.array([[0.0], [1.0], [0.0], [300.0]]), [0, 0, 0, 0]
        once = GaussianNB(var_smoothing=0.5).fit(X, y)
        batches = GaussianNB(var_smoothing=0.5).partial_fit(X[:2], y[:2], classes=[0]).partial_fit(X[2:], y[2:])
        np.testing.assert_allclose(batches.var_, once.var_, rtol=1e-12)
        drifting = theirs.GaussianNB(var_smoothing=0.5).partial_fit(X[:2], y[:2], classes=[0]).partial_fit(X[2:], y[2:])
        assert abs(drifting.var_[0, 0] / theirs.GaussianNB(var_smoothing=0.5).fit(X, y).var_[0, 0] - 1) > 0.05

    def test_the_floor_counts_weights_as_repetitions(self):
        """scikit-learn's floor is that of the rows without their weights."""
        X, y, weights = np.array([[0.0], [1.0], [9.0]]), [0, 0, 1], np.array([1, 2, 3])
        weighted = GaussianNB(var_smoothing=0.1).fit(X, y, sample_weight=weights)
        repeated = GaussianNB(var_smoothing=0.1).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
        assert weighted.epsilon_ == pytest.approx(repeated.epsilon_, rel=1e-12)
        np.testing.assert_allclose(weighted.var_, repeated.var_, rtol=1e-12)

    @pytest.mark.parametrize("container", [csr_array, csr_matrix, csc_matrix])
    def test_sparse_input_gives_what_dense_input_gives(self, container):
        thin = np.where(rng.random(IRIS.shape) < 0.4, IRIS, 0.0)
        dense, sparse = GaussianNB().fit(thin, SPECIES), GaussianNB().fit(container(thin), SPECIES)
        np.testing.assert_allclose(sparse.var_, dense.var_, rtol=1e-10)
        np.testing.assert_allclose(
            sparse.predict_log_proba(container(thin)), dense.predict_log_proba(thin), rtol=1e-8, atol=1e-10
        )

    def test_sparse_input_is_never_made_dense_as_a_whole(self):
        wide = csr_array((np.ones(4_000), (np.arange(4_000), np.arange(4_000))), shape=(4_000, 10_000))
        tracemalloc.start()
        GaussianNB().fit(wide, np.arange(4_000) % 2).predict(wide)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 4_000 * 10_000 * 8 / 20

    @pytest.mark.parametrize("priors", [[-0.5, 0.5, 1.0], [0.5, 0.5], [0.2, 0.2, 0.2], [np.nan, 0.5, 0.5]])
    def test_priors_that_are_no_distribution_are_refused(self, priors):
        with pytest.raises(ValueError, match=r"[Pp]riors"):
            GaussianNB(priors=priors).fit(IRIS, SPECIES)

    @pytest.mark.parametrize("settings", [{"var_smoothing": -1}, {"ddof": -1}, {"missing": "skip"}, {"ddof": np.nan}])
    def test_settings_that_make_no_sense_are_refused(self, settings):
        with pytest.raises(ValueError, match=next(iter(settings))):
            GaussianNB(**settings).fit(IRIS, SPECIES)

    def test_a_failed_fit_leaves_the_old_model(self):
        model = GaussianNB().fit(IRIS, SPECIES)
        before = model.predict_proba(IRIS)
        with pytest.raises(ValueError, match="NaN"):
            model.fit([[np.nan, 1.0]], [0])
        with pytest.raises(ValueError, match="unknown label 7"):
            model.partial_fit(IRIS[:1], [7])
        np.testing.assert_array_equal(model.predict_proba(IRIS), before)

    def test_missing_values_are_refused_unless_they_are_to_be_ignored(self):
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

    def test_an_announced_class_that_was_never_seen_has_probability_0(self):
        model = GaussianNB().partial_fit(IRIS, SPECIES, classes=[0, 1, 2, 3])
        assert np.isfinite(model.theta_).all() and np.isfinite(model.var_).all()
        np.testing.assert_array_equal(model.predict_proba(IRIS)[:, 3], 0.0)

    @pytest.mark.filterwarnings("error")
    def test_huge_values_are_an_error_and_never_nan(self):
        model = GaussianNB().fit(IRIS, SPECIES)
        with pytest.raises(ValueError, match="scale X down"):
            model.predict_proba([[1e300, 1e300, 1, 1]])
        for huge in ([[1e200], [-1e200]], [[1e308], [1e308]], csr_array([[1e200], [-1e200]])):
            with pytest.raises(ValueError, match="scale X down"):
                GaussianNB().fit(huge, [0, 0])
        with pytest.raises(ValueError, match="scale X down"):
            model.partial_fit(np.full((1, 4), 1e200), [0])
        assert np.isfinite(model.predict_proba(IRIS)).all()

    def test_it_survives_pickling_and_cloning(self):
        model = GaussianNB(ddof=1).fit(IRIS, SPECIES)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(IRIS), model.predict_proba(IRIS))
        assert clone(model).get_params() == model.get_params()

    def test_forgetting_rows_equals_never_having_seen_them(self):
        model, some = (
            GaussianNB().fit(IRIS, SPECIES),
            GaussianNB().partial_fit(IRIS[::3], SPECIES[::3], classes=[0, 1, 2]),
        )
        kept = np.arange(150) % 3 != 0
        left = clone(model).set_statistics(model.statistics_ - some.statistics_)
        np.testing.assert_allclose(left.var_, GaussianNB().fit(IRIS[kept], SPECIES[kept]).var_, rtol=1e-9)


class TestCategoricalNB:
    @pytest.mark.parametrize("settings", [{}, {"alpha": 0.3}, {"min_categories": 6}, {"fit_prior": False}])
    def test_codes_give_what_scikit_learn_gives(self, settings):
        ours = CategoricalNB(**settings).fit(CODES, CODE_LABELS)
        other = theirs.CategoricalNB(**settings).fit(CODES, CODE_LABELS)
        for name in ("class_count_", "class_log_prior_", "n_categories_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(other, name), rtol=1e-12)
        for name in ("category_count_", "feature_log_prob_"):
            for a, b in zip(getattr(ours, name), getattr(other, name), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12)
        np.testing.assert_allclose(ours.predict_log_proba(CODES), other.predict_log_proba(CODES), rtol=1e-10)

    def test_the_number_of_categories_is_that_of_all_batches(self):
        """scikit-learn's is that of the last batch, although its tables have more."""
        ours, other = CategoricalNB(), theirs.CategoricalNB()
        for model in (ours, other):
            model.partial_fit([[3]], [0], classes=[0]).partial_fit([[1]], [0])
        assert ours.n_categories_.tolist() == [4]
        assert other.n_categories_.tolist() == [2] and other.category_count_[0].shape == (1, 4)

    @pytest.mark.parametrize("form", [COLOURS, COLOURS.to_numpy(), COLOURS.astype({"colour": "category"})])
    def test_strings_beside_codes(self, form):
        model = CategoricalNB().fit(form, LABELS)
        assert [c.tolist() for c in model.categories_] == [["blue", "green", "red"], [0, 1]]
        np.testing.assert_array_equal(model.category_count_[0], [[0, 0, 2], [2, 1, 0]])
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[0][0]), [1 / 5, 1 / 5, 3 / 5])
        assert model.predict(form).tolist() == ["a", "a", "b", "b", "b"]

    def test_strings_give_what_their_codes_give(self):
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
    def test_an_unseen_category_is_a_clear_error(self, fitted, asked, named):
        """scikit-learn's raises an IndexError."""
        with pytest.raises(ValueError, match=f"{named}, which was not seen in fitting.*unknown='smooth'"):
            CategoricalNB().fit(fitted, [0, 1]).predict(asked)
        with pytest.raises(IndexError):
            theirs.CategoricalNB().fit([[0], [1]], [0, 1]).predict([[2]])

    @pytest.mark.parametrize(("fitted", "strange"), [([[0], [1], [1]], 9), ([["a"], ["b"], ["b"]], "c")])
    def test_an_unseen_category_can_have_its_smoothed_share(self, fitted, strange):
        model = CategoricalNB(unknown="smooth", alpha=0.5).fit(fitted, [0, 1, 1])
        np.testing.assert_allclose(np.exp(model.log_likelihood([[strange]])), [[0.5 / 2.5, 0.5 / 3.5]])
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[0]).sum(axis=1), 1.0)
        assert model.n_categories_.tolist() == [2]

    def test_announced_categories_have_their_share_before_they_are_seen(self):
        model = CategoricalNB(categories=[["blue", "green", "pink", "red"], None]).fit(COLOURS, LABELS)
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[0][0]), [1 / 6, 1 / 6, 1 / 6, 3 / 6])
        assert model.predict(pd.DataFrame({"colour": ["pink"], "size": [1]})).tolist() == ["b"]
        with pytest.raises(ValueError, match="column 'colour' has the category 'green', which was not announced"):
            CategoricalNB(categories=[["blue", "red"], None]).fit(COLOURS, LABELS)
        with pytest.raises(ValueError, match="categories has 1 lists for 2 columns"):
            CategoricalNB(categories=[["blue", "red"]]).fit(COLOURS, LABELS)

    def test_numbers_can_be_announced_as_categories(self):
        model = CategoricalNB(categories=[[1980, 1990, 2000]]).fit([[1990], [1980], [1990]], [0, 1, 0])
        assert model.n_categories_.tolist() == [3]
        np.testing.assert_allclose(np.exp(model.log_likelihood([[2000]])), [[1 / 5, 1 / 4]])

    def test_new_categories_may_come_in_later_batches(self):
        batches = CategoricalNB().partial_fit([["a"]], [0], classes=[0, 1]).partial_fit([["c"], ["b"]], [1, 0])
        once = CategoricalNB().fit([["a"], ["c"], ["b"]], [0, 1, 0])
        np.testing.assert_array_equal(
            batches.predict_proba([["a"], ["b"], ["c"]]), once.predict_proba([["a"], ["b"], ["c"]])
        )

    @pytest.mark.filterwarnings("error")
    def test_alpha_0_gives_exact_zeros_and_no_nan(self):
        model = CategoricalNB(alpha=0).fit([["a", "x"], ["b", "y"]], [0, 1])
        np.testing.assert_array_equal(model.predict_proba([["a", "x"], ["a", "y"]]), [[1, 0], [0.5, 0.5]])

    def test_alpha_may_differ_by_column(self):
        model = CategoricalNB(alpha=[0.5, 2.0]).fit(COLOURS, LABELS)
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[1][0]), [(1 + 2) / (2 + 4)] * 2)
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[0][0, 2]), (2 + 0.5) / (2 + 1.5))

    def test_m_estimates(self):
        model = CategoricalNB(m=3, p=[[0.5, 0.25, 0.25], None]).fit(COLOURS, LABELS)
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[0][0]), [1.5 / 5, 0.75 / 5, 2.75 / 5])
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[1][0]), [2.5 / 5, 2.5 / 5])
        for settings, message in [({"p": 0.5}, "pass m as well"), ({"m": -1}, "m must be 0 or more")]:
            with pytest.raises(ValueError, match=message):
                CategoricalNB(**settings).fit(COLOURS, LABELS)

    def test_negative_priors_are_refused(self):
        with pytest.raises(ValueError, match="non-negative"):
            CategoricalNB(class_prior=[-0.5, 1.5]).fit(COLOURS, LABELS)

    def test_codes_that_are_really_names_are_refused_before_they_fill_the_memory(self):
        for huge in ([[10**12], [0]], [[1e300], [0]], np.array([[2**64 - 1], [0]], dtype=np.uint64)):
            with pytest.raises(ValueError, match="column 0 has codes of 16777216 and more"):
                CategoricalNB().fit(huge, [0, 1])

    @pytest.mark.parametrize("value", [np.inf, -np.inf])
    def test_infinity_is_refused(self, value):
        with pytest.raises(ValueError, match="infinity"):
            CategoricalNB().fit(np.array([[value], ["a"]], dtype=object)[:1], [0])

    def test_missing_values_are_refused_unless_they_are_to_be_ignored(self):
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

    def test_bins_are_laid_out_once_and_take_in_what_lies_outside(self):
        model = CategoricalNB(bins=4).partial_fit([[0.0], [4.0]], [0, 1], classes=[0, 1])
        model.partial_fit([[2.5], [-100.0], [100.0]], [0, 0, 1])
        np.testing.assert_array_equal(model.category_count_[0], [[2, 0, 1, 0], [0, 0, 0, 2]])
        np.testing.assert_array_equal(model.bin_edges_[0], [0, 1, 2, 3, 4])

    def test_bins_of_a_column_that_never_varies_are_one(self):
        model = CategoricalNB(bins=4, binning="quantile").fit([[3.0, 1.0], [3.0, 2.0]], [0, 1])
        assert model.n_categories_.tolist() == [1, 4]
        X, _ = model.sample(20, random_state=0)
        assert (X[:, 0] == 3.0).all() and ((X[:, 1] >= 1) & (X[:, 1] <= 2)).all()

    @pytest.mark.parametrize("settings", [{"bins": 0}, {"bins": 3, "binning": "height"}, {"unknown": "x"}])
    def test_settings_that_make_no_sense_are_refused(self, settings):
        with pytest.raises(ValueError, match=next(reversed(settings))):
            CategoricalNB(**settings).fit([[0.0], [1.0]], [0, 1])

    def test_it_survives_pickling_and_cloning(self):
        model = CategoricalNB(unknown="smooth").fit(COLOURS, LABELS)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(COLOURS), model.predict_proba(COLOURS))
        assert clone(model).get_params() == model.get_params()


class TestGenerating:
    def test_samples_do_not_change_with_the_same_seed(self):
        model = CategoricalNB().fit(COLOURS, LABELS)
        (X, y), (again, labels) = model.sample(9, random_state=3), model.sample(9, random_state=3)
        np.testing.assert_array_equal(X, again)
        np.testing.assert_array_equal(y, labels)

    def test_a_complement_model_has_no_likelihood(self):
        model = ComplementNB().fit([[1, 0], [0, 1]], [0, 1])
        for method in (lambda: model.sample(3), lambda: model.log_likelihood([[1, 0]])):
            with pytest.raises(ValueError, match="ComplementNB has no likelihood"):
                method()

    def test_a_multinomial_model_needs_a_length_and_counts(self):
        with pytest.raises(ValueError, match="pass length="):
            MultinomialNB().fit([[1, 0], [0, 1]], [0, 1]).sample(3)
        with pytest.raises(ValueError, match="tf-idf"):
            MultinomialNB().fit([[0.7, 0], [0, 0.3]], [0, 1]).sample(3, length=5)

    def test_lengths_may_differ_by_document(self):
        X, _ = MultinomialNB().fit([[1, 0], [0, 1]], [0, 1]).sample(3, random_state=0, length=[1, 5, 9])
        assert np.asarray(X.sum(axis=1)).ravel().tolist() == [1, 5, 9]

    @pytest.mark.parametrize("model", [MultinomialNB(), BernoulliNB(), GaussianNB(), CategoricalNB()], ids=repr)
    def test_the_joint_is_the_likelihood_and_the_prior(self, model):
        model.fit(CODES, CODE_LABELS)
        expected = model.log_likelihood(CODES) + model.class_log_prior_
        np.testing.assert_array_equal(model.predict_joint_log_proba(CODES), expected)

    def test_perplexity_of_language_models(self):
        model = MultinomialNB(alpha=0).fit([[1, 1, 1, 1], [8, 0, 0, 0]], ["even", "one"])
        X = [[2, 1, 0, 1], [3, 0, 0, 0]]
        np.testing.assert_allclose(model.perplexity(X), [4.0, np.inf])
        np.testing.assert_allclose(model.perplexity(X, ["even", "one"]), [4.0, 1.0])
        np.testing.assert_allclose(model.perplexity(csr_array(X[:1]), ["even"]), [4.0, np.nan])
        with pytest.raises(ValueError, match=r"unknown label 'odd'; the classes are \['even', 'one'\]"):
            model.perplexity(X, ["even", "odd"])

    def test_nothing_warns(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            GaussianNB().fit(IRIS, SPECIES).sample(5)


def test_a_column_of_which_nothing_was_given_may_hold_names_later():
    X = np.array([[None, "a"], [None, "b"]], dtype=object)
    model = CategoricalNB(missing="ignore", unknown="smooth").fit(X, [0, 1])
    assert model.predict(np.array([["red", "a"], [None, "b"]], dtype=object)).tolist() == [0, 1]
