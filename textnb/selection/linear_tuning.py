"""Choosing C and beta of linear models by folds: what each document scores in a model that was fitted without it.

Documents of a group stay in one fold. C is searched from its usual value, by factors of about three, in the direction
in which the models become better; every beta costs only a product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.likelihood.nb_weighted import Part, Problems, held_out_scores, one_against_rest
from textnb.model.decision import log_posterior
from textnb.model.parameters import FITTED_USUAL, is_auto
from textnb.selection.calibration import fit_calibration
from textnb.selection.candidates import Terms
from textnb.selection.subtraction import stratified_folds
from textnb.selection.trials import measured
from textnb.selection.tuning import Choice, Trial
from textnb.text.steps import step
from textnb.text.threads import run_blocks, threads_that_pay

COSTS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
BETAS = (1.0, 0.75, 0.5, 0.25)
MANY_ENTRIES = 1 << 20  # of the rows, from which on there are
FEW_FOLDS = 3  # instead of
FOLDS = 5
ROUGH = 1e-3  # how near to the optimum models come of which only the decisions matter
_ENOUGH = 3000  # documents that a temperature is found by
_THREADS_PAY = 1 << 18  # entries from which a second thread gains more than it costs
NGRAMS: dict[str, tuple[tuple[int, int], ...]] = {  # those that are tried where they are "auto"
    "word": ((1, 2), (1, 1)),
    "char": ((2, 5), (1, 3)),
    "char_wb": ((3, 5), (2, 4)),
    "mail": ((1, 1), (1, 2)),
}
WEIGHTS = ("log-tfidf", "binary")
LONG_ROWS = 10.0  # by which C is divided where rows are not of length 1


class LinearCandidate(NamedTuple):
    """What can be chosen of a linear model."""

    model: str
    weights: str
    ngrams: tuple[int, int]
    min_df: float | int
    alpha: float
    C: float
    beta: float
    min_deviation: float | None = None  # no linear model has it
    analyzer: str | None = None  # None for the one given, and so its tokenizer
    tokenizer: str | None = None

    @property
    def terms(self) -> Terms:
        """The terms that it is of."""
        return Terms(self.ngrams, self.min_df, self.analyzer, self.tokenizer)

    @property
    def units(self) -> str:
        return self.terms.units


class Features(NamedTuple):
    """How documents become rows."""

    weights: str
    ngrams: tuple[int, int]
    min_df: float | int
    analyzer: str | None = None  # None for the one given, and so its tokenizer
    tokenizer: str | None = None


def features_to_try(parameters: Mapping[str, Any]) -> list[Features]:
    """Those given, and a few for what is "auto"; the first is what is usual."""

    def among(name: str, few: Sequence[Any]) -> Sequence[Any]:
        if is_auto(parameters[name]):
            return few
        return [FITTED_USUAL[name] if parameters[name] is None else parameters[name]]

    kind = parameters["analyzer"]
    ngrams = among("ngrams", NGRAMS[kind] if isinstance(kind, str) else NGRAMS["word"])
    return [Features(*each) for each in product(among("weights", WEIGHTS), ngrams, among("min_df", (2,)))]


def usual_cost(C: float, weights: str) -> float:
    """The C to begin with: rows of words that occur are long, and those of tf-idf of length 1."""
    return C if weights.endswith("tfidf") else C / LONG_ROWS


def grouped_folds(class_ids: Array, n_folds: int, groups: Array | None = None) -> Array:
    """A fold number for every row, (n,): groups stay together, and folds have like shares of the classes.

    The largest groups come first, each to the fold that has the fewest documents of its classes.
    """
    if groups is None:
        return stratified_folds(class_ids, n_folds)
    _, of_row = np.unique(groups, return_inverse=True)
    n_groups, n_classes = int(of_row.max()) + 1, int(class_ids.max()) + 1
    if n_groups < n_folds:
        raise ValueError(f"{n_groups} groups cannot be divided into {n_folds} folds: use fewer folds")
    cells = np.zeros((n_groups, n_classes))
    np.add.at(cells, (of_row, class_ids), 1)
    sizes = cells.sum(axis=1)
    shares = cells / np.bincount(class_ids, minlength=n_classes).clip(1)
    held = np.zeros((n_folds, n_classes))
    n_held = np.zeros(n_folds)
    folds = np.empty(n_groups, dtype=np.int64)
    for group in np.argsort(-sizes, kind="stable"):
        crowded = held @ shares[group] / max(float(shares[group].sum()), 1e-300) + n_held / (len(class_ids) * n_folds)
        fold = int(crowded.argmin())
        folds[group] = fold
        held[fold] += shares[group]
        n_held[fold] += sizes[group]
    return folds[of_row]


def n_folds_for(rows: SparseRows, class_ids: Array, groups: Array | None) -> int:
    """How many folds there are to be; fewer than two if the documents cannot be divided."""
    wanted = FOLDS if len(rows.data) < MANY_ENTRIES else FEW_FOLDS
    return min(wanted, len(class_ids) if groups is None else len(np.unique(groups)))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores of every row by models that were fitted without its fold, for one C and several betas."""

    problems: Problems
    folds: Array
    n_jobs: int | None = None
    _duals: dict[tuple[int, int], Array] = field(default_factory=dict)  # of the last C, by fold and class

    @cached_property
    def _parts(self) -> list[Part]:
        return [self.problems.part(self.folds != fold) for fold in range(int(self.folds.max()) + 1)]

    def scores(self, C: float, betas: Sequence[float]) -> list[Array]:
        """(n, K) for each beta."""
        problems, parts, positives = self.problems, self._parts, self.problems.positives
        found = np.empty((len(betas), len(self.folds), len(positives)))

        def fit(task: tuple[int, int], worker: int) -> None:
            fold, place = task
            solved = parts[fold].solve(positives[place], C, self._duals.get(task))
            self._duals[task] = solved.dual
            (rows,) = np.nonzero(self.folds == fold)
            for b, scores in enumerate(held_out_scores(solved, problems.rows.take_rows(rows), betas)):
                found[b, rows, place] = scores
            advance(1, "")

        tasks = list(product(range(len(parts)), range(len(positives))))
        with step("fitting", " classes of folds", len(tasks)) as advance:
            run_blocks(fit, tasks, threads_that_pay(self.n_jobs, len(problems.rows.data), _THREADS_PAY))
        return [one_against_rest(scores) for scores in found]


