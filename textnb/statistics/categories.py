"""What a categorical model has seen: how often each category of each column occurred in every class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from textnb.arrays import Array
from textnb.statistics.counts import check_total, difference, new_classes, places_among, sorted_union, spread

MISSING = -1  # the code of a value that is not there
UNKNOWN = -2  # the code of a category that is not in the list


class Encoded(NamedTuple):
    """A column as positions in its sorted categories; a missing value is MISSING."""

    categories: Array  # (M,)
    codes: Array  # (n,)


@dataclass(frozen=True, eq=False)
class CategoryCounts:
    """One table (K, M_j) per column: rows of class c that have category m. Tables add, and can be subtracted again.

    ``documents`` counts all rows of a class; a table's row adds up to less where values were missing. Operands are
    aligned over classes and categories.
    """

    classes: Array  # (K,), sorted
    documents: Array  # (K,)
    categories: tuple[Array, ...]  # one sorted array per column
    tables: tuple[Array, ...]

    def __post_init__(self) -> None:
        shapes = [(len(self.classes), len(categories)) for categories in self.categories]
        if [table.shape for table in self.tables] != shapes or self.documents.shape != self.classes.shape:
            raise ValueError(
                f"the tables do not fit {len(self.classes)} classes and {len(shapes)} columns of categories"
            )
        for counts in (self.documents, *self.tables):
            check_total(counts)
        for array in (self.classes, self.documents, *self.categories, *self.tables):
            array.flags.writeable = False

    def __add__(self, other: CategoryCounts) -> CategoryCounts:
        classes, categories = self._union(other)
        mine, theirs = self.aligned(classes, categories), other.aligned(classes, categories)
        tables = tuple(a + b for a, b in zip(mine.tables, theirs.tables, strict=True))
        return CategoryCounts(classes, mine.documents + theirs.documents, categories, tables)

    def __sub__(self, other: CategoryCounts) -> CategoryCounts:
        """What is left without `other`, which must be contained in it; categories stay, if only with zeros."""
        classes, categories = self._union(other)
        if unseen := new_classes(self.classes, classes):
            raise ValueError(f"cannot subtract rows of {unseen[0]!r}: none were counted")
        mine, theirs = self.aligned(classes, categories), other.aligned(classes, categories)
        documents = difference(mine.documents, theirs.documents)
        tables = tuple(difference(a, b) for a, b in zip(mine.tables, theirs.tables, strict=True))
        if (documents < 0).any():
            raise ValueError(f"cannot subtract more rows than were counted in class {classes[documents < 0][0]!r}")
        for j, table in enumerate(tables):
            if (table < 0).any():
                c, m = np.argwhere(table < 0)[0]
                what = f"category {categories[j].tolist()[m]!r} of column {j}"
                raise ValueError(f"cannot subtract more of {what} than was counted in class {classes[c]!r}")
        return CategoryCounts(classes, documents, categories, tables)

    def aligned(self, classes: Array, categories: tuple[Array, ...]) -> CategoryCounts:
        """The same counts over more classes and categories."""
        rows = places_among(self.classes, classes)
        documents = spread(self.documents, rows, len(classes))
        tables = []
        for known, table, wanted in zip(self.categories, self.tables, categories, strict=True):
            grown = np.zeros((len(classes), len(wanted)), dtype=table.dtype)
            grown[np.ix_(rows, np.searchsorted(wanted, known))] = table
            tables.append(grown)
        return CategoryCounts(classes, documents, categories, tuple(tables))

    def _union(self, other: CategoryCounts) -> tuple[Array, tuple[Array, ...]]:
        if len(self.categories) != len(other.categories):
            raise ValueError(f"cannot align {len(self.categories)} columns with {len(other.categories)}")
        pairs = zip(self.categories, other.categories, strict=True)
        categories = tuple(_union_of_categories(a, b, j) for j, (a, b) in enumerate(pairs))
        return sorted_union(self.classes, other.classes, "classes"), categories


def count_categories(
    columns: Sequence[Encoded], class_ids: Array, classes: Array, weights: Array | None = None
) -> CategoryCounts:
    """Count encoded columns by class; integers, or sums of weights."""
    documents = np.bincount(class_ids, weights=weights, minlength=len(classes))
    tables = []
    for categories, codes in columns:
        shape = (len(classes), len(categories))
        given = codes != MISSING
        cells = class_ids[given] * shape[1] + codes[given]
        given_weights = None if weights is None else weights[given]
        tables.append(np.bincount(cells, weights=given_weights, minlength=shape[0] * shape[1]).reshape(shape))
    return CategoryCounts(classes, documents, tuple(column.categories for column in columns), tuple(tables))


def encode_values(values: Array, missing: Array, column: str) -> Encoded:
    """Any values that can be sorted, as positions among those that occur."""
    present = values[~missing].tolist()
    try:
        categories = sorted(set(present))
    except TypeError as error:
        raise ValueError(f"{column} mixes values that cannot be compared ({error}); make them all strings") from error
    return Encoded(as_objects(categories), positions(values, missing, as_objects(categories)))


def positions(values: Array, missing: Array, categories: Array) -> Array:
    """The position of every value among the categories; MISSING where it is, UNKNOWN where it is none of them."""
    index = {category: position for position, category in enumerate(categories.tolist())}
    codes = np.full(len(values), MISSING, dtype=np.int64)
    codes[~missing] = [index.get(value, UNKNOWN) for value in values[~missing].tolist()]
    return codes


def as_objects(values: Sequence[object]) -> Array:
    """An array of Python objects: strings as they are, not padded to one length."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _union_of_categories(a: Array, b: Array, column: int) -> Array:
    if a is b or np.array_equal(a, b):
        return a
    try:
        return np.union1d(a, b)
    except TypeError as error:
        raise ValueError(f"column {column} held values of one type, now of another: {a[0]!r} and {b[0]!r}") from error
