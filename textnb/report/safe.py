"""Text from strangers made fit to show: nothing in it acts on a terminal, a table or a picture."""

import json
import unicodedata
from collections.abc import Callable
from typing import Any

MARKS_SHOWN = 4  # combining marks on one character: no living script stacks more, and a tower covers other lines
BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # count as printable, yet show nothing


def printable(text: str) -> str:
    r"""`text` with all that cannot be seen, or acts on its neighbours, as a visible escape such as \n, \x1b or \u202e.

    Escaped are control and format characters (so every bidirectional control), separators other than the space, lone
    surrogates, private and unassigned characters, and combining marks that come first or more than `MARKS_SHOWN` in a
    row. The result encodes in UTF-8.
    """
    return text if text.isascii() and text.isprintable() else _escaped(text)


def printable_lines(text: str) -> str:
    r"""Printable text whose line breaks, \n and \r\n, stay line breaks."""
    return "\n".join(printable(line) for line in text.replace("\r\n", "\n").split("\n"))


def json_line(result: Any) -> str:
    """One object on one line of ASCII: nothing in it acts on a terminal, and any encoding has it."""
    return json.dumps(result, allow_nan=False).replace("\x7f", "\\u007f")


def columns(text: str) -> int:
    """The terminal columns that printable `text` takes: two for a wide East Asian character, none for a mark."""
    return len(text) if text.isascii() else sum(map(_character_columns, text))


def shorten(text: str, width: int) -> str:
    """`text` cut in the middle to at most `width` columns: names that share a beginning tend to differ at the end."""
    if columns(text) <= width:
        return text
    tail_width = (width - 1) // 2
    head = _cut(text, width - 1 - tail_width)
    tail = _cut(text[::-1], tail_width)[::-1]
    return f"{head}…{tail}"


def name(label: object, width: int) -> str:
    """A class label as shown in tables and pictures; the empty one as quotation marks."""
    return shorten(printable(str(label)), width) or '""'


def escape(text: str, is_unseen: Callable[[str], bool]) -> str:
    """`text` with those of its characters that cannot be seen as visible escapes."""
    return "".join(c.encode("unicode_escape").decode("ascii") if is_unseen(c) else c for c in text)


def _escaped(text: str) -> str:
    marks = MARKS_SHOWN  # a leading mark would land on whatever is printed before the text

    def is_unseen(character: str) -> bool:
        nonlocal marks
        marks = marks + 1 if _is_mark(character) else 0
        return not character.isprintable() or character in BLANKS or marks > MARKS_SHOWN

    return escape(text, is_unseen)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me")


def _character_columns(character: str) -> int:
    if _is_mark(character) or "\u1160" <= character <= "\u11ff":  # vowels and finals join the Hangul letter before them
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cut(text: str, width: int) -> str:
    """The longest beginning of `text` that fits in `width` columns."""
    used = 0
    for position, character in enumerate(text):
        used += _character_columns(character)
        if used > width:
            return text[:position]
    return text
