"""The lecture notes' worked examples of categorical, Gaussian and mixed naive Bayes: data in, their numbers out."""

import numpy as np
import pytest
import sklearn.naive_bayes
from sklearn.datasets import load_iris
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import make_pipeline

from textnb import BernoulliNB, CategoricalNB, CountVectorizer, GaussianNB, MixedNB, MultinomialNB
from textnb.model.decision import log_posterior
from textnb.statistics.categories import CategoryCounts, as_objects

EXAM = [
    ("C", "No", 0, "Positive"),
    ("A", "Yes", 1, "Positive"),
    ("B", "Yes", 0, "Negative"),
    ("B", "Yes", 0, "Negative"),
    ("A", "No", 1, "Positive"),
    ("C", "No", 1, "Negative"),
    ("B", "Yes", 1, "Positive"),
]
GOING_OUT = [
    *[("sunny", "working", "go-out")] * 4,
    ("rainy", "broken", "go-out"),
    *[("rainy", "broken", "stay-home")] * 3,
    ("sunny", "working", "stay-home"),
    ("sunny", "broken", "stay-home"),
]
TENNIS = [
    ("Sunny", "Hot", "High", "Weak", "No"),
    ("Sunny", "Hot", "High", "Strong", "No"),
    ("Overcast", "Hot", "High", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Weak", "Yes"),
    ("Rain", "Cool", "Normal", "Weak", "Yes"),
    ("Rain", "Cool", "Normal", "Strong", "No"),
    ("Overcast", "Cool", "Normal", "Strong", "Yes"),
    ("Sunny", "Mild", "High", "Weak", "No"),
    ("Sunny", "Cool", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "Normal", "Weak", "Yes"),
    ("Sunny", "Mild", "Normal", "Strong", "Yes"),
    ("Overcast", "Mild", "High", "Strong", "Yes"),
    ("Overcast", "Hot", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Strong", "No"),
]
TEMPERATURE = {
    "Yes": [25.2, 19.3, 18.5, 21.7, 20.1, 24.3, 22.8, 23.1, 19.8],
    "No": [27.3, 30.1, 17.4, 29.5, 15.1],
}
CUSTOMERS = [
    (500, "No", "N"),
    (1980, "Yes", "Y"),
    (60, "No", "N"),
    (2810, "Yes", "Y"),
    (1400, "No", "N"),
    (300, "No", "N"),
    (2000, "Yes", "Y"),
    (940, "No", "N"),
    (1630, "No", "Y"),
    (2170, "Yes", "Y"),
]
BUYERS = [
    (52, "Indian", "Male", 11500, "Not Buy"),
    (22, "Chinese", "Female", 6500, "Buy"),
    (30, "Chinese", "Male", 8000, "Buy"),
    (26, "Malay", "Male", 8500, "Buy"),
    (27, "Indian", "Female", 6500, "Buy"),
    (32, "Chinese", "Female", 9500, "Not Buy"),
    (33, "Indian", "Male", 4000, "Not Buy"),
    (50, "Malay", "Female", 10000, "Buy"),
    (31, "Chinese", "Female", 5500, "Buy"),
    (27, "Malay", "Male", 9200, "Not Buy"),
]
VOTERS = [
    (1, 50.0, "OK", "Beyonce"),
    (0, 173.0, "CA", "Beyonce"),
    (1, 80.0, "NJ", "Borat"),
    (1, 150.0, "WA", "Beyonce"),
    (0, 25.0, "WV", "Kanye West"),
    (1, 85.0, "IL", "Beyonce"),
]


def split(rows):
    """Features and labels; the label is the last column."""
    return [list(row[:-1]) for row in rows], [row[-1] for row in rows]


def probability(model, column, category, label):
    """P(category | label) in a column of a categorical model."""
    c, m = model.classes_.tolist().index(label), model.categories_[column].tolist().index(category)
    return np.exp(model.feature_log_prob_[column][c, m])


def test_row_1_exam_of_may_2019():
    model = CategoricalNB(alpha=0).fit(*split(EXAM))
    joint = np.exp(model.predict_joint_log_proba([["B", "Yes", 1]]))
    assert model.classes_.tolist() == ["Negative", "Positive"]
    np.testing.assert_allclose(joint, [[0.063492, 0.053571]], atol=5e-7)
    assert model.predict([["B", "Yes", 1]]) == "Negative"


def test_row_2_weather_and_car():
    model = CategoricalNB(alpha=0).fit(*split(GOING_OUT))
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.5, 0.5])
    expected = {
        (0, "sunny", "go-out"): 4 / 5,
        (1, "working", "go-out"): 4 / 5,
        (0, "sunny", "stay-home"): 2 / 5,
        (1, "working", "stay-home"): 1 / 5,
        (0, "rainy", "stay-home"): 3 / 5,
        (1, "broken", "stay-home"): 4 / 5,
    }
    for key, value in expected.items():
        assert probability(model, *key) == pytest.approx(value, rel=1e-12)


