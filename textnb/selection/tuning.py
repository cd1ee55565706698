"""Choosing a recipe by what each document scores in a model that never saw it.

The search has steps, each by leave-one-out accuracy, ties by log-loss: every model and weighting on words; the best two
of them on every choice of terms; every model and weighting on n-grams of characters, if those lead; every alpha for the
best. Choices of terms other than words by the usual pattern are looked at on some of the documents first,
if there is much text: what does worse there than plain words, by more than chance would have it, is dropped. Where the
end is within chance, plain words are taken. Candidates for mail are few, and all tried, on some of the messages; the
best catches most spam while it loses little of the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from textnb.arrays import Array, distinct
from textnb.likelihood.families import family
from textnb.selection.candidates import FURTHER_TERMS, TERMS, WITHOUT_BLANKS, Candidate, Fixed, Terms
from textnb.selection.trials import Count, Trial, Tried, TriedDocuments
from textnb.text.analyzer import Analyzer
from textnb.text.counting import RememberedCounts, count_all
from textnb.text.limits import Limits
from textnb.text.steps import each
from textnb.text.terms import TermTable
from textnb.text.unicode_words import share_without_blanks

__all__ = ["ALPHAS", "COARSE_ALPHAS", "TERMS", "Candidate", "Choice", "Fixed", "Screening", "Terms", "Trial", "tune"]

COARSE_ALPHAS = (1.0, 0.1, 0.01)
ALPHAS = (2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
FINALISTS = 2
MOST_DOCUMENTS = 25_000  # of more, so many are tried on, evenly chosen
MOST_MESSAGES = 2_000  # the same of mail, if there are as many of every class as it takes:
FEWEST_MESSAGES = 50
DUPLICATED = 0.1  # share of near duplicates from which on estimates flatter
SCREENED_FROM = 1_000_000  # characters from which further choices of terms are first looked at on some documents:
SCREENED_ON = 500_000  # of about so many characters,
FEWEST_SCREENED = 400  # or so many documents, if that is more
MOST_KEPT = 2  # of which so many are tried on all documents;
MUCH_TEXT = 10_000_000  # characters from which only one is
SHARE_WITHOUT_BLANKS = 0.01  # of letters in scripts that are written so, from which they matter


@dataclass(frozen=True)
class Screening:
    """Choices of terms that were looked at on some of the documents, and those that were tried on all of them."""

    n_documents: int
    plain_accuracy: float  # of words by the usual pattern
    accuracies: tuple[tuple[Terms, float], ...]
    kept: tuple[Terms, ...]

    def to_json(self) -> dict[str, Any]:
        seen = [
            {**terms._asdict(), "ngrams": list(terms.ngrams), "accuracy": accuracy, "kept": terms in self.kept}
            for terms, accuracy in self.accuracies
        ]
        return {"n_documents": self.n_documents, "plain_accuracy": self.plain_accuracy, "terms": seen}


@dataclass(frozen=True)
class Choice:
    """The best candidate, all that were tried, and what they were tried by."""

    best: Trial
    trials: list[Trial]
    estimate: str
    n_documents: int
    near_duplicated: float | None  # share of documents that have a near duplicate; None where groups are known
    screening: Screening | None = None
    positive: str | None = None  # the class of which as much as can be is caught
    naive_bayes: Choice | None = None  # what was chosen among naive Bayes models, where linear ones were tried too

    @property
    def objective(self) -> str:
        """What the best is best in."""
        return self.best.objective

    @property
    def within_chance(self) -> bool:
        """Whether other units than plain words were more accurate, but not beyond chance."""
        return self.best.candidate.terms.has_plain_units and any(
            trial.rank < self.best.rank and not trial.candidate.terms.has_plain_units for trial in self.trials
        )

    @property
    def warning(self) -> str | None:
        """Why the estimate is not to be believed, if so."""
        if self.near_duplicated is None or self.near_duplicated < DUPLICATED:
            return None
        flatters = "cross-validation flatters"
        if self.estimate == "leave-one-out":
            flatters = "leave-one-out flatters, and may choose too small an alpha"
        alike = f"{self.near_duplicated:.0%} of the documents are nearly the same as another"
        return f"{alike}: {flatters}; go by a test on later documents"

    def to_json(self) -> dict[str, Any]:
        return {
            "best": self.best.to_json(),
            "estimate": self.estimate,
            "objective": self.objective,
            **({} if self.positive is None else {"positive": self.positive}),
            "n_documents": self.n_documents,
            "near_duplicated": self.near_duplicated,
            **({} if self.screening is None else {"screening": self.screening.to_json()}),
            "trials": [trial.to_json() for trial in self.trials],
            **({} if self.naive_bayes is None else {"naive_bayes": self.naive_bayes.to_json()}),
        }


def tune(
    documents: Sequence[str],
    class_ids: Array,
    *,
    analyzer: Analyzer = Analyzer(),  # noqa: B008  (it is frozen)
    fixed: Fixed = Fixed(),  # noqa: B008
    groups: Any = None,
    limits: Limits = Limits(),  # noqa: B008
    vocabulary: TermTable | None = None,
    norm: bool = False,
    fit_prior: bool = True,
    class_prior: Any = None,
    n_jobs: int | None = None,
    objective: str | None = None,
    positive: int | None = None,
    count: Count = count_all,
    progress: Callable[[Trial], None] = lambda trial: None,
) -> Choice:
    """Choose what `fixed` leaves open by leave-one-out, or leave-one-group-out where groups are given.

    `analyzer` says all but the n-gram range and, if the units are open, what words are; `limits` all but min_df, unless
    the vocabulary is given; `progress` hears of each trial. The `objective` is accuracy unless another is given or, of
    mail of which the class at the position `positive` is to be caught, the share of it that is.
    """
    if objective is None:
        objective = "accuracy" if positive is None or not analyzer.is_mail else "caught"
    if objective == "caught" and positive is None:
        raise ValueError(
            "the objective 'caught' needs the class to be caught, and none is called spam: name it (--positive), or "
            "choose accuracy, log-loss, macro-f1 or auc"
        )
    candidates = fixed.for_mail() if analyzer.is_mail else []
    some = _some_messages(class_ids) if candidates else _evenly(len(documents), MOST_DOCUMENTS)
    are_all = len(some) == len(documents)
    takes_rows = bool(candidates) and isinstance(count, RememberedCounts)  # of all messages, which the fit needs too
    there, class_ids = np.unique(class_ids[some], return_inverse=True)
    sought = positive if analyzer.is_mail or objective == "caught" else None
    tried_on = TriedDocuments(
        documents if are_all or takes_rows else [documents[i] for i in some],
        class_ids,
        None if groups is None else np.asarray(groups)[some],
        analyzer,
        fixed,
        limits,
        vocabulary,
        count,
        objective,
        None if sought is None else int(np.searchsorted(there, sought)),
        norm,
        fit_prior,
        class_prior,
        n_jobs,
        some if takes_rows and not are_all else None,
    )
    search = _Search(tried_on, progress)
    if candidates:
        search.try_candidates(candidates)
    else:
        search.try_in_steps()
    best = search.best
    knows_copies = groups is not None or analyzer.is_mail  # most of what messages share is their headers
    return Choice(
        best=best,
        trials=search.trials,
        estimate="leave-one-out" if groups is None else "leave-one-group-out",
        n_documents=len(tried_on),
        near_duplicated=None if knows_copies else tried_on.share_near_duplicated(best.candidate.terms),
        screening=search.screening,
    )


def scores_by_folds(
    candidate: Candidate,
    documents: Sequence[str],
    class_ids: Array,
    folds: Array,
    *,
    analyzer: Analyzer,
    fixed: Fixed,
    limits: Limits,
    vocabulary: TermTable | None,
    count: Count,
    **how: Any,
) -> Array:
    """The scores of all documents under a candidate's model without their fold, (n, K). The rest is as in `tune`."""
    tried_on = TriedDocuments(documents, class_ids, folds, analyzer, fixed, limits, vocabulary, count, **how)
    return next(tried_on.scores(candidate, [candidate.alpha]))


