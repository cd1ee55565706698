"""The results of training, evaluating and tuning as terminal text."""

from __future__ import annotations

from shlex import quote
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.report.safe import printable
from textnb.report.tables import confused_pairs_table, confusion_table, per_class_table, table
from textnb.report.updates import compact_lines

if TYPE_CHECKING:
    from textnb.selection.tuning import Choice
    from textnb.workflow.metrics import DecisionEvaluation
    from textnb.workflow.results import EvaluationResult
    from textnb.workflow.tuning import TuningResult

WIDTH = 100
INDENT = " " * 11


def evaluation_text(result: EvaluationResult) -> str:
    """Sizes and settings, the measures, the table of classes and the confusion matrix."""
    measured = result.evaluation
    choice, folds = getattr(result, "choice", None), getattr(result, "folds", [])
    if measured is None:
        sizes = f"{result.n_train:,} learned from, none tested on"
    else:
        sizes = (
            f"{result.n_train:,} learned from, {measured.n:,} tested on ({result.evaluated_on}), "
            f"{len(measured.classes)} classes"
        )
    lines = [
        f"corpus     {printable(result.corpus)}: {printable(result.edition)}",
        f"documents  {sizes}",
        settings_lines(result.settings),
        *([] if choice is None else choice_lines(choice)),
        "",
    ]
    if measured is None:
        return "\n".join([*lines, *model_lines(result)])
    lines += [
        f"accuracy   {measured.accuracy:.4f}",
        f"macro-F1   {measured.macro_f1:.4f}",
    ]
    if measured.auc is not None:
        lines.append(f"AUC        {measured.auc:.4f}")
    if measured.log_loss is not None:
        loss = f"{measured.log_loss:.4f}, calibration error {measured.ece:.4f}"
        lines.append(f"log-loss   {loss} ({calibration_word(result)})")
    if folds:
        lines.append(f"folds      {np.mean(folds):.4f} ± {np.std(folds, ddof=1):.4f} accuracy")
    if result.decisions is not None:
        lines.append(_filled(f"decisions  {decisions_text(result.decisions)}"))
    lines += ["", per_class_table(measured), "", confusion_table(measured), ""]
    lines += ["most confused", confused_pairs_table(measured)]
    return "\n".join([*lines, "", *model_lines(result)]).rstrip()


def model_lines(result: EvaluationResult) -> list[str]:
    """The model file; of a training, what the saved model has learned."""
    if result.model_file is None:
        return []
    n_learned, n_documents = (getattr(result, name, None) for name in ("n_learned", "n_documents"))
    if n_learned is None or n_documents is None:
        return [f"model      {printable(result.model_file)}"]
    learned = f"all {n_learned:,} documents"
    if n_learned < n_documents:
        learned = f"{n_learned:,} of {n_documents:,} documents (--refit learns all)"
    lines = [f"saved      {printable(result.model_file)}, which has learned {learned}"]
    if getattr(result, "compact", False):
        rounded = result.settings["weights"].endswith("tfidf")
        lines += [f"{INDENT}{line}" for line in compact_lines(rounded=rounded)]
    return lines


def calibration_word(result: EvaluationResult) -> str:
    return "not calibrated" if result.calibration is None else "calibrated"


def choice_lines(choice: Choice) -> list[str]:
    """The number of candidates, the estimate they were chosen by, and its warning."""
    by = f"{choice.estimate} accuracy {choice.best.accuracy:.4f} on {choice.n_documents:,} documents"
    lines = [f"chosen     of {len(choice.trials)} candidates by {by}"]
    if choice.warning:
        lines.append(_filled(f"{INDENT}{choice.warning}"))
    return lines


def decisions_text(decisions: DecisionEvaluation) -> str:
    text = f"cost {decisions.average_cost:.4f} ± {decisions.cost_error:.4f} a document"
    if decisions.expected_cost is not None:
        text += f" (expected {decisions.expected_cost:.4f})"
    text += f", {decisions.unsure:.2%} unsure"
    if decisions.false_positive_rate is not None and decisions.false_positive_interval is not None:
        low, high = decisions.false_positive_interval
        text += f", {decisions.false_positive_rate:.2%} of the protected class lost (95 %: {low:.2%} to {high:.2%})"
    return text


def settings_lines(settings: dict[str, Any]) -> str:
    """The settings of a model; of a mixed one, those of each part."""

    def lines(title: str, settings: dict[str, Any]) -> str:
        listed = printable(", ".join(f"{name} {setting_text(value)}" for name, value in settings.items()))
        return fill(f"{title:<11}{listed}", WIDTH, subsequent_indent=INDENT, break_on_hyphens=False)

    first, *more = settings.get("parts", [settings])
    return "\n".join([lines("settings", first), *(lines("", part) for part in more)])


def setting_text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list) and len(value) > 5:
        return f"{len(value)} of them"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _filled(text: str) -> str:
    return fill(text, WIDTH, subsequent_indent=INDENT)


def tuning_text(result: TuningResult, spec: str) -> str:
    """All candidates, the best first, and the command that trains it on the corpus `spec`."""
    choice = result.choice
    rows = [
        (
            trial.candidate.model,
            trial.candidate.weights,
            ",".join(map(str, trial.candidate.ngrams)),
            f"{trial.candidate.min_df:g}",
            f"{trial.candidate.alpha:g}",
            f"{trial.accuracy:.4f}",
            f"{trial.log_loss:.4f}",
        )
        for trial in sorted(choice.trials, key=lambda trial: trial.rank)
    ]
    best = choice.best.candidate
    again = (
        f"textnb train {quote(spec)} --model {best.model} --weights {best.weights} --alpha {best.alpha:g} "
        f"--ngrams {','.join(map(str, best.ngrams))} --min-df {best.min_df:g}"
    )
    headers = ("model", "weights", "ngrams", "min-df", "alpha", "accuracy", "log-loss")
    return "\n".join(
        [
            f"corpus     {printable(result.corpus)}: {printable(result.edition)}",
            f"documents  {choice.n_documents:,} tried on, of {result.n_documents:,}; {result.n_classes} classes",
            f"estimate   {choice.estimate}",
            "",
            table(headers, rows, "lllrrrr"),
            "",
            f"best       {printable(again)}",
        ]
    )
