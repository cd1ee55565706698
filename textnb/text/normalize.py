"""Text made plainer before it is tokenized: accents and tags removed, in time linear in its length."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache

_LONGEST_MARK_RUN = 30


@cache
def _long_mark_runs() -> re.Pattern[str]:
    marks = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.combining(c))
    return re.compile(f"[{marks}]{{{_LONGEST_MARK_RUN + 1},}}")


def _decompose(text: str) -> str:
    """NFKD. Long runs of combining marks are cut first: sorting them takes `unicodedata` quadratic time.

    Whoever removes the marks afterwards gets the same result.
    """
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


def strip_tags(s: str) -> str:
    """`<…>` replaced by a space. A basic stripper for clean markup, not an HTML parser."""
    *closed, rest = s.split(">")
    pieces = []
    for segment in closed:
        start = segment.find("<")
        pieces.append(segment[:start] + " " if 0 <= start < len(segment) - 1 else segment + ">")
    return "".join(pieces) + rest


ACCENT_STRIPPERS: dict[str, Callable[[str], str]] = {"ascii": strip_accents_ascii, "unicode": strip_accents_unicode}
