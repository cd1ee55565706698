"""An interrupted stream in a file, from which it goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from textnb.engines.stream import FREQUENCIES, FREQUENCY_PARAMETERS, State, StreamLearner
from textnb.learner import Derived, Learner
from textnb.learner_file import learner_content, learner_of
from textnb.likelihood.rules import LinearRule
from textnb.statistics.counts import ClassCounts
from textnb.storage import open_model, write_model


def write_checkpoint(path: Path, learning: StreamLearner, about: dict[str, Any]) -> bool:
    """Save what was learned so far; False if that is nothing, and there is nothing to save.

    It is the learner of a model file, or before documents are weighed that of the frequencies of terms. `about` says
    what was being learned from what, and how; only the same can go on.
    """
    stage, rows, learner = learning.state()
    if not learner.counts.n_documents:
        return False
    parameters = about["parameters"] | (FREQUENCY_PARAMETERS if stage == FREQUENCIES else {})
    arrays, settings = learner_content(learner, _no_rule(learner), {"parameters": parameters})
    del arrays["coef"]  # nobody is to predict by half a training
    write_model(path, arrays, settings | {"checkpoint": about | {"stage": stage, "rows": rows}})
    return True


def resume(path: Path, learning: StreamLearner, about: dict[str, Any]) -> None:
    """Take up what was saved."""
    file = open_model(path)
    saved = file.settings.get("checkpoint")
    if not isinstance(saved, dict):
        raise ValueError(f"{path} is no checkpoint: choose another --checkpoint, or remove it")
    for name, value in about.items():
        if saved.get(name) != value:
            raise ValueError(f"{path} is the checkpoint of a training with another {name}: remove it to begin anew")
    learning.go_on(State(saved["stage"], saved["rows"], learner_of(file)))


def _no_rule(learner: Learner) -> Derived:
    """In place of a rule that cannot always be derived: of few documents, limits may leave no term."""
    counts = learner.counts
    n_classes = len(counts.classes)
    nothing = np.zeros((0, n_classes))
    return Derived(
        keep=np.zeros(len(counts.terms), dtype=bool),
        statistics=ClassCounts(counts.classes, counts.documents, nothing.T),
        rule=LinearRule(nothing, np.zeros(n_classes)),
        log_prior=np.zeros(n_classes),
        idf=None,
        prior_in_joint=True,
    )
