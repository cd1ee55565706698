"""The result of `diff`: what changed between two models, and how to show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textnb.report.changes import Answer, ClassChange, ClassShare, Flip, TermChange, TermChanges
from textnb.report.safe import name, printable
from textnb.report.tables import table

FLIPS_SHOWN = 20
WIDTH = 24  # of a name in a table


@dataclass(frozen=True)
class Side:
    """One of the two models."""

    model_file: str
    n_documents: float
    n_terms: int

    def to_json(self) -> dict[str, Any]:
        return {"model_file": self.model_file, "n_documents": self.n_documents, "n_terms": self.n_terms}

    def to_text(self) -> str:
        return f"{printable(self.model_file)}: {_amount(self.n_documents)} documents, {self.n_terms:,} terms"


@dataclass(frozen=True)
class Flips:
    """The documents of a corpus whose label differs between the models."""

    corpus: str
    edition: str
    part: str
    n: int  # documents looked at
    flips: list[Flip]
    problems: Sequence[tuple[str, str]] = ()

    def verdicts(self, which: str) -> int:
        return sum(flip.verdict == which for flip in self.flips)

    @property
    def labelled(self) -> bool:
        return any(flip.true is not None for flip in self.flips)

    def to_json(self) -> dict[str, Any]:
        """The flips by name; `skipped` only where there is such a thing."""
        found = {
            "corpus": self.corpus,
            "edition": self.edition,
            "part": self.part,
            "n_documents": self.n,
            "better": self.verdicts("better"),
            "worse": self.verdicts("worse"),
            "flips": [
                {
                    "where": flip.where,
                    "before": flip.before._asdict(),
                    "after": flip.after._asdict(),
                    "true": flip.true,
                    "verdict": flip.verdict,
                }
                for flip in self.flips
            ],
        }
        skipped = [{"where": where, "why": why} for where, why in self.problems]
        return found | ({"skipped": skipped} if skipped else {})

    def to_text(self) -> str:
        line = f"flips      {len(self.flips):,} of {self.n:,} documents of {printable(self.corpus)} ({self.part})"
        if self.labelled:
            line += f": {self.verdicts('better'):,} for the better, {self.verdicts('worse'):,} for the worse"
        if not self.flips:
            return line
        shown = self.flips[:FLIPS_SHOWN]
        if self.labelled:
            headers = ("document", "before", "", "after", "", "true", "")
            rows = [(*_flip_cells(flip), name(flip.true or "?", WIDTH), flip.verdict or "") for flip in shown]
            lines = [line, "", table(headers, rows, "llrlrll")]
        else:
            lines = [line, "", table(("document", "before", "", "after", ""), map(_flip_cells, shown), "llrlr")]
        if len(self.flips) > len(shown):
            lines.append(f"and {len(self.flips) - len(shown):,} more; --json lists them all")
        return "\n".join(lines)


@dataclass(frozen=True)
class Comparison:
    """What changed between two models; `flips` where a corpus was given."""

    before: Side
    after: Side
    identical: bool
    settings: dict[str, tuple[Any, Any]]  # those that differ
    classes: list[ClassChange]
    terms: TermChanges
    flips: Flips | None = None

    def to_json(self) -> dict[str, Any]:
        """The changes by name; None for what a model does not have."""
        found = {
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "identical": self.identical,
            "settings": {key: {"before": old, "after": new} for key, (old, new) in self.settings.items()},
            "classes": [
                {"class": found.label, "before": _share_json(found.before), "after": _share_json(found.after)}
                for found in self.classes
            ],
            "terms_added": self.terms.added,
            "terms_removed": self.terms.removed,
            "terms": [
                {
                    "term": moved.term,
                    "class": moved.label,
                    "before": moved.before,
                    "after": moved.after,
                    "change": moved.change,
                }
                for moved in self.terms.moved
            ],
        }
        return found if self.flips is None else found | {"corpus": self.flips.to_json()}

    def to_text(self) -> str:
        lines = [f"before     {self.before.to_text()}", f"after      {self.after.to_text()}"]
        if self.identical:
            lines.append("identical  the same settings, counts and weights: nothing changed")
        else:
            lines += ["", *self._changes()]
        if self.flips is not None:
            lines += ["", self.flips.to_text()]
        return "\n".join(lines)

    def _changes(self) -> list[str]:
        terms = f"terms      {self.terms.added:,} added, {self.terms.removed:,} removed"
        headers = ("class", "documents before", "after", "prior before", "after", "")
        lines = [self._settings_text(), "", table(headers, map(_class_cells, self.classes), "lrrrrl"), "", terms]
        if self.terms.moved:
            moved = map(_term_cells, self.terms.moved)
            lines += ["", table(("moved most", "for", "before", "after", "change"), moved, "llrrr")]
        return lines

    def _settings_text(self) -> str:
        if not self.settings:
            return "settings   the same"
        rows = [(key, _setting(old), _setting(new)) for key, (old, new) in self.settings.items()]
        return table(("setting", "before", "after"), rows, "lll")


def _share_json(share: ClassShare | None) -> dict[str, Any] | None:
    return None if share is None else share._asdict()


def _class_cells(found: ClassChange) -> tuple[str, ...]:
    before, after = found.before, found.after
    return (
        name(found.label, WIDTH),
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


def _setting(value: Any) -> str:
    if isinstance(value, list) and len(value) > 5:
        return f"{len(value)} of them"
    return name(",".join(map(str, value)) if isinstance(value, list) else value, WIDTH)
