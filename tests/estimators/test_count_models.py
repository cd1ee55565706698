"""What the count models promise, behaviour by behaviour."""

import pickle
import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.naive_bayes
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from textnb import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from textnb.estimators import base, count

pytestmark = pytest.mark.filterwarnings("error")

MODELS = [MultinomialNB, ComplementNB, BernoulliNB]
every_model = pytest.mark.parametrize("model", MODELS)
generative = pytest.mark.parametrize("model", [MultinomialNB, BernoulliNB])
packed = pytest.mark.parametrize("pack", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csr_matrix])

X = np.array([[2, 1, 0], [1, 0, 0], [0, 1, 3], [0, 0, 1]])
y = np.array(["ham", "ham", "spam", "spam"])
HAM, SPAM = 0, 1


class TestWithoutSmoothing:
    """alpha = 0 means what it says."""

    @packed
    @generative
    def test_a_class_that_cannot_have_produced_the_document_has_probability_zero(self, model, pack):
        fitted = model(alpha=0).fit(pack(X), y)
        assert fitted.predict_proba(pack([[1, 0, 0]])).tolist() == [[1.0, 0.0]]
        assert fitted.predict_proba(pack([[0, 0, 1]])).tolist() == [[0.0, 1.0]]
        assert fitted.predict_log_proba(pack([[1, 0, 0]])).tolist() == [[0.0, -np.inf]]

    @packed
    @generative
    def test_if_no_class_can_the_posterior_is_the_prior(self, model, pack):
        fitted = model(alpha=0).fit(pack(X[:3]), y[:3])
        impossible = pack([[1, 0, 1]])
        np.testing.assert_allclose(fitted.predict_proba(impossible), [[2 / 3, 1 / 3]], rtol=1e-15)
        assert fitted.predict(impossible).tolist() == ["ham"]
        assert np.isneginf(fitted.predict_joint_log_proba(impossible)).all()

    @generative
    def test_the_prior_may_have_zeros(self, model):
        fitted = model(alpha=0, class_prior=[0.0, 1.0]).fit(X, y)
        assert fitted.predict_proba([[1, 0, 1], [1, 0, 0], [0, 0, 1]]).tolist() == [[0, 1]] * 3
        assert fitted.predict([[1, 0, 1], [1, 0, 0]]).tolist() == ["spam", "spam"]

    @generative
    def test_zeros_are_exact(self, model):
        probability = np.exp(model(alpha=0).fit(X, y).feature_log_prob_)
        assert probability[HAM, 2] == 0
        assert probability[SPAM, 0] == 0

    def test_a_word_in_every_document_must_be_there(self):
        fitted = BernoulliNB(alpha=0).fit(X, y)
        assert fitted.predict_joint_log_proba([[0, 1, 0]]).tolist() == [[-np.inf, -np.inf]]
        np.testing.assert_allclose(fitted.predict_joint_log_proba([[1, 1, 0]]), [[np.log(1 / 4), -np.inf]], rtol=1e-15)

    @generative
    def test_zero_may_be_the_alpha_of_some_features_only(self, model):
        fitted = model(alpha=[0, 1, 1]).fit(X, y)
        assert np.isneginf(fitted.feature_log_prob_).tolist() == [[False] * 3, [True, False, False]]
        assert fitted.predict_proba([[1, 0, 5]])[0, SPAM] == 0

    def test_the_complement_refuses_where_a_complement_count_is_zero(self):
        with pytest.raises(ValueError, match="ComplementNB needs alpha > 0 here"):
            ComplementNB(alpha=0).fit(X, y)
        with pytest.raises(ValueError, match="ComplementNB needs alpha > 0 here"):
            ComplementNB(alpha=[1, 1, 0]).fit(X, y)

    def test_the_complement_accepts_it_otherwise(self):
        fitted = ComplementNB(alpha=0).fit([[3, 1], [1, 3]], [0, 1])
        np.testing.assert_allclose(fitted.feature_log_prob_, -np.log([[1 / 4, 3 / 4], [3 / 4, 1 / 4]]), rtol=1e-15)
        assert np.isfinite(ComplementNB(alpha=[1, 0, 1]).fit(X, y).feature_log_prob_).all()

    @every_model
    def test_an_alpha_that_is_not_forced_is_raised_with_a_warning(self, model):
        with pytest.warns(UserWarning, match="alpha too small"):
            fitted = model(alpha=0, force_alpha=False).fit(X, y)
        assert np.isfinite(fitted.feature_log_prob_).all()


