"""Documents to counts: by the kernel where it can, by the Python path for any analyzer."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.arrays import Array, SparseRows, Table, exact_bincount
from textnb.compiled import compiled_kernel
from textnb.text.analyzer import Analyzer
from textnb.text.documents import batches
from textnb.text.ngram_terms import NgramTerms
from textnb.text.steps import Advance, each, step
from textnb.text.terms import Terms, TermTable, terms_of

if TYPE_CHECKING:
    from textnb.text.spans import Occurrences

_PROCESSES_PAY = 1 << 20  # characters of messages from which a second process gains more than it costs
_LONG = 1 << 22  # characters whose counting is a step to be told of
_THREADS_PAY = 1 << 19  # characters from which a second thread gains more than it costs
# Characters of text per term, or per word of n-grams, from which compiling a probe takes less time than it saves.
_PROBE_PAYS = 4


def count_all(documents: Iterable[Any], analyzer: Analyzer, n_jobs: int | None = None) -> tuple[TermTable, SparseRows]:
    """The terms of the documents, and how often each document has each: canonical CSR rows."""
    if not kernel_serves(analyzer):
        return _count_all_in_python(documents, analyzer)
    texts = kernel_texts(documents, analyzer, n_jobs)
    with _told(texts):
        counted = compiled_kernel().count_growing(texts, *kernel_analysis(analyzer), counting_threads(texts, n_jobs))
    blob, offsets, ngrams, indptr, indices, data = counted
    words = Terms(blob, offsets)
    terms: TermTable = words if ngrams is None else NgramTerms(words, *ngrams)
    return terms, SparseRows(indptr, indices, data, len(terms))


class RememberedCounts:
    """`count_all`, which remembers the counts of one list of documents by analyzer, so that they are counted once."""

    def __init__(self, documents: Sequence[Any]) -> None:
        self._documents = documents
        self._counts: list[tuple[Analyzer, tuple[TermTable, SparseRows]]] = []  # an analyzer may have no hash

    def __call__(
        self, documents: Sequence[Any], analyzer: Analyzer, n_jobs: int | None = None
    ) -> tuple[TermTable, SparseRows]:
        if documents is not self._documents:
            return count_all(documents, analyzer, n_jobs)
        counts = self.known(analyzer)
        if counts is None:
            counts = count_all(documents, analyzer, n_jobs)
            self._counts.append((analyzer, counts))
        return counts

    def keep(self, analyzers: Sequence[Analyzer]) -> None:
        """Remember no counts but those by these analyzers."""
        self._counts = [remembered for remembered in self._counts if remembered[0] in analyzers]

    def known(self, analyzer: Analyzer) -> tuple[TermTable, SparseRows] | None:
        """The counts, if they are remembered."""
        return next((counts for counted_by, counts in self._counts if counted_by == analyzer), None)


def count_known(
    documents: Iterable[Any],
    analyzer: Analyzer,
    terms: TermTable,
    columns: Table | None = None,
    n_columns: int | None = None,
    n_jobs: int | None = None,
) -> tuple[SparseRows, Array]:
    """How often each document has each column, and how many terms it has outside them.

    `columns` gives the column of each position among the terms, −1 for a term that is left out; None: the position.
    """
    width = len(terms) if n_columns is None else n_columns
    if kernel_serves(analyzer):
        texts = kernel_texts(documents, analyzer, n_jobs)
        if _pays_to_probe(texts, terms, analyzer):
            settings = (*kernel_analysis(analyzer), counting_threads(texts, n_jobs))
            with _told(texts):
                counted = compiled_kernel().count_known(texts, terms.probe, _whole(columns, terms), *settings)
            indptr, indices, data, outside = counted
            return SparseRows(indptr, indices, data, width), outside
        documents, analyzer = texts, analyzer.of_rendered
    counters = map(Counter, map(analyzer, documents))
    blocks = [_count_block(block, terms, columns) for block in batches(counters, 1024)]
    lengths, indices, data, outside = map(np.concatenate, zip(*blocks, strict=True)) if blocks else _NOTHING
    return _canonical(np.concatenate(([0], np.cumsum(lengths))), indices, data, width), outside


def locate_known(text: str, analyzer: Analyzer, terms: TermTable, columns: Table | None = None) -> Occurrences:
    """Where a document has each column, as `count_known` counts them; −1 for its terms outside the columns.

    Of mail, the document is a rendered message.
    """
    from textnb.text.spans import Occurrences, places

    if kernel_serves(analyzer) and _pays_to_probe([text], terms, analyzer) and _keeps_places(text, analyzer):
        return Occurrences(
            *compiled_kernel().locate_known(text, terms.probe, _whole(columns, terms), *kernel_analysis(analyzer))
        )
    found = places(analyzer, text)
    ids = terms.find(found.terms)
    if columns is not None:
        ids[ids >= 0] = columns[ids[ids >= 0]]
    return Occurrences(ids, found.first, found.n_units, found.starts, found.ends)


def _keeps_places(text: str, analyzer: Analyzer) -> bool:
    """Whether every character is where it was in the text when the analyzer cuts it."""
    if analyzer.is_mail:
        return True
    return text.isascii() or not analyzer.lowercase or len(text.lower()) == len(text)


def _whole(columns: Table | None, terms: TermTable) -> Array | None:
    """The columns as the kernel takes them."""
    return None if columns is None else np.ascontiguousarray(columns[: len(terms)], dtype=np.int32)


def kernel_serves(analyzer: Analyzer) -> bool:
    """Whether the kernel was compiled and supports the analyzer."""
    return analyzer.is_plain and compiled_kernel() is not None


def _pays_to_probe(texts: Sequence[str], terms: TermTable, analyzer: Analyzer) -> bool:
    """Whether the kernel can look these terms up, and there was enough text to make compiling a probe pay."""
    if isinstance(terms, NgramTerms):
        possible = analyzer.kind == "word" and analyzer.ngrams[1] <= terms.longest
    else:
        possible = isinstance(terms, Terms) and not analyzer.makes_ngrams
    if not possible:
        return False
    terms.characters_looked_up += sum(map(len, texts))
    n_compiled = len(terms.words if isinstance(terms, NgramTerms) else terms)  # of n-grams only the words
    return terms.has_probe or terms.characters_looked_up >= _PROBE_PAYS * n_compiled


def term_table(values: Iterable[Any], analyzer: Analyzer) -> TermTable:
    """The table of distinct terms, of the class that counting with the analyzer gives."""
    table = terms_of(values)
    if analyzer.makes_ngrams and isinstance(table, Terms):
        return NgramTerms.of(table.strings(), analyzer.ngrams[1]) or table
    return table


def _count_all_in_python(documents: Iterable[Any], analyzer: Analyzer) -> tuple[TermTable, SparseRows]:
    ids: dict[Any, int] = {}
    indptr, indices, data = array("q", [0]), array("q"), array("q")
    for terms in each(map(analyzer, documents), "counting", " documents"):
        counts = Counter(terms)
        indices.extend([ids.setdefault(term, len(ids)) for term in counts])
        data.extend(counts.values())
        indptr.append(len(indices))
    rank = np.empty(len(ids), dtype=np.int64)
    rank[[ids[term] for term in sorted(ids)]] = np.arange(len(ids))
    rows = _canonical(np.array(indptr), rank[np.array(indices)], np.array(data), len(ids))
    return term_table(ids, analyzer), rows


def _count_block(counters: Sequence[Counter[Any]], terms: TermTable, columns: Table | None) -> tuple[Array, ...]:
    wanted = list(chain.from_iterable(counters))
    counts = np.fromiter(chain.from_iterable(counter.values() for counter in counters), np.int64, len(wanted))
    documents = np.repeat(np.arange(len(counters)), [len(counter) for counter in counters])
    ids = terms.find(wanted)
    if columns is not None:
        ids[ids >= 0] = columns[ids[ids >= 0]]
    known = ids >= 0
    outside = exact_bincount(documents[~known], counts[~known], len(counters))
    return np.bincount(documents[known], minlength=len(counters)), ids[known], counts[known], outside


_NOTHING = (np.zeros(0, np.int64),) * 4


def kernel_texts(documents: Iterable[Any], analyzer: Analyzer, n_jobs: int | None) -> list[Any]:
    """The documents as the kernel takes them: messages rendered, many of them by several processes."""
    texts = list(documents)
    if not analyzer.is_mail:
        return texts
    if sum(map(len, texts)) < _PROCESSES_PAY:
        return list(map(analyzer.rendered, texts))
    from textnb.text.processes import map_in_processes

    with step("reading messages", " messages", len(texts)) as advance:
        return map_in_processes(analyzer.rendered, texts, counting_threads(texts, n_jobs), advance)


def kernel_analysis(analyzer: Analyzer) -> tuple[Any, ...]:
    if analyzer.is_mail:
        return analyzer.kind, 1, 1, False, None  # a rendered message has its n-grams as terms
    return analyzer.units, *analyzer.ngrams, analyzer.lowercase, analyzer.stop_words


def _told(texts: Sequence[str]) -> AbstractContextManager[Advance | None]:
    """A step, where there is much to count."""
    is_long = sum(map(len, texts)) >= _LONG
    return step(f"counting {len(texts):,} documents") if is_long else nullcontext()


def counting_threads(texts: Sequence[str], n_jobs: int | None) -> int:
    from textnb.text.threads import available_cores, thread_count  # a filter of one message needs no threads

    if n_jobs is not None:
        return thread_count(n_jobs)
    return available_cores() if sum(map(len, texts)) >= _THREADS_PAY else 1


def _canonical(indptr: Array, indices: Array, data: Array, n_columns: int) -> SparseRows:
    """Entries sorted by column within each row; 32-bit indices where they suffice."""
    order = np.argsort(np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)) * max(n_columns, 1) + indices)
    index_type = np.int32 if max(indptr[-1], n_columns) < 2**31 else np.int64
    return SparseRows(indptr.astype(index_type), indices[order].astype(index_type), data[order], n_columns)
