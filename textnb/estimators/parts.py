"""The parts of a mixed model: an estimator or a pipeline for some columns, and what they add to the likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from textnb.arrays import Array
from textnb.estimators.base import AdditiveNB
from textnb.estimators.categorical import CategoricalNB
from textnb.estimators.columns import Columns, as_numbers, is_missing, side_by_side
from textnb.estimators.count import BernoulliNB, MultinomialNB
from textnb.estimators.gaussian import GaussianNB
from textnb.estimators.sklearn_compat import is_sparse
from textnb.estimators.vectorizers import CountVectorizer
from textnb.likelihood.families import NO_LIKELIHOOD
from textnb.likelihood.groups import Groups


@dataclass
class Part:
    """An estimator for some columns of a table, and the factor its log-likelihood is taken with."""

    name: str
    estimator: Any
    columns: list[int]
    one_column: bool
    factor: float

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError(f"part {self.name!r} has no columns")
        if not 0 <= self.factor < np.inf:
            raise ValueError(f"the weight of part {self.name!r} must be 0 or more and finite, got {self.factor}")

    def split(self, names: list[Any]) -> list[Part]:
        """One part per column of BernoulliNB, which cannot leave out one column of a row; any other part as it is."""
        if not isinstance(self.estimator, BernoulliNB) or len(self.columns) == 1:
            return [self]
        return [
            Part(f"{self.name}[{names[j]}]", clone(self.estimator), [j], self.one_column, self.factor)
            for j in self.columns
        ]

    def fit(self, table: Columns, y: Array, classes: Array, weights: Array | None) -> Self:
        model = self.model
        if isinstance(self.estimator, GaussianNB | CategoricalNB):
            model.set_params(missing="ignore")
        rows, X = self.values(table)
        if not len(rows):
            raise ValueError(f"part {self.name!r} has no row without a missing value")
        for step in self.before:
            X = step.fit_transform(X, y[rows])
        # Announced, since a class may have no row here.
        model.partial_fit(X, y[rows], classes=classes, sample_weight=None if weights is None else weights[rows])
        return self

    def add_log_likelihood(self, table: Columns, scores: Array, groups: Groups | None = None) -> None:
        """Add log P(x | c) to the scores (n, K) of rows that have a value; given groups, that without a row's group."""
        rows, X = self.values(table)
        if not len(rows) or not self.factor:
            return
        X, model = self.transformed(X), self.model
        own = model.log_likelihood(X) if groups is None else model._log_likelihood_without(X, groups.subset(rows))
        scores[rows] += self.factor * own

    def sample(self, class_ids: Array, rng: Any, length: Any) -> list[Any]:
        """Values of every column, each row given its class."""
        before, model = self.before, self.model
        options = {"length": length} if isinstance(model, MultinomialNB) else {}
        if before and (len(before) > 1 or not isinstance(before[0], CountVectorizer) or hasattr(before[0], "idf_")):
            raise ValueError(
                f"cannot sample part {self.name!r}: its pipeline makes of values what cannot be turned back, as tf-idf "
                "does. Only the words of a CountVectorizer can."
            )
        X = model._sample_given(class_ids, rng, **options)
        if before:
            return [texts_of(X, before[0].get_feature_names_out())]
        return list((X.toarray() if is_sparse(X) else X).T)

    def values(self, table: Columns) -> tuple[Array, Any]:
        """The rows that the part takes, and what its estimator gets of them."""
        values = [table.values[j] for j in self.columns]
        if isinstance(self.estimator, GaussianNB | MultinomialNB):
            absent = np.nan if isinstance(self.estimator, GaussianNB) else 0
            return np.arange(len(table)), np.column_stack([self._numbers(table, j, absent) for j in self.columns])
        if isinstance(self.estimator, CategoricalNB):
            return np.arange(len(table)), side_by_side(values)
        (rows,) = np.nonzero(~np.any([is_missing(column) for column in values], axis=0))
        if self.one_column and isinstance(self.estimator, Pipeline):
            return rows, values[0][rows].tolist()
        return rows, side_by_side([column[rows] for column in values])

    def transformed(self, X: Any) -> Any:
        """What the model gets of what the part takes."""
        for step in self.before:
            X = step.transform(X)
        return X

    def _numbers(self, table: Columns, j: int, absent: float) -> Array:
        missing = is_missing(table.values[j])
        numbers = as_numbers(table.values[j], missing)
        if numbers is None:
            raise ValueError(
                f"part {self.name!r} needs numbers in column {table.names[j]!r}; use a CategoricalNB for other values"
            )
        return np.where(missing, absent, numbers)

    @property
    def model(self) -> Any:
        """The naive Bayes model, which may be the last step of a pipeline."""
        return model_of(self.estimator)

    @property
    def before(self) -> list[Any]:
        """The steps of a pipeline before its model."""
        steps = self.estimator.steps[:-1] if isinstance(self.estimator, Pipeline) else []
        return [step for _, step in steps if not (step is None or isinstance(step, str))]


def model_of(estimator: Any) -> Any:
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def automatic_parts(table: Columns) -> list[tuple[str, Any, list[int]]]:
    """One model per column that has values: for zeros and ones, for other numbers, or for anything else."""
    kinds: dict[str, list[int]] = {"flags": [], "numbers": [], "categories": []}
    for j, column in enumerate(table.values):
        missing = is_missing(column)
        numbers = as_numbers(column, missing)
        if numbers is None:
            kinds["categories"].append(j)
        elif not missing.all():
            flags = np.isin(numbers[~missing], (0, 1)).all()
            kinds["flags" if flags else "numbers"].append(j)
    models = {"flags": BernoulliNB(), "numbers": GaussianNB(), "categories": CategoricalNB(unknown="smooth")}
    return [(name, models[name], columns) for name, columns in kinds.items() if columns]


def checked_parts(parts: Any) -> list[tuple[str, Any, Any]]:
    """The parts, if they are (name, estimator, columns) with different names and estimators that have a likelihood."""
    if not isinstance(parts, list | tuple) or not parts:
        raise ValueError(f"parts must be 'auto' or a list of (name, estimator, columns), got {parts!r}")
    for part in parts:
        if not isinstance(part, list | tuple) or len(part) != 3:
            raise ValueError(f"a part is (name, estimator, columns), got {part!r}")
        name, estimator, _ = part
        if not isinstance(name, str) or "__" in name or name in ("parts", "priors", "weights"):
            raise ValueError(f"the name of a part is a string without '__', and no parameter's name, got {name!r}")
        model = model_of(estimator)
        if not isinstance(model, AdditiveNB):
            raise ValueError(
                f"part {name!r} must be a naive Bayes model of textnb, or a pipeline that ends in one, got {model!r}"
            )
        if not model.has_likelihood:
            raise ValueError(f"part {name!r}: {NO_LIKELIHOOD}")
    names = [name for name, _, _ in parts]
    if len(set(names)) < len(names):
        raise ValueError(f"parts need different names, got {names}")
    return list(parts)


def texts_of(counts: Any, terms: Array) -> list[str]:
    """Documents with these counts of words, in the order of the vocabulary."""
    bounds = zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
    entries = (slice(start, stop) for start, stop in bounds)
    return [" ".join(np.repeat(terms[counts.indices[row]], counts.data[row])) for row in entries]
