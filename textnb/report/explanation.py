"""An explanation as terminal text: the decision, the largest contributions, and what would flip it."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from textnb.report.safe import printable, shorten
from textnb.report.tables import table

if TYPE_CHECKING:
    from textnb.model.explanation import Row
    from textnb.workflow.explaining import ExplainedDocument

WIDTH = 100
BAR = 20  # characters of the longest bar, on either side
TERM = 32
FLIPPING = 8  # words that are named


def explanation_text(document: ExplainedDocument, n_rows: int) -> str:
    """The decision, a table of the largest contributions and of all others together, and what would flip it."""
    why, flip = document.explanation, document.flip
    sure = why.probabilities[why.label]
    against = "" if why.against is None else f", log-odds {why.log_odds:+.2f} against {_name(why.against)}"
    lines = [f"{_name(why.label)}  {sure:.4f}{against}", ""]
    rows = [row for row in why.rows if row.contribution]
    widest = max((abs(row.contribution) for row in rows), default=1.0)
    shown = [
        (_term(row), "" if row.count is None else row.count, f"{row.contribution:+.2f}", _bar(row.contribution, widest))
        for row in rows[:n_rows]
    ]
    if rest := rows[n_rows:]:
        total = sum(row.contribution for row in rest)
        shown.append(
            (f"({len(rest):,} others)", sum(row.count or 0 for row in rest), f"{total:+.2f}", _bar(total, widest))
        )
    shown.append(("sum", "", f"{why.log_odds:+.2f}", ""))
    lines.append(table(("term", "count", "adds", ""), shown, "lrrl"))
    if flip is not None:
        named = ", ".join(_name(word) for word in flip.words[:FLIPPING])
        more = f" and {len(flip.words) - FLIPPING} more words" if len(flip.words) > FLIPPING else ""
        lines += ["", fill(f"without {named}{more} it would be {_name(flip.label)}", WIDTH)]
    return "\n".join(lines)


def _name(label: object) -> str:
    return shorten(printable(str(label)), TERM) or '""'


def _term(row: Row) -> str:
    """A term; what is none stands in brackets."""
    return _name(row.term) if row.kind == "term" else f"[{_name(row.term)}]"


def _bar(contribution: float, widest: float) -> str:
    """A bar of minus or plus signs: it reads without colours, and in any encoding."""
    share = 1.0 if abs(contribution) == widest else min(abs(contribution) / widest, 1.0)  # of infinite ones, too
    return ("-" if contribution < 0 else "+") * round(BAR * share)
