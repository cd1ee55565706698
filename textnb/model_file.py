"""A predictor as a model file: arrays in the order of the sorted terms, and settings, all checked on the way in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import NoneType, UnionType
from typing import Any

import numpy as np

from textnb.decision import Calibration
from textnb.likelihood.rules import Impossible, LinearRule
from textnb.policy import Policy
from textnb.predictor import Predictor
from textnb.storage import ModelFile, open_model
from textnb.text.analyzer import Analyzer
from textnb.text.rows import Array
from textnb.text.term_index import TermIndex, TermSubset, build_term_arrays
from textnb.text.weights import WEIGHTINGS, Weighting

TERM_ARRAYS = ("terms", "offsets", "hashes", "order")
_ANALYZER_KINDS: dict[str, type | UnionType] = {
    "kind": str,
    "ngrams": list,
    "lowercase": bool,
    "strip_accents": str | None,
    "preprocessor": NoneType,
    "tokenizer": str | None,
    "token_pattern": str | None,
    "stop_words": list | None,
    "stemmer": str | None,
}


def open_predictor(path: Any) -> Predictor:
    """The predictor of a model file, of which only what is touched is read and verified."""
    return predictor_of(open_model(path, verify="touched"))


def file_columns(predictor: Predictor) -> Array:
    """The predictor's columns in the order of the file: terms sorted, `<UNK>` last."""
    terms = predictor.vocabulary.terms()
    by_term = sorted(range(len(terms)), key=terms.__getitem__)
    return np.array([*by_term, *range(len(terms), predictor.n_columns)], dtype=np.int64)


