"""Workflows: functions that train, evaluate, compare and audit, return their results as data, and print nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb import lazy_names

if TYPE_CHECKING:
    from textnb.corpora.rows import ReadOptions
    from textnb.workflow.auditing import audit
    from textnb.workflow.checking import check
    from textnb.workflow.compaction import compact
    from textnb.workflow.comparison import compare
    from textnb.workflow.counting import count
    from textnb.workflow.evaluation import evaluate
    from textnb.workflow.explaining import explain, predict_explained
    from textnb.workflow.inspection import inspect
    from textnb.workflow.prediction import predict
    from textnb.workflow.progress import Progress
    from textnb.workflow.refitting import refit
    from textnb.workflow.reporting.making import report
    from textnb.workflow.stream_training import train_stream
    from textnb.workflow.table_prediction import write_predictions
    from textnb.workflow.training import Decisions, cross_validate, train
    from textnb.workflow.tuning import tune
    from textnb.workflow.updating import LabelledDocuments, forget, forget_ledger, learn, learn_if_new, merge

# fmt: off
_MODULES = {
    "Decisions": "training", "LabelledDocuments": "updating", "Progress": "progress", "audit": "auditing",
    "check": "checking", "compact": "compaction", "compare": "comparison", "count": "counting",
    "cross_validate": "training", "evaluate": "evaluation", "explain": "explaining", "forget": "updating",
    "forget_ledger": "updating", "inspect": "inspection", "learn": "updating", "learn_if_new": "updating",
    "merge": "updating", "predict": "prediction", "predict_explained": "explaining", "refit": "refitting",
    "report": "reporting.making",
    "train": "training", "train_stream": "stream_training", "tune": "tuning", "write_predictions": "table_prediction",
}
__all__ = [
    "Decisions", "LabelledDocuments", "Progress", "ReadOptions", "audit", "check", "compact", "compare", "count",
    "cross_validate", "evaluate", "explain", "forget", "forget_ledger", "inspect", "learn", "learn_if_new", "merge",
    "predict", "predict_explained", "refit", "report", "train", "train_stream", "tune", "write_predictions",
]
# fmt: on
_HOMES = {name: f"{__name__}.{module}" for name, module in _MODULES.items()}
__getattr__, __dir__ = lazy_names(__name__, _HOMES | {"ReadOptions": "textnb.corpora.rows"})
