"""Moments by class: measured in any form, merged exactly, taken away with care."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array

from textnb.estimators.sklearn_compat import from_csr
from textnb.statistics import moments
from textnb.statistics.moments import ClassMoments, measure_classes

CLASSES = np.array(["ham", "spam"])
rng = np.random.default_rng(0)
X = rng.normal(100.0, 3.0, size=(40, 3))
class_ids = rng.integers(2, size=40)
weights = rng.random(40)


def assert_same(a: ClassMoments, b: ClassMoments, rtol=1e-12):
    np.testing.assert_array_equal(a.classes, b.classes)
    for name in ("weight", "observed", "mean", "scatter"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=rtol, atol=1e-300, err_msg=name)


def test_moments_are_those_of_the_definition():
    found = measure_classes(X, class_ids, CLASSES, weights)
    for c in (0, 1):
        rows, w = X[class_ids == c], weights[class_ids == c]
        mean = np.average(rows, axis=0, weights=w)
        assert found.weight[c] == pytest.approx(w.sum())
        np.testing.assert_allclose(found.mean[c], mean, rtol=1e-13)
        np.testing.assert_allclose(found.scatter[c], w @ (rows - mean) ** 2, rtol=1e-12)


def test_blocks_do_not_matter(monkeypatch):
    at_once = measure_classes(X, class_ids, CLASSES, weights)
    monkeypatch.setattr(moments, "_BLOCK", 1)
    assert_same(measure_classes(X, class_ids, CLASSES, weights), at_once)


def test_small_variance_beside_a_large_mean_keeps_its_digits():
    shifted = measure_classes(X + 1e9, class_ids, CLASSES)
    np.testing.assert_allclose(shifted.scatter, measure_classes(X, class_ids, CLASSES).scatter, rtol=1e-6)


def test_missing_values_leave_out_their_own_column():
    holes = X.copy()
    holes[::3, 1] = np.nan
    found = measure_classes(holes, class_ids, CLASSES, weights)
    kept = ~np.isnan(holes[:, 1])
    alone = measure_classes(X[kept, 1:2], class_ids[kept], CLASSES, weights[kept])
    whole = measure_classes(X, class_ids, CLASSES, weights)
    np.testing.assert_array_equal(found.weight, whole.weight)
    for name in ("observed", "mean", "scatter"):
        np.testing.assert_allclose(getattr(found, name)[:, 1:2], getattr(alone, name), rtol=1e-12)
        np.testing.assert_allclose(getattr(found, name)[:, [0, 2]], getattr(whole, name)[:, [0, 2]], rtol=1e-12)


@pytest.mark.parametrize("given", [None, weights])
def test_sparse_rows_give_what_dense_rows_give(given):
    thin = np.where(rng.random(X.shape) < 0.3, X, 0.0)
    assert_same(
        measure_classes(from_csr(csr_array(thin)), class_ids, CLASSES, given),
        measure_classes(thin, class_ids, CLASSES, given),
        rtol=1e-11,
    )


def test_sparse_rows_are_not_made_dense():
    wide = csr_array((np.ones(3_000), (np.arange(3_000), np.arange(3_000))), shape=(3_000, 20_000))
    ids = np.arange(3_000) % 2
    tracemalloc.start()
    measure_classes(from_csr(wide), ids, CLASSES)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000 * 20_000 * 8 / 50


def test_adding_aligns_classes():
    ham, spam = (
        measure_classes(X[class_ids == c], np.zeros((class_ids == c).sum(), dtype=int), CLASSES[c : c + 1])
        for c in (0, 1)
    )
    assert_same(ham + spam, measure_classes(X, class_ids, CLASSES))
    assert_same(spam + ham, measure_classes(X, class_ids, CLASSES))


def test_subtracting_undoes_adding():
    first, second = (measure_classes(X[rows], class_ids[rows], CLASSES) for rows in (slice(25), slice(25, None)))
    assert_same((first + second) - second, first, rtol=1e-9)
    nothing = first - first
    assert not nothing.weight.any() and not nothing.mean.any() and not nothing.scatter.any()


def test_subtracting_what_cancels_is_refused_instead_of_wrong():
    many, few = X * 1e6, X[:3] * 1e-3
    ids = np.zeros(40, dtype=int)
    both = measure_classes(few, ids[:3], CLASSES[:1]) + measure_classes(many, ids, CLASSES[:1])
    with pytest.raises(ValueError, match=r"column 0 in class .*ham.*Measure the remaining rows instead"):
        both - measure_classes(many, ids, CLASSES[:1])


def test_subtracting_what_was_never_measured_is_refused():
    ham = measure_classes(X[class_ids == 0], np.zeros((class_ids == 0).sum(), dtype=int), CLASSES[:1])
    both = measure_classes(X, class_ids, CLASSES)
    with pytest.raises(ValueError, match=r"rows of .*spam.*: none were measured"):
        ham - both
    with pytest.raises(ValueError, match=r"more rows than were measured in class .*ham"):
        both - (ham + ham)
    with pytest.raises(ValueError, match="3 and of 2 columns"):
        both + measure_classes(X[:, :2], class_ids, CLASSES)


def test_moments_cannot_be_changed():
    found = measure_classes(X, class_ids, CLASSES)
    with pytest.raises(ValueError, match="read-only"):
        found.mean[0, 0] = 0.0


def test_pooled_moments_are_those_of_all_rows():
    pooled = measure_classes(X, class_ids, CLASSES).pooled()
    np.testing.assert_allclose(pooled.mean, X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(pooled.scatter / pooled.weight, X.var(axis=0), rtol=1e-12)
