"""Explaining the documents of files by a saved model."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any, NamedTuple

from textnb.corpora.messages import read_messages
from textnb.corpora.problems import Skipped
from textnb.model.explanation import Explanation
from textnb.model.file import predictor_of
from textnb.model.flipping import Flip
from textnb.storage import open_model


class ExplainedDocument(NamedTuple):
    """A document with the explanation of its class, and the words without which that would be another."""

    id: str
    explanation: Explanation
    flip: Flip | None

    def to_json(self) -> dict[str, Any]:
        flip = None if self.flip is None else {"words": self.flip.words, "label": self.flip.label}
        return {"id": self.id, **self.explanation.to_json(), "flip": flip}


def explain(
    model: str | PathLike[str],
    files: list[str],
    *,
    lines: bool = False,
    label: str | None = None,
    against: str | None = None,
    skipped: Skipped | None = None,
) -> Iterator[ExplainedDocument]:
    """Why the model of a file gives the documents of other files their classes.

    Parameters
    ----------
    model : path
    files : list of paths
        Documents, one per file; folders of them; "-" for stdin.
    lines : bool
        Whether each line is a document.
    label, against : str, optional
        The class to explain, and the one to compare it with; by default the most probable class and the next.
    skipped : Skipped, optional
        Gets what cannot be used. Without it, the first such thing is an error.

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
    file = open_model(model, verify="touched")
    if file.settings.get("kind") == "mixed":
        raise ValueError(f"{fspath(model)} is a model of columns: explanations are for models of text")
    predictor = predictor_of(file)
    known = {str(name): name for name in predictor.classes.tolist()}
    pair = {"label": known.get(label or "", label), "against": known.get(against or "", against)}
    for name, text in read_messages(files, lines, Skipped(strict=True) if skipped is None else skipped):
        explanation = predictor.explain(text, **pair)
        yield ExplainedDocument(name, explanation, explanation.what_would_flip())
