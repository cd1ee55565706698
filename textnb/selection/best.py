"""The best of naive Bayes and linear models: the winners of both, compared by the same folds of the documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from textnb.arrays import Array, distinct
from textnb.selection.fitting import Searched
from textnb.selection.linear_tuning import Features, choice_of, judged
from textnb.selection.tuning import Choice

MODEL = "nbsvm"  # the linear model that is tried
WEIGHTS = "log-tfidf"  # its features where they are terms that naive Bayes does well with


@dataclass(frozen=True, eq=False)
class Contest:
    """What was chosen, and the search that found it if it is a linear model."""

    choice: Choice
    linear: Searched | None


def can_divide(class_ids: Array, groups: Array | None) -> bool:
    """Whether there are classes to tell apart, and documents, or groups, to divide into folds."""
    return len(distinct(class_ids)) > 1 and (groups is None or len(set(groups.tolist())) > 1)


def further_features(naive_bayes: Choice, weights: str = WEIGHTS) -> list[Features]:
    """The terms that naive Bayes does best with: of the words that are usual, and of other units."""
    ranked = [trial.candidate.terms for trial in sorted(naive_bayes.trials, key=lambda trial: trial.rank)]
    best = {terms.has_plain_units: terms for terms in reversed(ranked)}
    plain = {"analyzer": None, "tokenizer": None}  # as the features have them that are tried in any case
    return [Features(weights, *(terms._replace(**plain) if is_plain else terms)) for is_plain, terms in best.items()]


def compete(naive_bayes: Choice, linear: Searched, scored: Callable[[Array], Array]) -> Contest:
    """The better of both by the objective. Where they are equal it is naive Bayes, which learns and forgets.

    scored : folds ↦ the scores of all documents, (n, K), under the model of naive Bayes without their fold
    """
    assert linear.best is not None and linear.folds is not None  # it was searched to be compared
    other = choice_of(linear.best, linear.trials, linear.folds, linear.training.groups)
    candidate, class_ids = naive_bayes.best.candidate, linear.training.class_ids
    trial = judged(candidate, scored(linear.folds), class_ids, naive_bayes.objective, linear.positive)
    is_linear = other.best.rank[0] < trial.rank[0]
    choice = replace(
        other,
        best=other.best if is_linear else trial,
        trials=[trial, *other.trials],
        near_duplicated=naive_bayes.near_duplicated,
        positive=naive_bayes.positive,
        naive_bayes=naive_bayes,
    )
    return Contest(choice, linear if is_linear else None)
