"""Mixed models at the prompt: text, categories and numbers are columns of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.statistics.categories import as_objects
from textnb.text.rows import Array

if TYPE_CHECKING:
    from textnb.corpora import Problem
    from textnb.models.mixed import MixedNB


@dataclass(frozen=True)
class Features:
    """The columns that a model takes, in its order; some hold texts, some numbers, the others categories."""

    names: list[str]
    texts: list[str]
    numeric: list[str]

    @property
    def categorical(self) -> list[str]:
        return [name for name in self.names if name not in self.texts and name not in self.numeric]

    def source(self) -> dict[str, Any]:
        """What readers are to read."""
        strings = [name for name in self.names if name not in self.numeric]
        return {"text": None, "columns": strings, "numeric": self.numeric}

    def table(self, columns: Mapping[str, Sequence[Any]]) -> Array:
        """The columns side by side, as a model takes them."""
        return np.column_stack([as_objects(columns[name]) for name in self.names])

    def with_text(self, name: str | None) -> Features:
        """The same, but that the text is in a column of another name."""
        if name is None or [name] == self.texts:
            return self
        if len(self.texts) != 1:
            raise ValueError(
                f"--text names one column, and the model has {len(self.texts)} columns of text: leave it out"
            )
        return Features([name if old in self.texts else old for old in self.names], [name], self.numeric)


def chosen_features(
    path: str, text: str | None, label: str, categorical: list[str], numeric: list[str], encoding: str | None
) -> Features:
    """The columns to learn from. A column `text` is taken if it is there, any other only if it is named."""
    from textnb.corpora.readers import column_names

    if not categorical and not numeric:
        raise ValueError("--categorical and --numeric take the names of columns, such as domain,weekday")
    named = [*([] if text is None else [text]), label, *categorical, *numeric]
    for name in named:
        if named.count(name) > 1:
            raise ValueError(f"column {name!r} is named twice among --text, --label, --categorical and --numeric")
    if text is None and "text" in column_names(path, encoding) and "text" not in named:
        text = "text"
    texts = [] if text is None else [text]
    return Features([*texts, *categorical, *numeric], texts, numeric)


def new_model(features: Features, settings: dict[str, Any]) -> MixedNB:
    """A model with a part for each kind of column there is; `settings` are those of a text classifier."""
    from sklearn.pipeline import make_pipeline

    from textnb.models.mixed import MixedNB
    from textnb.models.tabular import CategoricalNB, GaussianNB
    from textnb.part_file import KINDS, new_vectorizer

    options = {name: value for name, value in settings.items() if name not in ("ledger", "calibrate")}
    alpha, ngrams = options.pop("alpha"), options.pop("ngrams")
    text_model = KINDS[options.pop("model")].model(alpha=alpha)
    vectorizer = new_vectorizer(options.pop("weights"), ngram_range=ngrams, **options)
    positions = {name: j for j, name in enumerate(features.names)}
    parts = [
        *[("text", make_pipeline(vectorizer, text_model), positions[name]) for name in features.texts],
        ("categorical", CategoricalNB(alpha=alpha, unknown="smooth"), [positions[j] for j in features.categorical]),
        ("numeric", GaussianNB(), [positions[j] for j in features.numeric]),
    ]
    return MixedNB([part for part in parts if part[2] != []])


def save(model: MixedNB, path: Path, features: Features, label: str) -> None:
    """Save a model that was fitted on plain tables, with the names of their columns."""
    from textnb.mixed_file import save_mixed

    model.feature_names_in_ = as_objects(features.names)
    save_mixed(model, path, label=label)


def take_features(model: MixedNB, path: Path) -> Features:
    """The columns of a loaded model, which takes plain tables from then on, and compares no names of columns."""
    from sklearn.pipeline import Pipeline

    from textnb.models.tabular import GaussianNB

    names = column_names_of(model, path)
    del model.feature_names_in_

    def columns_of(kind: type) -> list[str]:
        parts = [part for part in model._parts if isinstance(part.estimator, kind)]
        return [names[j] for j in sorted({j for part in parts for j in part.columns})]

    return Features(names, columns_of(Pipeline), columns_of(GaussianNB))


def column_names_of(model: MixedNB, path: Path) -> list[str]:
    """The names of the columns of a loaded model."""
    if not hasattr(model, "feature_names_in_"):
        raise ValueError(f"{path} does not name its columns: fit the model on a data frame, and save it again")
    return model.feature_names_in_.tolist()


def stored_label(path: Path) -> str:
    """The column that the classes of a saved model came from, or the usual one."""
    from textnb.storage import open_model

    return open_model(path, verify="touched").settings.get("label") or "label"


@dataclass(frozen=True)
class TablePredictor:
    """A mixed model as `predict` uses predictors: on the values of rows as the readers give them."""

    model: MixedNB
    features: Features

    @property
    def classes(self) -> Array:
        return self.model.classes_

    def named(self, log_proba: Array) -> list[Any]:
        return self.classes[log_proba.argmax(axis=1)].tolist()

    def log_proba(self, rows: list[tuple[Any, ...]], *, raw: bool = False) -> Array:
        """Probabilities are the model's own, raw or not."""
        source = self.features.source()
        columns = zip([*source["columns"], *source["numeric"]], zip(*rows, strict=True), strict=True)
        return self.model.predict_log_proba(self.features.table(dict(columns)))


def open_tables(
    path: Path, sources: list[str], problems: list[str] | None
) -> tuple[TablePredictor, Iterator[tuple[str, Any]]]:
    """A mixed model for `predict`, and (id, values) of every row of the tables, the id being its file and line."""
    from textnb.classifier import load
    from textnb.corpora.readers import table_kind

    model: Any = load(path)
    features = take_features(model, path)
    for source in sources:
        if table_kind(source) is None:
            raise ValueError(
                f"{path} is a model of the columns {', '.join(features.names)}: give tables that have them, .csv, .tsv "
                f"or .jsonl, not {'stdin' if source == '-' else source}"
            )
    return TablePredictor(model, features), read_rows(sources, features, stored_label(path), problems)


def read_rows(
    sources: list[str], features: Features, label: str, problems: list[str] | None
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """(id, values) of every row; one that cannot be read goes to `problems`, or without them is an error."""
    from textnb.cli.output import os_error_line
    from textnb.corpora.readers import iter_rows

    for source in sources:
        found: list[Problem] = []
        report = None if problems is None else found.append
        try:
            for row in iter_rows(source, label=label, label_required=False, report=report, **features.source()):
                yield f"{source}:{row.where.removeprefix('line ')}", row.values
        except OSError as error:
            if problems is None:
                raise
            problems.append(os_error_line(error))
        if problems is not None:
            problems.extend(f"skipped {source}: {where}: {why}" for where, why in found)