class TestLabels:
    @every_model
    def test_an_unknown_label_in_partial_fit_is_an_error_that_names_it(self, model):
        fitted = model().partial_fit(X, y, classes=["ham", "spam"])
        before = fitted.statistics_
        for label in ("eggs", "zebra", "ha"):
            with pytest.raises(ValueError, match=f"unknown label '{label}'.*\\['ham', 'spam'\\]"):
                fitted.partial_fit(X[:1], [label])
        assert fitted.statistics_ is before

    @every_model
    def test_an_unknown_number_is_named_as_well(self, model):
        with pytest.raises(ValueError, match="unknown label 2 in partial_fit"):
            model().partial_fit(X, [0, 1, 2, 0], classes=[0, 1])

    def test_scikit_learn_counts_an_unknown_label_as_the_first_of_two_classes_and_drops_it_among_three(self):
        """Why textnb raises: scikit-learn learns a wrong class or nothing, and says neither."""
        rows, labels = [[1, 0], [0, 1]], ["eggs", "spam"]
        two = sklearn.naive_bayes.MultinomialNB().partial_fit(rows, labels, classes=["ham", "spam"])
        assert two.feature_count_.tolist() == [[1, 0], [0, 1]]
        three = sklearn.naive_bayes.MultinomialNB().partial_fit(rows, labels, classes=["bacon", "ham", "spam"])
        assert three.feature_count_.tolist() == [[0, 0], [0, 0], [0, 1]]

    @every_model
    def test_large_labels_are_told_apart_or_refused(self, model):
        labels = np.array([1600000000000000001, 1600000000000000002] * 2)
        fitted = model().partial_fit(X, labels, classes=labels[:2])
        fitted.partial_fit(X, labels.astype(np.uint64))
        assert fitted.class_count_.tolist() == [4, 4]
        with pytest.raises(ValueError, match="cannot align labels of different types"):
            fitted.partial_fit(X, labels.astype(np.float64))
        assert fitted.class_count_.tolist() == [4, 4]

    @pytest.mark.parametrize("labels", [[False, True] * 2, ["0", "1"] * 2], ids=["bool", "str"])
    @every_model
    def test_labels_of_another_kind_are_refused(self, model, labels):
        fitted = model().partial_fit(X, [0, 1, 0, 1], classes=[0, 1])
        assert fitted.partial_fit(X, [0.0, 1.0, 0.0, 1.0]).class_count_.tolist() == [4, 4]
        with pytest.raises(ValueError, match="cannot align labels of different types"):
            fitted.partial_fit(X, labels)

    @every_model
    def test_classes_must_be_announced(self, model):
        with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
            model().partial_fit(X, y)

    @every_model
    def test_classes_announced_again_must_be_the_same(self, model):
        fitted = model().partial_fit(X, y, classes=["spam", "ham"])
        fitted.partial_fit(X, y, classes=["ham", "spam"])
        with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
            fitted.partial_fit(X, y, classes=["ham", "spam", "eggs"])

    @pytest.mark.parametrize("alpha", [0, 1])
    @generative
    def test_an_announced_class_never_seen_has_probability_zero(self, model, alpha):
        fitted = model(alpha=alpha).partial_fit(X, y, classes=["eggs", "ham", "spam"])
        probability = fitted.predict_proba([*X.tolist(), [0, 0, 0], [9, 9, 9]])
        assert (probability[:, 0] == 0).all()
        np.testing.assert_allclose(probability.sum(axis=1), 1, rtol=1e-14)
        assert "eggs" not in fitted.predict(X)

    def test_the_complement_has_no_prior_and_so_may_find_a_class_never_seen(self):
        fitted = ComplementNB().partial_fit(X, y, classes=["eggs", "ham", "spam"])
        assert np.isfinite(fitted.predict_log_proba(X)).all()

    @every_model
    def test_before_anything_is_seen_classes_are_equally_probable(self, model):
        fitted = model().partial_fit(np.zeros((1, 3)), ["ham"], classes=["ham", "spam"], sample_weight=[1e-300])
        np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1, rtol=1e-14)

    @every_model
    def test_one_class_is_certain(self, model):
        fitted = model().fit(X, ["only"] * 4)
        assert fitted.predict_proba(X).tolist() == [[1.0]] * 4
        assert fitted.predict(X).tolist() == ["only"] * 4

    @every_model
    def test_ten_thousand_classes_are_quick_and_small(self, model):
        rng = np.random.default_rng(0)
        counts = scipy.sparse.csr_array(rng.poisson(1.0, (20_000, 5)))
        labels = np.arange(20_000) % 10_000
        tracemalloc.start()
        start = time.perf_counter()
        fitted = model().fit(counts, labels)
        found = fitted.predict(counts[:2000])
        elapsed = time.perf_counter() - start
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert fitted.classes_.shape == (10_000,)
        assert found.shape == (2000,)
        assert elapsed < 10
        assert peak < 2000 * 10_000 * 8 / 2


