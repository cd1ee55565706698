"""Terms as a dict and as the arrays of a file: whichever they are, the same comes of them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.text import sorted_terms
from textnb.text.sorted_terms import SortedTerms
from textnb.text.term_index import TermSubset, build_term_arrays

some = st.sets(st.text(st.sampled_from("ab<\0é中\ud83d\U0001f600"), max_size=3), max_size=8).map(sorted)
form = st.sampled_from(["dict", "arrays"])


def made(terms, form):
    return SortedTerms.of(terms) if form == "dict" else SortedTerms(arrays=build_term_arrays(terms))


def assert_are(found, terms):
    """In both forms."""
    arrays = build_term_arrays(terms)
    assert len(found) == len(terms)
    assert {name: found.arrays[name].tolist() for name in arrays} == {name: arrays[name].tolist() for name in arrays}
    assert {name: found.arrays[name].dtype for name in arrays} == {name: arrays[name].dtype for name in arrays}
    assert list(found.ids.items()) == [(term, i) for i, term in enumerate(terms)]


@given(some, form, some, form)
def test_the_union_says_where_the_terms_of_each_are(these, form, those, other_form):
    joined, mine, theirs = made(these, form).union(made(those, other_form))
    together = sorted({*these, *those})
    assert [together[i] for i in mine] == these
    assert [together[i] for i in theirs] == those
    assert_are(joined, together)


@given(some, some)
def test_many_new_terms_are_joined_as_few_are(these, those):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_terms, "_FEW", 0)
        joined, _, _ = made(these, "arrays").union(made(those, "arrays"))
    assert_are(joined, sorted({*these, *those}))


@given(some, form, st.data())
def test_some_of_them_are_selected(these, form, data):
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(these), max_size=len(these))), dtype=bool)
    assert_are(made(these, form).select(keep), [term for term, kept in zip(these, keep, strict=True) if kept])


@given(some, form, some)
def test_terms_are_found(these, form, those):
    expected = [these.index(term) if term in these else -1 for term in those]
    assert made(these, form).find(those).tolist() == expected


@given(some, some)
def test_terms_are_equal_in_either_form(these, those):
    assert (made(these, "dict") == made(those, "arrays")) == (these == those)
    assert made(these, "dict") != these


@given(some, form)
def test_they_are_pickled(these, form):
    assert_are(pickle.loads(pickle.dumps(made(these, form))), these)


def test_a_union_with_oneself_or_with_nothing_new_is_oneself():
    terms = made(["a", "b"], "arrays")
    assert terms.union(terms)[0] is terms
    assert terms.union(made(["b"], "dict"))[0] is terms
    assert made(["b"], "dict").union(terms)[0] is terms


def test_few_new_terms_are_inserted_without_decoding_the_others(monkeypatch):
    terms = made(["a", "c"], "arrays")
    monkeypatch.setattr("textnb.text.term_index.TermIndex.terms", lambda self: pytest.fail("decoded"))
    joined, mine, theirs = terms.union(made(["b"], "dict"))
    assert (mine.tolist(), theirs.tolist(), len(joined)) == ([0, 2], [1], 3)
    assert joined.select(np.array([True, False, True])).find(["a", "b", "c"]).tolist() == [0, -1, 1]


@given(some, st.data())
def test_a_subset_numbers_the_terms_that_are_left(these, data):
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(these), max_size=len(these))), dtype=bool)
    columns = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
    subset = TermSubset(columns, int(keep.sum()), **build_term_arrays(these))
    left = [term for term, kept in zip(these, keep, strict=True) if kept]
    assert subset.terms() == left
    assert len(subset) == len(left)
    asked = [*these, "unheard"]
    assert subset.find(asked).tolist() == [left.index(term) if term in left else -1 for term in asked]


@pytest.mark.parametrize("columns", [[0, 1], [0, -1, 2], [1, 0, -1], [0, -2, 1], [0, 0, 1], [0.0, 1.0, -1.0]])
def test_columns_that_are_no_numbering_are_refused(columns):
    array = np.array(columns, dtype=np.int32 if isinstance(columns[0], int) else None)
    with pytest.raises(ValueError, match="columns"):
        TermSubset(array, 2, **build_term_arrays(["a", "b", "c"]))
