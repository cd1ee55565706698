"""Posterior, calibration and decision of one document in plain floats, which takes microseconds and no numpy.

The formulas are those of `decision` and `calibration`, and a property test holds them equal. Both take the checks of
calibrations and the table of costs from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, inf, log
from typing import Any, NamedTuple

UNSURE = -1  # the decision to name no class
LEAST_SLOPE = 0.01  # of probabilities by scores, where a calibration keeps the label


def is_number(value: Any) -> bool:
    """Whether a value is a number that floating point can work with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e100


def spam_among(classes: Iterable[Any]) -> int | None:
    """The position of the class called spam: of that very name, or else the only one of it in other letters."""
    names = list(map(str, classes))
    if "spam" in names:
        return names.index("spam")
    alike = [c for c, name in enumerate(names) if name.casefold() == "spam"]
    return alike[0] if len(alike) == 1 else None


def check_calibration(
    temperature: Any,
    length_exponent: Any,
    offsets: Sequence[Any],
    slopes: Sequence[Any] | None = None,
    keeps_label: Any = None,
    mix: Sequence[Any] | None = None,
) -> None:
    if not is_number(temperature) or temperature < 1e-100:
        raise ValueError(f"temperature must be a number above 0, got {temperature!r}.")
    if not is_number(length_exponent) or abs(length_exponent) > 10:
        raise ValueError(f"length_exponent must be a number from -10 to 10, got {length_exponent!r}.")
    if not all(map(is_number, offsets)):
        raise ValueError(f"offsets must be numbers, one per class, got {offsets!r}.")
    if slopes is not None and not (len(slopes) == len(offsets) > 0 and all(map(is_number, slopes))):
        raise ValueError(f"slopes must be numbers, one per class, beside offsets, got {slopes!r}.")
    if not isinstance(keeps_label, bool | None) or (keeps_label is not None and not offsets):
        raise ValueError(f"keeps_label says what offsets do, and must be True or False, got {keeps_label!r}.")
    if mix is not None and not (all(is_number(share) and share >= 0 for share in mix) and abs(sum(mix) - 1) < 1e-6):
        raise ValueError(f"mix must be the shares of the classes, which add up to 1, got {mix!r}.")


def check_fitted_to(labels: Sequence[Any], offsets: Sequence[Any], mix: Sequence[Any] | None) -> None:
    """Refuse a calibration that has not one value for each class that it was fitted to."""
    if len(set(labels)) < len(labels):
        raise ValueError(f"labels must be different classes, got {labels!r}.")
    for values in (offsets, mix):
        if values and len(values) != len(labels):
            raise ValueError(f"calibrated for {len(labels)} classes, got {len(values)} values.")


def values_among(labels: Sequence[Any], values: Sequence[float], classes: Sequence[Any]) -> tuple[float, ...]:
    """The values of labels for other classes: 0 for one that is new."""
    by_label = dict(zip(labels, values, strict=True))
    return tuple(by_label.get(label, 0.0) for label in classes)


def cost_table(
    n_classes: int, prices: Mapping[tuple[int, int], float] | None = None, unsure: float | None = None
) -> tuple[tuple[float, ...], ...]:
    """Costs for a `DecisionRule`: an error costs 1, or its price by (true class, class named); unsure may have one too.

    With equal prices and unsure at u, a class is named where it is more probable than 1 − u (Chow 1970).
    """
    table = [[float(true != named) for named in range(n_classes)] for true in range(n_classes)]
    for (true, named), price in (prices or {}).items():
        table[true][named] = float(price)
    return tuple((*row,) if unsure is None else (*row, float(unsure)) for row in table)


def prices_among(classes: Sequence[Any], prices: Iterable[tuple[Any, Any, float]]) -> dict[tuple[int, int], float]:
    """Prices by the positions of the classes; those of classes that are not there do not matter."""
    position = {label: c for c, label in enumerate(classes)}
    return {
        (position[true], position[named]): price
        for true, named, price in prices
        if true in position and named in position
    }


