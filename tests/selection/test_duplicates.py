"""Near duplicates: what is reported is exact, what is alike is found, and hostile corpora cost no squares."""

import numpy as np
import pytest
import scipy.sparse
from corpora_for_tests import corpus_or_skip
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from without_kernel import without_kernel

from textnb.arrays import SparseRows
from textnb.estimators.sklearn_compat import from_csr
from textnb.selection import duplicates
from textnb.selection.duplicates import near_duplicates, share_near_duplicated
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all

TABLES = hnp.arrays(
    np.int64, hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=9), elements=st.sampled_from([0, 0, 1, 3])
)


def rows_of(sets, n_columns=None):
    """Rows that have each column of their set once."""
    indices = np.concatenate([np.zeros(0, dtype=np.int64), *map(np.asarray, sets)]).astype(np.int64)
    indptr = np.concatenate(([0], np.cumsum([len(columns) for columns in sets]))).astype(np.int64)
    return SparseRows(indptr, indices, np.ones(len(indices), dtype=np.int64), n_columns or int(indices.max()) + 1)


def pairs_of(rows, threshold=0.8):
    return [(pair.first, pair.second) for pair in near_duplicates(rows, threshold)]


def jaccard(rows):
    """The similarity of every pair of rows by definition, (n, n)."""
    present = scipy.sparse.csr_array((rows.data > 0, rows.indices, rows.indptr), shape=rows.shape).astype(np.int64)
    shared = (present @ present.T).toarray()
    sizes = present.sum(axis=1)
    return shared / np.maximum(sizes[:, np.newaxis] + sizes - shared, 1)


@given(TABLES, st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_every_pair_is_as_alike_as_it_says(dense, threshold):
    rows = from_csr(scipy.sparse.csr_array(dense))
    by_definition = jaccard(rows)
    found = near_duplicates(rows, threshold)
    assert len({(pair.first, pair.second) for pair in found}) == len(found)
    for pair in found:
        assert pair.first < pair.second
        assert pair.similarity == by_definition[pair.first, pair.second] >= threshold


@given(TABLES)
def test_the_same_set_of_terms_is_always_one_group(dense):
    rows = from_csr(scipy.sparse.csr_array(dense))
    keys = [tuple(row > 0) if row.any() else number for number, row in enumerate(dense)]
    repeats = [(keys.index(key), number) for number, key in enumerate(keys) if keys.index(key) < number]
    assert sorted(pairs_of(rows, 1.0)) == sorted(repeats)


def test_pairs_come_most_alike_first_then_by_position():
    ten = list(range(10))
    rows = rows_of([[20, 21], ten, [*ten, 10], [*ten, 10, 11], ten, [20, 21]])
    assert [(pair.first, pair.second, pair.similarity) for pair in near_duplicates(rows)] == [
        (0, 5, 1.0),
        (1, 4, 1.0),
        (2, 3, 11 / 12),
        (1, 2, 10 / 11),
        (1, 3, 10 / 12),
    ]


def test_the_share_counts_documents_that_have_a_duplicate():
    assert share_near_duplicated(rows_of([[1, 2], [3], [1, 2], [4, 5], [1, 2]])) == 3 / 5


def test_planted_duplicates_are_found():
    rng = np.random.default_rng(0)
    originals = [np.sort(rng.choice(5000, 60, replace=False)) for _ in range(1000)]
    copies = [np.sort(np.append(columns[4:], 5000 + rng.choice(500, 2, replace=False))) for columns in originals]
    assert sorted(pairs_of(rows_of([*originals, *copies]))) == [(number, 1000 + number) for number in range(1000)]


def test_pairs_at_the_threshold_are_rarely_overlooked():
    rng = np.random.default_rng(1)
    originals = [np.sort(rng.choice(5000, 90, replace=False)) for _ in range(1000)]
    copies = [np.sort(np.append(columns[10:], 5000 + rng.choice(500, 10, replace=False))) for columns in originals]
    assert len(pairs_of(rows_of([*originals, *copies]), 0.8)) >= 980


def test_documents_without_terms_have_no_duplicates():
    rows = rows_of([[], [1, 2], [], [], [1, 2]])
    assert pairs_of(rows) == [(1, 4)]


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (3, 0), (3, 5), (1, 1)])
def test_nothing_to_compare_is_no_error(shape):
    rows = from_csr(scipy.sparse.csr_array(shape, dtype=np.int64))
    assert near_duplicates(rows) == []
    assert share_near_duplicated(rows) == 0


