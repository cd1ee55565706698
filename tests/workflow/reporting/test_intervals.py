"""Intervals of the figures that head a report."""

import numpy as np
import pytest

from textnb.workflow.metrics import area_under_curve, confusion_matrix, precision_recall_f1
from textnb.workflow.reporting.intervals import auc_interval, macro_f1_interval, mean_interval


def drawn(rng, n=120):
    """Documents of two classes whose scores overlap."""
    positive = rng.random(n) < 0.4
    return positive, rng.normal(positive * 1.2, 1).round(1)  # rounded, so that some are tied


def test_the_variance_of_an_area_is_delongs():
    """By the definition, over all pairs of documents."""
    positive, scores = drawn(np.random.default_rng(1))
    above, below = scores[positive], scores[~positive]
    wins = (above[:, None] > below).astype(float) + 0.5 * (above[:, None] == below)
    variance = wins.mean(axis=1).var(ddof=1) / len(above) + wins.mean(axis=0).var(ddof=1) / len(below)
    area = area_under_curve(positive, scores)
    logit, half = np.log(area / (1 - area)), 1.959963984540054 * np.sqrt(variance) / (area * (1 - area))
    expected = [1 / (1 + np.exp(-(logit + sign * half))) for sign in (-1, 1)]
    assert auc_interval(positive, scores) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["auc", "macro_f1", "mean"])
def test_nineteen_of_twenty_intervals_hold_the_true_value(name):
    rng = np.random.default_rng(7)
    cells = np.array([[40, 6, 2], [9, 25, 1], [3, 2, 12]])
    held = []
    for _ in range(300):
        if name == "auc":
            positive = np.arange(300) < 120
            low, high = auc_interval(positive, rng.normal(positive * 1.2, 1))
            truth = 0.801936  # P(N(1.2, 2) > 0)
        elif name == "macro_f1":
            low, high = macro_f1_interval(rng.multinomial(500, cells.ravel() / cells.sum()).reshape(3, 3))
            truth = precision_recall_f1(cells)[2].mean()
        else:
            low, high = mean_interval(rng.exponential(size=200))
            truth = 1.0
        held.append(low <= truth <= high)
    assert 0.91 <= np.mean(held) <= 0.985


def test_what_has_no_interval():
    assert mean_interval(np.array([0.5])) is None
    assert mean_interval(np.array([0.5, np.inf])) is None
    assert auc_interval(np.array([True, False, False]), np.array([1.0, 0.0, 2.0])) is None
    assert auc_interval(np.array([True, True, False, False]), np.array([2.0, 3.0, 0.0, 1.0])) is None


def test_a_macro_f1_that_never_varies_has_no_interval():
    assert macro_f1_interval(confusion_matrix(np.arange(30) % 3, np.arange(30) % 3, 3)) is None
