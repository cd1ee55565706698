"""MixedNB: parts add up, the prior counts once, and a missing value leaves out its own feature."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.naive_bayes
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from textnb import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    CountVectorizer,
    GaussianNB,
    MixedNB,
    MultinomialNB,
    TfidfVectorizer,
)

IRIS, SPECIES = load_iris(return_X_y=True)
MAIL = pd.DataFrame(
    {
        "body": ["win cash now", "cheap cash prize", "lunch at noon", "the noon meeting", "win the prize now"],
        "domain": ["spam.biz", "spam.biz", "work.org", "home.net", "home.net"],
        "n_links": [7.0, 5.0, 0.0, 1.0, 9.0],
        "is_html": [1, 1, 0, 0, 1],
    }
)
LABELS = np.array(["spam", "spam", "ham", "ham", "spam"])


def text_part(vectorizer=None, model=None):
    return ("body", make_pipeline(vectorizer or CountVectorizer(), model or MultinomialNB()), "body")


def mail_parts():
    return [
        text_part(),
        ("sender", CategoricalNB(unknown="smooth"), "domain"),
        ("numbers", GaussianNB(), ["n_links"]),
        ("html", BernoulliNB(), "is_html"),
    ]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_every_check_of_scikit_learn_passes():
    results = check_estimator(MixedNB(), expected_failed_checks={}, on_fail=None)
    names = {status: {r["check_name"] for r in results if r["status"] == status} for status in ("failed", "skipped")}
    assert names == {"failed": set(), "skipped": {"check_array_api_input"}}  # which needs SCIPY_ARRAY_API=1
    assert len(results) > 40


def test_log_likelihoods_add_and_the_prior_counts_once():
    model = MixedNB(mail_parts()).fit(MAIL, LABELS)
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(MAIL["body"])
    expected = (
        MultinomialNB().fit(counts, LABELS).log_likelihood(counts)
        + CategoricalNB(unknown="smooth").fit(MAIL[["domain"]], LABELS).log_likelihood(MAIL[["domain"]])
        + GaussianNB().fit(MAIL[["n_links"]], LABELS).log_likelihood(MAIL[["n_links"]])
        + BernoulliNB().fit(MAIL[["is_html"]], LABELS).log_likelihood(MAIL[["is_html"]])
    )
    np.testing.assert_allclose(model.log_likelihood(MAIL), expected, rtol=1e-12)
    prior = np.log([2 / 5, 3 / 5])
    np.testing.assert_allclose(model.predict_joint_log_proba(MAIL), expected + prior, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(MAIL).sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("model", "theirs", "X"),
    [
        (GaussianNB(), sklearn.naive_bayes.GaussianNB(), IRIS),
        (BernoulliNB(binarize=2.0), sklearn.naive_bayes.BernoulliNB(binarize=2.0), IRIS),
        (MultinomialNB(), sklearn.naive_bayes.MultinomialNB(), IRIS),
        (CategoricalNB(), sklearn.naive_bayes.CategoricalNB(), IRIS.astype(int)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_single_part_is_its_model(model, theirs, X):
    mixed = MixedNB([("all", model, slice(None))]).fit(X, SPECIES)
    np.testing.assert_allclose(mixed.predict_proba(X), theirs.fit(X, SPECIES).predict_proba(X), rtol=1e-9, atol=1e-12)


def test_automatic_parts_are_chosen_by_values():
    table = MAIL.drop(columns="body").assign(empty=[None] * 5, seen=[True, False, True, True, False])
    model = MixedNB().fit(table, LABELS)
    assert {name: type(part) for name, part in model.named_parts_.items()} == {
        "flags[is_html]": BernoulliNB,
        "flags[seen]": BernoulliNB,
        "numbers": GaussianNB,
        "categories": CategoricalNB,
    }
    np.testing.assert_array_equal(model.predict(table), LABELS)
    np.testing.assert_allclose(
        MixedNB().fit(IRIS, SPECIES).predict_proba(IRIS),
        GaussianNB().fit(IRIS, SPECIES).predict_proba(IRIS),
        rtol=1e-10,
    )


@pytest.mark.parametrize("convert", [lambda frame: frame.to_numpy(), lambda frame: frame.to_numpy().tolist()])
def test_arrays_and_lists_give_what_frames_give(convert):
    parts = [(name, estimator, MAIL.columns.get_indexer(np.atleast_1d(c))) for name, estimator, c in mail_parts()[1:]]
    body = ("body", make_pipeline(CountVectorizer(), MultinomialNB()), 0)
    by_position = MixedNB([body, *parts]).fit(convert(MAIL), LABELS)
    by_name = MixedNB(mail_parts()).fit(MAIL, LABELS)
    np.testing.assert_array_equal(by_position.predict_proba(convert(MAIL)), by_name.predict_proba(MAIL))


MISSING = pd.DataFrame(
    {
        "body": ["win cash", None, "lunch at noon", "noon", None],
        "domain": ["spam.biz", "spam.biz", None, "home.net", "home.net"],
        "n_links": [7.0, np.nan, 0.0, 1.0, 9.0],
        "is_html": [1, None, 0, 0, 1],
    }
)


@pytest.mark.parametrize("form", [MISSING, MISSING.convert_dtypes()], ids=["plain", "nullable"])
def test_a_missing_value_leaves_out_its_own_feature(form):
    model = MixedNB(mail_parts()).fit(form, LABELS)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [2 / 5, 3 / 5])
    expected = np.zeros((5, 2))
    for name, estimator, column in mail_parts():
        rows = MISSING[np.atleast_1d(column)[0]].notna().to_numpy()
        X = MISSING.loc[rows, column] if name == "body" else MISSING.loc[rows, np.atleast_1d(column)]
        X = X.astype(float) if name == "html" else X
        alone = clone(estimator).fit(X, LABELS[rows])
        expected[rows] += (
            alone[-1].log_likelihood(alone[:-1].transform(X)) if name == "body" else alone.log_likelihood(X)
        )
    np.testing.assert_allclose(model.log_likelihood(form), expected, rtol=1e-12)


@pytest.mark.parametrize("estimator", [GaussianNB(var_smoothing=0), CategoricalNB(), BernoulliNB()], ids=repr)
def test_a_missing_value_does_not_touch_the_other_columns_of_its_part(estimator):
    table = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1.0]])
    y = [0, 0, 0, 1, 1, 1]
    holes = table.copy()
    holes[2, 0] = holes[3, 1] = np.nan
    whole = MixedNB([("both", estimator, [0, 1])]).fit(holes, y).log_likelihood(holes)
    left = MixedNB([("left", estimator, 0)]).fit(holes, y).log_likelihood(holes)
    right = MixedNB([("right", estimator, 1)]).fit(holes, y).log_likelihood(holes)
    np.testing.assert_allclose(whole, left + right, rtol=1e-12)
    np.testing.assert_allclose([left[2], right[3]], 0.0, atol=1e-15)


def test_a_row_of_nothing_has_the_prior_as_its_posterior():
    model = MixedNB(mail_parts()).fit(MAIL, LABELS)
    nothing = pd.DataFrame([[None] * 4], columns=MAIL.columns)
    np.testing.assert_allclose(model.predict_proba(nothing), [[2 / 5, 3 / 5]])


def test_a_class_may_have_no_value_of_a_part():
    frame = MAIL.assign(body=["win", "cash", None, None, "prize"])
    model = MixedNB(mail_parts()).fit(frame, LABELS)
    assert model.named_parts_["body"][-1].classes_.tolist() == ["ham", "spam"]
    assert np.isfinite(model.predict_proba(frame)).all()


def test_weights_multiply_the_likelihoods_of_parts():
    plain, weighted = MixedNB(mail_parts()), MixedNB(mail_parts(), weights={"body": 0.5, "html": 0})
    body = MixedNB([text_part()]).fit(MAIL, LABELS).log_likelihood(MAIL)
    html = MixedNB([mail_parts()[-1]]).fit(MAIL, LABELS).log_likelihood(MAIL)
    expected = plain.fit(MAIL, LABELS).log_likelihood(MAIL) - 0.5 * body - html
    np.testing.assert_allclose(weighted.fit(MAIL, LABELS).log_likelihood(MAIL), expected, rtol=1e-9)


def test_sample_weights_count_as_repetitions():
    repeats = np.array([1, 2, 1, 3, 1])
    weighted = MixedNB(mail_parts()).fit(MAIL, LABELS, sample_weight=repeats)
    repeated = MixedNB(mail_parts()).fit(MAIL.loc[np.repeat(MAIL.index, repeats)], np.repeat(LABELS, repeats))
    np.testing.assert_allclose(weighted.predict_log_proba(MAIL), repeated.predict_log_proba(MAIL), rtol=1e-9)


def test_given_priors():
    model = MixedNB(mail_parts(), priors=[0.9, 0.1]).fit(MAIL, LABELS)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.9, 0.1])
    for priors in ([-0.1, 1.1], [0.5, 0.4], [1.0]):
        with pytest.raises(ValueError, match=r"[Pp]riors"):
            MixedNB(mail_parts(), priors=priors).fit(MAIL, LABELS)


@pytest.mark.parametrize("part", [text_part(model=ComplementNB()), ("n", ComplementNB(), ["n_links"])])
def test_a_complement_model_is_refused_as_a_part(part):
    with pytest.raises(ValueError, match="ComplementNB has no likelihood"):
        MixedNB([part]).fit(MAIL, LABELS)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([("n", GaussianNB(), "links")], "there is no column 'links'; the columns are"),
        ([("n", GaussianNB(), 4)], "there is no column 4"),
        ([("n", GaussianNB(), [])], "part 'n' has no columns"),
        ([("n", GaussianNB(), ["domain"])], "part 'n' needs numbers in column 'domain'"),
        ([("n", GaussianNB())], "a part is \\(name, estimator, columns\\)"),
        ([("a__b", GaussianNB(), "n_links")], "without '__'"),
        ([("priors", GaussianNB(), "n_links")], "no parameter's name"),
        ([("n", GaussianNB(), "n_links"), ("n", BernoulliNB(), "is_html")], "different names"),
        ([("n", sklearn.naive_bayes.GaussianNB(), "n_links")], "must be a naive Bayes model of textnb"),
        ("automatic", "parts must be 'auto' or a list"),
        ([], "parts must be 'auto' or a list"),
    ],
)
def test_parts_that_make_no_sense_are_refused(parts, message):
    with pytest.raises(ValueError, match=message):
        MixedNB(parts).fit(MAIL, LABELS)


def test_weights_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match=r"weights are given for \['other'\], which are no parts"):
        MixedNB(mail_parts(), weights={"other": 2}).fit(MAIL, LABELS)
    with pytest.raises(ValueError, match="weight of part 'html' must be 0 or more"):
        MixedNB(mail_parts(), weights={"html": -1}).fit(MAIL, LABELS)


def test_a_part_without_any_value_is_refused():
    with pytest.raises(ValueError, match="part 'body' has no row without a missing value"):
        MixedNB([text_part()]).fit(MAIL.assign(body=None), LABELS)


def test_sparse_input_is_refused():
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        MixedNB().fit(csr_array(IRIS), SPECIES)


def test_columns_can_be_masks_and_slices():
    expected = MixedNB([("n", GaussianNB(), [0, 2])]).fit(IRIS, SPECIES).predict_proba(IRIS)
    for columns in ([True, False, True, False], slice(0, 4, 2), np.array([0, -2])):
        found = MixedNB([("n", GaussianNB(), columns)]).fit(IRIS, SPECIES).predict_proba(IRIS)
        np.testing.assert_array_equal(found, expected)


def test_columns_in_another_order_are_refused():
    model = MixedNB(mail_parts()).fit(MAIL, LABELS)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(MAIL[MAIL.columns[::-1]])


class TestParameters:
    def test_those_of_parts_are_reached_by_name(self):
        model = MixedNB(mail_parts())
        assert model.get_params()["numbers__ddof"] == 0
        model.set_params(numbers__ddof=1, body__multinomialnb__alpha=0.1, priors=[0.5, 0.5])
        assert model.get_params()["numbers"].ddof == 1
        assert model.parts[0][1][-1].alpha == 0.1
        assert model.fit(MAIL, LABELS).named_parts_["numbers"].ddof == 1

    def test_a_name_replaces_an_estimator(self):
        model = MixedNB(mail_parts()).set_params(numbers=GaussianNB(var_smoothing=0.5), html__alpha=3)
        assert model.get_params()["numbers__var_smoothing"] == 0.5
        assert model.get_params()["html__alpha"] == 3
        with pytest.raises(ValueError, match="Invalid parameter 'nobody'"):
            model.set_params(nobody__alpha=1)

    def test_clones_are_independent_and_fitting_changes_no_parameter(self):
        model = MixedNB(mail_parts())
        copy = clone(model).set_params(numbers__ddof=1)
        assert model.get_params()["numbers__ddof"] == 0 and copy.get_params()["numbers__ddof"] == 1
        before = repr(model.get_params())
        model.fit(MAIL, LABELS)
        assert repr(model.get_params()) == before
        assert not hasattr(model.parts[2][1], "theta_")

    def test_a_grid_search_over_a_parameter_of_a_part(self):
        search = GridSearchCV(MixedNB([("numbers", GaussianNB(), [0, 1, 2, 3])]), {"numbers__ddof": [0, 1]}, cv=3)
        assert search.fit(IRIS, SPECIES).best_score_ > 0.9

    def test_cross_validation_on_frames_with_text(self):
        X = pd.concat([MAIL] * 4, ignore_index=True)
        assert cross_val_score(MixedNB(mail_parts()), X, np.tile(LABELS, 4), cv=4).mean() == 1.0

    def test_it_survives_pickling(self):
        model = MixedNB(mail_parts()).fit(MAIL, LABELS)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(MAIL), model.predict_proba(MAIL))

    def test_a_failed_fit_leaves_the_old_model(self):
        model = MixedNB(mail_parts()).fit(MAIL, LABELS)
        before = model.predict_proba(MAIL)
        with pytest.raises(ValueError, match="no row"):
            model.fit(MAIL.assign(body=None), LABELS)
        np.testing.assert_array_equal(model.predict_proba(MAIL), before)


class TestPipelines:
    def test_tf_idf_is_allowed_and_cannot_be_sampled(self):
        model = MixedNB([text_part(TfidfVectorizer())]).fit(MAIL, LABELS)
        np.testing.assert_array_equal(model.predict(MAIL), LABELS)
        with pytest.raises(ValueError, match=r"cannot sample part 'body'.*tf-idf"):
            model.sample(3, length=5)

    def test_bernoulli_models_of_text(self):
        model = MixedNB([text_part(model=BernoulliNB())]).fit(MAIL, LABELS)
        np.testing.assert_array_equal(model.predict(MAIL), LABELS)

    def test_pipelines_of_several_columns(self):
        scaled = MixedNB([("numbers", make_pipeline(StandardScaler(), GaussianNB()), [0, 1, 2, 3])]).fit(IRIS, SPECIES)
        plain = GaussianNB().fit(StandardScaler().fit_transform(IRIS), SPECIES)
        np.testing.assert_allclose(
            scaled.predict_proba(IRIS), plain.predict_proba(StandardScaler().fit_transform(IRIS)), rtol=1e-10
        )

    def test_a_fitted_pipeline_can_be_used_by_itself(self):
        body = MixedNB(mail_parts()).fit(MAIL, LABELS).named_parts_["body"]
        assert body.predict(["win cash"]).tolist() == ["spam"]


def test_samples_have_the_form_of_the_table():
    model = MixedNB(mail_parts()).fit(MAIL, LABELS)
    X, y = model.sample(50, random_state=0, length=4)
    assert X.columns.tolist() == MAIL.columns.tolist()
    assert set(X["domain"]) <= set(MAIL["domain"]) and set(X["is_html"]) <= {0, 1}
    assert all(len(text.split()) == 4 for text in X["body"])
    assert set(y) <= {"ham", "spam"}
    array, _ = MixedNB([("n", GaussianNB(), [1])]).fit(IRIS, SPECIES).sample(3, random_state=0)
    assert array.shape == (3, 4) and array[0, 0] is None and isinstance(array[0, 1], float)
    with pytest.raises(ValueError, match="pass length="):
        model.sample(3)


def test_predicting_in_blocks_equals_predicting_at_once(monkeypatch):
    model = MixedNB(mail_parts()).fit(MAIL, LABELS)
    at_once = model.predict(MAIL)
    monkeypatch.setattr("textnb.estimators.base.PREDICTION_BLOCK", 4)
    np.testing.assert_array_equal(model.predict(MAIL), at_once)
