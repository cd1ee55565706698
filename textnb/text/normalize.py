"""Accents removed before a text is tokenized, in time linear in its length."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache

_LONGEST_MARK_RUN = 30


@cache
def _long_mark_runs() -> re.Pattern[str]:
    marks = "".join(filter(_becomes_marks, map(chr, range(sys.maxunicode + 1))))
    return re.compile(f"[{marks}]{{{_LONGEST_MARK_RUN + 1},}}")


def _becomes_marks(character: str) -> bool:
    """Whether it is a combining mark, or decomposes to some, as five characters do that are none themselves."""
    first = unicodedata.normalize("NFKD", character)[0] if unicodedata.decomposition(character) else character
    return unicodedata.combining(first) > 0


def _decompose(text: str) -> str:
    """NFKD for callers that remove the marks; long runs of them are cut, as `unicodedata` sorts in quadratic time."""
    return unicodedata.normalize("NFKD", _long_mark_runs().sub(lambda run: run[0][:_LONGEST_MARK_RUN], text))


def strip_accents_unicode(s: str) -> str:
    """Letters without their combining marks, in any script."""
    if s.isascii():
        return s
    return "".join(c for c in _decompose(s) if not unicodedata.combining(c))


def strip_accents_ascii(s: str) -> str:
    """Letters without their combining marks; what has no ASCII equivalent is dropped."""
    if s.isascii():
        return s
    return _decompose(s).encode("ascii", "ignore").decode("ascii")


ACCENT_STRIPPERS: dict[str, Callable[[str], str]] = {"ascii": strip_accents_ascii, "unicode": strip_accents_unicode}
