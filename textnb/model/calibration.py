"""Calibration: how much the scores of a model are to be believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from textnb.arrays import Array
from textnb.model.decision import behind_best
from textnb.model.plain import LEAST_SLOPE, check_calibration, check_fitted_to, values_among
from textnb.model.policy import Label


@dataclass(frozen=True)
class Calibration:
    """How much scores are to be believed: log P(c | x) ∝ z_c = b_c + d_c log length + u_c, u_c = s_c / (T · length^γ).

    Naive Bayes counts dependent words as if each were new evidence, the more so the longer the document: the
    temperature T and the exponent γ take that back. They scale all classes alike, so the most probable one stays.

    Offsets b_c and slopes d_c, one per class, also say which classes are named too often, and in long documents or
    short ones. They would move the borders between classes. Where the label is kept, no class gets more than nearly the
    probability of the one with the best score, t: log P(c | x) ∝ min(z_c − z_t, u_c / 100), so that the order of the
    two is that of their scores still.

    A document without a known word (length 0) is left as it is, and a class that is impossible stays so. `mix` has the
    shares of the classes among the documents that the calibration was fitted to: what its probabilities assume.
    `labels` has the classes that it was fitted to, where these are not those of the model any more.
    """

    temperature: float = 1.0
    length_exponent: float = 0.0
    offsets: tuple[float, ...] = ()
    slopes: tuple[float, ...] | None = None
    keeps_label: bool | None = None
    mix: tuple[float, ...] | None = None
    labels: tuple[Label, ...] | None = None

    def __post_init__(self) -> None:
        check_calibration(self.temperature, self.length_exponent, self.offsets, self.slopes, self.keeps_label, self.mix)
        if self.labels is not None:
            check_fitted_to(self.labels, self.offsets, self.mix)

    @property
    def moves_label(self) -> bool:
        """Whether the most probable class can be another than that of the best score."""
        return bool(self.offsets) and not self.keeps_label

    @property
    def needs_lengths(self) -> bool:
        return bool(self.length_exponent or self.slopes)

    def kept(self, before: Sequence[Any], after: Sequence[Any]) -> Self:
        """The same for a model whose classes were others: where they are not those it was fitted to, it says which."""
        fitted_to = tuple(before) if self.labels is None else self.labels
        if not (self.offsets or self.mix) or list(before) == list(after):
            return self
        return replace(self, labels=None if fitted_to == tuple(after) else fitted_to)

    def among(self, classes: Sequence[Any]) -> Self:
        """The calibration of the classes of a model: one that it was not fitted to has neither offset nor slope."""
        if self.labels is None:
            return self
        return replace(
            self,
            offsets=() if not self.offsets else values_among(self.labels, self.offsets, classes),
            slopes=None if self.slopes is None else values_among(self.labels, self.slopes, classes),
            mix=None,
            labels=None,
        )

    def apply(self, joint: Array, lengths: Array | None = None) -> Array:
        """The calibrated scores, (n, K), of which `log_posterior` and `most_probable` make what they make of others.

        joint : (n, K) log P(x, c), or a complement model's scores
        lengths : (n,) how many words of each document the model knows
        """
        if self.offsets and len(self.offsets) != joint.shape[1]:
            raise ValueError(f"calibrated for {len(self.offsets)} classes, got scores of {joint.shape[1]}.")
        if lengths is None:
            if self.needs_lengths:
                raise ValueError("this calibration needs the lengths of the documents: pass lengths.")
            lengths = np.ones(len(joint))
        known = (lengths > 0) & ~np.isneginf(joint).all(axis=1)
        if not known.all():
            calibrated = joint.astype(np.float64)
            calibrated[known] = self.apply(joint[known], lengths[known])
            return calibrated
        with np.errstate(over="ignore"):
            scaled = behind_best(joint) / (self.temperature * lengths**self.length_exponent)[:, np.newaxis]
        if not self.offsets:
            return scaled
        moved = np.array(self.offsets, dtype=np.float64)
        if self.slopes is not None:
            moved = moved + np.log(lengths)[:, np.newaxis] * np.array(self.slopes)
        moved = scaled + moved
        return keeping_best(moved, scaled) if self.keeps_label else moved


def keeping_best(moved: Array, scaled: Array) -> Array:
    """min(z_c − z_t, u_c / 100), (n, K), where t is the first of the best classes by u, for which u_t = 0."""
    best = np.take_along_axis(moved, scaled.argmax(axis=1)[:, np.newaxis], axis=1)
    return np.minimum(moved - best, LEAST_SLOPE * scaled)
