"""Counts of a stream: documents are added to one set of totals as they come, and no rows are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from textnb.arrays import SparseRows, stacked
from textnb.compiled import compiled_kernel
from textnb.statistics.text_counts import TextCounts
from textnb.text.analyzer import Analyzer
from textnb.text.counting import kernel_analysis, kernel_serves, kernel_texts
from textnb.text.terms import Terms
from textnb.text.threads import available_cores, thread_count


def can_tally(analyzer: Analyzer) -> bool:
    """Whether the kernel adds up the terms of this analyzer: it does not where they are n-grams of words."""
    return kernel_serves(analyzer) and not analyzer.makes_ngrams


class Tally:
    """Documents counted one batch after the other; `counts` ends it.

    The totals are those of the rows of all documents, whatever the batches and the number of threads.
    """

    def __init__(self, analyzer: Analyzer, n_jobs: int | None = None) -> None:
        self.analyzer, self.n_jobs = analyzer, n_jobs
        n_threads = available_cores() if n_jobs is None else thread_count(n_jobs)
        self._kernel = compiled_kernel().Tally(*kernel_analysis(analyzer), n_threads)
        self._labels: dict[Any, int] = {}
        self._documents = np.zeros(0, dtype=np.int64)  # by label

    def add(self, documents: Sequence[str], labels: Sequence[Any]) -> None:
        """Count documents of these labels."""
        for label in labels:
            self._labels.setdefault(label, len(self._labels))
        ids = np.fromiter(map(self._labels.__getitem__, labels), np.int64, len(labels))
        self._kernel.add(kernel_texts(documents, self.analyzer, self.n_jobs), ids)
        counted = np.bincount(ids, minlength=len(self._labels))
        counted[: len(self._documents)] += self._documents
        self._documents = counted

    def counts(self) -> TextCounts:
        """The counts of all documents; nothing can be added any more."""
        names = sorted(self._labels)
        order = np.array([self._labels[name] for name in names])
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        blob, offsets, frequency, parts = self._kernel.totals(len(names))
        terms = Terms(blob, offsets)
        rows = stacked([SparseRows(indptr, indices, data, len(terms)) for indptr, indices, data in parts])
        totals = rows.sums_by_class(np.tile(rank, len(parts)), len(names))
        return TextCounts(
            np.array(names),
            self._documents[order],
            int(self._documents.sum()),
            terms,
            totals,
            frequency,
            totals.row_sums(),
            outside=np.zeros(len(names), dtype=np.int64),
            frozen=np.zeros(len(terms), dtype=np.int64),
        )