class TestInput:
    @packed
    @pytest.mark.parametrize("model", [MultinomialNB, ComplementNB])
    def test_negative_values_are_refused(self, model, pack):
        with pytest.raises(ValueError, match="Negative values in data passed to"):
            model().fit(pack([[1, -1], [1, 1]]), [0, 1])
        fitted = model().fit(pack([[1, 1], [1, 2]]), [0, 1])
        with pytest.raises(ValueError, match="Negative values in data passed to"):
            fitted.predict(pack([[1, -1]]))

    @packed
    @pytest.mark.parametrize("value", [np.nan, np.inf])
    @every_model
    def test_nan_and_infinity_are_refused(self, model, pack, value):
        with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
            model().fit(pack([[1, value], [1, 1]]), [0, 1])
        with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
            model().fit(pack([[1.0, 1], [1, 2]]), [0, 1]).predict(pack([[1, value]]))

    @pytest.mark.parametrize("labels", [[0, 0, 1], [0, 1, 1]], ids=["one class", "over classes"])
    @packed
    @pytest.mark.parametrize("model", [MultinomialNB, ComplementNB])
    def test_floats_that_add_up_beyond_floating_point_are_refused(self, model, pack, labels):
        with pytest.raises(ValueError, match="add up to more than a floating-point number can hold"):
            model().fit(pack([[1e308, 0], [1e308, 1], [1, 1]]), labels)
        with pytest.raises(ValueError, match="add up to more than a floating-point number can hold"):
            model().fit(pack([[1e307, 0], [1e307, 1], [1, 1]]), labels, sample_weight=[10, 10, 1])

    @packed
    @pytest.mark.parametrize("model", [MultinomialNB, ComplementNB])
    def test_integers_that_add_up_beyond_64_bits_are_refused(self, model, pack):
        with pytest.raises(ValueError, match="add up to more than a 64-bit integer can hold"):
            model().fit(pack([[2**62, 0], [2**62, 1], [1, 1]]), [0, 0, 1])

    @packed
    @pytest.mark.parametrize("model", [MultinomialNB, ComplementNB])
    def test_huge_values_that_fit_give_finite_models(self, model, pack):
        for huge in (1e307, 2**61):
            fitted = model().fit(pack([[huge, 0], [1, huge], [1, 1]]), [0, 1, 1])
            assert np.isfinite(fitted.feature_log_prob_).all()
            np.testing.assert_allclose(fitted.predict_proba(pack([[1, 0], [0, 1]])).sum(axis=1), 1, rtol=1e-14)

    @packed
    @pytest.mark.parametrize("model", [MultinomialNB, ComplementNB])
    def test_scores_beyond_floating_point_are_refused(self, model, pack):
        fitted = model().fit(pack([[1, 9], [9, 1]]), [0, 1])
        with pytest.raises(ValueError, match="scores are beyond floating point"):
            fitted.predict_proba(pack([[1e308, 1e308]]))

    def test_bernoulli_does_not_care_how_large_a_value_is(self):
        huge = BernoulliNB().fit([[1e308, 0], [1e308, 1e308]], [0, 1])
        np.testing.assert_array_equal(
            huge.feature_log_prob_, BernoulliNB().fit([[1, 0], [1, 1]], [0, 1]).feature_log_prob_
        )
        assert huge.predict([[1e308, 0]]).tolist() == [0]

    @packed
    def test_float32_is_counted_exactly_past_two_to_the_24(self, pack):
        data = np.array([[2**24, 1]] + [[1, 0]] * 3 + [[0, 1]], dtype=np.float32)
        fitted = MultinomialNB().fit(pack(data), [0, 0, 0, 0, 1])
        assert fitted.feature_count_[0, 0] == 2**24 + 3

    @packed
    @pytest.mark.parametrize("dtype", [np.int64, np.uint64])
    def test_integers_are_counted_exactly_past_two_to_the_53(self, pack, dtype):
        fitted = MultinomialNB().fit(pack(np.array([[2**60], [1], [1], [5]], dtype=dtype)), [0, 0, 0, 1])
        assert fitted.statistics_.totals.toarray().T.tolist() == [[2**60 + 2], [5]]

    @packed
    def test_small_integer_types_do_not_wrap_round(self, pack):
        fitted = MultinomialNB().fit(pack(np.full((300, 1), 255, dtype=np.uint8)), [0] * 299 + [1])
        assert fitted.statistics_.totals.toarray().T.tolist() == [[299 * 255], [255]]

    def test_bernoulli_refuses_counts_of_words_where_counts_of_documents_belong(self):
        with pytest.raises(ValueError, match="a word is in more documents of a class than the class has"):
            BernoulliNB().set_statistics(MultinomialNB().fit(X, y).statistics_)

    def test_without_binarize_other_values_than_zero_and_one_are_refused(self):
        for pack in (np.asarray, scipy.sparse.csr_array):
            with pytest.raises(ValueError, match="expects only 0 and 1 in X"):
                BernoulliNB(binarize=None).fit(pack([[0, 2], [1, 1]]), [0, 1])
            fitted = BernoulliNB(binarize=None).fit(pack([[0, 1], [1, 1]]), [0, 1])
            with pytest.raises(ValueError, match="expects only 0 and 1 in X"):
                fitted.predict(pack([[0.5, 1]]))

    def test_binarize_is_a_threshold(self):
        fitted = BernoulliNB(binarize=1).fit(X, y)
        assert fitted.feature_count_.tolist() == [[1, 0, 0], [0, 0, 1]]
        with pytest.raises(ValueError, match="binarize must be 0 or more, or None, got -1"):
            BernoulliNB(binarize=-1).fit(X, y)

    @every_model
    def test_a_lone_feature_gives_no_nan(self, model):
        lone = {"norm": True} if model is ComplementNB else {}
        assert np.isfinite(model(**lone).fit([[1], [2], [0]], [0, 1, 1]).predict_log_proba([[1], [0]])).all()


