"""What the parts of a mixed model add to the scores of one row: terms of its texts, and the values of its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.estimators.categorical import CategoricalNB
from textnb.estimators.columns import Columns
from textnb.estimators.count import BernoulliNB, canonical
from textnb.estimators.parts import Part
from textnb.estimators.sklearn_compat import is_sparse
from textnb.estimators.vectorizers import CountVectorizer, TfidfTransformer, TfidfVectorizer
from textnb.likelihood.families import family
from textnb.likelihood.rules import LinearRule
from textnb.model.evidence import Evidence, constants
from textnb.model.predictor import Predictor
from textnb.statistics.categories import as_objects
from textnb.text.features import finished
from textnb.text.weights import Weighting

_WHOLE = 1e15  # up to which a whole number is written without an exponent


def row_evidence(parts: list[Part], row: Columns, names: list[str] | None) -> tuple[list[Evidence], list[int]]:
    """The evidence of all parts on a table of one row, and the column of each text that it has, in its order.

    Columns without names go by those of their parts.
    """
    evidence: list[Evidence] = []
    columns_of_texts: list[int] = []
    for part in parts:
        for one in _part_evidence(part, row, _sources(part, names)):
            added = replace(one, scores=part.factor * one.scores)
            if one.text is not None:
                (column,) = part.columns
                if column in columns_of_texts:  # a text of two parts has its words once
                    added = replace(added, words=list)
                columns_of_texts.append(column)
            evidence.append(added)
    return evidence, columns_of_texts


def with_texts(row: Columns, columns: list[int], texts: list[list[str]]) -> Columns:
    """Copies of a row, each with other texts in some columns; of two texts for one column the first counts."""
    values = [np.repeat(column, len(texts)) for column in row.values]
    for position, column in reversed(list(enumerate(columns))):
        values[column] = as_objects([some[position] for some in texts])
    return Columns(values, row.names)


def _sources(part: Part, names: list[str] | None) -> list[str]:
    """What an explanation calls the columns of a part."""
    if names is not None:
        return [names[j] for j in part.columns]
    return [part.name] if len(part.columns) == 1 else [f"{part.name}[{j}]" for j in part.columns]


def _part_evidence(part: Part, row: Columns, sources: list[str]) -> Iterator[Evidence]:
    """What a part adds, its factor left out; nothing where it has no value, or a factor of 0."""
    rows, values = part.values(row)
    if not len(rows) or not part.factor:
        return
    if part.estimator is part.model:
        yield from _column_evidence(part, row, part.model, values, sources)
        return
    source = sources[0] if len(sources) == 1 else part.name
    text = _text_of(part, values)
    found = _feature_evidence(part, values, sources) if text is None else _text_predictor(part).evidence(text)
    for one in found:
        yield replace(one, source=source)


# A column of text


def _text_of(part: Part, values: Any) -> str | None:
    """The text that a vectorizer of textnb cuts into the terms of a linear model; None of any other pipeline."""
    vectorizer, *others = part.before or [None]
    if not (
        part.one_column
        and type(vectorizer) in (CountVectorizer, TfidfVectorizer)
        and vectorizer.input == "content"  # else the table holds the names of files
        and all(type(step) is TfidfTransformer for step in others)
        and isinstance(part.model.rule_, LinearRule)
    ):
        return None
    (document,) = vectorizer._documents(values)
    return document if isinstance(document, str) else None


def _text_predictor(part: Part) -> Predictor:
    """The part as a text model."""
    vectorizer, model = part.before[0], part.model
    vectorizer._check_vocabulary()
    return Predictor(
        analyzer=vectorizer._analyzer(),
        features=vectorizer._features,
        unknown=vectorizer.unknown == "token",
        weighting=_PipelineWeighting("of a pipeline", steps=(*part.before, model)),
        rule=model.rule_,
        log_prior=model.class_log_prior_,
        prior_in_score=False,
        classes=model.classes_,
        n_jobs=vectorizer.n_jobs,
        constant=family(model.family).constant,
    )


@dataclass(frozen=True, eq=False)
class _PipelineWeighting(Weighting):
    """What the steps of a pipeline make of counts; an entry that becomes 0 stays an entry."""

    steps: tuple[Any, ...] = ()

    def apply(self, rows: SparseRows) -> SparseRows:
        for step in self.steps:
            if isinstance(step, CountVectorizer):
                rows = finished(rows, step.binary, step.dtype)
            if isinstance(step, TfidfVectorizer):
                rows = step._tfidf._weigh(rows)
            if isinstance(step, TfidfTransformer):
                rows = step._weigh(rows)
            if isinstance(step, BernoulliNB) and step.binarize is not None:
                rows = rows.with_data((rows.data > step.binarize).astype(np.int64))
        return rows


# Columns of categories, numbers, flags and counts


def _column_evidence(part: Part, row: Columns, model: Any, values: Any, sources: list[str]) -> Iterator[Evidence]:
    """One row of the explanation for each column that has a value, such as `links=5`."""
    checked = model._validate(values)
    if isinstance(model, BernoulliNB):  # of one column, in which what is not there counts too
        columns, added, weighed = np.zeros(1, dtype=np.int64), model._log_likelihood(checked), np.ones(1)
    else:
        columns, added, weighed, _ = _contributions(model, checked)
    for j, scores, value in zip(columns.tolist(), added, weighed, strict=True):
        (given,) = row.values[part.columns[j]].tolist()
        new = isinstance(model, CategoricalNB) and int(checked[0, j]) == len(model.categories_[j])
        yield Evidence(
            kind="value",
            names=_names([f"{sources[j]}={_written(given)}"]),
            scores=scores[np.newaxis],
            values=np.array([value]),
            unknown=0 if new else None,
            source=sources[j],
        )


# Any other pipeline


def _feature_evidence(part: Part, values: Any, sources: list[str]) -> list[Evidence]:
    """One row of the explanation for each feature that the steps before the model make of the columns."""
    model = part.model
    made = part.transformed(values)
    columns, added, weighed, constant = _contributions(model, model._validate(made))
    is_linear = isinstance(model.rule_, LinearRule)

    def names(rows: Array) -> list[str]:
        own = _feature_names(part, made.shape[1], sources)
        named = [f"feature {j}" if own is None else own[j] for j in columns[rows].tolist()]
        given = [] if is_linear else _dense(made)[0, columns[rows]].tolist()
        return named if is_linear else [f"{name}={_written(value)}" for name, value in zip(named, given, strict=True)]

    found = Evidence(kind="term" if is_linear else "value", names=names, scores=added, values=weighed)
    return [found, *constants({family(model.family).constant: constant} if is_linear else {}, "constant")]


def _feature_names(part: Part, n_features: int, sources: list[str]) -> list[str] | None:
    """The names of what the model gets, if all steps before it have names for what they make."""
    names: Any = None if part.one_column else as_objects(sources)
    try:
        for step in part.before:
            names = step.get_feature_names_out(names)
    except (AttributeError, NotImplementedError, TypeError, ValueError):
        return None
    return list(map(str, names)) if len(names) == n_features else None


def _contributions(model: Any, checked: Any) -> tuple[Array, Array, Array, Array]:
    """Which columns of a row add to the scores, what, (n, K), by which values, and what any row gets, (K,)."""
    if isinstance(model.rule_, LinearRule):
        entries = canonical(checked)
        added, constant = model.rule_.contributions(entries)
        return entries.indices, added, entries.data, constant
    added, constant = model.rule_.contributions(_dense(checked)[0])
    (columns,) = np.nonzero(added.any(axis=1))  # a missing value adds nothing
    return columns, added[columns], np.ones(len(columns)), constant


def _dense(X: Any) -> Array:
    return np.asarray(X.toarray() if is_sparse(X) else X)


def _names(names: list[str]) -> Callable[[Array], list[str]]:
    return lambda rows: [names[row] for row in rows.tolist()]


def _written(value: Any) -> str:
    """A value of a column as people write it."""
    if not isinstance(value, float):
        return str(value)
    return str(int(value)) if value.is_integer() and abs(value) < _WHOLE else f"{value:.6g}"
