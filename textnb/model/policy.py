"""What errors cost, by the names of classes: it means the same when classes come and go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

from textnb.arrays import Array
from textnb.model.decision import DecisionRule
from textnb.model.plain import cost_table, is_number, prices_among

Label = str | bool | int | float


@dataclass(frozen=True)
class Policy:
    """How to decide: the price of errors, of being unsure, and a class that is seldom to be taken for another.

    prices : (true class, class named, cost); an error that is not listed costs 1
    unsure : what it costs to name no class; None never to do so
    protected, ceiling, threshold : at most a share `ceiling` of the protected class is named otherwise, by a threshold
        on the log-odds against it, which was chosen on documents in models without them
    """

    prices: tuple[tuple[Label, Label, float], ...] = ()
    unsure: float | None = None
    protected: Label | None = None
    ceiling: float | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        for value in (*(price for _, _, price in self.prices), self.unsure, self.ceiling, self.threshold):
            if value is not None and not is_number(value):
                raise ValueError(f"what a policy states must be numbers, got {value!r:.60}")
        if self.protected is None and self.threshold is not None:
            raise ValueError("a threshold needs the class that it protects")

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
        labels = classes.tolist()
        costs = cost_table(len(labels), prices_among(labels, self.prices), self.unsure)
        if self.protected not in labels:
            return DecisionRule(costs)
        return DecisionRule(costs, labels.index(self.protected), self.threshold)


def _number(name: str, value: Any) -> float:
    if not isinstance(value, Real) or not is_number(float(value)):
        raise ValueError(f"{name} must be a number, got {value!r}")
    return float(value)
