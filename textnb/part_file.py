"""The parts of a mixed model in a model file: what they have counted or measured, and their settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import UnionType
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline

from textnb.model_file import TERM_ARRAYS, check_form, file_columns, file_parts, predictor_of
from textnb.models.count import BernoulliNB, MultinomialNB
from textnb.models.parts import Part
from textnb.models.tabular import CategoricalNB, GaussianNB
from textnb.predictor import Predictor
from textnb.statistics.categories import CategoryCounts, as_objects
from textnb.statistics.counts import ClassCounts
from textnb.statistics.moments import ClassMoments
from textnb.storage import ModelFile, ModelFileError
from textnb.text.analyzer import Analyzer
from textnb.text.learning import Limits
from textnb.text.rows import Array
from textnb.text.stop_words import stop_word_set
from textnb.text.term_index import TermIndex, build_term_arrays, check_term_arrays
from textnb.text.vectorizers import CountVectorizer, TfidfVectorizer
from textnb.text.weights import Weighting


class Kind(NamedTuple):
    """A model that a part can end in, and those of its parameters that a file holds."""

    model: type
    parameters: dict[str, type | UnionType]


_SMOOTHED: dict[str, type | UnionType] = {
    "alpha": int | float | list,
    "force_alpha": bool,
    "fit_prior": bool,
    "class_prior": list | None,
}
KINDS = {
    "multinomial": Kind(MultinomialNB, _SMOOTHED),
    "bernoulli": Kind(BernoulliNB, _SMOOTHED | {"binarize": int | float | None}),
    "categorical": Kind(CategoricalNB, _SMOOTHED | {"unknown": str, "m": int | float | None}),
    "gaussian": Kind(GaussianNB, {"priors": list | None, "var_smoothing": int | float, "ddof": int | float}),
}
TEXT_KINDS = ("multinomial", "bernoulli")
_MOMENTS = ("weight", "observed", "mean", "scatter")
_LIMITS = ("min_df", "max_df", "max_features")
# A mixed model leaves out missing values itself, and without bins the kind of them says nothing.
_NOT_STORED = ("missing", "binning")


def part_content(part: Part) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and settings of a fitted part."""
    model = part.estimator.steps[-1][1] if isinstance(part.estimator, Pipeline) else part.estimator
    kind = kind_of(model)
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
    parameters = {name: plain(getattr(model, name)) for name in KINDS[kind].parameters}
    return arrays, settings | {"model": kind, "parameters": parameters}


def part_estimator(file: ModelFile, classes: Array, n_columns: int) -> Any:
    """The fitted estimator of a part of so many columns, from its own arrays and settings."""
    kind = file.settings.get("model")
    if not isinstance(kind, str) or kind not in KINDS:
        raise file.damaged(f"it has a part of the unknown kind {kind!r:.60}")
    with understood(file, f"a {kind} part"):
        if kind in TEXT_KINDS:
            return _text_estimator(file, kind, classes)
        count = _moments if kind == "gaussian" else _category_counts
        return _new_model(file, kind, missing="ignore").set_statistics(count(file, classes, n_columns))


