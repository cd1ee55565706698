"""NB-weighted linear models: their mathematics, and that their objective is as small as liblinear's."""

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix, random_array
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from textnb.arrays import SparseRows
from textnb.compiled import KERNEL_VARIABLE, compiled_kernel
from textnb.corpora import load_corpus
from textnb.likelihood import dual_descent
from textnb.likelihood.dual_descent import minimise, objective
from textnb.likelihood.nb_weighted import (
    LOSSES,
    Problems,
    fit_rule,
    held_out_scores,
    interpolated,
    log_count_ratio,
)
from textnb.text.analyzer import Analyzer
from textnb.text.counting import count_all
from textnb.text.weights import Weighting

needs_kernel = pytest.mark.skipif(compiled_kernel() is None, reason="the kernel is not compiled, or not wanted")


def random_rows(n, n_columns, seed=0, density=0.1):
    matrix = random_array((n, n_columns), density=density, rng=np.random.default_rng(seed), format="csr")
    return SparseRows(matrix.indptr, matrix.indices, np.ceil(3 * matrix.data), n_columns)


def random_problems(n=600, n_columns=200, n_classes=3, seed=0, **more):
    rows = random_rows(n, n_columns, seed)
    rng = np.random.default_rng(seed + 1)
    directions = rng.normal(size=(n_columns, n_classes))
    class_ids = (rows @ directions + 2 * rng.normal(size=(n, n_classes))).argmax(axis=1)
    return Problems(rows, class_ids, n_classes, **more)


def liblinear_objective(rows, ratios, signs, costs, logistic):
    """The objective of scikit-learn's liblinear on the scaled matrix, made here."""
    scaled = csr_matrix((rows.data * ratios[rows.indices], rows.indices, rows.indptr), shape=rows.shape)
    if logistic:
        model = LogisticRegression(solver="liblinear", tol=1e-8, max_iter=100_000)
    else:
        model = LinearSVC(tol=1e-6, max_iter=1_000_000)
    model.fit(scaled, signs, sample_weight=costs)
    weights = np.append(model.coef_[0], model.intercept_)
    return objective(signs * (scaled @ model.coef_[0] + model.intercept_), weights, costs, logistic)


def own_objective(rows, ratios, signs, costs, logistic, found):
    scaled = csr_array((rows.data * ratios[rows.indices], rows.indices, rows.indptr), shape=rows.shape)
    weights = np.append(found.weights, found.intercept)
    return objective(signs * (scaled @ found.weights + found.intercept), weights, costs, logistic)


def test_ratios_are_those_of_smoothed_shares():
    """p = (2, 0, 1) and q = (0, 3, 1), each with 1 more: shares 3/6, 1/6, 2/6 and 1/7, 4/7, 2/7."""
    found = log_count_ratio(np.array([2, 0, 1]), np.array([0, 3, 1]), 1.0)
    assert np.allclose(found, np.log([3 / 6 / (1 / 7), 1 / 6 / (4 / 7), 2 / 6 / (2 / 7)]), rtol=1e-12)


def test_a_feature_counts_once_in_a_row_whatever_its_weight():
    rows = SparseRows.of_dense(np.array([[5.0, 0, 0.1], [0.2, 0, 0], [0, 7, 0], [0, 1, 0.3]]))
    solved = Problems(rows, np.array([0, 0, 1, 1]), 2).part().solve(1, 1.0)
    assert np.allclose(solved.ratios, log_count_ratio(np.array([0, 2, 1]), np.array([2, 0, 1]), 1.0), rtol=1e-12)


def test_interpolation_draws_weights_to_their_mean_size():
    weights = np.array([1.0, -3.0, 0.0, 4.0])
    assert interpolated(weights, 1.0).tolist() == weights.tolist()
    assert interpolated(weights, 0.0).tolist() == [2.0] * 4
    assert interpolated(weights, 0.25).tolist() == [1.75, 0.75, 1.5, 2.5]


