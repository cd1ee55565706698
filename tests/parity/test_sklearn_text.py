"""scikit-learn's tests of its text vectorizers, passed by textnb's."""

import pytest
import sklearn.feature_extraction.text as theirs
from parity.swap import collected, swapped_module

import textnb
from textnb.text import normalize

REPLACEMENTS = {
    "CountVectorizer": textnb.CountVectorizer,
    "HashingVectorizer": textnb.HashingVectorizer,
    "TfidfTransformer": textnb.TfidfTransformer,
    "TfidfVectorizer": textnb.TfidfVectorizer,
    "strip_accents_ascii": normalize.strip_accents_ascii,
    "strip_accents_unicode": normalize.strip_accents_unicode,
}
# Tests that call scikit-learn's private methods.
EXCEPTIONS = {
    "test_countvectorizer_sort_features_64bit_sparse_indices": "calls _sort_features",
    "test_stop_word_validation_custom_preprocessor": "calls _check_stop_words_consistency",
    "test_vectorizer_stop_words_inconsistent": "calls _check_stop_words_consistency and deletes _stop_words_id",
}

module = swapped_module("sklearn.feature_extraction.tests.test_text", theirs.__name__, REPLACEMENTS)
globals().update(collected(module, EXCEPTIONS))


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_every_name_was_swapped(name):
    assert getattr(module, name) is REPLACEMENTS[name]
    assert getattr(module, name).__module__.startswith("textnb.")


@pytest.mark.parametrize("name", ["CountVectorizer", "HashingVectorizer", "TfidfTransformer", "TfidfVectorizer"])
def test_no_class_inherits_from_its_namesake(name):
    assert not issubclass(REPLACEMENTS[name], getattr(theirs, name))
    assert not any(base.__module__ == theirs.__name__ for base in REPLACEMENTS[name].__mro__)


@pytest.mark.filterwarnings("error")
def test_stop_words_that_the_tokenizer_takes_apart_are_warned_of_once_a_fit():
    vectorizer = textnb.CountVectorizer(stop_words=["you've", "you", "you'll", "AND"])
    with pytest.warns(UserWarning, match=r"generated tokens \['and', 'll', 've'\] not in stop_words"):
        vectorizer.fit(["hello world"])
    vectorizer.transform(["hello world"])  # says nothing
