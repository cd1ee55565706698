"""Words of any script, by the rules of Unicode for word boundaries (UAX #29), with a few decisions of our own.

A word is a run of letters, digits and connectors such as "_", with the marks after each of them: vowel signs, accents,
joiners. It may have an apostrophe, full stop or colon between two letters ("don't", "l'été", "example.org"), and a full
stop, apostrophe or comma between two digits ("1,000.5"). Katakana form words of their own. In scripts that are written
without blanks (Han, Hiragana, Thai, Lao, Khmer, Myanmar and their like), which only a dictionary could cut into words,
every character is a token with its marks. So is every emoji or other symbol, with what is joined to it. Other numbers
(½, ²) are digits. Other punctuation is left out, and so are connectors by themselves.

Characters have classes, named by letters, which the kernel asks for a page of 256 at a time. They follow the Unicode
version of Python, as lower case does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from unicodedata import category

LETTER, DIGIT, KATAKANA, CONNECTOR = "ADKE"
SINGLE, SYMBOL = "SY"  # tokens by themselves: of scripts without blanks, and emoji
MARK, JOINER = "MJ"  # belong to what precedes them
BETWEEN_LETTERS, BETWEEN_DIGITS, BETWEEN_BOTH = "LNB"
OTHER = "O"

_BETWEEN = {
    **dict.fromkeys("'.\u2018\u2019\u2024\ufe52\uff07\uff0e", BETWEEN_BOTH),
    **dict.fromkeys(":\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a", BETWEEN_LETTERS),
    **dict.fromkeys(",;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b", BETWEEN_DIGITS),
}
_WITHOUT_BLANKS = (  # first and last character of the blocks of these scripts
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19FF), (0x1A20, 0x1AAF), (0x2E80, 0x2FDF)),
    *((0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303B), (0x3041, 0x309F), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)),
    *((0xA9E0, 0xA9FF), (0xAA60, 0xAADF), (0xF900, 0xFAFF), (0x11700, 0x1174F), (0x16FE0, 0x18DFF)),
    *((0x1B000, 0x1B2FF), (0x20000, 0x3FFFF)),
)
_FIRSTS = [first for first, _ in _WITHOUT_BLANKS]
_KATAKANA = ((0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F))
_BY_CATEGORY = {
    **dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl"), LETTER),
    **dict.fromkeys(("Nd", "No"), DIGIT),
    **dict.fromkeys(("Mn", "Mc", "Me", "Cf"), MARK),
    "Pc": CONNECTOR,
    "So": SYMBOL,
}
_JOINER = 0x200D
_NO_MARK = 0x200B  # a blank without width, which is of category Cf
_SKIN_TONES = range(0x1F3FB, 0x1F400)


def word_class(code: int) -> str:
    """The class of a character."""
    character = chr(code)
    if character in _BETWEEN:
        return _BETWEEN[character]
    if code == _JOINER:
        return JOINER
    if code == _NO_MARK:
        return OTHER
    if code in _SKIN_TONES:
        return MARK
    found = _BY_CATEGORY.get(category(character), OTHER)
    if found == LETTER:
        if any(first <= code <= last for first, last in _KATAKANA):
            return KATAKANA
        if is_without_blanks(code):
            return SINGLE
    return found


def is_without_blanks(code: int) -> bool:
    """Whether a character is in a block of a script that is written without blanks between words."""
    at = bisect_right(_FIRSTS, code) - 1
    return at >= 0 and code <= _WITHOUT_BLANKS[at][1]


def class_page(number: int) -> bytes:
    """The classes of the 256 characters from 256 · number on."""
    return "".join(word_class(code) for code in range(256 * number, 256 * number + 256)).encode()


class _Classes(dict[int, str]):
    """Classes by character, found when they are first asked for."""

    def __missing__(self, code: int) -> str:
        page = class_page(code >> 8).decode()
        self.update(zip(range(code & ~255, (code | 255) + 1), page, strict=True))
        return self[code]


_CLASSES = _Classes()
_LETTERS = "A[MJ]*(?:[LB][MJ]*(?=A))?"
_DIGITS = "D[MJ]*(?:[NB][MJ]*(?=D))?"
_RUN = f"(?:(?:{_LETTERS}|{_DIGITS})+|(?:K[MJ]*)+)"
_CONNECTORS = "(?:E[MJ]*)+"
_TOKENS = re.compile(
    f"{_RUN}(?:{_CONNECTORS}(?:{_RUN})?)*"
    f"|{_CONNECTORS}(?:{_RUN}(?:{_CONNECTORS}(?:{_RUN})?)*)?"
    "|S[MJ]*|Y[MJ]*(?:(?<=J)Y[MJ]*)*"
)
_ONLY_CONNECTORS = re.compile(_CONNECTORS)


def unicode_spans(text: str) -> list[tuple[int, int]]:
    """Where the words of a text start and end."""
    classes = text.translate(_CLASSES)
    spans = [match.span() for match in _TOKENS.finditer(classes)]
    return [span for span in spans if classes[span[0]] != CONNECTOR or not _ONLY_CONNECTORS.fullmatch(classes, *span)]


def unicode_words(text: str) -> list[str]:
    """The words of a text.

    >>> unicode_words("Don't ask: 1,000 हिन्दी, 日本語!")
    ["Don't", 'ask', '1,000', 'हिन्दी', '日', '本', '語']
    """
    return [text[start:end] for start, end in unicode_spans(text)]


def share_without_blanks(text: str) -> float:
    """The share of letters that are of scripts written without blanks between words."""
    classes = text.translate(_CLASSES)
    single = classes.count(SINGLE)
    return single / max(single + classes.count(LETTER) + classes.count(KATAKANA), 1)
