"""Terms as bytes: whatever their form, with the kernel and without it, they do what sorted lists of strings do."""

import pickle
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from without_kernel import without_kernel

from textnb.text import terms as terms_module
from textnb.text.ngram_terms import NGRAM_ARRAYS, NgramTerms, terms_from_arrays
from textnb.text.terms import STRING_ARRAYS, ObjectTerms, Terms

ANY = st.text(st.characters(exclude_categories=()), max_size=8) | st.text("ab\0 ", max_size=3)
WORD = st.text(st.sampled_from("abé中\ud83d\U0001f600_"), min_size=1, max_size=3)
STRINGS = st.lists(ANY, unique=True, max_size=12).map(sorted)
NGRAMS = st.lists(st.lists(WORD, min_size=1, max_size=3).map(" ".join), unique=True, max_size=12).map(sorted)
KERNEL = st.sampled_from([nullcontext, without_kernel])
FORMS = {"strings": Terms.of, "ngrams": lambda strings: NgramTerms.of(strings, 3), "objects": ObjectTerms}
form = st.sampled_from(sorted(FORMS))


def assert_same(table, strings):
    """The table is what making it of these strings gives, array by array."""
    made = Terms.of(strings) if isinstance(table, Terms) else NgramTerms.of(strings, 3)
    assert table.strings() == strings
    assert len(table) == len(strings)
    for name, array in made.arrays().items():
        np.testing.assert_array_equal(table.arrays()[name], array, err_msg=name)
        assert table.arrays()[name].dtype == array.dtype, name
    table.check()


@given(KERNEL, STRINGS, st.lists(ANY))
def test_strings_are_found_as_in_a_dict(kernel, strings, others):
    places = {term: place for place, term in enumerate(strings)}
    wanted = [*others, *strings, *reversed(strings)]
    with kernel():
        found = Terms.of(strings).find(wanted)
    assert found.dtype == np.int64
    assert found.tolist() == [places.get(term, -1) for term in wanted]


@given(KERNEL, form, NGRAMS, NGRAMS)
def test_ngrams_are_found_as_in_a_dict(kernel, form, strings, others):
    places = {term: place for place, term in enumerate(strings)}
    wanted = [*others, *strings, "", " ", "ab", "a  b", "a b c a b", 7, None]
    with kernel():
        assert FORMS[form](strings).find(wanted).tolist() == [places.get(term, -1) for term in wanted]


@given(KERNEL, STRINGS)
def test_strings_come_back(kernel, strings):
    with kernel():
        assert_same(Terms.of(strings), strings)
        for table in (Terms.of(strings), ObjectTerms(strings)):
            assert table.strings(np.arange(len(strings))[::2]) == strings[::2]


@given(KERNEL, NGRAMS)
def test_ngrams_come_back(kernel, strings):
    with kernel():
        table = NgramTerms.of(strings, 3)
        assert_same(table, strings)
        assert table.strings(np.arange(len(strings))[::2]) == strings[::2]
        assert list(table.numbers().items()) == [(string, i) for i, string in enumerate(strings)]


@given(KERNEL, form, NGRAMS, form, NGRAMS)
def test_tables_are_located_in_each_other_and_joined(kernel, form, strings, other_form, others):
    with kernel():
        table, other = FORMS[form](strings), FORMS[other_form](others)
        places = {term: place for place, term in enumerate(strings)}
        assert table.locate(other).tolist() == [places.get(term, -1) for term in others]
        joined, mine, theirs = table.union(other)
        together = sorted({*strings, *others})
        assert [together[i] for i in mine] == strings
        assert [together[i] for i in theirs] == others
        assert joined.strings() == together
        if form == other_form != "objects":
            assert_same(joined, together)


@given(KERNEL, STRINGS, STRINGS, st.booleans())
def test_a_joined_index_is_that_of_all_strings(kernel, strings, others, indexed):
    with kernel():
        table = Terms.of(strings)
        if indexed:
            table.arrays()
        joined, _, _ = table.union(Terms.of(others))
        assert_same(joined, sorted({*strings, *others}))


