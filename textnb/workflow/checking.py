"""Checking one message by a saved model: is it spam? Called once per message by mail filters, so it imports little."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from textnb.corpora.files import STDIN, open_source
from textnb.corpora.mailboxes import NoDocument, Reading, text_of
from textnb.corpora.packed import PackedError, unpacked
from textnb.model.scorer import Scorer
from textnb.storage.mapped import map_model
from textnb.workflow.prediction import Answer, answers, positive_class, text_predictor

if TYPE_CHECKING:
    from textnb.model.explanation import Explanation

MOST_BYTES = 1 << 23  # of a message that are judged
SURE = 0.999  # the least probability at which a message may be learned by what the model says of it


class Verdict(NamedTuple):
    """What a model says of a message: its answer, the class that counts as spam, and what was judged."""

    answer: Answer
    positive: Any
    document: str  # the beginning of a large one
    is_whole: bool = True  # whether the document is all of the message

    @property
    def is_positive(self) -> bool | None:
        """Whether the positive class is named, or another one; None if none is."""
        return None if self.answer.label is None else bool(self.answer.label == self.positive)

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
        found = {"positive": self.positive, "probability": self.probability, "is_positive": self.is_positive}
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
    ...     check(path, b"Subject: cheap!").is_positive
    True
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
    document, is_whole = _read(content, name, predictor.is_mail)
    (answer,) = answers(predictor, [(name, document)], positive=str(labels[c]))
    if answer.score == 0 and prior is None and not predictor.has_policy:  # the model knows nothing of it
        answer = answer._replace(label=None)
    return Verdict(answer, labels[c], document, is_whole)


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
    One of which only the beginning was judged is not learned. Returns whether it was learned.
    """
    if verdict.answer.label is None or verdict.answer.probability < least or not verdict.is_whole:
        return False
    from textnb.workflow.updating import learn_if_new  # which those who are not sure need not wait for

    return learn_if_new(model, verdict.document, str(verdict.answer.label))


def _read(content: bytes, name: str, is_mail: bool) -> tuple[str, bool]:
    """The message as the model reads it, and whether that is all of it, unpacked.

    One of mail is without what was added locally, others are plain text.
    """
    try:
        content = unpacked(content)
        document = text_of(content[:MOST_BYTES], Reading(is_mail, lambda where, why: None, lambda note: None))
        return document, len(content) <= MOST_BYTES
    except (NoDocument, PackedError) as error:
        raise ValueError(f"{'stdin' if name == STDIN else name}: {error}") from None
