"""Columns of a table: which values are missing, which columns hold numbers, and numbers in bins."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from textnb.arrays import Array
from textnb.statistics.categories import as_objects


def as_table(X: Any) -> Any:
    """Rows in lists that hold strings beside numbers as objects: numpy would make strings of all of them."""
    if isinstance(X, list | tuple):
        array = np.asarray(X)
        return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
    return X


def ignores_missing(missing: str) -> bool:
    if missing not in ("error", "ignore"):
        raise ValueError(f"missing must be 'error' or 'ignore', got {missing!r}.")
    return missing == "ignore"


def is_missing(values: Array) -> Array:
    """Where a column has no value: None, NaN or a data frame's own mark."""
    if values.dtype.kind in "fmM":
        return np.isnan(values)
    if values.dtype.kind == "O":
        return np.fromiter((_is_missing(value) for value in values.tolist()), np.bool_, len(values))
    return np.zeros(len(values), dtype=np.bool_)


def _is_missing(value: Any) -> bool:
    kind = type(value)
    return kind is not str and (value is None or kind.__name__ in ("NAType", "NaTType") or bool(value != value))


def as_numbers(values: Array, missing: Array) -> Array | None:
    """A column as numbers, 0 where they are missing; None where it holds anything else."""
    if values.dtype.kind in "biu":
        return values
    if values.dtype.kind == "O":
        kinds = set(map(type, values[~missing].tolist()))
        if not all(issubclass(kind, Real | np.bool_) for kind in kinds):
            return None
    elif values.dtype.kind != "f":
        return None
    numbers = np.zeros(len(values))
    try:
        numbers[~missing] = values[~missing]
        finite = bool(np.isfinite(numbers).all())
    except OverflowError:
        finite = False
    if not finite:
        raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
    return numbers


def bin_edges(numbers: Array, bins: int, binning: str) -> Array:
    """Edges of bins of equal width, or with equal shares of the numbers; edges that coincide are one."""
    if binning == "quantile":
        return np.unique(np.quantile(numbers, np.linspace(0.0, 1.0, bins + 1)))
    return np.unique(np.linspace(numbers.min(), numbers.max(), bins + 1))


def in_bins(numbers: Array, edges: Array) -> Array:
    """The bin of every number; what lies outside all bins belongs to the nearest."""
    return np.searchsorted(edges[1:-1], numbers, side="right")


class Columns:
    """A table by columns, each an array of its own type, with names or positions."""

    def __init__(self, values: list[Array], names: list[Any]) -> None:
        self.values = values
        self.names = names
        self.shape = (len(values[0]), len(values))

    @classmethod
    def of_frame(cls, frame: Any, names: list[Any]) -> Columns:
        """The columns of a data frame in the types they have there, None where an object is missing."""
        values: list[Array] = [frame.iloc[:, j].to_numpy(copy=True) for j in range(frame.shape[1])]
        for column in values:
            if column.dtype.kind == "O":
                column[is_missing(column)] = None
        return cls(values, names)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Columns:
        return Columns([column[rows] for column in self.values], self.names)

    def positions(self, columns: Any) -> list[int]:
        """Positions of columns given by a name, a position, a list of them, a slice or a mask."""
        if isinstance(columns, slice):
            return list(range(len(self.names)))[columns]
        if np.isscalar(columns):
            return [self._position(columns)]
        if np.asarray(columns).dtype == np.bool_:
            return np.flatnonzero(columns).tolist()
        return [self._position(column) for column in columns]

    def _position(self, column: Any) -> int:
        if column in self.names:
            return self.names.index(column)
        if isinstance(column, int | np.integer) and -len(self.names) <= column < len(self.names):
            return int(column) % len(self.names)
        raise ValueError(f"there is no column {column!r}; the columns are {self.names}")


def side_by_side(columns: list[Array]) -> Array:
    """A matrix of columns; of objects where one is not of numbers, so that each value stays what it is."""
    if all(column.dtype.kind in "biuf" for column in columns):
        return np.column_stack(columns)
    return np.column_stack([as_objects(column.tolist()) for column in columns])
