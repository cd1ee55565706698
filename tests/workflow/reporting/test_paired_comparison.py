"""Two models on the same documents: the textbook's formulas."""

from math import comb, sqrt

import numpy as np
import pytest

from textnb.workflow.reporting.paired_comparison import mcnemar_p_value, paired_error, where_they_differ


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (0, 5), (3, 3), (9, 1), (40, 60), (500, 430)])
def test_the_p_value_is_that_of_a_fair_coin(b, c):
    n, k = b + c, min(b, c)
    expected = min(1.0, 2 * sum(comb(n, i) for i in range(k + 1)) / 2**n)
    assert mcnemar_p_value(b, c) == pytest.approx(expected, rel=1e-10)
    assert mcnemar_p_value(b, c) == mcnemar_p_value(c, b)


def test_the_p_value_of_many_documents_is_no_nan():
    assert 0 <= mcnemar_p_value(100_000, 90_000) < 1e-100


@pytest.mark.parametrize(("b", "c", "n"), [(10, 5, 100), (0, 0, 3), (7, 0, 7), (3, 4, 7)])
def test_the_standard_error_is_that_of_the_differences(b, c, n):
    differences = np.array([1] * b + [-1] * c + [0] * (n - b - c))
    assert paired_error(b, c, n) == pytest.approx(differences.std() / sqrt(n))


def test_documents_that_one_model_has_right_come_first_and_then_confident_ones():
    true = np.array([0, 0, 0, 1, 1])
    first = np.array([0, 1, 1, 0, 1])
    second = np.array([1, 2, 0, 0, 2])
    confidence = np.array([0.6, 0.99, 0.9, 0.8, 0.6])
    assert where_they_differ(true, first, second, confidence, 9).tolist() == [2, 0, 4, 1]
    assert where_they_differ(true, first, second, confidence, 2).tolist() == [2, 0]
