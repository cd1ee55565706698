"""Laws of moments, category tables and the models derived from them: any split, order or form, the same result."""

import math
from functools import reduce
from operator import add

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from textnb import CategoricalNB, GaussianNB, MixedNB
from textnb.estimators.sklearn_compat import from_csr
from textnb.statistics.categories import as_objects, count_categories, encode_values
from textnb.statistics.moments import measure_classes

LABELS = ["eggs", "ham", "spam"]
numbers = st.integers(-(10**6), 10**6).map(lambda n: n / 64)
words = st.sampled_from(["ant", "bee", "cat", "dog"])


@st.composite
def tables(draw, values, n_columns=2):
    """Rows, labels of which each occurs, and weights."""
    n = draw(st.integers(len(LABELS), 12))
    X = draw(st.lists(st.lists(values, min_size=n_columns, max_size=n_columns), min_size=n, max_size=n))
    y = [*LABELS, *draw(st.lists(st.sampled_from(LABELS), min_size=n - 3, max_size=n - 3))]
    return X, y, draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))


@st.composite
def batches(draw, n):
    """The numbers 0 … n − 1 in some order, in pieces."""
    order = draw(st.permutations(range(n)))
    cuts = sorted(draw(st.sets(st.integers(1, n - 1))) if n > 1 else [])
    return [order[start:stop] for start, stop in zip([0, *cuts], [*cuts, n], strict=True)]


def ids(y):
    return np.searchsorted(LABELS, y)


@given(st.data())
def test_moments_of_any_split_and_order_merge_to_the_same(data):
    X, y, weights = data.draw(tables(numbers))
    X, y, weights = np.array(X), ids(y), np.array(weights, dtype=float)
    whole = measure_classes(X, y, np.array(LABELS), weights)
    pieces = [np.array(rows) for rows in data.draw(batches(len(X)))]
    merged = reduce(add, [measure_classes(X[rows], y[rows], np.array(LABELS), weights[rows]) for rows in pieces])
    sparse = measure_classes(from_csr(csr_array(X)), y, np.array(LABELS), weights)
    scale = np.abs(X).max() ** 2 + 1
    for other in (merged, sparse):
        np.testing.assert_allclose(other.observed, whole.observed, rtol=1e-12)
        np.testing.assert_allclose(other.mean, whole.mean, rtol=1e-12, atol=1e-12 * scale**0.5)
        np.testing.assert_allclose(other.scatter, whole.scatter, rtol=1e-10, atol=1e-12 * scale)


@given(st.data())
def test_category_tables_of_any_split_and_order_add_up_to_the_same(data):
    X, y, _ = data.draw(tables(st.one_of(words, st.none())))

    def counted(rows):
        columns = [as_objects([X[i][j] for i in rows]) for j in (0, 1)]
        encoded = [encode_values(c, np.array([v is None for v in c]), "a column") for c in columns]
        return count_categories(encoded, ids([y[i] for i in rows]), np.array(LABELS))

    whole = counted(range(len(X)))
    merged = reduce(add, [counted(rows) for rows in data.draw(batches(len(X)))])
    np.testing.assert_array_equal(merged.documents, whole.documents)
    for j in (0, 1):
        np.testing.assert_array_equal(merged.categories[j], whole.categories[j])
        np.testing.assert_array_equal(merged.tables[j], whole.tables[j])
    left = whole - counted([0])
    np.testing.assert_array_equal((left + counted([0])).tables[0], whole.tables[0])


@given(st.data())
def test_gaussian_models_in_any_batches_equal_one_fit(data):
    X, y, weights = data.draw(tables(numbers))
    X, y, weights = np.array(X), np.array(y), np.array(weights, dtype=float)
    smoothing = data.draw(st.sampled_from([1e-9, 1e-3, 1.0]))
    once = GaussianNB(var_smoothing=smoothing).fit(X, y, sample_weight=weights)
    model = GaussianNB(var_smoothing=smoothing)
    for rows in map(np.array, data.draw(batches(len(X)))):
        model.partial_fit(X[rows], y[rows], classes=LABELS, sample_weight=weights[rows])
    scale = max(1.0, np.abs(X).max())
    np.testing.assert_allclose(model.theta_, once.theta_, rtol=1e-10, atol=1e-12 * scale)
    np.testing.assert_allclose(model.var_, once.var_, rtol=1e-10, atol=1e-12 * scale**2)


