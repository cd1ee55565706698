"""Fisher's method: how surprising the clear terms are together, for a class and against it (Robinson 2003)."""

from __future__ import annotations

import numpy as np

from textnb.arrays import Array
from textnb.likelihood.chi_square import log_chi_square_tail
from textnb.likelihood.clear_terms import Combination, TermOdds


def _parts(odds: TermOdds, in_header: Array) -> tuple[Array, ...]:
    return odds.log_for, odds.log_against, odds.clear.astype(np.float64)


def _log_odds(log_for: Array, log_against: Array, n_clear: Array) -> Array:
    """ln Q − ln P, Q = χ²Q(−2 Σ ln f, 2k) and P = χ²Q(−2 Σ ln(1 − f), 2k), over k clear terms.

    In logarithms, so that long documents do not tie; 0 where no term is clear.
    """
    return _tail(log_for, n_clear) - _tail(log_against, n_clear)


def _shares(odds: TermOdds, in_header: Array, row: Array, *sums: Array) -> Array:
    """ln Q divided among the terms as their ln f, and ln P as their ln(1 − f)."""
    log_for, log_against, n_clear = sums
    per_unit = (_tail(together, n_clear) / np.where(together < 0, together, 1.0) for together in (log_for, log_against))
    of_for, of_against = per_unit
    return odds.log_for * of_for[row] - odds.log_against * of_against[row]


def _tail(logarithms: Array, n_clear: Array) -> Array:
    return log_chi_square_tail(np.maximum(-logarithms, 0.0), n_clear.astype(np.int64))


COMBINATION = Combination(_parts, _log_odds, _shares)