class _Search:
    """The trials of a choice, as they are made."""

    def __init__(self, tried_on: TriedDocuments, progress: Callable[[Trial], None]) -> None:
        self.tried_on = tried_on
        self.fixed = tried_on.fixed
        self.progress = progress
        self.trials: list[Trial] = []
        self.screening: Screening | None = None
        self.leading: dict[bool, Tried] = {}  # the best on plain words, True, and on other units

    @property
    def best(self) -> Trial:
        """The best trial; that on plain words, unless the best on other units is more accurate beyond chance.

        That is by one standard error of the difference, document by document.
        """
        trials = {is_plain: tried.trial for is_plain, tried in self.leading.items()}
        if len(trials) == 2 and self.tried_on.objective == "accuracy":
            lead, error = _lead(self.leading[False], self.leading[True])
            return trials[lead <= error]
        return min(trials.values(), key=lambda trial: trial.rank)

    def try_candidates(self, candidates: Iterable[Candidate]) -> None:
        """Single candidates, those with terms of their own."""
        listed = sorted(candidates, key=lambda candidate: candidate[2:4])
        possible = self.tried_on.possible(list(dict.fromkeys(candidate.terms for candidate in listed)))
        for candidate in listed:
            if candidate.terms in possible:
                self._hear(self.tried_on.tried(candidate, [candidate.alpha]))

    def try_in_steps(self) -> None:
        tried_on, recipes, alphas = self.tried_on, self.fixed.recipes(), self.fixed.alphas(COARSE_ALPHAS)
        plain = tried_on.possible(self.fixed.terms(tried_on.analyzer.kind))
        sample = None if self.fixed.units else _sample_of(tried_on)
        self._try(recipes if sample is None else _promising(sample, recipes, plain[0]), plain[0], alphas)
        ranked = sorted(self.trials, key=lambda trial: trial.rank)
        finalists = list(dict.fromkeys((trial.candidate.model, trial.candidate.weights) for trial in ranked))
        del finalists[FINALISTS:]
        for terms in plain[1:]:
            self._try(finalists, terms, alphas)
        if not self.fixed.units:
            further = [*FURTHER_TERMS, *(WITHOUT_BLANKS if _is_seldom_blank(tried_on.documents) else ())]
            if sample is not None:
                most = 1 if sum(map(len, tried_on.documents)) >= MUCH_TEXT else MOST_KEPT
                self.screening = _screened(sample, finalists, plain, further, most)
                further = list(self.screening.kept)
            self._try_further(finalists, recipes, further)
        winner = self.best.candidate
        known = {trial.candidate for trial in self.trials}
        finer = [alpha for alpha in self.fixed.alphas(ALPHAS) if winner._replace(alpha=alpha) not in known]
        if finer:
            self._try([(winner.model, winner.weights)], winner.terms, finer)

    def _try_further(
        self, finalists: list[tuple[str, str]], recipes: list[tuple[str, str]], further: list[Terms]
    ) -> None:
        """Further terms by the finalists, and n-grams of characters, if they lead, by every model and weighting."""
        alphas = self.fixed.alphas(COARSE_ALPHAS)
        for terms in further:
            if _leaves_terms(self.tried_on, terms):
                self._try(finalists, terms, alphas)
            self.tried_on.forget(*(tried.trial.candidate.terms for tried in self.leading.values()))
        leader = min((tried.trial for tried in self.leading.values()), key=lambda trial: trial.rank).candidate
        if leader.analyzer != "word":  # what suits words of one kind suits those of another
            self._try([recipe for recipe in recipes if recipe not in finalists], leader.terms, alphas)

    def _try(self, recipes: Iterable[tuple[str, str]], terms: Terms, alphas: Sequence[float]) -> None:
        for recipe in recipes:
            self._hear(self.tried_on.tried(_candidate(self.fixed, recipe, terms, alphas), alphas))

    def _hear(self, tried: Iterable[Tried]) -> None:
        for one in tried:
            trial, is_plain = one.trial, one.trial.candidate.terms.has_plain_units
            self.trials.append(trial)
            if is_plain not in self.leading or trial.rank < self.leading[is_plain].trial.rank:
                self.leading[is_plain] = one
            self.progress(trial)


