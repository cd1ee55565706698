"""Calibration: how much the scores of a model are to be believed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textnb.arrays import Array
from textnb.model.decision import behind_best
from textnb.model.plain import check_calibration


@dataclass(frozen=True)
class Calibration:
    """How much scores are to be believed: log P(c | x) ∝ b_c + s_c(x) / (T · length^γ).

    Naive Bayes counts dependent words as if each were new evidence, the more so the longer the document: the
    temperature T and the exponent γ take that back. They scale all classes alike, so the most probable one stays.
    Offsets b_c, one per class, also move the borders between classes. A document without a known word (length 0) is
    left as it is, and a class that is impossible stays so.
    """

    temperature: float = 1.0
    length_exponent: float = 0.0
    offsets: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_calibration(self.temperature, self.length_exponent, self.offsets)

    def apply(self, joint: Array, lengths: Array | None = None) -> Array:
        """The calibrated scores, (n, K), of which `log_posterior` and `most_probable` make what they make of others.

        joint : (n, K) log P(x, c), or a complement model's scores
        lengths : (n,) how many words of each document the model knows
        """
        if self.offsets and len(self.offsets) != joint.shape[1]:
            raise ValueError(f"calibrated for {len(self.offsets)} classes, got scores of {joint.shape[1]}.")
        if lengths is None:
            if self.length_exponent:
                raise ValueError("this calibration needs the lengths of the documents: pass lengths.")
            lengths = np.ones(len(joint))
        known = (lengths > 0) & ~np.isneginf(joint).all(axis=1)
        if not known.all():
            calibrated = joint.astype(np.float64)
            calibrated[known] = self.apply(joint[known], lengths[known])
            return calibrated
        with np.errstate(over="ignore"):
            scaled = behind_best(joint) / (self.temperature * lengths**self.length_exponent)[:, np.newaxis]
        return scaled + np.array(self.offsets, dtype=np.float64) if self.offsets else scaled
