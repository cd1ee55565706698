"""Text from strangers made fit to show: nothing in it acts on a terminal, a table or a picture."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

MARKS_SHOWN = 4  # combining marks on one character: no living script stacks more, and a tower covers other lines
BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # count as printable, yet show nothing
EMOJI_STYLES = "\ufe0e\ufe0f"
SELECTORS = frozenset(map(chr, [*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
JOINERS = "\u200c\u200d"
# Where joiners and variation selectors are part of how people write, and seen: each changes the characters beside it.
# After a virama, between joining Arabic letters (both as names of Internet domains have them, RFC 5892), between the ra
# and the virama of Bengali, between emoji, after a symbol or the digit of a keycap, after a Mongolian letter.
EMOJI = (
    r"\u2194\u2195\u2600-\u27bf\u2b1b"
    r"\U0001f300-\U0001f64f\U0001f680-\U0001f6c5\U0001f7e0-\U0001f7eb\U0001f900-\U0001f9ff"
)
SHAPING = "|".join(
    [
        r"(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca])[\u200c\u200d]",
        r"(?<=[\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687\u069a-\u06bf"
        r"\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1\u06fa-\u06fc\u06ff])\u200c"
        r"(?=[\u0620\u0622-\u063f\u0641-\u064a\u066e\u066f\u0671-\u0673\u0675-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06fc\u06ff])",
        r"(?<=\u09b0)\u200d(?=\u09cd)",
        rf"(?<=[{EMOJI}])\u200d(?=[{EMOJI}])",
        rf"(?<=[{EMOJI}]\ufe0f)\u200d(?=[{EMOJI}])",
        rf"(?<=[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u25a0-\u25ff\u3030\u303d{EMOJI}])[\ufe0e\ufe0f]",
        r"(?<=[#*0-9])\ufe0f(?=\u20e3)",
        r"(?<=[\u1820-\u1878])[\u180b-\u180d\u180f]",
    ]
)


def printable(text: str) -> str:
    r"""`text` with all that cannot be seen, or acts on its neighbours, as a visible escape such as \n, \x1b or \u202e.

    Escaped are control and format characters (so every bidirectional control), separators other than the space, lone
    surrogates, private and unassigned characters, and combining marks that come first or more than `MARKS_SHOWN` in a
    row. Joiners and variation selectors stay where they shape what is seen, as in Persian and Indic words and in emoji
    (`SHAPING`); elsewhere two names could differ in nothing but them. The result encodes in UTF-8.
    """
    return text if text.isascii() and text.isprintable() else "".join(_shown(text))


def readable(text: str) -> list[str]:
    r"""Each character of a text that is read, not told from others, as it is shown.

    Line breaks, \n and \r\n, stay line breaks, and every kind of space is a plain one; all else is as in `printable`.

    Examples
    --------
    >>> "".join(readable("10\u202f000 \u20ac\r\nc\u200bash"))
    '10 000 €\nc\\u200bash'
    """
    shown = list(_shown(text))
    for position, character in enumerate(text):
        if character == "\n" or unicodedata.category(character) == "Zs":
            shown[position] = "\n" if character == "\n" else " "
            if character == "\n" and position and text[position - 1] == "\r":
                shown[position - 1] = ""
    return shown


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
    return f"{head.rstrip(JOINERS)}…{tail.lstrip(JOINERS + EMOJI_STYLES)}"  # none where it has lost its neighbour


def name(label: object, width: int) -> str:
    """A class label as shown in tables and pictures; the empty one as quotation marks."""
    return shorten(printable(str(label)), width) or '""'


def escape(text: str, is_unseen: Callable[[str], bool]) -> str:
    """`text` with those of its characters that cannot be seen as visible escapes."""
    return "".join(_escape(character) if is_unseen(character) else character for character in text)


def _shown(text: str) -> Iterator[str]:
    """Each character as it is shown: itself, or a visible escape."""
    shaping = {found.start() for found in _shaping().finditer(text)}
    marks = MARKS_SHOWN  # a leading mark would land on whatever is printed before the text
    for position, character in enumerate(text):
        if character not in JOINERS:
            marks = marks + 1 if _is_mark(character) else 0
        if character in JOINERS or character in SELECTORS:
            visible = position in shaping
        else:
            visible = character.isprintable() and character not in BLANKS
        yield character if visible and marks <= MARKS_SHOWN else _escape(character)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


@cache
def _shaping() -> re.Pattern[str]:
    return re.compile(SHAPING)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me")


def _character_columns(character: str) -> int:
    if _is_mark(character) or character in JOINERS:
        return 0
    if "\u1160" <= character <= "\u11ff":  # vowels and finals join the Hangul letter before them
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
