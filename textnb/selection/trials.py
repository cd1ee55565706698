"""Trying candidates on documents, each scored by a model that never saw it: one counting pass per analyzer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.likelihood.forgotten import Forgotten, forgotten_columns
from textnb.likelihood.groups import group_rows
from textnb.likelihood.prior import class_log_prior
from textnb.model.decision import log_odds_against, log_posterior
from textnb.model.derive import knowing_headers
from textnb.selection.candidates import Candidate, Fixed, Terms
from textnb.selection.duplicates import share_near_duplicated
from textnb.selection.objectives import macro_f1, mean_auc, share_caught
from textnb.selection.subtraction import leave_one_out_scores
from textnb.text.analyzer import Analyzer
from textnb.text.counting import RememberedCounts
from textnb.text.features import EMPTY_VOCABULARY
from textnb.text.limits import Limits
from textnb.text.terms import TermTable
from textnb.text.weights import Weighting

Count = Callable[[Sequence[str], Analyzer, "int | None"], tuple[TermTable, SparseRows]]


@dataclass(frozen=True)
class Trial:
    """A candidate, and how it did on documents that its model had not seen."""

    candidate: Any  # a Candidate, or a LinearCandidate
    accuracy: float
    log_loss: float
    caught: float | None = None  # share of spam, where there is any: see `share_caught`
    objective: str = "accuracy"
    macro_f1: float | None = None  # where that is the objective, as the next
    auc: float | None = None

    @property
    def rank(self) -> tuple[float, ...]:
        """The lower the better; ties by accuracy, then by log-loss."""
        if self.objective == "accuracy":
            return -self.accuracy, self.log_loss
        better = self.log_loss if self.objective == "log-loss" else -(getattr(self, self.field) or 0.0)
        return better, -self.accuracy, self.log_loss

    @property
    def field(self) -> str:
        """The attribute that the objective goes by."""
        return self.objective.replace("-", "_")

    def to_json(self) -> dict[str, Any]:
        found = {**self.candidate._asdict(), "ngrams": list(self.candidate.ngrams)}
        found |= {"accuracy": self.accuracy, "log_loss": self.log_loss if np.isfinite(self.log_loss) else None}
        for name in ("min_deviation", "analyzer", "tokenizer"):
            if found.get(name) is None:
                found.pop(name, None)
        further = {name: getattr(self, name) for name in ("caught", "macro_f1", "auc")}
        return found | {name: value for name, value in further.items() if value is not None}


class Tried(NamedTuple):
    """A trial, and which documents it got right."""

    trial: Trial
    right: Array


class Selected(NamedTuple):
    """The counts of a choice of terms, which of all columns they are, and those that leave with a document."""

    rows: SparseRows
    kept: Array | None
    forgotten: Forgotten | None


@dataclass
class TriedDocuments:
    """Documents that candidates are tried on, and what all trials share.

    `analyzer` says all but the choice of terms, `limits` all but min_df, unless the vocabulary is given. `some` are the
    positions of the documents among those that are counted, if it is not all of them.
    """

    documents: Sequence[str]
    class_ids: Array
    groups: Array | None
    analyzer: Analyzer
    fixed: Fixed
    limits: Limits
    vocabulary: TermTable | None
    count: Count
    objective: str
    positive: int | None  # the class to be caught
    norm: bool = False
    fit_prior: bool = True
    class_prior: Any = None
    n_jobs: int | None = None
    some: Array | None = None
    _counted: dict[Terms, tuple[TermTable, SparseRows]] = field(default_factory=dict)
    _selected: dict[Terms, Selected] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.class_ids)

    def counted(self, terms: Terms) -> tuple[TermTable, SparseRows]:
        """The terms and counts of an analyzer; those of the last two are kept."""
        as_counted = terms._replace(min_df=1)
        if as_counted not in self._counted:
            while len(self._counted) >= 2:
                del self._counted[next(iter(self._counted))]
            self._counted[as_counted] = self._count(terms.analyzer_of(self.analyzer))
        return self._counted[as_counted]

    def _count(self, analyzer: Analyzer) -> tuple[TermTable, SparseRows]:
        found, rows = self.count(self.documents, analyzer, self.n_jobs)
        if self.some is not None:
            rows = rows.take_rows(self.some)
            occurring = rows.document_frequency() > 0
            found, rows = found.select(occurring), rows.select_columns(occurring)
        if self.vocabulary is not None:
            known = self.vocabulary.locate(found) >= 0
            # What no document has is smoothed too.
            return found.select(known), replace(rows.select_columns(known), n_columns=len(self.vocabulary))
        if not rows.n_columns:
            raise ValueError(EMPTY_VOCABULARY)
        return found, rows

    def kept(self, terms: Terms) -> Array | None:
        """Which of the columns counted are within the limits; None for all."""
        rows, within = self.counted(terms)[1], replace(self.limits, min_df=terms.min_df)
        if self.vocabulary is not None or within.keep_everything:
            return None
        return within.kept(rows.document_frequency(), rows.column_sums, len(self))

    def selected(self, terms: Terms) -> Selected:
        """The columns of a choice of terms; those of the last one are kept."""
        if terms not in self._selected:
            self._selected.clear()
            rows, kept = self.counted(terms)[1], self.kept(terms)
            rows = rows if kept is None else rows.select_columns(kept)
            forgotten = None
            if self.vocabulary is None:
                fewest = terms.min_df if isinstance(terms.min_df, int) else int(np.ceil(terms.min_df * len(self)))
                groups = group_rows(self.groups, self.class_ids, int(self.class_ids.max()) + 1)
                forgotten = forgotten_columns(rows, groups, max(fewest, 1))
            self._selected[terms] = Selected(rows, kept, forgotten)
        return self._selected[terms]

    def possible(self, choices: Sequence[Terms]) -> list[Terms]:
        """The choices that leave any term; that none does is an error."""
        found, reason = [], None
        for terms in choices:
            try:
                self.kept(terms)
            except ValueError as error:
                reason = reason or error
            else:
                found.append(terms)
        if reason is not None and not found:
            raise reason
        return found

    def scores(self, candidate: Candidate, alphas: Sequence[float]) -> Iterator[Array]:
        """The scores of all documents under the model without each, (n, K), with each alpha."""
        rows, kept, forgotten = self.selected(candidate.terms)
        chosen = self.fixed.family(candidate)
        if chosen.clarity is not None:
            chosen = knowing_headers(chosen, self.counted(candidate.terms)[0], kept)
        return leave_one_out_scores(
            chosen,
            Weighting.fitted(candidate.weights, rows).apply(rows),
            self.class_ids,
            alphas,
            self.groups,
            forgotten=forgotten,
            unit_length=candidate.weights.endswith("tfidf"),
            norm=self.norm,
            fit_prior=self.fit_prior,
            class_prior=self.class_prior,
        )

    def tried(self, candidate: Candidate, alphas: Sequence[float]) -> Iterator[Tried]:
        """A candidate with each alpha, by leave-one-out."""
        log_prior = class_log_prior(np.bincount(self.class_ids), learned=self.fit_prior, given=self.class_prior)
        for alpha, joint in zip(alphas, self.scores(candidate, alphas), strict=True):
            tried = candidate._replace(alpha=alpha)
            yield measured(tried, joint, log_posterior(joint, log_prior), self.class_ids, self.objective, self.positive)

    def forget(self, *others: Terms) -> None:
        """Keep no counts but those of some choices of terms."""
        counted = [terms._replace(min_df=1) for terms in others]
        self._counted = {terms: counts for terms, counts in self._counted.items() if terms in counted}
        if isinstance(self.count, RememberedCounts):
            self.count.keep([terms.analyzer_of(self.analyzer) for terms in others])

    def share_near_duplicated(self, terms: Terms) -> float:
        return share_near_duplicated(self.counted(terms)[1])


def measured(
    candidate: Any, joint: Array, posterior: Array, class_ids: Array, objective: str, positive: int | None
) -> Tried:
    """How a candidate did by the scores of documents, and by the log-probabilities that it may have been certain of."""
    named = posterior.argmax(axis=1)
    true = posterior[np.arange(len(class_ids)), class_ids]
    n_classes = joint.shape[1]
    trial = Trial(
        candidate,
        accuracy=float(np.mean(named == class_ids)),
        log_loss=float(0.0 - true.mean()),  # never −0
        caught=None if positive is None else share_caught(_against_rest(joint, positive), class_ids == positive),
        objective=objective,
        macro_f1=macro_f1(named, class_ids, n_classes) if objective == "macro-f1" else None,
        auc=_auc(joint, class_ids) if objective == "auc" else None,
    )
    return Tried(trial, named == class_ids)


def _auc(joint: Array, class_ids: Array) -> float:
    return mean_auc(np.column_stack([_against_rest(joint, c) for c in range(joint.shape[1])]), class_ids)


def _against_rest(joint: Array, c: int) -> Array:
    """The log-odds of one class against all others together, (n,)."""
    with np.errstate(invalid="ignore"):  # none of the classes can have produced it
        return np.nan_to_num(-log_odds_against(joint, c), nan=0.0)
