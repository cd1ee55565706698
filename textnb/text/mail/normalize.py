"""Text as it is seen: without characters that show nothing, and compatibility forms as the letters they look like."""

from __future__ import annotations

import re
import unicodedata

_PIECE = 256  # characters normalised at a time: `unicodedata` sorts long runs of marks in quadratic time
_MOST_GROWTH = 2  # of a text in normal form; some characters grow to 18, and no text is made of them
_CONTROLS = dict.fromkeys([*range(32), *range(127, 160)], " ")
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_JOINERS = "\u200c\u200d\ufe00-\ufe0f"  # Persian, Indian and emoji text has them: no sign of anything
_CYRILLIC_OR_GREEK = "\u0370-\u03ff\u0400-\u052f"
_DRESSED_UP = "\u24b6-\u24e9\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\U0001f130-\U0001f189"
_NOTABLE = re.compile(f"[{_INVISIBLE}{_JOINERS}{_CYRILLIC_OR_GREEK}{_DRESSED_UP}]")
_REMOVED = re.compile(f"[{_INVISIBLE}{_JOINERS}]+")
_SIGNS = {
    "zero-width": re.compile(f"[{_INVISIBLE}]"),
    "mixed-scripts": re.compile(f"[a-zA-Z][{_CYRILLIC_OR_GREEK}]|[{_CYRILLIC_OR_GREEK}][a-zA-Z]"),
    "dressed-up-letters": re.compile(f"[{_DRESSED_UP}]"),
}


def drop_controls(text: str) -> str:
    """Control characters become blanks."""
    return text.translate(_CONTROLS)


def is_latin(text: str) -> bool:
    """Whether all characters are of Latin-1: encoding tells it many times faster than a regular expression."""
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def visible(text: str, flags: set[str]) -> str:
    """The text without invisible characters, in normal form; the flags get what may have been done to mislead."""
    if text.isascii():
        return text
    if ("\u00ad" in text) if is_latin(text) else _NOTABLE.search(text):
        flags.update([flag for flag, sign in _SIGNS.items() if sign.search(text)])
        text = _REMOVED.sub("", text)
    pieces = []
    room = _MOST_GROWTH * len(text) + _PIECE
    for i in range(0, len(text), _PIECE):
        pieces.append(unicodedata.normalize("NFKC", text[i : i + _PIECE]))
        room -= len(pieces[-1])
        if room < 0:
            flags.add("too-long")
            break
    return "".join(pieces)
