"""Models of the columns of a table: texts, numbers and categories in one `MixedNB`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from textnb.arrays import Array
from textnb.corpora.corpus import Corpus
from textnb.corpora.labelled import LabelledSources
from textnb.corpora.readers import column_names
from textnb.corpora.rows import ReadOptions
from textnb.estimators.categorical import CategoricalNB
from textnb.estimators.gaussian import GaussianNB
from textnb.estimators.mixed import MixedNB
from textnb.estimators.mixed_file import KINDS, kind_of, new_vectorizer, save_mixed, weights_name
from textnb.estimators.text_model import TextModel
from textnb.model.parameters import CLARITY_SETTINGS
from textnb.model.records import to_json
from textnb.model.settings import Columns
from textnb.statistics.categories import as_objects
from textnb.workflow.inputs import Documents, shown_settings, take
from textnb.workflow.progress import SILENT, Progress
from textnb.workflow.reading import CorpusLike

TABLE_DEFAULTS = {"model": "multinomial", "weights": "counts", "alpha": 1.0, "ngrams": (1, 1)}
SHARED = (  # parameters of vectorizers and text classifiers
    *("analyzer", "unknown", "tokenizer", "stemmer", "lowercase", "strip_accents", "stop_words", "token_pattern"),
    *("min_df", "max_df", "max_features"),
)


@dataclass(frozen=True)
class TableInput:
    """The columns of a `MixedNB`, in its order: texts, numbers, and categories."""

    names: list[str]
    texts: list[str]
    numeric: list[str]

    @property
    def categorical(self) -> list[str]:
        return [name for name in self.names if name not in self.texts and name not in self.numeric]

    @property
    def strings(self) -> list[str]:
        return [name for name in self.names if name not in self.numeric]

    def options(self, options: ReadOptions) -> ReadOptions:
        """What is to be read: texts are columns like others."""
        return replace(options, text=None, columns=self.strings, numeric=self.numeric)

    def documents(self, corpus: Corpus) -> Documents:
        return self.table(corpus.columns)

    def texts_of(self, corpus: Corpus) -> list[str]:
        """The texts that a ledger would know the documents by; of a table without a text, none that it could."""
        return [text or "" for text in corpus.columns[self.texts[0]]] if self.texts else [""] * len(corpus)

    def table(self, columns: Mapping[str, Sequence[Any]]) -> Array:
        """The columns side by side, as a model takes them."""
        return np.column_stack([as_objects(columns[name]) for name in self.names])

    def new_model(self, settings: Mapping[str, Any]) -> Any:
        """A model with one part for each kind of column; `settings` are those of a text classifier."""
        options = {**TABLE_DEFAULTS, **settings}
        for name in ("ledger", "calibrate"):
            options.pop(name, None)
        if options.pop("mail", None) is not None:
            raise ValueError("what is read of messages (--mail) cannot be chosen beside other columns: leave it out")
        for name in (*CLARITY_SETTINGS, "objective", "positive"):
            if options.pop(name, None) is not None:
                option = f"--{name.replace('_', '-')}"
                raise ValueError(f"{option} is for models of text alone: leave it out, or the other columns")
        alpha, ngrams = options.pop("alpha"), options.pop("ngrams")
        text_model = KINDS[options.pop("model")].model(alpha=alpha)
        vectorizer = new_vectorizer(options.pop("weights"), ngram_range=ngrams, **options)
        positions = {name: j for j, name in enumerate(self.names)}
        parts = [
            *[("text", make_pipeline(vectorizer, text_model), positions[name]) for name in self.texts],
            ("categorical", CategoricalNB(alpha=alpha, unknown="smooth"), [positions[j] for j in self.categorical]),
            ("numeric", GaussianNB(), [positions[j] for j in self.numeric]),
        ]
        return MixedNB([part for part in parts if part[2] != []])

    def fit(self, model: Any, corpus: Corpus, documents: Documents, rows: Array, progress: Progress = SILENT) -> None:
        model.fit(take(documents, rows), corpus.labels[rows])

    def name_columns(self, model: Any, columns: Columns) -> None:
        """Tell a model that was fitted on plain tables the names of their columns."""
        model.feature_names_in_ = as_objects(self.names)

    def save(self, model: Any, path: str, columns: Columns, compact: bool) -> None:
        save_mixed(model, path, label=columns.label)

    def settings(self, model: Any) -> dict[str, Any]:
        return part_settings(model, self.names)

    def told(self, model: Any) -> dict[str, Any]:
        return self.settings(model)

    def is_mail(self, model: Any) -> bool:
        return False

    def n_documents(self, model: Any) -> int:
        return int(sum(rows_of_classes(model)))

    def with_text(self, name: str | None) -> TableInput:
        """The same columns, with the text in a column of another name."""
        if name is None or [name] == self.texts:
            return self
        if len(self.texts) != 1:
            raise ValueError(
                f"one column of text was named, and the model has {len(self.texts)} columns of text: leave it out"
            )
        return TableInput([name if old in self.texts else old for old in self.names], [name], self.numeric)


def chosen_columns(
    corpus: CorpusLike, options: ReadOptions, categorical: Sequence[str], numeric: Sequence[str]
) -> TableInput:
    """The columns to learn from: those named, and a column `text` if there is one."""
    if not categorical and not numeric:
        raise ValueError("categorical and numeric columns are given by their names, such as domain and weekday")
    if isinstance(corpus, LabelledSources):
        raise ValueError(f"{corpus} has no columns: categorical and numeric ones are those of a table")
    named = [*([] if options.text is None else [options.text]), options.label, *categorical, *numeric]
    for name in named:
        if named.count(name) > 1:
            raise ValueError(f"column {name!r} is named twice among text, label, categorical and numeric columns")
    text = options.text
    if text is None and "text" not in named:
        known = corpus.columns if isinstance(corpus, Corpus) else column_names(corpus, options.encoding)
        text = "text" if "text" in known else None
    texts = [] if text is None else [text]
    return TableInput([*texts, *categorical, *numeric], texts, list(numeric))


def fitted_columns(model: MixedNB, where: str) -> TableInput:
    """The columns of a fitted model. From then on it takes plain tables, and compares no names of columns."""
    if not isinstance(model, MixedNB):
        raise TypeError(f"expected the path of a model, a TextClassifier or a MixedNB, got {type(model).__name__}")
    check_is_fitted(model)
    names = column_names_of(model, where)
    del model.feature_names_in_

    def of_kind(kind: type) -> list[str]:
        parts = [part for part in model._parts if isinstance(part.estimator, kind)]
        return [names[j] for j in sorted({j for part in parts for j in part.columns})]

    return TableInput(names, of_kind(Pipeline), of_kind(GaussianNB))


def column_names_of(model: MixedNB, where: str) -> list[str]:
    if not hasattr(model, "feature_names_in_"):
        raise ValueError(f"{where} does not name its columns: fit the model on a data frame, and save it again")
    return model.feature_names_in_.tolist()


def rows_of_classes(model: MixedNB) -> list[int | float]:
    """Number of training rows per class; a text part has not seen rows without a text."""
    models = [part.estimator[-1] if isinstance(part.estimator, Pipeline) else part.estimator for part in model._parts]
    rows = np.max([model.class_count_ for model in models], axis=0).tolist()
    return [int(n) if n.is_integer() else n for n in rows]  # sums of weights need not be whole


def part_settings(model: MixedNB, names: list[str]) -> dict[str, Any]:
    """The main settings of each part of a mixed model."""
    parts = []
    for part in model._parts:
        columns = [names[j] for j in part.columns]
        if isinstance(part.estimator, Pipeline):
            shown = shown_settings(as_text_model(part.estimator).get_params())
        else:
            shown = _shown_parameters(part.estimator)
        parts.append({"part": part.name, "columns": columns, **shown})
    return {"model": "mixed", "parts": parts}


def as_text_model(pipeline: Pipeline) -> TextModel:
    """The text classifier with the settings of a text part."""
    vectorizer, model = pipeline[0], pipeline[-1]
    settings: dict[str, Any] = {"model": kind_of(model), "weights": weights_name(vectorizer), "alpha": model.alpha}
    shared = {name: getattr(vectorizer, name) for name in SHARED}
    return TextModel(ngrams=vectorizer.ngram_range, **settings, **shared)


def _shown_parameters(model: Any) -> dict[str, Any]:
    kind = str(kind_of(model))
    defaults = KINDS[kind].model().get_params()
    values = {name: to_json(getattr(model, name)) for name in KINDS[kind].parameters}
    always = ("alpha", "unknown")
    return {"model": kind} | {
        name: value for name, value in values.items() if name in always or value != defaults[name]
    }
