"""Predicting documents of files by a saved model. Called once per message by mail filters, so it imports little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.corpora.messages import is_table, read_messages
from textnb.corpora.problems import Skipped
from textnb.model import file as model_files
from textnb.storage import ModelFile, open_model
from textnb.text.documents import batches
from textnb.workflow.progress import SILENT, Progress

if TYPE_CHECKING:
    from textnb.corpora.rows import ReadOptions

BLOCK = 256  # documents predicted at a time


@dataclass(frozen=True)
class Answer:
    """A model's prediction for a document; the label is None where the model is unsure."""

    id: str
    label: Any
    probabilities: dict[str, float]

    @property
    def probability(self) -> float:
        """The probability of the label; of the most probable class if there is no label."""
        return max(self.probabilities.values()) if self.label is None else self.probabilities[str(self.label)]

    def top(self, n: int) -> list[tuple[str, float]]:
        """The most probable labels with their probabilities, the likeliest first; of equals in the model's order."""
        return sorted(self.probabilities.items(), key=lambda item: -item[1])[:n]

    def to_json(self, top: int | None = None) -> dict[str, Any]:
        """The answer by name, with a list of the most probable labels if that is asked for."""
        best = [] if top is None else [{"label": label, "probability": p} for label, p in self.top(top)]
        listed = {} if top is None else {"top": best}
        return {"id": self.id, "label": self.label, **listed, "probabilities": self.probabilities}


def predict(
    model: str | PathLike[str],
    files: list[str],
    *,
    lines: bool = False,
    as_document: bool = False,
    raw: bool = False,
    options: ReadOptions | None = None,
    skipped: Skipped | None = None,
    progress: Progress = SILENT,
) -> Iterator[Answer]:
    """What the model of a file says of the documents of other files, as they are read.

    Parameters
    ----------
    model : path
    files : list of paths
        Documents, one per file; folders of them; tables, one document per row; "-" for stdin.
    lines : bool
        Whether each line is a document.
    as_document : bool
        Whether tables are documents like other files.
    raw : bool
        Whether probabilities are the model's own, not calibrated.
    options : ReadOptions, optional
        How to read tables. A text of None is the column that the model was trained on; with a format, stdin is a table.
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
    file = open_model(model, verify="touched")
    skipped = Skipped(strict=True) if skipped is None else skipped
    if takes_messages(file, files, options, whole=lines or as_document):
        return answers(model_files.predictor_of(file), read_messages(files, lines, skipped), raw=raw)
    from textnb.workflow.table_prediction import open_documents, table_answers

    if lines or as_document:
        raise ValueError(f"{fspath(model)} is a model of columns, and takes the rows of tables: leave out --lines")
    predictor, documents = open_documents(file, files, options, skipped, progress)
    return (answer for _, answer in table_answers(predictor, documents, raw=raw) if answer is not None)


def takes_messages(file: ModelFile, files: list[str], options: ReadOptions | None, *, whole: bool) -> bool:
    """Whether there is no table to read: `whole` if tables are documents, or files of lines, like others."""
    if file.settings.get("kind") == "mixed":
        return False
    has_table = any(map(is_table, files)) or (options is not None and options.format is not None)
    return whole or not has_table


def answers(
    predictor: Any, documents: Iterable[tuple[str, Any]], *, raw: bool = False, block: int = BLOCK
) -> Iterator[Answer]:
    """An answer for each (id, text), or (id, values) of a row, in order, some documents at a time."""
    labels = predictor.classes.tolist()
    for some in batches(documents, block):
        contents = [content for _, content in some]
        log_proba = predictor.log_proba(contents, raw=raw)
        decided = predictor.named(predictor.log_proba(contents) if raw else log_proba)  # costs are in calibrated odds
        for (name, _), row, label in zip(some, np.exp(log_proba), decided, strict=True):
            yield Answer(name, label, dict(zip(map(str, labels), row.tolist(), strict=True)))
