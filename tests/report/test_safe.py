import re
import unicodedata
from importlib.resources import files

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textnb.report.safe import BLANKS, MARKS_SHOWN, SELECTORS, SHAPING, columns, name, printable, readable, shorten

any_text = st.text(st.characters(exclude_categories=()))  # lone surrogates too
ACUTE = "\u0301"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("", ""),
        ("naïve 日本語 नमस्ते 👍", "naïve 日本語 नमस्ते 👍"),
        ("a\tb\r\nc", r"a\tb\r\nc"),
        ("\x1b[31mred\x07\x7f\x9b", r"\x1b[31mred\x07\x7f\x9b"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("abc\u202egpj.exe\u2066", r"abc\u202egpj.exe\u2066"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("line\u2028paragraph\u2029", r"line\u2028paragraph\u2029"),
        ("\ud800 \ue000 \U000e0041", r"\ud800 \ue000 \U000e0041"),
        ("blank\u3164\u2800", r"blank\u3164\u2800"),
        ("no\xa0break soft\xadhyphen", r"no\xa0break soft\xadhyphen"),
    ],
)
def test_what_cannot_be_seen_becomes_a_visible_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


SHAPED = [
    "می\u200cخواهم",  # Persian: without the joiner, its letters would join
    "क्\u200dष",
    "ක්\u200dරිකට්",
    "ന്\u200d",
    "র\u200d্যাব",
    "👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 👩🏽\u200d🚀 ❤\ufe0f 1\ufe0f\u20e3",
    "ᠠ\u180b",
]


@pytest.mark.parametrize("text", SHAPED)
def test_joiners_stay_where_they_shape_what_is_seen(text: str) -> None:
    assert printable(text) == text
    assert "".join(readable(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        *("sp\u200cam", "sp\u200dam", "\u200dspam", "spam\u200d", "spam\ufe0f", "5\ufe0f", "字\U000e0100"),
        *("کار\u200cها", "کا\u200cر", "خانه\u200c", "خ\u200dا"),  # after letters that do not join, or before none
        *("क\u200dक", "क्\u200d\u200d", "👍\u200da", "👍\u200d", "👍\u200d\u200d👍", "👍\ufe0f\ufe0f"),
        "क" + "्\u200d" * (MARKS_SHOWN + 1),
    ],
)
def test_a_joiner_that_changes_nothing_seen_is_an_escape(text: str) -> None:
    shown = printable(text)
    assert re.search(r"\\u(200[cd]|fe0f)|\\U000e0100", shown)
    assert shown.encode("ascii", "backslashreplace") == text.encode("ascii", "backslashreplace")


def test_blanks_of_a_text_that_is_read_are_plain_ones() -> None:
    text = "\u300010\u202f000\xa0€\r\nc\rd\te\xadf\u200bg\u2028\n"
    assert "".join(readable(text)) == " 10 000 €\nc\\rd\\te\\xadf\\u200bg\\u2028\n"
    assert len(readable(text)) == len(text)


def test_pages_know_the_same_joiners() -> None:
    script = files("textnb.report.page").joinpath("text.js").read_text("utf-8")
    (pattern,) = re.findall("const SHAPING = /(.*)/gu;", script)
    assert re.sub(r"\\u\{(\w+)\}", lambda code: "\\U" + code[1].zfill(8), pattern) == SHAPING


near_joiners = st.text("a5\u200c\u200d\ufe0f\u20e3\u094dकسرا👍❤\u0301\u180bᠠ")


@given(any_text | near_joiners)
@example("".join(map(chr, range(0x300))))
def test_the_result_is_inert_whatever_the_input(text: str) -> None:
    shown = printable(text)
    shown.encode("utf-8")
    seen = re.sub(SHAPING, "", shown)
    assert seen.isprintable()
    assert not (BLANKS | SELECTORS).intersection(seen)
    for reading in readable(text):
        assert reading == "\n" or re.sub("[\u200c\u200d]", "", reading).isprintable()


@given(near_joiners)
def test_nothing_is_lost_and_showing_twice_changes_nothing(text: str) -> None:
    shown = printable(text)
    assert shown.encode("ascii", "backslashreplace") == text.encode("ascii", "backslashreplace")
    assert printable(shown) == shown


def test_a_tower_of_combining_marks_is_capped_and_nothing_is_lost() -> None:
    assert printable("e" + ACUTE * MARKS_SHOWN) == "e" + ACUTE * MARKS_SHOWN
    assert printable("e" + ACUTE * 6 + "x" + ACUTE) == "e" + ACUTE * 4 + r"\u0301\u0301" + "x" + ACUTE


def test_a_leading_mark_cannot_reach_the_text_before_it() -> None:
    assert printable(ACUTE + "a") == r"\u0301a"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", 3),
        ("日本", 4),
        ("e" + ACUTE, 1),
        ("ｱ", 1),
        ("Ａ", 2),
        (unicodedata.normalize("NFD", "한글"), 4),
        ("", 0),
    ],
)
def test_columns_count_what_a_terminal_uses(text: str, expected: int) -> None:
    assert columns(text) == expected


def test_names_are_shortened_in_the_middle() -> None:
    assert shorten("comp.sys.ibm.pc.hardware", 17) == "comp.sys…hardware"
    assert shorten("short", 5) == "short"
    assert shorten("日本語のクラス名", 8) == "日本…名"


@given((any_text | near_joiners).map(printable), st.integers(1, 20))
@example("👍\u200d👍" * 5, 6)
def test_a_shortened_name_fits_and_has_no_joiner_without_its_neighbours(text: str, width: int) -> None:
    shown = shorten(text, width)
    assert columns(shown) <= width
    assert re.sub(SHAPING, "", shown).isprintable()


def test_labels_of_any_kind_have_a_visible_name() -> None:
    assert [name(label, 10) for label in ("spam", "", 3, "\n")] == ["spam", '""', "3", r"\n"]
