"""Predicting documents of files by a saved model. Called once per message by mail filters, so it imports little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from textnb.corpora.files import STDIN, is_table, start_of_stdin
from textnb.corpora.messages import read_messages
from textnb.corpora.problems import Skipped
from textnb.model.plain import score_of, spam_among
from textnb.model.scorer import Scorer, open_scorer
from textnb.text.steps import each
from textnb.workflow.progress import SILENT, Progress

if TYPE_CHECKING:
    from textnb.corpora.rows import ReadOptions
    from textnb.model.predictor import Predictor

BLOCK = 256  # documents predicted at a time
MAIL_BLOCK = 2048  # which several processes share
_LARGEST = 1.7976931348623157e308  # in place of infinite odds, which JSON has no number for


class Answer(NamedTuple):
    """A model's prediction for a document; the label is None where the model is unsure.

    The score is the log-odds of the positive class against all others from the model's raw scores, before calibration;
    None where there is no positive class.
    """

    id: str
    label: Any
    probabilities: dict[str, float]
    score: float | None = None

    @property
    def label_text(self) -> str:
        return "unsure" if self.label is None else str(self.label)

    @property
    def probability(self) -> float:
        """The probability of the label; of the most probable class if there is no label."""
        return max(self.probabilities.values()) if self.label is None else self.probabilities[str(self.label)]

    def top(self, n: int) -> list[tuple[str, float]]:
        """The most probable labels with their probabilities, the likeliest first; of equals in the model's order."""
        return sorted(self.probabilities.items(), key=lambda item: -item[1])[:n]

    def to_json(self, top: int | None = None) -> dict[str, Any]:
        """The answer by name, with a list of the most probable labels if that is asked for, and the score if any."""
        best = [] if top is None else [{"label": label, "probability": p} for label, p in self.top(top)]
        listed = {} if top is None else {"top": best}
        score = {} if self.score is None else {"score": max(min(self.score, _LARGEST), -_LARGEST) + 0.0}
        return {"id": self.id, "label": self.label, **listed, "probabilities": self.probabilities, **score}


def predict(
    model: str | PathLike[str],
    files: list[str],
    *,
    lines: bool = False,
    as_document: bool = False,
    raw: bool = False,
    prior: Mapping[str, float] | None = None,
    positive: str | None = None,
    options: ReadOptions | None = None,
    skipped: Skipped | None = None,
    progress: Progress = SILENT,
) -> Iterator[Answer]:
    """What the model of a file says of the documents of other files, as they are read.

    Parameters
    ----------
    model : path
    files : list of paths
        Documents, one per file; folders of them; mailboxes and archives, one document per message or file; tables, one
        per row; "-" for stdin.
    lines : bool
        Whether each line is a document.
    as_document : bool
        Whether tables are documents like other files.
    raw : bool
        Whether probabilities are the model's own, not calibrated.
    prior : dict of every class to its share, optional
        The mix of classes that the documents come from, if it is another than the model's; scores stay.
    positive : str, optional
        The class whose scores are given; by default the one named spam, if the model has it.
    options : ReadOptions, optional
        How to read tables. A text of None is the column that the model was trained on. With a format, stdin is a table;
        without one, if its first line names the model's columns.
    skipped : Skipped, optional
        Gets what cannot be used. Without it, the first such thing is an error.
    progress : Progress, optional
        Receives how far tables are read.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, message = os.path.join(folder, "mail.tnb"), os.path.join(folder, "message.txt")
    ...     TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).save(path)
    ...     with open(message, "w") as file:
    ...         _ = file.write("cheap!")
    ...     [answer.label for answer in predict(path, [message])]
    ['spam']
    """
    skipped, whole = Skipped(strict=True) if skipped is None else skipped, lines or as_document
    options = recognised(model, files, options, whole=whole)
    predictor = message_predictor(model, files, options, whole=whole, prior=prior)
    if predictor is not None:
        messages = each(read_messages(files, lines, skipped, mail=predictor.is_mail), "predicting", " documents")
        return answers(predictor, messages, raw=raw, positive=positive)
    from textnb.workflow.table_prediction import open_documents, table_answers

    of_rows, documents = open_documents(model, files, options, skipped, progress, prior)
    found = table_answers(of_rows, documents, raw=raw, positive=positive)
    return (answer for _, answer in found if answer is not None)


