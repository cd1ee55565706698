"""How accurate a model would be that had learned fewer documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.estimators.text_model import TextModel
from textnb.workflow.metrics import wilson_interval
from textnb.workflow.progress import SILENT, Progress

SHARES = (16, 8, 4, 2, 1)  # one in so many of the documents
FEWEST_DOCUMENTS = 32
_SEED = 0


@dataclass(frozen=True)
class LearningPoint:
    """The accuracy after `n` documents, tested on `n_tested`."""

    n: int
    accuracy: float
    n_tested: int

    def to_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "accuracy": self.accuracy,
            "interval": list(wilson_interval(self.accuracy, self.n_tested)),
        }


@dataclass(frozen=True)
class LearningCurve:
    """Accuracies of models of the same settings that learned ever more of the same documents; or why there are none."""

    points: tuple[LearningPoint, ...] = ()
    why_not: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"points": [point.to_json() for point in self.points], "why_not": self.why_not}


def learning_curve(
    model: TextModel,
    learned: list[str],
    labels: Array,
    texts: list[str],
    true_labels: Array,
    accuracy_of_all: float | None = None,
    progress: Progress = SILENT,
) -> LearningCurve:
    """The curve of a model's settings over what it has learned, tested on some texts.

    Nothing is chosen anew, and nothing is calibrated. Subsets are nested and stratified, always the same.

    Parameters
    ----------
    model : TextModel, fitted
    learned, labels : documents that it has learned, and their classes
    texts, true_labels : documents to test on
    accuracy_of_all : float, optional
        That of a model of all documents, if that is known.

    Examples
    --------
    >>> import numpy as np
    >>> texts, labels = ["cheap pills", "lunch at noon"] * 32, np.array(["spam", "ham"] * 32)
    >>> model = TextModel("multinomial").fit(texts, labels)
    >>> [(point.n, point.accuracy) for point in learning_curve(model, texts, labels, texts, labels).points]
    [(4, 1.0), (8, 1.0), (16, 1.0), (32, 1.0), (64, 1.0)]
    """
    if len(learned) < FEWEST_DOCUMENTS:
        return LearningCurve(
            why_not=f"only {len(learned)} of the documents that the model has learned are in the corpus"
        )
    order = nested_order(np.unique(labels, return_inverse=True)[1])
    settings = {**model.parameters_in_use, "ledger": False, "calibrate": False}
    points = []
    for share in progress.each(SHARES, len(SHARES), "learning fewer documents", " models"):
        some = np.sort(order[: len(order) // share])
        accuracy = accuracy_of_all if share == 1 else None
        if accuracy is None:
            try:
                fewer = TextModel(**settings).fit([learned[i] for i in some.tolist()], labels[some])
            except ValueError:  # too few for the settings, such as min_df
                continue
            accuracy = float(np.mean(fewer.predictor_.predict(texts) == true_labels))
        points.append(LearningPoint(len(some), accuracy, len(texts)))
    return LearningCurve(tuple(points), None if points else "the settings need more documents")


def nested_order(class_ids: Array) -> Array:
    """An order of documents, at random, of which every beginning has about the same shares of the classes."""
    rng = np.random.RandomState(_SEED)
    place = np.empty(len(class_ids))
    for c in range(int(class_ids.max()) + 1):
        (members,) = np.nonzero(class_ids == c)
        place[rng.permutation(members)] = (np.arange(len(members)) + rng.random_sample()) / len(members)
    return np.argsort(place, kind="stable")
