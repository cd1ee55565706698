"""A fitted text model as prediction needs it, on numpy alone: what a model file opens as."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.model.calibration import Calibration
from textnb.model.decision import (
    UNSURE,
    for_prior,
    log_odds_against,
    log_posterior,
    most_probable,
    resolve_impossible,
)
from textnb.model.policy import Policy
from textnb.model.prior import log_ratios, shares_of
from textnb.text.analyzer import Analyzer
from textnb.text.documents import as_strings, batches
from textnb.text.features import Features
from textnb.text.vocabulary import UNKNOWN
from textnb.text.weights import Weighting

if TYPE_CHECKING:
    from textnb.model.evidence import Evidence
    from textnb.model.explanation import Explanation
    from textnb.text.spans import Occurrences

_MOST_PLACES = 1 << 23  # terms of a document, at the most, that explanations have places of
_BLOCK = 4096  # documents whose counts and scores are held at a time
_MOST_SCORES = 1 << 22  # of documents that are scored together


class Rule(Protocol):
    """From weighted rows to log P(x | c), or a complement model's scores, (n, K)."""

    def log_likelihood(self, X: Any) -> Array: ...

    def lead(self, c: int) -> Array: ...

    def contributions(self, row: Any) -> tuple[Array, Array]: ...


@dataclass(frozen=True, eq=False)
class Predictor:
    """Analyzer, features, weighting, rule and prior: from documents to probabilities."""

    analyzer: Analyzer
    features: Features
    unknown: bool  # whether there is one more column, the last, for <UNK>
    weighting: Weighting
    rule: Rule
    log_prior: Array
    prior_in_score: bool
    classes: Array
    calibration: Calibration | None = None
    policy: Policy | None = None
    n_jobs: int | None = None
    constant: str = "intercept"  # what an explanation calls the part of a score that no term brings
    shares: tuple[float, ...] | None = None  # of the classes, where another mix is expected than probabilities assume

    def with_prior(self, prior: Any) -> Predictor:
        """The same model where documents come from another mix of classes, given as a dict of each to its share.

        P'(c | x) ∝ P(c | x) · new_c / old_c. What probabilities assume, old, is the mix of the documents that they were
        calibrated on; that of the model where it is not calibrated, or by an older textnb; and equal shares for raw
        probabilities of a model whose scores leave the prior out. None gives the model as it is.
        """
        if prior is None:
            return self
        shifted = replace(self, shares=shares_of(prior, self.classes.tolist()))
        for raw in (False, True):
            shifted.log_ratios(raw=raw)  # what cannot be corrected is refused now
        return shifted

    def assumed_shares(self, *, raw: bool = False) -> list[float]:
        """The mix of classes that probabilities assume."""
        if self._calibration is not None and not raw:
            if self._calibration.mix is not None:
                return list(self._calibration.mix)
        elif not self.prior_in_score:
            return [1 / len(self.classes)] * len(self.classes)
        return self.learned_shares

    @cached_property
    def _calibration(self) -> Calibration | None:
        """The calibration of the classes of the model."""
        return None if self.calibration is None else self.calibration.among(self.classes.tolist())

    @property
    def learned_shares(self) -> list[float]:
        """The prior of the model, learned or given."""
        shares: Array = np.exp(self.log_prior - self.log_prior.max())
        return (shares / shares.sum()).tolist()

    def log_ratios(self, *, raw: bool = False) -> list[float] | None:
        """log(new_c / old_c) of each class, where another mix is expected."""
        if self.shares is None:
            return None
        return log_ratios(self.shares, self.assumed_shares(raw=raw), self.classes.tolist())

    @property
    def n_columns(self) -> int:
        return self.features.n_columns + self.unknown

    def count(self, texts: Any) -> SparseRows:
        """The documents' counts of the model's columns."""
        return self._count(list(self._strings(texts)))

    def _strings(self, texts: Any) -> Iterator[str]:
        return as_strings(texts, is_mail=self.analyzer.is_mail)

    def _blocks(self, texts: Any) -> Iterator[list[str]]:
        return batches(self._strings(texts), max(1, min(_BLOCK, _MOST_SCORES // len(self.classes))))

    def _count(self, documents: list[str]) -> SparseRows:
        rows, outside = self.features.count(documents, self.analyzer, self.n_jobs)
        return rows.append_column(outside) if self.unknown else rows

    def log_likelihood(self, texts: Any) -> Array:
        """log P(x | c), or a complement model's scores, (n, K)."""
        blocks = [self._log_likelihood(self._count(block)) for block in self._blocks(texts)]
        return np.concatenate(blocks) if blocks else np.zeros((0, len(self.classes)))

    def _log_likelihood(self, rows: SparseRows) -> Array:
        return self.rule.log_likelihood(self.weighting.apply(rows))

    def _joint(self, rows: SparseRows) -> Array:
        return self._with_prior(self.weighting.apply(rows))

    def _with_prior(self, weighted: SparseRows) -> Array:
        scores = self.rule.log_likelihood(weighted)
        return scores + self.log_prior if self.prior_in_score else scores

    def log_proba(self, texts: Any, *, raw: bool = False) -> Array:
        """log P(c | x), (n, K): calibrated if the model is, or as the raw model has it."""
        blocks = [self._log_proba(self._count(block), raw) for block in self._blocks(texts)]
        return np.concatenate(blocks) if blocks else np.zeros((0, len(self.classes)))

    def _log_proba(self, rows: SparseRows, raw: bool) -> Array:
        return self._of_joint(self._joint(rows), rows, raw)

    def _of_joint(self, joint: Array, rows: SparseRows, raw: bool) -> Array:
        if self._calibration is not None and not raw:
            joint = self._calibration.apply(joint, rows.row_sums())
        return self._in_mix(log_posterior(joint, self.log_prior), raw)

    def _in_mix(self, log_proba: Array, raw: bool) -> Array:
        """Log-probabilities of documents of the expected mix."""
        ratios = self.log_ratios(raw=raw)
        return log_proba if ratios is None or self.shares is None else for_prior(log_proba, ratios, self.shares)

    def raw_log_proba(self, joint: Array) -> Array:
        """log P(c | x) as the raw model has it, (n, K), from the scores that `scored` gives."""
        return self._in_mix(log_posterior(joint, self.log_prior), raw=True)

    def scored(self, texts: Any) -> tuple[Array, Array]:
        """The raw scores and log P(c | x), calibrated if the model is, both (n, K).

        Where no class is possible, the raw scores are the prior, as probabilities are. Scores are those of the model,
        whatever mix of classes is expected.
        """
        blocks = [self._scored(self._count(block)) for block in self._blocks(texts)]
        if not blocks:
            return np.zeros((0, len(self.classes))), np.zeros((0, len(self.classes)))
        joint, log_proba = zip(*blocks, strict=True)
        return np.concatenate(joint), np.concatenate(log_proba)

    def _scored(self, rows: SparseRows) -> tuple[Array, Array]:
        joint = self._joint(rows)
        return resolve_impossible(joint, self.log_prior), self._of_joint(joint, rows, raw=False)

    def score(self, texts: Any, positive: Any) -> Array:
        """The log-odds of a class against all others together, from raw scores, (n,)."""
        return -log_odds_against(self.scored(texts)[0], self.classes.tolist().index(positive))

    def predict(self, texts: Any) -> Array:
        """The most probable class of every document."""
        blocks = [self._most_probable(self._count(block)) for block in self._blocks(texts)]
        return self.classes[np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.int64)]

    def _most_probable(self, rows: SparseRows) -> Array:
        """By the raw scores, unless the calibration or another mix of classes moves the borders between classes."""
        if self.shares is None and (self.calibration is None or not self.calibration.moves_label):
            return most_probable(self._joint(rows), self.log_prior)
        return self._log_proba(rows, raw=False).argmax(axis=1)

    def decide(self, texts: Any) -> list[Any]:
        """The class that the policy names for every document, None where it is unsure; without one, the likeliest."""
        return self.named(self.log_proba(texts))

    def named(self, log_proba: Array) -> list[Any]:
        """The decisions given log P(c | x), (n, K)."""
        if self.policy is None:
            decided = log_proba.argmax(axis=1)
        else:
            decided = self.policy.rule(self.classes).decide(log_proba, self.log_ratios())
        labels = self.classes.tolist()
        return [None if c == UNSURE else labels[c] for c in decided.tolist()]

    @property
    def has_policy(self) -> bool:
        """Whether decisions have a price."""
        return self.policy is not None

    @property
    def is_mail(self) -> bool:
        """Whether documents are messages."""
        return self.analyzer.is_mail

    def explain(self, text: str, *, label: Any = None, against: Any = None) -> Explanation:
        """Why a document is of its class rather than of the runner-up, or of one class rather than of another."""
        (document,) = self._strings([text])
        shown, text = self._shown(document)
        return shown._explain(text, label, against)

    def _shown(self, document: str) -> tuple[Predictor, str]:
        """The text by which a document is explained, a message's rendering, and what predicts from it."""
        if not self.analyzer.is_mail:
            return self, document
        return replace(self, analyzer=self.analyzer.of_rendered), self.analyzer.rendered(document)

    def _explain(self, document: str, label: Any, against: Any) -> Explanation:
        from textnb.model.explanation import explanation

        occurrences, counts = self._located(document)
        weighted = self.weighting.apply(counts)
        joint = self._with_prior(weighted)
        ratios = self.log_ratios(raw=True)
        return explanation(
            self._evidence(document, occurrences, counts, weighted),
            self.classes.tolist(),
            joint[0],
            self.log_prior,
            lambda: self._of_joint(joint, counts, raw=False)[0],
            lambda texts: self._most_probable(self._count([text for (text,) in texts])),
            adds_prior=self.prior_in_score,
            winner=int(self._most_probable(counts)[0]),
            shift=None if ratios is None else np.array(ratios),
            label=label,
            against=against,
        )

    def evidence(self, text: str) -> list[Evidence]:
        """What the terms of a text, and what goes with any text, add to the scores."""
        shown, text = self._shown(text)
        occurrences, counts = shown._located(text)
        return shown._evidence(text, occurrences, counts, self.weighting.apply(counts))

    def _located(self, text: str) -> tuple[Occurrences | None, SparseRows]:
        """Where a document has which columns, and the row that `count` gives; places not of too many terms."""
        low, high = self.analyzer.ngrams
        if len(text) * (high - low + 1) > _MOST_PLACES:
            return None, self._count([text])
        occurrences = self.features.locate(text, self.analyzer)
        return occurrences, self._counted(occurrences)

    def _counted(self, occurrences: Occurrences) -> SparseRows:
        known = occurrences.ids[occurrences.ids >= 0]
        columns, counts = np.unique(known, return_counts=True)
        row = SparseRows(np.array([0, len(columns)]), columns, counts, self.features.n_columns)
        return row.append_column(np.array([len(occurrences.ids) - len(known)])) if self.unknown else row

    def _evidence(
        self, text: str, occurrences: Occurrences | None, counts: SparseRows, weighted: SparseRows
    ) -> list[Evidence]:
        from textnb.model.evidence import Evidence, constants
        from textnb.text.spans import words

        added, constant = self.rule.contributions(weighted)
        columns = counts.indices
        unknown = len(columns) - 1 if len(columns) and columns[-1] == self.features.n_columns else None

        def by_row() -> Occurrences:
            assert occurrences is not None
            known = occurrences.ids >= 0
            rows = np.where(known, np.searchsorted(columns, occurrences.ids), -1 if unknown is None else unknown)
            return occurrences._replace(ids=rows).select((rows >= 0) & (occurrences.n_units > 0))

        terms = Evidence(
            kind="term",
            names=lambda rows: self.column_names(columns[rows]),
            scores=added,
            values=weighted.data,
            counts=counts.data,
            text=text,
            occurrences=None if occurrences is None else by_row,
            words=lambda: words(self.analyzer, text),
            keeps_case=self.analyzer.keeps_case,
            unknown=unknown,
        )
        return [terms, *constants({self.constant: constant}, "constant")]

    def scores(self, rows: SparseRows) -> Array:
        """log P(x, c), or a complement model's scores, (n, K), from what `count` gives."""
        return self._joint(rows)

    def log_proba_of(self, rows: SparseRows, joint: Array, *, raw: bool = False) -> Array:
        """What `log_proba` makes of counts and scores."""
        return self._of_joint(joint, rows, raw)

    def top_terms(self, n: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """For each class, the terms that speak most for it, with their weights.

        A term's weight is what a unit of it adds to the class's score beyond what it adds, on average, to the others'.
        """
        if n < 0:
            raise ValueError(f"n must be 0 or more, got {n}")
        best = {label: _largest(self.rule.lead(c), n) for c, label in enumerate(self.classes.tolist())}
        names = iter(self.column_names(np.concatenate([columns for columns, _ in best.values()])))
        return {label: [(next(names), weight) for weight in weights.tolist()] for label, (_, weights) in best.items()}

    def column_names(self, columns: Array | None = None) -> list[str]:
        """The names of some columns, or of all: terms, and `<UNK>` last if there is one."""
        if columns is None:
            return [*self.features.names(), *[UNKNOWN] * self.unknown]
        inside = columns < self.features.n_columns
        names = iter(self.features.names(columns[inside]))
        return [next(names) if known else UNKNOWN for known in inside.tolist()]


def _largest(values: Array, n: int) -> tuple[Array, Array]:
    """The positions of the n largest values, of equal ones the first, and the values."""
    found = np.arange(len(values))
    if 0 < n < len(values):  # sorting them all would take long
        found = np.flatnonzero(values >= np.partition(values, -n)[-n])
    found = found[np.argsort(-values[found], kind="stable")][:n]
    return found, values[found]
