"""The result of `train` and `evaluate`: one shape, one way to show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.report import (
    DecisionEvaluation,
    Evaluation,
    confused_pairs_table,
    confusion_table,
    per_class_table,
    printable,
)

if TYPE_CHECKING:
    from textnb.decision import Calibration
    from textnb.selection.tuning import Choice


@dataclass(frozen=True)
class Outcome:
    """How a model did on documents it had not learned from."""

    corpus: str
    edition: str
    n_train: int
    evaluated_on: str
    settings: dict[str, Any]
    evaluation: Evaluation
    model_file: str
    problems: Sequence[tuple[str, str]] = ()
    folds: list[float] = field(default_factory=list)  # accuracy of each fold of a cross-validation
    n_problems: int | None = None  # where more were skipped than are listed
    decisions: DecisionEvaluation | None = None  # what they cost, where the model has a policy
    choice: Choice | None = None  # where settings were chosen automatically
    calibration: Calibration | None = None

    @property
    def calibrated(self) -> str:
        """Whether probabilities are."""
        return "not calibrated" if self.calibration is None else "calibrated"

    def to_json(self) -> dict[str, Any]:
        """The result by name; `auc`, `folds` and `skipped` only where there is such a thing."""
        measured = self.evaluation.to_json()
        found = {
            "corpus": self.corpus,
            "edition": self.edition,
            "classes": measured["classes"],
            "n_train": self.n_train,
            "n_test": measured["n"],
            "settings": {**self.settings, "evaluated_on": self.evaluated_on},
            "accuracy": measured["accuracy"],
            "macro_f1": measured["macro_f1"],
            "per_class": measured["per_class"],
            "confusion_matrix": measured["confusion_matrix"],
            "model_file": self.model_file,
        }
        more = {
            "auc": measured["auc"],
            "log_loss": measured["log_loss"],
            "ece": measured["ece"],
            "calibration": None if self.calibration is None else self.calibration.to_settings(),
            "decisions": None if self.decisions is None else self.decisions.to_json(),
            "choice": None if self.choice is None else self.choice.to_json(),
            "folds": self.folds or None,
            "skipped": [{"where": where, "why": why} for where, why in self.problems] or None,
        }
        return found | {name: value for name, value in more.items() if value is not None}

    def to_text(self) -> str:
        measured = self.evaluation
        sizes = f"{self.n_train:,} learned from, {measured.n:,} tested on ({self.evaluated_on})"
        lines = [
            f"corpus     {printable(self.corpus)}: {printable(self.edition)}",
            f"documents  {sizes}, {len(measured.classes)} classes",
            settings_lines(self.settings),
            *([] if self.choice is None else choice_lines(self.choice)),
            "",
            f"accuracy   {measured.accuracy:.4f}",
            f"macro-F1   {measured.macro_f1:.4f}",
        ]
        if measured.auc is not None:
            lines.append(f"AUC        {measured.auc:.4f}")
        if measured.log_loss is not None:
            loss = f"{measured.log_loss:.4f}, calibration error {measured.ece:.4f}"
            lines.append(f"log-loss   {loss} ({self.calibrated})")
        if self.folds:
            lines.append(f"folds      {np.mean(self.folds):.4f} ± {np.std(self.folds, ddof=1):.4f} accuracy")
        if self.decisions is not None:
            lines.append(fill(f"decisions  {decisions_text(self.decisions)}", 100, subsequent_indent=" " * 11))
        lines += ["", per_class_table(measured), "", confusion_table(measured), ""]
        lines += ["most confused", confused_pairs_table(measured), "", f"model      {printable(self.model_file)}"]
        return "\n".join(lines)


def choice_lines(choice: Choice) -> list[str]:
    """What was chosen from, by which estimate, and how far that is to be believed."""
    by = f"{choice.estimate} accuracy {choice.best.accuracy:.4f} on {choice.n_documents:,} documents"
    lines = [f"chosen     of {len(choice.trials)} candidates by {by}"]
    if choice.warning:
        lines.append(fill(f"           {choice.warning}", 100, subsequent_indent=" " * 11))
    return lines


def decisions_text(decisions: DecisionEvaluation) -> str:
    """What decisions cost, and how much of the protected class they lost."""
    text = f"cost {decisions.average_cost:.4f} ± {decisions.cost_error:.4f} a document"
    if decisions.expected_cost is not None:
        text += f" (expected {decisions.expected_cost:.4f})"
    text += f", {decisions.unsure:.2%} unsure"
    if decisions.false_positive_rate is not None and decisions.false_positive_interval is not None:
        low, high = decisions.false_positive_interval
        text += f", {decisions.false_positive_rate:.2%} of the protected class lost (95 %: {low:.2%} to {high:.2%})"
    return text


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


def settings_lines(settings: dict[str, Any]) -> str:
    def text(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:g}"
        if isinstance(value, list) and len(value) > 5:
            return f"{len(value)} of them"
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)

    def lines(title: str, settings: dict[str, Any]) -> str:
        listed = printable(", ".join(f"{name} {text(value)}" for name, value in settings.items()))
        return fill(f"{title:<11}{listed}", 100, subsequent_indent=" " * 11, break_on_hyphens=False)

    first, *more = settings.get("parts", [settings])
    return "\n".join([lines("settings", first), *(lines("", part) for part in more)])
