import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from textnb.text import term_index
from textnb.text.term_index import TermIndex, build_term_arrays, check_term_arrays

TERM = st.text(st.characters(exclude_categories=()), max_size=8) | st.text("ab\0", max_size=3)
TERMS = st.lists(TERM, unique=True).map(sorted)


def index_of(terms):
    return TermIndex(*build_term_arrays(terms).values())


@given(TERMS, st.lists(TERM))
def test_it_finds_what_a_dict_finds(terms, others):
    places = {term: place for place, term in enumerate(terms)}
    wanted = [*others, *terms, *reversed(terms)]
    index = index_of(terms)
    assert len(index) == len(terms)
    found = index.find(wanted)
    assert found.dtype == np.int64
    assert found.tolist() == [places.get(term, -1) for term in wanted]


@given(TERMS)
def test_terms_come_back(terms):
    arrays = build_term_arrays(terms)
    check_term_arrays(**arrays)
    index = TermIndex(*arrays.values())
    assert index.terms() == terms
    assert [index.term(place) for place in range(len(terms))] == terms


@pytest.mark.parametrize("terms", [["b", "a"], ["a", "a"], ["a", "\ue000", "\ud83d\ude00"]])
def test_terms_out_of_order_are_refused(terms):
    with pytest.raises(ValueError, match="sorted and distinct"):
        build_term_arrays(terms)


def test_the_hash_is_fixed():
    """A hash that changed would make every saved vocabulary unreadable."""
    arrays = build_term_arrays(["", "ham", "späm", "\ud800"])
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


class FewHashes:
    """Stands in for blake2b: terms of one length share a hash."""

    def __init__(self, data, digest_size):
        self.data, self.digest_size = data, digest_size

    def digest(self):
        return len(self.data).to_bytes(self.digest_size, "little")


def test_terms_with_equal_hashes_are_told_apart(monkeypatch):
    monkeypatch.setattr(term_index, "blake2b", FewHashes)
    terms = sorted(["a", "b", "c", "aa", "ab", "bb", "abc"])
    arrays = build_term_arrays(terms)
    check_term_arrays(**arrays)
    assert len(set(arrays["hashes"].tolist())) == 3
    wanted = [*terms, "d", "zz", "xyz", "four", ""]
    assert TermIndex(*arrays.values()).find(wanted).tolist() == [0, 1, 2, 3, 4, 5, 6, -1, -1, -1, -1, -1]


def test_a_long_run_of_equal_hashes_is_a_trap(monkeypatch):
    monkeypatch.setattr(term_index, "blake2b", FewHashes)
    arrays = build_term_arrays([f"{number:06}" for number in range(100_000)])
    with pytest.raises(ValueError, match="too many are equal"):
        check_term_arrays(**arrays)
    assert TermIndex(*arrays.values()).find(["000007", "000008"]).tolist() == [7, -1]  # it gives up after eight


def test_a_hash_alone_proves_nothing():
    arrays = build_term_arrays(["ham", "spam"])
    arrays["terms"] = np.frombuffer(b"hamspan", dtype=np.uint8)
    assert TermIndex(*arrays.values()).find(["ham", "spam", "span"]).tolist() == [0, -1, -1]


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("terms", np.frombuffer(b"\xffamspam", dtype=np.uint8), "not UTF-8"),
        ("terms", np.frombuffer(b"ham\xc3\xa4am", dtype=np.uint8), None),
        ("terms", np.frombuffer(b"ha\xc3\xa4pam", dtype=np.uint8), "within a character"),
        ("terms", np.frombuffer(b"zamspam", dtype=np.uint8), "not sorted"),
        ("terms", np.frombuffer(b"hamspa", dtype=np.uint8), "offsets"),
        ("terms", np.zeros(7, dtype=np.float64), "uint8"),
        ("terms", np.zeros((7, 1), dtype=np.uint8), "uint8"),
        ("offsets", np.array([0, 3, 8]), "offsets"),
        ("offsets", np.array([1, 3, 7]), "offsets"),
        ("offsets", np.array([0, 9, 7]), "offsets"),
        ("offsets", np.array([0, -1, 7]), "offsets"),
        ("offsets", np.array([0, 7, 7]), "not sorted"),
        ("offsets", np.array([0, 7]), "length"),
        ("offsets", np.array([0.0, 3.0, 7.0]), "int64"),
        ("hashes", np.array([2, 1], dtype=np.uint64), "hashes"),
        ("hashes", np.array([2], dtype=np.uint64), "length"),
        ("hashes", np.array([1, 2]), "uint64"),
        ("order", np.array([0, 0], dtype=np.int32), "permutation"),
        ("order", np.array([0, 2], dtype=np.int32), "permutation"),
        ("order", np.array([0, -1], dtype=np.int32), "permutation"),
        ("order", np.array([0], dtype=np.int32), "length"),
        ("order", np.array([0, 1]), "int32"),
    ],
)
def test_checking_finds_what_is_wrong(name, values, message):
    arrays = {**build_term_arrays(["ham", "spam"]), name: values}
    if message is None:
        check_term_arrays(**arrays)
    else:
        with pytest.raises(ValueError, match=f"vocabulary is damaged: .*{message}"):
            check_term_arrays(**arrays)


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
    arrays = {**build_term_arrays(["ham", "spam"]), name: values}
    with pytest.raises(ValueError, match="vocabulary is damaged"):
        TermIndex(*arrays.values()).find(["ham", "spam"])


INT64 = st.integers(-3, 12) | st.integers(-(2**63), 2**63 - 1)


@given(st.data())
def test_whatever_the_arrays_hold_a_lookup_ends_with_ids_in_range_or_a_value_error(data):
    terms = ["", "a", "ab", "b"]
    size = data.draw(st.integers(0, 5))
    true_hashes = build_term_arrays(terms)["hashes"].tolist()
    arrays = (
        data.draw(hnp.arrays(np.uint8, st.integers(0, 8), elements=st.sampled_from(b"ab\xc3\xa9"))),
        data.draw(hnp.arrays(np.int64, size + 1, elements=INT64)),
        data.draw(hnp.arrays(np.uint64, size, elements=st.sampled_from(true_hashes))),
        data.draw(hnp.arrays(np.int32, size, elements=st.integers(-2, 6) | st.integers(-(2**31), 2**31 - 1))),
    )
    index = TermIndex(*arrays)
    for lookup in (lambda: index.find(terms), lambda: [index.term(1)], index.terms):
        try:
            found = lookup()
        except ValueError:
            continue
        if isinstance(found, np.ndarray):
            assert ((found >= -1) & (found < size)).all()


def test_overlapping_offsets_are_no_memory_bomb():
    arrays = build_term_arrays([f"{number:05}é" for number in range(30_000)])
    arrays["offsets"] = np.where(np.arange(30_001) % 2, len(arrays["terms"]), 0)
    with pytest.raises(ValueError, match="offsets"):
        TermIndex(*arrays.values()).terms()


def test_an_id_out_of_range_is_refused():
    for term_id in (-1, 2):
        with pytest.raises(ValueError, match="out of range"):
            index_of(["a", "b"]).term(term_id)
