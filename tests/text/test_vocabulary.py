"""Terms keep their numbers; what is no vocabulary is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb import Vocabulary
from textnb.text.vocabulary import UNKNOWN

TERMS = st.lists(st.text(max_size=3))


@given(TERMS, TERMS)
def test_it_only_grows_at_the_end(first, more):
    vocabulary = Vocabulary()
    for term in first:
        vocabulary.add(term)
    before = vocabulary.terms()
    for term in more:
        vocabulary.add(term)
    assert vocabulary.terms() == list(dict.fromkeys([*first, *more]))
    assert vocabulary.terms()[: len(before)] == before


@given(TERMS, TERMS)
def test_terms_are_found_by_number(terms, others):
    vocabulary = Vocabulary(list(dict.fromkeys(terms)))
    expected = [vocabulary.get(term, -1) for term in [*terms, *others]]
    assert vocabulary.find([*terms, *others]).tolist() == expected
    assert all(vocabulary.terms()[i] == term for term, i in vocabulary.items())


def test_adding_says_the_number():
    vocabulary = Vocabulary(["cat", "dog"])
    assert [vocabulary.add(term) for term in ["dog", "fox", "cat", "fox"]] == [1, 2, 0, 2]


def test_ids_of_a_mapping_are_kept_in_any_order():
    vocabulary = Vocabulary({"b": 0, "c": 2, "a": 1})
    assert vocabulary.terms() == ["b", "a", "c"]
    assert vocabulary.add("d") == 3


def test_a_set_is_sorted():
    assert Vocabulary({"c", "a", "b"}).terms() == ["a", "b", "c"]
    assert Vocabulary(frozenset("cab")).terms() == ["a", "b", "c"]


def test_unknown_is_a_column_but_no_term():
    vocabulary = Vocabulary(["cat"], unknown=True)
    assert vocabulary.names() == ["cat", UNKNOWN]
    assert vocabulary.n_columns == 2
    assert len(vocabulary) == 1
    assert UNKNOWN not in vocabulary
    assert vocabulary.find([UNKNOWN]).tolist() == [-1]
    assert Vocabulary(["cat"]).names() == ["cat"]


def test_it_is_a_mapping_equal_to_its_dict():
    vocabulary = Vocabulary(["cat", "dog"])
    assert dict(vocabulary) == {"cat": 0, "dog": 1}
    assert vocabulary == {"cat": 0, "dog": 1}
    assert "dog" in vocabulary
    assert vocabulary["dog"] == 1
    assert repr(vocabulary) == "Vocabulary(2 terms)"
    assert repr(Vocabulary(unknown=True)) == "Vocabulary(0 terms, unknown=True)"


def test_what_it_was_made_from_is_not_changed():
    ids = {"cat": 0}
    Vocabulary(ids).add("dog")
    assert ids == {"cat": 0}


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        (["cat", "dog", "cat"], "Duplicate term in vocabulary: 'cat'"),
        ({"cat": 0, "dog": 0}, "repeated indices"),
        ({"cat": 0, "dog": 2}, "of size 2 doesn't contain index 1"),
        ({"cat": 1, "dog": 2}, "of size 2 doesn't contain index 0"),
        ("cat", "a list or a mapping of terms, got the string 'cat'"),
    ],
)
def test_what_is_no_vocabulary_is_refused(terms, message):
    with pytest.raises(ValueError, match=message):
        Vocabulary(terms)
