"""The results of training and evaluating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from textnb.model.records import to_json
from textnb.workflow.metrics import DecisionEvaluation, Evaluation

if TYPE_CHECKING:
    from textnb.corpora.problems import Problem
    from textnb.model.calibration import Calibration
    from textnb.selection.tuning import Choice


@dataclass(frozen=True, kw_only=True)
class EvaluationResult:
    """How a model did on documents that it had not learned from.

    Attributes
    ----------
    n_train : int
        The number of documents that the model was trained on.
    evaluated_on : str
        Which documents it was evaluated on, for people.
    settings : dict
        The main parameters of the model, and those that differ from the default.
    problems : sequence of Problem
        Documents that were skipped; `n_problems`, where it is given, counts those that are not listed, too.
    decisions : DecisionEvaluation or None
        What decisions cost, where the model has a policy.
    """

    corpus: str
    edition: str
    n_train: int
    evaluated_on: str
    settings: dict[str, Any]
    evaluation: Evaluation
    model_file: str | None = None
    problems: Sequence[Problem] = ()
    n_problems: int | None = None
    decisions: DecisionEvaluation | None = None
    calibration: Calibration | None = None

    def to_json(self) -> dict[str, Any]:
        """The result by name; `auc`, `decisions`, `skipped` and the like only where there is such a thing."""
        measured = self.evaluation.to_json()
        result = {
            "corpus": self.corpus,
            "edition": self.edition,
            "classes": measured["classes"],
            "n_train": self.n_train,
            "n_test": measured["n"],
            "settings": {**self.settings, "evaluated_on": self.evaluated_on},
            **{name: measured[name] for name in ("accuracy", "macro_f1", "per_class", "confusion_matrix")},
            "model_file": self.model_file,
        }
        more = {
            **{name: measured[name] for name in ("auc", "log_loss", "ece")},
            "calibration": to_json(self.calibration),
            "decisions": None if self.decisions is None else self.decisions.to_json(),
            **self._of_training(),
            "skipped": [problem._asdict() for problem in self.problems] or None,
        }
        return result | {name: value for name, value in more.items() if value is not None}

    def _of_training(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, kw_only=True)
class TrainingResult(EvaluationResult):
    """The result of training, with the fitted `classifier`.

    Attributes
    ----------
    folds : list of float
        The accuracy of each fold of a cross-validation.
    choice : Choice or None
        What was chosen for settings that are "auto", and from what.
    """

    classifier: Any = field(repr=False)
    folds: list[float] = field(default_factory=list)
    choice: Choice | None = None

    def _of_training(self) -> dict[str, Any]:
        return {"choice": None if self.choice is None else self.choice.to_json(), "folds": self.folds or None}
