"""Drawing rows from class-conditional models, each row given its class."""

from __future__ import annotations

from typing import Any

import numpy as np

from textnb.arrays import Array, SparseRows

_BLOCK = 1 << 20  # random numbers held at a time where most of them come to nothing


def draw_positions(log_probability: Array, n: int, rng: Any) -> Array:
    """n positions of a distribution given by logarithms, by inverting its cumulative sum."""
    cumulative = np.cumsum(np.exp(log_probability))
    if not cumulative[-1] > 0:
        raise ValueError("a class of which nothing was seen cannot be sampled from; use alpha > 0")
    return np.searchsorted(cumulative / cumulative[-1], rng.random(n), side="right")


def draw_categories(log_probability: Array, class_ids: Array, rng: Any) -> Array:
    """One position per row from the distribution (K, M) of its class."""
    drawn = np.empty(len(class_ids), dtype=np.int64)
    for c in np.unique(class_ids):
        rows = class_ids == c
        drawn[rows] = draw_positions(log_probability[c], int(rows.sum()), rng)
    return drawn


def draw_words(log_probability: Array, class_ids: Array, lengths: Array, rng: Any) -> SparseRows:
    """Word counts of documents of given lengths, each word drawn from the language model (K, V) of the class."""
    from scipy.sparse import coo_array

    rows = np.repeat(np.arange(len(class_ids)), lengths)
    words = draw_categories(log_probability, class_ids[rows], rng)
    shape = (len(class_ids), log_probability.shape[1])
    counts = coo_array((np.ones(len(rows), dtype=np.int64), (rows, words)), shape=shape).tocsr()
    return SparseRows(counts.indptr, counts.indices, counts.data, shape[1])


def draw_flags(log_probability: Array, class_ids: Array, rng: Any) -> SparseRows:
    """Features that are there with the probability (K, V) of the class."""
    probability = np.exp(log_probability)
    n_columns = probability.shape[1]
    block = max(1, _BLOCK // n_columns)
    found = [
        np.nonzero(rng.random((len(ids), n_columns)) < probability[ids])
        for ids in (class_ids[start : start + block] for start in range(0, len(class_ids), block))
    ]
    lengths = np.concatenate([np.bincount(rows, minlength=block) for rows, _ in found])[: len(class_ids)]
    indices = np.concatenate([columns for _, columns in found])
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    return SparseRows(indptr, indices, np.ones(len(indices), dtype=np.int64), n_columns)


def draw_normal(mean: Array, variance: Array, class_ids: Array, rng: Any) -> Array:
    """(n, p) independent normal values with the mean and variance (K, p) of the class."""
    return mean[class_ids] + np.sqrt(variance)[class_ids] * rng.standard_normal((len(class_ids), mean.shape[1]))
