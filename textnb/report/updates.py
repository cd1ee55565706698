"""What a model file has learned, in one line. Mail filters learn one message at a time, so this imports little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb.report.safe import printable

if TYPE_CHECKING:
    from textnb.workflow.updating import ModelSummary


def summary_text(summary: ModelSummary) -> str:
    """The outcome of an update, and the counts of the model."""
    changes = ", ".join(f"{count:,} {name}" for name, count in summary.changes.items())
    classes = ", ".join(f"{printable(label)} {count:,.15g}" for label, count in summary.documents.items())
    line = f"{printable(summary.model_file)} has {classes}; {summary.n_terms:,} terms"
    return f"{changes}; {line}" if changes else line
