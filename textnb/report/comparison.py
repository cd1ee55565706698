"""What changed between two models, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textnb.report.safe import name, printable
from textnb.report.tables import table

if TYPE_CHECKING:
    from textnb.workflow.comparison import Answer, ClassChange, Comparison, Flip, Flips, Side, TermChange

FLIPS_SHOWN = 20
WIDTH = 24  # of a name in a table


def comparison_text(comparison: Comparison, width: int | None = None) -> str:
    """Both models, what changed, and the documents whose label flips, in tables as wide as is given."""
    lines = [f"before     {_side(comparison.before)}", f"after      {_side(comparison.after)}"]
    if comparison.identical:
        lines.append("identical  the same settings, counts and weights: nothing changed")
    else:
        lines += ["", *_changes(comparison, width)]
    if comparison.flips is not None:
        lines += ["", flips_text(comparison.flips, width)]
    return "\n".join(lines)


def flips_text(flips: Flips, width: int | None = None) -> str:
    """How many documents flip, and the first of them."""
    line = f"flips      {len(flips.flips):,} of {flips.n:,} documents of {printable(flips.corpus)} ({flips.part})"
    if flips.labelled:
        line += f": {flips.verdicts('better'):,} for the better, {flips.verdicts('worse'):,} for the worse"
    if not flips.flips:
        return line
    shown = flips.flips[:FLIPS_SHOWN]
    if flips.labelled:
        headers = ("document", "before", "", "after", "", "true", "")
        rows = [(*_flip_cells(flip), name(flip.true or "?", WIDTH), flip.verdict or "") for flip in shown]
        lines = [line, "", table(headers, rows, "llrlrll", width=width)]
    else:
        lines = [
            line,
            "",
            table(("document", "before", "", "after", ""), map(_flip_cells, shown), "llrlr", width=width),
        ]
    if len(flips.flips) > len(shown):
        lines.append(f"and {len(flips.flips) - len(shown):,} more; --json lists them all")
    return "\n".join(lines)


def _side(side: Side) -> str:
    return f"{printable(side.model_file)}: {_amount(side.n_documents)} documents, {side.n_terms:,} terms"


def _changes(comparison: Comparison, width: int | None) -> list[str]:
    terms = f"terms      {comparison.terms.added:,} added, {comparison.terms.removed:,} removed"
    headers = ("class", "documents before", "after", "prior before", "after", "")
    classes = table(headers, map(_class_cells, comparison.classes), "lrrrrl", width=width)
    lines = [_settings(comparison.settings, width), "", classes, "", terms]
    if comparison.terms.moved:
        moved = map(_term_cells, comparison.terms.moved)
        lines += ["", table(("moved most", "for", "before", "after", "change"), moved, "llrrr", width=width)]
    return lines


def _settings(changed: dict[str, tuple[Any, Any]], width: int | None) -> str:
    if not changed:
        return "settings   the same"
    rows = [(key, _setting(old), _setting(new)) for key, (old, new) in changed.items()]
    return table(("setting", "before", "after"), rows, "lll", width=width)


def _setting(value: Any) -> str:
    if isinstance(value, list) and len(value) > 5:
        return f"{len(value)} of them"
    return name(",".join(map(str, value)) if isinstance(value, list) else value, WIDTH)


def _class_cells(change: ClassChange) -> tuple[str, ...]:
    before, after = change.before, change.after
    return (
        name(change.label, WIDTH),
        _amount(before.documents) if before else "",
        _amount(after.documents) if after else "",
        f"{before.prior:.3f}" if before else "",
        f"{after.prior:.3f}" if after else "",
        "new" if before is None else "gone" if after is None else "",
    )


def _term_cells(moved: TermChange) -> tuple[str, ...]:
    before = "new" if moved.before is None else f"{moved.before:.3f}"
    after = "gone" if moved.after is None else f"{moved.after:.3f}"
    return name(moved.term, WIDTH), name(moved.label, WIDTH), before, after, f"{moved.change:+.3f}"


def _flip_cells(flip: Flip) -> tuple[str, ...]:
    def cells(answer: Answer) -> tuple[str, str]:
        return name(answer.label, WIDTH), f"{answer.probability:.3f}"

    return name(flip.where, WIDTH), *cells(flip.before), *cells(flip.after)


def _amount(number: float) -> str:
    return f"{number:,.10g}"
