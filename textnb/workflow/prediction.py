"""Predicting documents of files by a saved model. Called once per message by mail filters, so it imports little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import exp
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from textnb.corpora.messages import os_error_line, read_messages
from textnb.model.scorer import Scorer, open_scorer

if TYPE_CHECKING:
    from textnb.arrays import Array

BLOCK = 256  # documents predicted at a time


class Answer(NamedTuple):
    """A model's prediction for a document; the label is None where the model is unsure."""

    id: str
    label: Any
    probabilities: dict[str, float]

    @property
    def probability(self) -> float:
        """The probability of the label; of the most probable class if there is no label."""
        return max(self.probabilities.values()) if self.label is None else self.probabilities[str(self.label)]

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "label": self.label, "probabilities": self.probabilities}


def predict(
    model: str | PathLike[str],
    files: list[str],
    *,
    lines: bool = False,
    raw: bool = False,
    problems: list[str] | None = None,
) -> Iterator[Answer]:
    """What the model of a file says of the documents of other files, as they are read.

    Parameters
    ----------
    model : path
    files : list of paths
        Documents, one per file, "-" for stdin; for a mixed model, tables.
    lines : bool
        Whether each line is a document.
    raw : bool
        Whether probabilities are the model's own, not calibrated.
    problems : list, optional
        Gets a line for each file or row that cannot be read. Without it, the first one is an error.

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
    scorer = open_scorer(model)
    if scorer is not None:
        return scored_answers(scorer, read_messages(files, lines, problems), raw=raw)

    from textnb.model import file as model_files
    from textnb.storage import open_model

    file = open_model(model, verify="touched")
    if file.settings.get("kind") != "mixed":
        return answers(model_files.predictor_of(file), read_messages(files, lines, problems), raw=raw)
    if lines:
        raise ValueError(f"{fspath(model)} is a model of columns, and takes the rows of tables: leave --lines out")
    return answers(*_open_tables(fspath(model), files, problems), raw=raw)


def scored_answers(scorer: Scorer, documents: Iterable[tuple[str, str]], *, raw: bool = False) -> Iterator[Answer]:
    """An answer for each (id, text), in order and at once: without numpy, and quicker than some at a time."""
    names = list(map(str, scorer.classes))
    for name, text in documents:
        log_proba = scorer.log_proba(text, raw=raw)
        label = scorer.named(scorer.log_proba(text) if raw else log_proba)  # costs are in calibrated odds
        yield Answer(name, label, dict(zip(names, map(exp, log_proba), strict=True)))


def answers(predictor: Any, documents: Iterable[tuple[str, Any]], *, raw: bool = False) -> Iterator[Answer]:
    """An answer for each (id, text), or (id, values) of a row, in order, some documents at a time."""
    import numpy as np

    from textnb.text.documents import batches

    labels = predictor.classes.tolist()
    for block in batches(documents, BLOCK):
        contents = [content for _, content in block]
        log_proba = predictor.log_proba(contents, raw=raw)
        decided = predictor.named(predictor.log_proba(contents) if raw else log_proba)  # costs are in calibrated odds
        for (name, _), row, label in zip(block, np.exp(log_proba), decided, strict=True):
            yield Answer(name, label, dict(zip(map(str, labels), row.tolist(), strict=True)))


class _TablePredictor(NamedTuple):
    """A mixed model as a predictor of rows."""

    model: Any
    columns: Any  # TableInput

    @property
    def classes(self) -> Array:
        return self.model.classes_

    def named(self, log_proba: Array) -> list[Any]:
        return self.classes[log_proba.argmax(axis=1)].tolist()

    def log_proba(self, rows: list[tuple[Any, ...]], *, raw: bool = False) -> Array:
        """Probabilities are the model's own, raw or not."""
        names = [*self.columns.strings, *self.columns.numeric]
        values = dict(zip(names, zip(*rows, strict=True), strict=True))
        return self.model.predict_log_proba(self.columns.table(values))


def _open_tables(
    path: str, files: list[str], problems: list[str] | None
) -> tuple[_TablePredictor, Iterator[tuple[str, Any]]]:
    """A mixed model, and (id, values) of every row of the tables, the id being its file and line."""
    from textnb.corpora.readers import table_format
    from textnb.corpora.rows import ReadOptions
    from textnb.workflow.inputs import TableInput, open_fitted, stored_label

    model, columns, _ = open_fitted(path)
    assert isinstance(columns, TableInput)
    for file in files:
        if table_format(file) is None:
            raise ValueError(
                f"{path} is a model of the columns {', '.join(columns.names)}: give tables that have them, .csv, .tsv "
                f"or .jsonl, not {'stdin' if file == '-' else file}"
            )
    options = columns.options(ReadOptions(label=stored_label(path), label_required=False))
    return _TablePredictor(model, columns), _table_rows(files, options, problems)


def _table_rows(files: list[str], options: Any, problems: list[str] | None) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """(id, values) of every row; one that cannot be read goes to `problems`, or without them is an error."""
    from textnb.corpora.readers import iter_rows

    for file in files:
        skipped: list[Any] = []
        try:
            for row in iter_rows(file, options, report=None if problems is None else skipped.append):
                yield f"{file}:{row.where.removeprefix('line ')}", row.values
        except OSError as error:
            if problems is None:
                raise
            problems.append(os_error_line(error))
        if problems is not None:
            problems.extend(f"skipped {file}: {where}: {why}" for where, why in skipped)
