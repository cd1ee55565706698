"""On real corpora our matrices are scikit-learn's, entry by entry, and so are the models' probabilities."""

from functools import cache

import numpy as np
import pytest
import sklearn.feature_extraction.text as their_text
import sklearn.naive_bayes as their_models
from corpora_for_tests import corpus_or_skip

import textnb
from textnb.text import counting


def documents(name, step):
    """Every `step`-th document to fit, and some of the others as unseen ones."""
    corpus = corpus_or_skip(name, **({} if name == "sms-spam" else {"subset": "train"}))
    unseen = corpus_or_skip(name, subset="test").texts if name == "20news" else corpus.texts
    return corpus.texts[::step], unseen[1 :: 10 * step], corpus.labels[::step]


def assert_same_structure(ours, theirs):
    theirs.sort_indices()
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)


def assert_same_counts(ours, theirs):
    assert_same_structure(ours, theirs)
    np.testing.assert_array_equal(ours.data, theirs.data)


def assert_same_weights(ours, theirs):
    """To rounding: a row's norm is added up in another order, and n terms one after the other may be off by n·ε."""
    assert_same_structure(ours, theirs)
    longest = np.diff(ours.indptr).max()
    np.testing.assert_allclose(ours.data, theirs.data, rtol=max(1e-14, longest * np.finfo(np.float64).eps))


def compare(class_name, settings, train, unseen, assert_same):
    ours = getattr(textnb, class_name)(**settings)
    theirs = getattr(their_text, class_name)(**settings)
    found, expected = ours.fit_transform(train), theirs.fit_transform(train)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert_same(found, expected)
    assert_same(ours.transform(unseen), theirs.transform(unseen))


COUNTS = {
    "pairs": {"ngram_range": (1, 2)},
    "characters": {"analyzer": "char", "ngram_range": (2, 3)},
    "characters in words": {"analyzer": "char_wb", "ngram_range": (3, 5)},
    "min_df": {"min_df": 3},
    "min_df as a share": {"min_df": 0.01},
    "max_df": {"max_df": 100},
    "max_df as a share": {"max_df": 0.2, "min_df": 2},
    "few features": {"max_features": 100},
    "many features, of equal count": {"max_features": 5_000},
    "pairs of equal count": {"max_features": 20_000, "ngram_range": (1, 2), "binary": True},
    "binary": {"binary": True},
    "stop words": {"stop_words": "english"},
    "case kept": {"lowercase": False},
    "accents stripped": {"strip_accents": "unicode"},
    "only ASCII": {"strip_accents": "ascii"},
    "own pattern": {"token_pattern": r"(?u)\b\w+\b"},
    "floats": {"dtype": np.float32},
    "given terms": {"vocabulary": ["the", "free", "of", "call now", "film", "absent"], "ngram_range": (1, 2)},
}
TFIDF = {
    "plain": {},
    "sublinear": {"sublinear_tf": True},
    "l1": {"norm": "l1"},
    "without norm": {"norm": None},
    "without idf": {"use_idf": False},
    "pairs, pruned": {"ngram_range": (1, 2), "min_df": 2, "max_features": 10_000},
    "characters": {"analyzer": "char_wb", "ngram_range": (2, 3), "sublinear_tf": True},
    "binary": {"binary": True, "norm": None},
}
# Of how many documents one is taken, where the settings are many.
SAMPLES = {"20news": 16, "sms-spam": 2, "imdb": 50}

corpora = pytest.mark.parametrize("name", SAMPLES)


@pytest.mark.parametrize(("name", "step"), [("20news", 1), ("sms-spam", 1), ("imdb", 8)])
def test_words_are_counted_as_scikit_learn_counts_them(name, step):
    compare("CountVectorizer", {}, *documents(name, step)[:2], assert_same_counts)


@corpora
@pytest.mark.parametrize("settings", COUNTS.values(), ids=COUNTS)
def test_counts_are_scikit_learns(name, settings):
    compare("CountVectorizer", settings, *documents(name, SAMPLES[name])[:2], assert_same_counts)


@corpora
@pytest.mark.parametrize(
    "settings", [{}, {"ngram_range": (1, 2)}, {"analyzer": "char_wb", "ngram_range": (3, 4)}], ids=str
)
def test_counts_are_scikit_learns_without_the_kernel_too(name, settings, monkeypatch):
    monkeypatch.setattr(counting, "kernel_serves", lambda analyzer: False)
    compare("CountVectorizer", settings, *documents(name, SAMPLES[name])[:2], assert_same_counts)


@corpora
@pytest.mark.parametrize("settings", TFIDF.values(), ids=TFIDF)
def test_weights_are_scikit_learns(name, settings):
    compare("TfidfVectorizer", settings, *documents(name, SAMPLES[name])[:2], assert_same_weights)


@cache
def matrices(name, weights):
    train, unseen, labels = documents(name, {"20news": 2, "sms-spam": 1, "imdb": 8}[name])
    vectorizer = textnb.TfidfVectorizer(sublinear_tf=True) if weights == "tf-idf" else textnb.CountVectorizer()
    return vectorizer.fit_transform(train), labels, vectorizer.transform(unseen)


MODELS = {
    "multinomial": ("MultinomialNB", {}),
    "multinomial, little smoothing": ("MultinomialNB", {"alpha": 1e-3, "fit_prior": False}),
    "complement": ("ComplementNB", {}),
    "complement, normed": ("ComplementNB", {"norm": True}),
    "Bernoulli": ("BernoulliNB", {}),
}


@corpora
@pytest.mark.parametrize("weights", ["counts", "tf-idf"])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_probabilities_are_scikit_learns(name, weights, model):
    class_name, settings = model
    X, labels, unseen = matrices(name, weights)
    ours, theirs = (getattr(home, class_name)(**settings).fit(X, labels) for home in (textnb, their_models))
    joint = theirs.predict_joint_log_proba(unseen)
    np.testing.assert_allclose(ours.predict_joint_log_proba(unseen), joint, rtol=1e-10)
    # A log-posterior is a difference of joints, sums of up to 100,000 terms: their rounding is the error to allow for,
    # not the posterior's own size, which can be next to 0.
    np.testing.assert_allclose(
        ours.predict_log_proba(unseen), theirs.predict_log_proba(unseen), rtol=1e-10, atol=1e-12 * np.abs(joint).max()
    )
    np.testing.assert_array_equal(ours.predict(unseen), theirs.predict(unseen))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
