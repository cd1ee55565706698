"""The results of training, evaluating and tuning as terminal text."""

from __future__ import annotations

import re
from itertools import chain, repeat
from shlex import join
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.report.safe import printable
from textnb.report.tables import confused_pairs_table, confusion_table, counted, decided_table, per_class_table, table
from textnb.report.updates import compact_lines
from textnb.selection.linear_tuning import LinearCandidate
from textnb.selection.objectives import MOST_LOST
from textnb.workflow.metrics import FEWEST_TESTED, wilson_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textnb.selection.tuning import Choice, Trial
    from textnb.workflow.metrics import DecisionEvaluation, Evaluation
    from textnb.workflow.results import EvaluationResult, LearnedDocuments
    from textnb.workflow.tuning import TuningResult

WIDTH = 100
INDENT = " " * 11


def evaluation_text(result: EvaluationResult, width: int | None = None) -> str:
    """Sizes and settings, the measures, the table of classes and the confusion matrix; tables as wide as is given."""
    measured, decisions, shown = result.evaluation, result.decisions, result.shown
    choice, folds = getattr(result, "choice", None), getattr(result, "folds", [])
    if measured is None:
        sizes = f"{result.n_train:,} learned from, none tested on"
    else:
        evaluated_on = result.evaluated_on + ("" if result.learned is None else learned_text(result.learned))
        n_classes = len(measured.classes)
        sizes = f"{result.n_train:,} learned from, {measured.n:,} tested on ({evaluated_on}), {n_classes} classes"
    title = narrowed([f"corpus     {printable(result.corpus)}: {printable(result.edition)}"], width)
    lines = [
        f"documents  {sizes}",
        *(settings_lines(result.told) if result.told else [usual_line(result.settings)]),
        *([] if choice is None else choice_lines(choice)),
        "",
    ]
    if measured is None or shown is None:
        return "\n".join([*title, *filled(lines, width), *narrowed(model_lines(result), width)])
    of_what = "" if decisions is None else " of the most probable class"
    lines += [
        *accuracy_lines(measured, of_what),
        *copies_lines(getattr(result, "n_copies", 0), measured.n),
        f"macro-F1   {measured.macro_f1:.4f}{of_what}",
    ]
    if measured.auc is not None:
        lines.append(f"AUC        {measured.auc:.4f}")
    if result.prior is not None:
        listed = ", ".join(f"{label} {share:g}" for label, share in result.prior.items())
        lines.append(f"prior      {printable(listed)}, as given")
    if measured.log_loss is not None:
        loss = f"{measured.log_loss:.4f}, calibration error {measured.ece:.4f}"
        lines.append(f"log-loss   {loss} ({calibration_word(result)})")
    if folds:
        lines.append(f"folds      {np.mean(folds):.4f} ± {np.std(folds, ddof=1):.4f} accuracy")
    if decisions is not None:
        lines += decision_lines(decisions)
    headings = ["", "", ""] if decisions is None else ["most probable class\n", "decisions\n", " decisions"]
    lines = [*title, *filled(lines, width), "", headings[0] + per_class_table(measured, width), ""]
    if decisions is not None:
        lines += [headings[1] + decided_table(decisions.outcomes, width), ""]
    lines += [confusion_table(shown, width or WIDTH), "", f"most confused{headings[2]}"]
    lines.append(confused_pairs_table(shown, width=width))
    return "\n".join([*lines, "", *narrowed(model_lines(result), width)]).rstrip()


def model_lines(result: EvaluationResult) -> list[str]:
    """The model file; of a training, what the saved model has learned."""
    if result.model_file is None:
        return []
    n_learned, n_documents = (getattr(result, name, None) for name in ("n_learned", "n_documents"))
    if n_learned is None or n_documents is None:
        return [f"model      {printable(result.model_file)}"]
    learned = f"all {n_learned:,} documents"
    if n_learned < n_documents:
        advice = "" if getattr(result, "folds", None) else " (--refit learns all)"
        learned = f"{n_learned:,} of {n_documents:,} documents{advice}"
    lines = [f"saved      {printable(result.model_file)}, which has learned {learned}"]
    if getattr(result, "compact", False):
        rounded = result.settings["weights"].endswith("tfidf")
        lines += [f"{INDENT}{line}" for line in compact_lines(rounded=rounded)]
    return lines


