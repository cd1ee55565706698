"""How accurate a model would be that had learned fewer documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.estimators.text_model import TextModel
from textnb.model.decision import most_probable
from textnb.model.derive import derive
from textnb.model.learner import CountedDocuments, Learner
from textnb.selection.fitting import prepared, with_rule
from textnb.statistics.counts import unique_classes
from textnb.text.counting import count_all, count_known
from textnb.workflow.metrics import wilson_interval

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
        return LearningCurve(why_not=_too_few(len(learned)))
    order = nested_order(np.unique(labels, return_inverse=True)[1])
    nested = _NestedModels.of(model, learned, labels, texts)
    points = []
    for share in SHARES:
        some = np.sort(order[: len(order) // share])
        if share == 1 and accuracy_of_all is not None:
            points.append(LearningPoint(len(some), accuracy_of_all, len(texts)))
            continue
        try:
            predicted = nested.predict(some)
        except ValueError:  # too few for the settings, such as min_df
            continue
        points.append(LearningPoint(len(some), float(np.mean(predicted == true_labels)), len(texts)))
    return LearningCurve(tuple(points), None if points else "the model's settings need more documents")


def _too_few(n: int) -> str:
    if not n:
        return "none of the documents that the model has learned are in the corpus"
    only = f"only {n} documents" if n > 1 else "only 1 document"
    return f"{only} that the model has learned can be found in the corpus: it takes {FEWEST_DOCUMENTS}"


@dataclass(frozen=True, eq=False)
class _NestedModels:
    """Documents to learn from and to test on, all counted once: what a model of some of them predicts for the others.

    The models are those that `TextModel.fit` makes of the same documents.
    """

    learner: Learner  # that has learned nothing
    counted: CountedDocuments
    labels: Array
    tested: SparseRows  # by the same terms
    outside: Array  # how many other terms each document tested has

    @classmethod
    def of(cls, model: TextModel, learned: list[str], labels: Array, texts: list[str]) -> _NestedModels:
        learner = TextModel(**model.parameters_in_use).new_learner(keep_ledger=False)
        analyzer, n_jobs = learner.recipe.analyzer, learner.recipe.n_jobs
        if learner.vocabulary_is_given:
            terms = learner.base.terms
            rows, outside = count_known(learned, analyzer, terms, n_jobs=n_jobs)
        else:
            terms, rows = count_all(learned, analyzer, n_jobs)
            if not learner.recipe.unknown and isinstance(least := learner.recipe.limits.min_df, int) and least > 1:
                ever = rows.document_frequency() >= least  # what too few of all documents have, too few of some have
                terms, rows = terms.select(ever), rows.select_columns(ever)
            outside = np.zeros(len(learned), dtype=np.int64)
        tested = count_known(texts, analyzer, terms, n_jobs=n_jobs)
        return cls(learner, CountedDocuments(terms, rows, outside), labels, *tested)

    def predict(self, some: Array) -> Array:
        """The classes of the documents tested, by a model of some of the documents to learn from."""
        terms, rows, outside = self.counted
        rows = rows.take_rows(some)
        seen = np.ones(len(terms), dtype=np.bool_)
        if not self.learner.vocabulary_is_given:
            seen = rows.document_frequency() > 0
        part = CountedDocuments(terms.select(seen), rows.select_columns(seen), outside[some])
        classes, class_ids = unique_classes(self.labels[some])
        nothing = [""] * len(some)
        if (recipe := self.learner.recipe).family.fitted_to_documents:
            training = prepared(self.learner, nothing, class_ids, classes, counted_before=part)
            learner = with_rule(training, recipe.C or 1.0, recipe.beta or 0.0)
        else:
            learner, _ = self.learner.fit(nothing, class_ids, classes, counted_before=part)
        predictor = derive(learner).predictor()
        places = np.full(len(terms), -1)
        places[seen] = predictor.features.columns_of(part.terms)
        tested = self.tested.move_columns(places, predictor.features.n_columns)
        if predictor.unknown:
            tested = tested.append_column(self.outside + self.tested.row_sums() - tested.row_sums())
        return predictor.classes[most_probable(predictor.scores(tested), predictor.log_prior)]


def nested_order(class_ids: Array) -> Array:
    """An order of documents, at random, of which every beginning has about the same shares of the classes."""
    rng = np.random.RandomState(_SEED)
    place = np.empty(len(class_ids))
    for c in range(int(class_ids.max()) + 1):
        (members,) = np.nonzero(class_ids == c)
        place[rng.permutation(members)] = (np.arange(len(members)) + rng.random_sample()) / len(members)
    return np.argsort(place, kind="stable")
