"""Term weights, against their definitions and scikit-learn's transformer."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.feature_extraction.text import TfidfTransformer as TheirTransformer

from textnb import TfidfTransformer
from textnb.arrays import SparseRows
from textnb.text.weights import Weighting, inverse_document_frequency, normalized, row_norms, sublinear

COUNTS = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
    elements=st.sampled_from([0, 0, 0, 1, 2, 9, 1000]),
)


def rows_of(dense):
    matrix = scipy.sparse.csr_array(np.asarray(dense))
    return SparseRows(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1])


def dense_of(rows):
    return scipy.sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=rows.shape).toarray()


def test_idf_is_as_defined():
    idf = inverse_document_frequency(np.array([1, 4]), 4, smooth=False)
    np.testing.assert_allclose(idf, [1 + np.log(4), 1])
    idf = inverse_document_frequency(np.array([0, 4]), 4, smooth=True)
    np.testing.assert_allclose(idf, [1 + np.log(5), 1])


def test_sublinear_is_one_plus_the_logarithm():
    np.testing.assert_allclose(sublinear(np.array([1.0, np.e])), [1, 2])


def test_norms_by_name():
    rows = rows_of([[3.0, 4.0], [0.0, 0.0]])
    assert row_norms(rows, "l1").tolist() == [7, 0]
    assert row_norms(rows, "l2").tolist() == [5, 0]
    assert dense_of(normalized(rows, "l2")).tolist() == [[0.6, 0.8], [0, 0]]
    with pytest.raises(ValueError, match='norm must be "l1", "l2" or None, got \'max\''):
        row_norms(rows, "max")


@given(
    COUNTS,
    COUNTS,
    st.sampled_from([None, "l1", "l2"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([np.int64, np.float32, np.float64]),
)
def test_the_transformer_is_scikit_learns(counts, others, norm, use_idf, sublinear_tf, smooth_idf, dtype):
    settings = {"norm": norm, "use_idf": use_idf, "sublinear_tf": sublinear_tf, "smooth_idf": smooth_idf}
    if not smooth_idf:
        counts = counts + 1  # without smoothing an absent term has an infinite idf, in both
    others = np.resize(others, (len(others), counts.shape[1]))
    counts, others = (scipy.sparse.csr_array(matrix.astype(dtype)) for matrix in (counts, others))
    theirs, ours = TheirTransformer(**settings).fit(counts), TfidfTransformer(**settings).fit(counts)
    tolerance = 1e-6 if dtype == np.float32 else 1e-14
    for matrix in (counts, others):
        expected, found = theirs.transform(matrix), ours.transform(matrix)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_allclose(found.data, expected.data, rtol=tolerance)


@given(COUNTS)
def test_named_weightings_are_what_they_say(counts):
    rows = rows_of(counts)
    named = {name: dense_of(Weighting.fitted(name, rows).apply(rows)) for name in ("counts", "binary")}
    np.testing.assert_array_equal(named["counts"], counts)
    np.testing.assert_array_equal(named["binary"], counts > 0)
    for name, sublinear_tf in (("tfidf", False), ("log-tfidf", True)):
        expected = TheirTransformer(sublinear_tf=sublinear_tf).fit_transform(scipy.sparse.csr_array(counts))
        np.testing.assert_allclose(
            dense_of(Weighting.fitted(name, rows).apply(rows)), expected.toarray(), rtol=1e-14, atol=0
        )


def test_an_unknown_weighting_is_refused():
    with pytest.raises(ValueError, match="weights must be one of counts, binary, tfidf, log-tfidf, got 'bm25'"):
        Weighting.fitted("bm25", rows_of([[1]]))
