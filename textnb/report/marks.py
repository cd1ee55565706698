"""What explanations draw, on a terminal and in HTML: a text in pieces, each with what it adds to a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite, isinf
from typing import TYPE_CHECKING, NamedTuple

from textnb.report.safe import readable

if TYPE_CHECKING:
    from textnb.model.explanation import Explanation, Row

Mark = tuple[int, int, float]  # from where to where, and what it adds

WEAKEST = 0.05  # of the strongest mark: what is weaker is not drawn


class Piece(NamedTuple):
    """A piece of a text as it is shown, what it adds, and its share of the strongest: 0 where it is not drawn."""

    text: str
    share: float = 0.0
    strength: float = 0.0


def marks_of(why: Explanation, source: str | None) -> list[Mark]:
    """The marks of one text of an explanation."""
    return list(zip(*(column.tolist() for column in why.shares(source)), strict=True))


def term_of(row: Row) -> str:
    """The term or value of a row; what is neither, or was never learned, stands in brackets.

    A term with blanks at its ends, as those of characters have, stands in quotation marks.
    """
    if row.kind not in ("term", "value"):
        return f"[{row.term}]"
    return row.term if row.term == row.term.strip() else f'"{row.term}"'


def strongest(marks: Iterable[Mark]) -> float:
    """The largest finite share, whatever its sign."""
    return max((abs(share) for _, _, share in marks if isfinite(share)), default=0.0) or 1.0


def pieces(text: str, marks: Iterable[Mark], scale: float) -> Iterator[Piece]:
    """All of the text in pieces, marked and not, given marks in order; `scale` is the share of one of full strength.

    What each character looks like depends on those beside it, so the text is made readable before it is cut.
    """
    shown, position = readable(text), 0
    for start, end, share in marks:
        if start >= len(text):
            break
        strength = 1.0 if isinf(share) else min(abs(share) / scale, 1.0)
        start, end = max(start, position), min(end, len(text))
        if not strength >= WEAKEST or start >= end:
            continue
        if start > position:
            yield Piece("".join(shown[position:start]))
        yield Piece("".join(shown[start:end]), share, strength)
        position = end
    if position < len(text):
        yield Piece("".join(shown[position:]))
