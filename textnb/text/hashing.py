"""Documents to counts by hash: the column of a term follows from its bytes, so that no vocabulary is needed."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from textnb.arrays import SparseRows, stacked
from textnb.compiled import compiled_kernel
from textnb.text.analyzer import Analyzer
from textnb.text.counting import counting_threads, kernel_analysis, kernel_serves, kernel_texts
from textnb.text.documents import text_blocks

MOST_FEATURES = 2**31 - 2


def count_hashed(
    documents: Iterable[Any],
    analyzer: Analyzer,
    n_features: int,
    *,
    alternate_sign: bool = True,
    n_jobs: int | None = None,
) -> SparseRows:
    """How often each document has terms of each column: canonical CSR rows of integers.

    A term's column is |h| mod `n_features`, where h is the signed MurmurHash3 of its UTF-8. With `alternate_sign` it
    counts −1 if h is negative; where terms cancel each other out, an entry of 0 stays.
    """
    if not kernel_serves(analyzer):
        return _count_in_python(documents, analyzer, n_features, alternate_sign)
    blocks = [_count_block(block, analyzer, n_features, alternate_sign, n_jobs) for block in text_blocks(documents)]
    return stacked(blocks) if blocks else _count_in_python([], analyzer, n_features, alternate_sign)


def _count_block(
    documents: list[str], analyzer: Analyzer, n_features: int, alternate_sign: bool, n_jobs: int | None
) -> SparseRows:
    texts = kernel_texts(documents, analyzer, n_jobs)
    if not all(map(_is_utf8, texts)):
        return _count_in_python(texts, analyzer.of_rendered, n_features, alternate_sign)
    threads = counting_threads(texts, n_jobs)
    settings = (n_features, alternate_sign, *kernel_analysis(analyzer), threads)
    indptr, indices, data = compiled_kernel().count_hashed(texts, *settings)
    return SparseRows(indptr, indices, data, n_features)


def _is_utf8(text: str) -> bool:
    """Whether it has no lone surrogates, which have no UTF-8 that could be hashed."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _count_in_python(documents: Iterable[Any], analyzer: Analyzer, n_features: int, alternate_sign: bool) -> SparseRows:
    indptr, indices, data = array("q", [0]), array("q"), array("q")
    for terms in map(analyzer, documents):
        sums: dict[int, int] = {}
        for term, count in Counter(_strings(terms)).items():
            hashed = _murmur_hash(term)
            column = abs(hashed) % n_features
            sums[column] = sums.get(column, 0) + (-count if alternate_sign and hashed < 0 else count)
        columns = sorted(sums)
        indices.extend(columns)
        data.extend(map(sums.__getitem__, columns))
        indptr.append(len(indices))
    index_type = np.int32 if len(indices) < 2**31 else np.int64
    arrays = np.array(indptr).astype(index_type), np.array(indices).astype(index_type), np.array(data)
    return SparseRows(*arrays, n_features)


def _strings(terms: Iterable[Any]) -> Iterable[str | bytes]:
    if isinstance(terms, str):
        raise ValueError(
            "Samples can not be a single string. The input must be an iterable over iterables of strings: the "
            "analyzer must give a list of terms."
        )
    for term in terms:
        if not isinstance(term, str | bytes):
            raise TypeError(f"feature names must be strings, got {type(term).__name__}: {term!r:.60}")
        yield term


def _murmur_hash(term: str | bytes) -> int:
    from sklearn.utils import murmurhash3_32

    return murmurhash3_32(term.encode() if isinstance(term, str) else term)