def _sample_of(tried_on: TriedDocuments) -> TriedDocuments | None:
    """Some of the documents, if there is much text."""
    documents = tried_on.documents
    total = sum(map(len, documents))
    n = max(FEWEST_SCREENED, int(len(documents) * SCREENED_ON / max(total, 1)))
    if total < SCREENED_FROM or n >= len(documents):
        return None
    some = _evenly(len(documents), n)
    return replace(
        tried_on,
        documents=[documents[i] for i in some],
        class_ids=np.unique(tried_on.class_ids[some], return_inverse=True)[1],
        groups=None if tried_on.groups is None else tried_on.groups[some],
        count=count_all,
        _counted={},
        _selected={},
    )


def _best_of(sample: TriedDocuments, recipes: Iterable[tuple[str, str]], choices: Iterable[Terms]) -> Tried:
    """The best of models and weightings on choices of terms."""
    alphas, fixed = sample.fixed.alphas(COARSE_ALPHAS), sample.fixed
    tried = (
        one
        for terms, recipe in product(choices, list(recipes))
        for one in sample.tried(_candidate(fixed, recipe, terms, alphas), alphas)
    )
    return min(each(tried, "trying on a sample", " candidates"), key=lambda one: one.trial.rank)


def _lead(one: Tried, other: Tried) -> tuple[float, float]:
    """By how much one is more accurate than the other, and the standard error of that, document by document."""
    difference = one.right.astype(np.int64) - other.right
    return float(difference.mean()), float(difference.std() / np.sqrt(len(difference)))


