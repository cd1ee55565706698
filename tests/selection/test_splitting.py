"""Stratified splits: scikit-learn's rows, without scikit-learn."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from textnb.selection.splitting import grouped_split, stratified_split


def theirs(class_ids, share, seed):
    parts = train_test_split(np.arange(len(class_ids)), test_size=share, random_state=seed, stratify=class_ids)
    return [np.sort(part).tolist() for part in parts]


@given(
    sizes=st.lists(st.integers(2, 40), min_size=2, max_size=12),
    share=st.floats(0.01, 0.99),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_split_takes_the_rows_that_scikit_learn_takes(sizes, share, seed):
    class_ids = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    try:
        expected = theirs(class_ids, share, seed)
    except ValueError:
        with pytest.raises(ValueError, match="cannot be held out of"):
            stratified_split(class_ids, share, seed)
    else:
        assert [part.tolist() for part in stratified_split(class_ids, share, seed)] == expected


@given(st.integers(2, 8), st.integers(2, 30), st.integers(0, 1000))
def test_ties_between_classes_of_one_size_fall_as_scikit_learn_draws_them(n_classes, size, seed):
    class_ids = np.tile(np.arange(n_classes), size)
    assume(np.ceil(0.3 * len(class_ids)) >= n_classes)
    assert [part.tolist() for part in stratified_split(class_ids, 0.3, seed)] == theirs(class_ids, 0.3, seed)


def test_every_row_is_on_one_side():
    learn, test = stratified_split(np.repeat([0, 1, 2], [50, 30, 20]), 0.3, 0)
    assert np.array_equal(np.sort(np.concatenate([learn, test])), np.arange(100))
    assert (len(learn), len(test)) == (70, 30)


@given(st.integers(0, 2**32 - 1), st.floats(0.2, 0.6), st.integers(2, 4))
def test_groups_are_on_one_side_and_classes_on_both(seed, share, n_classes):
    draw = np.random.default_rng(seed)
    groups = draw.integers(0, 60, 400)
    class_ids = draw.integers(0, n_classes, 60)[groups]  # of the hardest kind: a group is of one class
    assume(all(len(set(groups[class_ids == c])) >= 5 for c in range(n_classes)))
    learn, test = grouped_split(class_ids, groups, share, seed)
    assert sorted([*learn, *test]) == list(range(400))
    assert not set(groups[learn]) & set(groups[test])
    largest = np.bincount(groups).max()
    for c in range(n_classes):
        assert abs((class_ids[test] == c).sum() - share * (class_ids == c).sum()) <= largest
    again = grouped_split(class_ids, groups, share, seed)
    assert all(np.array_equal(one, other) for one, other in zip(again, (learn, test), strict=True))


def test_a_class_of_one_group_cannot_be_on_both_sides():
    with pytest.raises(ValueError, match="3 groups of 2 classes cannot be split"):
        grouped_split(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2]), 0.5, 0)