@given(st.data())
def test_a_gaussian_model_is_the_loop_over_its_definition(data):
    X, y, weights = data.draw(tables(st.one_of(numbers, st.none())))
    X[:3] = [[0.0 if value is None else value for value in row] for row in X[:3]]  # no class without a value
    rows = list(zip(X, y, weights, strict=True))
    columns = [[(x[j], k, w) for x, k, w in rows if x[j] is not None] for j in (0, 1)]
    floor = max(weighted_variance([(v, w) for v, _, w in column]) for column in columns)
    assume(floor > 0)
    model = GaussianNB(missing="ignore", var_smoothing=1.0).fit(np.array(X, dtype=float), y, sample_weight=weights)
    found = model.log_likelihood(np.array(X, dtype=float))
    for x, scores in zip(X, found, strict=True):
        for k, score in zip(LABELS, scores, strict=True):
            expected = 0.0
            for value, column in zip(x, columns, strict=True):
                if value is not None:
                    pairs = [(v, w) for v, label, w in column if label == k]
                    mean, variance = weighted_mean(pairs), weighted_variance(pairs) + floor
                    expected += -0.5 * math.log(2 * math.pi * variance) - (value - mean) ** 2 / (2 * variance)
            assert math.isclose(score, expected, rel_tol=1e-9, abs_tol=1e-9)


def weighted_mean(pairs):
    return math.fsum(v * w for v, w in pairs) / math.fsum(w for _, w in pairs)


def weighted_variance(pairs):
    mean = weighted_mean(pairs)
    return math.fsum(w * (v - mean) ** 2 for v, w in pairs) / math.fsum(w for _, w in pairs)


@given(st.data())
def test_a_categorical_model_is_the_loop_over_its_definition(data):
    X, y, weights = data.draw(tables(st.one_of(words, st.none())))
    alpha = data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    model = CategoricalNB(alpha=alpha, missing="ignore").fit(X, y, sample_weight=weights)
    for x in X:
        found = np.exp(model.log_likelihood([x])[0])
        for c, k in enumerate(LABELS):
            expected = 1.0
            for j in (0, 1):
                if x[j] is not None:
                    seen = [(row[j], w) for row, label, w in zip(X, y, weights, strict=True) if label == k]
                    same = sum(w for value, w in seen if value == x[j])
                    all_of_them = sum(w for value, w in seen if value is not None)
                    d = len({row[j] for row in X} - {None})
                    mass = all_of_them + alpha * d
                    expected *= (same + alpha) / mass if mass else 0.0
            assert math.isclose(found[c], expected, rel_tol=1e-12, abs_tol=1e-300)


@given(st.data())
def test_a_mixed_model_is_the_sum_of_its_parts(data):
    left, y, weights = data.draw(tables(st.one_of(numbers, st.none()), n_columns=1))
    right = data.draw(st.lists(words, min_size=len(y), max_size=len(y)))
    assume(any(x is not None for (x,) in left))
    X = [[number, word] for (number,), word in zip(left, right, strict=True)]
    parts = [("numbers", GaussianNB(), 0), ("words", CategoricalNB(), 1)]
    together = MixedNB(parts).fit(X, y, sample_weight=weights)
    apart = sum(MixedNB([part]).fit(X, y, sample_weight=weights).log_likelihood(X) for part in parts)
    np.testing.assert_allclose(together.log_likelihood(X), apart, rtol=1e-12)
    np.testing.assert_allclose(together.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


anything = st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans(), st.just(10**400), st.just(1e300))


@given(
    st.lists(st.lists(anything, min_size=2, max_size=2), min_size=1, max_size=4), st.sampled_from(["error", "smooth"])
)
def test_a_categorical_model_answers_or_says_what_is_wrong_whatever_it_is_asked(rows, unknown):
    model = CategoricalNB(unknown=unknown, missing="ignore").fit([[0, "ant"], [1, "bee"], [1, "ant"]], LABELS)
    X = np.empty((len(rows), 2), dtype=object)
    for i, row in enumerate(rows):
        X[i] = row
    try:
        probabilities = model.predict_proba(X)
    except ValueError:
        return
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