def text_predictor(pipeline: Pipeline) -> Predictor:
    """The text part of a mixed model as a text model."""
    (_, vectorizer), (_, model) = pipeline.steps
    weights = weights_name(vectorizer)
    return Predictor(
        analyzer=vectorizer._analyzer(),
        vocabulary=vectorizer._vocabulary,
        unknown=vectorizer.unknown == "token",
        weighting=Weighting(weights, vectorizer.idf_ if weights.endswith("tfidf") else None),
        rule=model.rule_,
        log_prior=model.class_log_prior_,
        prior_in_joint=True,
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


def plain(value: Any) -> Any:
    """A parameter as JSON has it."""
    return np.asarray(value).tolist() if isinstance(value, np.ndarray | np.generic | tuple | list) else value


@contextmanager
def understood(file: ModelFile, what: str) -> Iterator[None]:
    """Whatever an estimator does not accept is damage of the file."""
    try:
        yield
    except ModelFileError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise file.damaged(f"{what} cannot be understood ({error})") from None


# Text


def _text_content(part: Part, model: Any) -> tuple[dict[str, Array], dict[str, Any]]:
    steps = [step for _, step in part.estimator.steps]
    if len(steps) != 2 or type(steps[0]) not in (CountVectorizer, TfidfVectorizer) or not part.one_column:
        raise _unsavable(part, "a pipeline must be a vectorizer of textnb and a model, for one column by its name")
    vectorizer = steps[0]
    limits = {name: plain(getattr(vectorizer, name)) for name in _LIMITS}
    stored = _vectorizer_like(vectorizer._analyzer(), weights_name(vectorizer), vectorizer.unknown, limits)
    for name, value in vectorizer.get_params().items():
        if name not in ("n_jobs", "stop_words") and not np.array_equal(value, getattr(stored, name)):
            raise _unsavable(part, f"a model file does not hold the parameter {name} of its vectorizer")
    predictor = text_predictor(part.estimator)
    columns = file_columns(predictor)
    arrays, text = file_parts(predictor, columns)
    arrays["totals"] = model.statistics_.totals.T[columns]
    arrays["documents"] = model.statistics_.documents
    del text["classes"]  # which all parts have in common
    return arrays, text | {"limits": limits}


def _text_estimator(file: ModelFile, kind: str, classes: Array) -> Pipeline:
    predictor = predictor_of(file, whole=True)
    limits = file.settings.get("limits")
    if not isinstance(limits, dict) or limits.keys() != set(_LIMITS) or not len(predictor.vocabulary):
        raise file.damaged("a text part has no terms, or no limits of them")
    Limits(**limits)
    check_term_arrays(*map(file.array, TERM_ARRAYS))
    unknown = "token" if predictor.unknown else "ignore"
    vectorizer = _vectorizer_like(predictor.analyzer, predictor.weighting.name, unknown, limits)
    terms = predictor.vocabulary.terms()
    vectorizer.vocabulary_, vectorizer.fixed_vocabulary_ = dict(zip(terms, range(len(terms)), strict=True)), False
    if isinstance(vectorizer, TfidfVectorizer):
        vectorizer.idf_ = np.asarray(predictor.weighting.idf)
    documents = _counts(file, "documents", classes.shape)
    totals = _counts(file, "totals", (predictor.n_columns, len(classes)))
    model = _new_model(file, kind).set_statistics(ClassCounts(classes, documents, totals.T))
    model.rule_ = predictor.rule  # logarithms may differ in the last digit on another machine
    return make_pipeline(vectorizer, model)


def _vectorizer_like(analyzer: Analyzer, weights: str, unknown: str, limits: dict[str, Any]) -> Any:
    return new_vectorizer(
        weights,
        analyzer=analyzer.kind,
        ngram_range=analyzer.ngrams,
        lowercase=analyzer.lowercase,
        strip_accents=analyzer.strip_accents,
        tokenizer=analyzer.tokenizer,
        token_pattern=analyzer.token_pattern,
        stop_words=_stop_words(analyzer),
        stemmer=analyzer.stemmer,
        unknown=unknown,
        **limits,
    )


def _stop_words(analyzer: Analyzer) -> str | list[str] | None:
    if analyzer.stop_words is None:
        return None
    return "english" if analyzer.stop_words == stop_word_set("english") else sorted(analyzer.stop_words)


# Categories and numbers


def _category_content(part: Part, statistics: CategoryCounts) -> dict[str, Array]:
    """A table of counts a column, and its categories as terms unless they are codes from 0 on."""
    arrays = {"documents": statistics.documents}
    for j, (categories, counts) in enumerate(zip(statistics.categories, statistics.tables, strict=True)):
        arrays[f"column{j}.counts"] = counts
        if categories.dtype.kind == "O":
            strange = [category for category in categories.tolist() if not isinstance(category, str)]
            if strange:
                raise _unsavable(part, f"the category {strange[0]!r} is neither a string nor a code from 0 on")
            terms = build_term_arrays(categories.tolist())
            arrays |= {f"column{j}.{name}": array for name, array in terms.items()}
    return arrays


def _category_counts(file: ModelFile, classes: Array, n_columns: int) -> CategoryCounts:
    categories, tables = [], []
    for j in range(n_columns):
        if any(f"column{j}.{name}" in file.names for name in TERM_ARRAYS):
            terms = [file.array(f"column{j}.{name}") for name in TERM_ARRAYS]
            check_term_arrays(*terms)
            categories.append(as_objects(TermIndex(*terms).terms()))
        else:
            categories.append(np.arange(file.array(f"column{j}.counts").shape[-1]))
        tables.append(_counts(file, f"column{j}.counts", (len(classes), len(categories[j]))))
    documents = _counts(file, "documents", classes.shape)
    return CategoryCounts(classes, documents, tuple(categories), tuple(tables))


def _moments(file: ModelFile, classes: Array, n_columns: int) -> ClassMoments:
    shapes = {name: (len(classes), n_columns) for name in _MOMENTS} | {"weight": classes.shape}
    moments = {name: file.array(name) for name in _MOMENTS}
    for name, array in moments.items():
        check_form(file, name, array, shapes[name], "<f8")
        if not np.isfinite(array).all() or (name != "mean" and (array < 0).any()):
            raise file.damaged(f"array {name!r} has values that cannot be")
    return ClassMoments(classes, **moments)


def _counts(file: ModelFile, name: str, shape: tuple[int, ...]) -> Array:
    array = file.array(name)
    check_form(file, name, array, shape, "<f8" if array.dtype.kind == "f" else "<i8")
    if not np.isfinite(array).all() or (array < 0).any():
        raise file.damaged(f"array {name!r} has negative or infinite counts")
    return array


def _new_model(file: ModelFile, kind: str, **more: Any) -> Any:
    parameters = file.settings.get("parameters")
    model, known = KINDS[kind]
    if not isinstance(parameters, dict) or parameters.keys() != known.keys():
        raise file.damaged("its setting 'parameters' of a part is missing or wrong")
    for name, value in parameters.items():
        if not isinstance(value, known[name]):
            raise file.damaged(f"the parameter {name} of a part is {value!r:.60}")
    return model(**parameters, **more)


def _unsavable(part: Part, why: str) -> ValueError:
    return ValueError(f"part {part.name!r} cannot be saved: {why}. Change it, or pickle the model.")