@given(KERNEL, form, NGRAMS, st.data())
def test_terms_can_be_selected(kernel, form, strings, data):
    keep = data.draw(hnp.arrays(bool, len(strings)))
    with kernel():
        table = FORMS[form](strings)
        if data.draw(st.booleans()) and form != "objects":
            table.arrays()
        selected = table.select(keep)
        kept = [term for term, wanted in zip(strings, keep, strict=True) if wanted]
        assert selected.strings() == kept
        if form != "objects":
            assert_same(selected, kept)


@given(form, NGRAMS, NGRAMS)
def test_equal_tables_have_equal_terms(form, strings, others):
    assert (FORMS[form](strings) == FORMS[form](others)) == (strings == others)


@given(form, NGRAMS)
def test_they_pickle_as_they_are(form, strings):
    table = FORMS[form](strings)
    table.find(["a"])
    assert pickle.loads(pickle.dumps(table)) == table


def test_the_same_table_is_not_searched(monkeypatch):
    table = Terms.of(["ham", "spam"])
    monkeypatch.setattr(Terms, "_search", lambda *_: pytest.fail("searched"))
    assert table.locate(table).tolist() == [0, 1]
    joined, mine, theirs = table.union(table)
    assert joined is table
    assert (mine.tolist(), theirs.tolist()) == ([0, 1], [0, 1])


@pytest.mark.parametrize("strings", [["b", "a"], ["a", "a"], ["a", "\ue000", "\ud83d\ude00"]])
def test_strings_out_of_order_are_refused(strings):
    with pytest.raises(ValueError, match="sorted and distinct"):
        Terms.of(strings)


@pytest.mark.parametrize("strings", [["a  b"], [" a"], [""], ["a\tb"], ["a b c d"]])
def test_what_words_cannot_tell_apart_has_no_compact_form(strings):
    assert NgramTerms.of(strings, 3) is None


@pytest.mark.parametrize("kernel", [nullcontext, without_kernel])
def test_the_hash_is_fixed(kernel):
    """A hash that changed would make every saved vocabulary unreadable."""
    with kernel():
        arrays = Terms.of(["", "ham", "späm", "\ud800"]).arrays()
    assert {name: array.dtype.str for name, array in arrays.items()} == {
        "terms": "|u1",
        "offsets": "<i8",
        "hashes": "<u8",
        "order": "<i4",
    }
    assert arrays["terms"].tobytes() == b"hamsp\xc3\xa4m\xed\xa0\x80"
    assert arrays["offsets"].tolist() == [0, 0, 3, 8, 11]
    assert arrays["hashes"].tolist() == [
        7497787021708494914,
        9909399948088910044,
        13020603013274838756,
        13464462690511393911,
    ]
    assert arrays["order"].tolist() == [3, 1, 0, 2]


def test_ngrams_are_their_words_ids():
    arrays = NgramTerms.of(["big cat", "cat", "cat big", "cat big cat"], 3).arrays()
    assert arrays["terms"].tobytes() == b"bigcat"
    assert arrays["ngram_starts"].tolist() == [0, 1, 4]
    assert arrays["ngram_rest"].tolist() == [[1, -1], [-1, -1], [0, -1], [0, 1]]
    assert arrays["ngram_rest"].dtype == np.int32


class FewHashes:
    """Stands in for blake2b: terms of one length share a hash."""

    def __init__(self, data, digest_size):
        self.data, self.digest_size = data, digest_size

    def digest(self):
        return len(self.data).to_bytes(self.digest_size, "little")


@pytest.fixture
def few_hashes(monkeypatch):
    monkeypatch.setattr(terms_module, "blake2b", FewHashes)
    with without_kernel():
        yield


def test_terms_with_equal_hashes_are_told_apart(few_hashes):
    strings = sorted(["a", "b", "c", "aa", "ab", "bb", "abc"])
    table = Terms.of(strings)
    table.check()
    assert len(set(table.arrays()["hashes"].tolist())) == 3
    wanted = [*strings, "d", "zz", "xyz", "four", ""]
    assert table.find(wanted).tolist() == [0, 1, 2, 3, 4, 5, 6, -1, -1, -1, -1, -1]