class TestSettings:
    @every_model
    def test_negative_priors_are_refused(self, model):
        with pytest.raises(ValueError, match="Priors must be non-negative"):
            model(class_prior=[-0.5, 1.5]).fit(X, y)

    @pytest.mark.parametrize("prior", [[0, 0], [np.inf, 1]])
    @every_model
    def test_priors_that_are_no_distribution_are_refused(self, model, prior):
        with pytest.raises(ValueError, match="Priors must be finite and not all zero"):
            model(class_prior=prior).fit(X, y)

    @every_model
    def test_the_wrong_number_of_priors_is_refused(self, model):
        with pytest.raises(ValueError, match=r"Number of priors must match number of classes\. Got 3 for 2"):
            model(class_prior=[0.2, 0.3, 0.5]).fit(X, y)

    @pytest.mark.parametrize("alpha", [-1, np.nan, np.inf, [1, -1, 1]])
    @every_model
    def test_alpha_must_be_zero_or_more_and_finite(self, model, alpha):
        with pytest.raises(ValueError, match="alpha must be 0 or more and finite"):
            model(alpha=alpha).fit(X, y)

    @every_model
    def test_an_array_of_alphas_has_one_a_feature(self, model):
        with pytest.raises(ValueError, match=r"Got 2 .*instead of 3"):
            model(alpha=[1, 1]).fit(X, y)

    @every_model
    def test_negative_weights_are_refused_and_named(self, model):
        with pytest.raises(ValueError, match=r"Negative values in sample_weight: -2\.0 at position 1"):
            model().fit(X, y, sample_weight=[1, -2, 1, 1])

    @every_model
    def test_weights_that_are_all_zero_are_refused(self, model):
        with pytest.raises(ValueError, match="at least one non-zero number"):
            model().fit(X, y, sample_weight=[0, 0, 0, 0])

    @every_model
    def test_the_number_of_weights_is_the_number_of_rows(self, model):
        with pytest.raises(ValueError, match=r"sample_weight.shape == \(2,\), expected \(4,\)"):
            model().fit(X, y, sample_weight=[1, 1])

    @every_model
    def test_a_weight_is_a_number_of_copies(self, model):
        weighted = model().fit(X, y, sample_weight=[1, 2, 3, 1])
        copied = model().fit(np.repeat(X, [1, 2, 3, 1], axis=0), np.repeat(y, [1, 2, 3, 1]))
        np.testing.assert_allclose(weighted.predict_joint_log_proba(X), copied.predict_joint_log_proba(X), rtol=1e-14)


