"""The linear rule on sparse, dense and plain rows, with features that a class never or always has."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from textnb import arrays
from textnb.arrays import SparseRows
from textnb.estimators.sklearn_compat import from_csr
from textnb.likelihood import rules
from textnb.likelihood.rules import ClassPart, LinearRule, SparseWeights, linear_rule

pytestmark = pytest.mark.filterwarnings("error")

packed = pytest.mark.parametrize(
    "pack",
    [np.asarray, scipy.sparse.csr_array, scipy.sparse.csr_matrix, lambda X: from_csr(scipy.sparse.csr_array(X))],
    ids=["dense", "csr_array", "csr_matrix", "SparseRows"],
)
NEVER, ALWAYS = -np.inf, np.inf


def finite_rule(weights, intercept) -> LinearRule:
    """A rule from weights (V, K) of which some may be infinite."""
    always = np.isposinf(weights).sum(axis=0)
    part = ClassPart(np.zeros(len(intercept)), intercept, required=always if always.any() else None)
    deviations = SparseRows.of_dense(np.ones_like(weights)).with_data(weights.ravel())
    return linear_rule(part, 0.0, deviations)


@packed
def test_scores_are_weights_times_values_plus_intercept(pack):
    rule = LinearRule(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0.5, -0.5]))
    assert rule.log_likelihood(pack([[1, 0, 2], [0, 0, 0], [0, 3, 0]])).tolist() == [
        [11.5, 13.5],
        [0.5, -0.5],
        [9.5, 11.5],
    ]
    assert rule.coef.tolist() == [[1, 3, 5], [2, 4, 6]]


@packed
def test_a_class_that_never_has_a_feature_cannot_have_produced_it(pack):
    rule = finite_rule(np.array([[NEVER, 1.0], [2.0, 3.0]]), np.zeros(2))
    assert rule.log_likelihood(pack([[0, 1], [4, 1], [0, 0]])).tolist() == [[2, 3], [-np.inf, 7], [0, 0]]


@packed
def test_a_class_that_always_has_a_feature_cannot_do_without(pack):
    rule = finite_rule(np.array([[ALWAYS, 1.0], [ALWAYS, 3.0]]), np.zeros(2))
    scores = rule.log_likelihood(pack([[1, 1], [1, 0], [0, 1], [0, 0]]))
    assert scores.tolist() == [[0, 4], [-np.inf, 1], [-np.inf, 3], [-np.inf, 0]]


@packed
def test_one_feature_too_many_is_not_made_up_for_by_another_that_must_be_there(pack):
    rule = finite_rule(np.array([[NEVER], [ALWAYS]]), np.zeros(1))
    assert rule.log_likelihood(pack([[0, 1], [1, 1], [1, 0], [0, 0]])).tolist() == [[0], *[[-np.inf]] * 3]


def test_a_zero_that_is_stored_is_still_a_zero():
    stored = scipy.sparse.csr_array((np.array([0.0, 1.0]), [0, 1], [0, 2]), shape=(1, 2))
    rule = finite_rule(np.array([[NEVER], [1.0]]), np.zeros(1))
    for X in (stored, from_csr(stored)):
        assert rule.log_likelihood(X).tolist() == [[1]]


def test_a_rule_of_finite_weights_knows_nothing_impossible():
    assert finite_rule(np.ones((2, 2)), np.zeros(2)).impossible is None


@packed
def test_extreme_weights_and_values_score_without_a_warning(pack):
    rule = LinearRule(np.array([[-1e308, 1e-308], [1.0, 1.0]]), np.array([0.0, -1e308]))
    assert rule.log_likelihood(pack([[1.0, 0.0], [0.0, 1e308]])).tolist() == [[-1e308, -1e308], [1e308, 0]]


@packed
def test_scores_beyond_floating_point_are_refused(pack):
    rule = LinearRule(np.array([[-2.0, 2.0], [1.0, 1.0]]), np.zeros(2))
    with pytest.raises(ValueError, match="scores are beyond floating point; scale X down"):
        rule.log_likelihood(pack([[1e308, 0.0]]))


@packed
def test_a_word_of_probability_zero_makes_a_string_impossible(pack):
    with np.errstate(divide="ignore"):
        model = finite_rule(np.log([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]).T, np.zeros(2))
    scores = model.log_likelihood(pack([[1, 1, 0], [1, 0, 1]]))
    np.testing.assert_allclose(np.exp(scores), [[0.25, 0.06], [0, 0.1]], rtol=1e-14)


@st.composite
def sparse_weights(draw):
    """Weights in the sparse form, and rows of counts or weights to multiply with."""
    n_terms, n_classes, n_rows = draw(st.integers(1, 6)), draw(st.integers(1, 4)), draw(st.integers(0, 6))
    number = st.floats(-8, 8).map(lambda x: round(x, 3))

    def array(*shape, values=number):
        size = int(np.prod(shape))
        return np.array(draw(st.lists(values, min_size=size, max_size=size)), dtype=np.float64).reshape(shape)

    deviations = SparseRows.of_dense(array(n_terms, n_classes, values=st.just(0.0) | number))
    by_term = draw(number) if draw(st.booleans()) else array(n_terms)
    scale = draw(st.none() | st.just(array(n_classes)))
    X = array(n_rows, n_terms, values=st.sampled_from([0.0, 0.0, 1.0, 3.0, 0.37]))
    return SparseWeights(deviations, by_term, array(n_classes), scale), X


@given(sparse_weights())
def test_sparse_weights_multiply_as_the_dense_ones(case):
    weights, X = case
    expected = X @ weights.dense()
    packs = [np.asarray, scipy.sparse.csr_array, lambda X: from_csr(scipy.sparse.csr_array(X))]
    found = [weights.product(pack(X)) for pack in packs]
    np.testing.assert_allclose(found[0], expected, rtol=1e-12, atol=1e-9)
    assert found[1].tobytes() == found[2].tobytes() == found[0].tobytes()


@given(sparse_weights())
def test_a_row_scores_the_same_alone_and_among_others_and_by_blocks(case):
    weights, X = case
    rows = SparseRows.of_dense(X)
    together = weights.product(rows)
    for i in range(len(X)):
        assert weights.product(rows.take_rows(np.array([i]))).tobytes() == together[i].tobytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_PRODUCT_BLOCK", 3)
        patch.setattr(arrays, "compiled_kernel", lambda: None)
        assert weights.product(rows).tobytes() == together.tobytes()


def test_the_form_of_large_weights_is_the_one_that_takes_fewer_bytes(monkeypatch):
    part = ClassPart(np.zeros(20), np.zeros(20))
    rare = linear_rule(part, 0.5, SparseRows.of_dense(np.eye(1000, 20)))
    common = linear_rule(part, 0.5, SparseRows.of_dense(np.ones((1000, 20))))
    assert isinstance(rare.compact().weights, np.ndarray)
    monkeypatch.setattr(rules, "_DENSE_BYTES", 100_000)
    assert rare.compact() is rare
    assert isinstance(common.compact().weights, np.ndarray)
    np.testing.assert_array_equal(common.compact().coef, common.coef)
    assert rare.dense().dense().coef.tolist() == rare.coef.tolist()
