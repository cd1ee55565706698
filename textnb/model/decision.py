"""From joint log-likelihoods to posteriors, and from posteriors to decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from textnb.arrays import Array
from textnb.model.plain import UNSURE as UNSURE
from textnb.model.plain import is_number


def log_posterior(joint: Array, log_prior: Array) -> Array:
    """log P(c | x) = log P(x, c) − log Σ_c P(x, c), (n, K).

    Where no class can have produced a document, nothing was learned from it: its posterior is the prior.
    """
    return _normalized(resolve_impossible(joint, log_prior))


def _normalized(scores: Array) -> Array:
    shifted = behind_best(scores)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def most_probable(joint: Array, log_prior: Array) -> Array:
    """The index of the most probable class of every row; the first of equals."""
    return resolve_impossible(joint, log_prior).argmax(axis=1)


def resolve_impossible(joint: Array, log_prior: Array) -> Array:
    """The joint, with the prior in place of rows that are −∞ in every class."""
    impossible = np.isneginf(joint).all(axis=1, keepdims=True)
    return np.where(impossible, log_prior, joint) if impossible.any() else joint


def for_prior(log_posterior: Array, log_ratios: Sequence[float], shares: Sequence[float]) -> Array:
    """log P'(c | x) ∝ log P(c | x) + log(new_c / old_c), (n, K), of documents from another mix of classes.

    Saerens, Latinne and Decaestecker 2002, eq. 2.4. Where no class is left that is possible, it is the new mix.
    """
    with np.errstate(divide="ignore"):
        log_shares = np.log(shares)
    return _normalized(resolve_impossible(log_posterior + np.array(log_ratios), log_shares))


def behind_best(joint: Array) -> Array:
    """s_c − max_c s_c, (n, K): 0 for the best class of a row, which must not be −∞, and less for the others."""
    with np.errstate(over="ignore"):  # a difference beyond floating point is −∞ as well
        return joint - joint.max(axis=1, keepdims=True)


@dataclass(frozen=True)
class DecisionRule:
    """Which class to name for a document, or none: what errors cost, and which class is protected from them.

    costs : one row per true class, one column per class named, and optionally a last column for naming none
    protected, threshold : a class other than `protected` is named only where log P(not protected | x) − log P(protected
        | x) is above the threshold; elsewhere the choice is between the protected class and, if that has a cost, unsure
    """

    costs: tuple[tuple[float, ...], ...]
    protected: int | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        n = len(self.costs)
        if not n or {len(row) for row in self.costs} not in ({n}, {n + 1}):
            raise ValueError(f"costs must be a square table, or have one more column for unsure; it has {n} rows.")
        if not all(is_number(cost) for row in self.costs for cost in row):
            raise ValueError("costs must be numbers.")
        if (self.protected is None) != (self.threshold is None):
            raise ValueError("a protected class needs its threshold, and a threshold the class it protects.")
        if self.protected is not None and not (type(self.protected) is int and 0 <= self.protected < n):
            raise ValueError(f"protected must be the number of a class, 0 to {n - 1}, got {self.protected!r}.")
        if self.threshold is not None and not is_number(self.threshold):
            raise ValueError(f"threshold must be a number, got {self.threshold!r}.")

    def decide(self, log_posterior: Array, log_ratios: Sequence[float] | None = None) -> Array:
        """The class of least expected cost of every row, or `UNSURE`, (n,); of equals the first, unsure last.

        log_ratios : (K,) those of `for_prior`, where the posterior is that of another mix of classes. Costs are
            expected in that mix. The threshold stays one on the log-odds before: how much of the protected class is
            named otherwise is a share of that class alone, and does not depend on how common the class is.
        """
        costs = self.expected_costs(log_posterior)
        options = np.arange(costs.shape[1])
        if self.protected is not None:
            before = log_posterior if log_ratios is None else _before_ratios(log_posterior, np.array(log_ratios))
            kept = log_odds_against(before, self.protected) <= self.threshold
            others = (options != self.protected) & (options < len(self.costs))
            costs[np.ix_(kept, others)] = np.inf
        chosen = costs.argmin(axis=1)
        return np.where(chosen < len(self.costs), chosen, UNSURE)

    def expected_costs(self, log_posterior: Array) -> Array:
        """R_j(x) = Σ_i P(i | x) C_ij for every row and option, (n, K) or (n, K + 1)."""
        if log_posterior.shape[1] != len(self.costs):
            raise ValueError(f"costs are given for {len(self.costs)} classes, got {log_posterior.shape[1]}.")
        expected = np.zeros((len(log_posterior), len(self.costs[0])))
        for posterior, costs in zip(np.exp(log_posterior).T, self.costs, strict=True):
            expected += posterior[:, np.newaxis] * np.array(costs)  # in order: `@` rounds by the number of rows
        return expected


def _before_ratios(log_posterior: Array, log_ratios: Array) -> Array:
    """What `for_prior` was given, up to a constant per row, for the classes that it has left possible."""
    return np.where(np.isneginf(log_ratios), -np.inf, log_posterior - np.where(np.isneginf(log_ratios), 0, log_ratios))


def log_odds_against(log_posterior: Array, c: int) -> Array:
    """log P(not c | x) − log P(c | x), (n,), exact where one of them is next to nothing."""
    others = np.delete(log_posterior, c, axis=1)
    return np.logaddexp.reduce(others, axis=1, initial=-np.inf) - log_posterior[:, c]
