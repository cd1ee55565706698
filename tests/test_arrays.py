"""Sparse rows do what scipy's CSR matrices do, and add integers exactly."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from without_kernel import without_kernel

from textnb import arrays as rows_module
from textnb.arrays import SparseRows, exact_bincount

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=12)
TABLES = hnp.arrays(np.int64, SHAPES, elements=st.sampled_from([0, 0, 0, 1, 2, 7]))


def rows_of(dense):
    matrix = scipy.sparse.csr_array(dense)
    return SparseRows(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1])


def dense_of(rows):
    matrix = scipy.sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=rows.shape)
    assert matrix.has_canonical_format
    return matrix.toarray()


class Slow:
    """A table that only gives the rows it is asked for, as that of a model file does."""

    def __init__(self, table):
        self.table, self.shape = table, table.shape

    def __getitem__(self, indices):
        return self.table[indices]


@given(TABLES, st.integers(0, 3), st.sampled_from([1, 3, 1 << 16]))
def test_a_product_is_scipys_to_the_last_digit_whatever_the_table_and_the_blocks(dense, width, block):
    table = np.random.default_rng(0).normal(size=(dense.shape[1], width))
    expected = scipy.sparse.csr_array(dense) @ table
    np.testing.assert_array_equal(rows_of(dense) @ table, expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "_PRODUCT_BLOCK", block)
        np.testing.assert_array_equal(rows_of(dense) @ Slow(table), expected)


@given(TABLES)
def test_a_row_of_a_product_does_not_depend_on_its_neighbours(dense):
    table = np.random.default_rng(0).normal(size=(dense.shape[1], 3))
    together = rows_of(dense) @ table
    alone = [rows_of(row[np.newaxis]) @ table for row in dense]
    np.testing.assert_array_equal(together, np.concatenate([np.zeros((0, 3)), *alone]))


@given(st.data(), TABLES)
def test_rows_can_be_taken_whether_they_are_consecutive_or_not(data, dense):
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(dense))] * 2)))
    some = data.draw(st.lists(st.integers(0, len(dense) - 1), max_size=5)) if len(dense) else []
    for ids in (np.arange(start, stop), np.array(some, dtype=np.int64)):
        np.testing.assert_array_equal(dense_of(rows_of(dense).take_rows(ids)), dense[ids])


@given(TABLES, st.sampled_from([0, 1000]))
def test_rows_can_be_narrowed_to_the_columns_that_have_entries(dense, n_empty):
    wide = np.hstack([np.zeros((len(dense), n_empty), dtype=np.int64), dense])
    touched, narrowed = rows_of(wide).narrowed()
    assert touched.tolist() == np.flatnonzero(wide.any(axis=0)).tolist()
    np.testing.assert_array_equal(dense_of(narrowed), wide[:, touched])


@given(st.data(), TABLES)
def test_columns_can_be_selected(data, dense):
    keep = data.draw(hnp.arrays(bool, dense.shape[1]))
    np.testing.assert_array_equal(dense_of(rows_of(dense).select_columns(keep)), dense[:, keep])


@given(st.data(), TABLES, st.sampled_from([np.int64, np.float64, np.float32]), st.sampled_from([np.int32, np.int64]))
def test_columns_can_be_moved_with_the_kernel_and_without(data, dense, kind, index_kind):
    kept = data.draw(hnp.arrays(bool, dense.shape[1]))
    n_columns = int(kept.sum()) + data.draw(st.integers(0, 3))
    places = sorted(data.draw(st.permutations(range(n_columns)))[: int(kept.sum())])
    columns = np.full(dense.shape[1], -1)
    columns[kept] = places
    plain = rows_of(dense.astype(kind))
    rows = SparseRows(plain.indptr.astype(index_kind), plain.indices.astype(index_kind), plain.data, plain.n_columns)
    moved = rows.move_columns(columns, n_columns)
    expected = np.zeros((len(dense), n_columns))
    expected[:, places] = dense[:, kept]
    np.testing.assert_array_equal(dense_of(moved), expected)
    with without_kernel():
        alike = rows.move_columns(columns, n_columns)
    for one, other in ((moved.indptr, alike.indptr), (moved.indices, alike.indices), (moved.data, alike.data)):
        assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())


@given(st.data(), TABLES)
def test_a_column_can_be_appended(data, dense):
    values = data.draw(hnp.arrays(np.int64, dense.shape[0], elements=st.integers(0, 2)))
    np.testing.assert_array_equal(dense_of(rows_of(dense).append_column(values)), np.column_stack([dense, values]))


@given(TABLES)
def test_sums_and_frequencies_are_those_of_the_dense_matrix(dense):
    rows = rows_of(dense)
    assert rows.shape == dense.shape
    np.testing.assert_array_equal(rows.row_sums(), dense.sum(axis=1))
    np.testing.assert_array_equal(rows.column_sums(), dense.sum(axis=0))
    np.testing.assert_array_equal(rows.document_frequency(), np.count_nonzero(dense, axis=0))
    np.testing.assert_array_equal(dense_of(rows.present()), dense > 0)
    assert rows.row_sums().dtype == rows.column_sums().dtype == np.int64


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2**58)), max_size=20))
def test_integers_add_up_exactly_beyond_floating_point(pairs):
    keys = np.array([key for key, _ in pairs], dtype=np.int64)
    values = np.array([value for _, value in pairs], dtype=np.int64)
    expected = [sum(value for key, value in pairs if key == k) for k in range(5)]
    sums = exact_bincount(keys, values, 5)
    assert sums.dtype == np.int64
    assert sums.tolist() == expected


def test_one_more_than_2_to_the_53_is_not_lost():
    assert exact_bincount(np.array([0, 0]), np.array([2**53, 1]), 1).tolist() == [2**53 + 1]


def test_integers_that_pass_64_bits_are_refused():
    with pytest.raises(ValueError, match="more than a 64-bit integer can hold"):
        exact_bincount(np.array([0, 0]), np.array([2**62, 2**62]), 1)


def test_floats_stay_floats_and_booleans_count():
    assert exact_bincount(np.array([1, 1]), np.array([0.5, 0.25]), 3).tolist() == [0, 0.75, 0]
    assert exact_bincount(np.array([1, 1]), np.array([True, True]), 2).tolist() == [0, 2]


def test_filled_rows_store_every_entry():
    dense = np.array([[0, 3, 0], [0, 0, 0]])
    filled = SparseRows.of_dense(dense).filled()
    assert filled.toarray().tolist() == dense.tolist()
    assert filled.data.tolist() == [0, 3, 0, 0, 0, 0]


@pytest.mark.parametrize("block", [1, 1 << 16])
def test_a_sparse_table_multiplies_as_the_dense_one(block, monkeypatch):
    rng = np.random.default_rng(0)
    X, table = rng.poisson(0.7, (40, 9)), np.where(rng.random((9, 5)) < 0.4, rng.random((9, 5)), 0.0)
    rows, sparse = SparseRows.of_dense(X), SparseRows.of_dense(table)
    monkeypatch.setattr(rows_module, "_PRODUCT_BLOCK", block)
    np.testing.assert_allclose(rows @ sparse, X @ table, rtol=1e-14)
    assert (rows @ SparseRows.of_dense(np.zeros((9, 5)))).tolist() == np.zeros((40, 5)).tolist()


@given(st.data(), TABLES, st.integers(1, 5))
def test_sums_by_class_do_not_depend_on_threads(data, dense, n_threads):
    class_ids = data.draw(hnp.arrays(np.int64, len(dense), elements=st.integers(0, 2)))
    expected = np.stack([dense[class_ids == c].sum(axis=0) for c in range(3)], axis=1)
    sums = rows_of(dense).sums_by_class(class_ids, 3, n_threads)
    np.testing.assert_array_equal(dense_of(sums), expected)
    with without_kernel():
        np.testing.assert_array_equal(dense_of(rows_of(dense).sums_by_class(class_ids, 3)), expected)


@given(st.data(), TABLES)
def test_combining_is_what_dense_matrices_give(data, dense):
    other = data.draw(hnp.arrays(np.int64, dense.shape, elements=st.sampled_from([0, 0, 1, 2, 7])))
    combined = rows_of(dense).combine(rows_of(other), np.subtract)
    np.testing.assert_array_equal(dense_of(combined), dense - other)
    assert combined.data.all()


@given(TABLES)
def test_row_sums_are_exact(dense):
    np.testing.assert_array_equal(rows_of(dense).row_sums(), dense.sum(axis=1))
    large = rows_of(dense * (2**55 + 1))
    np.testing.assert_array_equal(large.row_sums(), (dense * (2**55 + 1)).sum(axis=1))