@given(st.sets(st.text("ab", max_size=2), max_size=5).map(sorted), st.sets(st.text("ab", max_size=2)).map(sorted))
def test_equal_hashes_keep_the_order_of_their_terms_when_some_are_added(strings, others):
    with pytest.MonkeyPatch.context() as patch, without_kernel():
        patch.setattr(terms_module, "blake2b", FewHashes)
        table = Terms.of(strings)
        table.arrays()
        joined, _, _ = table.union(Terms.of(others))
        expected = Terms.of(sorted({*strings, *others})).arrays()
        assert {name: array.tolist() for name, array in joined.arrays().items()} == {
            name: array.tolist() for name, array in expected.items()
        }


def test_a_long_run_of_equal_hashes_is_a_trap(few_hashes):
    table = Terms.of([f"{number:06}" for number in range(100_000)])
    table.arrays()
    with pytest.raises(ValueError, match="too many are equal"):
        table.check()
    assert table.find(["000007", "000008"]).tolist() == [7, -1]  # it gives up after eight


def from_file(arrays):
    return terms_from_arrays(arrays.__getitem__, arrays)


def test_a_hash_alone_proves_nothing():
    arrays = Terms.of(["ham", "spam"]).arrays()
    arrays["terms"] = np.frombuffer(b"hamspan", dtype=np.uint8)
    assert from_file(arrays).find(["ham", "spam", "span"]).tolist() == [0, -1, -1]


@pytest.mark.parametrize("kernel", [nullcontext, without_kernel])
@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("terms", np.frombuffer(b"\xffamspam", dtype=np.uint8), "not UTF-8"),
        ("terms", np.frombuffer(b"ham\xc3\xa4am", dtype=np.uint8), "hashes are not those of its terms"),
        ("terms", np.frombuffer(b"ha\xc3\xa4pam", dtype=np.uint8), "within a character"),
        ("terms", np.frombuffer(b"zamspam", dtype=np.uint8), "not sorted"),
        ("terms", np.frombuffer(b"hamspa", dtype=np.uint8), "offsets"),
        ("terms", np.zeros(7, dtype=np.float64), "terms is float64"),
        ("terms", np.zeros((7, 1), dtype=np.uint8), "terms is uint8 of shape"),
        ("offsets", np.array([0, 3, 8]), "offsets"),
        ("offsets", np.array([1, 3, 7]), "offsets"),
        ("offsets", np.array([0, 9, 7]), "offsets"),
        ("offsets", np.array([0, -1, 7]), "offsets"),
        ("offsets", np.array([0, 7, 7]), "not sorted"),
        ("offsets", np.array([0, 7]), "length"),
        ("offsets", np.array([], dtype=np.int64), "length"),
        ("offsets", np.array([0.0, 3.0, 7.0]), "offsets is float64"),
        ("hashes", np.array([2, 1], dtype=np.uint64), "hashes"),
        ("hashes", np.array([2], dtype=np.uint64), "length"),
        ("hashes", np.array([1, 2]), "hashes is int64"),
        ("order", np.array([0, 0], dtype=np.int32), "permutation"),
        ("order", np.array([0, 2], dtype=np.int32), "permutation"),
        ("order", np.array([0, -1], dtype=np.int32), "permutation"),
        ("order", np.array([0], dtype=np.int32), "length"),
        ("order", np.array([0, 1]), "order is int64"),
    ],
)
def test_checking_finds_what_is_wrong_with_strings(kernel, name, values, message):
    arrays = {**Terms.of(["ham", "spam"]).arrays(), name: values}
    with kernel(), pytest.raises(ValueError, match=f"vocabulary is damaged: .*{message}"):
        from_file(arrays).check()