@dataclass(frozen=True, eq=False)
class Tried:
    """A trial, and the scores of all documents that it is judged by."""

    trial: Trial
    joint: Array


def choose_cost(
    held_out: HeldOut,
    usual: LinearCandidate,
    costs: Sequence[float],
    betas: Sequence[float],
    *,
    objective: str = "accuracy",
    positive: int | None = None,
    progress: Callable[[Trial], None] = lambda trial: None,
) -> tuple[Tried, list[Trial]]:
    """The best C and beta among these, with all that were tried. C is searched from that of the usual candidate."""
    class_ids, trials = held_out.problems.class_ids, []
    best: Tried | None = None

    def try_cost(C: float) -> bool:
        """Whether it makes a better model than those before."""
        nonlocal best
        better = False
        for beta, joint in zip(betas, held_out.scores(C, betas), strict=True):
            trial = judged(usual._replace(C=C, beta=beta), joint, class_ids, objective, positive)
            trials.append(trial)
            progress(trial)
            if best is None or trial.rank < best.trial.rank:
                best, better = Tried(trial, joint), True
        return better

    start = min(range(len(costs)), key=lambda i: abs(np.log(costs[i] / usual.C)))
    try_cost(costs[start])
    for way in (-1, 1):
        at, went = start + way, False
        while 0 <= at < len(costs) and try_cost(costs[at]):
            at, went = at + way, True
        if went:
            break
    assert best is not None
    return best, trials


def judged(candidate: Any, joint: Array, class_ids: Array, objective: str, positive: int | None) -> Trial:
    """A candidate by its scores: log-loss at the temperature at which they are best."""
    some = slice(None, None, 1 + len(class_ids) // _ENOUGH)
    calibrated = fit_calibration(joint[some], class_ids[some]).apply(joint)
    posterior = log_posterior(calibrated, np.zeros(joint.shape[1]))
    return measured(candidate, calibrated, posterior, class_ids, objective, positive).trial


def choice_of(best: Tried, trials: Iterable[Trial], folds: Array, groups: Array | None) -> Choice:
    """What was chosen, as naive Bayes models have it."""
    kind = "cross-validation" if groups is None else "cross-validation by group"
    return Choice(best.trial, list(trials), f"{int(folds.max()) + 1}-fold {kind}", len(folds), None)