def test_smoothing_of_nothing_is_refused():
    with pytest.raises(ValueError, match="alpha must be above 0 for a model of log-count ratios, got 0"):
        random_problems(alpha=0.0)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_objective_is_liblinears(loss, C):
    problems = random_problems(loss=loss)
    for c in range(3):
        part = problems.part()
        signs = np.where(problems.class_ids == c, 1, -1).astype(np.int8)
        solved, costs = part.solve(c, C), np.full(len(signs), C)
        theirs = liblinear_objective(problems.rows, solved.ratios, signs, costs, loss == "log")
        assert abs(own_objective(problems.rows, solved.ratios, signs, costs, loss == "log", solved) / theirs - 1) < 1e-4
        assert abs(solved.objective / theirs - 1) < 1e-4


@pytest.mark.parametrize("loss", LOSSES)
def test_the_objective_is_liblinears_on_messages(loss):
    try:
        corpus = load_corpus("sms-spam")
    except (FileNotFoundError, ValueError, OSError):
        pytest.skip("corpus not available")
    _, counts = count_all(corpus.texts[:2000], Analyzer(ngrams=(1, 2)))
    rows = Weighting.fitted("log-tfidf", counts).apply(counts)
    class_ids = np.unique(corpus.labels[:2000], return_inverse=True)[1]
    solved = Problems(rows, class_ids, 2, loss=loss).part().solve(1, 0.3)
    signs, costs = np.where(class_ids == 1, 1, -1).astype(np.int8), np.full(len(class_ids), 0.3)
    theirs = liblinear_objective(rows, solved.ratios, signs, costs, loss == "log")
    assert abs(own_objective(rows, solved.ratios, signs, costs, loss == "log", solved) / theirs - 1) < 1e-4


@needs_kernel
@pytest.mark.parametrize("logistic", [False, True])
def test_kernel_and_newtons_method_find_the_same(logistic, monkeypatch):
    rows, rng = random_rows(800, 300), np.random.default_rng(5)
    ratios, signs = rng.normal(size=300), rng.choice([-1, 1], 800).astype(np.int8)
    costs = rng.choice([0.0, 0.1, 3.0], 800)
    kernel = minimise(rows, ratios, signs, costs, logistic, 1e-8)
    monkeypatch.setenv(KERNEL_VARIABLE, "python")
    newton = minimise(rows, ratios, signs, costs, logistic, 1e-8)
    assert abs(kernel.objective / newton.objective - 1) < 2e-8
    assert np.allclose(kernel.weights, newton.weights, atol=1e-3 * np.abs(newton.weights).max())


@needs_kernel
def test_the_kernel_stops_at_the_gap_that_was_asked_for():
    """Strong duality: what it returns as the distance from the least is one, and what it says of P is P."""
    rows, rng = random_rows(800, 300), np.random.default_rng(6)
    signs, costs = rng.choice([-1, 1], 800).astype(np.int8), np.full(800, 0.5)
    plain, found = rows.for_products(), []
    for tolerance in (1e-2, 1e-6):
        dual, scaled = np.zeros(800), np.empty(301)
        arguments = (plain.indptr, plain.indices, plain.data, np.ones(300), signs, costs, False, tolerance, 9999, 1)
        _, primal, gap = compiled_kernel().descend(*arguments, dual, scaled)
        assert 0 <= gap <= tolerance * primal
        margins = signs * ((rows @ scaled[:-1, np.newaxis])[:, 0] + scaled[-1])
        assert primal == pytest.approx(objective(margins, scaled, costs, False), rel=1e-9)
        found.append((primal, gap))
    assert found[0][0] - found[0][1] <= found[1][0] <= found[0][0] + 1e-9


@needs_kernel
def test_the_kernel_refuses_rows_that_are_none():
    good = (np.array([0, 1]), np.array([0], np.int32), np.ones(1))
    bad = [
        (np.array([0, 2]), *good[1:]),
        (np.array([1, 1]), *good[1:]),
        (good[0], np.array([3], np.int32), good[2]),
        (good[0], np.array([-1], np.int32), good[2]),
    ]
    rest = (np.ones(3), np.ones(1, np.int8), np.ones(1), False, 1e-4, 10, 1, np.zeros(1), np.empty(4))
    compiled_kernel().descend(*good, *rest)
    for rows in bad:
        with pytest.raises(ValueError, match="no rows of that many columns"):
            compiled_kernel().descend(*rows, *rest)
    with pytest.raises(ValueError, match="does not fit the rows"):
        compiled_kernel().descend(*good, *rest[:-1], np.empty(3))


