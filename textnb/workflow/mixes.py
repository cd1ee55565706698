"""Whether classes are as common among documents as the model takes them to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.arrays import Array

LEVEL = 0.001  # how seldom chance alone may look like a difference
LEAST_DISTANCE = 0.05  # half the sum of the differences of shares: smaller ones hardly matter
SHOWN = 3  # classes whose shares a notice gives


@dataclass(frozen=True, eq=False)
class MixDifference:
    """Shares of the classes among documents, and those that a model assumes, which differ by more than chance.

    `p_value` is how often chance alone would make them differ so much (Pearson's chi-square).
    """

    classes: list[str]
    shares: Array  # (K,)
    assumed: Array  # (K,)
    p_value: float

    @property
    def warning(self) -> str:
        largest = np.argsort(-np.abs(self.shares - self.assumed), kind="stable")[:SHOWN]
        listed = " and ".join(f"{self.shares[c]:.1%} {self.classes[c]}" for c in largest)
        assumed = " and ".join(f"{self.assumed[c]:.1%}" for c in largest)
        return (
            f"the classes are not as common here as the model assumes: {listed}, not {assumed}. If the documents that "
            "it will see are like these, say so (--prior CLASS=SHARE,…): probabilities and decisions are better then"
        )

    def to_json(self) -> dict[str, Any]:
        shares = zip(self.classes, self.shares.tolist(), self.assumed.tolist(), strict=True)
        listed = [{"class": name, "share": share, "assumed": assumed} for name, share, assumed in shares]
        return {"p_value": self.p_value, "classes": listed}


def compare_mixes(
    classifier: Any, labels: Array, prior: Mapping[Any, float] | None, n_train: int
) -> MixDifference | None:
    """The mix of some labels against what a fitted model assumes, or None if that is near, or the same but for chance.

    Labels that the model does not know do not count. `prior` is the mix that the model was told to expect; without it,
    it is what the model has learned from `n_train` documents, unless that was given too.
    """
    names = list(map(str, classifier.classes_.tolist()))
    counts = np.array([np.count_nonzero(labels == name) for name in names])
    assumed, is_learned = _assumed(classifier, prior)
    n = counts.sum()
    if len(names) < 2 or not n:
        return None
    shares = counts / n
    if np.abs(shares - assumed).sum() / 2 < LEAST_DISTANCE:
        return None
    p_value = _p_value(counts, assumed, n_train if is_learned else None)
    return None if p_value > LEVEL else MixDifference(names, shares, assumed, p_value)


def _assumed(classifier: Any, prior: Mapping[Any, float] | None) -> tuple[Array, bool]:
    """The mix that a model was trained on, or told to expect, and whether it is an estimate from documents."""
    predictor = getattr(classifier, "predictor_", None)
    if predictor is None:
        return np.exp(classifier.class_log_prior_), prior is None and classifier.priors is None
    if predictor.shares is not None:
        return np.array(predictor.shares), False
    calibration = predictor.calibration
    if calibration is not None and calibration.mix is not None and calibration.labels is None:
        return np.array(calibration.mix), True
    parameters = classifier.parameters_in_use
    return np.array(predictor.learned_shares), bool(parameters["fit_prior"]) and parameters["class_prior"] is None


def _p_value(counts: Array, assumed: Array, n_train: int | None) -> float:
    """P(X² ≥ x), where x = Σ (O − E)² / E over the counts and, where the mix is estimated, those of the training."""
    from scipy.special import gammaincc

    n = counts.sum()
    if n_train is None:
        expected, observed = assumed * n, counts
        if (counts[expected == 0] > 0).any():
            return 0.0
    else:
        pooled = (counts + assumed * n_train) / (n + n_train)
        expected, observed = np.outer([n, n_train], pooled), np.array([counts, assumed * n_train])
    possible = expected > 0
    x = (np.square(observed - expected)[possible] / expected[possible]).sum()
    freedom = int(possible.sum(axis=-1).min() if possible.ndim > 1 else possible.sum()) - 1
    return float(gammaincc(freedom / 2, x / 2)) if freedom else 1.0
