"""What a model takes: texts, or the columns of a table. Each kind of input makes, saves and describes its models."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from textnb.arrays import Array
from textnb.corpora.corpus import Corpus
from textnb.corpora.rows import ReadOptions
from textnb.estimators.text_model import TextModel, open_fitted_model
from textnb.likelihood.families import family
from textnb.model.file import table_columns
from textnb.model.parameters import CHOOSABLE, effective, is_auto
from textnb.model.settings import USUAL_COLUMNS, Columns
from textnb.storage import open_model
from textnb.workflow.progress import SILENT, Progress, shown_trials

if TYPE_CHECKING:
    from textnb.estimators.mixed import MixedNB
    from textnb.selection.tuning import Choice
    from textnb.workflow.table_input import TableInput

Input: TypeAlias = "TextInput | TableInput"
ModelLike: TypeAlias = "str | PathLike[str] | TextModel | MixedNB"
Documents: TypeAlias = list[str] | Array

ALWAYS_SHOWN = ("model", "weights", "alpha", "ngrams", "analyzer", "unknown")
NEVER_SHOWN = ("vocabulary", "n_jobs")


def take(documents: Documents, rows: Array) -> Documents:
    """The documents at some positions."""
    return [documents[i] for i in rows] if isinstance(documents, list) else documents[rows]


def shown_settings(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The main parameters of a classifier, and those that differ from the default, or from the literature's values."""
    defaults = effective(TextModel().get_params(), {})
    values: dict[str, Any] = {name: _plain_value(value) for name, value in parameters.items()}
    values["weights"] = family(values["model"]).weighting(values["weights"])
    shown = {name: values[name] for name in ALWAYS_SHOWN}
    return shown | {
        name: value
        for name, value in values.items()
        if name not in (*ALWAYS_SHOWN, *NEVER_SHOWN) and value != defaults[name]
    }


def told_settings(model: TextModel) -> dict[str, Any]:
    """Of the parameters in use, those that somebody set or that were chosen; what was left out is as usual."""
    defaults = effective(TextModel().get_params(), {})
    given, found = model.given_and_chosen
    in_use = {name: _plain_value(value) for name, value in model.parameters_in_use.items()}
    in_use["weights"] = family(in_use["model"]).weighting(in_use["weights"])
    names = sorted(in_use.keys() - NEVER_SHOWN, key=(*ALWAYS_SHOWN, *in_use).index)
    chosen = {name for name, value in found.items() if value is not None}
    return {name: in_use[name] for name in names if name in chosen or _is_set(name, given[name], defaults[name])}


def _is_set(name: str, given: Any, default: Any) -> bool:
    if given is None or is_auto(given):
        return False
    return name in CHOOSABLE or _plain_value(given) != _plain_value(default)


def _plain_value(value: Any) -> Any:
    """A value as JSON can have it: a list for a tuple, its name for a function."""
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return list(value) if isinstance(value, tuple) else value


def notice_objective(model: TextModel, choice: Choice, progress: Progress) -> None:
    """Say so where a filter of mail was chosen by accuracy, for want of a class that is to be caught."""
    if model.analyzer == "mail" and model.objective is None and choice.objective == "accuracy":
        progress.notice(
            "candidates were compared by accuracy; to have as much of one class caught as can be, name it (--positive)"
        )


class TextInput:
    """Models of text alone: `TextModel`."""

    def options(self, options: ReadOptions) -> ReadOptions:
        """What is to be read."""
        return replace(options, text=options.text or "text")

    def documents(self, corpus: Corpus) -> Documents:
        return corpus.texts

    def texts_of(self, corpus: Corpus) -> list[str]:
        """The texts that a ledger would know the documents by."""
        return corpus.texts

    def new_model(self, settings: Mapping[str, Any]) -> Any:
        return TextModel(**settings)

    def fit(self, model: Any, corpus: Corpus, documents: Documents, rows: Array, progress: Progress = SILENT) -> None:
        """Fit on some documents; those that belong together are left out together where that matters."""
        groups = None if corpus.groups is None else corpus.groups[rows]
        with shown_trials(progress) as report:
            model.fit(take(documents, rows), corpus.labels[rows], groups=groups, progress=report)
        if (choice := getattr(model, "choice_", None)) is not None:
            notice_objective(model, choice, progress)

    def name_columns(self, model: Any, columns: Columns) -> None:
        """Tell a model the columns that it was trained on."""
        model.columns_ = columns

    def save(self, model: Any, path: str, columns: Columns, compact: bool) -> None:
        model.save(path, compact=compact)

    def settings(self, model: Any) -> dict[str, Any]:
        return shown_settings(model.parameters_in_use)

    def told(self, model: Any) -> dict[str, Any]:
        """The settings that somebody set, or that were chosen."""
        return told_settings(model)

    def is_mail(self, model: Any) -> bool:
        """Whether the documents of a fitted model are messages."""
        return bool(model.parameters_in_use["analyzer"] == "mail")

    def n_documents(self, model: Any) -> int:
        return int(model.n_documents_)

    def with_text(self, name: str | None) -> Self:
        """The same: options name the column of the text."""
        return self


def open_fitted(model: ModelLike) -> tuple[Any, Input, str | None]:
    """A fitted model, its kind of input, and the path of its file, if it was given by one."""
    path = fspath(model) if isinstance(model, str | PathLike) else None
    opened: Any = copy(model) if path is None else open_fitted_model(path)
    if isinstance(opened, TextModel):
        opened.check_fitted()
        return opened, TextInput(), path
    from textnb.workflow.table_input import fitted_columns

    return opened, fitted_columns(opened, path or "the model"), path


def remembered_columns(path: str | None) -> Columns:
    """The columns that the model of a file was trained on; without a file, the usual ones."""
    return USUAL_COLUMNS if path is None else table_columns(open_model(path, verify="touched"))
