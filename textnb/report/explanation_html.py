"""An explanation as a fragment of HTML, for notebooks: no script, nothing to load, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from textnb.report.marks import Mark, marks_of, pieces, strongest, term_of
from textnb.report.safe import printable
from textnb.report.tables import counted

if TYPE_CHECKING:
    from textnb.model.explanation import Explanation

ROWS = 15  # contributions that are listed
CHARACTERS = 20_000  # of each text that are shown
CLASS = "textnb-explanation"
STYLE = f"""
.{CLASS} {{ --for: 29 78 216; --against: 194 65 12; color-scheme: light; color: #1f2328; background: #fff;
  padding: .8em 1em; max-width: 60em; line-height: 1.6; font-family: system-ui, sans-serif; }}
.{CLASS} p {{ margin: 0 0 .6em; }}
.{CLASS} figure {{ margin: 0 0 .8em; }}
.{CLASS} figcaption {{ font-size: .85em; }}
.{CLASS} pre {{ margin: 0; padding: .5em .7em; max-height: 24em; overflow: auto; border: 1px solid #8884;
  background: none; color: inherit; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }}
.{CLASS} mark {{ color: inherit; border-bottom: 2px solid; }}
.{CLASS} mark.for {{ background: rgb(var(--for) / calc(var(--share) * .35));
  border-bottom: 2px solid rgb(var(--for) / calc(.4 + var(--share) * .6)); }}
.{CLASS} mark.against {{ background: rgb(var(--against) / calc(var(--share) * .35));
  border-bottom: 2px dashed rgb(var(--against) / calc(.4 + var(--share) * .6)); }}
.{CLASS} table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
.{CLASS} caption {{ text-align: left; font-size: .85em; }}
.{CLASS} :is(th, td) {{ padding: .1em .8em .1em 0; border: 0; text-align: left; background: none; color: inherit; }}
.{CLASS} tbody th {{ font-weight: normal; }}
.{CLASS} .number {{ text-align: right; }}
.{CLASS} tfoot :is(th, td) {{ border-top: 1px solid; }}
@media (prefers-color-scheme: dark) {{
  .{CLASS} {{ --for: 122 167 255; --against: 255 163 102; color-scheme: dark; color: #e6edf3; background: #16191d; }}
}}
@media (forced-colors: active) {{
  .{CLASS} mark {{ background: Canvas; color: CanvasText; border-bottom-color: CanvasText; }}
}}
"""


def explanation_html(why: Explanation) -> str:
    """The decision, the texts with their words marked, and a table of the largest contributions.

    Examples
    --------
    >>> from textnb import TextClassifier
    >>> why = TextClassifier("multinomial", "counts").fit(["cheap pills", "lunch"], ["spam", "ham"]).explain("Cheap!")
    >>> html = explanation_html(why)
    >>> html.startswith('<div class="textnb-explanation">'), "<mark class=" in html, "<script" in html
    (True, True, False)
    """
    body = [f"<style>{STYLE}</style>", _decision(why), *_texts(why), _table(why)]
    return f'<div class="{CLASS}">\n' + "\n".join(body) + "\n</div>"


def marked_text(text: str, marks: Iterable[Mark], scale: float | None = None) -> str:
    """A text with its marks, (start, end, share), as `<mark class="for">` or `<mark class="against">`.

    Each has its share of the strongest mark, or of `scale`, in the style `--share`, from 0 to 1, and what it adds as
    its title. What is far weaker than the strongest is not marked. Line breaks stay, and every kind of blank is a plain
    one; all else that cannot be seen is a visible escape.

    Examples
    --------
    >>> marked_text("Cheap <b>", [(0, 5, 2.0)])
    '<mark class="for" style="--share:1" title="+2.00">Cheap</mark> &lt;b&gt;'
    """
    marks = list(marks)
    shown = []
    for piece in pieces(text, marks, strongest(marks) if scale is None else scale):
        inner = escape(piece.text)
        if piece.strength:
            side = "for" if piece.share > 0 else "against"
            style, title = f"--share:{round(piece.strength, 2):g}", f"{piece.share:+.2f}"
            inner = f'<mark class="{side}" style="{style}" title="{title}">{inner}</mark>'
        shown.append(inner)
    return "".join(shown)


def _decision(why: Explanation) -> str:
    against = (
        "" if why.against is None else f", log-odds {why.log_odds:+.2f} against <strong>{_text(why.against)}</strong>"
    )
    return f"<p><strong>{_text(why.label)}</strong> {why.probabilities[why.label]:.4f}{against}</p>"


def _texts(why: Explanation) -> Iterable[str]:
    marks = {source: marks_of(why, source) for source, _ in why.texts}
    scale = strongest(mark for some in marks.values() for mark in some)
    for source, text in why.texts:
        caption = "" if source is None else f"<figcaption>{_text(source)}</figcaption>"
        left = len(text) - CHARACTERS
        more = f"\n<p>… {left:,} more characters</p>" if left > 0 else ""
        marked = marked_text(text[:CHARACTERS], marks[source], scale)
        yield f'<figure>{caption}<pre tabindex="0">{marked}</pre>{more}</figure>'


def _table(why: Explanation) -> str:
    """The largest contributions, all others in one row, and the sum."""
    rows = [row for row in why.rows if row.contribution]
    columns = any(row.source is not None for row in rows)
    lines = [_line(term_of(row), row.source, row.count, row.contribution, columns) for row in rows[:ROWS]]
    if rest := rows[ROWS:]:
        count, added = sum(row.count or 0 for row in rest), sum(row.contribution for row in rest)
        lines.append(_line(counted(len(rest), "other"), None, count, added, columns))
    total = _line("sum", None, None, why.log_odds, columns)
    column = '<th scope="col">column</th>' if columns else ""
    numbers = '<th scope="col" class="number">count</th><th scope="col" class="number">adds</th>'
    against = "" if why.against is None else f" against {_text(why.against)}"
    return (
        f"<table><caption>what adds to the log-odds of {_text(why.label)}{against}</caption>\n"
        f'<thead><tr><th scope="col">term</th>{column}{numbers}</tr></thead>\n'
        f"<tbody>\n{chr(10).join(lines)}\n</tbody>\n<tfoot>{total}</tfoot></table>"
    )


def _line(term: str, source: str | None, count: int | None, added: float, columns: bool) -> str:
    column = f"<td>{_text('' if source is None else source)}</td>" if columns else ""
    numbers = f'<td class="number">{"" if count is None else count}</td><td class="number">{added:+.2f}</td>'
    return f'<tr><th scope="row">{_text(term)}</th>{column}{numbers}</tr>'


def _text(text: object) -> str:
    return escape(printable(str(text)))
