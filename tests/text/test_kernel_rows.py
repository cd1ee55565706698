"""The kernel's arithmetic on rows: the digits of the numpy path, and nothing read out of bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.text import rows as rows_module
from textnb.text import weights as weights_module
from textnb.text.rows import SparseRows
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