@needs_kernel
def test_where_passes_do_not_suffice_newtons_method_goes_on():
    problems = random_problems(most_passes=2)
    signs, costs = np.where(problems.class_ids == 0, 1, -1).astype(np.int8), np.full(600, 100.0)
    solved = problems.part().solve(0, 100.0)
    theirs = liblinear_objective(problems.rows, solved.ratios, signs, costs, False)
    assert abs(solved.objective / theirs - 1) < 1e-4


@pytest.mark.parametrize("loss", LOSSES)
def test_a_fit_from_the_dual_of_another_cost_finds_the_same(loss):
    part = random_problems(loss=loss).part()
    warm, cold = part.solve(0, 3.0, part.solve(0, 0.3).dual), part.solve(0, 3.0)
    assert abs(warm.objective / cold.objective - 1) < 1e-4


def test_a_part_of_the_rows_is_as_if_there_were_no_others():
    problems = random_problems(tolerance=1e-8)
    some = np.arange(600) % 3 > 0
    rows = problems.rows.take_rows(np.flatnonzero(some))
    alone = Problems(rows, problems.class_ids[some], 3, tolerance=1e-8).part().solve(1, 1.0)
    part = problems.part(some).solve(1, 1.0)
    assert np.array_equal(part.ratios, alone.ratios)
    assert part.objective == pytest.approx(alone.objective, rel=2e-8)
    assert not part.dual[~some].any()


def test_weights_of_rows_count_as_repetitions_do():
    problems, times = random_problems(tolerance=1e-8), np.random.default_rng(3).integers(0, 3, 600)
    repeated = np.repeat(np.arange(600), times)
    several = Problems(problems.rows.take_rows(repeated), problems.class_ids[repeated], 3, tolerance=1e-8)
    weighted = Problems(problems.rows, problems.class_ids, 3, costs=times.astype(float), tolerance=1e-8)
    a, b = several.part().solve(2, 0.5), weighted.part().solve(2, 0.5)
    assert np.allclose(a.ratios, b.ratios, rtol=1e-12)
    assert a.objective == pytest.approx(b.objective, rel=2e-8)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_no_result_depends_on_the_number_of_threads(n_classes):
    problems = random_problems(n_classes=n_classes)
    one, several = (fit_rule(problems, 0.3, 0.5, n_jobs) for n_jobs in (1, 3))
    assert np.array_equal(one.coef, several.coef)
    assert np.array_equal(one.intercept, several.intercept)


@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_scores_held_out_are_those_of_the_rule(n_classes):
    problems = random_problems(n_classes=n_classes)
    solved = problems.part().solve(n_classes - 1, 0.3)
    for beta, scores in zip((0.0, 0.25, 1.0), held_out_scores(solved, problems.rows, (0.0, 0.25, 1.0)), strict=True):
        rule = fit_rule(problems, 0.3, beta)
        of_rule = rule.log_likelihood(problems.rows)
        expected = of_rule[:, -1] - (of_rule[:, 0] if n_classes == 2 else 0)
        assert np.allclose(scores, expected, rtol=1e-9, atol=1e-9)


def test_small_problems_are_solved_to_the_last_digits():
    """So that they do not depend on the order of the rows."""
    problems = random_problems(n=60, n_columns=20)
    assert len(problems.rows.data) <= dual_descent._SMALL
    order = np.random.default_rng(0).permutation(60)
    shuffled = Problems(problems.rows.take_rows(order), problems.class_ids[order], 3)
    a, b = (each.part().solve(0, 1.0) for each in (problems, shuffled))
    assert np.allclose(a.weights, b.weights, rtol=1e-9, atol=1e-11)
