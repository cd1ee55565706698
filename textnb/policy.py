"""What errors cost, by the names of classes: it means the same when classes come and go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

from textnb.decision import DecisionRule, cost_table
from textnb.text.rows import Array

_NUMBERS = ("unsure", "ceiling", "threshold")


@dataclass(frozen=True)
class Policy:
    """How to decide: the price of errors, of being unsure, and a class that is seldom to be taken for another.

    prices : (true class, class named, cost); an error that is not listed costs 1
    unsure : what it costs to name no class; None never to do so
    protected, ceiling, threshold : at most a share `ceiling` of the protected class is named otherwise, by a threshold
        on the log-odds against it, which was chosen on documents in models without them
    """

    prices: tuple[tuple[Any, Any, float], ...] = ()
    unsure: float | None = None
    protected: Any = None
    ceiling: float | None = None
    threshold: float | None = None

    @classmethod
    def among(
        cls,
        classes: Array,
        costs: Mapping[tuple[Any, Any], float],
        unsure: float | None = None,
        protected: Any = None,
        ceiling: float | None = None,
    ) -> Self:
        """A policy as it was asked for; a ValueError for names that are no classes, and prices that are no numbers."""
        if not isinstance(costs, Mapping) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in costs):
            raise ValueError(f"costs must be a dict of (true class, class named) to what that costs, got {costs!r:.60}")
        known = classes.tolist()

        def plain(label: Any) -> Any:
            if label not in known:
                raise ValueError(f"there is no class {label!r}: the classes are {', '.join(map(str, known))}")
            return known[known.index(label)]

        prices = tuple((plain(true), plain(named), _number("a cost", cost)) for (true, named), cost in costs.items())
        return cls(
            prices,
            None if unsure is None else _number("unsure", unsure),
            None if protected is None else plain(protected),
            None if ceiling is None else _number("ceiling", ceiling),
        )

    def rule(self, classes: Array) -> DecisionRule:
        """The decisions among these classes; prices of others do not matter."""
        position = {label: i for i, label in enumerate(classes.tolist())}
        prices = {
            (position[true], position[named]): price
            for true, named, price in self.prices
            if true in position and named in position
        }
        costs = cost_table(len(position), prices, self.unsure)
        if self.protected not in position:
            return DecisionRule(costs)
        return DecisionRule(costs, position[self.protected], self.threshold)

    def to_settings(self) -> dict[str, Any]:
        """In the types of JSON."""
        return {**vars(self), "prices": [list(price) for price in self.prices]}

    @classmethod
    def from_settings(cls, settings: Any) -> Self:
        """What `to_settings` gave; a ValueError for anything else."""
        if not isinstance(settings, dict) or settings.keys() != cls.__dataclass_fields__.keys():
            raise ValueError(f"a policy has {', '.join(cls.__dataclass_fields__)}, and nothing else")
        prices = settings["prices"]
        if not isinstance(prices, list) or not all(_is_price(price) for price in prices):
            raise ValueError(f"prices are lists of true class, class named and cost, got {prices!r:.60}")
        for name in _NUMBERS:
            if settings[name] is not None and not _is_number(settings[name]):
                raise ValueError(f"{name} is a number or null, got {settings[name]!r:.60}")
        if not isinstance(settings["protected"], str | int | float | None):
            raise ValueError("protected is a class or null")
        if (settings["protected"] is None) != (settings["threshold"] is None):
            raise ValueError("a protected class and its threshold come together")
        return cls(**settings | {"prices": tuple(map(tuple, prices))})


def _is_price(price: Any) -> bool:
    return (
        isinstance(price, list)
        and len(price) == 3
        and all(isinstance(label, str | int | float) for label in price[:2])
        and _is_number(price[2])
    )


def _number(name: str, value: Any) -> float:
    if not isinstance(value, Real) or not _is_number(float(value)):
        raise ValueError(f"{name} must be a number, got {value!r}")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e100
