"""The families of models: the only place that knows their names.

Most are derived from counts, which add up: `FAMILIES`. Those in `FITTED` are fitted to documents, all of them at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.likelihood import bernoulli, clear_terms, complement, fisher, log_odds, multinomial, robinson
from textnb.likelihood.clear_terms import Clarity, ClearTermsRule, Combination, check_strength
from textnb.likelihood.rules import ClassPart, LinearRule, linear_rule
from textnb.likelihood.smoothing import Alpha

if TYPE_CHECKING:
    from textnb.likelihood.groups import Scores

NO_LIKELIHOOD = (
    "ComplementNB has no likelihood: its weights say how unlike a document the other classes are, not how probable the "
    "document is in a class, so it can neither be sampled from nor be part of a mixed model. Use MultinomialNB."
)
ROBINSON_ALPHA = 0.0178  # bogofilter's, and measured on SpamAssassin


@dataclass(frozen=True)
class Fitting:
    """How a family is fitted to documents: its loss, and what is taken for C and beta where nothing chooses them."""

    loss: str
    C: float
    beta: float


@dataclass(frozen=True, kw_only=True)
class Family(ABC):
    """A named way from totals N (V, K) and documents (K,) to a rule.

    Attributes
    ----------
    class_part : (totals, documents, alpha, norm) ↦ what the rule needs of all totals together
    prior_in_score : whether the prior enters the score; where there is one class, it always does
    has_likelihood : whether it can be sampled, and be part of a mixed model
    weightings : the weights that it takes, the first if others are asked for
    rule_kind : what a model file records
    constant : what an explanation calls the part of a score that no term brings
    alpha : the literature's, taken where none is given
    scores_grow : whether longer documents have larger scores, which a calibration may take back
    clarity : which terms are clear, of a family that combines such terms
    fitting : of a family that is fitted to documents, and not derived from their counts
    """

    name: str
    class_part: Callable[[SparseRows, Array, Alpha, bool], ClassPart]
    prior_in_score: bool = True
    has_likelihood: bool = True
    weightings: tuple[str, ...] = ("log-tfidf", "tfidf", "counts", "binary")
    rule_kind: str = "linear"
    constant: str = "intercept"
    alpha: float = 1.0
    scores_grow: bool = True
    clarity: Clarity | None = None
    fitting: Fitting | None = None

    @property
    def fitted_to_documents(self) -> bool:
        """Whether its models are fitted to all documents at once, and can neither learn nor forget."""
        return self.fitting is not None

    @abstractmethod
    def rule(
        self,
        totals: SparseRows,
        documents: Array,
        alpha: Alpha,
        norm: bool = False,
        class_part: ClassPart | None = None,
        columns: Array | None = None,
    ) -> LinearRule | ClearTermsRule:
        """The rule of these totals or, given the class part of all totals, of these columns of them."""

    @abstractmethod
    def leave_one_out(self, totals: SparseRows, norm: bool) -> Scores:
        """(rows, scored, groups, alphas) ↦ scores of every row without its group.

        Or None where an alpha needs one model per group.
        """

    def with_clarity(self, **changes: Any) -> Family:
        """The same with other values of its `Clarity`; a family that has none is as it was."""
        return self

    def weighting(self, wanted: str) -> str:
        """The weighting that is used where this one is asked for."""
        return wanted if wanted in self.weightings else self.weightings[0]

    def adds_prior(self, n_classes: int) -> bool:
        """Whether the score of a model of so many classes includes the prior."""
        return self.prior_in_score or n_classes == 1

    def require_likelihood(self) -> None:
        if not self.has_likelihood:
            if self.fitted_to_documents:
                raise ValueError(_NO_LIKELIHOOD_OF_WEIGHTS.format(self.name))
            raise ValueError(NO_LIKELIHOOD if self.clarity is None else _NO_LIKELIHOOD_OF_TERMS.format(self.name))


_NO_LIKELIHOOD_OF_TERMS = (
    "a {} model has no likelihood: it says how the terms of a document compare between classes, not how probable the "
    "document is in one, so it can neither be sampled from nor be part of a mixed model. Use a multinomial model."
)


_NO_LIKELIHOOD_OF_WEIGHTS = (
    "a {} model has no likelihood: its weights tell classes apart, not how probable a document is in one, so it can "
    "neither be sampled from nor be part of a mixed model. Use a multinomial model."
)


@dataclass(frozen=True, kw_only=True)
class LinearFamily(Family):
    """A family of linear rules.

    Attributes
    ----------
    term_part : (totals, documents, alpha) ↦ (by_term, deviations) of some rows of the totals
    log_probability : (totals, documents, alpha, norm) ↦ (V, K), what users see as ``feature_log_prob_``
    without_groups : what `leave_one_out` gives
    """

    term_part: Callable[[SparseRows, Array, Alpha], tuple[float | Array, SparseRows]]
    log_probability: Callable[[SparseRows, Array, Alpha, bool], Array]
    without_groups: Callable[[SparseRows, bool], Scores]

    def rule(
        self,
        totals: SparseRows,
        documents: Array,
        alpha: Alpha,
        norm: bool = False,
        class_part: ClassPart | None = None,
        columns: Array | None = None,
    ) -> LinearRule:
        part = self.class_part(totals, documents, alpha, norm) if class_part is None else class_part
        return linear_rule(part, *self.term_part(totals, documents, alpha))

    def leave_one_out(self, totals: SparseRows, norm: bool) -> Scores:
        return self.without_groups(totals, norm)


@dataclass(frozen=True, kw_only=True)
class ClearTermsFamily(Family):
    """A family that combines the clear terms of a document; totals are numbers of documents."""

    combination: Combination
    clarity: Clarity = Clarity()  # noqa: RUF009  (it is frozen)

    def rule(
        self,
        totals: SparseRows,
        documents: Array,
        alpha: Alpha,
        norm: bool = False,
        class_part: ClassPart | None = None,
        columns: Array | None = None,
    ) -> ClearTermsRule:
        return ClearTermsRule(self.combination, self.clarity, totals, documents, check_strength(alpha), columns)

    def leave_one_out(self, totals: SparseRows, norm: bool) -> Scores:
        return clear_terms.leave_one_out(self.combination, self.clarity, totals)

    def with_clarity(self, **changes: Any) -> ClearTermsFamily:
        return replace(self, clarity=replace(self.clarity, **changes))


@dataclass(frozen=True, kw_only=True)
class FittedFamily(Family):
    """A family of linear rules whose weights are fitted to documents, as `likelihood.nb_weighted` has it."""

    def rule(
        self,
        totals: SparseRows,
        documents: Array,
        alpha: Alpha,
        norm: bool = False,
        class_part: ClassPart | None = None,
        columns: Array | None = None,
    ) -> LinearRule:
        raise ValueError(f"a {self.name} model is fitted to documents: it does not follow from their counts")

    def leave_one_out(self, totals: SparseRows, norm: bool) -> Scores:
        raise ValueError(
            f"a {self.name} model is fitted to documents: to leave one out is to fit it anew. Its documents are scored "
            "by models without their fold: use cross-validation"
        )


def _no_class_part(totals: SparseRows, documents: Array, alpha: Alpha, norm: bool) -> ClassPart:
    return ClassPart(np.zeros(len(documents)), np.zeros(len(documents)))


def _fitted(name: str, fitting: Fitting) -> Family:
    return FittedFamily(
        name=name,
        fitting=fitting,
        class_part=_no_class_part,
        prior_in_score=False,
        has_likelihood=False,
        rule_kind="fitted",
    )


def _linear(name: str, module: Any, **more: Any) -> Family:
    parts = {part: getattr(module, part) for part in ("class_part", "term_part", "log_probability")}
    return LinearFamily(name=name, **parts, without_groups=module.leave_one_out, **more)


def _clear_terms(name: str, combination: Combination) -> Family:
    return ClearTermsFamily(
        name=name,
        combination=combination,
        class_part=clear_terms.class_part,
        prior_in_score=False,
        has_likelihood=False,
        weightings=("binary",),
        rule_kind="clear-terms",
        alpha=ROBINSON_ALPHA,
        scores_grow=False,
    )


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        _linear("multinomial", multinomial),
        _linear("complement", complement, prior_in_score=False, has_likelihood=False),
        _linear("bernoulli", bernoulli, weightings=("binary",), constant="absent words"),
        _clear_terms("robinson", robinson.COMBINATION),
        _clear_terms("fisher", fisher.COMBINATION),
        _clear_terms("log-odds", log_odds.COMBINATION),
    )
}


FITTED: dict[str, Family] = {
    family.name: family
    for family in (
        _fitted("nbsvm", Fitting("squared_hinge", C=0.3, beta=0.75)),
        _fitted("nblr", Fitting("log", C=3.0, beta=1.0)),
    )
}
MODELS: dict[str, Family] = FAMILIES | FITTED

NAMES_OF_FITTED = ", ".join(FITTED)
NAMES_OF_CLEAR_TERMS = ", ".join(name for name, family in FAMILIES.items() if family.clarity is not None)


def family(name: str) -> Family:
    """The family of that name."""
    if name not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}, got {name!r}")
    return MODELS[name]