def test_comparing_hashes_with_their_terms_can_be_left_out():
    arrays = {**Terms.of(["ham", "spam"]).arrays(), "terms": np.frombuffer(b"ham\xc3\xa4am", dtype=np.uint8)}
    from_file(arrays).check(compare_hashes=False)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("ngram_starts", np.array([0, 1]), "ngram_starts is"),
        ("ngram_starts", np.array([0.0, 1, 4]), "ngram_starts is"),
        ("ngram_starts", np.array([0, 1, 5]), "do not divide"),
        ("ngram_starts", np.array([1, 1, 4]), "do not divide"),
        ("ngram_starts", np.array([0, 5, 4]), "do not divide"),
        ("ngram_starts", np.array([0, 2, 4]), "not sorted"),
        ("ngram_rest", np.array([[1, -1], [-1, -1], [0, -1], [0, 2]], dtype=np.int32), "word that is none"),
        ("ngram_rest", np.array([[1, -1], [-1, -1], [0, -1], [0, -2]], dtype=np.int32), "word that is none"),
        ("ngram_rest", np.array([[1, -1], [-1, 0], [0, -1], [0, 1]], dtype=np.int32), "word that is none"),
        ("ngram_rest", np.array([[1, -1], [-1, -1], [0, -1], [0, -1]], dtype=np.int32), "not sorted"),
        ("ngram_rest", np.array([[1, -1], [-1, -1], [0, -1], [0, 1]]), "ngram_rest is"),
        ("ngram_rest", np.zeros((4, 0), dtype=np.int32), "ngram_rest is"),
        ("ngram_rest", np.zeros(4, dtype=np.int32), "ngram_rest is"),
    ],
)
def test_checking_finds_what_is_wrong_with_ngrams(name, values, message):
    arrays = {**NgramTerms.of(["big cat", "cat", "cat big", "cat big cat"], 3).arrays(), name: values}
    with pytest.raises(ValueError, match=f"vocabulary is damaged: .*{message}"):
        from_file(arrays).check()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("terms", np.zeros((7, 1), dtype=np.uint8)),
        ("offsets", np.array([0.0, 3.0, 7.0])),
        ("offsets", np.array([0, 7])),
        ("offsets", np.array([100, 103, 107])),
        ("offsets", np.array([-7, -4, 0])),
        ("offsets", np.array([3, 0, 7])),
        ("hashes", np.array([1, 2])),
        ("order", np.array([5, -1], dtype=np.int32)),
        ("order", np.array([0], dtype=np.int32)),
    ],
)
def test_a_lookup_in_broken_arrays_is_a_value_error(name, values):
    arrays = {**Terms.of(["ham", "spam"]).arrays(), name: values}
    with pytest.raises(ValueError, match="vocabulary is damaged"):
        from_file(arrays).find(["ham", "spam"])


@pytest.mark.parametrize("starts", [[0, 9, 4], [-3, 1, 4], [0, 1, 9], [4, 1, 0]])
def test_a_lookup_in_broken_ngrams_is_a_value_error(starts):
    arrays = NgramTerms.of(["big cat", "cat", "cat big", "cat big cat"], 3).arrays()
    arrays["ngram_starts"] = np.array(starts)
    with pytest.raises(ValueError, match="vocabulary is damaged"):
        from_file(arrays).find(["big cat", "cat big"])


@given(st.data())
def test_a_lookup_ends_whatever_the_arrays_hold(data):
    arrays = NgramTerms.of(["big cat", "cat", "cat big", "cat big cat"], 3).arrays()
    for name in data.draw(st.sets(st.sampled_from([*STRING_ARRAYS, *NGRAM_ARRAYS]))):
        array = arrays[name]
        arrays[name] = data.draw(hnp.arrays(array.dtype, array.shape))
    try:
        found = from_file(arrays).find(["big cat", "cat", "cat big", "dog"])
    except ValueError:
        return
    assert ((found >= -1) & (found < 4)).all()


def test_terms_that_are_no_strings_cannot_be_saved():
    with pytest.raises(ValueError, match=r"such as 3, cannot be saved"):
        ObjectTerms([3, 7]).arrays()
