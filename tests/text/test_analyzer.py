"""From text to terms, and from an analyzer to plain settings and back."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from textnb.model.records import from_json, to_json
from textnb.text.analyzer import Analyzer, check_ngram_range, check_stop_words, stop_word_set

ANALYZERS = st.builds(
    Analyzer,
    kind=st.sampled_from(["word", "char", "char_wb"]),
    ngrams=st.sampled_from([(1, 1), (1, 2), (2, 3), (5, 5)]),
    lowercase=st.booleans(),
    strip_accents=st.sampled_from([None, "ascii", "unicode"]),
    tokenizer=st.sampled_from([None, "whitespace", "wordpunct"]),
    token_pattern=st.sampled_from([r"(?u)\b\w\w+\b", r"\w+", r"[a-z]+'?[a-z]*"]),
    stop_words=st.sampled_from([None, frozenset(), frozenset(["the", "of"])]),
    stemmer=st.sampled_from([None, "porter", "snowball-german"]),
)
TEXT = st.text("abTHEe'é  \n", max_size=30)


@given(ANALYZERS, TEXT)
def test_settings_are_plain_and_give_the_same_analyzer(analyzer, text):
    analyzer.check_storable()
    again = from_json(Analyzer, json.loads(json.dumps(to_json(analyzer))))
    assert again == analyzer
    assert list(again(text)) == list(analyzer(text))


@given(ANALYZERS, TEXT)
def test_a_used_analyzer_can_be_pickled(analyzer, text):
    terms = list(analyzer(text))
    again = pickle.loads(pickle.dumps(analyzer))
    assert again == analyzer
    assert list(again(text)) == terms


@given(
    TEXT | st.text(),
    st.sampled_from(["word", "char", "char_wb"]),
    st.sampled_from([(1, 1), (1, 3), (2, 2), (3, 5)]),
    st.booleans(),
    st.sampled_from([None, "ascii", "unicode"]),
)
def test_terms_are_scikit_learns_in_its_order(text, kind, ngrams, lowercase, strip_accents):
    theirs = CountVectorizer(
        analyzer=kind, ngram_range=ngrams, lowercase=lowercase, strip_accents=strip_accents
    ).build_analyzer()
    ours = Analyzer(kind=kind, ngrams=ngrams, lowercase=lowercase, strip_accents=strip_accents)
    assert list(ours(text)) == list(theirs(text))


def shout(text):
    return text.upper()


@pytest.mark.parametrize("part", ["kind", "strip_accents", "preprocessor", "tokenizer", "stemmer"])
def test_a_callable_cannot_be_saved_and_is_named(part):
    analyzer = Analyzer(**{part: shout})
    with pytest.raises(ValueError, match=f"its own callable for {part} cannot be saved: .* holds no code"):
        analyzer.check_storable()


def test_every_callable_is_named():
    with pytest.raises(ValueError, match="for tokenizer, stemmer cannot"):
        Analyzer(tokenizer=str.split, stemmer=shout).check_storable()


def test_stop_words_go_before_stemming():
    analyzer = Analyzer(stop_words=frozenset(["stories"]), stemmer="porter")
    assert list(analyzer("stories, story")) == ["stori"]


def test_pairs_are_of_the_words_that_are_left():
    analyzer = Analyzer(ngrams=(1, 2), stop_words=frozenset(["the"]))
    assert list(analyzer("on the mat")) == ["on", "mat", "on mat"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "sentence"}, "sentence is not a valid .*analyzer; choose one of word, char, char_wb"),
        ({"strip_accents": "latin"}, "Invalid value for \"strip_accents\": 'latin'"),
        ({"tokenizer": "words"}, "unknown tokenizer 'words'"),
        ({"stemmer": "words"}, "unknown stemmer 'words'"),
        ({"ngrams": (2, 1)}, "lower boundary larger than the upper"),
        ({"ngrams": (0, 1)}, "at least one part"),
        ({"ngrams": 2}, r"a pair of numbers such as \(1, 2\), got 2"),
        ({"ngrams": (1, 2, 3)}, "a pair of numbers"),
    ],
)
def test_what_cannot_be_analyzed_is_refused_at_once(settings, message):
    with pytest.raises(ValueError, match=message):
        Analyzer(**settings)


def test_an_ngram_range_is_a_pair_of_whole_numbers():
    assert check_ngram_range([1, 2]) == (1, 2)
    for strange in [(1, 1.5), "12", ("1", "2")]:
        with pytest.raises(ValueError, match="a pair of numbers"):
            check_ngram_range(strange)


def test_stop_words_by_list_and_by_name():
    assert stop_word_set(None) is None
    assert stop_word_set(["a", "b", "a"]) == {"a", "b"}
    assert {"the", "of"} <= stop_word_set("english")
    with pytest.raises(ValueError, match='not a built-in stop list: german; use "english" or pass a list of words'):
        stop_word_set("german")


def test_stop_words_that_the_tokenizer_takes_apart_are_warned_of():
    with pytest.warns(UserWarning, match=r"generated tokens \['ll', 've'\] not in stop_words"):
        check_stop_words(Analyzer(stop_words=frozenset(["you", "you've", "you'll"])))