def log_posterior(joint: Sequence[float]) -> list[float]:
    """log P(c | x) = log P(x, c) − log Σ_c P(x, c), where some class is possible."""
    return _normalized(joint)


def _normalized(scores: Sequence[float]) -> list[float]:
    best = max(scores)
    shifted = [score - best for score in scores]
    log_mass = log(sum(map(exp, shifted)))
    return [score - log_mass for score in shifted]


def for_prior(log_posterior: Sequence[float], log_ratios: Sequence[float], shares: Sequence[float]) -> list[float]:
    """log P'(c | x) ∝ log P(c | x) + log(new_c / old_c); the new shares where no class is left that is possible."""
    moved = [value + ratio for value, ratio in zip(log_posterior, log_ratios, strict=True)]
    if max(moved) == -inf:
        moved = [log(share) if share > 0 else -inf for share in shares]
    return _normalized(moved)


def before_ratios(log_posterior: Sequence[float], log_ratios: Sequence[float]) -> list[float]:
    """What `for_prior` was given, up to a constant, for the classes that it has left possible."""
    return [value - ratio if ratio > -inf else -inf for value, ratio in zip(log_posterior, log_ratios, strict=True)]


def log_odds_against(log_posterior: Sequence[float], c: int) -> float:
    """log P(not c | x) − log P(c | x), exact where one of them is next to nothing."""
    others = [*log_posterior[:c], *log_posterior[c + 1 :]]
    best = max(others, default=-inf)
    if best == -inf:
        return -inf - log_posterior[c]
    return best + log(sum(exp(other - best) for other in others)) - log_posterior[c]


def score_of(joint: Sequence[float], c: int) -> float:
    """The score of a class: its log-odds against all others together, from raw scores; of two classes, a difference.

    Probabilities round to 0 and 1 where documents are long, and raw scores do not, so that it ranks what they tie.
    """
    return -log_odds_against(joint, c)


class PlainCalibration(NamedTuple):
    """As `Calibration`: z_c = b_c + d_c log length + u_c, u_c = s_c / (T · length^γ); min(z_c − z_t, u_c / 100)."""

    temperature: float
    length_exponent: float
    offsets: tuple[float, ...]
    slopes: tuple[float, ...] | None = None
    keeps_label: bool | None = None
    mix: tuple[float, ...] | None = None

    def apply(self, joint: list[float], length: int) -> list[float]:
        """The calibrated scores; those of a document without a known word as they are."""
        if not length:
            return joint
        best = max(joint)
        scale = self.temperature * float(length) ** self.length_exponent
        scaled = [(score - best) / scale for score in joint]
        if not self.offsets:
            return scaled
        moves: Sequence[float] = self.offsets
        if self.slopes is not None:
            log_length = log(length)
            moves = [offset + log_length * slope for offset, slope in zip(moves, self.slopes, strict=True)]
        moved = [score + move for score, move in zip(scaled, moves, strict=True)]
        if not self.keeps_label:
            return moved
        of_best = moved[joint.index(best)]
        return [min(z - of_best, LEAST_SLOPE * u) for z, u in zip(moved, scaled, strict=True)]


class PlainRule(NamedTuple):
    """As `DecisionRule`: the expected costs of naming each class, or none, and a class that is protected."""

    costs: tuple[tuple[float, ...], ...]  # one row per true class, as in `cost_table`
    protected: int | None
    threshold: float

    def decide(self, log_posterior: Sequence[float], log_ratios: Sequence[float] | None = None) -> int:
        """The class of least expected cost, or `UNSURE`; of equals the first, unsure last."""
        posterior = [exp(value) for value in log_posterior]
        n_classes = len(posterior)
        options = zip(*self.costs, strict=True)
        expected = [sum(p * cost for p, cost in zip(posterior, option, strict=True)) for option in options]
        by_mix = log_posterior if log_ratios is None else before_ratios(log_posterior, log_ratios)
        if self.protected is not None and log_odds_against(by_mix, self.protected) <= self.threshold:
            for c in range(n_classes):
                if c != self.protected:
                    expected[c] = inf
        chosen = expected.index(min(expected))
        return chosen if chosen < n_classes else UNSURE
