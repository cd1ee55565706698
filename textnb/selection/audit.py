"""What leave-one-out scores say about documents: labels that look wrong, near duplicates that disagree, novelty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.selection.duplicates import near_duplicates

_BINS = 20  # lengths at which known documents are measured, if there are
_BIN_SIZE = 50  # documents for each


class _Finding:
    def to_json(self) -> dict[str, Any]:
        """The fields by name; null for an infinite number, which JSON cannot say."""
        fields = vars(self).items()
        return {name: None if isinstance(value, float) and not np.isfinite(value) else value for name, value in fields}


@dataclass(frozen=True)
class SuspiciousLabel(_Finding):
    """A document whose words speak for `suggested` and not for its `label`, by `margin` a word."""

    position: int
    label: Any
    suggested: Any
    margin: float


@dataclass(frozen=True)
class CrossClassDuplicate(_Finding):
    """Two documents that are nearly the same and bear different labels."""

    first: int
    second: int
    first_label: Any
    second_label: Any
    similarity: float


@dataclass(frozen=True)
class Novelty(_Finding):
    """By how many standard deviations a document is less probable than known ones of its length: `z`."""

    position: int
    z: float
    unknown_share: float


def suspicious_labels(
    joint: Array, class_ids: Array, lengths: Array, classes: Sequence[Any] | Array
) -> list[SuspiciousLabel]:
    """Documents that another class explains better than the one they are labelled with, the clearest first.

    margin_i = (max_{c ≠ y_i} s_ic − s_iy_i) / length_i, from leave-one-out scores s (n, K) and class numbers y (n,).
    The length is the sum of the weights that were scored: words for a model of counts, less for tf-idf rows. Without it
    long documents, whose words repeat one another's evidence, lead the list.

    Left out is what cannot be judged: documents without words or that no class explains, and classes of which no
    document is explained by the rest, such as those of one document.
    """
    rows = np.arange(len(joint))
    given = joint[rows, class_ids]
    others = np.array(joint, dtype=np.float64)
    others[rows, class_ids] = -np.inf
    suggested = others.argmax(axis=1)
    rival = others[rows, suggested]
    explained = np.bincount(class_ids[given > -np.inf], minlength=joint.shape[1]) > 0
    (doubted,) = np.nonzero((rival > given) & (lengths > 0) & explained[class_ids])
    margin = (rival[doubted] - given[doubted]) / lengths[doubted]
    order = np.argsort(-margin, kind="stable")
    ranked, names = doubted[order], np.asarray(classes)
    columns = (ranked, names[class_ids[ranked]], names[suggested[ranked]], margin[order])
    return [SuspiciousLabel(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]


def cross_class_duplicates(
    rows: SparseRows, class_ids: Array, classes: Sequence[Any] | Array, threshold: float = 0.8
) -> list[CrossClassDuplicate]:
    """The pairs of `near_duplicates` that bear different labels, the most alike first."""
    names = np.asarray(classes)[class_ids].tolist()
    return [
        CrossClassDuplicate(pair.first, pair.second, names[pair.first], names[pair.second], pair.similarity)
        for pair in near_duplicates(rows, threshold)
        if class_ids[pair.first] != class_ids[pair.second]
    ]


def log_evidence(joint: Array) -> Array:
    """log P(x) = log Σ_c P(x, c), (n,), from the joint log-likelihoods (n, K) of a generative model."""
    largest = joint.max(axis=1, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0)
    with np.errstate(divide="ignore"):  # no class can have produced it: −∞
        return shift[:, 0] + np.log(np.exp(joint - shift).sum(axis=1))


@dataclass(frozen=True, eq=False)
class LengthStandard:
    """Mean and standard deviation of log P(x) / length at some log lengths, ascending."""

    log_length: Array
    mean: Array
    spread: Array

    @classmethod
    def of(cls, log_probability: Array, lengths: Array) -> Self:
        """Measured on known documents, each scored by the model without it; impossible and empty ones do not count.

        The probability of a word depends on how long its document is, in the mean and more so in the spread, so both
        are taken over documents of like length, as many for each length.
        """
        (usable,) = np.nonzero((lengths > 0) & np.isfinite(log_probability))
        if not len(usable):
            raise ValueError("there is nothing to compare with: no known document has words and a finite log P(x)")
        by_length = usable[np.argsort(lengths[usable], kind="stable")]
        n_bins = min(_BINS, max(len(usable) // _BIN_SIZE, 1))
        log_length = np.array_split(np.log(lengths[by_length]), n_bins)
        per_word = np.array_split(log_probability[by_length] / lengths[by_length], n_bins)
        return cls(
            log_length=np.array([members.mean() for members in log_length]),
            mean=np.array([members.mean() for members in per_word]),
            spread=np.array([members.std() for members in per_word]),
        )

    def z(self, log_probability: Array, lengths: Array) -> Array:
        """How many standard deviations less probable than known documents, (n,); 0 for those without words."""
        z = np.zeros(len(lengths))
        worded = lengths > 0
        size = np.log(lengths[worded])
        short = np.interp(size, self.log_length, self.mean) - log_probability[worded] / lengths[worded]
        with np.errstate(divide="ignore", invalid="ignore"):  # known documents all alike: others are infinitely strange
            z[worded] = np.where(short == 0, 0, short / np.interp(size, self.log_length, self.spread))
        return z


def novelty(log_probability: Array, lengths: Array, unknown_share: Array, reference: LengthStandard) -> list[Novelty]:
    """New documents, the strangest first: log P(x) against known documents of their length, and unknown words' share.

    log P(x) is a generative model's; beside a complement model, take a multinomial one of the same counts. It should
    charge an unknown word like one never counted, a column of zeros in training: leaving a document out makes just that
    of words no other has, so known and new documents are measured alike.
    """
    z = reference.z(log_probability, lengths)
    order = np.argsort(-z, kind="stable")
    columns = (order, z[order], unknown_share[order])
    return [Novelty(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]