def test_only_which_terms_occur_matters():
    plain = rows_of([[0, 2, 3], [0, 2, 3], [1, 3]], 4)
    twisted = SparseRows(
        indptr=np.array([0, 4, 8, 10]),
        indices=np.array([3, 0, 2, 1, 2, 0, 3, 2, 3, 1]),  # unsorted, repeated, and with a zero
        data=np.array([1.5, 7.0, 0.1, 0.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0]),
        n_columns=4,
    )
    assert near_duplicates(twisted) == near_duplicates(plain)


@pytest.mark.parametrize("threshold", [0, -1, 1.1, float("nan")])
def test_a_threshold_that_is_no_similarity_is_refused(threshold):
    with pytest.raises(ValueError, match="threshold must be above 0 and at most 1"):
        near_duplicates(rows_of([[0]]), threshold)


def test_fifty_thousand_identical_documents_give_a_pair_each():
    n = 50_000
    rows = rows_of([np.arange(40)] * n)
    assert pairs_of(rows) == [(0, other) for other in range(1, n)]


def test_thousands_of_documents_from_one_template_are_one_group_at_a_linear_price():
    n = 10_000
    rows = rows_of([np.append(np.arange(40), 40 + number) for number in range(n)])
    assert len(pairs_of(rows)) < 20 * n


def test_a_shared_letterhead_hides_no_duplicate():
    rng = np.random.default_rng(2)
    letterhead = np.arange(60)
    originals = [np.append(letterhead, 60 + np.sort(rng.choice(20_000, 40, replace=False))) for _ in range(4000)]
    rows = rows_of([*originals, *(columns[:-3] for columns in originals)])
    assert sorted(pairs_of(rows)) == [(number, 4000 + number) for number in range(4000)]


@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_newsgroups_have_the_duplicates_that_comparing_all_pairs_finds(threshold):
    texts = corpus_or_skip("20news", subset="train").texts[:3000]
    rows = count_all(texts, Analyzer())[1]
    first, second = np.nonzero(np.triu(jaccard(rows), 1) >= threshold)
    everything, found = set(zip(first.tolist(), second.tolist(), strict=True)), set(pairs_of(rows, threshold))
    assert found <= everything
    assert len(everything) > 5
    assert len(found) >= 0.98 * len(everything)


@pytest.mark.parametrize("at_once", [1, 3, 16, 100])
def test_the_kernel_and_how_many_hash_functions_are_computed_at_once_make_no_difference(at_once, monkeypatch):
    random = np.random.default_rng(0)
    sets = [np.unique(random.integers(0, 200, random.integers(1, 40))) for _ in range(300)]
    indptr, indices = np.concatenate(([0], np.cumsum([len(terms) for terms in sets]))), np.concatenate(sets)
    arguments = (indptr, indices, np.arange(0, 300, 2), 0.5)
    expected = [
        [sum_of_smallest(terms, functions) for terms in sets[::2]] for functions in np.arange(96).reshape(-1, 3)
    ]
    assert duplicates._bands(0.5) == (3, 32)
    monkeypatch.setattr(duplicates, "_AT_ONCE", at_once)
    assert [bucket.tolist() for bucket in duplicates._buckets(*arguments)] == expected
    with without_kernel():
        assert [bucket.tolist() for bucket in duplicates._buckets(*arguments)] == expected


def sum_of_smallest(terms, functions):
    """The number of a document in a band, by the definition."""
    found = 0
    for function in functions.tolist():
        ranks = np.random.PCG64(function).random_raw(200) >> np.uint64(32)
        found = (found * 0x9E3779B97F4A7C15 + int(ranks[terms].min())) % 2**64
    return found
