"""Where known terms stand: the kernel finds what Python finds, and what is counted."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all, count_known, locate_known
from textnb.text.spans import places

ANALYZERS = {
    "words": Analyzer(),
    "case": Analyzer(lowercase=False),
    "pairs": Analyzer(ngrams=(1, 2)),
    "triples alone": Analyzer(ngrams=(3, 3)),
    "stop words": Analyzer(ngrams=(1, 3), stop_words=frozenset(["the", "of"])),
    "characters": Analyzer(kind="char", ngrams=(1, 3)),
    "characters of words": Analyzer(kind="char_wb", ngrams=(1, 4)),
    "long characters of words": Analyzer(kind="char_wb", ngrams=(4, 6)),
    "characters without accents": Analyzer(kind="char", ngrams=(1, 2), strip_accents="unicode"),
    "ascii characters of words": Analyzer(kind="char_wb", ngrams=(2, 3), strip_accents="ascii"),
    "stems": Analyzer(stemmer="porter", ngrams=(1, 2)),
}
LEARNED = [
    "The cat of the house sat",
    "cat sat  on\tthe Straße",
    "ΟΔΟΣ İstanbul the cat of",
    "Cats e\u0301te \U0001f600 ok a",
]
texts = st.lists(
    st.one_of(
        st.sampled_from(["The", "cat", "of", "sat", "house", "Straße", "ΟΔΟΣ", "İstanbul", "é", "  ", "\t", "x"]),
        st.characters(),
    ),
    max_size=12,
).map(" ".join)


def occurrences(found) -> Counter:
    """Each id with the places of its units."""
    units = list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))
    runs = zip(found.first.tolist(), found.n_units.tolist(), strict=True)
    return Counter((i, tuple(units[a : a + n])) for i, (a, n) in zip(found.ids.tolist(), runs, strict=True))


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("name", ANALYZERS)
@given(texts)
def test_what_is_located_is_what_python_finds_and_what_is_counted(name, limited, text):
    analyzer = ANALYZERS[name]
    terms, _ = count_all(LEARNED, analyzer)
    keep = np.arange(len(terms)) % 3 > 0
    columns = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32) if limited else None
    if analyzer.is_plain:
        assert terms.probe is not None  # compiled, so that it is used
    found = locate_known(text, analyzer, terms, columns)

    placed = places(analyzer, text)
    ids = terms.find(placed.terms)
    ids = ids if columns is None else np.where(ids < 0, -1, columns[ids])
    expected = type(found)(ids, placed.first, placed.n_units, placed.starts, placed.ends)
    assert occurrences(found) == occurrences(expected)

    rows, outside = count_known([text], analyzer, terms, columns)
    assert Counter(found.ids[found.ids >= 0].tolist()) == dict(
        zip(rows.indices.tolist(), rows.data.tolist(), strict=True)
    )
    assert (found.ids < 0).sum() == outside[0]


def test_spans_are_grouped_by_id():
    found = locate_known("cat sat, CAT!", Analyzer(), count_all(["cat dog sat"], Analyzer())[0])
    assert found.spans(3) == [((0, 3), (9, 12)), (), ((4, 7),)]


def test_units_that_are_not_there_are_refused():
    from textnb.compiled import compiled_kernel

    if (kernel := compiled_kernel()) is None:
        pytest.skip("the kernel is not compiled")
    one = np.array([0])
    for first, n_units in ((0, 2), (1, 1), (-1, 1), (0, 0)):
        with pytest.raises(IndexError, match="not there"):
            kernel.spans_by_id(one, np.array([first]), np.array([n_units]), one, one, 1)
    with pytest.raises(ValueError):
        kernel.spans_by_id(np.array([-1]), one, one, one, one, 1)


def test_names_of_a_compiled_lookup_are_those_of_the_table():
    for analyzer in (Analyzer(), Analyzer(ngrams=(1, 3))):
        terms, _ = count_all(LEARNED, analyzer)
        wanted = np.arange(len(terms))[::-2]
        before = terms.strings(wanted)
        assert terms.probe is not None
        assert terms.strings(wanted) == before
        with pytest.raises(IndexError, match="out of range"):
            terms.strings(np.array([len(terms)]))


def test_forged_words_of_ngrams_have_no_names():
    from kernel_tables import ngrams_to_arrays

    from textnb.compiled import compiled_kernel

    if (kernel := compiled_kernel()) is None:
        pytest.skip("the kernel is not compiled")
    blob, offsets, starts, rest = ngrams_to_arrays(["cat", "cat sat", "sat"], 1)
    rest[1] = 2**31 - 1
    probe = kernel.Probe(blob, offsets, starts, rest)
    assert kernel.probe_strings(probe, np.array([0, 2])) == ["cat", "sat"]
    with pytest.raises(ValueError, match="a word of n-gram 1 is out of range"):
        kernel.probe_strings(probe, np.array([1]))


def test_what_is_no_text_is_refused():
    from textnb.compiled import compiled_kernel

    if (kernel := compiled_kernel()) is None:
        pytest.skip("the kernel is not compiled")
    probe = count_all(LEARNED, Analyzer())[0].probe
    for wrong in (b"cat", None, 3):
        with pytest.raises(TypeError):
            kernel.locate_known(wrong, probe, None, "word", 1, 1, True, None)
