"""Folds made by a rule, not by chance."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from textnb.text.rows import Array


def stratified_folds(class_ids: Array, n_folds: int) -> Array:
    """A fold number for every row: those of each class are dealt out in turn, going on where the last class ended.

    So folds differ by at most one row, in all and of each class.
    """
    n = len(class_ids)
    if not 2 <= n_folds <= n:
        raise ValueError(f"folds must be from 2 to the number of rows, {n}, got {n_folds}")
    folds = np.empty(n, dtype=np.int64)
    folds[np.argsort(class_ids, kind="stable")] = np.arange(n) % n_folds
    return folds


def check_folds(folds: Any, class_ids: Array) -> Array:
    """Folds as numbers, one a row, made from how many there are to be if that is what is given."""
    if np.ndim(folds) == 0:
        if not isinstance(folds, Integral):
            raise ValueError(f"folds must be a whole number, or the fold of every row, got {folds!r}")
        return stratified_folds(class_ids, int(folds))
    numbers = np.asarray(folds)
    if numbers.shape != class_ids.shape:
        raise ValueError(
            f"folds has shape {numbers.shape}: give one fold for each of {len(class_ids)} rows, or how many"
        )
    return numbers
