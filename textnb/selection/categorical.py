"""Columns of categories without some of their rows: a column is a count of each category, of which a row has one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from textnb.likelihood.categorical import categorical_log_probability, categorical_rule
from textnb.likelihood.smoothing import safe_log
from textnb.selection.groups import Groups, values_at
from textnb.statistics.categories import MISSING
from textnb.text.rows import Array

_BLOCK = 1 << 20  # pairs of a row and a class worked on at a time


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
