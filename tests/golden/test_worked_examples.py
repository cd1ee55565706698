"""The lecture notes' worked examples: their data in, their numbers out."""

import numpy as np
import pytest
from corpora_for_tests import corpus_or_skip

from textnb import MultinomialNB, TextClassifier
from textnb.likelihood.rules import LinearRule
from textnb.model.decision import log_posterior, most_probable

pytestmark = pytest.mark.filterwarnings("error")


def bag_of_words(text: str, words: list[str]) -> np.ndarray:
    """How often each of the words occurs, (1, n_words)."""
    return np.array([[text.split().count(word) for word in words]])


def language_model(probabilities) -> LinearRule:
    """A unigram language model per class, from word probabilities θ (K, V): log P(string) = Σ_j x_j log θ_cj."""
    theta = np.atleast_2d(probabilities)
    return LinearRule(np.log(theta).T.copy(), np.zeros(len(theta)))


def test_the_probability_of_a_string_under_a_unigram_language_model():
    """P(the boy likes the dog) = 0.2 · 0.01 · 0.02 · 0.2 · 0.01."""
    model = language_model([0.2, 0.01, 0.02, 0.01])
    log_probability = model.log_likelihood(bag_of_words("the boy likes the dog", ["the", "boy", "likes", "dog"]))
    np.testing.assert_allclose(np.exp(log_probability), [[8e-8]], rtol=1e-12)


def test_a_string_too_long_for_its_probability_still_has_a_logarithm():
    model = language_model([0.2, 0.01, 0.02, 0.01])
    thousand_times = 1000 * bag_of_words("the boy likes the dog", ["the", "boy", "likes", "dog"])
    assert 8e-8**1000 == 0
    np.testing.assert_allclose(model.log_likelihood(thousand_times), [[1000 * np.log(8e-8)]], rtol=1e-12)


BLACK_DOG = bag_of_words("the boy likes black dog", ["the", "boy", "likes", "black", "dog"])
CLASS_MODELS = [[0.2, 0.01, 0.0001, 0.0001, 0.0005], [0.2, 0.0001, 0.02, 0.1, 0.01]]


def test_two_classes_as_language_models():
    """P(s | C1) = 1e-14, P(s | C2) = 4e-10: with equal priors the second class."""
    scores = language_model(CLASS_MODELS).log_likelihood(BLACK_DOG)
    np.testing.assert_allclose(np.exp(scores), [[1e-14, 4e-10]], rtol=1e-12)
    equal = np.log([0.5, 0.5])
    assert most_probable(scores + equal, equal).tolist() == [1]
    np.testing.assert_allclose(np.exp(log_posterior(scores + equal, equal)), [[1 / 40001, 40000 / 40001]], rtol=1e-12)


def test_multinomial_naive_bayes_is_one_language_model_per_class():
    """The same two models, learned from 10,000 words of each class; what is not one of the five words is a sixth."""
    words = np.round(np.array(CLASS_MODELS) * 10_000).astype(int)
    X = np.column_stack([words, 10_000 - words.sum(axis=1)])
    model = MultinomialNB(alpha=0, fit_prior=False).fit(X, ["C1", "C2"])
    document = np.column_stack([BLACK_DOG, [[0]]])
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(document)), [[1e-14 / 2, 4e-10 / 2]], rtol=1e-12)
    assert model.predict(document).tolist() == ["C2"]


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0], ids=["none", "Lidstone", "Laplace"])
def test_smoothing(alpha):
    """(N_ci + α) / (N_c + α d), with exact zeros where α = 0 and nothing was counted."""
    counts = np.array([[2, 0, 1, 5], [0, 0, 3, 0]])
    model = MultinomialNB(alpha=alpha).fit(counts, [0, 1])
    expected = [[(n + alpha) / (sum(row) + alpha * 4) for n in row] for row in counts.tolist()]
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), expected, rtol=1e-12)
    posterior = model.predict_proba([[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    np.testing.assert_allclose(posterior.sum(axis=1), 1, rtol=1e-14)
    if alpha == 0:
        assert np.isneginf(model.feature_log_prob_).tolist() == (counts == 0).tolist()
        assert posterior[:2].tolist() == [[1, 0], [0.5, 0.5]]


def test_four_newsgroups():
    """tf-idf and multinomial naive Bayes, alpha 1: 1,148 of 1,432 right; rows true, columns predicted."""
    groups = ["comp.graphics", "sci.space", "soc.religion.christian", "talk.religion.misc"]
    train = corpus_or_skip("20news", subset="train", categories=groups)
    test = corpus_or_skip("20news", subset="test", categories=groups)
    if "with headers" not in train.edition:
        pytest.skip(f"the numbers are those of the edition with headers, not of: {train.edition}")
    classifier = TextClassifier(model="multinomial", weights="tfidf", alpha=1).fit(train.texts, train.labels)
    predicted = classifier.predict(test.texts)
    confusion = [[int(((test.labels == t) & (predicted == p)).sum()) for p in groups] for t in groups]
    assert classifier.classes_.tolist() == groups
    assert confusion == [[344, 13, 32, 0], [6, 364, 24, 0], [1, 5, 392, 0], [4, 12, 187, 48]]
    assert int((test.labels == predicted).sum()) == 1148
