"""Calibration fitted to the scores that each document got from a model that had not seen it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textnb.arrays import Array, distinct
from textnb.model.calibration import Calibration, keeping_best
from textnb.model.decision import behind_best

FEWEST_DOCUMENTS = 10  # fewer say nothing about how sure to be
MOST_CLASSES = 100  # of which each may get an offset
_MOST_DOCUMENTS = 50_000  # that are fitted to; more say no more
_MOST_PRODUCTS = 2e8  # of two classes in a document, which the curvature adds up
_IMPOSSIBLE = -1e100  # in place of −∞: as improbable, but 0 times it is 0
_MOST_STEPS = 60
_FLATTEST = 1e4  # times the temperature to begin with is the highest
_TOLERANCE = 1e-3  # nats, over all documents together: far below what the parameters can be known to


def fit_calibration(
    joint: Array,
    class_ids: Array,
    lengths: Array | None = None,
    *,
    offsets: bool = True,
    keep_label: bool = True,
    length_exponent: bool = True,
    mix: Array | None = None,
) -> Calibration:
    """The calibration under which leave-one-out scores have the least log-loss.

    joint : (n, K) log P(x, c) of each document under the model without it, or a complement model's scores
    class_ids : (n,) the true class of each document
    lengths : (n,) how many words of each document the model knows; without them nothing depends on the length
    offsets : whether classes may get offsets, and slopes by length; there are none for more than 100 classes
    keep_label : whether the most probable class of a document stays that of its best score
    length_exponent : whether anything may depend on the length; without it, calibrated scores of two classes rank as
        they did, but for offsets that move the label
    mix : (K,) the shares of the classes, if not those among these documents

    Exponent, offsets and slopes are kept only where they lower the Bayesian information criterion (Schwarz 1978).
    Documents without a word, or impossible in their own class, say nothing about it; if too few others are left, or all
    of one class, the scores stay as they are. Their order does not matter, to the last digit.
    """
    usable = ~np.isneginf(joint[np.arange(len(joint)), class_ids])
    if lengths is not None:
        usable &= lengths > 0
    if usable.sum() < FEWEST_DOCUMENTS or len(distinct(class_ids[usable])) < 2:
        return Calibration()
    n_classes = joint.shape[1]
    joint, class_ids, lengths = joint[usable], class_ids[usable], None if lengths is None else lengths[usable]
    mix = np.bincount(class_ids, minlength=n_classes) / len(class_ids) if mix is None else mix
    behind = behind_best(joint)
    rows = _some_in_order(behind, class_ids, lengths)
    behind, class_ids = behind[rows], class_ids[rows]
    targets = _targets(behind, class_ids)
    behind = np.maximum(behind, _IMPOSSIBLE)

    ones = np.ones((len(behind), 1))
    best = _fit(behind, targets, ones, np.log([_first_temperature(behind)]))
    by_length, centre = None, 0.0
    if lengths is not None and length_exponent:
        logs = np.log(lengths[rows])
        centre = logs.mean()  # around it, temperature and exponent are nearly independent
        by_length = np.column_stack([ones, logs - centre])
        best = min(best, _fit(behind, targets, by_length, np.append(best.scale, 0.0)), key=_criterion)
    if offsets and n_classes <= MOST_CLASSES:
        features = ones if by_length is None or len(best.scale) == 1 else by_length
        moved = _fit(behind, targets, features, best.scale, ones, np.zeros((1, n_classes)), keep_label)
        fits = [best, moved]
        if by_length is not None:
            start = np.append(moved.scale, 0.0)[:2]
            both = np.zeros((2, n_classes))
            both[0] = moved.offsets[0] if moved.offsets is not None else 0.0
            fits.append(_fit(behind, targets, by_length, start, by_length, both, keep_label))
        best = min(fits, key=_criterion)
    best = best._replace(scale=np.append(min(best.scale[0], _flattest(behind)), best.scale[1:]))
    exponent = float(np.clip(best.scale[1], -10, 10)) if len(best.scale) > 1 else 0.0
    temperature = float(np.exp(np.clip(best.scale[0] - exponent * centre, -200, 200)))
    stated_mix = tuple(mix.tolist()) if mix.all() else None
    if best.offsets is None:
        return Calibration(temperature, exponent, mix=stated_mix)
    slopes = best.offsets[1] if len(best.offsets) > 1 else None
    at_one_word = best.offsets[0] if slopes is None else best.offsets[0] - centre * slopes
    return Calibration(
        temperature,
        exponent,
        tuple(at_one_word.tolist()),
        None if slopes is None else tuple(slopes.tolist()),
        keeps_label=keep_label,
        mix=stated_mix,
    )


def _some_in_order(behind: Array, class_ids: Array, lengths: Array | None) -> Array:
    """Positions of the documents in an order that does not depend on the one they came in; of very many, every k-th.

    Classes come one after the other, so that each keeps its share.
    """
    columns = [*behind.T, class_ids] if lengths is None else [*behind.T, lengths, class_ids]
    n, n_classes = behind.shape
    products = n * n_classes**2 if n_classes <= MOST_CLASSES else 0
    step = int(np.ceil(max(n / _MOST_DOCUMENTS, products / _MOST_PRODUCTS)))
    return np.lexsort(columns)[:: max(step, 1)]


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


def _flattest(behind: Array) -> float:
    """The logarithm of the highest temperature.

    Scores that say nothing would get an infinite one, under which no class is the most probable any more.
    """
    return float(np.log(_FLATTEST * _first_temperature(behind)))


class _Fit(NamedTuple):
    scale: Array  # (m,) what features weigh in the logarithm of the temperature
    offsets: Array | None  # (q, K) what features of lengths weigh in the scores of the classes
    criterion: float


def _criterion(fit: _Fit) -> float:
    return fit.criterion


def _fit(
    behind: Array,
    targets: Array,
    features: Array,
    scale: Array,
    moving: Array | None = None,
    offsets: Array | None = None,
    keep_label: bool = False,
) -> _Fit:
    """Minimise −Σ_ic t_ic log p_ic + ½ Σ_jc b_jc², where p_i = softmax(g_i b + u_i) and u_ic = s_ic exp(−f_i · θ).

    features : (n, m), the f_i; scale : (m,), the θ to start from
    moving : (n, q), the g_i; offsets : (q, K), the b to start from
    keep_label : whether the criterion is of scores that keep the most probable class

    Levenberg and Marquardt's steps: Gauss and Newton's, shortened until the loss falls. The prior of the offsets b,
    normal, keeps classes of few documents close to 0.
    """
    n, m = features.shape
    shape = (0, behind.shape[1]) if offsets is None else offsets.shape
    parameters = scale if offsets is None else np.concatenate([scale, offsets.ravel()])

    def judge(parameters: Array, keep_label: bool = False) -> tuple[float, Array, Array]:
        evidence = behind * np.exp(-np.einsum("ik,k->i", features, parameters[:m]))[:, np.newaxis]
        shifted = evidence
        if moving is not None:
            moved = evidence + np.einsum("ij,jc->ic", moving, parameters[m:].reshape(shape))
            shifted = behind_best(keeping_best(moved, evidence) if keep_label else moved)
        probabilities = np.exp(shifted)
        total = probabilities.sum(axis=1, keepdims=True)
        probabilities /= total
        loss = float(np.log(total).sum() - np.einsum("ic,ic->", targets, shifted) + 0.5 * np.sum(parameters[m:] ** 2))
        return loss, evidence, probabilities

    loss, evidence, probabilities = judge(parameters)
    damping = 1e-3
    for _ in range(_MOST_STEPS):
        gradient, curvature = _slopes(evidence, probabilities, targets, features, moving, parameters[m:].reshape(shape))
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
    if keep_label:
        loss, _, _ = judge(parameters, keep_label=True)
    free = m + shape[0] * (shape[1] - 1)
    return _Fit(
        parameters[:m],
        None if offsets is None else parameters[m:].reshape(shape),
        2 * loss + free * float(np.log(n)),
    )


def _slopes(
    evidence: Array, probabilities: Array, targets: Array, features: Array, moving: Array | None, offsets: Array
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
    if moving is None:
        return gradient, curvature
    by_offset = np.einsum("ij,ic->jc", moving, error) + offsets
    columns = moving.T
    crossed = np.hstack([-np.einsum("ik,ic->kc", features * g[:, np.newaxis], spread) for g in columns])
    own = np.block([[_covariance(probabilities, g * h) for h in columns] for g in columns]) + np.eye(offsets.size)
    return (
        np.concatenate([gradient, by_offset.ravel()]),
        np.block([[curvature, crossed], [crossed.T, own]]),
    )


def _covariance(probabilities: Array, weights: Array) -> Array:
    """Σ_i w_i (diag p_i − p_i p_iᵀ), (K, K)."""
    weighed = probabilities * weights[:, np.newaxis]
    return np.diag(weighed.sum(axis=0)) - np.einsum("ic,id->cd", weighed, probabilities)