def share_text(share: float, interval: tuple[float, float]) -> str:
    """An accuracy and its interval."""
    return f"{share:.4f} (95 %: {interval[0]:.4f} to {interval[1]:.4f})"


def accuracy_lines(measured: Evaluation, of_what: str = "") -> list[str]:
    """The accuracy with its interval, and a warning where it stands on few documents."""
    lines = [f"accuracy   {share_text(measured.accuracy, measured.accuracy_interval)}{of_what}"]
    if measured.n < FEWEST_TESTED:
        few = f"of only {counted(measured.n, 'document')}, fewer than {FEWEST_TESTED}"
        lines.append(f"{INDENT}{few}: go by the interval, or test on more")
    return lines


def copies_lines(n_copies: int, n_tested: int) -> list[str]:
    """That texts which were learned are tested on as well."""
    if not n_copies:
        return []
    return [f"{INDENT}{n_copies:,} of the {n_tested:,} texts tested on are copies of learned ones, which flatters"]


def learned_text(learned: LearnedDocuments) -> str:
    """What became of documents that the model had learned."""
    if learned.n is None:
        return ", learned or not: the model has no ledger"
    if learned.n_tested:
        return f", {learned.n_tested:,} of them learned: the figures flatter"
    others = "1 other is" if learned.n_skipped == 1 else f"{learned.n_skipped:,} others are"
    return f"; {others} learned" if learned.n_skipped else ", none of it learned"


def calibration_word(result: EvaluationResult) -> str:
    return "not calibrated" if result.calibration is None else "calibrated"


def corpus_title(corpus: str) -> str:
    """The name of a corpus without its folder, or those of several sources with their classes.

    >>> corpus_title("/home/me/mail.csv"), corpus_title("spam=Junk/ ham=old/Archive.mbox")
    ('mail.csv', 'spam=Junk/ ham=Archive.mbox')
    """
    return re.sub(r"(^|=)[^=]*/(?=[^/\s])", r"\1", corpus)


def choice_lines(choice: Choice) -> list[str]:
    """The number of candidates, the estimate they were chosen by, and its warning."""
    accuracy = share_text(choice.best.accuracy, wilson_interval(choice.best.accuracy, choice.n_documents))
    by = f"{choice.estimate} accuracy {accuracy} on {choice.n_documents:,} documents"
    if choice.objective != "accuracy":
        by = f"{objective_text(choice)}; {by}"
    best, n_tried = choice.best.candidate, len(choice.trials)
    if choice.naive_bayes is not None:
        n_tried += len(choice.naive_bayes.trials) - 1  # the winner of those is among the others
    made_of = "" if best.terms.has_plain_units else f"{best.units} terms, "
    lines = [(f"chosen     {made_of}of {n_tried} candidates by {by}"), *contest_lines(choice)]
    if choice.warning:
        lines.append(f"{INDENT}{choice.warning}")
    return lines


def contest_lines(choice: Choice) -> list[str]:
    """What is gained and given up by the model that was taken, where linear models were tried beside naive Bayes."""
    if choice.naive_bayes is None:
        return []
    kinds: dict[bool, Trial] = {}
    for trial in sorted(choice.trials, key=lambda trial: trial.rank):
        kinds.setdefault(isinstance(trial.candidate, LinearCandidate), trial)
    naive, linear = (f"{_described(kinds[kind].candidate)}: {objective_value(kinds[kind])}" for kind in (False, True))
    if isinstance(choice.best.candidate, LinearCandidate):
        text = f"a linear model; naive Bayes has {naive}. Linear models cannot learn, forget or merge: `textnb refit`"
        return [(f"{INDENT}{text} fits them anew")]
    return [(f"{INDENT}naive Bayes, which can learn, forget and merge; the best linear model has {linear}")]