def test_row_3_play_tennis():
    model = CategoricalNB(alpha=0).fit(*split(TENNIS))
    row = [["Sunny", "Cool", "High", "Strong"]]
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(row)), [[0.0205714, 0.0052910]], atol=5e-8)
    assert model.predict(row) == "No"


@pytest.mark.parametrize("p", [None, 1 / 3, [[1 / 3, 1 / 3, 1 / 3]]])
def test_row_4_m_estimate(p):
    """The slide prints 1/6, 5/6 and 5/6, which do not even add up to one; its own formula gives these."""
    X, y = split(TENNIS)
    model = CategoricalNB(m=1, p=p).fit([row[:1] for row in X], y)
    shares = {category: probability(model, 0, category, "No") for category in ("Overcast", "Sunny", "Rain")}
    assert shares == pytest.approx({"Overcast": 1 / 18, "Sunny": 10 / 18, "Rain": 7 / 18}, rel=1e-12)


def test_row_5_cancer_test():
    """The slide rounds on the way, to 0.20745."""
    prior, sensitivity, specificity = 0.008, 0.98, 0.97
    likelihood = np.log([[sensitivity, 1 - specificity]])
    log_prior = np.log([prior, 1 - prior])
    assert np.exp(log_posterior(likelihood + log_prior, log_prior))[0, 0] == pytest.approx(0.208511, abs=5e-7)
    table = np.array([[1 - sensitivity, sensitivity], [specificity, 1 - specificity]]) * [[prior], [1 - prior]]
    shares = CategoryCounts(
        np.array(["cancer", "healthy"]), table.sum(axis=1), (as_objects(["negative", "positive"]),), (table,)
    )
    model = CategoricalNB(alpha=0).set_statistics(shares)
    assert model.predict_proba([["positive"]])[0, 0] == pytest.approx(0.98 * 0.008 / (0.98 * 0.008 + 0.03 * 0.992))
    assert model.predict([["positive"]]) == "healthy"


def test_row_6_temperature():
    """The slide's formula divides by n, its numbers by n − 1."""
    values = [[value] for label in ("Yes", "No") for value in TEMPERATURE[label]]
    model = GaussianNB(ddof=1, var_smoothing=0).fit(values, ["Yes"] * 9 + ["No"] * 5)
    assert model.classes_.tolist() == ["No", "Yes"]
    np.testing.assert_allclose(model.theta_.ravel(), [23.88, 21.6444], atol=5e-5)
    np.testing.assert_allclose(np.sqrt(model.var_).ravel(), [7.089570, 2.353779], atol=5e-7)


def credit(alpha):
    parts = [
        ("balance", GaussianNB(ddof=1, var_smoothing=0), 0),
        ("student", CategoricalNB(alpha=alpha), 1),
    ]
    return MixedNB(parts).fit(*split(CUSTOMERS))


def test_row_7_default_without_smoothing():
    model = credit(alpha=0)
    balance = model.named_parts_["balance"]
    assert balance.theta_[1, 0] == 2118
    assert np.sqrt(balance.var_[1, 0]) == pytest.approx(433.7857, abs=5e-5)
    assert np.exp(balance.log_likelihood([[2080.0]]))[0, 1] == pytest.approx(0.000916154, abs=5e-10)
    assert probability(model.named_parts_["student"], 0, "Yes", "Y") == pytest.approx(4 / 5)
    np.testing.assert_array_equal(model.predict_proba([[2080, "Yes"]]), [[0.0, 1.0]])


