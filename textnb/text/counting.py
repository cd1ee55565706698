"""Documents to counts: by the kernel where it can, by the Python path for any analyzer."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from textnb.text import kernel
from textnb.text.analyzer import Analyzer
from textnb.text.documents import batches
from textnb.text.rows import Array, SparseRows, exact_bincount
from textnb.text.term_index import TermIndex
from textnb.text.vocabulary import Vocabulary


def count_all(
    documents: Iterable[Any], analyzer: Analyzer, n_jobs: int | None = None
) -> tuple[dict[Any, int], SparseRows]:
    """The terms of the documents, sorted and numbered, and how often each document has each: canonical CSR rows."""
    if kernel.serves(analyzer):
        return kernel.count_all(list(documents), analyzer, n_jobs)
    return count_all_in_python(documents, analyzer)


def count_known(
    documents: Iterable[Any], analyzer: Analyzer, vocabulary: Vocabulary | TermIndex, n_jobs: int | None = None
) -> tuple[SparseRows, Array]:
    """How often each document has each term of the vocabulary, and how many terms it has outside it."""
    if isinstance(vocabulary, Vocabulary) and kernel.serves(analyzer):
        documents = list(documents)
        if vocabulary.is_compiled or pays_to_compile(documents, vocabulary):
            return kernel.count_known(documents, analyzer, vocabulary, n_jobs)
    return count_known_in_python(documents, analyzer, vocabulary)


def pays_to_compile(documents: Sequence[str], vocabulary: Vocabulary | TermIndex, characters_a_term: int = 4) -> bool:
    """Whether, with these, so much text was looked up that preparing the vocabulary takes less time than it saves."""
    vocabulary.characters_seen += sum(map(len, documents))
    return vocabulary.characters_seen >= characters_a_term * len(vocabulary)


def count_all_in_python(documents: Iterable[Any], analyzer: Analyzer) -> tuple[dict[Any, int], SparseRows]:
    ids: dict[Any, int] = {}
    indptr, indices, data = array("q", [0]), array("q"), array("q")
    for terms in map(analyzer, documents):
        counts = Counter(terms)
        indices.extend([ids.setdefault(term, len(ids)) for term in counts])
        data.extend(counts.values())
        indptr.append(len(indices))
    terms_sorted = sorted(ids)
    rank = np.empty(len(ids), dtype=np.int64)
    rank[[ids[term] for term in terms_sorted]] = np.arange(len(ids))
    numbered = dict(zip(terms_sorted, range(len(ids)), strict=True))
    return numbered, _canonical(_int64(indptr), rank[_int64(indices)], _int64(data), len(ids))


def count_known_in_python(
    documents: Iterable[Any], analyzer: Analyzer, vocabulary: Vocabulary | TermIndex
) -> tuple[SparseRows, Array]:
    blocks = [_count_block(block, vocabulary) for block in batches(map(Counter, map(analyzer, documents)), 1024)]
    lengths, indices, data, outside = map(np.concatenate, zip(*blocks, strict=True)) if blocks else _NOTHING
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    return _canonical(indptr, indices, data, len(vocabulary)), outside


def _count_block(counters: Sequence[Counter[Any]], vocabulary: Vocabulary | TermIndex) -> tuple[Array, ...]:
    terms = list(chain.from_iterable(counters))
    counts = np.fromiter(chain.from_iterable(counter.values() for counter in counters), np.int64, len(terms))
    documents = np.repeat(np.arange(len(counters)), [len(counter) for counter in counters])
    ids = vocabulary.find(terms)
    known = ids >= 0
    outside = exact_bincount(documents[~known], counts[~known], len(counters))
    return np.bincount(documents[known], minlength=len(counters)), ids[known], counts[known], outside


_NOTHING = (np.zeros(0, np.int64),) * 4


def _int64(values: array[int]) -> Array:
    return np.array(values, dtype=np.int64)


def _canonical(indptr: Array, indices: Array, data: Array, n_columns: int) -> SparseRows:
    """Entries sorted by column within each row; 32-bit indices where they suffice."""
    order = np.argsort(np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)) * max(n_columns, 1) + indices)
    index_type = np.int32 if max(indptr[-1], n_columns) < 2**31 else np.int64
    return SparseRows(indptr.astype(index_type), indices[order].astype(index_type), data[order], n_columns)
