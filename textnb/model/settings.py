"""The settings of a text model in the header of its file: one record, each setting stated once, all checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from textnb.arrays import Array
from textnb.likelihood.clear_terms import check_strength
from textnb.likelihood.families import family
from textnb.model.calibration import Calibration
from textnb.model.learner import Learner
from textnb.model.parameters import (
    AUTO,
    BEST,
    CLARITY_SETTINGS,
    FITTING_SETTINGS,
    UNITS,
    Calibrate,
    Chosen,
    Unknown,
    Weights,
    literature,
)
from textnb.model.policy import Label, Policy
from textnb.model.recipe import Recipe
from textnb.model.records import normalized, to_json
from textnb.storage.header import PLAIN_READER
from textnb.text.analyzer import Analyzer, stop_word_set
from textnb.text.frozen import Reference
from textnb.text.limits import Limits
from textnb.text.tokenize import OWN_TOKENIZERS

COMPACT_READER = 4  # the first version of textnb's readers that knows compact files,
CHOSEN_READER = 5  # and that knows models fitted to documents, our own tokenizers, and analyzers that were chosen
_LARGEST_ALPHA = 1e100
_LARGEST_LABELS = 1 << 25  # characters of all labels, each as wide as the widest


@dataclass(frozen=True)
class Columns:
    """The columns of the tables that a model was trained on."""

    text: str = "text"
    label: str = "label"


USUAL_COLUMNS = Columns()


@dataclass(frozen=True)
class Fitted:
    """What a classifier was fitted with beyond what its learner knows. It stays while a model learns and forgets."""

    calibrate: Calibrate = False
    ledger: bool | None = None
    given_vocabulary: bool = False
    auto: tuple[str, ...] = ()  # the names of the parameters that fit has chosen; the recipe has their values
    left_out: tuple[str, ...] = ()  # the names of those that were not given, and that the next fit may choose
    calibration: Calibration | None = None
    policy: Policy | None = None
    columns: Columns = USUAL_COLUMNS

    def kept(self, before: Array, after: Array) -> Fitted:
        """The same where the classes have become others."""
        calibration = self.calibration
        if calibration is None:
            return self
        return replace(self, calibration=calibration.kept(before.tolist(), after.tolist()))


def merged_record(parts: Sequence[Fitted], *, has_ledger: bool) -> tuple[Fitted, tuple[str, ...]]:
    """What is said of models that were added up, in whatever order; and what of it was dropped, by name.

    Calibration and policy belong together, since a threshold is one on calibrated scores: where the models differ in
    one of them, neither says anything about their sum. What all have left to choice, or chosen, remains that.
    """
    first, *others = parts
    columns = {part.columns for part in parts} - {USUAL_COLUMNS}
    merged = replace(
        first,
        calibrate=all(part.calibrate for part in parts),
        ledger=first.ledger if all(part.ledger == first.ledger for part in others) else has_ledger,
        given_vocabulary=all(part.given_vocabulary for part in parts),
        auto=tuple(sorted(set(first.auto).intersection(*(part.auto for part in others)))),
        left_out=tuple(sorted(set(first.left_out).intersection(*(part.left_out for part in others)))),
        columns=columns.pop() if len(columns) == 1 else USUAL_COLUMNS,
    )
    if all((part.calibration, part.policy) == (first.calibration, first.policy) for part in others):
        return merged, ()
    dropped = tuple(name for name in ("calibration", "policy") if any(getattr(part, name) for part in parts))
    return replace(merged, calibration=None, policy=None), dropped


def dropped_in_merge(names: Sequence[str]) -> str:
    """What is said where calibration and policy of models did not survive their sum."""
    left = {"calibration": "probabilities are those of the raw model", "policy": "the most probable class is named"}
    return (
        f"dropped, because the models differ: {' and '.join(names)}; "
        f"now {', and '.join(left[name] for name in names)}. "
        "Training on all documents makes new ones (textnb train; --protect, --cost and --unsure for a policy)"
    )


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of a text model."""

    kind: Literal["text"] = "text"
    rule: str
    classes: tuple[Label, ...]
    n_documents: int
    analyzer: Analyzer
    model: str
    weights: Weights
    alpha: float
    unknown: Unknown
    min_df: int | float
    max_df: int | float
    max_features: int | None = None
    fit_prior: bool
    class_prior: tuple[float, ...] | None = None
    norm: bool
    pruned: bool
    reference: Reference | None = None
    vocabulary: Literal["given", "fixed", "growing"]
    calibrate: Calibrate
    ledger: bool | None = None
    auto: tuple[Chosen, ...]
    left_out: tuple[Chosen, ...] | None = None
    calibration: Calibration | None = None
    policy: Policy | None = None
    compact: bool | None = None  # whether the file has only what prediction needs
    columns: Columns | None = None  # where they are not the usual ones
    assumed: float | None = None  # of families of clear terms, as the next two
    min_deviation: float | None = None
    most_terms: int | None = None
    C: float | None = None  # of families that are fitted to documents, as the next
    beta: float | None = None

    def __post_init__(self) -> None:
        if not are_labels(list(self.classes)):
            raise ValueError("classes must be strings, numbers or booleans, all of one kind, sorted and distinct")
        if self.rule != family(self.model).rule_kind:
            raise ValueError(f"rule is {self.rule!r:.60}, which a {self.model} model does not have")
        if self.n_documents < 0:
            raise ValueError(f"n_documents is {self.n_documents}")
        if not 0 <= self.alpha < _LARGEST_ALPHA:
            raise ValueError(f"alpha is {self.alpha}")
        self.analyzer.check_storable()
        reference, policy, calibration = self.reference, self.policy, self.calibration
        if reference is not None and not 0 <= reference.unknown_frequency <= reference.n_documents:
            raise ValueError(f"reference is {reference}")
        if policy is not None and (policy.protected is None) != (policy.threshold is None):
            raise ValueError("policy: a protected class and its threshold come together")
        own = () if calibration is None or calibration.labels is not None else ("offsets", "mix")
        for name in own:
            values = getattr(calibration, name)
            if values and len(values) != len(self.classes):
                raise ValueError(f"calibration.{name} are {len(values)} for {len(self.classes)} classes")
        if len(set(self.auto)) < len(self.auto):
            raise ValueError(f"auto is {self.auto}")
        self._check_clarity()
        self._check_fitting()
        self._check_left_out()
        self.recipe()

    def _check_clarity(self) -> None:
        """What says which terms are clear is there for the families that need it, and for no other."""
        needed = family(self.model).clarity is not None
        if needed:
            check_strength(self.alpha)
        for name in ("assumed", "min_deviation"):
            if needed != (getattr(self, name) is not None):
                raise ValueError(f"{name} is {getattr(self, name)} in a {self.model} model")
        if not needed and self.most_terms is not None:
            raise ValueError(f"most_terms is {self.most_terms} in a {self.model} model")

    def _check_fitting(self) -> None:
        """C and beta are there for the families that need them, and for no other; their vocabulary does not grow."""
        needed = family(self.model).fitted_to_documents
        for name in FITTING_SETTINGS:
            if needed != (getattr(self, name) is not None):
                raise ValueError(f"{name} is {getattr(self, name)} in a {self.model} model")
        if not needed and set(FITTING_SETTINGS) & {*self.auto, *(self.left_out or ())}:
            raise ValueError(f"auto is {self.auto} in a {self.model} model")
        if needed and self.vocabulary == "growing":
            raise ValueError(f"vocabulary is growing in a {self.model} model")

    def _check_left_out(self) -> None:
        """What was left out was chosen, or is the literature's."""
        names = self.left_out or ()
        if len(set(names)) < len(names):
            raise ValueError(f"left_out is {names}")
        usual = literature({"analyzer": self.analyzer.kind, "model": None})
        fitting = family(self.model).fitting
        if fitting is not None:
            usual = literature({"analyzer": self.analyzer.kind, "model": self.model}) | {
                "C": fitting.C,
                "beta": fitting.beta,
            }
        values = {name: self.analyzer.ngrams if name == "ngrams" else getattr(self, name) for name in usual}
        for name, value in values.items():
            by_literature = name in names and name not in self.auto
            if by_literature and repr(value) != repr(usual[name]):  # 1 is one document, 1.0 all of them
                raise ValueError(f"{name} was left out, and is {value!r:.60}")

    def recipe(self) -> Recipe:
        return Recipe(
            analyzer=self.analyzer,
            model=self.model,
            weights=self.weights,
            unknown=self.unknown == "token",
            limits=Limits(self.min_df, self.max_df, self.max_features),
            alpha=self.alpha,
            fit_prior=self.fit_prior,
            class_prior=None if self.class_prior is None else list(self.class_prior),
            norm=self.norm,
            **{name: getattr(self, name) for name in (*CLARITY_SETTINGS, *FITTING_SETTINGS)},
        )

    def fitted(self) -> Fitted:
        given = self.vocabulary == "given"
        columns, left_out = self.columns or USUAL_COLUMNS, self.left_out or ()
        return Fitted(self.calibrate, self.ledger, given, self.auto, left_out, self.calibration, self.policy, columns)

    def parameters(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The parameters of the classifier, without its vocabulary, and what was chosen for those left to choice."""
        analyzer = self.analyzer
        parameters = {name: getattr(self, name) for name in _PARAMETERS}
        parameters |= {name: getattr(analyzer, name) for name in _ANALYZER_PARAMETERS}
        parameters |= {
            "analyzer": analyzer.kind,
            "stop_words": constructor_stop_words(analyzer),
            "class_prior": self.recipe().class_prior,
        }
        chosen: dict[str, Any] = {name: parameters[name] for name in self.auto}
        opened: dict[str, str] = dict.fromkeys(self.auto, AUTO)
        if "model" in opened and family(self.model).fitted_to_documents:
            opened["model"] = BEST  # which alone chooses among those
        if analyzer.kind == "word" and {"ngrams", "min_df"} <= {*self.auto, *(self.left_out or ())}:
            parameters["analyzer"] = None  # the next fit may choose another
        return parameters | opened | dict.fromkeys(self.left_out or ()), chosen


_PARAMETERS = (
    *("model", "weights", "alpha", "unknown", "min_df", "max_df", "max_features", "fit_prior", "norm"),
    *("calibrate", "ledger"),
    *CLARITY_SETTINGS,
    *FITTING_SETTINGS,
)
_ANALYZER_PARAMETERS = ("ngrams", "lowercase", "strip_accents", "tokenizer", "token_pattern", "stemmer", "mail")


def settings_json(learner: Learner, fitted: Fitted) -> dict[str, Any]:
    """The settings of a file; a ValueError for what no file can hold."""
    recipe, counts = learner.recipe, learner.counts
    recipe.analyzer.check_storable()
    vocabulary = "given" if fitted.given_vocabulary else "fixed" if counts.fixed else "growing"
    stated = {
        "kind": "text",
        "rule": recipe.family.rule_kind,
        "classes": plain_labels(counts.classes),
        "n_documents": counts.n_documents,
        "pruned": learner.pruned,
        "vocabulary": vocabulary,
        "unknown": "token" if recipe.unknown else "ignore",
    }
    names = ("analyzer", "model", "weights", "alpha", "fit_prior", "norm")
    stated |= {name: to_json(getattr(recipe, name)) for name in names}
    stated |= to_json(recipe.limits) | {"calibrate": fitted.calibrate, "auto": sorted(fitted.auto)}
    optional = {
        "class_prior": recipe.class_prior,
        "reference": learner.reference,
        "ledger": fitted.ledger,
        "left_out": sorted(fitted.left_out) or None,
        "calibration": fitted.calibration,
        "policy": fitted.policy,
        "columns": None if fitted.columns == USUAL_COLUMNS else fitted.columns,
        **recipe.clarity,
        **recipe.fitting,
    }
    stated |= {name: to_json(value) for name, value in optional.items() if value is not None}
    checked: dict[str, Any] = normalized(Settings, stated)
    return checked


def lowest_reader(settings: Mapping[str, Any]) -> int:
    """The lowest version of textnb's readers that understands a file of these settings."""
    analyzer = settings.get("analyzer") or {}
    is_fitted = settings.get("rule") == "fitted"
    if is_fitted or analyzer.get("tokenizer") in OWN_TOKENIZERS or set(UNITS) & set(settings.get("auto", ())):
        return CHOSEN_READER
    return COMPACT_READER if settings.get("compact") else PLAIN_READER


def are_labels(labels: list[Any]) -> bool:
    """One or more strings, numbers or booleans, all of one kind and in ascending order, together of moderate size."""
    return (
        len({type(label) for label in labels}) == 1
        and isinstance(labels[0], str | int | float)
        and all(a < b for a, b in pairwise(labels))
        and len(labels) * max(len(label) if isinstance(label, str) else 1 for label in labels) <= _LARGEST_LABELS
        and np.array(labels).tolist() == labels  # numpy drops a NUL at the end
    )


def plain_labels(classes: Array) -> list[Any]:
    labels: list[Any] = classes.tolist()
    if not are_labels(labels):
        raise ValueError(
            f"only strings, numbers and booleans can be saved as class labels, got {labels[:3]!r:.200}: all of one "
            "kind, and no NUL at the end"
        )
    return labels


def constructor_stop_words(analyzer: Analyzer) -> str | list[str] | None:
    """As a constructor takes them: the list named "english" by its name."""
    if analyzer.stop_words is None:
        return None
    return "english" if analyzer.stop_words == stop_word_set("english") else sorted(analyzer.stop_words)
