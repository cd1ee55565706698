"""An explanation as terminal text: the decision, the words in place, the largest contributions, what would flip it."""

from __future__ import annotations

from math import floor, log10
from textwrap import fill
from typing import TYPE_CHECKING, Literal, TypeAlias

from textnb.report.marks import Piece, marks_of, pieces, strongest, term_of
from textnb.report.safe import columns, printable, shorten
from textnb.report.tables import counted, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from textnb.model.explanation import Explanation, Row
    from textnb.workflow.explaining import ExplainedDocument

Marking: TypeAlias = Literal["colours", "signs"]

WIDTH = 100
BAR = 20  # characters of the longest bar, on either side
TERM = 32
FLIPPING = 8  # words that are named
LINES = 15  # of a text that are shown
RESET = "\x1b[0m"
COLOURS = {"for": (110, 33, 33), "against": (180, 208, 208)}  # blue and orange of 256, of weak, middle, strong marks
LEVELS = (0.15, 0.5)  # strengths from which a mark is a middle, and a strong one, which is bold
SIGNS = {"for": 4, "against": 3}  # underlined, italic: what says it without colours


def explanation_text(
    document: ExplainedDocument, n_rows: int, *, marking: Marking | None = None, width: int = WIDTH
) -> str:
    """The decision, a table of the largest contributions and of all others together, and what would flip it.

    With a marking the text itself is shown, its words marked by colours, or by plus and minus signs below them.
    """
    why, flip = document.explanation, document.flip
    unsure = ["unsure, by the costs that the model decides by; most probable is", ""] if document.unsure else []
    lines = [*unsure, _decision(why), ""]
    if marking is not None and why.texts:
        lines += [_marked_texts(why, marking, width), ""]
    rows = [row for row in why.rows if row.contribution]
    if not rows:
        return "\n".join([*lines, "the model knows no word of it, and no class is more probable than another"])
    widest = max(abs(row.contribution) for row in rows)
    digits = _digits(widest)
    shown = [(*cells, _bar(added, widest)) for cells, added in _cells(rows, n_rows, digits)]
    shown.append(("sum", "", "", f"{why.log_odds:+.{digits}f}", ""))
    lines.append(_contribution_table(("term", "column", "count", "adds", ""), shown, why, width))
    if flip is not None:
        named = ", ".join(_name(word) for word in flip.words[:FLIPPING])
        more = f" and {len(flip.words) - FLIPPING} more words" if len(flip.words) > FLIPPING else ""
        what = "the most probable class" if document.decided else "it"
        lines += ["", fill(f"without {named}{more} {what} would be {_name(flip.label)}", min(width, WIDTH))]
    return "\n".join(lines)


def contributions_text(why: Explanation, n_rows: int, indent: str = "    ") -> str:
    """The largest contributions, a line each, all others together, and their sum."""
    rows = [row for row in why.rows if row.contribution]
    digits = _digits(max((abs(row.contribution) for row in rows), default=1.0))
    shown = [cells for cells, _ in _cells(rows, n_rows, digits)]
    against = "" if why.against is None else f" against {_name(why.against)}"
    shown.append((f"{_name(why.label)}{against}", "", "", f"{why.log_odds:+.{digits}f}"))
    _, *lines = _contribution_table(("", "", "", ""), shown, why).splitlines()
    return "\n".join(f"{indent}{line}" for line in lines)


def _decision(why: Explanation) -> str:
    against = "" if why.against is None else f", log-odds {why.log_odds:+.2f} against {_name(why.against)}"
    return f"{_name(why.label)}  {why.probabilities[why.label]:.4f}{against}"


# The table


def _digits(largest: float) -> int:
    """After the point: two, and more where all numbers are small."""
    return 2 if not 0 < largest < 0.1 else min(2 - floor(log10(largest)), 12)


def _cells(rows: list[Row], n_rows: int, digits: int) -> Iterable[tuple[tuple[str, str, str, str], float]]:
    """The cells of the first rows, and of all others as one, each with what it adds."""
    n_rows += len(rows) == n_rows + 1  # a single other row is as short as its name
    for row in rows[:n_rows]:
        source, count = "" if row.source is None else _name(row.source), "" if row.count is None else f"{row.count}"
        yield (_name(term_of(row)), source, count, f"{row.contribution:+.{digits}f}"), row.contribution
    if rest := rows[n_rows:]:
        total, count = sum(row.contribution for row in rest), f"{sum(row.count or 0 for row in rest)}"
        yield (f"({counted(len(rest), 'other')})", "", count, f"{total:+.{digits}f}"), total


def _contribution_table(
    headers: tuple[str, ...], rows: Sequence[tuple[str, ...]], why: Explanation, width: int | None = None
) -> str:
    """A table of cells, without that of columns where the document is a text and not a row of columns."""
    align = "llrrl"[: len(headers)]
    if any(row.source is not None for row in why.rows):
        return table(headers, rows, align, width=width)
    return table(headers[:1] + headers[2:], [row[:1] + row[2:] for row in rows], align[:1] + align[2:], width=width)


def _name(label: object) -> str:
    return shorten(printable(str(label)), TERM) or '""'


def _bar(contribution: float, widest: float) -> str:
    """A bar of minus or plus signs: it reads without colours, and in any encoding."""
    share = 1.0 if abs(contribution) == widest else min(abs(contribution) / widest, 1.0)  # of infinite ones, too
    return ("-" if contribution < 0 else "+") * round(BAR * share)


# The text itself


def _marked_texts(why: Explanation, marking: Marking, width: int) -> str:
    """The beginning of every text, a line in front of it, under its column where it has one."""
    marks = {source: marks_of(why, source) for source, _ in why.texts}
    scale = strongest(mark for some in marks.values() for mark in some)
    shown = []
    for source, text in why.texts:
        text = text.rstrip("\r\n")
        start = _start(text)
        marked = pieces(start, marks[source], scale)
        coloured = marking == "colours"
        shown_lines = "".join(map(_painted, marked)).split("\n") if coloured else _underlined(marked, width - 2)
        more = [f"… {len(text) - len(start):,} more characters"] if len(start) < len(text) else []
        heading = [] if source is None else [_name(source)]
        shown.append("\n".join([*heading, *(f"| {line}" for line in [*shown_lines, *more])]))
    return "\n\n".join(shown)


def _start(text: str) -> str:
    """The first lines, and no more characters than they have room for."""
    lines = text[: LINES * WIDTH].split("\n")[:LINES]
    return "\n".join(lines)


def _underlined(marked: Iterable[Piece], room: int) -> Iterator[str]:
    """Lines of at most so many columns, each with plus and minus signs below what speaks for and against the class."""
    line = below = ""
    for piece in marked:
        sign = " " if not piece.strength else "+" if piece.share > 0 else "-"
        for character in piece.text:
            if character == "\n" or len(below) + columns(character) > room:
                yield from [line, below.rstrip()] if below.strip() else [line]
                line = below = ""
            if character != "\n":
                line += character
                below += sign * columns(character)
    yield from [line, below.rstrip()] if below.strip() else [line]


def _painted(piece: Piece) -> str:
    """A piece with what it adds: blue and underlined for the class, orange and italic against it."""
    if not piece.strength:
        return piece.text
    side, level = "for" if piece.share > 0 else "against", sum(piece.strength >= least for least in LEVELS)
    bold = "1;" if level == len(LEVELS) else ""
    style = f"\x1b[{bold}{SIGNS[side]};38;5;{COLOURS[side][level]}m"
    return "\n".join(f"{style}{line}{RESET}" if line else "" for line in piece.text.split("\n"))
