"""The categorical model: in each class, every column has a distribution over its categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.likelihood.groups import Groups, values_at
from textnb.likelihood.smoothing import safe_log
from textnb.statistics.categories import MISSING

_BLOCK = 1 << 20  # pairs of a row and a class worked on at a time


def categorical_log_probability(table: Array, pseudo_counts: Array) -> Array:
    """log((n_cm + a_m) / Σ_m (n_cm + a_m)), (K, M): additive smoothing by pseudo-counts a (M,).

    a_m = α is Laplace's (α = 1) or Lidstone's smoothing, a_m = m p_m the m-estimate (n_c + m p) / (n + m) of Mitchell
    1997, eq. 6.22. A class of which nothing was seen, without pseudo-counts, has no category: −∞ everywhere.
    """
    smoothed = table + pseudo_counts
    mass = smoothed.sum(axis=1, keepdims=True)
    return safe_log(smoothed) - np.log(np.where(mass > 0, mass, 1.0))


def m_estimate(m: float, p: Any, n_categories: int, unknown: bool, column: str) -> Array:
    """m p (M,), with p uniform unless given. Of an unknown category, the last, p is what the others leave over."""
    if p is None:
        return np.full(n_categories, m / n_categories)
    known = n_categories - 1 if unknown else n_categories
    given = np.asarray(p, dtype=np.float64)
    if given.shape not in ((), (known,)):
        raise ValueError(
            f"p of {column} has shape {given.shape}: give one number, or one for each of {known} categories"
        )
    shares = np.broadcast_to(given, (known,))
    left_over = 1.0 - shares.sum()
    if (shares < 0).any() or not (left_over > -1e-9 if unknown else abs(left_over) <= 1e-9):
        raise ValueError(
            f"p of {column} must be 0 or more and add up to 1 over {known} categories, got {shares.sum():g}"
        )
    return m * (np.append(shares, max(left_over, 0.0)) if unknown else shares)


@dataclass(frozen=True, eq=False)
class CategoricalRule:
    """log P(x | c) = Σ_j T_j[x_j, c]: one look-up per column.

    The last row of every table is 0, for values that are missing: their code is −1.
    """

    tables: tuple[Array, ...]  # (M_j + 1, K)

    def log_likelihood(self, codes: Array) -> Array:
        """(n, K), from codes (n, p)."""
        scores = np.zeros((len(codes), self.tables[0].shape[1]))
        for j, table in enumerate(self.tables):
            scores += table.take(codes[:, j], axis=0)
        return scores

    def contributions(self, codes: Array) -> tuple[Array, Array]:
        """What every column of one row adds to the classes' scores, T_j[x_j, c], (p, K); any row gets nothing, (K,).

        They add up to the row's log-likelihood, from codes (p,).
        """
        added = np.array([table[code] for table, code in zip(self.tables, codes, strict=True)])
        return added, np.zeros(added.shape[1])


def categorical_rule(log_probabilities: list[Array]) -> CategoricalRule:
    """The rule from one table log P(m | c), (K, M_j), per column."""
    return CategoricalRule(tuple(np.vstack([table.T, np.zeros(len(table))]) for table in log_probabilities))


def categorical_without(codes: Array, groups: Groups, tables: Sequence[Array], pseudo_counts: Sequence[Array]) -> Array:
    """Σ_j log((n_cm − G_cm + a_m) / Σ_m (n_cm − G_cm + a_m)), (n, K), where row i has category m = x_ij of column j.

    G_cm of the n_cm rows of class c with that category are in the group of the row. A missing value adds nothing.
    """
    rule = categorical_rule(
        [categorical_log_probability(*column) for column in zip(tables, pseudo_counts, strict=True)]
    )
    scores = rule.log_likelihood(codes)
    step = max(1, _BLOCK // int(groups.n_cells.max(initial=1)))
    for start in range(0, len(codes), step):
        rows, cells = groups.pairs(np.arange(start, min(start + step, len(codes))), groups.of_row)
        classes = groups.cell_class[cells]
        touched = np.zeros(len(rows))
        for j, (table, pseudo) in enumerate(zip(tables, pseudo_counts, strict=True)):
            touched += _column(codes[:, j], rows, cells, classes, groups, table, pseudo)
        scores[rows, classes] = touched
    return scores


def _column(
    codes: Array, rows: Array, cells: Array, classes: Array, groups: Groups, table: Array, pseudo: Array
) -> Array:
    """log P(x_j | c) of pairs of a row and a cell of its group."""
    given = codes != MISSING
    n_categories = table.shape[1]
    keys, taken = np.unique((groups.cell_of_row * n_categories + codes)[given], return_counts=True)
    own = values_at(keys, taken, cells * n_categories + codes[rows])
    of_cell = np.bincount(groups.cell_of_row[given], minlength=len(groups.cell_class))
    mass = table.sum(axis=1)[classes] - of_cell[cells] + pseudo.sum()
    scores = safe_log(table[classes, codes[rows]] - own + pseudo[codes[rows]]) - np.log(np.where(mass > 0, mass, 1.0))
    return np.where(given[rows], scores, 0.0)
