"""Where terms stand: every occurrence names its places in the original text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.text.analyzer import Analyzer
from textnb.text.spans import places, words

ANALYZERS = {
    "words": Analyzer(),
    "case": Analyzer(lowercase=False),
    "pairs": Analyzer(ngrams=(1, 3)),
    "stop words": Analyzer(ngrams=(1, 2), stop_words=frozenset(["the", "of"])),
    "characters": Analyzer(kind="char", ngrams=(1, 4)),
    "characters of words": Analyzer(kind="char_wb", ngrams=(1, 5)),
    "unicode": Analyzer(strip_accents="unicode", ngrams=(1, 2)),
    "ascii": Analyzer(strip_accents="ascii"),
    "ascii characters": Analyzer(kind="char", strip_accents="ascii", ngrams=(2, 3)),
    "stems": Analyzer(stemmer="porter", ngrams=(1, 2)),
    "group": Analyzer(token_pattern=r"(\w)\w*"),
    "slow pattern": Analyzer(token_pattern=r"(?:\w+)+!?"),
    **{name: Analyzer(tokenizer=name) for name in ("toktok", "treebank", "tweet", "whitespace", "wordpunct")},
}
HARD = 'Café İstanbul ΟΔΟΣ don\'t &amp; go "quoted"\n\n  x | y\tz & Straße ﬁne e\u0301te\u0301 ½23 <UNK> \u202e\x00 ǅ'
texts = st.text(st.one_of(st.sampled_from(sorted(set(HARD))), st.characters()), max_size=60)


def spans_of(found):
    """Of each term, from the start of its first unit to the end of its last; None where it stands nowhere."""
    runs = zip(found.first.tolist(), found.n_units.tolist(), strict=True)
    return [(int(found.starts[i]), int(found.ends[i + n - 1])) if n else None for i, n in runs]


@pytest.mark.parametrize("name", ANALYZERS)
@given(texts)
def test_the_terms_are_the_analyzers_own_and_stand_in_the_text(name, text):
    analyzer = ANALYZERS[name]
    found = places(analyzer, text)
    assert found.terms == list(analyzer(text))
    assert len(found.terms) == len(found.first) == len(found.n_units)
    assert (found.starts >= 0).all()
    assert (found.starts < found.ends).all()
    assert (found.ends <= len(text)).all()
    assert (found.first + found.n_units <= len(found.starts)).all()
    assert (np.diff(found.starts) >= 0).all()


REPEATABLE = (
    *("words", "case", "pairs", "stop words", "characters", "characters of words", "unicode", "ascii", "stems"),
    *("whitespace", "wordpunct"),
)


@pytest.mark.parametrize("name", REPEATABLE)
@given(texts)
def test_a_span_analysed_again_gives_its_term(name, text):
    analyzer = ANALYZERS[name]
    found = places(analyzer, text)
    for term, span in zip(found.terms, spans_of(found), strict=True):
        if span is None:
            assert not term.strip()
        elif not {"İ", "Σ"} & set(text):  # whose lower case is two characters, or depends on its neighbours
            assert term in analyzer(text[slice(*span)])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("unicode", {"cafe": "Café", "istanbul": "İstanbul", "fine": "ﬁne", "ete": "e\u0301te\u0301", "223": "½23"}),
        ("words", {"οδος": "ΟΔΟΣ", "straße": "Straße", "stanbul": "stanbul"}),
        ("tweet", {"&": "&amp;", "don't": "don't"}),
        ("treebank", {"do": "do", "n't": "n't", "``": '"', "''": '"'}),
        ("toktok", {"&#124;": "|", "&#9;": "\t"}),
        ("stems", {"quot": "quoted", "quot straß": None}),
    ],
)
def test_places_in_the_original(name, expected):
    found = {}
    placed = places(ANALYZERS[name], HARD)
    for term, span in zip(placed.terms, spans_of(placed), strict=True):
        found.setdefault(term, HARD[slice(*span)])
    assert {term: found.get(term) for term in expected} == expected


def test_an_ngram_is_a_run_of_its_words():
    text = "The cat of the house"
    found = places(ANALYZERS["stop words"], text)
    assert found.terms == ["cat", "house", "cat house"]
    assert (found.first[-1], found.n_units[-1]) == (0, 2)
    assert [text[start:end] for start, end in zip(found.starts, found.ends, strict=True)] == ["cat", "house"]
    assert text[slice(*spans_of(found)[-1])] == "cat of the house"


def test_terms_of_a_preprocessor_of_ones_own_stand_nowhere():
    assert spans_of(places(Analyzer(preprocessor=lambda text: text[::-1]), "abc def")) == [None, None]
    assert spans_of(places(Analyzer(kind=str.split), "abc def")) == [None, None]


def test_words_are_what_people_see():
    assert [word for word, _ in words(ANALYZERS["pairs"], "The cat, the CAT")] == ["the", "cat", "the", "cat"]
    assert words(ANALYZERS["characters"], "A  cat!")[1] == ("cat!", (3, 7))
