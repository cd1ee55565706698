"""The result of `train` and `evaluate`: one shape, one way to show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from textnb.report import Evaluation, confused_pairs_table, confusion_table, per_class_table, printable


@dataclass(frozen=True)
class Outcome:
    """How a model did on documents it had not learned from."""

    corpus: str
    edition: str
    n_train: int
    evaluated_on: str
    settings: dict[str, Any]
    evaluation: Evaluation
    model_file: str | None
    problems: Sequence[tuple[str, str]] = ()
    folds: list[float] = field(default_factory=list)  # accuracy of each fold of a cross-validation

    def to_json(self) -> dict[str, Any]:
        measured = self.evaluation.to_json()
        return {
            "corpus": self.corpus,
            "edition": self.edition,
            "classes": measured["classes"],
            "n_train": self.n_train,
            "n_test": measured["n"],
            "evaluated_on": self.evaluated_on,
            "settings": self.settings,
            "accuracy": measured["accuracy"],
            "macro_f1": measured["macro_f1"],
            "auc": measured["auc"],
            "per_class": measured["per_class"],
            "confusion_matrix": measured["confusion_matrix"],
            "folds": self.folds,
            "skipped": [{"where": where, "why": why} for where, why in self.problems],
            "model_file": self.model_file,
        }

    def to_text(self) -> str:
        measured = self.evaluation
        sizes = f"{self.n_train:,} documents to learn from, {measured.n:,} to test on ({self.evaluated_on})"
        lines = [
            f"corpus     {printable(self.corpus)}: {printable(self.edition)}",
            f"documents  {sizes}, {len(measured.classes)} classes",
            f"settings   {printable(settings_line(self.settings))}",
            "",
            f"accuracy   {measured.accuracy:.4f}",
            f"macro-F1   {measured.macro_f1:.4f}",
        ]
        if measured.auc is not None:
            lines.append(f"AUC        {measured.auc:.4f}")
        if self.folds:
            lines.append(f"folds      {np.mean(self.folds):.4f} ± {np.std(self.folds, ddof=1):.4f} accuracy")
        lines += ["", per_class_table(measured), "", confusion_table(measured), ""]
        lines += ["most confused", confused_pairs_table(measured)]
        if self.model_file is not None:
            lines += ["", f"model      {printable(self.model_file)}"]
        return "\n".join(lines)


def shown_settings(parameters: dict[str, Any]) -> dict[str, Any]:
    """The settings of a classifier that are worth showing: the main ones, and what differs from the default."""
    from textnb.classifier import TextClassifier

    always = ("model", "weights", "alpha", "ngrams", "analyzer", "unknown")
    defaults = TextClassifier().get_params()
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in parameters.items()}
    shown = {name: plain[name] for name in always}
    for name, value in plain.items():
        if name not in shown and name not in ("vocabulary", "n_jobs") and value != defaults[name]:
            shown[name] = value
    return shown


def settings_line(settings: dict[str, Any]) -> str:
    def text(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:g}"
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)

    return ", ".join(f"{name} {text(value)}" for name, value in settings.items())
