"""Regularised linear models of two classes: min ½‖w‖² + Σ_i C_i loss(y_i w·z_i), of scaled rows z_i = (r ∘ x_i, 1).

The kernel descends in the dual (Hsieh et al. 2008; Yu, Huang & Lin 2011), and never makes the scaled rows. Without it,
Newton's method with conjugate gradients minimises the primal (Lin, Weng & Keerthi 2008). Both stop where the objective
is certainly no more than `tolerance` of itself above the least. The intercept is regularised, as liblinear's is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from textnb.arrays import Array, SparseRows
from textnb.compiled import compiled_kernel

TOLERANCE = 1e-4
_SMALL = 1 << 12  # entries up to which problems are solved to the last digits, so that nothing depends on the order
_EXACT = 1e-24
_SEED = 20120708
_MOST_STEPS = 1000
_SMALLEST_STEP = 1e-10
_SUFFICIENT = 1e-4  # share of the promised decrease that a step must bring


class Minimum(NamedTuple):
    """Weights (V,) of the scaled features, the intercept, the dual variables (n,), and the objective."""

    weights: Array
    intercept: float
    dual: Array
    objective: float


def minimise(
    rows: SparseRows,
    ratios: Array,
    signs: Array,
    costs: Array,
    logistic: bool,
    tolerance: float = TOLERANCE,
    most_passes: int = 300,
    dual: Array | None = None,
) -> Minimum:
    """The weights for rows x_i, ratios r (V,), signs y (n,) −1 or 1, and costs C (n,), 0 for rows that play no part.

    The loss is max(0, 1 − m)² or log(1 + exp(−m)). A fit goes on from a dual, if one is given. Where so many passes of
    the kernel do not suffice, as with a large C and classes that overlap, Newton's method goes on.
    """
    kernel, is_small = compiled_kernel(), len(rows.data) <= _SMALL
    if kernel is None:
        tolerance = _EXACT if is_small else tolerance
        return _newton(rows, ratios, signs, costs, logistic, tolerance)
    plain = rows.for_products()
    variables = np.zeros(len(costs)) if dual is None else dual.copy()
    scaled = np.empty(rows.n_columns + 1)  # r ∘ w, and the intercept
    _, value, gap = kernel.descend(
        plain.indptr,
        plain.indices,
        plain.data,
        ratios * ratios,
        signs,
        costs,
        logistic,
        tolerance,
        most_passes,
        _SEED,
        variables,
        scaled,
    )
    weights = np.divide(scaled[:-1], ratios, out=np.zeros(rows.n_columns), where=ratios != 0)
    if is_small or gap > tolerance * value:
        start, tolerance = np.append(weights, scaled[-1]), _EXACT if is_small else tolerance
        return _newton(rows, ratios, signs, costs, logistic, tolerance, start)
    return Minimum(weights, float(scaled[-1]), variables, value)


def objective(margins: Array, weights: Array, costs: Array, logistic: bool) -> float:
    """½‖w‖² + Σ_i C_i loss(m_i), with the intercept among the weights."""
    losses = np.logaddexp(0, -margins) if logistic else np.square(np.maximum(1 - margins, 0))
    return float(weights @ weights / 2 + costs @ losses)


def _newton(
    rows: SparseRows,
    ratios: Array,
    signs: Array,
    costs: Array,
    logistic: bool,
    tolerance: float,
    start: Array | None = None,
) -> Minimum:
    """Newton's method. As the objective is strongly convex, P − min P ≤ ½‖∇P‖²."""
    from scipy.sparse import csr_array

    n, n_columns = rows.shape
    with_constant = rows.with_data(rows.data * ratios[rows.indices]).append_column(np.ones(n))
    z = csr_array((with_constant.data, with_constant.indices, with_constant.indptr), shape=(n, n_columns + 1))
    backwards = z.T.tocsr()
    w = np.zeros(n_columns + 1) if start is None else start
    margins = signs * (z @ w)
    value, slopes, curvatures = _along(margins, w, costs, logistic)
    gradient = w - backwards @ (signs * slopes)
    for _ in range(_MOST_STEPS):
        if gradient @ gradient / 2 <= tolerance * value:
            break
        step = _conjugate_gradients(z, backwards, curvatures, -gradient)
        along, promised, size, before = signs * (z @ step), float(gradient @ step), 1.0, (value, gradient)
        while True:
            tried_w, tried = w + size * step, margins + size * along
            value, slopes, curvatures = _along(tried, tried_w, costs, logistic)
            gradient = tried_w - backwards @ (signs * slopes)
            fallen = gradient @ gradient <= before[1] @ before[1] / 4  # which values are too coarse to tell of
            if fallen or value <= before[0] + _SUFFICIENT * size * promised or size < _SMALLEST_STEP:
                break
            size /= 2
        if size < _SMALLEST_STEP:  # rounding is all that is left
            value = before[0]
            break
        w, margins = tried_w, tried
    return Minimum(w[:-1], float(w[-1]), _along(margins, w, costs, logistic)[1], value)


def _along(margins: Array, w: Array, costs: Array, logistic: bool) -> tuple[float, Array, Array]:
    """The objective, and of every row −C loss′(m) and C loss″(m)."""
    value = objective(margins, w, costs, logistic)
    if logistic:
        chance = 1 / (1 + np.exp(np.clip(margins, -700, 700)))  # of being wrong
        return value, costs * chance, costs * chance * (1 - chance)
    slack = np.maximum(1 - margins, 0)
    return value, 2 * costs * slack, 2 * costs * (slack > 0)


def _conjugate_gradients(z: Any, backwards: Any, curvatures: Array, target: Array) -> Array:
    """A step s with ‖H s − t‖ ≤ ‖t‖ min(0.1, √‖t‖), H = I + Zᵀ D Z.  Hestenes & Stiefel 1952."""
    step, rest = np.zeros_like(target), target.copy()
    direction, square = rest.copy(), float(rest @ rest)
    enough = square * min(0.01, square**0.5)
    for _ in range(len(target)):
        if square <= enough:
            break
        curved = direction + backwards @ (curvatures * (z @ direction))
        size = square / float(direction @ curved)
        step += size * direction
        rest -= size * curved
        square, before = float(rest @ rest), square
        direction = rest + square / before * direction
    return step
