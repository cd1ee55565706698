"""The results of training and evaluating."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textnb.model.records import to_json
from textnb.workflow.metrics import DecisionEvaluation, Evaluation, Outcomes

if TYPE_CHECKING:
    from textnb.corpora.problems import Problem
    from textnb.model.calibration import Calibration
    from textnb.selection.tuning import Choice
    from textnb.workflow.mixes import MixDifference
    from textnb.workflow.reporting.results import ReportResult

MEASURES = ("accuracy", "accuracy_interval", "macro_f1", "per_class", "confusion_matrix")


@dataclass(frozen=True)
class LearnedDocuments:
    """How many documents of the part to evaluate on the model had learned, and whether they were evaluated on.

    `n` is None where the model has no ledger, so that nobody knows.
    """

    n: int | None
    included: bool = False

    @property
    def n_skipped(self) -> int | None:
        return 0 if self.included and self.n is not None else self.n

    @property
    def n_tested(self) -> int | None:
        return self.n if self.included or self.n is None else 0


@dataclass(frozen=True, kw_only=True)
class EvaluationResult:
    """How a model did on documents that it had not learned from, or as `learned` says.

    `evaluation` is None if there were none.

    Attributes
    ----------
    n_train : int
        The number of documents that the model was trained on.
    evaluated_on : str
        Which documents it was evaluated on, for people.
    settings : dict
        The main parameters of the model, and those that differ from the default.
    told : dict
        Those that somebody set or that were chosen; of the model of a file, all that may have been.
    problems : sequence of Problem
        Documents that were skipped; `n_problems`, where it is given, counts those that are not listed, too.
    decisions : DecisionEvaluation or None
        What decisions cost, where the model has a policy.
    prior : dict of class to share, or None
        The mix of classes that the model was told to expect.
    mix : MixDifference or None
        Where the classes of the documents are not as common as the model assumes.
    learned : LearnedDocuments or None
        What became of documents that the model knew; None for those that were held out in training.
    """

    corpus: str
    edition: str
    n_train: int
    evaluated_on: str
    settings: dict[str, Any]
    told: dict[str, Any]
    evaluation: Evaluation | None
    model_file: str | None = None
    problems: Sequence[Problem] = ()
    n_problems: int | None = None
    decisions: DecisionEvaluation | None = None
    calibration: Calibration | None = None
    learned: LearnedDocuments | None = None
    prior: dict[str, float] | None = None
    mix: MixDifference | None = None

    @property
    def shown(self) -> Evaluation | Outcomes | None:
        """The matrix to show: that of the decisions where the model has a policy, else of the most probable classes."""
        return self.evaluation if self.decisions is None else self.decisions.outcomes

    def to_json(self) -> dict[str, Any]:
        """The result by name; `auc`, `decisions`, `skipped` and the like only where there is such a thing."""
        measured = self._measured()
        result = {
            "corpus": self.corpus,
            "edition": self.edition,
            "classes": measured["classes"],
            "n_train": self.n_train,
            "n_test": measured["n"],
            "settings": {**self.settings, "evaluated_on": self.evaluated_on},
            **{name: measured[name] for name in MEASURES},
            "model_file": self.model_file,
        }
        if self.learned is not None:  # None where nobody knows
            result |= {"n_learned_skipped": self.learned.n_skipped, "n_learned_tested": self.learned.n_tested}
        more = {
            **{name: measured[name] for name in ("auc", "log_loss", "ece")},
            "calibration": to_json(self.calibration),
            "prior": self.prior,
            "mix": None if self.mix is None else self.mix.to_json(),
            "decisions": None if self.decisions is None else self.decisions.to_json(),
            **self._of_training(),
            "skipped": [problem._asdict() for problem in self.problems] or None,
        }
        return result | {name: value for name, value in more.items() if value is not None}

    def _measured(self) -> dict[str, Any]:
        assert self.evaluation is not None
        return self.evaluation.to_json()

    def _of_training(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, kw_only=True)
class TrainingResult(EvaluationResult):
    """The result of training, with the fitted `classifier`.

    Attributes
    ----------
    n_learned : int
        The number of documents that the classifier has learned, the held-out ones too if it was refitted.
    n_documents : int
        The number of documents that it was given.
    n_copies : int
        How many of the texts tested on are among those learned from, to the letter, which flatters.
    compact : bool
        Whether the file only predicts.
    folds : list of float
        The accuracy of each fold of a cross-validation.
    choice : Choice or None
        What was chosen for settings that are "auto", and from what.
    report : ReportResult or None
        What there is to see behind the figures, if that was asked for.
    """

    model: Any = field(repr=False)
    n_learned: int
    n_documents: int
    n_copies: int = 0
    compact: bool = False
    folds: list[float] = field(default_factory=list)
    choice: Choice | None = None
    report: ReportResult | None = field(default=None, repr=False)

    @cached_property
    def classifier(self) -> Any:
        """The fitted model as an estimator: a `TextClassifier` or a `MixedNB`."""
        from textnb.estimators.classifier import as_estimator

        return as_estimator(self.model)

    def _measured(self) -> dict[str, Any]:
        if self.evaluation is None:  # then every measure is None
            return defaultdict(lambda: None, classes=self.model.classes_.tolist(), n=0)
        return super()._measured()

    def _of_training(self) -> dict[str, Any]:
        learned = {"n_learned": self.n_learned, "n_copies": self.n_copies or None, "compact": self.compact or None}
        return learned | {"choice": None if self.choice is None else self.choice.to_json(), "folds": self.folds or None}