def _described(candidate: Any) -> str:
    return f"{candidate.model}, {candidate.weights}, {','.join(map(str, candidate.ngrams))}"


def objective_value(trial: Trial) -> str:
    """How a candidate did in what it was chosen by."""
    return f"{trial.objective} {getattr(trial, trial.field):.4f}"


def screening_lines(choice: Choice) -> list[str]:
    """What was dropped after a look at some documents, and why the best is not the first of the table, if so."""
    lines = []
    if choice.screening is not None:
        seen = choice.screening
        dropped = [
            f"{terms.units} {','.join(map(str, terms.ngrams))} {accuracy:.4f}"
            for terms, accuracy in seen.accuracies
            if terms not in seen.kept
        ]
        if dropped:
            by = f"on {seen.n_documents:,} documents, where plain words had {seen.plain_accuracy:.4f}"
            lines.append(f"dropped    {by}: {'; '.join(dropped)}")
    if choice.within_chance:
        lines.append("plain      words are taken: the more accurate terms are so within one standard error")
    return lines


def objective_text(choice: Choice) -> str:
    """What the best candidate is best in, if not in accuracy, and how it did."""
    if choice.objective != "caught":
        return objective_value(choice.best)
    caught = "spam" if choice.positive is None else printable(choice.positive)
    return f"{caught} caught at losses of 0 to {MOST_LOST:.0%} of the rest: {choice.best.caught:.4f} on average"


def decision_lines(decisions: DecisionEvaluation) -> list[str]:
    """What was decided, in shares of the documents and of the classes, and what it cost."""
    outcomes = decisions.outcomes
    named = f"{share_text(outcomes.accuracy, outcomes.accuracy_interval)} named rightly"
    lines = [f"decided    {named}, {outcomes.wrong:.4f} wrongly, {outcomes.unsure:.4f} unsure"]
    if len(outcomes.classes) == 2 and decisions.protected in outcomes.classes:
        lines.append(INDENT + protected_text(decisions))
    cost = f"cost {decisions.average_cost:.4f} ± {decisions.cost_error:.4f} a document"
    if decisions.expected_cost is not None:
        cost += f" (expected {decisions.expected_cost:.4f})"
    return [*lines, (f"decisions  {cost}")]


def protected_text(decisions: DecisionEvaluation) -> str:
    """Of two classes, how much of one was caught and how much of the protected one lost."""
    shares = {row["class"]: row for row in decisions.outcomes.per_class}
    lost = shares.pop(decisions.protected)
    (caught,) = shares.values()
    interval = decisions.false_positive_interval
    doubt = "" if interval is None else f" (95 %: {interval[0]:.2%} to {interval[1]:.2%})"
    parts = [
        f"{printable(str(caught['class']))} caught {caught['caught']:.2%} ({_percents(caught)})",
        f"{printable(str(lost['class']))} lost {lost['lost']:.2%}{doubt}",
        f"unsure {decisions.outcomes.unsure:.2%}",
    ]
    return ", ".join(parts)


def _percents(caught: dict[str, Any]) -> str:
    low, high = wilson_interval(caught["caught"], caught["support"])
    return f"95 %: {low:.2%} to {high:.2%}"


def settings_lines(settings: dict[str, Any]) -> list[str]:
    """The settings of a model; of a mixed one, those of each part."""
    titles = chain(["settings"], repeat(""))
    return [f"{title:<11}{printable(listed)}" for title, listed in zip(titles, settings_texts(settings), strict=False)]


def usual_line(settings: dict[str, Any]) -> str:
    """What a model is where nothing was set, and nothing chosen."""
    names = ("model", "weights", "alpha", "ngrams")
    return f"settings   the usual: {', '.join(f'{name} {setting_text(settings[name])}' for name in names)}"


def settings_texts(settings: dict[str, Any]) -> list[str]:
    """The settings of a model, or of each part of it."""
    parts = settings.get("parts", [settings])
    return [", ".join(f"{name} {setting_text(value)}" for name, value in part.items()) for part in parts]


