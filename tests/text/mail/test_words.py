"""Text to words: what they are, and that the kernel cuts them as Python does."""

from binascii import b2a_uu

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from without_kernel import without_kernel

from textnb.compiled import compiled_kernel
from textnb.text.mail.words import split_words, text_words

CHARACTERS = "aaabw12_ .:/@,!-<>\t\n\x00\x1c\x7f\x85\xa0\xadéßσ\u0301\u200b\u2019\u2026\u3000\u3002中文\ud800\udfff😀"
TEXTS = st.text(st.sampled_from(CHARACTERS), max_size=80) | st.text(max_size=40) | st.text("ab.:@/", max_size=150)


def words_of(text):
    terms, flags = [], set()
    line = text_words(text, terms, flags)
    return line.split(), sorted("\n".join(terms).split("\n")) if terms else [], flags


@given(TEXTS, st.sampled_from([0, 1, 3, 1000]), st.booleans())
@example("http://a.b www.c.d e@f wwww. ://", 1000, True)
@example("a" * 57 + "-bcd " + "e" * 60 + "-fgh " + "i" * 200, 1000, True)
@example("abc." * 40, 1000, False)
def test_the_kernel_cuts_words_as_python_does(text, most, apart):
    kernel = compiled_kernel()
    if kernel is None:
        pytest.skip("the kernel is optional and was not compiled")
    assert kernel.mail_words(text, most, apart) == split_words(text, most, apart)


@given(TEXTS)
def test_terms_are_the_same_without_the_kernel(text):
    with without_kernel():
        expected = words_of(text)
    assert words_of(text) == expected


def test_words_are_in_lower_case_and_without_the_punctuation_around_them():
    assert words_of("Don't MISS (it)!") == (["don't", "miss", "it"], ["(it)!"], set())


def test_punctuation_alone_stands_apart_from_the_words():
    assert words_of("free - money !!!!!!!!!!") == (["free", "money"], ["-", "skip:!10"], set())


def test_a_colon_is_no_part_of_a_word():
    assert words_of("Subject:Free 10:30 a::b") == (["subject", "free", "10", "30", "a", "b"], [], set())


def test_long_words_become_a_class_of_lengths_and_their_pieces():
    line, terms, _ = words_of("cheap-pills-without-prescription")
    assert line == ["skip:c30"]
    assert terms == ["cheap", "pills", "prescription", "without"]
    assert words_of("x" * 1000)[0] == ["skip:x100"]


def test_lines_of_base64_are_no_words():
    lines = "\n".join(["QWxs/IHRo+ZXNl/GFy+ZSBub3Ro/aW5n+aWYgeW91/HJlYWQgdGhl/bSBhcyB3b3Jkcw"] * 500)
    line, terms, _ = words_of(lines)
    assert set(line) == {"skip:q60"}
    assert len(terms) <= 20


def test_uuencoded_files_are_no_words():
    data = b"".join([bytes([i, 255 - i, i // 2]) for i in range(200)])
    lines = [b2a_uu(data[i : i + 45]).decode() for i in range(0, len(data), 45)]
    block = "begin 644 photo.jpg\n" + "".join(lines) + "`\nend\n"
    assert words_of(f"see\n{block}bye")[0] == ["see", "photo.jpg", "bye"]


def test_capitals_behind_the_first_line_of_an_uuencoded_file_are_words():
    text = "begin 644 x\nBUY CHEAP PILLS\nNOW\nend"
    assert {"buy", "cheap", "pills", "now"} <= set(words_of(text)[0])


def test_links_and_addresses_are_cut_into_pieces():
    line, terms, _ = words_of("Buy at <http://www.shop.example.com:8080/sale?id=7> or write To.Us@Example.org, now")
    assert line == ["buy", "at", "or", "write", "now"]
    assert {"url:http:", "url:shop.example.com", "url:com", "url:port:8080", "url:/sale"} <= set(terms)
    assert {"addr:to.us@example.org", "addr:@example.org", "addr:@org"} <= set(terms)


def test_scripts_without_blanks_become_pairs_of_characters():
    assert words_of("免费赠送") == ([], ["免费", "费赠", "赠送"], set())
    assert words_of("ราคาถูก")[1] == sorted(["รา", "าค", "คา", "าถ", "ถู", "ูก"])
    assert words_of("你好") == (["你好"], [], set())


@pytest.mark.parametrize(
    ("text", "word", "flag"),
    [
        ("vi\u200bag\u00adra", "viagra", "zero-width"),
        ("ⓕⓡⓔⓔ", "free", "dressed-up-letters"),
        ("ｆｒｅｅ", "free", "dressed-up-letters"),
        ("𝗳𝗿𝗲𝗲", "free", "dressed-up-letters"),
        ("pаypal", "pаypal", "mixed-scripts"),
    ],
)
def test_disguised_words_are_read_as_they_look_and_flagged(text, word, flag):
    assert words_of(text) == ([word], [], {flag})


def test_emoji_and_persian_are_no_disguise():
    assert words_of("👨\u200d👩\u200d👧 ❤\ufe0f می\u200cخواهم")[2] == set()


def test_more_words_than_are_read_are_flagged():
    line, _, flags = words_of("a " * 60_000)
    assert len(line) == 50_000
    assert flags == {"too-many-words"}
