"""Documents that are nearly the same: found by MinHash, confirmed by comparing their terms.

Two documents are as alike as their sets of terms: |A ∩ B| / |A ∪ B| (Jaccard). A hash function orders all terms at
random; that the first terms of two documents agree has just that probability (Broder 1997). Documents that agree in all
hash functions of some band are compared term by term, so what is reported is exact; what is overlooked is rare.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from textnb.arrays import Array, SparseRows, ranges, row_blocks
from textnb.compiled import compiled_kernel
from textnb.text.steps import each

_HASHES = 96
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ / golden ratio, odd: spreads what it is multiplied with
_RECALL = 0.98  # of pairs just at the threshold; more alike ones are overlooked more rarely still
_AT_ONCE = 16  # hash functions computed at a time, if a band has no more: as many as fill a cache line
_NEIGHBOURS = 8  # documents of a bucket that each is compared with: thousands alike stay linear
_BLOCK = 1 << 20  # terms compared at a time


@dataclass(frozen=True)
class NearDuplicate:
    """Two documents by position, first < second, and how alike their sets of terms are: 1 is the same set."""

    first: int
    second: int
    similarity: float


def near_duplicates(rows: SparseRows, threshold: float = 0.8) -> list[NearDuplicate]:
    """Pairs of documents whose similarity is `threshold` or more, the most alike first, then by position.

    Of documents with the very same terms each is paired with the first of them only, and of more than a few that are
    nearly the same each with some: enough to group them, in time that grows with the documents, not with their pairs.
    Documents without terms have no duplicates.
    """
    first, second, similarity = _pairs(rows, threshold)
    order = np.lexsort((second, first, -similarity))
    columns = (values[order].tolist() for values in (first, second, similarity))
    return [NearDuplicate(*pair) for pair in zip(*columns, strict=True)]


def share_near_duplicated(rows: SparseRows, threshold: float = 0.5) -> float:
    """The share of documents that have a near duplicate, by default one that shares half of all terms of the two.

    Where it is high, as where answers quote what they answer, a document left out has left its words behind.
    """
    first, second, _ = _pairs(rows, threshold)
    return len(np.union1d(first, second)) / max(rows.shape[0], 1)


def _pairs(rows: SparseRows, threshold: float) -> tuple[Array, Array, Array]:
    """First and second document and similarity of every pair found."""
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must be above 0 and at most 1, got {threshold}")
    indptr, indices = _term_sets(rows)
    documents, repeats, originals = _distinct(indptr, indices)
    left, right = _candidates(indptr, indices, documents, threshold)
    similarity = _jaccard(indptr, indices, rows.n_columns, left, right)
    alike = similarity >= threshold
    return (
        np.concatenate((originals, left[alike])),
        np.concatenate((repeats, right[alike])),
        np.concatenate((np.ones(len(repeats)), similarity[alike])),
    )


def _term_sets(rows: SparseRows) -> tuple[Array, Array]:
    """The columns above 0 of every row, ascending, as indptr and indices."""
    keys = rows.row_ids * max(rows.n_columns, 1) + rows.indices
    if (present := rows.data > 0).all() and (np.diff(keys) > 0).all():
        return rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
    keys = np.unique(keys[present])
    owners, columns = np.divmod(keys, max(rows.n_columns, 1))
    return np.searchsorted(owners, np.arange(rows.shape[0] + 1)), columns


def _distinct(indptr: Array, indices: Array) -> tuple[Array, Array, Array]:
    """The first document of each set of terms but the empty one; the others, and which of the first each repeats."""
    first_of: dict[bytes, int] = {}
    sets = (indices[start:stop].tobytes() for start, stop in pairwise(indptr.tolist()))
    numbers = [first_of.setdefault(terms, number) for number, terms in enumerate(sets)]
    original = np.array(numbers, dtype=np.int64)
    filled = np.diff(indptr) > 0
    repeated = original < np.arange(len(original))
    (first,), (other,) = np.nonzero(filled & ~repeated), np.nonzero(filled & repeated)
    return first, other, original[other]


def _candidates(indptr: Array, indices: Array, documents: Array, threshold: float) -> tuple[Array, Array]:
    """Pairs of documents that agree in a band of hash functions and are not too unequal in size to be alike."""
    n, sizes = len(documents), np.diff(indptr)[documents]
    pairs = [np.zeros(0, dtype=np.int64)]
    buckets = _buckets(indptr, indices, documents, threshold)
    for bucket in each(buckets, "comparing documents", " bands", _bands(threshold)[1]):
        order = np.argsort(bucket, kind="stable")
        for step in range(1, min(_NEIGHBOURS + 1, n)):
            agree = bucket[order[step:]] == bucket[order[:-step]]
            pairs.append(order[:-step][agree] * n + order[step:][agree])
    left, right = np.divmod(np.unique(np.concatenate(pairs)), max(n, 1))
    possible = np.minimum(sizes[left], sizes[right]) >= threshold * np.maximum(sizes[left], sizes[right])
    return documents[left[possible]], documents[right[possible]]


def _buckets(indptr: Array, indices: Array, documents: Array, threshold: float) -> Iterator[Array]:
    """For each band, one number per document, equal where the smallest terms agree in all of its hash functions."""
    if not len(documents):
        return
    kept = np.zeros(len(indptr) - 1, dtype=np.bool_)
    kept[documents] = True
    terms = indices[np.repeat(kept, np.diff(indptr))]
    starts = np.concatenate(([0], np.cumsum(np.diff(indptr)[documents])[:-1]))
    n_columns = int(terms.max()) + 1
    width, count = _bands(threshold)
    at_once = max(1, _AT_ONCE // width)
    for first in range(0, count, at_once):
        functions = range(first * width, min(first + at_once, count) * width)
        ranks = np.empty((n_columns, len(functions)), dtype=np.uint32)
        for i, function in enumerate(functions):  # numpy keeps its raw streams
            ranks[:, i] = np.random.PCG64(function).random_raw(n_columns) >> np.uint64(32)
        smallest = _smallest(ranks, terms, starts)
        for band in range(0, len(functions), width):
            bucket = np.zeros(len(documents), dtype=np.uint64)
            for ranked in smallest[band : band + width]:
                bucket = bucket * _MULTIPLIER + ranked
            yield bucket


def _smallest(ranks: Array, terms: Array, starts: Array) -> Array:
    """The smallest rank among the terms of each document, (n_functions, n), from the ranks (V, n_functions)."""
    kernel = compiled_kernel()
    if kernel is None:
        return np.array([np.minimum.reduceat(rank[terms], starts) for rank in ranks.T])
    out = np.empty((len(starts), ranks.shape[1]), dtype=np.uint32)
    kernel.smallest_ranks(np.append(starts, len(terms)), terms, ranks, out)
    return out.T


def _bands(threshold: float) -> tuple[int, int]:
    """The width r of bands, as large as 1 − (1 − sʳ)ᵇ, the chance that a pair at the threshold is found, allows; b."""
    widths = np.arange(1, _HASHES + 1)
    found = 1 - (1 - threshold**widths) ** (_HASHES // widths)
    width = int(widths[found >= _RECALL].max(initial=1))
    return width, _HASHES // width


def _jaccard(indptr: Array, indices: Array, n_columns: int, left: Array, right: Array) -> Array:
    """|A ∩ B| / |A ∪ B| of each pair of rows."""
    sizes = np.diff(indptr)
    total = sizes[left] + sizes[right]
    shared = np.zeros(len(left), dtype=np.int64)

    def keys(documents: Array) -> Array:
        """The terms of some documents, those of each set apart from those of the others."""
        lengths = sizes[documents]
        return np.repeat(np.arange(len(documents)) * n_columns, lengths) + indices[ranges(indptr[documents], lengths)]

    for start, stop in row_blocks(np.append(0, np.cumsum(total)), _BLOCK):
        both = np.sort(np.concatenate((keys(left[start:stop]), keys(right[start:stop]))), kind="stable")
        repeated = both[1:][both[1:] == both[:-1]]
        shared[start:stop] = np.bincount(repeated // max(n_columns, 1), minlength=stop - start)
    return shared / (total - shared)
