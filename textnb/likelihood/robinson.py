"""The mean of what the clear terms say, of headers and of the content each for itself."""

from __future__ import annotations

import numpy as np

from textnb.arrays import Array
from textnb.likelihood.clear_terms import Combination, TermOdds

_NEUTRAL_TERMS = 2  # chosen on SpamAssassin and Enron-Spam


def _parts(odds: TermOdds, in_header: Array) -> tuple[Array, ...]:
    """Log-odds, and how many terms are clear, of headers and of the content."""
    header = in_header[:, np.newaxis]
    return tuple(np.where(part, values, 0.0) for part in (header, ~header) for values in (odds.odds, odds.clear))


def _log_odds(header: Array, n_header: Array, content: Array, n_content: Array) -> Array:
    """Σ_clear ln(f / (1 − f)) / (k + 2), k clear terms, of the headers plus that of the content.

    Robinson's geometric means (2003) compare as the mean of these logarithms; two more terms that say nothing let few
    clear terms say less than many. Long content cannot drown the headers, nor many headers a short content.
    """
    return header / (n_header + _NEUTRAL_TERMS) + content / (n_content + _NEUTRAL_TERMS)


def _shares(odds: TermOdds, in_header: Array, row: Array, *sums: Array) -> Array:
    """ln(f / (1 − f)) / (k + 2) of each clear term."""
    _, n_header, _, n_content = sums
    return odds.odds / (np.where(in_header[:, np.newaxis], n_header[row], n_content[row]) + _NEUTRAL_TERMS)


COMBINATION = Combination(_parts, _log_odds, _shares)
