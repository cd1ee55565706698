"""Choosing a recipe by what each document scores in a model that never saw it: one counting pass per analyzer.

The candidates are the same for every corpus. They are searched in three steps, each by leave-one-out accuracy, ties by
log-loss: every model and weighting on words; the best two of them on every choice of terms; every alpha for the best.
Those for mail are few, and all tried, on some of the messages; the best catches most spam while it loses little of the
rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array, SparseRows, distinct
from textnb.likelihood.families import FAMILIES, Family, family
from textnb.likelihood.prior import class_log_prior
from textnb.model.decision import log_odds_against, log_posterior
from textnb.model.derive import knowing_headers
from textnb.model.parameters import AUTO, CHOOSABLE
from textnb.selection.duplicates import share_near_duplicated
from textnb.selection.objectives import share_caught
from textnb.selection.subtraction import leave_one_out_scores
from textnb.text.analyzer import Analyzer
from textnb.text.counting import RememberedCounts, count_all
from textnb.text.features import EMPTY_VOCABULARY
from textnb.text.limits import Limits
from textnb.text.terms import TermTable
from textnb.text.weights import Weighting

TERMS: dict[str, tuple[tuple[tuple[int, int], int], ...]] = {  # n-gram range and min_df
    "word": (((1, 1), 1), ((1, 1), 2), ((1, 2), 2)),
    "char": (((2, 4), 2), ((3, 5), 2)),
    "char_wb": (((2, 4), 2), ((3, 5), 2)),
    "mail": (((1, 1), 1), ((1, 1), 2), ((1, 2), 2)),
}
COARSE_ALPHAS = (1.0, 0.1, 0.01)
ALPHAS = (2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
FINALISTS = 2
MOST_DOCUMENTS = 25_000  # of more, so many are tried on, evenly chosen
MOST_MESSAGES = 2_000  # the same of mail, if there are as many of every class as it takes:
FEWEST_MESSAGES = 50
DUPLICATED = 0.1  # share of near duplicates from which on leave-one-out flatters


class Candidate(NamedTuple):
    """What can be chosen of a classifier."""

    model: str
    weights: str
    ngrams: tuple[int, int]
    min_df: float | int
    alpha: float
    min_deviation: float | None = None  # of models of clear terms


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
class Trial:
    """A candidate, and how it did on documents that its model had not seen."""

    candidate: Any  # a Candidate, or a LinearCandidate
    accuracy: float
    log_loss: float
    caught: float | None = None  # share of spam, where there is any: see `share_caught`
    objective: str = "accuracy"

    @property
    def rank(self) -> tuple[float, ...]:
        """The lower the better; ties by accuracy, then by log-loss."""
        first = {"accuracy": (), "log-loss": (self.log_loss,), "caught": (-(self.caught or 0.0),)}[self.objective]
        return *first, -self.accuracy, self.log_loss

    def to_json(self) -> dict[str, Any]:
        found = {**self.candidate._asdict(), "ngrams": list(self.candidate.ngrams)}
        found |= {"accuracy": self.accuracy, "log_loss": self.log_loss if np.isfinite(self.log_loss) else None}
        if self.candidate.min_deviation is None:
            del found["min_deviation"]
        return found if self.caught is None else found | {"caught": self.caught}


@dataclass(frozen=True)
class Choice:
    """The best candidate, all that were tried, and what they were tried by."""

    best: Trial
    trials: list[Trial]
    estimate: str
    n_documents: int
    near_duplicated: float | None  # share of documents that have a near duplicate; None where groups are known
    positive: str | None = None  # the class of which as much as can be is caught

    @property
    def objective(self) -> str:
        """What the best is best in."""
        return self.best.objective

    @property
    def warning(self) -> str | None:
        """Why the estimate is not to be believed, if so."""
        if self.near_duplicated is None or self.near_duplicated < DUPLICATED:
            return None
        return (
            f"{self.near_duplicated:.0%} of the documents are nearly the same as another: leave-one-out flatters, and "
            "may choose too small an alpha; leave out the copies, or go by a test on later documents"
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "best": self.best.to_json(),
            "estimate": self.estimate,
            "objective": self.objective,
            **({} if self.positive is None else {"positive": self.positive}),
            "n_documents": self.n_documents,
            "near_duplicated": self.near_duplicated,
            "trials": [trial.to_json() for trial in self.trials],
        }


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

    def recipes(self) -> list[tuple[str, str]]:
        """Models and weightings to try."""
        general = [each for each in FAMILIES.values() if each.clarity is None]
        families = general if self.model == AUTO else [family(self.model)]
        return [
            (each.name, weights)
            for each in families
            for weights in (each.weightings if self.weights == AUTO else [each.weighting(self.weights)])
        ]

    def terms(self, kind: Any) -> list[tuple[tuple[int, int], float | int]]:
        """N-gram ranges and min_df to try; with an analyzer of the user's own n-grams are its own business."""
        choices = [
            (ngrams if self.ngrams == AUTO else self.ngrams, min_df if self.min_df == AUTO else self.min_df)
            for ngrams, min_df in (TERMS[kind] if isinstance(kind, str) else TERMS["word"][:2])
        ]
        return list(dict.fromkeys(choices))  # type: ignore[arg-type]

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


