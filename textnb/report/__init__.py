"""What a model did, as numbers, plain text and pictures; nothing here prints."""

from textnb.report.metrics import Evaluation, evaluate, most_confused
from textnb.report.plots import check_picture, confusion_heatmap
from textnb.report.safe import printable
from textnb.report.tables import confused_pairs_table, confusion_table, per_class_table, table

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
