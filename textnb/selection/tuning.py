"""Choosing a recipe by what each document scores in a model that never saw it: one counting pass per analyzer.

The candidates are the same for every corpus. They are searched in three steps, each by leave-one-out accuracy, ties by
log-loss: every model and weighting on words; the best two of them on every choice of terms; every alpha for the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.likelihood.families import FAMILIES, family
from textnb.likelihood.prior import class_log_prior
from textnb.model.decision import log_posterior
from textnb.model.parameters import AUTO
from textnb.selection.duplicates import share_near_duplicated
from textnb.selection.subtraction import leave_one_out_scores
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all
from textnb.text.features import EMPTY_VOCABULARY
from textnb.text.limits import Limits
from textnb.text.terms import TermTable
from textnb.text.weights import Weighting

TERMS: dict[str, tuple[tuple[tuple[int, int], int], ...]] = {  # n-gram range and min_df
    "word": (((1, 1), 1), ((1, 1), 2), ((1, 2), 2)),
    "char": (((2, 4), 2), ((3, 5), 2)),
    "char_wb": (((2, 4), 2), ((3, 5), 2)),
}
COARSE_ALPHAS = (1.0, 0.1, 0.01)
ALPHAS = (2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
FINALISTS = 2
MOST_DOCUMENTS = 25_000  # of more, so many are tried on, evenly chosen
DUPLICATED = 0.1  # share of near duplicates from which on leave-one-out flatters


class Candidate(NamedTuple):
    """What can be chosen of a classifier."""

    model: str
    weights: str
    ngrams: tuple[int, int]
    min_df: float | int
    alpha: float


@dataclass(frozen=True)
class Trial:
    """A candidate, and how it did on documents that its model had not seen."""

    candidate: Candidate
    accuracy: float
    log_loss: float

    @property
    def rank(self) -> tuple[float, float]:
        return -self.accuracy, self.log_loss

    def to_json(self) -> dict[str, Any]:
        found = {**self.candidate._asdict(), "ngrams": list(self.candidate.ngrams)}
        return found | {"accuracy": self.accuracy, "log_loss": self.log_loss if np.isfinite(self.log_loss) else None}


@dataclass(frozen=True)
class Choice:
    """The best candidate, all that were tried, and what they were tried by."""

    best: Trial
    trials: list[Trial]
    estimate: str
    n_documents: int
    near_duplicated: float | None  # share of documents that have a near duplicate; None where groups are known

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

    def recipes(self) -> list[tuple[str, str]]:
        """Models and weightings to try."""
        families = FAMILIES.values() if self.model == AUTO else [family(self.model)]
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
    count: Callable[[Sequence[str], Analyzer, int | None], tuple[TermTable, SparseRows]] = count_all,
    progress: Callable[[Trial], None] = lambda trial: None,
) -> Choice:
    """Choose what `fixed` leaves open by leave-one-out, or leave-one-group-out where groups are given.

    `analyzer` says all but the n-gram range, `limits` all but min_df, unless the vocabulary is given; `progress` hears
    of each trial.
    """
    some = _evenly(len(documents))
    documents = documents if len(some) == len(documents) else [documents[i] for i in some]
    class_ids = np.unique(class_ids[some], return_inverse=True)[1]
    groups = None if groups is None else np.asarray(groups)[some]

    @lru_cache(maxsize=2)  # as many n-gram ranges as there are among the candidates of an analyzer
    def counted(ngrams: tuple[int, int]) -> SparseRows:
        terms, rows = count(documents, replace(analyzer, ngrams=ngrams), n_jobs)
        if vocabulary is not None:
            known = rows.select_columns(vocabulary.locate(terms) >= 0)
            return replace(known, n_columns=len(vocabulary))  # terms that no document has are smoothed too
        if not rows.n_columns:
            raise ValueError(EMPTY_VOCABULARY)
        return rows

    def kept(ngrams: tuple[int, int], min_df: float | int) -> Array | None:
        """Which of the columns counted are within the limits; None for all."""
        rows, within = counted(ngrams), replace(limits, min_df=min_df)
        if vocabulary is not None or within.keep_everything:
            return None
        return within.kept(rows.document_frequency(), rows.column_sums, len(documents))

    @lru_cache(maxsize=1)
    def selected(ngrams: tuple[int, int], min_df: float | int) -> SparseRows:
        rows, columns = counted(ngrams), kept(ngrams, min_df)
        return rows if columns is None else rows.select_columns(columns)

    log_prior = class_log_prior(np.bincount(class_ids), learned=fit_prior, given=class_prior)

    def tried(
        recipes: Iterable[tuple[str, str]], terms: Iterable[tuple[Any, Any]], alphas: Sequence[float]
    ) -> Iterator[Trial]:
        for (ngrams, min_df), (model, weights) in product(terms, list(recipes)):
            counts = selected(ngrams, min_df)
            rows = Weighting.fitted(weights, counts).apply(counts)
            scores = leave_one_out_scores(
                model, rows, class_ids, alphas, groups, norm=norm, fit_prior=fit_prior, class_prior=class_prior
            )
            for alpha, joint in zip(alphas, scores, strict=True):
                trial = Trial(Candidate(model, weights, ngrams, min_df, alpha), *_measured(joint, class_ids, log_prior))
                progress(trial)
                yield trial

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
    return Choice(
        best=min(trials, key=lambda trial: trial.rank),
        trials=trials,
        estimate="leave-one-out" if groups is None else "leave-one-group-out",
        n_documents=len(documents),
        near_duplicated=share_near_duplicated(counted(winner.ngrams)) if groups is None else None,
    )


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


def _evenly(n: int) -> Array:
    """Positions of all documents, or of as many as are tried on."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_DOCUMENTS)).astype(np.int64))


def _measured(joint: Array, class_ids: Array, log_prior: Array) -> tuple[float, float]:
    """Accuracy and log-loss of leave-one-out scores."""
    posterior = log_posterior(joint, log_prior)
    true = posterior[np.arange(len(class_ids)), class_ids]
    return float(np.mean(posterior.argmax(axis=1) == class_ids)), float(0.0 - true.mean())  # never −0
