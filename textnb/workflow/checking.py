"""Checking one message by a saved model: is it spam? Called once per message by mail filters, so it imports little."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from textnb.corpora.files import STDIN, open_source
from textnb.corpora.mailboxes import NoDocument, Reading, text_of
from textnb.corpora.packed import PackedError, unpacked
from textnb.model.scorer import Scorer
from textnb.storage.mapped import map_model
from textnb.workflow.prediction import Answer, answers, positive_class, text_predictor

if TYPE_CHECKING:
    from textnb.model.explanation import Explanation

MOST_BYTES = 1 << 26  # of a message
SURE = 0.999  # the least probability at which a message may be learned by what the model says of it


class Verdict(NamedTuple):
    """What a model says of a message: its answer, the class that counts as spam, and the document that was read."""

    answer: Answer
    positive: Any
    document: str

    @property
    def decision(self) -> Literal["spam", "ham", "unsure"]:
        """Whether the positive class is named, another one, or none."""
        if self.answer.label is None:
            return "unsure"
        return "spam" if self.answer.label == self.positive else "ham"

    @property
    def probability(self) -> float:
        """That of the positive class, whatever the label."""
        return self.answer.probabilities[str(self.positive)]

    @property
    def score(self) -> float:
        """The log-odds of the positive class against all others, before calibration."""
        assert self.answer.score is not None
        return self.answer.score

    def to_json(self) -> dict[str, Any]:
        found = {"positive": self.positive, "probability": self.probability, "decision": self.decision}
        return self.answer.to_json() | found


def read_content(source: str, most: int = -1) -> bytes:
    """The bytes of a message, of a file or of stdin: all, or so many at most."""
    try:
        with open_source(source) as file:
            return file.read(most)
    except OSError as error:
        error.filename = error.filename or source
        raise


def check(
    model: str | PathLike[str],
    content: bytes,
    *,
    name: str = STDIN,
    positive: str | None = None,
    prior: Mapping[str, float] | None = None,
) -> Verdict:
    """What the model of a file says of a message, by its policy.

    Parameters
    ----------
    model : path
    content : bytes
        One message, packed or not; a mailbox of several is one message, too.
    name : str
        The id of the message.
    positive : str, optional
        The class that counts as spam; by default the one of that name.
    prior : dict of every class to its share, optional
        How common spam is, if it is another share than in what the model has learned; the score stays.

    Examples
    --------
    >>> import os, tempfile
    >>> from textnb import TextClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mail.tnb")
    ...     TextClassifier().fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).save(path)
    ...     check(path, b"Subject: cheap!").decision
    'spam'
    """
    predictor = text_predictor(model, prior)
    if predictor is None:
        raise ValueError(f"{fspath(model)} is a model of columns: check takes messages, and models of text")
    labels = predictor.classes if isinstance(predictor, Scorer) else predictor.classes.tolist()
    c = positive_class(labels, positive)
    if c is None:
        classes = ", ".join(repr(str(label)) for label in labels[:20])
        raise ValueError(f"{fspath(model)} has no class named spam: say which counts as such (--positive): {classes}")
    if len(labels) < 2:
        raise ValueError(f"{fspath(model)} knows no other class than {labels[0]!r}: let it learn another one first")
    if len(content) > MOST_BYTES:
        raise ValueError(f"the message has more than {MOST_BYTES:,} bytes, and is not judged")
    document = document_of(content, name, is_mail=predictor.is_mail)
    (answer,) = answers(predictor, [(name, document)], positive=str(labels[c]))
    return Verdict(answer, labels[c], document)


def explain_verdict(
    model: str | PathLike[str], verdict: Verdict, prior: Mapping[str, float] | None = None
) -> Explanation:
    """Why the positive class is more or less probable than the rest: than the likeliest other class."""
    from textnb.model.file import predictor_of
    from textnb.storage import open_model

    predictor = predictor_of(open_model(model, verify="touched")).with_prior(prior)
    return predictor.explain(verdict.document, label=verdict.positive)


def require_ledger(model: str | PathLike[str]) -> None:
    """Refuse to learn from messages where nobody knows what was learned."""
    if "ledger" not in map_model(model).places:
        raise ValueError(
            f"{fspath(model)} has no ledger of what it has learned, which --update needs: train it with one"
        )


def learn_if_sure(model: str | PathLike[str], verdict: Verdict, least: float = SURE) -> bool:
    """Learn a message as what it was taken for, if that was probable enough, and the model does not know it.

    Neither its content nor its Message-ID may be known, under any label: what somebody has said is never overturned.
    Returns whether it was learned.
    """
    if verdict.answer.label is None or verdict.answer.probability < least:
        return False
    from textnb.workflow.updating import learn_if_new  # which those who are not sure need not wait for

    return learn_if_new(model, verdict.document, str(verdict.answer.label))


def document_of(content: bytes, name: str = STDIN, *, is_mail: bool) -> str:
    """The message as the model reads it, unpacked: one of mail without what was added locally, others as plain text."""
    try:
        return text_of(unpacked(content), Reading(is_mail, lambda where, why: None, lambda note: None))
    except (NoDocument, PackedError) as error:
        raise ValueError(f"{'stdin' if name == STDIN else name}: {error}") from None
