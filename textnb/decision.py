"""From joint log-likelihoods to posteriors, calibrated if wished, and from posteriors to decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from textnb.text.rows import Array

UNSURE = -1  # the decision to name no class


def log_posterior(joint: Array, log_prior: Array) -> Array:
    """log P(c | x) = log P(x, c) − log Σ_c P(x, c), (n, K).

    Where no class can have produced a document, nothing was learned from it: its posterior is the prior.
    """
    shifted = behind_best(resolve_impossible(joint, log_prior))
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def most_probable(joint: Array, log_prior: Array) -> Array:
    """The index of the most probable class of every row; the first of equals."""
    return resolve_impossible(joint, log_prior).argmax(axis=1)


def resolve_impossible(joint: Array, log_prior: Array) -> Array:
    """The joint, with the prior in place of rows that are −∞ in every class."""
    impossible = np.isneginf(joint).all(axis=1, keepdims=True)
    return np.where(impossible, log_prior, joint) if impossible.any() else joint


def behind_best(joint: Array) -> Array:
    """s_c − max_c s_c, (n, K): 0 for the best class of a row, which must not be −∞, and less for the others."""
    with np.errstate(over="ignore"):  # a difference beyond floating point is −∞ as well
        return joint - joint.max(axis=1, keepdims=True)


@dataclass(frozen=True)
class Calibration:
    """How much scores are to be believed: log P(c | x) ∝ b_c + s_c(x) / (T · length^γ).

    Naive Bayes counts dependent words as if each were new evidence, the more so the longer the document: the
    temperature T and the exponent γ take that back. They scale all classes alike, so the most probable one stays.
    Offsets b_c, one a class, also move the borders between classes. A document without a known word (length 0) is
    left as it is, and a class that is impossible stays so.
    """

    temperature: float = 1.0
    length_exponent: float = 0.0
    offsets: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not _is_number(self.temperature) or self.temperature < 1e-100:
            raise ValueError(f"temperature must be a number above 0, got {self.temperature!r}.")
        if not _is_number(self.length_exponent) or abs(self.length_exponent) > 10:
            raise ValueError(f"length_exponent must be a number from -10 to 10, got {self.length_exponent!r}.")
        if not all(map(_is_number, self.offsets)):
            raise ValueError(f"offsets must be numbers, one a class, got {self.offsets!r}.")

    def apply(self, joint: Array, lengths: Array | None = None) -> Array:
        """The calibrated scores, (n, K), of which `log_posterior` and `most_probable` make what they make of others.

        joint : (n, K) log P(x, c), or a complement model's scores
        lengths : (n,) how many words of each document the model knows
        """
        if self.offsets and len(self.offsets) != joint.shape[1]:
            raise ValueError(f"calibrated for {len(self.offsets)} classes, got scores of {joint.shape[1]}.")
        if lengths is None:
            if self.length_exponent:
                raise ValueError("this calibration needs the lengths of the documents: pass lengths.")
            lengths = np.ones(len(joint))
        known = (lengths > 0) & ~np.isneginf(joint).all(axis=1)
        if not known.all():
            calibrated = joint.astype(np.float64)
            calibrated[known] = self.apply(joint[known], lengths[known])
            return calibrated
        with np.errstate(over="ignore"):
            scaled = behind_best(joint) / (self.temperature * lengths**self.length_exponent)[:, np.newaxis]
        return scaled + np.array(self.offsets, dtype=np.float64) if self.offsets else scaled

    def to_settings(self) -> dict[str, Any]:
        """In the types of JSON."""
        return {**asdict(self), "offsets": list(self.offsets)}

    @classmethod
    def from_settings(cls, settings: Any, n_classes: int) -> Self:
        """What `to_settings` gave; a ValueError for anything else."""
        _check_names(settings, {"temperature", "length_exponent", "offsets"})
        offsets = settings["offsets"]
        if not isinstance(offsets, list) or len(offsets) not in (0, n_classes):
            raise ValueError(f"offsets must be a list, empty or of {n_classes} numbers, got {offsets!r}.")
        return cls(settings["temperature"], settings["length_exponent"], tuple(offsets))


@dataclass(frozen=True)
class DecisionRule:
    """Which class to name for a document, or none: what errors cost, and which class is protected from them.

    costs : a row a true class, a column a class named, and perhaps one more column for naming none
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
        if not all(_is_number(cost) for row in self.costs for cost in row):
            raise ValueError("costs must be numbers.")
        if (self.protected is None) != (self.threshold is None):
            raise ValueError("a protected class needs its threshold, and a threshold the class it protects.")
        if self.protected is not None and not (type(self.protected) is int and 0 <= self.protected < n):
            raise ValueError(f"protected must be the number of a class, 0 to {n - 1}, got {self.protected!r}.")
        if self.threshold is not None and not _is_number(self.threshold):
            raise ValueError(f"threshold must be a number, got {self.threshold!r}.")

    def decide(self, log_posterior: Array) -> Array:
        """The class of least expected cost of every row, or `UNSURE`, (n,); of equals the first, unsure last."""
        costs = self.expected_costs(log_posterior)
        options = np.arange(costs.shape[1])
        if self.protected is not None:
            kept = log_odds_against(log_posterior, self.protected) <= self.threshold
            others = (options != self.protected) & (options < len(self.costs))
            costs[np.ix_(kept, others)] = np.inf
        chosen = costs.argmin(axis=1)
        return np.where(chosen < len(self.costs), chosen, UNSURE)

    def expected_costs(self, log_posterior: Array) -> Array:
        """R_j(x) = Σ_i P(i | x) C_ij for every row and option, (n, K) or (n, K + 1)."""
        if log_posterior.shape[1] != len(self.costs):
            raise ValueError(f"costs are given for {len(self.costs)} classes, got {log_posterior.shape[1]}.")
        return np.exp(log_posterior) @ np.array(self.costs, dtype=np.float64)

    def to_settings(self) -> dict[str, Any]:
        """In the types of JSON."""
        return {**asdict(self), "costs": [list(row) for row in self.costs]}

    @classmethod
    def from_settings(cls, settings: Any, n_classes: int) -> Self:
        """What `to_settings` gave; a ValueError for anything else."""
        _check_names(settings, {"costs", "protected", "threshold"})
        costs = settings["costs"]
        if not isinstance(costs, list) or len(costs) != n_classes or not all(isinstance(row, list) for row in costs):
            raise ValueError(f"costs must be a list of {n_classes} lists of numbers, got {costs!r}.")
        return cls(tuple(map(tuple, costs)), settings["protected"], settings["threshold"])


def cost_table(
    n_classes: int, prices: Mapping[tuple[int, int], float] | None = None, unsure: float | None = None
) -> tuple[tuple[float, ...], ...]:
    """Costs for a `DecisionRule`: an error costs 1, or its price by (true class, class named); unsure may have one too.

    With equal prices and unsure at u, a class is named where it is more probable than 1 − u (Chow 1970).
    """
    table = 1.0 - np.eye(n_classes)
    for (true, named), price in (prices or {}).items():
        table[true, named] = price
    if unsure is not None:
        table = np.column_stack([table, np.full(n_classes, float(unsure))])
    return tuple(map(tuple, table.tolist()))


def log_odds_against(log_posterior: Array, c: int) -> Array:
    """log P(not c | x) − log P(c | x), (n,), exact where one of them is next to nothing."""
    others = np.delete(log_posterior, c, axis=1)
    return np.logaddexp.reduce(others, axis=1, initial=-np.inf) - log_posterior[:, c]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e100


def _check_names(settings: Any, names: set[str]) -> None:
    if not isinstance(settings, dict) or settings.keys() != names:
        raise ValueError(f"settings must have {', '.join(sorted(names))}, and nothing else, got {settings!r}.")
