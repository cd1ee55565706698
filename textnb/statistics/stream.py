"""Counting what does not fit in memory: a block of documents at a time, whose counts are added term by term."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from textnb.statistics.counts import ClassCounts, count_classes
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all
from textnb.text.learning import Limits, kept_ids
from textnb.text.rows import Array, SparseRows
from textnb.text.vocabulary import Vocabulary

BLOCK_CHARACTERS = 1 << 26  # of text counted at a time; the result does not depend on it


class TermTotals:
    """Per-class totals of every term seen so far, in memory proportional to the vocabulary, not to the documents."""

    def __init__(self, classes: Array) -> None:
        self.classes = classes
        self.ids: dict[str, int] = {}
        self.n_documents = 0
        self.n_blocks = 0
        self.documents: Array = np.zeros(len(classes), dtype=np.int64)
        self._occurrences: Array = np.zeros(0, dtype=np.int64)
        self._document_frequency: Array = np.zeros(0, dtype=np.int64)
        self._totals: Array = np.zeros((0, len(classes)), dtype=np.int64)

    def add(self, terms: dict[str, int], rows: SparseRows, class_ids: Array, weights: Array | None) -> None:
        """Add the counts of a block of documents, whose terms are sorted and numbered."""
        counted = count_classes(rows, class_ids, self.classes, weights)
        occurrences, document_frequency = rows.column_sums(), rows.document_frequency()
        self.documents = self.documents + counted.documents
        self.n_documents += rows.shape[0]
        self.n_blocks += 1
        if self.n_blocks == 1:
            self.ids = terms
            self._occurrences, self._document_frequency = occurrences, document_frequency
            self._totals = counted.totals.T
            return
        new = [term for term in terms if term not in self.ids]
        self.ids.update(zip(new, range(len(self.ids), len(self.ids) + len(new)), strict=True))
        columns = np.fromiter(map(self.ids.__getitem__, terms), np.int64, len(terms))
        self._make_room(len(self.ids), counted.totals.dtype)
        self._occurrences[columns] += occurrences
        self._document_frequency[columns] += document_frequency
        self._totals[columns] += counted.totals.T

    def finish(self, limits: Limits, unknown: bool) -> tuple[Vocabulary, ClassCounts]:
        """The terms within the limits, sorted, and their counts; all others, or those seen once, under `<UNK>`."""
        if not self.ids:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        if self.n_blocks > 1:
            self._sort()
        ids, occurrences, totals = self.ids, self._occurrences, self._totals
        keep = limits.kept(self._document_frequency, lambda: occurrences, self.n_documents)
        everything = bool(keep.all())
        kept = totals if everything else totals[keep]
        if unknown:
            stand_ins = occurrences == 1 if everything else ~keep
            kept = np.vstack([kept, totals[stand_ins].sum(axis=0)])
        vocabulary = Vocabulary.of_ids(ids if everything else kept_ids(ids, keep), unknown=unknown)
        return vocabulary, ClassCounts(self.classes, self.documents, kept.T)

    def _sort(self) -> None:
        """Terms in order, as those of a single block are."""
        terms = sorted(self.ids)
        order = np.fromiter(map(self.ids.__getitem__, terms), np.int64, len(terms))
        self.ids = dict(zip(terms, range(len(terms)), strict=True))
        self._occurrences, self._totals = self._occurrences[order], self._totals[order]
        self._document_frequency = self._document_frequency[order]

    def _make_room(self, n_terms: int, dtype: Any) -> None:
        """Arrays that can be written to, for so many terms and some more, and of a type that holds what is added."""
        room = len(self._occurrences)
        more = max(n_terms, room + room // 2) - room if n_terms > room else 0
        if more or not self._totals.flags.writeable:
            self._occurrences = np.pad(self._occurrences, (0, more))
            self._document_frequency = np.pad(self._document_frequency, (0, more))
            self._totals = np.pad(self._totals, ((0, more), (0, 0)))
        self._totals = self._totals.astype(np.result_type(self._totals, dtype), copy=False)


def count_stream(
    documents: Iterable[str],
    class_ids: Array,
    classes: Array,
    weights: Array | None,
    analyzer: Analyzer,
    limits: Limits,
    *,
    unknown: bool,
    n_jobs: int | None,
) -> tuple[Vocabulary, ClassCounts]:
    """From documents to per-class counts, a block at a time: no matrix of all documents is ever made."""
    counts = TermTotals(classes)
    for start, block in text_blocks(documents):
        these = slice(start, start + len(block))
        if these.stop > len(class_ids):
            break
        terms, rows = count_all(block, analyzer, n_jobs)
        counts.add(terms, rows, class_ids[these], None if weights is None else weights[these])
    if counts.n_documents != len(class_ids):
        raise ValueError(f"there are {len(class_ids)} labels for more or fewer documents: give each document one label")
    return counts.finish(limits, unknown)


def text_blocks(documents: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Documents in blocks of so many characters, each with the position of its first document."""
    block: list[str] = []
    start = characters = 0
    for document in documents:
        block.append(document)
        characters += len(document)
        if characters >= BLOCK_CHARACTERS:
            yield start, block
            start, block, characters = start + len(block), [], 0
    if block:
        yield start, block
