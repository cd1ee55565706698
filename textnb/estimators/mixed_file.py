"""A mixed model as a model file: its parts one after the other, what each has counted or measured, and its settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from textnb.arrays import Array, SparseRows
from textnb.estimators.categorical import CategoricalNB
from textnb.estimators.count import BernoulliNB, MultinomialNB
from textnb.estimators.gaussian import GaussianNB
from textnb.estimators.mixed import MixedNB
from textnb.estimators.parts import Part, checked_parts
from textnb.estimators.vectorizers import CountVectorizer, TfidfVectorizer
from textnb.model.policy import Label
from textnb.model.predictor import Predictor
from textnb.model.records import from_json, normalized, to_json
from textnb.model.settings import are_labels, constructor_stop_words, lowest_reader, plain_labels
from textnb.model.stored import (
    as_damaged_file_error,
    narrow,
    read_counts,
    read_floats,
    read_log_prior,
    read_totals,
    term_arrays,
    totals_arrays,
)
from textnb.statistics.categories import CategoryCounts, as_objects
from textnb.statistics.counts import ClassCounts
from textnb.statistics.moments import ClassMoments
from textnb.storage import ModelFile, ModelFileError, write_model
from textnb.text.analyzer import Analyzer
from textnb.text.counting import term_table
from textnb.text.features import Features
from textnb.text.limits import Limits
from textnb.text.ngram_terms import terms_from_arrays
from textnb.text.terms import STRING_ARRAYS, Terms, TermTable
from textnb.text.weights import Weighting

# What a header holds


@dataclass(frozen=True, kw_only=True)
class _CountParameters:
    alpha: float | tuple[float, ...]
    force_alpha: bool
    fit_prior: bool
    class_prior: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class _BernoulliParameters(_CountParameters):
    binarize: float | None = None


@dataclass(frozen=True, kw_only=True)
class _CategoricalParameters(_CountParameters):
    unknown: str
    m: float | None = None


@dataclass(frozen=True, kw_only=True)
class _GaussianParameters:
    priors: tuple[float, ...] | None = None
    var_smoothing: float
    ddof: float


class Kind(NamedTuple):
    """A model that a part can end in, and the record of its parameters in a file."""

    model: type
    record: type

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that a file holds."""
        return tuple(field.name for field in fields(self.record))


KINDS = {
    "multinomial": Kind(MultinomialNB, _CountParameters),
    "bernoulli": Kind(BernoulliNB, _BernoulliParameters),
    "categorical": Kind(CategoricalNB, _CategoricalParameters),
    "gaussian": Kind(GaussianNB, _GaussianParameters),
}
TEXT_KINDS = ("multinomial", "bernoulli")
_MOMENTS = ("weight", "observed", "mean", "scatter")
# A mixed model leaves out missing values itself, and without bins the kind of them says nothing.
_NOT_STORED = ("missing", "binning")


@dataclass(frozen=True, kw_only=True)
class _PartSettings:
    """A part; those of text have the settings of their vectorizer too."""

    name: str
    columns: tuple[int, ...]
    factor: float
    model: Literal["multinomial", "bernoulli", "categorical", "gaussian"]
    parameters: dict[str, Any]
    analyzer: Analyzer | None = None
    unknown: Literal["ignore", "token"] | None = None
    weights: Literal["counts", "binary", "tfidf", "log-tfidf"] | None = None
    limits: Limits | None = None

    def __post_init__(self) -> None:
        of_text = (self.analyzer, self.unknown, self.weights, self.limits)
        if any((setting is not None) != self.is_text for setting in of_text):
            raise ValueError(f"part {self.name!r:.60} is of text, or has settings of text, and not both")
        if self.analyzer is not None:
            self.analyzer.check_storable()
        if not self.columns or min(self.columns) < 0 or (self.is_text and len(self.columns) > 1):
            raise ValueError(f"part {self.name!r:.60} has columns {self.columns!r:.60}")
        if self.factor < 0:
            raise ValueError(f"part {self.name!r:.60} has the factor {self.factor}")

    @property
    def is_text(self) -> bool:
        return self.model in TEXT_KINDS

    def new_model(self, statistics: Any) -> Any:
        """The model that follows from statistics."""
        model, record = KINDS[self.model]
        checked: Any = from_json(record, self.parameters, f"part {self.name!r:.60}")
        parameters = {name: _as_list(value) for name, value in vars(checked).items()}
        if not self.is_text:
            parameters["missing"] = "ignore"
        return model(**parameters).set_statistics(statistics)


