"""Columns by hash: scikit-learn's matrices exactly, without a fit, at any number of threads, in pipelines."""

import pickle

import numpy as np
import pytest
import sklearn.feature_extraction.text as theirs
from corpora_for_tests import corpus_or_skip
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import textnb
from textnb import HashingVectorizer
from textnb.text import documents

TEXTS = ["The cat sat on the mat.", "A dog, a dog!", "", "Größe, ﬁn 中文 中文 😀", "cat\x00 \u2003 ΑΣ mat"]
SETTINGS = {
    "words": {},
    "few columns": {"n_features": 3},
    "one column": {"n_features": 1, "norm": None},
    "most columns": {"n_features": 2**31 - 2},
    "pairs": {"ngram_range": (1, 2), "norm": "l1"},
    "triples without stop words": {"ngram_range": (2, 3), "stop_words": ["the", "on"], "norm": None},
    "stop words": {"stop_words": ["the", "dog"], "lowercase": False},
    "characters": {"analyzer": "char", "ngram_range": (1, 3), "binary": True, "n_features": 50},
    "characters in words": {"analyzer": "char_wb", "ngram_range": (3, 5), "alternate_sign": False},
    "floats": {"dtype": np.float32},
    "whole numbers": {"dtype": np.int32, "norm": None},
    "whole numbers, normed": {"dtype": int, "n_features": 4},
    "unsigned": {"dtype": np.uint8, "alternate_sign": False, "norm": None},
    "truth values": {"dtype": bool, "n_features": 4, "norm": None},
    "terms that cancel each other out, binary": {"n_features": 2, "binary": True, "norm": "l1"},
    "accents stripped": {"strip_accents": "unicode"},
    "own pattern": {"token_pattern": r"\w", "n_features": 30},
    "own tokenizer": {"tokenizer": str.split, "token_pattern": None},
    "own analyzer": {"analyzer": str.split, "norm": None},
    "own analyzer of bytes": {"analyzer": lambda text: [text.encode(), b"\xff"]},
}


def assert_same(X, Z):
    assert (type(X), X.shape, X.dtype) == (type(Z), Z.shape, Z.dtype)
    for part in ("indptr", "indices", "data"):
        ours, other = getattr(X, part), getattr(Z, part)
        assert ours.dtype == other.dtype
        np.testing.assert_array_equal(ours, other)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_matrices_are_scikit_learns(settings):
    expected = theirs.HashingVectorizer(**settings).transform(TEXTS)
    assert_same(HashingVectorizer(**settings).transform(TEXTS), expected)
    assert_same(HashingVectorizer(**settings, n_jobs=2).fit_transform(iter(TEXTS)), expected)


@pytest.mark.parametrize("settings", [{}, {"ngram_range": (1, 2), "n_features": 1000}], ids=["words", "pairs"])
def test_matrices_of_a_corpus_are_scikit_learns(settings):
    texts = corpus_or_skip("20news", subset="train").texts[::16]
    expected = theirs.HashingVectorizer(**settings).transform(texts)
    for n_jobs in (1, 2):
        assert_same(HashingVectorizer(**settings, n_jobs=n_jobs).transform(texts), expected)


def test_documents_are_taken_in_blocks(monkeypatch):
    whole = HashingVectorizer().transform(TEXTS)
    monkeypatch.setattr(documents, "BLOCK_CHARACTERS", 20)
    assert_same(HashingVectorizer().transform(TEXTS), whole)


def test_parameters_have_scikit_learns_defaults_and_there_are_two_more():
    ours, expected = HashingVectorizer().get_params(), theirs.HashingVectorizer().get_params()
    assert expected.items() <= ours.items()
    assert set(ours) - set(expected) == {"stemmer", "n_jobs"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_features": 0}, "n_features must be a whole number from 1 to 2147483646, got 0"),
        ({"n_features": 2**31 - 1}, "n_features must be a whole number"),
        ({"n_features": 8.0}, r"n_features must be a whole number .* got 8\.0"),
        ({"norm": "max"}, "norm must be one of 'l1', 'l2', got 'max'"),
        ({"input": "url"}, "input must be one of"),
        ({"analyzer": "words"}, "not a valid tokenization scheme"),
        ({"ngram_range": (2, 1)}, "lower boundary larger than the upper boundary"),
        ({"n_jobs": 0}, "n_jobs must be a number of threads"),
        ({"dtype": np.uint8}, "uint8 has no negative numbers: set alternate_sign=False"),
    ],
)
def test_wrong_parameters_are_refused_in_fit_and_in_transform(settings, message):
    for call in ("fit", "partial_fit", "transform", "fit_transform"):
        with pytest.raises(ValueError, match=message):
            getattr(HashingVectorizer(**settings), call)(TEXTS)


def test_no_documents_are_refused_and_no_stop_iteration_escapes():
    """scikit-learn's says so only of an empty result: of an empty list it raises StopIteration."""
    for nothing in ([], iter([])):
        with pytest.raises(ValueError, match="Cannot vectorize empty sequence"):
            HashingVectorizer().transform(nothing)


@pytest.mark.parametrize(
    ("analyzer", "error", "message"),
    [
        (lambda text: text, ValueError, "Samples can not be a single string"),
        (lambda text: [1], TypeError, "feature names must be strings, got int: 1"),
    ],
)
def test_an_analyzer_must_give_strings(analyzer, error, message):
    with pytest.raises(error, match=message):
        HashingVectorizer(analyzer=analyzer).transform(TEXTS)


def test_terms_with_lone_surrogates_have_no_hash():
    """As in scikit-learn: their UTF-8 does not exist. Where they separate words, nothing is wrong."""
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        HashingVectorizer(analyzer="char").transform(["fine", "a\ud800b"])
    separated = HashingVectorizer().transform(["two\ud800words"])
    assert_same(separated, HashingVectorizer().transform(["two words"]))


def test_stop_words_that_the_tokenizer_takes_apart_are_warned_of():
    with pytest.warns(UserWarning, match="generated tokens"):
        HashingVectorizer(stop_words=["you've"]).transform(TEXTS)


def test_mail_stems_and_named_tokenizers_are_hashed_too():
    vectorizer = HashingVectorizer(stemmer="porter", tokenizer="punctuation", norm=None, alternate_sign=False)
    assert sorted(vectorizer.transform(["cats! cat"]).data) == [1, 2]
    message = "Subject: cheap pills\n\nbuy now"
    counted = textnb.CountVectorizer(analyzer="mail").fit_transform([message])
    hashed = HashingVectorizer(analyzer="mail", norm=None, alternate_sign=False).transform([message])
    assert sorted(hashed.data) == sorted(counted.data)


def test_it_works_in_pipelines_and_is_cloned_and_pickled():
    labels = ["cat", "dog", "cat", "other", "cat"]
    for model in (textnb.MultinomialNB(), textnb.ComplementNB(), textnb.BernoulliNB()):
        pipeline = make_pipeline(HashingVectorizer(alternate_sign=False, n_features=64, ngram_range=(1, 2)), model)
        pipeline.fit(TEXTS, labels)
        expected = pipeline.predict_proba(TEXTS)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(pipeline)).predict_proba(TEXTS), expected)
        np.testing.assert_array_equal(clone(pipeline).fit(TEXTS, labels).predict_proba(TEXTS), expected)
