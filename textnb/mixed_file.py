"""A mixed model as a model file: its parts one after the other, all checked on the way in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from textnb.model_file import are_labels, check_form, plain_labels
from textnb.models.mixed import MixedNB
from textnb.models.parts import Part, checked_parts
from textnb.part_file import TEXT_KINDS, part_content, part_estimator, plain, understood
from textnb.statistics.categories import as_objects
from textnb.storage import ModelFile, ModelFileError, write_model
from textnb.text.rows import Array


def save_mixed(model: MixedNB, path: Any, *, label: str | None = None) -> None:
    """Write a fitted mixed model to a file that `textnb.load` and the command line read: data only, no code.

    Its parts may be a vectorizer with a MultinomialNB or BernoulliNB for a column of text, a CategoricalNB, and a
    GaussianNB. `label` is the name of the column that the classes came from, for the command line.
    """
    check_is_fitted(model)
    arrays, parts = {"log_prior": model.class_log_prior_}, []
    for position, part in enumerate(model._parts):
        own, settings = part_content(part)
        arrays |= {f"part{position}.{name}": array for name, array in own.items()}
        parts.append(settings | {"name": part.name, "columns": part.columns, "factor": float(part.factor)})
    names = getattr(model, "feature_names_in_", None)
    settings = {
        "kind": "mixed",
        "classes": plain_labels(model.classes_),
        "columns": None if names is None else names.tolist(),
        "n_columns": model.n_features_in_,
        "label": label,
        "priors": plain(model.priors),
        "parts": parts,
    }
    write_model(path, arrays, settings)


def mixed_of(file: ModelFile) -> MixedNB:
    """The fitted mixed model of an open model file."""
    settings = _checked_settings(file)
    classes, names, n_columns = np.array(settings["classes"]), settings["columns"], settings["n_columns"]
    log_prior = file.array("log_prior")
    check_form(file, "log_prior", log_prior, classes.shape, "<f8")
    if not np.isfinite(np.exp(log_prior)).all():  # −∞ is that of a class without rows
        raise file.damaged("array 'log_prior' has values that are no logarithms of probabilities")
    parts = [_fitted_part(part, classes, n_columns) for part in _parts(file)]
    with understood(file, "a part"):
        model = MixedNB(
            checked_parts([(part.name, clone(part.estimator), _columns(part, names)) for part in parts]),
            priors=settings["priors"],
            weights={part.name: part.factor for part in parts if part.factor != 1} or None,
        )
    model.classes_, model.class_log_prior_, model._parts = classes, log_prior, parts
    model.n_features_in_ = n_columns
    if names is not None:
        model.feature_names_in_ = as_objects(names)
    return model


@dataclass(frozen=True)
class _PartOfFile:
    """A part of a model file as a file of its own: the arrays with a prefix, and other settings."""

    file: ModelFile
    prefix: str
    names: set[str]
    settings: dict[str, Any]

    def array(self, name: str) -> Array:
        return self.file.array(f"{self.prefix}.{name}")

    def damaged(self, what: str) -> ModelFileError:
        return self.file.damaged(what)


def _parts(file: ModelFile) -> Iterator[_PartOfFile]:
    """The parts in their order; the names are divided among them once, since a stranger's file may have many."""
    names: dict[str, set[str]] = {}
    for name in file.names:
        prefix, _, rest = name.partition(".")
        names.setdefault(prefix, set()).add(rest)
    for position, settings in enumerate(file.settings["parts"]):
        prefix = f"part{position}"
        yield _PartOfFile(file, prefix, names.get(prefix, set()), settings | {"classes": file.settings["classes"]})


def _fitted_part(file: _PartOfFile, classes: Array, n_columns: int) -> Part:
    settings: Any = file.settings
    name, columns, factor = (settings.get(key) for key in ("name", "columns", "factor"))
    is_text = settings.get("model") in TEXT_KINDS
    checks = {
        "name": isinstance(name, str),
        "columns": _are_positions(columns, n_columns) and (len(columns) == 1 or not is_text),
        "factor": isinstance(factor, float) and 0 <= factor < np.inf,
    }
    _require(file, checks)
    estimator = part_estimator(cast(ModelFile, file), classes, len(columns))
    return Part(name, estimator, columns, is_text, factor)


def _columns(part: Part, names: list[str] | None) -> Any:
    """A part's columns as its constructor takes them."""
    columns = part.columns if names is None else [names[j] for j in part.columns]
    return columns[0] if part.one_column else columns


def _checked_settings(file: ModelFile) -> dict[str, Any]:
    settings = file.settings
    n_columns, names, parts = (settings.get(key) for key in ("n_columns", "columns", "parts"))
    checks = {
        "classes": are_labels(settings.get("classes")),
        "n_columns": type(n_columns) is int and n_columns > 0,
        "columns": names is None or (_are_names(names) and len(names) == n_columns),
        "label": isinstance(settings.get("label"), str | None),
        "priors": isinstance(settings.get("priors"), list | None),
        "parts": isinstance(parts, list) and bool(parts) and all(isinstance(part, dict) for part in parts),
    }
    _require(file, checks)
    return settings


def _are_names(names: Any) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


def _are_positions(columns: Any, n_columns: int) -> bool:
    return (
        isinstance(columns, list)
        and bool(columns)
        and all(type(column) is int and 0 <= column < n_columns for column in columns)
    )


def _require(file: ModelFile | _PartOfFile, checks: dict[str, bool]) -> None:
    for name, right in checks.items():
        if not right:
            raise file.damaged(f"its setting {name!r} is missing or wrong")
