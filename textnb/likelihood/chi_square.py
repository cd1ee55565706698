"""The logarithm of the chi-square distribution's upper tail, for an even number of degrees of freedom."""

from __future__ import annotations

from math import lgamma, log, pi
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.likelihood.smoothing import safe_log

_PRECISION = 2.0**-60  # of a sum: terms below it no longer matter
_SMALL = 16  # up to which logarithms of factorials come from a table
_STEPS = 16  # of a series, between looking for sums that are done


def log_chi_square_tail(half: Array, pairs: Array) -> Array:
    """ln χ²Q(2m, 2k) = ln Σ_{i<k} e^(−m) m^i / i!, from m and k of any shape; 0 where k is 0.

    Abramowitz & Stegun 1964, 26.4.21. It is the probability that a Poisson variable of mean m is below k. From the
    largest term on, each is the one before times a ratio below 1, so nothing overflows and about 9 √k terms suffice:
    downwards from i = k − 1 where m ≥ k, and for the opposite event upwards from i = k where m < k.
    """
    m, k = (values.ravel() for values in np.broadcast_arrays(np.asarray(half, np.float64), np.asarray(pairs)))
    found = np.zeros(len(m))
    (below,) = np.nonzero((k > 0) & (m >= k))
    last = k[below] - 1
    found[below] = _log_poisson(last, m[below]) + np.log(_series(last, m[below], -1.0, 0.0))
    (above,) = np.nonzero((k > 0) & (m < k))
    opposite = _log_poisson(k[above], m[above]) + np.log(_series(m[above], k[above] + 1, 0.0, 1.0))
    found[above] = np.log1p(-np.exp(opposite))
    return found.reshape(np.shape(half))


def _series(top: Array, bottom: Array, top_step: float, bottom_step: float) -> Array:
    """1 + r_0 + r_0 r_1 + …, r_t = (top + t · top_step) / (bottom + t · bottom_step), falling to 0."""
    total = np.ones(len(top))
    running = np.arange(len(top))  # the sums that go on; rows: their tops, bottoms, last terms and sums so far
    state = np.array([top, bottom, total, total], dtype=np.float64)
    while len(running):
        for _ in range(_STEPS):
            state[2] *= state[0] / state[1]
            state[3] += state[2]
            state[0] += top_step
            state[1] += bottom_step
        total[running] = state[3]
        going = state[2] > _PRECISION * state[3]
        running, state = running[going], state[:, going]
    return total


def _log_poisson(i: Array, mean: Array) -> Array:
    """ln(e^(−m) m^i / i!) = i ln(m / i) + (i − m) − ½ ln 2πi − δ(i), which does not cancel; −m where i is 0."""
    n = np.maximum(i, 1).astype(np.float64)
    with np.errstate(invalid="ignore"):
        found = n * safe_log(mean / n) + (n - mean) - 0.5 * np.log(2 * pi * n) - _stirling_error(n)
    return np.where(i > 0, found, -mean)


_SMALL_ERRORS = np.array(
    [0.0, *(lgamma(n + 1) - (n * log(n) - n + 0.5 * log(2 * pi * n)) for n in range(1, _SMALL + 1))]
)


def _stirling_error(n: Any) -> Array:
    """δ(n) = ln n! − (n ln n − n + ½ ln 2πn), from n ≥ 1."""
    square = 1 / (n * n)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - square / 1680) * square) * square) / n
    return np.where(n <= _SMALL, _SMALL_ERRORS[np.minimum(n, _SMALL).astype(np.int64)], series)