@dataclass(frozen=True, kw_only=True)
class _Settings:
    """All settings of a mixed model."""

    kind: Literal["mixed"] = "mixed"
    classes: tuple[Label, ...]
    n_columns: int
    parts: tuple[_PartSettings, ...]
    columns: tuple[str, ...] | None = None
    label: str | None = None
    priors: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not are_labels(list(self.classes)):
            raise ValueError("classes must be strings, numbers or booleans, all of one kind, sorted and distinct")
        if self.columns is not None and not len(set(self.columns)) == len(self.columns) == self.n_columns:
            raise ValueError("columns must be different names, as many as there are columns")
        if not self.parts or max(max(part.columns) for part in self.parts) >= self.n_columns:
            raise ValueError("parts are missing, or one has a column that is not there")


# Writing


def save_mixed(model: MixedNB, path: Any, *, label: str | None = None) -> None:
    """Write a fitted mixed model to a file that `textnb.load` and the command line read: data only, no code.

    Its parts may be a vectorizer with a MultinomialNB or BernoulliNB for a column of text, a CategoricalNB, and a
    GaussianNB. `label` is the name of the column that the classes came from, for the command line.
    """
    check_is_fitted(model)
    arrays, parts = {"log_prior": model.class_log_prior_}, []
    for position, part in enumerate(model._parts):
        own, settings = _part_content(part)
        arrays |= {f"part{position}.{name}": array for name, array in own.items()}
        parts.append(settings | {"name": part.name, "columns": part.columns, "factor": part.factor})
    names = getattr(model, "feature_names_in_", None)
    settings = {
        "kind": "mixed",
        "classes": plain_labels(model.classes_),
        "columns": names,
        "n_columns": model.n_features_in_,
        "label": label,
        "priors": model.priors,
        "parts": parts,
    }
    settings = {name: to_json(value) for name, value in settings.items()}
    reader = max(map(lowest_reader, settings["parts"]))
    write_model(path, arrays, normalized(_Settings, settings), reader=reader)