class TestEstimator:
    @every_model
    def test_unfitted_it_says_so(self, model):
        with pytest.raises(NotFittedError):
            model().predict(X)

    @every_model
    def test_feature_names_come_from_the_table_and_must_agree(self, model):
        frame = pd.DataFrame(X, columns=["apple", "bread", "cheese"])
        fitted = model().fit(frame, y)
        assert fitted.feature_names_in_.tolist() == ["apple", "bread", "cheese"]
        assert fitted.predict(frame).tolist() == fitted.predict(frame.astype(float)).tolist()
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.predict(frame[["bread", "apple", "cheese"]])

    @every_model
    def test_the_number_of_features_must_agree(self, model):
        with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3"):
            model().fit(X, y).predict(X[:, :2])

    @packed
    @every_model
    def test_predicting_in_blocks_is_predicting_at_once(self, model, pack, monkeypatch):
        rng = np.random.default_rng(0)
        counts, labels = pack(rng.poisson(0.7, (101, 6))), rng.integers(0, 4, 101)
        fitted = model().fit(counts, labels)
        at_once = fitted.predict(counts)
        assert at_once.tolist() == fitted.classes_[fitted.predict_joint_log_proba(counts).argmax(axis=1)].tolist()
        for block in (1, 7 * 4, 101 * 4 - 1):
            monkeypatch.setattr(base, "PREDICTION_BLOCK", block)
            assert fitted.predict(counts).tolist() == at_once.tolist()

    @pytest.mark.parametrize(
        ("settings", "data", "labels", "weights"),
        [
            ({"alpha": -1}, np.ones((2, 5)), [0, 1], None),
            ({"class_prior": [1, 2, 3]}, np.ones((2, 5)), [0, 1], None),
            ({}, np.full((2, 5), np.nan), [0, 1], None),
            ({}, np.ones((2, 5)), [0.5, 1.5], None),
            ({}, np.ones((2, 5)), [0, 1], [-1, 1]),
            ({}, pd.DataFrame(np.ones((2, 5)), columns=list("abcde")), [0, 1, 1], None),
        ],
        ids=["alpha", "priors", "NaN", "labels", "weights", "lengths"],
    )
    @every_model
    def test_a_fit_that_fails_leaves_the_old_model_as_it_was(self, model, settings, data, labels, weights):
        fitted = model().fit(X, y)
        before, state = fitted.predict_proba(X), set(vars(fitted))
        fitted.set_params(**settings)
        with pytest.raises(ValueError):
            fitted.fit(data, labels, sample_weight=weights)
        assert set(vars(fitted)) == state
        np.testing.assert_array_equal(fitted.predict_proba(X), before)

    @every_model
    def test_a_first_fit_that_fails_leaves_the_model_unfitted(self, model):
        failed = model(alpha=-1)
        with pytest.raises(ValueError, match="alpha"):
            failed.fit(X, y)
        with pytest.raises(NotFittedError):
            failed.predict(X)

    @every_model
    def test_pickling_keeps_the_predictions(self, model):
        fitted = model().fit(X, y)
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.predict_joint_log_proba(X), fitted.predict_joint_log_proba(X))
        assert again.statistics_ == fitted.statistics_

    @every_model
    def test_a_clone_has_the_settings_and_nothing_learned(self, model):
        copy = clone(model(alpha=0.25).fit(X, y))
        assert copy.get_params()["alpha"] == 0.25
        with pytest.raises(NotFittedError):
            copy.predict(X)

    @every_model
    def test_a_model_derives_from_statistics_however_they_came_about(self, model):
        whole = model(alpha=0.5).fit(X, y)
        first, second = model().fit(X[::2], y[::2]), model().fit(X[1::2], y[1::2])
        merged = model(alpha=0.5).set_statistics(first.statistics_ + second.statistics_)
        np.testing.assert_array_equal(merged.predict_joint_log_proba(X), whole.predict_joint_log_proba(X))
        forgot = model().set_statistics(whole.statistics_ - second.statistics_)
        np.testing.assert_array_equal(forgot.predict_joint_log_proba(X), first.predict_joint_log_proba(X))

    @generative
    def test_the_joint_is_prior_plus_likelihood_and_its_normalised_exponential_the_posterior(self, model):
        rows = (X > 0).astype(int)
        fitted = model().fit(rows, y)
        joint = fitted.predict_joint_log_proba(rows)
        np.testing.assert_allclose(joint, fitted.rule_.log_likelihood(rows) + fitted.class_log_prior_, rtol=1e-15)
        mass = np.exp(joint)
        np.testing.assert_allclose(fitted.predict_proba(rows), mass / mass.sum(axis=1, keepdims=True), rtol=1e-14)

    @every_model
    def test_no_array_of_rows_by_classes_or_rows_by_features_is_made(self, model):
        n, n_features, n_classes = 200_000, 50, 50
        indices = (np.arange(2 * n, dtype=np.int32) * 7) % n_features
        wide = scipy.sparse.csr_array((np.ones(2 * n), indices, np.arange(0, 2 * n + 1, 2)), shape=(n, n_features))
        labels = np.arange(n) % n_classes
        fitted = model()
        for method in (lambda: fitted.fit(wide, labels), lambda: fitted.predict(wide)):
            tracemalloc.start()
            method()
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < n * n_classes * 8 / 2


