"""The families of models that are derived from counts: the only place that knows their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textnb.arrays import Array, SparseRows
from textnb.likelihood import bernoulli, complement, multinomial
from textnb.likelihood.rules import ClassPart, LinearRule, linear_rule
from textnb.likelihood.smoothing import Alpha

if TYPE_CHECKING:
    from textnb.likelihood.groups import Scores

NO_LIKELIHOOD = (
    "ComplementNB has no likelihood: its weights say how unlike a document the other classes are, not how probable the "
    "document is in a class, so it can neither be sampled from nor be part of a mixed model. Use MultinomialNB."
)


@dataclass(frozen=True)
class Family:
    """A named way from totals N (V, K) and documents (K,) to a linear rule.

    Attributes
    ----------
    class_part : (totals, documents, alpha, norm) ↦ what the rule needs of all totals together
    term_part : (totals, documents, alpha) ↦ (by_term, deviations) of some rows of the totals
    log_probability : (totals, documents, alpha, norm) ↦ (V, K), what users see as ``feature_log_prob_``
    leave_one_out : (totals, norm) ↦ (rows, scored, groups, alphas) ↦ scores of every row without its group, or None
        where an alpha needs one model per group
    prior_in_score : whether the prior enters the score; where there is one class, it always does
    has_likelihood : whether it can be sampled, and be part of a mixed model
    weightings : the weights that it takes, the first if others are asked for
    rule_kind : what a model file records
    constant : what an explanation calls the part of a score that no term brings
    """

    name: str
    class_part: Callable[[SparseRows, Array, Alpha, bool], ClassPart]
    term_part: Callable[[SparseRows, Array, Alpha], tuple[float | Array, SparseRows]]
    log_probability: Callable[[SparseRows, Array, Alpha, bool], Array]
    leave_one_out: Callable[[SparseRows, bool], Scores]
    prior_in_score: bool = True
    has_likelihood: bool = True
    weightings: tuple[str, ...] = ("log-tfidf", "tfidf", "counts", "binary")
    rule_kind: str = "linear"
    constant: str = "intercept"

    def rule(
        self,
        totals: SparseRows,
        documents: Array,
        alpha: Alpha,
        norm: bool = False,
        class_part: ClassPart | None = None,
    ) -> LinearRule:
        """The rule of these totals or, given the class part of all totals, of these rows of them."""
        part = self.class_part(totals, documents, alpha, norm) if class_part is None else class_part
        return linear_rule(part, *self.term_part(totals, documents, alpha))

    def weighting(self, wanted: str) -> str:
        """The weighting that is used where this one is asked for."""
        return wanted if wanted in self.weightings else self.weightings[0]

    def adds_prior(self, n_classes: int) -> bool:
        """Whether the score of a model of so many classes includes the prior."""
        return self.prior_in_score or n_classes == 1

    def require_likelihood(self) -> None:
        if not self.has_likelihood:
            raise ValueError(NO_LIKELIHOOD)


def _family(name: str, module: Any, **more: Any) -> Family:
    parts = ("class_part", "term_part", "log_probability", "leave_one_out")
    return Family(name, **{part: getattr(module, part) for part in parts}, **more)


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        _family("multinomial", multinomial),
        _family("complement", complement, prior_in_score=False, has_likelihood=False),
        _family("bernoulli", bernoulli, weightings=("binary",), constant="absent words"),
    )
}


def family(name: str) -> Family:
    """The family of that name."""
    if name not in FAMILIES:
        raise ValueError(f"model must be one of {', '.join(FAMILIES)}, got {name!r}")
    return FAMILIES[name]
