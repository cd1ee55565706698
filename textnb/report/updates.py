"""What a model file has learned, in one line. Mail filters learn one message at a time, so this imports little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb.report.safe import printable

if TYPE_CHECKING:
    from textnb.workflow.compaction import Compaction
    from textnb.workflow.table_prediction import PredictionSummary
    from textnb.workflow.updating import ModelSummary


def summary_text(summary: ModelSummary) -> str:
    """The outcome of an update, and the counts of the model."""
    changes = ", ".join(_change(name, count) for name, count in summary.changes.items())
    classes = ", ".join(f"{printable(label)} {count:,.15g}" for label, count in summary.documents.items())
    if summary.started:
        changes = f"started a new model; {changes}"
    line = f"{printable(summary.model_file)} has {classes}; {summary.n_terms:,} terms"
    if not summary.documents:
        line = f"there is no {printable(summary.model_file)} yet"
    return f"{changes}; {line}" if changes else line


def _change(name: str, count: int) -> str:
    if name == "refitted_to":
        return f"refitted to {count:,} document{'s' * (count != 1)}"
    return f"{count:,} {name.replace('_', ' ')}"


def compaction_text(done: Compaction) -> str:
    """The sizes, and what the compact file gives up."""
    sizes = f"{done.bytes:,} bytes of {done.bytes_before:,}, {done.n_terms:,} terms"
    return "\n".join([f"{printable(done.model_file)}: {sizes}", *compact_lines(rounded=done.rounded)])


def compact_lines(*, rounded: bool) -> list[str]:
    """What a compact file gives up."""
    close = "scores move in their sixth digit (on 20 Newsgroups, all 7,532 decisions as before)"
    return [
        "it only predicts: it cannot learn, forget, be merged, or be counted like",
        close if rounded else "scores are the same to the last digit",
    ]


def predictions_text(summary: PredictionSummary) -> str:
    """How many documents got which label, and where they are written."""
    labels = ", ".join(f"{printable(label)} {count:,}" for label, count in summary.labels.items())
    predicted = f"{summary.n_documents:,} predicted{': ' if labels else ''}{labels}"
    skipped = f"; {summary.n_skipped:,} skipped" if summary.n_skipped else ""
    return f"{predicted}{skipped}; written to {printable(summary.output)}"
