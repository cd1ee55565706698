"""Choosing the settings of a classifier for a corpus, by leave-one-out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.corpora.corpus import select
from textnb.corpora.problems import Problem
from textnb.corpora.rows import DEFAULT_OPTIONS, ReadOptions
from textnb.estimators.text_model import TextModel
from textnb.likelihood.families import FITTED
from textnb.model.parameters import AUTO, CHOOSABLE
from textnb.selection.tuning import Choice
from textnb.workflow.inputs import notice_objective
from textnb.workflow.metrics import wilson_interval
from textnb.workflow.progress import SILENT, Progress, hears_steps, shown_trials
from textnb.workflow.reading import CorpusLike, opened, require_two_classes, with_analyzer


@dataclass(frozen=True)
class TuningResult:
    """The settings chosen for a corpus, and all candidates."""

    corpus: str
    edition: str
    n_documents: int
    n_classes: int
    choice: Choice
    problems: Sequence[Problem] = ()

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        """Of the best candidate's accuracy, 95 %; that it is the best of many is not in it."""
        return wilson_interval(self.choice.best.accuracy, self.choice.n_documents)

    def to_json(self) -> dict[str, Any]:
        interval = {"accuracy_interval": list(self.accuracy_interval)}
        return {"corpus": self.corpus, "edition": self.edition, **self.choice.to_json(), **interval}


@hears_steps
def tune(
    corpus: CorpusLike, *, options: ReadOptions = DEFAULT_OPTIONS, progress: Progress = SILENT, **settings: Any
) -> TuningResult:
    """Choose model, weights, alpha, n-grams and min_df for a corpus by leave-one-out. A test part is not looked at.

    Parameters
    ----------
    corpus, options, progress
        As in `train`.
    **settings
        Parameters of `TextClassifier`; those of the five that are given are not chosen.

    Examples
    --------
    >>> from textnb.corpora.corpus import make_corpus
    >>> texts = ["cheap pills", "cheap watches", "buy cheap", "lunch at noon?", "meeting at noon", "minutes at noon"]
    >>> result = tune(make_corpus("mail", texts, ["spam"] * 3 + ["ham"] * 3, "made up"), model="multinomial")
    >>> result.choice.best.candidate.model, result.choice.best.accuracy
    ('multinomial', 1.0)
    """
    options, settings = with_analyzer(corpus, options, settings, progress)
    read = opened(corpus, options, progress)
    if read.split is not None:
        read = select(read, "train")
    require_two_classes(read)
    class_ids = np.searchsorted(read.classes, read.labels)
    usual = {**dict.fromkeys(CHOOSABLE, AUTO), "ledger": False}
    model = settings.get("model")
    if model in FITTED:
        usual |= {"C": AUTO, "beta": AUTO}
    classifier = TextModel(**{**usual, **settings})
    with shown_trials(progress) as report:
        choice = classifier.choose(
            read.texts, class_ids, read.groups, classes=np.asarray(read.classes), progress=report
        )
    notice_objective(classifier, choice, progress)
    return TuningResult(read.name, read.edition, len(read), len(read.classes), choice, read.problems)
