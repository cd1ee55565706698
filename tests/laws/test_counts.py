"""Class counts as algebra: they add in any split and order, align over classes, and can be taken away."""

from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from textnb.arrays import SparseRows
from textnb.estimators.sklearn_compat import from_csr
from textnb.statistics.counts import ClassCounts, count_classes

LABELS = ["eggs", "ham", "spam"]
TERMS = ["apple", "bread", "cheese", "dates"]

labels = st.sampled_from(LABELS)
documents = st.lists(st.tuples(labels, st.dictionaries(st.sampled_from(TERMS), st.integers(1, 2**40))), max_size=8)


def counted(documents) -> ClassCounts:
    """Counts by definition, over the classes that occur, in Python's own numbers until the end."""
    classes = sorted({label for label, _ in documents})
    totals = [[sum(w.get(t, 0) for label, w in documents if label == c) for c in classes] for t in TERMS]
    return ClassCounts(
        np.array(classes, dtype=str),
        np.array([sum(label == c for label, _ in documents) for c in classes], dtype=np.int64),
        SparseRows.of_dense(np.array(totals, dtype=np.int64).reshape(len(TERMS), len(classes))),
    )


@given(documents, documents, documents)
def test_addition_is_associative(a, b, c):
    a, b, c = counted(a), counted(b), counted(c)
    assert (a + b) + c == a + (b + c)


@given(documents, documents)
def test_addition_is_commutative(a, b):
    a, b = counted(a), counted(b)
    assert a + b == b + a


@given(documents)
def test_nothing_is_neutral(a):
    a = counted(a)
    nothing = counted([])
    assert a + nothing == a == nothing + a
    assert a - nothing == a


@given(documents, documents)
def test_subtraction_undoes_addition(a, b):
    a, b = counted(a), counted(b)
    assert (a + b) - b == a
    assert (a + b) - a == b


@given(documents)
def test_taking_everything_away_leaves_nothing(a):
    assert counted(a) - counted(a) == counted([])


@given(documents, documents)
def test_aligning_differing_classes_equals_counting_together(a, b):
    both = counted(a) + counted(b)
    together = counted(a + b)
    np.testing.assert_array_equal(both.classes, together.classes)
    np.testing.assert_array_equal(both.documents, together.documents)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(both.totals, name), getattr(together.totals, name))


@st.composite
def shuffled_batches(draw, values):
    """Rows with their class and weight, and the same rows in another order and in batches."""
    n_rows, n_columns = draw(st.integers(1, 10)), draw(st.integers(1, 4))
    X = np.array(
        draw(st.lists(st.lists(values, min_size=n_columns, max_size=n_columns), min_size=n_rows, max_size=n_rows))
    )
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)))
    order = np.array(draw(st.permutations(range(n_rows))))
    cuts = sorted(draw(st.lists(st.integers(1, max(1, n_rows - 1)), max_size=3, unique=True)))
    return X, y, [part for part in np.split(order, cuts) if part.size]


def in_batches(X, y, batches, weights=None) -> ClassCounts:
    classes = np.array(LABELS)
    return reduce(
        add, (count_classes(X[part], y[part], classes, None if weights is None else weights[part]) for part in batches)
    )


@given(shuffled_batches(st.integers(0, 2**50)))
def test_any_split_and_order_of_documents_adds_up_to_the_same(rows):
    X, y, batches = rows
    whole = count_classes(X, y, np.array(LABELS))
    assert in_batches(X, y, batches) == whole
    assert whole.totals.data.dtype == whole.documents.dtype == np.int64
    assert whole.totals.data.all()


@given(shuffled_batches(st.integers(0, 9)))
def test_sparse_and_dense_rows_count_the_same(rows):
    X, y, _ = rows
    assert count_classes(from_csr(csr_array(X)), y, np.array(LABELS)) == count_classes(X, y, np.array(LABELS))


@given(shuffled_batches(st.just(0.0) | st.floats(1e-100, 1e6)), st.data())
def test_weighted_floats_add_up_to_rounding(rows, data):
    X, y, batches = rows
    weights = np.array(data.draw(st.lists(st.floats(0.001, 1000), min_size=len(y), max_size=len(y))))
    exact = [
        [
            float(sum(Fraction(w) * Fraction(x) for w, x, k in zip(weights, X[:, j], y, strict=True) if k == c))
            for j in range(X.shape[1])
        ]
        for c in range(3)
    ]
    whole = count_classes(X, y, np.array(LABELS), weights)
    parts = in_batches(X, y, batches, weights)
    for found in (whole, parts):
        np.testing.assert_allclose(found.totals.toarray().T, exact, rtol=1e-13)
    np.testing.assert_allclose(parts.documents, whole.documents, rtol=1e-13)


@given(shuffled_batches(st.floats(0, 1)))
def test_floats_taken_away_again_leave_the_rest_to_rounding_and_never_less_than_nothing(rows):
    X, y, batches = rows
    parts = [count_classes(X[part], y[part], np.array(LABELS)) for part in batches]
    left = reduce(add, parts)
    for part in reversed(parts[1:]):
        left = left - part
    np.testing.assert_allclose(left.totals.toarray(), parts[0].totals.toarray(), atol=1e-13)
    np.testing.assert_array_equal(left.documents, parts[0].documents)
    assert (left.totals.data > 0).all()