def tune(
    documents: Sequence[str],
    class_ids: Array,
    *,
    analyzer: Analyzer = Analyzer(),  # noqa: B008  (it is frozen)
    fixed: Fixed = Fixed(),
    groups: Any = None,
    limits: Limits = Limits(),  # noqa: B008
    vocabulary: TermTable | None = None,
    norm: bool = False,
    fit_prior: bool = True,
    class_prior: Any = None,
    n_jobs: int | None = None,
    objective: str | None = None,
    positive: int | None = None,
    count: Callable[[Sequence[str], Analyzer, int | None], tuple[TermTable, SparseRows]] = count_all,
    progress: Callable[[Trial], None] = lambda trial: None,
) -> Choice:
    """Choose what `fixed` leaves open by leave-one-out, or leave-one-group-out where groups are given.

    `analyzer` says all but the n-gram range, `limits` all but min_df, unless the vocabulary is given; `progress` hears
    of each trial. The `objective` is accuracy unless another is given or, of mail of which the class at the position
    `positive` is to be caught, the share of it that is.
    """
    if objective is None:
        objective = "accuracy" if positive is None or not analyzer.is_mail else "caught"
    if objective == "caught" and positive is None:
        raise ValueError(
            "the objective 'caught' needs the class to be caught, and none is called spam: name it (--positive), or "
            "choose accuracy or log-loss"
        )
    looked_for = positive if analyzer.is_mail or objective == "caught" else None  # what is to be caught
    candidates = fixed.for_mail() if analyzer.is_mail else []
    some = _some_messages(class_ids) if candidates else _evenly(len(documents), MOST_DOCUMENTS)
    are_all, n_documents = len(some) == len(documents), len(some)
    takes_rows = bool(candidates) and isinstance(count, RememberedCounts)  # of all messages, which the fit needs too
    if not (are_all or takes_rows):
        documents = [documents[i] for i in some]
    there, class_ids = np.unique(class_ids[some], return_inverse=True)
    looked_for = None if looked_for is None else int(np.searchsorted(there, looked_for))
    groups = None if groups is None else np.asarray(groups)[some]

    @lru_cache(maxsize=2)  # as many n-gram ranges as there are among the candidates of an analyzer
    def counted(ngrams: tuple[int, int]) -> tuple[TermTable, SparseRows]:
        terms, rows = count(documents, replace(analyzer, ngrams=ngrams), n_jobs)
        if takes_rows and not are_all:
            rows = rows.take_rows(some)
            occurring = rows.document_frequency() > 0
            terms, rows = terms.select(occurring), rows.select_columns(occurring)
        if vocabulary is not None:
            known = vocabulary.locate(terms) >= 0
            # What no document has is smoothed too.
            return terms.select(known), replace(rows.select_columns(known), n_columns=len(vocabulary))
        if not rows.n_columns:
            raise ValueError(EMPTY_VOCABULARY)
        return terms, rows

    def kept(ngrams: tuple[int, int], min_df: float | int) -> Array | None:
        """Which of the columns counted are within the limits; None for all."""
        rows, within = counted(ngrams)[1], replace(limits, min_df=min_df)
        if vocabulary is not None or within.keep_everything:
            return None
        return within.kept(rows.document_frequency(), rows.column_sums, n_documents)

    @lru_cache(maxsize=1)
    def selected(ngrams: tuple[int, int], min_df: float | int) -> SparseRows:
        rows, columns = counted(ngrams)[1], kept(ngrams, min_df)
        return rows if columns is None else rows.select_columns(columns)

    knows_copies = groups is not None or analyzer.is_mail  # most of what messages share is their headers

    def chosen_from(trials: list[Trial]) -> Choice:
        best = min(trials, key=lambda trial: trial.rank)
        return Choice(
            best=best,
            trials=trials,
            estimate="leave-one-out" if groups is None else "leave-one-group-out",
            n_documents=n_documents,
            near_duplicated=None if knows_copies else share_near_duplicated(counted(best.candidate.ngrams)[1]),
        )

    log_prior = class_log_prior(np.bincount(class_ids), learned=fit_prior, given=class_prior)

    def tried_with(candidate: Candidate, alphas: Sequence[float]) -> Iterator[Trial]:
        _, weights, ngrams, min_df, *_ = candidate
        counts = selected(ngrams, min_df)
        rows = Weighting.fitted(weights, counts).apply(counts)
        chosen = knowing_headers(fixed.family(candidate), counted(ngrams)[0], kept(ngrams, min_df))
        scores = leave_one_out_scores(
            chosen, rows, class_ids, alphas, groups, norm=norm, fit_prior=fit_prior, class_prior=class_prior
        )
        for alpha, joint in zip(alphas, scores, strict=True):
            accuracy, log_loss = _measured(joint, class_ids, log_prior)
            caught = None if looked_for is None else share_caught(*_against_rest(joint, class_ids, looked_for))
            trial = Trial(candidate._replace(alpha=alpha), accuracy, log_loss, caught, objective)
            progress(trial)
            yield trial

    def tried(
        recipes: Iterable[tuple[str, str]], terms: Iterable[tuple[Any, Any]], alphas: Sequence[float]
    ) -> Iterator[Trial]:
        for (ngrams, min_df), (model, weights) in product(terms, list(recipes)):
            deviation = None if fixed.min_deviation is None or family(model).clarity is None else fixed.min_deviation
            yield from tried_with(Candidate(model, weights, ngrams, min_df, alphas[0], deviation), alphas)

    if candidates:
        possible = _possible(list(dict.fromkeys(candidate[2:4] for candidate in candidates)), kept)
        trials: list[Trial] = []
        for candidate in sorted(candidates, key=lambda candidate: candidate[2:4]):
            if candidate[2:4] in possible:
                trials += tried_with(candidate, [candidate.alpha])
        return chosen_from(trials)
    first, *more = _possible(fixed.terms(analyzer.kind), kept)
    trials = list(tried(fixed.recipes(), [first], fixed.alphas(COARSE_ALPHAS)))
    best = sorted(trials, key=lambda trial: trial.rank)
    finalists = list(dict.fromkeys((trial.candidate.model, trial.candidate.weights) for trial in best))[:FINALISTS]
    trials += tried(finalists, more, fixed.alphas(COARSE_ALPHAS))
    winner = min(trials, key=lambda trial: trial.rank).candidate
    known = {trial.candidate for trial in trials}
    finer = [alpha for alpha in fixed.alphas(ALPHAS) if winner._replace(alpha=alpha) not in known]
    if finer:
        trials += tried([(winner.model, winner.weights)], [(winner.ngrams, winner.min_df)], finer)
    return chosen_from(trials)


