"""From joint log-likelihoods to posteriors and labels."""

from __future__ import annotations

import numpy as np

from textnb.text.rows import Array


def log_posterior(joint: Array, log_prior: Array) -> Array:
    """log P(c | x) = log P(x, c) − log Σ_c P(x, c), (n, K).

    Where no class can have produced a document, nothing was learned from it: its posterior is the prior.
    """
    possible = resolve_impossible(joint, log_prior)
    largest = possible.max(axis=1, keepdims=True)
    with np.errstate(over="ignore"):  # a difference beyond floating point is −∞ as well
        shifted = possible - largest
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def most_probable(joint: Array, log_prior: Array) -> Array:
    """The index of the most probable class of every row; the first of equals."""
    return resolve_impossible(joint, log_prior).argmax(axis=1)


def resolve_impossible(joint: Array, log_prior: Array) -> Array:
    """The joint, with the prior in place of rows that are −∞ in every class."""
    impossible = np.isneginf(joint).all(axis=1, keepdims=True)
    return np.where(impossible, log_prior, joint) if impossible.any() else joint
