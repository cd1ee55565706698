"""Which terms become features, and what stands for those that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import compress
from numbers import Integral
from typing import Any

import numpy as np

from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all, count_known
from textnb.text.rows import Array, SparseRows
from textnb.text.vocabulary import Vocabulary

UNKNOWN_CHOICES = ("ignore", "token")


@dataclass(frozen=True)
class Limits:
    """Which terms to keep, by document frequency (a share of the documents if a float) and by rank."""

    min_df: float | int = 1
    max_df: float | int = 1.0
    max_features: int | None = None

    def __post_init__(self) -> None:
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            whole = isinstance(value, Integral) and not isinstance(value, bool)
            if not (whole and value >= 1) and not (isinstance(value, float) and 0 <= value <= 1):
                raise ValueError(f"{name} must be a whole number from 1 or a float from 0.0 to 1.0, got {value!r}")
        if self.max_features is not None and not (isinstance(self.max_features, Integral) and self.max_features >= 1):
            raise ValueError(f"max_features must be a whole number from 1 or None, got {self.max_features!r}")

    @property
    def keep_everything(self) -> bool:
        """At the defaults; a whole number counts documents, a float is a share of them."""
        return (
            isinstance(self.min_df, Integral)
            and self.min_df == 1
            and isinstance(self.max_df, float)
            and self.max_df == 1.0
            and self.max_features is None
        )

    def kept(self, document_frequency: Array, totals: Callable[[], Array], n_documents: int) -> Array:
        """The mask of the terms that stay; their totals are asked for only if they must be ranked."""
        low, high = (
            limit if isinstance(limit, Integral) else limit * n_documents for limit in (self.min_df, self.max_df)
        )
        if high < low:
            raise ValueError("max_df corresponds to < documents than min_df: raise max_df, or lower min_df")
        keep = (document_frequency >= low) & (document_frequency <= high)
        if self.max_features is not None and keep.sum() > self.max_features:
            # scikit-learn's own expression: among terms of equal count it decides which stay.
            most_frequent = (-totals()[keep]).argsort()[: self.max_features]
            candidates = np.flatnonzero(keep)
            keep = np.zeros_like(keep)
            keep[candidates[most_frequent]] = True
        if not keep.any():
            raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
        return keep


def learn_vocabulary(
    documents: Iterable[Any],
    analyzer: Analyzer,
    *,
    given: Vocabulary | None = None,
    limits: Limits = Limits(),  # noqa: B008
    unknown: str = "ignore",
    binary: bool = False,
    dtype: Any = np.int64,
    n_jobs: int | None = None,
) -> tuple[Vocabulary, SparseRows]:
    """The vocabulary, given or of the documents within the limits, and the documents' counts, with `<UNK>` if asked.

    The training count of `<UNK>` is what the limits or the given vocabulary leave out. Where they leave nothing out, it
    is the number of terms seen once, which stay features too (Good–Turing).
    """
    with_unknown = unknown == "token"
    if given is not None:
        if not given:
            raise ValueError("empty vocabulary: give at least one term, or None to learn it from the documents")
        rows, outside = count_known(documents, analyzer, given, n_jobs)
        everything, vocabulary = rows, Vocabulary.of_ids(given.ids, unknown=with_unknown)
    else:
        ids, everything = count_all(documents, analyzer, n_jobs)
        if not ids:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        rows, outside = everything, np.zeros(everything.shape[0], dtype=np.int64)
        if not limits.keep_everything:
            document_frequency = everything.document_frequency()
            keep = limits.kept(
                document_frequency,
                lambda: (document_frequency if binary else everything.column_sums()).astype(dtype),
                everything.shape[0],
            )
            rows = everything.select_columns(keep)
            outside = everything.row_sums() - rows.row_sums()
            ids = kept_ids(ids, keep)
        vocabulary = Vocabulary.of_ids(ids, unknown=with_unknown)
    if with_unknown:
        rows = rows.append_column(outside if outside.any() else seen_once(everything))
    return vocabulary, finished(rows, binary, dtype)


def kept_ids(ids: dict[Any, int], keep: Array) -> dict[Any, int]:
    """The terms that stay, numbered anew in their order."""
    return {term: column for column, term in enumerate(compress(ids, keep))}


def count_by(
    documents: Iterable[Any],
    analyzer: Analyzer,
    vocabulary: Vocabulary,
    *,
    binary: bool = False,
    dtype: Any = np.int64,
    n_jobs: int | None = None,
) -> SparseRows:
    """The documents' counts of a vocabulary's terms, and of all others under `<UNK>` if it has that."""
    rows, outside = count_known(documents, analyzer, vocabulary, n_jobs)
    return finished(rows.append_column(outside) if vocabulary.unknown else rows, binary, dtype)


def finished(rows: SparseRows, binary: bool, dtype: Any) -> SparseRows:
    rows = rows.present() if binary else rows
    return rows.with_data(rows.data.astype(dtype, copy=False))


def seen_once(rows: SparseRows) -> Array:
    """For each document, how many of its terms occur only once in all documents."""
    once = rows.column_sums() == 1
    return np.bincount(rows.row_ids[once[rows.indices]], minlength=rows.shape[0])