def _promising(sample: TriedDocuments, recipes: list[tuple[str, str]], terms: Terms) -> list[tuple[str, str]]:
    """Models and weightings that are not behind the best by more than two standard errors; the finalists' number."""
    if not _leaves_terms(sample, terms):
        return recipes
    found = {recipe: _best_of(sample, [recipe], [terms]) for recipe in recipes}
    ranked = sorted(recipes, key=lambda recipe: found[recipe].trial.rank)
    leads = {recipe: _lead(found[ranked[0]], found[recipe]) for recipe in recipes}
    near = [recipe for recipe in recipes if leads[recipe][0] <= 2 * leads[recipe][1]]
    return [recipe for recipe in recipes if recipe in near or recipe in ranked[:FINALISTS]]


def _screened(
    sample: TriedDocuments, finalists: list[tuple[str, str]], plain: list[Terms], further: list[Terms], most: int
) -> Screening:
    """Which further choices of terms are no less accurate than plain words on a sample, by one standard error."""
    usual = _best_of(sample, finalists, [terms for terms in plain if _leaves_terms(sample, terms)])
    found = {terms: _best_of(sample, finalists, [terms]) for terms in further if _leaves_terms(sample, terms)}
    leads = {terms: _lead(tried, usual) for terms, tried in found.items()}
    promising = [terms for terms, (lead, error) in leads.items() if lead + error > 0]
    promising.sort(key=lambda terms: found[terms].trial.rank)
    return Screening(
        len(sample),
        usual.trial.accuracy,
        tuple((terms, tried.trial.accuracy) for terms, tried in found.items()),
        tuple(terms for terms in further if terms in promising[:most]),
    )


def _candidate(fixed: Fixed, recipe: tuple[str, str], terms: Terms, alphas: Sequence[float]) -> Candidate:
    deviation = None if family(recipe[0]).clarity is None else fixed.min_deviation
    return Candidate.of(recipe, terms, alphas[0], deviation)


def _leaves_terms(tried_on: TriedDocuments, terms: Terms) -> bool:
    """Whether a choice of terms leaves any."""
    try:
        tried_on.kept(terms)
    except ValueError:
        return False
    return True


def _is_seldom_blank(documents: Sequence[str], most: int = 100_000) -> bool:
    """Whether letters of scripts that are written without blanks are among some characters of the documents."""
    some = documents[:: max(1, len(documents) // 1000)]
    each = max(1, most // max(len(some), 1))
    return share_without_blanks("".join(text[:each] for text in some)) >= SHARE_WITHOUT_BLANKS


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