def test_row_8_default_with_laplace_smoothing():
    model = credit(alpha=1)
    balance = model.named_parts_["balance"]
    assert balance.theta_[0, 0] == 640
    assert np.sqrt(balance.var_[0, 0]) == pytest.approx(533.6666, abs=5e-5)
    assert np.exp(balance.log_likelihood([[2080.0]]))[0, 0] == pytest.approx(1.96161e-5, abs=5e-11)
    assert model.predict_proba([[2080, "Yes"]])[0, 0] == pytest.approx(0.004264014, abs=5e-10)


def test_row_9_exam_of_january_2019():
    parts = [("people", CategoricalNB(alpha=0), [1, 2]), ("numbers", GaussianNB(ddof=1, var_smoothing=0), [0, 3])]
    model = MixedNB(parts).fit(*split(BUYERS))
    row = [[29, "Malay", "Female", 7800]]
    joint = np.exp(model.predict_joint_log_proba(row))[0]
    assert model.classes_.tolist() == ["Buy", "Not Buy"]
    np.testing.assert_allclose(joint, [1.26453e-6, 8.98758e-8], rtol=5e-6)
    assert model.predict(row) == "Buy"


def test_row_10_candidate_choice():
    parts = [("voted", BernoulliNB(alpha=0), 0), ("income", GaussianNB(), 1), ("state", CategoricalNB(alpha=0), 2)]
    model = MixedNB(parts).fit(*split(VOTERS))
    assert model.classes_.tolist() == ["Beyonce", "Borat", "Kanye West"]
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [4 / 6, 1 / 6, 1 / 6], rtol=1e-12)
    assert np.exp(model.named_parts_["voted"].feature_log_prob_[0, 0]) == pytest.approx(3 / 4, rel=1e-12)
    assert model.named_parts_["income"].theta_[0, 0] == 114.5
    assert probability(model.named_parts_["state"], 0, "OK", "Beyonce") == pytest.approx(1 / 4, rel=1e-12)


def test_row_10_the_kind_of_each_column_is_seen_from_its_values():
    chosen = MixedNB().fit(*split(VOTERS)).named_parts_
    assert {name: type(part) for name, part in chosen.items()} == {
        "flags": BernoulliNB,
        "numbers": GaussianNB,
        "categories": CategoricalNB,
    }


def test_row_11_iris():
    X, y = load_iris(return_X_y=True)
    theirs = sklearn.naive_bayes.GaussianNB().fit(X, y).predict(X)
    ours = GaussianNB().fit(X, y).predict(X)
    np.testing.assert_array_equal(confusion_matrix(y, ours), confusion_matrix(y, theirs))
    np.testing.assert_array_equal(confusion_matrix(y, ours), [[50, 0, 0], [0, 47, 3], [0, 3, 47]])


N_SAMPLES = 100_000


def assert_shares_come_back(found, expected, n):
    """Estimated shares within four standard errors √(p (1 − p) / n) of the true ones."""
    np.testing.assert_array_less(np.abs(found - expected), 4 * np.sqrt(expected * (1 - expected) / n) + 1e-15)


def assert_normal_parameters_come_back(found, expected):
    """Means and variances within four standard errors, σ/√n and σ² √(2/n)."""
    n = found.class_count_[:, np.newaxis]
    np.testing.assert_array_less(np.abs(found.theta_ - expected.theta_), 4 * np.sqrt(expected.var_ / n))
    np.testing.assert_array_less(np.abs(found.var_ - expected.var_), 4 * expected.var_ * np.sqrt(2 / n))


