"""What a choice can be made by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, roc_auc_score

from textnb.selection.objectives import check_objective, macro_f1, mean_auc, share_caught
from textnb.selection.trials import Trial


def by_lot(scores, positive, most_lost, n_orders=400):
    """The mean height of the step curve up to a rate, over random orders of equal scores."""
    generator, n_lost = np.random.default_rng(0), most_lost * (~positive).sum()
    found = []
    for _ in range(n_orders):
        order = np.lexsort((generator.random(len(scores)), -scores))
        caught, height, area, left = np.cumsum(positive[order]), 0.0, 0.0, n_lost
        for i, is_positive in enumerate(positive[order]):
            height = caught[i] / positive.sum()
            if not is_positive:
                area += min(left, 1) * height
                left -= min(left, 1)
        found.append(area / n_lost)
    return np.mean(found)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=30), st.booleans())
def test_over_all_losses_it_is_the_area_under_the_curve(pairs, few):
    scores, positive = (np.array(column) for column in zip(*pairs, strict=True))
    if positive.all() or not positive.any():
        return
    expected = roc_auc_score(positive, scores)
    assert share_caught(scores.astype(float), positive, 1.0) == pytest.approx(expected)
    if few:
        partial = roc_auc_score(positive, scores, max_fpr=0.3)  # McClish's standardised area
        least, most = 0.3**2 / 2, 0.3
        area = least + (2 * partial - 1) * (most - least)
        assert share_caught(scores.astype(float), positive, 0.3) == pytest.approx(area / 0.3)


def test_equal_scores_are_in_order_by_lot():
    scores = np.array([3.0, 2, 2, 2, 2, 1, 1, 0, 0, 0])
    positive = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 0], dtype=bool)
    for lost in (2 / 6, 3 / 6):  # at the end of a run
        assert share_caught(scores, positive, lost) == pytest.approx(by_lot(scores, positive, lost), abs=0.02)


def test_the_best_ranking_catches_all_and_the_worst_nothing():
    positive = np.arange(2000) < 500
    ranks = np.arange(2000.0)
    assert share_caught(-ranks, positive) == 1
    assert share_caught(ranks, positive) == 0
    assert share_caught(np.zeros(2000), positive) == pytest.approx(0.005)


def test_what_is_beyond_the_losses_looked_at_does_not_count():
    positive = np.arange(2000) < 1000
    scores = np.where(positive, 2.0, 0.0)
    scores[:100] = 1.0
    scores[1000:1010] = 1.5  # 1 % of the others come before a tenth of the positive ones
    assert share_caught(scores, positive) == pytest.approx(0.9)
    scores[1000:1005] = 0.5
    assert 0.9 < share_caught(scores, positive) < 1


def test_measures_of_all_classes_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    scores, classes = random.normal(size=(60, 4)), random.integers(0, 4, 60)
    scores[np.arange(60), classes] += 1
    named = scores.argmax(axis=1)
    assert macro_f1(named, classes, 4) == pytest.approx(f1_score(classes, named, average="macro"))
    areas = [roc_auc_score(classes == c, scores[:, c]) for c in range(4)]
    assert mean_auc(scores, classes) == pytest.approx(np.mean(areas))
    assert macro_f1(np.zeros(60, dtype=int), np.zeros(60, dtype=int), 2) == 0.5  # the second is neither there nor named


def test_the_measure_of_the_objective_ranks_and_ties_are_broken_by_accuracy():
    def trial(objective, accuracy, **measures):
        return Trial(None, accuracy, 0.5, objective=objective, **measures)

    for objective, name in (("macro-f1", "macro_f1"), ("auc", "auc"), ("caught", "caught")):
        best, tied, worst = (trial(objective, a, **{name: b}) for a, b in ((0.8, 0.7), (0.7, 0.7), (0.9, 0.6)))
        assert best.rank < tied.rank < worst.rank


def test_other_objectives_are_refused():
    check_objective(None)
    listed = "accuracy, macro-f1, log-loss, auc, caught"
    with pytest.raises(ValueError, match=f"objective must be one of {listed}, got 'recall'"):
        check_objective("recall")
