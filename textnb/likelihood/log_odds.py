"""The plain sum of what the clear terms say."""

from __future__ import annotations

from textnb.arrays import Array
from textnb.likelihood.clear_terms import Combination, TermOdds


def _parts(odds: TermOdds, in_header: Array) -> tuple[Array, ...]:
    return (odds.odds,)


def _log_odds(odds: Array) -> Array:
    """Σ_clear ln(f / (1 − f))."""
    return odds


def _shares(odds: TermOdds, in_header: Array, row: Array, together: Array) -> Array:
    return odds.odds


COMBINATION = Combination(_parts, _log_odds, _shares)