def test_row_20_multinomial_samples_give_the_parameters_back():
    model = MultinomialNB().fit([[5, 1, 0, 2], [0, 3, 7, 1], [1, 1, 1, 9]], ["a", "b", "b"])
    X, y = model.sample(N_SAMPLES, random_state=0, length=7)
    assert (X.sum(axis=1) == 7).all()
    again = MultinomialNB(alpha=0).fit(X, y)
    assert_shares_come_back(np.exp(again.class_log_prior_), np.exp(model.class_log_prior_), N_SAMPLES)
    words = 7 * again.class_count_[:, np.newaxis]
    assert_shares_come_back(np.exp(again.feature_log_prob_), np.exp(model.feature_log_prob_), words)


def test_row_20_bernoulli_samples_give_the_parameters_back():
    model = BernoulliNB().fit([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1]], ["a", "b", "b"])
    X, y = model.sample(N_SAMPLES, random_state=0)
    again = BernoulliNB(alpha=0).fit(X, y)
    rows = again.class_count_[:, np.newaxis]
    assert_shares_come_back(np.exp(again.feature_log_prob_), np.exp(model.feature_log_prob_), rows)


def test_row_20_gaussian_samples_give_the_parameters_back():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    again = GaussianNB().fit(*model.sample(N_SAMPLES, random_state=0))
    assert_shares_come_back(again.class_prior_, model.class_prior_, N_SAMPLES)
    assert_normal_parameters_come_back(again, model)


def test_row_20_categorical_samples_give_the_parameters_back():
    model = CategoricalNB().fit(*split(TENNIS))
    again = CategoricalNB(alpha=0).fit(*model.sample(N_SAMPLES, random_state=0))
    for found, expected in zip(again.feature_log_prob_, model.feature_log_prob_, strict=True):
        assert_shares_come_back(np.exp(found), np.exp(expected), again.class_count_[:, np.newaxis])


def test_row_20_mixed_samples_give_the_parameters_back():
    texts = ["win cash", "win a prize", "lunch at noon", "noon meeting cash"]
    X = [[text, flag, number] for text, flag, number in zip(texts, [1, 1, 0, 1], [3.0, 5.0, 0.0, 1.0], strict=True)]
    parts = [
        ("body", make_pipeline(CountVectorizer(), MultinomialNB()), 0),
        ("flag", BernoulliNB(), 1),
        ("links", GaussianNB(), 2),
    ]
    model = MixedNB(parts).fit(X, ["spam", "spam", "ham", "ham"])
    samples, y = model.sample(N_SAMPLES, random_state=0, length=5)
    again = MixedNB(parts).set_params(body__multinomialnb__alpha=0, flag__alpha=0).fit(samples, y)
    assert_shares_come_back(np.exp(again.class_log_prior_), np.exp(model.class_log_prior_), N_SAMPLES)
    old, new = model.named_parts_, again.named_parts_
    assert_normal_parameters_come_back(new["links"], old["links"])
    rows = new["flag"].class_count_[:, np.newaxis]
    assert_shares_come_back(np.exp(new["flag"].feature_log_prob_), np.exp(old["flag"].feature_log_prob_), rows)
    old_words, new_words = old["body"][-1].feature_log_prob_, new["body"][-1].feature_log_prob_
    assert new["body"][0].vocabulary_ == old["body"][0].vocabulary_
    assert_shares_come_back(np.exp(new_words), np.exp(old_words), 5 * rows)


@pytest.mark.parametrize("binning", ["width", "quantile"])
def test_row_21_a_histogram_is_a_categorical_model_of_the_bins(binning):
    X, y = load_iris(return_X_y=True)
    histogram = CategoricalNB(bins=7, binning=binning).fit(X[::2], y[::2])
    binned = np.empty(X.shape, dtype=int)
    for j, column in enumerate(X[::2].T):
        if binning == "width":
            inner = column.min() + (column.max() - column.min()) * np.arange(1, 7) / 7
        else:
            inner = np.unique(np.quantile(column, np.arange(1, 7) / 7))
        binned[:, j] = np.digitize(X[:, j], inner)
    on_bins = sklearn.naive_bayes.CategoricalNB(min_categories=7).fit(binned[::2], y[::2])
    assert histogram.n_categories_.tolist() == [7, 7, 7, 7]
    np.testing.assert_allclose(histogram.predict_log_proba(X), on_bins.predict_log_proba(binned), rtol=1e-10)
