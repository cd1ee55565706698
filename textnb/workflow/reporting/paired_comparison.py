"""Two models on the same documents: whether one is better, by how much, and where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, sqrt
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.workflow.metrics import Z_95, Evaluation


@dataclass(frozen=True, eq=False)
class PairedComparison:
    """A second model beside a first on the same documents; differences are the first's minus the second's."""

    model_file: str | None
    settings: dict[str, Any]
    evaluation: Evaluation
    both_right: int
    only_first: int
    only_second: int
    both_wrong: int
    recalls: tuple[tuple[int, float, float], ...]  # of each class, by its number, both models' recalls
    classes: list[str]  # those of the first evaluation, and then others that the second model names
    others: dict[
        int, tuple[int, float]
    ]  # by document shown, the class that the second model names, and its probability

    @property
    def n(self) -> int:
        return self.both_right + self.only_first + self.only_second + self.both_wrong

    @property
    def difference(self) -> float:
        return (self.only_first - self.only_second) / self.n

    @property
    def difference_interval(self) -> tuple[float, float]:
        """Of 95 %: d ± 1.96 √(b + c − (b − c)²/n)/n, of documents that only one model has right."""
        half = Z_95 * paired_error(self.only_first, self.only_second, self.n)
        return max(-1.0, self.difference - half), min(1.0, self.difference + half)

    @property
    def p_value(self) -> float:
        return mcnemar_p_value(self.only_first, self.only_second)

    def to_json(self) -> dict[str, Any]:
        evaluation = self.evaluation
        return {
            "file": self.model_file,
            "settings": self.settings,
            "accuracy": evaluation.accuracy,
            "accuracy_interval": list(evaluation.accuracy_interval),
            "macro_f1": evaluation.macro_f1,
            "difference": self.difference,
            "difference_interval": list(self.difference_interval),
            **{name: getattr(self, name) for name in ("both_right", "only_first", "only_second", "both_wrong")},
            "p_value": self.p_value,
            "per_class": [list(row) for row in self.recalls],
            "classes": self.classes,
            "documents": [
                {"document": document, "other": other, "other_probability": probability}
                for document, (other, probability) in self.others.items()
            ],
        }


def paired_error(only_first: int, only_second: int, n: int) -> float:
    """√(b + c − (b − c)²/n)/n: the standard error of the difference between two shares of the same n documents.

    Examples
    --------
    >>> round(paired_error(10, 5, 100), 4)
    0.0384
    """
    return sqrt(max(0.0, only_first + only_second - (only_first - only_second) ** 2 / n)) / n


def mcnemar_p_value(only_first: int, only_second: int) -> float:
    """2 P(X ≤ min(b, c)) for X of b + c fair coins, at most 1: the exact test of McNemar 1947, two-sided.

    Examples
    --------
    >>> round(mcnemar_p_value(9, 1), 6), mcnemar_p_value(0, 0)
    (0.021484, 1.0)
    """
    n, k = only_first + only_second, min(only_first, only_second)
    logs = np.array([lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) for i in range(k + 1)]) - n * log(2)
    return min(1.0, 2 * exp(float(np.logaddexp.reduce(logs))))


def where_they_differ(true: Array, first: Array, second: Array, confidence: Array, most: int) -> Array:
    """Positions of at most so many documents that two models name differently.

    Those that one of them has right come first, and then the most confident ones.
    """
    (differ,) = np.nonzero(first != second)
    one_right = (first[differ] == true[differ]) | (second[differ] == true[differ])
    return differ[np.lexsort((differ, -confidence[differ], ~one_right))][:most]
