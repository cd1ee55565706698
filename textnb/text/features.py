"""Features: terms and their columns in a matrix, and `<UNK>` for all other terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.arrays import Array, SparseRows, Table
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all, count_known, locate_known, term_table
from textnb.text.limits import Limits
from textnb.text.terms import TermTable, number_terms

if TYPE_CHECKING:
    from textnb.text.spans import Occurrences

UNKNOWN_CHOICES = ("ignore", "token")
EMPTY_VOCABULARY = "empty vocabulary; perhaps the documents only contain stop words"


@dataclass(frozen=True, eq=False)
class Features:
    """Terms, and the column of each: by default its position."""

    terms: TermTable
    columns: Table | None = None  # (n_terms,), −1 for a term that is left out
    n_columns: int = -1

    def __post_init__(self) -> None:
        if self.n_columns < 0:
            object.__setattr__(self, "n_columns", len(self.terms))

    @classmethod
    def kept(cls, terms: TermTable, keep: Array) -> Features:
        """The terms where the mask is true, numbered in their order."""
        if keep.all():
            return cls(terms)
        return cls(terms, np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32), int(keep.sum()))

    @classmethod
    def given(cls, ids: Mapping[Any, int], analyzer: Analyzer) -> Features:
        """Terms with the columns that somebody has chosen for them."""
        terms = term_table(ids, analyzer)
        columns = np.fromiter(map(ids.__getitem__, terms.strings()), np.int32, len(ids))
        return cls(terms, columns, len(ids))

    def count(
        self, documents: Iterable[Any], analyzer: Analyzer, n_jobs: int | None = None
    ) -> tuple[SparseRows, Array]:
        """How often each document has each column, and how many terms it has outside them."""
        return count_known(documents, analyzer, self.terms, self.columns, self.n_columns, n_jobs)

    def locate(self, text: str, analyzer: Analyzer) -> Occurrences:
        """Where a document has each column; −1 for its terms outside the columns."""
        return locate_known(text, analyzer, self.terms, self.columns)

    def columns_of(self, terms: TermTable) -> Array:
        """The column of each term, −1 for those that have none."""
        at = self.terms.locate(terms)
        if self.columns is None:
            return at
        return np.where(at >= 0, np.asarray(self.columns[: len(self.terms)])[at], -1)

    def names(self, of: Array | None = None) -> list[Any]:
        """The terms of some columns, or of all in their order."""
        if self.columns is None:
            return self.terms.strings(of)
        by_column = self._by_column
        return self.terms.strings(by_column[by_column >= 0] if of is None else by_column[of])

    @cached_property
    def _by_column(self) -> Array:
        """The position of the term of each column; −1 of a file, where the columns of terms left out have no name."""
        columns = np.asarray(self.columns[: len(self.terms)])  # type: ignore[index]
        (kept,) = np.nonzero(columns >= 0)
        by_column = np.full(self.n_columns, -1)
        by_column[columns[kept]] = kept
        return by_column

    def numbers(self) -> dict[Any, int]:
        """A dict of the terms to their columns, in the order of the columns."""
        return self.terms.numbers() if self.columns is None else number_terms(self.names())


def learn_features(
    documents: Iterable[Any],
    analyzer: Analyzer,
    *,
    given: Features | None = None,
    limits: Limits = Limits(),  # noqa: B008
    unknown: bool = False,
    binary: bool = False,
    dtype: Any = np.int64,
    n_jobs: int | None = None,
) -> tuple[Features, SparseRows]:
    """The features, given or of the documents within the limits, and the documents' counts, with `<UNK>` if asked.

    The training count of `<UNK>` is what the limits or the given features leave out. Where they leave nothing out, it
    is the number of terms seen once, which stay features too (Good–Turing).
    """
    if given is not None:
        features = given
        rows, outside = given.count(documents, analyzer, n_jobs)
        everything = rows
    else:
        terms, everything = count_all(documents, analyzer, n_jobs)
        if not len(terms):
            raise ValueError(EMPTY_VOCABULARY)
        rows, outside = everything, np.zeros(everything.shape[0], dtype=np.int64)
        if not limits.keep_everything:
            frequency = everything.document_frequency()

            def totals() -> Array:
                return (frequency if binary else everything.column_sums()).astype(dtype)

            keep = limits.kept(frequency, totals, everything.shape[0])
            terms, rows = terms.select(keep), everything.select_columns(keep)
            outside = everything.row_sums() - rows.row_sums() if unknown else outside
        features = Features(terms)
    if unknown:
        rows = rows.append_column(outside if outside.any() else seen_once(everything))
    return features, finished(rows, binary, dtype)


def finished(rows: SparseRows, binary: bool, dtype: Any) -> SparseRows:
    """Counts as a vectorizer gives them: perhaps only 0 and 1, in the type asked for."""
    rows = rows.present() if binary else rows
    return rows.with_data(rows.data.astype(dtype, copy=False))


def seen_once(rows: SparseRows) -> Array:
    """For each document, the number of its terms that occur only once in all documents."""
    once = rows.column_sums() == 1
    return np.bincount(rows.row_ids[once[rows.indices]], minlength=rows.shape[0])