def _possible(terms: list[tuple[Any, Any]], kept: Callable[[Any, Any], Any]) -> list[tuple[Any, Any]]:
    """The n-gram ranges and min_df that leave any term; that none does is an error."""
    found, reason = [], None
    for choice in terms:
        try:
            kept(*choice)
        except ValueError as error:
            reason = reason or error
        else:
            found.append(choice)
    if reason is not None and not found:
        raise reason
    return found


def _evenly(n: int, most: int) -> Array:
    """Positions of all documents, or of as many as are tried on."""
    return distinct(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


def _some_messages(class_ids: Array) -> Array:
    """Positions of the messages that are tried on; so many of every class at least, as far as it has them."""
    some = _evenly(len(class_ids), MOST_MESSAGES)
    if not _lacking(class_ids, some):
        return some
    some = _evenly(len(class_ids), MOST_DOCUMENTS)
    added = [of_class[_evenly(len(of_class), FEWEST_MESSAGES)] for of_class in _lacking(class_ids, some)]
    return distinct(np.concatenate([some, *added]))


def _lacking(class_ids: Array, some: Array) -> list[Array]:
    """The positions of each class that has too few among some."""
    taken = np.bincount(class_ids[some], minlength=int(class_ids.max()) + 1)
    there = np.bincount(class_ids)
    return [np.flatnonzero(class_ids == c) for c in np.flatnonzero(taken < np.minimum(there, FEWEST_MESSAGES))]


def _against_rest(joint: Array, class_ids: Array, positive: int) -> tuple[Array, Array]:
    """The log-odds of one class against all others together, and which documents are of it."""
    with np.errstate(invalid="ignore"):  # none of the classes can have produced it
        against = log_odds_against(joint, positive)
    return np.nan_to_num(-against, nan=0.0), class_ids == positive


def _measured(joint: Array, class_ids: Array, log_prior: Array) -> tuple[float, float]:
    """Accuracy and log-loss of leave-one-out scores."""
    posterior = log_posterior(joint, log_prior)
    true = posterior[np.arange(len(class_ids)), class_ids]
    return float(np.mean(posterior.argmax(axis=1) == class_ids)), float(0.0 - true.mean())  # never −0