def _part_content(part: Part) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and settings of a fitted part."""
    model, kind = part.model, kind_of(part.model)
    if kind is None or (kind in TEXT_KINDS) != isinstance(part.estimator, Pipeline):
        raise _unsavable(
            part, "a model file holds GaussianNB, CategoricalNB, and a vectorizer with MultinomialNB or BernoulliNB"
        )
    for name, value in model.get_params().items():
        if name not in KINDS[kind].parameters and name not in _NOT_STORED and value is not None:
            raise _unsavable(part, f"a model file does not hold the parameter {name} of {type(model).__name__}")
    settings: dict[str, Any] = {}
    if kind in TEXT_KINDS:
        arrays, settings = _text_content(part, model)
    elif kind == "gaussian":
        arrays = {name: getattr(model.statistics_, name) for name in _MOMENTS}
    else:
        arrays = _category_content(part, model.statistics_)
    given = {name: to_json(getattr(model, name)) for name in KINDS[kind].parameters}
    return arrays, settings | {"model": kind, "parameters": normalized(KINDS[kind].record, given)}


def _text_content(part: Part, model: Any) -> tuple[dict[str, Array], dict[str, Any]]:
    steps = [step for _, step in part.estimator.steps]
    if len(steps) != 2 or type(steps[0]) not in (CountVectorizer, TfidfVectorizer) or not part.one_column:
        raise _unsavable(part, "a pipeline must be a vectorizer of textnb and a model, for one column by its name")
    vectorizer, statistics = steps[0], model.statistics_
    analyzer, weights = vectorizer._analyzer(), weights_name(vectorizer)
    analyzer.check_storable()
    limits = Limits(*(to_json(getattr(vectorizer, name)) for name in ("min_df", "max_df", "max_features")))
    like_stored = _vectorizer_like(analyzer, weights, vectorizer.unknown, limits)
    for name, value in vectorizer.get_params().items():
        if name not in ("n_jobs", "stop_words") and not np.array_equal(value, getattr(like_stored, name)):
            raise _unsavable(part, f"a model file does not hold the parameter {name} of its vectorizer")
    features: Features = vectorizer._features
    totals = statistics.totals
    order = np.arange(totals.shape[0])
    if features.columns is not None:  # set by the user, in an order of its own
        order[: len(features.terms)] = features.columns[: len(features.terms)]
        totals = totals.take_rows(order)
    arrays = {**term_arrays(features.terms), **totals_arrays(totals), "documents": narrow(statistics.documents)}
    if isinstance(vectorizer, TfidfVectorizer):
        arrays["idf"] = vectorizer.idf_[order]
    settings = {"analyzer": analyzer, "unknown": vectorizer.unknown, "weights": weights, "limits": limits}
    return arrays, {name: to_json(value) for name, value in settings.items()}


def _category_content(part: Part, statistics: CategoryCounts) -> dict[str, Array]:
    """One table of counts per column, and its categories as terms unless they are codes from 0 on."""
    arrays = {"documents": narrow(statistics.documents)}
    for j, (categories, counts) in enumerate(zip(statistics.categories, statistics.tables, strict=True)):
        arrays[f"column{j}.counts"] = narrow(counts)
        if categories.dtype.kind == "O":
            strange = [category for category in categories.tolist() if not isinstance(category, str)]
            if strange:
                raise _unsavable(part, f"the category {strange[0]!r} is neither a string nor a code from 0 on")
            terms = term_arrays(Terms.of(categories.tolist()))
            arrays |= {f"column{j}.{name}": array for name, array in terms.items()}
    return arrays


def _unsavable(part: Part, why: str) -> ValueError:
    return ValueError(f"part {part.name!r} cannot be saved: {why}. Change it, or pickle the model.")


# Reading


def mixed_of(file: ModelFile) -> MixedNB:
    """The fitted mixed model of an open model file."""
    with as_damaged_file_error(file, "its settings cannot be understood"):
        settings = from_json(_Settings, file.settings | {"parts": _current_parts(file.settings["parts"])})
    classes, names = np.array(settings.classes), settings.columns
    log_prior = read_log_prior(file, len(classes))
    parts = []
    for part, own in zip(settings.parts, _parts(file, len(settings.parts)), strict=True):
        with as_damaged_file_error(own, f"part {part.name!r:.60} cannot be understood"):
            estimator = _READERS[part.model](own, part, classes)
            parts.append(Part(part.name, estimator, list(part.columns), part.is_text, part.factor))
    with as_damaged_file_error(file, "its parts cannot be understood"):
        model = MixedNB(
            checked_parts([(part.name, clone(part.estimator), _columns(part, names)) for part in parts]),
            priors=_as_list(settings.priors),
            weights={part.name: part.factor for part in parts if part.factor != 1} or None,
        )
    model.classes_, model.class_log_prior_, model._parts = classes, log_prior, parts
    model.n_features_in_ = settings.n_columns
    if names is not None:
        model.feature_names_in_ = as_objects(list(names))
    return model


def _current_parts(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The settings of parts without what files of format 2 say besides."""
    return [{name: value for name, value in part.items() if name != "prior_in_joint"} for part in parts]


@dataclass(frozen=True)
class _PartOfFile:
    """The arrays of a part, which have a prefix in the file."""

    file: ModelFile
    prefix: str
    names: set[str]

    def array(self, name: str) -> Array:
        return self.file.array(f"{self.prefix}.{name}")

    def damaged(self, what: str) -> ModelFileError:
        return self.file.damaged(what)


def _parts(file: ModelFile, n_parts: int) -> Iterator[_PartOfFile]:
    """The parts in their order; the names are divided among them once, since a stranger's file may have many."""
    names: dict[str, set[str]] = {}
    for name in file.names:
        prefix, _, rest = name.partition(".")
        names.setdefault(prefix, set()).add(rest)
    for position in range(n_parts):
        prefix = f"part{position}"
        yield _PartOfFile(file, prefix, names.get(prefix, set()))


def _columns(part: Part, names: tuple[str, ...] | None) -> Any:
    """A part's columns as its constructor takes them."""
    columns = part.columns if names is None else [names[j] for j in part.columns]
    return columns[0] if part.one_column else columns


def _text_estimator(file: _PartOfFile, part: _PartSettings, classes: Array) -> Pipeline:
    assert part.analyzer is not None and part.weights is not None
    assert part.unknown is not None and part.limits is not None
    terms: TermTable = terms_from_arrays(file.array, file.names)
    terms.check()  # type: ignore[attr-defined]
    if not len(terms):
        raise file.damaged("a part of text has no terms")
    shape = (len(terms) + (part.unknown == "token"), len(classes))
    if "totals_lengths" in file.names:
        totals = read_totals(file, *shape)
    else:  # format 2
        totals = SparseRows.of_dense(read_counts(file, "totals", shape, floats=True))
        terms = term_table(terms.strings(), part.analyzer)
    vectorizer = _vectorizer_like(part.analyzer, part.weights, part.unknown, part.limits)
    vectorizer._set_features(Features(terms))
    vectorizer.fixed_vocabulary_ = False
    if isinstance(vectorizer, TfidfVectorizer):
        vectorizer.idf_ = read_floats(file, "idf", shape[:1])
    documents = read_counts(file, "documents", classes.shape, floats=True)
    return make_pipeline(vectorizer, part.new_model(ClassCounts(classes, documents, totals)))


