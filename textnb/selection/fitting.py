"""Fitting a linear model to documents: counting them, choosing what is open by folds, and the rule of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.likelihood.families import family
from textnb.likelihood.nb_weighted import Problems, fit_rule
from textnb.likelihood.smoothing import check_alpha
from textnb.model.derive import derive, fix_vocabulary
from textnb.model.learner import CountedDocuments, Learner
from textnb.model.parameters import is_auto
from textnb.selection.documents import TrainingDocuments
from textnb.selection.linear_tuning import (
    BETAS,
    COSTS,
    ROUGH,
    Features,
    HeldOut,
    LinearCandidate,
    Tried,
    choice_of,
    choose_cost,
    features_to_try,
    grouped_folds,
    n_folds_for,
    usual_cost,
)
from textnb.selection.tuning import Choice, Trial

Prepare = Callable[[Features], TrainingDocuments]  # documents in the columns of certain features


@dataclass(frozen=True, eq=False)
class FittedDocuments:
    """A learner with its rule, the documents it was fitted to, and the parameters that were chosen for them."""

    learner: Learner
    training: TrainingDocuments
    chosen: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Searched:
    """The documents in the columns of the features chosen, and the model chosen for them.

    best : with the scores by models without the fold, if there are any
    opened : the names of the parameters that were chosen
    positive : the class to be caught, if that was the objective
    """

    training: TrainingDocuments
    candidate: LinearCandidate
    best: Tried | None
    trials: list[Trial]
    folds: Array | None
    opened: tuple[str, ...]
    positive: int | None = None

    @property
    def choice(self) -> Choice | None:
        """What was chosen, if anything was."""
        if self.best is None or self.folds is None or not self.opened:
            return None
        return choice_of(self.best, self.trials, self.folds, self.training.groups)

    def fitted(self, weights: Array | None = None) -> FittedDocuments:
        """The model that was chosen, fitted to all documents."""
        learner = with_rule(self.training, self.candidate.C, self.candidate.beta, weights)
        training = replace(
            self.training,
            derivation=replace(self.training.derivation, learner=learner),
            held_out=None if self.best is None else self.best.joint,
        )
        chosen = {name: getattr(self.candidate, name) for name in self.opened}
        return FittedDocuments(learner, training, chosen)


def prepared(
    learner: Learner,
    documents: Sequence[str],
    class_ids: Array,
    classes: Array,
    *,
    weights: Array | None = None,
    groups: Array | None = None,
    counted_before: CountedDocuments | None = None,
) -> TrainingDocuments:
    """Documents counted by a learner that has learned nothing, in the columns of a vocabulary that is then fixed."""
    learned, counted = learner.fit(
        documents, class_ids, classes, weights, counted_before=counted_before, keep_documents=True
    )
    if not learned.vocabulary_is_given:
        learned = fix_vocabulary(learned)
        counted = [learned.within_vocabulary(block.terms, block.rows) for block in counted]
    return TrainingDocuments(derive(learned), counted, class_ids, groups)


def with_rule(training: TrainingDocuments, C: float, beta: float, weights: Array | None = None) -> Learner:
    """The learner of the documents with the rule that is fitted to them, in numbers of single precision."""
    learner = training.derivation.learner
    learner = replace(learner, recipe=replace(learner.recipe, C=C, beta=beta))
    rule = fit_rule(_problems(training, weights), C, beta, learner.recipe.n_jobs)
    single = rule.coef.T.astype(np.float32)
    if not np.isfinite(single).all():
        raise ValueError("the weights of the model are beyond floating point: use a smaller C, or weights of tf-idf")
    return replace(learner, rule=replace(rule, weights=single.astype(np.float64)))


def search(
    prepare: Prepare,
    parameters: Mapping[str, Any],
    *,
    further: Sequence[Features] = (),
    weights: Array | None = None,
    can_choose: bool = True,
    is_compared: bool = False,
    objective: str = "accuracy",
    positive: int | None = None,
    progress: Callable[[Trial], None] = lambda trial: None,
) -> Searched:
    """Choose the features, C and beta of a linear model of documents, as far as they are open.

    parameters : those of a classifier
    further : features that are tried beside those that the parameters leave open
    can_choose : whether there are enough documents to choose what was left out
    is_compared : whether it is compared with another model by the same folds, which then are there if it can be
    """
    features = list(dict.fromkeys([*features_to_try(parameters), *further]))
    fitting = family(str(parameters["model"])).fitting
    assert fitting is not None
    costs = _open(parameters["C"], COSTS, fitting.C, can_choose)
    betas = _open(parameters["beta"], BETAS, fitting.beta, can_choose)
    opened = [name for name in ("weights", "ngrams", "min_df", "alpha") if is_auto(parameters[name])]
    opened += [name for name, among in (("C", costs), ("beta", betas)) if len(among) > 1 or is_auto(parameters[name])]
    training, features = _first_usable(prepare, features)
    usual = _usual(training, features[0], costs, betas)
    best: Tried | None = None
    trials: list[Trial] = []
    folds: Array | None = None
    is_open = len(features) > 1 or len(costs) > 1 or len(betas) > 1
    by_folds = is_open or is_compared or (parameters["calibrate"] and weights is None)
    if by_folds and (n_folds := _n_folds(training)) > 1:
        folds = grouped_folds(training.class_ids, n_folds, training.groups)
        how: dict[str, Any] = {"objective": objective, "positive": positive}
        how |= {"progress": progress if is_open else lambda trial: None}
        if len(features) > 1:
            training, usual, held_out, trials = _best_features(
                prepare, features, training, costs, betas, folds, weights, how
            )
        else:
            held_out = _held_out(training, folds, weights)
        best, more = choose_cost(held_out, usual, costs, betas, **how)
        known = {trial.candidate for trial in trials}
        trials += [trial for trial in more if trial.candidate not in known]
    elif len(features) > 1:
        raise ValueError("'auto' chooses by folds, and there are too few documents, or groups, to divide: give values")
    return Searched(
        training, usual if best is None else best.trial.candidate, best, trials, folds, tuple(opened), positive
    )


def _first_usable(prepare: Prepare, features: list[Features]) -> tuple[TrainingDocuments, list[Features]]:
    """The documents in the first features that leave any term, and these features with those after them."""
    for place, each in enumerate(features):
        try:
            return prepare(each), features[place:]
        except ValueError:
            if place == len(features) - 1:
                raise
    raise AssertionError(features)


def _usual(
    training: TrainingDocuments, features: Features, costs: Sequence[float], betas: Sequence[float]
) -> LinearCandidate:
    """The candidate of certain features that is tried first."""
    recipe = training.derivation.learner.recipe
    assert recipe.family.fitting is not None
    cost = costs[0] if len(costs) == 1 else usual_cost(recipe.family.fitting.C, features.weights)
    beta = betas[0] if len(betas) == 1 else recipe.family.fitting.beta
    alpha = float(np.max(recipe.alpha))
    return LinearCandidate(recipe.model, C=cost, beta=beta, alpha=alpha, **features._asdict())


def _open(given: Any, among: Sequence[float], usual: float, can_choose: bool) -> Sequence[float]:
    """The values to choose from."""
    if given is None or is_auto(given):
        return among if can_choose or given is not None else (usual,)
    return (float(given),)


def _n_folds(training: TrainingDocuments) -> int:
    one_class = len(training.derivation.statistics.classes) < 2
    return 1 if one_class else n_folds_for(training.weighted, training.class_ids, training.groups)


def _best_features(
    prepare: Prepare,
    features: Sequence[Features],
    first: TrainingDocuments,
    costs: Sequence[float],
    betas: Sequence[float],
    folds: Array,
    weights: Array | None,
    how: dict[str, Any],
) -> tuple[TrainingDocuments, LinearCandidate, HeldOut, list[Trial]]:
    """The documents in the columns of the features that are best at the usual C; some may leave no terms."""
    leader: tuple[TrainingDocuments, Trial, HeldOut] | None = None
    trials: list[Trial] = []
    for each in features:
        try:
            training = first if each is features[0] else prepare(each)
        except ValueError:
            continue
        held_out, usual = _held_out(training, folds, weights), _usual(training, each, costs, betas)
        best, tried = choose_cost(held_out, usual, (usual.C,), betas, **how)
        trials += tried
        if leader is None or best.trial.rank < leader[1].rank:
            leader = training, best.trial, held_out
    assert leader is not None
    return leader[0], leader[1].candidate, leader[2], trials


def _held_out(training: TrainingDocuments, folds: Array, weights: Array | None) -> HeldOut:
    problems, _ = _problems(training, weights, tolerance=ROUGH).most_frequent_first()
    return HeldOut(problems, folds, training.derivation.learner.recipe.n_jobs)


def _problems(training: TrainingDocuments, weights: Array | None, **more: Any) -> Problems:
    derivation = training.derivation
    recipe, n_columns = derivation.learner.recipe, training.weighted.n_columns
    assert recipe.family.fitting is not None
    rows = training.weighted if training.weighted.data.all() else training.weighted.without_zeros()
    return Problems(
        rows.with_data(rows.data.astype(np.float64, copy=False)),
        training.class_ids,
        len(derivation.statistics.classes),
        alpha=check_alpha(recipe.alpha, n_columns),
        loss=recipe.family.fitting.loss,
        costs=weights,
        **more,
    )
