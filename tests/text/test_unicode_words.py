"""Words of every script: what they are, and that the kernel and Python cut, count and locate the same ones."""

import re
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb import CountVectorizer, TextClassifier, load
from textnb.compiled import compiled_kernel
from textnb.text.analyzer import Analyzer
from textnb.text.counting import _count_all_in_python, count_all, count_known, locate_known
from textnb.text.spans import places
from textnb.text.unicode_words import class_page, unicode_spans, unicode_words, word_class

TRICKY = (
    "aB1_ '’.,:;·\u0301\u093f\u200d\u200c"
    "\u200b\u00ad日の゛ーテｶﾞก็ําລမ្ក한글שّ״½²Ⅷ🙂👍🏽👩🇫\ufe0f\u202f\n\x00\x01İßΣ\ud800𐐀٣٬"
)
TEXTS = st.lists(st.text(st.sampled_from(TRICKY), max_size=25) | st.text(max_size=15), max_size=5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't panic, it's l’été!", ["Don't", "panic", "it's", "l’été"]),
        ("1,000.5 and 3, 4 or a,b", ["1,000.5", "and", "3", "4", "or", "a", "b"]),
        ("see example.org. U.S.A.", ["see", "example.org", "U.S.A"]),
        ("snake_case, __ and _", ["snake_case", "and"]),
        ("cafe\u0301 e\u0301'e\u0301", ["cafe\u0301", "e\u0301'e\u0301"]),
        ("हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("日本語のテキスト", ["日", "本", "語", "の", "テキスト"]),
        ("ภาษา", ["ภ", "า", "ษ", "า"]),
        ("น้ำ", ["น้", "ำ"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("שלום עולם, كِتَاب", ["שלום", "עולם", "كِتَاب"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("so good 👍🏽👩\u200d💻!", ["so", "good", "👍🏽", "👩\u200d💻"]),
        ("½ x² ٣٬٤", ["½", "x²", "٣٬٤"]),
        ("\u0301 - '' ", []),
    ],
)
def test_words_of_many_scripts(text, words):
    assert unicode_words(text) == words


def test_no_letter_digit_or_symbol_is_lost():
    lost = [
        code
        for code in range(0x11000)
        if unicodedata.category(chr(code)) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Nd", "No", "So")
        and unicode_words(f" {chr(code)} ") != [chr(code)]
    ]
    assert lost == []


def test_a_page_has_the_classes_of_its_characters():
    assert class_page(0x4E).decode() == "S" * 256
    assert class_page(3).decode() == "".join(word_class(0x300 + i) for i in range(256))


@given(st.text(st.sampled_from(TRICKY), max_size=30) | st.text(max_size=30))
def test_marks_stay_with_their_letters(text):
    spans = unicode_spans(text)
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    for _, end in spans:
        assert end == len(text) or word_class(ord(text[end])) not in "MJ"


def test_time_is_linear():
    for part in ("_", "'", "a'", "a\u0301", "👍\u200d", "1,"):
        assert len("".join(unicode_words(part * 200_000))) <= 400_000  # a quadratic way would take hours


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 3)])
@pytest.mark.parametrize("tokenizer", ["unicode", "punctuation"])
@given(texts=TEXTS, lowercase=st.booleans(), seed=st.integers(0, 3))
@example(texts=["a'b a' 'b A_'a 1.a a.1 _ __a"], lowercase=True, seed=0)
@example(texts=["İ'x ΑΣ'Σ", "\x01 a\x01b \x00"], lowercase=True, seed=1)
@settings(max_examples=150, deadline=None)
def test_the_kernel_counts_and_locates_what_python_finds(tokenizer, ngrams, texts, lowercase, seed):
    analyzer = Analyzer(tokenizer=tokenizer, ngrams=ngrams, lowercase=lowercase)
    assert analyzer.is_plain
    terms, rows = count_all(texts, analyzer)
    expected_terms, expected = _count_all_in_python(texts, analyzer)
    assert terms.strings() == expected_terms.strings() == sorted(expected_terms.strings())
    assert np.array_equal(rows.toarray(), expected.toarray())

    keep = np.random.default_rng(seed).random(len(terms)) < 0.7
    columns = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
    if len(terms) and compiled_kernel() is not None:
        assert terms.probe is not None  # compiled, so that it is used
    known, outside = count_known(texts, analyzer, terms, columns, int(keep.sum()))
    assert np.array_equal(known.toarray(), expected.toarray()[:, keep])
    assert np.array_equal(outside, expected.toarray()[:, ~keep].sum(axis=1))
    for text in texts:
        found, placed = locate_known(text, analyzer, terms, columns), places(analyzer, text)
        at = terms.find(placed.terms)
        assert found.ids.tolist() == np.where(at < 0, -1, columns[at] if len(columns) else -1).tolist()
        for mine, theirs in zip(found[1:], placed[1:], strict=True):
            assert np.array_equal(mine, theirs)


@given(st.text(st.sampled_from(TRICKY), max_size=30) | st.text(max_size=30))
def test_punctuation_is_that_pattern(text):
    by_pattern = CountVectorizer(token_pattern=r"\w+|[^\w\s]", lowercase=False).build_analyzer()
    assert list(Analyzer(tokenizer="punctuation", lowercase=False)(text)) == re.findall(r"\w+|[^\w\s]", text)
    assert list(by_pattern(text)) == re.findall(r"\w+|[^\w\s]", text)


def test_stop_words_are_left_out():
    terms, _ = count_all(["Don't do it."], Analyzer(tokenizer="unicode", stop_words=frozenset(["don't"])))
    assert terms.strings() == ["do", "it"]


@pytest.mark.parametrize("tokenizer", ["unicode", "punctuation"])
def test_a_model_explains_its_words_where_they_stand(tokenizer):
    texts, labels = ["हिन्दी अच्छा!", "good English.", "हिन्दी में", "not good"], ["hi", "en", "hi", "en"]
    why = TextClassifier("multinomial", "counts", tokenizer=tokenizer).fit(texts, labels).explain("Good हिन्दी Good")
    assert {row.term: row.spans for row in why.rows}["good"] == ((0, 4), (12, 16))


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("tokenizer", ["unicode", "punctuation"])
def test_a_file_keeps_the_tokenizer_and_older_readers_refuse_it(tokenizer, compact, tmp_path, monkeypatch):
    texts, labels = ["हिन्दी!", "good day", "हिन्दी में", "not good"], ["hi", "en", "hi", "en"]
    model = TextClassifier("multinomial", "counts", ngrams=(1, 2), tokenizer=tokenizer).fit(texts, labels)
    model.save(tmp_path / "model.tnb", compact=compact)
    opened = load(tmp_path / "model.tnb")
    assert opened.tokenizer == tokenizer
    assert np.array_equal(opened.predict_proba(texts), model.predict_proba(texts))
    monkeypatch.setattr("textnb.storage.header.READER_VERSION", 4)
    with pytest.raises(ValueError, match="written by a newer textnb: needs reader version 5"):
        load(tmp_path / "model.tnb")


def test_files_of_other_tokenizers_are_read_as_before(tmp_path, monkeypatch):
    TextClassifier("multinomial", "counts").fit(["a good day", "no"], ["x", "y"]).save(tmp_path / "model.tnb")
    monkeypatch.setattr("textnb.storage.header.READER_VERSION", 3)
    load(tmp_path / "model.tnb")
