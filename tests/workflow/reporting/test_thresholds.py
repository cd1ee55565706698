"""Threshold curves are exact counts."""

import numpy as np
import pytest

from textnb.workflow.reporting.thresholds import MOST_POINTS, threshold_curve


def brute_force(probabilities, positive, threshold):
    named = [p >= threshold for p in probabilities.tolist()]
    both = list(zip(named, positive.tolist(), strict=True))
    return both.count((True, True)), both.count((True, False))


@pytest.mark.parametrize("n", [1, 7, 400, 3000])
@pytest.mark.parametrize("kind", ["even", "extreme", "ties"])
def test_every_point_has_the_counts_of_its_threshold(n, kind):
    rng = np.random.default_rng(n)
    probabilities = rng.random(n)
    if kind == "extreme":
        probabilities = 1 / (1 + np.exp(-60 * (probabilities - 0.6)))
    if kind == "ties":
        probabilities = np.round(probabilities, 1)
    positive = rng.random(n) < probabilities
    curve = threshold_curve(3, probabilities, positive)
    points = curve.to_json()["points"]
    assert len(points) <= MOST_POINTS
    thresholds = [threshold for threshold, _, _ in points]
    assert thresholds == sorted(set(thresholds))
    assert 0.5 in thresholds
    for threshold, true_positives, false_positives in points:
        assert (true_positives, false_positives) == brute_force(probabilities, positive, threshold)
    assert (curve.n_positive, curve.n_negative) == (positive.sum(), n - positive.sum())
    assert curve.to_json()["class"] == 3


def test_of_few_documents_every_probability_is_a_threshold():
    probabilities = np.array([0.25, 0.125, 0.75, 0.25])
    curve = threshold_curve(0, probabilities, np.array([True, False, True, False]))
    assert curve.thresholds.tolist() == [0.125, 0.25, 0.5, 0.75]


def test_of_many_the_rare_class_keeps_its_detail():
    rng = np.random.default_rng(0)
    probabilities = np.concatenate([rng.random(20_000) * 1e-3, 0.5 + rng.random(200) / 2])
    positive = np.arange(20_200) >= 20_000
    curve = threshold_curve(0, probabilities, positive)
    assert len(set(curve.true_positives.tolist())) > 150


def test_the_largest_probability_reaches_its_threshold_however_close_to_one():
    probabilities = np.array([1 - 1e-14, 0.3])
    curve = threshold_curve(0, probabilities, np.array([True, False]))
    assert curve.thresholds[-1] < 1
    assert curve.true_positives[-1] == 1


def test_a_class_without_documents_has_a_curve():
    curve = threshold_curve(0, np.array([0.1, 0.6]), np.array([False, False]))
    assert curve.to_json()["points"] == [[0.1, 0, 2], [0.5, 0, 1], [0.6, 0, 1]]
