"""Calibration fitted to the scores that each document got from a model that had not seen it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textnb.arrays import Array, distinct
from textnb.model.calibration import Calibration
from textnb.model.decision import behind_best

FEWEST_DOCUMENTS = 10  # fewer say nothing about how sure to be
_IMPOSSIBLE = -1e100  # in place of −∞: as improbable, but 0 times it is 0
_MOST_STEPS = 60
_TOLERANCE = 1e-3  # nats, over all documents together: far below what the parameters can be known to


def fit_calibration(
    joint: Array,
    class_ids: Array,
    lengths: Array | None = None,
    *,
    offsets: bool = False,
    length_exponent: bool = True,
) -> Calibration:
    """The calibration under which leave-one-out scores have the least log-loss.

    joint : (n, K) log P(x, c) of each document under the model without it, or a complement model's scores
    class_ids : (n,) the true class of each document
    lengths : (n,) how many words of each document the model knows; without them there is no length exponent
    offsets : whether classes may get offsets; the most probable class of a document can change by them
    length_exponent : whether there may be one; without it, calibrated scores of two classes rank as they did

    Exponent and offsets are kept only where they lower the Bayesian information criterion (Schwarz 1978). Documents
    without a word, or impossible in their own class, say nothing about it; if too few others are left, or all of one
    class, the scores stay as they are.
    """
    usable = ~np.isneginf(joint[np.arange(len(joint)), class_ids])
    if lengths is not None:
        usable &= lengths > 0
    if usable.sum() < FEWEST_DOCUMENTS or len(distinct(class_ids[usable])) < 2:
        return Calibration()
    behind = behind_best(joint[usable])
    targets = _targets(behind, class_ids[usable])
    behind = np.maximum(behind, _IMPOSSIBLE)

    features = np.ones((len(behind), 1))
    best = _fit(behind, targets, features, np.log([_first_temperature(behind)]))
    centre = 0.0
    if lengths is not None and length_exponent:
        logs = np.log(lengths[usable])
        centre = logs.mean()  # around it, temperature and exponent are nearly independent
        with_lengths = np.column_stack([features, logs - centre])
        longer = _fit(behind, targets, with_lengths, np.append(best.scale, 0.0))
        if longer.criterion < best.criterion:
            best, features = longer, with_lengths
    if offsets:
        moved = _fit(behind, targets, features, best.scale, np.zeros(joint.shape[1]))
        best = min(best, moved, key=lambda fit: fit.criterion)
    exponent = np.clip(best.scale[1], -10, 10) if len(best.scale) > 1 else 0.0
    temperature = np.exp(np.clip(best.scale[0] - exponent * centre, -200, 200))
    mix = np.bincount(class_ids[usable], minlength=joint.shape[1]) / usable.sum()
    return Calibration(
        float(temperature),
        float(exponent),
        tuple(best.offsets.tolist()),
        mix=tuple(mix.tolist()) if mix.all() else None,
    )


def _targets(behind: Array, class_ids: Array) -> Array:
    """The true class, with a doubt of 1 / (n + 2) spread over the possible ones, (n, K).

    After Platt 1999. Without it, a model that makes no error would become certain of everything.
    """
    n = len(behind)
    possible = ~np.isneginf(behind)
    targets = possible / ((n + 2) * possible.sum(axis=1, keepdims=True))
    targets[np.arange(n), class_ids] += (n + 1) / (n + 2)
    return targets


def _first_temperature(behind: Array) -> float:
    """At which the second class is a few nats behind the best, in the median."""
    margin = float(np.median(-np.partition(behind, -2, axis=1)[:, -2]))
    return margin / 4 if 0 < margin < -_IMPOSSIBLE else 1.0


class _Fit(NamedTuple):
    scale: Array  # (m,) what features weigh in the logarithm of the temperature
    offsets: Array  # (K,) or (0,)
    criterion: float


def _fit(behind: Array, targets: Array, features: Array, scale: Array, offsets: Array | None = None) -> _Fit:
    """Minimise −Σ_ic t_ic log p_ic + ½ Σ_c b_c², where p_i = softmax(b + u_i) and u_ic = s_ic exp(−f_i · θ).

    Levenberg and Marquardt's steps: Gauss and Newton's, shortened until the loss falls. The prior of the offsets b,
    normal, keeps classes of few documents close to 0.
    """
    n, m = features.shape
    parameters = np.concatenate([scale, () if offsets is None else offsets])

    def judge(parameters: Array) -> tuple[float, Array, Array]:
        evidence = behind * np.exp(-np.einsum("ik,k->i", features, parameters[:m]))[:, np.newaxis]
        shifted = evidence if offsets is None else behind_best(evidence + parameters[m:])
        probabilities = np.exp(shifted)
        total = probabilities.sum(axis=1, keepdims=True)
        probabilities /= total
        loss = float(np.log(total).sum() - np.einsum("ic,ic->", targets, shifted) + 0.5 * np.sum(parameters[m:] ** 2))
        return loss, evidence, probabilities

    loss, evidence, probabilities = judge(parameters)
    damping = 1e-3
    for _ in range(_MOST_STEPS):
        gradient, curvature = _slopes(evidence, probabilities, targets, features, parameters[m:])
        diagonal = np.diag(np.diag(curvature) + 1e-12)
        fallen = 0.0
        while damping < 1e12:
            tried = parameters - np.linalg.solve(curvature + damping * diagonal, gradient)
            with np.errstate(over="ignore", invalid="ignore"):  # a step too far is judged NaN, and not taken
                outcome = judge(tried)
            if outcome[0] <= loss:
                fallen = loss - outcome[0]
                parameters, (loss, evidence, probabilities) = tried, outcome
                damping /= 10
                break
            damping *= 10
        if fallen < _TOLERANCE:
            break
    free = m + max(len(parameters) - m - 1, 0)
    return _Fit(parameters[:m], parameters[m:], 2 * loss + free * float(np.log(n)))


def _slopes(
    evidence: Array, probabilities: Array, targets: Array, features: Array, offsets: Array
) -> tuple[Array, Array]:
    """Gradient and Gauss–Newton curvature of the loss by θ and, where there are any, by the offsets.

    By einsum: matrix products of arrays this narrow gain nothing from threads, and wait for them where cores are busy.
    """
    error = probabilities - targets
    mean = np.einsum("ic,ic->i", probabilities, evidence)
    spread = probabilities * (evidence - mean[:, np.newaxis])
    variance = np.einsum("ic,ic->i", spread, evidence)
    gradient = -np.einsum("ik,i->k", features, np.einsum("ic,ic->i", error, evidence))
    curvature = np.einsum("ik,i,il->kl", features, variance, features)
    if not len(offsets):
        return gradient, curvature
    crossed = -np.einsum("ik,ic->kc", features, spread)
    own = np.diag(probabilities.sum(axis=0) + 1) - np.einsum("ic,id->cd", probabilities, probabilities)
    return (np.concatenate([gradient, error.sum(axis=0) + offsets]), np.block([[curvature, crossed], [crossed.T, own]]))
