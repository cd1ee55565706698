"""A fitted text model as prediction needs it, on numpy alone: what a model file opens as."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from textnb.decision import UNSURE, Calibration, log_posterior, most_probable
from textnb.likelihood.rules import LinearRule
from textnb.policy import Policy
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_known, pays_to_compile
from textnb.text.documents import as_documents, batches, decoded
from textnb.text.rows import Array, SparseRows
from textnb.text.term_index import TermIndex
from textnb.text.vocabulary import UNKNOWN, Vocabulary
from textnb.text.weights import Weighting

_BLOCK = 4096  # documents whose counts and scores are held at a time


@dataclass(frozen=True, eq=False)
class Predictor:
    """Analyzer, vocabulary, weighting, rule and prior: from documents to probabilities."""

    analyzer: Analyzer
    vocabulary: Vocabulary | TermIndex
    unknown: bool  # whether the last column is <UNK>
    weighting: Weighting
    rule: LinearRule
    log_prior: Array
    prior_in_joint: bool  # a complement model has none
    classes: Array
    calibration: Calibration | None = None
    policy: Policy | None = None
    n_jobs: int | None = None

    @property
    def n_columns(self) -> int:
        return len(self.vocabulary) + self.unknown

    def count(self, texts: Any) -> SparseRows:
        """The documents' counts of the model's columns."""
        return self._count(list(decoded(as_documents(texts))))

    def _count(self, documents: list[str]) -> SparseRows:
        rows, outside = count_known(documents, self.analyzer, self._vocabulary_for(documents), self.n_jobs)
        return rows.append_column(outside) if self.unknown else rows

    def _vocabulary_for(self, documents: list[str]) -> Vocabulary | TermIndex:
        """The index of a model file as it lies for a few documents, as a dictionary for many."""
        many = isinstance(self.vocabulary, TermIndex) and pays_to_compile(documents, self.vocabulary, 16)
        return self._dictionary if many else self.vocabulary

    @cached_property
    def _dictionary(self) -> Vocabulary:
        terms = self.vocabulary.terms()
        return Vocabulary.of_ids(dict(zip(terms, range(len(terms)), strict=True)))

    def log_likelihood(self, texts: Any) -> Array:
        """log P(x | c), or a complement model's scores, (n, K)."""
        blocks = [self._log_likelihood(block) for block in _blocks(texts)]
        return np.concatenate(blocks) if blocks else np.zeros((0, len(self.classes)))

    def _log_likelihood(self, documents: list[str]) -> Array:
        return self.rule.log_likelihood(self.weighting.apply(self._count(documents)))

    def _joint(self, rows: SparseRows) -> Array:
        scores = self.rule.log_likelihood(self.weighting.apply(rows))
        return scores + self.log_prior if self.prior_in_joint else scores

    def log_proba(self, texts: Any, *, raw: bool = False) -> Array:
        """log P(c | x), (n, K): calibrated if the model is, or as the raw model has it."""
        blocks = [self._log_proba(self._count(block), raw) for block in _blocks(texts)]
        return np.concatenate(blocks) if blocks else np.zeros((0, len(self.classes)))

    def _log_proba(self, rows: SparseRows, raw: bool) -> Array:
        joint = self._joint(rows)
        if self.calibration is not None and not raw:
            joint = self.calibration.apply(joint, rows.row_sums())
        return log_posterior(joint, self.log_prior)

    def predict(self, texts: Any) -> Array:
        """The most probable class of every document, calibrated or not."""
        blocks = [most_probable(self._joint(self._count(block)), self.log_prior) for block in _blocks(texts)]
        return self.classes[np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.int64)]

    def decide(self, texts: Any) -> list[Any]:
        """The class that the policy names for every document, None where it is unsure; without one, the likeliest."""
        return self.named(self.log_proba(texts))

    def named(self, log_proba: Array) -> list[Any]:
        """What is decided given log P(c | x), (n, K)."""
        decided = log_proba.argmax(axis=1) if self.policy is None else self.policy.rule(self.classes).decide(log_proba)
        labels = self.classes.tolist()
        return [None if c == UNSURE else labels[c] for c in decided.tolist()]

    def top_terms(self, n: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """For each class, the terms that speak most for it, with their weights.

        A term's weight is what a unit of it adds to the class's score beyond what it adds, on average, to the others'.
        """
        if n < 0:
            raise ValueError(f"n must be 0 or more, got {n}")
        weights = np.asarray(self.rule.weights)
        others = max(len(self.classes) - 1, 1)
        total = weights.sum(axis=1)
        names = self.column_names()
        found = {}
        for c, label in enumerate(self.classes.tolist()):
            lead = weights[:, c] - (total - weights[:, c]) / others
            best = np.lexsort((np.arange(len(lead)), -lead))[:n]
            found[label] = [(names[j], float(lead[j])) for j in best]
        return found

    def column_names(self) -> list[str]:
        return [*self.vocabulary.terms(), *[UNKNOWN] * self.unknown]


def _blocks(texts: Any) -> Iterator[list[str]]:
    return batches(decoded(as_documents(texts)), _BLOCK)