def setting_text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list) and len(value) > 5:
        return f"{len(value)} of them"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def narrowed(lines: list[str], width: int | None) -> list[str]:
    """Lines with names of files: broken on a terminal alone."""
    return lines if width is None else filled(lines, width)


def filled(lines: Iterable[str], width: int | None = None) -> list[str]:
    """Lines broken at blanks where they do not fit into the terminal, or into `WIDTH` columns."""
    width = min(width or WIDTH, WIDTH)
    return [
        fill(line, width, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False) for line in lines
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def tuning_text(result: TuningResult, words: Sequence[str], width: int | None = None) -> str:
    """All candidates, the best first, and the command that trains it; `words` of it say on what, and read how."""
    choice, naive_bayes = result.choice, result.choice.naive_bayes
    best_trial, best = choice.best, choice.best.candidate
    again = (
        f"textnb train {join(words)} --model {best.model} --weights {best.weights} --alpha {best.alpha:g} "
        f"--ngrams {','.join(map(str, best.ngrams))} --min-df {best.min_df:g}"
    )
    if best.tokenizer is not None:
        again += f" --tokenizer {best.tokenizer}"
    elif best.analyzer not in (None, "word"):
        again += f" --analyzer {best.analyzer}"
    if best.min_deviation is not None:
        again += f" --min-deviation {best.min_deviation:g}"
    if isinstance(best, LinearCandidate):
        again += f" --C {best.C:g} --beta {best.beta:g}"
    about = [
        f"corpus     {printable(result.corpus)}: {printable(result.edition)}",
        f"documents  {choice.n_documents:,} tried on, of {result.n_documents:,}; {result.n_classes} classes",
        f"estimate   {choice.estimate}, accuracy {share_text(best_trial.accuracy, result.accuracy_interval)}",
        *([] if choice.objective == "accuracy" else [f"best by    {objective_text(choice)}"]),
    ]
    lines = [*narrowed(about, width), "", trials_table(choice, width), ""]
    if naive_bayes is not None:
        lines += [f"naive Bayes alone, by {naive_bayes.estimate}:", "", trials_table(naive_bayes, width), ""]
    told = [*screening_lines(choice if naive_bayes is None else naive_bayes), *contest_lines(choice)]
    return "\n".join([*lines, *filled(told, width), f"best       {printable(again)}"])


def trials_table(choice: Choice, width: int | None = None) -> str:
    """All candidates of a choice, the best first."""
    has_deviations = any(trial.candidate.min_deviation is not None for trial in choice.trials)
    measures = [name for name in ("caught", "macro_f1", "auc") if getattr(choice.best, name) is not None]
    is_linear = any(isinstance(trial.candidate, LinearCandidate) for trial in choice.trials)
    has_units = any(trial.candidate.units for trial in choice.trials)
    rows = [
        (
            trial.candidate.model,
            trial.candidate.weights,
            *([trial.candidate.units or "word"] if has_units else []),
            ",".join(map(str, trial.candidate.ngrams)),
            f"{trial.candidate.min_df:g}",
            f"{trial.candidate.alpha:g}",
            *([_number(getattr(trial.candidate, name, None)) for name in ("C", "beta")] if is_linear else []),
            *([_number(trial.candidate.min_deviation)] if has_deviations else []),
            *(f"{getattr(trial, name):.4f}" for name in measures),
            f"{trial.accuracy:.4f}",
            f"{trial.log_loss:.4f}",
        )
        for trial in sorted(choice.trials, key=lambda trial: trial.rank)
    ]
    further = [*["C", "beta"] * is_linear, *["min-dev"] * has_deviations]
    further += [name.replace("_", "-") for name in measures]
    headers = ("model", "weights", *["terms"] * has_units, "ngrams", "min-df", "alpha", *further)
    headers = (*headers, "accuracy", "log-loss")
    left = 3 + has_units
    return table(headers, rows, "l" * left + "r" * (len(headers) - left), width=width)
