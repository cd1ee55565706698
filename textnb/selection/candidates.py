"""What can be chosen of a classifier: models and weightings, and what terms are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from textnb.likelihood.families import FAMILIES, Family, family
from textnb.model.parameters import AUTO, CHOOSABLE
from textnb.text.analyzer import Analyzer


class Terms(NamedTuple):
    """A choice of terms. Without an analyzer it is the one given, and so is its tokenizer."""

    ngrams: tuple[int, int]
    min_df: float | int
    analyzer: str | None = None
    tokenizer: str | None = None

    @property
    def units(self) -> str:
        """What the terms are made of, by the name of the tokenizer or analyzer; nothing if that was given."""
        return self.tokenizer or self.analyzer or ""

    @property
    def has_plain_units(self) -> bool:
        """Whether the units are those given, or words by the usual pattern."""
        return self.analyzer is None or (self.analyzer, self.tokenizer) == ("word", None)

    def analyzer_of(self, given: Analyzer) -> Analyzer:
        """The analyzer given, with these n-grams and units."""
        if self.analyzer is None:
            return replace(given, ngrams=self.ngrams)
        return replace(given, kind=self.analyzer, tokenizer=self.tokenizer, ngrams=self.ngrams)


TERMS: dict[str, tuple[tuple[tuple[int, int], int], ...]] = {  # n-gram range and min_df
    "word": (((1, 1), 1), ((1, 1), 2), ((1, 2), 2), ((1, 2), 1)),
    "char": (((2, 4), 2), ((3, 5), 2)),
    "char_wb": (((2, 4), 2), ((3, 5), 2)),
    "mail": (((1, 1), 1), ((1, 1), 2), ((1, 2), 2)),
}
# Where the units are open too: words by the usual pattern are tried on all documents, the first of them by every model
# and weighting. The others may be dropped after a look at some documents.
PLAIN_WORDS = (Terms((1, 1), 1, "word"), Terms((1, 1), 2, "word"), Terms((1, 2), 2, "word"))
FURTHER_TERMS = (
    Terms((1, 2), 1, "word"),
    Terms((1, 1), 1, "word", "punctuation"),
    Terms((1, 2), 1, "word", "punctuation"),
    Terms((1, 1), 1, "word", "unicode"),
    Terms((1, 2), 1, "word", "unicode"),
    Terms((2, 4), 1, "char_wb"),
    Terms((3, 5), 1, "char_wb"),
    Terms((2, 5), 1, "char"),
)
WITHOUT_BLANKS = (Terms((1, 3), 1, "char"),)  # tried too where scripts that need it are found


class Candidate(NamedTuple):
    """What can be chosen of a classifier."""

    model: str
    weights: str
    ngrams: tuple[int, int]
    min_df: float | int
    alpha: float
    min_deviation: float | None = None  # of models of clear terms
    analyzer: str | None = None  # None for the one given, and so its tokenizer
    tokenizer: str | None = None

    @property
    def units(self) -> str:
        """As `Terms.units`."""
        return self.terms.units

    @property
    def terms(self) -> Terms:
        """The terms that it is of."""
        return Terms(self.ngrams, self.min_df, self.analyzer, self.tokenizer)

    @classmethod
    def of(cls, recipe: tuple[str, str], terms: Terms, alpha: float, min_deviation: float | None = None) -> Candidate:
        """A model and weighting on a choice of terms."""
        ngrams, min_df, analyzer, tokenizer = terms
        return cls(*recipe, ngrams, min_df, alpha, min_deviation, analyzer, tokenizer)


FOR_MAIL = (
    Candidate("robinson", "binary", (1, 1), 1, 0.0178, 0.375),
    Candidate("robinson", "binary", (1, 1), 1, 0.1, 0.375),
    Candidate("robinson", "binary", (1, 1), 1, 0.0178, 0.3),
    Candidate("robinson", "binary", (1, 1), 1, 0.1, 0.3),
    Candidate("fisher", "binary", (1, 1), 1, 0.0178, 0.375),
    Candidate("log-odds", "binary", (1, 1), 1, 0.0178, 0.375),
    Candidate("multinomial", "binary", (1, 1), 1, 0.1),
)


@dataclass(frozen=True)
class Fixed:
    """What is not to be chosen: a value, or "auto" for what is."""

    model: str = AUTO
    weights: str = AUTO
    ngrams: tuple[int, int] | str = AUTO
    min_df: float | int | str = AUTO
    alpha: float | str = AUTO
    assumed: float | None = None  # of models of clear terms, and so the next two; None for the family's
    min_deviation: float | None = None
    most_terms: int | None = None
    units: bool = True  # whether the analyzer is to be kept

    def recipes(self) -> list[tuple[str, str]]:
        """Models and weightings to try."""
        general = [each for each in FAMILIES.values() if each.clarity is None]
        families = general if self.model == AUTO else [family(self.model)]
        return [
            (each.name, weights)
            for each in families
            for weights in (each.weightings if self.weights == AUTO else [each.weighting(self.weights)])
        ]

    def terms(self, kind: Any) -> list[Terms]:
        """Terms to try; with an analyzer of the user's own n-grams are its own business."""
        if not self.units:
            return list(PLAIN_WORDS)
        choices = [
            Terms(ngrams if self.ngrams == AUTO else self.ngrams, min_df if self.min_df == AUTO else self.min_df)  # type: ignore[arg-type]
            for ngrams, min_df in (TERMS[kind] if isinstance(kind, str) else TERMS["word"][:2])
        ]
        return list(dict.fromkeys(choices))

    def for_mail(self) -> list[Candidate]:
        """The candidates for mail, with what is not to be chosen; none if the model is another."""
        given = {name: getattr(self, name) for name in CHOOSABLE if getattr(self, name) != AUTO}
        found = []
        for candidate in FOR_MAIL:
            if self.model in (AUTO, candidate.model):
                changed = candidate._replace(**given)
                chosen = family(changed.model)
                changed = changed._replace(weights=chosen.weighting(changed.weights))
                if self.min_deviation is not None and chosen.clarity is not None:
                    changed = changed._replace(min_deviation=self.min_deviation)
                found.append(changed)
        return list(dict.fromkeys(found))

    def family(self, candidate: Candidate) -> Family:
        """The family of a candidate, with what is given or chosen of its settings."""
        deviation = self.min_deviation if candidate.min_deviation is None else candidate.min_deviation
        given = {"assumed": self.assumed, "min_deviation": deviation, "most_terms": self.most_terms}
        return family(candidate.model).with_clarity(
            **{name: value for name, value in given.items() if value is not None}
        )

    def alphas(self, among: Sequence[float]) -> Sequence[float]:
        return among if self.alpha == AUTO else (self.alpha,)  # type: ignore[return-value]
