"""How documents are counted, and how a rule is derived from their counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.likelihood.families import NAMES_OF_CLEAR_TERMS, NAMES_OF_FITTED, Family, family
from textnb.model.parameters import CLARITY_SETTINGS, FITTING_SETTINGS
from textnb.text.analyzer import Analyzer
from textnb.text.limits import Limits

_LARGEST_C = 1e10


@dataclass(frozen=True, eq=False)
class Recipe:
    """The settings of a text model, checked."""

    analyzer: Analyzer
    model: str
    weights: str
    unknown: bool
    limits: Limits
    alpha: float | Array
    fit_prior: bool
    class_prior: Any
    norm: bool
    n_jobs: int | None = None
    assumed: float | None = None  # None where the family has no such setting, and so the next two
    min_deviation: float | None = None
    most_terms: int | None = None
    C: float | None = None  # of families that are fitted to documents, and so the next
    beta: float | None = None

    def __post_init__(self) -> None:
        """Settings that say which terms are clear are the family's where they are not given, and checked."""
        clarity = family(self.model).clarity
        for name in CLARITY_SETTINGS:
            if clarity is None and getattr(self, name) is not None:
                raise ValueError(f"{name} is for {NAMES_OF_CLEAR_TERMS}: leave it out, or choose one of these models")
            if clarity is not None and getattr(self, name) is None:
                object.__setattr__(self, name, getattr(clarity, name))
        fitting = family(self.model).fitting
        for name in FITTING_SETTINGS:
            if fitting is None and getattr(self, name) is not None:
                raise ValueError(f"{name} is for {NAMES_OF_FITTED}: leave it out, or choose one of these models")
            if fitting is not None and getattr(self, name) is None:
                object.__setattr__(self, name, getattr(fitting, name))
        check_fitting(self.C, self.beta)
        self.family  # noqa: B018  (which checks them)

    @classmethod
    def of(cls, analyzer: Analyzer, parameters: Mapping[str, Any]) -> Recipe:
        """From an analyzer and the parameters of a classifier."""
        return cls(
            analyzer=analyzer,
            unknown=parameters["unknown"] == "token",
            limits=Limits(parameters["min_df"], parameters["max_df"], parameters["max_features"]),
            **{
                name: parameters[name]
                for name in (
                    "model",
                    "weights",
                    "alpha",
                    "fit_prior",
                    "class_prior",
                    "norm",
                    "n_jobs",
                    *CLARITY_SETTINGS,
                    *FITTING_SETTINGS,
                )
            },
        )

    @property
    def family(self) -> Family:
        """The family, with the settings that say which terms are clear."""
        found = family(self.model)
        return found if found.clarity is None else found.with_clarity(**self.clarity)

    @property
    def clarity(self) -> dict[str, Any]:
        """The settings that say which terms are clear, by name; all None for families that have none."""
        return {name: getattr(self, name) for name in CLARITY_SETTINGS}

    @property
    def fitting(self) -> dict[str, Any]:
        """C and beta by name; both None for families that are derived from counts."""
        return {name: getattr(self, name) for name in FITTING_SETTINGS}

    @property
    def weighting(self) -> str:
        """The weights in use: those asked for, if the family takes them."""
        return self.family.weighting(self.weights)

    @property
    def is_tfidf(self) -> bool:
        return self.weighting.endswith("tfidf")

    @property
    def needs_reference(self) -> bool:
        """Whether what a document adds depends on others: on idf, or on which words count as unknown.

        Of plain counts, unknown words are counted when the rule is derived.
        """
        return self.is_tfidf or (self.weighting == "binary" and self.unknown)

    def differences(self, other: Recipe) -> dict[str, tuple[Any, Any]]:
        """The settings in which two recipes differ, each with both values. The number of threads does not count."""
        theirs = other._settings()
        both = {name: (mine, theirs[name]) for name, mine in self._settings().items()}
        return {name: values for name, values in both.items() if _differ(name, *values)}

    def _settings(self) -> dict[str, Any]:
        """By the names that users know them by."""
        parts = (self, self.analyzer, self.limits)
        settings = {field.name: getattr(part, field.name) for part in parts for field in fields(part)}
        settings["analyzer"] = settings.pop("kind")
        return {name: value for name, value in settings.items() if name not in ("limits", "n_jobs")}


def check_fitting(C: Any, beta: Any) -> None:
    """Refuse a C that is not above 0 and a beta that is no share; None is neither."""
    for name, value in (("C", C), ("beta", beta)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
            raise ValueError(f"{name} must be a number, or 'auto', got {value!r}")
    if C is not None and not 0 < C <= _LARGEST_C:
        raise ValueError(f"C must be a number above 0, and at most 1e10, got {C!r}")
    if beta is not None and not 0 <= beta <= 1:
        raise ValueError(f"beta must be a number from 0 to 1, got {beta!r}")


def _differ(name: str, mine: Any, theirs: Any) -> bool:
    if mine is theirs:
        return False
    of_other_kinds = name in ("min_df", "max_df") and isinstance(mine, float) != isinstance(theirs, float)
    return of_other_kinds or not np.array_equal(mine, theirs)  # 1 is one document, 1.0 all of them
