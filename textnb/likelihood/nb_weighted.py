"""NB-weighted linear models: features scaled by how they divide the classes, and weights held to their mean size.

Wang & Manning 2012, Baselines and Bigrams: Simple, Good Sentiment and Topic Classification.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from textnb.arrays import Array, SparseRows, exact_bincount
from textnb.likelihood.dual_descent import TOLERANCE, minimise
from textnb.likelihood.rules import LinearRule
from textnb.text.steps import step
from textnb.text.threads import run_blocks, threads_that_pay

LOSSES = ("squared_hinge", "log")
_THREADS_PAY = 1 << 18  # entries from which a second thread gains more than it costs


def log_count_ratio(inside: Array, outside: Array, alpha: float | Array) -> Array:
    """r_j = log((α_j + p_j) / ‖α + p‖₁) − log((α_j + q_j) / ‖α + q‖₁), (V,).  Section 2.1.

    inside, outside : (V,) p and q, in how many documents of a class, and of all others, each feature is
    """
    p, q = inside + alpha, outside + alpha
    return np.log(p / q) - np.log(p.sum() / q.sum())


def interpolated(weights: Array, beta: float) -> Array:
    """w′ = (1 − β) w̄ + β w with w̄ = ‖w‖₁ / V, (V,).  Section 2.3.

    With β = 0 features weigh as naive Bayes has them, all by the same factor; with β = 1 as the linear model has them.
    """
    return (1 - beta) * np.abs(weights).mean() + beta * weights


@dataclass(frozen=True, eq=False)
class ScaledWeights:
    """One class against the rest: log-count ratios r, weights w of the scaled features, and the intercept."""

    ratios: Array  # (V,)
    weights: Array  # (V,)
    intercept: float
    dual: Array  # (n,), from which a fit with another C can go on
    objective: float  # ½‖w‖² + Σ_i C_i loss_i

    def of_features(self, beta: float) -> Array:
        """What the features themselves weigh, r ∘ w′, (V,)."""
        return self.ratios * interpolated(self.weights, beta)


@dataclass(frozen=True, eq=False)
class Problems:
    """Rows and their classes: one problem per class against all others, of two classes one, of the second.

    rows : floats, without zeros, a column once in a row
    costs : (n,) by which C is multiplied for each row, or None
    class_costs : (K,) by which it is multiplied for a class against the rest, or None; with two classes, for both
    """

    rows: SparseRows
    class_ids: Array
    n_classes: int
    alpha: float | Array = 1.0
    loss: str = "squared_hinge"
    costs: Array | None = None
    class_costs: Array | None = None
    tolerance: float = TOLERANCE
    most_passes: int = 300

    def __post_init__(self) -> None:
        if not np.min(self.alpha) > 0:
            raise ValueError(f"alpha must be above 0 for a model of log-count ratios, got {self.alpha}")

    @property
    def positives(self) -> list[int]:
        """The classes that have a problem."""
        return [1] if self.n_classes == 2 else list(range(self.n_classes))

    def most_frequent_first(self) -> tuple[Problems, Array]:
        """The same with the columns of most rows first, close together in memory; and where each is now, (V,)."""
        order = np.argsort(-self.rows.document_frequency(), kind="stable")
        place = np.empty(len(order), dtype=self.rows.indices.dtype)
        place[order] = np.arange(len(order))
        alpha = self.alpha if np.ndim(self.alpha) == 0 else np.asarray(self.alpha)[order]
        return replace(self, rows=replace(self.rows, indices=place[self.rows.indices]), alpha=alpha), place

    def part(self, some: Array | None = None) -> Part:
        """Those of the rows where a mask is true, or of all."""
        used = np.ones(len(self.class_ids), dtype=bool) if some is None else some
        weights = used.astype(np.float64) if self.costs is None else used * self.costs
        rows = self.rows if some is None else self.rows.take_rows(np.flatnonzero(used))
        return Part(self, weights, rows, self.class_ids[used], None if self.costs is None else self.costs[used])


@dataclass(frozen=True, eq=False)
class Part:
    """Problems on some of the rows, with their classes and costs; and by what C is multiplied for each of all, (n,)."""

    problems: Problems
    weights: Array
    rows: SparseRows
    class_ids: Array
    costs: Array | None

    def solve(self, c: int, C: float, dual: Array | None = None) -> ScaledWeights:
        """Fit class c against the rest; from the dual of a fit with another C, if there is one."""
        problems, own = self.problems, self.problems.class_ids == c
        ratios = log_count_ratio(*self._divided(c), problems.alpha)
        costs = C * self.weights
        if problems.class_costs is not None:
            costs[own] *= problems.class_costs[c]
            if problems.n_classes == 2:
                costs[~own] *= problems.class_costs[1 - c]
        signs = np.where(own, 1, -1).astype(np.int8)
        is_logistic = problems.loss == "log"
        found = minimise(
            problems.rows, ratios, signs, costs, is_logistic, problems.tolerance, problems.most_passes, dual
        )
        return ScaledWeights(ratios, found.weights, found.intercept, found.dual, found.objective)

    def _divided(self, c: int) -> tuple[Array, Array]:
        """In how many rows of a class, and of all others, each feature is, (V,)."""
        inside = self._occurrences(np.flatnonzero(self.class_ids == c))
        return inside, self._everywhere - inside

    @cached_property
    def _everywhere(self) -> Array:
        return self._occurrences(np.arange(len(self.class_ids)))

    def _occurrences(self, some: Array) -> Array:
        """In how many of some rows each feature is, (V,); a row counts for what it costs."""
        rows = self.rows.take_rows(some)
        if self.costs is None:
            return rows.document_frequency()
        return exact_bincount(rows.indices, self.costs[some][rows.row_ids], rows.n_columns)


def fit_rule(problems: Problems, C: float, beta: float, n_jobs: int | None = None) -> LinearRule:
    """The rule of all classes: s_c = Σ_j x_j v_jc + b_c. Of two classes, half of the score for one and half against."""
    packed, place = problems.most_frequent_first()
    positives, whole = packed.positives, packed.part()
    coef = np.empty((problems.rows.n_columns, problems.n_classes))
    intercept = np.empty(problems.n_classes)

    def fit(c: int, worker: int) -> None:
        solved = whole.solve(c, C)
        coef[:, c], intercept[c] = solved.of_features(beta)[place], solved.intercept
        advance(1, "")

    with step("fitting", " classes", len(positives)) as advance:
        run_blocks(fit, positives, threads_that_pay(n_jobs, len(packed.rows.data), _THREADS_PAY))
    if problems.n_classes == 2:
        coef[:, 1] /= 2
        coef[:, 0] = -coef[:, 1]
        intercept[1] /= 2
        intercept[0] = -intercept[1]
    return LinearRule(coef, intercept)


def one_against_rest(scores: Array) -> Array:
    """Scores (n, K) from those of the problems, (n, P), as `fit_rule` has them."""
    return scores if scores.shape[1] > 1 else np.column_stack([-scores[:, 0] / 2, scores[:, 0] / 2])


def held_out_scores(solved: ScaledWeights, rows: SparseRows, betas: Iterable[float]) -> list[Array]:
    """Σ_j x_j r_j w′_j + b of rows, (n,), for every beta: x (r ∘ w′) = (1 − β) w̄ (x r) + β (x (r ∘ w))."""
    scaled = solved.ratios * solved.weights
    plain, fitted = (rows @ np.column_stack([solved.ratios, scaled])).T
    mean = np.abs(solved.weights).mean()
    return [(1 - beta) * mean * plain + beta * fitted + solved.intercept for beta in betas]
