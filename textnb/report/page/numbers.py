"""Numbers as the page writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from textnb.report.page.markup import Html, join, tag
from textnb.report.safe import name

NAME_WIDTH, TERM_WIDTH = 60, 40
MISSING = "–"


def class_name(label: object) -> str:
    return name(label, NAME_WIDTH)


def term(word: str) -> Html:
    """A word as the page shows it: long ones cut in the middle, those with a blank at an end in quotation marks.

    >>> term("ear "), term("a" * 5000)[-25:]
    ('<span class="term">&quot;ear &quot;</span>', 'aaaaaaaaaaaaaaaaaa</span>')
    """
    shown = name(word, TERM_WIDTH)
    return tag("span", f'"{shown}"' if word.strip(" ") != word else shown, class_="term")


def weighted_terms(weights: Iterable[tuple[str, str]]) -> Html:
    """Words one after the other, each with a figure in small type."""
    return join(
        [tag("span", term(word), " ", tag("span", figure, class_="weight"), class_="word"), " "]
        for word, figure in weights
    )


def sentence(words: str) -> str:
    """With a capital letter and a full stop.

    >>> sentence("only 1 document was found")
    'Only 1 document was found.'
    """
    return f"{words[:1].upper()}{words[1:]}" + ("" if words.endswith((".", "!", "?")) else ".")


def breakable(label: object) -> Html:
    """A class's name that may go on in the next line after a dot, a hyphen or the like.

    >>> breakable("comp.sys")
    'comp.<wbr>sys'
    """
    pieces = re.split(r"(?<=[._/-])(?=\w)", class_name(label))
    return join(pieces[0], ([tag("wbr"), piece] for piece in pieces[1:]))


def decimal(value: float | None, digits: int = 3) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int = 2) -> str:
    """With its sign, a minus sign for a minus; what has no finite value as ∞.

    >>> signed(-1.5), signed(0.25, 3)
    ('−1.50', '+0.250')
    """
    return "∞" if value is None else f"{value:+.{digits}f}".replace("-", "−")


def percent(value: float | None, digits: int = 1) -> str:
    return MISSING if value is None else f"{100 * value:.{digits}f} %"


def probability(value: float | None) -> str:
    """Four digits, and never 0 or 1, which rounding makes of what is nearly certain.

    >>> probability(0.99999), probability(1e-9), probability(0.25)
    ('> 0.9999', '< 0.0001', '0.2500')
    """
    if value is None:
        return MISSING
    if value >= 0.99995:
        return "> 0.9999"
    return "< 0.0001" if value < 0.00005 else f"{value:.4f}"


def p_value(value: float) -> str:
    """
    >>> p_value(2e-75), p_value(0.0212)
    ('p < 0.0001', 'p = 0.021')
    """
    return "p < 0.0001" if value < 0.0001 else f"p = {value:.2g}"


def interval(bounds: Sequence[float] | None, digits: int = 3) -> str:
    return "" if bounds is None else f"{bounds[0]:.{digits}f}–{bounds[1]:.{digits}f}"


def with_interval(value: float | None, bounds: Sequence[float] | None, digits: int = 3) -> Html:
    """A figure, and its interval in small type."""
    return join(
        decimal(value, digits), tag("span", " ", interval(bounds, digits), class_="interval") if bounds else None
    )
