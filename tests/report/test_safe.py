import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textnb.report.safe import BLANKS, MARKS_SHOWN, columns, name, printable, shorten

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
    ],
)
def test_what_cannot_be_seen_becomes_a_visible_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(any_text)
@example("".join(map(chr, range(0x300))))
def test_the_result_is_inert_whatever_the_input(text: str) -> None:
    shown = printable(text)
    shown.encode("utf-8")
    assert shown.isprintable()
    assert not BLANKS.intersection(shown)


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


@given(any_text.map(printable), st.integers(1, 20))
def test_a_shortened_name_fits(text: str, width: int) -> None:
    assert columns(shorten(text, width)) <= width


def test_labels_of_any_kind_have_a_visible_name() -> None:
    assert [name(label, 10) for label in ("spam", "", 3, "\n")] == ["spam", '""', "3", r"\n"]
