"""A stratified split by a seed: the rows that scikit-learn's `train_test_split` takes, without importing it."""

from __future__ import annotations

from math import ceil

import numpy as np

from textnb.arrays import Array


def stratified_split(class_ids: Array, share: float, seed: int) -> tuple[Array, Array]:
    """Sorted positions to learn from and to test on: of each class, as nearly as can be, this share is to be tested.

    Classes are numbered without gaps. Both sides need room for a document of every class.
    """
    sizes = np.bincount(class_ids)
    n_test = ceil(share * len(class_ids))
    if min(n_test, len(class_ids) - n_test) < len(sizes):
        raise ValueError(f"{n_test} of {len(class_ids)} documents cannot be held out of {len(sizes)} classes")
    rng = np.random.RandomState(seed)
    learned = _shared_out(len(class_ids) - n_test, sizes, rng)
    tested = _shared_out(n_test, sizes - learned, rng)
    members = np.split(np.argsort(class_ids, kind="stable"), np.cumsum(sizes)[:-1])
    shuffled = [rows[rng.permutation(len(rows))] for rows in members]
    learn = [rows[:n] for rows, n in zip(shuffled, learned, strict=True)]
    test = [rows[n : n + more] for rows, n, more in zip(shuffled, learned, tested, strict=True)]
    return np.sort(np.concatenate(learn)), np.sort(np.concatenate(test))


def _shared_out(n: int, sizes: Array, rng: np.random.RandomState) -> Array:
    """n places among classes in proportion to their sizes; the rest go to the largest remainders, ties by lot."""
    exact = sizes / sizes.sum() * n
    places = np.floor(exact)
    remainders = exact - places
    for remainder in np.unique(remainders)[::-1]:
        left_over = n - int(places.sum())
        if left_over <= 0:
            break
        tied = np.flatnonzero(remainders == remainder)
        places[rng.choice(tied, size=min(len(tied), left_over), replace=False)] += 1
    return places.astype(np.int64)
