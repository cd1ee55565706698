"""Stratified splits by a seed: the rows that scikit-learn's `train_test_split` takes, or whole groups."""

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


def grouped_split(class_ids: Array, groups: Array, share: float, seed: int) -> tuple[Array, Array]:
    """The same with the documents of a group on one side: of each class about this share is to be tested.

    Groups are taken in a random order, the large ones first. Each goes to the side on which its classes lack more.
    """
    sizes = np.bincount(class_ids)
    groups = np.unique(groups, return_inverse=True)[1]
    counts = np.zeros((groups.max() + 1, len(sizes)))
    np.add.at(counts, (groups, class_ids), 1)
    order = np.random.RandomState(seed).permutation(len(counts))
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    lacking = share * sizes
    is_tested = np.zeros(len(counts), dtype=bool)
    for group in order.tolist():
        after = lacking - counts[group]
        if np.sum(after**2 / sizes) < np.sum(lacking**2 / sizes):
            is_tested[group], lacking = True, after
    tested = is_tested[groups]
    learn, test = np.flatnonzero(~tested), np.flatnonzero(tested)
    if min(len(np.unique(class_ids[rows])) for rows in (learn, test)) < len(sizes):
        raise ValueError(f"{len(counts)} groups of {len(sizes)} classes cannot be split so that both sides have each")
    return learn, test


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
