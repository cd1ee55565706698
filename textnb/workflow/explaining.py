"""Explaining the documents of files, and the rows of tables, by a saved model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from textnb.corpora.messages import read_messages
from textnb.corpora.problems import Skipped
from textnb.corpora.rows import ReadOptions
from textnb.model.explanation import Explanation
from textnb.model.file import predictor_of
from textnb.model.flipping import Flip
from textnb.model.scorer import Scorer
from textnb.storage import open_model
from textnb.text.documents import batches
from textnb.workflow.prediction import BLOCK, Answer, answers, message_predictor, recognised
from textnb.workflow.progress import SILENT, Progress
from textnb.workflow.table_prediction import open_documents


class ExplainedDocument(NamedTuple):
    """A document with the explanation of its class, and the words without which that would be another."""

    id: str
    explanation: Explanation
    flip: Flip | None
    decided: bool = False  # whether costs or a ceiling decide, and not the probability alone
    unsure: bool = False  # whether they name no class; explained is then the most probable one

    def to_json(self) -> dict[str, Any]:
        flip = None if self.flip is None else {"words": self.flip.words, "label": self.flip.label}
        decision = {"decision": None if self.unsure else self.explanation.label} if self.decided else {}
        return {"id": self.id, **decision, **self.explanation.to_json(), "flip": flip}


class ExplainedAnswer(NamedTuple):
    """A prediction with the explanation of the class that was named, or of the likeliest where none was."""

    answer: Answer
    explanation: Explanation

    def to_json(self) -> dict[str, Any]:
        return {**self.answer.to_json(), "explanation": self.explanation.to_json()}


def explain(
    model: str | PathLike[str],
    files: list[str],
    *,
    lines: bool = False,
    as_document: bool = False,
    label: str | None = None,
    against: str | None = None,
    prior: Mapping[str, float] | None = None,
    options: ReadOptions | None = None,
    skipped: Skipped | None = None,
    progress: Progress = SILENT,
) -> Iterator[ExplainedDocument]:
    """Why the model of a file gives the documents of other files their classes.

    Parameters
    ----------
    label, against : str, optional
        The class to explain, and the one to compare it with; by default the class that `predict` names, or where that
        is unsure the most probable one, and the most probable other class.
    model, files, lines, as_document, prior, options, skipped, progress
        As for `predict`.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, message = os.path.join(folder, "mail.tnb"), os.path.join(folder, "message.txt")
    ...     TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).save(path)
    ...     with open(message, "w") as file:
    ...         _ = file.write("cheap!")
    ...     [(why.explanation.label, why.explanation.rows[0].term) for why in explain(path, [message])]
    [('spam', 'cheap')]
    """
    predictor, documents = _open(model, files, lines, as_document, options, skipped, progress, prior)
    known = _by_name(predictor)
    pair = {"label": known.get(label or "", label), "against": known.get(against or "", against)}
    decided = label is None and getattr(predictor, "policy", None) is not None
    for name, content in documents:
        explanation, unsure = predictor.explain(content, **pair), False
        if decided:
            (named,) = predictor.named(explanation.log_proba()[np.newaxis])
            unsure = named is None
            if not unsure and named != explanation.label:
                explanation = explanation.of(named, pair["against"])
        yield ExplainedDocument(name, explanation, explanation.what_would_flip(), decided, unsure)


def predict_explained(
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
) -> Iterator[ExplainedAnswer]:
    """The answers of `predict`, each with its explanation; the parameters are the same.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, message = os.path.join(folder, "mail.tnb"), os.path.join(folder, "message.txt")
    ...     TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).save(path)
    ...     with open(message, "w") as file:
    ...         _ = file.write("cheap!")
    ...     [(found.answer.label, found.explanation.against) for found in predict_explained(path, [message])]
    [('spam', 'ham')]
    """
    predictor, documents = _open(model, files, lines, as_document, options, skipped, progress, prior)
    known = _by_name(predictor)
    for some in batches(documents, BLOCK):
        for (_, content), answer in zip(some, answers(predictor, some, raw=raw, positive=positive), strict=True):
            ((likeliest, _),) = answer.top(1)
            label = known[likeliest] if answer.label is None else answer.label
            yield ExplainedAnswer(answer, predictor.explain(content, label=label))


def _open(
    model: str | PathLike[str],
    files: list[str],
    lines: bool,
    as_document: bool,
    options: ReadOptions | None,
    skipped: Skipped | None,
    progress: Progress,
    prior: Mapping[str, float] | None,
) -> tuple[Any, Iterator[tuple[str, Any]]]:
    """What explains documents, and the documents that `predict` reads, each with its id."""
    skipped, whole = Skipped(strict=True) if skipped is None else skipped, lines or as_document
    options = recognised(model, files, options, whole=whole)
    predictor: Any = message_predictor(model, files, options, whole=whole, prior=prior)
    if predictor is not None:
        documents = read_messages(files, lines, skipped, mail=predictor.is_mail)
    else:
        predictor, rows = open_documents(model, files, options, skipped, progress, prior)
        documents = ((row.id, row.content) for row in rows if row.content is not None)
    if isinstance(predictor, Scorer):  # which scores, and keeps no account of it
        predictor = predictor_of(open_model(model, verify="touched")).with_prior(prior)
    return predictor, documents


def _by_name(predictor: Any) -> dict[str, Any]:
    """The classes by what they are called at the prompt."""
    return {str(label): label for label in predictor.classes.tolist()}
