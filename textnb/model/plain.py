"""Posterior, calibration and decision of one document in plain floats, which takes microseconds and no numpy.

The formulas are those of `decision`, `calibration` and `policy`; a property test holds them equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log
from typing import Any, NamedTuple

UNSURE = -1  # the decision to name no class


def is_number(value: Any) -> bool:
    """Whether a value is a number that floating point can work with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e100


def log_posterior(joint: Sequence[float]) -> list[float]:
    """log P(c | x) = log P(x, c) − log Σ_c P(x, c), where some class is possible."""
    best = max(joint)
    shifted = [score - best for score in joint]
    log_mass = log(sum(map(exp, shifted)))
    return [score - log_mass for score in shifted]


def log_odds_against(log_posterior: Sequence[float], c: int) -> float:
    """log P(not c | x) − log P(c | x), exact where one of them is next to nothing."""
    others = [*log_posterior[:c], *log_posterior[c + 1 :]]
    best = max(others, default=-inf)
    if best == -inf:
        return -inf - log_posterior[c]
    return best + log(sum(exp(other - best) for other in others)) - log_posterior[c]


class PlainCalibration(NamedTuple):
    """As `Calibration`: b_c + s_c / (T · length^γ)."""

    temperature: float
    length_exponent: float
    offsets: tuple[float, ...]

    def apply(self, joint: list[float], length: int) -> list[float]:
        """The calibrated scores; those of a document without a known word as they are."""
        if not length:
            return joint
        best = max(joint)
        scale = self.temperature * float(length) ** self.length_exponent
        if not self.offsets:
            return [(score - best) / scale for score in joint]
        return [(score - best) / scale + offset for score, offset in zip(joint, self.offsets, strict=True)]


class PlainRule(NamedTuple):
    """As `DecisionRule`: the expected costs of naming each class, or none, and a class that is protected."""

    costs: tuple[tuple[float, ...], ...]  # one row per class named, and perhaps one for unsure; one column per class
    protected: int | None
    threshold: float

    def decide(self, log_posterior: Sequence[float]) -> int:
        """The class of least expected cost, or `UNSURE`; of equals the first, unsure last."""
        posterior = [exp(value) for value in log_posterior]
        n_classes = len(posterior)
        expected = [sum(p * cost for p, cost in zip(posterior, row, strict=True)) for row in self.costs]
        if self.protected is not None and log_odds_against(log_posterior, self.protected) <= self.threshold:
            for c in range(n_classes):
                if c != self.protected:
                    expected[c] = inf
        chosen = expected.index(min(expected))
        return chosen if chosen < n_classes else UNSURE
