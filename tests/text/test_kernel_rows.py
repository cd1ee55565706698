"""The kernel's arithmetic on rows: the digits of the numpy path, and nothing read out of bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb import arrays as rows_module
from textnb.arrays import SparseRows
from textnb.text import weights as weights_module
from textnb.text.weights import weigh

kernel = pytest.importorskip("textnb.text._kernel", reason="the kernel was not built")


@st.composite
def sparse_rows(draw, smallest=0):
    n_columns = draw(st.integers(1, 6))
    rows = draw(
        st.lists(st.lists(st.tuples(st.integers(0, n_columns - 1), st.integers(smallest, 9)), max_size=6), max_size=5)
    )
    index_type = draw(st.sampled_from([np.int32, np.int64]))
    entries = [entry for row in rows for entry in row]
    return SparseRows(
        np.cumsum([0, *map(len, rows)]).astype(index_type),
        np.array([column for column, _ in entries], dtype=index_type),
        np.array([value for _, value in entries], dtype=draw(st.sampled_from([np.int64, np.float64]))),
        n_columns,
    )


def in_python(function):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "compiled_kernel", lambda: None)
        patch.setattr(weights_module, "compiled_kernel", lambda: None)
        return function()


@given(sparse_rows(), st.integers(0, 5), st.randoms(use_true_random=False))
def test_products_have_the_digits_of_the_python_path(rows, width, random):
    table = np.array([[random.gauss(0, 1) for _ in range(width)] for _ in range(rows.n_columns)])
    table = table.reshape(rows.n_columns, width)
    assert (rows @ table).tobytes() == in_python(lambda: rows @ table).tobytes()


@given(sparse_rows(1), st.sampled_from([None, "l1", "l2"]), st.booleans(), st.booleans())
def test_weights_have_the_digits_of_the_python_path(rows, norm, sublinear_tf, with_idf):
    idf = np.linspace(1, 3, rows.n_columns) if with_idf else None
    before = rows.data.copy()

    def weighed():
        return weigh(rows, idf=idf, sublinear_tf=sublinear_tf, norm=norm).data

    assert weighed().tobytes() == in_python(weighed).tobytes()
    assert (rows.data == before).all()


GOOD = {"indptr": [0, 1, 2], "indices": [0, 1], "data": [1.0, 2.0]}


@pytest.mark.parametrize(
    "bad",
    [
        {"indices": [0, 2]},
        {"indices": [0, -1]},
        {"indptr": [0, 3, 2]},
        {"indptr": [0, 1, 3]},
        {"indptr": [-1, 1, 2]},
        {"indptr": [0, 1]},
        {"data": [1.0]},
    ],
    ids=str,
)
def test_what_would_reach_out_of_bounds_is_refused(bad):
    parts = GOOD | bad
    indptr, indices = (np.array(parts[name], dtype=np.int32) for name in ("indptr", "indices"))
    data, table, out = np.array(parts["data"]), np.ones((2, 3)), np.zeros((2, 3))
    with pytest.raises(ValueError, match=r"row|column"):
        kernel.multiply_rows(indptr, indices, data, table, out, 0, 2)
    with pytest.raises(ValueError, match=r"row|column"):
        kernel.weigh_rows(indptr, indices, data, np.ones(2), 2, 0, 2)


@given(sparse_rows(), st.integers(1, 3), st.data())
def test_sums_by_class_have_the_digits_of_the_python_path(rows, n_classes, data):
    class_ids = np.array(
        data.draw(st.lists(st.integers(0, n_classes - 1), min_size=rows.shape[0], max_size=rows.shape[0])),
        dtype=np.int64,
    )
    expected = np.zeros((rows.n_columns, n_classes), dtype=rows.data.dtype)
    np.add.at(expected, (rows.indices, class_ids[rows.row_ids]), rows.data)
    sums = rows.sums_by_class(class_ids, n_classes)
    found = sums.toarray()
    assert (found.dtype, found.tobytes()) == (expected.dtype, expected.tobytes())
    in_numpy = in_python(lambda: rows.sums_by_class(class_ids, n_classes))
    for name in ("indptr", "indices", "data"):
        assert getattr(sums, name).tolist() == getattr(in_numpy, name).tolist()
    frequency = rows.document_frequency()
    assert frequency.tolist() == in_python(rows.document_frequency).tolist()
    assert frequency.dtype == np.int64


@given(sparse_rows(), st.integers(0, 4), st.data())
def test_sparse_weights_are_added_in_the_order_of_the_entries(rows, n_classes, data):
    weights = data.draw(
        st.lists(
            st.dictionaries(st.integers(0, n_classes - 1), st.floats(-9, 9)).map(
                lambda column: dict(sorted(column.items()))
            )
            if n_classes
            else st.just({}),
            min_size=rows.n_columns,
            max_size=rows.n_columns,
        )
    )
    start_type, class_type = (data.draw(st.sampled_from([np.int32, np.int64])) for _ in range(2))
    w_indptr = np.cumsum([0, *map(len, weights)]).astype(start_type)
    w_classes = np.array([c for column in weights for c in column], dtype=class_type)
    w_values = np.array([value for column in weights for value in column.values()], dtype=np.float64)
    n_rows = rows.shape[0]
    first = data.draw(st.integers(0, n_rows))
    last = data.draw(st.integers(first, n_rows))
    out = np.full((n_rows, n_classes), 0.1)
    expected = out.copy()
    for row in range(first, last):
        for entry in range(rows.indptr[row], rows.indptr[row + 1]):
            for c, value in weights[rows.indices[entry]].items():
                expected[row, c] += float(rows.data[entry]) * value
    kernel.multiply_sparse(rows.indptr, rows.indices, rows.data, w_indptr, w_classes, w_values, out, first, last)
    assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "bad",
    [
        {"indices": [0, 2]},
        {"indices": [0, -1]},
        {"indptr": [0, 1, 3]},
        {"data": [1.0]},
        {"w_indptr": [0, 1]},
        {"w_indptr": []},
        {"w_indptr": [0, 1, 3]},
        {"w_indptr": [-1, 1, 2]},
        {"w_indptr": [0, 2, 1]},
        {"w_indptr": [0, 1, 2**62]},
        {"w_classes": [0, 3]},
        {"w_classes": [-1, 0]},
        {"w_classes": [0]},
        {"out": np.zeros((1, 3))},
    ],
    ids=str,
)
def test_no_weights_are_read_out_of_bounds(bad):
    parts = GOOD | {"w_indptr": [0, 1, 2], "w_classes": [0, 2], "w_values": [1.0, 2.0], "out": np.zeros((2, 3))} | bad
    types = (np.int32, np.int32, np.float64, np.int64, np.int32, np.float64, np.float64)
    arrays = [np.array(part, dtype=dtype) for part, dtype in zip(parts.values(), types, strict=True)]
    with pytest.raises(ValueError, match=r"row|column|weights"):
        kernel.multiply_sparse(*arrays, 0, 2)


@pytest.mark.parametrize(
    "bad",
    [
        {"indices": [0, 2]},
        {"indices": [0, -1]},
        {"indptr": [0, 3, 2]},
        {"data": [1.0]},
        {"class_ids": [0, 2]},
        {"class_ids": [-1, 0]},
        {"class_ids": [0, 1, 1]},
    ],
    ids=str,
)
def test_nothing_is_added_out_of_bounds(bad):
    given = GOOD | {"class_ids": [0, 1]} | bad
    types = {"indptr": np.int32, "indices": np.int32, "data": np.float64, "class_ids": np.int64}
    arrays = [np.array(given[name], dtype=dtype) for name, dtype in types.items()]
    with pytest.raises(ValueError, match=r"fit|place|out of range"):
        kernel.sum_by_class(*arrays, 2, 2, 0, 2)


@pytest.mark.parametrize(("n_classes", "n_columns"), [(2, -1), (1, 2), (-1, 2), (2**31, 2), (2, 1)])
def test_sums_need_room_for_every_class_and_column(n_classes, n_columns):
    indptr, indices = (np.array(GOOD[name], dtype=np.int32) for name in ("indptr", "indices"))
    with pytest.raises(ValueError, match="out of range"):
        kernel.sum_by_class(
            indptr, indices, np.array(GOOD["data"]), np.array([0, 1]), n_classes, n_columns, 0, n_columns
        )


@pytest.mark.parametrize("column", [-1, 2])
def test_no_column_is_counted_out_of_bounds(column):
    with pytest.raises(ValueError, match=f"out of range: {column}"):
        kernel.count_columns(np.array([0, column], dtype=np.int32), np.zeros(2, dtype=np.int64))
