"""The audit of a corpus as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textnb.report.safe import name, printable
from textnb.report.tables import table
from textnb.text.mail.title import title_of

if TYPE_CHECKING:
    from textnb.corpora.corpus import Corpus
    from textnb.workflow.auditing import AuditResult

WIDTH = 32  # of a cell


def audit_text(result: AuditResult, most: int = 20, width: int | None = None) -> str:
    """The first `most` documents of each kind, in tables as wide as is given."""
    corpus, new = result.corpus, result.new
    suspicious = [
        (corpus.place(e.position), e.label, e.suggested, f"{e.margin:.3f}", _called(corpus, e.position))
        for e in result.suspicious[:most]
    ]
    duplicates = [
        (corpus.place(e.first), e.first_label, corpus.place(e.second), e.second_label, f"{e.similarity:.2f}")
        for e in result.duplicates[:most]
    ]
    lines = [
        f"corpus     {printable(corpus.name)}: {printable(corpus.edition)}",
        f"documents  {len(corpus):,}, judged by {result.estimate}",
        "",
        f"labels that look wrong: {len(result.suspicious):,}",
        *_table(("where", "label", "rather", "margin", "text"), suspicious, "lllrl", width),
        "",
        f"near duplicates that bear different labels: {len(result.duplicates):,}",
        *_table(("first", "label", "second", "label", "alike"), duplicates, "llllr", width),
    ]
    if new is not None:
        novelties = [
            (new.place(e.position), f"{e.z:.1f}", f"{e.unknown_share:.0%}", _called(new, e.position))
            for e in result.novelties[:most]
        ]
        lines += ["", f"the newest of {len(new):,} new documents (deviations from known ones of their length)"]
        lines += _table(("where", "z", "unknown", "text"), novelties, "lrrl", width)
    return "\n".join(lines)


def _called(corpus: Corpus, position: int) -> str:
    """A message by its subject and sender, any other document by how it begins; on one line."""
    text = corpus.texts[position]
    return opening(title_of(text) if corpus.is_mail else text)


def opening(text: str) -> str:
    """How a document begins, on one line."""
    line = " ".join(text[: 10 * WIDTH].split())
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def _table(headers: tuple[str, ...], rows: list[tuple[Any, ...]], align: str, width: int | None) -> list[str]:
    return [table(headers, [[name(cell, WIDTH) for cell in row] for row in rows], align, width=width)] if rows else []