class TestGenerating:
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

    def test_perplexity_of_language_models(self):
        model = MultinomialNB(alpha=0).fit([[1, 1, 1, 1], [8, 0, 0, 0]], ["even", "one"])
        X = [[2, 1, 0, 1], [3, 0, 0, 0]]
        np.testing.assert_allclose(model.perplexity(X), [4.0, np.inf])
        np.testing.assert_allclose(model.perplexity(X, ["even", "one"]), [4.0, 1.0])
        np.testing.assert_allclose(model.perplexity(scipy.sparse.csr_array(X[:1]), ["even"]), [4.0, np.nan])
        with pytest.raises(ValueError, match=r"unknown label 'odd'; the classes are \['even', 'one'\]"):
            model.perplexity(X, ["even", "odd"])

    def test_the_joint_is_the_likelihood_and_the_prior(self):
        for model in (MultinomialNB(), BernoulliNB(), GaussianNB(), CategoricalNB()):
            model.fit(X, y)
            expected = model.log_likelihood(X) + model.class_log_prior_
            np.testing.assert_array_equal(model.predict_joint_log_proba(X), expected)


class TestInterruption:
    """An update that fails or is interrupted leaves the model exactly as it was."""

    @pytest.mark.parametrize("moment", ["class_log_prior", "check_alpha", "count_classes"])
    @every_model
    def test_an_interrupted_update_leaves_the_model_as_it_was(self, model, moment, monkeypatch):
        fitted = model().partial_fit(X, y, classes=["ham", "spam"])
        before = dict(vars(fitted))

        def interrupt(*_, **__):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(count, moment, interrupt)
            for update in (
                lambda: fitted.partial_fit(X + 1, y),
                lambda: fitted.fit(pd.DataFrame(np.ones((4, 5)), columns=list("abcde")), y),
            ):
                with pytest.raises(KeyboardInterrupt):
                    update()
        assert vars(fitted).keys() == before.keys()
        assert all(vars(fitted)[name] is value for name, value in before.items())
        fitted.partial_fit(X, y)
        assert fitted.class_count_.tolist() == [4, 4]

    @every_model
    def test_statistics_that_do_not_fit_leave_the_model_as_it_was(self, model):
        fitted = model(class_prior=[0.5, 0.5]).fit(X, y)
        before = dict(vars(fitted))
        with pytest.raises(ValueError, match="Number of priors must match"):
            fitted.set_statistics(model().fit(X, [0, 1, 2, 0]).statistics_)
        assert vars(fitted) == before
