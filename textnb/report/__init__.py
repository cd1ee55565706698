"""What a model did, as numbers, plain text and pictures; nothing here prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb._lazy import lazy_names

if TYPE_CHECKING:
    from textnb.report.metrics import (
        DecisionEvaluation,
        Evaluation,
        Reliability,
        evaluate,
        evaluate_decisions,
        most_confused,
    )
    from textnb.report.plots import check_picture, confusion_heatmap, reliability_diagram, tuning_curve
    from textnb.report.safe import printable
    from textnb.report.tables import confused_pairs_table, confusion_table, per_class_table, table

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DecisionEvaluation": "textnb.report.metrics",
        "Evaluation": "textnb.report.metrics",
        "Reliability": "textnb.report.metrics",
        "check_picture": "textnb.report.plots",
        "confused_pairs_table": "textnb.report.tables",
        "confusion_heatmap": "textnb.report.plots",
        "confusion_table": "textnb.report.tables",
        "evaluate": "textnb.report.metrics",
        "evaluate_decisions": "textnb.report.metrics",
        "most_confused": "textnb.report.metrics",
        "per_class_table": "textnb.report.tables",
        "printable": "textnb.report.safe",
        "reliability_diagram": "textnb.report.plots",
        "table": "textnb.report.tables",
        "tuning_curve": "textnb.report.plots",
    },
)

__all__ = [
    "DecisionEvaluation",
    "Evaluation",
    "Reliability",
    "check_picture",
    "confused_pairs_table",
    "confusion_heatmap",
    "confusion_table",
    "evaluate",
    "evaluate_decisions",
    "most_confused",
    "per_class_table",
    "printable",
    "reliability_diagram",
    "table",
    "tuning_curve",
]
