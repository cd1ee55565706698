"""What a model did, as numbers, plain text and pictures; nothing here prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb._lazy import lazy_names

if TYPE_CHECKING:
    from textnb.report.metrics import Evaluation, evaluate, most_confused
    from textnb.report.plots import check_picture, confusion_heatmap
    from textnb.report.safe import printable
    from textnb.report.tables import confused_pairs_table, confusion_table, per_class_table, table

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Evaluation": "textnb.report.metrics",
        "check_picture": "textnb.report.plots",
        "confused_pairs_table": "textnb.report.tables",
        "confusion_heatmap": "textnb.report.plots",
        "confusion_table": "textnb.report.tables",
        "evaluate": "textnb.report.metrics",
        "most_confused": "textnb.report.metrics",
        "per_class_table": "textnb.report.tables",
        "printable": "textnb.report.safe",
        "table": "textnb.report.tables",
    },
)

__all__ = [
    "Evaluation",
    "check_picture",
    "confused_pairs_table",
    "confusion_heatmap",
    "confusion_table",
    "evaluate",
    "most_confused",
    "per_class_table",
    "printable",
    "table",
]
