"""Fitting a linear model to documents: counting them, choosing what is open by folds, and the rule of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from textnb.arrays import Array
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
    HeldOut,
    LinearCandidate,
    Terms,
    Tried,
    choice_of,
    choose_cost,
    grouped_folds,
    n_folds_for,
    terms_to_try,
)
from textnb.selection.tuning import Choice, Trial


@dataclass(frozen=True, eq=False)
class FittedDocuments:
    """A learner with its rule, the documents it was fitted to, and what was chosen for them, if anything was."""

    learner: Learner
    training: TrainingDocuments
    choice: Choice | None
    chosen: dict[str, Any]


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


def fit_documents(
    prepare: Callable[[Terms], TrainingDocuments],
    parameters: Mapping[str, Any],
    *,
    weights: Array | None = None,
    can_choose: bool = True,
    objective: str = "accuracy",
    positive: int | None = None,
    progress: Callable[[Trial], None] = lambda trial: None,
    only_choose: bool = False,
) -> FittedDocuments:
    """The model of documents, with what is chosen for parameters that are open: C and beta where they are not given.

    parameters : those of a classifier
    prepare : gives the documents in the columns of certain terms
    can_choose : whether there are enough documents to choose what was left out
    """
    terms = terms_to_try(dict(parameters))
    training = prepare(terms[0])
    recipe = training.derivation.learner.recipe
    fitting = recipe.family.fitting
    assert fitting is not None
    usual = LinearCandidate(
        recipe.model, *terms[0], float(np.max(recipe.alpha)), recipe.C or fitting.C, recipe.beta or 0
    )
    costs = _open(parameters["C"], COSTS, fitting.C, can_choose)
    betas = _open(parameters["beta"], BETAS, fitting.beta, can_choose)
    is_open = len(terms) > 1 or len(costs) > 1 or len(betas) > 1
    wanted = is_open or (parameters["calibrate"] and weights is None)
    best: Tried | None = None
    trials: list[Trial] = []
    folds: Array | None = None
    if wanted and (n_folds := _n_folds(training)) > 1:
        folds = grouped_folds(training.class_ids, n_folds, training.groups)
        how: dict[str, Any] = {"objective": objective, "positive": positive, "progress": progress}
        if len(terms) > 1:
            training, usual, trials = _best_terms(prepare, terms, training, usual, betas, folds, weights, how)
        held_out = HeldOut(_problems(training, weights, tolerance=ROUGH).most_frequent_first()[0], folds, recipe.n_jobs)
        if not is_open:
            how["progress"] = lambda trial: None
        best, more = choose_cost(held_out, usual, costs, betas, **how)
        trials += more
    elif len(terms) > 1:
        raise ValueError("'auto' chooses by folds, and there are too few documents, or groups, to divide: give values")
    candidate = usual._replace(C=costs[0], beta=betas[0]) if best is None else best.trial.candidate
    choice = None
    if best is not None and folds is not None and is_open:
        choice = choice_of(best, trials, folds, training.groups)
    opened = [name for name in ("weights", "ngrams", "min_df", "alpha") if is_auto(parameters[name])]
    opened += [name for name, among in (("C", costs), ("beta", betas)) if len(among) > 1 or is_auto(parameters[name])]
    if only_choose:
        return FittedDocuments(training.derivation.learner, training, choice, {})
    learner = with_rule(training, candidate.C, candidate.beta, weights)
    training = replace(
        training,
        derivation=replace(training.derivation, learner=learner),
        held_out=None if best is None else best.joint,
    )
    return FittedDocuments(learner, training, choice, {name: getattr(candidate, name) for name in opened})


def _open(given: Any, among: Sequence[float], usual: float, can_choose: bool) -> Sequence[float]:
    """The values to choose from."""
    if given is None or is_auto(given):
        return among if can_choose or given is not None else (usual,)
    return (float(given),)


def _n_folds(training: TrainingDocuments) -> int:
    one_class = len(training.derivation.statistics.classes) < 2
    return 1 if one_class else n_folds_for(training.weighted, training.class_ids, training.groups)


def _best_terms(
    prepare: Callable[[Terms], TrainingDocuments],
    terms: Sequence[Terms],
    first: TrainingDocuments,
    usual: LinearCandidate,
    betas: Sequence[float],
    folds: Array,
    weights: Array | None,
    how: dict[str, Any],
) -> tuple[TrainingDocuments, LinearCandidate, list[Trial]]:
    """The documents in the columns of the terms that are best at the usual C; some may leave no terms."""
    found: list[tuple[Trial, Terms]] = []
    trials: list[Trial] = []
    for each in terms:
        try:
            training = first if each is terms[0] else prepare(each)
        except ValueError:
            continue
        held_out = HeldOut(
            _problems(training, weights, tolerance=ROUGH).most_frequent_first()[0],
            folds,
            training.derivation.learner.recipe.n_jobs,
        )
        best, tried = choose_cost(held_out, usual._replace(**each._asdict()), (usual.C,), betas, **how)
        trials += tried
        found.append((best.trial, each))
    trial, chosen = min(found, key=lambda pair: pair[0].rank)
    training = first if chosen is terms[0] else prepare(chosen)
    return training, trial.candidate, trials


def _problems(training: TrainingDocuments, weights: Array | None, **more: Any) -> Problems:
    derivation = training.derivation
    family, n_columns = derivation.learner.recipe.family, training.weighted.n_columns
    assert family.fitting is not None
    rows = training.weighted if training.weighted.data.all() else training.weighted.without_zeros()
    return Problems(
        rows.with_data(rows.data.astype(np.float64, copy=False)),
        training.class_ids,
        len(derivation.statistics.classes),
        alpha=check_alpha(derivation.learner.recipe.alpha, n_columns),
        loss=family.fitting.loss,
        costs=weights,
        **more,
    )