def _categorical_estimator(file: _PartOfFile, part: _PartSettings, classes: Array) -> CategoricalNB:
    categories, tables = [], []
    for j in range(len(part.columns)):
        if any(f"column{j}.{name}" in file.names for name in STRING_ARRAYS):
            terms = terms_from_arrays(lambda name, j=j: file.array(f"column{j}.{name}"), ())  # type: ignore[misc]
            terms.check()
            categories.append(as_objects(terms.strings()))
        else:
            categories.append(np.arange(_number_of_codes(file, f"column{j}.counts", len(classes))))
        tables.append(read_counts(file, f"column{j}.counts", (len(classes), len(categories[j])), floats=True))
    documents = read_counts(file, "documents", classes.shape, floats=True)
    return part.new_model(CategoryCounts(classes, documents, tuple(categories), tuple(tables)))


def _number_of_codes(file: _PartOfFile, name: str, n_classes: int) -> int:
    """How many columns a table of counts has, of which each class has a row: one of no rows could claim any number."""
    shape: tuple[int, ...] = file.array(name).shape
    if len(shape) != 2 or shape[0] != n_classes:
        raise file.damaged(f"array {name!r} is of shape {shape}, and there are {n_classes} classes")
    return shape[1]


def _gaussian_estimator(file: _PartOfFile, part: _PartSettings, classes: Array) -> GaussianNB:
    shapes = {name: (len(classes), len(part.columns)) for name in _MOMENTS} | {"weight": classes.shape}
    moments = {name: read_floats(file, name, shapes[name]) for name in _MOMENTS}
    for name, array in moments.items():
        if name != "mean" and (array < 0).any():
            raise file.damaged(f"array {name!r} has values that cannot be")
    return part.new_model(ClassMoments(classes, **moments))


_READERS = {
    "multinomial": _text_estimator,
    "bernoulli": _text_estimator,
    "categorical": _categorical_estimator,
    "gaussian": _gaussian_estimator,
}


# Vectorizers and models by the names that files have for them


def text_predictor(pipeline: Pipeline) -> Predictor:
    """The text part of a mixed model as a text model."""
    (_, vectorizer), (_, model) = pipeline.steps
    weights = weights_name(vectorizer)
    return Predictor(
        analyzer=vectorizer._analyzer(),
        features=vectorizer._features,
        unknown=vectorizer.unknown == "token",
        weighting=Weighting(weights, vectorizer.idf_ if weights.endswith("tfidf") else None),
        rule=model.rule_,
        log_prior=model.class_log_prior_,
        prior_in_score=True,
        classes=model.classes_,
    )


def kind_of(model: Any) -> str | None:
    """The name that a model has in files, if it can be in one."""
    return next((name for name, kind in KINDS.items() if type(model) is kind.model), None)


def new_vectorizer(weights: str, **options: Any) -> CountVectorizer:
    """A vectorizer with the weights of that name."""
    if weights.endswith("tfidf"):
        return TfidfVectorizer(sublinear_tf=weights == "log-tfidf", **options)
    return CountVectorizer(binary=weights == "binary", **options)


def weights_name(vectorizer: CountVectorizer) -> str:
    """The name of a vectorizer's weights."""
    if isinstance(vectorizer, TfidfVectorizer):
        return "log-tfidf" if vectorizer.sublinear_tf else "tfidf"
    return "binary" if vectorizer.binary else "counts"


def _vectorizer_like(analyzer: Analyzer, weights: str, unknown: str, limits: Limits) -> Any:
    return new_vectorizer(
        weights,
        analyzer=analyzer.kind,
        ngram_range=analyzer.ngrams,
        lowercase=analyzer.lowercase,
        strip_accents=analyzer.strip_accents,
        tokenizer=analyzer.tokenizer,
        token_pattern=analyzer.token_pattern,
        stop_words=constructor_stop_words(analyzer),
        stemmer=analyzer.stemmer,
        unknown=unknown,
        **vars(limits),
    )


def _as_list(value: Any) -> Any:
    """A sequence of numbers as users give it."""
    return list(value) if isinstance(value, tuple) else value