def recognised(
    model: str | PathLike[str], files: list[str], options: ReadOptions | None, *, whole: bool
) -> ReadOptions | None:
    """The options, with the format of stdin where a table is there: one whose first line names the model's columns."""
    if whole or STDIN not in files or (options is not None and options.format is not None):
        return options
    start = start_of_stdin()
    if not (start.startswith(("{", "[")) or any(sign in start.partition("\n")[0] for sign in ",\t")):
        return options
    from dataclasses import replace

    from textnb.corpora.rows import ReadOptions
    from textnb.workflow.table_prediction import stdin_format

    options = options or ReadOptions(text=None)
    return replace(options, format=stdin_format(model, start, options))


def message_predictor(
    model: str | PathLike[str],
    files: list[str],
    options: ReadOptions | None,
    *,
    whole: bool,
    prior: Mapping[str, float] | None = None,
) -> Scorer | Predictor | None:
    """What predicts files or lines as `whole` documents; None where the rows of tables are to be predicted."""
    if not whole and has_tables(files, options):
        return None
    predictor = text_predictor(model, prior)
    if predictor is None and whole:
        raise ValueError(f"{fspath(model)} is a model of columns: it takes rows of tables, not lines or whole files")
    return predictor


def has_tables(files: list[str], options: ReadOptions | None) -> bool:
    """Whether there are rows to read: tables among the files, or stdin with a format."""
    return any(map(is_table, files)) or (options is not None and options.format is not None)


def text_predictor(model: str | PathLike[str], prior: Mapping[str, float] | None = None) -> Scorer | Predictor | None:
    """What predicts texts by the model of a file: its scorer, or for a model that has none its predictor.

    None for a model of columns. `prior` is the mix of classes that texts come from, if it is another than the model's.
    """
    scorer = open_scorer(model)
    if scorer is not None:
        return scorer.with_prior(prior)
    from textnb.model.file import predictor_of
    from textnb.storage import open_model

    file = open_model(model, verify="touched")
    return None if file.settings.get("kind") == "mixed" else predictor_of(file).with_prior(prior)


def positive_class(classes: Sequence[Any], wanted: str | None = None) -> int | None:
    """The position of the class that scores are of: the one that is wanted, or named spam; None if there is no such."""
    if wanted is None:
        return spam_among(classes)
    names = list(map(str, classes))
    if wanted not in names:
        raise ValueError(f"the model has no class {wanted!r}; it has {', '.join(map(repr, names[:20]))}")
    return names.index(wanted)


def answers(
    predictor: Any, documents: Iterable[tuple[str, Any]], *, raw: bool = False, positive: str | None = None
) -> Iterator[Answer]:
    """An answer for each (id, text), or (id, values) of a row, in order; a scorer's at once, others' in blocks."""
    names = list(map(str, predictor.classes))
    c = positive_class(names, positive)
    return (
        _scorer_answers(predictor, documents, names, c, raw)
        if isinstance(predictor, Scorer)
        else (_block_answers(predictor, documents, names, c, raw))
    )


def _scorer_answers(
    scorer: Scorer, documents: Iterable[tuple[str, Any]], names: list[str], c: int | None, raw: bool
) -> Iterator[Answer]:
    for name, text in documents:
        joint, log_proba = scorer.scored(text)
        shown = map(exp, scorer.raw_log_proba(joint) if raw else log_proba)
        score = None if c is None else score_of(joint, c)
        yield Answer(name, scorer.named(log_proba), dict(zip(names, shown, strict=True)), score)


def _block_answers(
    predictor: Any, documents: Iterable[tuple[str, Any]], names: list[str], c: int | None, raw: bool
) -> Iterator[Answer]:
    import numpy as np

    from textnb.model import decision
    from textnb.text.documents import batches

    for some in batches(documents, MAIL_BLOCK if predictor.is_mail else BLOCK):
        joint, log_proba = predictor.scored([content for _, content in some])
        shown = np.exp(predictor.raw_log_proba(joint) if raw else log_proba)
        scores = [None] * len(some) if c is None else (-decision.log_odds_against(joint, c)).tolist()
        found = zip(some, predictor.named(log_proba), shown.tolist(), scores, strict=True)
        for (name, _), label, row, score in found:
            yield Answer(name, label, dict(zip(names, row, strict=True)), score)