def file_parts(predictor: Predictor, columns: Array) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and settings of a model file that prediction needs."""
    settings = {
        "analyzer": predictor.analyzer.to_settings(),
        "classes": plain_labels(predictor.classes),
        "prior_in_joint": predictor.prior_in_joint,
        "unknown": "token" if predictor.unknown else "ignore",
        "weights": predictor.weighting.name,
    }
    names = predictor.column_names()
    terms = build_term_arrays([names[j] for j in columns[: len(predictor.vocabulary)]])
    return {**terms, **rule_arrays(predictor.rule, predictor.log_prior, predictor.weighting.idf, columns)}, settings


def rule_arrays(rule: LinearRule, log_prior: Array, idf: Any, columns: Any = slice(None)) -> dict[str, Array]:
    """The arrays of a model file that a rule takes, its columns in this order."""
    arrays = {"coef": np.asarray(rule.weights)[columns], "intercept": rule.intercept, "log_prior": log_prior}
    if idf is not None:
        arrays["idf"] = np.asarray(idf)[columns]
    if rule.impossible is not None:
        arrays["impossible"] = np.asarray(rule.impossible.signs)[columns].astype(np.int32)
        arrays["required"] = rule.impossible.required.astype(np.int64)
    return arrays


def predictor_of(file: ModelFile, *, whole: bool = False) -> Predictor:
    """The predictor of an open model file: its arrays as plain arrays, or read and verified where they are touched."""
    settings = checked_settings(file)
    tables = _Tables(file, whole)
    unknown: bool = settings["unknown"] == "token"
    index = _term_index(file, tables)
    shape = (len(index) + unknown, len(settings["classes"]))
    impossible = None
    if "impossible" in file.names:
        impossible = Impossible(tables.table("impossible", shape, "<i4"), tables.array("required", shape[1:], "<i8"))
    return Predictor(
        analyzer=analyzer_of(file, settings["analyzer"]),
        vocabulary=index,
        unknown=unknown,
        weighting=Weighting(
            settings["weights"], tables.table("idf", shape[:1]) if settings["weights"].endswith("tfidf") else None
        ),
        rule=LinearRule(tables.table("coef", shape), tables.array("intercept", shape[1:]), impossible),
        log_prior=tables.array("log_prior", shape[1:]),
        prior_in_joint=settings["prior_in_joint"],
        classes=np.array(settings["classes"]),
        calibration=calibration_of(file),
        policy=policy_of(file),
    )


def calibration_of(file: ModelFile) -> Calibration | None:
    """The calibration of a model, if it has one."""
    settings = file.settings.get("calibration")
    try:
        return None if settings is None else Calibration.from_settings(settings, len(file.settings["classes"]))
    except (TypeError, ValueError) as error:
        raise file.damaged(f"its calibration cannot be understood ({error})") from None


def policy_of(file: ModelFile) -> Policy | None:
    """How a model decides, if it says so."""
    settings = file.settings.get("policy")
    try:
        return None if settings is None else Policy.from_settings(settings)
    except (TypeError, ValueError) as error:
        raise file.damaged(f"its policy cannot be understood ({error})") from None


class _Tables:
    """The arrays of a file, refused if they are not of the form expected."""

    def __init__(self, file: ModelFile, whole: bool) -> None:
        self.file = file
        self.fetch: Callable[[str], Any] = file.array if whole else file.lazy

    def table(self, name: str, shape: tuple[int, ...], dtype: str = "<f8") -> Any:
        found = self.fetch(name)
        check_form(self.file, name, found, shape, dtype)
        if isinstance(found, np.ndarray):
            self.check_finite(name, found)
        return found

    def array(self, name: str, shape: tuple[int, ...], dtype: str = "<f8") -> Array:
        found = np.asarray(self.table(name, shape, dtype))
        self.check_finite(name, found)
        return found

    def check_finite(self, name: str, array: Array) -> None:
        if name == "log_prior":  # −∞ is that of a class without documents
            array = np.exp(array)
        if not np.isfinite(array).all():
            raise self.file.damaged(f"array {name!r} has values that are no finite numbers")


def _term_index(file: ModelFile, tables: _Tables) -> TermIndex:
    arrays = {name: tables.fetch(name) for name in TERM_ARRAYS}
    try:
        if "columns" in file.names:  # the limits leave some terms out
            n_columns = len(tables.fetch("coef")) - (file.settings["unknown"] == "token")
            return TermSubset(tables.fetch("columns"), n_columns, **arrays)
        return TermIndex(**arrays)
    except ValueError as error:
        raise file.damaged(str(error).rstrip(".")) from None


def check_form(file: ModelFile, name: str, array: Any, shape: tuple[int, ...], dtype: str) -> None:
    if tuple(array.shape) != shape or array.dtype != np.dtype(dtype):
        raise file.damaged(f"array {name!r} is {array.dtype} of shape {tuple(array.shape)}, not {dtype} of {shape}")


def checked_settings(file: ModelFile) -> dict[str, Any]:
    """The settings that prediction relies on, each of its kind."""
    settings = file.settings
    checks = {
        "analyzer": isinstance(settings.get("analyzer"), dict),
        "classes": are_labels(settings.get("classes")),
        "prior_in_joint": isinstance(settings.get("prior_in_joint"), bool),
        "unknown": settings.get("unknown") in ("ignore", "token"),
        "weights": settings.get("weights") in WEIGHTINGS,
    }
    for name, right in checks.items():
        if not right:
            raise file.damaged(f"its setting {name!r} is missing or wrong")
    return settings


def are_labels(labels: Any) -> bool:
    """One or more strings, numbers or booleans, all of one kind and in ascending order."""
    return (
        isinstance(labels, list)
        and len({type(label) for label in labels}) == 1
        and isinstance(labels[0], str | int | float)
        and all(a < b for a, b in pairwise(labels))
        and np.array(labels).tolist() == labels  # numpy drops a NUL at the end
    )


def plain_labels(classes: Array) -> list[Any]:
    labels = classes.tolist()
    if not are_labels(labels):
        raise ValueError(
            f"only strings, numbers and booleans can be saved as class labels, got {labels[:3]!r}: all of one kind, "
            "and no NUL at the end"
        )
    return labels


def analyzer_of(file: ModelFile, settings: dict[str, Any]) -> Analyzer:
    for name, kinds in _ANALYZER_KINDS.items():
        if not isinstance(settings.get(name), kinds):
            raise file.damaged(f"its analyzer cannot be understood ({name} is {settings.get(name)!r:.60})")
    try:
        analyzer = Analyzer.from_settings(settings)
        if analyzer.tokenizer is None:
            analyzer.tokenize("")  # its pattern may be none
        return analyzer
    except (TypeError, ValueError, KeyError) as error:
        raise file.damaged(f"its analyzer cannot be understood ({error})") from None
